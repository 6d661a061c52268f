use super::Inline;
use crate::Colours;
use crate::text::columns;
use proptest::prelude::*;
use ratatui_core::style::{Color, Style};
use ratatui_core::text::{Line, Span};
use std::num::NonZeroU16;

fn sure(number: u16) -> NonZeroU16 {
    NonZeroU16::new(number).unwrap()
}

/// A terminal with everything that ever scrolled off its top.
struct Screen {
    terminal: vt100::Parser,
}

impl Screen {
    fn new(width: u16, height: u16) -> Self {
        Self { terminal: vt100::Parser::new(sure(height), sure(width), 100_000) }
    }

    fn feed(&mut self, bytes: &str) {
        assert!(!bytes.contains("\x1b[2J") && !bytes.contains("\x1b[3J"));
        self.terminal.process(bytes.as_bytes());
    }

    /// All rows, scrolled off or not, without blanks at their ends and blank rows at the end.
    fn rows(&mut self) -> Vec<String> {
        let screen = self.terminal.screen_mut();
        let (height, width) = screen.size();
        screen.set_scrollback(usize::MAX);
        let total = screen.scrollback();
        let mut rows = Vec::new();
        for offset in (1..=total).rev() {
            screen.set_scrollback(offset);
            rows.push(screen.rows(0, width.get()).next().unwrap_or_default());
        }
        screen.set_scrollback(0);
        rows.extend(screen.rows(0, width.get()).take(usize::from(height.get())));
        rows.iter_mut().for_each(|row| row.truncate(row.trim_end().len()));
        while rows.last().is_some_and(String::is_empty) {
            rows.pop();
        }
        rows
    }

    fn cursor(&mut self) -> (usize, u16) {
        let screen = self.terminal.screen_mut();
        screen.set_scrollback(usize::MAX);
        let total = screen.scrollback();
        screen.set_scrollback(0);
        let (row, column) = screen.cursor_position();
        (total + usize::from(row), column)
    }
}

fn trimmed(lines: &[Line<'_>]) -> Vec<String> {
    let mut rows: Vec<String> =
        lines.iter().map(|line| line.to_string().replace("👩‍👩‍👧", "👩").trim_end().to_owned()).collect();
    while rows.last().is_some_and(String::is_empty) {
        rows.pop();
    }
    rows
}

fn line(text: &str, width: u16) -> Line<'static> {
    // The test's terminal loses a mark that follows the last column.
    let text = if width < 4 { text.replace(['\u{300}', '\u{301}'], "") } else { text.to_owned() };
    let text = crate::text::cut(&text, usize::from(width)).to_owned();
    let middle = text.char_indices().nth(text.chars().count() / 2).map_or(0, |(at, _)| at);
    let (head, tail) = text.split_at(middle);
    // Cutting inside a grapheme would make two of it.
    if columns(head) + columns(tail) != columns(&text) {
        return Line::raw(text);
    }
    Line::from(vec![Span::raw(head.to_owned()), Span::styled(tail.to_owned(), Style::new().fg(Color::Red))])
}

#[test]
fn a_line_that_becomes_final_where_it_stands_costs_nothing() {
    let mut inline = Inline::new(40, 10, true);
    let mut out = String::new();
    inline.draw(&mut out, &[], &[Line::raw("one"), Line::raw("two")], Some((3, 1)), Colours::True);
    out.clear();
    inline.draw(&mut out, &[Line::raw("one")], &[Line::raw("two")], Some((3, 0)), Colours::True);
    assert_eq!(out, "");
    inline.draw(&mut out, &[], &[Line::raw("two!")], Some((4, 0)), Colours::True);
    assert_eq!(out, "!");
}

#[test]
fn narrowing_where_the_terminal_folds_long_rows_leaves_nothing_behind() {
    // What tmux and most terminals do to two full rows of 20 at width 10, with the cursor in the second.
    let mut inline = Inline::new(20, 10, true);
    let mut out = String::new();
    let full = "x".repeat(20);
    inline.draw(
        &mut out,
        &[Line::raw("history")],
        &[Line::raw(full.clone()), Line::raw(full)],
        Some((15, 1)),
        Colours::True,
    );
    let mut screen = Screen::new(10, 10);
    screen.feed("history\r\nxxxxxxxxxx\r\nxxxxxxxxxx\r\nxxxxxxxxxx\r\nxxxxxxxxxx\r\x1b[5C");
    out.clear();
    inline.resize(&mut out, 10, 10);
    inline.draw(&mut out, &[], &[Line::raw("new")], Some((3, 0)), Colours::True);
    screen.feed(&out);
    assert_eq!(screen.rows(), ["history", "new"]);
}

fn texts() -> impl Strategy<Value = String> {
    prop_oneof![
        "[a-z ]{0,30}",
        "[你好世界한국어日本語]{0,12}",
        "[a-z你🦀👍é]{0,20}",
        Just("e\u{301}x\u{300}y".to_owned()),
        Just("👩‍👩‍👧 ok".to_owned()),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 48, ..ProptestConfig::default() })]

    #[test]
    fn the_terminal_shows_exactly_the_history_and_the_live_rows(
        width in 1u16..60,
        height in 1u16..12,
        above in 0usize..20,
        frames in proptest::collection::vec((proptest::collection::vec(texts(), 0..8), proptest::collection::vec(texts(), 0..14), any::<(u16, u16)>()), 1..12),
    ) {
        let mut screen = Screen::new(width, height);
        let mut all: Vec<Line<'static>> = (0..above).map(|_| Line::raw("$")).collect();
        screen.feed(&"$\r\n".repeat(above));
        let mut inline = Inline::new(width, height, true);
        for (finished, live, (x, y)) in frames {
            let finished: Vec<_> = finished.iter().map(|text| line(text, width)).collect();
            let live: Vec<_> = live.iter().map(|text| line(text, width)).collect();
            let rows = live.len().min(usize::from(height));
            let live = &live[live.len() - rows..];
            let caret = (x % width, y % u16::try_from(rows.max(1)).unwrap());
            let mut out = String::new();
            inline.draw(&mut out, &finished, live, Some(caret), Colours::True);
            screen.feed(&out);
            all.extend(finished);
            let mut expected = all.clone();
            expected.extend(live.iter().cloned());
            prop_assert_eq!(screen.rows(), trimmed(&expected));
            prop_assert_eq!(screen.cursor(), (all.len() + usize::from(caret.1), caret.0));
        }
    }

    #[test]
    fn any_resize_without_folding_leaves_only_the_new_rows(
        sizes in proptest::collection::vec((1u16..50, 2u16..10), 1..8),
        texts in proptest::collection::vec(texts(), 1..5),
    ) {
        let mut screen = Screen::new(50, 10);
        let mut inline = Inline::new(50, 10, false);
        let rows = |width: u16, height: u16| -> Vec<Line<'static>> {
            let all: Vec<_> = texts.iter().map(|text| line(text, width)).collect();
            all.into_iter().take(usize::from(height)).collect()
        };
        let mut out = String::new();
        inline.draw(&mut out, &[], &rows(50, 10), Some((0, 0)), Colours::True);
        screen.feed(&out);
        for (width, height) in sizes {
            screen.terminal.screen_mut().set_size(sure(height), sure(width));
            let mut out = String::new();
            inline.resize(&mut out, width, height);
            let live = rows(width, height);
            inline.draw(&mut out, &[], &live, Some((0, 0)), Colours::True);
            screen.feed(&out);
            prop_assert_eq!(screen.rows(), trimmed(&live));
        }
    }
}
