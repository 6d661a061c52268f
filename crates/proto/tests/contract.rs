//! The contract on the wire and on disk: the exact JSON of every event, record and operation. A change here is a change
//! of the protocol: bump `PROTOCOL_VERSION` or `RECORD_VERSION`, or make it additive.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::too_many_lines)]

use pretty_assertions::assert_eq;
use reasonix_proto::{
    AskId, Asking, CallId, Change, ChangeKind, Choice, Decided, Details, Envelope, Event, Field, Level, Message, Op,
    Phrase, Reasoning, Record, RecordBody, RecordId, SessionHead, SessionId, StopReason, TodoItem, TodoPhase,
    TodoStatus, ToolCall, ToolOutcome, TurnEnd, TurnState, Usage,
};
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::{Value, json};
use std::fmt::Debug;

/// The value is written as this JSON, and read back as itself.
fn is<T: Serialize + DeserializeOwned + PartialEq + Debug>(value: T, wanted: Value) {
    assert_eq!(serde_json::to_value(&value).unwrap(), wanted);
    assert_eq!(serde_json::from_value::<T>(wanted).unwrap(), value);
}

fn record(body: RecordBody) -> Record {
    Record { id: RecordId(2), parent: Some(RecordId(1)), at: 1700000000000, body }
}

#[test]
fn records() {
    let call = ToolCall { id: CallId::from("c1"), name: "ls".into(), arguments: "{}".into() };
    let usage = Usage { input: 10, output: 2, cached: 8, reasoning: 0 };
    let with = |body: Value| {
        let mut whole = json!({"id": 2, "parent": 1, "at": 1700000000000_u64});
        whole.as_object_mut().unwrap().extend(body.as_object().unwrap().clone());
        whole
    };
    let head = SessionHead {
        v: 1,
        session: SessionId::from("s"),
        version: "0.1.0".into(),
        cwd: "/w".into(),
        model: "p/m".into(),
        system: "sys".into(),
        tools: vec!["ls".into()],
        sandbox: "none".into(),
    };
    is(
        record(RecordBody::Session(head)),
        with(json!({"kind": "session", "v": 1, "session": "s", "version": "0.1.0", "cwd": "/w", "model": "p/m",
            "system": "sys", "tools": ["ls"], "sandbox": "none"})),
    );
    is(
        record(RecordBody::Prompt { turn: 1, text: "hi".into() }),
        with(json!({"kind": "prompt", "turn": 1, "text": "hi"})),
    );
    is(
        record(RecordBody::Note { turn: 1, text: "faster".into(), by_user: true }),
        with(json!({"kind": "note", "turn": 1, "text": "faster", "by_user": true})),
    );
    let message = Message::Assistant {
        text: "t".into(),
        reasoning: Some(Reasoning::new("r", "p/m")),
        calls: vec![call],
        stop: StopReason::Calls,
    };
    is(
        record(RecordBody::Assistant { turn: 1, step: 1, model: "p/m".into(), message, usage: Some(usage) }),
        with(json!({"kind": "assistant", "turn": 1, "step": 1, "model": "p/m",
            "message": {"role": "assistant", "text": "t", "reasoning": {"text": "r", "model": "p/m"},
                "calls": [{"id": "c1", "name": "ls", "arguments": "{}"}], "stop": "calls"},
            "usage": {"input": 10, "output": 2, "cached": 8, "reasoning": 0}})),
    );
    let details = Details {
        changes: vec![Change {
            path: "a".into(),
            kind: ChangeKind::Moved { from: "b".into() },
            added: 1,
            removed: 0,
            diff: String::new(),
        }],
        exit_code: Some(1),
        todo: Some(vec![TodoPhase {
            name: "P".into(),
            tasks: vec![TodoItem { content: "x".into(), status: TodoStatus::InProgress, notes: vec![] }],
        }]),
        ..Details::default()
    };
    let outcome = ToolOutcome::detailed("out", details);
    is(
        record(RecordBody::Outcome { call: CallId::from("c1"), tool: "bash".into(), took_ms: 5, outcome }),
        with(json!({"kind": "outcome", "call": "c1", "tool": "bash", "took_ms": 5, "outcome": {"status": "done",
            "content": "out", "details": {"changes": [{"path": "a", "kind": {"moved": {"from": "b"}}, "added": 1,
                "removed": 0}], "exit_code": 1, "todo": [{"name": "P", "tasks": [{"content": "x", "status": "in_progress"}]}]}}})),
    );
    is(
        record(RecordBody::TurnEnded { turn: 1, end: TurnEnd::StepLimit, steps: 3, usage }),
        with(json!({"kind": "turn_ended", "turn": 1, "end": {"how": "step_limit"}, "steps": 3,
            "usage": {"input": 10, "output": 2, "cached": 8, "reasoning": 0}})),
    );
    is(
        record(RecordBody::Resumed { version: "0.1.0".into(), model: "p/m".into() }),
        with(json!({"kind": "resumed", "version": "0.1.0", "model": "p/m"})),
    );
}

