use super::Transcript;
use crate::Look;
use crate::text::columns;
use pretty_assertions::assert_eq;
use proptest::prelude::*;
use ratatui_core::text::Line;
use reasonix_proto::{
    BrokenCitation, CallId, Citation, Claim, ClaimKind, ClaimStatus, Claimed, Details, Event, Level, Message, Phrase,
    Reasoning, Record, RecordBody, RecordId, StopReason, ToolCall, ToolOutcome, TurnEnd, Usage,
};
use std::time::Duration;

fn record(body: RecordBody) -> Box<Record> {
    Box::new(Record { id: RecordId(7), parent: None, at: 1000, body })
}

fn prompt(text: &str) -> Event {
    let body = RecordBody::Prompt { turn: 1, text: text.to_owned(), typed: None, images: Vec::new() };
    Event::TurnStarted { record: record(body) }
}

fn message(text: &str, calls: &[&str]) -> Event {
    let calls: Vec<ToolCall> = calls
        .iter()
        .map(|call| ToolCall {
            id: CallId((*call).to_owned()),
            name: "bash".to_owned(),
            arguments: format!("{{\"command\": \"run {call}\"}}"),
        })
        .collect();
    let stop = if calls.is_empty() { StopReason::End } else { StopReason::Calls };
    let message = Message::Assistant { text: text.to_owned(), reasoning: None, calls, stop };
    let body = RecordBody::Assistant { turn: 1, step: 1, model: "a/b".to_owned(), message, usage: None };
    Event::Message { record: record(body) }
}

fn outcome(call: &str, outcome: ToolOutcome) -> Event {
    let body = RecordBody::Outcome { call: CallId(call.to_owned()), tool: "bash".to_owned(), took_ms: 12, outcome };
    Event::ToolEnded { record: record(body) }
}

fn ended() -> Event {
    let body = RecordBody::TurnEnded { turn: 1, end: TurnEnd::Done, steps: 1, usage: Usage::default(), cost: None };
    Event::TurnEnded { record: record(body) }
}

fn text(delta: &str) -> Event {
    Event::Text { delta: delta.to_owned() }
}

