//! How the chat wire writes a request. `messages` comes last.

use super::details::{Fields, NAME};
use crate::Endpoint;
use crate::growing::{Choice, Growing, Layout, Profile, Sent, put_tools};
use crate::options::{Field, Legal, cache_fields, effort, is_strict, legal_id, legal_name, or, put, put_fields};
use crate::pictures::{Part, Shown, Sight, parts, seen};
use bytes::Bytes;
use reasonix_agent::{INTERRUPTED, Request};
use reasonix_catalogue::{Compat, ReasoningBack};
use reasonix_proto::{Content, Message, Reasoning, ToolCall};
use serde_json::json;
use std::borrow::Cow;
use std::sync::Arc;

/// Encodes the requests to one endpoint.
pub(crate) type Encoder = Growing<Chat>;

/// The layout of this wire.
pub(crate) struct Chat(Profile);

/// What was written of the results.
#[derive(Default)]
pub(crate) struct Results {
    /// True when the pictures of the last ones stand behind them already.
    shown: bool,
}

/// What stands between two that some templates refuse to see next to each other.
const NOTED: &[u8] = b",{\"role\":\"assistant\",\"content\":\"(noted)\"}";
/// The word of an endpoint that wants every call signed for one that another model made.
const UNSIGNED: &str = r#""extra_content":{"google":{"thought_signature":"skip_thought_signature_validator"}}"#;
/// What the model reads above the pictures of results.
const RESULT_PICTURES: &str = "[The pictures of the results above, in order.]";
const RESULT_DOCUMENTS: &str = "[The pictures and documents of the results above, in order.]";

fn is_result(message: &Message) -> bool {
    matches!(message, Message::Tool { .. })
}

impl Chat {
    fn put_message(&self, out: &mut Vec<u8>, message: &Message) {
        let Profile { compat, sight, .. } = &self.0;
        match message {
            Message::User { text, images } => {
                out.extend_from_slice(b"{\"role\":\"user\",\"content\":");
                match seen(text, images, *sight) {
                    (text, shown) if shown.is_empty() => put(out, &or(&text, "(empty)")),
                    (text, shown) => put_shown(out, or(&text, "(empty)"), &shown),
                }
            }
            Message::Assistant { text, reasoning, calls, .. } => {
                // An empty text beside calls is sent as "": every known server takes it, and a template that prints
                // what it is given would print "None" for null.
                let content = if calls.is_empty() { or(text, INTERRUPTED) } else { text };
                let own = reasoning.as_ref().filter(|reasoning| reasoning.model == self.0.name);
                let kept = own.and_then(|reasoning| reasoning.kept.as_ref()).filter(|kept| kept.wire == NAME);
                let fields = Fields::of(kept, calls.len());
                out.extend_from_slice(b"{\"role\":\"assistant\",\"content\":");
                self.put_content(
                    out,
                    content,
                    own.filter(|_| !fields.message.contains("\"reasoning_details\"")),
                    !calls.is_empty(),
                );
                put_more(out, fields.message);
                if !calls.is_empty() {
                    out.extend_from_slice(b",\"tool_calls\":[");
                    for (place, call) in calls.iter().enumerate() {
                        if place > 0 {
                            out.push(b',');
                        }
                        put_call(out, call, compat, self.beside(&fields, place));
                    }
                    out.push(b']');
                }
            }
            Message::Tool { call, name, content } => {
                out.extend_from_slice(b"{\"role\":\"tool\",\"tool_call_id\":");
                put(out, &legal_id(call.as_str(), compat.tool_ids));
                if compat.tool_result_name {
                    out.extend_from_slice(b",\"name\":");
                    put(out, &legal_name(name));
                }
                out.extend_from_slice(b",\"content\":");
                put(out, or(&told(content, *sight), "(no output)"));
            }
        }
        out.push(b'}');
    }

