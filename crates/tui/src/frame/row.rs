//! One row of the screen as it is drawn: glyphs in columns. Whatever a line holds, a row holds nothing but printable text
//! that fits.

use crate::text::columns;
use ratatui_core::style::{Modifier, Style};
use ratatui_core::text::Line;
use unicode_segmentation::UnicodeSegmentation;
use unicode_width::UnicodeWidthChar;

/// A drawn row.
#[derive(Debug, Clone, Default, PartialEq)]
pub(crate) struct Row {
    text: String,
    glyphs: Vec<Glyph>,
    /// Columns from the left that hold something.
    pub(crate) width: u16,
}

/// One glyph of a row: a piece of its text at a column.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Glyph {
    start: u32,
    end: u32,
    pub(crate) column: u16,
    pub(crate) wide: u16,
    pub(crate) style: Style,
}

impl Row {
    /// Lays a line out in at most `width` columns; blanks at its end are left out.
    pub(crate) fn of(line: &Line<'_>, width: u16) -> Self {
        let mut row = Self::default();
        let mut column = 0u16;
        'line: for span in &line.spans {
            let style = line.style.patch(span.style);
            for grapheme in span.content.graphemes(true) {
                let Some((text, wide)) = printable(grapheme) else { continue };
                if column + wide > width {
                    break 'line;
                }
                row.push(text, column, wide, style);
                column += wide;
            }
        }
        row.trim();
        row
    }

    fn push(&mut self, text: &str, column: u16, wide: u16, style: Style) {
        let start = u32::try_from(self.text.len()).unwrap_or(u32::MAX);
        self.text.push_str(text);
        let end = u32::try_from(self.text.len()).unwrap_or(u32::MAX);
        self.glyphs.push(Glyph { start, end, column, wide, style });
    }

    fn trim(&mut self) {
        while self.glyphs.last().is_some_and(|glyph| self.symbol(glyph) == " " && is_invisible(glyph.style)) {
            self.glyphs.pop();
        }
        self.width = self.glyphs.last().map_or(0, |glyph| glyph.column + glyph.wide);
    }

    pub(crate) fn symbol(&self, glyph: &Glyph) -> &str {
        self.text.get(glyph.start as usize..glyph.end as usize).unwrap_or_default()
    }

    /// The glyphs that have to be written to get from `old` to this row: all between the first and the last difference.
    pub(crate) fn changed<'a>(&'a self, old: &Row) -> &'a [Glyph] {
        let same = |(mine, theirs): &(&Glyph, &Glyph)| {
            mine.column == theirs.column && mine.style == theirs.style && self.symbol(mine) == old.symbol(theirs)
        };
        let head = self.glyphs.iter().zip(&old.glyphs).take_while(same).count();
        let most = self.glyphs.len().min(old.glyphs.len()) - head;
        let tail = self.glyphs.iter().rev().zip(old.glyphs.iter().rev()).take(most).take_while(same).count();
        self.glyphs.get(head..self.glyphs.len() - tail).unwrap_or_default()
    }
}

/// What a grapheme is drawn as, and in how many columns; none when there is nothing to draw.
fn printable(grapheme: &str) -> Option<(&str, u16)> {
    let bad = |c: char| {
        c.is_control() || matches!(c, '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}' | '\u{200e}' | '\u{200f}')
    };
    if grapheme == "\t" {
        return Some((" ", 1));
    }
    if grapheme.chars().any(bad) {
        return Some(("\u{fffd}", 1));
    }
    let grapheme = agreed(grounded(grapheme));
    match columns(grapheme) {
        0 => None,
        wide => Some((grapheme, u16::try_from(wide.min(2)).unwrap_or(2))),
    }
}

/// Without the signs at its beginning that have no column of their own: terminals put them onto the glyph before, where nothing
/// takes them away again.
fn grounded(grapheme: &str) -> &str {
    let drawn = grapheme.trim_start_matches(|c: char| c.width() == Some(0));
    if columns(drawn) == columns(grapheme) { drawn } else { grapheme }
}

/// What all terminals draw in the same columns: some join the signs of a grapheme, others draw one after the other. Signs
/// that would then need more room than the whole has are left out, so that the first of joined emoji stands for them.
fn agreed(grapheme: &str) -> &str {
    let room = columns(grapheme);
    let mut used = 0;
    for (at, c) in grapheme.char_indices() {
        used += c.width().unwrap_or(0);
        if used > room {
            return grapheme.get(..at).unwrap_or_default().trim_end_matches('\u{200d}');
        }
    }
    grapheme
}

/// True when a blank in this style cannot be told from no blank.
fn is_invisible(style: Style) -> bool {
    let shows = Modifier::UNDERLINED | Modifier::REVERSED | Modifier::CROSSED_OUT;
    style.bg.is_none_or(|color| color == ratatui_core::style::Color::Reset) && !style.add_modifier.intersects(shows)
}
