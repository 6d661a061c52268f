//! Events folded into cells. What is finished leaves for the terminal's scrollback once; the tail stays live. Cells keep
//! their source; lines are made when they are asked for.

mod entry;
mod fold;
mod recall;
mod scroll;

use crate::Look;
use crate::cells::{Cell, Marker, View};
use entry::Entry;
pub use fold::change;
use ratatui_core::text::Line;
use reasonix_proto::Phrase;
use std::time::Duration;

/// As much source as is kept. Beyond it old output is let go, and then old entries; the log on disk has them.
const MOST_BYTES: usize = 8 * 1024 * 1024;
/// How many lines stay live before anybody said how many fit.
const ROOM: usize = 20;

/// The conversation as cells.
pub struct Transcript {
    entries: Vec<Entry>,
    /// The first entry that was not given out whole.
    given: usize,
    /// The entry that was given out last and is still the one above.
    any_given: bool,
    room: usize,
    open: bool,
    fold: fold::Fold,
    weight: usize,
    most: usize,
    /// Entries before this one gave up what they could.
    shrunk: usize,
    /// Entries before this one are gone.
    gone: usize,
    scroll: scroll::Drawn,
}

impl Default for Transcript {
    fn default() -> Self {
        Self {
            entries: Vec::new(),
            given: 0,
            any_given: false,
            room: ROOM,
            open: false,
            fold: fold::Fold::default(),
            weight: 0,
            most: MOST_BYTES,
            shrunk: 0,
            gone: 0,
            scroll: scroll::Drawn::default(),
        }
    }
}

impl Transcript {
    /// Adds a finished cell of the front end's own, such as the answer to a command.
    pub fn push(&mut self, cell: Box<dyn Cell>) {
        self.entries.push(Entry::Own(cell));
    }

    /// Forgets everything, such as before another session is shown.
    pub fn clear(&mut self) {
        *self = Self { room: self.room, open: self.open, ..Self::default() };
    }

