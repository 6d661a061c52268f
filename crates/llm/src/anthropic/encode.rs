//! From a request to a body. Messages are encoded once and kept open at their end; only the cache markers move, and they
//! are put in when a body is made.

use super::NAME;
use crate::Endpoint;
use crate::codec::{Encode, extends};
use crate::layout::{Piece, pieces};
use crate::options::{Field, Legal, legal_id, or, put, put_fields, with_extra};
use crate::pictures::{Part, Shown, parts, seen};
use bytes::Bytes;
use reasonix_agent::{INTERRUPTED, Prefix, Request};
use reasonix_catalogue::{Compat, Effort, ReasoningBack, Retention, Thinking};
use reasonix_proto::Message;
use serde_json::{Value, json};
use std::sync::{Arc, Mutex, PoisonError};

/// What an answer may have where nothing is known of the model.
const USUAL_OUTPUT: u64 = 16_384;
/// The most that is asked for where nothing was said.
const MOST_OUTPUT: u64 = 64_000;
/// The least that thinking can be given, and what must be left for the answer.
const LEAST_BUDGET: u64 = 1_024;

/// Encodes the requests to one endpoint.
pub(crate) struct Encoder {
    compat: Compat,
    name: String,
    /// True when the model can look at pictures.
    vision: bool,
    /// `{"model":..,"max_tokens":..` and the options.
    head: Vec<u8>,
    /// The same for counting.
    count_head: Vec<u8>,
    marker: &'static [u8],
    sent: Mutex<Option<Sent>>,
}

/// What was sent last, encoded.
struct Sent {
    prefix: Arc<Prefix>,
    messages: Vec<Arc<Message>>,
    /// The tools, and the system prompt without its closing brackets.
    fixed: Vec<u8>,
    has_tools: bool,
    /// The messages; the last one is open: `]}` is missing.
    encoded: Vec<u8>,
    role: &'static str,
    /// Where the last block of the request before this one ended, for the marker that stays.
    before: usize,
}

impl Encoder {
    pub(crate) fn new(endpoint: &Endpoint) -> Self {
        let compat = endpoint.compat();
        let marker: &[u8] = match compat.cache_retention {
            Retention::None => b"",
            Retention::Short => br#","cache_control":{"type":"ephemeral"}"#,
            Retention::Long => br#","cache_control":{"type":"ephemeral","ttl":"1h"}"#,
        };
        let thinking = thinking(endpoint, &compat);
        Self {
            head: head(endpoint, &compat, &thinking),
            count_head: count_head(endpoint, &thinking),
            name: endpoint.name(),
            vision: endpoint.vision,
            marker,
            compat,
            sent: Mutex::new(None),
        }
    }

