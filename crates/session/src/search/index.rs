//! The index file: which words stand in which record. It holds no text, only words and places, and is a projection of the
//! logs: whatever is wrong with it, it is thrown away and made anew.

use reasonix_proto::Phrase;
use rusqlite::{Connection, ErrorCode, OpenFlags, OptionalExtension, Transaction, params};
use rustix::fs::{Mode, OFlags};
use std::io;
use std::path::{Path, PathBuf};

/// Another number makes every older index be made anew.
const VERSION: i64 = 2;

/// Texts stand nowhere in it: the rowid of `words` is the `n` of `docs`, which says where the record lies; that of `outputs` is
/// the `n` of `outs`. Outputs are kept apart, so that their words make no word of a prompt common.
const SCHEMA: &str = "
CREATE TABLE places (n INTEGER PRIMARY KEY, cwd TEXT NOT NULL UNIQUE);
CREATE TABLE sessions (n INTEGER PRIMARY KEY, id TEXT NOT NULL UNIQUE, place INTEGER NOT NULL, modified INTEGER NOT NULL,
    size INTEGER NOT NULL, read INTEGER NOT NULL, tail BLOB NOT NULL);
CREATE TABLE docs (n INTEGER PRIMARY KEY, session INTEGER NOT NULL, record INTEGER NOT NULL, at INTEGER NOT NULL,
    offset INTEGER NOT NULL, length INTEGER NOT NULL);
CREATE INDEX docs_of_session ON docs (session);
CREATE TABLE outs (n INTEGER PRIMARY KEY, session INTEGER NOT NULL, record INTEGER NOT NULL, at INTEGER NOT NULL,
    offset INTEGER NOT NULL, length INTEGER NOT NULL, bytes INTEGER NOT NULL, paths TEXT NOT NULL);
CREATE INDEX outs_of_session ON outs (session);
CREATE VIRTUAL TABLE words USING fts5 (text, paths, place, content = '', contentless_delete = 1,
    tokenize = \"porter ascii tokenchars '_'\");
INSERT INTO words (words, rank) VALUES ('hashsize', 16777216);
CREATE VIRTUAL TABLE outputs USING fts5 (text, place, content = '', contentless_delete = 1,
    tokenize = \"porter ascii tokenchars '_'\");
INSERT INTO outputs (outputs, rank) VALUES ('hashsize', 16777216);
";

/// The index cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum IndexError {
    /// The folder or the file cannot be had.
    #[error("cannot use {path}: {source}")]
    Io {
        /// The place.
        path: PathBuf,
        /// What the system said.
        source: io::Error,
    },
    /// Another process has it for longer than this one could wait.
    #[error("the index is in use by process {}", pid.map_or_else(|| "unknown".to_owned(), |pid| pid.to_string()))]
    Busy {
        /// The process, when it could be read.
        pid: Option<u32>,
    },
    /// The library failed, also with a new file.
    #[error("the index failed: {0}")]
    Database(#[from] rusqlite::Error),
}

impl IndexError {
    /// What to tell the user.
    pub fn phrase(&self) -> Phrase {
        match self {
            Self::Io { path, source } => Phrase::new("session.io").with("path", path.display()).with("reason", source),
            Self::Busy { pid } => {
                let pid = pid.map_or_else(|| "?".to_owned(), |pid| pid.to_string());
                Phrase::new("session.index_busy").with("pid", pid)
            }
            Self::Database(reason) => Phrase::new("session.index_failed").with("reason", reason),
        }
    }
}

/// An open index.
pub(super) struct Index {
    pub(super) db: Connection,
}

/// A session as the index knows it.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Known {
    pub(super) n: i64,
    pub(super) place: i64,
    pub(super) modified: i64,
    pub(super) size: i64,
    /// Up to here the file was read.
    pub(super) read: i64,
    /// The last bytes before that: a file that has others there is not the one that was read.
    pub(super) tail: Vec<u8>,
}

/// A record on its way into the index.
pub(super) struct Doc<'a> {
    pub(super) record: u64,
    pub(super) at: u64,
    pub(super) offset: u64,
    pub(super) length: usize,
    pub(super) text: &'a str,
    pub(super) paths: &'a str,
}

impl Index {
    /// Opens the index, or begins a new one where there is none, an older one, or one that cannot be read.
    pub(super) fn open(file: &Path) -> Result<Self, IndexError> {
        match Self::open_as_it_is(file) {
            Ok(Some(index)) => Ok(index),
            Err(IndexError::Database(error)) if !is_spoilt(&error) => Err(error.into()),
            Ok(None) | Err(IndexError::Database(_)) => {
                discard(file)?;
                Self::begin(file)
            }
            Err(error) => Err(error),
        }
    }

