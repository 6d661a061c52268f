//! An answer as it grows, in blocks: text, thoughts, calls. All wires build theirs here.

use crate::Endpoint;
use crate::failure::Trouble;
use crate::ids::unique;
use crate::out::{Out, Part};
use reasonix_agent::{Item, Request};
use reasonix_proto::{CallId, Kept, KeptBlock, Phrase, StopReason, ToolCall, Usage};
use serde_json::json;
use std::sync::Arc;

/// The most text of one answer, in bytes.
const MOST_TEXT: usize = 32 * 1024 * 1024;
/// The most calls of one answer.
pub(crate) const MOST_CALLS: usize = 128;
/// The most bytes of one call's arguments.
pub(crate) const MOST_ARGUMENTS: usize = 8 * 1024 * 1024;
/// The most blocks of one answer.
const MOST_BLOCKS: usize = 4 * 1024;

/// An answer that is being written.
pub(crate) struct Answer {
    pub(crate) endpoint: Arc<Endpoint>,
    pub(crate) request: Arc<Request>,
    blocks: Vec<Numbered>,
    pub(crate) out: Out,
    pub(crate) usage: Option<Usage>,
    pub(crate) stop: Option<StopReason>,
    /// What cut it, where that was not its own limit.
    cut_by: Option<Phrase>,
    /// True when the endpoint said that nothing more comes.
    pub(crate) done: bool,
}

struct Numbered {
    place: Option<u64>,
    open: bool,
    kind: Kind,
}

/// What a block is.
pub(crate) enum Kind {
    Text(usize),
    Thought {
        text: String,
        signature: String,
    },
    Opaque(String),
    Call {
        id: String,
        name: String,
        arguments: String,
    },
    /// A call that was gathered elsewhere.
    Made(ToolCall),
}

impl Kind {
    /// Thinking as the messages wire wants it back; what is not signed does not go back.
    pub(crate) fn thinking(&self) -> Option<String> {
        match self {
            Self::Thought { text, signature } if !signature.is_empty() => {
                Some(json!({ "type": "thinking", "thinking": text, "signature": signature }).to_string())
            }
            Self::Opaque(raw) => Some(raw.clone()),
            _ => None,
        }
    }

    /// Items as the responses wire wants them back: whole ones only.
    pub(crate) fn opaque(&self) -> Option<String> {
        match self {
            Self::Opaque(raw) => Some(raw.clone()),
            _ => None,
        }
    }
}

impl Answer {
    pub(crate) fn new(endpoint: Arc<Endpoint>, request: Arc<Request>) -> Self {
        let (blocks, out) = (Vec::new(), Out::default());
        Self { endpoint, request, blocks, out, usage: None, stop: None, cut_by: None, done: false }
    }

    /// Something else than its own limit cut the answer.
    pub(crate) fn cut_by(&mut self, code: &'static str) -> Option<StopReason> {
        self.cut_by = Some(Phrase::new(code));
        Some(StopReason::Length)
    }

    /// True once anything was said.
    pub(crate) fn has_spoken(&self) -> bool {
        self.out.heard() > 0 || self.has_calls()
    }

    /// True where a call was announced, and none came, nor words to people.
    pub(crate) fn lacks_its_call(&self) -> bool {
        let is_call = |block: &Numbered| match &block.kind {
            Kind::Call { name, .. } => !name.is_empty(),
            kind => matches!(kind, Kind::Made(_)),
        };
        self.stop == Some(StopReason::Calls) && self.out.text == 0 && !self.blocks.iter().any(is_call)
    }

    /// True once a block has begun, whatever it is.
    pub(crate) fn has_blocks(&self) -> bool {
        !self.blocks.is_empty()
    }

    /// True when the answer is complete, whatever may still follow.
    pub(crate) fn is_complete(&self) -> bool {
        self.done || self.stop.is_some()
    }

    /// The open block at a place that is of the wanted kind; a new one where there is none.
    fn block(&mut self, place: Option<u64>, is: fn(&Kind) -> bool, new: fn() -> Kind) -> Result<&mut Kind, Trouble> {
        let at = self.blocks.iter().rposition(|block| block.open && block.place == place && is(&block.kind));
        let at = match at {
            Some(at) => at,
            None if self.blocks.len() >= MOST_BLOCKS => return Err(Trouble::too_long(&self.endpoint)),
            None => {
                self.blocks.push(Numbered { place, open: true, kind: new() });
                self.blocks.len() - 1
            }
        };
        match self.blocks.get_mut(at) {
            Some(block) => Ok(&mut block.kind),
            None => Err(Trouble::too_long(&self.endpoint)),
        }
    }