fn strings(lines: &[Line<'_>]) -> Vec<String> {
    lines.iter().map(|line| line.to_string().trim_end().to_owned()).collect()
}

fn apply(transcript: &mut Transcript, events: &[Event]) {
    for event in events {
        transcript.apply(event, Duration::ZERO);
    }
}

fn shown(events: &[Event]) -> (Vec<String>, Vec<String>) {
    let (mut transcript, look) = (Transcript::default(), Look::default());
    apply(&mut transcript, events);
    let finished = strings(&transcript.take_finished(60, &look));
    (finished, strings(&transcript.live(60, &look, 50, Duration::ZERO)))
}

#[test]
fn only_a_prompt_that_was_interrupted_can_be_sent_again() {
    let end =
        RecordBody::TurnEnded { turn: 1, end: TurnEnd::Interrupted, steps: 0, usage: Usage::default(), cost: None };
    let end = Event::TurnEnded { record: record(end) };
    let shell = RecordBody::Shell { turn: 1, command: "sleep 9".to_owned(), keep: true };
    let shell = Event::TurnStarted { record: record(shell) };
    for (begin, retry) in [(prompt("hello"), true), (shell, false)] {
        let (mut transcript, look) = (Transcript::default(), Look::default());
        transcript.apply(&begin, Duration::ZERO);
        // What is finished is in the scrollback long before the end.
        transcript.take_finished(100, &look);
        transcript.apply(&end, Duration::ZERO);
        let said = strings(&transcript.take_finished(100, &look)).join("\n");
        assert!(said.contains("interrupted"), "{said}");
        assert_eq!(said.contains("/retry"), retry, "{said}");
    }
}

#[test]
fn a_turn_with_a_plan_a_call_and_an_answer() {
    let events = [
        prompt("do it"),
        text("I will "),
        text("run it."),
        message("I will run it.", &["c1"]),
        Event::ToolStarted { call: CallId("c1".into()), tool: "bash".into(), subject: "make".into() },
        outcome("c1", ToolOutcome::detailed("ok\n", Details { exit_code: Some(0), ..Details::default() })),
        text("Done."),
        message("Done.", &[]),
        ended(),
    ];
    let (finished, live) = shown(&events);
    let expected = [
        "❯ do it",
        "",
        "▹ PLAN",
        "  I will run it.",
        "",
        "✓ bash $ make · 1 line · 12 ms",
        "    ok",
        "",
        "▸ ANSWER",
        "  Done.",
        "",
        "  1 step · 0 ms",
    ];
    assert_eq!(finished, expected);
    assert!(live.is_empty());
}

#[test]
fn what_streams_is_live_and_called_an_answer_until_calls_follow() {
    let (finished, live) = shown(&[prompt("x"), text("Let me see")]);
    assert_eq!(finished, ["❯ x"]);
    assert_eq!(live, ["", "▸ ANSWER", "  Let me see"]);
}

#[test]
fn arguments_grow_and_the_call_finds_its_cell_again() {
    let events = [
        prompt("x"),
        Event::Arguments {
            index: 0,
            name: "write_file".into(),
            delta: "{\"path\": \"a.rs\", \"content\": \"one\\n".into(),
        },
        Event::Arguments { index: 0, name: "write_file".into(), delta: "two".into() },
    ];
    let (_, live) = shown(&events);
    assert_eq!(live, ["", "◦ write_file a.rs · writing, 2 lines", "    one", "    two"]);
}

#[test]
fn calls_that_run_together_are_finished_in_order() {
    let started = |call: &str| Event::ToolStarted {
        call: CallId(call.to_owned()),
        tool: "bash".into(),
        subject: format!("run {call}"),
    };
    let events =
        [prompt("x"), message("", &["a", "b"]), started("a"), started("b"), outcome("b", ToolOutcome::done("second"))];
    let (finished, live) = shown(&events);
    assert_eq!(finished, ["❯ x"]);
    assert_eq!(live, ["", "⋯ bash $ run a", "✓ bash $ run b · 1 line", "    second"]);
}

#[test]
fn what_failed_or_was_refused_says_why() {
    let events = [
        message("", &["a", "b"]),
        outcome("a", ToolOutcome::failed_with("no such file\nreally", "look first")),
        outcome("b", ToolOutcome::Denied { by: "rule Bash(rm:*)".to_owned() }),
        ended(),
    ];
    let (finished, _) = shown(&events);
    let expected = [
        "✗ bash $ run a · failed",
        "    no such file",
        "    really",
        "⊘ bash $ run b · blocked",
        "    rule Bash(rm:*)",
    ];
    assert_eq!(finished[..5], expected, "what the model is advised to do is not said to people");
    let mut open = Transcript::default();
    open.set_unfolded(true);
    apply(&mut open, &events);
    let lines = strings(&open.take_finished(60, &Look::default()));
    assert!(lines.contains(&"    hint: look first".to_owned()), "but to whoever looks closely: {lines:?}");
}

#[test]
fn what_the_user_said_with_a_no_stands_below_the_call() {
    let call = CallId::from("a");
    let decided =
        reasonix_proto::Decided { call, by: "user".into(), words: Some("use ninja".into()), ..Default::default() };
    let events = [
        message("", &["a"]),
        Event::Answered { record: record(RecordBody::Decided(decided)) },
        outcome("a", ToolOutcome::Denied { by: "words for the model".to_owned() }),
        ended(),
    ];
    assert_eq!(shown(&events).0[..2], ["⊘ bash $ run a · blocked", "    you refused it: use ninja"]);
}

#[test]
fn a_long_answer_leaves_for_the_scrollback_while_it_streams() {
    let (mut transcript, look) = (Transcript::default(), Look::default());
    apply(&mut transcript, &[prompt("x")]);
    let mut finished = strings(&transcript.take_finished(40, &look));
    transcript.live(40, &look, 6, Duration::ZERO);
    let mut whole = String::new();
    for index in 0..30 {
        let paragraph = format!("paragraph {index}\n\n");
        whole.push_str(&paragraph);
        transcript.apply(&text(&paragraph), Duration::ZERO);
        finished.extend(strings(&transcript.take_finished(40, &look)));
        assert!(transcript.live(40, &look, 6, Duration::ZERO).len() <= 6);
    }
    assert!(finished.len() > 40, "{finished:#?}");
    transcript.apply(&message(&whole, &[]), Duration::ZERO);
    transcript.apply(&ended(), Duration::ZERO);
    finished.extend(strings(&transcript.take_finished(40, &look)));
    let mut expected = vec!["❯ x".to_owned(), String::new(), "▸ ANSWER".to_owned()];
    for index in 0..30 {
        expected.extend([format!("  paragraph {index}"), String::new()]);
    }
    expected.push("  1 step · 0 ms".to_owned());
    assert_eq!(finished, expected);
}

#[test]
fn a_plan_whose_heading_is_gone_says_so_at_its_end() {
    let (mut transcript, look) = (Transcript::default(), Look::default());
    transcript.live(40, &look, 2, Duration::ZERO);
    let plan = "one\n\ntwo\n\nthree\n\nfour";
    apply(&mut transcript, &[text(plan)]);
    let mut lines = strings(&transcript.take_finished(40, &look));
    apply(&mut transcript, &[message(plan, &["a"])]);
    lines.extend(strings(&transcript.take_finished(40, &look)));
    assert_eq!(lines.first().unwrap(), "▸ ANSWER");
    assert_eq!(lines.last().unwrap(), "  (PLAN)");
}

#[test]
fn pieces_that_were_lost_on_the_way_are_put_in() {
    let (finished, _) = shown(&[text("half"), message("half and the rest", &[]), ended()]);
    assert_eq!(finished[..2], ["▸ ANSWER", "  half and the rest"]);
}

#[test]
fn a_stand_in_for_no_answer_is_not_shown() {
    let message = Message::Assistant {
        text: "[interrupted]".into(),
        reasoning: None,
        calls: vec![],
        stop: StopReason::Interrupted,
    };
    let body = RecordBody::Assistant { turn: 1, step: 1, model: "m".into(), message, usage: None };
    let (finished, _) = shown(&[prompt("x"), Event::Message { record: record(body) }]);
    assert_eq!(finished, ["❯ x"]);
}

#[test]
fn broken_citations_are_struck_out_and_listed() {
    let cited = |broken| Citation {
        text: "src/a.rs:99".into(),
        start: 4,
        path: "src/a.rs".into(),
        line: 99,
        end: None,
        broken,
    };
    let events = [
        text("see src/a.rs:99"),
        message("see src/a.rs:99", &[]),
        Event::Cited { record: RecordId(7), citations: vec![cited(Some(BrokenCitation::NoLine { lines: 3 }))] },
        ended(),
    ];
    let (mut transcript, look) = (Transcript::default(), Look::default());
    let mut lines = Vec::new();
    for event in &events {
        transcript.apply(event, Duration::ZERO);
        lines.extend(transcript.take_finished(60, &look));
    }
    let crossed = lines[1].spans.iter().find(|span| span.content == "src/a.rs:99").unwrap();
    assert!(crossed.style.add_modifier.contains(ratatui_core::style::Modifier::CROSSED_OUT));
    let text = strings(&lines);
    assert_eq!(text[2..4], ["✗ named in the answer, but not there:", "  src/a.rs:99  the file has 3 lines"]);

    let (good, _) =
        shown(&[message("see src/a.rs:99", &[]), Event::Cited { record: RecordId(7), citations: vec![cited(None)] }]);
    assert_eq!(good, ["▸ ANSWER", "  see src/a.rs:99"]);
}

#[test]
fn what_the_log_says_to_claims_stands_behind_the_answer() {
    let claim = |status, code: &'static str| Claim {
        kind: ClaimKind::Tests,
        quote: "All tests pass".into(),
        from: 0,
        to: 14,
        status,
        by: Vec::new(),
        why: Phrase::new(code).with("command", "cargo test"),
    };
    let lines = |claims: Vec<Claim>| {
        let claimed = Claimed { turn: 1, record: RecordId(7), claims };
        let claimed = Event::Claimed { record: record(RecordBody::Claimed(Box::new(claimed))) };
        shown(&[text("All tests pass."), message("All tests pass.", &[]), claimed, ended()]).0
    };
    let bad = lines(vec![
        claim(ClaimStatus::Unsupported, "evidence.not_run"),
        claim(ClaimStatus::Verified, "evidence.proved"),
    ]);
    assert_eq!(bad[..2], ["▸ ANSWER", "  All tests pass."]);
    assert!(bad[2..].iter().any(|line| line.contains("not supported: “All tests pass”")), "{bad:?}");
    assert!(!bad.iter().any(|line| line.contains("verified")), "{bad:?}");
    let good = lines(vec![claim(ClaimStatus::Verified, "evidence.proved")]);
    assert!(good.iter().any(|line| line.contains("verified: “All tests pass” (`cargo test`)")), "{good:?}");
}

