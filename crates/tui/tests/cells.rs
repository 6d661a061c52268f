//! Each cell as a person sees it: at three sizes, on dark and light, in English and Chinese.

use crate::support;

use reasonix_proto::{
    Asking, BrokenCitation, CallId, Change, ChangeKind, Citation, Decided, Details, Event, Level, Message, Phrase,
    Posture, Record, RecordBody, RecordId, StopReason, TodoItem, TodoPhase, TodoStatus, ToolCall, ToolOutcome, TurnEnd,
    Usage,
};
use reasonix_tui::{Look, Transcript};
use std::time::Duration;
use support::{assert_snapshot, look, looks, rows, screen, styles};

fn record(body: RecordBody) -> Box<Record> {
    Box::new(Record { id: RecordId(9), parent: None, at: 5_000, body })
}

fn prompt(text: &str) -> Event {
    Event::TurnStarted {
        record: record(RecordBody::Prompt { turn: 1, text: text.into(), typed: None, images: Vec::new() }),
    }
}

fn message(text: &str, calls: &[(&str, &str, &str)]) -> Event {
    let calls: Vec<ToolCall> = calls
        .iter()
        .map(|(id, name, arguments)| ToolCall {
            id: CallId((*id).into()),
            name: (*name).into(),
            arguments: (*arguments).into(),
        })
        .collect();
    let stop = if calls.is_empty() { StopReason::End } else { StopReason::Calls };
    let message = Message::Assistant { text: text.into(), reasoning: None, calls, stop };
    let body = RecordBody::Assistant { turn: 1, step: 1, model: "local/qwen".into(), message, usage: None };
    Event::Message { record: record(body) }
}

fn started(call: &str, tool: &str, subject: &str) -> Event {
    Event::ToolStarted { call: CallId(call.into()), tool: tool.into(), subject: subject.into() }
}

fn outcome(call: &str, tool: &str, took_ms: u64, outcome: ToolOutcome) -> Event {
    let body = RecordBody::Outcome { call: CallId(call.into()), tool: tool.into(), took_ms, outcome };
    Event::ToolEnded { record: record(body) }
}

fn ran(call: &str, command: &str, code: i32, output: &str) -> Vec<Event> {
    let details = Details { exit_code: Some(code), ..Details::default() };
    vec![started(call, "bash", command), outcome(call, "bash", 2_340, ToolOutcome::detailed(output, details))]
}

fn turn_ended(end: TurnEnd) -> Event {
    let usage = Usage { input: 12_345, output: 678, cached: 11_000, reasoning: 100, written: 0 };
    let body = RecordBody::TurnEnded { turn: 1, end, steps: 3, usage, cost: None };
    Event::TurnEnded { record: Box::new(Record { at: 9_200, ..*record(body) }) }
}

const ANSWER: &str = "## What was wrong\n\n`total` in [price.sh:4](price.sh:4) **added** the count and the price; it multiplies them now. 价格乘以数量，而不是相加。\n\n1. I read both files.\n2. I ran `test.sh` before and after.\n   - one failed before\n   - all passed after\n\n| case | before | 之后 |\n|:--|--:|:-:|\n| 3 items at 4 | 7 | 12 |\n| 十个苹果，每个五元 | 15 | 50 |\n\n```rust\nfn total(count: u32, price: u32) -> u32 {\n    count * price // not `+`\n}\n```\n\n> Tests are the specification.\n\n- [x] fixed\n- [ ] released, see <https://example.org/notes>\n";

