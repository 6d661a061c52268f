//! The prefix ledger: how much of a request had been sent before, byte for byte, and why not more. What is compared is
//! one canonical form of tools, system prompt and messages; a message that was compared once is not encoded again.

use crate::ports::{Prefix, Request};
use reasonix_proto::{Break, Message, Requested, Usage};
use serde::Serialize;
use std::sync::Arc;

/// Requests that are remembered, each to another model: going back to a model finds what it has seen.
const MODELS: usize = 2;

/// What was asked so far.
#[derive(Debug, Clone, Default)]
pub(crate) struct Ledger {
    lines: Vec<Line>,
    /// What is known to have changed since the last request.
    expected: Option<Break>,
    /// The last request, also of an earlier process.
    last: Option<Requested>,
}

/// The last request to a model.
#[derive(Debug, Clone)]
struct Line {
    model: String,
    prefix: Arc<Prefix>,
    head: Head,
    /// The messages, each with where it ends.
    messages: Vec<(Arc<Message>, u64)>,
    hasher: blake3::Hasher,
}

/// The part before the messages.
#[derive(Debug, Clone)]
struct Head {
    tools: Vec<u8>,
    system: Vec<u8>,
}

impl Ledger {
    /// Goes on after a request of an earlier process.
    pub(crate) fn after(last: Option<Requested>) -> Self {
        Self { last, ..Self::default() }
    }

    /// True once something was asked, in this process or an earlier one.
    pub(crate) fn has_entries(&self) -> bool {
        self.last.is_some() || !self.lines.is_empty()
    }

    /// The next request will not extend the last one, for this reason.
    pub(crate) fn expect(&mut self, why: Break) {
        self.expected = Some(why);
    }

    /// Enters a request.
    pub(crate) fn enter(
        &mut self,
        (turn, step): (u32, u32),
        model: &str,
        request: &Request,
        usage: Option<Usage>,
    ) -> Requested {
        let place = self.lines.iter().position(|line| line.model == model);
        // What is asked beside the conversation is not gone on with: the next request extends the one before it.
        let aside = step == 0;
        let before = match place {
            Some(place) if aside => self.lines.get(place).cloned(),
            Some(place) => Some(self.lines.remove(place)),
            None => None,
        };
        let (line, same) = match before {
            Some(line) => line.followed_by(request),
            None => {
                let line = Line::new(model, request);
                let earlier = self.last.as_ref().filter(|last| last.model == model);
                let same = earlier.map_or(0, |last| line.shared_with(last));
                (line, same)
            }
        };
        let entry = Requested {
            turn,
            step,
            model: model.to_owned(),
            tools: hash_of(&line.head.tools),
            system: hash_of(&line.head.system),
            hash: short(line.hasher.finalize()),
            bytes: line.end(),
            same,
            broke: None,
            usage,
            estimate: 0,
        };
        let expected = if aside { self.expected } else { self.expected.take() };
        let broke = self.last.as_ref().and_then(|last| broken(last, &entry, expected));
        if aside {
            return Requested { broke, ..entry };
        }
        let entry = Requested { broke, ..entry };
        self.last = Some(entry.clone());
        self.lines.truncate(MODELS - 1);
        self.lines.insert(0, line);
        entry
    }
}

/// Why a request does not extend the last one; none when it does.
fn broken(last: &Requested, next: &Requested, expected: Option<Break>) -> Option<Break> {
    if last.model != next.model {
        // What was announced says more: another model may only have written the notes.
        return Some(expected.unwrap_or(Break::ModelChange));
    }
    let tools = (last.tools != next.tools).then_some(Break::ToolsChanged);
    (next.same < last.bytes).then(|| expected.or(tools).unwrap_or(Break::Unexplained))
}

impl Line {
    fn new(model: &str, request: &Request) -> Self {
        let head = Head::new(&request.prefix);
        let mut hasher = blake3::Hasher::new();
        hasher.update(&head.tools).update(&head.system);
        let (model, prefix) = (model.to_owned(), Arc::clone(&request.prefix));
        let mut line = Self { model, prefix, head, messages: Vec::with_capacity(request.messages.len()), hasher };
        line.extend(&request.messages);
        line
    }

    fn extend(&mut self, messages: &[Arc<Message>]) {
        for message in messages {
            let bytes = encoded(message);
            self.hasher.update(&bytes);
            self.messages.push((Arc::clone(message), self.end() + bytes.len() as u64));
        }
    }

    /// Where it ends.
    fn end(&self) -> u64 {
        self.messages.last().map_or(self.head.length(), |(_, end)| *end)
    }

    /// The next request to the same model, and how much of it this one had.
    fn followed_by(mut self, next: &Request) -> (Self, u64) {
        if !Arc::ptr_eq(&self.prefix, &next.prefix) && self.prefix != next.prefix {
            let line = Self::new(&self.model, next);
            let same = self.head.common(&line.head);
            return (line, same);
        }
        let equal = |((old, _), new): &(&(Arc<Message>, u64), &Arc<Message>)| Arc::ptr_eq(old, new) || old == *new;
        let kept = self.messages.iter().zip(&next.messages).take_while(equal).count();
        if kept == self.messages.len() {
            let same = self.end();
            self.extend(next.messages.get(kept..).unwrap_or_default());
            return (self, same);
        }
        let before = kept.checked_sub(1).and_then(|last| self.messages.get(last));
        let mut same = before.map_or(self.head.length(), |(_, end)| *end);
        if let (Some((old, _)), Some(new)) = (self.messages.get(kept), next.messages.get(kept)) {
            same += common(&encoded(old), &encoded(new));
        }
        (Self::new(&self.model, next), same)
    }

    /// How much of this an earlier request had of which only hashes are known: all of it, or as much of the head as
    /// is the same.
    fn shared_with(&self, earlier: &Requested) -> u64 {
        let mut hasher = blake3::Hasher::new();
        hasher.update(&self.head.tools).update(&self.head.system);
        let mut end = self.head.length();
        for (message, next) in &self.messages {
            if end >= earlier.bytes {
                break;
            }
            hasher.update(&encoded(message));
            end = *next;
        }
        if end == earlier.bytes && short(hasher.finalize()) == earlier.hash {
            return end;
        }
        match (hash_of(&self.head.tools) == earlier.tools, hash_of(&self.head.system) == earlier.system) {
            (false, _) => 0,
            (true, false) => self.head.tools.len() as u64,
            (true, true) => self.head.length().min(earlier.bytes),
        }
    }
}

impl Head {
    fn new(prefix: &Prefix) -> Self {
        Self { tools: encoded(&prefix.tools), system: encoded(&prefix.system) }
    }

    fn length(&self) -> u64 {
        (self.tools.len() + self.system.len()) as u64
    }

    fn common(&self, other: &Self) -> u64 {
        match common(&self.tools, &other.tools) {
            all if self.tools == other.tools => all + common(&self.system, &other.system),
            part => part,
        }
    }
}

fn encoded(value: &impl Serialize) -> Vec<u8> {
    serde_json::to_vec(value).unwrap_or_default()
}

fn common(a: &[u8], b: &[u8]) -> u64 {
    a.iter().zip(b).take_while(|(a, b)| a == b).count() as u64
}

fn hash_of(bytes: &[u8]) -> String {
    short(blake3::hash(bytes))
}

/// The first sixteen digits.
fn short(hash: blake3::Hash) -> String {
    hash.to_hex().chars().take(16).collect()
}

#[cfg(test)]
#[path = "ledger/tests.rs"]
mod tests;
