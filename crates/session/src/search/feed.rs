//! From the logs into the index: only files that changed are opened, and only what was added to them is read.

use super::RECALLED;
use super::Search;
use super::index::{
    Doc, Index, IndexError, Known, bound_outputs, drop_session, number_place, put_doc, put_output, put_session,
};
use super::tokens::indexed;
use crate::header::{Header, Kind, header};
use crate::line;
use crate::lines::next_line;
use crate::list::{Found, files};
use crate::log::Place;
use crate::past::typed;
use reasonix_agent::outcome_text;
use reasonix_proto::tools::FILE_ARGUMENTS;
use reasonix_proto::{CallId, Message, RecordBody, ToolCall, ToolOutcome};
use rusqlite::{Transaction, TransactionBehavior};
use std::collections::HashMap;
use std::fmt::Write as _;
use std::io::{self, BufRead, BufReader, Read, Seek, SeekFrom};
use std::time::Instant;

/// How much of a file is read at once.
const PIECE: usize = 256 * 1024;
/// No more of one text is indexed.
const LONGEST: usize = 64 * 1024;
/// So much of the beginning of an output is indexed, and as much of its end.
const OUTPUT_HALF: usize = 2 * 1024;
/// Of all outputs no more bytes than this are in the index; the oldest go.
const OUTPUTS: i64 = 48 * 1024 * 1024;
/// After so many bytes of logs what was read is written down.
const BATCH: u64 = 32 * 1024 * 1024;
/// How many bytes are remembered of where a file was left.
const TAIL: u64 = 32;
/// Arguments of calls that name a folder.
const FOLDERS: &[&str] = &["dir", "directory"];
/// What stands before a path in a patch.
const PATCHED: &[&str] = &["*** Update File: ", "*** Add File: ", "*** Delete File: ", "*** Move to: ", "+++ b/"];

/// How far the index has come.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Coverage {
    /// Sessions on disk.
    pub sessions: usize,
    /// Those of them that are not in the index, or not up to their end.
    pub missing: usize,
}

/// What is on disk and not in the index, and the other way round.
struct Pending {
    sessions: usize,
    /// Files to read, the oldest first, so that what is newer has the higher number.
    changed: Vec<(Found, Option<Known>)>,
    /// Sessions that are gone.
    gone: Vec<i64>,
}

/// Compares the index with what is on disk; opens no file.
fn pending(search: &Search, index: &Index) -> Result<Pending, IndexError> {
    let folder = search.sessions.folder();
    let files = files(folder).map_err(|source| IndexError::Io { path: folder.to_owned(), source })?;
    let mut known: HashMap<String, Known> = index.known()?.into_iter().collect();
    let sessions = files.len();
    let mut changed: Vec<(Found, Option<Known>)> = Vec::new();
    for file in files.into_iter().rev() {
        let earlier = known.remove(file.id.as_str());
        let same = earlier.as_ref().is_some_and(|known| (known.modified, known.size) == stamp(&file));
        if !same {
            changed.push((file, earlier));
        }
    }
    Ok(Pending { sessions, changed, gone: known.into_values().map(|known| known.n).collect() })
}

/// Brings the index up to what is on disk, until `until`, or until `stopped` says so.
pub(super) fn feed(
    search: &Search,
    index: &mut Index,
    until: Instant,
    stopped: &dyn Fn() -> bool,
) -> Result<Coverage, IndexError> {
    let Pending { sessions, changed, gone } = pending(search, index)?;
    if changed.is_empty() && gone.is_empty() {
        return Ok(Coverage { sessions, missing: 0 });
    }
    let mut change = begin(index)?;
    for gone in gone {
        drop_session(&change, gone)?;
    }
    let (mut missing, mut written) = (changed.len(), 0);
    for (file, earlier) in changed {
        if stopped() || Instant::now() > until {
            break;
        }
        written += index_file(search, &change, &file, earlier)?;
        missing -= 1;
        if written > BATCH {
            bound_outputs(&change, OUTPUTS)?;
            change.commit()?;
            change = begin(index)?;
            written = 0;
        }
    }
    bound_outputs(&change, OUTPUTS)?;
    change.commit()?;
    Ok(Coverage { sessions, missing })
}

fn begin(index: &mut Index) -> rusqlite::Result<Transaction<'_>> {
    index.db.transaction_with_behavior(TransactionBehavior::Immediate)
}

fn stamp(file: &Found) -> (i64, i64) {
    let number = |value: u64| i64::try_from(value).unwrap_or(i64::MAX);
    (number(file.modified), number(file.size))
}

