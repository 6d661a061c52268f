//! What can go wrong with sessions on disk.

use crate::zone::clock;
use reasonix_proto::{Phrase, RecordId, SessionId};
use std::io;
use std::path::{Path, PathBuf};

/// A session could not be had.
#[derive(Debug, thiserror::Error)]
pub enum SessionError {
    /// No session has this id, or one that begins or ends like it.
    #[error("no session {wanted:?}")]
    NotFound {
        /// What was asked for.
        wanted: String,
    },
    /// Several sessions fit.
    #[error("{wanted:?} fits {} sessions", matches.len())]
    Ambiguous {
        /// What was asked for.
        wanted: String,
        /// Those that fit, newest first.
        matches: Vec<SessionId>,
    },
    /// Another process is writing it.
    #[error("session {session} is in use by process {pid:?}")]
    InUse {
        /// The session.
        session: SessionId,
        /// That process, when it could be read.
        pid: Option<u32>,
        /// Since when, in milliseconds since the Unix epoch, when it could be read.
        since: Option<u64>,
    },
    /// A newer Reasonix made it.
    #[error("session {session} has format {found}, this version reads up to {known}")]
    TooNew {
        /// The session.
        session: SessionId,
        /// The file's format.
        found: u64,
        /// The newest format we read.
        known: u32,
    },
    /// It has no such record.
    #[error("session {session} has no record {record}")]
    NoRecord {
        /// The session.
        session: SessionId,
        /// The record.
        record: RecordId,
    },
    /// The file is not one of our sessions; it can be imported.
    #[error("{path} is not in the folder of sessions")]
    Elsewhere {
        /// The file.
        path: PathBuf,
    },
    /// Its first line, without which nothing can be resumed, cannot be read.
    #[error("{path} has no readable first line")]
    Broken {
        /// The session.
        session: SessionId,
        /// The file.
        path: PathBuf,
    },
    /// The file that was to be written is there.
    #[error("{path} is there already")]
    Exists {
        /// The file.
        path: PathBuf,
    },
    /// The disk refused.
    #[error("{path}: {source}")]
    Io {
        /// The file or folder.
        path: PathBuf,
        /// What the system said.
        source: io::Error,
    },
}

impl SessionError {
    pub(crate) fn io(path: &Path) -> impl FnOnce(io::Error) -> Self {
        let path = path.to_owned();
        move |source| Self::Io { path, source }
    }

    /// What to tell the user.
    pub fn phrase(&self) -> Phrase {
        match self {
            Self::NotFound { wanted } => Phrase::new("session.not_found").with("wanted", wanted),
            Self::Ambiguous { wanted, matches } => {
                let shown: Vec<&str> = matches.iter().take(5).map(SessionId::short).collect();
                Phrase::new("session.ambiguous")
                    .with("wanted", wanted)
                    .with("count", matches.len())
                    .with("matches", shown.join(", "))
            }
            Self::InUse { session, pid, since } => {
                let pid = pid.map_or_else(|| "?".to_owned(), |pid| pid.to_string());
                Phrase::new("session.in_use")
                    .with("session", session)
                    .with("short", session.short())
                    .with("pid", pid)
                    .with("since", since.map_or_else(|| "?".to_owned(), clock))
            }
            Self::TooNew { session, found, known } => {
                Phrase::new("session.too_new").with("session", session).with("found", found).with("known", known)
            }
            Self::NoRecord { session, record } => {
                Phrase::new("session.no_record").with("session", session).with("record", record)
            }
            Self::Elsewhere { path } => Phrase::new("session.elsewhere").with("path", path.display()),
            Self::Broken { session, path } => {
                Phrase::new("session.broken").with("session", session).with("path", path.display())
            }
            Self::Exists { path } => Phrase::new("session.exists").with("path", path.display()),
            Self::Io { path, source } => Phrase::new("session.io").with("path", path.display()).with("reason", source),
        }
    }
}
