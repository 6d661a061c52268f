//! From the events of a messages stream to an answer.

use super::NAME;
use crate::blocks::{Answer, Kind};
use crate::failure::Trouble;
use crate::reader::{Events, parsed, value};
use crate::usage;
use reasonix_proto::StopReason;
use serde::Deserialize;
use serde_json::Value;
use serde_json::value::RawValue;

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

/// What is known of the events so far.
#[derive(Default)]
pub(crate) struct Messages {
    /// The beginning, where it holds blocks or an end already: what no event said is taken from it.
    begun: Option<Box<RawValue>>,
}

impl Messages {
    fn begin(&mut self, message: Option<&RawValue>, answer: &mut Answer) {
        let said = message.map(value).unwrap_or_default();
        count(answer, &said["usage"]);
        let holds = said["stop_reason"].is_string() || said["content"].as_array().is_some_and(|list| !list.is_empty());
        self.begun = message.filter(|_| holds).map(ToOwned::to_owned);
    }

    /// The end: where no block came by itself, the beginning held them whole.
    fn end(&mut self, answer: &mut Answer) -> Result<(), Trouble> {
        if let Some(begun) = self.begun.take()
            && let Ok(begun) = serde_json::from_str::<Event<'_>>(begun.get())
        {
            if !answer.has_blocks() {
                blocks(answer, &begun)?;
            }
            if answer.stop.is_none() {
                stop(answer, &begun.stop_reason);
            }
        }
        answer.done = true;
        Ok(())
    }
}

impl Events for Messages {
    const WIRE: &'static str = NAME;

    fn decode(&mut self, text: &str, answer: &mut Answer) -> Result<(), Trouble> {
        let Some(event) = parsed::<Event<'_>>(text, &answer.endpoint)? else { return Ok(()) };
        if event.kind == "error" || event.error.is_some() {
            let error = event.error.map_or_else(|| serde_json::from_str(text).unwrap_or_default(), value);
            return Err(Trouble::in_stream(&answer.endpoint, &error));
        }
        let place = event.index.as_u64().or_else(|| event.index.as_str()?.parse().ok());
        match event.kind.as_str() {
            "message_start" if answer.has_spoken() => {
                return Err(Trouble::broken(&answer.endpoint, "another answer began in the middle of this one"));
            }
            "message_start" => self.begin(event.message, answer),
            "content_block_start" => begin(answer, place, event.content_block.unwrap_or(RawValue::NULL))?,
            "content_block_delta" => delta(answer, place, &event.delta.map(value).unwrap_or_default())?,
            "content_block_stop" => answer.close(place),
            "message_delta" => {
                count(answer, &event.usage.map(value).unwrap_or_default());
                stop(answer, &event.delta.map(value).unwrap_or_default()["stop_reason"]);
            }
            "message_stop" => self.end(answer)?,
            "message" => message(answer, &event)?,
            _ => {}
        }
        Ok(())
    }

    fn back(kind: &Kind) -> Option<String> {
        kind.thinking()
    }
}

/// An answer that came as one document.
fn message(answer: &mut Answer, event: &Event<'_>) -> Result<(), Trouble> {
    blocks(answer, event)?;
    count(answer, &event.usage.map(value).unwrap_or_default());
    stop(answer, &event.stop_reason);
    answer.done = true;
    Ok(())
}

/// Blocks that came whole.
fn blocks(answer: &mut Answer, event: &Event<'_>) -> Result<(), Trouble> {
    for (place, block) in event.content.iter().flatten().enumerate() {
        begin(answer, Some(place as u64), block)?;
        answer.close(Some(place as u64));
    }
    Ok(())
}

fn begin(answer: &mut Answer, place: Option<u64>, raw: &RawValue) -> Result<(), Trouble> {
    let block = value(raw);
    let text = |name: &str| block[name].as_str().unwrap_or_default().to_owned();
    match block["type"].as_str().unwrap_or_default() {
        "text" => answer.text(place, &text("text")),
        "thinking" => {
            answer.thought(place, &text("thinking"))?;
            answer.sign(place, &text("signature"));
            Ok(())
        }
        "redacted_thinking" => {
            answer.opaque(place, raw.get());
            Ok(())
        }
        "tool_use" => {
            let input = &block["input"];
            let given = if input.as_object().is_some_and(|input| !input.is_empty()) {
                input.to_string()
            } else {
                String::new()
            };
            answer.call(place, &text("id"), &text("name"))?;
            answer.arguments(place, &given)
        }
        _ => Ok(()),
    }
}

fn delta(answer: &mut Answer, place: Option<u64>, delta: &Value) -> Result<(), Trouble> {
    let text = |name: &str| delta[name].as_str().unwrap_or_default();
    match text("type") {
        "text_delta" => answer.text(place, text("text")),
        "thinking_delta" => answer.thought(place, text("thinking")),
        "signature_delta" => {
            answer.sign(place, text("signature"));
            Ok(())
        }
        // What runs at the endpoint has arguments too; only our calls have begun as one.
        "input_json_delta" if answer.has_open_call(place) => answer.arguments(place, text("partial_json")),
        _ => Ok(()),
    }
}

fn stop(answer: &mut Answer, reason: &Value) {
    answer.stop = match reason.as_str() {
        None => return,
        Some("tool_use") => Some(StopReason::Calls),
        Some("max_tokens") => Some(StopReason::Length),
        // A pause is an end as well: nothing goes on that we did not ask for.
        Some("pause_turn") => answer.cut_by("llm.paused"),
        Some("model_context_window_exceeded") => answer.cut_by("llm.window_full"),
        Some("refusal") => Some(StopReason::Filtered),
        Some(_) => Some(StopReason::End),
    };
}

/// Counts come in parts: the prompt's with the beginning, the answer's with the end.
fn count(answer: &mut Answer, counts: &Value) {
    answer.usage = usage::anthropic(counts, answer.usage.unwrap_or_default()).or(answer.usage);
}
