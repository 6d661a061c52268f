//! All wires against real peers on 127.0.0.1: whatever the protocol, the same conversation.

use futures_util::StreamExt;
use pretty_assertions::assert_eq;
use reasonix_agent::{Item, Model, ModelStream, Prefix, Request, Stop, ToolSpec};
use reasonix_llm::{ApiKey, Endpoint, Retry, Wire, connect};
use reasonix_net::{NetOptions, client};
use reasonix_proto::{FailureClass, Kept, KeptBlock, Message, Reasoning, StopReason, ToolCall, Usage};
use reasonix_testkit::{ModelServer, Recorded, Reply};
use serde_json::{Value, json};
use std::sync::Arc;
use std::time::Duration;

const WIRES: [Wire; 3] = [Wire::Chat, Wire::Responses, Wire::Anthropic];
const KEY: &str = "sk-canary-canary";

pub(crate) fn endpoint(wire: Wire, url: &str) -> Endpoint {
    let retry = Retry { attempts: 3, initial: Duration::from_millis(1), max: Duration::from_millis(2) };
    Endpoint { wire, key: Some(ApiKey::from(KEY)), retry, ..Endpoint::new("test", url, "m") }
}

pub(crate) fn model(endpoint: Endpoint) -> Arc<dyn Model> {
    let client = client(&endpoint.base_url, &NetOptions::default()).expect("a client");
    connect(endpoint, client)
}

fn prefix() -> Arc<Prefix> {
    let parameters = json!({ "type": "object", "properties": { "path": { "type": "string" } } });
    let tool = ToolSpec::new("ls", "Lists.", parameters);
    Arc::new(Prefix { system: "Be brief.".into(), tools: vec![tool], aliases: vec![] })
}

pub(crate) fn user(text: &str) -> Arc<Message> {
    Arc::new(Message::user(text))
}

pub(crate) fn hello() -> Request {
    Request { prefix: prefix(), messages: vec![user("hi")], may_call: true, must_call: None, form: None }
}

pub(crate) async fn collect(mut stream: ModelStream) -> Vec<Item> {
    let mut items = Vec::new();
    while let Some(item) = stream.next().await {
        items.push(item);
    }
    items
}

/// The answer that items make.
fn answer(items: &[Item]) -> Message {
    let (mut text, mut thought, mut kept, mut calls) = (String::new(), String::new(), None, Vec::new());
    for item in items {
        match item {
            Item::Text(piece) => text.push_str(piece),
            Item::Reasoning(piece) => thought.push_str(piece),
            Item::Kept(blocks) => kept = Some(blocks.clone()),
            Item::Call(call) => calls.push(call.clone()),
            _ => {}
        }
    }
    let some = kept.is_some() || !thought.is_empty();
    let reasoning = some.then(|| Reasoning { text: thought, model: "test/m".into(), kept });
    Message::Assistant { text, reasoning, calls, stop: StopReason::Calls }
}

/// Adds an answer and the results of its calls.
pub(crate) fn go_on(request: &mut Request, items: &[Item]) {
    let answer = answer(items);
    let Message::Assistant { calls, .. } = &answer else { panic!() };
    let results: Vec<_> = calls
        .iter()
        .map(|call| Message::Tool { call: call.id.clone(), name: call.name.clone(), content: "a\nb".into() })
        .collect();
    request.messages.push(Arc::new(answer));
    request.messages.extend(results.into_iter().map(Arc::new));
}

#[tokio::test]
async fn one_conversation_on_every_wire() {
    for wire in WIRES {
        let replies = vec![
            Reply::call("ls", json!({ "path": "目录" })).after_saying("Let me look.").after_thinking("hm"),
            Reply::calls(&[("ls", json!({ "path": "1" })), ("ls", json!({}))]).after_thinking("two at once"),
            Reply::call("ls", json!({})),
            Reply::say("done").with_usage(50, 5, 40),
        ];
        let server = ModelServer::start(replies).await;
        let model = model(endpoint(wire, &server.base_url()));
        let mut request = hello();
        let mut last = Vec::new();
        for _ in 0..4 {
            last = collect(model.stream(request.clone(), Stop::new())).await;
            go_on(&mut request, &last);
        }
        let counted = Item::Usage(Usage { input: 50, output: 5, cached: 40, reasoning: 0, written: 0 });
        assert_eq!(last, [Item::Text("done".into()), counted, Item::End(StopReason::End)], "{wire:?}");
        request.messages.push(user("and now in words"));
        request.may_call = false;
        drop(collect(model.stream(request.clone(), Stop::new())).await);
        let requests = server.requests();
        assert_eq!(requests.len(), 5, "{wire:?}");
        assert!(requests[0].path.ends_with(wire.route()), "{wire:?}: {}", requests[0].path);
        for sent in &requests {
            assert_eq!(
                reasonix_testkit::violations_at(&sent.path, &sent.body),
                Vec::<String>::new(),
                "{wire:?}\n{:#}",
                sent.body
            );
        }
        server.assert_prefixes_grow();
        assert_eq!(server.connections(), 1, "{wire:?}: the connection is kept");
        let silent = &requests[4].body["tool_choice"];
        assert!(*silent == "none" || silent["type"] == "none", "{wire:?}: {silent}");
        check_key(wire, &requests[0]);
    }
}

