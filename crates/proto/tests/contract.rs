//! The contract on the wire and on disk: the exact JSON of every event, record and operation. A change here is a change
//! of the protocol: bump `PROTOCOL_VERSION` or `RECORD_VERSION`, or make it additive.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::too_many_lines)]

use pretty_assertions::assert_eq;
use reasonix_proto::{
    Acts, Argument, ArgumentKind, AskId, Asking, Block, Break, BrokenCitation, CacheBreak, CacheReport, CacheSum,
    CacheTurn, CallId, Change, ChangeKind, ChildRun, Choice, Citation, Claim, ClaimKind, ClaimStatus, Claimed,
    CommandAction, CommandCase, CommandInfo, CommandOverlay, CommandSource, CommandWords, Completion, CompletionKind,
    Content, ContextPart, Cost, Decided, Details, Dial, Done, EditFormat, EditsWith, Effect, Envelope, Escalated,
    EscalatedBy, Event, FailureClass, Field, FiredRule, Fix, Git, Hit, HookInfo, HookRan, Image, ImageData, Inquiry,
    JobInfo, JobState, Left, Level, MemoryInfo, Message, Mode, ModelInfo, MoveReason, Op, OpId, Open, Origin, PartKind,
    Phrase, PlanAnswer, PlanStep, Planned, PlannerTurn, Posture, PromptPart, Proposal, Query, Question, Queued,
    QueuedKind, Reasoning, Record, RecordBody, RecordId, Refusal, Refused, Repair, Reply, Requested, Response, Rewind,
    Rewound, RuleInfo, RulesFired, Scope, ServerCounts, ServerInfo, ServerStanding, SessionEnding, SessionHead,
    SessionId, SessionInfo, Setting, Settled, Status, StepRisk, StopReason, Submit, Suggestion, Takes, TodoItem,
    TodoPhase, TodoStatus, ToolCall, ToolOutcome, TreeFilter, TreeNode, TurnEnd, TurnRefusal, TurnState, Unmerged,
    Usage, Validation, ValidationVerdict,
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
    let usage = Usage { input: 10, output: 2, cached: 8, reasoning: 0, written: 0 };
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
        specs: None,
        edit: EditsWith::Unsaid,
        sandbox: "none".into(),
        from: None,
        parts: vec![PromptPart { kind: PartKind::UserRules, name: "AGENTS.md".into(), bytes: 3, cut: true }],
        agent: None,
    };
    for (edit, word) in [(EditsWith::One(EditFormat::ApplyPatch), "apply_patch"), (EditsWith::Several, "several")] {
        let told = serde_json::to_value(SessionHead { edit, ..head.clone() }).unwrap();
        assert_eq!(told["edit"], word);
        assert_eq!(serde_json::from_value::<SessionHead>(told).unwrap().edit, edit);
    }
    let mut later = serde_json::to_value(&head).unwrap();
    later["edit"] = json!("by_telepathy");
    assert_eq!(serde_json::from_value::<SessionHead>(later).unwrap().edit, EditsWith::Unsaid, "a later build's word");
    is(
        record(RecordBody::Session(head)),
        with(json!({"kind": "session", "v": 1, "session": "s", "version": "0.1.0", "cwd": "/w", "model": "p/m",
            "system": "sys", "tools": ["ls"], "sandbox": "none",
            "parts": [{"kind": "user_rules", "name": "AGENTS.md", "bytes": 3, "cut": true}]})),
    );
    is(
        record(RecordBody::Prompt { turn: 1, text: "hi".into(), typed: None, images: Vec::new() }),
        with(json!({"kind": "prompt", "turn": 1, "text": "hi"})),
    );
    is(
        record(RecordBody::ToolsJoined { tools: vec!["ls".into()], specs: Some("k".into()) }),
        with(json!({"kind": "tools_joined", "tools": ["ls"], "specs": "k"})),
    );
    let entry = Requested {
        turn: 1,
        step: 2,
        model: "p/m".into(),
        tools: "t".into(),
        system: "s".into(),
        hash: "h".into(),
        bytes: 9,
        same: 4,
        broke: Some(Break::Compaction),
        usage: None,
        estimate: 3,
    };
    is(
        record(RecordBody::Requested(Box::new(entry))),
        with(json!({"kind": "requested", "turn": 1, "step": 2, "model": "p/m", "tools": "t", "system": "s",
            "hash": "h", "bytes": 9, "same": 4, "broke": "compaction", "estimate": 3})),
    );
    assert_eq!(serde_json::from_value::<Break>(json!("from_tomorrow")).ok(), Some(Break::Unexplained));
    is(
        record(RecordBody::Note { turn: 1, text: "faster".into(), typed: None, images: Vec::new(), by_user: true }),
        with(json!({"kind": "note", "turn": 1, "text": "faster", "by_user": true})),
    );
    let repairs = vec![
        Repair::new(Fix::Scavenged, "hermes").of(&CallId::from("c1")),
        Repair::new(Fix::Thinking, "no closing mark"),
    ];
    is(
        record(RecordBody::Repaired { turn: 1, step: 2, repairs }),
        with(json!({"kind": "repaired", "turn": 1, "step": 2, "repairs": [
            {"fix": "scavenged", "call": "c1", "detail": "hermes"},
            {"fix": "thinking", "detail": "no closing mark"}]})),
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
            hunks: vec![],
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
        record(RecordBody::TurnEnded { turn: 1, end: TurnEnd::StepLimit, steps: 3, usage, cost: None }),
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
        ..Decided::default()
    };
    let written = serde_json::to_value(RecordBody::Decided(decided)).unwrap();
    for (key, value) in
        json!({"kind": "decided", "call": "c", "allowed": true, "by": "user", "ask": "ask-1"}).as_object().unwrap()
    {
        assert_eq!(&written[key], value);
    }
    let picture = json!({"type": "picture", "uri": "artifact://ab", "media": "image/png", "bytes": 3, "width": 2, "height": 1, "name": "a.png"});
    let blocks = json!([{"type": "text", "text": "a"}, picture,
        {"type": "resource", "uri": "file:///b", "media": "text/plain", "text": "b"}, {"type": "error", "text": "no"}]);
    let content: Content = serde_json::from_value(blocks.clone()).unwrap();
    assert!(matches!(
        content.blocks(),
        [Block::Text { .. }, Block::Picture(_), Block::Resource { .. }, Block::Error { .. }]
    ));
    is(ToolOutcome::done(content.clone()), json!({"status": "done", "content": blocks}));
    is(ToolOutcome::done(vec![Block::text("a")]), json!({"status": "done", "content": "a"}));
    // A log of the first version has no blocks; what it would have of them is words.
    let body = RecordBody::Outcome {
        call: CallId::from("c"),
        tool: "t".into(),
        took_ms: 1,
        outcome: ToolOutcome::done(content.clone()),
    };
    assert_eq!(body.clone().of_version(2), body);
    let flat = serde_json::to_value(body.of_version(1)).unwrap();
    assert_eq!(flat["outcome"]["content"], json!(content.words()));
    is(ToolOutcome::failed_with("no", "try"), json!({"status": "failed", "message": "no", "hint": "try"}));
    is(
        ToolOutcome::Failed { message: "no".into(), hint: None, code: Some("forbidden".into()) },
        json!({"status": "failed", "message": "no", "code": "forbidden"}),
    );
    is(ToolOutcome::Denied { by: "rule".into() }, json!({"status": "denied", "by": "rule"}));
    is(ToolOutcome::Aborted, json!({"status": "aborted"}));
    for (end, how) in [
        (TurnEnd::Done, json!({"how": "done"})),
        (TurnEnd::Interrupted, json!({"how": "interrupted"})),
        (TurnEnd::TimedOut, json!({"how": "timed_out"})),
        (
            TurnEnd::ProviderFailed {
                class: FailureClass::RateLimited,
                why: Phrase::new("llm.server").with("status", 500),
            },
            json!({"how": "provider_failed", "class": "rate_limited",
                "why": {"code": "llm.server", "args": [["status", "500"]]}}),
        ),
    ] {
        is(end, how);
    }
    let older = json!({"how": "provider_failed", "why": {"code": "llm.server"}});
    assert_eq!(
        serde_json::from_value::<TurnEnd>(older).unwrap(),
        TurnEnd::ProviderFailed { class: FailureClass::Server, why: Phrase::new("llm.server") },
        "older logs have no class"
    );
}

