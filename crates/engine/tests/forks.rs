//! Subagents that begin as copies of the session's conversation: what they send extends what it sent, byte for byte, on every wire.

use crate::children::{outcomes, quiet, runs, text, world};
use crate::world::World;
use reasonix_engine::{Handle, Start, Which};
use reasonix_proto::{Op, TurnEnd};
use reasonix_testkit::{Recorded, Reply};
use serde_json::{Value, json};

/// What a copy is told.
const COPY: &str = "You are the subagent";

fn is_copy(request: &Recorded) -> bool {
    request.body.to_string().contains(COPY)
}

/// How many calls were answered so far.
fn results(request: &Recorded) -> usize {
    let body = request.body.to_string();
    let answered = |mark: &str| body.matches(mark).count();
    answered("\"role\":\"tool\"") + answered("\"type\":\"tool_result\"") + answered("\"type\":\"function_call_output\"")
}

/// The session reads a file, then starts a copy beside another read; each copy reads once more and says where it is.
fn answers(task: Value) -> impl FnMut(&Recorded) -> Option<Reply> + Send + 'static {
    let mut copied = 0;
    move |request| {
        Some(match (is_copy(request), results(request)) {
            (true, _) => {
                copied += 1;
                match copied % 2 {
                    1 => Reply::call("read_file", json!({"path": "a.txt"})),
                    _ => Reply::say("it is in the third drawer"),
                }
            }
            (false, 0) => Reply::call("read_file", json!({"path": "a.txt"})),
            (false, 1) => Reply::calls(&[("read_file", json!({"path": "b.txt"})), ("task", task.clone())]),
            (false, 3) => Reply::call("task", json!({"tasks": [{"id": "0-F", "assignment": "and the other one?"}]})),
            (false, _) => Reply::say("done"),
        })
    }
}

fn forking() -> Value {
    json!({"fork": true, "tasks": [{"id": "F", "assignment": "where is the key?"}]})
}

async fn asked(world: &World, change: impl FnOnce(&mut Start)) -> (Handle, Vec<(bool, reasonix_proto::Event)>) {
    world.work.write("a.txt", "the first drawer\n");
    world.work.write("b.txt", "the second drawer\n");
    let mut handle = world.open_with(Which::New, change);
    let events = quiet(&mut handle).await;
    (handle, events)
}

/// The bytes of a request up to the end of what was said.
fn said(request: &Recorded, key: &str) -> String {
    let raw = String::from_utf8(request.raw.clone()).unwrap();
    let from = raw.find(&format!("\"{key}\":[")).unwrap();
    let (mut depth, mut quoted, mut escaped) = (0, false, false);
    for (at, c) in raw[from..].char_indices() {
        match c {
            _ if escaped => escaped = false,
            '\\' if quoted => escaped = true,
            '"' => quoted = !quoted,
            '[' if !quoted => depth += 1,
            ']' if !quoted => {
                depth -= 1;
                if depth == 0 {
                    return raw[from..from + at].to_owned();
                }
            }
            _ => {}
        }
    }
    panic!("{raw}");
}

#[tokio::test]
async fn a_copy_extends_what_the_session_sent_byte_for_byte_on_every_wire() {
    for (kind, key) in [("openai", "messages"), ("anthropic", "messages"), ("openai-responses", "input")] {
        let world = world(answers(forking()));
        let wire = |start: &mut Start| start.world.settings.providers[0].kind = kind.into();
        let (_, events) = asked(&world, wire).await;
        let told = text(&outcomes(&events)[2]);
        assert!(told.contains("0-F (explore): done") && told.contains("the third drawer"), "{kind}: {told}");
        assert_eq!(runs(&events).last(), Some(&("0-F".to_owned(), Some(TurnEnd::Done))), "{kind}: it went on too");
        let requests = world.server.requests();
        let (copies, own): (Vec<&Recorded>, Vec<&Recorded>) = requests.iter().partition(|request| is_copy(request));
        assert_eq!((copies.len(), own.len()), (4, 4), "{kind}");
        let last = own[1];
        for same in ["tools", "system", "instructions", "model"] {
            assert_eq!(copies[0].body[same], last.body[same], "{kind} {same}");
        }
        let (before, after) = (said(last, key), said(copies[0], key));
        // What marks the end of what is cached moves on.
        if kind != "anthropic" {
            assert!(after.starts_with(&before), "{kind}:\n{before}\n{after}");
        }
        let shared = last.messages().len();
        let plain = |message: &Value| message.to_string().replace("\"cache_control\":{\"type\":\"ephemeral\"},", "");
        for (one, other) in last.messages().iter().zip(copies[0].messages()) {
            assert_eq!(plain(one), plain(other), "{kind}");
        }
        let added = json!(copies[0].messages()[shared..]).to_string();
        for part in ["You are 0-F from here on", "is not known in this copy", "[forked]", "where is the key?"] {
            assert!(added.contains(part), "{kind} {part}: {added}");
        }
        for (copy, next) in copies.iter().zip(&copies[1..]) {
            for (one, other) in copy.messages().iter().zip(next.messages()) {
                assert_eq!(plain(one), plain(other), "{kind}: it only grows, also when it goes on");
            }
        }
    }
}

#[tokio::test]
async fn what_could_not_be_the_same_is_refused_with_the_reason() {
    let refused = async |task: Value, change: fn(&mut Start), why: &str| {
        let world = world(answers(task));
        let (_, events) = asked(&world, change).await;
        let told = text(&outcomes(&events)[2]);
        assert!(told.contains("fork: ") && told.contains(why), "{told}");
        assert!(!runs(&events).iter().any(|(name, _)| name == "0-F"), "{why}");
    };
    let with = |more: Value| {
        let mut task = forking();
        task.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        task
    };
    let other: fn(&mut Start) = |start| start.world.settings.agent.subagent_model = Some("mock/other".into());
    refused(forking(), other, "works with the model mock/other, and this conversation with mock/m").await;
    refused(with(json!({"schema": {"type": "object"}})), |_| {}, "a result that fits a schema").await;
    refused(with(json!({"agent": "general"})), |_| {}, "a clone of its own").await;
    refused(with(json!({"isolated": true})), |_| {}, "a clone of its own").await;
}

/// A copy is told of all tools and may not use more than its profile lets it.
#[tokio::test]
async fn a_copy_has_the_gate_of_a_subagent() {
    let world = world(|request: &Recorded| {
        let last = request.last_content().to_owned();
        Some(match (is_copy(request), results(request)) {
            (true, 1) => Reply::call("write_file", json!({"path": "made", "content": "x"})),
            (true, 2) => Reply::call("todo_write", json!({"phases": []})),
            (true, _) => Reply::say(&format!("it came to: {last}")),
            (false, 0) => Reply::call("task", forking()),
            (false, _) => Reply::say("done"),
        })
    });
    let mut handle = world.open(Which::New);
    handle.submit(Op::SetPosture { posture: reasonix_proto::Posture::Yolo });
    let events = quiet(&mut handle).await;
    let told = text(&outcomes(&events)[0]);
    assert!(told.contains("0-F (explore)"), "{told}");
    assert!(!world.work.path().join("made").exists(), "it reads");
    let requests = world.server.requests();
    let copy = requests.iter().rfind(|request| is_copy(request)).unwrap();
    let said = json!(copy.messages()).to_string();
    assert!(said.contains("this agent"), "{said}");
}