    pub(crate) fn text(&mut self, place: Option<u64>, text: &str) -> Result<(), Trouble> {
        if let Kind::Text(length) = self.block(place, |kind| matches!(kind, Kind::Text(_)), || Kind::Text(0))? {
            *length += text.len();
        }
        self.out.push(Part::Text(text));
        self.bounded()
    }

    pub(crate) fn thought(&mut self, place: Option<u64>, thought: &str) -> Result<(), Trouble> {
        let new = || Kind::Thought { text: String::new(), signature: String::new() };
        if let Kind::Thought { text, .. } = self.block(place, |kind| matches!(kind, Kind::Thought { .. }), new)? {
            text.push_str(thought);
        }
        self.out.push(Part::Reasoning(thought));
        self.bounded()
    }

    /// Adds to the signature of the thought at a place.
    pub(crate) fn sign(&mut self, place: Option<u64>, piece: &str) {
        let block = self.blocks.iter_mut().rev().find(|block| block.open && block.place == place);
        if let Some(Kind::Thought { signature, .. }) = block.map(|block| &mut block.kind)
            && signature.len() + piece.len() <= MOST_ARGUMENTS
        {
            signature.push_str(piece);
        }
    }

    /// Takes a block that nobody but the endpoint can read; it stands in for the thought at its place.
    pub(crate) fn opaque(&mut self, place: Option<u64>, raw: &str) {
        let kind = Kind::Opaque(raw.to_owned());
        let same = |block: &Numbered| block.open && block.place == place && matches!(block.kind, Kind::Thought { .. });
        match self.blocks.iter().rposition(same) {
            Some(at) => self.blocks.get_mut(at).into_iter().for_each(|block| block.kind = Kind::Opaque(raw.to_owned())),
            None if self.blocks.len() < MOST_BLOCKS => self.blocks.push(Numbered { place, open: true, kind }),
            None => {}
        }
    }

    /// True when a block that nobody but the endpoint can read stands at a place.
    pub(crate) fn has_opaque(&self, place: Option<u64>) -> bool {
        self.blocks.iter().any(|block| block.place == place && matches!(block.kind, Kind::Opaque(_)))
    }

    /// Begins a call, or says more of the one at a place. Another id at the same place is another call.
    pub(crate) fn call(&mut self, place: Option<u64>, id: &str, name: &str) -> Result<(), Trouble> {
        let same = |block: &Numbered| match &block.kind {
            Kind::Call { id: known, .. } => {
                block.open && block.place == place && (known.is_empty() || id.is_empty() || known == id)
            }
            _ => false,
        };
        let at = match self.blocks.iter().rposition(same) {
            Some(at) => at,
            None if self.calls().count() >= MOST_CALLS => {
                return Err(Trouble::too_many_calls(&self.endpoint, MOST_CALLS));
            }
            None => {
                let kind = Kind::Call { id: String::new(), name: String::new(), arguments: String::new() };
                self.blocks.push(Numbered { place, open: true, kind });
                self.blocks.len() - 1
            }
        };
        if let Some(Kind::Call { id: own, name: called, .. }) = self.blocks.get_mut(at).map(|block| &mut block.kind) {
            if own.is_empty() {
                id.clone_into(own);
            }
            if called.is_empty() {
                *called = name.chars().take(1024).collect();
            }
        }
        Ok(())
    }

    /// The positions of the calls.
    fn calls(&self) -> impl Iterator<Item = usize> {
        let calls = self.blocks.iter().enumerate().filter(|(_, block)| matches!(block.kind, Kind::Call { .. }));
        calls.map(|(at, _)| at)
    }

    /// True once a call has begun.
    pub(crate) fn has_calls(&self) -> bool {
        self.calls().next().is_some()
    }

    /// The open call at a place.
    fn open_call(&self, place: Option<u64>) -> Option<usize> {
        let open = |at: &usize| self.blocks.get(*at).is_some_and(|block| block.open && block.place == place);
        self.calls().filter(open).last()
    }

    /// True while a call at a place is being written.
    pub(crate) fn has_open_call(&self, place: Option<u64>) -> bool {
        self.open_call(place).is_some()
    }

