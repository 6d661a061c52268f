//! Events folded into cells. What is finished leaves for the terminal's scrollback once; the tail stays live.

use crate::cells::Cell;
use crate::{Look, text};
use ratatui_core::text::Line;
use reasonix_proto::{Event, Record};
use std::time::Duration;

/// The conversation as cells.
#[derive(Default)]
pub struct Transcript {
    finished: Vec<Line<'static>>,
    tail: String,
}

impl Transcript {
    /// Takes an event in. `now` counts from the start of the program.
    pub fn apply(&mut self, event: &Event, _now: Duration) {
        match event {
            Event::Text { delta } => self.tail.push_str(delta),
            Event::TurnEnded { .. } => {
                let tail = std::mem::take(&mut self.tail);
                self.finished.extend(tail.lines().map(|line| Line::raw(text::neutral(line).into_owned())));
            }
            _ => {}
        }
    }

    /// Takes in what an earlier process left, in order.
    pub fn recall(&mut self, _records: &[Record]) {}

    /// Adds a finished cell of the front end's own, such as the answer to a command.
    pub fn push(&mut self, cell: Box<dyn Cell>, width: u16, look: &Look) {
        self.finished.extend(cell.lines(width, look));
    }

    /// Lines that are final, each given out once, in order: they go into the terminal's own scrollback. Long answers
    /// give their finished blocks while the rest still streams.
    pub fn take_finished(&mut self, width: u16, _look: &Look) -> Vec<Line<'static>> {
        let finished = std::mem::take(&mut self.finished);
        finished.iter().flat_map(|line| text::wrap(line, width)).collect()
    }

    /// The last `most` lines of what is not final yet.
    pub fn live(&mut self, width: u16, _look: &Look, most: usize, _now: Duration) -> Vec<Line<'static>> {
        let lines: Vec<_> = self
            .tail
            .lines()
            .flat_map(|line| text::wrap(&Line::raw(text::neutral(line).into_owned()), width))
            .collect();
        let from = lines.len().saturating_sub(most);
        lines.into_iter().skip(from).collect()
    }

    /// True when something in the live part changes with time alone.
    pub fn animates(&self) -> bool {
        false
    }

    /// All lines, finished or not, at a width: for the full screen, for search and for a redraw.
    pub fn all(&mut self, _width: u16, _look: &Look, _now: Duration) -> Vec<Line<'static>> {
        Vec::new()
    }

    /// Unfolds or folds what is foldable (reasoning, tool output) from here on.
    pub fn set_unfolded(&mut self, _unfolded: bool) {}

    /// The last answer's source text, to be copied.
    pub fn last_answer(&self) -> Option<&str> {
        None
    }
}
