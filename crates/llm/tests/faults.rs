//! What a hostile or broken server can do to a session, on every wire: the turn ends with a clear error or goes on, the
//! session stays usable, every request is valid, and nothing is done twice.

use reasonix_agent::{
    Agent, Args, Artifacts, Ask, BoxFuture, Call, Conversation, Decision, Gate, Inbox, Journal, JournalError, Limits,
    Prefix, Sink, Stop, Tool, ToolSpec, Tools,
};
use reasonix_llm::{Endpoint, Retry, Wire, connect};
use reasonix_net::{NetOptions, client};
use reasonix_proto::{Action, Artifact, Event, Family, Record, RecordBody, RecordId, ToolOutcome, TurnEnd};
use reasonix_testkit::{ModelServer, Reply};
use serde_json::json;
use std::path::Path;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

#[derive(Default)]
struct World {
    log: Mutex<Vec<RecordBody>>,
    events: Mutex<Vec<Event>>,
}

impl Journal for World {
    fn append(&self, body: RecordBody) -> BoxFuture<'static, Result<Record, JournalError>> {
        let mut log = self.log.lock().unwrap();
        log.push(body.clone());
        let record = Record { id: RecordId(log.len() as u64), parent: None, at: 0, body };
        Box::pin(async move { Ok(record) })
    }
}

impl Artifacts for World {
    fn put(&self, bytes: &[u8]) -> std::io::Result<Artifact> {
        Ok(Artifact { uri: "artifact://1".into(), bytes: bytes.len() as u64, lines: 1 })
    }
    fn get(&self, _: &str) -> std::io::Result<Vec<u8>> {
        Err(std::io::ErrorKind::NotFound.into())
    }
}

impl Sink for World {
    fn emit(&self, event: Event) {
        self.events.lock().unwrap().push(event);
    }
}

impl Gate for World {
    fn decide<'a>(&'a self, _: Ask<'a>) -> BoxFuture<'a, Decision> {
        Box::pin(async { Decision::Allow { record: None } })
    }
}

/// A tool with an effect that can be counted.
struct Effect {
    spec: ToolSpec,
    times: Arc<AtomicUsize>,
}

impl Tool for Effect {
    fn spec(&self) -> &ToolSpec {
        &self.spec
    }
    fn action(&self, _: &Args) -> Action {
        Action::writes(Family::Edit, vec!["x".into()])
    }
    fn run<'a>(&'a self, _: Call<'a>) -> BoxFuture<'a, ToolOutcome> {
        let number = self.times.fetch_add(1, Ordering::SeqCst);
        Box::pin(async move { ToolOutcome::done(format!("done {number}")) })
    }
}

/// A session against a server.
struct Session {
    agent: Agent,
    conversation: Conversation,
    world: Arc<World>,
    times: Arc<AtomicUsize>,
}

fn session(wire: Wire, url: &str) -> Session {
    let (world, times) = (Arc::new(World::default()), Arc::new(AtomicUsize::new(0)));
    let effect = |name: &str| -> Arc<dyn Tool> {
        let parameters = json!({ "type": "object", "properties": { "path": { "type": "string" } } });
        let spec = ToolSpec::new(name, "Works.", parameters);
        Arc::new(Effect { spec, times: times.clone() })
    };
    let tools = Tools::new(vec![effect("write"), effect("read_file"), effect("ls")]);
    let prefix = Arc::new(Prefix { system: "s".into(), tools: tools.specs(), aliases: tools.aliases() });
    let retry = Retry { attempts: 2, initial: Duration::from_millis(1), max: Duration::from_millis(2) };
    let endpoint = Endpoint {
        wire,
        retry,
        idle_timeout: Duration::from_millis(400),
        first_byte_timeout: Duration::from_secs(20),
        ..Endpoint::new("p", url, "m")
    };
    let client = client(url, &NetOptions::default()).expect("a client");
    let agent = Agent {
        router: Arc::new(connect(endpoint, client)),
        tools,
        classify: Arc::new(reasonix_agent::ByAction),
        gate: world.clone(),
        journal: world.clone(),
        artifacts: world.clone(),
        sink: world.clone(),
        aspects: reasonix_agent::Aspects::default(),
        budget: Arc::new(reasonix_agent::NoBudget),
        limits: Limits::default(),
    };
    Session { agent, conversation: Conversation::new(prefix), world, times }
}

