//! Which states of the files belong to which turn, read out of the log. Pure.

use reasonix_proto::{Moment, Record, RecordBody};

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
    /// What kind of work it was.
    pub kind: Work,
    /// True when the process ended before the work did.
    pub cut_off: bool,
}

impl Span {
    /// A turn that began with this state at that time.
    pub(super) fn open(turn: u32, before: String, seen: u64, uncovered: Vec<String>) -> Self {
        let (last, after) = (before.clone(), None);
        Self { turn, before, after, last, seen, uncovered, kind: Work::Turn, cut_off: false }
    }

    /// True when nothing says how it ended.
    pub fn is_open(&self) -> bool {
        self.after.is_none()
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

/// The pieces of work of a session in the order they happened, whatever branch of the conversation they belong to:
/// there is one set of files.
pub fn spans(records: &[Record]) -> Vec<Span> {
    let mut spans: Vec<Span> = Vec::new();
    for record in records {
        match &record.body {
            RecordBody::Snapshot(taken) if taken.moment == Moment::Before => {
                // A turn that broke off ends where the next one begins.
                close(&mut spans, &taken.state);
                spans.push(Span::open(taken.turn, taken.state.clone(), record.at, taken.uncovered.clone()));
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
            RecordBody::Restored(back) => {
                close(&mut spans, &back.before);
                spans.push(Span {
                    after: Some(back.after.clone()),
                    kind: if back.redone { Work::Again } else { Work::Back },
                    ..Span::open(back.turn, back.before.clone(), record.at, Vec::new())
                });
            }
            _ => {}
        }
    }
    spans
}

fn close(spans: &mut [Span], state: &str) {
    if let Some(last) = spans.last_mut().filter(|last| last.after.is_none()) {
        last.after = Some(state.to_owned());
    }
}

/// The last turn whose changes still stand: the one that `undo` takes back. Turns that were taken back already are
/// passed over, unless they were brought again; so are turns that left everything as it was.
pub fn last_standing(spans: &[Span]) -> Option<u32> {
    let (mut below, mut brought) = (u32::MAX, 0_u32);
    for span in spans.iter().rev() {
        match span.kind {
            Work::Again => brought += 1,
            Work::Back if brought > 0 => brought -= 1,
            Work::Back => below = below.min(span.turn),
            Work::Turn if span.turn < below && span.after.as_ref() != Some(&span.before) => return Some(span.turn),
            Work::Turn => {}
        }
    }
    None
}

/// The place of the last going back that was not brought again, when no turn changed anything since.
pub(super) fn last_back(spans: &[Span]) -> Option<usize> {
    let mut brought = 0_u32;
    for (place, span) in spans.iter().enumerate().rev() {
        match span.kind {
            Work::Again => brought += 1,
            Work::Back if brought > 0 => brought -= 1,
            Work::Back => return Some(place),
            Work::Turn => return None,
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::{last_back, last_standing, spans};
    use reasonix_proto::{Moment, Record, RecordBody, RecordId, Restored, Snapshot};

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
            cut_off: false,
        })
    }

    fn back(turn: u32, before: &str, after: &str) -> RecordBody {
        let (before, after) = (before.into(), after.into());
        RecordBody::Restored(Restored { turn, before, after, paths: Vec::new(), more: 0, redone: false })
    }

    fn again(turn: u32, before: &str, after: &str) -> RecordBody {
        let (before, after) = (before.into(), after.into());
        RecordBody::Restored(Restored { turn, before, after, paths: Vec::new(), more: 0, redone: true })
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
}