#[test]
fn reasoning_is_folded_when_it_is_done() {
    let thinking = [Event::Reasoning { delta: "first\nsecond".into() }];
    assert_eq!(shown(&thinking).1, ["∴ thinking", "  first", "  second"]);
    let done = [thinking[0].clone(), text("Answer")];
    assert_eq!(shown(&done).0, ["∴ thought, 2 lines"]);
    let mut transcript = Transcript::default();
    transcript.set_unfolded(true);
    apply(&mut transcript, &done);
    let lines = transcript.take_finished(60, &Look::default());
    assert_eq!(strings(&lines), ["∴ thought, 2 lines", "  first", "  second"]);
}

/// An output of so many numbered lines.
fn numbered(lines: u32) -> ToolOutcome {
    let text: String = (1..=lines).map(|number| format!("{number}\n")).collect();
    let details = reasonix_proto::Details { exit_code: Some(0), ..reasonix_proto::Details::default() };
    ToolOutcome::detailed(text, details)
}

#[test]
fn a_long_diff_counts_what_it_leaves_out() {
    let kept: String = (1..=197).map(|number| format!("+item-{number}\n")).collect();
    let diff = format!("--- /dev/null\n+++ b/new.txt\n@@ -0,0 +1,400 @@\n{kept}[203 more diff lines]\n");
    let change: reasonix_proto::Change = serde_json::from_value(
        serde_json::json!({"path": "new.txt", "kind": "created", "added": 400, "removed": 0, "diff": diff}),
    )
    .unwrap();
    let details = reasonix_proto::Details { changes: vec![change], ..reasonix_proto::Details::default() };
    let lines = shown(&[message("", &["a"]), outcome("a", ToolOutcome::detailed("", details))]).0;
    let seen = lines.iter().filter(|line| line.contains("item-")).count();
    let more = lines.iter().find(|line| line.contains("more lines")).cloned().unwrap_or_default();
    assert!(more.contains(&format!("{} more lines", 400 - seen)), "{seen} seen: {more}");
    assert!(!lines.iter().any(|line| line.contains("diff lines")), "{lines:?}");
}