#[test]
fn decisions_and_outcomes() {
    let decided = Decided {
        call: CallId::from("c"),
        allowed: true,
        by: "user".into(),
        ask: Some(AskId::from("ask-1")),
        granted: None,
    };
    let written = serde_json::to_value(RecordBody::Decided(decided)).unwrap();
    for (key, value) in
        json!({"kind": "decided", "call": "c", "allowed": true, "by": "user", "ask": "ask-1"}).as_object().unwrap()
    {
        assert_eq!(&written[key], value);
    }
    is(ToolOutcome::failed_with("no", "try"), json!({"status": "failed", "message": "no", "hint": "try"}));
    is(ToolOutcome::Denied { by: "rule".into() }, json!({"status": "denied", "by": "rule"}));
    is(ToolOutcome::Aborted, json!({"status": "aborted"}));
    for (end, how) in [
        (TurnEnd::Done, json!({"how": "done"})),
        (TurnEnd::Interrupted, json!({"how": "interrupted"})),
        (TurnEnd::TimedOut, json!({"how": "timed_out"})),
        (
            TurnEnd::ProviderFailed { why: Phrase::new("llm.server").with("status", 500) },
            json!({"how": "provider_failed", "why": {"code": "llm.server", "args": [["status", "500"]]}}),
        ),
    ] {
        is(end, how);
    }
}

#[test]
fn envelopes_and_events() {
    let envelope = |event| Envelope { v: 1, seq: 7, session: SessionId::from("s"), ephemeral: false, event };
    is(
        envelope(Event::Notice { level: Level::Warning, phrase: Phrase::new("engine.empty_answer") }),
        json!({"v": 1, "seq": 7, "session": "s", "event": {"type": "notice", "level": "warning", "phrase": {"code": "engine.empty_answer"}}}),
    );
    is(Event::Text { delta: "a".into() }, json!({"type": "text", "delta": "a"}));
    is(Event::State { state: TurnState::AwaitingPermission }, json!({"type": "state", "state": "awaiting_permission"}));
    is(
        Event::ToolStarted { call: CallId::from("c"), tool: "bash".into(), subject: "ls".into() },
        json!({"type": "tool_started", "call": "c", "tool": "bash", "subject": "ls"}),
    );
    is(
        Event::Usage { usage: Usage::default(), context: 3, window: 9 },
        json!({"type": "usage", "usage": {"input": 0, "output": 0, "cached": 0, "reasoning": 0}, "context": 3, "window": 9}),
    );
    let prompt = record(RecordBody::Prompt { turn: 1, text: "hi".into() });
    is(
        Event::TurnStarted { record: Box::new(prompt) },
        json!({"type": "turn_started", "record": {"id": 2, "parent": 1, "at": 1700000000000_u64, "kind": "prompt", "turn": 1, "text": "hi"}}),
    );
    is(Event::SessionEnded, json!({"type": "session_ended"}));
}

#[test]
fn a_question_has_its_known_fields() {
    let question = json!({"ask": "ask-1", "call": "c", "tool": "bash", "subject": "touch x",
        "why": {"code": "engine.ask_mode"}, "fields": [{"name": "command", "value": "touch x"}], "rules": ["Bash(touch x)"]});
    let asking: Asking = serde_json::from_value(question).unwrap();
    assert_eq!(asking.subject, "touch x");
    assert_eq!(asking.fields, [Field { name: "command".into(), value: "touch x".into() }]);
}

#[test]
fn operations() {
    is(Op::Prompt { text: "hi".into() }, json!({"op": "prompt", "text": "hi"}));
    is(Op::Steer { text: "x".into() }, json!({"op": "steer", "text": "x"}));
    is(Op::Interrupt, json!({"op": "interrupt"}));
    let answer: Op =
        serde_json::from_value(json!({"op": "answer", "ask": "ask-1", "choice": {"choice": "allow_once"}})).unwrap();
    assert!(matches!(answer, Op::Answer { choice: Choice::AllowOnce, .. }));
}

/// A record of a kind that this version does not know is read, so that an older binary can open a newer log.
#[test]
fn unknown_kinds_are_read() {
    let text = json!({"id": 9, "parent": 8, "at": 1, "kind": "from_the_future", "x": {"y": 1}});
    let record: Record = serde_json::from_value(text).unwrap();
    assert_eq!(record.body, RecordBody::Unknown);
}
