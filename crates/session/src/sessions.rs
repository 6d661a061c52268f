//! The folder of sessions: making, finding and opening them.

use crate::error::SessionError;
use crate::heal;
use crate::journal::{FileJournal, MemoryJournal};
use crate::list::{self, Summary};
use crate::load::{Loaded, load};
use crate::log::{Log, Numbering, Place};
use crate::states::{States, states};
use reasonix_agent::Journal;
use reasonix_proto::{Phrase, Record, RecordBody, SessionHead, SessionId};
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// The sessions below a state folder.
#[derive(Debug, Clone)]
pub struct Sessions {
    folder: PathBuf,
}

/// A session that this process writes. The journal holds the session's lock; the last clone dropped frees it.
#[derive(Clone)]
pub struct Opened {
    /// Takes new records.
    pub journal: Arc<dyn Journal>,
    /// What is in the log so far; the first is the session record.
    pub records: Vec<Record>,
    /// What the user should know about the file, such as a line that was dropped.
    pub notices: Vec<Phrase>,
}

impl Sessions {
    /// The sessions of this state folder; touches nothing.
    pub fn at(state: &Path) -> Self {
        Self { folder: state.join("sessions") }
    }

    /// Starts a session. Nothing is on disk before its first prompt.
    pub fn create(&self, head: SessionHead) -> Result<Opened, SessionError> {
        let place = self.place(head.session.clone());
        let path = place.log();
        let mut log = Log::new(place);
        let first = log.append(RecordBody::Session(head)).map_err(|error| no_room(&path, error.reason))?;
        opened(log, &path, vec![first], Vec::new())
    }

    /// Opens a session by its id, or by the beginning or the end of it, and heals what a killed process left:
    /// afterwards every call has an outcome and every turn an end.
    pub fn open(&self, wanted: &str) -> Result<Opened, SessionError> {
        let place = self.place(self.find(wanted)?);
        let path = place.log();
        let lock = place.lock()?;
        let Loaded { mut records, notices, whole } = load(&place)?;
        let mut log = Log::resume(place, lock, &records, whole)?;
        for body in heal::missing(&records) {
            records.push(log.append(body).map_err(|error| no_room(&path, error.reason))?);
        }
        opened(log, &path, records, notices)
    }

    /// The session of this working folder that was written to last.
    pub fn latest(&self, cwd: &Path) -> Result<Option<SessionId>, SessionError> {
        list::latest(&self.folder, cwd).map_err(SessionError::io(&self.folder))
    }

    /// All sessions, the one written to last first. A file that cannot be read is listed as broken.
    pub fn list(&self) -> Result<Vec<Summary>, SessionError> {
        list::all(&self.folder).map_err(SessionError::io(&self.folder))
    }

    /// The states of files that sessions name, by session, the one written to last first.
    pub fn states(&self) -> Result<Vec<States>, SessionError> {
        states(&self.folder).map_err(SessionError::io(&self.folder))
    }

    /// The one session whose id is, begins with or ends with `wanted`.
    pub fn find(&self, wanted: &str) -> Result<SessionId, SessionError> {
        let mut ids = list::ids(&self.folder).map_err(SessionError::io(&self.folder))?;
        if let Some(exact) = ids.iter().find(|id| id.as_str() == wanted) {
            return Ok(exact.clone());
        }
        ids.retain(|id| !wanted.is_empty() && (id.0.starts_with(wanted) || id.0.ends_with(wanted)));
        ids.sort_by(|a, b| b.cmp(a));
        match ids.as_slice() {
            [] => Err(SessionError::NotFound { wanted: wanted.to_owned() }),
            [one] => Ok(one.clone()),
            _ => Err(SessionError::Ambiguous { wanted: wanted.to_owned(), matches: ids }),
        }
    }

    fn place(&self, session: SessionId) -> Place {
        Place { folder: self.folder.clone(), session }
    }
}

/// Starts a session that keeps nothing.
pub fn in_memory(head: SessionHead) -> Opened {
    let mut numbering = Numbering::default();
    let first = numbering.next(RecordBody::Session(head));
    numbering.took(&first);
    Opened { journal: Arc::new(MemoryJournal::new(numbering)), records: vec![first], notices: Vec::new() }
}

fn opened(log: Log, path: &Path, records: Vec<Record>, notices: Vec<Phrase>) -> Result<Opened, SessionError> {
    let journal = FileJournal::start(log, path.display().to_string()).map_err(SessionError::io(path))?;
    Ok(Opened { journal: Arc::new(journal), records, notices })
}

fn no_room(path: &Path, reason: String) -> SessionError {
    SessionError::Io { path: path.to_owned(), source: io::Error::other(reason) }
}
