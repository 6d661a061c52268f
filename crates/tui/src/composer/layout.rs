//! The text in rows of a width: where each row begins and ends, and where the caret stands.

use crate::text::columns;
use unicode_segmentation::UnicodeSegmentation;

/// A row: bytes of the text, without the line break.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Span {
    /// The first byte.
    pub start: usize,
    /// The byte behind the last.
    pub end: usize,
}

/// A text laid out.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Layout {
    /// The rows, at least one.
    pub rows: Vec<Span>,
    /// The caret's row.
    pub row: usize,
    /// The caret's column.
    pub column: usize,
}

/// How wide a grapheme is shown; `label` gives the width of a chip.
fn wide(grapheme: &str, label: &dyn Fn(char) -> Option<usize>) -> usize {
    match grapheme.chars().next() {
        Some(c) => label(c).unwrap_or_else(|| if grapheme == "\t" { 1 } else { columns(grapheme) }),
        None => 0,
    }
}

/// Lays out a text. Lines break behind blanks where they can, otherwise anywhere. One column is kept for the caret.
pub fn lay(text: &str, caret: usize, width: u16, label: &dyn Fn(char) -> Option<usize>) -> Layout {
    let room = usize::from(width).saturating_sub(1).max(1);
    let mut rows = Vec::new();
    let mut offset = 0;
    for line in text.split('\n') {
        fold(line, offset, room, label, &mut rows);
        offset += line.len() + 1;
    }
    // At the seam of a folded line the caret belongs to the row that begins there.
    let row = rows.iter().rposition(|span| span.start <= caret).unwrap_or(0);
    let start = rows.get(row).map_or(0, |span| span.start);
    let before = text.get(start..caret).unwrap_or_default();
    let column = before.graphemes(true).map(|grapheme| wide(grapheme, label)).sum();
    Layout { rows, row, column }
}

fn fold(line: &str, offset: usize, room: usize, label: &dyn Fn(char) -> Option<usize>, rows: &mut Vec<Span>) {
    let (mut start, mut used, mut seam, mut since) = (0, 0, 0, 0);
    for (at, grapheme) in line.grapheme_indices(true) {
        let cost = wide(grapheme, label);
        while used + cost > room && at > start {
            let cut = if seam > start { seam } else { at };
            rows.push(Span { start: offset + start, end: offset + cut });
            used = if seam > start { since } else { 0 };
            (start, since) = (cut, used);
        }
        used += cost;
        since += cost;
        if grapheme == " " || columns(grapheme) == 2 {
            (seam, since) = (at + grapheme.len(), 0);
        }
    }
    rows.push(Span { start: offset + start, end: offset + line.len() });
}

/// The byte of a row at a column, or its last place.
pub(crate) fn byte_at(text: &str, span: Span, column: usize, label: &dyn Fn(char) -> Option<usize>) -> usize {
    let row = text.get(span.start..span.end).unwrap_or_default();
    let mut used = 0;
    for (at, grapheme) in row.grapheme_indices(true) {
        let cost = wide(grapheme, label);
        if used + cost > column {
            return span.start + at;
        }
        used += cost;
    }
    span.end
}

#[cfg(test)]
mod tests {
    use super::{Layout, byte_at, lay};
    use crate::text::columns;
    use proptest::prelude::*;

    fn plain(text: &str, caret: usize, width: u16) -> Layout {
        lay(text, caret, width, &|_| None)
    }

    fn rows(text: &str, width: u16) -> Vec<&str> {
        plain(text, 0, width).rows.iter().map(|span| &text[span.start..span.end]).collect()
    }

    #[test]
    fn lines_break_at_words_and_between_ideographs() {
        assert_eq!(rows("fix the failing test", 12), ["fix the ", "failing ", "test"]);
        assert_eq!(rows("修复失败的测试", 8), ["修复失", "败的测", "试"]);
        assert_eq!(rows("abcdefgh", 4), ["abc", "def", "gh"]);
        assert_eq!(rows("a\n\nb", 10), ["a", "", "b"]);
        assert_eq!(rows("", 10), [""]);
    }

    #[test]
    fn the_caret_is_where_the_text_is() {
        let text = "修复a\nb";
        for (caret, row, column) in [(0, 0, 0), (3, 0, 2), (6, 0, 4), (7, 0, 5), (8, 1, 0), (9, 1, 1)] {
            let layout = plain(text, caret, 20);
            assert_eq!((layout.row, layout.column), (row, column), "{caret}");
        }
    }

    proptest! {
        #[test]
        fn rows_hold_the_whole_text_and_fit(text in "[a-z 你한🦀\n]{0,60}", width in 1u16..30) {
            let layout = plain(&text, text.len(), width);
            let joined: String = layout.rows.iter().map(|span| &text[span.start..span.end]).collect();
            prop_assert_eq!(joined, text.replace('\n', ""));
            let room = usize::from(width).saturating_sub(1).max(1);
            for span in &layout.rows {
                let row = &text[span.start..span.end];
                prop_assert!(columns(row) <= room || row.chars().count() == 1, "{row:?} at {width}");
            }
            for (row, span) in layout.rows.iter().enumerate() {
                let back = plain(&text, byte_at(&text, *span, 3, &|_| None), width);
                prop_assert!(back.row == row || back.row == row + 1);
            }
        }
    }
}
