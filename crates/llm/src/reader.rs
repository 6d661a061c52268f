//! Reads one answer: what every wire does alike. A pure fold: no IO, no clock.

use crate::Endpoint;
use crate::blocks::{Answer, Kind};
use crate::codec::Decode;
use crate::failure::{Oddity, Trouble};
use reasonix_agent::{Item, Request};
use serde::Deserialize;
use serde::de::IgnoredAny;
use serde_json::Value;
use serde_json::value::RawValue;
use std::sync::Arc;

/// How a wire spells an answer.
pub(crate) trait Events: Default + Send {
    /// What blocks that go back are stamped with.
    const WIRE: &'static str;
    /// True where `[DONE]` ends the answer; elsewhere it says nothing.
    const DONE_ENDS: bool = false;

    /// Takes the data of one event.
    fn decode(&mut self, text: &str, answer: &mut Answer) -> Result<(), Trouble>;

    /// Takes an answer that came as one document.
    fn whole(&mut self, text: &str, answer: &mut Answer) -> Result<(), Trouble> {
        self.decode(text, answer)?;
        if answer.is_complete() { Ok(()) } else { Err(Trouble::not_json(&answer.endpoint, text)) }
    }

    /// The answer is complete: what was held back belongs to it now.
    fn settle(&mut self, _answer: &mut Answer) {}

    /// A block that is neither text nor call, as this wire wants it back.
    fn back(_kind: &Kind) -> Option<String> {
        None
    }
}

/// Folds the events of one answer.
pub(crate) struct Reader<E> {
    events: E,
    answer: Answer,
    /// True once an event could be read: it is this protocol.
    read: bool,
    /// True where a call was announced, and none came as one.
    lacks: bool,
}

/// Makes the decoder of one answer.
pub(crate) fn reader<E: Events + 'static>(endpoint: &Arc<Endpoint>, request: &Arc<Request>) -> Box<dyn Decode> {
    let answer = Answer::new(Arc::clone(endpoint), Arc::clone(request));
    Box::new(Reader { events: E::default(), answer, read: false, lacks: false })
}

impl<E: Events> Decode for Reader<E> {
    fn pop(&mut self) -> Option<Item> {
        self.answer.out.items.pop_front()
    }

    fn is_done(&self) -> bool {
        self.answer.done
    }

    fn is_complete(&self) -> bool {
        self.answer.is_complete()
    }

    fn has_spoken(&self) -> bool {
        self.answer.has_spoken()
    }

    fn heard(&self) -> usize {
        self.answer.out.heard()
    }

    fn event(&mut self, data: &[u8]) -> Result<(), Trouble> {
        let text = String::from_utf8_lossy(data);
        match text.trim() {
            _ if self.answer.done => Ok(()),
            "" => Ok(()),
            "[DONE]" => {
                self.answer.done = E::DONE_ENDS;
                Ok(())
            }
            text => {
                let taken = self.events.decode(text, &mut self.answer);
                // What was garbled may come whole the next time; among good events it is no other protocol, and neither is
                // what begins as JSON does.
                let taken = taken.map_err(|trouble| match trouble.oddity {
                    Some(Oddity::NotJson) if self.read => Trouble::garbled(&self.answer.endpoint, text),
                    Some(Oddity::NotJson) if text.starts_with('{') => trouble.passing(true),
                    _ => trouble,
                });
                self.read |= taken.is_ok();
                taken
            }
        }
    }

    fn whole(&mut self, body: &[u8]) -> Result<(), Trouble> {
        self.events.whole(String::from_utf8_lossy(body).trim(), &mut self.answer)
    }

    fn finish(&mut self) -> Result<(), Trouble> {
        if !self.answer.is_complete() {
            let reason = "the stream ended before the answer was complete";
            return Err(Trouble::broken(&self.answer.endpoint, reason));
        }
        self.events.settle(&mut self.answer);
        self.lacks = self.answer.lacks_its_call();
        self.answer.finish(E::WIRE, E::back);
        Ok(())
    }

    fn lacking(&self) -> Option<Trouble> {
        let reason = "it says that it calls a tool, and there is no call in it";
        self.lacks.then(|| Trouble::broken(&self.answer.endpoint, reason))
    }

    fn fail(&mut self, trouble: Trouble) {
        self.answer.fail(trouble);
    }
}

/// An event. Valid JSON of a shape that nobody knows says nothing; the answer is judged by its end.
pub(crate) fn parsed<'a, T: Deserialize<'a>>(text: &'a str, endpoint: &Endpoint) -> Result<Option<T>, Trouble> {
    match serde_json::from_str(text) {
        Ok(event) => Ok(Some(event)),
        Err(_) if serde_json::from_str::<IgnoredAny>(text).is_ok() => Ok(None),
        Err(_) => Err(Trouble::not_json(endpoint, text)),
    }
}

/// The value of a leaf that stayed raw until it was looked at.
pub(crate) fn value(raw: &RawValue) -> Value {
    serde_json::from_str(raw.get()).unwrap_or_default()
}