    /// None when it is of another version, or empty.
    fn open_as_it_is(file: &Path) -> Result<Option<Self>, IndexError> {
        let index = Self { db: connect(file)? };
        let version: i64 = index.db.query_row("PRAGMA user_version", [], |row| row.get(0))?;
        if version != VERSION {
            return Ok(None);
        }
        index.db.prepare("SELECT n, place FROM docs, words WHERE docs.n = words.rowid LIMIT 1")?;
        index.db.prepare("SELECT n, place FROM outs, outputs WHERE outs.n = outputs.rowid LIMIT 1")?;
        Ok(Some(index))
    }

    fn begin(file: &Path) -> Result<Self, IndexError> {
        let index = Self { db: connect(file)? };
        index.db.execute_batch(&format!("BEGIN IMMEDIATE; {SCHEMA} PRAGMA user_version = {VERSION}; COMMIT;"))?;
        Ok(index)
    }

    /// All sessions that it knows, by id.
    pub(super) fn known(&self) -> Result<Vec<(String, Known)>, IndexError> {
        let mut all = self.db.prepare_cached("SELECT id, n, place, modified, size, read, tail FROM sessions")?;
        let rows = all.query_map([], |row| {
            let known = Known {
                n: row.get(1)?,
                place: row.get(2)?,
                modified: row.get(3)?,
                size: row.get(4)?,
                read: row.get(5)?,
                tail: row.get(6)?,
            };
            Ok((row.get(0)?, known))
        })?;
        Ok(rows.collect::<Result<_, _>>()?)
    }

    /// The number of a working folder; none when no session of it is known.
    pub(super) fn place(&self, cwd: &str) -> Result<Option<i64>, IndexError> {
        let found = self.db.query_row("SELECT n FROM places WHERE cwd = ?1", [cwd], |row| row.get(0)).optional()?;
        Ok(found)
    }
}

/// The number of a working folder, which it gets now if it has none.
pub(super) fn number_place(change: &Transaction<'_>, cwd: &str) -> rusqlite::Result<i64> {
    change.execute("INSERT OR IGNORE INTO places (cwd) VALUES (?1)", [cwd])?;
    change.query_row("SELECT n FROM places WHERE cwd = ?1", [cwd], |row| row.get(0))
}

/// Writes down how far a session was read; gives its number.
pub(super) fn put_session(change: &Transaction<'_>, id: &str, known: &Known) -> rusqlite::Result<i64> {
    let mut put = change.prepare_cached(
        "INSERT INTO sessions (id, place, modified, size, read, tail) VALUES (?1, ?2, ?3, ?4, ?5, ?6)
         ON CONFLICT (id) DO UPDATE SET place = ?2, modified = ?3, size = ?4, read = ?5, tail = ?6",
    )?;
    put.execute(params![id, known.place, known.modified, known.size, known.read, known.tail])?;
    change.query_row("SELECT n FROM sessions WHERE id = ?1", [id], |row| row.get(0))
}

/// Takes a session out, with every record of it.
pub(super) fn drop_session(change: &Transaction<'_>, n: i64) -> rusqlite::Result<()> {
    change.execute("DELETE FROM words WHERE rowid IN (SELECT n FROM docs WHERE session = ?1)", [n])?;
    change.execute("DELETE FROM docs WHERE session = ?1", [n])?;
    change.execute("DELETE FROM outputs WHERE rowid IN (SELECT n FROM outs WHERE session = ?1)", [n])?;
    change.execute("DELETE FROM outs WHERE session = ?1", [n])?;
    change.execute("DELETE FROM sessions WHERE n = ?1", [n])?;
    Ok(())
}

/// Adds a record of a session.
pub(super) fn put_doc(change: &Transaction<'_>, (n, place): (i64, i64), doc: &Doc<'_>) -> rusqlite::Result<()> {
    let number = |value: u64| i64::try_from(value).unwrap_or(i64::MAX);
    let mut put =
        change.prepare_cached("INSERT INTO docs (session, record, at, offset, length) VALUES (?1, ?2, ?3, ?4, ?5)")?;
    let length = i64::try_from(doc.length).unwrap_or(i64::MAX);
    let row = put.insert(params![n, number(doc.record), number(doc.at), number(doc.offset), length])?;
    let mut put = change.prepare_cached("INSERT INTO words (rowid, text, paths, place) VALUES (?1, ?2, ?3, ?4)")?;
    put.execute(params![row, doc.text, doc.paths, place_word(place)])?;
    Ok(())
}