#[test]
fn an_output_shows_its_beginning_and_its_end_with_the_right_count() {
    let lines = |outcome_of: u32| {
        let events = [message("", &["a"]), outcome("a", numbered(outcome_of))];
        shown(&events).0.into_iter().map(|line| line.trim().to_owned()).skip(1).collect::<Vec<_>>()
    };
    assert_eq!(lines(11).len(), 11, "one line more is shown, not counted");
    for many in [12, 5000] {
        let wanted: Vec<String> = (1..=5)
            .map(|number: u32| number.to_string())
            .chain([format!("… {} more lines · Ctrl+O shows all", many - 10)])
            .chain((many - 4..=many).map(|number| number.to_string()))
            .collect();
        assert_eq!(lines(many), wanted);
    }
}

#[test]
fn what_was_shown_in_part_is_opened_below_where_it_left_for_the_scrollback() {
    let mut transcript = Transcript::default();
    apply(
        &mut transcript,
        &[message("", &["a"]), outcome("a", numbered(30)), text("Done."), message("Done.", &[]), ended()],
    );
    let before = strings(&transcript.take_finished(60, &Look::default()));
    assert!(!before.iter().any(|line| line.trim() == "15"), "{before:?}");
    transcript.set_unfolded(true);
    transcript.reopen(60, &Look::default());
    let after = strings(&transcript.take_finished(60, &Look::default()));
    let numbers: Vec<&str> = after.iter().map(|line| line.trim()).filter(|line| line.parse::<u32>().is_ok()).collect();
    assert_eq!((numbers.len(), numbers[14]), (30, "15"), "{after:?}");
    let mut nothing = Transcript::default();
    apply(&mut nothing, &[text("Done."), message("Done.", &[]), ended()]);
    nothing.take_finished(60, &Look::default());
    nothing.reopen(60, &Look::default());
    assert!(nothing.take_finished(60, &Look::default()).is_empty(), "nothing was shown in part");
}