#[allow(clippy::too_many_lines, reason = "a list")]
fn scenes() -> Vec<(&'static str, Vec<Event>)> {
    vec![
        ("user", vec![
            prompt("The test in test.sh fails. Find out why and fix it.\n\n请顺便更新 README，并且用中文写一段简短的说明，不要太长。"),
            Event::Noted { record: record(RecordBody::Note { turn: 1, text: "and keep the old name".into(), typed: None, images: Vec::new(), by_user: true }) },
        ]),
        ("shell", {
            let body = RecordBody::Shell { turn: 1, command: "git status --short".into(), keep: true };
            let outcome = ToolOutcome::detailed(" M price.sh\n?? notes.txt\n", Details { exit_code: Some(0), ..Details::default() });
            let done = RecordBody::ShellEnded { turn: 1, command: "git status --short".into(), keep: true, took_ms: 12, outcome };
            vec![Event::TurnStarted { record: record(body) }, Event::ToolEnded { record: record(done) }]
        }),
        ("answer", vec![Event::Text { delta: ANSWER.into() }, message(ANSWER, &[])]),
        ("answer-streaming", vec![prompt("explain"), Event::Text { delta: "It **adds** instead of mul".into() }]),
        ("plan", vec![message("I read the script and its test first, then I run the test.", &[("a", "read_file", "{\"path\": \"price.sh\"}")]), outcome("a", "read_file", 1, ToolOutcome::done("1  total() {\n2  }\n"))]),
        ("reasoning-streaming", vec![Event::Reasoning { delta: "The test expects 12 for 3 items at 4.\nThe function gives 7, which is 3 + 4.\nSo it adds. 应该是乘法。\nI should look at the callers, too.\nThere is only one.".into() }]),
        ("reasoning", vec![Event::Reasoning { delta: "The test expects 12.\nIt gives 7.".into() }, Event::Text { delta: "It adds.".into() }, message("It adds.", &[])]),
        ("tool-drafting", vec![Event::Arguments { index: 0, name: "write_file".into(), delta: "{\"path\": \"src/说明.md\", \"content\": \"# Notes\\n\\nfirst line\\nsecond line\\n第三行\\nfourth".into() }]),
        ("tool-running", vec![
            started("a", "bash", "cargo test --workspace --all-features -- --nocapture"),
            Event::ToolProgress { call: CallId("a".into()), delta: "   Compiling reasonix v0.1.0\n\u{1b}[1m\u{1b}[32mrunning 3 tests\u{1b}[0m\ntest one ... ok\n10%\r50%\r99%\n测试 two ... ok\n".into() },
            started("b", "grep", "fn total"),
        ]),
        ("tool-asked", vec![message("", &[("a", "bash", "{\"command\": \"rm -rf target\"}")]), Event::Asked { asking: Box::new(asking()) }]),
        ("tool-asked-about-a-host", {
            let host = Asking { subject: "example.com".into(), ..asking() };
            vec![started("a", "bash", "curl -s http://example.com/x"), Event::Asked { asking: Box::new(host) }]
        }),
        ("tool-done", [
            message("", &[("a", "read_file", "{}"), ("b", "grep", "{}"), ("c", "bash", "{}")]).into_vec(),
            vec![started("a", "read_file", "price.sh"), outcome("a", "read_file", 1, ToolOutcome::done("one\ntwo\n"))],
            vec![started("b", "grep", "total"), outcome("b", "grep", 3, ToolOutcome::detailed("price.sh:4\n", Details { count: Some(1), ..Details::default() }))],
            ran("c", "bash test.sh", 0, "ok      total of 3 items at 4 each\nok      10 percent off 200\nall tests passed\n"),
        ].concat()),
        ("tool-failed", [
            ran("a", "bash test.sh\necho done", 1, &format!("{}FAILED  total of 3 items at 4 each: 7\n", "line\n".repeat(20))),
            vec![outcome("b", "read_file", 0, ToolOutcome::failed_with("there is no file prices.sh", "did you mean price.sh? Use ls to see what is there."))],
            vec![outcome("c", "bash", 0, ToolOutcome::Denied { by: "The user refused this call.".into() })],
            vec![outcome("d", "bash", 0, ToolOutcome::Aborted)],
        ].concat()),
        ("tool-granted", {
            let decided = serde_json::json!({"call": "c", "allowed": true, "by": "user", "ask": "1", "granted": "Bash(cargo test:*)"});
            let decided: Decided = serde_json::from_value(decided).unwrap();
            let mut events = vec![message("", &[("c", "bash", "{\"command\": \"cargo test\"}")]), Event::Answered { record: record(RecordBody::Decided(decided)) }];
            events.extend(ran("c", "cargo test", 0, "ok\n"));
            events
        }),
        ("edit", vec![started("a", "edit_file", "price.sh"), outcome("a", "edit_file", 2, edit())]),
        ("edit-several", vec![started("a", "apply_patch", "price.sh, docs/说明.md"), outcome("a", "apply_patch", 2, patch())]),
        ("todo", vec![outcome("a", "todo_write", 0, todo())]),
        ("notice", vec![
            Event::Notice { level: Level::Info, phrase: Phrase::new("tui.retried") },
            Event::Notice { level: Level::Warning, phrase: Phrase::new("tui.theme_unknown").with("name", "solarised").with("known", "dark, light") },
            Event::Notice { level: Level::Error, phrase: Phrase::new("llm.unreachable").with("url", "http://127.0.0.1:8000/v1").with("reason", "connection refused") },
        ]),
        ("turn-done", vec![prompt("x"), turn_ended(TurnEnd::Done)]),
        ("turn-interrupted", vec![prompt("x"), turn_ended(TurnEnd::Interrupted)]),
        ("turn-failed", vec![prompt("x"), turn_ended(TurnEnd::ProviderFailed { class: reasonix_proto::FailureClass::Unreachable, why: Phrase::new("llm.unreachable").with("url", "http://127.0.0.1:8000/v1").with("reason", "connection refused") })]),
        ("citations", {
            let cited = |text: &str, broken| Citation { text: text.into(), start: 0, path: "a".into(), line: 1, end: None, broken };
            let text = "`total` is in price.sh:4, its test in test.sh:99 and in gone.sh:1.";
            let citations = vec![cited("price.sh:4", None), cited("test.sh:99", Some(BrokenCitation::NoLine { lines: 12 })), cited("gone.sh:1", Some(BrokenCitation::NoFile))];
            vec![message(text, &[]), Event::Cited { record: RecordId(9), citations }]
        }),
        ("markers", vec![
            Event::Changed { record: record(RecordBody::ModelChanged { model: "deepseek/chat".into(), effort: Some("high".into()) }) },
            Event::Changed { record: record(RecordBody::PostureChanged { posture: Posture::Auto }) },
            serde_json::from_value(serde_json::json!({"type": "compacted", "record": {"id": 9, "parent": null, "at": 0, "kind": "compacted", "turn": 3, "reason": "threshold", "by": "log", "tail": [], "before": 61_000, "after": 9_400}})).unwrap(),
        ]),
        ("subagent", vec![
            started("a", "task", "find every caller of total"),
            Event::ToolProgress { call: CallId("a".into()), delta: "grep total\nread_file price.sh\nread_file test.sh\n".into() },
        ]),
        ("hostile", [
            ran("a", "printf '\u{1b}[2J\u{202e}evil'", 0, "\u{1b}[2J\u{1b}]0;title\u{7}clear\u{202e}back\u{200b}\nzalgo e\u{301}\u{301}\u{301}\u{301}\u{301}\u{301}\u{301}\u{301}\u{301}\u{301}\u{301}\n"),
            vec![message("an \u{1b}[31mescape\u{1b}[0m and a \u{202e}turn", &[])],
        ].concat()),
    ]
}

