//! How the messages wire writes a request. The last message is kept open at its end; only the cache markers move, and they
//! are put in when a body is made.

use super::NAME;
use crate::Endpoint;
use crate::growing::{Choice, Growing, Layout, Profile, Sent, put_model, put_tools};
use crate::layout::{Piece, pieces};
use crate::options::{Field, Legal, legal_id, or, put, put_fields, with_extra};
use crate::pictures::{Part, Shown, parts, seen};
use bytes::Bytes;
use reasonix_agent::{INTERRUPTED, Request};
use reasonix_catalogue::{CacheRetention, Compat, Effort, Thinking};
use reasonix_proto::{Message, Reasoning, ToolCall};
use serde_json::{Map, Value, json};
use std::sync::Arc;

/// What an answer may have where nothing is known of the model.
const USUAL_OUTPUT: u64 = 16_384;
/// The most that is asked for where nothing was said.
const MOST_OUTPUT: u64 = 64_000;
/// The least that thinking can be given, and what must be left for the answer.
const LEAST_BUDGET: u64 = 1_024;

/// Encodes the requests to one endpoint.
pub(crate) type Encoder = Growing<Messages>;

/// The layout of this wire.
pub(crate) struct Messages {
    profile: Profile,
    /// It is told to think.
    thinks: bool,
    /// The same without thinking, where a budget is what asks for it.
    quiet: Option<Profile>,
    /// The opening of a body that counts.
    count_head: Vec<u8>,
    marker: &'static [u8],
}

/// What is open at the end.
#[derive(Default)]
pub(crate) struct Open {
    /// Whose message: `]}` is missing.
    role: &'static str,
    /// True while calls are worked on that were made without a thought of this model's.
    unthought: bool,
}

impl Open {
    /// Where the next block of a role goes: at the end of its open message, or into a new one.
    fn block<'o>(&mut self, role: &'static str, out: &'o mut Vec<u8>) -> &'o mut Vec<u8> {
        if self.role == role {
            out.push(b',');
        } else {
            let close: &[u8] = if self.role.is_empty() { b"" } else { b"]}," };
            out.extend_from_slice(&[close, b"{\"role\":\"", role.as_bytes(), b"\",\"content\":["].concat());
            self.role = role;
        }
        out
    }
}

impl Messages {
    /// The blocks of an answer.
    fn put_answer(
        &self,
        open: &mut Open,
        text: &str,
        calls: &[ToolCall],
        reasoning: Option<&Reasoning>,
        out: &mut Vec<u8>,
    ) {
        let mut parts = pieces(text, calls, self.profile.kept(reasoning, NAME));
        open.unthought = !calls.is_empty() && (open.unthought || !matches!(parts.first(), Some(Piece::Raw(_))));
        if parts.is_empty() {
            parts.push(Piece::Text(INTERRUPTED));
        }
        for piece in parts {
            let out = open.block("assistant", out);
            match piece {
                Piece::Text(text) => put_text(out, text),
                Piece::Raw(raw) => out.extend_from_slice(raw.as_bytes()),
                Piece::Call(call) => {
                    let Legal { id, name, arguments } = Legal::new(call, &self.profile.compat);
                    out.extend_from_slice(b"{\"type\":\"tool_use\",\"id\":");
                    put(out, &id);
                    out.extend_from_slice(b",\"name\":");
                    put(out, &name);
                    out.extend_from_slice(b",\"input\":");
                    out.extend_from_slice(arguments.trim().as_bytes());
                    out.push(b'}');
                }
            }
        }
    }
}

impl Layout for Messages {
    type State = Open;

    fn new(endpoint: &Endpoint) -> Self {
        let compat = endpoint.compat();
        let marker: &[u8] = match compat.cache_retention {
            CacheRetention::None => b"",
            CacheRetention::Short => br#","cache_control":{"type":"ephemeral"}"#,
            CacheRetention::Long => br#","cache_control":{"type":"ephemeral","ttl":"1h"}"#,
        };
        let thinking = thinking(endpoint, &compat);
        let mut count_head = b"{".to_vec();
        put_model(&mut count_head, endpoint);
        put_fields(&mut count_head, &with_extra(thinking.clone(), &Map::new()));
        let thinks = thinking.iter().any(|(name, value)| *name == "thinking" && value["type"] != "disabled");
        let budget = thinking.iter().any(|(_, thinking)| thinking["type"] == "enabled");
        let quiet = budget.then(|| options(endpoint, &compat, Vec::new()));
        let quiet = quiet.map(|options| Profile::new(endpoint, compat.clone(), options));
        let options = options(endpoint, &compat, thinking);
        Self { profile: Profile::new(endpoint, compat, options), thinks, quiet, count_head, marker }
    }

    fn profile(&self) -> &Profile {
        &self.profile
    }

    /// The tools, and the system prompt without its closing brackets.
    fn fixed(&self, request: &Request) -> Vec<u8> {
        let mut fixed = Vec::new();
        put_tools(
            &mut fixed,
            &request.prefix.tools,
            &self.profile.more_tools,
            |spec| json!({ "name": spec.name, "description": spec.description, "input_schema": spec.parameters }),
        );
        fixed.extend_from_slice(b",\"system\":[{\"type\":\"text\",\"text\":");
        put(&mut fixed, or(&request.prefix.system, "You are a helpful assistant."));
        fixed
    }

