//! Which states of the files belong to which turn, read out of the log. Pure.

use reasonix_proto::{Moment, Record, RecordBody, Restored, Restoring};

/// The files around one piece of work: a turn, or an earlier going back.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Span {
    /// The turn it belongs to.
    pub turn: u32,
    /// The state before.
    pub before: String,
    /// The state after; none when the process ended before it could be taken.
    pub after: Option<String>,
    /// The last state that was written down while it was under way.
    pub last: String,
    /// When that was, in milliseconds since the Unix epoch.
    pub seen: u64,
    /// What the states do not cover, as `path (reason)`.
    pub uncovered: Vec<String>,
    /// How many more they do not cover.
    pub unnamed: u64,
    /// What kind of work it was.
    pub kind: Work,
    /// True when the process ended before the work did, or the disk did not take all of it.
    pub cut_off: bool,
    /// The state whose entries a going back brings; none for a turn.
    pub to: Option<String>,
}

impl Span {
    /// A turn that began with this state at that time.
    pub(crate) fn open(turn: u32, before: String, seen: u64, uncovered: Vec<String>) -> Self {
        let (last, after) = (before.clone(), None);
        Self { turn, before, after, last, seen, uncovered, unnamed: 0, kind: Work::Turn, cut_off: false, to: None }
    }

    /// A going back that is about to begin.
    pub(crate) fn going(begun: &Restoring, seen: u64) -> Self {
        let open = Self::open(begun.turn, begun.before.clone(), seen, Vec::new());
        Self { kind: Work::of(begun.redone), to: Some(begun.to.clone()), ..open }
    }

    /// True when nothing says how it ended.
    pub fn is_open(&self) -> bool {
        self.after.is_none()
    }

    /// True for a going back that did not come to its end.
    fn is_unfinished(&self) -> bool {
        self.kind != Work::Turn && (self.cut_off || self.is_open())
    }
}

/// A kind of work on files.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Work {
    /// A turn.
    Turn,
    /// Turns were taken back.
    Back,
    /// What had been taken back was brought again.
    Again,
}

impl Work {
    fn of(redone: bool) -> Self {
        if redone { Self::Again } else { Self::Back }
    }
}

/// The pieces of work of a session in the order they happened, whatever branch of the conversation they belong to:
/// there is one set of files.
pub fn spans(records: &[Record]) -> Vec<Span> {
    let mut spans: Vec<Span> = Vec::new();
    for record in records {
        match &record.body {
            RecordBody::Snapshot(taken) if taken.moment == Moment::Before => {
                // A turn that broke off ends where the next one begins.
                close(&mut spans, &taken.state);
                let open = Span::open(taken.turn, taken.state.clone(), record.at, taken.uncovered.clone());
                spans.push(Span { unnamed: taken.more, ..open });
            }
            RecordBody::Snapshot(taken) if taken.moment == Moment::After => {
                if let Some(last) = spans.last_mut().filter(|last| last.is_open()) {
                    last.cut_off = taken.cut_off;
                }
                close(&mut spans, &taken.state);
            }
            RecordBody::Snapshot(taken) => {
                if let Some(last) = spans.last_mut().filter(|last| last.is_open()) {
                    (last.last, last.seen) = (taken.state.clone(), record.at);
                }
            }
            RecordBody::Restoring(begun) => {
                close(&mut spans, &begun.before);
                spans.push(Span::going(begun, record.at));
            }
            RecordBody::Restored(back) => restored(&mut spans, back, record.at),
            _ => {}
        }
    }
    spans
}

/// A going back has an end: that of the one that was about to begin, or of one of which nothing was written before.
fn restored(spans: &mut Vec<Span>, back: &Restored, at: u64) {
    let begun = |last: &&mut Span| last.is_open() && last.to.is_some() && last.before == back.before;
    if let Some(last) = spans.last_mut().filter(begun) {
        (last.after, last.cut_off) = (Some(back.after.clone()), back.unfinished);
        return;
    }
    close(spans, &back.before);
    spans.push(Span {
        after: Some(back.after.clone()),
        kind: Work::of(back.redone),
        cut_off: back.unfinished,
        ..Span::open(back.turn, back.before.clone(), at, Vec::new())
    });
}