trait IntoVec {
    fn into_vec(self) -> Vec<Event>;
}

impl IntoVec for Event {
    fn into_vec(self) -> Vec<Event> {
        vec![self]
    }
}

fn asking() -> Asking {
    let asking = serde_json::json!({
        "ask": "1", "call": "a", "tool": "bash", "subject": "rm -rf target", "why": {"code": "policy.mode"},
    });
    serde_json::from_value(asking).unwrap()
}

fn change(path: &str, kind: ChangeKind, diff: &str) -> Change {
    let count = |sign: char| {
        diff.lines().filter(move |line| line.starts_with(sign) && !line.starts_with("+++") && !line.starts_with("---"))
    };
    let (added, removed) = (count('+').count(), count('-').count());
    Change { path: path.into(), kind, added: added as u32, removed: removed as u32, diff: diff.into(), hunks: vec![] }
}

fn edit() -> ToolOutcome {
    let diff = "--- a/price.sh\n+++ b/price.sh\n@@ -2,4 +2,4 @@\n # The price of so many items.\n \n-total() { echo $(( $1 + $2 )); }\n+total() { echo $(( $1 * $2 )); }\n discount() { echo $(( $1 - $1 * $2 / 100 )); }\n";
    let changes = vec![change("price.sh", ChangeKind::Updated, diff)];
    ToolOutcome::detailed("updated", Details { changes, ..Details::default() })
}

