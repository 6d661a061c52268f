//! No question is answered by a key that was not meant for it: typed before it was drawn, held down, pasted, or in the
//! flow of writing something else. For every overlay that answers something.

use reasonix_proto::{Choice, Envelope, Event, Op, Query, Reply, SessionId};
use reasonix_tui::app::{App, Msg, ScreenEffect};
use reasonix_tui::frame::{Input, Parser};
use reasonix_tui::keys::Bindings;
use reasonix_tui::update::update;
use reasonix_tui::view::view;
use reasonix_tui::{HostNews, Look};
use serde_json::json;
use std::time::Duration;

/// The front end, and what it sent.
struct Desk {
    app: App,
    now: Duration,
    sent: Vec<Op>,
    asked: Vec<(u64, Query)>,
    probes: usize,
    edits: Vec<String>,
}

impl Desk {
    fn new() -> Self {
        let app = App::new(Look::default(), Bindings::default(), (80, 24));
        let mut desk = Self {
            app,
            now: Duration::from_secs(1),
            sent: Vec::new(),
            asked: Vec::new(),
            probes: 0,
            edits: Vec::new(),
        };
        desk.tell(Msg::Host(HostNews::Ready));
        desk
    }

    fn tell(&mut self, msg: Msg) {
        let effects = update(&mut self.app, msg, self.now);
        view(&mut self.app);
        for effect in effects {
            match effect {
                ScreenEffect::Send(op) => self.sent.push(op),
                ScreenEffect::Ask(id, query) => self.asked.push((id, query)),
                ScreenEffect::Probe => self.probes += 1,
                ScreenEffect::Edit(text) => self.edits.push(text),
                _ => {}
            }
        }
    }

    /// Time goes by.
    fn after(&mut self, milliseconds: u64) {
        self.now += Duration::from_millis(milliseconds);
        self.tell(Msg::Tick);
    }

    /// Nothing is typed for as long as a key has to be alone.
    fn pause(&mut self) {
        self.after(300);
    }

    fn event(&mut self, event: serde_json::Value) {
        let event: Event = serde_json::from_value(event).unwrap();
        let envelope = Envelope { v: 1, seq: 1, session: SessionId("s".into()), parent: None, ephemeral: false, event };
        self.tell(Msg::Event(Box::new(envelope)));
    }

    /// Bytes of a terminal, as one batch.
    fn keys(&mut self, keys: &str) {
        let mut parser = Parser::default();
        let mut inputs = parser.feed(keys.as_bytes());
        inputs.extend(parser.flush());
        self.tell(Msg::Inputs(inputs));
    }

    /// The terminal has drawn what it was asked about.
    fn drawn(&mut self) {
        for _ in 0..std::mem::take(&mut self.probes) {
            self.tell(Msg::Inputs(vec![Input::Ack]));
        }
    }

    fn answers(&self) -> usize {
        let answers = |op: &&Op| {
            matches!(
                op,
                Op::Answer { .. } | Op::Respond { .. } | Op::AnswerPlan { .. } | Op::Trust { .. } | Op::Interrupt
            )
        };
        self.sent.iter().filter(answers).count()
    }
}