#[test]
fn what_came_of_operations() {
    let submit = Submit { id: OpId::from("web-1"), op: Op::Interrupt, client: None };
    is(submit.clone(), json!({"id": "web-1", "op": {"op": "interrupt"}}));
    let named = Submit { client: Some("phone".into()), ..submit };
    is(named, json!({"id": "web-1", "op": {"op": "interrupt"}, "client": "phone"}));
    for (done, what) in [
        (Done::Applied, json!({"what": "applied"})),
        (Done::Unchanged, json!({"what": "unchanged"})),
        (Done::Queued, json!({"what": "queued"})),
        (Done::Turn { end: TurnEnd::Done }, json!({"what": "turn", "end": {"how": "done"}})),
        (Done::HandedOver { session: SessionId::from("s") }, json!({"what": "handed_over", "session": "s"})),
        (Done::Restored { turn: 2, files: 3 }, json!({"what": "restored", "turn": 2, "files": 3})),
        (
            Done::Saved { key: "language".into(), value: Some("zh".into()), acts: Some(Acts::Now) },
            json!({"what": "saved", "key": "language", "value": "zh", "acts": "now"}),
        ),
        (Done::Written { path: "/a.md".into() }, json!({"what": "written", "path": "/a.md"})),
    ] {
        is(Settled::Done(done), json!({"done": what}));
    }
    let refused = Refused::new(Refusal::NotOffered, Phrase::new("engine.answer_not_offered"));
    let why = Phrase::new("agent.storm");
    is(
        TurnEnd::Refused { kind: TurnRefusal::Storm, why: why.clone() },
        json!({"how": "refused", "kind": "storm", "why": {"code": "agent.storm"}}),
    );
    // What earlier builds wrote has no kind, and what later ones may write is one.
    let old: TurnEnd = serde_json::from_value(json!({"how": "refused", "why": {"code": "agent.storm"}})).unwrap();
    let later = json!({"how": "refused", "kind": "x", "why": {"code": "agent.storm"}});
    assert_eq!(old, TurnEnd::Refused { kind: TurnRefusal::Call, why });
    assert_eq!(serde_json::from_value::<TurnEnd>(later).unwrap(), old);
    let json = json!({"refused": {"refusal": "not_offered", "why": {"code": "engine.answer_not_offered"}}});
    is(Settled::Refused(refused.clone()), json.clone());
    is(
        Event::Settled { op: OpId::from("op-1"), client: None, settled: Box::new(Settled::Refused(refused.clone())) },
        json!({"type": "settled", "op": "op-1", "settled": json}),
    );
    is(
        Event::Settled { op: "7".into(), client: Some("web".into()), settled: Box::new(Settled::Refused(refused)) },
        json!({"type": "settled", "op": "7", "client": "web", "settled": json}),
    );
    is(
        Event::HandedOver { session: SessionId::from("s"), full: true },
        json!({"type": "handed_over", "session": "s", "full": true}),
    );
    is(Reply::Unchanged, json!({"reply": "unchanged"}));
}