fn patch() -> ToolOutcome {
    let first = "@@ -1 +1,2 @@\n-a line that goes away entirely\n+something else in its place\n+and one more\n";
    let second = "@@ -0,0 +1,2 @@\n+# 说明\n+价格乘以数量。\n";
    let changes =
        vec![change("price.sh", ChangeKind::Updated, first), change("docs/说明.md", ChangeKind::Created, second)];
    ToolOutcome::detailed("updated", Details { changes, ..Details::default() })
}

fn todo() -> ToolOutcome {
    let item = |content: &str, status| TodoItem { content: content.into(), status, notes: vec![] };
    let tasks = vec![
        item("read the script and its test", TodoStatus::Completed),
        item("修复 total 函数", TodoStatus::InProgress),
        item("run the test again and say what it said, in full and in the user's language", TodoStatus::Pending),
        item("rewrite it in Rust", TodoStatus::Abandoned),
    ];
    let todo = Some(vec![TodoPhase { name: "Todos".into(), tasks }]);
    ToolOutcome::detailed("[x] …", Details { todo, ..Details::default() })
}

fn draw(events: &[Event], look: &Look, width: u16, height: u16) -> vt100::Parser {
    let mut transcript = Transcript::default();
    for event in events {
        transcript.apply(event, Duration::from_secs(1));
    }
    let mut lines = transcript.take_finished(width, look);
    lines.extend(transcript.live(width, look, usize::from(height), Duration::from_secs(4)));
    screen(&lines, width, height)
}

#[test]
fn each_cell_at_each_size() {
    for (name, events) in scenes() {
        let mut text = String::new();
        for (width, height, dark, lang) in looks() {
            let shown = draw(&events, &look(dark, lang), width, height);
            let background = if dark { "dark" } else { "light" };
            // What differs between backgrounds is the colours; they are kept once.
            if dark {
                text.push_str(&format!("=== {width}x{height} {lang:?}\n{}\n\n", rows(&shown)));
            }
            if width == 80 && lang == reasonix_words::Lang::En {
                text.push_str(&format!("=== colours on {background}\n{}\n\n", styles(&shown)));
            }
        }
        assert_snapshot(&format!("cells/{name}"), &text);
    }
}

#[test]
fn light_and_dark_have_the_same_text() {
    for (name, events) in scenes() {
        for (width, height, dark, lang) in looks() {
            let shown = rows(&draw(&events, &look(dark, lang), width, height));
            assert_eq!(shown, rows(&draw(&events, &look(!dark, lang), width, height)), "{name}");
        }
    }
}

#[test]
fn without_colours_and_without_unicode_everything_can_still_be_told() {
    let plain = Look {
        theme: reasonix_tui::theme::Theme::built_in(true, reasonix_tui::Colours::None),
        colours: reasonix_tui::Colours::None,
        unicode: false,
        ..Look::default()
    };
    let mut text = String::new();
    for (name, events) in scenes() {
        let shown = draw(&events, &plain, 80, 40);
        text.push_str(&format!("=== {name}\n{}\n\n", rows(&shown)));
    }
    assert_snapshot("cells-plain", &text);
}
