//! Finds where a hunk belongs. The place it names counts when it fits there; otherwise it must fit in one place only.

use super::Hunk;
use crate::fold::nfc;
use crate::indent::{self, Indent};
use crate::lines::bare;
use std::ops::Range;

/// Where a hunk goes.
#[derive(Debug)]
pub(super) struct Place {
    /// The lines it stands for.
    pub span: Range<usize>,
    /// How its new lines are indented, when not as written.
    pub indent: Option<Indent>,
}

/// Why there is no place.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Lost {
    /// It fits nowhere.
    Nowhere,
    /// It fits at several places; their lines from 1.
    Several(Vec<usize>),
}

/// What earlier hunks tell.
#[derive(Default)]
pub(super) struct Search {
    /// Lines that belong to earlier hunks.
    pub taken: Vec<Range<usize>>,
    /// The line after the last one placed.
    pub cursor: usize,
    /// How far the last one was from where it said.
    pub drift: isize,
}

impl Search {
    fn is_free(&self, at: usize, length: usize) -> bool {
        self.taken.iter().all(|span| at + length <= span.start || at >= span.end)
    }
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Level {
    Exact,
    Trailing,
    Indented,
}

/// Finds the place of a hunk among the lines of a file.
pub(super) fn place(lines: &[&str], hunk: &Hunk, search: &Search) -> Result<Place, Lost> {
    let old: Vec<&str> = hunk.old().map(|line| line.text.as_str()).collect();
    let anchor = anchor_line(lines, hunk, search.cursor);
    if old.is_empty() {
        let after_anchor = anchor.map(|line| line + 1);
        let at = hunk.start.or(after_anchor).unwrap_or(lines.len()).min(lines.len());
        return Ok(Place { span: at..at, indent: None });
    }
    if let Some(at) = named_exactly(lines, &old, hunk, search) {
        return Ok(Place { span: at..at + old.len(), indent: None });
    }
    for level in [Level::Exact, Level::Trailing, Level::Indented] {
        let fits = candidates(lines, &old, level, search);
        if fits.is_empty() {
            continue;
        }
        let at = choose(&fits, hunk, anchor, search, lines.len().saturating_sub(old.len()))?;
        let indent = if level == Level::Indented { learn(lines, &old, at) } else { None };
        return Ok(Place { span: at..at + old.len(), indent });
    }
    Err(Lost::Nowhere)
}

/// The place that the hunk names, when it fits there to the letter; a right patch needs no search.
fn named_exactly(lines: &[&str], old: &[&str], hunk: &Hunk, search: &Search) -> Option<usize> {
    hunk.start.filter(|at| fits(lines, old, *at, Level::Exact) && search.is_free(*at, old.len()))
}

fn candidates(lines: &[&str], old: &[&str], level: Level, search: &Search) -> Vec<usize> {
    let indented = |at: usize| level != Level::Indented || learn(lines, old, at).is_some();
    let fits = |at: &usize| fits(lines, old, *at, level) && search.is_free(*at, old.len()) && indented(*at);
    (0..=lines.len().saturating_sub(old.len())).filter(fits).collect()
}

fn fits(lines: &[&str], old: &[&str], at: usize, level: Level) -> bool {
    let there = at.checked_add(old.len()).and_then(|end| lines.get(at..end)).unwrap_or_default();
    there.len() == old.len() && there.iter().zip(old).all(|(line, wanted)| alike(bare(line), wanted, level))
}

fn alike(line: &str, wanted: &str, level: Level) -> bool {
    match level {
        Level::Exact => line == wanted,
        Level::Trailing => nfc(line.trim_end()) == nfc(wanted.trim_end()),
        Level::Indented => nfc(line.trim()) == nfc(wanted.trim()),
    }
}

fn learn(lines: &[&str], old: &[&str], at: usize) -> Option<Indent> {
    let there = lines.get(at..at + old.len())?;
    let pairs = old.iter().zip(there).filter(|(wanted, _)| !wanted.trim().is_empty());
    Indent::learn(pairs.map(|(wanted, line)| (indent::split(wanted).0, indent::split(bare(line)).0)))
}

fn choose(fits: &[usize], hunk: &Hunk, anchor: Option<usize>, search: &Search, last: usize) -> Result<usize, Lost> {
    let fit = |at: usize| fits.contains(&at).then_some(at);
    let drifted = hunk.start.and_then(|start| start.checked_add_signed(search.drift));
    let named = hunk.start.and_then(fit).or_else(|| drifted.and_then(fit));
    let at_end = hunk.at_end.then(|| fit(last)).flatten();
    let below = anchor.and_then(|anchor| fits.iter().copied().find(|at| *at >= anchor));
    if let Some(at) = named.or(at_end).or(below) {
        return Ok(at);
    }
    let later: Vec<usize> = fits.iter().copied().filter(|at| *at >= search.cursor).collect();
    match (fits, later.as_slice()) {
        ([only], _) | (_, [only]) => Ok(*only),
        _ => Err(Lost::Several(fits.iter().map(|at| at + 1).collect())),
    }
}

/// The line of the innermost anchor, when all anchors are found in order.
fn anchor_line(lines: &[&str], hunk: &Hunk, cursor: usize) -> Option<usize> {
    let seek = |from: usize| {
        let mut at = from;
        let mut found = None;
        for anchor in &hunk.anchors {
            let rest = lines.get(at..)?;
            let equal = rest.iter().position(|line| line.trim() == anchor);
            let index = at + equal.or_else(|| rest.iter().position(|line| line.contains(anchor.as_str())))?;
            (found, at) = (Some(index), index + 1);
        }
        found
    };
    seek(cursor).or_else(|| seek(0))
}
