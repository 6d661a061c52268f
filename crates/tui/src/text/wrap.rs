//! Breaking lines at a width: at the places Unicode allows, which for Chinese and Japanese means almost everywhere but not
//! before closing or after opening punctuation; inside a word only where it does not fit on a line of its own.

use super::rich::Rich;
use super::width::{columns, grapheme_columns};
use ratatui_core::text::{Line, Span};
use unicode_linebreak::{BreakOpportunity, linebreaks};
use unicode_segmentation::UnicodeSegmentation;

/// What stands for a character that is wider than the whole screen.
const TOO_WIDE: &str = "…";

/// Breaks one line into lines of at most `width` columns. Blanks at a break are dropped; a character that is wider than
/// the whole width becomes an ellipsis.
pub fn wrap(line: &Line<'_>, width: u16) -> Vec<Line<'static>> {
    let rich = Rich::from(line);
    let mut lines = Vec::new();
    Wrapped { rich: &rich, width: usize::from(width), first: &[], rest: &[] }.into_lines(&mut lines);
    lines
}

/// Like [`wrap`]; the further lines of one that begins with blanks begin further right.
pub fn wrap_hanging(line: &Line<'_>, width: u16) -> Vec<Line<'static>> {
    let rich = Rich::from(line);
    let blanks = rich.text().len() - rich.text().trim_start_matches(' ').len();
    let room = usize::from(width);
    let hang = if blanks > 0 && blanks + 2 < room / 2 { blanks + 2 } else { 0 };
    let rest = [Span::raw(" ".repeat(hang))];
    let mut lines = Vec::new();
    Wrapped { rich: &rich, width: room, first: &[], rest: if hang > 0 { &rest } else { &[] } }.into_lines(&mut lines);
    lines
}

/// Breaks a text anywhere: for code, where every blank counts.
pub(crate) fn wrap_hard(rich: &Rich, width: usize, rest: &[Span<'static>], lines: &mut Vec<Line<'static>>) {
    let wrapped = Wrapped { rich, width, first: &[], rest };
    let mut state = State::default();
    wrapped.letters(0, rich.text().len(), &mut state);
    state.breaks.push(rich.text().len());
    wrapped.emit(&state, false, lines);
}

/// A text on its way to lines, with what stands before the first and before the others.
pub(crate) struct Wrapped<'a> {
    pub(crate) rich: &'a Rich,
    /// The whole width, with what stands before.
    pub(crate) width: usize,
    pub(crate) first: &'a [Span<'static>],
    pub(crate) rest: &'a [Span<'static>],
}

#[derive(Default)]
struct State {
    /// The bytes at which lines end.
    breaks: Vec<usize>,
    used: usize,
}

