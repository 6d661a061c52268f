//! One line of text that is written in an overlay: its keys, what is pasted into it, and what of it is shown.

use crate::composer::{Buffer, Motion};
use crate::keys::{Chord, Code};
use crate::text::{columns, cut, neutral};

/// The line with its caret.
#[derive(Debug, Default)]
pub struct LineField(Buffer);

impl LineField {
    /// A line with something in it already; the caret stands behind it.
    pub fn with(text: &str) -> Self {
        let mut line = Self::default();
        line.0.set(text);
        line
    }

    /// The text.
    pub fn text(&self) -> &str {
        self.0.text()
    }

    /// Takes everything out.
    pub fn clear(&mut self) {
        self.0.set("");
    }

    /// Takes a key that writes; all others do nothing. True when the text is another one now.
    pub fn key(&mut self, chord: Chord) -> bool {
        let before = self.text().to_owned();
        match chord.code {
            Code::Left => self.0.travel(Motion::Left),
            Code::Right => self.0.travel(Motion::Right),
            Code::Home => self.0.travel(Motion::LineStart),
            Code::End => self.0.travel(Motion::LineEnd),
            Code::Backspace => self.0.delete(Motion::Left, false),
            Code::Delete => self.0.delete(Motion::Right, false),
            Code::Char('u') if chord.mods.ctrl => self.clear(),
            Code::Char('w') if chord.mods.ctrl => self.0.delete(Motion::WordLeft, false),
            _ => chord.typed().into_iter().for_each(|c| self.0.insert(&c.to_string())),
        }
        self.text() != before
    }

    /// Takes a paste; it stays one line.
    pub fn paste(&mut self, text: &str) {
        self.0.insert(&text.replace(char::is_control, " "));
    }

    /// What of it is shown in so many columns, and the column of the caret in that.
    pub fn shown(&self, room: usize) -> (String, usize) {
        self.drawn(room, |text| neutral(text).into_owned())
    }

    /// The same with a dot in place of each character.
    pub fn hidden(&self, room: usize) -> (String, usize) {
        self.drawn(room, |text| "•".repeat(text.chars().count()))
    }

    fn drawn(&self, room: usize, draw: impl Fn(&str) -> String) -> (String, usize) {
        // The end before the caret stays in sight.
        let before = tail(&draw(self.0.before()), room);
        let whole = format!("{before}{}", draw(self.0.after()));
        (cut(&whole, room).to_owned(), columns(&before))
    }
}

/// As much of the end of a text as there is room for.
fn tail(text: &str, room: usize) -> String {
    let mut from = 0;
    while columns(text.get(from..).unwrap_or_default()) > room {
        from += text.get(from..).and_then(|rest| rest.chars().next()).map_or(1, char::len_utf8);
    }
    text.get(from..).unwrap_or_default().to_owned()
}

#[cfg(test)]
mod tests {
    use super::LineField;
    use crate::keys::{Chord, Code, Mods};

    fn plain(code: Code) -> Chord {
        Chord { code, mods: Mods::NONE }
    }

    #[test]
    fn keys_write_and_say_whether_the_text_is_another() {
        let mut line = LineField::with("one two");
        for (chord, changes, text) in [
            (plain(Code::Char('!')), true, "one two!"),
            (plain(Code::Left), false, "one two!"),
            (plain(Code::Backspace), true, "one tw!"),
            (plain(Code::Home), false, "one tw!"),
            (plain(Code::Backspace), false, "one tw!"),
            (plain(Code::Delete), true, "ne tw!"),
            (plain(Code::Right), false, "ne tw!"),
            (plain(Code::Char('X')), true, "nXe tw!"),
            (plain(Code::End), false, "nXe tw!"),
            (Chord::ctrl('w'), true, "nXe tw"),
            (Chord::alt(Code::Char('x')), false, "nXe tw"),
            (plain(Code::Tab), false, "nXe tw"),
            (Chord::ctrl('u'), true, ""),
        ] {
            assert_eq!((line.key(chord), line.text()), (changes, text), "{chord:?}");
        }
    }

    #[test]
    fn what_is_shown_fits_and_has_the_caret_in_sight() {
        let mut line = LineField::with("abc");
        line.paste("d\ne");
        assert_eq!((line.text(), line.shown(usize::MAX)), ("abcd e", ("abcd e".to_owned(), 6)));
        assert_eq!(line.shown(3), ("d e".to_owned(), 3));
        assert_eq!(line.hidden(9), ("••••••".to_owned(), 6));
        line.key(plain(Code::Home));
        assert_eq!(line.shown(3), ("abc".to_owned(), 0));
        assert_eq!(LineField::with("世界").shown(3), ("界".to_owned(), 2));
    }
}