    /// Shows the pictures of the results at the end of the messages, when no more of them follow: a message of the user's
    /// right behind them, wherever the conversation goes on. True when the user spoke last because of it.
    fn show_results(
        &self,
        before: &[Arc<Message>],
        results: &mut Results,
        next: Option<&Message>,
        out: &mut Vec<u8>,
    ) -> bool {
        if next.is_some_and(is_result) {
            return false;
        }
        let last = before.iter().rposition(|message| !is_result(message)).map_or(0, |place| place + 1);
        let pictures = before.iter().skip(last).flat_map(|message| match &**message {
            Message::Tool { content, .. } => parts(content, self.0.sight),
            _ => Vec::new(),
        });
        let shown: Vec<Shown<'_>> =
            pictures.filter_map(|part| if let Part::Picture(_, shown) = part { Some(shown) } else { None }).collect();
        if shown.is_empty() {
            return false;
        }
        if !std::mem::replace(&mut results.shown, next.is_none()) {
            if self.0.compat.assistant_after_tool {
                out.extend_from_slice(NOTED);
            }
            out.extend_from_slice(b",{\"role\":\"user\",\"content\":");
            let documents = shown.iter().any(|shown| shown.document.is_some());
            put_shown(out, if documents { RESULT_DOCUMENTS } else { RESULT_PICTURES }, &shown);
            out.push(b'}');
        }
        true
    }

    /// What stands beside a call: what came with it, or, where no call of the message is signed, that it never was.
    fn beside<'f>(&self, fields: &Fields<'f>, place: usize) -> &'f str {
        if self.0.compat.signed_calls && place == 0 && fields.calls.iter().all(|fields| fields.is_empty()) {
            return UNSIGNED;
        }
        fields.calls.get(place).copied().unwrap_or_default()
    }

    /// The content of an answer, and its reasoning where the endpoint wants that back.
    fn put_content(&self, out: &mut Vec<u8>, content: &str, reasoning: Option<&Reasoning>, calls: bool) {
        let text = reasoning.map_or("", |reasoning| reasoning.text.as_str());
        let back = match self.0.compat.reasoning_back {
            ReasoningBack::Never => false,
            ReasoningBack::Calls => calls && !text.is_empty(),
            ReasoningBack::Always => true,
            ReasoningBack::Text if text.is_empty() => false,
            ReasoningBack::Text => return put(out, &format!("<thinking>{text}</thinking>\n{content}")),
        };
        put(out, content);
        if back {
            out.push(b',');
            put(out, self.0.compat.reasoning_field.name());
            out.push(b':');
            put(out, text);
        }
    }
}

impl Layout for Chat {
    type State = Results;

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
        put_tools(&mut fixed, &prefix.tools, &self.0.more_tools, |spec| {
            let mut function = json!(spec);
            if compat.strict_tools && is_strict(&spec.parameters) {
                function["strict"] = json!(true);
            }
            json!({ "type": "function", "function": function })
        });
        if compat.parallel_calls && !prefix.tools.is_empty() {
            fixed.extend_from_slice(b",\"parallel_tool_calls\":true");
        }
        let role: &[u8] = if compat.developer_role { b"developer" } else { b"system" };
        fixed.extend_from_slice(&[b",\"messages\":[{\"role\":\"", role, b"\",\"content\":"].concat());
        put(&mut fixed, or(&prefix.system, "You are a helpful assistant."));
        fixed.push(b'}');
        fixed
    }

    fn message(&self, before: &[Arc<Message>], results: &mut Results, message: &Message, out: &mut Vec<u8>) {
        let showed = self.show_results(before, results, Some(message), out);
        let after_result = self.0.compat.assistant_after_tool && before.last().is_some_and(|last| is_result(last));
        if matches!(message, Message::User { .. }) && (showed || after_result) {
            out.extend_from_slice(NOTED);
        }
        out.push(b',');
        self.put_message(out, message);
    }

    fn settle(&self, all: &[Arc<Message>], results: &mut Results, out: &mut Vec<u8>) {
        self.show_results(all, results, None, out);
    }

    fn body(&self, sent: &Sent<Results>, choice: Choice<'_>, form: Option<&Field>) -> Bytes {
        let only = |name: &str| Some(json!({ "type": "function", "function": { "name": name } }));
        let choice = choice.field(&json!("none"), only);
        Bytes::from([&*self.0.head(form), choice.as_slice(), &sent.fixed, &sent.encoded, b"]}"].concat())
    }
}

