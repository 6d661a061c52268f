//! Random events, keys, pastes and sizes through the whole front end and a terminal: nothing panics, no line is wider
//! than the screen, the cursor stands where the text is.

use proptest::prelude::*;
use ratatui_core::text::Line;
use reasonix_proto::{
    Asking, CallId, Details, Envelope, Event, Inquiry, Level, Message, Phrase, Proposal, Queued, QueuedKind, Record,
    RecordBody, RecordId, SessionId, ToolOutcome, TurnEnd, TurnState, Usage,
};
use reasonix_tui::app::{App, Msg};
use reasonix_tui::frame::{Inline, Input, Key, Parser};
use reasonix_tui::keys::Bindings;
use reasonix_tui::text::columns;
use reasonix_tui::update::update;
use reasonix_tui::view::view;
use reasonix_tui::{Colours, Look};
use std::num::NonZeroU16;
use std::time::Duration;

/// Every width class, marks, joiners, directions, controls, escape sequences.
const HARD: &str =
    "a b\t你한ごｱＡé👩‍👩‍👧🇩🇪👍🏽❤️\u{301}\u{200b}\u{ad}\u{202e}\u{2066}\u{feff}\u{1b}[31m\u{7}\u{9b}2J—“”…│─█\u{e0b0}नि𝔘\r\n";

fn text() -> impl Strategy<Value = String> {
    let hard: Vec<char> = HARD.chars().collect();
    prop_oneof![
        4 => proptest::collection::vec(proptest::sample::select(hard), 0..40).prop_map(|chars| chars.into_iter().collect()),
        1 => "[a-z ]{0,80}",
        1 => Just("```rust\nfn main() {}\n```\n| a | 中 |\n| - | - |\n| 1 | 2 |\n".to_owned()),
        1 => Just("# Head\n\n- one\n- two `code` **bold** [link](a.rs:3)\n\n> quote\n".to_owned()),
        1 => any::<String>(),
    ]
}

fn record(body: RecordBody) -> Box<Record> {
    Box::new(Record { id: RecordId(1), parent: None, at: 0, body })
}

fn asking(subject: String, dangerous: bool) -> Asking {
    let danger = dangerous.then(|| serde_json::json!({"why": {"code": "x"}, "touches": [subject]}));
    serde_json::from_value(serde_json::json!({
        "ask": "a", "call": "c", "tool": "bash", "subject": subject, "why": {"code": "tui.no_todo"},
        "fields": [{"name": "command", "value": subject}],
        "diff": format!("--- a\n+++ b\n@@ -1 +1 @@\n-{subject}\n+x\n"),
        "rules": ["Bash(x:*)"], "danger": danger.into_iter().collect::<Vec<_>>(), "digest": "0123456789abcdef",
        "choices": [{"choice": "allow_once"}, {"choice": "deny"}],
    }))
    .unwrap()
}

fn inquiry(text: &str, multi: bool, options: usize) -> Inquiry {
    let options: Vec<_> = (0..options).map(|_| serde_json::json!({"label": text, "note": text})).collect();
    let question =
        serde_json::json!({"id": "1", "question": text, "options": options, "multi": multi, "recommended": 0});
    let questions = if multi { vec![question] } else { vec![question.clone(), question] };
    serde_json::from_value(serde_json::json!({"ask": "i", "call": "c", "questions": questions})).unwrap()
}

fn changed(diff: &str) -> ToolOutcome {
    let change = serde_json::json!({"path": diff, "kind": "updated", "added": 1, "removed": 1, "diff": format!("@@ -1 +1 @@\n-{diff}\n+{diff}")});
    ToolOutcome::detailed(
        "ok",
        Details { changes: vec![serde_json::from_value(change).unwrap()], ..Details::default() },
    )
}

fn answer(text: &str) -> Message {
    serde_json::from_value(serde_json::json!({"role": "assistant", "text": text, "stop": "end"})).unwrap()
}

