//! From a request to a body. Items are encoded once and sent again as bytes. `input` comes last.

use super::NAME;
use crate::Endpoint;
use crate::codec::{Encode, extends};
use crate::layout::{Piece, pieces};
use crate::options::{Field, Legal, cache_fields, is_strict, legal_id, or, put, put_fields, with_extra};
use crate::pictures::{Part, parts, seen};
use bytes::Bytes;
use reasonix_agent::{INTERRUPTED, Prefix, Request};
use reasonix_catalogue::{Compat, ReasoningBack, known};
use reasonix_proto::Message;
use serde_json::{Value, json};
use std::sync::{Arc, Mutex, PoisonError};

/// Encodes the requests to one endpoint.
pub(crate) struct Encoder {
    compat: Compat,
    name: String,
    /// True when the model can look at pictures.
    vision: bool,
    /// The body up to and without what depends on the conversation.
    head: Vec<u8>,
    sent: Mutex<Option<Sent>>,
}

/// What was sent last, encoded.
struct Sent {
    prefix: Arc<Prefix>,
    messages: Vec<Arc<Message>>,
    /// What speaks of the cache, the instructions and the tools.
    fixed: Vec<u8>,
    has_tools: bool,
    /// The items, without the brackets around them.
    encoded: Vec<u8>,
}

impl Encoder {
    pub(crate) fn new(endpoint: &Endpoint) -> Self {
        let compat = endpoint.compat();
        Self {
            head: head(endpoint, &compat),
            compat,
            name: endpoint.name(),
            vision: endpoint.vision,
            sent: Mutex::new(None),
        }
    }

    fn message(&self, out: &mut Vec<u8>, message: &Message) {
        match message {
            Message::User { text, images } => match seen(text, images, self.vision) {
                (text, shown) if shown.is_empty() => put_message(out, "user", "input_text", or(&text, "(empty)")),
                (text, shown) => {
                    let images = shown.iter().map(|image| json!({ "type": "input_image", "image_url": image.url() }));
                    let text = json!({ "type": "input_text", "text": or(&text, "(empty)") });
                    begin(out, b"{\"type\":\"message\",\"role\":\"user\",\"content\":");
                    put(out, &std::iter::once(text).chain(images).collect::<Vec<_>>());
                    out.push(b'}');
                }
            },
            Message::Tool { call, content, .. } => {
                begin(out, b"{\"type\":\"function_call_output\",\"call_id\":");
                put(out, &legal_id(call.as_str(), self.compat.tool_ids));
                out.extend_from_slice(b",\"output\":");
                match content.plain() {
                    Some(text) => put(out, or(text, "(no output)")),
                    None => put(out, &parts(content, self.vision).iter().map(item).collect::<Vec<_>>()),
                }
                out.push(b'}');
            }
            Message::Assistant { text, reasoning, calls, .. } => {
                let back = self.compat.reasoning_back != ReasoningBack::Never;
                let own = reasoning.as_ref().filter(|reasoning| back && reasoning.model == self.name);
                let kept = own.and_then(|reasoning| reasoning.kept.as_ref()).filter(|kept| kept.wire == NAME);
                let before = out.len();
                for piece in pieces(text, calls, kept) {
                    match piece {
                        Piece::Text(text) if text.trim().is_empty() => {}
                        Piece::Text(text) => put_message(out, "assistant", "output_text", text),
                        Piece::Raw(raw) => begin(out, raw.as_bytes()),
                        Piece::Call(call) => {
                            let Legal { id, name, arguments } = Legal::new(call, &self.compat);
                            begin(out, b"{\"type\":\"function_call\",\"call_id\":");
                            put(out, &id);
                            out.extend_from_slice(b",\"name\":");
                            put(out, &name);
                            out.extend_from_slice(b",\"arguments\":");
                            put(out, &arguments);
                            out.push(b'}');
                        }
                    }
                }
                if out.len() == before {
                    put_message(out, "assistant", "output_text", INTERRUPTED);
                }
            }
        }
    }
}

