//! The chat wire against a real peer on 127.0.0.1.

use futures_util::StreamExt;
use pretty_assertions::assert_eq;
use reasonix_agent::{Item, Model, ModelStream, Prefix, Request, Stop, ToolSpec};
use reasonix_llm::{ApiKey, Endpoint, Retry, chat, list_models};
use reasonix_net::{NetOptions, client};
use reasonix_proto::{FailureClass, Message, StopReason, ToolCall, Usage};
use reasonix_testkit::{ModelServer, Reply};
use serde_json::json;
use std::sync::Arc;
use std::time::Duration;

const KEY: &str = "sk-hunter2-hunter2";

fn endpoint(url: &str) -> Endpoint {
    let retry = Retry { attempts: 4, initial: Duration::from_millis(1), max: Duration::from_millis(2) };
    Endpoint { key: Some(ApiKey::from(KEY)), retry, ..Endpoint::new("test", url, "m") }
}

fn model(endpoint: Endpoint) -> Arc<dyn Model> {
    let client = client(&endpoint.base_url, &NetOptions::default()).expect("a client");
    chat(endpoint, client)
}

fn request(messages: &[Arc<Message>]) -> Request {
    let tool = ToolSpec::new("ls", "Lists.", json!({ "type": "object"}));
    let prefix = Arc::new(Prefix { system: "Be brief.".into(), tools: vec![tool], aliases: vec![] });
    Request { prefix, messages: messages.to_vec(), may_call: true, must_call: None, form: None }
}

fn hello() -> Request {
    request(&[Arc::new(Message::user("hi"))])
}

/// All items, neighbours joined: how a stream is cut into reads must not show.
async fn collect(mut stream: ModelStream) -> Vec<Item> {
    let mut items: Vec<Item> = Vec::new();
    while let Some(item) = stream.next().await {
        match (items.last_mut(), item) {
            (Some(Item::Text(last)), Item::Text(text)) => last.push_str(&text),
            (Some(Item::Reasoning(last)), Item::Reasoning(text)) => last.push_str(&text),
            (
                Some(Item::CallDelta { index, name, delta }),
                Item::CallDelta { index: place, name: known, delta: piece },
            ) if *index == place => {
                *name = known;
                delta.push_str(&piece);
            }
            (_, item) => items.push(item),
        }
    }
    items
}

async fn ask(replies: Vec<Reply>) -> (Vec<Item>, ModelServer) {
    let server = ModelServer::start(replies).await;
    let items = collect(model(endpoint(&server.base_url())).stream(hello(), Stop::new())).await;
    (items, server)
}

fn usage() -> Item {
    Item::Usage(Usage { input: 100, output: 10, cached: 0, reasoning: 0, written: 0 })
}

fn text(text: &str) -> Item {
    Item::Text(text.into())
}

/// The class and the code of the failure that ends the items.
fn failure(items: &[Item]) -> (FailureClass, String) {
    match items.last() {
        Some(Item::Failed(failure)) => (failure.class, failure.phrase.code.to_string()),
        other => panic!("it did not fail: {other:?}"),
    }
}

fn retries(items: &[Item]) -> usize {
    items.iter().filter(|item| matches!(item, Item::Retrying { .. })).count()
}

#[tokio::test]
async fn an_answer_and_what_was_sent_for_it() {
    let (items, server) = ask(vec![Reply::say_pieces(&["Hel", "lo"]).with_usage(50, 5, 40)]).await;
    let counted = Item::Usage(Usage { input: 50, output: 5, cached: 40, reasoning: 0, written: 0 });
    assert_eq!(items, [text("Hello"), counted, Item::End(StopReason::End)]);
    server.assert_valid();
    let sent = &server.requests()[0];
    assert_eq!(sent.path, "/v1/chat/completions");
    assert_eq!(sent.header("authorization"), Some("Bearer sk-hunter2-hunter2"));
    assert_eq!(sent.header("accept-encoding"), None, "no compression is asked for");
    assert!(sent.header("user-agent").is_some_and(|agent| agent.starts_with("reasonix/")));
    assert_eq!(sent.last_content(), "hi");
}

