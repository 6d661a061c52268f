//! Text of models, tools and files made harmless: no escape sequence, control character, direction override or invisible
//! character reaches the terminal. What could deceive is shown instead of dropped.

use std::borrow::Cow;
use std::fmt::Write as _;
use unicode_width::UnicodeWidthChar;

/// More marks than this on one letter are dropped.
const MOST_MARKS: usize = 8;
/// Text is not held back for longer than this to see what joins it.
const LONGEST_JOINED: usize = 512;

/// Makes characters that cannot be seen, or that act, visible; newline and tab stay. Variation selectors are dropped,
/// because terminals do not agree on how wide they make a character.
pub fn neutral(text: &str) -> Cow<'_, str> {
    if text.bytes().all(|byte| matches!(byte, b' '..=b'~' | b'\n' | b'\t')) {
        return Cow::Borrowed(text);
    }
    let mut out = String::with_capacity(text.len() + 8);
    let mut before = ' ';
    let mut marks = 0;
    let mut chars = text.chars().peekable();
    while let Some(c) = chars.next() {
        match class(c) {
            Class::Plain => {
                let joins = !c.is_ascii() && c.width() == Some(0);
                marks = if joins { marks + 1 } else { 0 };
                if marks <= MOST_MARKS {
                    out.push(c);
                }
            }
            Class::Control => out.push(picture(c)),
            Class::Selector => {}
            Class::Joiner if joins_well(before, chars.peek().copied()) => out.push(c),
            Class::Joiner | Class::Invisible => {
                let _ = write!(out, "<U+{:04X}>", u32::from(c));
            }
        }
        before = if c == '\u{fe0f}' { before } else { c };
    }
    if out == text { Cow::Borrowed(text) } else { Cow::Owned(out) }
}

/// Output of a command as a terminal would leave it: colours and other sequences are taken out, a carriage return starts
/// its line over, a backspace takes back; the rest is [`neutral`].
pub fn output(text: &str) -> Cow<'_, str> {
    if !text.bytes().any(|byte| matches!(byte, 0x1b | b'\r' | 0x08) || byte >= 0xc2) {
        return neutral(text);
    }
    let stripped = strip(text);
    if !stripped.contains(['\r', '\u{8}']) {
        return Cow::Owned(neutral(&stripped).into_owned());
    }
    let lines: Vec<String> = stripped.split('\n').map(overwritten).collect();
    Cow::Owned(neutral(&lines.join("\n")).into_owned())
}

/// What stays of a line with carriage returns and backspaces.
fn overwritten(line: &str) -> String {
    let line = line.strip_suffix('\r').unwrap_or(line);
    let last = line.rsplit('\r').find(|part| !part.is_empty()).unwrap_or_default();
    let mut out = String::with_capacity(last.len());
    for c in last.chars() {
        if c == '\u{8}' {
            out.pop();
        } else {
            out.push(c);
        }
    }
    out
}

/// Takes out escape sequences: CSI, OSC, DCS and their like, and the short ones. One that never ends takes the line.
fn strip(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut chars = text.chars().peekable();
    while let Some(c) = chars.next() {
        let kind = match c {
            '\u{1b}' => chars.next(),
            '\u{9b}' => Some('['),
            '\u{9d}' => Some(']'),
            '\u{90}' | '\u{98}' | '\u{9e}' | '\u{9f}' => Some('P'),
            _ => {
                out.push(c);
                continue;
            }
        };
        match kind {
            Some('[') => {
                while chars.next_if(|c| matches!(c, ' '..='?')).is_some() {}
                chars.next_if(|c| matches!(c, '@'..='~'));
            }
            Some(']' | 'P' | 'X' | '^' | '_') => skip_string(&mut chars),
            Some(' '..='/') => {
                chars.next();
            }
            Some('\n') => out.push('\n'),
            _ => {}
        }
    }
    out
}

fn skip_string(chars: &mut std::iter::Peekable<std::str::Chars<'_>>) {
    while let Some(c) = chars.next_if(|c| *c != '\n') {
        match c {
            '\u{7}' | '\u{9c}' => return,
            '\u{1b}' => {
                chars.next_if_eq(&'\\');
                return;
            }
            _ => {}
        }
    }
}

enum Class {
    Plain,
    Control,
    Selector,
    Joiner,
    Invisible,
}

fn class(c: char) -> Class {
    match c {
        '\n' | '\t' => Class::Plain,
        '\u{200c}' | '\u{200d}' => Class::Joiner,
        '\u{fe00}'..='\u{fe0f}' | '\u{e0100}'..='\u{e01ef}' => Class::Selector,
        _ if c.is_control() => Class::Control,
        '\u{ad}'
        | '\u{34f}'
        | '\u{61c}'
        | '\u{115f}'
        | '\u{1160}'
        | '\u{17b4}'
        | '\u{17b5}'
        | '\u{180b}'..='\u{180f}'
        | '\u{200b}'
        | '\u{200e}'
        | '\u{200f}'
        | '\u{2028}'..='\u{202e}'
        | '\u{2060}'..='\u{206f}'
        | '\u{3164}'
        | '\u{feff}'
        | '\u{ffa0}'
        | '\u{fff0}'..='\u{fffb}'
        | '\u{1bca0}'..='\u{1bca3}'
        | '\u{1d173}'..='\u{1d17a}'
        | '\u{e0000}'..='\u{e0fff}' => Class::Invisible,
        _ => Class::Plain,
    }
}

