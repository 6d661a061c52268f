//! Whose work a change is: by the time it was made, a turn's own or that of somebody who worked beside it.

use crate::alive::Alive;
use crate::back::ended;
use crate::timeline::Span;
use reasonix_proto::{Moment, RecordBody, Snapshot};
use reasonix_workspace::snapshot::{Changed, SnapshotError, Snapshots, TreeEntry, Whose};
use std::time::{Duration, SystemTime};

/// By so much the clock of a file system may be behind: it ticks in steps.
const TICK: Duration = Duration::from_millis(20);

/// When a turn was at work on files.
#[derive(Debug, Clone)]
pub(crate) struct Busy {
    /// What is older than this came by being moved, not by being written.
    begun: SystemTime,
    running: u32,
    since: SystemTime,
    times: Vec<(SystemTime, SystemTime)>,
}

impl Busy {
    /// A turn that has done nothing yet.
    pub(crate) fn new(begun: SystemTime) -> Self {
        Self { begun, running: 0, since: begun, times: Vec::new() }
    }

    /// A turn that may have been at work all the time until then.
    fn until(gone: SystemTime) -> Self {
        Self { times: vec![(SystemTime::UNIX_EPOCH, gone)], ..Self::new(SystemTime::UNIX_EPOCH) }
    }

    /// A call begins.
    pub(crate) fn start(&mut self) {
        if self.running == 0 {
            let now = SystemTime::now();
            self.since = now.checked_sub(TICK).unwrap_or(now);
        }
        self.running += 1;
    }

    /// A call has ended.
    pub(crate) fn stop(&mut self) {
        self.running = self.running.saturating_sub(1);
        if self.running == 0 {
            self.times.push((self.since, SystemTime::now()));
        }
    }

    /// Whose a change is. That something is gone is the turn's: to have it back does no harm.
    pub(crate) fn whose(&self, change: Changed<'_>) -> Whose {
        let (Some(at), Some(now)) = (change.at, change.now) else { return Whose::Ours };
        let within = |(from, to): &(SystemTime, SystemTime)| *from <= at && at <= *to;
        let running = self.running > 0 && self.since <= at;
        if at < self.begun || running || self.times.iter().any(within) {
            return Whose::Ours;
        }
        // A folder is not content; that others put something into it does not make it theirs alone.
        if matches!(now, TreeEntry::Folder { .. }) { Whose::Theirs } else { Whose::Unknown }
    }
}

/// The end of work whose process is gone, as far as it can be told now; none when the work has an end. What was changed
/// later than a turn's process was there is not known to be its own. A going back only ever makes entries what they are in
/// the state it goes to: all else is somebody else's.
pub(crate) fn end_of_broken(
    snapshots: &mut Snapshots,
    span: &Span,
    alive: &Alive,
) -> Result<Option<RecordBody>, SnapshotError> {
    if !span.is_open() {
        return Ok(None);
    }
    if let Some(to) = &span.to {
        return ended(snapshots, span, to).map(|back| Some(RecordBody::Restored(back)));
    }
    let seen = SystemTime::UNIX_EPOCH.checked_add(Duration::from_millis(span.seen));
    let gone = alive.gone_by().or(seen).unwrap_or(SystemTime::UNIX_EPOCH);
    end_by(snapshots, span, gone).map(|end| Some(RecordBody::Snapshot(end)))
}

fn end_by(snapshots: &mut Snapshots, span: &Span, gone: SystemTime) -> Result<Snapshot, SnapshotError> {
    let now = snapshots.take(&|| false)?;
    let busy = Busy::until(gone);
    // The clock of another machine tells nothing about when this one died.
    let told = snapshots.has_our_clock();
    let whose = |change: Changed<'_>| match change.now {
        Some(_) if !told => Whose::Unknown,
        _ => busy.whose(change),
    };
    let state = snapshots.part(&span.last, &whose)?.unwrap_or(now.state);
    let (turn, moment, uncovered) = (span.turn, Moment::After, Vec::new());
    Ok(Snapshot { turn, moment, state, uncovered, more: 0, changed: None, changed_more: 0, cut_off: true })
}

#[cfg(test)]
mod tests {
    use super::{Busy, end_by};
    use crate::back::take_back;
    use crate::timeline::spans;
    use crate::timeline::{Span, Work};
    use reasonix_proto::{Moment, Record, RecordBody, RecordId, Snapshot};
    use reasonix_workspace::snapshot::{SnapshotLimits, Snapshots};
    use std::os::unix::fs::MetadataExt;
    use std::path::{Path, PathBuf};
    use std::time::{Duration, SystemTime};

    fn changed_at(path: &Path) -> SystemTime {
        let found = path.symlink_metadata().unwrap();
        let (secs, nanos) = (u64::try_from(found.ctime()).unwrap(), u32::try_from(found.ctime_nsec()).unwrap());
        SystemTime::UNIX_EPOCH + Duration::new(secs, nanos)
    }

    /// Writes until the clock of the file system has gone on.
    fn write_after(path: &Path, text: &str, then: SystemTime) {
        loop {
            std::fs::write(path, text).unwrap();
            if changed_at(path) > then {
                return;
            }
        }
    }

    struct Place {
        temp: tempfile::TempDir,
    }