#[tokio::test]
async fn a_loop_extends_its_requests_on_one_connection() {
    let steps = 5;
    let mut replies: Vec<_> = (0..steps).map(|step| Reply::call("ls", json!({ "path": step.to_string() }))).collect();
    replies.push(Reply::say("done"));
    let server = ModelServer::start(replies).await;
    let model = model(endpoint(&server.base_url()));
    let mut request = hello();
    for _ in 0..=steps {
        let items = collect(model.stream(request.clone(), Stop::new())).await;
        let calls: Vec<ToolCall> = items
            .iter()
            .filter_map(|item| if let Item::Call(call) = item { Some(call.clone()) } else { None })
            .collect();
        let said = items.iter().filter_map(|item| if let Item::Text(text) = item { Some(text.as_str()) } else { None });
        let results: Vec<_> = calls
            .iter()
            .map(|call| Message::Tool { call: call.id.clone(), name: call.name.clone(), content: "a\nb".into() })
            .collect();
        let answer = Message::Assistant { text: said.collect(), reasoning: None, calls, stop: StopReason::Calls };
        request.messages.push(Arc::new(answer));
        request.messages.extend(results.into_iter().map(Arc::new));
    }
    assert_eq!(server.request_count(), steps + 1);
    server.assert_valid();
    server.assert_prefixes_grow();
    assert_eq!(server.connections(), 1, "the connection is kept");
}

/// A stream with everything in it: a comment, reasoning, CJK and emoji, two calls in pieces, counts.
fn recorded() -> Vec<u8> {
    let events = [
        json!({ "choices": [{ "index": 0, "delta": { "role": "assistant", "content": null } }] }),
        json!({ "choices": [{ "index": 0, "delta": { "reasoning_content": "想一想 🤔" } }] }),
        json!({ "choices": [{ "index": 0, "delta": { "content": "你好，" } }] }),
        json!({ "choices": [{ "index": 0, "delta": { "content": "世界 \u{1f30d}\n\"quoted\"" } }] }),
        json!({ "choices": [{ "index": 0, "delta": { "tool_calls": [
            { "index": 0, "id": "a", "function": { "name": "ls", "arguments": "" } }] } }] }),
        json!({ "choices": [{ "index": 0, "delta": { "tool_calls": [{ "index": 0, "function": { "arguments": "{\"path\":" } }] } }] }),
        json!({ "choices": [{ "index": 0, "delta": { "tool_calls": [{ "index": 0, "function": { "arguments": "\"目录\"}" } }] } }] }),
        json!({ "choices": [{ "index": 0, "delta": { "tool_calls": [
            { "index": 1, "id": "b", "function": { "name": "ls", "arguments": "{}" } }] } }] }),
        json!({ "choices": [{ "index": 0, "delta": {}, "finish_reason": "tool_calls" }] }),
        json!({ "choices": [], "usage": { "prompt_tokens": 7, "completion_tokens": 3, "prompt_cache_hit_tokens": 5 } }),
    ];
    let mut bytes = b": hello\r\n\r\n".to_vec();
    for (number, event) in events.iter().enumerate() {
        let end = ["\n\n", "\r\n\r\n", "\r\r"][number % 3];
        bytes.extend_from_slice(format!("data:{}{event}{end}", if number % 2 == 0 { " " } else { "" }).as_bytes());
    }
    bytes.extend_from_slice(b"data: [DONE]\n\n");
    bytes
}

#[tokio::test]
async fn how_the_bytes_are_cut_does_not_show() {
    let bytes = recorded();
    let (whole, _server) = ask(vec![Reply::raw(bytes.clone())]).await;
    let call = |id: &str, arguments: &str| {
        Item::Call(ToolCall { id: id.into(), name: "ls".into(), arguments: arguments.into() })
    };
    let delta = |index, delta: &str| Item::CallDelta { index, name: "ls".into(), delta: delta.into() };
    assert_eq!(
        whole,
        [
            Item::Reasoning("想一想 🤔".into()),
            text("你好，世界 🌍\n\"quoted\""),
            delta(0, "{\"path\":\"目录\"}"),
            delta(1, "{}"),
            call("a", "{\"path\":\"目录\"}"),
            call("b", "{}"),
            Item::Usage(Usage { input: 7, output: 3, cached: 5, reasoning: 0, written: 0 }),
            Item::End(StopReason::Calls),
        ]
    );
    for size in [1, 2, 3, 7, 64] {
        let pieces = bytes.chunks(size).map(<[u8]>::to_vec).collect();
        let (cut, _server) = ask(vec![Reply::raw_pieces(pieces)]).await;
        assert_eq!(cut, whole, "in pieces of {size}");
    }
}

