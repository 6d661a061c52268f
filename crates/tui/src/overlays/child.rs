//! What a subagent said and did, on the whole screen, and a line in which something is said to it.

use crate::Look;
use crate::keys::{Chord, Code};
use crate::overlays::{LineField, Outcome, Pager, Picked};
use ratatui_core::text::{Line, Span};
use reasonix_proto::{Phrase, SessionId};

/// One subagent, opened.
#[derive(Debug)]
pub struct ChildOverlay {
    /// Its session.
    pub session: SessionId,
    child: String,
    /// It still works: it can be told something, and stopped.
    works: bool,
    title: Phrase,
    text: Pager,
    words: LineField,
}

impl ChildOverlay {
    /// What the subagent of this name said and did, shown from its end.
    pub fn new(session: SessionId, child: String, (title, lines): (Phrase, Vec<Line<'static>>), works: bool) -> Self {
        let text = Pager::new(title.clone(), lines, true);
        Self { session, child, works, title, text, words: LineField::default() }
    }

    /// It went on, or is over.
    pub fn refresh(&mut self, lines: Vec<Line<'static>>, works: bool) {
        self.works = works;
        self.text.replace(lines);
    }

    /// Turns by so many lines, for the wheel.
    pub fn scroll(&mut self, up: bool) {
        self.text.scroll(up);
    }

    /// Takes a key: what is typed is said to the subagent.
    pub fn key(&mut self, chord: Chord, look: &Look) -> Outcome {
        match chord.code {
            Code::Char('c') if chord.mods.ctrl => return Outcome::Close,
            Code::Esc if self.words.text().is_empty() => return Outcome::Close,
            Code::Esc => self.words.clear(),
            Code::Up | Code::Down | Code::PageUp | Code::PageDown => return self.text.key(chord, look),
            Code::Delete if self.works && self.words.text().is_empty() => {
                return Outcome::Removed(Picked::Child { session: self.session.clone(), child: self.child.clone() });
            }
            Code::Enter => return self.enter(),
            _ if self.works => {
                self.words.key(chord);
            }
            _ => {}
        }
        Outcome::Stay
    }

    fn enter(&mut self) -> Outcome {
        let text = self.words.text().trim().to_owned();
        if text.is_empty() || !self.works {
            return Outcome::Stay;
        }
        self.words.clear();
        Outcome::Steered { child: self.child.clone(), text }
    }

    /// Takes a paste, as one line.
    pub fn paste(&mut self, text: &str) -> Outcome {
        if self.works {
            self.words.paste(&text.split_whitespace().collect::<Vec<_>>().join(" "));
        }
        Outcome::Stay
    }

    /// Its rows and the caret.
    pub fn view(&mut self, width: u16, most: usize, look: &Look) -> (Vec<Line<'static>>, Option<(u16, u16)>) {
        let (mut lines, _) = self.text.view(width, most.saturating_sub(1).max(1), look);
        // Its keys are others than those of a text that is only read.
        lines.pop();
        lines.push(Line::styled(
            crate::text::cut(&look.say(&self.title), usize::from(width)).to_owned(),
            look.theme.accent,
        ));
        let row = u16::try_from(lines.len()).unwrap_or(u16::MAX);
        let room = usize::from(width).saturating_sub(3).max(1);
        let (words, at) = self.words.shown(room);
        let hint = if self.works { "tui.child.say" } else { "tui.child.said" };
        let line = match words.is_empty() {
            true => Span::styled(crate::text::cut(&look.word(hint), room).to_owned(), look.theme.dim),
            false => Span::styled(words, look.theme.text),
        };
        lines.push(Line::from(vec![Span::styled("› ", look.theme.accent), line]));
        let column = u16::try_from(2 + at).unwrap_or(u16::MAX).min(width.saturating_sub(1));
        (lines, self.works.then_some((column, row)))
    }
}
