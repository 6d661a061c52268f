//! Text as a model may read it: characters that carry words which nobody sees are taken out, with a mark where they were.
//! What scripts and emoji need stays, so that ordinary text in any language is left as it is.

use crate::visible::{is_emoji, is_emoji_part, number};
use std::borrow::Cow;
use std::ops::Range;

/// A text without what nobody sees.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Unhidden<'a> {
    /// The text; hidden characters are `⟨U+200B⟩`, and runs of them `⟨12 hidden characters⟩`.
    pub text: Cow<'a, str>,
    /// How many there were.
    pub count: usize,
}

/// Longer runs, and all of those that can spell words, are only counted.
const LONGEST_RUN: usize = 3;

/// Takes out what nobody sees and marks where it was.
pub fn unhidden(text: &str) -> Unhidden<'_> {
    let runs = runs(text);
    if runs.is_empty() {
        return Unhidden { text: Cow::Borrowed(text), count: 0 };
    }
    let (mut out, mut at, mut count) = (String::with_capacity(text.len()), 0, 0);
    for span in runs {
        out.push_str(text.get(at..span.start).unwrap_or_default());
        let run = text.get(span.clone()).unwrap_or_default();
        let length = run.chars().count();
        if length > LONGEST_RUN || run.contains(can_spell) {
            out.push_str(&format!("⟨{length} hidden characters⟩"));
        } else {
            run.chars().for_each(|c| out.push_str(&number(c)));
        }
        count += length;
        at = span.end;
    }
    out.push_str(text.get(at..).unwrap_or_default());
    Unhidden { text: Cow::Owned(out), count }
}

/// Where hidden characters stand, and marks that [`unhidden`] put in their place: what does not count when a text that
/// a model saw is compared with the real one.
pub fn hidden_spans(text: &str) -> Vec<Range<usize>> {
    let mut spans = runs(text);
    let opens = text.match_indices('⟨').filter_map(|(at, _)| {
        let (inner, _) = text.get(at..)?.strip_prefix('⟨')?.split_once('⟩')?;
        is_mark(inner).then(|| at..at + inner.len() + '⟨'.len_utf8() + '⟩'.len_utf8())
    });
    spans.extend(opens);
    spans.sort_by_key(|span| span.start);
    spans
}

/// The text with each `⟨U+200B⟩` made the character again; none when it has no such mark.
pub fn restored(text: &str) -> Option<String> {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some((before, after)) = rest.split_once("⟨U+") {
        out.push_str(before);
        let found = after.split_once('⟩').and_then(|(hex, tail)| Some((character(hex)?, tail)));
        match found {
            Some((c, tail)) => {
                out.push(c);
                rest = tail;
            }
            None => {
                out.push_str("⟨U+");
                rest = after;
            }
        }
    }
    out.push_str(rest);
    (out != text).then_some(out)
}

fn character(hex: &str) -> Option<char> {
    let digits = (4..=6).contains(&hex.len()) && hex.bytes().all(|byte| byte.is_ascii_hexdigit());
    u32::from_str_radix(hex, 16).ok().filter(|_| digits).and_then(char::from_u32).filter(|c| may_hide(*c))
}

fn is_mark(inner: &str) -> bool {
    let counted = inner.strip_suffix(" hidden characters");
    counted.is_some_and(|count| !count.is_empty() && count.bytes().all(|byte| byte.is_ascii_digit()))
        || inner.strip_prefix("U+").and_then(character).is_some()
}

/// Tags and variation selectors: an alphabet of their own.
fn can_spell(c: char) -> bool {
    matches!(c, '\u{e0000}'..='\u{e0fff}' | '\u{fe00}'..='\u{fe0f}')
}

/// Characters that may hide something, where nothing else explains them.
pub(crate) fn may_hide(c: char) -> bool {
    matches!(c,
        '\u{34f}' | '\u{61c}' | '\u{115f}' | '\u{1160}' | '\u{17b4}' | '\u{17b5}' | '\u{180b}'..='\u{180f}'
        | '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2060}'..='\u{206f}' | '\u{3164}' | '\u{feff}'
        | '\u{ffa0}' | '\u{fff9}'..='\u{fffb}')
        || can_spell(c)
}

pub(crate) fn runs(text: &str) -> Vec<Range<usize>> {
    if text.is_ascii() || !text.contains(may_hide) {
        return Vec::new();
    }
    let chars: Vec<char> = text.chars().collect();
    let mut found: Vec<Range<usize>> = Vec::new();
    for (index, (at, c)) in text.char_indices().enumerate() {
        if !may_hide(c) || is_explained(&chars, index, c) {
            continue;
        }
        let end = at + c.len_utf8();
        match found.last_mut() {
            Some(last) if last.end == at => last.end = end,
            _ => found.push(at..end),
        }
    }
    found
}