/// What puts a question on the screen, and the keys that answer it.
type Case = (&'static str, fn(&mut Desk), &'static [&'static str]);

const CASES: &[Case] = &[
    ("approval", approval, &["y", "\r", "n", "\u{1b}"]),
    ("danger", danger, &["y", "\r", "n", "\u{1b}"]),
    ("question", question, &["1", "\r", "\u{1b}"]),
    ("several", several, &["\u{1b}"]),
    ("words", words, &["\u{1b}"]),
    ("plan", plan, &["y", "a", "\r", "\u{1b}"]),
    ("trust", trust, &["y", "n"]),
];

fn approval(desk: &mut Desk) {
    desk.event(json!({"type": "asked", "asking": {"ask": "1", "call": "a", "tool": "bash", "subject": "make",
        "why": {"code": "engine.ask_mode"}, "digest": "cce30201f3a4b5c6",
        "choices": [{"choice": "allow_once"}, {"choice": "allow_session", "rule": "Bash(make)"}, {"choice": "deny"}]}}));
}

fn danger(desk: &mut Desk) {
    desk.event(json!({"type": "asked", "asking": {"ask": "1", "call": "a", "tool": "bash", "subject": "rm -rf build",
        "why": {"code": "engine.ask_mode"}, "digest": "cce30201f3a4b5c6",
        "danger": [{"why": {"code": "policy.danger_delete", "args": [["program", "rm"]]}, "touches": ["build"]}],
        "choices": [{"choice": "allow_once"}, {"choice": "deny"}]}}));
}

fn inquired(desk: &mut Desk, questions: &serde_json::Value) {
    desk.event(json!({"type": "inquired", "inquiry": {"ask": "i", "call": "a", "questions": questions}}));
}

fn question(desk: &mut Desk) {
    inquired(desk, &json!([{"id": "1", "question": "Which?", "options": [{"label": "one"}, {"label": "two"}]}]));
}

fn several(desk: &mut Desk) {
    inquired(
        desk,
        &json!([{"id": "1", "question": "Which?", "options": [{"label": "one"}, {"label": "two"}]},
            {"id": "2", "question": "And?", "options": [{"label": "one"}]}]),
    );
}

fn words(desk: &mut Desk) {
    inquired(desk, &json!([{"id": "1", "question": "What should it be called?"}]));
}

fn plan(desk: &mut Desk) {
    desk.event(json!({"type": "proposed", "proposal": {"ask": "p", "call": "a", "plan": "# Do it\n"}}));
}

fn trust(desk: &mut Desk) {
    let place = desk.asked.iter().rposition(|(_, query)| *query == Query::Trust).expect("trust is asked about");
    let (id, _) = desk.asked.remove(place);
    let info = json!({"reply": "trust", "root": "/w", "digest": "d", "surfaces": [
        {"kind": "hook", "name": "build", "place": ".reasonix/hooks", "standing": "unknown"}]});
    let reply: Reply = serde_json::from_value(info).unwrap();
    desk.tell(Msg::Reply(id, Box::new(reply)));
}

fn each(mut play: impl FnMut(&str, fn(&mut Desk), &str)) {
    for (name, ask, keys) in CASES {
        keys.iter().for_each(|key| play(name, *ask, key));
    }
}

#[test]
fn a_key_that_was_meant_answers() {
    each(|name, ask, key| {
        let mut desk = Desk::new();
        ask(&mut desk);
        desk.drawn();
        desk.after(500);
        desk.keys(key);
        desk.pause();
        assert!(desk.answers() > 0, "{name}: {key:?}");
        assert!(desk.app.overlays.is_empty() || name == "several", "{name}: {key:?}");
    });
}

#[test]
fn a_key_that_came_before_it_was_drawn_does_not() {
    each(|name, ask, key| {
        let mut desk = Desk::new();
        ask(&mut desk);
        desk.after(20);
        desk.keys(key);
        desk.pause();
        assert_eq!(desk.answers(), 0, "{name}: {key:?}");
        assert_eq!(desk.app.overlays.len(), 1, "{name}: {key:?} leaves it on the screen");
    });
}

#[test]
fn a_key_that_is_held_down_does_not() {
    each(|name, ask, key| {
        let mut desk = Desk::new();
        desk.keys(if key == "\u{1b}" { "\u{1b}" } else { key });
        desk.sent.clear();
        desk.app.overlays.clear();
        ask(&mut desk);
        desk.drawn();
        for _ in 0..60 {
            desk.after(33);
            desk.keys(key);
        }
        desk.pause();
        assert_eq!(desk.answers(), 0, "{name}: {key:?}");
    });
}

#[test]
fn keys_that_come_together_do_not() {
    each(|name, ask, key| {
        // An escape and a letter in one batch are one key.
        if key == "\u{1b}" {
            return;
        }
        let mut desk = Desk::new();
        ask(&mut desk);
        desk.drawn();
        desk.after(3000);
        desk.keys(&format!("{key}{key}"));
        desk.pause();
        assert_eq!(desk.answers(), 0, "{name}: {key:?}");
    });
}

#[test]
fn a_paste_does_not() {
    each(|name, ask, key| {
        let mut desk = Desk::new();
        ask(&mut desk);
        desk.drawn();
        desk.after(3000);
        desk.keys(&format!("\u{1b}[200~{key}\r{key}\r\u{1b}[201~"));
        desk.pause();
        assert_eq!(desk.answers(), 0, "{name}: {key:?}");
    });
}

#[test]
fn a_key_in_the_flow_of_writing_does_not() {
    each(|name, ask, key| {
        let mut desk = Desk::new();
        for letter in ["h", "e", "l", "l", "o"] {
            desk.after(120);
            desk.keys(letter);
        }
        ask(&mut desk);
        desk.drawn();
        desk.after(120);
        desk.keys(key);
        desk.pause();
        assert_eq!(desk.answers(), 0, "{name}: {key:?}");
        assert_eq!(desk.app.composer.whole(), "hello", "{name}: the draft stays");
    });
}

/// Each answer that allows something, at a question that has them all.
const ALLOWS: &[&str] = &["y", "s", "a", "1", "2", "\r"];

fn whole(desk: &mut Desk) {
    desk.event(json!({"type": "asked", "asking": {"ask": "1", "call": "a", "tool": "bash", "subject": "make",
        "why": {"code": "engine.ask_mode"}, "digest": "cce30201f3a4b5c6", "editable": true,
        "choices": [{"choice": "allow_once"}, {"choice": "allow_session", "rule": "Bash(make)"},
            {"choice": "allow_always", "rule": "Bash(make)"}, {"choice": "deny"}]}}));
    desk.drawn();
}

#[test]
fn a_key_approves_only_when_nothing_else_is_typed_around_it() {
    for key in ALLOWS {
        for (before, after, answers) in
            [(None, None, 1), (Some(299), None, 0), (Some(300), None, 1), (None, Some(299), 0)]
        {
            let mut desk = Desk::new();
            whole(&mut desk);
            desk.after(2000);
            if let Some(pause) = before {
                // A letter that names no answer begins words; they are left, and the key comes behind it.
                desk.keys("x");
                desk.keys("\u{1b}");
                desk.after(pause);
            }
            desk.keys(key);
            if let Some(pause) = after {
                desk.after(pause);
                desk.keys("o");
            }
            desk.pause();
            assert_eq!(desk.answers(), answers, "{key:?} {before:?} {after:?}: {:?}", desk.sent);
        }
    }
}

#[test]
fn no_key_approves_in_the_first_half_second() {
    for key in ALLOWS {
        for (after, answers) in [(499, 0), (500, 1)] {
            let mut desk = Desk::new();
            whole(&mut desk);
            desk.after(after);
            desk.keys(key);
            desk.pause();
            assert_eq!(desk.answers(), answers, "{key:?} after {after}");
        }
    }
}

#[test]
fn a_key_close_behind_a_paste_does_not_approve() {
    for key in ALLOWS {
        let mut desk = Desk::new();
        whole(&mut desk);
        desk.after(2000);
        desk.keys("\u{1b}[200~text\u{1b}[201~");
        desk.after(299);
        desk.keys(key);
        desk.pause();
        assert_eq!(desk.answers(), 0, "{key:?}");
    }
}

#[test]
fn a_word_that_is_typed_is_the_beginning_of_a_no_with_words() {
    for word in ["use ninja", "yes but with -j2", "no, not that", "2 of them", "always the same"] {
        for pause in [40, 299] {
            let mut desk = Desk::new();
            whole(&mut desk);
            desk.after(2000);
            for c in word.chars() {
                desk.after(pause);
                desk.keys(&c.to_string());
            }
            assert_eq!(desk.sent, [], "{word}");
            desk.after(1000);
            desk.keys("\r");
            let [Op::Answer { choice: Choice::Deny, words: Some(words), .. }] = desk.sent.as_slice() else {
                panic!("{word}: {:?}", desk.sent)
            };
            assert_eq!(words, word);
        }
    }
}

/// The first letter of a word is also the key of an answer; leaving the word again must not leave that answer chosen.
#[test]
fn whoever_leaves_their_words_again_is_one_key_away_from_a_no() {
    for ask in [whole, danger] {
        for word in ["abort", "stop", "yet", "1 file"] {
            for leave in ["\u{1b}", "\u{3}"] {
                let mut desk = Desk::new();
                ask(&mut desk);
                desk.after(2000);
                for c in word.chars() {
                    desk.after(40);
                    desk.keys(&c.to_string());
                }
                for key in [leave, "\r"] {
                    desk.after(2000);
                    desk.keys(key);
                }
                desk.pause();
                let [Op::Answer { choice: Choice::Deny, words: None, .. }] = desk.sent.as_slice() else {
                    panic!("{word}: {:?}", desk.sent)
                };
            }
        }
    }
}

/// A key that was not taken, because another one followed it, chooses nothing.
#[test]
fn a_key_that_is_not_taken_chooses_nothing() {
    let mut desk = Desk::new();
    danger(&mut desk);
    desk.after(2000);
    desk.keys("y");
    desk.after(40);
    desk.keys("\u{1b}[5~");
    desk.after(2000);
    desk.keys("\r");
    desk.pause();
    assert!(matches!(desk.sent.as_slice(), [Op::Answer { choice: Choice::Deny, .. }]), "{:?}", desk.sent);
}

#[test]
fn a_yes_that_is_typed_as_a_word_is_neither_a_yes_nor_a_no() {
    for word in ["yes", "ok"] {
        let mut desk = Desk::new();
        whole(&mut desk);
        desk.after(2000);
        word.chars().for_each(|c| {
            desk.after(80);
            desk.keys(&c.to_string());
        });
        desk.after(80);
        desk.keys("\r");
        desk.pause();
        assert_eq!((desk.answers(), desk.app.overlays.len()), (0, 1), "{word}");
    }
}

#[test]
fn a_command_is_changed_before_it_runs_and_the_key_that_runs_it_is_alone() {
    let mut desk = Desk::new();
    whole(&mut desk);
    desk.after(2000);
    desk.keys("e");
    desk.pause();
    for c in [" ", "-", "j"] {
        desk.after(100);
        desk.keys(c);
    }
    desk.after(100);
    desk.keys("\r");
    assert_eq!(desk.answers(), 0, "Enter came close behind a letter");
    desk.after(1000);
    desk.keys("\r");
    let [Op::Answer { choice: Choice::AllowOnce, edited: Some(line), .. }] = desk.sent.as_slice() else {
        panic!("{:?}", desk.sent)
    };
    assert_eq!(line, "make -j");
}

#[test]
fn a_key_whose_question_was_covered_by_another_one_is_not_taken_later() {
    let mut desk = Desk::new();
    whole(&mut desk);
    desk.after(2000);
    desk.keys("y");
    desk.event(json!({"type": "inquired", "inquiry": {"ask": "i", "call": "b", "questions": [
        {"id": "1", "question": "Which?", "options": [{"label": "one"}, {"label": "two"}]}]}}));
    desk.drawn();
    desk.after(3000);
    desk.keys("1");
    desk.pause();
    desk.pause();
    assert!(matches!(desk.sent.as_slice(), [Op::Respond { .. }]), "{:?}", desk.sent);
}

#[test]
fn a_command_of_several_lines_is_changed_in_the_editor_and_only_for_its_own_question() {
    let asked = |ask: &str| {
        json!({"type": "asked", "asking": {"ask": ask, "call": ask, "tool": "bash", "subject": "cd a\nmake",
        "why": {"code": "engine.ask_mode"}, "digest": ask, "editable": true,
        "choices": [{"choice": "allow_once"}, {"choice": "deny"}]}})
    };
    for covered in [false, true] {
        let mut desk = Desk::new();
        desk.event(asked("1"));
        desk.drawn();
        desk.after(2000);
        desk.keys("e");
        desk.pause();
        assert_eq!(desk.edits, ["cd a\nmake"]);
        if covered {
            desk.event(asked("2"));
        }
        desk.tell(Msg::Edited(Some("cd b\nmake\n".into())));
        let edited = |op: &Op| matches!(op, Op::Answer { edited: Some(line), .. } if line == "cd b\nmake");
        assert_eq!(desk.sent.iter().filter(|op| edited(op)).count(), usize::from(!covered), "{:?}", desk.sent);
    }
}

/// An input method commits several letters at once: they are words of an answer, which Enter sends by itself.
#[test]
fn words_of_an_input_method_go_into_a_question() {
    let mut desk = Desk::new();
    words(&mut desk);
    desk.drawn();
    desk.after(4000);
    desk.keys("名称");
    desk.after(2000);
    desk.keys("好好\r");
    assert_eq!(desk.sent, [], "the Enter of a burst is no answer");
    desk.after(2000);
    desk.keys("\r");
    let [Op::Respond { responses, .. }] = desk.sent.as_slice() else { panic!("{:?}", desk.sent) };
    assert_eq!(responses[0].text.as_deref(), Some("名称好好"));
    let mut desk = Desk::new();
    question(&mut desk);
    desk.drawn();
    desk.after(4000);
    desk.keys("都不要1");
    desk.after(2000);
    desk.keys("\r");
    let [Op::Respond { responses, .. }] = desk.sent.as_slice() else { panic!("{:?}", desk.sent) };
    assert_eq!((responses[0].text.as_deref(), responses[0].chosen.len()), (Some("都不要1"), 0));
    // What was typed before the question was there stays out.
    let mut desk = Desk::new();
    words(&mut desk);
    desk.after(20);
    desk.keys("名称");
    desk.drawn();
    desk.after(4000);
    desk.keys("\r");
    assert_eq!(desk.sent, []);
}