/// A text and the pictures that go with it.
fn put_shown(out: &mut Vec<u8>, text: &str, shown: &[Shown<'_>]) {
    let images = shown.iter().map(|image| match image.document {
        Some(name) => json!({ "type": "file", "file": { "filename": name, "file_data": image.url() } }),
        None => json!({ "type": "image_url", "image_url": { "url": image.url() } }),
    });
    let text = json!({ "type": "text", "text": text });
    put(out, &std::iter::once(text).chain(images).collect::<Vec<_>>());
}

/// What a call gave back as the text of its message: this wire has no place for pictures there, they follow.
fn told(content: &Content, sight: Sight) -> Cow<'_, str> {
    if content.plain().is_some() {
        return content.words();
    }
    let line = |part| match part {
        Part::Text(text) => text,
        Part::Picture(image, _) => Cow::Owned(format!("[{} {}: it follows]", image.kind(), image.describe())),
    };
    Cow::Owned(parts(content, sight).into_iter().map(line).collect::<Vec<_>>().join("\n"))
}

/// A call as it is on the wire.
fn put_call(out: &mut Vec<u8>, call: &ToolCall, compat: &Compat, more: &str) {
    let Legal { id, name, arguments } = Legal::new(call, compat);
    out.extend_from_slice(b"{\"id\":");
    put(out, &id);
    out.extend_from_slice(b",\"type\":\"function\",\"function\":{\"name\":");
    put(out, &name);
    out.extend_from_slice(b",\"arguments\":");
    put(out, &arguments);
    out.push(b'}');
    put_more(out, more);
    out.push(b'}');
}

/// More fields of an object that is open.
fn put_more(out: &mut Vec<u8>, fields: &str) {
    if !fields.is_empty() {
        out.push(b',');
        out.extend_from_slice(fields.as_bytes());
    }
}

/// The options of every request.
fn options(endpoint: &Endpoint, compat: &Compat) -> Vec<Field> {
    let mut options: Vec<Field> = Vec::new();
    if compat.usage_in_stream {
        options.push(("stream_options", json!({ "include_usage": true })));
    }
    if compat.store {
        options.push(("store", json!(false)));
    }
    options.extend(
        endpoint.temperature.filter(|_| compat.sampling).map(|temperature| ("temperature", json!(temperature))),
    );
    options.extend(endpoint.max_tokens.map(|most| (compat.max_tokens_field.field(), json!(most))));
    options.extend(effort(endpoint, compat));
    options.extend(endpoint.top_p.filter(|_| compat.sampling).map(|top_p| ("top_p", json!(top_p))));
    options
}

#[cfg(test)]
mod tests {
    use super::Encoder;
    use crate::Endpoint;
    use crate::codec::Encode;
    use pretty_assertions::assert_eq;
    use proptest::prelude::*;
    use reasonix_agent::{Prefix, Request, ToolSpec, ToolTraits};
    use reasonix_catalogue::{ReasoningBack, ReasoningField, ToolIds};
    use reasonix_proto::{Message, Reasoning, StopReason, ToolCall};
    use reasonix_testkit::{prefix_breaks, violations};
    use serde_json::{Value, json};
    use std::sync::Arc;

    fn prefix() -> Arc<Prefix> {
        let parameters = json!({ "type": "object", "properties": { "path": { "type": "string" } } });
        let tool = ToolSpec::new("read_file", "Reads.", parameters);
        Arc::new(Prefix { system: "Be brief.".into(), tools: vec![tool], aliases: vec![] })
    }