#[tokio::test]
async fn a_stream_that_stops_anywhere_keeps_what_came_and_is_not_asked_for_again() {
    let bytes = recorded();
    let spoken = bytes.windows(6).position(|window| window == "你好".as_bytes()).expect("it is there") + 60;
    let finished = bytes.windows(13).position(|window| window == b"finish_reason").expect("it is there");
    for cut in [spoken, spoken + 50, finished - 20] {
        let (items, server) = ask(vec![Reply::raw_then_cut(&bytes[..cut])]).await;
        assert_eq!(failure(&items), (FailureClass::StreamBroken, "llm.stream_broken".into()), "cut at {cut}");
        assert!(matches!(&items[..2], [Item::Reasoning(_), Item::Text(said)] if said.starts_with("你好")), "{items:?}");
        assert!(!items.iter().any(|item| matches!(item, Item::Call(_))), "a broken answer calls nothing: {items:?}");
        assert_eq!(server.request_count(), 1);
    }
    let (items, _server) = ask(vec![Reply::drop_mid_stream("half an ans")]).await;
    assert_eq!(items[0], text("half an ans"));
    assert_eq!(failure(&items).0, FailureClass::StreamBroken);
}

#[tokio::test]
async fn a_stream_that_breaks_before_it_said_anything_is_asked_for_again() {
    let early = Reply::raw_then_cut(b"data: {\"choices\":[{\"delta\":{\"role\":\"assistant\"}}]}\n\n".to_vec());
    let (items, server) = ask(vec![early, Reply::refuse(), Reply::say("hello")]).await;
    assert_eq!(retries(&items), 2);
    assert_eq!(items[2..], [text("hello"), usage(), Item::End(StopReason::End)]);
    assert_eq!(server.request_count(), 3);
}

#[tokio::test]
async fn ends_that_are_no_end_of_the_book() {
    let (items, _server) = ask(vec![Reply::no_done("fine")]).await;
    assert_eq!(items, [text("fine"), Item::End(StopReason::End)], "without [DONE]");

    let no_reason = b"data: {\"choices\":[{\"delta\":{\"content\":\"fine\"}}]}\n\ndata: [DONE]\n\n".to_vec();
    let (items, _server) = ask(vec![Reply::raw(no_reason)]).await;
    assert_eq!(items, [text("fine"), Item::End(StopReason::End)], "without a reason");

    let complete =
        b"data: {\"choices\":[{\"delta\":{\"content\":\"fine\"},\"finish_reason\":\"length\"}]}\n\n".to_vec();
    let (items, _server) = ask(vec![Reply::raw_then_cut(complete.clone())]).await;
    assert_eq!(items, [text("fine"), Item::End(StopReason::Length)], "cut after the reason");

    let server = ModelServer::start(vec![Reply::raw_then_hang(complete)]).await;
    let endpoint = Endpoint { idle_timeout: Duration::from_millis(20), ..endpoint(&server.base_url()) };
    let items = collect(model(endpoint).stream(hello(), Stop::new())).await;
    assert_eq!(items, [text("fine"), Item::End(StopReason::Length)], "silent after the reason");
}

