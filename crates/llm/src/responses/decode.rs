//! From the events of a responses stream to an answer.

use super::NAME;
use crate::blocks::{Answer, Kind, MOST_CALLS};
use crate::custom;
use crate::failure::Trouble;
use crate::reader::{Events, parsed, value};
use crate::usage;
use reasonix_proto::StopReason;
use serde::Deserialize;
use serde_json::value::RawValue;
use serde_json::{Value, json};

/// Places for items whose place nobody said, and for those that only come with the end.
const UNPLACED: u64 = 1 << 32;
const AT_THE_END: u64 = 1 << 33;
/// The most items that are told apart by their ids.
const MOST_ITEMS: usize = 4 * 1024;

/// Items that are calls.
const CALLS: [&str; 2] = ["function_call", "custom_tool_call"];

/// One event. Leaves are raw, so that an odd one spoils nothing but itself.
#[derive(Deserialize)]
struct Event<'a> {
    #[serde(rename = "type", default)]
    kind: Value,
    #[serde(default)]
    output_index: Value,
    #[serde(default)]
    item_id: Value,
    #[serde(borrow, default)]
    item: Option<&'a RawValue>,
    #[serde(default)]
    delta: Value,
    #[serde(default)]
    arguments: Value,
    #[serde(borrow, default)]
    response: Option<&'a RawValue>,
    #[serde(borrow, default)]
    error: Option<&'a RawValue>,
    #[serde(default)]
    code: Value,
    #[serde(default)]
    message: Value,
}

/// A response as its last event, or a whole document, carries it.
#[derive(Deserialize)]
struct Response<'a> {
    #[serde(default)]
    status: Value,
    #[serde(default)]
    object: Value,
    #[serde(default)]
    error: Value,
    #[serde(default)]
    incomplete_details: Value,
    #[serde(default)]
    usage: Value,
    #[serde(borrow, default)]
    output: Option<Vec<&'a RawValue>>,
}

/// What is known of the events so far.
#[derive(Default)]
pub(crate) struct Responses {
    /// The places of items that are complete.
    whole: Vec<u64>,
    /// Items by their id, and their places: not every server says the place with every event.
    places: Vec<(String, u64)>,
    /// The calls that came in events, by their own ids.
    calls: Vec<String>,
    /// Calls with an input of no form of tools that are not ours: the endpoint's own, unless nothing else comes.
    strange: Vec<Value>,
    /// True when the model refused to answer.
    refused: bool,
}

impl Responses {
    /// The place of an item: as the event says it, or that of the same id.
    fn place(&mut self, index: Option<u64>, id: &str) -> Option<u64> {
        if id.is_empty() {
            return index;
        }
        if let Some((_, place)) = self.places.iter().find(|(known, _)| known == id) {
            return Some(*place);
        }
        // Some servers count every item as the first one.
        let free = index.filter(|index| !self.whole.contains(index));
        let place = free.unwrap_or(UNPLACED + self.places.len() as u64);
        if self.places.len() < MOST_ITEMS {
            self.places.push((id.to_owned(), place));
        }
        Some(place)
    }

    fn added(&mut self, place: Option<u64>, item: Option<&RawValue>, answer: &mut Answer) -> Result<(), Trouble> {
        let item = item.map(value).unwrap_or_default();
        let text = |name: &str| item[name].as_str().unwrap_or_default();
        match text("type") {
            "function_call" => {
                self.heard(text("call_id"));
                answer.call(place, text("call_id"), text("name"))
            }
            "message" => {
                phase(&item, place, answer);
                Ok(())
            }
            _ => Ok(()),
        }
    }

    fn has_heard(&self, call: &str) -> bool {
        self.calls.iter().any(|known| known == call)
    }

    fn heard(&mut self, call: &str) {
        if !self.has_heard(call) {
            self.calls.push(call.to_owned());
        }
    }

