//! What a streamed answer costs on the wire to the terminal, and that a key in a long session costs no more than in a
//! fresh one.

use reasonix_proto::{Envelope, Event, Record, RecordBody, RecordId, SessionId, TurnEnd, Usage};
use reasonix_tui::app::{App, Msg};
use reasonix_tui::frame::{Inline, Parser};
use reasonix_tui::keys::Bindings;
use reasonix_tui::update::update;
use reasonix_tui::view::view;
use reasonix_tui::{Colours, Look};
use std::time::Duration;

struct Bench {
    app: App,
    screen: Inline,
    now: Duration,
}

impl Bench {
    fn new() -> Self {
        let mut app = App::new(Look::default(), Bindings::default(), (100, 30));
        app.ready = true;
        let mut bench = Self { app, screen: Inline::new(100, 30, true), now: Duration::ZERO };
        bench.draw();
        bench
    }

    fn event(&mut self, event: Event) {
        let envelope = Envelope { v: 1, seq: 1, session: SessionId::from("s"), parent: None, ephemeral: false, event };
        update(&mut self.app, Msg::Event(Box::new(envelope)), self.now);
    }

    fn draw(&mut self) -> usize {
        let picture = view(&mut self.app);
        let mut out = String::new();
        self.screen.draw(&mut out, &picture.finished, &picture.live, picture.caret, Colours::True);
        out.len()
    }

    fn turn(&mut self, text: &str) {
        self.event(Event::TurnStarted {
            record: record(RecordBody::Prompt { turn: 1, text: "go".into(), typed: None, images: Vec::new() }),
        });
        self.event(Event::Text { delta: text.to_owned() });
        let end = RecordBody::TurnEnded { turn: 1, end: TurnEnd::Done, steps: 1, usage: Usage::default(), cost: None };
        self.event(Event::TurnEnded { record: record(end) });
        self.draw();
    }
}

fn record(body: RecordBody) -> Box<Record> {
    Box::new(Record { id: RecordId(1), parent: None, at: 0, body })
}

/// Bytes for the terminal, tokens, and bytes of text of an answer that comes word by word, each in a frame of its own:
/// the worst case, as what is ready together is drawn together.
fn streamed(answer: &str) -> (usize, usize, usize) {
    let mut bench = Bench::new();
    bench.event(Event::TurnStarted {
        record: record(RecordBody::Prompt { turn: 1, text: "go".into(), typed: None, images: Vec::new() }),
    });
    bench.draw();
    let (mut tokens, mut text, mut bytes) = (0usize, 0usize, 0usize);
    for word in answer.split_inclusive(' ') {
        bench.now += Duration::from_millis(1);
        bench.event(Event::Text { delta: word.to_owned() });
        bytes += bench.draw();
        tokens += 1;
        text += word.len();
    }
    (bytes, tokens, text)
}

#[test]
fn a_streamed_token_costs_little_more_than_itself() {
    let sentence = "the quick brown fox jumps over a lazy dog and 修复 some 测试 while it runs ";
    for answer in [
        format!("{}\n\n", sentence.repeat(4)).repeat(15),
        // One paragraph that is far taller than the screen.
        sentence.repeat(80),
        format!("- {}\n", sentence.repeat(2)).repeat(30),
        format!("```rust\n{}\n```\n", "let price = total(3, 4); // 价格\n".repeat(60)),
    ] {
        let (bytes, tokens, text) = streamed(&answer);
        let begins: String = answer.chars().take(20).collect();
        println!("{begins:?}: {bytes} bytes for {tokens} tokens of {text} bytes, {} a token", bytes / tokens);
        assert!(bytes <= 6 * text + 24 * tokens, "{begins:?}: {bytes} bytes for {tokens} tokens of {text} bytes");
    }
}

#[test]
fn a_key_after_ten_thousand_messages_is_as_small_as_the_first() {
    let mut bench = Bench::new();
    for index in 0..10_000 {
        bench.turn(&format!("answer {index}: 修复了 `tests/{index}.rs`\n"));
    }
    let mut parser = Parser::default();
    let mut most = 0;
    for byte in b"fix the failing test" {
        update(&mut bench.app, Msg::Inputs(parser.feed(&[*byte])), bench.now);
        most = most.max(bench.draw());
    }
    assert!(most < 200, "{most} bytes for a key");
}