    fn user(text: &str) -> Arc<Message> {
        Arc::new(Message::user(text))
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
        Request { prefix: prefix(), messages: messages.to_vec(), may_call: true, must_call: None, form: None }
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
        let mut wanting = endpoint();
        wanting.overrides.reasoning_back = Some(ReasoningBack::Always);
        let body = json_of(&Encoder::new(&wanting).body(&request(&messages)));
        assert_eq!(body["messages"][2]["reasoning_content"], "hm");
        assert_eq!(body["messages"][4]["reasoning_content"], "", "present even when there is none of its own");
    }

    #[test]
    fn profiles_shape_the_body() {
        let messages = [user("hi"), calls("", &[("call.1", "read_file", "{}")]), result("call.1", "x"), user("go on")];
        let mut endpoint = endpoint();
        endpoint.effort = Some(reasonix_catalogue::Effort::High);
        endpoint.wire_model = Some("m-2".into());
        endpoint.overrides = serde_json::from_value(json!({
            "developer_role": true, "usage_in_stream": false, "tool_ids": "nine", "tool_result_name": true,
            "parallel_calls": true, "strict_tools": true, "store": true, "cache_key": true, "cache_retention": "long",
            "reasoning_field": "reasoning", "reasoning_back": "calls", "assistant_after_tool": true,
        }))
        .expect("a profile");
        let body = json_of(&Encoder::new(&endpoint).body(&request(&messages)));
        assert_eq!((body["model"].as_str(), body["messages"][0]["role"].as_str()), (Some("m-2"), Some("developer")));
        assert_eq!((&body["store"], &body["parallel_tool_calls"]), (&json!(false), &json!(true)));
        assert_eq!((&body["reasoning_effort"], body.get("stream_options")), (&json!("high"), None));
        assert!(body["prompt_cache_key"].as_str().is_some_and(|key| key.starts_with("reasonix-")));
        assert_eq!(body["prompt_cache_retention"], "24h");
        assert!(body["tools"][0]["function"].get("strict").is_none(), "its schema does not allow it");
        let (call, answer) = (&body["messages"][2], &body["messages"][3]);
        assert_eq!(call["reasoning"], "hm");
        assert_eq!(call["tool_calls"][0]["id"], answer["tool_call_id"]);
        assert_eq!(answer["tool_call_id"].as_str().map(str::len), Some(9));
        assert_eq!(answer["name"], "read_file");
        assert_eq!(body["messages"][4]["role"], "assistant");
        assert_eq!(violations(&body), Vec::<String>::new());

        endpoint.overrides.reasoning_back = Some(ReasoningBack::Text);
        let body = json_of(&Encoder::new(&endpoint).body(&request(&messages)));
        assert_eq!(body["messages"][2]["content"], "<thinking>hm</thinking>\n");
        endpoint.overrides.reasoning_field = Some(ReasoningField::Thinking);
        endpoint.overrides.reasoning_back = Some(ReasoningBack::Always);
        endpoint.overrides.tool_ids = Some(ToolIds::Any);
        let body = json_of(&Encoder::new(&endpoint).body(&request(&messages)));
        assert_eq!(
            (&body["messages"][2]["thinking"], &body["messages"][3]["tool_call_id"]),
            (&json!("hm"), &json!("call.1"))
        );
    }

    #[test]
    fn what_a_tool_can_is_not_told() {
        let able = ToolSpec::new("read_file", "Reads.", json!({})).with(ToolTraits::READS);
        let prefix = |tool| Arc::new(Prefix { system: "s".into(), tools: vec![tool], aliases: vec![] });
        let body = |tool| {
            let request = Request {
                prefix: prefix(tool),
                messages: vec![user("hi")],
                may_call: true,
                must_call: None,
                form: None,
            };
            Encoder::new(&endpoint()).body(&request)
        };
        assert_eq!(body(able.clone()), body(able.with(ToolTraits::default())));
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