    /// A complete item: what did not come in deltas is taken from it.
    fn item(&mut self, place: Option<u64>, raw: &RawValue, answer: &mut Answer) -> Result<(), Trouble> {
        if place.is_some_and(|place| self.whole.contains(&place)) {
            return Ok(());
        }
        let item = value(raw);
        let text = |name: &str| item[name].as_str().unwrap_or_default();
        match text("type") {
            "function_call" => {
                // An item is one call, whatever id it ends with.
                let begun = !text("id").is_empty() && answer.has_open_call(place);
                let id = if text("call_id").is_empty() { text("id") } else { text("call_id") };
                if !begun {
                    self.heard(id);
                }
                answer.call(place, if begun { "" } else { id }, text("name"))?;
                if !answer.has_arguments(place) {
                    let arguments = &item["arguments"];
                    let written =
                        if arguments.is_object() { arguments.to_string() } else { text("arguments").to_owned() };
                    answer.arguments(place, &written)?;
                }
            }
            "custom_tool_call" if custom::is_ours(text("name"), &answer.request.prefix) => {
                self.heard(text("call_id"));
                custom_call(place, &item, answer)?;
            }
            "custom_tool_call" if !self.has_heard(text("call_id")) && self.strange.len() < MOST_CALLS => {
                self.heard(text("call_id"));
                self.strange.push(item);
            }
            "message" if !answer.has_text(place) => {
                phase(&item, place, answer);
                for part in item["content"].as_array().into_iter().flatten() {
                    self.refused |= part["refusal"].is_string();
                    let said = part["text"].as_str().or_else(|| part["refusal"].as_str());
                    answer.text(place, said.unwrap_or_default())?;
                }
            }
            "reasoning" => {
                if answer.out.reasoning == 0 {
                    let parts = ["summary", "content"].iter().filter_map(|name| item[*name].as_array()).flatten();
                    // With a blank line between them, as where they come in pieces.
                    let texts: Vec<&str> = parts.filter_map(|part| part["text"].as_str()).collect();
                    answer.thought(place, &texts.join("\n\n"))?;
                }
                // Without what is encrypted there is nothing that the endpoint could take back.
                if item["encrypted_content"].as_str().is_some_and(|content| !content.is_empty()) {
                    answer.opaque(place, raw.get());
                }
            }
            _ => {}
        }
        answer.close(place);
        self.whole.extend(place);
        Ok(())
    }

    /// The end, with the whole response in it. An event that is no good end says so by its name, whatever is in it.
    fn response(&mut self, kind: &str, raw: &RawValue, answer: &mut Answer) -> Result<(), Trouble> {
        let Ok(response) = serde_json::from_str::<Response<'_>>(raw.get()) else { return Ok(()) };
        answer.usage = usage::responses(&response.usage).or(answer.usage);
        let named = matches!(kind, "incomplete" | "failed" | "cancelled");
        let status = response.status.as_str().filter(|_| !named).unwrap_or(kind);
        if response.error.is_object() || status == "failed" {
            return Err(Trouble::in_stream(&answer.endpoint, &response.error));
        }
        if status == "cancelled" {
            return Err(Trouble::broken(&answer.endpoint, "it was cancelled at the endpoint"));
        }
        // What came in events stands; only what never did is taken from the end.
        let heard = (answer.out.text > 0, answer.out.reasoning > 0 || !self.whole.is_empty(), answer.has_calls());
        let is_call = |raw: &&&RawValue| value(raw)["type"].as_str().is_some_and(|kind| CALLS.contains(&kind));
        let calls = response.output.iter().flatten().filter(is_call).count();
        // The end may name calls anew: only those beyond the ones that came are missing, never one that may have come.
        let mut missing = calls.saturating_sub(self.calls.len());
        for (number, raw) in response.output.iter().flatten().enumerate() {
            let item = value(raw);
            let known = match item["type"].as_str() {
                Some("message") => heard.0,
                Some("reasoning") => heard.1,
                Some(kind) if CALLS.contains(&kind) && heard.2 => {
                    let new = missing > 0 && !self.calls.iter().any(|id| item["call_id"] == id.as_str());
                    missing -= usize::from(new);
                    !new
                }
                Some(kind) if CALLS.contains(&kind) => false,
                _ => true,
            };
            if !known {
                self.item(Some(AT_THE_END + number as u64), raw, answer)?;
            }
        }
        let reason = response.incomplete_details["reason"].as_str().unwrap_or_default();
        answer.stop = Some(match (status, reason) {
            (_, "max_output_tokens" | "max_tokens") => StopReason::Length,
            (_, "content_filter") => StopReason::Filtered,
            ("incomplete", _) => StopReason::Length,
            _ => StopReason::End,
        });
        answer.done = true;
        Ok(())
    }
}