impl Session {
    async fn turn(&mut self, prompt: &str) -> TurnEnd {
        let (inbox, stop) = (Inbox::default(), Stop::new());
        let turn = self.agent.turn(&mut self.conversation, prompt.into(), &inbox, &stop);
        tokio::time::timeout(Duration::from_secs(120), turn).await.expect("a turn has an end")
    }

    /// Ids of calls that have an outcome, as often as they have one.
    fn answered(&self) -> Vec<String> {
        let log = self.world.log.lock().unwrap();
        log.iter()
            .filter_map(|body| if let RecordBody::Outcome { call, .. } = body { Some(call.0.clone()) } else { None })
            .collect()
    }
}

/// One effect, then the fault, then an ordinary turn. The fault may be played again by a retry.
async fn survives(wire: Wire, name: &str, fault: &Reply) {
    let fault = fault.clone();
    let mut step = 0;
    let mut healthy = false;
    let (tell, told) = std::sync::mpsc::channel::<()>();
    let server = ModelServer::start_with(move |_| {
        healthy |= told.try_recv().is_ok();
        step += 1;
        Some(match step {
            1 => Reply::call("write", json!({ "path": "a" })),
            _ if healthy => Reply::say("fine"),
            _ if step > 40 => Reply::say("enough"),
            _ => fault.clone(),
        })
    });
    let mut session = session(wire, &server.base_url());
    let end = session.turn("go").await;
    match &end {
        TurnEnd::Done => {}
        TurnEnd::ProviderFailed { why, .. } | TurnEnd::Refused { why, .. } => {
            assert!(why.code.contains('.'), "{wire:?} {name}: {why:?}");
        }
        other => panic!("{wire:?} {name}: {other:?}"),
    }
    tell.send(()).expect("the server lives");
    assert_eq!(session.turn("again").await, TurnEnd::Done, "{wire:?} {name}: the session is unusable after {end:?}");
    server.assert_valid();
    // A full window is answered with a compaction, which is a break by name.
    let compacted = session.world.log.lock().unwrap().iter().any(|body| matches!(body, RecordBody::Compacted { .. }));
    if !compacted {
        server.assert_prefixes_grow();
    }
    let mut answered = session.answered();
    let all = answered.len();
    answered.sort();
    answered.dedup();
    assert_eq!(answered.len(), all, "{wire:?} {name}: a call was answered twice");
    let ran = session.times.load(Ordering::SeqCst);
    assert!(ran >= 1 && ran <= all, "{wire:?} {name}: {ran} effects of {all} calls");
}