#[test]
fn envelopes_and_events() {
    let envelope =
        |event| Envelope { v: 1, seq: 7, session: SessionId::from("s"), parent: None, ephemeral: false, event };
    is(
        envelope(Event::Notice { level: Level::Warning, phrase: Phrase::new("engine.empty_answer") }),
        json!({"v": 1, "seq": 7, "session": "s", "event": {"type": "notice", "level": "warning", "phrase": {"code": "engine.empty_answer"}}}),
    );
    // A child's events go by the same door: its own id and numbers, and whom it works for.
    let child = envelope(Event::SessionEnded).below(&SessionId::from("p"));
    is(child.clone(), json!({"v": 1, "seq": 7, "session": "s", "parent": "p", "event": {"type": "session_ended"}}));
    assert_eq!(child.clone().below(&SessionId::from("above")), child, "what comes from further below keeps its parent");
    is(Event::Text { delta: "a".into() }, json!({"type": "text", "delta": "a"}));
    // Written as it was called first, and read by either name.
    is(Event::State { state: TurnState::AwaitingModel }, json!({"type": "state", "state": "planning"}));
    let now: TurnState = serde_json::from_value(json!("awaiting_model")).unwrap();
    assert_eq!(now, TurnState::AwaitingModel);
    is(Event::State { state: TurnState::AwaitingPermission }, json!({"type": "state", "state": "awaiting_permission"}));
    is(
        Event::ToolStarted { call: CallId::from("c"), tool: "bash".into(), subject: "ls".into() },
        json!({"type": "tool_started", "call": "c", "tool": "bash", "subject": "ls"}),
    );
    is(
        Event::Usage { usage: Usage::default(), context: 3, window: 9 },
        json!({"type": "usage", "usage": {"input": 0, "output": 0, "cached": 0, "reasoning": 0}, "context": 3, "window": 9}),
    );
    let prompt = record(RecordBody::Prompt { turn: 1, text: "hi".into(), typed: None, images: Vec::new() });
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
    is(Op::Prompt { text: "hi".into(), resolved: false }, json!({"op": "prompt", "text": "hi"}));
    let (schema, text) = (json!({"type": "object"}), "hi".to_owned());
    is(
        Op::PromptFor { text, resolved: true, schema: schema.clone(), closing: true },
        json!({"op": "prompt_for", "text": "hi", "resolved": true, "schema": schema, "closing": true}),
    );
    is(Op::Prompt { text: "hi".into(), resolved: true }, json!({"op": "prompt", "text": "hi", "resolved": true}));
    is(Op::Steer { text: "x".into() }, json!({"op": "steer", "text": "x"}));
    is(Op::Interrupt, json!({"op": "interrupt"}));
    let answer: Op =
        serde_json::from_value(json!({"op": "answer", "ask": "ask-1", "choice": {"choice": "allow_once"}})).unwrap();
    assert!(matches!(answer, Op::Answer { choice: Choice::AllowOnce, .. }));
    let (ask, digest) = (AskId::from("ask-1"), Some("d".to_owned()));
    let words = Some("use make".to_owned());
    is(
        Op::Answer { ask: ask.clone(), choice: Choice::Deny, digest, words, edited: None },
        json!({"op": "answer", "ask": "ask-1", "choice": {"choice": "deny"}, "digest": "d", "words": "use make"}),
    );
    let edited = Some("make -j".to_owned());
    is(
        Op::Answer { ask, choice: Choice::AllowOnce, digest: None, words: None, edited },
        json!({"op": "answer", "ask": "ask-1", "choice": {"choice": "allow_once"}, "edited": "make -j"}),
    );
    is(Choice::AllowAlways { rule: "Edit(a)".into() }, json!({"choice": "allow_always", "rule": "Edit(a)"}));
}

/// A record of a kind that this version does not know is read, so that an older binary can open a newer log.
#[test]
fn unknown_kinds_are_read() {
    let text = json!({"id": 9, "parent": 8, "at": 1, "kind": "from_the_future", "x": {"y": 1}});
    let record: Record = serde_json::from_value(text).unwrap();
    assert_eq!(record.body, RecordBody::Unknown);
}

#[test]
fn records_of_moving_about() {
    let same = |body: RecordBody, wanted: Value| is(body, wanted);
    same(
        RecordBody::Prompt { turn: 2, text: "<file/>see @a".into(), typed: Some("see @a".into()), images: Vec::new() },
        json!({"kind": "prompt", "turn": 2, "text": "<file/>see @a", "typed": "see @a"}),
    );
    same(
        RecordBody::Shell { turn: 2, command: "ls".into(), keep: true },
        json!({"kind": "shell", "turn": 2, "command": "ls", "keep": true}),
    );
    same(
        RecordBody::ShellEnded {
            turn: 2,
            command: "ls".into(),
            keep: false,
            took_ms: 3,
            outcome: ToolOutcome::done("a"),
        },
        json!({"kind": "shell_ended", "turn": 2, "command": "ls", "keep": false, "took_ms": 3,
            "outcome": {"status": "done", "content": "a"}}),
    );
    for (why, word) in [(MoveReason::Branch, "branch"), (MoveReason::Rewind, "rewind"), (MoveReason::Retry, "retry")] {
        same(RecordBody::Moved { to: RecordId(4), why }, json!({"kind": "moved", "to": 4, "why": word}));
    }
    let back =
        Rewound { turn: 2, to: RecordId(4), report: "it is there".into(), said: vec!["hurry".into()], images: vec![] };
    same(
        RecordBody::Rewound(Box::new(back)),
        json!({"kind": "rewound", "turn": 2, "to": 4, "report": "it is there", "said": ["hurry"]}),
    );
    let left = Left { from: RecordId(9), summary: "tried".into(), by: "p/m".into(), usage: None };
    same(RecordBody::Left(Box::new(left)), json!({"kind": "left", "from": 9, "summary": "tried", "by": "p/m"}));
    same(
        RecordBody::Labelled { record: RecordId(4), label: "good".into() },
        json!({"kind": "labelled", "record": 4, "label": "good"}),
    );
    same(
        RecordBody::Titled { title: "T".into(), by_user: true },
        json!({"kind": "titled", "title": "T", "by_user": true}),
    );
    same(
        RecordBody::ModelChanged { model: "p/n".into(), effort: Some("high".into()) },
        json!({"kind": "model_changed", "model": "p/n", "effort": "high"}),
    );
    same(
        RecordBody::Escalated(Escalated {
            turn: 2,
            model: "p/pro".into(),
            by: EscalatedBy::Failures,
            detail: "3× edit failed".into(),
        }),
        json!({"kind": "escalated", "turn": 2, "model": "p/pro", "by": "failures", "detail": "3× edit failed"}),
    );
    same(
        RecordBody::Planner(Box::new(PlannerTurn {
            session: SessionId::from("s"),
            model: "p/m".into(),
            prompt: Some("go".into()),
            end: None,
            steps: 0,
            usage: Usage::default(),
            cost: None,
        })),
        json!({"kind": "planner", "session": "s", "model": "p/m", "prompt": "go", "steps": 0,
            "usage": {"input": 0, "output": 0, "cached": 0, "reasoning": 0}}),
    );
    let hook = HookRan {
        turn: 2,
        event: "PreToolUse".into(),
        hook: "guard.sh".into(),
        source: "reasonix.toml".into(),
        call: Some(CallId::from("c")),
        decision: "block".into(),
        exit_code: Some(2),
        stdout: String::new(),
        stderr: "no".into(),
        took_ms: 3,
        truncated: false,
    };
    same(
        RecordBody::Hook(Box::new(hook)),
        json!({"kind": "hook", "turn": 2, "event": "PreToolUse", "hook": "guard.sh", "source": "reasonix.toml",
            "call": "c", "decision": "block", "exit_code": 2, "stderr": "no", "took_ms": 3}),
    );
    let claim = Claim {
        kind: ClaimKind::Tests,
        quote: "All tests pass".into(),
        from: 6,
        to: 20,
        status: ClaimStatus::Stale,
        by: vec!["c".into()],
        why: Phrase::new("evidence.stale").with("path", "a.rs"),
    };
    same(
        RecordBody::Claimed(Box::new(Claimed { turn: 2, record: RecordId(7), claims: vec![claim] })),
        json!({"kind": "claimed", "turn": 2, "record": 7, "claims": [{"kind": "tests", "quote": "All tests pass",
            "from": 6, "to": 20, "status": "stale", "by": ["c"],
            "why": {"code": "evidence.stale", "args": [["path", "a.rs"]]}}]}),
    );
    let info = HookInfo {
        event: "Stop".into(),
        matcher: String::new(),
        command: "x".into(),
        description: None,
        source: "a.json".into(),
        dialect: "claude".into(),
        timeout_ms: 60000,
        trusted: false,
    };
    is(
        Reply::Hooks { hooks: vec![info], flaws: Vec::new() },
        json!({"reply": "hooks", "hooks": [{"event": "Stop", "matcher": "", "command": "x", "source": "a.json",
            "dialect": "claude", "timeout_ms": 60000, "trusted": false}]}),
    );
    is(Query::Hooks, json!({"query": "hooks"}));
    is(Op::ReloadHooks, json!({"op": "reload_hooks"}));
    is(
        Op::SteerChild { child: "0-A".into(), text: "the tests too".into() },
        json!({"op": "steer_child", "child": "0-A", "text": "the tests too"}),
    );
    is(Op::StopJob { job: "j1".into() }, json!({"op": "stop_job", "job": "j1"}));
    let fired = RulesFired {
        turn: 2,
        rules: vec![FiredRule { name: "r".into(), path: "rules/r.md".into(), source: "tool:bash".into() }],
        stopped: true,
        to: Some(RecordId(7)),
        usage: None,
    };
    same(
        RecordBody::RulesFired(Box::new(fired)),
        json!({"kind": "rules_fired", "turn": 2, "rules": [{"name": "r", "path": "rules/r.md", "source": "tool:bash"}],
            "stopped": true, "to": 7}),
    );
    same(RecordBody::PostureChanged { posture: Posture::Auto }, json!({"kind": "posture_changed", "posture": "auto"}));
    same(
        RecordBody::Granted { rule: "Bash(ls)".into(), effect: Some(Effect::Allow), scope: Scope::Session },
        json!({"kind": "granted", "rule": "Bash(ls)", "effect": "allow", "scope": "session"}),
    );
    same(RecordBody::Discarded, json!({"kind": "discarded"}));
    is(
        Origin::Fork { session: SessionId::from("s"), record: RecordId(9) },
        json!({"from": "fork", "session": "s", "record": 9}),
    );
    is(Origin::Handoff { session: SessionId::from("s") }, json!({"from": "handoff", "session": "s"}));
    is(
        Origin::Import { program: "claude-code".into(), name: "x".into() },
        json!({"from": "import", "program": "claude-code", "name": "x"}),
    );
}

