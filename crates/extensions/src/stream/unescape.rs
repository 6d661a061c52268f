//! The arguments of a call while they still come: JSON, whose strings are read as what they mean.

/// Takes escapes out of JSON, piece by piece.
#[derive(Debug, Default)]
pub(crate) struct Unescape {
    state: State,
    /// The first half of a character that JSON writes in two.
    high: Option<u32>,
}

#[derive(Debug, Default, Clone, Copy)]
enum State {
    #[default]
    Plain,
    Escaped,
    /// So many digits are still to come, and the number so far.
    Number(u8, u32),
}

impl Unescape {
    /// Gives the piece, part by part, with what its escapes mean in their place. What is no escape stays as it is.
    pub(crate) fn feed(&mut self, mut piece: &str, out: &mut impl FnMut(&str)) {
        loop {
            if matches!(self.state, State::Plain) {
                let (plain, rest) = piece.split_once('\\').map_or((piece, None), |(plain, rest)| (plain, Some(rest)));
                if !plain.is_empty() {
                    out(plain);
                }
                let Some(rest) = rest else { return };
                (self.state, piece) = (State::Escaped, rest);
            }
            let mut characters = piece.chars();
            let Some(next) = characters.next() else { return };
            piece = characters.as_str();
            let meant = self.escaped(next);
            if let Some(meant) = meant {
                out(meant.encode_utf8(&mut [0; 4]));
            }
        }
    }

    /// One more character of an escape, and what the escape means once it is over.
    fn escaped(&mut self, next: char) -> Option<char> {
        let (state, meant) = match (self.state, next.to_digit(16)) {
            (State::Escaped, _) if next == 'u' => (State::Number(4, 0), None),
            (State::Number(1, so_far), Some(digit)) => (State::Plain, self.number(so_far * 16 + digit)),
            (State::Number(left, so_far), Some(digit)) => (State::Number(left - 1, so_far * 16 + digit), None),
            (State::Escaped, _) => (State::Plain, Some(meant(next))),
            (State::Plain | State::Number(..), _) => (State::Plain, Some(next)),
        };
        self.state = state;
        meant
    }

    fn number(&mut self, number: u32) -> Option<char> {
        match (number, self.high.take()) {
            (0xd800..=0xdbff, _) => {
                self.high = Some(number);
                None
            }
            (0xdc00..=0xdfff, Some(high)) => {
                let whole = 0x10000 + ((high - 0xd800) << 10) + (number - 0xdc00);
                Some(char::from_u32(whole).unwrap_or(char::REPLACEMENT_CHARACTER))
            }
            (number, _) => Some(char::from_u32(number).unwrap_or(char::REPLACEMENT_CHARACTER)),
        }
    }
}

fn meant(c: char) -> char {
    match c {
        'n' => '\n',
        't' => '\t',
        'r' => '\r',
        'b' => '\u{8}',
        'f' => '\u{c}',
        other => other,
    }
}

#[cfg(test)]
mod tests {
    use super::Unescape;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn strings_are_what_they_mean_however_they_come(text in "[a\"\\\\\n\t\u{1}é😀中/]{0,30}", size in 1_usize..5) {
            let written = serde_json::to_string(&text).unwrap();
            let characters: Vec<char> = written.chars().collect();
            let mut unescape = Unescape::default();
            let mut read = String::new();
            for part in characters.chunks(size) {
                unescape.feed(&part.iter().collect::<String>(), &mut |meant| read.push_str(meant));
            }
            prop_assert_eq!(read, format!("\"{text}\""));
        }
    }

    #[test]
    fn numbers_become_characters() {
        let mut read = String::new();
        Unescape::default().feed(r#""\u4e2d\ud83d\ude00\u0041\ud800""#, &mut |meant| read.push_str(meant));
        assert_eq!(read, "\"中😀A\"");
    }
}