    fn message(&self, _before: &[Arc<Message>], open: &mut Open, message: &Message, out: &mut Vec<u8>) {
        let sight = self.profile.sight;
        match message {
            Message::User { text, images } => {
                let (text, shown) = seen(text, images, sight);
                for image in shown {
                    put(open.block("user", out), &picture(&image));
                }
                put_text(open.block("user", out), or(&text, "(empty)"));
            }
            Message::Tool { call, content, .. } => {
                let out = open.block("user", out);
                out.extend_from_slice(b"{\"type\":\"tool_result\",\"tool_use_id\":");
                put(out, &legal_id(call.as_str(), self.profile.compat.tool_ids));
                out.extend_from_slice(b",\"content\":");
                match content.plain() {
                    Some(text) => put(out, or(text, "(no output)")),
                    None => put(out, &parts(content, sight).iter().map(block).collect::<Vec<_>>()),
                }
                out.push(b'}');
            }
            Message::Assistant { text, reasoning, calls, .. } => {
                self.put_answer(open, text, calls, reasoning.as_ref(), out);
            }
        }
    }

    fn body(&self, sent: &Sent<Open>, choice: Choice<'_>, form: Option<&Field>) -> Bytes {
        // Whoever thinks cannot be told what to call.
        let only = |name: &str| (!self.thinks).then(|| json!({ "type": "tool", "name": name }));
        let choice = choice.field(&json!({ "type": "none" }), only);
        // With a budget every call that is being worked on has to follow a thought: a model that takes over from another
        // one does not think before the next turn.
        let quiet = self.quiet.as_ref().filter(|_| sent.state.unthought);
        let head = quiet.unwrap_or(&self.profile).head(form);
        let before = if sent.before < sent.encoded.len() { sent.before } else { 0 };
        let (old, new) = sent.encoded.split_at(before);
        let (old, old_end) = old.split_at(old.len().saturating_sub(1));
        let (new, new_end) = new.split_at(new.len().saturating_sub(1));
        let old_marker = if old_end.is_empty() { b"" } else { self.marker };
        let parts: [&[u8]; 13] = [
            &head,
            &choice,
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
        Bytes::from(parts.concat())
    }

    fn count(&self, sent: &dyn Fn() -> Sent<Open>) -> Option<Bytes> {
        let sent = sent();
        let parts: [&[u8]; 5] = [&self.count_head, &sent.fixed, b"}],\"messages\":[", &sent.encoded, b"]}]}"];
        Some(Bytes::from(parts.concat()))
    }
}

fn picture(image: &Shown<'_>) -> Value {
    let source = json!({ "type": "base64", "media_type": image.media, "data": image.base64() });
    match image.document {
        Some(name) => json!({ "type": "document", "source": source, "title": name }),
        None => json!({ "type": "image", "source": source }),
    }
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

/// How an effort is asked for, when one was: `thinking` first.
fn thinking(endpoint: &Endpoint, compat: &Compat) -> Vec<Field> {
    let Some(effort) = endpoint.effort() else { return Vec::new() };
    match (compat.thinking, effort) {
        (Thinking::Anthropic | Thinking::Adaptive, Effort::Off) => vec![("thinking", json!({ "type": "disabled" }))],
        (Thinking::Anthropic, _) => {
            let budget = budget(effort).min(most(endpoint).saturating_sub(LEAST_BUDGET)).max(LEAST_BUDGET);
            vec![("thinking", json!({ "type": "enabled", "budget_tokens": budget }))]
        }
        // Without the word nothing of what it thinks can be read.
        (Thinking::Adaptive, _) => vec![
            ("thinking", json!({ "type": "adaptive", "display": "summarized" })),
            ("output_config", json!({ "effort": compat.efforts.word(effort) })),
        ],
        _ => Vec::new(),
    }
}

/// The tokens that an effort is worth.
fn budget(effort: Effort) -> u64 {
    match effort {
        Effort::Off | Effort::Minimal => LEAST_BUDGET,
        Effort::Low => 4_096,
        Effort::Medium => 10_240,
        Effort::High => 20_480,
        Effort::Xhigh => 32_768,
    }
}

/// The options of every request.
fn options(endpoint: &Endpoint, compat: &Compat, thinking: Vec<Field>) -> Vec<Field> {
    let form = thinking.first().map_or(&Value::Null, |(_, thinking)| &thinking["type"]);
    let most = if *form == "enabled" { most(endpoint).max(2 * LEAST_BUDGET) } else { most(endpoint) };
    let mut options: Vec<Field> = vec![(compat.max_tokens_field.field(), json!(most))];
    // While it thinks the endpoint takes no other temperature than its own, and hardly another nucleus.
    let thinks = *form == "enabled" || *form == "adaptive";
    let temperature = endpoint.temperature.filter(|_| compat.sampling && !thinks);
    // Some take only one of the two.
    let top_p = endpoint.top_p.filter(|top_p| compat.sampling && temperature.is_none() && (!thinks || *top_p >= 0.95));
    options.extend(temperature.map(|temperature| ("temperature", json!(temperature))));
    options.extend(thinking);
    options.extend(top_p.map(|top_p| ("top_p", json!(top_p))));
    options
}
