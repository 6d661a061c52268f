//! What single vendors do that the protocol does not say, with the events that they send.

use crate::wires::{collect, endpoint, go_on, hello, model, user};
use pretty_assertions::assert_eq;
use reasonix_agent::{Item, Request, Stop};
use reasonix_llm::Wire;
use reasonix_proto::{FailureClass, Kept, KeptBlock, Message, Reasoning, StopReason, ToolCall, Usage};
use reasonix_testkit::{ModelServer, Reply};
use serde_json::{Value, json};
use std::sync::Arc;

/// The items of an answer that came in these events, and the body of the request that follows it.
async fn answered(wire: Wire, events: Vec<Value>, set: Value) -> (Vec<Item>, Value) {
    let server = ModelServer::start(vec![stream(&events), Reply::say("fine")]).await;
    let mut endpoint = endpoint(wire, &server.base_url());
    endpoint.overrides = serde_json::from_value(set).expect("a profile");
    let model = model(endpoint);
    let mut request = hello();
    let items = collect(model.stream(request.clone(), Stop::new())).await;
    go_on(&mut request, &items);
    request.messages.push(user("go on"));
    drop(collect(model.stream(request, Stop::new())).await);
    server.assert_prefixes_grow();
    (items, server.requests().remove(1).body)
}

/// Exactly these events, whatever the protocol.
fn stream(events: &[Value]) -> Reply {
    Reply::raw(events.iter().map(|event| format!("data: {event}\n\n")).collect::<String>())
}

fn delta(delta: Value) -> Value {
    json!({ "choices": [{ "index": 0, "delta": delta }] })
}

fn end(reason: &str) -> Value {
    json!({ "choices": [{ "index": 0, "delta": {}, "finish_reason": reason }] })
}

fn call(id: &str) -> Value {
    json!({ "index": 0, "id": id, "type": "function", "function": { "name": "ls", "arguments": "{}" } })
}

#[tokio::test]
async fn a_signature_beside_a_call_goes_back_with_it() {
    let mut signed = call("c1");
    signed["extra_content"] = json!({ "google": { "thought_signature": "A+/=" } });
    let mut second = call("c2");
    second["index"] = json!(1);
    let events =
        vec![delta(json!({ "tool_calls": [signed] })), delta(json!({ "tool_calls": [second] })), end("tool_calls")];
    let (_, body) = answered(Wire::Chat, events.clone(), json!({})).await;
    let calls = &body["messages"][2]["tool_calls"];
    assert_eq!(calls[0]["extra_content"], json!({ "google": { "thought_signature": "A+/=" } }), "{body:#}");
    assert_eq!(calls[1].get("extra_content"), None);
    let (_, body) = answered(Wire::Chat, events, json!({ "signed_calls": true })).await;
    assert_eq!(body["messages"][2]["tool_calls"][0]["extra_content"]["google"]["thought_signature"], "A+/=");
}

#[tokio::test]
async fn a_call_without_a_signature_is_marked_where_all_are_signed() {
    let events = vec![delta(json!({ "tool_calls": [call("c1")] })), end("tool_calls")];
    let (_, body) = answered(Wire::Chat, events.clone(), json!({ "signed_calls": true })).await;
    let marked = &body["messages"][2]["tool_calls"][0]["extra_content"]["google"]["thought_signature"];
    assert_eq!(marked, "skip_thought_signature_validator", "{body:#}");
    let (_, body) = answered(Wire::Chat, events, json!({})).await;
    assert_eq!(body["messages"][2]["tool_calls"][0].get("extra_content"), None);
}

#[tokio::test]
async fn details_of_the_reasoning_go_back_as_they_came() {
    let detail = |text: &str| json!([{ "type": "reasoning.text", "text": text, "index": 0, "format": "f" }]);
    let events = vec![
        delta(json!({ "reasoning": "Two ", "reasoning_details": detail("Two ") })),
        delta(json!({ "reasoning": "and two.", "reasoning_details": detail("and two.") })),
        delta(json!({ "reasoning_details": [{ "type": "reasoning.text", "signature": "s=", "index": 0 }] })),
        delta(json!({ "tool_calls": [call("c1")] })),
        end("tool_calls"),
    ];
    let (items, body) = answered(Wire::Chat, events, json!({ "reasoning_back": "calls" })).await;
    assert_eq!(thought(&items), "Two and two.");
    let back =
        json!([{ "type": "reasoning.text", "text": "Two and two.", "index": 0, "format": "f", "signature": "s=" }]);
    assert_eq!(body["messages"][2]["reasoning_details"], back, "{body:#}");
    assert_eq!(body["messages"][2].get("reasoning_content"), None, "the same is not sent twice");
}