#[test]
fn subagents() {
    is(
        Origin::Task { session: SessionId::from("s"), child: "0-A".into() },
        json!({"from": "task", "session": "s", "child": "0-A"}),
    );
    let begun = ChildRun {
        child: "0-A".into(),
        session: SessionId::from("c"),
        call: CallId::from("call_1"),
        agent: "explore".into(),
        model: "p/m".into(),
        task: "look".into(),
        skill: None,
        end: None,
        lost: false,
        summary: String::new(),
        output: None,
        steps: 0,
        took_ms: 0,
        usage: Usage::default(),
        cost: None,
        unmerged: None,
    };
    let plain = serde_json::to_value(Usage::default()).unwrap();
    is(
        RecordBody::Child(Box::new(begun.clone())),
        json!({"kind": "child", "child": "0-A", "session": "c", "call": "call_1", "agent": "explore", "model": "p/m",
            "task": "look", "steps": 0, "took_ms": 0, "usage": plain}),
    );
    let ended = ChildRun {
        skill: Some("review".into()),
        end: Some(TurnEnd::Interrupted),
        lost: true,
        summary: "found".into(),
        output: Some("artifact://1".into()),
        steps: 2,
        took_ms: 7,
        unmerged: Some(Unmerged::Clone),
        ..begun
    };
    let work = |unmerged| RecordBody::ChildWork { child: "0-A".into(), unmerged };
    is(work(None), json!({"kind": "child_work", "child": "0-A", "unmerged": null}));
    is(
        work(Some(Unmerged::Patch("artifact://1".into()))),
        json!({"kind": "child_work", "child": "0-A", "unmerged": {"patch": "artifact://1"}}),
    );
    is(
        work(Some(Unmerged::Branch("b".into()))),
        json!({"kind": "child_work", "child": "0-A", "unmerged": {"branch": "b"}}),
    );
    is(
        RecordBody::Child(Box::new(ended)),
        json!({"kind": "child", "child": "0-A", "session": "c", "call": "call_1", "agent": "explore", "model": "p/m",
            "task": "look", "skill": "review", "end": {"how": "interrupted"}, "lost": true, "summary": "found", "output": "artifact://1",
            "steps": 2, "took_ms": 7, "usage": plain, "unmerged": "clone"}),
    );
    is(Op::StopChild { child: "0-A".into() }, json!({"op": "stop_child", "child": "0-A"}));
    let working = Event::Working { doing: "ls .".into(), tail: "x".into(), steps: 1 };
    assert!(working.is_ephemeral());
    is(working, json!({"type": "working", "doing": "ls .", "tail": "x", "steps": 1}));
}

