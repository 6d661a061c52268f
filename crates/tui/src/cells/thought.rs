//! The model's reasoning: its last lines while it streams, one line afterwards, all of it when unfolded.

use super::View;
use super::sheet::Sheet;
use crate::text::{Rich, Wrapped, neutral};
use ratatui_core::text::Line;
use reasonix_proto::Phrase;

/// So many lines are shown while it streams.
const LIVE_LINES: usize = 4;
/// As much of the end is enough to draw them.
const LIVE_BYTES: usize = 4096;

/// The model's reasoning.
#[derive(Debug, Default)]
pub(crate) struct Thought {
    pub(crate) text: String,
    pub(crate) done: bool,
}

impl Thought {
    pub(crate) fn lines(&self, view: View<'_>) -> Vec<Line<'static>> {
        let mut sheet = Sheet::new(view);
        let (look, theme) = (view.look, &view.look.theme);
        let mark = if look.unicode { "∴" } else { "~" };
        let title = match (self.done, self.text.trim().lines().count()) {
            (false, _) => look.word("tui.thinking"),
            (true, 1) => look.word("tui.thought_line"),
            (true, count) => look.say(&Phrase::new("tui.thought").with("count", count)),
        };
        sheet.head(mark, theme.dim, &Rich::new(&title, theme.dim));
        if view.open {
            sheet.text(&neutral(self.text.trim()), theme.thought);
        } else if !self.done {
            self.live(&mut sheet);
        }
        sheet.lines
    }

    fn live(&self, sheet: &mut Sheet<'_>) {
        let mut from = self.text.len().saturating_sub(LIVE_BYTES);
        while !self.text.is_char_boundary(from) {
            from += 1;
        }
        let end = neutral(self.text.get(from..).unwrap_or_default());
        let width = usize::from(sheet.inner());
        let mut lines = Vec::new();
        for line in end.trim_end().lines().filter(|line| !line.trim().is_empty()) {
            let rich = Rich::new(line, sheet.view.look.theme.thought);
            Wrapped { rich: &rich, width, first: &[], rest: &[] }.into_lines(&mut lines);
        }
        let skip = lines.len().saturating_sub(LIVE_LINES);
        sheet.inset(lines.split_off(skip));
    }
}
