//! The fields of a request that are neither conversation nor tools: bounds, sampling, effort, what the user adds.

use crate::Endpoint;
use reasonix_catalogue::{CacheRetention, Compat, Effort, OWN_FIELDS, Thinking};
use reasonix_proto::{Message, ToolCall};
use serde::Serialize;
use serde_json::{Map, Value, json};
use std::borrow::Cow;
use std::hash::{Hash, Hasher};
use std::sync::Arc;

/// A named field of a body.
pub(crate) type Field = (&'static str, Value);

/// How an effort is asked for.
pub(crate) fn effort(endpoint: &Endpoint, compat: &Compat) -> Vec<Field> {
    let own = endpoint.reasoning_effort.as_deref().filter(|_| endpoint.effort.is_none());
    let effort = endpoint.effort();
    let Some(word) = own.or_else(|| effort.map(|effort| compat.efforts.word(effort))) else { return Vec::new() };
    let off = effort == Some(Effort::Off) || word == "none";
    let switch = if off { "disabled" } else { "enabled" };
    match compat.thinking {
        Thinking::None | Thinking::Anthropic | Thinking::Adaptive => Vec::new(),
        Thinking::Openai => vec![("reasoning_effort", json!(word))],
        Thinking::Openrouter if off => vec![("reasoning", json!({ "enabled": false }))],
        Thinking::Openrouter => vec![("reasoning", json!({ "effort": word }))],
        Thinking::Zai => vec![("thinking", json!({ "type": switch }))],
        Thinking::Deepseek if off => vec![("thinking", json!({ "type": switch }))],
        Thinking::Deepseek => vec![("thinking", json!({ "type": switch })), ("reasoning_effort", json!(word))],
        Thinking::Qwen => vec![("enable_thinking", json!(!off))],
        Thinking::QwenChatTemplate => vec![("chat_template_kwargs", json!({ "enable_thinking": !off }))],
    }
}

/// Adds what the user wants in the body. It wins over what we would send, objects are put together, and a null takes
/// a field out. What belongs to the conversation cannot be touched.
pub(crate) fn with_extra(fields: Vec<Field>, extra: &Map<String, Value>) -> Vec<(String, Value)> {
    let mut out: Vec<(String, Value)> = Vec::new();
    for (name, value) in fields {
        match (value, extra.get(name)) {
            (value, None) => out.push((name.to_owned(), value)),
            (Value::Object(mut ours), Some(Value::Object(theirs))) => {
                ours.extend(theirs.clone());
                out.push((name.to_owned(), Value::Object(ours)));
            }
            (_, Some(Value::Null)) => {}
            (_, Some(theirs)) => out.push((name.to_owned(), theirs.clone())),
        }
    }
    let more = extra.iter().filter(|(name, value)| !OWN_FIELDS.contains(&name.as_str()) && !value.is_null());
    let more: Vec<_> = more.filter(|(name, _)| !out.iter().any(|(known, _)| known == *name)).collect();
    out.extend(more.into_iter().map(|(name, value)| (name.clone(), value.clone())));
    out
}

/// Writes fields, each with a comma before it.
pub(crate) fn put_fields(out: &mut Vec<u8>, fields: &[(String, Value)]) {
    for (name, value) in fields {
        out.push(b',');
        put(out, name);
        out.push(b':');
        put(out, value);
    }
}

/// Writes JSON. Neither a text nor a value made of texts and numbers can fail to be written into memory.
pub(crate) fn put<T: Serialize + ?Sized>(out: &mut Vec<u8>, value: &T) {
    let _ = serde_json::to_writer(out, value);
}

/// The text, or something in its place: strict servers refuse a message that says nothing.
pub(crate) fn or<'a>(text: &'a str, otherwise: &'a str) -> &'a str {
    if text.trim().is_empty() { otherwise } else { text }
}

/// A key that is the same for all requests of a conversation and for no other: it depends on how it begins.
pub(crate) fn cache_key(system: &str, messages: &[Arc<Message>]) -> String {
    let mut hash = Fnv(0xcbf2_9ce4_8422_2325);
    system.hash(&mut hash);
    if let Some(Message::User { text, .. }) = messages.first().map(AsRef::as_ref) {
        text.hash(&mut hash);
    }
    format!("reasonix-{:016x}", hash.finish())
}

/// The fields that speak of the endpoint's cache.
pub(crate) fn cache_fields(compat: &Compat, system: &str, messages: &[Arc<Message>]) -> Vec<(String, Value)> {
    let mut fields = Vec::new();
    match compat.cache_retention {
        CacheRetention::Short if compat.cache_control => {
            fields.push(("cache_control".to_owned(), json!({ "type": "ephemeral" })));
        }
        CacheRetention::Long if compat.cache_control => {
            fields.push(("cache_control".to_owned(), json!({ "type": "ephemeral", "ttl": "1h" })));
        }
        _ => {}
    }
    if compat.cache_key && compat.cache_retention != CacheRetention::None {
        fields.push(("prompt_cache_key".to_owned(), json!(cache_key(system, messages))));
        if compat.cache_retention == CacheRetention::Long {
            fields.push(("prompt_cache_retention".to_owned(), json!("24h")));
        }
    }
    fields
}

/// A name that every server takes: a strict one refuses the whole request for a dot in it.
pub(crate) fn legal_name(name: &str) -> Cow<'_, str> {
    let legal = |c: char| c.is_ascii_alphanumeric() || c == '_' || c == '-';
    match name {
        "" => Cow::Borrowed("unknown"),
        _ if name.len() <= 64 && name.chars().all(legal) => Cow::Borrowed(name),
        _ => Cow::Owned(name.chars().take(64).map(|c| if legal(c) { c } else { '_' }).collect()),
    }
}

