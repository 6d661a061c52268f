//! Which lines of two texts differ, and the unified form of that. Pure.

use imara_diff::{Algorithm, Diff, InternedInput};
use reasonix_proto::LineKind;
use std::fmt::Write as _;
use std::ops::Range;

/// Two texts, line by line, and where they differ.
pub(crate) struct Compared<'a> {
    old: Vec<&'a str>,
    new: Vec<&'a str>,
    changes: Vec<Replaced>,
}

/// Lines of the old text that gave way to lines of the new one; either side may have none.
struct Replaced {
    old: Range<usize>,
    new: Range<usize>,
}

/// Changes that stand near each other, with the lines around them.
pub(crate) struct Near<'a> {
    pub(crate) old: Range<usize>,
    pub(crate) new: Range<usize>,
    pub(crate) rows: Vec<DiffRow<'a>>,
}

/// One line of a comparison, with its places from 0.
pub(crate) struct DiffRow<'a> {
    pub(crate) kind: LineKind,
    pub(crate) old: Option<usize>,
    pub(crate) new: Option<usize>,
    /// With its line end, where it has one.
    pub(crate) text: &'a str,
}

/// A unified diff of two texts without names of files; empty when they are the same.
pub fn unified(old: &str, new: &str, context: usize) -> String {
    Compared::of(old, new).near(context).iter().map(Near::text).collect()
}

impl<'a> Compared<'a> {
    pub(crate) fn of(old: &'a str, new: &'a str) -> Self {
        let (old, new): (Vec<&str>, Vec<&str>) =
            (old.split_inclusive('\n').collect(), new.split_inclusive('\n').collect());
        let mut input = InternedInput::default();
        input.update_before(old.iter().copied());
        input.update_after(new.iter().copied());
        let mut diff = Diff::compute(Algorithm::Histogram, &input);
        diff.postprocess_lines(&input);
        let range = |lines: Range<u32>| lines.start as usize..lines.end as usize;
        let changes = diff.hunks().map(|hunk| Replaced { old: range(hunk.before), new: range(hunk.after) }).collect();
        Self { old, new, changes }
    }

    /// The lines of the old text that gave way, and those of the new one in their place.
    pub(crate) fn replaced(&self) -> impl Iterator<Item = (Range<usize>, Vec<&'a str>)> {
        let new = |change: &Replaced| self.new.get(change.new.clone()).unwrap_or_default().to_vec();
        self.changes.iter().map(move |change| (change.old.clone(), new(change)))
    }

    /// How many lines were added, and how many removed.
    pub(crate) fn counts(&self) -> (usize, usize) {
        (
            self.changes.iter().map(|change| change.new.len()).sum(),
            self.changes.iter().map(|change| change.old.len()).sum(),
        )
    }

    /// The changes with so many lines around them; those whose lines would meet stand together.
    pub(crate) fn near(&self, context: usize) -> Vec<Near<'a>> {
        let apart = |before: &Replaced, next: &Replaced| next.old.start - before.old.end > 2 * context;
        self.changes
            .chunk_by(|before, next| !apart(before, next))
            .filter_map(|group| self.group(group, context))
            .collect()
    }

    fn group(&self, changes: &[Replaced], context: usize) -> Option<Near<'a>> {
        let (first, last) = (changes.first()?, changes.last()?);
        let before = context.min(first.old.start);
        let after = context.min(self.old.len().saturating_sub(last.old.end));
        let old = first.old.start - before..last.old.end + after;
        let new = first.new.start - before..last.new.end + after;
        let mut rows = Vec::new();
        let mut at = (old.start, new.start);
        for change in changes {
            self.same(&mut rows, at, change.old.start);
            let removed = change.old.clone().map(|place| self.row(LineKind::Removed, Some(place), None));
            let added = change.new.clone().map(|place| self.row(LineKind::Added, None, Some(place)));
            rows.extend(removed.chain(added).flatten());
            at = (change.old.end, change.new.end);
        }
        self.same(&mut rows, at, old.end);
        Some(Near { old, new, rows })
    }

    /// The lines that are the same from these places up to one of the old text.
    fn same(&self, rows: &mut Vec<DiffRow<'a>>, (old, new): (usize, usize), end: usize) {
        let places = (old..end).zip(new..);
        rows.extend(places.filter_map(|(old, new)| self.row(LineKind::Context, Some(old), Some(new))));
    }

    fn row(&self, kind: LineKind, old: Option<usize>, new: Option<usize>) -> Option<DiffRow<'a>> {
        let text = old.and_then(|place| self.old.get(place)).or_else(|| self.new.get(new?))?;
        Some(DiffRow { kind, old, new, text })
    }
}

impl Near<'_> {
    /// Its form in a unified diff.
    pub(crate) fn text(&self) -> String {
        let mut text = format!("@@ -{} +{} @@\n", side(&self.old), side(&self.new));
        for row in &self.rows {
            let sign = match row.kind {
                LineKind::Context => ' ',
                LineKind::Added => '+',
                LineKind::Removed => '-',
            };
            let whole = row.text.ends_with('\n');
            let _ = write!(text, "{sign}{}{}", row.text, if whole { "" } else { "\n\\ No newline at end of file\n" });
        }
        text
    }
}

/// Where the lines of one side begin, and how many they are. A side without lines begins at the line before.
fn side(lines: &Range<usize>) -> String {
    match lines.len() {
        0 => format!("{},0", lines.start),
        1 => (lines.start + 1).to_string(),
        count => format!("{},{count}", lines.start + 1),
    }
}

#[cfg(test)]
mod tests {
    use super::unified;
    use pretty_assertions::assert_eq;
    use proptest::prelude::*;

    #[test]
    fn changes_stand_together_where_their_surroundings_meet() {
        let old: String = (1..=20).map(|n| format!("{n}\n")).collect();
        let near = old.replace("\n5\n", "\nfive\n").replace("\n9\n", "\nnine\n");
        assert_eq!(unified(&old, &near, 2).matches("@@ -").count(), 1, "{}", unified(&old, &near, 2));
        assert_eq!(unified(&old, &near, 1).matches("@@ -").count(), 2);
        assert_eq!(unified(&old, &old, 3), "");
        assert_eq!(unified("a", "a\n", 3), "@@ -1 +1 @@\n-a\n\\ No newline at end of file\n+a\n");
    }

    proptest! {
        /// What is shown leads from the one text to the other.
        #[test]
        fn the_whole_of_it_is_both_texts(old in "([ab]{0,2}\n?){0,12}", new in "([ab]{0,2}\n?){0,12}") {
            let shown = unified(&old, &new, 100);
            if old == new {
                prop_assert_eq!(shown, "");
                return Ok(());
            }
            let body = shown.split_once('\n').map(|(_, body)| body).unwrap_or_default();
            let body = body.replace("\n\\ No newline at end of file\n", "\u{0}");
            let side = |other: char| -> String {
                let lines = body.split_inclusive(['\n', '\u{0}']).filter(|line| !line.starts_with(other));
                lines.map(|line| line.chars().skip(1).filter(|c| *c != '\u{0}').collect::<String>()).collect()
            };
            prop_assert_eq!(side('+'), old);
            prop_assert_eq!(side('-'), new);
        }
    }
}
