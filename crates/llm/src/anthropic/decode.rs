//! From the events of a messages stream to items. A pure fold: no IO, no clock.

use super::NAME;
use crate::blocks::{Answer, Kind};
use crate::codec::Decode;
use crate::failure::Trouble;
use crate::{Endpoint, usage};
use reasonix_agent::{Item, Request};
use reasonix_proto::{StopReason, Usage};
use serde::Deserialize;
use serde_json::value::RawValue;
use serde_json::{Value, json};
use std::sync::Arc;

/// One event, or a whole answer. Leaves are raw, so that an odd one spoils nothing but itself.
#[derive(Deserialize)]
struct Event<'a> {
    #[serde(rename = "type", default)]
    kind: String,
    #[serde(default)]
    index: Value,
    #[serde(borrow, default)]
    message: Option<&'a RawValue>,
    #[serde(borrow, default)]
    content_block: Option<&'a RawValue>,
    #[serde(borrow, default)]
    delta: Option<&'a RawValue>,
    #[serde(borrow, default)]
    usage: Option<&'a RawValue>,
    #[serde(borrow, default)]
    error: Option<&'a RawValue>,
    // A whole answer.
    #[serde(borrow, default)]
    content: Option<Vec<&'a RawValue>>,
    #[serde(default)]
    stop_reason: Value,
}

/// Folds the events of one answer.
pub(crate) struct Decoder {
    answer: Answer,
    usage: Usage,
    counted: bool,
    done: bool,
}

impl Decoder {
    pub(crate) fn new(endpoint: Arc<Endpoint>, request: Arc<Request>) -> Self {
        Self { answer: Answer::new(endpoint, request, NAME), usage: Usage::default(), counted: false, done: false }
    }

    fn take(&mut self, text: &str) -> Result<(), Trouble> {
        let event: Event<'_> = match serde_json::from_str(text) {
            Ok(event) => event,
            Err(_) if serde_json::from_str::<serde::de::IgnoredAny>(text).is_ok() => return Ok(()),
            Err(_) => return Err(Trouble::not_json(&self.answer.endpoint, text)),
        };
        if event.kind == "error" || event.error.is_some() {
            let error = event.error.map_or_else(|| json!(text), value);
            return Err(Trouble::in_stream(&self.answer.endpoint, &error));
        }
        let place = event.index.as_u64().or_else(|| event.index.as_str()?.parse().ok());
        match event.kind.as_str() {
            "message_start" => self.count(&event.message.map(value).unwrap_or_default()["usage"]),
            "content_block_start" => self.begin(place, event.content_block.unwrap_or_default_raw())?,
            "content_block_delta" => self.delta(place, &event.delta.map(value).unwrap_or_default())?,
            "content_block_stop" => self.answer.close(place),
            "message_delta" => {
                self.count(&event.usage.map(value).unwrap_or_default());
                self.stop(&event.delta.map(value).unwrap_or_default()["stop_reason"]);
            }
            "message_stop" => {
                self.done = true;
            }
            "message" => self.message(&event)?,
            _ => {}
        }
        Ok(())
    }

    /// An answer that came as one document.
    fn message(&mut self, event: &Event<'_>) -> Result<(), Trouble> {
        for (place, block) in event.content.iter().flatten().enumerate() {
            self.begin(Some(place as u64), block)?;
            self.answer.close(Some(place as u64));
        }
        self.count(&event.usage.map(value).unwrap_or_default());
        self.stop(&event.stop_reason);
        self.done = true;
        Ok(())
    }

    fn begin(&mut self, place: Option<u64>, raw: &RawValue) -> Result<(), Trouble> {
        let block = value(raw);
        let text = |name: &str| block[name].as_str().unwrap_or_default().to_owned();
        match block["type"].as_str().unwrap_or_default() {
            "text" => self.answer.text(place, &text("text")),
            "thinking" => {
                self.answer.thought(place, &text("thinking"))?;
                self.answer.sign(place, &text("signature"));
                Ok(())
            }
            "redacted_thinking" => {
                self.answer.opaque(place, raw.get());
                Ok(())
            }
            "tool_use" => {
                let input = &block["input"];
                let given = if input.as_object().is_some_and(|input| !input.is_empty()) {
                    input.to_string()
                } else {
                    String::new()
                };
                self.answer.call(place, &text("id"), &text("name"))?;
                self.answer.arguments(place, &given)
            }
            _ => Ok(()),
        }
    }

    fn delta(&mut self, place: Option<u64>, delta: &Value) -> Result<(), Trouble> {
        let text = |name: &str| delta[name].as_str().unwrap_or_default();
        match text("type") {
            "text_delta" => self.answer.text(place, text("text")),
            "thinking_delta" => self.answer.thought(place, text("thinking")),
            "signature_delta" => {
                self.answer.sign(place, text("signature"));
                Ok(())
            }
            "input_json_delta" => self.answer.arguments(place, text("partial_json")),
            _ => Ok(()),
        }
    }

    fn stop(&mut self, reason: &Value) {
        self.answer.stop = match reason.as_str() {
            None => return,
            Some("tool_use") => Some(StopReason::Calls),
            Some("max_tokens" | "model_context_window_exceeded") => Some(StopReason::Length),
            Some("refusal") => Some(StopReason::Filtered),
            Some(_) => Some(StopReason::End),
        };
    }

    /// Counts come in parts: the prompt's with the beginning, the answer's with the end.
    fn count(&mut self, counts: &Value) {
        if let Some(counted) = usage::anthropic(counts, self.usage) {
            (self.usage, self.counted) = (counted, true);
        }
    }

    fn usage(&self) -> Option<Usage> {
        self.counted.then_some(self.usage)
    }
}

impl Decode for Decoder {
    fn pop(&mut self) -> Option<Item> {
        self.answer.out.items.pop_front()
    }

    fn is_done(&self) -> bool {
        self.done
    }

    fn is_complete(&self) -> bool {
        self.done || self.answer.stop.is_some()
    }

    fn has_spoken(&self) -> bool {
        self.answer.has_spoken()
    }

    fn heard(&self) -> usize {
        self.answer.out.heard()
    }

    fn event(&mut self, data: &[u8]) -> Result<(), Trouble> {
        let text = String::from_utf8_lossy(data);
        let text = text.trim();
        if text.is_empty() || text == "[DONE]" || self.done {
            return Ok(());
        }
        self.take(text)
    }

    fn whole(&mut self, body: &[u8]) -> Result<(), Trouble> {
        let text = String::from_utf8_lossy(body);
        let text = text.trim();
        self.take(text)?;
        if !self.is_complete() {
            return Err(Trouble::not_json(&self.answer.endpoint, text));
        }
        Ok(())
    }

    fn finish(&mut self) -> Result<(), Trouble> {
        if !self.is_complete() {
            let reason = "the stream ended before the answer was complete";
            return Err(Trouble::broken(&self.answer.endpoint, reason));
        }
        let usage = self.usage();
        self.answer.finish(usage, Kind::thinking);
        Ok(())
    }

    fn fail(&mut self, trouble: Trouble) {
        let usage = self.usage();
        self.answer.fail(trouble, usage);
    }
}

/// Nothing, as JSON.
trait OrNull<'a> {
    fn unwrap_or_default_raw(self) -> &'a RawValue;
}

impl<'a> OrNull<'a> for Option<&'a RawValue> {
    fn unwrap_or_default_raw(self) -> &'a RawValue {
        self.unwrap_or(RawValue::NULL)
    }
}

fn value(raw: &RawValue) -> Value {
    serde_json::from_str(raw.get()).unwrap_or_default()
}