#[test]
fn events_of_moving_about() {
    let queued = Queued { id: 3, kind: QueuedKind::FollowUp, text: "then".into() };
    let queue = Event::Queued { queue: vec![queued] };
    assert!(queue.is_ephemeral());
    is(queue, json!({"type": "queued", "queue": [{"id": 3, "kind": "follow_up", "text": "then"}]}));
    let whole = json!({"id": 2, "parent": 1, "at": 1700000000000_u64, "kind": "moved", "to": 1, "why": "branch"});
    let moved = record(RecordBody::Moved { to: RecordId(1), why: MoveReason::Branch });
    is(
        Event::Moved { record: Box::new(moved), text: Some("again".into()) },
        json!({"type": "moved", "record": whole, "text": "again"}),
    );
    let hooked = Event::Hooked { record: Box::new(record(RecordBody::Discarded)) };
    assert!(!hooked.is_ephemeral());
    is(
        hooked,
        json!({"type": "hooked", "record": {"id": 2, "parent": 1, "at": 1700000000000_u64, "kind": "discarded"}}),
    );
    let fired = Event::RulesFired { record: Box::new(record(RecordBody::Discarded)) };
    assert!(!fired.is_ephemeral());
    is(
        fired,
        json!({"type": "rules_fired", "record": {"id": 2, "parent": 1, "at": 1700000000000_u64, "kind": "discarded"}}),
    );
    let claimed = Event::Claimed { record: Box::new(record(RecordBody::Discarded)) };
    assert!(!claimed.is_ephemeral());
    is(
        claimed,
        json!({"type": "claimed", "record": {"id": 2, "parent": 1, "at": 1700000000000_u64, "kind": "discarded"}}),
    );
    let job =
        JobInfo { job: "j1".into(), call: "c".into(), command: "npm run dev".into(), began: 5, ..JobInfo::default() };
    let ended = JobInfo { state: JobState::Failed, exit_code: Some(2), bytes: 9, took_ms: 7, ..job.clone() };
    let began = json!({"id": 2, "parent": 1, "at": 1700000000000_u64, "kind": "job_began", "job": "j1",
        "what": "command", "call": "c", "command": "npm run dev", "state": "running", "began": 5, "took_ms": 0, "bytes": 0});
    is(record(RecordBody::JobBegan(Box::new(job.clone()))), began.clone());
    let event = Event::Job { record: Box::new(record(RecordBody::JobBegan(Box::new(job)))), running: 1 };
    assert!(!event.is_ephemeral());
    is(event, json!({"type": "job", "record": began, "running": 1}));
    is(
        RecordBody::JobEnded(Box::new(ended)),
        json!({"kind": "job_ended", "job": "j1", "what": "command", "call": "c", "command": "npm run dev",
            "state": "failed", "began": 5, "took_ms": 7, "exit_code": 2, "bytes": 9}),
    );
    is(Reply::Jobs { jobs: Vec::new() }, json!({"reply": "jobs", "jobs": []}));
    let changed = Event::Changed { record: Box::new(record(RecordBody::Discarded)) };
    assert!(!changed.is_ephemeral());
    is(
        changed,
        json!({"type": "changed", "record": {"id": 2, "parent": 1, "at": 1700000000000_u64, "kind": "discarded"}}),
    );
    let citation = Citation {
        text: "a.rs:9".into(),
        start: 4,
        path: "a.rs".into(),
        line: 9,
        end: None,
        broken: Some(BrokenCitation::NoLine { lines: 3 }),
    };
    is(
        Event::Cited { record: RecordId(5), citations: vec![citation] },
        json!({"type": "cited", "record": 5, "citations": [{"text": "a.rs:9", "start": 4, "path": "a.rs", "line": 9,
            "broken": {"why": "no_line", "lines": 3}}]}),
    );
}

#[test]
fn operations_of_moving_about() {
    for (op, wanted) in [
        (Op::Unqueue { id: 1 }, json!({"op": "unqueue", "id": 1})),
        (Op::EditQueued { id: 1, text: "x".into() }, json!({"op": "edit_queued", "id": 1, "text": "x"})),
        (Op::Shell { command: "ls".into(), keep: true }, json!({"op": "shell", "command": "ls", "keep": true})),
        (
            Op::Compact { instructions: "keep the paths".into() },
            json!({"op": "compact", "instructions": "keep the paths"}),
        ),
        (Op::Escalate { on: true }, json!({"op": "escalate", "on": true})),
        (Op::Handoff { focus: "ports".into() }, json!({"op": "handoff", "focus": "ports"})),
        (Op::Retry, json!({"op": "retry"})),
        (Op::Branch { at: RecordId(4), summary: None }, json!({"op": "branch", "at": 4})),
        (Op::Branch { at: RecordId(4), summary: Some(true) }, json!({"op": "branch", "at": 4, "summary": true})),
        (Op::Redo, json!({"op": "redo"})),
        (Op::Rewind { turn: 2, what: Rewind::Chat, summary: None }, json!({"op": "rewind", "turn": 2, "what": "chat"})),
        (Op::Label { record: RecordId(4), label: "x".into() }, json!({"op": "label", "record": 4, "label": "x"})),
        (Op::Rename { title: "T".into() }, json!({"op": "rename", "title": "T"})),
        (Op::Discard, json!({"op": "discard"})),
        (
            Op::Configure { key: "tui.theme".into(), value: Some("dark".into()) },
            json!({"op": "configure", "key": "tui.theme", "value": "dark"}),
        ),
        (Op::Configure { key: "tui.theme".into(), value: None }, json!({"op": "configure", "key": "tui.theme"})),
        (
            Op::Forget { name: "ports".into(), scope: "project".into() },
            json!({"op": "forget", "name": "ports", "scope": "project"}),
        ),
        (Op::Export { path: "a.md".into() }, json!({"op": "export", "path": "a.md"})),
        (Op::Export { path: String::new() }, json!({"op": "export"})),
        (Op::SetModel { model: Some("p/m".into()), effort: None }, json!({"op": "set_model", "model": "p/m"})),
        (Op::SetPosture { posture: Posture::Yolo }, json!({"op": "set_posture", "posture": "yolo"})),
        (
            Op::Grant { rule: "Bash(ls)".into(), effect: Effect::Deny, scope: Scope::Always },
            json!({"op": "grant", "rule": "Bash(ls)", "effect": "deny", "scope": "always"}),
        ),
        (
            Op::Revoke { rule: "Bash(ls)".into(), scope: Scope::Session },
            json!({"op": "revoke", "rule": "Bash(ls)", "scope": "session"}),
        ),
    ] {
        is(op, wanted);
    }
}

