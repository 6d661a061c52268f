//! Text as it really is: characters that cannot be seen, turn text around, or look like others are shown by number.

use std::borrow::Cow;

/// The blank of Chinese and Japanese text.
const WIDE_BLANK: char = '\u{3000}';

/// The text with every character that a reader would not notice written as `⟨U+202E⟩`. Line ends and tabs stay; so do
/// the joiners and selectors inside emoji. Letters of another script inside a Latin word keep their look and get their
/// number behind them.
pub fn visible(text: &str) -> Cow<'_, str> {
    if !text.chars().any(|c| is_deceptive(c) || is_lookalike(c) || c == WIDE_BLANK) {
        return Cow::Borrowed(text);
    }
    let chars: Vec<char> = text.chars().collect();
    let mut out = String::with_capacity(text.len() + 32);
    for (at, c) in chars.iter().copied().enumerate() {
        let before = at.checked_sub(1).and_then(|at| chars.get(at)).copied();
        let after = chars.get(at + 1).copied();
        // Beside Latin text it looks like two blanks, and is a letter to a shell.
        let posing = c == WIDE_BLANK && [before, after].into_iter().flatten().any(|c| c.is_ascii_graphic());
        if posing || (is_deceptive(c) && !is_emoji_part(&chars, at, before, after)) {
            out.push_str(&number(c));
        } else {
            out.push(c);
            if is_lookalike(c) && in_latin_word(&chars, at) {
                out.push_str(&number(c));
            }
        }
    }
    if out == text { Cow::Borrowed(text) } else { Cow::Owned(out) }
}

pub(crate) fn number(c: char) -> String {
    format!("⟨U+{:04X}⟩", u32::from(c))
}

/// Control, bidi, zero-width, tag and selector characters, and blanks that are not blanks to a shell.
pub fn is_deceptive(c: char) -> bool {
    (c.is_control() && !matches!(c, '\n' | '\t'))
        || (c.is_whitespace() && !matches!(c, ' ' | '\n' | '\t' | '\u{3000}'))
        || matches!(c,
            '\u{ad}' | '\u{34f}' | '\u{61c}' | '\u{115f}' | '\u{1160}' | '\u{17b4}' | '\u{17b5}' | '\u{180b}'..='\u{180f}'
            | '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2060}'..='\u{206f}' | '\u{3164}' | '\u{fe00}'..='\u{fe0f}'
            | '\u{feff}' | '\u{ffa0}' | '\u{fff9}'..='\u{fffb}' | '\u{e0000}'..='\u{e0fff}')
}

/// Cyrillic and Greek letters, and full-width forms of ASCII.
fn is_lookalike(c: char) -> bool {
    matches!(c, '\u{370}'..='\u{3ff}' | '\u{400}'..='\u{52f}' | '\u{ff01}'..='\u{ff5e}') && c.is_alphanumeric()
}

fn in_latin_word(chars: &[char], at: usize) -> bool {
    let is_part = |c: &&char| c.is_alphanumeric() || **c == '_';
    let before = chars.iter().take(at).rev().take_while(is_part);
    let after = chars.iter().skip(at + 1).take_while(is_part);
    before.chain(after).any(char::is_ascii_alphabetic)
}

pub(crate) fn is_emoji(c: Option<char>) -> bool {
    c.is_some_and(|c| matches!(c, '\u{1f000}'..='\u{1faff}' | '\u{2190}'..='\u{2bff}' | '\u{fe0f}'))
}

pub(crate) fn is_emoji_part(chars: &[char], at: usize, before: Option<char>, after: Option<char>) -> bool {
    match chars.get(at).copied() {
        Some('\u{fe0e}' | '\u{fe0f}') => is_emoji(before),
        Some('\u{200d}') => is_emoji(before) && is_emoji(after),
        // The flags of regions are a black flag with tags behind it.
        Some('\u{e0020}'..='\u{e007f}') => {
            let tags = |c: &&char| matches!(**c, '\u{e0020}'..='\u{e007f}');
            let count = chars.iter().take(at).rev().take_while(tags).count();
            count < 7 && at.checked_sub(count + 1).and_then(|at| chars.get(at)) == Some(&'\u{1f3f4}')
        }
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::visible;

    #[test]
    fn what_deceives_is_shown() {
        for (text, shown) in [
            ("ls -l\n\tx", "ls -l\n\tx"),
            ("rm \u{202e}txt.sh", "rm ⟨U+202E⟩txt.sh"),
            ("a\u{200b}b", "a⟨U+200B⟩b"),
            ("a\u{1b}[2Jb\r", "a⟨U+001B⟩[2Jb⟨U+000D⟩"),
            ("a\u{a0}b", "a⟨U+00A0⟩b"),
            ("x\u{e0041}\u{e0042}", "x⟨U+E0041⟩⟨U+E0042⟩"),
            ("a\u{fe0f}", "a⟨U+FE0F⟩"),
            ("curl ex\u{430}mple.com", "curl ex\u{430}⟨U+0430⟩mple.com"),
            ("привет мир", "привет мир"),
            ("你好　世界", "你好　世界"),
            ("rm\u{3000}-rf x", "rm⟨U+3000⟩-rf x"),
            ("❤\u{fe0f} 👨\u{200d}👩", "❤\u{fe0f} 👨\u{200d}👩"),
            ("\u{1f3f4}\u{e0067}\u{e0062}\u{e007f}", "\u{1f3f4}\u{e0067}\u{e0062}\u{e007f}"),
            ("ｒm x", "ｒ⟨U+FF52⟩m x"),
        ] {
            assert_eq!(visible(text), shown, "{text:?}");
        }
    }
}
