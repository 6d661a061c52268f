//! From a request to a body. The body only grows: the bytes of a message that was sent once are kept and sent again, so
//! that the endpoint's cache holds and a request costs the same at step 500 as at step 1. `messages` comes last.

use crate::Endpoint;
use crate::compat::Compat;
use crate::wire::Encode;
use bytes::Bytes;
use reasonix_agent::{INTERRUPTED, Prefix, Request};
use reasonix_proto::{Message, ToolCall};
use serde::Serialize;
use serde_json::{Value, json};
use std::borrow::Cow;
use std::sync::{Arc, Mutex, PoisonError};

/// Encodes the requests to one endpoint.
pub(crate) struct Encoder {
    compat: Compat,
    /// The endpoint's name as reasoning is stamped with it.
    name: String,
    /// The body up to and without `tool_choice`.
    head: Vec<u8>,
    sent: Mutex<Option<Sent>>,
}

/// What was sent last, encoded.
struct Sent {
    prefix: Arc<Prefix>,
    messages: Vec<Arc<Message>>,
    /// `,"tools":[..]`, or nothing.
    tools: Vec<u8>,
    /// The system prompt and the messages, without the brackets around them.
    encoded: Vec<u8>,
}

impl Encoder {
    pub(crate) fn new(endpoint: &Endpoint) -> Self {
        let compat = Compat::of(endpoint);
        Self { compat, name: endpoint.name(), head: head(endpoint, compat), sent: Mutex::new(None) }
    }

    fn message(&self, out: &mut Vec<u8>, message: &Message) {
        match message {
            Message::User { text } => {
                out.extend_from_slice(b"{\"role\":\"user\",\"content\":");
                put(out, &or(text, "(empty)"));
            }
            Message::Assistant { text, reasoning, calls, .. } => {
                // An empty text beside calls is sent as "": every known server takes it, and a template that prints
                // what it is given would print "None" for null.
                let content = if calls.is_empty() { or(text, INTERRUPTED) } else { text };
                out.extend_from_slice(b"{\"role\":\"assistant\",\"content\":");
                put(out, &content);
                if self.compat.reasoning_back {
                    let own = reasoning.as_ref().filter(|reasoning| reasoning.model == self.name);
                    out.extend_from_slice(b",\"reasoning_content\":");
                    put(out, &own.map_or("", |reasoning| reasoning.text.as_str()));
                }
                if !calls.is_empty() {
                    out.extend_from_slice(b",\"tool_calls\":");
                    put(out, &calls.iter().map(Wired::from).collect::<Vec<_>>());
                }
            }
            Message::Tool { call, content, .. } => {
                out.extend_from_slice(b"{\"role\":\"tool\",\"tool_call_id\":");
                put(out, call);
                out.extend_from_slice(b",\"content\":");
                put(out, &or(content, "(no output)"));
            }
        }
        out.push(b'}');
    }
}

impl Encode for Encoder {
    fn body(&self, request: &Request) -> Bytes {
        let mut kept = self.sent.lock().unwrap_or_else(PoisonError::into_inner);
        let sent = match kept.take() {
            Some(sent) if sent.is_extended_by(request) => kept.insert(sent),
            _ => kept.insert(Sent::new(&request.prefix)),
        };
        for message in request.messages.iter().skip(sent.messages.len()) {
            sent.encoded.push(b',');
            self.message(&mut sent.encoded, message);
            sent.messages.push(Arc::clone(message));
        }
        let choice: &[u8] = if request.may_call || sent.tools.is_empty() { b"" } else { b",\"tool_choice\":\"none\"" };
        let parts = [&self.head, choice, &sent.tools, b",\"messages\":[", &sent.encoded, b"]}"];
        Bytes::from(parts.concat())
    }
}

impl Sent {
    fn new(prefix: &Arc<Prefix>) -> Self {
        let mut tools = Vec::new();
        if !prefix.tools.is_empty() {
            let list = prefix.tools.iter().map(|spec| json!({ "type": "function", "function": spec }));
            tools.extend_from_slice(b",\"tools\":");
            put(&mut tools, &list.collect::<Vec<_>>());
        }
        let mut encoded = b"{\"role\":\"system\",\"content\":".to_vec();
        put(&mut encoded, &or(&prefix.system, "You are a helpful assistant."));
        encoded.push(b'}');
        Self { prefix: Arc::clone(prefix), messages: Vec::new(), tools, encoded }
    }