fn recording(wire: Wire) -> Vec<u8> {
    let file = match wire {
        Wire::Chat => "chat/vllm.sse",
        Wire::Anthropic => "messages/anthropic.sse",
        Wire::Responses => "responses/openai.sse",
    };
    std::fs::read(Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/recordings").join(file)).expect("a recording")
}

const WIRES: [Wire; 3] = [Wire::Chat, Wire::Anthropic, Wire::Responses];

/// Faults that need nothing but a good stream of the wire.
fn faults(good: &[u8]) -> Vec<(String, Reply)> {
    let mut all: Vec<(String, Reply)> = Vec::new();
    for status in [400, 401, 402, 403, 404, 408, 409, 413, 418, 422, 429, 451, 500, 501, 502, 503, 504, 529] {
        all.push((format!("status {status}"), Reply::fail(status, "{\"error\":{\"message\":\"no\"}}")));
        all.push((format!("status {status}, HTML"), Reply::fail(status, "<html>no</html>")));
    }
    let head = b"HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n";
    let mut bad_utf8 = good.to_vec();
    let middle = bad_utf8.len() / 2;
    bad_utf8.splice(middle..middle, [0xff, 0xfe, 0xc3]);
    let long_line = [b"data: ", vec![b'x'; 1 << 20].as_slice()].concat();
    let encoded = [
        &head[..],
        b"Content-Encoding: gzip\r\nContent-Length: 20\r\n\r\n",
        &[0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10],
    ]
    .concat();
    all.extend([
        ("nothing".to_owned(), Reply::raw(Vec::new())),
        ("refused".to_owned(), Reply::refuse()),
        ("a web page".to_owned(), Reply::html()),
        ("bytes that are no text".to_owned(), Reply::raw(bad_utf8)),
        ("1 MiB without a line end".to_owned(), Reply::raw(long_line.clone())),
        ("1 MiB without a line end, then cut".to_owned(), Reply::raw_then_cut(long_line)),
        ("compressed without being asked".to_owned(), Reply::http(encoded)),
        ("half a head".to_owned(), Reply::http(b"HTTP/1.1 200 O".to_vec())),
        ("no HTTP".to_owned(), Reply::http(b"\x16\x03\x01\x02\x00garbage\r\n\r\n".to_vec())),
        ("a length too long".to_owned(), Reply::http([&head[..], b"Content-Length: 99999\r\n\r\n", good].concat())),
        ("a length too short".to_owned(), Reply::http([&head[..], b"Content-Length: 40\r\n\r\n", good].concat())),
        ("slow loris".to_owned(), Reply::raw_then_hang(good.get(..30).unwrap_or(good).to_vec())),
        ("silence in the middle".to_owned(), Reply::raw_then_hang(good.get(..middle).unwrap_or(good).to_vec())),
        ("null events".to_owned(), Reply::raw(b"data: null\n\ndata: []\n\ndata: 7\n\n".to_vec())),
        ("deep JSON".to_owned(), Reply::raw(format!("data: {}\n\n", "[".repeat(100_000)).into_bytes())),
    ]);
    all
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_session_survives_every_fault_on_every_wire() {
    for wire in WIRES {
        for (name, reply) in faults(&recording(wire)) {
            survives(wire, &name, &reply).await;
        }
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_session_survives_a_cut_anywhere() {
    for wire in WIRES {
        let good = recording(wire);
        // The wire itself is cut at every byte in its own tests; here, more often where the calls are.
        let last = good.len() * 2 / 3;
        for end in (1..last).step_by(7).chain(last..good.len()).step_by(7) {
            survives(wire, &format!("cut at {end}"), &Reply::raw_then_cut(good[..end].to_vec())).await;
        }
    }
}

/// Chunks of the chat wire that no server should send.
fn odd_chats() -> Vec<(&'static str, String)> {
    let chunk =
        |delta: serde_json::Value| format!("data: {}\n\n", json!({ "choices": [{ "index": 0, "delta": delta }] }));
    let call = |index: serde_json::Value, id: &str| json!({ "index": index, "id": id, "type": "function", "function": { "name": "write", "arguments": "{\"path\":\"b\"}" } });
    let end = "data: {\"choices\":[{\"index\":0,\"delta\":{},\"finish_reason\":\"tool_calls\"}]}\n\ndata: [DONE]\n\n";
    let calls = |list: Vec<serde_json::Value>| format!("{}{end}", chunk(json!({ "tool_calls": list })));
    let many: String =
        (0..10_000).map(|n| chunk(json!({ "tool_calls": [call(json!(n), &format!("c{n}"))] }))).collect();
    let endless: String = (0..4000).map(|_| chunk(json!({ "content": "and so on and so on " }))).collect();
    vec![
        ("10,000 calls", many + end),
        ("duplicate ids", calls(vec![call(json!(0), "same"), call(json!(1), "same")])),
        ("an id that was used before", calls(vec![call(json!(0), "call_1_0")])),
        ("a very long id", calls(vec![call(json!(0), &"x".repeat(5000))])),
        ("a negative index", calls(vec![call(json!(-1), "a")])),
        ("a huge index", calls(vec![call(json!(u64::MAX), "a")])),
        ("an index that is a text", calls(vec![call(json!("zero"), "a")])),
        ("indexes from behind", calls(vec![call(json!(5), "a"), call(json!(2), "b")])),
        (
            "a name that is none",
            format!(
                "{}{end}",
                chunk(
                    json!({ "tool_calls": [{ "index": 0, "id": "a", "function": { "name": "rm -rf /", "arguments": "{}" } }] })
                )
            ),
        ),
        (
            "broken arguments",
            format!(
                "{}{end}",
                chunk(
                    json!({ "tool_calls": [{ "index": 0, "id": "a", "function": { "name": "write", "arguments": "{\"path\": \"b" } }] })
                )
            ),
        ),
        (
            "negative counts",
            format!(
                "{}data: {{\"choices\":[],\"usage\":{{\"prompt_tokens\":-5,\"completion_tokens\":-1}}}}\n\ndata: [DONE]\n\n",
                chunk(json!({ "content": "hi" }))
            ),
        ),
        (
            "counts that are texts",
            format!(
                "{}data: {{\"choices\":[{{\"finish_reason\":\"stop\"}}],\"usage\":{{\"prompt_tokens\":\"many\"}}}}\n\n",
                chunk(json!({ "content": "hi" }))
            ),
        ),
        ("an endless answer", endless),
        (
            "an error in the middle",
            format!("{}data: {{\"error\":{{\"message\":\"oops\"}}}}\n\n", chunk(json!({ "content": "hi" }))),
        ),
        ("two ends", format!("{}{end}{end}", chunk(json!({ "content": "hi" })))),
    ]
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_session_survives_odd_chunks() {
    for (name, stream) in odd_chats() {
        survives(Wire::Chat, name, &Reply::raw(stream.into_bytes())).await;
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn half_a_call_of_a_writer_has_no_effect() {
    let stream = "data: {\"choices\":[{\"index\":0,\"delta\":{\"tool_calls\":[{\"index\":0,\"id\":\"a\",\"function\":{\"name\":\"write\",\"arguments\":\"{\\\"path\\\": \\\"b\"}}]},\"finish_reason\":\"length\"}]}\n\ndata: [DONE]\n\n";
    let server = ModelServer::start(vec![Reply::raw(stream.as_bytes().to_vec()), Reply::say("I see.")]).await;
    let mut session = session(Wire::Chat, &server.base_url());
    assert_eq!(session.turn("go").await, TurnEnd::Done);
    assert_eq!(session.times.load(Ordering::SeqCst), 0, "half a call ran");
    server.assert_valid();
    let requests = server.requests();
    let last = requests.last().expect("a request");
    assert!(last.last_content().contains("broke off"), "{}", last.last_content());
    assert_eq!(
        last.messages()[2]["tool_calls"][0]["function"]["arguments"],
        "{\"path\":\"b\"}",
        "it goes back as JSON"
    );
}

/// The same oddities on the other wires: the server puts chat events into their protocol.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_session_survives_odd_calls_and_counts_on_the_other_wires() {
    let event = |delta: serde_json::Value| json!({ "choices": [{ "index": 0, "delta": delta }] });
    let call = |index: u64, id: &str| {
        let function = json!({ "name": "write", "arguments": "{\"path\":\"b\"}" });
        event(json!({ "tool_calls": [{ "index": index, "id": id, "type": "function", "function": function }] }))
    };
    let end = || json!({ "choices": [{ "index": 0, "delta": {}, "finish_reason": "tool_calls" }] });
    let many: Vec<_> = (0..10_000).map(|n| call(n, &format!("c{n}"))).chain([end()]).collect();
    let odd = [
        ("10,000 calls", many),
        ("duplicate ids", vec![call(0, "same"), call(1, "same"), end()]),
        ("an empty id", vec![call(0, ""), end()]),
        ("a very long id", vec![call(0, &"x".repeat(5000)), end()]),
        ("a huge index", vec![call(u64::MAX, "a"), end()]),
        ("indexes from behind", vec![call(5, "a"), call(2, "b"), end()]),
    ];
    for wire in [Wire::Responses, Wire::Anthropic] {
        for (name, events) in &odd {
            survives(wire, name, &Reply::events(events.clone())).await;
        }
        let good = String::from_utf8(recording(wire)).unwrap();
        for field in ["\"input_tokens\":", "\"output_tokens\":", "\"index\":", "\"output_index\":"] {
            for wrong in ["-5", "1e300", "\"many\"", "null"] {
                let pieces: Vec<&str> = good.split(field).collect();
                let rest = |piece: &&str| piece.trim_start_matches(|c: char| c.is_ascii_digit() || c == ' ').to_owned();
                let mut stream = pieces[0].to_owned();
                for piece in &pieces[1..] {
                    stream.push_str(&format!("{field}{wrong}{}", rest(piece)));
                }
                survives(wire, &format!("{field} {wrong}"), &Reply::raw(stream.into_bytes())).await;
            }
        }
    }
}