    /// True when nothing was said yet.
    pub fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }

    /// Lines that are final, each given out once, in order: they go into the terminal's own scrollback. Long answers
    /// give their finished blocks while the rest still streams, as soon as the screen has no room for them.
    pub fn take_finished(&mut self, width: u16, look: &Look) -> Vec<Line<'static>> {
        let view = View { width, look, open: self.open, now: Duration::ZERO };
        let mut lines = Vec::new();
        while self.given < self.entries.len() {
            let done = self.is_done(self.given);
            let room = self.room;
            let apart = self.stands_apart(self.given);
            let again = self.again(self.given, view);
            let Some(entry) = self.entries.get_mut(self.given) else { break };
            let (part, begun) = match entry {
                Entry::Prose(prose) => {
                    let begun = prose.is_given();
                    (if done { prose.finish(view) } else { prose.spill(view, room) }, begun)
                }
                other if done => (again.unwrap_or_else(|| other.lines(view)), false),
                _ => break,
            };
            if !part.is_empty() && !begun && apart {
                lines.push(Line::default());
            }
            self.any_given |= !part.is_empty();
            lines.extend(part);
            if !done {
                break;
            }
            self.given += 1;
        }
        self.bound();
        lines
    }

    /// The last `most` lines of what is not final yet.
    pub fn live(&mut self, width: u16, look: &Look, most: usize, now: Duration) -> Vec<Line<'static>> {
        self.room = most.max(1);
        let view = View { width, look, open: self.open, now };
        let mut lines = Vec::new();
        for index in self.given..self.entries.len() {
            let apart = self.stands_apart(index);
            let again = self.again(index, view);
            let Some(entry) = self.entries.get_mut(index) else { break };
            let (part, begun) = match entry {
                Entry::Prose(prose) => {
                    let begun = prose.is_given();
                    (prose.rest(view), begun)
                }
                other => (again.unwrap_or_else(|| other.lines(view)), false),
            };
            if !part.is_empty() && !begun && apart {
                lines.push(Line::default());
            }
            lines.extend(part);
        }
        let from = lines.len().saturating_sub(most);
        lines.split_off(from)
    }

    /// From how many lines on finished blocks of an answer are given out while the rest still streams.
    pub fn hold(&mut self, most: usize) {
        self.room = most.max(1);
    }

    /// True when something in the live part changes with time alone.
    pub fn animates(&self) -> bool {
        let live = self.entries.get(self.given..).unwrap_or_default();
        live.iter().any(|entry| match entry {
            Entry::Tool(tool) => matches!(tool.state, crate::cells::ToolState::Running(_)),
            _ => false,
        })
    }

    /// Unfolds or folds what is foldable (reasoning, tool output) from here on.
    pub fn set_unfolded(&mut self, unfolded: bool) {
        self.open = unfolded;
        self.scroll = scroll::Drawn::default();
    }

    /// Shows what was shown in part last once more, whole, where it has left for the terminal's scrollback and cannot be
    /// opened there any more.
    pub fn reopen(&mut self, width: u16, look: &Look) {
        let view = View { width, look, open: false, now: Duration::ZERO };
        let folded = self.entries.iter().rposition(|entry| entry.folds(view));
        if let Some(index) = folded.filter(|index| *index < self.given) {
            self.entries.push(Entry::Again(index));
        }
    }

    /// The lines of an entry that stands for another one.
    fn again(&self, index: usize, view: View<'_>) -> Option<Vec<Line<'static>>> {
        let Entry::Again(other) = self.entries.get(index)? else { return None };
        self.entries.get(*other).map(|other| other.lines(View { open: true, ..view }))
    }

    /// True when everything is shown.
    pub fn is_unfolded(&self) -> bool {
        self.open
    }

    /// The last answer's source text, to be copied.
    pub fn last_answer(&self) -> Option<&str> {
        self.entries.iter().rev().find_map(|entry| match entry {
            Entry::Prose(prose) if !prose.is_plan => Some(prose.source()),
            _ => None,
        })
    }

    /// The entries whose text has these words, in any case, the newest first. An entry is shown by
    /// [`window_at`](Self::window_at).
    pub fn search<'a>(&'a self, words: &str) -> impl Iterator<Item = (usize, &'a str)> + use<'a> {
        let words = words.to_lowercase();
        let entries = self.entries.iter().enumerate().rev();
        entries
            .map(|(index, entry)| (index, entry.text()))
            .filter(move |(_, text)| !words.is_empty() && text.to_lowercase().contains(&words))
    }

    fn stands_apart(&self, index: usize) -> bool {
        let before = index.checked_sub(1).and_then(|before| self.entries.get(before));
        match (before, self.entries.get(index)) {
            (Some(before), Some(entry)) => entry.stands_apart(before),
            _ => self.any_given,
        }
    }

    fn is_done(&self, index: usize) -> bool {
        match self.entries.get(index) {
            Some(Entry::Prose(_)) => self.fold.prose() != Some(index),
            Some(Entry::Thought(thought)) => thought.done,
            Some(Entry::Tool(tool)) => tool.is_done(),
            _ => true,
        }
    }

    /// Keeps the source within its bound.
    fn bound(&mut self) {
        while self.weight > self.most && self.shrunk < self.given {
            let Some(entry) = self.entries.get_mut(self.shrunk) else { break };
            self.weight = self.weight.saturating_sub(entry.shrink());
            self.shrunk += 1;
        }
        let before = self.gone;
        while self.weight > self.most && self.gone < self.shrunk {
            let Some(entry) = self.entries.get_mut(self.gone) else { break };
            self.weight = self.weight.saturating_sub(entry.weight());
            *entry = Entry::Gone;
            self.gone += 1;
        }
        if self.gone > before {
            // One line stands for all of them.
            if let Some(entry) = before.checked_sub(1).and_then(|old| self.entries.get_mut(old)) {
                *entry = Entry::Gone;
            }
            if let Some(entry) = self.gone.checked_sub(1).and_then(|last| self.entries.get_mut(last)) {
                *entry = Entry::Marker(Marker(Phrase::new("tui.let_go")));
            }
            self.scroll = scroll::Drawn::default();
        }
    }
}

#[cfg(test)]
mod tests;