impl Events for Responses {
    const WIRE: &'static str = NAME;

    fn decode(&mut self, text: &str, answer: &mut Answer) -> Result<(), Trouble> {
        let Some(event) = parsed::<Event<'_>>(text, &answer.endpoint)? else { return Ok(()) };
        let kind = event.kind.as_str().unwrap_or_default();
        if kind == "error" || (kind.is_empty() && event.error.is_some()) {
            let error = event.error.map(value).filter(Value::is_object);
            let error = error.unwrap_or_else(|| serde_json::json!({ "code": event.code, "message": event.message }));
            return Err(Trouble::in_stream(&answer.endpoint, &error));
        }
        let index = event.output_index.as_u64().or_else(|| event.output_index.as_str()?.parse().ok());
        let id = match event.item.map(value) {
            Some(item) => item["id"].as_str().unwrap_or_default().to_owned(),
            None => event.item_id.as_str().unwrap_or_default().to_owned(),
        };
        let place = self.place(index, &id);
        let delta = event.delta.as_str().unwrap_or_default();
        let kind = kind.strip_prefix("response.").unwrap_or(kind);
        match kind {
            "output_item.added" => self.added(place, event.item, answer),
            "output_text.delta" => answer.text(place, delta),
            "refusal.delta" => {
                self.refused = true;
                answer.text(place, delta)
            }
            "reasoning_summary_text.delta" | "reasoning_text.delta" | "reasoning.delta" => answer.thought(place, delta),
            "reasoning_summary_part.added" if answer.out.reasoning > 0 => answer.thought(place, "\n\n"),
            "function_call_arguments.delta" => answer.arguments(place, delta),
            "function_call_arguments.done" if !answer.has_arguments(place) => {
                answer.arguments(place, event.arguments.as_str().unwrap_or_default())
            }
            "output_item.done" => match event.item {
                Some(item) => self.item(place, item, answer),
                None => Ok(()),
            },
            "completed" | "done" | "incomplete" | "failed" | "cancelled" => match event.response {
                Some(response) => self.response(kind, response, answer),
                None => Ok(()),
            },
            _ => Ok(()),
        }
    }

    fn whole(&mut self, text: &str, answer: &mut Answer) -> Result<(), Trouble> {
        let raw: &RawValue = serde_json::from_str(text).map_err(|_| Trouble::not_json(&answer.endpoint, text))?;
        let response = serde_json::from_str::<Response<'_>>(text);
        if response.is_ok_and(|response| response.object == "response" || response.output.is_some()) {
            return self.response("", raw, answer);
        }
        self.decode(text, answer)?;
        if answer.done { Ok(()) } else { Err(Trouble::not_json(&answer.endpoint, text)) }
    }

    fn settle(&mut self, answer: &mut Answer) {
        if self.refused {
            answer.stop = Some(StopReason::Filtered);
        }
        // Who makes no use of what such a call gave waits for an answer to it.
        if answer.stop == Some(StopReason::End) && answer.out.text == 0 && !answer.has_calls() {
            for (number, call) in (AT_THE_END..).zip(std::mem::take(&mut self.strange)) {
                let _ = custom_call(Some(number), &call, answer);
            }
        }
    }