#[tokio::test]
async fn an_answer_as_one_document() {
    let whole = json!({ "choices": [{ "index": 0, "finish_reason": "tool_calls", "message": {
        "role": "assistant", "content": [{ "type": "text", "text": "look" }], "reasoning": "why",
        "tool_calls": [{ "function": { "name": "ls", "arguments": {} } }, { "function": { "name": "ls", "arguments": "{}" } }] } }],
        "usage": { "prompt_tokens": 3, "completion_tokens": 2 } });
    let (items, _server) = ask(vec![Reply::json(&whole)]).await;
    let ids: Vec<_> = items
        .iter()
        .filter_map(|item| if let Item::Call(call) = item { Some(call.id.as_str()) } else { None })
        .collect();
    assert_eq!(items[..2], [Item::Reasoning("why".into()), text("look")]);
    assert_eq!(ids, ["call_1", "call_2"]);
    assert_eq!(items.last(), Some(&Item::End(StopReason::Calls)));
}

#[tokio::test]
async fn what_a_final_message_repeats_is_taken_once() {
    let events = vec![
        json!({ "choices": [{ "delta": { "content": "said" } }] }),
        json!({ "choices": [{ "delta": {}, "finish_reason": "stop", "message": { "content": "said",
            "tool_calls": [{ "id": "a", "function": { "name": "ls", "arguments": "{}" } }] } }] }),
    ];
    let (items, _server) = ask(vec![Reply::events(events)]).await;
    assert_eq!(items[0], text("said"));
    assert_eq!(items.iter().filter(|item| matches!(item, Item::Text(_))).count(), 1);
    assert_eq!(items.last(), Some(&Item::End(StopReason::Calls)), "calls count, whatever the reason says");
}

#[tokio::test]
async fn legacy_calls_and_reasoning_in_the_text() {
    let events = vec![
        json!({ "choices": [{ "delta": { "content": "<thi" } }] }),
        json!({ "choices": [{ "delta": { "content": "nk>why</think>\n\nso" } }] }),
        json!({ "choices": [{ "delta": { "function_call": { "name": "ls", "arguments": "{\"pa" } } }] }),
        json!({ "choices": [{ "delta": { "function_call": { "arguments": "th\":\"x\"}" } }, "finish_reason": "function_call" }] }),
    ];
    let (items, _server) = ask(vec![Reply::events(events)]).await;
    let call = ToolCall { id: "call_1".into(), name: "ls".into(), arguments: "{\"path\":\"x\"}".into() };
    assert_eq!(items[..2], [Item::Reasoning("why".into()), text("so")]);
    assert_eq!(items[3..], [Item::Call(call), Item::End(StopReason::Calls)]);
}

#[tokio::test]
async fn bad_answers_are_named() {
    let junk = |text: &str| Reply::raw(text.as_bytes().to_vec());
    let many: Vec<_> = (0..10_000)
        .map(|index| {
            json!({ "choices": [{ "delta": { "tool_calls": [
            { "index": index, "id": index.to_string(), "function": { "name": "ls", "arguments": "{}" } }] } }] })
        })
        .collect();
    for (what, reply, class, code) in [
        ("a web page", Reply::html(), FailureClass::BadResponse, "llm.html"),
        ("junk", junk("data: hello\n\n"), FailureClass::BadResponse, "llm.not_json"),
        ("another protocol", Reply::json(&json!({ "status": "ok" })), FailureClass::BadResponse, "llm.not_json"),
        ("10,000 calls", Reply::events(many), FailureClass::BadResponse, "llm.too_many_calls"),
        ("an endless line", Reply::raw(vec![b'x'; 17 << 20]), FailureClass::BadResponse, "llm.answer_too_long"),
        ("a wrong key", Reply::fail(401, "{}"), FailureClass::KeyRejected, "llm.key_rejected"),
        ("no route", Reply::fail(404, "not found"), FailureClass::BadRequest, "llm.no_route"),
    ] {
        let (items, server) = ask(vec![reply]).await;
        assert_eq!(failure(&items), (class, code.to_owned()), "{what}");
        assert_eq!(server.request_count(), 1, "{what} is not tried again");
    }
}

