//! Going back, and showing what a turn did: states of the files compared, and those entries restored that the session's
//! own work changed. What somebody else changed in the meantime is kept unless it is given up by name.

use super::timeline::{Span, Work, last_back};
use reasonix_proto::{Change, ChangeKind, Level, Phrase, Restored};
use reasonix_tools::diff;
use reasonix_workspace::snapshot::{Entry, RelPath, SnapshotError, Snapshots, Tree, changes_between};
use std::collections::{BTreeMap, BTreeSet};

/// The largest text that is compared line by line.
const LARGEST_TEXT: u64 = 1024 * 1024;

/// How many paths a record names.
const MOST_NAMED: usize = 100;

/// What going back did.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FilesBack {
    /// The first turn that was taken back.
    pub turn: u32,
    /// The state just before.
    pub before: String,
    /// The state now.
    pub after: String,
    /// What was changed.
    pub changed: Vec<String>,
    /// What was kept because somebody else changed it too.
    pub kept: Vec<String>,
    /// What could not be had back, with the reason.
    pub blocked: Vec<(String, String)>,
    /// What the states never covered, as `path (reason)`.
    pub uncovered: Vec<String>,
}

impl FilesBack {
    /// The record of it.
    pub fn record(&self, redone: bool) -> Restored {
        Restored {
            turn: self.turn,
            before: self.before.clone(),
            after: self.after.clone(),
            paths: self.changed.iter().take(MOST_NAMED).cloned().collect(),
            more: self.changed.len().saturating_sub(MOST_NAMED) as u64,
            redone,
        }
    }

    /// What a person should know beside what was changed.
    pub fn notices(&self) -> Vec<(Level, Phrase)> {
        let kept = self.kept.iter().map(|path| (Level::Warning, Phrase::new("undo.kept").with("path", path)));
        let blocked = self
            .blocked
            .iter()
            .map(|(path, why)| (Level::Warning, Phrase::new("undo.blocked").with("path", path).with("why", why)));
        let mut notices: Vec<_> = kept.chain(blocked).collect();
        if !self.uncovered.is_empty() {
            notices.push((Level::Info, Phrase::new("undo.uncovered").with("paths", self.uncovered.join(", "))));
        }
        notices
    }
}

impl BackError {
    /// What to tell the user.
    pub fn phrase(&self) -> Phrase {
        match self {
            Self::NothingToTakeBack(turn) => Phrase::new("undo.no_changes").with("turn", turn),
            Self::NothingTakenBack => Phrase::new("undo.nothing_to_redo"),
            Self::Snapshot(error) => Phrase::new("undo.not_kept").with("reason", error),
        }
    }
}

/// What the model is told about files that were taken back since it last spoke.
pub(crate) fn note(back: &Restored) -> String {
    let what = if back.redone { "brought back" } else { "took back" };
    let more = if back.more > 0 { format!(" and {} more", back.more) } else { String::new() };
    format!(
        "[The user {what} the changes of turn {} and later. These files are different now: {}{more}. Read them again before you rely on them.]",
        back.turn,
        back.paths.join(", ")
    )
}