/// What was thought in an answer.
fn thought(items: &[Item]) -> String {
    let thought = items.iter().filter_map(|item| if let Item::Reasoning(piece) = item { Some(&**piece) } else { None });
    thought.collect()
}

#[tokio::test]
async fn details_of_the_reasoning_are_shown_where_nothing_else_is() {
    let detail = |text: &str| json!([{ "type": "reasoning.text", "text": text, "index": 0 }]);
    let summary = json!([{ "type": "reasoning.summary", "summary": "two.", "index": 1 },
        { "type": "reasoning.encrypted", "data": "e=", "index": 2 }]);
    let alone = vec![
        delta(json!({ "content": "", "reasoning_details": detail("Two ") })),
        delta(json!({ "content": "", "reasoning_details": detail("and ") })),
        delta(json!({ "reasoning_details": summary })),
        delta(json!({ "content": "4" })),
        end("stop"),
    ];
    let (items, body) = answered(Wire::Chat, alone, json!({ "reasoning_back": "always" })).await;
    assert_eq!(thought(&items), "Two and two.");
    let back = &body["messages"][2];
    assert_eq!((&back["reasoning_details"][0]["text"], &back["reasoning_content"]), (&json!("Two and "), &json!("")));
    // The same in both, in one delta or in two: it is said once.
    let both = vec![
        delta(json!({ "reasoning": "Two ", "reasoning_details": detail("Two ") })),
        delta(json!({ "reasoning": "and two." })),
        delta(json!({ "reasoning_details": detail("and two.") })),
        delta(json!({ "content": "4" })),
        end("stop"),
    ];
    let (items, _) = answered(Wire::Chat, both, json!({})).await;
    assert_eq!(thought(&items), "Two and two.");
}

#[tokio::test]
async fn summaries_of_the_reasoning_stand_apart_however_they_come() {
    let part = |text: &str| json!({ "type": "summary_text", "text": text });
    let piece = |kind: &str, text: &str| json!({ "type": format!("response.reasoning_summary_{kind}"), "item_id": "r1", "output_index": 0, "delta": text });
    let item = json!({ "type": "reasoning", "id": "r1", "summary": [part("One."), part("Two.")] });
    let done = |item: &Value| json!({ "type": "response.output_item.done", "output_index": 0, "item": item });
    let last = json!({ "type": "response.completed", "response": { "status": "completed", "output": [item] } });
    let (begun, said) = (|| piece("part.added", ""), |text| piece("text.delta", text));
    for events in [
        vec![begun(), said("One."), begun(), said("Two."), done(&item), last.clone()],
        vec![done(&item), last.clone()],
        vec![last],
    ] {
        let (items, _) = answered(Wire::Responses, events, json!({})).await;
        assert_eq!(thought(&items), "One.\n\nTwo.", "{items:?}");
    }
}

#[tokio::test]
async fn what_only_the_endpoint_can_read_of_a_thought_goes_back_with_the_message() {
    let events = vec![
        delta(json!({ "reasoning_text": "Two and two." })),
        delta(json!({ "content": "4", "reasoning_opaque": "A+/=" })),
        end("stop"),
    ];
    let (items, body) = answered(Wire::Chat, events, json!({})).await;
    assert_eq!(thought(&items), "Two and two.");
    assert_eq!(body["messages"][2]["reasoning_opaque"], "A+/=", "{body:#}");
    assert_eq!(body["messages"][2]["content"], "4");
}

#[tokio::test]
async fn the_first_choice_that_speaks_is_read_whatever_its_number() {
    let choice = |index: u32, delta: Value, end: Value| json!({ "choices": [{ "index": index, "delta": delta, "finish_reason": end }] });
    let said = |index: u32, text: &str| choice(index, json!({ "content": text }), Value::Null);
    let role = choice(0, json!({ "role": "assistant", "content": "" }), Value::Null);
    let ended = |index: u32, reason: &str| choice(index, json!({}), json!(reason));
    for (events, text, stop) in [
        (vec![role.clone(), said(1, "It "), said(1, "is 4."), ended(0, "stop")], "It is 4.", StopReason::End),
        (vec![said(1, "It is 4."), ended(1, "length")], "It is 4.", StopReason::Length),
        (
            vec![said(0, "It "), said(1, "No"), ended(1, "length"), said(0, "is 4."), ended(0, "stop")],
            "It is 4.",
            StopReason::End,
        ),
    ] {
        let (items, _) = answered(Wire::Chat, events, json!({})).await;
        let heard = items.iter().filter_map(|item| if let Item::Text(piece) = item { Some(&**piece) } else { None });
        assert_eq!((heard.collect::<String>().as_str(), items.last()), (text, Some(&Item::End(stop))));
    }
}

