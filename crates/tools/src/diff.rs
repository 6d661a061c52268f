//! Unified diffs of whole texts, bounded, with the lines counted. Pure: no files, no patches applied.

use crate::compare::{Compared, DiffRow, Near};
use reasonix_proto::{Hunk, HunkLine};
use std::fmt::Write as _;
use std::ops::Range;

/// How much of a diff is shown.
#[derive(Debug, Clone, Copy)]
struct Room {
    lines: usize,
    bytes: usize,
    /// A longer line is cut.
    line: usize,
}

/// For what was done.
const USUAL: Room = Room { lines: 200, bytes: 16 * 1024, line: 500 };
/// For whoever has to say yes to it.
const WIDE: Room = Room { lines: 4000, bytes: 256 * 1024, line: 16 * 1024 };

/// What changed from one text to another.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Diff {
    /// The unified diff, bounded; empty when nothing changed.
    pub text: String,
    /// Lines added.
    pub added: u32,
    /// Lines removed.
    pub removed: u32,
    /// The lines of the text as data.
    pub hunks: Vec<Hunk>,
}

/// Compares two texts. A missing side is `/dev/null` in the header.
pub fn diff(from: &str, to: &str, old: Option<&str>, new: Option<&str>) -> Diff {
    within(USUAL, (from, to), old, new)
}

/// The same for a person who is asked: they can read to its end what they say yes to.
pub fn wide_diff(from: &str, to: &str, old: Option<&str>, new: Option<&str>) -> Diff {
    within(WIDE, (from, to), old, new)
}

fn within(most: Room, (from, to): (&str, &str), old: Option<&str>, new: Option<&str>) -> Diff {
    let compared = Compared::of(old.unwrap_or_default(), new.unwrap_or_default());
    let (added, removed) = compared.counts();
    let mut result = Diff { added: number(added), removed: number(removed), ..Diff::default() };
    let name = |side: Option<&str>, prefix: &str, path: &str| match side {
        Some(_) => format!("{prefix}/{path}"),
        None => "/dev/null".to_owned(),
    };
    if old.is_some() != new.is_some() || from != to || added + removed > 0 {
        let head = format!("--- {}\n+++ {}\n", name(old, "a", from), name(new, "b", to));
        let mut shown = Shown { text: head, lines: 2, left_off: 0, most };
        for near in compared.near(3) {
            let before = shown.lines;
            near.text().lines().for_each(|line| shown.push(line));
            // The head of the hunk is a line too.
            let room = (shown.lines - before).saturating_sub(1);
            let lines: Vec<HunkLine> = near.rows.iter().take(room).map(|row| line(row, most.line)).collect();
            if !lines.is_empty() {
                result.hunks.push(whole(&near, lines));
            }
        }
        result.text = shown.finish();
    }
    result
}

fn number(index: usize) -> u32 {
    u32::try_from(index).unwrap_or(u32::MAX)
}

fn line(row: &DiffRow<'_>, longest: usize) -> HunkLine {
    let at = |index: Option<usize>| index.map(|index| number(index + 1));
    let text = row.text.trim_end_matches('\n');
    HunkLine {
        kind: row.kind,
        old: at(row.old),
        new: at(row.new),
        text: crate::lines::clip(text, longest).into_owned(),
    }
}

/// The hunk as data. A side without lines begins at the line before, as in a unified diff.
fn whole(near: &Near<'_>, lines: Vec<HunkLine>) -> Hunk {
    let side = |lines: &Range<usize>| (number(lines.start + usize::from(!lines.is_empty())), number(lines.len()));
    let ((old_start, old_lines), (new_start, new_lines)) = (side(&near.old), side(&near.new));
    Hunk { old_start, old_lines, new_start, new_lines, lines }
}

struct Shown {
    text: String,
    lines: usize,
    left_off: usize,
    most: Room,
}

impl Shown {
    fn push(&mut self, line: &str) {
        let line = crate::lines::clip(line, self.most.line);
        if self.left_off > 0 || self.lines >= self.most.lines || self.text.len() + line.len() >= self.most.bytes {
            self.left_off += 1;
            return;
        }
        self.lines += 1;
        self.text.push_str(&line);
        self.text.push('\n');
    }