#[test]
fn a_session_that_is_taken_up_again_looks_like_it_did() {
    let events = [
        prompt("x"),
        text("plan"),
        message("plan", &["a"]),
        outcome("a", ToolOutcome::done("out")),
        text("answer"),
        message("answer", &[]),
        ended(),
    ];
    let (live, _) = shown(&events);
    let records: Vec<Record> = events
        .iter()
        .filter_map(|event| match event {
            Event::TurnStarted { record }
            | Event::Message { record }
            | Event::ToolEnded { record }
            | Event::TurnEnded { record } => Some((**record).clone()),
            _ => None,
        })
        .collect();
    let mut transcript = Transcript::default();
    transcript.recall(&records);
    assert_eq!(strings(&transcript.take_finished(60, &Look::default())), live);
}

#[test]
fn a_session_of_any_length_keeps_within_its_bound() {
    let most = 256 * 1024;
    let mut transcript = Transcript { most, ..Transcript::default() };
    let output = "a line of output that is not short\n".repeat(200);
    for index in 0..500 {
        let call = format!("c{index}");
        apply(
            &mut transcript,
            &[prompt("go on"), message("I look.", &[&call]), outcome(&call, ToolOutcome::done(output.as_str()))],
        );
        transcript.take_finished(80, &Look::default());
    }
    let counted: usize = transcript.entries.iter().map(super::Entry::weight).sum();
    assert!(counted <= most + 16 * 1024, "{counted}");
    assert!(transcript.weight.abs_diff(counted) < 16 * 1024, "{} and {counted}", transcript.weight);
    assert!(size_of::<super::Entry>() <= 48, "an entry takes {} bytes", size_of::<super::Entry>());
    let all = transcript.all(80, &Look::default(), Duration::ZERO);
    assert!(all.first().unwrap().to_string().contains("what came before"), "{}", all.first().unwrap());
    let window = transcript.window(80, &Look::default(), 10, 0, Duration::ZERO);
    assert_eq!(window.lines.len(), 10);
    assert!(window.above);
}