#[tokio::test]
async fn thoughts_among_the_parts_of_the_content_are_reasoning() {
    let part = json!([{ "type": "thinking", "thinking": [{ "type": "text", "text": "Two and two." }] }]);
    let events = vec![delta(json!({ "content": part })), delta(json!({ "content": "4" })), end("stop")];
    let (items, _) = answered(Wire::Chat, events, json!({})).await;
    assert_eq!(items[..2], [Item::Reasoning("Two and two.".into()), Item::Text("4".into())]);
}

#[tokio::test]
async fn what_runs_at_the_endpoint_is_none_of_our_calls() {
    let start =
        |index: u32, block: Value| json!({ "type": "content_block_start", "index": index, "content_block": block });
    let events = vec![
        json!({ "type": "message_start", "message": { "usage": { "input_tokens": 5, "output_tokens": 1 } } }),
        start(0, json!({ "type": "server_tool_use", "id": "s1", "name": "web_search", "input": {} })),
        json!({ "type": "content_block_delta", "index": 0,
            "delta": { "type": "input_json_delta", "partial_json": "{\"query\":\"x\"}" } }),
        json!({ "type": "content_block_stop", "index": 0 }),
        start(1, json!({ "type": "text", "text": "It is 4." })),
        json!({ "type": "message_delta", "delta": { "stop_reason": "end_turn" }, "usage": { "output_tokens": 9 } }),
        json!({ "type": "message_stop" }),
    ];
    let (items, _) = answered(Wire::Anthropic, events, json!({})).await;
    assert!(!items.iter().any(|item| matches!(item, Item::Call(_) | Item::CallDelta { .. })), "{items:?}");
    assert_eq!(items.last(), Some(&Item::End(StopReason::End)));
}

/// The calls of an answer: names and arguments.
fn called(items: &[Item]) -> Vec<(&str, &str)> {
    let calls = items.iter().filter_map(|item| if let Item::Call(call) = item { Some(call) } else { None });
    calls.map(|call| (call.name.as_str(), call.arguments.as_str())).collect()
}