    /// Adds to the arguments of the call at a place.
    pub(crate) fn arguments(&mut self, place: Option<u64>, piece: &str) -> Result<(), Trouble> {
        if self.open_call(place).is_none() {
            self.call(place, "", "")?;
        }
        let Some(at) = self.open_call(place) else { return Ok(()) };
        let index = self.calls().take_while(|call| *call < at).count();
        let Some(Kind::Call { name, arguments, .. }) = self.blocks.get_mut(at).map(|block| &mut block.kind) else {
            return Ok(());
        };
        if arguments.len() + piece.len() > MOST_ARGUMENTS {
            return Err(Trouble::too_long(&self.endpoint));
        }
        arguments.push_str(piece);
        self.out.push_call(index, name, piece);
        Ok(())
    }

    /// Takes a whole call, with an id of its own, and what nobody but the endpoint can read beside it.
    pub(crate) fn made(&mut self, call: ToolCall, beside: Option<String>) {
        let kinds = std::iter::once(Kind::Made(call)).chain(beside.map(Kind::Opaque));
        self.blocks.extend(kinds.map(|kind| Numbered { place: None, open: false, kind }));
    }

    /// True when arguments came for the call at a place.
    pub(crate) fn has_arguments(&self, place: Option<u64>) -> bool {
        self.blocks.iter().any(|block| {
            block.place == place && matches!(&block.kind, Kind::Call { arguments, .. } if !arguments.is_empty())
        })
    }

    /// True when text came for the block at a place.
    pub(crate) fn has_text(&self, place: Option<u64>) -> bool {
        self.blocks.iter().any(|block| block.place == place && matches!(block.kind, Kind::Text(length) if length > 0))
    }

    /// The block at a place is complete; the same number again is another block.
    pub(crate) fn close(&mut self, place: Option<u64>) {
        for block in self.blocks.iter_mut().filter(|block| block.place == place) {
            block.open = false;
        }
    }

    fn bounded(&self) -> Result<(), Trouble> {
        if self.out.text + self.out.reasoning > MOST_TEXT { Err(Trouble::too_long(&self.endpoint)) } else { Ok(()) }
    }

    /// The answer is complete: gives its calls, what has to go back with it, the counts and the end.
    pub(crate) fn finish(&mut self, wire: &str, back: fn(&Kind) -> Option<String>) {
        let mut calls: Vec<ToolCall> = Vec::new();
        let mut kept = Vec::new();
        for block in std::mem::take(&mut self.blocks) {
            match block.kind {
                Kind::Text(0) => {}
                Kind::Text(length) => kept.push(KeptBlock::Text(length)),
                // Arguments of something that never said its name are nobody's call.
                Kind::Call { name, .. } if name.is_empty() => {}
                Kind::Call { id, name, arguments } => {
                    let id = CallId(unique(id, &self.request.messages, &calls));
                    let arguments = if arguments.trim().is_empty() { "{}".to_owned() } else { arguments };
                    calls.push(ToolCall { id, name, arguments });
                    kept.push(KeptBlock::Call);
                }
                Kind::Made(call) => {
                    calls.push(call);
                    kept.push(KeptBlock::Call);
                }
                thought => kept.extend(back(&thought).map(KeptBlock::Raw)),
            }
        }
        let stop = match self.stop {
            Some(StopReason::End) | None if !calls.is_empty() => StopReason::Calls,
            Some(StopReason::Calls) | None if calls.is_empty() => StopReason::End,
            Some(stop) => stop,
            None => StopReason::End,
        };
        self.out.items.extend(calls.into_iter().map(Item::Call));
        if kept.iter().any(|block| matches!(block, KeptBlock::Raw(_))) {
            self.out.items.push_back(Item::Kept(Kept { wire: wire.to_owned(), blocks: kept }));
        }
        self.out.items.extend(self.usage.take().map(Item::Usage));
        self.out.items.extend(self.cut_by.take().filter(|_| stop == StopReason::Length).map(Item::CutBy));
        self.out.items.push_back(Item::End(stop));
    }

    /// Something failed: what had come stands, half a call does not.
    pub(crate) fn fail(&mut self, trouble: Trouble) {
        self.out.items.extend(self.usage.take().map(Item::Usage));
        self.out.items.push_back(Item::Failed(trouble.failure));
    }
}