fn close(spans: &mut [Span], state: &str) {
    if let Some(last) = spans.last_mut().filter(|last| last.after.is_none()) {
        last.after = Some(state.to_owned());
    }
}

/// The turns that worked on files, in their order.
pub fn turns(spans: &[Span]) -> Vec<u32> {
    let mut turns: Vec<u32> = spans.iter().filter(|span| span.kind == Work::Turn).map(|span| span.turn).collect();
    turns.dedup();
    turns
}

/// The last turn whose changes still stand: the one that `undo` takes back. Turns that were taken back already are
/// passed over, unless they were brought again; so are turns that left everything as it was. What was taken back in part
/// still stands.
pub fn last_standing(spans: &[Span]) -> Option<u32> {
    standing_below(spans, u32::MAX)
}

/// The last of them before a turn.
pub(crate) fn standing_below(spans: &[Span], before: u32) -> Option<u32> {
    let (mut below, mut brought) = (before, 0_u32);
    for (place, span) in spans.iter().enumerate().rev() {
        match span.kind {
            _ if is_gone_on_with(spans, place) => {}
            Work::Again => brought += 1,
            Work::Back if brought > 0 => brought -= 1,
            Work::Back if span.is_unfinished() => {}
            Work::Back => below = below.min(span.turn),
            Work::Turn if span.turn < below && span.after.as_ref() != Some(&span.before) => return Some(span.turn),
            Work::Turn => {}
        }
    }
    None
}

/// The place of the last going back that was not brought again, when no turn changed anything since. Where it took several
/// attempts, that of the first one.
pub(crate) fn last_back(spans: &[Span]) -> Option<usize> {
    let mut brought = 0_u32;
    for (place, span) in spans.iter().enumerate().rev() {
        match span.kind {
            _ if is_gone_on_with(spans, place) => {}
            // What was brought again in part is brought again from the beginning.
            Work::Again if span.is_unfinished() => {}
            Work::Again => brought += 1,
            Work::Back if brought > 0 => brought -= 1,
            Work::Back => {
                let earlier = (0..place).rev().take_while(|place| is_gone_on_with(spans, *place));
                return Some(earlier.last().unwrap_or(place));
            }
            Work::Turn => return None,
        }
    }
    None
}

/// Whether the next piece of work goes on with this one, which did not come to its end.
fn is_gone_on_with(spans: &[Span], place: usize) -> bool {
    let (this, next) = (spans.get(place), spans.get(place + 1));
    matches!((this, next), (Some(this), Some(next)) if this.is_unfinished() && this.kind == next.kind)
}

#[cfg(test)]
mod tests {
    use super::{last_back, last_standing, spans};
    use reasonix_proto::{Moment, Record, RecordBody, RecordId, Restored, Restoring, Snapshot};

    fn log(bodies: Vec<RecordBody>) -> Vec<Record> {
        let record = |(id, body)| Record { id: RecordId(id), parent: None, at: 0, body };
        (1..).zip(bodies).map(record).collect()
    }

    fn taken(turn: u32, moment: Moment, state: &str) -> RecordBody {
        RecordBody::Snapshot(Snapshot {
            turn,
            moment,
            state: state.into(),
            uncovered: Vec::new(),
            more: 0,
            changed: None,
            changed_more: 0,
            cut_off: false,
        })
    }

    fn restored(turn: u32, before: &str, after: &str, redone: bool) -> RecordBody {
        let (before, after, paths) = (before.into(), after.into(), Vec::new());
        RecordBody::Restored(Restored { turn, before, after, paths, more: 0, redone, unfinished: false })
    }

    fn back(turn: u32, before: &str, after: &str) -> RecordBody {
        restored(turn, before, after, false)
    }

    fn again(turn: u32, before: &str, after: &str) -> RecordBody {
        restored(turn, before, after, true)
    }

    #[test]
    fn turns_become_spans_and_a_broken_one_ends_where_the_next_begins() {
        let spans = spans(&log(vec![
            taken(1, Moment::Before, "a"),
            taken(1, Moment::Between, "x"),
            taken(1, Moment::After, "b"),
            taken(2, Moment::Before, "b"),
            taken(4, Moment::Before, "c"),
        ]));
        let short: Vec<_> = spans.iter().map(|span| (span.turn, span.before.as_str(), span.after.as_deref())).collect();
        assert_eq!(short, [(1, "a", Some("b")), (2, "b", Some("c")), (4, "c", None)]);
    }

