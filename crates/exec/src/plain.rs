//! Output as plain text: terminal control sequences out, invalid UTF-8 replaced, overwritten progress lines collapsed. Pure.

/// The text of output pieces, as a reader would see it at the end: what was overwritten or erased is gone.
pub fn plain_text<'a>(pieces: impl IntoIterator<Item = &'a [u8]>) -> String {
    let mut plain = Plain::default();
    let mut text = String::new();
    for piece in pieces {
        plain.push(piece, &mut text);
    }
    plain.finish(&mut text);
    if !text.contains(['\r', '\u{8}']) {
        return text;
    }
    let mut out = String::with_capacity(text.len());
    for line in text.split_inclusive('\n') {
        let (line, end) = line.strip_suffix('\n').map_or((line, ""), |line| (line, "\n"));
        overwrite(line, &mut out);
        out.push_str(end);
    }
    out
}

/// Of a line that was written over itself, the last writing stays.
fn overwrite(line: &str, out: &mut String) {
    let last = line.split('\r').rfind(|part| !part.is_empty()).unwrap_or_default();
    let start = out.len();
    for character in last.chars() {
        if character != '\u{8}' {
            out.push(character);
        } else if out.len() > start {
            out.pop();
        }
    }
}

/// Takes output in pieces and gives it on without control sequences, whatever the pieces cut through.
/// Of the control characters, newline, tab, carriage return and backspace pass.
#[derive(Debug, Default)]
pub struct Plain {
    state: State,
    /// The beginning of a character whose rest has not come.
    partial: Vec<u8>,
}

#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
enum State {
    #[default]
    Text,
    /// After ESC.
    Escape,
    /// In `ESC [ …`, until its final letter.
    Control,
    /// In a string (title, link, device control), until BEL, ST or the end of the line.
    String,
    /// In a string, after ESC.
    StringEscape,
}

impl Plain {
    /// Takes a piece and appends its text to `out`.
    pub fn push(&mut self, piece: &[u8], out: &mut String) {
        let mut bytes = std::mem::take(&mut self.partial);
        let bytes = if bytes.is_empty() {
            piece
        } else {
            bytes.extend_from_slice(piece);
            bytes.as_slice()
        };
        for chunk in bytes.utf8_chunks() {
            chunk.valid().chars().for_each(|character| self.step(character, out));
            let invalid = chunk.invalid();
            if invalid.is_empty() {
                continue;
            }
            let unfinished = invalid.as_ptr_range().end == bytes.as_ptr_range().end && is_beginning(invalid);
            if unfinished {
                self.partial = invalid.to_vec();
            } else {
                self.step(char::REPLACEMENT_CHARACTER, out);
            }
        }
    }

    /// Gives what was waiting for more.
    pub fn finish(&mut self, out: &mut String) {
        if !std::mem::take(&mut self.partial).is_empty() {
            self.step(char::REPLACEMENT_CHARACTER, out);
        }
    }

    fn step(&mut self, character: char, out: &mut String) {
        self.state = match (self.state, character) {
            // Nothing hides more than the rest of its line.
            (_, '\n') => {
                out.push('\n');
                State::Text
            }
            (State::Text | State::Escape | State::Control, '\u{1b}') => State::Escape,
            (State::Text, '\u{9b}') => State::Control,
            (State::Text, '\u{90}' | '\u{98}' | '\u{9d}'..='\u{9f}') => State::String,
            (State::Text, character) => {
                if !character.is_control() || matches!(character, '\t' | '\r' | '\u{8}') {
                    out.push(character);
                }
                State::Text
            }
            (State::Escape, '[') => State::Control,
            (State::Escape, ']' | 'P' | 'X' | '^' | '_') => State::String,
            (State::Escape, ' '..='/') => State::Escape,
            (State::Control, ' '..='?') => State::Control,
            (State::String | State::StringEscape, '\u{1b}') => State::StringEscape,
            (State::String, '\u{7}' | '\u{9c}') | (State::StringEscape, '\\') => State::Text,
            (State::String | State::StringEscape, _) => State::String,
            (State::Escape | State::Control, _) => State::Text,
        };
    }
}

/// Whether these invalid bytes are the beginning of a character that may still become valid.
fn is_beginning(bytes: &[u8]) -> bool {
    std::str::from_utf8(bytes).is_err_and(|error| error.error_len().is_none())
}

#[cfg(test)]
mod tests {
    use super::{Plain, plain_text};

    const CASES: &[(&[u8], &str)] = &[
        (b"plain\ttext\n", "plain\ttext\n"),
        (b"\x1b[1;31merror\x1b[0m: x", "error: x"),
        (b"\x1b]0;title\x07after", "after"),
        (b"\x1b]8;;http://x\x1b\\link\x1b]8;;\x1b\\!", "link!"),
        (b"\x1b]never ended\nnext line", "\nnext line"),
        (b"\x1bP1$r\x1b\\x\x1b(By\x1b7z", "xyz"),
        (b"10%\r50%\r100%\ndone\r\n", "100%\ndone\n"),
        (b"100%\r", "100%"),
        (b"a\x08ab\x08b_\x08c", "abc"),
        (b"nul\x00bell\x07", "nulbell"),
        (b"\xff\xfe ok \xe4\xb8\xad", "\u{fffd}\u{fffd} ok \u{4e2d}"),
        (b"cut \xe4\xb8", "cut \u{fffd}"),
        ("\u{9b}31mC1\u{9d}x\u{9c}!".as_bytes(), "C1!"),
        (b"\x1b[31\x1b[0mtext", "text"),
        (b"\x1b", ""),
    ];

    #[test]
    fn what_a_reader_sees() {
        for (bytes, text) in CASES {
            assert_eq!(plain_text([*bytes]), *text, "{:?}", String::from_utf8_lossy(bytes));
        }
    }

    #[test]
    fn pieces_may_cut_anywhere() {
        for (bytes, text) in CASES {
            assert_eq!(plain_text(bytes.chunks(1)), *text, "{:?}", String::from_utf8_lossy(bytes));
            for cut in 0..bytes.len() {
                let (first, second) = bytes.split_at(cut);
                assert_eq!(plain_text([first, second]), *text, "cut at {cut}");
            }
        }
    }

    #[test]
    fn nothing_that_steers_a_terminal_passes() {
        let all: Vec<u8> = (0..=255u8).flat_map(|a| [0x1b, a, b'x', a, 0xc2, a]).collect();
        let mut out = String::new();
        Plain::default().push(&all, &mut out);
        assert!(out.chars().all(|c| !c.is_control() || "\n\t\r\u{8}".contains(c)));
    }
}