/// Arguments that are a JSON object. What the model wrote otherwise stands inside one: some servers parse what is sent
/// back and fail for ever on broken JSON.
pub(crate) fn legal_arguments(arguments: &str) -> Cow<'_, str> {
    if serde_json::from_str::<Map<String, Value>>(arguments).is_ok() {
        return Cow::Borrowed(arguments);
    }
    if arguments.trim().is_empty() {
        Cow::Borrowed("{}")
    } else {
        Cow::Owned(json!({ "_invalid": arguments }).to_string())
    }
}

/// An id of the shape that the endpoint wants. The same id always becomes the same.
pub(crate) fn legal_id(id: &str, shape: reasonix_catalogue::ToolIds) -> Cow<'_, str> {
    use reasonix_catalogue::ToolIds;
    let plain = |c: char| c.is_ascii_alphanumeric() || c == '_' || c == '-';
    match shape {
        ToolIds::Any => Cow::Borrowed(id),
        ToolIds::Plain if !id.is_empty() && id.len() <= 40 && id.chars().all(plain) => Cow::Borrowed(id),
        ToolIds::Plain => Cow::Owned(format!("call_{:016x}", hashed(id))),
        ToolIds::Nine if id.len() == 9 && id.chars().all(|c| c.is_ascii_alphanumeric()) => Cow::Borrowed(id),
        ToolIds::Nine => {
            const DIGITS: &[u8; 36] = b"0123456789abcdefghijklmnopqrstuvwxyz";
            let mut rest = hashed(id);
            let digit = |_| {
                let digit = DIGITS.get((rest % 36) as usize).copied().unwrap_or(b'0');
                rest /= 36;
                char::from(digit)
            };
            Cow::Owned((0..9).map(digit).collect())
        }
    }
}

fn hashed(text: &str) -> u64 {
    let mut hash = Fnv(0xcbf2_9ce4_8422_2325);
    text.hash(&mut hash);
    hash.finish()
}

/// True when a schema can be declared strict: every object names all its fields, wants them all and takes no other.
pub(crate) fn is_strict(schema: &Value) -> bool {
    match schema {
        Value::Object(fields) => {
            let own = fields.get("properties").and_then(Value::as_object).is_none_or(|properties| {
                let required = fields.get("required").and_then(Value::as_array);
                let wanted = |name: &String| required.is_some_and(|list| list.iter().any(|item| item == name));
                fields.get("additionalProperties") == Some(&Value::Bool(false)) && properties.keys().all(wanted)
            });
            own && fields.values().all(is_strict)
        }
        Value::Array(items) => items.iter().all(is_strict),
        _ => true,
    }
}

/// The calls of a message with legal names and arguments.
pub(crate) struct Legal<'a> {
    pub(crate) id: Cow<'a, str>,
    pub(crate) name: Cow<'a, str>,
    pub(crate) arguments: Cow<'a, str>,
}

impl<'a> Legal<'a> {
    pub(crate) fn new(call: &'a ToolCall, compat: &Compat) -> Self {
        Self {
            id: legal_id(call.id.as_str(), compat.tool_ids),
            name: legal_name(&call.name),
            arguments: legal_arguments(&call.arguments),
        }
    }
}

/// FNV-1a: small, and the same in every process.
struct Fnv(u64);

impl Hasher for Fnv {
    fn finish(&self) -> u64 {
        self.0
    }

