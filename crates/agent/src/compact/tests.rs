//! Foldings of generated conversations: always valid, always within the window, with what the user said in them.

use super::{fold, prune};
use crate::compact::folded_messages;
use crate::compact::gist::gist;
use crate::compact::room::{Budget, Room};
use crate::compact::said::Said;
use crate::compact::work::Work;
use crate::conversation::{Conversation, message_tokens};
use crate::ports::{Artifacts, Prefix, ToolSpec, ToolTraits};
use proptest::prelude::*;
use reasonix_proto::{
    Artifact, CallId, Compacted, FoldReason, Message, Record, RecordBody, RecordId, StopReason, ToolCall, Usage,
};
use serde_json::json;
use std::collections::HashSet;
use std::io;
use std::sync::{Arc, Mutex};

#[derive(Default)]
struct Kept(Mutex<Vec<Vec<u8>>>);

impl Artifacts for Kept {
    fn put(&self, bytes: &[u8]) -> io::Result<Artifact> {
        let mut kept = self.0.lock().unwrap();
        kept.push(bytes.to_vec());
        Ok(Artifact { uri: format!("artifact://{:016x}", kept.len()), bytes: bytes.len() as u64, lines: 0 })
    }
    fn get(&self, _uri: &str) -> io::Result<Vec<u8>> {
        Err(io::ErrorKind::NotFound.into())
    }
}

fn user(text: &str) -> Message {
    Message::user(text)
}

fn say(text: &str) -> Message {
    Message::Assistant { text: text.into(), reasoning: None, calls: Vec::new(), stop: StopReason::End }
}

fn call(id: &str, arguments: &str) -> Message {
    let call = ToolCall { id: CallId::from(id), name: "bash".into(), arguments: arguments.into() };
    Message::Assistant { text: String::new(), reasoning: None, calls: vec![call], stop: StopReason::Calls }
}

fn result(id: &str, content: &str) -> Message {
    Message::Tool { call: CallId::from(id), name: "bash".into(), content: content.into() }
}

fn conversation(messages: Vec<Message>) -> Conversation {
    let prefix = Arc::new(Prefix { system: "x".repeat(4000), tools: Vec::new(), aliases: Vec::new() });
    Conversation::replay(prefix, messages, 1, Usage::default(), 0)
}

fn blank() -> Compacted {
    Compacted {
        turn: 1,
        reason: FoldReason::Threshold,
        by: "log".into(),
        pins: Vec::new(),
        notes: Vec::new(),
        tail: Vec::new(),
        before: 0,
        after: 0,
        usage: None,
        carried: None,
    }
}

fn budget(conversation: &Conversation, window: u64, squeeze: u32) -> Budget {
    Budget::of(conversation, Room::of(conversation, window, 0.8), squeeze)
}

/// What every wire demands: users and assistants take turns, and each call is answered right behind its message.
fn assert_valid(messages: &[Message]) {
    let mut open: HashSet<&str> = HashSet::new();
    let mut last_was_user = false;
    for message in messages {
        match message {
            Message::User { text, .. } => {
                assert!(open.is_empty() && !last_was_user && !text.is_empty(), "{messages:#?}");
                last_was_user = true;
            }
            Message::Assistant { calls, .. } => {
                assert!(open.is_empty(), "{messages:#?}");
                open.extend(calls.iter().map(|call| call.id.as_str()));
                last_was_user = false;
            }
            Message::Tool { call, .. } => assert!(open.remove(call.as_str()), "an orphan: {messages:#?}"),
        }
    }
    assert!(open.is_empty());
    assert!(matches!(messages.first(), Some(Message::User { .. })), "{messages:#?}");
}

fn folded(conversation: &Conversation, window: u64) -> Option<Compacted> {
    fold(conversation, budget(conversation, window, 0), &Kept::default(), blank()).map(|draft| draft.finish(None))
}

fn apply(conversation: &mut Conversation, record: Compacted) {
    let body = RecordBody::Compacted(Box::new(record));
    conversation.apply(&Record { id: RecordId(1), parent: None, at: 0, body });
}