/// A joiner has a meaning between emoji, and between letters of scripts that join.
fn joins_well(before: char, after: Option<char>) -> bool {
    joins(before) && after.is_some_and(joins)
}

fn joins(c: char) -> bool {
    let emoji = matches!(c, '\u{2190}'..='\u{2bff}' | '\u{1f000}'..='\u{1faff}');
    let script = matches!(c, '\u{600}'..='\u{109f}' | '\u{1780}'..='\u{17ff}');
    (emoji || script) && matches!(class(c), Class::Plain)
}

/// How much of a growing text is [`neutral`] by itself, whatever follows: all but what may still be joined.
pub(crate) fn settled(text: &str) -> usize {
    let open = |c: char| !c.is_ascii() && (joins(c) || c.width() == Some(0) || !matches!(class(c), Class::Plain));
    let settled = text.trim_end_matches(open).len();
    if text.len() - settled > LONGEST_JOINED { text.len() } else { settled }
}

/// The picture of a control character, one column wide.
fn picture(c: char) -> char {
    match u32::from(c) {
        code @ 0..=0x1f => char::from_u32(0x2400 + code).unwrap_or('\u{fffd}'),
        0x7f => '\u{2421}',
        _ => '\u{fffd}',
    }
}

#[cfg(test)]
mod tests {
    use super::{neutral, output};
    use proptest::prelude::*;
    use std::borrow::Cow;

    #[test]
    fn what_acts_becomes_visible() {
        for (text, shown) in [
            ("a\u{1b}[2Jb\u{7}", "a␛[2Jb␇"),
            ("\u{9b}31m", "\u{fffd}31m"),
            ("中文\n\tok 🦀", "中文\n\tok 🦀"),
            ("a\u{202e}b", "a<U+202E>b"),
            ("pass\u{200b}word", "pass<U+200B>word"),
            ("👨\u{200d}👩", "👨\u{200d}👩"),
            ("❤\u{fe0f}\u{200d}🔥", "❤\u{200d}🔥"),
            ("a\u{200d}b", "a<U+200D>b"),
            ("⚠\u{fe0f} careful", "⚠ careful"),
            ("می\u{200c}خواهم", "می\u{200c}خواهم"),
            ("\u{e0041}", "<U+E0041>"),
            ("a\r\n", "a␍\n"),
        ] {
            assert_eq!(neutral(text), shown, "{text:?}");
        }
    }

    #[test]
    fn plain_text_is_not_copied() {
        assert!(matches!(neutral("fn main() {}\n"), Cow::Borrowed(_)));
        assert!(matches!(neutral("中文"), Cow::Borrowed(_)));
    }

    #[test]
    fn too_many_marks_are_dropped() {
        let tower = format!("e{}", "\u{301}".repeat(500));
        assert_eq!(neutral(&tower).chars().count(), 9);
    }

    #[test]
    fn output_is_what_a_terminal_would_leave() {
        for (text, shown) in [
            ("\u{1b}[1;32mok\u{1b}[0m", "ok"),
            ("\u{1b}]0;title\u{7}x\u{1b}]8;;http://a\u{1b}\\y", "xy"),
            ("10%\r20%\r100%\n", "100%\n"),
            ("dos\r\nlines\r\n", "dos\nlines\n"),
            ("abc\u{8}\u{8}X", "aX"),
            ("\u{1b}]0;never ends\nnext", "\nnext"),
            ("\u{1b}(Bx\u{1b}7y", "xy"),
            ("\u{1b}[31", ""),
            ("bell\u{7}", "bell␇"),
        ] {
            assert_eq!(output(text), shown, "{text:?}");
        }
    }

    proptest! {
        #[test]
        fn no_control_gets_through(text in "(\\PC|\\p{Cc}|\\p{Cf}|\u{1b}\\[[0-9;]*[A-Za-z]|\u{1b}\\]|\u{202e}){0,60}") {
            for shown in [neutral(&text), output(&text)] {
                prop_assert!(!shown.chars().any(|c| c.is_control() && c != '\n' && c != '\t'), "{shown:?}");
                prop_assert!(!shown.contains(['\u{202e}', '\u{200b}', '\u{feff}', '\u{2066}']), "{shown:?}");
                prop_assert_eq!(neutral(&shown), shown.as_ref(), "not stable");
            }
        }
    }
}