fn events() -> impl Strategy<Value = Event> {
    let call = || CallId::from("c");
    prop_oneof![
        4 => text().prop_map(|delta| Event::Text { delta }),
        2 => text().prop_map(|delta| Event::Reasoning { delta }),
        2 => text().prop_map(|delta| Event::Arguments { index: 0, name: "bash".into(), delta }),
        1 => text().prop_map(|text| Event::TurnStarted { record: record(RecordBody::Prompt { turn: 1, text, typed: None, images: Vec::new() }) }),
        2 => text().prop_map(move |subject| Event::ToolStarted { call: call(), tool: "bash".into(), subject }),
        2 => text().prop_map(move |delta| Event::ToolProgress { call: call(), delta }),
        1 => text().prop_map(move |content| Event::ToolEnded { record: record(RecordBody::Outcome {
            call: call(), tool: "bash".into(), took_ms: 5, outcome: ToolOutcome::done(content) }) }),
        1 => text().prop_map(move |diff| Event::ToolEnded { record: record(RecordBody::Outcome {
            call: call(), tool: "edit_file".into(), took_ms: 5, outcome: changed(&diff) }) }),
        1 => (text(), any::<bool>()).prop_map(|(subject, danger)| Event::Asked { asking: Box::new(asking(subject, danger)) }),
        1 => (text(), any::<bool>(), 0usize..4).prop_map(|(text, multi, options)| Event::Inquired { inquiry: Box::new(inquiry(&text, multi, options)) }),
        1 => text().prop_map(|plan| Event::Proposed { proposal: Box::new(Proposal { ask: "p".into(), call: "c".into(), plan, steps: Vec::new(), revises: false }) }),
        1 => text().prop_map(|text| Event::Message { record: record(RecordBody::Assistant { turn: 1, step: 1, model: "m".into(), usage: None,
            message: answer(&text) }) }),
        1 => text().prop_map(|reason| Event::Notice { level: Level::Warning, phrase: Phrase::new("tui.files_failed").with("reason", reason) }),
        1 => text().prop_map(|text| Event::Queued { queue: vec![Queued { id: 1, kind: QueuedKind::Steer, text }] }),
        1 => Just(Event::Usage { usage: Usage::default(), context: 10, window: 100 }),
        1 => proptest::sample::select(vec![TurnState::Idle, TurnState::AwaitingModel, TurnState::ModelGenerating, TurnState::ToolRunning, TurnState::AwaitingPermission]).prop_map(|state| Event::State { state }),
        1 => Just(Event::TurnEnded { record: record(RecordBody::TurnEnded { turn: 1, end: TurnEnd::Done, steps: 1, usage: Usage::default(), cost: None }) }),
    ]
}

#[derive(Debug, Clone)]
enum Step {
    Event(Event),
    Bytes(Vec<u8>),
    Paste(String),
    Resize(u16, u16),
    Wait(u64),
}

fn steps() -> impl Strategy<Value = Step> {
    let keys = [
        "\r",
        "\t",
        "\x1b",
        "\x7f",
        "\x1b[A",
        "\x1b[B",
        "\x1b[C",
        "\x1b[D",
        "\x1b[5~",
        "\x1b[6~",
        "\x1b[H",
        "\x1b[F",
        "\x0f",
        "\x12",
        "\x14",
        "\x17",
        "\x15",
        "\x0b",
        "\x19",
        "\x1f",
        "\x1b[13;5u",
        "\x1b[13;2u",
        "/",
        "@",
        "!",
        "?",
        "y",
        "n",
        "q",
        "\x0a",
        "\x1bb",
        "\x1b[1;3A",
        "\x1b[0n",
        "\x1b[I",
        "\x1b[O",
        "\x1b]11;rgb:ffff/ffff/ffff\x1b\\",
        "/help\r",
        "/keys\r",
        "/model\r",
        "/queue\r",
    ];
    prop_oneof![
        6 => events().prop_map(Step::Event),
        4 => text().prop_map(|text| Step::Bytes(text.into_bytes())),
        4 => proptest::sample::select(keys.to_vec()).prop_map(|keys| Step::Bytes(keys.as_bytes().to_vec())),
        1 => text().prop_map(Step::Paste),
        1 => (1usize..3000).prop_map(|length| Step::Paste("line\n".repeat(length / 5))),
        2 => (1u16..=500, 1u16..=60).prop_map(|(width, height)| Step::Resize(width, height)),
        1 => (1u16..=8, 1u16..=8).prop_map(|(width, height)| Step::Resize(width, height)),
        1 => (0u64..2000).prop_map(Step::Wait),
    ]
}

