//! What the search of one file finds.

use crate::GrepLine;
use crate::board::{Board, Brought};
use grep_matcher::Matcher;
use grep_regex::RegexMatcher;
use grep_searcher::{Searcher, Sink, SinkContext, SinkFinish, SinkMatch};
use std::io;
use std::path::Path;

/// How much of a file is kept.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Limits {
    pub(crate) matches: usize,
    pub(crate) line: usize,
    pub(crate) context: usize,
}

/// The matches of one file.
pub(crate) struct Hits<'a> {
    matcher: &'a RegexMatcher,
    board: &'a Board,
    path: &'a Path,
    limits: Limits,
    /// Whether lines are kept or only counted; decided at the first match.
    wanted: Option<bool>,
    brought: Brought,
    /// The number of the last line that matched and is kept.
    last: u64,
    binary: bool,
    /// True when a line that is kept is not UTF-8.
    pub(crate) foreign: bool,
}

impl<'a> Hits<'a> {
    pub(crate) fn new(matcher: &'a RegexMatcher, board: &'a Board, path: &'a Path, limits: Limits) -> Self {
        let brought = Brought::default();
        Self { matcher, board, path, limits, wanted: None, brought, last: 0, binary: false, foreign: false }
    }

    /// Forgets everything, for another search of the same file.
    pub(crate) fn reset(&mut self) {
        self.brought = Brought::default();
        self.binary = false;
    }

    /// Hands the matches in.
    pub(crate) fn submit(self) {
        if !self.binary && self.brought.count > 0 {
            self.board.add(self.path, self.brought);
        }
    }

    /// True while matches are still kept.
    fn keeps(&mut self) -> bool {
        let (board, path) = (self.board, self.path);
        self.brought.kept < self.limits.matches.max(1) && *self.wanted.get_or_insert_with(|| board.wants(path))
    }

    fn push(&mut self, number: u64, bytes: &[u8], matched: bool) {
        let bytes = bytes.strip_suffix(b"\n").unwrap_or(bytes);
        let bytes = bytes.strip_suffix(b"\r").unwrap_or(bytes);
        let text = match std::str::from_utf8(bytes) {
            Ok(text) => text.to_owned(),
            Err(_) => {
                self.foreign = true;
                String::from_utf8_lossy(bytes).into_owned()
            }
        };
        let text = if text.len() > self.limits.line { self.around(&text, matched) } else { text };
        self.brought.lines.push(GrepLine { number, text, matched });
    }

    /// The part of a long line around its match.
    fn around(&self, line: &str, matched: bool) -> String {
        let found = if matched { self.matcher.find(line.as_bytes()).ok().flatten() } else { None };
        let (at, end) = found.map_or((0, 0), |found| (found.start(), found.end()));
        cut_around(line, at, end, self.limits.line)
    }
}

impl Sink for Hits<'_> {
    type Error = io::Error;

    fn matched(&mut self, _: &Searcher, found: &SinkMatch<'_>) -> Result<bool, io::Error> {
        for (number, line) in (found.line_number().unwrap_or(0)..).zip(found.lines()) {
            self.brought.count += 1;
            if self.keeps() {
                self.brought.kept += 1;
                self.last = number;
                self.push(number, line, true);
            }
        }
        Ok(true)
    }

    fn context(&mut self, _: &Searcher, found: &SinkContext<'_>) -> Result<bool, io::Error> {
        let number = found.line_number().unwrap_or(0);
        // After the last match that is kept, only what belongs to it.
        let after = self.brought.kept == self.brought.count && number <= self.last + self.limits.context as u64;
        if self.keeps() || (after && self.wanted == Some(true)) {
            self.push(number, found.bytes(), false);
        }
        Ok(true)
    }

    fn finish(&mut self, _: &Searcher, finish: &SinkFinish) -> Result<(), io::Error> {
        self.binary |= finish.binary_byte_offset().is_some();
        Ok(())
    }
}

/// At most `limit` bytes of `line` with the bytes from `at` to `end` in view, on character boundaries.
fn cut_around(line: &str, at: usize, end: usize, limit: usize) -> String {
    let spare = limit.saturating_sub(end.saturating_sub(at));
    let mut start = at.saturating_sub(spare / 2);
    if line.len() - start < limit {
        start = line.len() - limit;
    }
    let start = line.ceil_char_boundary(start);
    let stop = line.floor_char_boundary(start + limit);
    let (before, after) = (if start > 0 { "…" } else { "" }, if stop < line.len() { "…" } else { "" });
    format!("{before}{}{after}", line.get(start..stop).unwrap_or_default())
}

#[cfg(test)]
mod tests {
    use super::cut_around;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn a_cut_line_shows_its_match(before in ".{0,80}", hit in "[a-z漢]{1,5}", after in ".{0,80}", limit in 20usize..60) {
            let line = format!("{before}{hit}{after}");
            prop_assume!(line.len() > limit);
            let cut = cut_around(&line, before.len(), before.len() + hit.len(), limit);
            prop_assert!(cut.contains(&hit), "{cut:?}");
            prop_assert!(cut.len() <= limit + 2 * "…".len());
        }
    }
}