    #[test]
    fn undo_walks_back_one_turn_at_a_time() {
        let mut bodies = vec![
            taken(1, Moment::Before, "a"),
            taken(1, Moment::After, "b"),
            taken(3, Moment::Before, "b"),
            taken(3, Moment::After, "c"),
        ];
        assert_eq!(last_standing(&spans(&log(bodies.clone()))), Some(3));
        bodies.push(back(3, "c", "b"));
        assert_eq!(last_standing(&spans(&log(bodies.clone()))), Some(1));
        assert_eq!(last_back(&spans(&log(bodies.clone()))), Some(2));
        bodies.push(again(3, "b", "c"));
        assert_eq!(last_standing(&spans(&log(bodies.clone()))), Some(3));
        assert_eq!(last_back(&spans(&log(bodies.clone()))), None);
        bodies.push(back(3, "c", "b"));
        assert_eq!(last_standing(&spans(&log(bodies.clone()))), Some(1));
        bodies.push(taken(4, Moment::Before, "b"));
        bodies.push(taken(4, Moment::After, "d"));
        assert_eq!(last_standing(&spans(&log(bodies.clone()))), Some(4));
        bodies.push(back(4, "d", "b"));
        bodies.push(back(1, "b", "a"));
        assert_eq!(last_standing(&spans(&log(bodies))), None);
    }

    fn going(turn: u32, before: &str, to: &str, redone: bool) -> RecordBody {
        RecordBody::Restoring(Restoring { turn, before: before.into(), to: to.into(), redone })
    }

    fn cut(body: RecordBody) -> RecordBody {
        let RecordBody::Restored(back) = body else { panic!("{body:?}") };
        RecordBody::Restored(Restored { unfinished: true, ..back })
    }

    /// Two turns, and what came after them.
    fn after_two(more: Vec<RecordBody>) -> Vec<super::Span> {
        let mut bodies = vec![
            taken(1, Moment::Before, "a"),
            taken(1, Moment::After, "b"),
            taken(2, Moment::Before, "b"),
            taken(2, Moment::After, "c"),
        ];
        bodies.extend(more);
        spans(&log(bodies))
    }

    #[test]
    fn a_going_back_that_was_announced_is_one_piece_of_work() {
        let spans = after_two(vec![going(2, "c", "b", false), back(2, "c", "b")]);
        assert_eq!(spans.len(), 3);
        assert_eq!((last_standing(&spans), last_back(&spans)), (Some(1), Some(2)));
    }

    #[test]
    fn what_was_taken_back_in_part_still_stands_and_is_brought_again_from_its_beginning() {
        let part = || vec![going(2, "c", "b", false), cut(back(2, "c", "x"))];
        // Nothing says how it ended; it broke off; it was tried again, twice.
        let open = after_two(vec![going(2, "c", "b", false)]);
        assert_eq!((last_standing(&open), last_back(&open)), (Some(2), Some(2)));
        let once = after_two(part());
        assert_eq!((last_standing(&once), last_back(&once)), (Some(2), Some(2)));
        let mut more = part();
        more.extend([cut(back(2, "x", "y")), back(2, "y", "b")]);
        let whole = after_two(more.clone());
        assert_eq!((last_standing(&whole), last_back(&whole)), (Some(1), Some(2)));
        // Brought again, all of it, and taken back once more.
        more.push(again(2, "b", "c"));
        let brought = after_two(more.clone());
        assert_eq!((last_standing(&brought), last_back(&brought)), (Some(2), None));
        more.push(back(2, "c", "b"));
        let later = after_two(more);
        assert_eq!((last_standing(&later), last_back(&later)), (Some(1), Some(6)));
    }

    #[test]
    fn what_was_brought_again_in_part_can_be_brought_again_and_taken_back() {
        let mut more = vec![back(2, "c", "b"), back(1, "b", "a"), cut(again(1, "a", "x"))];
        let part = after_two(more.clone());
        assert_eq!((last_standing(&part), last_back(&part)), (Some(1), Some(3)));
        more.extend([again(1, "x", "b"), again(2, "b", "c")]);
        let whole = after_two(more);
        assert_eq!((last_standing(&whole), last_back(&whole)), (Some(2), None));
    }
}