impl Wrapped<'_> {
    /// Breaks at the places Unicode allows.
    pub(crate) fn into_lines(self, lines: &mut Vec<Line<'static>>) {
        let text = self.rich.text();
        let mut state = State::default();
        let mut from = 0;
        for (to, opportunity) in linebreaks(text) {
            self.word(from, to, &mut state);
            if opportunity == BreakOpportunity::Mandatory && to < text.len() {
                state.breaks.push(to);
                state.used = 0;
            }
            from = to;
        }
        state.breaks.push(text.len());
        self.emit(&state, true, lines);
    }

    fn room(&self, state: &State) -> usize {
        let before = if state.breaks.is_empty() { self.first } else { self.rest };
        let before: usize = before.iter().map(|span| columns(&span.content)).sum();
        self.width.saturating_sub(before).max(1)
    }

    fn word(&self, from: usize, to: usize, state: &mut State) {
        let word = self.rich.text().get(from..to).unwrap_or_default();
        let visible = columns(word.trim_end());
        if state.used + visible > self.room(state) {
            if state.used > 0 {
                state.breaks.push(from);
                state.used = 0;
            }
            if visible > self.room(state) {
                return self.letters(from, to, state);
            }
        }
        state.used += columns(word);
    }

    fn letters(&self, from: usize, to: usize, state: &mut State) {
        let word = self.rich.text().get(from..to).unwrap_or_default();
        for (at, grapheme) in word.grapheme_indices(true) {
            let wide = grapheme_columns(grapheme).min(self.room(state));
            if state.used + wide > self.room(state) {
                state.breaks.push(from + at);
                state.used = 0;
            }
            state.used += wide;
        }
    }

    fn emit(&self, state: &State, trim: bool, lines: &mut Vec<Line<'static>>) {
        let mut from = 0;
        for (index, to) in state.breaks.iter().enumerate() {
            let part = self.rich.text().get(from..*to).unwrap_or_default();
            let end = if trim { from + part.trim_end().len() } else { from + part.trim_end_matches('\n').len() };
            let mut spans = if index == 0 { self.first.to_vec() } else { self.rest.to_vec() };
            if self.width < 2 {
                self.narrow(from, end, &mut spans);
            } else {
                self.rich.slice_into(from, end, &mut spans);
            }
            lines.push(Line::from(spans));
            from = *to;
        }
    }

    /// With a single column, what needs two is not drawn.
    fn narrow(&self, from: usize, to: usize, spans: &mut Vec<Span<'static>>) {
        spans.clear();
        let mut whole = Vec::new();
        self.rich.slice_into(from, to, &mut whole);
        for span in whole {
            let fits = columns(&span.content) <= 1;
            let text = if fits { span.content.into_owned() } else { TOO_WIDE.to_owned() };
            spans.push(Span::styled(text, span.style));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::wrap;
    use crate::text::columns;
    use proptest::prelude::*;
    use ratatui_core::text::Line;

    fn wrapped(text: &str, width: u16) -> Vec<String> {
        wrap(&Line::raw(text.to_owned()), width).iter().map(ToString::to_string).collect()
    }

    #[test]
    fn words_stay_whole_where_they_can() {
        assert_eq!(wrapped("the quick brown fox", 10), ["the quick", "brown fox"]);
        assert_eq!(wrapped("a  b", 10), ["a  b"]);
        assert_eq!(wrapped("incomprehensibilities", 8), ["incompre", "hensibil", "ities"]);
        assert_eq!(wrapped("see crates/tui/src/text/wrap.rs", 16), ["see crates/tui/", "src/text/wrap.rs"]);
        assert_eq!(wrapped("", 5), [""]);
    }

    #[test]
    fn chinese_breaks_between_characters_but_not_before_a_full_stop() {
        assert_eq!(wrapped("你好世界", 4), ["你好", "世界"]);
        assert_eq!(wrapped("这是句子。下一句", 8), ["这是句", "子。下一", "句"]);
        assert_eq!(wrapped("他说（你好）吗", 6), ["他说", "（你", "好）吗"]);
        assert_eq!(wrapped("使用 cargo 测试", 9), ["使用", "cargo 测", "试"]);
    }

    #[test]
    fn one_column_is_enough() {
        assert_eq!(wrapped("ab", 1), ["a", "b"]);
        assert_eq!(wrapped("中a", 1), ["…", "a"]);
    }

    #[test]
    fn styles_survive() {
        use ratatui_core::style::{Color, Style};
        use ratatui_core::text::Span;
        let line = Line::from(vec![Span::raw("plain "), Span::styled("red text", Style::new().fg(Color::Red))]);
        let lines = wrap(&line, 10);
        assert_eq!(lines.len(), 2);
        assert_eq!(lines[0].spans[1].style.fg, Some(Color::Red));
        assert_eq!(lines[1].spans[0].style.fg, Some(Color::Red));
    }

    proptest! {
        #[test]
        fn nothing_is_lost_and_nothing_sticks_out(text in "(\\PC|[a-z ]|[一-龥，。（）]|👍🏽|🇨🇳|👨\u{200d}👩){0,80}", width in 2u16..60) {
            let lines = wrapped(&text, width);
            for line in &lines {
                prop_assert!(columns(line) <= usize::from(width), "{line:?}");
            }
            let kept: String = lines.concat().split_whitespace().collect();
            let all: String = text.split_whitespace().collect();
            prop_assert_eq!(kept, all);
        }

        #[test]
        fn one_column_never_sticks_out(text in "\\PC{0,40}") {
            prop_assert!(wrapped(&text, 1).iter().all(|line| columns(line) <= 1));
        }
    }
}
