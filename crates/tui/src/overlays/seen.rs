//! Which rows of a question were really on the screen. A jump to the end has not shown what lies between.

use std::ops::Range;

/// The rows that were shown, as ranges that neither meet nor overlap, in order.
#[derive(Debug, Default)]
pub(super) struct Seen {
    ranges: Vec<Range<usize>>,
    /// True once all of it was shown: that stays true however the rows are broken afterwards.
    whole: bool,
}

impl Seen {
    /// These rows, of so many, are on the screen.
    pub(super) fn show(&mut self, rows: Range<usize>, of: usize) {
        let mut joined = rows;
        self.ranges.retain(|range| {
            let apart = range.end < joined.start || joined.end < range.start;
            if !apart {
                joined = joined.start.min(range.start)..joined.end.max(range.end);
            }
            apart
        });
        let at = self.ranges.partition_point(|range| range.start < joined.start);
        self.ranges.insert(at, joined);
        self.whole |= self.next(of).is_none();
    }

    /// The rows are broken anew: which of them were shown is not known any more.
    pub(super) fn forget(&mut self) {
        self.ranges.clear();
    }

    /// True once every row was shown.
    pub(super) fn is_whole(&self) -> bool {
        self.whole
    }

    /// How many rows, of so many, were not shown yet.
    pub(super) fn unseen(&self, of: usize) -> usize {
        if self.whole { 0 } else { of.saturating_sub(self.ranges.iter().map(ExactSizeIterator::len).sum()) }
    }

    /// The first row, of so many, that was not shown yet.
    pub(super) fn next(&self, of: usize) -> Option<usize> {
        let first = self.ranges.first().filter(|range| range.start == 0).map_or(0, |range| range.end);
        (!self.whole && first < of).then_some(first)
    }
}

#[cfg(test)]
mod tests {
    use super::Seen;
    use proptest::prelude::*;

    #[test]
    fn a_jump_to_the_end_leaves_the_middle_unseen() {
        let mut seen = Seen::default();
        seen.show(0..10, 100);
        seen.show(90..100, 100);
        assert_eq!((seen.is_whole(), seen.unseen(100), seen.next(100)), (false, 80, Some(10)));
        seen.show(10..90, 100);
        assert_eq!((seen.is_whole(), seen.unseen(100), seen.next(100)), (true, 0, None));
    }

    #[test]
    fn rows_that_are_broken_anew_are_unseen_unless_all_were_shown() {
        let mut seen = Seen::default();
        seen.show(0..10, 20);
        seen.forget();
        assert_eq!(seen.unseen(40), 40);
        seen.show(0..40, 40);
        seen.forget();
        assert!(seen.is_whole() && seen.unseen(80) == 0 && seen.next(80).is_none());
    }

    #[test]
    fn where_there_is_nothing_nothing_is_unseen() {
        let mut seen = Seen::default();
        seen.show(0..0, 0);
        assert!(seen.is_whole());
    }

    proptest! {
        #[test]
        fn it_knows_exactly_the_rows_that_were_shown(shown in prop::collection::vec((0usize..60, 0usize..20), 0..20)) {
            const OF: usize = 60;
            let mut seen = Seen::default();
            let mut rows = [false; OF];
            for (from, long) in shown {
                let to = (from + long).min(OF);
                seen.show(from..to, OF);
                rows[from..to].fill(true);
                prop_assert_eq!(seen.is_whole(), rows.iter().all(|row| *row));
                prop_assert_eq!(seen.unseen(OF), rows.iter().filter(|row| !**row).count());
                prop_assert_eq!(seen.next(OF), rows.iter().position(|row| !row));
            }
        }
    }
}