#[test]
fn queries() {
    for (query, wanted) in [
        (Query::Status, json!({"query": "status"})),
        (Query::Git, json!({"query": "git"})),
        (Query::Commands, json!({"query": "commands"})),
        (
            Query::Complete { kind: CompletionKind::Reference, text: "src/".into(), generation: 7, limit: 20 },
            json!({"query": "complete", "kind": {"kind": "reference"}, "text": "src/", "generation": 7, "limit": 20}),
        ),
        (
            Query::Complete {
                kind: CompletionKind::Argument { command: "model".into(), index: 0 },
                text: String::new(),
                generation: 8,
                limit: 20,
            },
            json!({"query": "complete", "kind": {"kind": "argument", "command": "model", "index": 0}, "text": "",
                "generation": 8, "limit": 20}),
        ),
        (
            Query::Sessions { all: true, text: "x".into(), from: 0, count: 20 },
            json!({"query": "sessions", "all": true, "text": "x", "from": 0, "count": 20}),
        ),
        (
            Query::Tree { filter: TreeFilter::LabelledOnly, text: String::new() },
            json!({"query": "tree", "filter": "labelled_only", "text": ""}),
        ),
        (Query::Transcript { from: None, count: 50 }, json!({"query": "transcript", "count": 50})),
        (Query::Citations { record: RecordId(4) }, json!({"query": "citations", "record": 4})),
        (Query::Permissions, json!({"query": "permissions"})),
        (Query::Context, json!({"query": "context"})),
        (Query::Config, json!({"query": "config"})),
        (
            Query::History { text: "ports".into(), all: false, count: 20 },
            json!({"query": "history", "text": "ports", "all": false, "count": 20}),
        ),
        (
            Query::Around { session: "s".into(), record: RecordId(4), span: 3 },
            json!({"query": "around", "session": "s", "record": 4, "span": 3}),
        ),
        (Query::Memories, json!({"query": "memories"})),
        (Query::Servers, json!({"query": "servers"})),
        (Query::Jobs, json!({"query": "jobs"})),
    ] {
        is(query, wanted);
    }
}

#[test]
fn the_status() {
    let status = Status {
        session: SessionId::from("s"),
        title: "T".into(),
        state: TurnState::Idle,
        model: "p/m".into(),
        effort: None,
        mode: Mode::Build,
        agent: String::new(),
        goal: None,
        posture: Posture::Ask,
        sandbox: "full".into(),
        folder: "/w".into(),
        turns: 2,
        usage: Usage::default(),
        context: 3,
        window: 9,
        cost: Some(Cost { spent: 5, saved: 1, currency: "USD".into() }),
        queue: Vec::new(),
        kept: true,
        jobs: 0,
    };
    is(
        Reply::Status(Box::new(status)),
        json!({"reply": "status", "session": "s", "title": "T", "state": "idle", "model": "p/m", "posture": "ask",
            "sandbox": "full", "folder": "/w", "turns": 2,
            "usage": {"input": 0, "output": 0, "cached": 0, "reasoning": 0}, "context": 3, "window": 9,
            "cost": {"spent": 5, "saved": 1, "currency": "USD"}, "kept": true}),
    );
}