#[test]
fn a_window_is_a_part_of_the_whole() {
    let mut transcript = Transcript::default();
    let look = Look::default();
    for index in 0..30 {
        apply(&mut transcript, &[prompt(&format!("prompt {index}")), message("answer\n\nmore", &[]), ended()]);
    }
    let all = strings(&transcript.all(50, &look, Duration::ZERO));
    for up in [0, 1, 7, 100, 10_000] {
        let window = transcript.window(50, &look, 12, up, Duration::ZERO);
        let end = all.len() - window.up;
        assert_eq!(strings(&window.lines), all[end - 12..end], "{up}");
    }
    let (entry, text) = transcript.search("PROMPT 3").last().unwrap();
    assert_eq!(text, "prompt 3");
    let up = transcript.window_at(entry, 50, &look, Duration::ZERO);
    assert_eq!(all[all.len() - up + 1], "❯ prompt 3");
}

#[derive(Debug, Clone)]
enum Thing {
    Event(Box<Event>),
    Draw(u16, usize),
}

fn things() -> impl Strategy<Value = Vec<Thing>> {
    let words = "(\\PC|[a-z ]|[一-龥，。]|\n|\u{1b}\\[2J|\u{202e}|👨\u{200d}👩|\t|```|- |\\| a \\| b \\||#){0,24}";
    let call = prop::sample::select(vec!["a", "b", "c"]);
    let event = prop_oneof![
        words.prop_map(|words| prompt(&words)),
        words.prop_map(|words| text(&words)),
        words.prop_map(|delta| Event::Reasoning { delta }),
        (0usize..4, words).prop_map(|(index, delta)| Event::Arguments { index, name: "bash".into(), delta }),
        (words, prop::collection::vec(call.clone(), 0..3)).prop_map(|(words, calls)| message(&words, &calls)),
        (call.clone(), words).prop_map(|(call, subject)| Event::ToolStarted {
            call: CallId(call.into()),
            tool: "bash".into(),
            subject
        }),
        (call.clone(), words).prop_map(|(call, delta)| Event::ToolProgress { call: CallId(call.into()), delta }),
        (call.clone(), words).prop_map(|(call, words)| outcome(call, ToolOutcome::done(words))),
        (call, words).prop_map(|(call, words)| outcome(call, ToolOutcome::failed_with(words.clone(), words))),
        words.prop_map(|path| Event::Notice {
            level: Level::Warning,
            phrase: Phrase::new("tui.theme_unknown").with("name", path).with("known", "x")
        }),
        Just(ended()),
    ];
    let thing = prop_oneof![
        3 => event.prop_map(|event| Thing::Event(Box::new(event))),
        2 => (1u16..120, 0usize..30).prop_map(|(width, most)| Thing::Draw(width, most)),
    ];
    prop::collection::vec(thing, 0..40)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(100))]

    #[test]
    fn any_events_at_any_width(things in things(), unicode: bool) {
        let look = Look { unicode, ..Look::default() };
        let mut transcript = Transcript::default();
        for thing in things {
            match thing {
                Thing::Event(event) => transcript.apply(&event, Duration::from_secs(3)),
                Thing::Draw(width, most) => {
                    let mut lines = transcript.take_finished(width, &look);
                    let live = transcript.live(width, &look, most, Duration::from_secs(9));
                    prop_assert!(live.len() <= most);
                    lines.extend(live);
                    lines.extend(transcript.window(width, &look, 20, 3, Duration::ZERO).lines);
                    for line in lines {
                        let text = line.to_string();
                        prop_assert!(columns(&text) <= usize::from(width), "{text:?} at {width}");
                        prop_assert!(!text.chars().any(char::is_control), "{text:?}");
                    }
                }
            }
        }
    }
}

#[test]
fn reasoning_of_a_recalled_message_is_shown_folded() {
    let message = Message::Assistant {
        text: "yes".into(),
        reasoning: Some(Reasoning::new("one\ntwo", "m")),
        calls: vec![],
        stop: StopReason::End,
    };
    let body = RecordBody::Assistant { turn: 1, step: 1, model: "m".into(), message, usage: None };
    let mut transcript = Transcript::default();
    transcript.recall(&[*record(body)]);
    let lines = strings(&transcript.take_finished(60, &Look::default()));
    assert_eq!(lines, ["∴ thought, 2 lines", "", "▸ ANSWER", "  yes"]);
}