fn sure(number: u16) -> NonZeroU16 {
    NonZeroU16::new(number).unwrap()
}

struct Bench {
    app: App,
    parser: Parser,
    screen: Inline,
    terminal: vt100::Parser,
    now: Duration,
}

impl Bench {
    fn new(width: u16, height: u16) -> Self {
        let mut app = App::new(Look::default(), Bindings::default(), (width, height));
        app.ready = true;
        Self {
            app,
            parser: Parser::default(),
            screen: Inline::new(width, height, false),
            terminal: vt100::Parser::new(sure(height), sure(width), 1000),
            now: Duration::ZERO,
        }
    }

    fn step(&mut self, step: Step) {
        self.now += Duration::from_millis(3);
        let msgs: Vec<Msg> = match step {
            Step::Event(event) => {
                vec![Msg::Event(Box::new(Envelope {
                    v: 1,
                    seq: 1,
                    session: SessionId::from("s"),
                    parent: None,
                    ephemeral: false,
                    event,
                }))]
            }
            // A byte at a time: sequences come in pieces.
            Step::Bytes(bytes) => bytes.iter().map(|byte| Msg::Inputs(self.parser.feed(&[*byte]))).collect(),
            Step::Paste(text) => vec![Msg::Inputs(vec![Input::Paste(text)])],
            Step::Resize(width, height) => {
                self.terminal.screen_mut().set_size(sure(height), sure(width));
                let mut out = String::new();
                self.screen.resize(&mut out, width, height);
                self.terminal.process(out.as_bytes());
                vec![Msg::Resized(width, height)]
            }
            Step::Wait(ms) => {
                self.now += Duration::from_millis(ms);
                let mut msgs = vec![Msg::Tick];
                if self.parser.waits() {
                    msgs.push(Msg::Inputs(self.parser.flush()));
                }
                msgs
            }
        };
        for msg in msgs {
            update(&mut self.app, msg, self.now);
        }
        self.check();
    }

    fn check(&mut self) {
        let (width, height) = self.app.size;
        let picture = view(&mut self.app);
        let wide = |line: &Line<'_>| columns(&line.to_string()) > usize::from(width);
        if let Some(line) = picture.finished.iter().chain(&picture.live).find(|line| wide(line)) {
            panic!("wider than {width}: {:?}", line.to_string());
        }
        assert!(picture.live.len() <= usize::from(height), "{} rows in {height}", picture.live.len());
        if picture.full {
            return;
        }
        let mut out = String::new();
        self.screen.draw(&mut out, &picture.finished, &picture.live, picture.caret, Colours::True);
        assert!(!out.contains("\x1b[2J") && !out.contains("\x1b[3J"), "a full clear");
        assert!(
            !out.contains("\x1b]") && !out.contains(['\u{7}', '\u{9b}', '\u{202e}']),
            "a sequence of the text's own"
        );
        self.terminal.process(out.as_bytes());
        let screen = self.terminal.screen();
        if let Some((column, row)) = picture.caret {
            let (at, x) = screen.cursor_position();
            assert_eq!(x, column.min(width - 1), "the cursor's column");
            let above = picture.live.get(usize::from(row)).map(|line| line.to_string()).unwrap_or_default();
            if is_tame(&above) {
                let shown = screen.rows(0, width).nth(usize::from(at)).unwrap_or_default();
                assert_eq!(shown.trim_end(), above.trim_end(), "the row of the cursor");
            }
        }
    }
}

/// Text about whose columns all terminals agree, the test's own too.
fn is_tame(text: &str) -> bool {
    text.chars().all(|c| matches!(c, ' '..='~' | '─' | '›' | '·' | '…' | '一'..='龥' | '가'..='힣'))
}