    impl Place {
        fn new() -> Self {
            let place = Self { temp: tempfile::tempdir().unwrap() };
            std::fs::create_dir(place.root()).unwrap();
            for name in ["both", "turn", "mine", "gone"] {
                std::fs::write(place.root().join(name), "old").unwrap();
            }
            place
        }

        fn root(&self) -> PathBuf {
            self.temp.path().canonicalize().unwrap().join("project")
        }

        fn files(&self) -> Snapshots {
            Snapshots::open(&self.root(), &self.temp.path().join("kept"), None, SnapshotLimits::default()).unwrap()
        }

        fn text(&self, name: &str) -> Option<String> {
            std::fs::read_to_string(self.root().join(name)).ok()
        }
    }

    #[test]
    fn what_came_after_a_sudden_death_is_not_taken_back_silently() {
        let place = Place::new();
        let before = place.files().take(&|| false).unwrap().state;
        std::fs::remove_file(place.root().join("gone")).unwrap();
        for name in ["both", "turn", "made"] {
            std::fs::write(place.root().join(name), "the turn's").unwrap();
        }
        let died = changed_at(&place.root().join("made"));
        for name in ["both", "mine", "new"] {
            write_after(&place.root().join(name), "the user's", died);
        }
        let open = Span::open(1, before, 0, Vec::new());
        let mut files = place.files();
        let end = end_by(&mut files, &open, died).unwrap();
        let closed = Span { after: Some(end.state), cut_off: true, ..open };
        let plan = take_back(&mut files, std::slice::from_ref(&closed), 1, false).unwrap();
        let back = plan.carry_out(&mut files).unwrap();
        assert_eq!(place.text("turn").as_deref(), Some("old"));
        assert_eq!((place.text("made"), place.text("gone").as_deref()), (None, Some("old")));
        for name in ["both", "mine", "new"] {
            assert_eq!(place.text(name).as_deref(), Some("the user's"), "{name}");
        }
        assert_eq!(back.kept, ["both", "mine", "new"], "what nobody knows is named");
        assert!(back.cut_off);
        take_back(&mut files, &[closed], 1, true).unwrap().carry_out(&mut files).unwrap();
        assert_eq!(place.text("both").as_deref(), Some("old"), "by force it is taken back");
    }

    #[test]
    fn what_the_user_saves_between_two_calls_is_not_the_turns() {
        let place = Place::new();
        let mut files = place.files();
        let before = files.take(&|| false).unwrap().state;
        let mut busy = Busy::new(SystemTime::now());
        busy.start();
        write_after(&place.root().join("turn"), "the turn's", SystemTime::now());
        busy.stop();
        let ended = SystemTime::now();
        for name in ["mine", "new"] {
            write_after(&place.root().join(name), "the user's", ended);
        }
        files.take(&|| false).unwrap();
        let after = files.part(&before, &|change| busy.whose(change)).unwrap();
        assert!(after.is_some(), "it is noticed");
        let span = Span { after, ..Span::open(1, before, 0, Vec::new()) };
        let back = take_back(&mut files, &[span], 1, false).unwrap().carry_out(&mut files).unwrap();
        assert_eq!(back.kept, ["mine", "new"]);
        assert_eq!(place.text("turn").as_deref(), Some("old"));
        assert_eq!(place.text("mine").as_deref(), Some("the user's"));
    }

    #[test]
    fn a_folder_that_a_turn_moved_is_its_own_with_all_that_is_in_it() {
        let place = Place::new();
        std::fs::create_dir(place.root().join("src")).unwrap();
        std::fs::write(place.root().join("src/a"), "old").unwrap();
        let written = changed_at(&place.root().join("src/a"));
        let mut files = place.files();
        let before = files.take(&|| false).unwrap().state;
        write_after(&place.root().join("turn"), "clock", written);
        let mut busy = Busy::new(changed_at(&place.root().join("turn")));
        std::fs::write(place.root().join("turn"), "old").unwrap();
        busy.start();
        std::fs::rename(place.root().join("src"), place.root().join("lib")).unwrap();
        busy.stop();
        files.take(&|| false).unwrap();
        let part = files.part(&before, &|change| busy.whose(change)).unwrap();
        assert_eq!(part, None, "all of it is the turn's");
    }

    #[test]
    fn a_turn_with_the_users_work_in_between_is_one_turn() {
        let taken = |moment, state: &str| {
            RecordBody::Snapshot(Snapshot {
                turn: 1,
                moment,
                state: state.into(),
                uncovered: Vec::new(),
                more: 0,
                changed: None,
                changed_more: 0,
                cut_off: false,
            })
        };
        let bodies = [
            taken(Moment::Before, "a"),
            taken(Moment::After, "b"),
            taken(Moment::Before, "c"),
            taken(Moment::After, "d"),
        ];
        let log: Vec<Record> =
            (1..).zip(bodies).map(|(id, body)| Record { id: RecordId(id), parent: None, at: 0, body }).collect();
        let found = spans(&log);
        assert_eq!(found.iter().map(|span| span.turn).collect::<Vec<_>>(), [1, 1]);
        assert!(found.iter().all(|span| span.kind == Work::Turn && !span.is_open()));
    }
}
