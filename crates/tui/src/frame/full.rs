//! The whole screen, on the terminal's other buffer: every row is ours.

use crate::Colours;
use crate::frame::paint::rewrite;
use crate::frame::row::Row;
use ratatui_core::text::Line;
use std::fmt::Write;

/// The rows as they stand on the screen.
#[derive(Debug)]
pub struct Full {
    rows: Vec<Row>,
    /// False when what is on the screen is not known.
    known: bool,
    width: u16,
    height: u16,
}

impl Full {
    /// A screen of which nothing is known yet.
    pub fn new(width: u16, height: u16) -> Self {
        Self { rows: Vec::new(), known: false, width: width.max(1), height: height.max(1) }
    }

    /// Draws the rows from the top.
    pub fn draw(&mut self, out: &mut String, lines: &[Line<'_>], caret: Option<(u16, u16)>, colours: Colours) {
        let blank = Row::default();
        let mut rows: Vec<Row> =
            lines.iter().take(usize::from(self.height)).map(|line| Row::of(line, self.width)).collect();
        rows.resize(usize::from(self.height), Row::default());
        for (index, row) in rows.iter().enumerate() {
            let old = self.rows.get(index).filter(|_| self.known);
            if old == Some(row) {
                continue;
            }
            let _ = write!(out, "\x1b[{}H", index + 1);
            if old.is_none() {
                out.push_str("\x1b[K");
            }
            let old = old.unwrap_or(&blank);
            rewrite(out, old, row, 0, self.width, colours);
        }
        let (column, row) = caret.unwrap_or((0, self.height - 1));
        let _ = write!(out, "\x1b[{};{}H", row.min(self.height - 1) + 1, column.min(self.width - 1) + 1);
        self.rows = rows;
        self.known = true;
    }

    /// The terminal has another size; everything is drawn anew, row by row.
    pub fn resize(&mut self, width: u16, height: u16) {
        *self = Self::new(width, height);
    }
}
