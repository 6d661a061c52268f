//! The arguments of a call while they still come: JSON, whose strings are read as what they mean.

use std::borrow::Cow;

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
    /// The piece with what its escapes mean in their place. What is no escape stays as it is.
    pub(crate) fn feed<'a>(&mut self, piece: &'a str) -> Cow<'a, str> {
        if matches!(self.state, State::Plain) && !piece.contains('\\') {
            return Cow::Borrowed(piece);
        }
        let mut out = String::with_capacity(piece.len());
        for c in piece.chars() {
            self.state = match self.state {
                State::Plain if c == '\\' => State::Escaped,
                State::Plain => {
                    out.push(c);
                    State::Plain
                }
                State::Escaped if c == 'u' => State::Number(4, 0),
                State::Escaped => {
                    out.push(meant(c));
                    State::Plain
                }
                State::Number(left, so_far) => match c.to_digit(16) {
                    Some(digit) if left == 1 => {
                        self.number(so_far * 16 + digit, &mut out);
                        State::Plain
                    }
                    Some(digit) => State::Number(left - 1, so_far * 16 + digit),
                    None => {
                        out.push(c);
                        State::Plain
                    }
                },
            };
        }
        Cow::Owned(out)
    }

    fn number(&mut self, number: u32, out: &mut String) {
        let high = self.high.take();
        match (number, high) {
            (0xd800..=0xdbff, _) => self.high = Some(number),
            (0xdc00..=0xdfff, Some(high)) => {
                let whole = 0x10000 + ((high - 0xd800) << 10) + (number - 0xdc00);
                out.push(char::from_u32(whole).unwrap_or(char::REPLACEMENT_CHARACTER));
            }
            (number, _) => out.push(char::from_u32(number).unwrap_or(char::REPLACEMENT_CHARACTER)),
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
            let read: String = characters.chunks(size).map(|part| unescape.feed(&part.iter().collect::<String>()).into_owned()).collect();
            prop_assert_eq!(read, format!("\"{text}\""));
        }
    }

    #[test]
    fn numbers_become_characters() {
        assert_eq!(Unescape::default().feed(r#""\u4e2d\ud83d\ude00\u0041\ud800""#), "\"中😀A\"");
    }
}
