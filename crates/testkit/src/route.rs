//! The protocols that the server speaks. Replies are written down as chat events; here they become those of the protocol
//! in which the request came, so that each reply can be played on each wire.

use serde_json::{Value, json};

/// A protocol.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Route {
    Chat,
    Messages,
    Responses,
}

type Named = (Option<&'static str>, Value);

impl Route {
    /// The protocol of a path.
    pub(crate) fn of(path: &str) -> Option<Self> {
        let path = path.split('?').next().unwrap_or_default();
        [("/chat/completions", Self::Chat), ("/messages", Self::Messages), ("/responses", Self::Responses)]
            .into_iter()
            .find_map(|(end, route)| path.ends_with(end).then_some(route))
    }

    /// The events of a reply, named where the protocol names them.
    pub(crate) fn events(self, chat: &[Value], complete: bool) -> Vec<Named> {
        match self {
            Self::Chat => chat.iter().map(|event| (None, event.clone())).collect(),
            Self::Messages => messages(chat, complete),
            Self::Responses => responses(chat, complete),
        }
    }
}

/// What chat events say, in order.
enum Said {
    Text(String),
    Thought(String),
    Call { index: u64, id: String, name: String },
    Arguments { index: u64, piece: String },
    Finish(String),
    Usage(Value),
    Error(Value),
}

fn said(chat: &[Value]) -> Vec<Said> {
    let mut said = Vec::new();
    for event in chat {
        if let Some(error) = event.get("error") {
            said.push(Said::Error(error.clone()));
        }
        let delta = &event["choices"][0]["delta"];
        let text = |name: &str| delta[name].as_str().map(str::to_owned);
        said.extend(text("reasoning_content").map(Said::Thought));
        said.extend(text("content").map(Said::Text));
        for call in delta["tool_calls"].as_array().into_iter().flatten() {
            let index = call["index"].as_u64().unwrap_or_default();
            if let Some(id) = call["id"].as_str() {
                let name = call["function"]["name"].as_str().unwrap_or_default().to_owned();
                said.push(Said::Call { index, id: id.to_owned(), name });
            }
            let piece = call["function"]["arguments"].as_str().unwrap_or_default().to_owned();
            said.push(Said::Arguments { index, piece });
        }
        said.extend(event["choices"][0]["finish_reason"].as_str().map(|reason| Said::Finish(reason.to_owned())));
        said.extend(event.get("usage").filter(|usage| usage.is_object()).cloned().map(Said::Usage));
    }
    said
}

/// The blocks of an Anthropic stream, as they are opened one after the other.
#[derive(Default)]
struct Blocks {
    out: Vec<Named>,
    open: Option<(&'static str, u64)>,
    next: u64,
    /// The block of each call.
    calls: Vec<(u64, u64)>,
}

impl Blocks {
    fn push(&mut self, name: &'static str, event: Value) {
        let mut event = event;
        event["type"] = json!(name);
        self.out.push((Some(name), event));
    }

    fn close(&mut self) {
        if let Some((kind, index)) = self.open.take() {
            if kind == "thinking" {
                let delta = json!({ "type": "signature_delta", "signature": format!("signed-{index}") });
                self.push("content_block_delta", json!({ "index": index, "delta": delta }));
            }
            self.push("content_block_stop", json!({ "index": index }));
        }
    }

    fn open(&mut self, kind: &'static str, block: Value) -> u64 {
        if let Some((open, index)) = self.open
            && open == kind
            && kind != "tool_use"
        {
            return index;
        }
        self.close();
        let index = self.next;
        self.next += 1;
        self.push("content_block_start", json!({ "index": index, "content_block": block }));
        self.open = Some((kind, index));
        index
    }
}

fn messages(chat: &[Value], complete: bool) -> Vec<Named> {
    let mut blocks = Blocks::default();
    let (mut stop, mut usage) = ("end_turn".to_owned(), json!({ "output_tokens": 10 }));
    let start = json!({ "id": "msg_1", "type": "message", "role": "assistant", "content": [], "usage":
        { "input_tokens": 0, "output_tokens": 1 } });
    blocks.push("message_start", json!({ "message": start }));
    blocks.push("ping", json!({}));
    let mut finished = false;
    for said in said(chat) {
        match said {
            Said::Text(text) => {
                let index = blocks.open("text", json!({ "type": "text", "text": "" }));
                blocks.push(
                    "content_block_delta",
                    json!({ "index": index, "delta": { "type": "text_delta", "text": text } }),
                );
            }
            Said::Thought(text) => {
                let index = blocks.open("thinking", json!({ "type": "thinking", "thinking": "", "signature": "" }));
                let delta = json!({ "type": "thinking_delta", "thinking": text });
                blocks.push("content_block_delta", json!({ "index": index, "delta": delta }));
            }
            Said::Call { index, id, name } => {
                let block = json!({ "type": "tool_use", "id": id, "name": name, "input": {} });
                let place = blocks.open("tool_use", block);
                blocks.calls.push((index, place));
            }
            Said::Arguments { index, piece } => {
                let place = blocks.calls.iter().find(|(call, _)| *call == index).map_or(index, |(_, place)| *place);
                let delta = json!({ "type": "input_json_delta", "partial_json": piece });
                blocks.push("content_block_delta", json!({ "index": place, "delta": delta }));
            }
            Said::Finish(reason) => {
                finished = true;
                stop = match reason.as_str() {
                    "tool_calls" => "tool_use".to_owned(),
                    "length" => "max_tokens".to_owned(),
                    "content_filter" => "refusal".to_owned(),
                    _ => "end_turn".to_owned(),
                };
            }
            Said::Usage(counts) => usage = messages_usage(&counts),
            Said::Error(error) => blocks.push("error", json!({ "error": error })),
        }
    }
    if complete && finished {
        blocks.close();
        blocks
            .push("message_delta", json!({ "delta": { "stop_reason": stop, "stop_sequence": null }, "usage": usage }));
        blocks.push("message_stop", json!({}));
    }
    blocks.out
}

fn messages_usage(chat: &Value) -> Value {
    let cached = cached(chat);
    let input = chat["prompt_tokens"].as_u64().unwrap_or(0).saturating_sub(cached);
    json!({ "input_tokens": input, "cache_read_input_tokens": cached, "cache_creation_input_tokens": 0,
        "output_tokens": chat["completion_tokens"] })
}

/// The items of a responses stream.
#[derive(Default)]
struct Items {
    out: Vec<Named>,
    /// Complete items, the open one last.
    items: Vec<Value>,
    open: Option<&'static str>,
    calls: Vec<(u64, usize)>,
}

impl Items {
    fn push(&mut self, name: &'static str, event: Value) {
        let mut event = event;
        event["type"] = json!(name);
        event["sequence_number"] = json!(self.out.len());
        self.out.push((Some(name), event));
    }

    fn close(&mut self) {
        if self.open.take().is_some() {
            let index = self.items.len() - 1;
            let item = self.items[index].clone();
            self.push("response.output_item.done", json!({ "output_index": index, "item": item }));
        }
    }

    fn open(&mut self, kind: &'static str, item: Value) -> usize {
        if self.open != Some(kind) || kind == "function_call" {
            self.close();
            self.items.push(item.clone());
            self.open = Some(kind);
            let index = self.items.len() - 1;
            self.push("response.output_item.added", json!({ "output_index": index, "item": item }));
        }
        self.items.len() - 1
    }
}

fn append(value: &mut Value, piece: &str) {
    *value = json!(format!("{}{piece}", value.as_str().unwrap_or_default()));
}

fn responses(chat: &[Value], complete: bool) -> Vec<Named> {
    let mut items = Items::default();
    let (mut status, mut details, mut usage) = ("completed", Value::Null, Value::Null);
    items.push(
        "response.created",
        json!({ "response": { "id": "resp_1", "object": "response", "status": "in_progress" } }),
    );
    let mut finished = false;
    for said in said(chat) {
        match said {
            Said::Text(text) => {
                let item = json!({ "type": "message", "id": "msg_1", "role": "assistant", "status": "in_progress",
                    "content": [{ "type": "output_text", "text": "", "annotations": [] }] });
                let index = items.open("message", item);
                append(&mut items.items[index]["content"][0]["text"], &text);
                items.push(
                    "response.output_text.delta",
                    json!({ "output_index": index, "content_index": 0, "delta": text }),
                );
            }
            Said::Thought(text) => {
                let number = items.items.len();
                let item = json!({ "type": "reasoning", "id": format!("rs_{number}"), "summary": [{ "type": "summary_text", "text": "" }],
                    "encrypted_content": format!("encrypted-{number}") });
                let index = items.open("reasoning", item);
                append(&mut items.items[index]["summary"][0]["text"], &text);
                items.push("response.reasoning_summary_text.delta", json!({ "output_index": index, "delta": text }));
            }
            Said::Call { index, id, name } => {
                let item = json!({ "type": "function_call", "id": format!("fc_{index}"), "call_id": id, "name": name, "arguments": "" });
                let place = items.open("function_call", item);
                items.calls.push((index, place));
            }
            Said::Arguments { index, piece } => {
                let place = items.calls.iter().find(|(call, _)| *call == index).map_or(0, |(_, place)| *place);
                append(&mut items.items[place]["arguments"], &piece);
                items.push("response.function_call_arguments.delta", json!({ "output_index": place, "delta": piece }));
            }
            Said::Finish(reason) => {
                finished = true;
                (status, details) = match reason.as_str() {
                    "length" => ("incomplete", json!({ "reason": "max_output_tokens" })),
                    "content_filter" => ("incomplete", json!({ "reason": "content_filter" })),
                    _ => ("completed", Value::Null),
                };
            }
            Said::Usage(counts) => usage = responses_usage(&counts),
            Said::Error(error) => items.push("error", json!({ "code": error["code"], "message": error["message"] })),
        }
    }
    if complete && finished {
        items.close();
        let output = items.items.clone();
        let name = if status == "completed" { "response.completed" } else { "response.incomplete" };
        items.push(
            name,
            json!({ "response": { "id": "resp_1", "object": "response", "status": status,
            "incomplete_details": details, "usage": usage, "output": output } }),
        );
    }
    items.out
}

fn responses_usage(chat: &Value) -> Value {
    json!({ "input_tokens": chat["prompt_tokens"], "output_tokens": chat["completion_tokens"],
        "input_tokens_details": { "cached_tokens": cached(chat) },
        "output_tokens_details": { "reasoning_tokens": 0 } })
}

fn cached(chat: &Value) -> u64 {
    let places = [&chat["prompt_cache_hit_tokens"], &chat["prompt_tokens_details"]["cached_tokens"]];
    places.into_iter().find_map(Value::as_u64).unwrap_or(0)
}