#[test]
fn facts_the_user_stated_survive_twenty_foldings_word_for_word() {
    for window in [8_000, 16_000, 100_000] {
        let mut conversation =
            conversation(vec![user("Remember: the password of the test database is 柳树-4711."), say("ok")]);
        let lines = usize::try_from(window / 25).unwrap();
        let mut facts = vec!["the password of the test database is 柳树-4711".to_owned()];
        for round in 0..20 {
            let fact = format!("Fact {round}: the limit of pool {round} is {}", round * 37);
            let record = |body| Record { id: RecordId(1), parent: None, at: 0, body };
            conversation.apply(&record(RecordBody::Prompt {
                turn: 1,
                text: fact.clone(),
                typed: None,
                images: Vec::new(),
            }));
            facts.push(fact);
            for step in 0..6 {
                let id = format!("c{round}-{step}");
                for message in [call(&id, r#"{"command":"make"}"#), result(&id, &"output line\n".repeat(lines))] {
                    let body = match message {
                        Message::Tool { call, name, content } => RecordBody::Outcome {
                            call,
                            tool: name,
                            took_ms: 0,
                            outcome: reasonix_proto::ToolOutcome::done(content),
                        },
                        message => RecordBody::Assistant { turn: 1, step: 1, model: "m".into(), message, usage: None },
                    };
                    conversation.apply(&record(body));
                }
            }
            let message = say("done");
            conversation.apply(&record(RecordBody::Assistant {
                turn: 1,
                step: 1,
                model: "m".into(),
                message,
                usage: None,
            }));
            let folded = folded(&conversation, window).expect("there is something to fold");
            apply(&mut conversation, folded);
            let request = conversation.request(true, None);
            let messages: Vec<Message> = request.messages.iter().map(|message| Message::clone(message)).collect();
            assert_valid(&messages);
            assert!(conversation.tokens() < window, "{} of {window}", conversation.tokens());
            let text = format!("{messages:?}");
            for fact in &facts {
                assert!(text.contains(fact.as_str()), "{fact} is lost in round {round} at {window}");
            }
        }
    }
}

#[test]
fn what_was_folded_can_still_be_read() {
    let kept = Kept::default();
    let conversation = conversation(vec![
        user("start"),
        call("a", r#"{"command":"cargo test"}"#),
        result("a", &"long ago\n".repeat(4000)),
        call("b", r#"{"command":"cargo build"}"#),
        result("b", &format!("error: no such file\n{}", "x".repeat(9000))),
        say("The build fails. Next: fix main.rs."),
        user("go on"),
    ]);
    let record = fold(&conversation, budget(&conversation, 8_000, 0), &kept, blank()).unwrap().finish(None);
    let note = record.notes.join("\n");
    for wanted in ["cargo test ; cargo build", "cargo build: error: no such file", "artifact://"] {
        assert!(note.contains(wanted), "{wanted} in {note}");
    }
    assert_eq!(record.pins, ["start"]);
    let originals =
        kept.0.lock().unwrap().iter().map(|bytes| String::from_utf8_lossy(bytes).into_owned()).collect::<String>();
    assert!(originals.contains("long ago") && originals.contains("cargo test"));
    assert_eq!(record.tail.last(), Some(&user("go on")));
    assert_valid(&folded_messages(&record));
}

#[test]
fn old_outputs_go_first_and_new_ones_stay() {
    let mut messages = vec![user("go")];
    for number in 0..10 {
        let id = format!("c{number}");
        messages.push(call(&id, "{}"));
        messages.push(result(&id, &format!("output {number} ").repeat(400)));
    }
    let conversation = conversation(messages);
    let kept = Kept::default();
    let pruned = prune(&conversation, 4_000, &kept, blank()).unwrap();
    assert_valid(&folded_messages(&pruned));
    assert_eq!(pruned.tail.len(), 21);
    let text = |message: &Message| message_tokens(message);
    assert!(text(&pruned.tail[2]) < 60 && text(&pruned.tail[20]) > 500, "{:?}", pruned.tail[2]);
    assert!(prune(&conversation, 250_000, &kept, blank()).is_none(), "nothing to free");
}

/// What the model speaks of when it speaks of its change stays in its words; a read of another file, one whose change failed,
/// and one after the change give way.
#[test]
fn reads_of_files_that_were_edited_since_stay() {
    let tools = vec![
        ToolSpec::new("change", "", json!({})).with(ToolTraits::EDITS),
        ToolSpec::new("look", "", json!({})).with(ToolTraits::READS),
        ToolSpec::new("teach", "", json!({})).with(ToolTraits { instructs: true, ..ToolTraits::READS }),
    ];
    let prefix = Arc::new(Prefix { system: String::new(), tools, aliases: Vec::new() });
    let mut messages = vec![user("go")];
    for (name, path, output) in [
        ("look", "a.rs", "as it was"),
        ("look", "b.rs", "another"),
        ("look", "c.rs", "refused"),
        ("change", "./a.rs", "done"),
        ("change", "c.rs", "error: not there"),
        ("look", "a.rs", "as it is"),
        ("teach", "a.rs", "how to"),
        ("look", "d.rs", "newest"),
    ] {
        // One id for all of them: it says nothing beyond its own step.
        let arguments = json!({ "path": path }).to_string();
        let calls = vec![ToolCall { id: CallId::from("c"), name: name.into(), arguments }];
        messages.push(Message::Assistant { text: String::new(), reasoning: None, calls, stop: StopReason::Calls });
        let content = format!("{output} {}", "and more of it ".repeat(100)).as_str().into();
        messages.push(Message::Tool { call: CallId::from("c"), name: name.into(), content });
    }
    let conversation = Conversation::replay(prefix, messages, 1, Usage::default(), 0);
    let pruned = prune(&conversation, 400, &Kept::default(), blank()).unwrap();
    let shown = pruned.tail.iter().filter_map(|message| match message {
        Message::Tool { content, .. } => content.words().split(" and more").next().map(str::to_owned),
        _ => None,
    });
    let kept: Vec<String> = shown.filter(|text| !text.starts_with("[output of")).collect();
    assert_eq!(kept, ["as it was", "how to", "newest"]);
}

#[test]
fn a_large_window_keeps_forty_thousand_tokens_of_outputs_and_wants_twenty_thousand_freed() {
    let conversation = conversation(vec![user("go")]);
    let room = |window: u64| Room::of(&conversation, window, 0.8);
    let newest: Vec<u64> = [8_000, 99_999, 100_000, 400_000].map(|window| room(window).newest_outputs()).into();
    assert_eq!(newest, [2_000, 24_999, 40_000, 40_000]);
    for (window, before, after, enough) in [
        (10_000, 8_100, 6_000, true),
        (10_000, 8_100, 6_100, false),
        (200_000, 130_000, 110_000, true),
        (200_000, 129_000, 110_000, false),
        // It would be full again at once.
        (200_000, 170_000, 140_000, false),
    ] {
        assert_eq!(room(window).is_pruned_enough(before, after), enough, "{window}: {before} to {after}");
    }
}

#[test]
fn an_answer_that_never_came_is_left_out_and_a_huge_prompt_is_cut() {
    let mut failed = say(crate::NO_ANSWER);
    if let Message::Assistant { stop, .. } = &mut failed {
        *stop = StopReason::Failed;
    }
    let conversation = conversation(vec![user(&"很长的提示 ".repeat(9000)), failed]);
    let record = folded(&conversation, 8_000).unwrap();
    assert_eq!(record.tail.len(), 1);
    let messages = folded_messages(&record);
    assert_valid(&messages);
    assert!(messages.iter().map(message_tokens).sum::<u64>() < 7_000);
}

fn piece() -> impl Strategy<Value = (u8, usize, usize)> {
    (0..4_u8, 1..4_usize, 0..6000_usize)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn any_conversation_folds_into_a_valid_one_that_fits(
        pieces in prop::collection::vec(piece(), 1..40),
        window in prop::sample::select(vec![8_000_u64, 16_000, 64_000]),
        squeeze in 0..3_u32,
    ) {
        let mut messages = vec![user("begin")];
        for (number, (kind, calls, size)) in pieces.into_iter().enumerate() {
            let text = "词 word ".repeat(size / 6);
            match kind {
                0 if !matches!(messages.last(), Some(Message::User { .. })) => messages.push(user(&format!("u{text}"))),
                1 => messages.push(say(&text)),
                _ => {
                    let id = |call: usize| format!("c{number}-{call}");
                    let made = (0..calls).map(|call| ToolCall { id: CallId::from(id(call).as_str()), name: "bash".into(), arguments: "{}".into() }).collect();
                    messages.push(Message::Assistant { text: String::new(), reasoning: None, calls: made, stop: StopReason::Calls });
                    messages.extend((0..calls).map(|call| result(&id(call), &text)));
                }
            }
        }
        let mut conversation = conversation(messages);
        for _ in 0..3 {
            let budget = budget(&conversation, window, squeeze);
            if let Some(record) = fold(&conversation, budget, &Kept::default(), blank()).map(|draft| draft.finish(None)) {
                assert_valid(&folded_messages(&record));
                apply(&mut conversation, record);
            }
        }
        // A long answer of the model's own is not cut, but nothing older than it is there any more.
        let answer = conversation.unfolded().iter().map(|message| match &**message { Message::Assistant { .. } => message_tokens(message), _ => 0 }).max().unwrap_or(0);
        prop_assert!(conversation.tokens() < window + answer, "{} of {}", conversation.tokens(), window);
    }
}

#[test]
fn the_files_of_tools_that_edit_are_named() {
    let call = |id: &str, name: &str, path: &str| ToolCall {
        id: CallId::from(id),
        name: name.into(),
        arguments: format!(r#"{{"path":"{path}"}}"#),
    };
    let calls = vec![call("a", "change", "edited.rs"), call("b", "look", "seen.rs")];
    let said = Message::Assistant { text: String::new(), reasoning: None, calls, stop: StopReason::Calls };
    let tools = vec![
        ToolSpec::new("change", "", json!({})).with(ToolTraits::EDITS),
        ToolSpec::new("look", "", json!({})).with(ToolTraits::READS),
    ];
    let prefix = Arc::new(Prefix { system: String::new(), tools, aliases: Vec::new() });
    let conversation = Conversation::replay(prefix, Vec::new(), 1, Usage::default(), 0);
    let edits = |name: &str| conversation.traits_of(name).edits;
    let result =
        |id: &str, name: &str| Message::Tool { call: CallId::from(id), name: name.into(), content: "ok".into() };
    let mut work = Work::default();
    work.add(&[said, result("a", "change"), result("b", "look")].map(Arc::new), &edits);
    assert_eq!(work.files, ["edited.rs"]);
}

#[test]
fn what_failed_stays_until_it_succeeds_and_patches_touch_files() {
    let step = |id: &str, name: &str, arguments: serde_json::Value, output: &str| {
        let call = ToolCall { id: CallId::from(id), name: name.into(), arguments: arguments.to_string() };
        let said =
            Message::Assistant { text: String::new(), reasoning: None, calls: vec![call], stop: StopReason::Calls };
        [said, Message::Tool { call: CallId::from(id), name: name.into(), content: output.into() }].map(Arc::new)
    };
    let patch = "*** Begin Patch\n*** Update File: src/a.rs\n@@\n-x\n+y\n*** Add File: b.txt\n+z\n*** End Patch";
    let diff = "--- a/old.c\n+++ b/new.c\n@@ -1 +1 @@\n-x\n+y\n";
    let edits = |name: &str| name == "apply_patch";
    let mut work = Work::default();
    let failed = "running 2 tests\ntest sums ... FAILED\nsome more\nexit code 101";
    work.add(&step("1", "bash", json!({ "command": "cargo test" }), failed), &edits);
    work.add(&step("2", "apply_patch", json!({ "patch": patch }), "done"), &edits);
    work.add(&step("3", "apply_patch", json!({ "patch": diff }), "error: the patch does not apply"), &edits);
    assert_eq!(work.files, ["b.txt", "src/a.rs"], "what was refused touched nothing");
    let risks: Vec<String> = work.risks.iter().map(|risk| format!("{}: {}", risk.what, risk.why)).collect();
    let wanted =
        ["cargo test: exit code 101: test sums ... FAILED", "apply_patch old.c: error: the patch does not apply"];
    assert_eq!(risks, wanted);
    work.add(&step("4", "bash", json!({ "command": "cargo test" }), "ok"), &edits);
    work.add(&step("5", "apply_patch", json!({ "patch": diff }), "done"), &edits);
    assert!(work.risks.is_empty(), "{:?}", work.risks);
    assert_eq!(work.files, ["new.c", "old.c", "b.txt", "src/a.rs"]);
}

#[test]
fn the_oldest_become_lines_and_then_go_and_their_number_is_right() {
    let mut said = Said::default();
    for number in 0..200 {
        said.push(format!("Message {number}: the limit is {}. {}", 1_000 + number, "and so on ".repeat(30)));
        said.fit(700);
        let pins = said.pins();
        let tokens: u64 = pins.iter().map(|pin| crate::estimate_tokens(pin) + 8).sum();
        assert!(tokens <= 700, "{tokens} after {number}");
        assert_eq!(said.count(), number + 1, "each is a line, whole, or counted as gone");
        let text = pins.join("\n");
        (number.saturating_sub(29)..=number).for_each(|kept| {
            assert!(text.contains(&format!("the limit is {}", 1_000 + kept)), "{kept} of {number}: {text}");
        });
        assert!(text.contains("Message 0: the limit is 1000"), "the objective stays");
        if said.gone > 0 {
            assert!(text.contains(&format!("[{} of the oldest messages are not shown", said.gone)), "{text}");
        }
    }
    assert!(said.gone > 100 && said.lines.len() >= 30, "{} {}", said.gone, said.lines.len());
}

#[test]
fn a_line_keeps_what_a_message_states() {
    let text = format!(
        "{}. Never write to /srv/prod. {}. 端口必须是 48213。{}",
        "well ".repeat(40),
        "so ".repeat(50),
        "词".repeat(90)
    );
    let line = gist(&text, 80);
    assert!(line.contains("Never write to /srv/prod.") && line.contains("端口必须是 48213。"), "{line}");
    assert!(line.chars().count() <= 80 && !line.contains('\n'), "{line}");
    let long = format!("{} port 48213 {}", "a ".repeat(200), "b ".repeat(200));
    assert!(gist(&long, 60).contains("port 48213"), "{}", gist(&long, 60));
    assert_eq!(gist("short\nand whole", 60), "short and whole");
}

/// Texts that demand, forbid and count more than what a person says around them.
const PASTES: &[&str] = &[
    "- A linter that keeps its warnings to itself (eslint --quiet, 2>/dev/null) proves nothing about warnings, and --exit-zero\n  hides its code. It must never be used with 4711 files only, see `docs/a.md`.\n- own servers (localhost, 127.0.0.1) only DELETE counts, --json.",
    "  echo \"do not push: a person does that\" >&2\n  exit 2\nfn main() { let x = 40_000; }\n// never remove 48213, only keep it",
    "2026-11-19 12:30:11 ERROR only 48213 of \"/srv/prod\" must be kept\n2026-11-19 12:30:12 WARN do not remember 99881",
    "> You must always keep `/srv/prod` at 48213.\n> Never do anything else.",
    "# Limits\n\nThe pool must never have more than 40000 rows, only then `/srv/prod` is kept. It is always so.\n\nWhat is not kept has to be read anew from \"/srv/prod/all\", 7000 rows at once, and only from there. Never keep it.\n\n| name | 4000 |\n| --- | --- |\n| only | 5000 |",
    "端口必须是 48213，不要改 `/srv/prod`。记住只能有 40000 行。\n绝对不能删除 \"/srv/all\"，一定保留 7000 行，别的都不要。\n只保留 99881 行，必须记住。",
];

/// What was said before a pasted text, behind it and between two of them comes before it, at every width; and cutting a line
/// once more does not mix them up.
#[test]
fn what_is_pasted_does_not_displace_what_is_said_around_it() {
    for (said, wanted) in [
        ("The port of host node5 is 4105.", "port of host node5 is 4105"),
        ("Always use tabs in this project.", "Always use tabs in this project"),
        ("My cat is called Falconetta.", "cat is called Falconetta"),
        ("The staging host must stay up!", "staging host must stay up"),
        ("节点五的端口是 4105。", "节点五的端口是 4105"),
        ("以后都用制表符，不要用空格。", "以后都用制表符"),
        ("我的猫叫小柳。", "我的猫叫小柳"),
    ] {
        for paste in PASTES {
            let fill = " The river runs past the old mill and the light of the evening falls on the wall.".repeat(4);
            let paste = format!("{paste}{fill}");
            let layouts = [
                format!("{said} Here are notes for later:\n{paste}\nAnswer in one short sentence."),
                format!("{said}\n\n{paste}"),
                format!("{said}\n```\n{paste}\n```"),
                format!("<file path=\"a.md\" id=\"1\">\n{paste}\n</file id=\"1\">\n\n{said}"),
                format!("```\n{paste}\n```\n{said}"),
                format!("```\n{paste}\n```\n{said}\n[no longer shown: a.png]"),
                // What a text begins with may be the user's too where it reads like that: both stay.
                format!("{paste}\n\n{said}"),
                format!("Look at this.\n```\n{paste}\n```\n{said}\n```\n{paste}\n```"),
                format!("看看这个：\n```\n{paste}\n```\n{said}\n```\n{paste}\n```\n谢谢。"),
            ];
            for text in layouts {
                let mut line = text.clone();
                for width in [400, 240, 160, 110, 80, 60] {
                    line = gist(&line, width);
                    if width < 110 && text.starts_with("端口必须是") {
                        continue;
                    }
                    assert!(line.contains(wanted), "{width}: {line}\nof {text}");
                    assert!(gist(&text, width).contains(wanted), "at once {width}: {}\nof {text}", gist(&text, width));
                    assert!(line.chars().count() <= width && !line.contains('\n'), "{width}: {line}");
                }
            }
        }
    }
}

#[test]
fn what_is_pasted_stays_where_there_is_room_and_says_that_it_is() {
    let text = format!("Why does it stop?\n```\n{}\nerror: port 48213 is taken\n```", "at a place\n".repeat(40));
    let line = gist(&text, 80);
    assert!(line.starts_with("Why does it stop? [text: ") && line.contains("port 48213 is taken"), "{line}");
    let list =
        "Build this:\n- the port must be 4105\n- never log secrets\n- and all of it in the evening light, as well";
    assert_eq!(gist(list, 70), "Build this: - the port must be 4105 - never log secrets");
}

#[test]
fn what_an_earlier_version_folded_is_gone_on_from() {
    let mut conversation = conversation(vec![user("Objective: build it"), say("ok")]);
    let earlier = Compacted {
        pins: vec!["[3 earlier messages of the user are folded; the notes say what they were about]".into(), "Keep 48213.".into()],
        notes: vec!["Did a.\nFiles touched: x.rs, y.rs\nOriginals: read_file \"artifact://00000000000000aa\" has the folded messages, whole".into()],
        tail: vec![say("ok")],
        ..blank()
    };
    apply(&mut conversation, earlier);
    let kept = Kept::default();
    for message in [user("next"), say("done"), user("and?")] {
        let body = match message {
            Message::User { text, images } => RecordBody::Prompt { turn: 1, text, typed: None, images },
            message => RecordBody::Assistant { turn: 1, step: 1, model: "m".into(), message, usage: None },
        };
        conversation.apply(&Record { id: RecordId(1), parent: None, at: 0, body });
    }
    let record = fold(&conversation, Budget { tail: 0, ..budget(&conversation, 8_000, 0) }, &kept, blank())
        .unwrap()
        .finish(None);
    let carried = record.carried.clone().unwrap();
    assert_eq!((carried.objective.as_str(), carried.gone, carried.whole), ("Keep 48213.", 3, 1));
    assert_eq!(carried.files, ["y.rs", "x.rs"]);
    let text = format!("{:?}", folded_messages(&record));
    assert!(text.contains("[3 of the oldest") && text.contains("Did a.") && text.contains("x.rs"), "{text}");
    assert!(!text.contains("00000000000000aa"), "one address leads to all: {text}");
    let originals = String::from_utf8(kept.0.lock().unwrap()[0].clone()).unwrap();
    assert!(originals.contains("- artifact://00000000000000aa"), "{originals}");
}

#[test]
fn nothing_is_news_right_after_a_folding() {
    let mut conversation = conversation(vec![user("a"), say("b"), user("c"), say("d")]);
    assert!(conversation.has_news());
    let record = folded(&conversation, 8_000);
    assert!(record.is_none(), "all of it is the tail");
    apply(&mut conversation, Compacted { tail: vec![say("d")], pins: vec!["a".into(), "c".into()], ..blank() });
    assert!(!conversation.has_news());
    let body = RecordBody::Prompt { turn: 1, text: "e".into(), typed: None, images: Vec::new() };
    conversation.apply(&Record { id: RecordId(1), parent: None, at: 0, body });
    assert!(conversation.has_news());
}