/// Reads one file on; gives how many bytes that were. A file that cannot be read is left for the next time it changes.
fn index_file(
    search: &Search,
    change: &Transaction<'_>,
    file: &Found,
    earlier: Option<Known>,
) -> Result<u64, IndexError> {
    let place = Place { folder: search.sessions.folder().to_owned(), session: file.id.clone() };
    let mut known = match earlier {
        Some(known) if goes_on(&place, &known) => known,
        Some(other) => {
            drop_session(change, other.n)?;
            Known::default()
        }
        None => Known::default(),
    };
    let began = known.read;
    let mut discarded = false;
    if let Ok(log) = place.open_log() {
        let mut reader = BufReader::with_capacity(PIECE, log);
        let mut lines =
            Lines { search, change, id: file.id.as_str(), discarded: &mut discarded, calls: HashMap::new() };
        // What failed to be read is the disk's matter; the rest of the sessions can be searched all the same.
        if let Err(Failed::Index(error)) = lines.read(&mut reader, &mut known) {
            return Err(error);
        }
    }
    (known.modified, known.size) = stamp(file);
    if discarded {
        drop_session(change, known.n)?;
        known.n = 0;
    }
    put_session(change, file.id.as_str(), &known)?;
    Ok(u64::try_from(known.read - began).unwrap_or(0))
}

/// True when the file still is what was read of it, so that it can be read on.
fn goes_on(place: &Place, known: &Known) -> bool {
    let tail = || -> io::Result<Vec<u8>> {
        let mut log = place.open_log()?;
        let end = u64::try_from(known.read).unwrap_or(0);
        let start = end.saturating_sub(TAIL);
        log.seek(SeekFrom::Start(start))?;
        let mut bytes = Vec::new();
        log.take(end - start).read_to_end(&mut bytes)?;
        Ok(bytes)
    };
    tail().is_ok_and(|bytes| bytes == known.tail)
}

enum Failed {
    Disk,
    Index(IndexError),
}

impl From<io::Error> for Failed {
    fn from(_: io::Error) -> Self {
        Self::Disk
    }
}

impl From<rusqlite::Error> for Failed {
    fn from(error: rusqlite::Error) -> Self {
        Self::Index(error.into())
    }
}

struct Lines<'a, 'c> {
    search: &'a Search,
    change: &'a Transaction<'c>,
    id: &'a str,
    discarded: &'a mut bool,
    /// The paths that the calls of the last message name.
    calls: HashMap<CallId, String>,
}

impl Lines<'_, '_> {
    fn read(&mut self, reader: &mut (impl BufRead + Seek), known: &mut Known) -> Result<(), Failed> {
        reader.seek(SeekFrom::Start(u64::try_from(known.read).unwrap_or(0)))?;
        let mut line = Vec::new();
        if known.read == 0 {
            let read = next_line(reader, &mut line)?.map_or(0, |found| found.length);
            known.place = number_place(self.change, &folder_of(&line))?;
            step(known, &line, read);
        }
        if known.n == 0 {
            known.n = put_session(self.change, self.id, known)?;
        }
        loop {
            // An unfinished last line is read again when it is whole.
            let Some(found) = next_line(reader, &mut line)?.filter(|found| found.ended) else { return Ok(()) };
            self.add_text(line.strip_suffix(b"\n").unwrap_or(&line), known)?;
            step(known, &line, found.length);
        }
    }

    fn add_text(&mut self, text: &[u8], known: &Known) -> Result<(), Failed> {
        let text = text.strip_suffix(b"\r").unwrap_or(text);
        let line_length = text.len();
        let Some(Header { id, at, kind, .. }) = header(text) else { return Ok(()) };
        let said = matches!(kind, Kind::Prompt | Kind::Note | Kind::Assistant | Kind::Shell | Kind::Discarded);
        let wanted = said || matches!(kind, Kind::Outcome | Kind::ShellEnded);
        let Some(record) = (wanted && line::is_sound(text)).then(|| line::parse(text)).flatten() else { return Ok(()) };
        *self.discarded |= record.body == RecordBody::Discarded;
        let offset = u64::try_from(known.read).unwrap_or(0);
        let (said, paths) = match &record.body {
            RecordBody::Outcome { .. } | RecordBody::ShellEnded { .. } => {
                let Some((text, paths)) = self.output(&record.body) else { return Ok(()) };
                let indexed = indexed(&self.search.redact.text(&text));
                let doc = Doc { record: id, at, offset, length: line_length, text: &indexed, paths: &paths };
                return Ok(put_output(self.change, (known.n, known.place), &doc)?);
            }
            body => content(body),
        };
        if let RecordBody::Assistant { message: Message::Assistant { calls, .. }, .. } = &record.body {
            self.calls = calls.iter().map(|call| (call.id.clone(), paths_of(std::slice::from_ref(call)))).collect();
        }
        if said.trim().is_empty() && paths.is_empty() {
            return Ok(());
        }
        let said = self.search.redact.text(cut(&said));
        let (said, paths) = (indexed(&said), indexed(&paths));
        let doc = Doc { record: id, at, offset, length: line_length, text: &said, paths: &paths };
        Ok(put_doc(self.change, (known.n, known.place), &doc)?)
    }

