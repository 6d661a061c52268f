//! How the responses wire writes a request. `input` comes last.

use super::NAME;
use crate::Endpoint;
use crate::growing::{Choice, Growing, Layout, Profile, Sent, put_tools};
use crate::layout::{Piece, pieces};
use crate::options::{Field, Legal, cache_fields, is_strict, legal_id, or, put, put_fields};
use crate::pictures::{Part, Shown, parts, seen};
use bytes::Bytes;
use reasonix_agent::{INTERRUPTED, Request};
use reasonix_catalogue::{Compat, ReasoningBack};
use reasonix_proto::{Message, Reasoning, ToolCall};
use serde_json::{Value, json};
use std::sync::Arc;

/// Encodes the requests to one endpoint.
pub(crate) type Encoder = Growing<Responses>;

/// How the block begins that says which part of a turn the text after it is.
const PHASE: &str = "{\"phase\":";

/// The layout of this wire.
pub(crate) struct Responses(Profile);

impl Responses {
    /// The items of an answer.
    fn put_answer(&self, out: &mut Vec<u8>, text: &str, calls: &[ToolCall], reasoning: Option<&Reasoning>) {
        let mut parts = pieces(text, calls, self.0.kept(reasoning, NAME));
        if parts.is_empty() {
            parts.push(Piece::Text(INTERRUPTED));
        }
        let mut phase = "";
        for piece in parts {
            match piece {
                Piece::Text(text) => put_message(out, ("assistant", std::mem::take(&mut phase)), "output_text", text),
                Piece::Raw(raw) if raw.starts_with(PHASE) => {
                    phase = raw.strip_prefix('{').and_then(|raw| raw.strip_suffix('}')).unwrap_or_default();
                }
                Piece::Raw(raw) => begin(out, raw.as_bytes()),
                Piece::Call(call) => {
                    let Legal { id, name, arguments } = Legal::new(call, &self.0.compat);
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
    }
}

impl Layout for Responses {
    type State = ();

    fn new(endpoint: &Endpoint) -> Self {
        let compat = endpoint.compat();
        let options = options(endpoint, &compat);
        Self(Profile::new(endpoint, compat, options))
    }

    fn profile(&self) -> &Profile {
        &self.0
    }

    fn fixed(&self, request: &Request) -> Vec<u8> {
        let (prefix, compat) = (&request.prefix, &self.0.compat);
        let mut fixed = Vec::new();
        put_fields(&mut fixed, &cache_fields(compat, &prefix.system, &request.messages));
        fixed.extend_from_slice(b",\"instructions\":");
        put(&mut fixed, or(&prefix.system, "You are a helpful assistant."));
        put_tools(&mut fixed, &prefix.tools, &self.0.more_tools, |spec| {
            let strict = compat.strict_tools && is_strict(&spec.parameters);
            json!({ "type": "function", "name": spec.name, "description": spec.description,
                "parameters": spec.parameters, "strict": strict })
        });
        if compat.parallel_calls && !prefix.tools.is_empty() {
            fixed.extend_from_slice(b",\"parallel_tool_calls\":true");
        }
        fixed.extend_from_slice(b",\"input\":[");
        fixed
    }

    fn message(&self, _before: &[Arc<Message>], (): &mut (), message: &Message, out: &mut Vec<u8>) {
        let sight = self.0.sight;
        match message {
            Message::User { text, images } => match seen(text, images, sight) {
                (text, shown) if shown.is_empty() => put_message(out, ("user", ""), "input_text", or(&text, "(empty)")),
                (text, shown) => {
                    let images = shown.iter().map(picture);
                    let text = json!({ "type": "input_text", "text": or(&text, "(empty)") });
                    begin(out, b"{\"type\":\"message\",\"role\":\"user\",\"content\":");
                    put(out, &std::iter::once(text).chain(images).collect::<Vec<_>>());
                    out.push(b'}');
                }
            },
            Message::Tool { call, content, .. } => {
                begin(out, b"{\"type\":\"function_call_output\",\"call_id\":");
                put(out, &legal_id(call.as_str(), self.0.compat.tool_ids));
                out.extend_from_slice(b",\"output\":");
                match content.plain() {
                    Some(text) => put(out, or(text, "(no output)")),
                    None => put(out, &parts(content, sight).iter().map(item).collect::<Vec<_>>()),
                }
                out.push(b'}');
            }
            Message::Assistant { text, reasoning, calls, .. } => {
                self.put_answer(out, text, calls, reasoning.as_ref());
            }
        }
    }

    fn body(&self, sent: &Sent<()>, choice: Choice<'_>, form: Option<&Field>) -> Bytes {
        let choice = choice.field(&json!("none"), |name| Some(json!({ "type": "function", "name": name })));
        // Each item has a comma before it, the first one too.
        let items = sent.encoded.strip_prefix(b",").unwrap_or_default();
        Bytes::from([&*self.0.head(form), choice.as_slice(), &sent.fixed, items, b"]}"].concat())
    }
}

/// A picture or a document.
fn picture(image: &Shown<'_>) -> Value {
    match image.document {
        Some(name) => json!({ "type": "input_file", "filename": name, "file_data": image.url() }),
        None => json!({ "type": "input_image", "image_url": image.url() }),
    }
}

/// A part of a result.
fn item(part: &Part<'_>) -> Value {
    match part {
        Part::Text(text) => json!({ "type": "input_text", "text": text }),
        Part::Picture(_, shown) => picture(shown),
    }
}

/// Begins an item, with a comma before it.
fn begin(out: &mut Vec<u8>, item: &[u8]) {
    out.push(b',');
    out.extend_from_slice(item);
}

fn put_message(out: &mut Vec<u8>, (role, more): (&str, &str), kind: &str, text: &str) {
    let comma = if more.is_empty() { "" } else { "," };
    let content = format!("\"content\":[{{\"type\":\"{kind}\",\"text\":");
    begin(out, format!("{{\"type\":\"message\",\"role\":\"{role}\"{comma}{more},{content}").as_bytes());
    put(out, text);
    out.extend_from_slice(b"}]}");
}

/// The options of every request.
fn options(endpoint: &Endpoint, compat: &Compat) -> Vec<Field> {
    let mut options: Vec<Field> = Vec::new();
    if compat.store {
        options.push(("store", json!(false)));
    }
    // A model that does not think refuses to be asked for its thoughts.
    if compat.reasoning_back != ReasoningBack::Never
        && endpoint.catalogue.known(endpoint.wire_name()).is_none_or(|known| !known.efforts.is_empty())
    {
        options.push(("include", json!(["reasoning.encrypted_content"])));
    }
    options.extend(
        endpoint.temperature.filter(|_| compat.sampling).map(|temperature| ("temperature", json!(temperature))),
    );
    options.extend(endpoint.max_tokens.map(|most| (compat.max_tokens_field.field(), json!(most))));
    let own = endpoint.reasoning_effort.clone().filter(|_| endpoint.effort.is_none());
    let word = own.or_else(|| endpoint.effort().map(|effort| compat.efforts.word(effort).to_owned()));
    options.extend(word.map(|word| ("reasoning", json!({ "effort": word }))));
    options.extend(endpoint.top_p.filter(|_| compat.sampling).map(|top_p| ("top_p", json!(top_p))));
    options
}
