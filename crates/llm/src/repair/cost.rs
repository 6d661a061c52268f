//! What repair costs, measured by hand: `cargo test --release -p reasonix-llm --lib cost -- --ignored --nocapture`.
#![allow(clippy::print_stdout, reason = "its output is the result")]

use super::tests::prefix;
use super::{Mended, Repairing};
use crate::codec::{Decode, Encode};
use crate::sse::Sse;
use crate::{Endpoint, chat};
use reasonix_agent::Request;
use reasonix_proto::{Message, StopReason, ToolCall};
use serde_json::json;
use std::sync::Arc;
use std::time::{Duration, Instant};

/// An answer as it streams: prose with code and tags in it, then a call with a long argument.
fn stream() -> Vec<u8> {
    let mut out = String::new();
    let mut chunk = |delta: serde_json::Value| {
        out.push_str(&format!("data: {}\n\n", json!({ "id": "x", "choices": [{ "index": 0, "delta": delta }] })));
    };
    for number in 0..600 {
        chunk(json!({ "content": format!("word{number} and `code<T>` so\n") }));
    }
    chunk(
        json!({ "tool_calls": [{ "index": 0, "id": "a", "function": { "name": "write_file", "arguments": "{\"path\": \"a\", \"content\": \"" } }] }),
    );
    for number in 0..600 {
        chunk(
            json!({ "tool_calls": [{ "index": 0, "function": { "arguments": format!("let x{number} = \\\"y\\\";\\n") } }] }),
        );
    }
    chunk(json!({ "tool_calls": [{ "index": 0, "function": { "arguments": "\"}" } }] }));
    out.push_str(
        "data: {\"choices\":[{\"index\":0,\"delta\":{},\"finish_reason\":\"tool_calls\"}]}\n\ndata: [DONE]\n\n",
    );
    out.into_bytes()
}

fn run(decoder: &mut dyn Decode, bytes: &[u8]) -> usize {
    let mut sse = Sse::default();
    let mut items = 0;
    for piece in bytes.chunks(1400) {
        let _ = sse.feed(piece, &mut |data| drop(decoder.event(data)));
        while decoder.pop().is_some() {
            items += 1;
        }
    }
    assert!(decoder.finish().is_ok());
    while decoder.pop().is_some() {
        items += 1;
    }
    items
}

fn best(mut work: impl FnMut()) -> Duration {
    let each = (0..200).map(|_| {
        let start = Instant::now();
        work();
        start.elapsed()
    });
    each.min().unwrap_or_default()
}

#[test]
#[ignore = "a measurement"]
fn cost_of_repair_in_an_answer() {
    let (bytes, endpoint) = (stream(), Arc::new(Endpoint::new("p", "http://h/v1", "m")));
    let request =
        Arc::new(Request { prefix: Arc::new(prefix()), messages: vec![], may_call: true, must_call: None, form: None });
    let plain = best(|| {
        let _ = run(chat::decoder(&endpoint, &request).as_mut(), &bytes);
    });
    let mended = best(|| {
        let inner = chat::decoder(&endpoint, &request);
        let _ = run(&mut Mended::new(inner, &request, Repairing::default(), super::Form::Tags), &bytes);
    });
    println!("{} bytes of stream: decoded in {plain:?}, decoded and repaired in {mended:?}", bytes.len());
}

#[test]
#[ignore = "a measurement"]
fn cost_of_a_request_with_5_mb_of_history() {
    let prefix = Arc::new(prefix());
    let mut messages: Vec<Arc<Message>> = Vec::new();
    for number in 0..500 {
        let id = format!("c{number}");
        let calls = vec![ToolCall { id: id.as_str().into(), name: "ls".into(), arguments: "{\"path\":\"a\"}".into() }];
        messages.push(Arc::new(Message::user("go on\n".repeat(4))));
        let answer = Message::Assistant { text: "I look.".into(), reasoning: None, calls, stop: StopReason::Calls };
        messages.push(Arc::new(answer));
        let content = "line of \"output\"\n".repeat(600);
        messages.push(Arc::new(Message::Tool { call: id.as_str().into(), name: "ls".into(), content: content.into() }));
    }
    let encoder = chat::encode::Encoder::new(&Endpoint::new("p", "http://h/v1", "m"));
    let make = |messages: &[Arc<Message>]| Request {
        prefix: prefix.clone(),
        messages: messages.to_vec(),
        may_call: true,
        must_call: None,
        form: None,
    };
    let start = Instant::now();
    let size = encoder.body(&make(&messages)).len();
    let first = start.elapsed();
    let next = (0..50).map(|number| {
        messages.push(Arc::new(Message::user(format!("more {number}"))));
        let request = make(&messages);
        let start = Instant::now();
        assert!(encoder.body(&request).len() > size);
        start.elapsed()
    });
    let slowest = next.max().unwrap_or_default();
    println!("{size} bytes: the first time {first:?}, then at most {slowest:?}");
}
