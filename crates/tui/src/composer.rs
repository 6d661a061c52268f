//! The composer: where the user writes. An editor of its own: graphemes, several lines, undo, history, chips for what
//! was pasted.

mod buffer;
mod chips;
mod history;
mod layout;
mod vim;

pub use buffer::{Buffer, Motion};
pub use chips::Chips;
pub use history::{MOST as MOST_HISTORY, PromptHistory};
pub use layout::{Layout, lay};
pub use vim::Vim;

use crate::Look;
use ratatui_core::text::{Line, Span as Text};
use unicode_segmentation::UnicodeSegmentation;

/// The text being written and what belongs to it.
#[derive(Debug, Clone, Default)]
pub struct Composer {
    /// The text; a chip is one character of it.
    pub buffer: Buffer,
    /// What was pasted and folded.
    pub chips: Chips,
    /// Prompts of earlier.
    pub history: PromptHistory,
    /// Keys as in vi; none where they are as everywhere.
    pub vim: Option<Vim>,
    /// The column that Up and Down want to keep.
    wanted: Option<usize>,
    /// The first row that is shown.
    scroll: usize,
    width: u16,
}

impl Composer {
    /// The text with every chip unfolded.
    pub fn whole(&self) -> String {
        self.chips.unfold(self.buffer.text())
    }

    /// True when there is nothing to send.
    pub fn is_blank(&self) -> bool {
        self.buffer.text().trim().is_empty()
    }

    /// Types text as it is; what a terminal could take for a command is left out.
    pub fn type_text(&mut self, text: &str) {
        let text: String =
            text.chars().filter(|c| (!c.is_control() || matches!(c, '\n' | '\t')) && !Chips::is(*c)).collect();
        if !text.is_empty() {
            self.touched();
            self.buffer.insert(&text);
        }
    }

    /// Takes a paste: as it is when it is small, as a chip otherwise.
    pub fn paste(&mut self, text: &str) {
        match Chips::folds(text) {
            true => {
                let chip = self.chips.add(text);
                self.touched();
                self.buffer.insert(&chip.to_string());
            }
            false => self.type_text(text),
        }
    }

    /// Replaces everything.
    pub fn set(&mut self, text: &str) {
        self.touched();
        self.buffer.set(text);
    }

    /// Takes the text out, to be sent.
    pub fn take(&mut self) -> String {
        let text = self.whole();
        self.buffer = Buffer::default();
        self.chips = Chips::default();
        self.touched();
        self.history.rest();
        text
    }

    fn touched(&mut self) {
        self.wanted = None;
        self.history.rest();
    }

    /// Moves the caret.
    pub fn travel(&mut self, motion: Motion) {
        self.wanted = None;
        self.buffer.travel(motion);
    }

    /// Deletes as far as a motion leads.
    pub fn delete(&mut self, motion: Motion, keep: bool) {
        self.touched();
        self.buffer.delete(motion, keep);
    }

    fn layout(&self, width: u16) -> Layout {
        lay(self.buffer.text(), self.buffer.caret(), width, &|c| self.chips.width(c))
    }

    /// One row up, or an older prompt when there is none above.
    pub fn up(&mut self) {
        if !self.step(false)
            && let Some(text) = self.history.older(&self.chips.unfold(self.buffer.text()))
        {
            self.recalled(&text);
        }
    }

    /// Takes an earlier text: what is very long stays folded behind its first line, as it was when it was pasted.
    fn recalled(&mut self, text: &str) {
        if !Chips::is_huge(text) {
            return self.buffer.set(text);
        }
        let first = text.find('\n').filter(|at| *at < 200).map_or(0, |at| at + 1);
        let (first, rest) = text.split_at(first);
        self.chips = Chips::default();
        let chip = self.chips.add(rest);
        self.buffer.set(&format!("{first}{chip}"));
    }

    /// One row down, or a newer prompt when there is none below.
    pub fn down(&mut self) {
        if !self.step(true)
            && let Some(text) = self.history.newer()
        {
            self.recalled(&text);
        }
    }

    /// Moves to the next row, keeping the column. False when there is none.
    fn step(&mut self, down: bool) -> bool {
        let layout = self.layout(self.width);
        let target = if down { Some(layout.row + 1) } else { layout.row.checked_sub(1) };
        let Some(span) = target.and_then(|row| layout.rows.get(row)).copied() else { return false };
        let column = self.wanted.unwrap_or(layout.column);
        let mut at = layout::byte_at(self.buffer.text(), span, column, &|c| self.chips.width(c));
        // The end of a folded row is the beginning of the next one.
        let folded = layout.rows.iter().any(|other| other.start == span.end) && span.end > span.start;
        if at == span.end && folded {
            let row = self.buffer.text().get(span.start..span.end).unwrap_or_default();
            at = row.grapheme_indices(true).next_back().map_or(span.start, |(last, _)| span.start + last);
        }
        self.buffer.go(at);
        self.wanted = Some(column);
        true
    }

    /// The rows to show, at most `most`, and where the caret stands in them.
    pub fn view(&mut self, width: u16, most: usize, look: &Look) -> (Vec<Line<'static>>, (u16, u16)) {
        self.width = width;
        let layout = self.layout(width);
        let most = most.max(1);
        self.scroll = self.scroll.min(layout.row).max((layout.row + 1).saturating_sub(most));
        self.scroll = self.scroll.min(layout.rows.len().saturating_sub(most));
        let rows = layout.rows.iter().skip(self.scroll).take(most);
        let lines = rows.map(|span| self.line(self.buffer.text().get(span.start..span.end).unwrap_or_default(), look));
        let lines: Vec<_> = lines.collect();
        let column = u16::try_from(layout.column).unwrap_or(u16::MAX);
        let row = u16::try_from(layout.row.saturating_sub(self.scroll)).unwrap_or(u16::MAX);
        (lines, (column, row))
    }

    fn line(&self, row: &str, look: &Look) -> Line<'static> {
        let mut line = Line::default();
        let mut plain = String::new();
        for c in row.chars() {
            match self.chips.label(c) {
                Some(label) => {
                    line.push_span(Text::styled(std::mem::take(&mut plain), look.theme.text));
                    line.push_span(Text::styled(label, look.theme.accent));
                }
                None => plain.push(c),
            }
        }
        line.push_span(Text::styled(plain, look.theme.text));
        line
    }
}

#[cfg(test)]
#[path = "composer/tests/composer.rs"]
mod tests;