impl Encode for Encoder {
    fn body(&self, request: &Request) -> Bytes {
        let mut kept = self.sent.lock().unwrap_or_else(PoisonError::into_inner);
        let sent = match kept.take() {
            Some(sent) if extends(request, &sent.prefix, &sent.messages) => kept.insert(sent),
            _ => kept.insert(Sent::new(request, &self.compat)),
        };
        for message in request.messages.iter().skip(sent.messages.len()) {
            self.message(&mut sent.encoded, message);
            sent.messages.push(Arc::clone(message));
        }
        let silenced = !request.may_call && sent.has_tools && self.compat.tool_choice;
        let choice: &[u8] = if silenced { b",\"tool_choice\":\"none\"" } else { b"" };
        let parts: [&[u8]; 6] = [&self.head, choice, &sent.fixed, b",\"input\":[", &sent.encoded, b"]}"];
        Bytes::from(parts.concat())
    }
}

impl Sent {
    fn new(request: &Request, compat: &Compat) -> Self {
        let prefix = &request.prefix;
        let mut fixed = Vec::new();
        put_fields(&mut fixed, &cache_fields(compat, &prefix.system, &request.messages));
        fixed.extend_from_slice(b",\"instructions\":");
        put(&mut fixed, or(&prefix.system, "You are a helpful assistant."));
        if !prefix.tools.is_empty() {
            let list = prefix.tools.iter().map(|spec| {
                let strict = compat.strict_tools && is_strict(&spec.parameters);
                json!({ "type": "function", "name": spec.name, "description": spec.description,
                    "parameters": spec.parameters, "strict": strict })
            });
            fixed.extend_from_slice(b",\"tools\":");
            put(&mut fixed, &list.collect::<Vec<_>>());
            if compat.parallel_calls {
                fixed.extend_from_slice(b",\"parallel_tool_calls\":true");
            }
        }
        let (prefix, has_tools) = (Arc::clone(prefix), !prefix.tools.is_empty());
        Self { prefix, messages: Vec::new(), fixed, has_tools, encoded: Vec::new() }
    }
}

/// A part of a result.
fn item(part: &Part<'_>) -> Value {
    match part {
        Part::Text(text) => json!({ "type": "input_text", "text": text }),
        Part::Picture(_, shown) => json!({ "type": "input_image", "image_url": shown.url() }),
    }
}

/// Begins an item, with a comma where one stands before it.
fn begin(out: &mut Vec<u8>, item: &[u8]) {
    if !out.is_empty() {
        out.push(b',');
    }
    out.extend_from_slice(item);
}

fn put_message(out: &mut Vec<u8>, role: &str, kind: &str, text: &str) {
    let start = format!("{{\"type\":\"message\",\"role\":\"{role}\",\"content\":[{{\"type\":\"{kind}\",\"text\":");
    begin(out, start.as_bytes());
    put(out, text);
    out.extend_from_slice(b"}]}");
}

/// The options of every request.
fn head(endpoint: &Endpoint, compat: &Compat) -> Vec<u8> {
    let mut options: Vec<Field> = Vec::new();
    if compat.store {
        options.push(("store", json!(false)));
    }
    // A model that does not think refuses to be asked for its thoughts.
    if compat.reasoning_back != ReasoningBack::Never
        && known(endpoint.wire_name()).is_none_or(|known| !known.efforts.is_empty())
    {
        options.push(("include", json!(["reasoning.encrypted_content"])));
    }
    options.extend(endpoint.temperature.map(|temperature| ("temperature", json!(temperature))));
    options.extend(endpoint.max_tokens.map(|most| (compat.max_tokens_field.field(), json!(most))));
    let own = endpoint.reasoning_effort.clone().filter(|_| endpoint.effort.is_none());
    let word = own.or_else(|| endpoint.effort().map(|effort| compat.efforts.word(effort).to_owned()));
    options.extend(word.map(|word| ("reasoning", json!({ "effort": word }))));
    let mut out = b"{\"model\":".to_vec();
    put(&mut out, endpoint.wire_name());
    out.extend_from_slice(b",\"stream\":true");
    put_fields(&mut out, &with_extra(options, &endpoint.extra_body));
    out
}
