//! From the events of a chat stream to an answer.

use super::calls::{Calls, Function, Piece, TooMuch};
use super::content::{self, Joint};
use super::details::{Details, NAME, words};
use crate::blocks::{Answer, Kind, MOST_CALLS};
use crate::failure::Trouble;
use crate::reader::{Events, parsed, value};
use crate::usage;
use reasonix_proto::StopReason;
use serde::Deserialize;
use serde_json::Value;
use serde_json::value::RawValue;

/// One event, or a whole answer. Leaves are raw, so that an odd one spoils nothing but itself.
#[derive(Deserialize)]
struct Chunk<'a> {
    #[serde(borrow, default)]
    choices: Option<Vec<Choice<'a>>>,
    #[serde(borrow, default)]
    usage: Option<&'a RawValue>,
    #[serde(default)]
    x_groq: Value,
    #[serde(borrow, default)]
    error: Option<&'a RawValue>,
    #[serde(borrow, default)]
    object: Option<&'a RawValue>,
    // An error without its wrapping.
    #[serde(borrow, default)]
    code: Option<&'a RawValue>,
    #[serde(borrow, default)]
    message: Option<&'a RawValue>,
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
    reasoning_details: Option<&'a RawValue>,
    #[serde(borrow, default)]
    reasoning_opaque: Option<&'a RawValue>,
    #[serde(borrow, default)]
    extra_content: Option<&'a RawValue>,
    #[serde(borrow, default)]
    tool_calls: Option<&'a RawValue>,
    #[serde(borrow, default)]
    function_call: Option<Function<'a>>,
}

impl Choice<'_> {
    /// True where it says anything of an answer; a role and an end alone do not.
    fn says(&self) -> bool {
        let fields = |delta: &Delta<'_>| {
            let words = [delta.content, delta.refusal, delta.reasoning_content, delta.reasoning, delta.reasoning_text];
            let others = [delta.thinking, delta.reasoning_details, delta.reasoning_opaque, delta.tool_calls];
            let mut raw = words.into_iter().chain(others).flatten();
            delta.function_call.is_some() || raw.any(|raw| !matches!(raw.get(), "\"\"" | "[]" | "null"))
        };
        self.delta.iter().chain(&self.message).any(fields)
    }
}

/// What is known of the events so far.
#[derive(Default)]
pub(crate) struct Chat {
    calls: Calls,
    /// Of the text and of the reasoning.
    joints: (Joint, Joint),
    details: Details,
    /// Whether the thoughts are read from the details; none before the first of them.
    in_details: Option<bool>,
    /// The choice that is read: the first one that says something.
    chosen: Option<String>,
    /// True once another choice said something as well.
    several: bool,
    /// True when the model refused to answer.
    refused: bool,
}

impl Chat {
    /// True for what belongs to the answer. Only one choice is ever asked for, whatever number it has; where several say
    /// something, the first one counts.
    fn counts(&mut self, choice: &Choice<'_>) -> bool {
        let index = choice.index.map_or("0", |index| index.get().trim_matches('"'));
        match &self.chosen {
            Some(chosen) if chosen == index => true,
            Some(_) => {
                self.several |= choice.says();
                !self.several
            }
            None => {
                self.chosen = choice.says().then(|| index.to_owned());
                true
            }
        }
    }

    fn choice(&mut self, choice: Choice<'_>, answer: &mut Answer) -> Result<(), Trouble> {
        if let Some(delta) = &choice.delta {
            self.delta(delta, false, answer)?;
        }
        if let Some(message) = &choice.message {
            self.delta(message, true, answer)?;
        }
        if let Some(usage) = choice.usage {
            count(usage, answer);
        }
        if let Some(reason) = choice.finish_reason.and_then(content::string).filter(|reason| !reason.is_empty()) {
            answer.stop = Some(match reason.as_ref() {
                "tool_calls" | "function_call" | "tool_use" => StopReason::Calls,
                "length" | "max_tokens" | "model_length" | "insufficient_system_resource" => StopReason::Length,
                "content_filter" | "sensitive" | "safety" => StopReason::Filtered,
                "error" | "network_error" => return Err(Trouble::broken(&answer.endpoint, &reason)),
                _ => StopReason::End,
            });
        }
        Ok(())
    }

