//! What the front end itself shows in the transcript, such as the answer to a command.

use crate::Look;
use crate::cells::Cell;
use ratatui_core::text::Line;

/// Lines that are ready.
pub(crate) struct Ready(pub(crate) Vec<Line<'static>>);

impl Cell for Ready {
    fn lines(&self, width: u16, _look: &Look) -> Vec<Line<'static>> {
        self.0.iter().flat_map(|line| crate::text::wrap(line, width.max(1))).collect()
    }
}
