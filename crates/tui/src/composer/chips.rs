//! Large pastes, folded: one character of a private plane stands for each, and a label is shown in its place.

use crate::text::columns;

/// Pastes of more lines or characters than this are folded.
const MOST_LINES: usize = 8;
const MOST_CHARS: usize = 1000;

/// Texts of more lines or characters than this are folded when they come back from the history.
const HUGE_LINES: usize = 60;
const HUGE_CHARS: usize = 6000;

const FIRST: u32 = 0xf_0000;
const LAST: u32 = 0xf_ffff;

/// What was pasted.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Chips {
    texts: Vec<String>,
}

impl Chips {
    /// True for characters that stand for a paste.
    pub fn is(c: char) -> bool {
        (FIRST..=LAST).contains(&u32::from(c))
    }

    /// True when a paste is large enough to be folded.
    pub fn folds(text: &str) -> bool {
        text.lines().count() > MOST_LINES || text.chars().count() > MOST_CHARS
    }

    /// True for what nobody wrote by hand.
    pub fn is_huge(text: &str) -> bool {
        text.lines().count() > HUGE_LINES || text.chars().count() > HUGE_CHARS
    }

    /// Keeps a paste and gives the character that stands for it.
    pub fn add(&mut self, text: &str) -> char {
        let number = u32::try_from(self.texts.len()).unwrap_or(u32::MAX);
        self.texts.push(text.to_owned());
        char::from_u32(FIRST.saturating_add(number).min(LAST)).unwrap_or('\u{f0000}')
    }

    fn text(&self, c: char) -> Option<(usize, &str)> {
        let number = u32::from(c).checked_sub(FIRST).filter(|_| Self::is(c))? as usize;
        self.texts.get(number).map(|text| (number, text.as_str()))
    }

    /// What is shown in place of a chip.
    pub fn label(&self, c: char) -> Option<String> {
        let (number, text) = self.text(c)?;
        let lines = text.lines().count();
        Some(match lines {
            0 | 1 => format!("[#{} · {} chars]", number + 1, text.chars().count()),
            _ => format!("[#{} · {lines} lines]", number + 1),
        })
    }

    /// The columns of a chip's label.
    pub fn width(&self, c: char) -> Option<usize> {
        if Self::is(c) { Some(self.label(c).map_or(0, |label| columns(&label))) } else { None }
    }

    /// The text with every chip replaced by what was pasted.
    pub fn unfold(&self, text: &str) -> String {
        let mut out = String::with_capacity(text.len());
        for c in text.chars() {
            match self.text(c) {
                Some((_, pasted)) => out.push_str(pasted),
                None if Self::is(c) => {}
                None => out.push(c),
            }
        }
        out
    }
}