/// Why there is no going back.
#[derive(Debug, thiserror::Error)]
pub enum BackError {
    /// The turn changed no files, or there is none of that number.
    #[error("turn {0} changed no files")]
    NothingToTakeBack(u32),
    /// Nothing was taken back that could be brought again.
    #[error("nothing was taken back since the last change")]
    NothingTakenBack,
    /// The states could not be read or taken.
    #[error(transparent)]
    Snapshot(#[from] SnapshotError),
}

/// Takes back what the turns from `turn` on did to files. With `force` also where somebody else changed a file since.
pub fn take_back(snapshots: &mut Snapshots, spans: &[Span], turn: u32, force: bool) -> Result<FilesBack, BackError> {
    let first = spans.iter().rposition(|span| span.kind == Work::Turn && span.turn == turn);
    let undone = first.and_then(|first| spans.get(first..)).and_then(<[Span]>::split_first);
    let (start, rest) = undone.ok_or(BackError::NothingToTakeBack(turn))?;
    go_to_before(snapshots, start, rest, force)
}

/// Brings again what was last taken back.
pub fn bring_again(snapshots: &mut Snapshots, spans: &[Span], force: bool) -> Result<FilesBack, BackError> {
    let undone = last_back(spans).and_then(|first| spans.get(first..)).and_then(<[Span]>::split_first);
    let (start, rest) = undone.ok_or(BackError::NothingTakenBack)?;
    go_to_before(snapshots, start, rest, force)
}

/// Makes the entries that `start` and the spans after it changed what they were before `start`.
fn go_to_before(snapshots: &mut Snapshots, start: &Span, rest: &[Span], force: bool) -> Result<FilesBack, BackError> {
    let now = snapshots.take(&|| false)?;
    let current = snapshots.read(&now.state)?;
    let target = snapshots.read(&start.before)?;
    let touched = touched(snapshots, start, rest, &current)?;
    let wanted = touched.ours.iter().filter(|path| current.get(*path) != target.get(*path));
    let (others, mine): (Vec<&RelPath>, Vec<&RelPath>) =
        wanted.partition(|path| !force && touched.others.contains(*path));
    let paths: Vec<RelPath> = mine.into_iter().cloned().collect();
    let done = snapshots.restore(&target, &paths)?;
    Ok(FilesBack {
        turn: start.turn,
        before: done.before,
        after: done.after,
        changed: done.changed.iter().map(RelPath::shown).collect(),
        kept: others.into_iter().map(RelPath::shown).collect(),
        blocked: done.blocked.into_iter().map(|blocked| (blocked.path.shown(), blocked.why)).collect(),
        uncovered: start.uncovered.clone(),
    })
}

/// What was changed, by whom.
#[derive(Default)]
struct Touched {
    ours: BTreeSet<RelPath>,
    others: BTreeSet<RelPath>,
}

/// What the spans changed, and what changed between and after them.
fn touched(snapshots: &Snapshots, start: &Span, rest: &[Span], current: &Tree) -> Result<Touched, SnapshotError> {
    let mut touched = Touched::default();
    let mut last: Option<Tree> = None;
    for span in std::iter::once(start).chain(rest) {
        let before = snapshots.read(&span.before)?;
        if let Some(last) = &last {
            touched.others.extend(changes_between(last, &before));
        }
        let after = match &span.after {
            Some(after) => snapshots.read(after)?,
            None => current.clone(),
        };
        touched.ours.extend(changes_between(&before, &after));
        last = Some(after);
    }
    if let Some(last) = &last {
        touched.others.extend(changes_between(last, current));
    }
    Ok(touched)
}

/// What a turn did to files, folders left out. A turn that was interrupted by the end of the process is compared with
/// the files as they are now.
pub fn changes(snapshots: &mut Snapshots, spans: &[Span], turn: u32) -> Result<Vec<Change>, BackError> {
    let mut found = spans.iter().filter(|span| span.kind == Work::Turn && span.turn == turn).peekable();
    if found.peek().is_none() {
        return Err(BackError::NothingToTakeBack(turn));
    }
    let mut changes = BTreeMap::new();
    for span in found {
        let before = snapshots.read(&span.before)?;
        let after = match &span.after {
            Some(after) => snapshots.read(after)?,
            None => {
                let now = snapshots.take(&|| false)?;
                snapshots.read(&now.state)?
            }
        };
        for path in changes_between(&before, &after) {
            let (old, new) = (before.get(&path), after.get(&path));
            if !matches!((old, new), (Some(Entry::Folder { .. }) | None, Some(Entry::Folder { .. }) | None)) {
                changes.insert(path.shown(), change(snapshots, &path, old, new));
            }
        }
    }
    Ok(changes.into_values().collect())
}

fn change(snapshots: &Snapshots, path: &RelPath, old: Option<&Entry>, new: Option<&Entry>) -> Change {
    let kind = match (old, new) {
        (None | Some(Entry::Folder { .. }), _) => ChangeKind::Created,
        (_, None | Some(Entry::Folder { .. })) => ChangeKind::Deleted,
        _ => ChangeKind::Updated,
    };
    let path = path.shown();
    let sides = (text_of(snapshots, old), text_of(snapshots, new));
    let diff = match &sides {
        (Ok(old), Ok(new)) => diff(&path, &path, old.as_deref(), new.as_deref()),
        _ => reasonix_tools::Diff::default(),
    };
    Change { path, kind, added: diff.added, removed: diff.removed, diff: diff.text, hunks: Vec::new() }
}

/// The text of an entry; nothing where there is none, an error where it is no text.
fn text_of(snapshots: &Snapshots, entry: Option<&Entry>) -> Result<Option<String>, ()> {
    match entry {
        None | Some(Entry::Folder { .. }) => Ok(None),
        Some(Entry::Link { target }) => Ok(Some(format!("-> {}\n", String::from_utf8_lossy(target)))),
        Some(Entry::File { size, .. }) if *size > LARGEST_TEXT => Err(()),
        Some(file) => {
            let bytes = snapshots.content(file).map_err(drop)?;
            if bytes.contains(&0) { Err(()) } else { String::from_utf8(bytes).map(Some).map_err(drop) }
        }
    }
}
