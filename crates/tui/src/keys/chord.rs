//! A key with its modifiers, and how it is written: `Ctrl+Enter`, `Alt+Up`, `?`.

use std::fmt;
use std::str::FromStr;

/// Which key.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Code {
    /// A character, as typed.
    Char(char),
    /// Enter.
    Enter,
    /// Tab.
    Tab,
    /// Backspace.
    Backspace,
    /// Delete.
    Delete,
    /// Insert.
    Insert,
    /// Escape.
    Esc,
    /// Left.
    Left,
    /// Right.
    Right,
    /// Up.
    Up,
    /// Down.
    Down,
    /// Home.
    Home,
    /// End.
    End,
    /// Page up.
    PageUp,
    /// Page down.
    PageDown,
    /// A function key.
    F(u8),
}

/// The modifiers that were held.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Mods {
    /// Ctrl.
    pub ctrl: bool,
    /// Alt, Option or Meta.
    pub alt: bool,
    /// Shift, where the key does not already say so.
    pub shift: bool,
}

impl Mods {
    /// None.
    pub const NONE: Self = Self { ctrl: false, alt: false, shift: false };

    /// From the number that terminals send, less one.
    pub fn of_bits(bits: u32) -> Self {
        Self { shift: bits & 1 != 0, alt: bits & 2 != 0 || bits & 32 != 0, ctrl: bits & 4 != 0 }
    }
}

/// A key with its modifiers.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Chord {
    /// The key.
    pub code: Code,
    /// What was held with it.
    pub mods: Mods,
}

impl Chord {
    /// A key alone.
    pub const fn plain(code: Code) -> Self {
        Self { code, mods: Mods::NONE }
    }

    /// A key with Ctrl.
    pub const fn ctrl(c: char) -> Self {
        Self { code: Code::Char(c), mods: Mods { ctrl: true, alt: false, shift: false } }
    }

    /// A key with Alt.
    pub const fn alt(code: Code) -> Self {
        Self { code, mods: Mods { ctrl: false, alt: true, shift: false } }
    }

    /// The character that it types, if it types one.
    pub fn typed(self) -> Option<char> {
        match self.code {
            Code::Char(c) if !self.mods.ctrl && !self.mods.alt => Some(c),
            _ => None,
        }
    }
}

const NAMES: &[(Code, &str)] = &[
    (Code::Enter, "Enter"),
    (Code::Tab, "Tab"),
    (Code::Backspace, "Backspace"),
    (Code::Delete, "Delete"),
    (Code::Insert, "Insert"),
    (Code::Esc, "Esc"),
    (Code::Left, "Left"),
    (Code::Right, "Right"),
    (Code::Up, "Up"),
    (Code::Down, "Down"),
    (Code::Home, "Home"),
    (Code::End, "End"),
    (Code::PageUp, "PageUp"),
    (Code::PageDown, "PageDown"),
    (Code::Char(' '), "Space"),
];

impl fmt::Display for Chord {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Mods { ctrl, alt, shift } = self.mods;
        for (held, name) in [(ctrl, "Ctrl+"), (alt, "Alt+"), (shift, "Shift+")] {
            if held {
                f.write_str(name)?;
            }
        }
        match (self.code, NAMES.iter().find(|(code, _)| *code == self.code)) {
            (_, Some((_, name))) => f.write_str(name),
            (Code::F(number), None) => write!(f, "F{number}"),
            (Code::Char(c), None) if ctrl || alt => write!(f, "{}", c.to_uppercase()),
            (Code::Char(c), None) => write!(f, "{c}"),
            _ => Ok(()),
        }
    }
}

impl FromStr for Chord {
    type Err = ();

    /// Reads `ctrl+enter`; names are not case-sensitive.
    fn from_str(text: &str) -> Result<Self, ()> {
        let mut mods = Mods::NONE;
        let mut rest = text.trim();
        while let Some((head, tail)) = rest.split_once('+').filter(|(_, tail)| !tail.is_empty()) {
            match head.to_ascii_lowercase().as_str() {
                "ctrl" | "control" => mods.ctrl = true,
                "alt" | "option" | "meta" => mods.alt = true,
                "shift" => mods.shift = true,
                _ => return Err(()),
            }
            rest = tail;
        }
        let code = code_of(rest, mods)?;
        Ok(Self { code, mods })
    }
}

fn code_of(name: &str, mods: Mods) -> Result<Code, ()> {
    if let Some((code, _)) = NAMES.iter().find(|(_, known)| known.eq_ignore_ascii_case(name)) {
        return Ok(*code);
    }
    let mut chars = name.chars();
    match (chars.next(), chars.as_str()) {
        (Some(c), "") if mods.ctrl || mods.alt => Ok(Code::Char(c.to_ascii_lowercase())),
        (Some(c), "") => Ok(Code::Char(c)),
        (Some('f' | 'F'), number) => number.parse().map(Code::F).map_err(|_| ()),
        _ => Err(()),
    }
}

#[cfg(test)]
mod tests {
    use super::{Chord, Code};

    #[test]
    fn every_chord_reads_as_it_is_written() {
        for text in ["Ctrl+Enter", "Alt+Up", "?", "Ctrl+Alt+Shift+F12", "Ctrl++", "Space", "Shift+Tab", "é", "Ctrl+R"]
        {
            let chord: Chord = text.parse().unwrap();
            assert_eq!(chord.to_string(), text);
        }
        assert_eq!("ctrl+r".parse(), Ok(Chord::ctrl('r')));
        assert_eq!("control+R".parse(), Ok(Chord::ctrl('r')));
        assert_eq!("esc".parse(), Ok(Chord::plain(Code::Esc)));
        for text in ["", "hyper+x", "ctrl+", "abc"] {
            assert!(text.parse::<Chord>().is_err(), "{text:?}");
        }
    }
}
