//! Holds what fits a pattern to what `regex` says of it.

use super::Pattern;
use super::program::{Program, Step};
use super::read::read;
use super::search::Search;
use regex::Regex;
use regex_syntax::hir::{Class, Hir, HirKind};
use std::ops::Range;

/// A pattern is made of fewer than this: making it and holding it costs as much.
const MOST_STEPS: usize = 5000;

/// A search does fewer of these than that for each byte of any text.
const MOST_STEPS_A_BYTE: usize = 1500;

/// Numbers that look like chance, the same every time.
struct Dice(u64);

impl Dice {
    fn below(&mut self, most: u64) -> u64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) % most.max(1)
    }

    fn letter(&mut self, from: char, to: char) -> char {
        let (from, to) = (u32::from(from), u32::from(to));
        char::from_u32(from + u32::try_from(self.below(u64::from(to - from) + 1)).unwrap()).unwrap_or('¥')
    }
}

/// The pattern as `regex` reads it, with the letters, digits and blanks of English.
pub(super) fn as_regex(text: &str) -> String {
    let plain = [(r"\b", r"(?-u:\b)"), (r"\w", "[0-9A-Za-z_]"), (r"\d", "[0-9]"), (r"\s", r"[ \t\r\n]")];
    plain.iter().fold(text.to_owned(), |text, (short, long)| text.replace(short, long))
}

/// Something that the pattern fits, but for the borders it asks for.
fn drawn(hir: &Hir, dice: &mut Dice, out: &mut String) {
    match hir.kind() {
        HirKind::Empty | HirKind::Look(_) => {}
        HirKind::Literal(text) => out.push_str(std::str::from_utf8(&text.0).unwrap()),
        HirKind::Class(Class::Unicode(class)) => {
            let ranges = class.ranges();
            // Those of ASCII stand first, and are what texts are mostly made of.
            let some = if dice.below(4) > 0 { ranges.len().min(8) } else { ranges.len() };
            if let Some(range) = ranges.get(usize::try_from(dice.below(some as u64)).unwrap()) {
                let end = if range.start().is_ascii() { range.end().min('~') } else { range.end() };
                out.push(dice.letter(range.start(), end.max(range.start())));
            }
        }
        HirKind::Class(Class::Bytes(_)) => unreachable!("patterns are of characters"),
        HirKind::Repetition(times) => {
            let more = times.max.map_or(3, |max| (max - times.min).min(3));
            let more = if dice.below(20) == 0 { times.max.unwrap_or(50).min(60) - times.min } else { more };
            (0..u64::from(times.min) + dice.below(u64::from(more) + 1)).for_each(|_| drawn(&times.sub, dice, out));
        }
        HirKind::Capture(group) => drawn(&group.sub, dice, out),
        HirKind::Concat(parts) => parts.iter().for_each(|part| drawn(part, dice, out)),
        HirKind::Alternation(parts) => {
            let part = usize::try_from(dice.below(parts.len() as u64)).unwrap();
            drawn(&parts[part], dice, out);
        }
    }
}

/// A text with some of what fits, with what may stand around it, and perhaps a letter changed or gone.
fn around(hir: &Hir, dice: &mut Dice) -> String {
    const PIECES: &[&str] =
        &["", " ", "\n", "x", "，", "。", ". ", "测试", "-", "1", "_", "é", "the ", "\n\n ", "不", "K", "K", "ſ", "\t"];
    let mut text = String::new();
    if dice.below(3) == 0 {
        drawn(hir, dice, &mut text);
        return text;
    }
    for _ in 0..=dice.below(3) {
        text.push_str(PIECES[usize::try_from(dice.below(PIECES.len() as u64)).unwrap()]);
        drawn(hir, dice, &mut text);
        text.push_str(PIECES[usize::try_from(dice.below(PIECES.len() as u64)).unwrap()]);
    }
    let place = usize::try_from(dice.below(text.len() as u64 + 1)).unwrap();
    let place = text.floor_char_boundary(place);
    match (dice.below(6), text.get(place..).and_then(|rest| rest.chars().next())) {
        (0, Some(_)) => drop(text.remove(place)),
        (1, Some(letter)) if letter.is_ascii_alphabetic() => {
            let other = char::from(letter as u8 ^ 0x20).to_string();
            text.replace_range(place..=place, &other);
        }
        (2, _) => text.insert(place, dice.letter(' ', '~')),
        _ => {}
    }
    text
}

type Found = Vec<(Range<usize>, Vec<Option<Range<usize>>>)>;

fn by_regex(regex: &Regex, text: &str) -> Found {
    let one = |found: regex::Captures<'_>| {
        let groups = found.iter().skip(1).map(|group| group.map(|group| group.range())).collect();
        (found.get(0).unwrap().range(), groups)
    };
    regex.captures_iter(text).map(one).collect()
}