    /// Appends what is new. Gives back where the part that was sent before ends.
    fn extend<'a>(&self, kept: &'a mut Option<Sent>, request: &Request) -> &'a mut Sent {
        let sent = match kept.take() {
            Some(sent) if extends(request, &sent.prefix, &sent.messages) => kept.insert(sent),
            _ => kept.insert(Sent::new(&request.prefix)),
        };
        for message in request.messages.iter().skip(sent.messages.len()) {
            self.message(sent, message);
            sent.messages.push(Arc::clone(message));
        }
        sent
    }

    fn message(&self, sent: &mut Sent, message: &Message) {
        match message {
            Message::User { text, images } => {
                let (text, shown) = seen(text, images, self.vision);
                for image in shown {
                    put(sent.block("user"), &picture(&image));
                }
                put_text(sent.block("user"), or(&text, "(empty)"));
            }
            Message::Tool { call, content, .. } => {
                let out = sent.block("user");
                out.extend_from_slice(b"{\"type\":\"tool_result\",\"tool_use_id\":");
                put(out, &legal_id(call.as_str(), self.compat.tool_ids));
                out.extend_from_slice(b",\"content\":");
                match content.plain() {
                    Some(text) => put(out, or(text, "(no output)")),
                    None => put(out, &parts(content, self.vision).iter().map(block).collect::<Vec<_>>()),
                }
                out.push(b'}');
            }
            Message::Assistant { text, reasoning, calls, .. } => {
                let back = self.compat.reasoning_back != ReasoningBack::Never;
                let own = reasoning.as_ref().filter(|reasoning| back && reasoning.model == self.name);
                let kept = own.and_then(|reasoning| reasoning.kept.as_ref()).filter(|kept| kept.wire == NAME);
                let mut said = false;
                let mut parts: Vec<_> = pieces(text, calls, kept).into_iter().collect();
                // Reasoning that nothing follows is refused for ever.
                let is_blank = |piece: &Piece<'_>| matches!(piece, Piece::Text(text) if text.trim().is_empty());
                while parts.last().is_some_and(|last| matches!(last, Piece::Raw(_)) || is_blank(last)) {
                    parts.pop();
                }
                for piece in parts {
                    match piece {
                        Piece::Text(text) if text.trim().is_empty() => continue,
                        Piece::Text(text) => put_text(sent.block("assistant"), text),
                        Piece::Raw(raw) => sent.block("assistant").extend_from_slice(raw.as_bytes()),
                        Piece::Call(call) => {
                            let Legal { id, name, arguments } = Legal::new(call, &self.compat);
                            let out = sent.block("assistant");
                            out.extend_from_slice(b"{\"type\":\"tool_use\",\"id\":");
                            put(out, &id);
                            out.extend_from_slice(b",\"name\":");
                            put(out, &name);
                            out.extend_from_slice(b",\"input\":");
                            out.extend_from_slice(arguments.trim().as_bytes());
                            out.push(b'}');
                        }
                    }
                    said = true;
                }
                if !said {
                    put_text(sent.block("assistant"), INTERRUPTED);
                }
            }
        }
    }
}

impl Encode for Encoder {
    fn body(&self, request: &Request) -> Bytes {
        let mut kept = self.sent.lock().unwrap_or_else(PoisonError::into_inner);
        let sent = self.extend(&mut kept, request);
        let choice: &[u8] =
            if request.may_call || !sent.has_tools { b"" } else { b",\"tool_choice\":{\"type\":\"none\"}" };
        let before = if sent.before < sent.encoded.len() { sent.before } else { 0 };
        let (old, new) = sent.encoded.split_at(before);
        let (old, old_end) = old.split_at(old.len().saturating_sub(1));
        let (new, new_end) = new.split_at(new.len().saturating_sub(1));
        let old_marker = if old_end.is_empty() { b"" } else { self.marker };
        let parts: [&[u8]; 13] = [
            &self.head,
            choice,
            &sent.fixed,
            self.marker,
            b"}],\"messages\":[",
            old,
            old_marker,
            old_end,
            new,
            self.marker,
            new_end,
            b"]}",
            b"]}",
        ];
        let body = Bytes::from(parts.concat());
        sent.before = sent.encoded.len();
        body
    }

    fn count(&self, request: &Request) -> Option<Bytes> {
        let mut kept = None;
        let sent = self.extend(&mut kept, request);
        let parts: [&[u8]; 5] = [&self.count_head, &sent.fixed, b"}],\"messages\":[", &sent.encoded, b"]}]}"];
        Some(Bytes::from(parts.concat()))
    }
}

impl Sent {
    fn new(prefix: &Arc<Prefix>) -> Self {
        let mut fixed = Vec::new();
        if !prefix.tools.is_empty() {
            let list = prefix.tools.iter().map(
                |spec| json!({ "name": spec.name, "description": spec.description, "input_schema": spec.parameters }),
            );
            fixed.extend_from_slice(b",\"tools\":");
            put(&mut fixed, &list.collect::<Vec<_>>());
        }
        fixed.extend_from_slice(b",\"system\":[{\"type\":\"text\",\"text\":");
        put(&mut fixed, or(&prefix.system, "You are a helpful assistant."));
        let (prefix, has_tools) = (Arc::clone(prefix), !prefix.tools.is_empty());
        Self { prefix, messages: Vec::new(), fixed, has_tools, encoded: Vec::new(), role: "", before: 0 }
    }