#[tokio::test]
async fn big_and_odd_text_is_fine() {
    let megabyte = "界".repeat(350_000);
    let (items, _server) = ask(vec![Reply::say(&megabyte)]).await;
    assert_eq!(items[0], text(&megabyte));

    let mut bytes = b"data: {\"choices\":[{\"delta\":{\"content\":\"a".to_vec();
    bytes.extend_from_slice(b"\xff\xfeb\"},\"finish_reason\":\"stop\"}]}\n\n");
    let (items, _server) = ask(vec![Reply::raw(bytes)]).await;
    assert_eq!(items[0], text("a\u{fffd}\u{fffd}b"), "bytes that are no text show as such");
}

#[tokio::test]
async fn what_may_pass_is_tried_four_times_in_all() {
    for (reply, class) in [
        (Reply::fail(429, "slow").with_header("Retry-After", "0"), FailureClass::RateLimited),
        (Reply::fail(503, "loading"), FailureClass::Server),
        (Reply::fail(408, ""), FailureClass::Server),
        (Reply::refuse(), FailureClass::Unreachable),
        (Reply::raw(Vec::new()), FailureClass::StreamBroken),
        (Reply::events(vec![json!({ "error": { "code": 429, "message": "x" } })]), FailureClass::RateLimited),
    ] {
        let (items, server) = ask(vec![reply; 9]).await;
        assert_eq!(failure(&items).0, class);
        assert_eq!((retries(&items), server.request_count()), (3, 4), "{class:?}");
        let numbered: Vec<_> = items
            .iter()
            .filter_map(|item| if let Item::Retrying { attempt, of, .. } = item { Some((*attempt, *of)) } else { None })
            .collect();
        assert_eq!(numbered, [(1, 4), (2, 4), (3, 4)]);
    }
}

#[tokio::test]
async fn retry_after_is_honoured_up_to_a_bound() {
    let server =
        ModelServer::start(vec![Reply::fail(429, "").with_header("retry-after-ms", "12"), Reply::say("ok")]).await;
    let items = collect(model(endpoint(&server.base_url())).stream(hello(), Stop::new())).await;
    assert!(matches!(&items[0], Item::Retrying { wait, .. } if *wait == Duration::from_millis(12)), "{items:?}");
    assert_eq!(items[1], text("ok"));
}

#[tokio::test]
async fn nobody_at_the_address() {
    let free = std::net::TcpListener::bind("127.0.0.1:0").expect("a port").local_addr().expect("an address");
    let items = collect(model(endpoint(&format!("http://{free}/v1"))).stream(hello(), Stop::new())).await;
    assert_eq!(failure(&items), (FailureClass::Unreachable, "llm.unreachable".into()));
    assert_eq!(retries(&items), 3);
    // Whichever route was wanted: what could not be reached is the endpoint.
    let url = format!("http://{free}/v1");
    assert!(matches!(items.last(), Some(Item::Failed(failure)) if failure.phrase.arg("url") == Some(&url)));
}

#[tokio::test]
async fn an_error_after_the_first_words_is_final() {
    let events = vec![
        json!({ "choices": [{ "delta": { "content": "so" } }] }),
        json!({ "error": { "code": 503, "message": "overloaded" } }),
    ];
    let (items, server) = ask(vec![Reply::events(events)]).await;
    assert_eq!(items[0], text("so"));
    assert_eq!(failure(&items), (FailureClass::Server, "llm.server".into()));
    assert_eq!((items.len(), server.request_count()), (2, 1));
}

#[tokio::test]
async fn the_key_goes_nowhere_else() {
    let echo = json!({ "error": { "message": format!("Incorrect key: {KEY}"), "code": 400 } });
    for reply in [
        Reply::fail(401, &echo.to_string()),
        Reply::fail(400, &format!("you sent Bearer {KEY}")),
        Reply::fail(422, &echo.to_string()),
        Reply::events(vec![echo]),
        Reply::raw(format!("data: what is {KEY}?\n\n").into_bytes()),
        Reply::fail(302, "").with_header("Location", &format!("http://evil.example/{KEY}?key={KEY}")),
        Reply::json(&json!({ "you": KEY })),
    ] {
        let (items, _server) = ask(vec![reply]).await;
        let shown = format!("{items:?}");
        assert!(matches!(items.last(), Some(Item::Failed(_))), "{shown}");
        assert!(!shown.contains("hunter2"), "{shown}");
    }
    let mut odd = endpoint("http://127.0.0.1:9/v1");
    odd.key = Some(ApiKey::from("sk-hunter2\nhunter2"));
    let items = collect(model(odd).stream(hello(), Stop::new())).await;
    assert_eq!(failure(&items), (FailureClass::KeyRejected, "llm.bad_header".into()));
    assert!(!format!("{items:?}").contains("hunter2"));
}

