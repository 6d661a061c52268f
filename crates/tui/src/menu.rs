//! The list below the composer: commands after `/`, files after `@`.

use crate::Look;
use crate::overlays::Entry;
use crate::overlays::entry_line;
use ratatui_core::text::Line;

/// How many entries are seen at once.
const ROWS: usize = 8;

/// What is completed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// A command's name.
    Command,
    /// An argument of a command.
    Argument,
    /// A reference to a file.
    Reference,
}

/// The list.
#[derive(Debug, Clone)]
pub struct Menu {
    /// What is completed.
    pub kind: Kind,
    /// The bytes of the text that an entry replaces.
    pub from: usize,
    /// Behind the last of them.
    pub to: usize,
    entries: Vec<Entry>,
    /// Which of them lead further, such as folders.
    descends: Vec<bool>,
    chosen: usize,
    scroll: usize,
}

impl Menu {
    /// A list of entries for a piece of the text.
    pub fn new(kind: Kind, from: usize, to: usize, entries: Vec<Entry>, descends: Vec<bool>) -> Self {
        Self { kind, from, to, entries, descends, chosen: 0, scroll: 0 }
    }

    /// True when there is nothing to choose.
    pub fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }

    /// The chosen entry, and whether it leads further.
    pub fn choice(&self) -> Option<(&Entry, bool)> {
        let descends = self.descends.get(self.chosen).copied().unwrap_or(false);
        self.entries.get(self.chosen).map(|entry| (entry, descends))
    }

    /// Goes up or down, around the ends.
    pub fn step(&mut self, down: bool) {
        let last = self.entries.len().saturating_sub(1);
        self.chosen = match (down, self.chosen) {
            (true, at) if at >= last => 0,
            (true, at) => at + 1,
            (false, 0) => last,
            (false, at) => at - 1,
        };
    }

    /// Keeps the choice of an earlier list where it is still there.
    pub fn keep(&mut self, earlier: &Menu) {
        if let Some((entry, _)) = earlier.choice()
            && let Some(at) = self.entries.iter().position(|other| other.value == entry.value)
            && earlier.chosen > 0
        {
            self.chosen = at;
        }
    }

    /// Its rows.
    pub fn view(&mut self, width: u16, most: usize, look: &Look) -> Vec<Line<'static>> {
        let room = ROWS.min(most).max(1);
        self.scroll = self.scroll.min(self.chosen).max((self.chosen + 1).saturating_sub(room));
        let shown = self.entries.iter().enumerate().skip(self.scroll).take(room);
        shown.map(|(at, entry)| entry_line(entry, at == self.chosen, width, look)).collect()
    }
}