    /// Takes a delta, or a whole message, of which only what did not come in deltas counts.
    fn delta(&mut self, delta: &Delta<'_>, whole: bool, answer: &mut Answer) -> Result<(), Trouble> {
        let spoken = (answer.out.text > 0, answer.out.reasoning > 0, !self.calls.is_empty());
        let (text, reasoning, calls) = if whole { spoken } else { (false, false, false) };
        if !reasoning {
            self.think(delta, answer)?;
        }
        if let Some(details) = delta.reasoning_details.filter(|_| !whole || self.details.is_empty()) {
            self.details.add(value(details), details.get().len());
        }
        if let Some(opaque) = delta.reasoning_opaque.and_then(content::string) {
            self.details.opaque(&opaque);
        }
        if let Some(extra) = delta.extra_content {
            self.details.extra(value(extra), extra.get().len());
        }
        self.refused |= delta.refusal.and_then(content::string).is_some_and(|refusal| !refusal.is_empty());
        for raw in [delta.content, delta.refusal].into_iter().flatten().filter(|_| !text) {
            match content::thoughts(raw) {
                Some((thought, said)) => {
                    answer.thought(None, &thought)?;
                    answer.text(None, &content::text(&said))?;
                }
                None => answer.text(None, &self.joints.0.text(raw))?,
            }
        }
        if calls {
            return Ok(());
        }
        if let Some(raw) = delta.tool_calls {
            for piece in pieces(raw) {
                self.call(&piece, whole, answer)?;
            }
        }
        if let Some(function) = &delta.function_call {
            self.call(&Piece::legacy(*function), whole, answer)?;
        }
        Ok(())
    }

    /// Takes the thoughts of a delta: as they are, or those among the details where they stand nowhere else.
    fn think(&mut self, delta: &Delta<'_>, answer: &mut Answer) -> Result<(), Trouble> {
        let thoughts = [delta.reasoning_content, delta.reasoning, delta.reasoning_text, delta.thinking];
        let plain = thoughts.into_iter().flatten().find(|raw| !matches!(raw.get(), "\"\""));
        let details = delta.reasoning_details.map(|details| words(&value(details))).filter(|words| !words.is_empty());
        let from_details = *self.in_details.get_or_insert(match (&plain, &details) {
            (None, None) => return Ok(()),
            (plain, _) => plain.is_none(),
        });
        match (from_details, plain, details) {
            (true, _, Some(words)) => answer.thought(None, &words),
            (false, Some(raw), _) => answer.thought(None, &self.joints.1.text(raw)),
            _ => Ok(()),
        }
    }

    fn call(&mut self, piece: &Piece<'_>, whole: bool, answer: &mut Answer) -> Result<(), Trouble> {
        match self.calls.add(piece, whole) {
            Ok(added) => {
                answer.out.push_call(added.index, added.name, &added.delta);
                Ok(())
            }
            Err(TooMuch::Calls) => Err(Trouble::too_many_calls(&answer.endpoint, MOST_CALLS)),
            Err(TooMuch::Arguments) => Err(Trouble::too_long(&answer.endpoint)),
        }
    }
}

impl Events for Chat {
    const WIRE: &'static str = NAME;
    const DONE_ENDS: bool = true;

    fn decode(&mut self, text: &str, answer: &mut Answer) -> Result<(), Trouble> {
        let Some(chunk) = parsed::<Chunk<'_>>(text, &answer.endpoint)? else { return Ok(()) };
        if let Some(error) = chunk.error {
            return Err(Trouble::in_stream(&answer.endpoint, &value(error)));
        }
        let bare = chunk.choices.is_none() && chunk.code.is_some() && chunk.message.is_some();
        if bare || chunk.object.is_some_and(|object| object.get() == "\"error\"") {
            return Err(Trouble::in_stream(&answer.endpoint, &serde_json::from_str(text).unwrap_or_default()));
        }
        for choice in chunk.choices.into_iter().flatten() {
            if self.counts(&choice) {
                self.choice(choice, answer)?;
            }
        }
        if let Some(usage) = chunk.usage {
            count(usage, answer);
        }
        answer.usage = answer.usage.or_else(|| usage::parse(&chunk.x_groq["usage"]));
        Ok(())
    }

    fn whole(&mut self, text: &str, answer: &mut Answer) -> Result<(), Trouble> {
        self.decode(text, answer)?;
        if !answer.has_spoken() && answer.stop.is_none() {
            return Err(Trouble::not_json(&answer.endpoint, text));
        }
        answer.done = true;
        Ok(())
    }

    fn settle(&mut self, answer: &mut Answer) {
        if self.refused {
            answer.stop = Some(StopReason::Filtered);
        }
        if let Some(fields) = std::mem::take(&mut self.details).finish() {
            answer.opaque(None, &fields);
        }
        self.calls.form(&answer.request.prefix);
        for (call, extra) in std::mem::take(&mut self.calls).finish(&answer.request.messages) {
            answer.made(call, extra.map(|extra| format!("{{\"extra_content\":{extra}}}")));
        }
    }

    fn back(kind: &Kind) -> Option<String> {
        kind.opaque()
    }
}

fn count(raw: &RawValue, answer: &mut Answer) {
    answer.usage = usage::parse(&value(raw)).or(answer.usage);
}

/// The pieces in `tool_calls`, which is a list but for servers that send one piece alone.
fn pieces(raw: &RawValue) -> Vec<Piece<'_>> {
    match serde_json::from_str(raw.get()) {
        Ok(pieces) => pieces,
        Err(_) => serde_json::from_str(raw.get()).map(|piece| vec![piece]).unwrap_or_default(),
    }
}
