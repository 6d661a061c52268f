//! A session that nobody runs: going back in it, and looking at what it did, without a model. What is written is written by
//! the same hands as in a live session.

use crate::desk::unreadable;
use crate::moves::{Goal, known_turn};
use reasonix_agent::Sink;
use reasonix_config::FolderSettings;
use reasonix_proto::{Change, Event, Phrase, Record, RecordBody, RecordId, Refusal, Refused, SessionId};
use reasonix_session::{Opened, Past, Sessions};
use reasonix_undo::{
    BackError, FilesBack, FilesWay, Span, Undo, UndoKeep, changes, snapshots_of, spans, taken_back, turns,
};
use reasonix_world::confine::left_behind;
use reasonix_world::error::EngineError;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// A session that nobody else has, for as long as this is held.
pub struct Offline {
    /// Its id.
    pub session: SessionId,
    /// What to tell about opening it.
    pub notices: Vec<Phrase>,
    opened: Opened,
    home: PathBuf,
    root: PathBuf,
    most: u64,
}

impl Offline {
    /// The named session, or the last one of the folder. One that runs elsewhere is refused, by its name.
    pub fn open(folder: &FolderSettings, wanted: Option<&str>) -> Result<Self, EngineError> {
        let (sessions, session) = named(folder, wanted)?;
        let mut opened = sessions.open(session.as_str(), |_| {})?;
        let (home, root) = (folder.home.clone(), root_of(&opened.head, folder));
        let most = folder.loaded.settings.undo.max_mb.saturating_mul(1024 * 1024);
        let notices = std::mem::take(&mut opened.notices);
        Ok(Self { session, notices, opened, home, root, most })
    }

    /// Takes back what turns did to files, or brings it again, with what a person should know beside it.
    pub async fn files(&self, way: FilesWay, force: bool) -> Result<(FilesBack, Vec<Phrase>), Refused> {
        if let FilesWay::Before(turn) = way {
            known_turn(&self.opened.past, turn)?;
        }
        // What is brought back, or kept as it is now, has nothing in it that a killed command left for git.
        let left = left_behind(&self.home, vec![self.root.clone()]);
        let failed =
            |reason: String| Refused::new(Refusal::Failed, Phrase::new("undo.not_kept").with("reason", reason));
        let snapshots = snapshots_of(&self.root, &self.home).map_err(|error| failed(error.to_string()))?;
        let keep = UndoKeep { home: self.home.clone(), most: self.most, session: self.session.to_string() };
        let (journal, broken) = (self.opened.journal.clone(), broken_span(&self.opened.past));
        let undo = Undo::new(snapshots, keep, broken, journal, Arc::new(Unheard))
            .map_err(|error| failed(error.to_string()))?;
        let back = undo.go(&self.opened.past, way, force).await;
        Ok((back.map_err(|error| Refused::new(error.refusal(), error.phrase()))?, left))
    }

    /// Where the conversation goes on when a turn and all after it are taken back.
    pub fn before_turn(&self, turn: u32) -> Result<Goal, Refused> {
        Goal::before_turn(&self.opened.past, turn)
    }

    /// Where the conversation goes on when somebody points at a record.
    pub fn at(&self, record: RecordId) -> Result<Goal, Refused> {
        Goal::at(&self.opened.past, record)
    }

    /// Whether something is left behind that a model could write notes on.
    pub fn leaves(&self, goal: &Goal) -> bool {
        self.opened.past.left_by(goal.to).is_some()
    }

    /// The conversation goes on from another place.
    pub async fn go(&self, goal: &Goal) -> Result<(), Refused> {
        let now = &self.opened.history;
        let (_, records) = goal.read(&self.opened.past, (now.mode, &now.model, now.effort.as_deref()))?;
        for body in records {
            let written = self.opened.journal.append(body).await;
            written.map_err(|error| Refused::new(Refusal::Log, error.phrase()))?;
        }
        Ok(())
    }
}

/// Nobody listens where nothing runs.
struct Unheard;

impl Sink for Unheard {
    fn emit(&self, _: Event) {}
}

/// What one turn did to files.
#[derive(Debug, Clone, PartialEq)]
pub struct TurnChanges {
    /// The turn.
    pub turn: u32,
    /// What it did to files.
    pub changes: Vec<Change>,
    /// Where nobody can tell what it did, and what was taken back since.
    pub notes: Vec<Phrase>,
}

/// What turns of a session did to files: of one, or of all that changed some. Somebody may be writing the session.
pub fn changes_of(
    folder: &FolderSettings,
    wanted: Option<&str>,
    turn: Option<u32>,
) -> Result<(SessionId, Vec<Phrase>, Vec<TurnChanges>), EngineError> {
    let (sessions, session) = named(folder, wanted)?;
    let seen = sessions.look(session.as_str())?;
    if let Some(turn) = turn {
        known_turn(&seen.past, turn).map_err(|refused| EngineError::Settings(refused.why))?;
    }
    let found = changes_in(&seen.past, &root_of(&seen.head, folder), &folder.home, |spans| match turn {
        Some(turn) => vec![turn],
        None => turns(spans),
    });
    let mut found = found.map_err(EngineError::Settings)?;
    // Of all turns only those are listed that did something to files, or where nobody can tell.
    found.retain(|of| turn.is_some() || !of.changes.is_empty() || !of.notes.is_empty());
    Ok((session, seen.notices, found))
}

/// What the chosen turns did to files, from what is kept for undo.
pub(crate) fn changes_in(
    past: &Past,
    root: &Path,
    home: &Path,
    choose: impl FnOnce(&[Span]) -> Vec<u32>,
) -> Result<Vec<TurnChanges>, Phrase> {
    let records = past.of_files().map_err(|error| unreadable(error).why)?;
    let spans = spans(&records);
    let chosen = choose(&spans);
    if chosen.is_empty() {
        return Ok(Vec::new());
    }
    let unkept = |error| Phrase::new("undo.not_kept").with("reason", error);
    let mut snapshots = snapshots_of(root, home).map_err(unkept)?;
    let of_turn = |turn| {
        let (changes, mut notes) = changes(&mut snapshots, &spans, turn)?;
        notes.extend(taken_back(&records, turn));
        Ok(TurnChanges { turn, changes, notes })
    };
    chosen.into_iter().map(of_turn).collect::<Result<_, _>>().map_err(|error: BackError| error.phrase())
}

/// Work on files that has no end yet.
pub(crate) fn broken_span(past: &Past) -> Option<Span> {
    past.of_files().ok().and_then(|records| spans(&records).pop()).filter(Span::is_open)
}

/// The named session, or the last one of the folder.
fn named(folder: &FolderSettings, wanted: Option<&str>) -> Result<(Sessions, SessionId), EngineError> {
    let sessions = Sessions::at(&folder.home.join("state"));
    let found = match wanted {
        Some(wanted) => Some(sessions.find(wanted)?),
        None => sessions.latest(folder.root())?,
    };
    let id = found.ok_or_else(|| EngineError::Settings(Phrase::new("undo.no_session")))?;
    Ok((sessions, id))
}

/// The folder that a session works in.
fn root_of(head: &Record, folder: &FolderSettings) -> PathBuf {
    match &head.body {
        RecordBody::Session(head) => PathBuf::from(&head.cwd),
        _ => folder.root().to_owned(),
    }
}