#[test]
fn replies() {
    let command = CommandInfo {
        name: "mode".into(),
        aliases: vec!["posture".into()],
        arguments: vec![Argument {
            name: Phrase::new("command.arg_mode"),
            kind: ArgumentKind::OneOf { words: vec!["ask".into()] },
            optional: true,
        }],
        about: Phrase::new("command.mode"),
        source: CommandSource::Builtin,
        needs: None,
        cases: vec![
            CommandCase {
                words: CommandWords::Word("plan".into()),
                planning: Some(false),
                action: CommandAction::Operation(vec![Op::SetMode { mode: Mode::Plan }]),
            },
            CommandCase {
                words: CommandWords::Any,
                planning: None,
                action: CommandAction::Overlay(CommandOverlay::Words),
            },
        ],
    };
    let completion =
        Completion { insert: "src/".into(), shown: "src/".into(), marks: vec![0], descends: true, note: String::new() };
    let model = ModelInfo {
        name: "p/m".into(),
        window: 9,
        current: true,
        default: false,
        roles: vec![],
        efforts: vec!["low".into()],
        price: String::new(),
    };
    let session = SessionInfo {
        id: SessionId::from("s"),
        title: "T".into(),
        folder: "/w".into(),
        started: 1,
        active: 2,
        model: "p/m".into(),
        turns: 3,
        ending: SessionEnding::Done,
        from: None,
    };
    let node = TreeNode {
        id: RecordId(2),
        parent: None,
        depth: 0,
        kind: "prompt".into(),
        text: "hi".into(),
        label: None,
        turn: 1,
        at: 5,
        active: true,
    };
    let rule = RuleInfo { rule: "Bash(ls)".into(), effect: Effect::Allow, origin: "session".into(), revocable: true };
    for (reply, wanted) in [
        (
            Reply::Git { git: Some(Git { branch: "main".into(), dirty: Some(2) }) },
            json!({"reply": "git", "git": {"branch": "main", "dirty": 2}}),
        ),
        (
            Reply::Commands { commands: vec![command] },
            json!({"reply": "commands", "commands": [{"name": "mode", "aliases": ["posture"],
                "arguments": [{"name": {"code": "command.arg_mode"}, "kind": {"kind": "one_of", "words": ["ask"]},
                    "optional": true}], "about": {"code": "command.mode"}, "source": "builtin", "cases": [
                    {"words": {"word": "plan"}, "planning": false,
                        "does": {"operation": [{"op": "set_mode", "mode": "plan"}]}},
                    {"does": {"overlay": "words"}}]}]}),
        ),
        (
            Reply::Completions { generation: 7, items: vec![completion], more: false },
            json!({"reply": "completions", "generation": 7, "more": false,
                "items": [{"insert": "src/", "shown": "src/", "marks": [0], "descends": true}]}),
        ),
        (
            Reply::Models { models: vec![model] },
            json!({"reply": "models", "models": [{"name": "p/m", "window": 9, "current": true, "default": false,
                "efforts": ["low"]}]}),
        ),
        (
            Reply::Sessions { sessions: vec![session], total: 1 },
            json!({"reply": "sessions", "total": 1, "sessions": [{"id": "s", "title": "T", "folder": "/w",
                "started": 1, "active": 2, "model": "p/m", "turns": 3, "ending": "done"}]}),
        ),
        (
            Reply::Tree { leaf: RecordId(2), nodes: vec![node], older: 0 },
            json!({"reply": "tree", "leaf": 2, "nodes": [{"id": 2, "depth": 0, "kind": "prompt", "text": "hi",
                "turn": 1, "at": 5, "active": true}]}),
        ),
        (
            Reply::Transcript { from: 3, total: 4, records: vec![record(RecordBody::Discarded)] },
            json!({"reply": "transcript", "from": 3, "total": 4,
                "records": [{"id": 2, "parent": 1, "at": 1700000000000_u64, "kind": "discarded"}]}),
        ),
        (
            Reply::Permissions { posture: Posture::Ask, rules: vec![rule] },
            json!({"reply": "permissions", "posture": "ask",
                "rules": [{"rule": "Bash(ls)", "effect": "allow", "origin": "session", "revocable": true}]}),
        ),
        (
            Reply::Context {
                parts: vec![ContextPart { name: Phrase::new("context.system"), tokens: 5, messages: 0 }],
                context: 3,
                window: 9,
            },
            json!({"reply": "context", "context": 3, "window": 9,
                "parts": [{"name": {"code": "context.system"}, "tokens": 5, "messages": 0}]}),
        ),
        (
            Reply::Cache(Box::new(CacheReport {
                total: CacheSum { requests: 2, bytes: 30, same: 10, input: 8, cached: 2 },
                turns: vec![CacheTurn { turn: 1, sum: CacheSum::default() }],
                breaks: vec![CacheBreak {
                    turn: 1,
                    step: 2,
                    model: "p/m".into(),
                    why: Break::ModelChange,
                    at: 10,
                    bytes: 5,
                    tokens: 2,
                    cost: Some(3),
                    currency: "USD".into(),
                }],
            })),
            json!({"reply": "cache", "total": {"requests": 2, "bytes": 30, "same": 10, "input": 8, "cached": 2},
                "turns": [{"turn": 1, "requests": 0, "bytes": 0, "same": 0, "input": 0, "cached": 0}],
                "breaks": [{"turn": 1, "step": 2, "model": "p/m", "why": "model_change", "at": 10, "bytes": 5,
                    "tokens": 2, "cost": 3, "currency": "USD"}]}),
        ),
        (
            Reply::Config {
                settings: vec![Setting {
                    key: "a.b".into(),
                    value: "1".into(),
                    origin: "default".into(),
                    about: None,
                    dial: Some(Dial { takes: Takes::OneOf { words: vec!["1".into()] }, acts: Acts::NextSession }),
                }],
            },
            json!({"reply": "config", "settings": [{"key": "a.b", "value": "1", "origin": "default",
                "dial": {"takes": "one_of", "words": ["1"], "acts": "next_session"}}]}),
        ),
        (
            Reply::History {
                hits: vec![Hit {
                    session: SessionId::from("s"),
                    record: RecordId(4),
                    folder: "/w".into(),
                    at: 5,
                    by: "user".into(),
                    text: "x".into(),
                }],
                missing: 1,
            },
            json!({"reply": "history", "hits": [{"session": "s", "record": 4, "folder": "/w", "at": 5, "by": "user",
                "text": "x"}], "missing": 1}),
        ),
        (Reply::Around { said: Vec::new() }, json!({"reply": "around", "said": []})),
        (
            Reply::Memories {
                memories: vec![MemoryInfo {
                    name: "ports".into(),
                    scope: "project".into(),
                    description: "d".into(),
                    text: "t".into(),
                    source: String::new(),
                    saved: "2026-01-01".into(),
                    revision: 2,
                }],
            },
            json!({"reply": "memories", "memories": [{"name": "ports", "scope": "project", "description": "d",
                "text": "t", "saved": "2026-01-01", "revision": 2}]}),
        ),
        (
            Reply::Servers {
                servers: vec![ServerInfo {
                    name: "git".into(),
                    origin: "~/.reasonix/config.toml".into(),
                    standing: ServerStanding::Down { reason: "it died".into() },
                    protocol: None,
                    counts: Some(ServerCounts { tools: 3, sent: 2, prompts: 1, resources: 0 }),
                    left_out: Vec::new(),
                    stderr: String::new(),
                }],
            },
            json!({"reply": "servers", "servers": [{"name": "git", "origin": "~/.reasonix/config.toml",
                "standing": "down", "reason": "it died",
                "counts": {"tools": 3, "sent": 2, "prompts": 1, "resources": 0}}]}),
        ),
        (
            Reply::Failed { why: Phrase::new("engine.not_possible") },
            json!({"reply": "failed", "why": {"code": "engine.not_possible"}}),
        ),
    ] {
        is(reply, wanted);
    }
}

#[test]
fn which_session_next() {
    is(Open::New, json!({"open": "new"}));
    is(Open::Continue, json!({"open": "continue"}));
    is(Open::Resume { session: "1a2b".into() }, json!({"open": "resume", "session": "1a2b"}));
    is(
        Open::Fork { session: "1a2b".into(), at: Some(RecordId(4)) },
        json!({"open": "fork", "session": "1a2b", "at": 4}),
    );
}

#[test]
fn questions_of_the_model() {
    let suggestion = |label: &str, note: &str| Suggestion { label: label.into(), note: note.into() };
    let inquiry = Inquiry {
        ask: AskId::from("inquiry-1"),
        call: CallId::from("c"),
        server: None,
        step: false,
        questions: vec![
            Question {
                id: "1".into(),
                question: "Which?".into(),
                options: vec![suggestion("A", "fast"), suggestion("B", "")],
                multi: true,
                recommended: Some(0),
            },
            Question { id: "2".into(), question: "Name?".into(), options: vec![], multi: false, recommended: None },
        ],
    };
    is(
        Event::InquiryOver { ask: AskId("inquiry-1".into()), answered: true, client: Some("web".into()) },
        json!({"type": "inquiry_over", "ask": "inquiry-1", "answered": true, "client": "web"}),
    );
    is(
        Event::Inquired { inquiry: Box::new(inquiry) },
        json!({"type": "inquired", "inquiry": {"ask": "inquiry-1", "call": "c", "questions": [
            {"id": "1", "question": "Which?", "options": [{"label": "A", "note": "fast"}, {"label": "B"}], "multi": true,
                "recommended": 0},
            {"id": "2", "question": "Name?"}]}}),
    );
    let responses = vec![
        Response { question: "1".into(), chosen: vec!["A".into()], text: None },
        Response { question: "2".into(), chosen: vec![], text: Some("x".into()) },
    ];
    is(
        Op::Respond { ask: AskId::from("inquiry-1"), responses },
        json!({"op": "respond", "ask": "inquiry-1", "responses": [{"question": "1", "chosen": ["A"]},
            {"question": "2", "text": "x"}]}),
    );
}