#[tokio::test]
async fn a_redirect_is_named_and_not_followed() {
    let elsewhere = ModelServer::start(vec![Reply::say("caught")]).await;
    let target = format!("{}/chat/completions", elsewhere.base_url());
    for status in [301, 302, 307, 308] {
        let (items, _server) = ask(vec![Reply::fail(status, "").with_header("Location", &target)]).await;
        assert_eq!(failure(&items), (FailureClass::BadResponse, "llm.redirect".into()));
        assert!(matches!(items.last(), Some(Item::Failed(failure)) if failure.phrase.arg("target") == Some(&target)));
    }
    assert_eq!(elsewhere.connections(), 0);
}

#[tokio::test]
async fn silence_has_an_end() {
    let server = ModelServer::start(vec![Reply::hang_mid_stream("half"), Reply::hang()]).await;
    let short = Duration::from_millis(20);
    let idle = Endpoint { idle_timeout: short, ..endpoint(&server.base_url()) };
    let items = collect(model(idle).stream(hello(), Stop::new())).await;
    assert_eq!(items[0], text("half"));
    assert_eq!(failure(&items), (FailureClass::StreamBroken, "llm.idle".into()));

    let first = Endpoint { first_byte_timeout: short, ..endpoint(&server.base_url()) };
    let items = collect(model(first).stream(hello(), Stop::new())).await;
    assert_eq!(items.len(), 1, "a request that may still be running is not sent again");
    assert_eq!(failure(&items), (FailureClass::StreamBroken, "llm.idle".into()));
}

#[tokio::test]
async fn stop_works_at_any_moment() {
    let long = "3600";
    let wait = Duration::from_secs(3600);
    for reply in [Reply::hang(), Reply::hang_mid_stream("half"), Reply::fail(429, "").with_header("Retry-After", long)]
    {
        let server = ModelServer::start(vec![reply]).await;
        let retry = Retry { attempts: 4, initial: wait, max: wait };
        let model = model(Endpoint { retry, ..endpoint(&server.base_url()) });
        let stop = Stop::new();
        let answer = tokio::spawn(collect(model.stream(hello(), stop.clone())));
        server.wait_for_requests(1).await;
        stop.cancel();
        let items = answer.await.expect("it ends");
        assert!(!items.iter().any(|item| matches!(item, Item::Failed(_) | Item::End(_))), "{items:?}");
    }
    let server = ModelServer::start(vec![Reply::say("too late")]).await;
    let stop = Stop::new();
    stop.cancel();
    assert_eq!(collect(model(endpoint(&server.base_url())).stream(hello(), stop)).await, []);
    assert_eq!(server.request_count(), 0);
}

#[tokio::test]
async fn models_are_listed() {
    let server = ModelServer::start(vec![]).await;
    server.set_models(json!({ "data": [{ "id": "small", "max_model_len": 8192 }, { "id": "large" }] }));
    let endpoint = endpoint(&server.base_url());
    let client = client(&endpoint.base_url, &NetOptions::default()).expect("a client");
    let models = list_models(&endpoint, &client).await.expect("a list");
    let models: Vec<_> = models.iter().map(|model| (model.id.as_str(), model.context_window)).collect();
    assert_eq!(models, [("small", Some(8192)), ("large", None)]);
    let sent = &server.all_requests()[0];
    assert_eq!((sent.method.as_str(), sent.path.as_str()), ("GET", "/v1/models"));

    server.set_models(json!({ "hello": KEY }));
    let failure = list_models(&endpoint, &client).await.expect_err("no list");
    assert_eq!(failure.class, FailureClass::BadResponse);
    assert!(!format!("{failure:?}").contains("hunter2"));
}

