//! A message of the user in one line: what they said themselves first, then what they pasted.

use super::pasted::{By, told_apart};
use std::cmp::Reverse;

/// What a piece of a line is cut with.
const GAP: &str = " … ";

/// What stands around what is kept of a pasted text.
pub(super) const TEXT: (&str, &str) = (" [text: ", "]");

/// A first sentence of at most so many characters always stays, and so does one behind what was pasted.
const SHORT: usize = 80;

/// Sentences of at most so many characters state something by words alone.
const PLAIN: usize = 160;

/// Pieces of fewer characters say nothing.
const LEAST: usize = 20;

/// A sentence of a message.
struct Sentence {
    text: String,
    /// Those of the lowest class stay first.
    class: u8,
    weight: u32,
    pasted: bool,
}

/// A message in one line of at most so many characters: of what the user said, the sentences that state something to be
/// kept, such as numbers, names, paths and demands; then the others; then, as far as there is room, what they pasted.
pub(super) fn gist(text: &str, width: usize) -> String {
    let line = in_line(text);
    if line.chars().count() <= width {
        return line;
    }
    let sentences = sentences_of(text);
    let mut order: Vec<usize> = (0..sentences.len()).collect();
    order.sort_by_key(|place| sentences.get(*place).map(|sentence| (sentence.class, Reverse(sentence.weight))));
    let (mut left, mut own, mut pasted) = (width, Vec::new(), Vec::new());
    for place in order {
        let Some(sentence) = sentences.get(place) else { continue };
        if sentence.pasted && sentence.weight == 0 && !own.is_empty() {
            continue;
        }
        let between = match (sentence.pasted, own.is_empty(), pasted.is_empty()) {
            (true, false, true) => TEXT.0.chars().count() + TEXT.1.chars().count(),
            (true, _, false) | (false, false, _) => GAP.chars().count(),
            _ => 0,
        };
        let room = left.saturating_sub(between);
        if room < LEAST {
            break;
        }
        let piece = around(&sentence.text, room);
        left = room.saturating_sub(piece.chars().count());
        if sentence.pasted { &mut pasted } else { &mut own }.push((place, piece));
    }
    match (own.is_empty(), pasted.is_empty()) {
        (false, false) => format!("{}{}{}{}", joined(own), TEXT.0, joined(pasted), TEXT.1),
        (false, true) => joined(own),
        (true, _) => joined(pasted),
    }
}

/// Pieces in the order of the message, with a mark where something between them is left out.
fn joined(mut pieces: Vec<(usize, String)>) -> String {
    pieces.sort_by_key(|(place, _)| *place);
    let (mut text, mut next) = (String::new(), 0);
    for (place, piece) in &pieces {
        if !text.is_empty() {
            text.push_str(if *place == next { " " } else { GAP });
        }
        text.push_str(piece);
        next = place + 1;
    }
    text
}

fn sentences_of(text: &str) -> Vec<Sentence> {
    let mut found: Vec<Sentence> = Vec::new();
    for (by, line) in told_apart(text) {
        for text in sentences(&line) {
            let (stated, first, length) = (weight(&text), found.is_empty(), text.chars().count());
            let class = match by {
                By::Before if stated > 0 || (first && length <= SHORT) => 0,
                By::Behind if stated > 0 || length <= SHORT => 1,
                By::Between if stated > 0 => 2,
                By::Pasted => 4,
                _ => 3,
            };
            // What a message begins with is mostly what it is about.
            let more = match first {
                true if stated > 2 && length <= PLAIN => 8,
                true => 2,
                false => 0,
            };
            found.push(Sentence { text, class, weight: stated + more, pasted: by == By::Pasted });
        }
    }
    found
}

fn in_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// The sentences of a text, each in one line.
fn sentences(text: &str) -> Vec<String> {
    let mut found = vec![String::new()];
    let mut characters = text.chars().peekable();
    while let Some(c) = characters.next() {
        let last = found.len() - 1;
        if let Some(sentence) = found.get_mut(last).filter(|_| c != '\n') {
            sentence.push(c);
        }
        let spaced = characters.peek().is_none_or(|next| next.is_whitespace());
        if matches!(c, '\n' | '。' | '！' | '？' | '；') || (matches!(c, '.' | '!' | '?' | ';' | '…') && spaced) {
            found.push(String::new());
        }
    }
    found.iter().map(|text| in_line(text)).filter(|text| !text.is_empty() && text != "…").collect()
}

/// Words that demand something.
const DEMANDS: &[&str] = &[
    "must", "never", "always", "remember", "only", "do not", "don't", "keep", "必须", "不要", "不能", "记住", "只",
    "一定", "别",
];

/// Words by which a short sentence says how something is.
const STATES: &[&str] =
    &[" is ", " are ", "use ", "prefer", "should", "called", "named", "是", "叫", "用", "为", "应该", "改成"];

/// How much a sentence states that a later answer may need.
fn weight(sentence: &str) -> u32 {
    let lower = sentence.to_lowercase();
    let numbers = lower.split(|c: char| !c.is_ascii_digit()).map(str::len).max().unwrap_or(0);
    let named = lower.contains(['`', '"', '/', '_', '=', '「', '“']);
    let demands = DEMANDS.iter().any(|word| lower.contains(word));
    let plain = sentence.chars().count() <= PLAIN;
    let states = plain && (STATES.iter().any(|word| lower.contains(word)) || has_name(sentence));
    u32::from(states)
        + u32::from(numbers > 0) * 3
        + u32::from(numbers > 2) * 2
        + u32::from(named) * 2
        + u32::from(demands) * 3
}

/// True when a word behind the first one is written as a name.
fn has_name(sentence: &str) -> bool {
    let named = |word: &str| {
        let mut letters = word.chars();
        letters.next().is_some_and(char::is_uppercase) && letters.next().is_some_and(char::is_lowercase)
    };
    sentence.split_whitespace().skip(1).any(named)
}

/// The part of a sentence that fits, around what it states.
fn around(sentence: &str, width: usize) -> String {
    let characters: Vec<char> = sentence.chars().collect();
    if characters.len() <= width {
        return sentence.to_owned();
    }
    let stated = characters.iter().position(|c| c.is_ascii_digit() || matches!(c, '`' | '"' | '/' | '_' | '='));
    let start = stated.unwrap_or(0).saturating_sub(width / 2).min(characters.len() - width);
    let piece: String = characters.iter().skip(start).take(width.saturating_sub(2)).collect();
    // A word that was cut through says something else.
    let piece = if start > 0 { piece.split_once(' ').map_or(piece.as_str(), |(_, rest)| rest) } else { &piece };
    let piece = piece.rsplit_once(' ').map_or(piece, |(rest, _)| rest);
    let before = if start > 0 { "…" } else { "" };
    format!("{before}{piece}…")
}
