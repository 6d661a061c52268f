//! Changes to files between being worked out and being written: the same value gives the preview and the commit.

use crate::diff::{Diff, diff, wide_diff};
use crate::port::failed;
use reasonix_agent::Preview;
use reasonix_proto::{Change, ChangeKind, Details, ToolOutcome};
use reasonix_workspace::{FileError, Step, TextFile, Workspace, Written, generated};
use std::fmt::Write as _;

/// Lines of a diff that the model reads back.
const ECHO_LINES: usize = 40;
/// Bytes of a diff that the model reads back.
const ECHO_BYTES: usize = 4 * 1024;

/// Bytes of diffs that one call keeps for people, over all its files.
const MOST_BYTES: usize = 64 * 1024;

/// Bytes of diffs that a person who is asked is shown, over all files.
const MOST_SHOWN: usize = 256 * 1024;

/// What is to become of one file.
#[derive(Debug, Default)]
pub(crate) struct FileEdit {
    /// The file; where it goes, when it moves.
    pub path: String,
    /// Where it comes from, when it moves.
    pub from: Option<String>,
    /// The file as it was read for this.
    pub base: Option<TextFile>,
    /// Its new text; nothing when it goes away or only moves.
    pub after: Option<String>,
    /// Something the model should know.
    pub note: Option<String>,
}

impl FileEdit {
    fn before(&self) -> Option<&str> {
        self.base.as_ref().map(|base| base.text.as_str())
    }

    fn diff(&self) -> Diff {
        self.compared(diff)
    }

    /// Compares by the usual room for a diff, or by a wider one.
    fn compared(&self, compare: fn(&str, &str, Option<&str>, Option<&str>) -> Diff) -> Diff {
        if let Some(from) = self.from.as_ref().filter(|_| self.after.as_deref() == self.before()) {
            let text = format!("rename from {from}\nrename to {}\n", self.path);
            return Diff { text, ..Diff::default() };
        }
        let after = self.after.as_deref().or_else(|| self.from.as_ref().and(self.before()));
        compare(self.from.as_deref().unwrap_or(&self.path), &self.path, self.before(), after)
    }

    fn kind(&self) -> ChangeKind {
        match (&self.from, &self.base, &self.after) {
            (Some(from), ..) => ChangeKind::Moved { from: from.clone() },
            (None, _, None) => ChangeKind::Deleted,
            (None, None, Some(_)) => ChangeKind::Created,
            (None, Some(base), Some(after)) if base.text == *after => ChangeKind::Unchanged,
            (None, Some(_), Some(_)) => ChangeKind::Updated,
        }
    }

    fn into_step(self) -> Step {
        let Self { path, from, base, after, .. } = self;
        match (from, after) {
            (Some(from), text) => Step::Move { from, to: path, base, text },
            (None, Some(text)) => Step::Write { path, base, text },
            (None, None) => Step::Remove { path },
        }
    }
}

/// Reads a file in order to change it; a generated one is refused unless `anyway`.
pub(crate) fn base(workspace: &Workspace, path: &str, anyway: bool) -> Result<TextFile, ToolOutcome> {
    let file = workspace.read_base(path).map_err(|error| failed(&error))?;
    guard(&file, path, anyway)?;
    Ok(file)
}

/// Like [`base`], with nothing for a file that does not exist.
pub(crate) fn base_if_any(workspace: &Workspace, path: &str, anyway: bool) -> Result<Option<TextFile>, ToolOutcome> {
    match workspace.read_base(path) {
        Ok(file) => guard(&file, path, anyway).map(|()| Some(file)),
        Err(FileError::NotFound { .. }) => Ok(None),
        Err(error) => Err(failed(&error)),
    }
}

fn guard(file: &TextFile, path: &str, anyway: bool) -> Result<(), ToolOutcome> {
    match generated(&file.text, path) {
        Some(why) if !anyway => Err(ToolOutcome::failed_with(
            format!("{path} is generated ({why}): a change made here would be lost"),
            "change what it is generated from; if the user wants this very file changed, add \"allow_generated\": true",
        )),
        _ => Ok(()),
    }
}