proptest! {
    #![proptest_config(ProptestConfig {
        cases: std::env::var("REASONIX_FUZZ").ok().and_then(|cases| cases.parse().ok()).unwrap_or(48),
        failure_persistence: None,
        ..ProptestConfig::default()
    })]

    #[test]
    fn anything_that_happens_leaves_a_screen_in_order(
        width in 1u16..=500,
        height in 1u16..=60,
        steps in proptest::collection::vec(steps(), 1..40),
    ) {
        let mut bench = Bench::new(width, height);
        steps.into_iter().for_each(|step| bench.step(step));
    }

    #[test]
    fn at_every_narrow_width(width in 1u16..=12, height in 1u16..=12, steps in proptest::collection::vec(steps(), 1..20)) {
        let mut bench = Bench::new(width, height);
        steps.into_iter().for_each(|step| bench.step(step));
    }
}

#[test]
fn every_width_shows_every_state() {
    for width in (1..=120).chain([200, 333, 500]) {
        let mut bench = Bench::new(width, 20);
        for delta in ["PLAN 你好 ", "👩‍👩‍👧 `code`\n\n| a | b |\n| - | - |\n| 中文 | x |\n"] {
            bench.step(Step::Event(Event::Text { delta: delta.into() }));
        }
        bench.step(Step::Bytes("修复 the テスト 테스트 🦀".into()));
        bench.step(Step::Event(Event::Asked { asking: Box::new(asking("rm -rf 构建".into(), true)) }));
        bench.step(Step::Bytes(b"n".to_vec()));
    }
}

#[test]
fn typed_scripts_stand_in_the_right_cells() {
    for (typed, keys, shown) in [
        ("修复测试", "\x7f", "› 修复测"),
        ("修复测试", "\x1b[D\x1b[D\x7f", "› 修测试"),
        ("테스트", "\x1b[H\x1b[C한", "› 테한스트"),
        ("テスト", "\x1b[D\x1b[3~", "› テス"),
        ("a🦀b", "\x1b[D\x7f", "› ab"),
        // Signs without a column of their own at the beginning of a grapheme stay on no glyph before it.
        ("\u{200d}🏽", "\x17b", "› b"),
        ("\u{fe0f}\u{93f}", "\x17b", "› b"),
    ] {
        let mut bench = Bench::new(40, 10);
        bench.step(Step::Bytes(typed.into()));
        bench.step(Step::Bytes(keys.into()));
        let row = bench.terminal.screen().rows(0, 40).find(|row| row.starts_with('›')).unwrap();
        assert_eq!(row.trim_end(), shown, "{typed}");
    }
}

#[test]
fn a_paste_a_held_key_and_a_key_typed_ahead_answer_nothing() {
    let ask = || Step::Event(Event::Asked { asking: Box::new(asking("ls".into(), false)) });
    let open = |bench: &Bench| !bench.app.overlays.is_empty();
    let y = || Step::Bytes(b"y".to_vec());

    let mut bench = Bench::new(80, 24);
    bench.step(ask());
    bench.step(y());
    assert!(open(&bench), "typed before the terminal had drawn it");
    bench.step(Step::Bytes(b"\x1b[0n".to_vec()));
    bench.step(y());
    assert!(open(&bench), "the same key, still down");
    bench.step(Step::Paste("y\n".into()));
    assert!(open(&bench), "a paste");
    bench.now += Duration::from_secs(1);
    let key =
        |c| Input::Key(Key { chord: reasonix_tui::keys::Chord::plain(reasonix_tui::keys::Code::Char(c)), held: false });
    update(&mut bench.app, Msg::Inputs(vec![key('n'), key('y')]), bench.now);
    assert!(open(&bench), "keys that came together");
    bench.now += Duration::from_secs(1);
    bench.step(Step::Bytes(b"\x1b".to_vec()));
    bench.step(Step::Wait(1000));
    bench.step(y());
    update(&mut bench.app, Msg::Tick, bench.now + Duration::from_secs(1));
    assert!(!open(&bench), "a key pressed for it");

    let mut bench = Bench::new(80, 24);
    bench.step(Step::Bytes(b"ye".to_vec()));
    bench.step(ask());
    bench.step(Step::Bytes(b"\x1b[0n".to_vec()));
    bench.step(Step::Bytes(b"n".to_vec()));
    assert!(open(&bench), "in the flow of writing");
}

