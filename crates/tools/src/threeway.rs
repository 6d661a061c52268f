//! Two changes of one text brought together, where they do not meet. Pure.

use crate::compare::Compared;
use std::ops::Range;

/// Lines of the base that give way to others.
#[derive(PartialEq, Eq)]
struct Edit<'a> {
    old: Range<usize>,
    new: Vec<&'a str>,
}

/// The text with both changes; none where they touch the same lines, or neighbouring ones, in different ways.
pub fn merged(base: &str, ours: &str, theirs: &str) -> Option<String> {
    let (one, other) = (edits(base, ours), edits(base, theirs));
    let mut all: Vec<Edit<'_>> = one;
    all.extend(other);
    all.sort_by_key(|edit| (edit.old.start, edit.old.end));
    all.dedup();
    let apart = |pair: &[Edit<'_>; 2]| pair[0].old.end < pair[1].old.start;
    if !all.array_windows().all(apart) {
        return None;
    }
    let lines: Vec<&str> = base.split_inclusive('\n').collect();
    let (mut text, mut at) = (String::with_capacity(base.len()), 0);
    for edit in &all {
        text.extend(lines.get(at..edit.old.start)?.iter().copied());
        text.extend(edit.new.iter().copied());
        at = edit.old.end;
    }
    text.extend(lines.get(at..)?.iter().copied());
    Some(text)
}

fn edits<'a>(base: &'a str, text: &'a str) -> Vec<Edit<'a>> {
    let compared = Compared::of(base, text);
    compared.replaced().map(|(old, new)| Edit { old, new }).collect()
}

#[cfg(test)]
mod tests {
    use super::merged;

    #[test]
    fn changes_that_do_not_meet_come_together() {
        let base = "a\nb\nc\nd\ne\n";
        for (ours, theirs, both) in [
            ("A\nb\nc\nd\ne\n", "a\nb\nc\nd\nE\n", Some("A\nb\nc\nd\nE\n")),
            ("A\nb\nc\nd\ne\n", "A\nb\nc\nd\ne\n", Some("A\nb\nc\nd\ne\n")),
            ("A\nb\nc\nd\ne\n", "B\nb\nc\nd\ne\n", None),
            ("A\nb\nc\nd\ne\n", "a\nB\nc\nd\ne\n", None),
            ("a\nb\nx\nc\nd\ne\n", "a\nb\ny\nc\nd\ne\n", None),
            ("b\nc\nd\ne\n", "a\nb\nc\nd\ne\nf\n", Some("b\nc\nd\ne\nf\n")),
            ("a\nb\nc\nd\ne", "A\nb\nc\nd\ne\n", Some("A\nb\nc\nd\ne")),
            ("", "a\nb\nc\nd\nE\n", None),
            (base, "anything", Some("anything")),
        ] {
            assert_eq!(merged(base, ours, theirs).as_deref(), both, "{ours:?} {theirs:?}");
            assert_eq!(merged(base, theirs, ours).as_deref(), both, "{theirs:?} {ours:?}");
        }
    }

    proptest::proptest! {
        /// Whatever is changed in two halves that are apart, both are there; and one side alone is that side.
        #[test]
        fn nothing_is_lost(
            first in proptest::collection::vec("[a-c]{0,2}", 0..6),
            second in proptest::collection::vec("[a-c]{0,2}", 0..6),
            new_first in proptest::collection::vec("[a-c]{0,2}", 0..6),
            new_second in proptest::collection::vec("[a-c]{0,2}", 0..6),
        ) {
            let text = |one: &[String], other: &[String]| {
                let line = |line: &String| format!("{line}\n");
                let middle = "x1\nx2\nx3\n";
                one.iter().map(line).collect::<String>() + middle + &other.iter().map(line).collect::<String>()
            };
            let base = text(&first, &second);
            let (ours, theirs) = (text(&new_first, &second), text(&first, &new_second));
            proptest::prop_assert_eq!(merged(&base, &ours, &theirs), Some(text(&new_first, &new_second)));
            proptest::prop_assert_eq!(merged(&base, &ours, &base), Some(ours));
        }
    }
}