    fn is_extended_by(&self, request: &Request) -> bool {
        (Arc::ptr_eq(&self.prefix, &request.prefix) || self.prefix == request.prefix)
            && self.messages.len() <= request.messages.len()
            && self.messages.iter().zip(&request.messages).all(|(sent, new)| Arc::ptr_eq(sent, new))
    }
}

/// A call as it is on the wire.
#[derive(Serialize)]
struct Wired<'a> {
    id: &'a str,
    r#type: &'static str,
    function: WiredFunction<'a>,
}

#[derive(Serialize)]
struct WiredFunction<'a> {
    name: Cow<'a, str>,
    arguments: Cow<'a, str>,
}

impl<'a> From<&'a ToolCall> for Wired<'a> {
    fn from(call: &'a ToolCall) -> Self {
        let function = WiredFunction { name: legal_name(&call.name), arguments: legal_arguments(&call.arguments) };
        Self { id: call.id.as_str(), r#type: "function", function }
    }
}

/// A name that every server takes: a strict one refuses the whole request for a dot in it.
fn legal_name(name: &str) -> Cow<'_, str> {
    let legal = |c: char| c.is_ascii_alphanumeric() || c == '_' || c == '-';
    match name {
        "" => Cow::Borrowed("unknown"),
        _ if name.len() <= 64 && name.chars().all(legal) => Cow::Borrowed(name),
        _ => Cow::Owned(name.chars().take(64).map(|c| if legal(c) { c } else { '_' }).collect()),
    }
}

/// Arguments that are a JSON object. What the model wrote otherwise stands inside one: some servers parse what is sent
/// back and fail for ever on broken JSON.
fn legal_arguments(arguments: &str) -> Cow<'_, str> {
    if serde_json::from_str::<serde_json::Map<String, Value>>(arguments).is_ok() {
        return Cow::Borrowed(arguments);
    }
    if arguments.trim().is_empty() {
        Cow::Borrowed("{}")
    } else {
        Cow::Owned(json!({ "_invalid": arguments }).to_string())
    }
}

/// The text, or something in its place: strict servers refuse a message that says nothing.
fn or<'a>(text: &'a str, otherwise: &'a str) -> &'a str {
    if text.trim().is_empty() { otherwise } else { text }
}

/// The options of every request. What the user adds wins over what we would send; a null takes it out.
fn head(endpoint: &Endpoint, compat: Compat) -> Vec<u8> {
    let mut options: Vec<(&str, Value)> = vec![("stream_options", json!({ "include_usage": true }))];
    options.extend(endpoint.temperature.map(|temperature| ("temperature", json!(temperature))));
    options.extend(endpoint.max_tokens.map(|most| (compat.max_tokens, json!(most))));
    options.extend(endpoint.reasoning_effort.as_ref().map(|effort| ("reasoning_effort", json!(effort))));
    options.retain(|(name, _)| !endpoint.extra_body.contains_key(*name));
    let ours = ["model", "stream", "messages", "tools", "tool_choice"];
    let extra = endpoint.extra_body.iter().filter(|(name, value)| !ours.contains(&name.as_str()) && !value.is_null());
    options.extend(extra.map(|(name, value)| (name.as_str(), value.clone())));
    let mut out = b"{\"model\":".to_vec();
    put(&mut out, &endpoint.model);
    out.extend_from_slice(b",\"stream\":true");
    for (name, value) in options {
        out.push(b',');
        put(&mut out, &name);
        out.push(b':');
        put(&mut out, &value);
    }
    out
}

/// Writes JSON. Neither a text nor a value made of texts and numbers can fail to be written into memory.
fn put<T: Serialize + ?Sized>(out: &mut Vec<u8>, value: &T) {
    let _ = serde_json::to_writer(out, value);
}

#[cfg(test)]
mod tests {
    use super::Encoder;
    use crate::Endpoint;
    use crate::wire::Encode;
    use pretty_assertions::assert_eq;
    use proptest::prelude::*;
    use reasonix_agent::{Prefix, Request, ToolSpec};
    use reasonix_proto::{Message, Reasoning, StopReason, ToolCall};
    use reasonix_testkit::{prefix_breaks, violations};
    use serde_json::{Value, json};
    use std::sync::Arc;