    /// What is indexed of an output, and the paths that its call named. None where nothing came of the call, where it only
    /// found what was said earlier, and where the call was read at another time, so that nobody knows what it named.
    fn output(&mut self, body: &RecordBody) -> Option<(String, String)> {
        let paths = match body {
            RecordBody::Outcome { call, .. } => self.calls.remove(call)?,
            _ => String::new(),
        };
        let text = output_of(body).filter(|text| !RECALLED.iter().any(|begins| text.starts_with(begins)))?;
        Some((both_ends(&text, OUTPUT_HALF), paths))
    }
}

/// What a call gave back, or failed with; none where it did not run.
pub(super) fn output_of(body: &RecordBody) -> Option<String> {
    let (RecordBody::Outcome { outcome, .. } | RecordBody::ShellEnded { outcome, .. }) = body else { return None };
    matches!(outcome, ToolOutcome::Done { .. } | ToolOutcome::Failed { .. }).then(|| outcome_text(outcome))
}

/// The beginning and the end of a text.
fn both_ends(text: &str, half: usize) -> String {
    if text.len() <= 2 * half {
        return text.to_owned();
    }
    let (head, tail) = (text.floor_char_boundary(half), text.ceil_char_boundary(text.len() - half));
    let (head, tail) = (text.get(..head).unwrap_or_default(), text.get(tail..).unwrap_or_default());
    format!("{head}\n{tail}")
}

/// Notes that this line was read.
fn step(known: &mut Known, line: &[u8], read: u64) {
    known.read += i64::try_from(read).unwrap_or(0);
    let start = line.len().saturating_sub(usize::try_from(TAIL).unwrap_or(0));
    let mut tail = std::mem::take(&mut known.tail);
    tail.extend_from_slice(line.get(start..).unwrap_or_default());
    let start = tail.len().saturating_sub(usize::try_from(TAIL).unwrap_or(0));
    known.tail = tail.split_off(start);
}

/// The working folder that a first line names; empty when it cannot be read.
fn folder_of(line: &[u8]) -> String {
    let line = line.strip_prefix(b"\xef\xbb\xbf").unwrap_or(line);
    match line::parse(line).map(|record| record.body) {
        Some(RecordBody::Session(head)) => head.cwd,
        _ => String::new(),
    }
}

/// What was said in a record, and the paths that its calls name.
pub(super) fn content(body: &RecordBody) -> (String, String) {
    match body {
        RecordBody::Prompt { .. } | RecordBody::Note { by_user: true, .. } | RecordBody::Shell { .. } => {
            (typed(body).unwrap_or_default(), String::new())
        }
        RecordBody::Assistant { message: Message::Assistant { text, calls, .. }, .. } => {
            (text.clone(), paths_of(calls))
        }
        _ => Default::default(),
    }
}

/// The paths that calls name.
pub(super) fn paths_of(calls: &[ToolCall]) -> String {
    let mut paths = String::new();
    for call in calls {
        let Ok(serde_json::Value::Object(args)) = serde_json::from_str(&call.arguments) else { continue };
        for (name, value) in &args {
            let Some(text) = value.as_str() else { continue };
            if [FILE_ARGUMENTS, FOLDERS].iter().any(|known| known.contains(&name.as_str())) {
                let _ = writeln!(paths, "{}", cut(text));
            } else if name == "patch" || name == "input" {
                let lines = cut(text).lines();
                let named = lines.filter_map(|line| PATCHED.iter().find_map(|mark| line.strip_prefix(mark)));
                named.for_each(|path| paths.extend([path, "\n"]));
            }
        }
    }
    paths
}

fn cut(text: &str) -> &str {
    text.get(..text.floor_char_boundary(LONGEST)).unwrap_or_default()
}
