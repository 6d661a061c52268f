//! What the transcript is made of: one kind of cell a file.

use crate::Look;
use ratatui_core::text::Line;

/// One entry of the transcript.
pub trait Cell: Send {
    /// Its lines at a width; none is wider.
    fn lines(&self, width: u16, look: &Look) -> Vec<Line<'static>>;
}
