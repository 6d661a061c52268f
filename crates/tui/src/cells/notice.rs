//! Something a person should know, with what to do about it.

use super::sheet::Sheet;
use super::{Cell, View};
use crate::Look;
use crate::text::{Rich, neutral};
use ratatui_core::style::Modifier;
use ratatui_core::text::Line;
use reasonix_proto::{Level, Phrase};
use std::time::Duration;

/// A notice.
#[derive(Debug)]
pub struct Notice {
    /// How important it is.
    pub level: Level,
    /// What it is.
    pub phrase: Phrase,
}

impl Notice {
    pub(crate) fn draw(&self, view: View<'_>) -> Vec<Line<'static>> {
        let mut sheet = Sheet::new(view);
        let (look, theme) = (view.look, &view.look.theme);
        let (label, style) = match self.level {
            Level::Info => ("tui.label_note", theme.accent),
            Level::Warning => ("tui.label_warning", theme.warn),
            Level::Error => ("tui.label_error", theme.bad),
        };
        let mark = match (self.level, look.unicode) {
            (Level::Error, true) => "✗",
            (Level::Error, false) => "x",
            (Level::Warning, _) => "!",
            (Level::Info, _) => "i",
        };
        let style = style.add_modifier(Modifier::BOLD);
        let text = neutral(&look.say(&self.phrase)).into_owned();
        let mut lines = text.lines();
        let mut rich = Rich::new(&look.word(label), style);
        rich.push(lines.next().unwrap_or_default(), theme.text);
        sheet.head(mark, style, &rich);
        for line in lines {
            sheet.text(line, theme.text);
        }
        if let Some(hint) = reasonix_words::hint(look.lang, &self.phrase) {
            sheet.text(&format!("{}{}", look.word("tui.label_hint"), neutral(&hint)), theme.dim);
        }
        sheet.lines
    }
}

impl Cell for Notice {
    fn lines(&self, width: u16, look: &Look) -> Vec<Line<'static>> {
        self.draw(View { width, look, open: false, now: Duration::ZERO })
    }
}
