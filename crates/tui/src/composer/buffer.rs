//! The text being written, its caret, and what can be undone. The caret always stands between two graphemes.

use unicode_segmentation::UnicodeSegmentation;

/// How many steps can be undone.
const MOST_UNDO: usize = 200;

/// The text with its caret.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Buffer {
    text: String,
    caret: usize,
    undo: Vec<(String, usize)>,
    redo: Vec<(String, usize)>,
    killed: String,
    /// True while typing goes on: one step of undo takes the run back.
    typing: bool,
}

impl Buffer {
    /// The text.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// The byte the caret stands before.
    pub fn caret(&self) -> usize {
        self.caret
    }

    /// The text before the caret.
    pub fn before(&self) -> &str {
        self.text.get(..self.caret).unwrap_or_default()
    }

    /// The text after the caret.
    pub fn after(&self) -> &str {
        self.text.get(self.caret..).unwrap_or_default()
    }

    /// Replaces everything; the caret goes to the end.
    pub fn set(&mut self, text: &str) {
        self.remember();
        self.typing = false;
        text.clone_into(&mut self.text);
        self.caret = self.text.len();
    }

    /// Puts the caret at a byte, or at the nearest place before it where a caret can stand.
    pub fn go(&mut self, caret: usize) {
        self.typing = false;
        self.caret = self.boundary(caret);
    }

    fn boundary(&self, at: usize) -> usize {
        if at >= self.text.len() {
            return self.text.len();
        }
        self.text.grapheme_indices(true).map(|(start, _)| start).take_while(|start| *start <= at).last().unwrap_or(0)
    }

    /// Types text at the caret.
    pub fn insert(&mut self, text: &str) {
        let single = text.chars().count() == 1 && !text.contains(char::is_whitespace);
        if !self.typing || !single {
            self.remember();
        }
        self.typing = single;
        self.text.insert_str(self.caret, text);
        self.caret += text.len();
        // A mark that joined the grapheme after it leaves the caret inside: it goes behind.
        if self.boundary(self.caret) != self.caret {
            self.caret = self.right_of(self.boundary(self.caret));
        }
    }

    /// Replaces a piece of the text by another and puts the caret behind it.
    pub fn replace(&mut self, from: usize, to: usize, text: &str) {
        if self.text.get(from..to).is_some() {
            self.remember();
            self.typing = false;
            self.text.replace_range(from..to, text);
            self.caret = self.boundary(from + text.len());
        }
    }

    fn remember(&mut self) {
        if self.undo.last().is_none_or(|(text, _)| *text != self.text) {
            self.undo.push((self.text.clone(), self.caret));
        }
        if self.undo.len() > MOST_UNDO {
            self.undo.remove(0);
        }
        self.redo.clear();
    }

    /// Takes the last change back.
    pub fn undo(&mut self) {
        self.typing = false;
        while let Some((text, caret)) = self.undo.pop() {
            if text != self.text {
                self.redo.push((std::mem::replace(&mut self.text, text), self.caret));
                self.caret = self.boundary(caret);
                return;
            }
        }
    }

    /// Does the change again that was taken back.
    pub fn redo(&mut self) {
        if let Some((text, caret)) = self.redo.pop() {
            self.undo.push((std::mem::replace(&mut self.text, text), self.caret));
            self.caret = self.boundary(caret);
        }
    }

    fn left_of(&self, at: usize) -> usize {
        let before = self.text.get(..at).unwrap_or_default();
        before.grapheme_indices(true).next_back().map_or(0, |(start, _)| start)
    }

    fn right_of(&self, at: usize) -> usize {
        let after = self.text.get(at..).unwrap_or_default();
        after.graphemes(true).next().map_or(at, |grapheme| at + grapheme.len())
    }

    fn word_left_of(&self, at: usize) -> usize {
        let before = self.text.get(..at).unwrap_or_default();
        let mut words = before.split_word_bound_indices().rev();
        words.find(|(_, word)| !word.trim().is_empty()).map_or(0, |(start, _)| start)
    }

    fn word_right_of(&self, at: usize) -> usize {
        let after = self.text.get(at..).unwrap_or_default();
        let mut words = after.split_word_bound_indices();
        words.find(|(_, word)| !word.trim().is_empty()).map_or(self.text.len(), |(start, word)| at + start + word.len())
    }

    fn line_start(&self, at: usize) -> usize {
        self.text.get(..at).and_then(|before| before.rfind('\n')).map_or(0, |newline| newline + 1)
    }

    fn line_end(&self, at: usize) -> usize {
        self.text.get(at..).and_then(|after| after.find('\n')).map_or(self.text.len(), |newline| at + newline)
    }

    /// Where a motion leads from the caret.
    pub fn target(&self, motion: Motion) -> usize {
        let at = self.caret;
        match motion {
            Motion::Left => self.left_of(at),
            Motion::Right => self.right_of(at),
            Motion::WordLeft => self.word_left_of(at),
            Motion::WordRight => self.word_right_of(at),
            Motion::LineStart => self.line_start(at),
            Motion::LineEnd => self.line_end(at),
            Motion::Start => 0,
            Motion::End => self.text.len(),
        }
    }

    /// Moves the caret.
    pub fn travel(&mut self, motion: Motion) {
        self.go(self.target(motion));
    }

    /// Deletes from the caret to where a motion leads. At the end of a line the line break goes.
    pub fn delete(&mut self, motion: Motion, keep: bool) {
        let mut to = self.target(motion);
        if to == self.caret {
            to = match motion {
                Motion::LineStart => self.left_of(to),
                Motion::LineEnd => self.right_of(to),
                _ => to,
            };
        }
        let (from, to) = (to.min(self.caret), to.max(self.caret));
        if from == to {
            return;
        }
        self.remember();
        self.typing = false;
        let gone: String = self.text.drain(from..to).collect();
        if keep {
            self.killed = gone;
        }
        // What is left on both sides may have become one grapheme.
        self.caret = self.boundary(from);
    }

    /// Types what was last killed.
    pub fn yank(&mut self) {
        let killed = self.killed.clone();
        if !killed.is_empty() {
            self.insert(&killed);
            self.typing = false;
        }
    }
}

/// Where the caret can go.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Motion {
    /// One grapheme to the left.
    Left,
    /// One grapheme to the right.
    Right,
    /// To the beginning of the word.
    WordLeft,
    /// To the end of the word.
    WordRight,
    /// To the beginning of the line.
    LineStart,
    /// To the end of the line.
    LineEnd,
    /// To the beginning of the text.
    Start,
    /// To the end of the text.
    End,
}

#[cfg(test)]
#[path = "tests/buffer.rs"]
mod tests;