#[test]
fn a_question_of_the_model_is_not_answered_by_what_was_not_meant_for_it() {
    let open = |bench: &Bench| !bench.app.overlays.is_empty();
    let bytes = |text: &str| Step::Bytes(text.as_bytes().to_vec());
    for (options, answer) in [(2, "1"), (0, "x\r")] {
        let mut bench = Bench::new(80, 24);
        bench.step(bytes("hel"));
        bench.step(Step::Event(Event::Inquired { inquiry: Box::new(inquiry("?", true, options)) }));
        bench.step(bytes("1"));
        bench.step(bytes("\r"));
        assert!(open(&bench), "typed before the terminal had drawn it");
        bench.step(bytes("\x1b[0n"));
        bench.step(bytes("2"));
        assert!(open(&bench), "in the flow of writing");
        bench.step(Step::Paste("1\n\n".into()));
        assert!(open(&bench), "a paste");
        bench.now += Duration::from_secs(1);
        let enter = Key { chord: reasonix_tui::keys::Chord::plain(reasonix_tui::keys::Code::Enter), held: false };
        update(&mut bench.app, Msg::Inputs(vec![Input::Key(enter), Input::Key(enter)]), bench.now);
        assert!(open(&bench), "keys that came together");
        for key in answer.chars().chain(['\r']) {
            bench.now += Duration::from_secs(1);
            bench.step(bytes(&key.to_string()));
        }
        assert!(!open(&bench), "a key pressed for it");
    }
}

#[test]
fn what_was_typed_ahead_is_not_part_of_an_answer_in_words() {
    let mut bench = Bench::new(80, 24);
    bench.step(Step::Event(Event::Inquired { inquiry: Box::new(inquiry("?", true, 0)) }));
    bench.step(Step::Bytes(b"ahead".to_vec()));
    bench.step(Step::Paste("pasted".into()));
    bench.step(Step::Bytes(b"\x1b[0n".to_vec()));
    for key in ["o", "o", "k"] {
        bench.now += Duration::from_millis(50);
        bench.step(Step::Bytes(key.as_bytes().to_vec()));
    }
    bench.now += Duration::from_secs(1);
    let enter =
        Input::Key(Key { chord: reasonix_tui::keys::Chord::plain(reasonix_tui::keys::Code::Enter), held: false });
    let effects = update(&mut bench.app, Msg::Inputs(vec![enter]), bench.now);
    let sent: Vec<_> = effects
        .iter()
        .filter_map(|effect| match effect {
            reasonix_tui::app::ScreenEffect::Send(reasonix_proto::Op::Respond { responses, .. }) => {
                responses.first()?.text.clone()
            }
            _ => None,
        })
        .collect();
    assert_eq!(sent, ["ook"]);
}

#[test]
fn a_plan_is_not_approved_by_what_was_not_meant_for_it() {
    let open = |bench: &Bench| !bench.app.overlays.is_empty();
    let bytes = |text: &str| Step::Bytes(text.as_bytes().to_vec());
    let mut bench = Bench::new(80, 24);
    bench.step(bytes("hel"));
    let proposal =
        Proposal { ask: "p".into(), call: "c".into(), plan: "# Do it".into(), steps: Vec::new(), revises: false };
    bench.step(Step::Event(Event::Proposed { proposal: Box::new(proposal) }));
    bench.step(bytes("y"));
    assert!(open(&bench), "typed before the terminal had drawn it");
    bench.step(bytes("\x1b[0n"));
    bench.step(bytes("\r"));
    assert!(open(&bench), "in the flow of writing");
    bench.step(Step::Paste("y\n".into()));
    assert!(open(&bench), "a paste");
    bench.now += Duration::from_secs(1);
    bench.step(bytes("y"));
    assert!(open(&bench), "it may be the first letter of a word");
    update(&mut bench.app, Msg::Tick, bench.now + Duration::from_secs(1));
    assert!(!open(&bench), "a key pressed for it");
}