/// Adds an output; its paths are those that the call named.
pub(super) fn put_output(change: &Transaction<'_>, (n, place): (i64, i64), doc: &Doc<'_>) -> rusqlite::Result<()> {
    let number = |value: u64| i64::try_from(value).unwrap_or(i64::MAX);
    let size = |value: usize| i64::try_from(value).unwrap_or(i64::MAX);
    let mut put = change.prepare_cached(
        "INSERT INTO outs (session, record, at, offset, length, bytes, paths) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)",
    )?;
    let (record, at, offset) = (number(doc.record), number(doc.at), number(doc.offset));
    let row = put.insert(params![n, record, at, offset, size(doc.length), size(doc.text.len()), doc.paths])?;
    let mut put = change.prepare_cached("INSERT INTO outputs (rowid, text, place) VALUES (?1, ?2, ?3)")?;
    put.execute(params![row, doc.text, place_word(place)])?;
    Ok(())
}

/// Takes the oldest outputs out until the others have no more bytes than this.
pub(super) fn bound_outputs(change: &Transaction<'_>, most: i64) -> rusqlite::Result<()> {
    let all: i64 = change.query_row("SELECT coalesce(sum(bytes), 0) FROM outs", [], |row| row.get(0))?;
    if all <= most {
        return Ok(());
    }
    let (mut left, mut last) = (all - most, 0);
    let mut oldest = change.prepare("SELECT n, bytes FROM outs ORDER BY n")?;
    let mut rows = oldest.query([])?;
    while let Some(row) = rows.next()?.filter(|_| left > 0) {
        last = row.get(0)?;
        left -= row.get::<_, i64>(1)?;
    }
    change.execute("DELETE FROM outputs WHERE rowid IN (SELECT n FROM outs WHERE n <= ?1)", [last])?;
    change.execute("DELETE FROM outs WHERE n <= ?1", [last])?;
    Ok(())
}

/// The word that stands for a working folder.
pub(super) fn place_word(place: i64) -> String {
    format!("p{place}")
}

/// True when the file is to blame, so that a new one helps.
pub(super) fn is_spoilt(error: &rusqlite::Error) -> bool {
    match error {
        rusqlite::Error::SqliteFailure(failure, _) => !matches!(
            failure.code,
            ErrorCode::DatabaseBusy
                | ErrorCode::DatabaseLocked
                | ErrorCode::DiskFull
                | ErrorCode::ReadOnly
                | ErrorCode::PermissionDenied
                | ErrorCode::CannotOpen
                | ErrorCode::OutOfMemory
                | ErrorCode::OperationInterrupted
        ),
        _ => true,
    }
}

/// Removes the file with what lies beside it.
pub(super) fn discard(file: &Path) -> Result<(), IndexError> {
    for end in ["", "-wal", "-shm", "-journal"] {
        let mut path = file.as_os_str().to_owned();
        path.push(end);
        let path = PathBuf::from(path);
        let removed = match std::fs::symlink_metadata(&path) {
            Ok(found) if found.is_dir() => std::fs::remove_dir_all(&path),
            _ => std::fs::remove_file(&path),
        };
        match removed {
            Err(source) if source.kind() != io::ErrorKind::NotFound => return Err(IndexError::Io { path, source }),
            _ => {}
        }
    }
    Ok(())
}

fn connect(file: &Path) -> Result<Connection, IndexError> {
    // The library gives what lies beside the file the same mode.
    let flags = OFlags::RDWR | OFlags::CREATE | OFlags::NOFOLLOW | OFlags::CLOEXEC;
    match rustix::fs::open(file, flags, Mode::RUSR | Mode::WUSR) {
        Ok(_) => {}
        // A link or a folder at its place is not ours: it goes, and what a link leads to stays.
        Err(rustix::io::Errno::LOOP | rustix::io::Errno::ISDIR) => discard(file)?,
        Err(error) => return Err(IndexError::Io { path: file.to_owned(), source: error.into() }),
    }
    let flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_CREATE | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let db = Connection::open_with_flags(file, flags)?;
    // Nothing here is worth waiting for the disk: what a power cut spoils is made anew.
    db.execute_batch("PRAGMA journal_mode = TRUNCATE; PRAGMA synchronous = OFF; PRAGMA cell_size_check = ON; PRAGMA locking_mode = EXCLUSIVE; PRAGMA cache_size = -16384; PRAGMA temp_store = MEMORY;")?;
    Ok(db)
}
