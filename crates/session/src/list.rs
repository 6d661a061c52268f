//! The list of sessions. What it shows of a file is kept in an index beside them, which can be deleted at any time: a
//! file that grew is read from where it was left, one that did not is not opened at all.

use crate::header::{Kind, header};
use crate::line;
use crate::lines::next_line;
use crate::marks::Marks;
use reasonix_proto::{Origin, Record, RecordBody, SessionEnding, SessionId, TurnEnd};
use serde::{Deserialize, Serialize};
use std::collections::HashMap;
use std::io::{self, BufReader, ErrorKind, Seek, SeekFrom};
use std::path::{Path, PathBuf};
use std::time::{SystemTime, UNIX_EPOCH};

/// The name of the index in the folder of sessions.
const INDEX: &str = ".index";
/// Another number makes every older index be read anew.
const VERSION: u32 = 2;
/// How much of a file is read at once.
const PIECE: usize = 256 * 1024;
/// A larger index is not read.
const LARGEST_INDEX: u64 = 64 * 1024 * 1024;

/// One session in a list.
#[derive(Debug, Clone, PartialEq)]
pub struct Summary {
    /// The session.
    pub id: SessionId,
    /// Its working folder; empty when the file is broken.
    pub cwd: String,
    /// When it was started, in milliseconds since the Unix epoch.
    pub started: u64,
    /// When it was last written to.
    pub active: u64,
    /// The model it was started with, as `provider/model`.
    pub model: String,
    /// Its title: the user's own, or the beginning of its first prompt.
    pub title: String,
    /// The number of its last turn.
    pub turns: u32,
    /// How its last turn ended.
    pub ending: Ending,
    /// The session it was forked from.
    pub from: Option<SessionId>,
    /// True when it is out of lists, of resuming and of search.
    pub discarded: bool,
}

/// How a session's last turn ended.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Ending {
    /// As its record says.
    Ended(TurnEnd),
    /// It has no end: it runs now, or its process was killed.
    Open,
    /// The file cannot be read.
    Broken,
}

impl Ending {
    /// The same in a word, for lists.
    pub fn kind(&self) -> SessionEnding {
        match self {
            Self::Ended(TurnEnd::Done) => SessionEnding::Done,
            Self::Ended(TurnEnd::Interrupted) => SessionEnding::Interrupted,
            Self::Ended(TurnEnd::TimedOut | TurnEnd::StepLimit | TurnEnd::OutOfBudget { .. }) => SessionEnding::Limit,
            Self::Ended(TurnEnd::Refused { .. }) => SessionEnding::Refused,
            Self::Ended(TurnEnd::ProviderFailed { .. } | TurnEnd::Broken { .. }) => SessionEnding::Failed,
            Self::Open => SessionEnding::Open,
            Self::Broken => SessionEnding::Broken,
        }
    }
}

/// What the index keeps of a file.
#[derive(Debug, Clone, Serialize, Deserialize)]
struct Known {
    /// When the file was last written to, in nanoseconds, and how long it was: what tells that nothing changed.
    modified: u64,
    size: u64,
    /// Up to here it was read.
    read: u64,
    cwd: String,
    started: u64,
    model: String,
    turns: u32,
    ending: Ending,
    from: Option<SessionId>,
    #[serde(flatten)]
    marks: Marks,
}

#[derive(Default, Serialize, Deserialize)]
struct Index {
    v: u32,
    files: HashMap<SessionId, Known>,
}

/// The ids of all sessions, in no order.
pub(crate) fn ids(folder: &Path) -> io::Result<Vec<SessionId>> {
    Ok(files(folder)?.into_iter().map(|file| file.id).collect())
}

/// Whether there is a session of exactly this name.
pub(crate) fn is_there(folder: &Path, id: &str) -> bool {
    let plain = !id.is_empty() && !id.contains('/');
    plain && folder.join(format!("{id}.jsonl")).symlink_metadata().is_ok_and(|found| found.is_file())
}

/// Everything but what was discarded, the one written to last first.
pub(crate) fn all(folder: &Path) -> io::Result<Vec<Summary>> {
    let mut all = everything(folder)?;
    all.retain(|session| !session.discarded);
    Ok(all)
}

/// The last one of this working folder.
pub(crate) fn latest(folder: &Path, cwd: &Path) -> io::Result<Option<SessionId>> {
    let wanted = cwd.to_string_lossy();
    Ok(all(folder)?.into_iter().find(|session| session.cwd == wanted).map(|session| session.id))
}

fn everything(folder: &Path) -> io::Result<Vec<Summary>> {
    let files = files(folder)?;
    let mut index = read_index(folder);
    let mut changed = index.files.len() != files.len();
    let mut fresh = Index { v: VERSION, files: HashMap::with_capacity(files.len()) };
    let mut list = Vec::with_capacity(files.len());
    for file in &files {
        let known = index.files.remove(&file.id).filter(|known| known.read <= file.size);
        let known = match known {
            Some(known) if (known.modified, known.size) == (file.modified, file.size) => Some(known),
            known => {
                changed = true;
                read_on(file, known)
            }
        };
        list.push(summary(file, known.as_ref()));
        fresh.files.extend(known.map(|known| (file.id.clone(), known)));
    }
    if changed && !files.is_empty() {
        // Without an index the next list is slower, and right all the same.
        let _ = serde_json::to_vec(&fresh)
            .map_err(io::Error::from)
            .and_then(|bytes| reasonix_store::place(&folder.join(INDEX), &bytes, 0o600));
    }
    Ok(list)
}

