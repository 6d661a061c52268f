//! What the scripted server answers: one [`Reply`] a request.

use serde_json::{Value, json};

/// One answer of a [`crate::ModelServer`].
#[derive(Debug, Clone)]
pub struct Reply {
    pub(crate) status: u16,
    pub(crate) headers: Vec<(String, String)>,
    pub(crate) body: Body,
}

#[derive(Debug, Clone)]
pub(crate) enum Body {
    /// A stream of events made when the request is known.
    Events { events: Vec<Value>, done: bool, ending: Ending },
    /// A body sent whole, with its length.
    Whole { content_type: &'static str, bytes: Vec<u8> },
    /// A streamed body in exactly these pieces.
    Pieces { pieces: Vec<Vec<u8>>, ending: Ending },
    /// Bytes of the whole response, head included; then the connection is closed.
    Http(Vec<u8>),
    /// Nothing at all.
    Silence,
    /// The connection is closed without a byte.
    Refuse,
}

/// How a streamed body ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Ending {
    /// As the protocol says.
    Proper,
    /// The connection is closed in the middle.
    Cut,
    /// Nothing more comes and the connection stays open.
    Hang,
}

impl Reply {
    fn of(body: Body) -> Self {
        Self { status: 200, headers: Vec::new(), body }
    }

    fn stream(events: Vec<Value>) -> Self {
        Self::of(Body::Events { events, done: true, ending: Ending::Proper })
    }

    /// Says a text, in one delta.
    pub fn say(text: &str) -> Self {
        Self::say_pieces(&[text])
    }

    /// Says a text in these deltas.
    pub fn say_pieces(pieces: &[&str]) -> Self {
        let mut events: Vec<Value> = pieces.iter().map(|piece| delta(json!({ "content": piece }))).collect();
        events.extend([finish("stop"), usage(100, 10, 0)]);
        Self::stream(events)
    }

    /// Calls one tool.
    pub fn call(tool: &str, arguments: Value) -> Self {
        Self::calls(&[(tool, arguments)])
    }

    /// Calls several tools in one message. Ids are made unique by the server.
    pub fn calls(calls: &[(&str, Value)]) -> Self {
        let calls: Vec<_> = calls.iter().map(|(tool, arguments)| (*tool, arguments.to_string())).collect();
        let calls: Vec<_> = calls.iter().map(|(tool, arguments)| (*tool, arguments.as_str())).collect();
        Self::raw_calls(&calls)
    }

    /// Calls several tools, arguments as raw text, which need not be JSON.
    pub fn raw_calls(calls: &[(&str, &str)]) -> Self {
        let mut events = Vec::new();
        for (index, (tool, arguments)) in calls.iter().enumerate() {
            let cut = (arguments.len() / 2..=arguments.len()).find(|at| arguments.is_char_boundary(*at));
            let (first, second) = arguments.split_at(cut.unwrap_or(arguments.len()));
            events.push(delta(
                json!({ "tool_calls": [{ "index": index, "id": format!("{ID}{index}"), "type": "function",
                "function": { "name": tool, "arguments": first } }] }),
            ));
            events.push(delta(json!({ "tool_calls": [{ "index": index, "function": { "arguments": second } }] })));
        }
        events.extend([finish("tool_calls"), usage(100, 10, 0)]);
        Self::stream(events)
    }

    /// Names its first call, as endpoints do.
    #[must_use]
    pub fn with_call_id(mut self, id: &str) -> Self {
        let Body::Events { events, .. } = &mut self.body else { panic!("there is no call in {:?}", self.body) };
        let first = events.iter_mut().find_map(|event| event.pointer_mut("/choices/0/delta/tool_calls/0/id"));
        *first.expect("a call") = json!(id);
        self
    }

    /// Says something before whatever this reply does.
    #[must_use]
    pub fn after_saying(self, text: &str) -> Self {
        self.after(delta(json!({ "content": text })))
    }

    /// Reasons before whatever this reply does.
    #[must_use]
    pub fn after_thinking(self, text: &str) -> Self {
        self.after(delta(json!({ "reasoning_content": text })))
    }

    fn after(mut self, event: Value) -> Self {
        match &mut self.body {
            Body::Events { events, .. } => events.insert(0, event),
            other => panic!("nothing can be said before {other:?}"),
        }
        self
    }