    fn prefix() -> Arc<Prefix> {
        let parameters = json!({ "type": "object", "properties": { "path": { "type": "string" } } });
        let tool = ToolSpec { name: "read_file".into(), description: "Reads.".into(), parameters };
        Arc::new(Prefix { system: "Be brief.".into(), tools: vec![tool], aliases: vec![] })
    }

    fn user(text: &str) -> Arc<Message> {
        Arc::new(Message::User { text: text.into() })
    }

    fn calls(text: &str, calls: &[(&str, &str, &str)]) -> Arc<Message> {
        let calls = calls.iter().map(|(id, name, arguments)| ToolCall {
            id: (*id).into(),
            name: (*name).into(),
            arguments: (*arguments).into(),
        });
        let reasoning = Some(Reasoning::new("hm", "p/m"));
        Arc::new(Message::Assistant { text: text.into(), reasoning, calls: calls.collect(), stop: StopReason::Calls })
    }

    fn result(id: &str, content: &str) -> Arc<Message> {
        Arc::new(Message::Tool { call: id.into(), name: "read_file".into(), content: content.into() })
    }

    fn request(messages: &[Arc<Message>]) -> Request {
        Request { prefix: prefix(), messages: messages.to_vec(), may_call: true }
    }

    fn json_of(body: &[u8]) -> Value {
        serde_json::from_slice(body).expect("the body is JSON")
    }

    fn endpoint() -> Endpoint {
        Endpoint::new("p", "http://h/v1", "m")
    }

