//! What the front end itself says in the transcript: an answer to a command, a warning.

use crate::Look;
use crate::cells::Cell;
use crate::overlays::block;
use ratatui_core::text::Line;
use reasonix_proto::{Level, Phrase};
use reasonix_words::hint;

/// A phrase with its hint.
pub(crate) struct Note {
    pub(crate) level: Level,
    pub(crate) phrase: Phrase,
}

impl Cell for Note {
    fn lines(&self, width: u16, look: &Look) -> Vec<Line<'static>> {
        let style = match self.level {
            Level::Info => look.theme.dim,
            Level::Warning => look.theme.warn,
            Level::Error => look.theme.bad,
        };
        let mut lines = Vec::new();
        block(&mut lines, &look.say(&self.phrase), width, style);
        if let Some(hint) = hint(look.lang, &self.phrase) {
            block(&mut lines, &hint, width, look.theme.accent);
        }
        lines
    }
}

/// Lines that are ready.
pub(crate) struct Ready(pub(crate) Vec<Line<'static>>);

impl Cell for Ready {
    fn lines(&self, width: u16, _look: &Look) -> Vec<Line<'static>> {
        self.0.iter().flat_map(|line| crate::text::wrap(line, width.max(1))).collect()
    }
}
