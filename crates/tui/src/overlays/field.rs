//! One line to be written: a value, an address, a key. A key of an endpoint is never shown.

use crate::Look;
use crate::keys::{Chord, Code};
use crate::overlays::line::LineField;
use crate::overlays::{Outcome, block, keys_line, rule};
use ratatui_core::text::{Line, Span};
use reasonix_proto::Phrase;

/// What the line is for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum FieldPurpose {
    /// The value of a setting.
    Setting(String),
    /// The address of an endpoint.
    Address,
    /// The key of an endpoint.
    Key,
    /// The name of a model.
    Model,
}

/// The line.
#[derive(Debug)]
pub struct FieldOverlay {
    /// What it is for.
    pub wanted: FieldPurpose,
    title: Phrase,
    note: Option<Phrase>,
    words: LineField,
}

impl FieldOverlay {
    /// A line with something in it already.
    pub fn new(wanted: FieldPurpose, title: Phrase, note: Option<Phrase>, text: &str) -> Self {
        Self { wanted, title, note, words: LineField::with(text) }
    }

    /// Takes a key.
    pub fn key(&mut self, chord: Chord) -> Outcome {
        match chord.code {
            Code::Esc => return Outcome::Close,
            Code::Char('c') if chord.mods.ctrl => return Outcome::Close,
            Code::Enter => return self.enter(),
            _ => {
                self.words.key(chord);
            }
        }
        Outcome::Stay
    }

    fn enter(&mut self) -> Outcome {
        let text = self.words.text().trim().to_owned();
        // A key may be in the environment later; everything else needs words.
        if text.is_empty() && self.wanted != FieldPurpose::Key {
            return Outcome::Stay;
        }
        self.words.clear();
        Outcome::Written(self.wanted.clone(), text)
    }

    /// Takes a paste: one line of it.
    pub fn paste(&mut self, text: &str) -> Outcome {
        self.words.paste(text.trim().lines().next().unwrap_or_default());
        Outcome::Stay
    }

    /// Its rows and the caret.
    pub fn view(&mut self, width: u16, most: usize, look: &Look) -> (Vec<Line<'static>>, Option<(u16, u16)>) {
        let mut lines = vec![rule(width, look, look.theme.accent)];
        block(&mut lines, &look.say(&self.title), width, look.theme.accent);
        if let Some(note) = self.note.as_ref().filter(|_| most > 6) {
            block(&mut lines, &look.say(note), width, look.theme.dim);
        }
        lines.truncate(most.saturating_sub(2).max(1));
        let row = u16::try_from(lines.len()).unwrap_or(u16::MAX);
        let room = usize::from(width).saturating_sub(3).max(1);
        let (words, caret) = match self.wanted {
            FieldPurpose::Key => self.words.hidden(room),
            _ => self.words.shown(room),
        };
        let column = u16::try_from(2 + caret).unwrap_or(u16::MAX).min(width.saturating_sub(1));
        lines.push(Line::from(vec![Span::styled("› ", look.theme.chosen), Span::styled(words, look.theme.text)]));
        lines.push(keys_line(&look.word("tui.field.keys"), width, look.theme.dim));
        (lines, Some((column, row)))
    }
}