    #[test]
    fn the_whole_body() {
        let messages = [user("hi"), calls("", &[("a", "read_file", "{\"path\": \"x\"}")]), result("a", "text")];
        let body = Encoder::new(&endpoint()).body(&request(&messages));
        let text = std::str::from_utf8(&body).expect("text");
        assert!(text.starts_with(r#"{"model":"m","stream":true,"stream_options":{"include_usage":true},"tools":["#));
        assert_eq!(
            json_of(&body),
            json!({
                "model": "m", "stream": true, "stream_options": { "include_usage": true },
                "tools": [{ "type": "function", "function": { "name": "read_file", "description": "Reads.",
                    "parameters": { "type": "object", "properties": { "path": { "type": "string" } } } } }],
                "messages": [
                    { "role": "system", "content": "Be brief." },
                    { "role": "user", "content": "hi" },
                    { "role": "assistant", "content": "", "tool_calls": [{ "id": "a", "type": "function",
                        "function": { "name": "read_file", "arguments": "{\"path\": \"x\"}" } }] },
                    { "role": "tool", "tool_call_id": "a", "content": "text" },
                ],
            })
        );
    }

    #[test]
    fn options_and_extras() {
        let mut endpoint = endpoint();
        endpoint.temperature = Some(0.2);
        endpoint.max_tokens = Some(100);
        endpoint.reasoning_effort = Some("high".into());
        let extra = json!({ "temperature": 1, "stream_options": null, "top_k": 5, "messages": [], "stream": false });
        endpoint.extra_body = extra.as_object().expect("an object").clone();
        let body = json_of(&Encoder::new(&endpoint).body(&request(&[user("hi")])));
        assert_eq!(body["temperature"], 1);
        assert_eq!(body["max_tokens"], 100);
        assert_eq!(body["reasoning_effort"], "high");
        assert_eq!(body["top_k"], 5);
        assert_eq!(body["stream"], true);
        assert!(body.get("stream_options").is_none());
        assert_eq!(body["messages"].as_array().map(Vec::len), Some(2));
    }

    #[test]
    fn words_only_changes_nothing_but_the_choice() {
        let encoder = Encoder::new(&endpoint());
        let (first, second) = (user("hi"), user("sum up"));
        let before = encoder.body(&request(std::slice::from_ref(&first)));
        let after = encoder.body(&Request { may_call: false, ..request(&[first, second]) });
        assert_eq!(json_of(&after)["tool_choice"], "none");
        assert_eq!(json_of(&before).get("tool_choice"), None);
        assert_eq!(prefix_breaks(&[&before, &after]), Vec::<usize>::new());
    }

    #[test]
    fn what_the_model_garbled_is_sent_back_as_valid_json() {
        let given = [
            ("a", "read_file", "{\"path\": \"x"),
            ("b", "functions.read file", "[1]"),
            ("c", "", " "),
            ("d", "read_file", "{} trailing"),
        ];
        let mut messages = vec![user("hi"), calls("", &given)];
        messages.extend(["a", "b", "c", "d"].map(|id| result(id, "")));
        let body = json_of(&Encoder::new(&endpoint()).body(&request(&messages)));
        assert_eq!(violations(&body), Vec::<String>::new());
        let sent = &body["messages"][2]["tool_calls"];
        assert_eq!(sent[0]["function"]["arguments"], r#"{"_invalid":"{\"path\": \"x"}"#);
        assert_eq!(sent[1]["function"]["name"], "functions_read_file");
        assert_eq!(sent[2]["function"], json!({ "name": "unknown", "arguments": "{}" }));
    }

    #[test]
    fn empty_messages_say_something() {
        let empty =
            Message::Assistant { text: String::new(), reasoning: None, calls: vec![], stop: StopReason::Interrupted };
        let messages = [user(""), Arc::new(empty), user(" ")];
        let body = json_of(&Encoder::new(&endpoint()).body(&request(&messages)));
        assert_eq!(violations(&body), Vec::<String>::new());
    }

    #[test]
    fn reasoning_goes_back_only_where_it_is_wanted() {
        let stranger = Message::Assistant {
            text: "x".into(),
            reasoning: Some(Reasoning::new("secret thought", "other/m")),
            calls: vec![],
            stop: StopReason::End,
        };
        let messages = [user("hi"), calls("said", &[]), user("go on"), Arc::new(stranger), user("more")];
        let plain = json_of(&Encoder::new(&endpoint()).body(&request(&messages)));
        assert!(plain["messages"][2].get("reasoning_content").is_none());
        let wanting = Endpoint { reasoning_back: Some(true), ..endpoint() };
        let body = json_of(&Encoder::new(&wanting).body(&request(&messages)));
        assert_eq!(body["messages"][2]["reasoning_content"], "hm");
        assert_eq!(body["messages"][4]["reasoning_content"], "", "present even when there is none of its own");
    }

    #[test]
    fn messages_that_were_sent_are_not_encoded_again() {
        let encoder = Encoder::new(&endpoint());
        let mut messages = vec![user("hi")];
        encoder.body(&request(&messages));
        // The same place, other bytes: were it encoded again, the request would show them.
        encoder.sent.lock().expect("not poisoned").as_mut().expect("something was sent").encoded.push(b' ');
        messages.push(user("more"));
        let body = encoder.body(&request(&messages));
        assert!(String::from_utf8_lossy(&body).contains(r#""hi"} ,{"#));
        let other = [user("hi"), user("more")];
        let body = encoder.body(&request(&other));
        assert!(String::from_utf8_lossy(&body).contains(r#""hi"},{"#), "other messages are encoded afresh");
    }

    proptest! {
        #[test]
        fn each_body_extends_the_one_before(texts in prop::collection::vec(".{0,20}", 1..8), kept in any::<bool>()) {
            let encoder = Encoder::new(&endpoint());
            let mut messages = Vec::new();
            let mut bodies = Vec::new();
            for (number, text) in texts.iter().enumerate() {
                let id = format!("call_{number}");
                messages.extend([user(text), calls(text, &[(&id, "read_file", text)]), result(&id, text)]);
                // With or without what was kept, the same log gives the same bytes.
                let fresh = Encoder::new(&endpoint());
                bodies.push(if kept { encoder.body(&request(&messages)) } else { fresh.body(&request(&messages)) });
                prop_assert_eq!(violations(&json_of(&bodies[number])), Vec::<String>::new());
            }
            let whole: Vec<&[u8]> = bodies.iter().map(AsRef::as_ref).collect();
            prop_assert_eq!(prefix_breaks(&whole), Vec::<usize>::new());
            for pair in whole.windows(2) {
                let open = pair[0].strip_suffix(b"]}").expect("closing bytes");
                prop_assert!(pair[1].starts_with(open), "the bytes themselves grow");
            }
        }
    }
}
