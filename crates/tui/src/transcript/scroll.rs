//! The whole transcript in a window: only the cells that are in sight are drawn, and those few are kept.

use super::{Entry, Transcript};
use crate::Look;
use crate::cells::View;
use ratatui_core::text::Line;
use std::collections::VecDeque;
use std::time::Duration;

/// So many drawn cells are kept.
const KEPT: usize = 48;

/// Cells that were drawn lately.
#[derive(Default)]
pub(super) struct Drawn {
    width: u16,
    look: Option<Look>,
    cells: VecDeque<(usize, Vec<Line<'static>>)>,
}

/// A part of the transcript.
#[derive(Debug, Default)]
pub struct Window {
    /// Its lines, at most as many as were asked for.
    pub lines: Vec<Line<'static>>,
    /// True when there is more above.
    pub above: bool,
    /// How far up it really is, in lines from the end.
    pub up: usize,
}

impl Transcript {
    /// All lines, finished or not, at a width. Costs as much as the session is long; for a window use
    /// [`window`](Self::window).
    pub fn all(&mut self, width: u16, look: &Look, now: Duration) -> Vec<Line<'static>> {
        let mut lines = Vec::new();
        for index in 0..self.entries.len() {
            lines.extend(self.cell(index, width, look, now));
        }
        lines
    }

    /// All lines with everything unfolded: reasoning whole, output as far as it is kept.
    pub fn everything(&self, width: u16, look: &Look, now: Duration) -> Vec<Line<'static>> {
        let view = View { width, look, open: true, now };
        let mut lines = Vec::new();
        let mut before: Option<&Entry> = None;
        for entry in &self.entries {
            let part = entry.lines(view);
            if before.is_some_and(|before| entry.stands_apart(before)) && !part.is_empty() {
                lines.push(Line::default());
            }
            lines.extend(part);
            before = Some(entry);
        }
        lines
    }

    /// `height` lines that end `up` lines above the end.
    pub fn window(&mut self, width: u16, look: &Look, height: usize, up: usize, now: Duration) -> Window {
        let mut cells: Vec<Vec<Line<'static>>> = Vec::new();
        let mut gathered = 0;
        let mut index = self.entries.len();
        while index > 0 && gathered < height + up {
            index -= 1;
            let cell = self.cell(index, width, look, now);
            gathered += cell.len();
            cells.push(cell);
        }
        let up = up.min(gathered.saturating_sub(height));
        let mut lines: Vec<Line<'static>> = cells.into_iter().rev().flatten().collect();
        lines.truncate(gathered - up);
        let skip = lines.len().saturating_sub(height);
        Window { above: index > 0 || skip > 0, lines: lines.split_off(skip), up }
    }

    /// How far up the beginning of an entry is, in lines from the end.
    pub fn window_at(&mut self, entry: usize, width: u16, look: &Look, now: Duration) -> usize {
        let mut up = 0;
        for index in (entry..self.entries.len()).rev() {
            up += self.cell(index, width, look, now).len();
        }
        up
    }

    /// The lines of one entry, with the empty line before it.
    fn cell(&mut self, index: usize, width: u16, look: &Look, now: Duration) -> Vec<Line<'static>> {
        if self.scroll.width != width || self.scroll.look.as_ref() != Some(look) {
            self.scroll = Drawn { width, look: Some(look.clone()), cells: VecDeque::new() };
        }
        if let Some((_, lines)) = self.scroll.cells.iter().find(|(kept, _)| *kept == index) {
            return lines.clone();
        }
        let view = View { width, look, open: self.open, now };
        let before = index.checked_sub(1).and_then(|before| self.entries.get(before));
        let Some(entry) = self.entries.get(index) else { return Vec::new() };
        let mut lines = self.again(index, view).unwrap_or_else(|| entry.lines(view));
        if before.is_some_and(|before| Entry::stands_apart(entry, before)) && !lines.is_empty() {
            lines.insert(0, Line::default());
        }
        // What streams at the moment is drawn anew each time.
        if self.is_done(index) && index + 1 < self.entries.len() {
            if self.scroll.cells.len() >= KEPT {
                self.scroll.cells.pop_front();
            }
            self.scroll.cells.push_back((index, lines.clone()));
        }
        lines
    }
}
