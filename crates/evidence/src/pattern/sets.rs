//! Sets of characters.

use super::program::{Bytes, folded, has, lead_bit};

/// A set of characters: those of ASCII by a bit each, the others by their ranges.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Set {
    ascii: u128,
    wide: Vec<(char, char)>,
    /// The wide ones that are in it by what they are.
    also: Option<Kind>,
    negated: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kind {
    NoBlank,
    NoWord,
}

const LETTERS: [(char, char); 2] = [('a', 'z'), ('A', 'Z')];
const DIGITS: (char, char) = ('0', '9');

impl Set {
    pub(super) fn one(letter: char) -> Self {
        let mut set = Self::default();
        set.add(letter, letter);
        set
    }

    /// All but these.
    pub(super) fn but(mut self) -> Self {
        (self.ascii, self.negated) = (!self.ascii, !self.negated);
        self
    }

    /// The set with this letter behind a backslash. Letters, digits and blanks are those of English; what is none of them is
    /// everything that is none of any language.
    pub(super) fn named(letter: char) -> Option<Self> {
        let mut set = Self::default();
        match letter {
            'd' => set.add(DIGITS.0, DIGITS.1),
            'w' => set.add_word(),
            's' => [' ', '\t', '\r', '\n'].into_iter().for_each(|blank| set.add(blank, blank)),
            'W' => {
                set.add_word();
                set.ascii = !set.ascii;
                set.also = Some(Kind::NoWord);
            }
            'S' => {
                [' ', '\t', '\r', '\n', '\u{b}', '\u{c}'].into_iter().for_each(|blank| set.add(blank, blank));
                set.ascii = !set.ascii;
                set.also = Some(Kind::NoBlank);
            }
            _ => return None,
        }
        Some(set)
    }

    fn add_word(&mut self) {
        let ranges = LETTERS.into_iter().chain([DIGITS, ('_', '_')]);
        ranges.for_each(|(from, to)| self.add(from, to));
    }

    pub(super) fn add(&mut self, from: char, to: char) {
        if from.is_ascii() {
            let last = u32::from(to).min(127);
            self.ascii |= (u128::MAX >> (127 - last)) & (u128::MAX << u32::from(from));
        }
        if !to.is_ascii() {
            self.wide.push((from.max('\u{80}'), to));
        }
    }

    pub(super) fn join(&mut self, other: Self) {
        self.ascii |= other.ascii;
        self.wide.extend(other.wide);
        self.also = self.also.or(other.also);
    }

    /// The same in any case; what was negated was folded before.
    pub(super) fn fold(&mut self) {
        if self.negated {
            return;
        }
        for byte in b'a'..=b'z' {
            let both = 1_u128 << byte | 1_u128 << byte.to_ascii_uppercase();
            if self.ascii & both != 0 {
                self.ascii |= both;
                folded(byte).into_iter().for_each(|wide| self.add(wide, wide));
            }
        }
    }

    #[inline(always)]
    pub(super) fn has(&self, letter: char) -> bool {
        if let Ok(letter) = u8::try_from(letter)
            && letter.is_ascii()
        {
            has(self.ascii, letter)
        } else {
            self.has_wide(letter)
        }
    }

    fn has_wide(&self, letter: char) -> bool {
        let is_so = match self.also {
            Some(Kind::NoBlank) => !letter.is_whitespace(),
            Some(Kind::NoWord) => !regex_syntax::try_is_word_character(letter).unwrap_or_default(),
            None => false,
        };
        (is_so || self.wide.iter().any(|(from, to)| (*from..=*to).contains(&letter))) != self.negated
    }

    /// What it may begin with.
    pub(super) fn first(&self) -> Bytes {
        // The first bytes of wide ones share the places of signs below the blank.
        const WIDE: Bytes = u32::MAX as Bytes;
        let near = |(from, to): &(char, char)| {
            if u32::from(*from) >> 6 == u32::from(*to) >> 6 { lead_bit(*from) } else { WIDE }
        };
        let kinds = if self.negated || self.also.is_some() { WIDE } else { 0 };
        self.wide.iter().map(near).fold(self.ascii | kinds, |all, one| all | one)
    }
}
