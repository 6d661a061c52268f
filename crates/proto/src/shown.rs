//! Text of others on its way out of the program. For people, what nobody sees and what steers a terminal stands there by
//! number; in JSON the same characters are escapes, which read back as what they are.

use crate::unhidden::{may_hide, runs};
use crate::visible::number;
use std::borrow::Cow;

/// So many characters of a run are shown, the rest are counted.
const LONGEST_RUN: usize = 16;
/// So much of what was shown is looked at again when more comes: scripts and emoji explain their marks by what is near.
const CONTEXT: usize = 16;

/// The text with every character that nobody sees, or that a terminal would take for a command, as `⟨U+200B⟩`. Line ends
/// and tabs stay, and so does what scripts and emoji need.
pub fn shown(text: &str) -> Cow<'_, str> {
    if is_plain(text) {
        return Cow::Borrowed(text);
    }
    Cow::Owned(part(text, 0, text.len()))
}

/// The same for a text that comes in pieces.
#[derive(Debug, Default)]
pub struct Shown {
    /// The end of what was shown, then what waits for what comes next.
    text: String,
    shown: usize,
}

impl Shown {
    /// Takes a piece; gives what can be shown by now.
    pub fn feed(&mut self, piece: &str) -> String {
        self.text.push_str(piece);
        let ready = self.text.trim_end_matches(may_hide).len();
        self.up_to(ready.max(self.shown))
    }

    /// Nothing more comes; gives what waited.
    pub fn finish(&mut self) -> String {
        let rest = self.up_to(self.text.len());
        *self = Self::default();
        rest
    }

    fn up_to(&mut self, end: usize) -> String {
        let new = self.text.get(self.shown..end).unwrap_or_default();
        let out = if is_plain(new) { new.to_owned() } else { part(&self.text, self.shown, end) };
        let before = self.text.get(..end).unwrap_or_default();
        let from = before.char_indices().rev().take(CONTEXT).last().map_or(end, |(at, _)| at);
        self.text.drain(..from);
        self.shown = end - from;
        out
    }
}

/// A part of a text as it is shown; the rest explains what stands in it.
fn part(text: &str, from: usize, to: usize) -> String {
    let mut out = String::with_capacity(to.saturating_sub(from) + 32);
    let mut at = from;
    for run in runs(text).into_iter().filter(|run| run.start >= from && run.end <= to) {
        put(&mut out, text.get(at..run.start).unwrap_or_default());
        let hidden = text.get(run.clone()).unwrap_or_default();
        let more = hidden.chars().count().saturating_sub(LONGEST_RUN);
        hidden.chars().take(LONGEST_RUN).for_each(|c| out.push_str(&number(c)));
        if more > 0 {
            out.push_str(&format!("⟨{more} more hidden characters⟩"));
        }
        at = run.end;
    }
    put(&mut out, text.get(at..to).unwrap_or_default());
    out
}

fn put(out: &mut String, text: &str) {
    let mut chars = text.chars().peekable();
    while let Some(c) = chars.next() {
        match c {
            '\r' if chars.peek() == Some(&'\n') => {}
            c if is_command(c) => out.push_str(&number(c)),
            c => out.push(c),
        }
    }
}

fn is_plain(text: &str) -> bool {
    !text.contains(|c| is_command(c) || may_hide(c))
}

/// Control characters but for line ends and tabs.
fn is_command(c: char) -> bool {
    c.is_control() && !matches!(c, '\n' | '\t')
}

/// JSON with every character that nobody sees, or that a terminal would take for a command, as an escape. Such characters
/// stand inside of texts only, so that it reads back as the same value.
pub fn escaped_json(json: &str) -> Cow<'_, str> {
    if !json.contains(hides_in_json) {
        return Cow::Borrowed(json);
    }
    let mut out = String::with_capacity(json.len() + 32);
    for c in json.chars() {
        if hides_in_json(c) {
            for unit in c.encode_utf16(&mut [0; 2]) {
                out.push_str(&format!("\\u{unit:04x}"));
            }
        } else {
            out.push(c);
        }
    }
    Cow::Owned(out)
}

/// Line ends and tabs between values stay; inside of texts they are escapes already.
fn hides_in_json(c: char) -> bool {
    !c.is_ascii_graphic() && c != ' ' && (may_hide(c) || (c.is_control() && !matches!(c, '\n' | '\r' | '\t')))
}

#[cfg(test)]
mod tests {
    use super::{Shown, escaped_json, shown};

    const ODD: [(&str, &str); 8] = [
        ("a\u{200b}b", "a⟨U+200B⟩b"),
        ("a\u{9b}31mb", "a⟨U+009B⟩31mb"),
        ("a\u{7f}\u{1b}[2J", "a⟨U+007F⟩⟨U+001B⟩[2J"),
        ("x\u{202e}y\u{2066}z", "x⟨U+202E⟩y⟨U+2066⟩z"),
        ("hi\u{e0041}\u{e0042}", "hi⟨U+E0041⟩⟨U+E0042⟩"),
        ("pass\u{200d}word", "pass⟨U+200D⟩word"),
        ("x\u{feff}y", "x⟨U+FEFF⟩y"),
        ("\u{85}", "⟨U+0085⟩"),
    ];
    const KEPT: [&str; 6] = [
        "plain\n\ttext",
        "👨\u{200d}👩\u{200d}👧 ❤\u{fe0f} 1\u{fe0f}\u{20e3}",
        "می\u{200c}خواهم",
        "क्\u{200d}ष",
        "\u{1f3f4}\u{e0067}\u{e0062}\u{e0065}\u{e006e}\u{e0067}\u{e007f} 🇩🇪",
        "中文，Привет co\u{ad}op a\u{a0}b",
    ];

    #[test]
    fn d3_what_nobody_sees_is_shown_by_number() {
        for (text, wanted) in ODD {
            assert_eq!(shown(text), wanted, "{text:?}");
        }
        for text in KEPT {
            assert_eq!(shown(text), text);
        }
        let flood = "\u{e0041}".repeat(1000);
        assert!(shown(&flood).ends_with("⟨U+E0041⟩⟨984 more hidden characters⟩"));
    }

    #[test]
    fn d3_pieces_show_what_the_whole_does() {
        for text in ODD.map(|(text, _)| text).into_iter().chain(KEPT) {
            for size in 1..4 {
                let chars: Vec<char> = text.chars().collect();
                let mut flow = Shown::default();
                let mut out: String =
                    chars.chunks(size).map(|piece| flow.feed(&piece.iter().collect::<String>())).collect();
                out.push_str(&flow.finish());
                assert_eq!(out, shown(text), "{text:?} in pieces of {size}");
            }
        }
        let mut flow = Shown::default();
        let long = "word ".repeat(10_000);
        assert_eq!(flow.feed(&long), long);
        assert!(flow.text.len() < 100, "what was shown is not kept");
    }

    #[test]
    fn d3_json_reads_back_and_shows_nothing_raw() {
        for text in ODD.map(|(text, _)| text).into_iter().chain(KEPT) {
            let value = serde_json::json!({ text: [text, { "a": text }] });
            let json = value.to_string();
            let escaped = escaped_json(&json);
            assert!(!escaped.contains(super::hides_in_json), "{escaped:?}");
            assert_eq!(serde_json::from_str::<serde_json::Value>(&escaped).expect("JSON"), value);
        }
        assert_eq!(escaped_json("{\"a\":\"\u{e0041}\u{9b}\"}"), "{\"a\":\"\\udb40\\udc41\\u009b\"}");
        assert_eq!(escaped_json("[\n\t1\r\n]"), "[\n\t1\r\n]");
    }
}