    fn write(&mut self, bytes: &[u8]) {
        for byte in bytes {
            self.0 = (self.0 ^ u64::from(*byte)).wrapping_mul(0x0100_0000_01b3);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{effort, is_strict, legal_id, with_extra};
    use crate::Endpoint;
    use reasonix_catalogue::{Effort, Thinking, ToolIds};
    use serde_json::{Value, json};

    #[test]
    fn ways_to_ask_for_an_effort() {
        for (thinking, effort_asked, expected) in [
            (Thinking::Openai, Effort::High, json!({ "reasoning_effort": "high" })),
            (Thinking::Openai, Effort::Off, json!({ "reasoning_effort": "none" })),
            (Thinking::Openrouter, Effort::Low, json!({ "reasoning": { "effort": "low" } })),
            (Thinking::Openrouter, Effort::Off, json!({ "reasoning": { "enabled": false } })),
            (Thinking::Zai, Effort::High, json!({ "thinking": { "type": "enabled" } })),
            (
                Thinking::Deepseek,
                Effort::Xhigh,
                json!({ "thinking": { "type": "enabled" }, "reasoning_effort": "xhigh" }),
            ),
            (Thinking::Deepseek, Effort::Off, json!({ "thinking": { "type": "disabled" } })),
            (Thinking::Qwen, Effort::High, json!({ "enable_thinking": true })),
            (Thinking::QwenChatTemplate, Effort::Off, json!({ "chat_template_kwargs": { "enable_thinking": false } })),
            (Thinking::None, Effort::High, json!({})),
        ] {
            let mut endpoint = Endpoint::new("p", "http://h/v1", "m");
            endpoint.effort = Some(effort_asked);
            endpoint.overrides.thinking = Some(thinking);
            let fields = effort(&endpoint, &endpoint.compat());
            let fields: serde_json::Map<String, Value> =
                fields.into_iter().map(|(name, value)| (name.to_owned(), value)).collect();
            assert_eq!(Value::Object(fields), expected, "{thinking:?} {effort_asked}");
        }
        let mut endpoint = Endpoint::new("p", "https://api.deepseek.com", "deepseek-v4-pro");
        endpoint.effort = Some(Effort::Xhigh);
        assert_eq!(effort(&endpoint, &endpoint.compat())[1].1, "max", "DeepSeek's own word");
        endpoint.effort = None;
        endpoint.reasoning_effort = Some("ultra".into());
        assert_eq!(effort(&endpoint, &endpoint.compat())[1].1, "ultra", "the user's own word is sent as it is");
    }

    #[test]
    fn what_the_user_adds() {
        let ours = vec![("a", json!(1)), ("b", json!({ "x": 1, "y": 1 })), ("c", json!(3))];
        let extra = json!({ "b": { "y": 2 }, "c": null, "d": 4, "tools": [], "stream": false });
        let fields = with_extra(ours, extra.as_object().unwrap());
        let found: serde_json::Map<String, Value> = fields.into_iter().collect();
        assert_eq!(Value::Object(found), json!({ "a": 1, "b": { "x": 1, "y": 2 }, "d": 4 }));
    }

    #[test]
    fn ids_get_the_shape_that_is_wanted() {
        for (id, shape, kept) in [
            ("call.1/x", ToolIds::Any, true),
            ("call_1-x", ToolIds::Plain, true),
            ("call.1", ToolIds::Plain, false),
            ("", ToolIds::Plain, false),
            ("abcDEF123", ToolIds::Nine, true),
            ("call_1", ToolIds::Nine, false),
        ] {
            let legal = legal_id(id, shape);
            assert_eq!(legal == id, kept, "{id} {shape:?} {legal}");
            assert_eq!(legal, legal_id(id, shape), "the same every time");
            if shape == ToolIds::Nine {
                assert!(legal.len() == 9 && legal.bytes().all(|byte| byte.is_ascii_alphanumeric()), "{legal}");
            }
        }
        assert_ne!(legal_id("call_1", ToolIds::Nine), legal_id("call_2", ToolIds::Nine));
    }

    #[test]
    fn strict_schemas() {
        let strict = json!({ "type": "object", "properties": { "a": { "type": "string" } }, "required": ["a"],
            "additionalProperties": false });
        assert!(is_strict(&strict));
        let mut open = strict;
        open["required"] = json!([]);
        assert!(!is_strict(&open));
        let nested =
            json!({ "type": "object", "properties": { "a": open }, "required": ["a"], "additionalProperties": false });
        assert!(!is_strict(&nested));
    }
}