    /// Reports these token counts instead of the usual ones.
    #[must_use]
    pub fn with_usage(mut self, input: u64, output: u64, cached: u64) -> Self {
        match &mut self.body {
            Body::Events { events, .. } => {
                events.retain(|event| event.get("usage").is_none());
                events.push(usage(input, output, cached));
            }
            other => panic!("no usage can be reported with {other:?}"),
        }
        self
    }

    /// Fails with a status and a body.
    pub fn fail(status: u16, body: &str) -> Self {
        let content_type = if body.starts_with('{') { "application/json" } else { "text/plain" };
        Self { status, ..Self::of(Body::Whole { content_type, bytes: body.as_bytes().to_vec() }) }
    }

    /// Adds a header, such as `Retry-After`.
    #[must_use]
    pub fn with_header(mut self, name: &str, value: &str) -> Self {
        self.headers.push((name.to_owned(), value.to_owned()));
        self
    }

    /// Says a text, then closes the connection in the middle of the stream.
    pub fn drop_mid_stream(text: &str) -> Self {
        let events = vec![delta(json!({ "content": text }))];
        Self::of(Body::Events { events, done: false, ending: Ending::Cut })
    }

    /// Says a text, then nothing more while the connection stays open.
    pub fn hang_mid_stream(text: &str) -> Self {
        let events = vec![delta(json!({ "content": text }))];
        Self::of(Body::Events { events, done: false, ending: Ending::Hang })
    }

    /// Never answers.
    pub fn hang() -> Self {
        Self::of(Body::Silence)
    }

    /// Closes the connection without an answer.
    pub fn refuse() -> Self {
        Self::of(Body::Refuse)
    }

    /// Says a text and ends properly, but without `[DONE]`.
    pub fn no_done(text: &str) -> Self {
        let events = vec![delta(json!({ "content": text })), finish("stop")];
        Self::of(Body::Events { events, done: false, ending: Ending::Proper })
    }

    /// Sends these events, then `[DONE]`.
    pub fn events(events: Vec<Value>) -> Self {
        Self::stream(events)
    }

    /// Sends these bytes as the body of an event stream.
    pub fn raw(bytes: impl Into<Vec<u8>>) -> Self {
        Self::raw_pieces(vec![bytes.into()])
    }

    /// Sends these bytes as the body of an event stream, a write each.
    pub fn raw_pieces(pieces: Vec<Vec<u8>>) -> Self {
        Self::of(Body::Pieces { pieces, ending: Ending::Proper })
    }

    /// Sends these bytes as the body of an event stream and closes the connection without ending the body.
    pub fn raw_then_cut(bytes: impl Into<Vec<u8>>) -> Self {
        Self::of(Body::Pieces { pieces: vec![bytes.into()], ending: Ending::Cut })
    }

    /// Sends these bytes as the body of an event stream, then nothing more while the connection stays open.
    pub fn raw_then_hang(bytes: impl Into<Vec<u8>>) -> Self {
        Self::of(Body::Pieces { pieces: vec![bytes.into()], ending: Ending::Hang })
    }

    /// Sends these bytes as the whole response, head included, and closes the connection.
    pub fn http(bytes: impl Into<Vec<u8>>) -> Self {
        Self::of(Body::Http(bytes.into()))
    }

    /// Answers with one JSON document instead of a stream.
    pub fn json(body: &Value) -> Self {
        Self::of(Body::Whole { content_type: "application/json", bytes: body.to_string().into_bytes() })
    }

    /// Answers with a web page and status 200.
    pub fn html() -> Self {
        let bytes = b"<!DOCTYPE html><html><head><title>Welcome</title></head><body>hello</body></html>".to_vec();
        Self::of(Body::Whole { content_type: "text/html; charset=utf-8", bytes })
    }
}

/// Stands for an id that the server makes unique.
pub(crate) const ID: &str = "call_testkit_";

fn delta(delta: Value) -> Value {
    json!({ "id": "answer", "object": "chat.completion.chunk", "model": "test",
        "choices": [{ "index": 0, "delta": delta, "finish_reason": null }] })
}

fn finish(reason: &str) -> Value {
    json!({ "id": "answer", "object": "chat.completion.chunk", "model": "test",
        "choices": [{ "index": 0, "delta": {}, "finish_reason": reason }] })
}

fn usage(input: u64, output: u64, cached: u64) -> Value {
    json!({ "id": "answer", "object": "chat.completion.chunk", "model": "test", "choices": [],
        "usage": { "prompt_tokens": input, "completion_tokens": output, "total_tokens": input + output,
            "prompt_tokens_details": { "cached_tokens": cached } } })
}