/// All diffs, for a person who is asked; nothing when nothing would change. What they are shown is what the change is
/// bound to.
pub(crate) fn preview(workspace: &Workspace, edits: &[FileEdit]) -> Option<Preview> {
    let mut shown = Preview::default();
    // A plain move shows nothing of the content, so there is nothing to be bound to.
    for edit in edits.iter().filter(|edit| edit.base.is_some() || edit.from.is_none()) {
        workspace.count_as_seen(edit.from.as_ref().unwrap_or(&edit.path), edit.base.as_ref());
    }
    for (index, edit) in edits.iter().enumerate() {
        // Of what is too much, the counts are still told.
        let full = shown.diff.len() > MOST_SHOWN;
        let diff = edit.compared(wide_diff);
        if !full {
            shown.diff.push_str(&diff.text);
        } else if !shown.diff.ends_with("more files]\n") {
            let _ = writeln!(shown.diff, "[{} more files]", edits.len() - index);
        }
        let hunks = if full { Vec::new() } else { diff.hunks };
        let (added, removed) = (diff.added, diff.removed);
        shown.changes.push(Change {
            path: edit.path.clone(),
            kind: edit.kind(),
            added,
            removed,
            diff: String::new(),
            hunks,
        });
    }
    (!shown.diff.is_empty()).then_some(shown)
}

/// What cannot be done is told before anybody is asked about it.
pub(crate) fn check(workspace: &Workspace, edits: &[FileEdit]) -> Result<(), ToolOutcome> {
    edits.iter().try_for_each(|edit| {
        // What goes away, or stays as it is, need not be writable.
        if matches!(edit.kind(), ChangeKind::Deleted | ChangeKind::Unchanged) {
            return Ok(());
        }
        workspace.check(&edit.path, edit.from.as_deref()).map_err(|error| failed(&error))
    })
}

/// Writes all of it or nothing, and says what was done.
pub(crate) fn commit(workspace: &Workspace, edits: Vec<FileEdit>) -> ToolOutcome {
    let told: Vec<(Diff, Option<String>)> = edits.iter().map(|edit| (edit.diff(), edit.note.clone())).collect();
    let steps = edits.into_iter().map(FileEdit::into_step).collect();
    let written = match workspace.commit(steps) {
        Ok(written) => written,
        Err(error) => return failed(&error),
    };
    let mut content = String::new();
    let mut details = Details::default();
    let share = written.len().max(1);
    let mut kept = 0;
    for (written, (diff, note)) in written.into_iter().zip(told) {
        tell(&mut content, &written, &diff, note.as_deref(), share);
        let Diff { mut text, added, removed, .. } = diff;
        kept += text.len();
        if kept > MOST_BYTES {
            text.clear();
        }
        details.changes.push(Change {
            path: written.path,
            kind: written.kind,
            added,
            removed,
            diff: text,
            hunks: Vec::new(),
        });
    }
    content.truncate(content.trim_end().len());
    ToolOutcome::detailed(content, details)
}

fn tell(content: &mut String, written: &Written, diff: &Diff, note: Option<&str>, share: usize) {
    let Written { path, kind, .. } = written;
    let counts = format!("(+{} -{})", diff.added, diff.removed);
    let _ = match kind {
        ChangeKind::Created => writeln!(content, "created {path} {counts}"),
        ChangeKind::Updated => writeln!(content, "updated {path} {counts}"),
        ChangeKind::Unchanged => writeln!(content, "unchanged {path}: it already has this content"),
        ChangeKind::Deleted => writeln!(content, "deleted {path} {counts}"),
        ChangeKind::Moved { from } if diff.added + diff.removed == 0 => writeln!(content, "moved {from} to {path}"),
        ChangeKind::Moved { from } => writeln!(content, "moved {from} to {path} {counts}"),
    };
    if let Some(note) = note {
        let _ = writeln!(content, "note: {note}");
    }
    if matches!(kind, ChangeKind::Updated | ChangeKind::Moved { .. }) {
        echo(content, &diff.text, share);
    }
}

/// The hunks of a diff, shorter when there are several files.
fn echo(content: &mut String, diff: &str, share: usize) {
    let hunks: Vec<&str> = diff.lines().skip(2).collect();
    let mut room = ECHO_BYTES / share;
    for (index, line) in hunks.iter().enumerate() {
        if index >= (ECHO_LINES / share).max(6) || line.len() > room {
            let _ = writeln!(content, "[{} more diff lines]", hunks.len() - index);
            return;
        }
        room -= line.len();
        let _ = writeln!(content, "{line}");
    }
}
