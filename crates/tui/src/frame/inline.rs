//! The screen inside the terminal's own: finished lines are written once and belong to its scrollback, the live rows
//! below them are changed in place. Knows no absolute position, so nothing above is ever touched.

use crate::Colours;
use crate::frame::paint::{put, rewrite, to_column, to_row};
use crate::frame::row::Row;
use ratatui_core::text::Line;

/// The live rows as they stand on the screen.
#[derive(Debug)]
pub struct Inline {
    rows: Vec<Row>,
    /// Rows from the first live one that are known to exist on the screen.
    extent: usize,
    row: usize,
    column: u16,
    width: u16,
    height: u16,
    /// True when the terminal wraps long lines anew when it becomes narrower.
    reflows: bool,
    fresh: bool,
}

impl Inline {
    /// A screen whose first row is where the cursor is.
    pub fn new(width: u16, height: u16, reflows: bool) -> Self {
        let (width, height) = (width.max(1), height.max(1));
        Self { rows: Vec::new(), extent: 1, row: 0, column: 0, width, height, reflows, fresh: true }
    }

    /// Draws: `finished` goes above the live rows for good, `live` takes their place. At most as many live rows as the
    /// screen has are shown, the last ones.
    pub fn draw(
        &mut self,
        out: &mut String,
        finished: &[Line<'_>],
        live: &[Line<'_>],
        caret: Option<(u16, u16)>,
        colours: Colours,
    ) {
        if self.fresh {
            self.erase(out, 0);
            self.fresh = false;
        }
        let cut = live.len().saturating_sub(usize::from(self.height));
        let blank = [Line::default()];
        // There is always a row for the cursor to stand in.
        let live = live.get(cut..).filter(|live| !live.is_empty()).unwrap_or(&blank);
        let rows: Vec<Row> = finished.iter().chain(live).map(|line| Row::of(line, self.width)).collect();
        self.make_room(out, &rows);
        self.shift(out, &rows);
        for (index, row) in rows.iter().enumerate() {
            self.show(out, index, row, colours);
        }
        if rows.len() < self.rows.len() {
            self.go(out, rows.len().min(self.extent.saturating_sub(1)), 0);
            if rows.len() < self.extent {
                out.push_str("\x1b[J");
            }
        }
        self.rows = rows;
        let (column, row) = caret.unwrap_or((0, 0));
        let row = finished.len() + usize::from(row).saturating_sub(cut);
        self.go(out, row.min(self.extent - 1), column.min(self.width - 1));
        self.give_away(finished.len());
    }

    /// Where rows come in above others that stay as they are, the terminal moves those down by itself.
    fn make_room(&mut self, out: &mut String, rows: &[Row]) {
        let same = rows.iter().rev().zip(self.rows.iter().rev()).take_while(|(new, old)| new == old).count();
        let kept = rows.iter().zip(&self.rows).take_while(|(new, old)| new == old).count();
        let more = rows.len().saturating_sub(self.rows.len());
        let at = self.rows.len() - same;
        // What leaves the screen can no longer be changed, so only what is drawn already may.
        let leaves = rows.len().saturating_sub(usize::from(self.height));
        if more == 0 || same < 2 || kept.min(at) < leaves {
            return;
        }
        while self.extent < rows.len() {
            self.go(out, self.extent - 1, 0);
            out.push_str("\r\n");
            self.row = self.extent;
            self.extent += 1;
        }
        self.go(out, at, 0);
        put(out, format_args!("\x1b[{more}L"));
        // Terminals differ in where the cursor's column is then.
        self.column = u16::MAX;
        self.rows.splice(at..at, std::iter::repeat_n(Row::default(), more));
    }

    /// Where a stretch of rows goes up because others came in below it, the terminal moves it up by itself.
    fn shift(&mut self, out: &mut String, rows: &[Row]) {
        if rows.len() != self.rows.len() || rows.len() > self.extent {
            return;
        }
        let head = rows.iter().zip(&self.rows).take_while(|(new, old)| new == old).count();
        let left = rows.len() - head;
        let tails = rows.iter().rev().zip(self.rows.iter().rev()).take(left);
        let end = rows.len() - tails.take_while(|(new, old)| new == old).count();
        let span = end - head;
        let moved = |by: usize| {
            let olds = self.rows.iter().skip(head + by);
            rows.iter().skip(head).take(span - by).zip(olds).filter(|(new, old)| new == old).count()
        };
        let best = (1..=span / 2).map(|by| (moved(by), by)).max_by_key(|(count, by)| (*count, usize::MAX - by));
        let Some((_, by)) = best.filter(|(count, _)| *count > 2 && count * 2 > span) else { return };
        self.go(out, head, 0);
        put(out, format_args!("\x1b[{by}M"));
        self.column = u16::MAX;
        self.go(out, end - by, 0);
        put(out, format_args!("\x1b[{by}L"));
        self.column = u16::MAX;
        self.rows.splice(end..end, std::iter::repeat_n(Row::default(), by));
        self.rows.drain(head..head + by);
    }

    fn show(&mut self, out: &mut String, index: usize, row: &Row, colours: Colours) {
        let blank = Row::default();
        while index >= self.extent {
            self.go(out, self.extent - 1, 0);
            out.push_str("\r\n");
            self.row = self.extent;
            self.extent += 1;
        }
        let old = self.rows.get(index).unwrap_or(&blank);
        if *old == *row {
            return;
        }
        if self.row != index {
            to_row(out, self.row, index);
            self.row = index;
        }
        self.column = rewrite(out, old, row, self.column, self.width, colours);
    }

    fn go(&mut self, out: &mut String, row: usize, column: u16) {
        to_row(out, self.row, row);
        if self.column != column {
            to_column(out, column);
        }
        (self.row, self.column) = (row, column);
    }

    /// The first rows belong to the scrollback from now on.
    fn give_away(&mut self, count: usize) {
        let count = count.min(self.rows.len());
        self.rows.drain(..count);
        self.extent = self.extent.saturating_sub(count).max(1);
        self.row = self.row.saturating_sub(count);
    }

    /// The terminal has another size: the live rows are taken away, to be drawn anew. Where they begin follows from how
    /// the terminal treats rows that became too long.
    pub fn resize(&mut self, out: &mut String, width: u16, height: u16) {
        let (width, height) = (width.max(1), height.max(1));
        let above = if self.reflows && width < self.width {
            let folded = |row: &Row| usize::from(row.width.div_ceil(width).max(1));
            let before: usize = self.rows.iter().take(self.row).map(folded).sum();
            before + usize::from(self.column / width)
        } else {
            self.row
        };
        (self.width, self.height) = (width, height);
        self.erase(out, above);
    }

    /// The screen is back after another buffer was shown: it is as it was, unless the size changed meanwhile.
    pub fn regain(&mut self, out: &mut String, width: u16, height: u16) {
        if (width.max(1), height.max(1)) != (self.width, self.height) {
            self.resize(out, width, height);
        }
    }

    /// Takes the live rows off the screen: to leave, to stop, or to draw them anew.
    pub fn clear(&mut self, out: &mut String) {
        self.erase(out, self.row);
    }

    fn erase(&mut self, out: &mut String, above: usize) {
        to_row(out, above, 0);
        out.push_str("\r\x1b[J");
        self.rows.clear();
        (self.row, self.column, self.extent) = (0, 0, 1);
    }
}

#[cfg(test)]
#[path = "tests/inline.rs"]
mod tests;