#[test]
fn plans() {
    let proposal = Proposal {
        ask: AskId::from("plan-1"),
        call: CallId::from("c"),
        plan: "# P".into(),
        steps: Vec::new(),
        revises: false,
    };
    is(
        Event::Proposed { proposal: Box::new(proposal) },
        json!({"type": "proposed", "proposal": {"ask": "plan-1", "call": "c", "plan": "# P"}}),
    );
    let ask = || AskId::from("plan-1");
    let answers = [
        (PlanAnswer::Approve { edited: None, asks: false }, json!({"answer": "approve"})),
        (
            PlanAnswer::Approve { edited: Some("x".into()), asks: true },
            json!({"answer": "approve", "edited": "x", "asks": true}),
        ),
        (PlanAnswer::Revise { note: "n".into() }, json!({"answer": "revise", "note": "n"})),
        (PlanAnswer::Cancel, json!({"answer": "cancel"})),
    ];
    for (answer, wanted) in answers {
        is(Op::AnswerPlan { ask: ask(), answer }, json!({"op": "answer_plan", "ask": "plan-1", "answer": wanted}));
    }
    is(Op::SetMode { mode: Mode::Plan }, json!({"op": "set_mode", "mode": "plan"}));
    is(Op::WorkAs { agent: "explore".into() }, json!({"op": "work_as", "agent": "explore"}));
    let planned = Planned {
        call: CallId::from("c"),
        plan: "# P".into(),
        approved: true,
        note: String::new(),
        steps: Vec::new(),
        cancelled: false,
        asks: false,
        revises: false,
        client: None,
    };
    is(
        record(RecordBody::Planned(planned.clone())),
        json!({"id": 2, "parent": 1, "at": 1700000000000_u64, "kind": "planned", "call": "c", "plan": "# P", "approved": true}),
    );
    let step = PlanStep { id: "1".into(), title: "Read".into(), action: String::new(), risk: Some(StepRisk::Med) };
    is(
        record(RecordBody::Planned(Planned { steps: vec![step], approved: false, cancelled: true, ..planned })),
        json!({"id": 2, "parent": 1, "at": 1700000000000_u64, "kind": "planned", "call": "c", "plan": "# P",
            "approved": false, "steps": [{"id": "1", "title": "Read", "risk": "med"}], "cancelled": true}),
    );
    let (ask, call, plan) = (AskId::from("plan-2"), CallId::from("c"), "why".to_owned());
    is(
        Event::Proposed { proposal: Box::new(Proposal { ask, call, plan, steps: Vec::new(), revises: true }) },
        json!({"type": "proposed", "proposal": {"ask": "plan-2", "call": "c", "plan": "why", "revises": true}}),
    );
    let ran = Validation {
        turn: 1,
        round: 1,
        call: CallId::from("validation-1-1"),
        command: "cargo test".into(),
        from: "Cargo.toml".into(),
        took_ms: 0,
        outcome: None,
        verdict: None,
    };
    let begun = json!({"id": 2, "parent": 1, "at": 1700000000000_u64, "kind": "validation", "turn": 1, "round": 1,
        "call": "validation-1-1", "command": "cargo test", "from": "Cargo.toml"});
    is(record(RecordBody::Validation(Box::new(ran.clone()))), begun.clone());
    let mut over = begun;
    over["took_ms"] = json!(5);
    over["outcome"] = json!({"status": "aborted"});
    over["verdict"] = json!("stopped");
    let (outcome, verdict) = (Some(ToolOutcome::Aborted), Some(ValidationVerdict::Stopped));
    is(record(RecordBody::Validation(Box::new(Validation { took_ms: 5, outcome, verdict, ..ran }))), over);
    let changed = RecordBody::AgentChanged { agent: "explore".into(), system: None, tools: None, specs: None };
    is(
        record(changed),
        json!({"id": 2, "parent": 1, "at": 1700000000000_u64, "kind": "agent_changed", "agent": "explore"}),
    );
    is(
        record(RecordBody::ModeChanged { mode: Mode::Build }),
        json!({"id": 2, "parent": 1, "at": 1700000000000_u64, "kind": "mode_changed", "mode": "build"}),
    );
}

#[test]
fn pictures() {
    let image = Image {
        uri: "artifact://0123456789abcdef".into(),
        media: "image/png".into(),
        bytes: 33,
        width: 2,
        height: 3,
        pages: 0,
        name: "a.png".into(),
        data: ImageData::default(),
    };
    let written = json!({"uri": "artifact://0123456789abcdef", "media": "image/png", "bytes": 33, "width": 2, "height": 3,
        "name": "a.png"});
    is(
        RecordBody::Prompt { turn: 1, text: "hi".into(), typed: None, images: vec![image.clone()] },
        json!({"kind": "prompt", "turn": 1, "text": "hi", "images": [written]}),
    );
    let paper = Image { media: "application/pdf".into(), width: 0, height: 0, pages: 2, ..image.clone() };
    is(
        paper,
        json!({"uri": "artifact://0123456789abcdef", "media": "application/pdf", "bytes": 33, "width": 0, "height": 0,
            "pages": 2, "name": "a.png"}),
    );
    // The bytes are never written.
    let here = Image { data: ImageData(Some(b"abc"[..].into())), ..image };
    assert_eq!(serde_json::to_value(here).unwrap(), written);
    is(Message::user("hi"), json!({"role": "user", "text": "hi"}));
}

#[test]
fn changes_of_a_turn() {
    is(Query::Changes { turn: Some(3) }, json!({"query": "changes", "turn": 3}));
    is(Query::Changes { turn: None }, json!({"query": "changes"}));
    is(
        Reply::Changes { turn: 3, changes: Vec::new(), notes: Vec::new() },
        json!({"reply": "changes", "turn": 3, "changes": []}),
    );
}
