//! From the events of a chat stream to items. A pure fold: no IO, no clock.

use super::calls::{Calls, Function, MOST_CALLS, Piece, TooMuch};
use super::content::{self, Joint};
use crate::codec::Decode;
use crate::failure::Trouble;
use crate::{Endpoint, usage};
use reasonix_agent::{Item, Request};
use reasonix_proto::{StopReason, Usage};
use serde::Deserialize;
use serde_json::Value;
use serde_json::value::RawValue;
use std::collections::VecDeque;
use std::sync::Arc;

/// The most text of one answer, in bytes.
pub(crate) const MOST_TEXT: usize = 32 * 1024 * 1024;

/// One event, or a whole answer. Leaves are raw, so that an odd one spoils nothing but itself.
#[derive(Deserialize)]
struct Chunk<'a> {
    #[serde(borrow, default)]
    choices: Option<Vec<Choice<'a>>>,
    #[serde(borrow, default)]
    usage: Option<&'a RawValue>,
    #[serde(borrow, default)]
    error: Option<&'a RawValue>,
    #[serde(borrow, default)]
    object: Option<&'a RawValue>,
}

#[derive(Deserialize)]
struct Choice<'a> {
    #[serde(borrow, default)]
    index: Option<&'a RawValue>,
    #[serde(borrow, default)]
    delta: Option<Delta<'a>>,
    #[serde(borrow, default)]
    message: Option<Delta<'a>>,
    #[serde(borrow, default)]
    finish_reason: Option<&'a RawValue>,
    #[serde(borrow, default)]
    usage: Option<&'a RawValue>,
}

#[derive(Deserialize)]
struct Delta<'a> {
    #[serde(borrow, default)]
    content: Option<&'a RawValue>,
    #[serde(borrow, default)]
    refusal: Option<&'a RawValue>,
    #[serde(borrow, default)]
    reasoning_content: Option<&'a RawValue>,
    #[serde(borrow, default)]
    reasoning: Option<&'a RawValue>,
    #[serde(borrow, default)]
    reasoning_text: Option<&'a RawValue>,
    #[serde(borrow, default)]
    thinking: Option<&'a RawValue>,
    #[serde(borrow, default)]
    tool_calls: Option<&'a RawValue>,
    #[serde(borrow, default)]
    function_call: Option<Function<'a>>,
}

/// Folds the events of one answer.
pub(crate) struct Decoder {
    endpoint: Arc<Endpoint>,
    request: Arc<Request>,
    calls: Calls,
    /// Of the text and of the reasoning.
    joints: (Joint, Joint),
    out: Out,
    usage: Option<Usage>,
    stop: Option<StopReason>,
    done: bool,
}

/// A piece of an answer.
#[derive(Clone, Copy)]
pub(crate) enum Part<'a> {
    Text(&'a str),
    Reasoning(&'a str),
}

/// The items that are ready. Neighbours that came together are joined: the consumer pays by the item.
#[derive(Default)]
pub(crate) struct Out {
    pub(crate) items: VecDeque<Item>,
    pub(crate) text: usize,
    pub(crate) reasoning: usize,
    /// Of calls: the bytes of their arguments, and how many there are.
    called: (usize, usize),
}

impl Decoder {
    pub(crate) fn new(endpoint: Arc<Endpoint>, request: Arc<Request>) -> Self {
        let (calls, joints, out) = (Calls::default(), Default::default(), Out::default());
        Self { endpoint, request, calls, joints, out, usage: None, stop: None, done: false }
    }

    fn take(&mut self, text: &str) -> Result<(), Trouble> {
        let chunk: Chunk<'_> = match serde_json::from_str(text) {
            Ok(chunk) => chunk,
            // Valid JSON of a shape that nobody knows says nothing; the answer is judged by its end.
            Err(_) if serde_json::from_str::<serde::de::IgnoredAny>(text).is_ok() => return Ok(()),
            Err(_) => return Err(Trouble::not_json(&self.endpoint, text)),
        };
        if let Some(error) = chunk.error {
            return Err(Trouble::in_stream(&self.endpoint, &value(error)));
        }
        if chunk.object.is_some_and(|object| object.get() == "\"error\"") {
            return Err(Trouble::in_stream(&self.endpoint, &serde_json::from_str(text).unwrap_or_default()));
        }
        for choice in chunk.choices.into_iter().flatten() {
            // Only one choice is ever asked for.
            if choice.index.is_none_or(|index| matches!(index.get(), "0" | "\"0\"")) {
                self.choice(choice)?;
            }
        }
        if let Some(usage) = chunk.usage {
            self.count(usage);
        }
        Ok(())
    }

    fn choice(&mut self, choice: Choice<'_>) -> Result<(), Trouble> {
        if let Some(delta) = &choice.delta {
            self.delta(delta, false)?;
        }
        if let Some(message) = &choice.message {
            self.delta(message, true)?;
        }
        if let Some(usage) = choice.usage {
            self.count(usage);
        }
        if let Some(reason) = choice.finish_reason.and_then(content::string).filter(|reason| !reason.is_empty()) {
            self.stop = Some(match reason.as_ref() {
                "tool_calls" | "function_call" | "tool_use" => StopReason::Calls,
                "length" | "max_tokens" => StopReason::Length,
                "content_filter" | "sensitive" => StopReason::Filtered,
                "error" | "network_error" => return Err(Trouble::broken(&self.endpoint, &reason)),
                _ => StopReason::End,
            });
        }
        Ok(())
    }

    /// Takes a delta, or a whole message, of which only what did not come in deltas counts.
    fn delta(&mut self, delta: &Delta<'_>, whole: bool) -> Result<(), Trouble> {
        let spoken = (self.out.text > 0, self.out.reasoning > 0, !self.calls.is_empty());
        let (text, reasoning, calls) = if whole { spoken } else { (false, false, false) };
        let thoughts = [delta.reasoning_content, delta.reasoning, delta.reasoning_text, delta.thinking];
        if !reasoning && let Some(thought) = thoughts.into_iter().flatten().find(|raw| !matches!(raw.get(), "\"\"")) {
            self.out.push(Part::Reasoning(&self.joints.1.text(thought)));
        }
        for raw in [delta.content, delta.refusal].into_iter().flatten().filter(|_| !text) {
            self.out.push(Part::Text(&self.joints.0.text(raw)));
        }
        if self.out.text + self.out.reasoning > MOST_TEXT {
            return Err(Trouble::too_long(&self.endpoint));
        }
        if calls {
            return Ok(());
        }
        if let Some(raw) = delta.tool_calls {
            for piece in pieces(raw) {
                self.call(&piece, whole)?;
            }
        }
        if let Some(function) = &delta.function_call {
            self.call(&Piece::legacy(*function), whole)?;
        }
        Ok(())
    }

    fn call(&mut self, piece: &Piece<'_>, whole: bool) -> Result<(), Trouble> {
        match self.calls.add(piece, whole) {
            Ok(added) => {
                self.out.push_call(added.index, added.name, &added.delta);
                Ok(())
            }
            Err(TooMuch::Calls) => Err(Trouble::too_many_calls(&self.endpoint, MOST_CALLS)),
            Err(TooMuch::Arguments) => Err(Trouble::too_long(&self.endpoint)),
        }
    }

    fn count(&mut self, raw: &RawValue) {
        self.usage = usage::parse(&value(raw)).or(self.usage);
    }
}