#[tokio::test]
async fn a_call_with_an_input_of_no_form_is_a_call() {
    let piece = |custom: Value| json!({ "tool_calls": [{ "index": 0, "custom": custom }] });
    let mut first = piece(json!({ "name": "ls", "input": "" }));
    (first["tool_calls"][0]["id"], first["tool_calls"][0]["type"]) = (json!("c1"), json!("custom"));
    let chat = vec![
        delta(first),
        delta(piece(json!({ "input": "one\n" }))),
        delta(piece(json!({ "input": "two" }))),
        end("tool_calls"),
    ];
    let item = json!({ "type": "custom_tool_call", "id": "i1", "call_id": "c1", "name": "ls", "input": "one\ntwo" });
    let done = |output: Value| json!({ "type": "response.completed", "response": { "status": "completed", "output": output } });
    let by_itself = json!({ "type": "response.output_item.done", "output_index": 0, "item": item });
    let cases = [
        (Wire::Chat, chat),
        (Wire::Responses, vec![by_itself, done(json!([item]))]),
        (Wire::Responses, vec![done(json!([item]))]),
    ];
    for (wire, events) in cases {
        let (items, _) = answered(wire, events, json!({})).await;
        assert_eq!(called(&items), [("ls", r#"{"input":"one\ntwo"}"#)], "{wire:?}: {items:?}");
        assert_eq!(items.last(), Some(&Item::End(StopReason::Calls)), "{wire:?}");
    }
}

#[tokio::test]
async fn a_custom_call_of_a_tool_at_the_endpoint_is_none_of_ours() {
    let item = json!({ "type": "custom_tool_call", "id": "i1", "call_id": "c1", "name": "x_search", "input": "{}" });
    let by_itself = json!({ "type": "response.output_item.done", "output_index": 0, "item": item });
    let said = json!({ "type": "response.output_text.delta", "output_index": 1, "item_id": "m", "delta": "4" });
    let done = json!({ "type": "response.completed", "response": { "status": "completed", "output": [item] } });
    for (events, calls) in [
        (vec![by_itself.clone(), said.clone(), done.clone()], vec![]),
        (vec![said, done.clone()], vec![]),
        (vec![by_itself, done.clone()], vec![("x_search", "{}")]),
        (vec![done], vec![("x_search", "{}")]),
    ] {
        let (items, _) = answered(Wire::Responses, events, json!({})).await;
        assert_eq!(called(&items), calls, "{items:?}");
        let stop = if calls.is_empty() { StopReason::End } else { StopReason::Calls };
        assert_eq!(items.last(), Some(&Item::End(stop)));
    }
}

#[tokio::test]
async fn an_announced_call_that_never_came_is_no_whole_answer() {
    let chat = stream(&[delta(json!({ "role": "assistant" })), end("tool_calls")]);
    let messages = stream(&[
        json!({ "type": "message_delta", "delta": { "stop_reason": "tool_use" } }),
        json!({ "type": "message_stop" }),
    ]);
    for (wire, reply) in [(Wire::Chat, chat), (Wire::Anthropic, messages)] {
        assert_eq!(failed(wire, reply).await, (Some(FailureClass::StreamBroken), 3), "{wire:?}: tried again");
    }
    let thought = stream(&[delta(json!({ "reasoning_content": "I list." })), end("tool_calls")]);
    assert_eq!(failed(Wire::Chat, thought).await, (Some(FailureClass::StreamBroken), 1), "what was thought stands");
    let written = "<tool_call>{\"name\":\"ls\",\"arguments\":{}}</tool_call>";
    for field in ["content", "reasoning_content"] {
        let mut words = json!({});
        words[field] = json!(written);
        let (items, _) = answered(Wire::Chat, vec![delta(words), end("tool_calls")], json!({})).await;
        assert_eq!(called(&items), [("ls", "{}")], "it stood in {field}: {items:?}");
        assert_eq!(items.last(), Some(&Item::End(StopReason::Calls)), "{field}");
    }
}

#[tokio::test]
async fn what_a_beginning_holds_whole_is_part_of_the_answer() {
    let made = json!({ "type": "tool_use", "id": "t1", "name": "ls", "input": { "path": "src" } });
    let start = json!({ "type": "message_start", "message": { "content": [made], "stop_reason": "tool_use",
        "usage": { "input_tokens": 5, "output_tokens": 1 } } });
    let stop = json!({ "type": "message_stop" });
    let (items, _) = answered(Wire::Anthropic, vec![start.clone(), stop.clone()], json!({})).await;
    let calls: Vec<_> = items
        .iter()
        .filter_map(|item| if let Item::Call(call) = item { Some(&*call.arguments) } else { None })
        .collect();
    assert_eq!(calls, [r#"{"path":"src"}"#], "{items:?}");
    assert_eq!(items.last(), Some(&Item::End(StopReason::Calls)));
    let block = json!({ "type": "content_block_start", "index": 0, "content_block": made });
    let (items, _) = answered(Wire::Anthropic, vec![start, block, stop], json!({})).await;
    assert_eq!(called(&items).len(), 1, "what also comes by itself is said once: {items:?}");
}

#[tokio::test]
async fn counts_stand_where_each_vendor_puts_them() {
    let mut last = end("stop");
    last["x_groq"] = json!({ "usage": { "prompt_tokens": 9, "completion_tokens": 2 } });
    let (items, _) = answered(Wire::Chat, vec![delta(json!({ "content": "4" })), last], json!({})).await;
    let counted = Item::Usage(Usage { input: 9, output: 2, cached: 0, reasoning: 0, written: 0 });
    assert!(items.contains(&counted), "{items:?}");
}

/// The class of the failure that ends an answer which came in these events, and how often it was asked for.
async fn failed(wire: Wire, raw: Reply) -> (Option<FailureClass>, usize) {
    let server = ModelServer::start_with(move |_| Some(raw.clone()));
    let items = collect(model(endpoint(wire, &server.base_url())).stream(hello(), Stop::new())).await;
    let class = items.iter().find_map(|item| if let Item::Failed(failure) = item { Some(failure.class) } else { None });
    (class, server.request_count())
}

#[tokio::test]
async fn errors_in_the_stream_are_told_as_what_they_are() {
    let bare = stream(&[
        delta(json!({ "content": "half" })),
        json!({ "code": "Throttling.RateQuota", "message": "Requests rate limit exceeded", "request_id": "r" }),
    ]);
    assert_eq!(failed(Wire::Chat, bare).await, (Some(FailureClass::Server), 1), "without its wrapping");
    for wire in [Wire::Chat, Wire::Responses, Wire::Anthropic] {
        let garbled = Reply::raw("data: {}\n\ndata: {\"choices\":[{\"del\n\n");
        assert_eq!(failed(wire, garbled).await, (Some(FailureClass::StreamBroken), 3), "{wire:?}: tried again");
        let first = Reply::raw("data: {\"choices\":[}\n\n");
        assert_eq!(failed(wire, first).await, (Some(FailureClass::BadResponse), 3), "{wire:?}: the first of all, too");
    }
    for (wire, cut) in [
        (Wire::Chat, "data: {\"choices\":[{\"del"),
        (Wire::Chat, "data: {"),
        (Wire::Chat, "dat"),
        (Wire::Responses, "event: response.created\ndata: {\"type\":\"resp"),
        (Wire::Anthropic, "event: mess"),
        (Wire::Anthropic, "ev"),
    ] {
        assert_eq!(failed(wire, Reply::raw(cut)).await, (Some(FailureClass::StreamBroken), 3), "{cut}");
    }
    assert_eq!(failed(Wire::Chat, Reply::raw("data: nonsense")).await, (Some(FailureClass::BadResponse), 1));
    let start = json!({ "type": "message_start", "message": { "usage": { "input_tokens": 5 } } });
    let text =
        json!({ "type": "content_block_start", "index": 0, "content_block": { "type": "text", "text": "half" } });
    let last =
        json!({ "type": "message_delta", "delta": { "stop_reason": "end_turn" }, "usage": { "output_tokens": 9 } });
    let spliced = stream(&[start.clone(), text, start, last, json!({ "type": "message_stop" })]);
    assert_eq!(failed(Wire::Anthropic, spliced).await, (Some(FailureClass::StreamBroken), 1));
}

#[tokio::test]
async fn a_response_that_did_not_end_well_is_told_as_what_it_is() {
    let ended =
        |kind: &str, response: Value| stream(&[json!({ "type": format!("response.{kind}"), "response": response })]);
    for (reply, class, requests) in [
        (ended("cancelled", json!({ "status": "cancelled", "output": [] })), FailureClass::StreamBroken, 3),
        (ended("cancelled", json!({})), FailureClass::StreamBroken, 3),
        (ended("completed", json!({ "status": "cancelled" })), FailureClass::StreamBroken, 3),
        (ended("failed", json!({})), FailureClass::Server, 3),
        (
            ended("failed", json!({ "error": { "code": "invalid_prompt", "message": "x" } })),
            FailureClass::BadRequest,
            1,
        ),
    ] {
        let what = format!("{reply:?}");
        assert_eq!(failed(Wire::Responses, reply).await, (Some(class), requests), "{what}");
    }
    let incomplete =
        json!({ "type": "response.incomplete", "response": { "usage": { "input_tokens": 5, "output_tokens": 2 } } });
    let said = json!({ "type": "response.output_text.delta", "output_index": 0, "item_id": "m", "delta": "half" });
    let (items, _) = answered(Wire::Responses, vec![said, incomplete], json!({})).await;
    assert_eq!(items.last(), Some(&Item::End(StopReason::Length)));
}

#[tokio::test]
async fn a_limit_that_is_told_in_the_stream_is_waited_for() {
    let (code, message) = ("rate_limit_exceeded", "Limit reached. Please try again in 7ms.");
    for (wire, event) in [
        (Wire::Responses, json!({ "type": "error", "code": code, "message": message })),
        (Wire::Responses, json!({ "type": "error", "error": { "code": code, "message": message } })),
        (Wire::Responses, json!({ "type": "error", "error": { "type": code, "message": message } })),
        (
            Wire::Responses,
            json!({ "type": "response.failed", "response": { "error": { "code": code, "message": message } } }),
        ),
        (Wire::Chat, json!({ "error": { "code": code, "message": message } })),
        (Wire::Anthropic, json!({ "type": "error", "code": code, "message": message })),
    ] {
        let server = ModelServer::start(vec![stream(std::slice::from_ref(&event)), Reply::say("fine")]).await;
        let items = collect(model(endpoint(wire, &server.base_url())).stream(hello(), Stop::new())).await;
        let waits: Vec<_> = items
            .iter()
            .filter_map(|item| match item {
                Item::Retrying { wait, why, .. } => Some((wait.as_millis(), &*why.code)),
                _ => None,
            })
            .collect();
        assert_eq!(waits, [(7, "llm.rate_limited")], "{wire:?}: {event}");
        assert_eq!(items.last(), Some(&Item::End(StopReason::End)), "{wire:?}: {event}");
    }
}

/// The code of the failure that ends an answer.
fn code(items: &[Item]) -> Option<&str> {
    items.iter().find_map(|item| if let Item::Failed(failure) = item { Some(&*failure.phrase.code) } else { None })
}

#[tokio::test]
async fn an_event_that_is_garbled_behind_words_is_no_wrong_address() {
    let good = format!("data: {}\n\n", delta(json!({ "content": "half" })));
    let server = ModelServer::start(vec![Reply::raw(good + "data: {\"choices\":[{\"del\n\n")]).await;
    let items = collect(model(endpoint(Wire::Chat, &server.base_url())).stream(hello(), Stop::new())).await;
    assert_eq!((code(&items), server.request_count()), (Some("llm.garbled"), 1), "what was said stands");
}

#[tokio::test]
async fn an_answer_that_something_else_cut_says_what() {
    for (reason, code) in [
        ("max_tokens", None),
        ("pause_turn", Some("llm.paused")),
        ("model_context_window_exceeded", Some("llm.window_full")),
    ] {
        let events = [
            json!({ "type": "message_start", "message": { "usage": { "input_tokens": 5, "output_tokens": 1 } } }),
            json!({ "type": "content_block_start", "index": 0, "content_block": { "type": "text", "text": "half" } }),
            json!({ "type": "message_delta", "delta": { "stop_reason": reason }, "usage": { "output_tokens": 9 } }),
            json!({ "type": "message_stop" }),
        ];
        let (items, _) = answered(Wire::Anthropic, events.to_vec(), json!({})).await;
        assert_eq!(items.last(), Some(&Item::End(StopReason::Length)), "{reason}");
        let cut = items.iter().find_map(|item| if let Item::CutBy(what) = item { Some(&*what.code) } else { None });
        assert_eq!(cut, code, "{reason}");
    }
}

#[tokio::test]
async fn a_call_that_the_endpoint_never_could_read_is_read_here() {
    let refused = |wrote: &str| {
        let error =
            json!({ "message": "Failed to call a function.", "code": "tool_use_failed", "failed_generation": wrote });
        Reply::fail(400, &json!({ "error": error }).to_string())
    };
    for (wrote, calls) in [("<function=ls>{\"path\": \"src\"}</function>", true), ("<function=ls", false), ("", false)]
    {
        let reply = refused(wrote);
        let server = ModelServer::start_with(move |_| Some(reply.clone()));
        let items = collect(model(endpoint(Wire::Chat, &server.base_url())).stream(hello(), Stop::new())).await;
        assert_eq!(server.request_count(), 3, "it is tried again before that");
        let made =
            items.iter().find_map(|item| if let Item::Call(call) = item { Some(&*call.arguments) } else { None });
        match calls {
            true => {
                let args: Value = serde_json::from_str(made.expect("a call")).expect("JSON");
                assert_eq!(args, json!({ "path": "src" }));
                assert_eq!(items.last(), Some(&Item::End(StopReason::Calls)));
            }
            false => assert_eq!((made, code(&items)), (None, Some("llm.tool_use_failed")), "{wrote}"),
        }
    }
}

/// The body of a request to Claude in the middle of a turn, whose calls this model made or another one.
async fn taken_over(maker: &str, effort: &str, name: &str) -> Value {
    let raw = r#"{"type":"thinking","thinking":"hm","signature":"s"}"#;
    let kept = Kept { wire: "anthropic".into(), blocks: vec![KeptBlock::Raw(raw.into()), KeptBlock::Call] };
    let reasoning = Some(Reasoning { text: "hm".into(), model: maker.into(), kept: Some(kept) });
    let calls = vec![ToolCall { id: "a".into(), name: "ls".into(), arguments: "{}".into() }];
    let made = Message::Assistant { text: String::new(), reasoning, calls, stop: StopReason::Calls };
    let result = Message::Tool { call: "a".into(), name: "ls".into(), content: "x".into() };
    let server = ModelServer::start(vec![Reply::say("x")]).await;
    let mut endpoint = endpoint(Wire::Anthropic, &server.base_url());
    (endpoint.model, endpoint.reasoning_effort) = (name.into(), Some(effort.into()));
    let messages = vec![user("hi"), Arc::new(made), Arc::new(result)];
    drop(collect(model(endpoint).stream(Request { messages, ..hello() }, Stop::new())).await);
    server.requests().remove(0).body
}

#[tokio::test]
async fn a_model_that_takes_over_calls_of_another_thinks_from_the_next_turn_on() {
    let own = taken_over("test/claude-opus-4-5", "high", "claude-opus-4-5").await;
    assert_eq!(own["thinking"]["type"], "enabled", "{own:#}");
    let other = taken_over("test/claude-haiku-4-5", "high", "claude-opus-4-5").await;
    assert_eq!(other.get("thinking"), None, "{other:#}");
    let adaptive = taken_over("test/claude-haiku-4-5", "high", "claude-opus-5").await;
    assert_eq!(adaptive["thinking"]["type"], "adaptive", "it takes calls without a thought");
}

#[tokio::test]
async fn sampling_is_left_out_where_it_is_refused() {
    for (name, effort, temperature, top_p, expected) in [
        ("claude-opus-4-5", None, None, Some(0.5), json!([null, 0.5])),
        ("claude-opus-4-5", None, Some(0.3), Some(0.5), json!([0.3, null])),
        ("claude-opus-4-5", Some("high"), Some(0.3), Some(0.5), json!([null, null])),
        ("claude-opus-4-5", Some("high"), None, Some(0.97), json!([null, 0.97])),
        ("claude-opus-5", None, Some(0.3), Some(0.97), json!([null, null])),
    ] {
        let server = ModelServer::start(vec![Reply::say("x")]).await;
        let mut endpoint = endpoint(Wire::Anthropic, &server.base_url());
        (endpoint.model, endpoint.reasoning_effort) = (name.into(), effort.map(str::to_owned));
        (endpoint.temperature, endpoint.top_p) = (temperature, top_p);
        drop(collect(model(endpoint).stream(hello(), Stop::new())).await);
        let body = &server.requests()[0].body;
        assert_eq!(
            json!([body["temperature"], body["top_p"]]),
            expected,
            "{name} {effort:?} {temperature:?} {top_p:?}"
        );
    }
}

#[tokio::test]
async fn the_phase_of_a_message_goes_back_with_it() {
    let item = json!({ "type": "message", "id": "m1", "role": "assistant", "phase": "commentary", "content": [] });
    let called = json!({ "type": "function_call", "id": "f1", "call_id": "c1", "name": "ls", "arguments": "{}" });
    let events = [
        json!({ "type": "response.output_item.added", "output_index": 0, "item": item }),
        json!({ "type": "response.output_text.delta", "output_index": 0, "item_id": "m1", "delta": "I look." }),
        json!({ "type": "response.output_item.done", "output_index": 0, "item": item }),
        json!({ "type": "response.output_item.done", "output_index": 1, "item": called }),
        json!({ "type": "response.completed", "response": { "status": "completed", "output": [] } }),
    ];
    let (_, body) = answered(Wire::Responses, events.to_vec(), json!({})).await;
    assert_eq!(body["input"][1]["phase"], "commentary", "{body:#}");
    assert_eq!(body["input"][1]["content"][0]["text"], "I look.");
    assert_eq!(body["input"][2]["type"], "function_call");
}

#[tokio::test]
async fn a_refusal_is_no_whole_answer() {
    let chat = vec![delta(json!({ "refusal": "I cannot." })), end("stop")];
    let said = json!({ "type": "response.refusal.delta", "output_index": 0, "item_id": "m", "delta": "I cannot." });
    let done = json!({ "type": "response.completed", "response": { "status": "completed", "output": [] } });
    for (wire, events) in [(Wire::Chat, chat), (Wire::Responses, vec![said, done])] {
        let (items, _) = answered(wire, events, json!({})).await;
        assert_eq!(items.last(), Some(&Item::End(StopReason::Filtered)), "{wire:?}");
    }
}
