//! A made-up session.
#![allow(dead_code, reason = "each test file uses a part of it")]

use reasonix_proto::{
    CallId, Details, EditsWith, Message, RECORD_VERSION, Reasoning, RecordBody, SessionHead, SessionId, StopReason,
    TodoItem, TodoPhase, TodoStatus, ToolCall, ToolOutcome, TurnEnd, Usage,
};

/// A folder that goes away again; in memory where that can be had, because every session that is let go of is flushed.
pub(crate) fn folder() -> std::io::Result<tempfile::TempDir> {
    tempfile::tempdir_in("/dev/shm").or_else(|_| tempfile::tempdir())
}

pub(crate) fn head(cwd: &str) -> SessionHead {
    SessionHead {
        v: RECORD_VERSION,
        session: SessionId::fresh(),
        version: "0.1.0".into(),
        cwd: cwd.into(),
        model: "local/small".into(),
        system: "You are a test.\n日本語".into(),
        tools: vec!["bash".into(), "todo_write".into()],
        specs: None,
        edit: EditsWith::Unsaid,
        sandbox: "none".into(),
        from: None,
        parts: Vec::new(),
        agent: None,
    }
}

pub(crate) fn prompt(turn: u32, text: &str) -> RecordBody {
    RecordBody::Prompt { turn, text: text.into(), typed: None, images: Vec::new() }
}

pub(crate) fn says(turn: u32, step: u32, text: &str, calls: &[&str]) -> RecordBody {
    let calls: Vec<_> = calls
        .iter()
        .map(|id| ToolCall { id: CallId::from(*id), name: "bash".into(), arguments: r#"{"command":"ls"}"#.into() })
        .collect();
    let stop = if calls.is_empty() { StopReason::End } else { StopReason::Calls };
    let reasoning = Some(Reasoning::new("hm", "small"));
    let message = Message::Assistant { text: text.into(), reasoning, calls, stop };
    let usage = Some(Usage { input: 100, output: 10, cached: 50, reasoning: 1, written: 0 });
    RecordBody::Assistant { turn, step, model: "local/small".into(), message, usage }
}

pub(crate) fn did(call: &str, content: &str) -> RecordBody {
    let outcome = ToolOutcome::done(content);
    RecordBody::Outcome { call: CallId::from(call), tool: "bash".into(), took_ms: 3, outcome }
}

pub(crate) fn ended(turn: u32) -> RecordBody {
    RecordBody::TurnEnded { turn, end: TurnEnd::Done, steps: 2, usage: Usage::default(), cost: None }
}

pub(crate) fn todo(call: &str) -> RecordBody {
    let tasks = vec![TodoItem { content: "x".into(), status: TodoStatus::Pending, notes: Vec::new() }];
    let phases = vec![TodoPhase { name: "one".into(), tasks }];
    let outcome = ToolOutcome::detailed("ok", Details { todo: Some(phases), ..Details::default() });
    RecordBody::Outcome { call: CallId::from(call), tool: "todo_write".into(), took_ms: 0, outcome }
}

/// Two turns with calls, one of them with three in one message.
pub(crate) fn two_turns() -> Vec<RecordBody> {
    vec![
        prompt(1, "修复 the test\nplease"),
        says(1, 1, "", &["a", "b", "c"]),
        did("b", "second"),
        did("a", "first \u{1b}[0m\r\n"),
        todo("c"),
        RecordBody::Note { turn: 1, text: "hurry".into(), typed: None, images: Vec::new(), by_user: true },
        says(1, 2, "done", &[]),
        ended(1),
        prompt(2, "again"),
        says(2, 1, "look", &["a"]),
        did("a", "x"),
        says(2, 2, "fine", &[]),
        ended(2),
    ]
}

/// What every provider demands: calls with ids of their own, answered exactly once, right after their message, and
/// nothing else answered; the user first, and nobody twice in a row.
pub(crate) fn assert_valid(messages: &[Message]) {
    let mut open: Vec<&CallId> = Vec::new();
    assert!(matches!(messages.first(), None | Some(Message::User { .. })), "{messages:?}");
    for pair in messages.windows(2) {
        let twice = matches!(pair, [Message::User { .. }, Message::User { .. }])
            || matches!(pair, [Message::Assistant { .. }, Message::Assistant { .. }]);
        assert!(!twice, "twice in a row: {pair:?}");
    }
    let ids = messages.iter().flat_map(|message| match message {
        Message::Assistant { calls, .. } => calls.iter().map(|call| call.id.as_str()).collect(),
        _ => Vec::new(),
    });
    let mut seen = std::collections::HashSet::new();
    ids.for_each(|id| assert!(!id.is_empty() && seen.insert(id), "an id twice or none: {id}"));
    for message in messages {
        match message {
            Message::Tool { call, .. } => {
                let place = open.iter().position(|id| *id == call);
                assert!(place.is_some(), "an answer to nothing: {call}");
                open.remove(place.unwrap());
            }
            Message::User { .. } => assert!(open.is_empty(), "unanswered: {open:?}"),
            Message::Assistant { calls, .. } => {
                assert!(open.is_empty(), "unanswered: {open:?}");
                open = calls.iter().map(|call| &call.id).collect();
            }
        }
    }
    assert!(open.is_empty(), "unanswered: {open:?}");
}
