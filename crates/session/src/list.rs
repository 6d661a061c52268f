//! The list of sessions: reads only the beginning and the end of each file.

use crate::line;
use reasonix_proto::{SessionId, TurnEnd};
use serde::Deserialize;
use std::fs::File;
use std::io::{self, ErrorKind};
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};
use std::time::{SystemTime, UNIX_EPOCH};

/// How much of a file's beginning is looked at: the first record with its system prompt, and the first prompt.
const BEGINNING: u64 = 256 * 1024;
/// How much of its end is looked at first; a longer last record makes it look further.
const END: u64 = 32 * 1024;
/// How far it looks at most.
const FURTHEST: u64 = 4 * 1024 * 1024;
/// How many characters of the first prompt make a title.
const TITLE: usize = 80;

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
    /// The first line of its first prompt, bounded.
    pub title: String,
    /// How many turns it has.
    pub turns: u32,
    /// How its last turn ended.
    pub ending: Ending,
}

/// How a session's last turn ended.
#[derive(Debug, Clone, PartialEq)]
pub enum Ending {
    /// As its record says.
    Ended(TurnEnd),
    /// It has no end: it runs now, or its process was killed.
    Open,
    /// The file cannot be read.
    Broken,
}

/// What the list wants to know of a line.
#[derive(Deserialize, Default)]
#[serde(default)]
struct Peek {
    at: u64,
    kind: String,
    turn: u32,
    text: String,
    cwd: String,
    model: String,
    end: Option<TurnEnd>,
}

fn peek(bytes: &[u8]) -> Option<Peek> {
    serde_json::from_slice(bytes).ok()
}

/// The ids of all sessions, in no order.
pub(crate) fn ids(folder: &Path) -> io::Result<Vec<SessionId>> {
    Ok(files(folder)?.into_iter().map(|file| file.id).collect())
}

/// Everything, the one written to last first.
pub(crate) fn all(folder: &Path) -> io::Result<Vec<Summary>> {
    Ok(files(folder)?.iter().map(summary).collect())
}

/// The last one of this working folder.
pub(crate) fn latest(folder: &Path, cwd: &Path) -> io::Result<Option<SessionId>> {
    let wanted = cwd.to_string_lossy();
    Ok(files(folder)?
        .into_iter()
        .find(|file| head(&file.path).is_some_and(|head| head.cwd == wanted))
        .map(|file| file.id))
}

struct Found {
    id: SessionId,
    path: PathBuf,
    active: u64,
}

/// The session files, the one written to last first.
fn files(folder: &Path) -> io::Result<Vec<Found>> {
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
            let active = meta.modified().map_or(0, millis);
            found.push(Found { id: SessionId::from(id), path: entry.path(), active });
        }
    }
    found.sort_by(|a, b| (b.active, &b.id).cmp(&(a.active, &a.id)));
    Ok(found)
}

fn millis(time: SystemTime) -> u64 {
    let since = time.duration_since(UNIX_EPOCH).unwrap_or_default();
    u64::try_from(since.as_millis()).unwrap_or(u64::MAX)
}

fn head(path: &Path) -> Option<Peek> {
    let bytes = read_at(&File::open(path).ok()?, 0, BEGINNING).ok()?;
    let first = bytes.split(|byte| *byte == b'\n').next()?;
    peek(first).filter(|head| head.kind == "session")
}

fn summary(found: &Found) -> Summary {
    read_summary(found).unwrap_or_else(|| Summary {
        id: found.id.clone(),
        cwd: String::new(),
        started: 0,
        active: found.active,
        model: String::new(),
        title: String::new(),
        turns: 0,
        ending: Ending::Broken,
    })
}

fn read_summary(found: &Found) -> Option<Summary> {
    let file = File::open(&found.path).ok()?;
    let size = file.metadata().ok()?.len();
    let bytes = read_at(&file, 0, BEGINNING).ok()?;
    let mut lines = bytes.split(|byte| *byte == b'\n');
    let head = peek(lines.next()?).filter(|head| head.kind == "session")?;
    let prompt = lines.filter_map(peek).find(|line| line.kind == "prompt");
    let (turns, ending) = last_turn(&file, size)?;
    Some(Summary {
        id: found.id.clone(),
        cwd: head.cwd,
        started: head.at,
        active: found.active,
        model: head.model,
        title: prompt.map(|prompt| title(&prompt.text)).unwrap_or_default(),
        turns,
        ending,
    })
}

/// The number of the last turn and how it ended, from the end of the file.
fn last_turn(file: &File, size: u64) -> Option<(u32, Ending)> {
    let mut span = END;
    loop {
        let start = size.saturating_sub(span);
        let bytes = read_at(file, start, span).ok()?;
        let whole =
            if start == 0 { 0 } else { bytes.iter().position(|byte| *byte == b'\n').map_or(bytes.len(), |at| at + 1) };
        let mut lines = bytes.get(whole..)?.rsplit(|byte| *byte == b'\n');
        let last =
            lines.find_map(|text| line::is_sound(text).then(|| peek(text)).flatten().filter(|line| line.turn > 0));
        match last {
            Some(Peek { turn, end: Some(end), .. }) => return Some((turn, Ending::Ended(end))),
            Some(Peek { turn, .. }) => return Some((turn, Ending::Open)),
            None if start == 0 || span >= FURTHEST => return Some((0, Ending::Open)),
            None => span *= 8,
        }
    }
}

fn read_at(file: &File, start: u64, span: u64) -> io::Result<Vec<u8>> {
    let mut bytes = vec![0; usize::try_from(span).unwrap_or(0)];
    let mut filled = 0;
    while let Some(rest) = bytes.get_mut(filled..).filter(|rest| !rest.is_empty()) {
        match file.read_at(rest, start + filled as u64) {
            Ok(0) => break,
            Ok(read) => filled += read,
            Err(error) if error.kind() == ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
    bytes.truncate(filled);
    Ok(bytes)
}

/// The first line that says something, without control characters, bounded.
fn title(text: &str) -> String {
    let line = text.lines().map(str::trim).find(|line| !line.is_empty()).unwrap_or_default();
    let clean = |character: char| if character.is_control() { ' ' } else { character };
    let mut title: String = line.chars().map(clean).take(TITLE).collect();
    if line.chars().count() > TITLE {
        title.push('…');
    }
    title
}