    fn back(kind: &Kind) -> Option<String> {
        kind.opaque()
    }
}

/// Takes a call whose input is a text of no form.
fn custom_call(place: Option<u64>, item: &Value, answer: &mut Answer) -> Result<(), Trouble> {
    let text = |name: &str| item[name].as_str().unwrap_or_default();
    let arguments = custom::arguments(text("name"), text("input").to_owned(), &answer.request.prefix);
    answer.call(place, text("call_id"), text("name"))?;
    answer.arguments(place, &arguments)
}

/// Keeps what a message says of its place in the turn: it goes back with the text that follows.
fn phase(item: &Value, place: Option<u64>, answer: &mut Answer) {
    if place.is_some() && item["phase"].is_string() && !answer.has_opaque(place) {
        answer.opaque(place, &json!({ "phase": item["phase"] }).to_string());
    }
}

#[cfg(test)]
mod tests {
    use super::Responses;
    use crate::Endpoint;
    use crate::reader::reader;
    use crate::repair::tests::prefix;
    use reasonix_agent::{Item, Request};
    use serde_json::{Value, json};
    use std::sync::Arc;

    /// The arguments of the calls that come out of these events.
    fn calls(events: &[Value]) -> Vec<String> {
        let request = Arc::new(Request {
            prefix: Arc::new(prefix()),
            messages: vec![],
            may_call: true,
            must_call: None,
            form: None,
        });
        let mut decoder = reader::<Responses>(&Arc::new(Endpoint::new("p", "http://h/v1", "m")), &request);
        for event in events {
            assert!(decoder.event(event.to_string().as_bytes()).is_ok(), "{event}");
        }
        assert!(decoder.finish().is_ok());
        let items = std::iter::from_fn(|| decoder.pop());
        items.filter_map(|item| if let Item::Call(call) = item { Some(call.arguments) } else { None }).collect()
    }

    fn call(number: u32, arguments: Value) -> Value {
        json!({ "type": "function_call", "id": format!("f{number}"), "call_id": format!("c{number}"),
                "name": "ls", "arguments": arguments })
    }

    fn item(call: &Value) -> Value {
        json!({ "type": "response.output_item.done", "output_index": 0, "item": call })
    }

    fn completed(calls: &[&Value]) -> Value {
        json!({ "type": "response.completed", "response": { "status": "completed", "output": calls } })
    }

    #[test]
    fn an_item_is_one_call_and_what_has_no_name_is_none() {
        let begun = |id: &str| {
            json!({ "type": "response.output_item.added", "output_index": 0,
            "item": { "type": "function_call", "id": "f1", "call_id": id, "name": "ls", "arguments": "" } })
        };
        let delta =
            |item: &str| json!({ "type": "response.function_call_arguments.delta", "item_id": item, "delta": "{}" });
        let one = call(1, json!("{}"));
        assert_eq!(calls(&[begun("other"), delta("f1"), item(&one), completed(&[&one])]), ["{}"], "two ids");
        assert_eq!(calls(&[delta("f9"), completed(&[])]), Vec::<String>::new(), "it never began");
    }

    #[test]
    fn no_call_is_lost_and_none_is_made_twice() {
        let (one, two) = (call(1, json!("{\"n\":1}")), call(2, json!("{\"n\":2}")));
        let both = ["{\"n\":1}", "{\"n\":2}"];
        assert_eq!(calls(&[item(&one), item(&two), completed(&[&one, &two])]), both, "every item is the first one");
        assert_eq!(calls(&[item(&one), completed(&[&one, &two])]), both, "the second only comes with the end");
        assert_eq!(calls(&[completed(&[&one, &two])]), both);
        let renamed = call(3, json!("{\"n\":1}"));
        assert_eq!(calls(&[item(&one), completed(&[&renamed])]), ["{\"n\":1}"], "the end names it anew");
        assert_eq!(calls(&[item(&call(1, json!({ "n": 1 }))), completed(&[])]), ["{\"n\":1}"], "an object");
    }
}