impl Decode for Decoder {
    fn pop(&mut self) -> Option<Item> {
        self.out.items.pop_front()
    }

    fn is_done(&self) -> bool {
        self.done
    }

    fn is_complete(&self) -> bool {
        self.done || self.stop.is_some()
    }

    fn has_spoken(&self) -> bool {
        self.out.text + self.out.reasoning > 0 || !self.calls.is_empty()
    }

    fn heard(&self) -> usize {
        self.out.heard()
    }

    fn event(&mut self, data: &[u8]) -> Result<(), Trouble> {
        let text = String::from_utf8_lossy(data);
        let text = text.trim();
        if text == "[DONE]" {
            self.done = true;
        }
        if text.is_empty() || self.done {
            return Ok(());
        }
        self.take(text)
    }

    fn whole(&mut self, body: &[u8]) -> Result<(), Trouble> {
        let text = String::from_utf8_lossy(body);
        let text = text.trim();
        self.take(text)?;
        if !self.has_spoken() && self.stop.is_none() {
            return Err(Trouble::not_json(&self.endpoint, text));
        }
        self.done = true;
        Ok(())
    }

    fn finish(&mut self) -> Result<(), Trouble> {
        if !self.is_complete() {
            return Err(Trouble::broken(&self.endpoint, "the stream ended before the answer was complete"));
        }
        let calls = std::mem::take(&mut self.calls).finish(&self.request.messages);
        let stop = match self.stop {
            Some(StopReason::End) | None if !calls.is_empty() => StopReason::Calls,
            Some(StopReason::Calls) | None if calls.is_empty() => StopReason::End,
            Some(stop) => stop,
            None => StopReason::End,
        };
        self.out.items.extend(calls.into_iter().map(Item::Call));
        self.out.items.extend(self.usage.take().map(Item::Usage));
        self.out.items.push_back(Item::End(stop));
        Ok(())
    }

    fn fail(&mut self, trouble: Trouble) {
        self.out.items.extend(self.usage.take().map(Item::Usage));
        self.out.items.push_back(Item::Failed(trouble.failure));
    }
}

impl Out {
    /// How much was said so far.
    pub(crate) fn heard(&self) -> usize {
        self.text + self.reasoning + self.called.0 + self.called.1
    }

    pub(crate) fn push(&mut self, part: Part<'_>) {
        match (part, self.items.back_mut()) {
            (Part::Text("") | Part::Reasoning(""), _) => return,
            (Part::Text(text), Some(Item::Text(last))) | (Part::Reasoning(text), Some(Item::Reasoning(last))) => {
                last.push_str(text);
            }
            (Part::Text(text), _) => self.items.push_back(Item::Text(text.to_owned())),
            (Part::Reasoning(text), _) => self.items.push_back(Item::Reasoning(text.to_owned())),
        }
        match part {
            Part::Text(text) => self.text += text.len(),
            Part::Reasoning(text) => self.reasoning += text.len(),
        }
    }

    pub(crate) fn push_call(&mut self, place: usize, known: &str, piece: &str) {
        self.called = (self.called.0 + piece.len(), self.called.1.max(place + 1));
        match self.items.back_mut() {
            Some(Item::CallDelta { index, name, delta }) if *index == place => {
                if name != known {
                    known.clone_into(name);
                }
                delta.push_str(piece);
            }
            _ => {
                let (name, delta) = (known.to_owned(), piece.to_owned());
                self.items.push_back(Item::CallDelta { index: place, name, delta });
            }
        }
    }
}

fn value(raw: &RawValue) -> Value {
    serde_json::from_str(raw.get()).unwrap_or_default()
}

/// The pieces in `tool_calls`, which is a list but for servers that send one piece alone.
fn pieces(raw: &RawValue) -> Vec<Piece<'_>> {
    match serde_json::from_str(raw.get()) {
        Ok(pieces) => pieces,
        Err(_) => serde_json::from_str(raw.get()).map(|piece| vec![piece]).unwrap_or_default(),
    }
}