    fn finish(mut self) -> String {
        if self.left_off > 0 {
            let _ = writeln!(self.text, "[{} more diff lines]", self.left_off);
        }
        self.text
    }
}

#[cfg(test)]
mod tests {
    use super::{Diff, USUAL};
    use pretty_assertions::assert_eq;
    use reasonix_proto::LineKind;

    fn diff(path: &str, old: Option<&str>, new: Option<&str>) -> Diff {
        super::diff(path, path, old, new)
    }

    #[test]
    fn a_diff_counts_and_names() {
        let shown = diff("src/a.rs", Some("a\nb\nc\n"), Some("a\nB\nc\nd\n"));
        assert_eq!((shown.added, shown.removed), (2, 1));
        assert_eq!(shown.text, "--- a/src/a.rs\n+++ b/src/a.rs\n@@ -1,3 +1,4 @@\n a\n-b\n+B\n c\n+d\n");
        let created = diff("n", None, Some("x\n"));
        assert_eq!(created.text, "--- /dev/null\n+++ b/n\n@@ -0,0 +1 @@\n+x\n");
        let deleted = diff("n", Some("x"), None);
        assert_eq!(deleted.text, "--- a/n\n+++ /dev/null\n@@ -1 +0,0 @@\n-x\n\\ No newline at end of file\n");
        assert_eq!(diff("n", Some("same\n"), Some("same\n")), Diff::default());
    }

    #[test]
    fn hunks_number_the_lines_of_both_sides() {
        let old: String = (1..=20).map(|n| format!("{n}\n")).collect();
        let new = old.replace("\n5\n", "\nfive\n").replace("\n18\n", "\n");
        let shown = diff("a", Some(&old), Some(&new));
        let heads: Vec<_> = shown.hunks.iter().map(|h| (h.old_start, h.old_lines, h.new_start, h.new_lines)).collect();
        assert_eq!(heads, [(2, 7, 2, 7), (15, 6, 15, 5)]);
        for (hunk, head) in shown.hunks.iter().zip(["@@ -2,7 +2,7 @@", "@@ -15,6 +15,5 @@"]) {
            assert!(shown.text.contains(head), "{}", shown.text);
            let written: String = hunk.lines.iter().map(|line| format!("{}\n", line.text)).collect();
            assert!(!written.is_empty());
        }
        let of = |hunk: usize, kind: LineKind| {
            let lines = shown.hunks[hunk].lines.iter().filter(move |line| line.kind == kind);
            lines.map(|line| (line.old, line.new, line.text.as_str())).collect::<Vec<_>>()
        };
        assert_eq!(of(0, LineKind::Removed), [(Some(5), None, "5")]);
        assert_eq!(of(0, LineKind::Added), [(None, Some(5), "five")]);
        assert_eq!(of(1, LineKind::Removed), [(Some(18), None, "18")]);
        assert_eq!(of(1, LineKind::Context).last(), Some(&(Some(20), Some(19), "20")));
        let created = diff("n", None, Some("x\n"));
        assert_eq!(created.hunks.len(), 1);
        assert_eq!((created.hunks[0].old_start, created.hunks[0].old_lines, created.hunks[0].new_start), (0, 0, 1));
        let many: String = (0..5000).map(|n| format!("line {n}\n")).collect();
        let cut = diff("big", None, Some(&many));
        assert_eq!((cut.hunks[0].new_lines, cut.hunks[0].lines.len()), (5000, USUAL.lines - 3));
    }

    #[test]
    fn a_diff_is_bounded_but_its_counts_are_not() {
        let many: String = (0..5000).map(|n| format!("line {n}\n")).collect();
        let shown = diff("big", None, Some(&many));
        assert_eq!(shown.added, 5000);
        assert_eq!(shown.text.lines().count(), USUAL.lines + 1);
        assert!(shown.text.ends_with("[4803 more diff lines]\n"), "{}", shown.text.lines().last().unwrap());
        let wide = diff("wide", None, Some(&"長".repeat(1_000_000)));
        assert!(wide.text.len() <= USUAL.bytes, "{}", wide.text.len());
    }
}
