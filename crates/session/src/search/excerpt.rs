//! The part of a text that is worth showing. Pure.

use super::tokens::Term;
use reasonix_proto::unhidden;

/// How many characters of a text are shown, and how many of them before the first word that fits.
const WIDTH: usize = 280;
const BEFORE: usize = 80;

/// The text around the place where most of the words stand, in one line.
pub(super) fn excerpt(text: &str, terms: &[Term]) -> String {
    let text = one_line(text);
    let chars: Vec<char> = text.chars().collect();
    if chars.len() <= WIDTH {
        return text;
    }
    let start = best_place(&chars, terms).saturating_sub(BEFORE).min(chars.len() - WIDTH);
    let end = start + WIDTH;
    let shown: String = chars.get(start..end).unwrap_or_default().iter().collect();
    let (before, after) = (if start > 0 { "…" } else { "" }, if end < chars.len() { "…" } else { "" });
    format!("{before}{}{after}", shown.trim())
}

/// One line without anything that cannot be seen.
pub(crate) fn one_line(text: &str) -> String {
    let text = unhidden(text).text.into_owned();
    text.split(|c: char| c.is_whitespace() || c.is_control())
        .filter(|word| !word.is_empty())
        .collect::<Vec<_>>()
        .join(" ")
}

/// The character from which on the most different words follow within the width; the beginning when there is none.
fn best_place(chars: &[char], terms: &[Term]) -> usize {
    let lower: Vec<char> = chars.iter().map(|c| c.to_lowercase().next().unwrap_or(*c)).collect();
    let mut places: Vec<(usize, usize)> = Vec::new();
    for (number, term) in terms.iter().enumerate() {
        let (Term::Whole(word) | Term::Begins(word)) = term;
        let word: Vec<char> = word.chars().collect();
        places.extend(
            lower.windows(word.len().max(1)).enumerate().filter(|(_, at)| *at == word).map(|(at, _)| (at, number)),
        );
    }
    places.sort_unstable();
    let words_from = |start: usize| {
        let near = places.iter().filter(|(at, _)| (start..start + WIDTH - BEFORE).contains(at));
        near.map(|(_, number)| number).collect::<std::collections::BTreeSet<_>>().len()
    };
    // The first of the best, so that the same text always gives the same part.
    let mut best = (0, 0);
    for (at, _) in places.iter().take(500) {
        let words = words_from(*at);
        if words > best.0 {
            best = (words, *at);
        }
    }
    best.1
}

#[cfg(test)]
mod tests {
    use super::excerpt;
    use crate::search::tokens::asked;

    #[test]
    fn shows_where_the_words_stand() {
        let filler = "lorem ipsum ".repeat(100);
        let text = format!("{filler}\nthe parser\tfails on 空行 input {filler}");
        let shown = excerpt(&text, &asked("空行 parser"));
        assert!(shown.contains("the parser fails on 空行 input"), "{shown}");
        assert!(shown.starts_with('…') && shown.ends_with('…') && shown.chars().count() < 300, "{shown}");
        assert_eq!(excerpt("short\u{200b} one", &asked("x")), "short⟨U+200B⟩ one");
    }
}