/// Fails where a pattern fits other than `regex` says.
pub(crate) fn fits_the_same(name: &str, pattern: &Pattern) {
    let text = as_regex(&(pattern.text)());
    let regex = Regex::new(&text).unwrap_or_else(|error| panic!("{name}: {error}"));
    let hir = regex_syntax::parse(&text).unwrap();
    let program = pattern.program().unwrap_or_else(|| panic!("{name} cannot be read: {text}"));
    assert!(program.steps.len() <= MOST_STEPS, "{name} is made of {} steps", program.steps.len());
    let (mut dice, mut fitted) = (Dice(name.len() as u64), 0);
    for round in 0..100 {
        let mut text = around(&hir, &mut dice);
        // In long ones it is looked first whether it can be there at all.
        if round % 4 == 0 {
            text.push_str(&"\n ".repeat(300));
        }
        let wanted = by_regex(&regex, &text);
        let found = pattern.each(&text, |whole, groups| Some((whole, groups)));
        assert_eq!(found, wanted, "{name} in {text:?}, round {round}");
        fitted += usize::from(!wanted.is_empty());
    }
    assert!(fitted > 0, "{name} was never drawn");
    // What fits in part, again and again.
    for _ in 0..5 {
        let mut piece = String::new();
        drawn(&hir, &mut dice, &mut piece);
        let end = piece.floor_char_boundary(usize::try_from(dice.below(piece.len() as u64)).unwrap() + 1);
        let text = piece.get(..end).unwrap_or_default().repeat(2000 / end.max(1));
        let steps = steps(program, &text);
        assert!(steps <= (text.len() + 1) * MOST_STEPS_A_BYTE, "{name} takes {steps} steps of {piece:?}");
    }
}

/// What it takes to find all places of a pattern.
fn steps(program: &Program, text: &str) -> usize {
    let mut search = Search::new(program, text, false);
    let mut at = 0;
    while let Some(found) = search.from(at) {
        at = found.end + usize::from(found.is_empty());
    }
    search.steps
}

#[test]
fn what_led_nowhere_is_not_tried_again_for_the_next_place() {
    let long = "ab ".repeat(20_000);
    for text in [r"(?s)ab.*c|ab", r"ab(?: |ab)*c|ab", r"(?s)ab.*?c|ab"] {
        let steps = steps(&read(text).unwrap(), &long);
        assert!(steps < long.len() * 20, "{text}: {steps}");
    }
    let close = "ab ac ad aab ".repeat(100);
    let patterns = [
        Pattern::new(|| r"(a)(?s:.)*e|(a[bc])".to_owned()),
        Pattern::new(|| r"a[^d]*?d|(a)".to_owned()),
        Pattern::new(|| r"(?:a. )*ad|( )".to_owned()),
        Pattern::new(|| r"(?:a(.) ?)+?c".to_owned()),
        // What was found may end where the same loop is come to next.
        Pattern::new(|| "a*|b".to_owned()),
    ];
    for pattern in patterns {
        let text = (pattern.text)();
        let found = pattern.each(&close, |whole, groups| Some((whole, groups)));
        assert_eq!(found, by_regex(&Regex::new(&text).unwrap(), &close), "{text}");
    }
}

#[test]
fn what_follows_a_repetition_with_a_bound_is_tried_once_at_a_place() {
    let long = "test".repeat(5_000);
    let many: Vec<String> = ('a'..='z').map(|letter| format!("(?:es|t.{letter})")).collect();
    for between in ["[^.]{0,80}?", "[^.]{0,80}", r"(?:[^.]|\.\w){0,80}?", r"(?:[^.]|\.\w){0,80}"] {
        let behind = many.join("|");
        let steps = steps(&read(&format!("te{between}(?:{behind})+!")).unwrap(), &long);
        assert!(steps < long.len() * 400, "{between}: {steps}");
    }
}

#[test]
fn a_step_stays_small() {
    assert_eq!(size_of::<Step>(), 16);
}

#[test]
fn what_is_read_otherwise_than_regex_does_is_no_pattern() {
    let strange =
        ["a**", "(a", "a)", "[a", "[[a]b]", r"\d\", r"\pL", r"\B", "(?x)a", "(?<name>a)", "a{2", "a{3,2}", "(?)a"];
    let signs =
        ["[]a]", "[a&&b]", "[a--b]", "[a~~b]", "[b-a]", r"\<a", r"[\>]", r"\x{+41}", "a{+1}", "(a){0}", "a{0,0}"];
    let cases = ["(?i)é", "(?i)É+", "(?i)[é-ü]", "(?i)[^ſ]", "(?i)a\u{212a}"];
    let nothing = ["(?:a*)*", "(?:a|)+", r"(?:\b)*", "(?:a??b?)+?", "(?:(?:a|b*){2}){3,}", "(?:a|){0,40}"];
    for text in strange.into_iter().chain(signs).chain(cases).chain(nothing) {
        assert!(read(text).is_none(), "{text}");
    }
}

#[test]
fn a_loop_is_not_tried_twice_at_one_place() {
    let lines = "\n".repeat(50_000);
    for text in [r"(?m)^\s*x", r"(?m)^(?:\s|\n)*x", r"(?:\s+)*x", r"\s*?x", r"(?:\s\s*)*$"] {
        let program = read(text).unwrap();
        let found = Search::new(&program, &lines, false).from(0);
        assert_eq!(found.is_some(), text.ends_with('$'), "{text}");
    }
}

#[test]
fn what_a_pattern_needs_is_in_all_that_fits() {
    let needs = |text: &str| {
        let program = read(text).unwrap();
        program.needs().iter().map(|letters| program.text(*letters).to_owned()).collect::<Vec<_>>().join("|")
    };
    assert_eq!(needs(r"\b(?:failed|errors?)\b: +\d+"), "failed|error");
    assert_eq!(needs("(?:line )?not found"), "not found");
    assert_eq!(needs("(?:ab|)(?:cd)*(?:ef)??(?:gh){0,3}"), "");
    assert_eq!(needs("(?:ab){2}c?"), "ab");
}