/// True when the script or the picture around it needs the character.
fn is_explained(chars: &[char], at: usize, c: char) -> bool {
    let before = at.checked_sub(1).and_then(|at| chars.get(at)).copied();
    let after = chars.get(at + 1).copied();
    let letter = |c: Option<char>| c.is_some_and(|c| !c.is_ascii() && c.is_alphabetic());
    if is_emoji_part(chars, at, before, after) {
        return true;
    }
    match c {
        // The mark of the byte order belongs to the beginning.
        '\u{feff}' => at == 0,
        // Persian and the Indic scripts write with them, also behind a sign that is no letter by itself.
        '\u{200c}' | '\u{200d}' => {
            before.is_some_and(|c| !c.is_ascii() && !may_hide(c) && !is_emoji(Some(c))) && letter(after)
        }
        '\u{34f}' | '\u{115f}' | '\u{1160}' | '\u{17b4}' | '\u{17b5}' | '\u{180b}'..='\u{180d}' | '\u{180f}' => {
            letter(before)
        }
        '\u{200e}' | '\u{200f}' | '\u{61c}' => near(chars, at, is_right_to_left),
        // A digit in a box, or one selector behind a sign of its own.
        '\u{fe0e}' | '\u{fe0f}' if after == Some('\u{20e3}') => {
            before.is_some_and(|c| c.is_ascii_digit() || matches!(c, '#' | '*'))
        }
        '\u{fe00}'..='\u{fe0f}' => before.is_some_and(|c| !c.is_ascii() && !may_hide(c) && !c.is_whitespace()),
        '\u{e0100}'..='\u{e01ef}' => before.is_some_and(is_han),
        _ => false,
    }
}

fn near(chars: &[char], at: usize, fits: fn(char) -> bool) -> bool {
    chars.iter().skip(at.saturating_sub(16)).take(33).any(|c| fits(*c))
}

fn is_right_to_left(c: char) -> bool {
    c.is_alphabetic() && matches!(c, '\u{590}'..='\u{8ff}' | '\u{fb1d}'..='\u{fdff}' | '\u{fe70}'..='\u{fefc}')
}

fn is_han(c: char) -> bool {
    matches!(c, '\u{3400}'..='\u{9fff}' | '\u{f900}'..='\u{faff}' | '\u{20000}'..='\u{3ffff}')
}

#[cfg(test)]
mod tests {
    use super::{hidden_spans, restored, unhidden};

    fn tags(text: &str) -> String {
        text.chars().filter_map(|c| char::from_u32(0xe0000 + u32::from(c))).collect()
    }

    #[test]
    fn d2_what_nobody_sees_is_taken_out_and_marked() {
        let smuggled = format!("hello{} world", tags("run rm"));
        for (text, read, count) in [
            (smuggled.as_str(), "hello⟨6 hidden characters⟩ world", 6),
            ("a\u{200b}b", "a⟨U+200B⟩b", 1),
            ("a\u{200b}\u{200c}\u{200d}\u{2060}b", "a⟨4 hidden characters⟩b", 4),
            ("if x \u{202e}// ok\u{202c}", "if x ⟨U+202E⟩// ok⟨U+202C⟩", 2),
            ("x\u{fe0f}", "x⟨1 hidden characters⟩", 1),
            ("😀\u{e0101}\u{e0102}", "😀⟨2 hidden characters⟩", 2),
            ("❤\u{fe0f}\u{fe01}\u{fe02}", "❤\u{fe0f}⟨2 hidden characters⟩", 2),
            ("a\u{feff}b", "a⟨U+FEFF⟩b", 1),
            ("let a\u{3164} = 1", "let a⟨U+3164⟩ = 1", 1),
            ("pass\u{200d}word", "pass⟨U+200D⟩word", 1),
            ("ab\u{200e}c", "ab⟨U+200E⟩c", 1),
        ] {
            let found = unhidden(text);
            assert_eq!((found.text.as_ref(), found.count), (read, count), "{text:?}");
            assert_eq!(unhidden(&found.text).count, 0, "{text:?}");
        }
    }

    #[test]
    fn d2_what_scripts_and_emoji_need_is_kept() {
        for text in [
            "plain ascii\r\n\t\u{c}",
            "привет, ελληνικά, 你好　世界, 葛\u{e0100}城",
            "می\u{200c}خواهم",
            "क्\u{200d}ष",
            "👨\u{200d}👩\u{200d}👧\u{200d}👦 👩🏽\u{200d}💻 ❤\u{fe0f}\u{200d}🔥 🏳\u{fe0f}\u{200d}🌈",
            "\u{1f3f4}\u{e0067}\u{e0062}\u{e0065}\u{e006e}\u{e0067}\u{e007f} 🇩🇪",
            "1\u{fe0f}\u{20e3} ©\u{fe0f} ☎\u{fe0e}",
            "שלום\u{200f}! (a\u{200e}) عربي",
            "\u{feff}with a mark",
            "co\u{ad}operate",
        ] {
            assert_eq!(unhidden(text).count, 0, "{text:?}: {:?}", unhidden(text).text);
        }
    }

    #[test]
    fn d2_marks_lead_back_to_the_characters() {
        assert_eq!(restored("a⟨U+200B⟩b⟨U+202E⟩").as_deref(), Some("a\u{200b}b\u{202e}"));
        for text in ["a", "⟨U+0041⟩", "⟨U+zz⟩", "⟨U+200B", "⟨5 hidden characters⟩"] {
            assert_eq!(restored(text), None, "{text}");
        }
        let real = format!("x{}y\u{200b}z", tags("abcd"));
        let without = |text: &str| {
            let mut out = String::new();
            let mut at = 0;
            for span in hidden_spans(text) {
                out.push_str(&text[at..span.start]);
                at = span.end;
            }
            out + &text[at..]
        };
        assert_eq!(without(&real), "xyz");
        assert_eq!(without(&unhidden(&real).text), "xyz");
        assert_eq!(without("⟨x⟩ ⟨U+0041⟩"), "⟨x⟩ ⟨U+0041⟩");
    }
}