fn read_index(folder: &Path) -> Index {
    let path = folder.join(INDEX);
    let fits = std::fs::symlink_metadata(&path).is_ok_and(|found| found.is_file() && found.len() < LARGEST_INDEX);
    let index: Option<Index> =
        fits.then(|| std::fs::read(&path).ok()).flatten().and_then(|bytes| serde_json::from_slice(&bytes).ok());
    index.filter(|index| index.v == VERSION).unwrap_or_default()
}

/// A session file.
pub(crate) struct Found {
    pub(crate) id: SessionId,
    pub(crate) path: PathBuf,
    /// When it was last written to, in nanoseconds since the Unix epoch.
    pub(crate) modified: u64,
    pub(crate) size: u64,
}

/// The session files, the one written to last first.
pub(crate) fn files(folder: &Path) -> io::Result<Vec<Found>> {
    let entries = match std::fs::read_dir(folder) {
        Ok(entries) => entries,
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(Vec::new()),
        Err(error) => return Err(error),
    };
    let mut found = Vec::new();
    for entry in entries {
        let entry = entry?;
        let name = entry.file_name();
        let Some(id) = name.to_str().and_then(|name| name.strip_suffix(".jsonl")) else { continue };
        // Gone since the folder was read.
        let Ok(meta) = entry.metadata() else { continue };
        if meta.is_file() {
            let modified = meta.modified().map_or(0, nanos);
            found.push(Found { id: SessionId::from(id), path: entry.path(), modified, size: meta.len() });
        }
    }
    found.sort_by(|a, b| (b.modified, &b.id).cmp(&(a.modified, &a.id)));
    Ok(found)
}

fn nanos(time: SystemTime) -> u64 {
    let since = time.duration_since(UNIX_EPOCH).unwrap_or_default();
    u64::try_from(since.as_nanos()).unwrap_or(u64::MAX)
}

fn summary(file: &Found, known: Option<&Known>) -> Summary {
    let active = file.modified / 1_000_000;
    match known {
        Some(known) => Summary {
            id: file.id.clone(),
            cwd: known.cwd.clone(),
            started: known.started,
            active,
            model: known.model.clone(),
            title: known.marks.title().to_owned(),
            turns: known.turns,
            ending: known.ending.clone(),
            from: known.from.clone(),
            discarded: known.marks.discarded,
        },
        None => Summary {
            id: file.id.clone(),
            cwd: String::new(),
            started: 0,
            active,
            model: String::new(),
            title: String::new(),
            turns: 0,
            ending: Ending::Broken,
            from: None,
            discarded: false,
        },
    }
}

/// Reads a file on from where it was left; none when it has no readable beginning.
fn read_on(file: &Found, known: Option<Known>) -> Option<Known> {
    let mut reader = BufReader::with_capacity(PIECE, reasonix_store::open_regular(&file.path).ok()?);
    let mut line = Vec::new();
    let mut known = match known {
        Some(known) => {
            reader.seek(SeekFrom::Start(known.read)).ok()?;
            known
        }
        None => {
            let found = next_line(&mut reader, &mut line).ok()??;
            begin(&line, found.length)?
        }
    };
    // An unfinished last line is read again when it is whole.
    while let Some(found) = next_line(&mut reader, &mut line).ok()?.filter(|found| found.ended) {
        known.feed(line.strip_suffix(b"\n").unwrap_or(&line));
        known.read += found.length;
    }
    (known.modified, known.size) = (file.modified, file.size);
    Some(known)
}

fn begin(line: &[u8], read: u64) -> Option<Known> {
    let line = line.strip_suffix(b"\n").unwrap_or(line);
    let line = line.strip_prefix(b"\xef\xbb\xbf").unwrap_or(line);
    if line::newer_version(line).is_some() {
        return None;
    }
    let Record { at, body: RecordBody::Session(head), .. } = line::parse(line)? else { return None };
    let from = match head.from {
        Some(Origin::Fork { session, .. } | Origin::Handoff { session } | Origin::Task { session, .. }) => {
            Some(session)
        }
        _ => None,
    };
    Some(Known {
        modified: 0,
        size: 0,
        read,
        cwd: head.cwd,
        started: at,
        model: head.model,
        turns: 0,
        ending: Ending::Open,
        from,
        marks: Marks::default(),
    })
}

impl Known {
    fn feed(&mut self, text: &[u8]) {
        let text = text.strip_suffix(b"\r").unwrap_or(text);
        let Some(header) = header(text) else { return };
        self.turns = self.turns.max(header.turn);
        let wanted = match header.kind {
            Kind::Prompt | Kind::Shell => {
                self.ending = Ending::Open;
                self.marks.title().is_empty()
            }
            kind => matches!(
                kind,
                Kind::TurnEnded
                    | Kind::Compacted
                    | Kind::Titled
                    | Kind::Discarded
                    | Kind::Planner
                    | Kind::Child
                    | Kind::Left
            ),
        };
        let Some(record) = (wanted && line::is_sound(text)).then(|| line::parse(text)).flatten() else { return };
        self.marks.apply(&record);
        if let RecordBody::TurnEnded { end, .. } = record.body {
            self.ending = Ending::Ended(end);
        }
    }
}