#[tokio::test]
async fn deep_schemas_are_sent_flat_to_models_that_lose_depth() {
    let parameters = json!({ "type": "object", "properties": { "user": { "type": "object", "properties": {
        "profile": { "type": "object", "properties": { "name": { "type": "string" } } } } } } });
    let tool = ToolSpec::new("ls", "Lists.", parameters.clone());
    let prefix = Arc::new(Prefix { system: "s".into(), tools: vec![tool], aliases: vec![] });
    for (name, flat) in [("deepseek-v4", true), ("qwen3", true), ("gpt-5", false), ("gpt-oss-20b", true)] {
        let server = ModelServer::start(vec![Reply::say("a"), Reply::say("b")]).await;
        let model = model(Endpoint { model: name.into(), ..endpoint(&server.base_url()) });
        let mut request = Request { prefix: prefix.clone(), ..hello() };
        collect(model.stream(request.clone(), Stop::new())).await;
        request.messages.push(Arc::new(Message::Assistant {
            text: "a".into(),
            reasoning: None,
            calls: vec![],
            stop: StopReason::End,
        }));
        request.messages.push(Arc::new(Message::user("go on")));
        collect(model.stream(request, Stop::new())).await;
        server.assert_valid();
        server.assert_prefixes_grow();
        let sent = &server.requests()[0].body["tools"][0]["function"]["parameters"];
        let wanted = json!({ "type": "object", "properties": { "user.profile.name": { "type": "string" } } });
        assert_eq!(*sent, if flat { wanted } else { parameters.clone() }, "{name}");
    }
}

#[tokio::test]
async fn a_call_in_the_text_is_made_and_taken_out_of_it() {
    let text = "I look.\n\n<tool_call>\n{\"name\": \"LS\", \"arguments\": {\"path\": \".\",}}\n</tool_call>";
    let (items, _) = ask(vec![Reply::say(text)]).await;
    let calls: Vec<_> =
        items.iter().filter_map(|item| if let Item::Call(call) = item { Some(call) } else { None }).collect();
    assert_eq!((items[0].clone(), calls.len()), (Item::Text("I look.\n\n".into()), 1));
    assert_eq!(
        (calls[0].id.as_str(), calls[0].name.as_str(), calls[0].arguments.as_str()),
        ("call_1", "ls", "{\"path\":\".\"}")
    );
    assert_eq!(items.last(), Some(&Item::End(StopReason::Calls)));
    let fixes: Vec<_> = items
        .iter()
        .filter_map(|item| if let Item::Repaired(repair) = item { Some(repair.fix) } else { None })
        .collect();
    assert_eq!(fixes, [reasonix_proto::Fix::Scavenged, reasonix_proto::Fix::Syntax]);
}