    /// Where the next block of a role goes: at the end of its open message, or into a new one.
    fn block(&mut self, role: &'static str) -> &mut Vec<u8> {
        if self.role == role {
            self.encoded.push(b',');
        } else {
            let close: &[u8] = if self.role.is_empty() { b"" } else { b"]}," };
            let parts = [close, b"{\"role\":\"", role.as_bytes(), b"\",\"content\":["];
            self.encoded.extend_from_slice(&parts.concat());
            self.role = role;
        }
        &mut self.encoded
    }
}

fn picture(image: &Shown<'_>) -> Value {
    let source = json!({ "type": "base64", "media_type": image.media, "data": image.base64() });
    json!({ "type": "image", "source": source })
}

/// A block of a result.
fn block(part: &Part<'_>) -> Value {
    match part {
        Part::Text(text) => json!({ "type": "text", "text": text }),
        Part::Picture(_, shown) => picture(shown),
    }
}

fn put_text(out: &mut Vec<u8>, text: &str) {
    out.extend_from_slice(b"{\"type\":\"text\",\"text\":");
    put(out, text);
    out.push(b'}');
}

/// The most tokens of an answer: what the user said, or what the model can.
fn most(endpoint: &Endpoint) -> u64 {
    let can = if endpoint.max_output == 0 { USUAL_OUTPUT } else { endpoint.max_output.min(MOST_OUTPUT) };
    endpoint.max_tokens.unwrap_or(can)
}

/// `thinking`, when an effort was asked for.
fn thinking(endpoint: &Endpoint, compat: &Compat) -> Option<Value> {
    if compat.thinking != Thinking::Anthropic {
        return None;
    }
    let wanted = match endpoint.effort()? {
        Effort::Off => return Some(json!({ "type": "disabled" })),
        Effort::Minimal => LEAST_BUDGET,
        Effort::Low => 4_096,
        Effort::Medium => 10_240,
        Effort::High => 20_480,
        Effort::Xhigh => 32_768,
    };
    let budget = wanted.min(most(endpoint).saturating_sub(LEAST_BUDGET)).max(LEAST_BUDGET);
    Some(json!({ "type": "enabled", "budget_tokens": budget }))
}

fn head(endpoint: &Endpoint, compat: &Compat, thinking: &Option<Value>) -> Vec<u8> {
    let thinks = thinking.as_ref().is_some_and(|thinking| thinking["type"] == "enabled");
    let most = if thinks { most(endpoint).max(2 * LEAST_BUDGET) } else { most(endpoint) };
    let mut options: Vec<Field> = vec![(compat.max_tokens_field.field(), json!(most))];
    // While it thinks the endpoint takes no other temperature than its own.
    options.extend(endpoint.temperature.filter(|_| !thinks).map(|temperature| ("temperature", json!(temperature))));
    options.extend(thinking.clone().map(|thinking| ("thinking", thinking)));
    let mut out = b"{\"model\":".to_vec();
    put(&mut out, endpoint.wire_name());
    out.extend_from_slice(b",\"stream\":true");
    put_fields(&mut out, &with_extra(options, &endpoint.extra_body));
    out
}

fn count_head(endpoint: &Endpoint, thinking: &Option<Value>) -> Vec<u8> {
    let mut out = b"{\"model\":".to_vec();
    put(&mut out, endpoint.wire_name());
    put_fields(
        &mut out,
        &thinking.iter().map(|thinking| ("thinking".to_owned(), thinking.clone())).collect::<Vec<_>>(),
    );
    out
}
