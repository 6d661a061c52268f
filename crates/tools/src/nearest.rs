//! Finds the lines of a text that look most like a piece that was expected in it. Its work is bounded, whatever the sizes.

use crate::lines::{bare, numbered};
use std::collections::{HashMap, HashSet};

/// Lines of the text that are looked at.
const MAX_LINES: usize = 100_000;
/// Lines of the piece that are looked for.
const MAX_WANTED: usize = 60;
/// Bytes of a line that are compared.
const MAX_WIDTH: usize = 160;
/// Lines that are shown.
const MAX_SHOWN: usize = 12;
/// Below this likeness nothing is shown: it would mislead.
const LEAST: f64 = 0.45;

/// The lines that look most like the wanted ones.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Near {
    /// The first line, from 1.
    pub line: usize,
    /// The lines with their numbers.
    pub shown: String,
}

/// Searches a text for the place most like `wanted`; nothing when no place is like it.
pub(crate) fn nearest(text: &str, wanted: &str) -> Option<Near> {
    let lines: Vec<&str> = text.split_inclusive('\n').take(MAX_LINES).collect();
    let wanted: Vec<&str> = wanted.lines().take(MAX_WANTED).map(str::trim).collect();
    let blank = wanted.iter().take_while(|line| line.is_empty()).count();
    let wanted = wanted.get(blank..)?;
    let start = by_equal_lines(&lines, wanted).or_else(|| by_likeness(&lines, wanted))?;
    let count = wanted.len().clamp(1, MAX_SHOWN);
    let from = start.saturating_sub(1);
    let shown = lines.get(from..)?.iter().take(count + 2).copied();
    Some(Near { line: start + 1, shown: numbered(shown, from + 1) })
}

/// Lets each line that stands in both vote for a start; longer lines weigh more.
fn by_equal_lines(lines: &[&str], wanted: &[&str]) -> Option<usize> {
    let mut places: HashMap<&str, Vec<usize>> = HashMap::new();
    for (index, line) in wanted.iter().enumerate().filter(|(_, line)| line.len() > 2) {
        places.entry(line).or_default().push(index);
    }
    let mut votes: HashMap<usize, usize> = HashMap::new();
    for (index, line) in lines.iter().enumerate() {
        let line = line.trim();
        for place in places.get(line).into_iter().flatten() {
            *votes.entry(index.saturating_sub(*place)).or_default() += line.len().min(40);
        }
    }
    let (start, _) = votes.into_iter().max_by_key(|(start, weight)| (*weight, usize::MAX - start))?;
    Some(start)
}

/// Looks for the line most like the longest wanted one.
fn by_likeness(lines: &[&str], wanted: &[&str]) -> Option<usize> {
    let (place, key) = wanted.iter().enumerate().max_by_key(|(_, line)| line.len().min(MAX_WIDTH))?;
    let key = Pairs::of(key);
    let likeness = |line: &str| key.likeness(bare(line).trim());
    let scored = lines.iter().enumerate().map(|(index, line)| (index, likeness(line)));
    let best = scored.fold((0, 0.0), |best, next| if next.1 > best.1 { next } else { best });
    (best.1 >= LEAST).then(|| best.0.saturating_sub(place))
}

/// The pairs of neighbouring bytes of a line.
struct Pairs {
    set: HashSet<(u8, u8)>,
    count: usize,
}

impl Pairs {
    fn of(line: &str) -> Self {
        let set: HashSet<_> = pairs(line).collect();
        Self { count: set.len(), set }
    }

    /// From 0 for nothing in common to 1 for the same pairs.
    fn likeness(&self, line: &str) -> f64 {
        let longest = self.count.max(line.len());
        if self.count == 0 || line.len() * 3 < self.count {
            return 0.0;
        }
        let (mut common, mut total) = (0_usize, 0_usize);
        for pair in pairs(line) {
            total += 1;
            common += usize::from(self.set.contains(&pair));
        }
        let (common, total) = (common.min(self.count), total.max(1).min(longest));
        2.0 * small(common) / (small(self.count) + small(total))
    }
}

fn pairs(line: &str) -> impl Iterator<Item = (u8, u8)> + '_ {
    let bytes = line.as_bytes();
    let bytes = bytes.get(..MAX_WIDTH).unwrap_or(bytes);
    bytes.iter().zip(bytes.iter().skip(1)).map(|(a, b)| (*a, *b))
}

/// Counts here never exceed [`MAX_WIDTH`].
fn small(count: usize) -> f64 {
    f64::from(u16::try_from(count).unwrap_or(u16::MAX))
}

#[cfg(test)]
mod tests {
    use super::nearest;

    const TEXT: &str = "fn one() {\n    let total = sum(&items);\n}\n\nfn two() {\n    println!(\"{total}\");\n}\n";

    #[test]
    fn the_place_most_like_it_is_found() {
        let table = [
            ("let total = sum(items);", Some(2)),
            ("fn two() {\n    print!(\"{total}\");\n}", Some(5)),
            ("fn two() {\n    completely_else();\n}", Some(5)),
            ("\n\nprintln!(\"{totals}\")", Some(6)),
            ("zzzz qqqq wwww", None),
            ("", None),
            ("\n\n", None),
        ];
        for (wanted, line) in table {
            assert_eq!(nearest(TEXT, wanted).map(|near| near.line), line, "{wanted:?}");
        }
        assert_eq!(nearest("", "anything at all"), None);
    }

    #[test]
    fn it_shows_lines_with_numbers() {
        let near = nearest(TEXT, "fn two() {\n    else();\n}").unwrap();
        assert_eq!(near.shown, "   4\t\n   5\tfn two() {\n   6\t    println!(\"{total}\");\n   7\t}\n");
    }

    #[test]
    fn huge_texts_and_lines_are_no_trouble() {
        let text = "x".repeat(3_000_000) + "\n" + &"some line of text\n".repeat(300_000);
        assert_eq!(nearest(&text, "some lime of text").map(|near| near.line), Some(2));
        let wanted = "y\n".repeat(100_000);
        assert_eq!(nearest("a\n", &wanted), None);
    }
}