fn check_key(wire: Wire, request: &Recorded) {
    let bearer = format!("Bearer {KEY}");
    let (there, absent) = match wire {
        Wire::Anthropic => (("x-api-key", KEY), "authorization"),
        _ => (("authorization", bearer.as_str()), "x-api-key"),
    };
    assert_eq!((request.header(there.0), request.header(absent)), (Some(there.1), None), "{wire:?}");
    assert_eq!(request.header("anthropic-version").is_some(), wire == Wire::Anthropic);
}

/// What the endpoint signed or encrypted stands in the next request exactly as it came, in its place.
#[tokio::test]
async fn opaque_blocks_go_back_byte_for_byte_to_the_model_that_made_them() {
    for (wire, name, raw) in [
        (Wire::Anthropic, "anthropic", r#"{ "type":"thinking", "thinking":"é\u00e9 想", "signature":"a+/=" }"#),
        (
            Wire::Responses,
            "responses",
            r#"{"id":"rs_1", "type":"reasoning","summary":[], "encrypted_content":"g\u0041=="}"#,
        ),
    ] {
        let blocks = vec![KeptBlock::Text(2), KeptBlock::Raw(raw.into()), KeptBlock::Text(3), KeptBlock::Call];
        let kept = Some(Kept { wire: name.into(), blocks });
        let call = ToolCall { id: "a".into(), name: "ls".into(), arguments: "{}".into() };
        let said = |model: &str| {
            let reasoning = Some(Reasoning { text: "é".into(), model: model.into(), kept: kept.clone() });
            let calls = vec![call.clone()];
            Arc::new(Message::Assistant { text: "oh界".into(), reasoning, calls, stop: StopReason::Calls })
        };
        let result = Arc::new(Message::Tool { call: "a".into(), name: "ls".into(), content: "x".into() });
        let server = ModelServer::start(vec![Reply::say("1"), Reply::say("2")]).await;
        let model = model(endpoint(wire, &server.base_url()));
        for stamp in ["test/m", "other/m"] {
            let messages = vec![user("hi"), said(stamp), Arc::clone(&result)];
            drop(collect(model.stream(Request { messages, ..hello() }, Stop::new())).await);
        }
        server.assert_valid();
        let sent: Vec<String> =
            server.requests().iter().map(|sent| String::from_utf8(sent.raw.clone()).unwrap()).collect();
        let (before, after) = sent[0].split_once(raw).unwrap_or_else(|| panic!("{wire:?}: {}", sent[0]));
        assert!(before.contains("\"oh\"") && after.contains("\"界\""), "{wire:?}: the order is the same");
        assert!(
            !sent[1].contains("signature") && !sent[1].contains("encrypted_content\":\"g"),
            "{wire:?}: not to a stranger"
        );
        assert!(sent[1].contains("oh界"));
    }
}

/// An endpoint refuses for ever a message of the model that ends with its reasoning.
#[tokio::test]
async fn reasoning_that_nothing_follows_does_not_go_back() {
    for (wire, name, raw) in [
        (Wire::Anthropic, "anthropic", r#"{"type":"thinking","thinking":"hm","signature":"s"}"#),
        (Wire::Responses, "responses", r#"{"type":"reasoning","id":"rs_1","summary":[],"encrypted_content":"e"}"#),
    ] {
        for (text, blocks) in [
            ("", vec![KeptBlock::Raw(raw.into())]),
            (" ", vec![KeptBlock::Raw(raw.into()), KeptBlock::Text(1)]),
            ("x", vec![KeptBlock::Text(1), KeptBlock::Raw(raw.into())]),
        ] {
            let kept = Some(Kept { wire: name.into(), blocks });
            let reasoning = Some(Reasoning { text: "hm".into(), model: "test/m".into(), kept });
            let said = Message::Assistant { text: text.into(), reasoning, calls: Vec::new(), stop: StopReason::Length };
            let server = ModelServer::start(vec![Reply::say("1")]).await;
            let model = model(endpoint(wire, &server.base_url()));
            let messages = vec![user("hi"), Arc::new(said), user("again")];
            drop(collect(model.stream(Request { messages, ..hello() }, Stop::new())).await);
            server.assert_valid();
            let body = &server.requests()[0].body;
            let last = match wire {
                Wire::Responses => &body["input"][1]["content"],
                _ => &body["messages"][1]["content"],
            };
            let last = last.as_array().unwrap_or_else(|| panic!("{wire:?}: {body}")).last().unwrap();
            assert!(last["text"].is_string(), "{wire:?}: {body}");
        }
    }
}

#[tokio::test]
async fn the_cache_is_told_where_to_look() {
    let server = ModelServer::start((0..3).map(|step| Reply::call("ls", json!({ "n": step }))).collect()).await;
    let model = model(endpoint(Wire::Anthropic, &server.base_url()));
    let mut request = hello();
    for _ in 0..3 {
        let items = collect(model.stream(request.clone(), Stop::new())).await;
        go_on(&mut request, &items);
    }
    server.assert_valid();
    server.assert_prefixes_grow();
    let bodies: Vec<Value> = server.requests().into_iter().map(|sent| sent.body).collect();
    let marks = |body: &Value| -> Vec<usize> {
        let messages = body["messages"].as_array().unwrap();
        (0..messages.len()).filter(|at| messages[*at].to_string().contains("cache_control")).collect()
    };
    assert!(bodies.iter().all(|body| body["system"][0]["cache_control"]["type"] == "ephemeral"));
    assert_eq!(
        bodies.iter().map(marks).collect::<Vec<_>>(),
        [vec![0], vec![0, 2], vec![2, 4]],
        "the last one moves on"
    );

    for (retention, expected) in [("none", Value::Null), ("long", json!({ "type": "ephemeral", "ttl": "1h" }))] {
        let server = ModelServer::start(vec![Reply::say("x")]).await;
        let mut endpoint = endpoint(Wire::Anthropic, &server.base_url());
        endpoint.overrides = serde_json::from_value(json!({ "cache_retention": retention })).unwrap();
        drop(collect(self::model(endpoint).stream(hello(), Stop::new())).await);
        assert_eq!(server.requests()[0].body["system"][0]["cache_control"], expected);
    }
}

#[tokio::test]
async fn tokens_are_counted_where_the_wire_can() {
    let server = ModelServer::start(vec![]).await;
    for wire in WIRES {
        let counted = model(endpoint(wire, &server.base_url())).count(&hello()).await;
        assert_eq!(counted.is_some(), wire == Wire::Anthropic, "{wire:?}");
    }
    let asked = server.all_requests();
    assert_eq!((asked.len(), asked[0].path.as_str()), (1, "/v1/messages/count_tokens"));
    assert!(asked[0].body.get("max_tokens").is_none() && asked[0].body.get("stream").is_none(), "{:#}", asked[0].body);
    let nobody = endpoint(Wire::Anthropic, "http://127.0.0.1:9/v1");
    assert_eq!(model(nobody).count(&hello()).await, None);
}

#[tokio::test]
async fn efforts_in_every_protocol() {
    let adaptive = json!({ "type": "adaptive", "display": "summarized" });
    for (model, wire, effort, expected) in [
        ("m", Wire::Chat, "high", json!({ "reasoning_effort": "high" })),
        ("m", Wire::Responses, "low", json!({ "reasoning": { "effort": "low" } })),
        ("m", Wire::Anthropic, "high", json!({ "thinking": { "type": "enabled", "budget_tokens": 15360 } })),
        ("m", Wire::Anthropic, "off", json!({ "thinking": { "type": "disabled" } })),
        (
            "claude-opus-4-6",
            Wire::Anthropic,
            "high",
            json!({ "thinking": adaptive, "output_config": { "effort": "high" }, "temperature": null }),
        ),
        (
            "claude-opus-5",
            Wire::Anthropic,
            "max",
            json!({ "thinking": adaptive, "output_config": { "effort": "max" } }),
        ),
        (
            "claude-opus-5",
            Wire::Anthropic,
            "off",
            json!({ "thinking": { "type": "disabled" }, "output_config": null, "temperature": null }),
        ),
        (
            "claude-opus-5-5",
            Wire::Anthropic,
            "off",
            json!({ "thinking": adaptive, "output_config": { "effort": "low" }, "temperature": null }),
        ),
    ] {
        let server = ModelServer::start(vec![Reply::say("x")]).await;
        let mut endpoint = endpoint(wire, &server.base_url());
        endpoint.model = model.into();
        endpoint.reasoning_effort = Some(effort.into());
        endpoint.temperature = Some(0.5);
        drop(collect(self::model(endpoint).stream(hello(), Stop::new())).await);
        server.assert_valid();
        let sent = &server.requests()[0];
        for (name, value) in expected.as_object().unwrap() {
            assert_eq!(&sent.body[name], value, "{model} on {wire:?}, {effort}");
        }
    }
}

/// The class and the code of the failure that ends the items.
fn failure(items: &[Item]) -> (FailureClass, String) {
    match items.last() {
        Some(Item::Failed(failure)) => (failure.class, failure.phrase.code.to_string()),
        other => panic!("it did not fail: {other:?}"),
    }
}

#[tokio::test]
async fn faults_on_every_wire() {
    let faults: Vec<(&str, Reply, FailureClass)> = vec![
        ("key", Reply::fail(401, r#"{"error":{"message":"no sk-canary-canary"}}"#), FailureClass::KeyRejected),
        ("money", Reply::fail(402, "{}"), FailureClass::BalanceEmpty),
        (
            "length",
            Reply::fail(400, r#"{"error":{"message":"prompt is too long: 9 > 8"}}"#),
            FailureClass::ContextTooLong,
        ),
        (
            "model",
            Reply::fail(404, r#"{"type":"error","error":{"type":"not_found_error","message":"model: m"}}"#),
            FailureClass::ModelUnknown,
        ),
        ("rate", Reply::fail(429, "{}"), FailureClass::RateLimited),
        (
            "overload",
            Reply::fail(529, r#"{"type":"error","error":{"type":"overloaded_error","message":"Overloaded"}}"#),
            FailureClass::Server,
        ),
        ("page", Reply::html(), FailureClass::BadResponse),
        ("empty", Reply::raw(""), FailureClass::StreamBroken),
        ("cut", Reply::drop_mid_stream("half"), FailureClass::StreamBroken),
        ("invalid UTF-8", Reply::raw(b"data: {\"x\xff\xfe\n\n".to_vec()), FailureClass::BadResponse),
        ("no JSON", Reply::raw("data: oops\n\n"), FailureClass::BadResponse),
        (
            "an error in the stream",
            Reply::events(vec![json!({ "error": { "message": "boom", "code": 500 } })]),
            FailureClass::Server,
        ),
        ("an endless line", Reply::raw(vec![b'x'; 17 * 1024 * 1024]), FailureClass::BadResponse),
        ("refused", Reply::refuse(), FailureClass::Unreachable),
        ("a bomb", Reply::http(bomb()), FailureClass::BadResponse),
        ("elsewhere", Reply::fail(307, "").with_header("Location", "http://127.0.0.1:9/x"), FailureClass::BadResponse),
    ];
    for wire in WIRES {
        for (what, reply, class) in &faults {
            let reply = reply.clone();
            let server = ModelServer::start_with(move |_| Some(reply.clone()));
            let model = model(endpoint(wire, &server.base_url()));
            let items = collect(model.stream(hello(), Stop::new())).await;
            let (found, code) = failure(&items);
            assert_eq!(found, *class, "{wire:?}, {what}: {code}");
            assert!(!format!("{items:?}").contains("canary"), "{wire:?}, {what}: the key is shown");
            let spoken = items.iter().any(|item| matches!(item, Item::Text(_)));
            assert!(!spoken || server.request_count() == 1, "{wire:?}, {what}: asked again after the first word");
            assert!(server.request_count() <= 3, "{wire:?}, {what}");
        }
    }
}

/// A compressed body that nobody asked for.
fn bomb() -> Vec<u8> {
    let mut bytes =
        b"HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nContent-Encoding: gzip\r\nConnection: close\r\n\r\n"
            .to_vec();
    bytes.extend_from_slice(&[0x1f, 0x8b, 0x08, 0, 0, 0, 0, 0, 0, 3]);
    bytes.extend_from_slice(&[0; 4096]);
    bytes
}

#[tokio::test]
async fn ten_thousand_calls_are_too_many_on_every_wire() {
    let many: Vec<(&str, Value)> = (0..10_000).map(|_| ("ls", json!({}))).collect();
    for wire in WIRES {
        let server = ModelServer::start(vec![Reply::calls(&many)]).await;
        let items = collect(model(endpoint(wire, &server.base_url())).stream(hello(), Stop::new())).await;
        assert_eq!(failure(&items).1, "llm.too_many_calls", "{wire:?}");
        assert!(!items.iter().any(|item| matches!(item, Item::Call(_))), "{wire:?}: none of them runs");
    }
}