#[tokio::test]
async fn a_character_cut_in_two_is_whole_again() {
    let chunk = |delta: &str| format!("data: {{\"choices\":[{{\"index\":0,\"delta\":{delta}}}]}}\n\n");
    let call = |arguments: &str| {
        format!(r#"{{"tool_calls":[{{"index":0,"id":"a","function":{{"name":"ls","arguments":"{arguments}"}}}}]}}"#)
    };
    let stream = [
        chunk(r#"{"content":"x\ud83d"}"#),
        chunk(r#"{"content":"\ude00y"}"#),
        chunk(&call(r#"{\"path\":\"\ud83d"#)),
        chunk(&call(r#"\ude00\"}"#)),
        "data: [DONE]\n\n".to_owned(),
    ];
    let (items, _) = ask(vec![Reply::raw(stream.concat().into_bytes())]).await;
    assert_eq!(items[0], text("x😀y"));
    assert!(
        items.iter().any(|item| matches!(item, Item::Call(call) if call.arguments == "{\"path\":\"😀\"}")),
        "{items:?}"
    );
}

#[tokio::test]
async fn tools_in_words_for_endpoints_without_tool_calls() {
    for grammar in [false, true] {
        let call = "<tool_call>\n{\"name\": \"ls\", \"arguments\": {}}\n</tool_call>";
        let server = ModelServer::start(vec![Reply::say(call), Reply::say("done")]).await;
        let repairing = reasonix_llm::Repairing { textual: !grammar, grammar, ..reasonix_llm::Repairing::default() };
        let model = model(Endpoint { repairing, ..endpoint(&server.base_url()) });
        let mut request = hello();
        let items = collect(model.stream(request.clone(), Stop::new())).await;
        let Some(Item::Call(call)) = items.iter().find(|item| matches!(item, Item::Call(_))) else {
            panic!("{items:?}")
        };
        let answer = Message::Assistant {
            text: String::new(),
            reasoning: None,
            calls: vec![call.clone()],
            stop: StopReason::Calls,
        };
        request.messages.push(Arc::new(answer));
        let result = Message::Tool { call: call.id.clone(), name: "ls".into(), content: "a b".into() };
        request.messages.push(Arc::new(result));
        collect(model.stream(request, Stop::new())).await;
        server.assert_valid();
        server.assert_prefixes_grow();
        let sent = &server.requests()[1];
        assert!(sent.body.get("tools").is_none(), "no tools by the protocol");
        assert!(sent.messages()[0]["content"].as_str().is_some_and(|system| system.contains("\"name\":\"ls\"")));
        assert!(sent.last_content().contains("<tool_response name=\"ls\" id=\""), "{}", sent.last_content());
        assert_eq!(sent.body.get("grammar").is_some(), grammar);
    }
}

#[tokio::test]
async fn tools_in_words_are_held_to_a_schema_where_the_profile_says_so() {
    use reasonix_catalogue::Guided;
    for (guided, field) in [
        (Guided::JsonSchema, "/response_format/json_schema/schema"),
        (Guided::GuidedJson, "/guided_json"),
        (Guided::StructuredOutputs, "/structured_outputs/json"),
    ] {
        let answer =
            ["{\"text\": \"I loo", "k.\", \"calls\": [{\"name\": \"ls\", \"argum", "ents\": {\"path\": \".\"}}]}"];
        let server =
            ModelServer::start(vec![Reply::say_pieces(&answer), Reply::say("{\"text\": \"done\", \"calls\": []}")])
                .await;
        let repairing = reasonix_llm::Repairing { grammar: true, ..reasonix_llm::Repairing::default() };
        let mut endpoint = Endpoint { repairing, ..endpoint(&server.base_url()) };
        endpoint.overrides.guided = Some(guided);
        let model = model(endpoint);
        let mut request = hello();
        let items = collect(model.stream(request.clone(), Stop::new())).await;
        let said: String = items
            .iter()
            .filter_map(|item| if let Item::Text(text) = item { Some(text.as_str()) } else { None })
            .collect();
        assert_eq!(said, "I look.");
        let Some(Item::Call(call)) = items.iter().find(|item| matches!(item, Item::Call(_))) else {
            panic!("{items:?}")
        };
        assert_eq!((call.name.as_str(), call.arguments.as_str()), ("ls", "{\"path\":\".\"}"));
        assert!(matches!(items.last(), Some(Item::End(StopReason::Calls))), "{items:?}");
        let message =
            Message::Assistant { text: said, reasoning: None, calls: vec![call.clone()], stop: StopReason::Calls };
        request.messages.push(Arc::new(message));
        let result = Message::Tool { call: call.id.clone(), name: "ls".into(), content: "a b".into() };
        request.messages.push(Arc::new(result));
        let items = collect(model.stream(request, Stop::new())).await;
        assert_eq!(items[0], text("done"));
        server.assert_valid();
        server.assert_prefixes_grow();
        let sent = &server.requests()[1];
        assert!(sent.body.get("tools").is_none() && sent.body.get("grammar").is_none());
        let schema = sent.body.pointer(field).expect("the schema");
        assert_eq!(schema["properties"]["calls"]["items"]["anyOf"][0]["properties"]["name"]["enum"][0], "ls");
        assert_eq!(
            sent.messages()[2]["content"],
            "{\"text\": \"I look.\", \"calls\": [{\"name\": \"ls\", \"arguments\": {\"path\":\".\"}}]}"
        );
    }
}
