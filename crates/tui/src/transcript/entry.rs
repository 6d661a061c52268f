//! One place of the transcript: a cell of any kind.

use crate::cells::{Cell, Citations, Marker, Notice, Prompt, Prose, Thought, Tool, TurnSummary, View};
use ratatui_core::text::Line;

/// A cell of any kind.
pub(super) enum Entry {
    Prompt(Prompt),
    Prose(Box<Prose>),
    Thought(Thought),
    Tool(Box<Tool>),
    Notice(Box<Notice>),
    Marker(Marker),
    Citations(Citations),
    Turn(Box<TurnSummary>),
    /// One of the front end's own.
    Own(Box<dyn Cell>),
    /// Another one, shown whole once more.
    Again(usize),
    /// One that was let go; the log has it.
    Gone,
}

impl Entry {
    /// All its lines.
    pub(super) fn lines(&self, view: View<'_>) -> Vec<Line<'static>> {
        match self {
            Self::Prompt(cell) => cell.lines(view),
            Self::Prose(cell) => cell.lines(view),
            Self::Thought(cell) => cell.lines(view),
            Self::Tool(cell) => cell.lines(view),
            Self::Notice(cell) => cell.draw(view),
            Self::Marker(cell) => cell.lines(view),
            Self::Citations(cell) => cell.lines(view),
            Self::Turn(cell) => cell.lines(view),
            Self::Own(cell) => cell.lines(view.width, view.look),
            Self::Gone | Self::Again(_) => Vec::new(),
        }
    }

    /// True for what is shown in part, until it is unfolded.
    pub(super) fn folds(&self, view: View<'_>) -> bool {
        match self {
            Self::Tool(_) | Self::Thought(_) => {
                self.lines(View { open: true, ..view }) != self.lines(View { open: false, ..view })
            }
            _ => false,
        }
    }

    /// True when there is an empty line between this one and the one before it.
    pub(super) fn stands_apart(&self, before: &Self) -> bool {
        !matches!(
            (before, self),
            (Self::Tool(_), Self::Tool(_))
                | (Self::Thought(_), Self::Thought(_))
                | (Self::Prose(_), Self::Citations(_))
                | (Self::Gone, _)
        )
    }

    /// Words for a search.
    pub(super) fn text(&self) -> &str {
        match self {
            Self::Prompt(cell) => &cell.text,
            Self::Prose(cell) => cell.source(),
            Self::Thought(cell) => &cell.text,
            Self::Tool(cell) => &cell.subject,
            _ => "",
        }
    }

    /// About how many bytes its source takes.
    pub(super) fn weight(&self) -> usize {
        match self {
            Self::Tool(cell) => cell.weight(),
            other => other.text().len(),
        }
    }

    /// Lets go of what is least missed; gives how many bytes that were.
    pub(super) fn shrink(&mut self) -> usize {
        match self {
            Self::Tool(cell) => cell.shrink(),
            Self::Thought(cell) => {
                let before = cell.text.capacity();
                if cell.text.len() > 512 {
                    let end = cell.text.floor_char_boundary(512);
                    cell.text.truncate(end);
                    cell.text.shrink_to_fit();
                }
                before - cell.text.capacity().min(before)
            }
            _ => 0,
        }
    }
}
