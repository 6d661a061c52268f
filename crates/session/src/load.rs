//! The reader's side of a session file: every whole line is kept, whatever happened to the others.

use crate::error::SessionError;
use crate::line;
use crate::log::Place;
use reasonix_proto::{Phrase, Record};
use std::fs::{File, OpenOptions};
use std::io::{self, Write};
use std::os::unix::fs::OpenOptionsExt;

/// A log as it was found.
#[derive(Debug)]
pub(crate) struct Loaded {
    pub(crate) records: Vec<Record>,
    pub(crate) notices: Vec<Phrase>,
    /// Where the last whole line ends.
    pub(crate) whole: u64,
}

/// Reads a session file, and mends its end: bytes after the last line are moved to `<id>.torn`.
/// The caller holds the session's lock.
pub(crate) fn load(place: &Place) -> Result<Loaded, SessionError> {
    let path = place.log();
    let mut bytes = std::fs::read(&path).map_err(SessionError::io(&path))?;
    let mut notices = Vec::new();
    let end = bytes.iter().rposition(|byte| *byte == b'\n').map_or(0, |last| last + 1);
    let (lines, tail) = bytes.split_at(end);
    if line::decode(tail).is_ok() {
        // Only the newline did not make it.
        append_newline(place).map_err(SessionError::io(&path))?;
        bytes.push(b'\n');
    } else if !tail.is_empty() {
        // A file without a first line cannot be resumed; it is left as it is.
        if !lines.is_empty() {
            set_aside(place, tail, end as u64).map_err(SessionError::io(&path))?;
            let torn = place.torn();
            notices.push(Phrase::new("session.torn").with("bytes", tail.len()).with("path", torn.display()));
        }
        bytes.truncate(end);
    }
    let records = read_lines(place, &bytes, &mut notices)?;
    Ok(Loaded { records, notices, whole: bytes.len() as u64 })
}

fn read_lines(place: &Place, bytes: &[u8], notices: &mut Vec<Phrase>) -> Result<Vec<Record>, SessionError> {
    let broken = || SessionError::Broken { session: place.session.clone(), path: place.log() };
    let bad = |code, number: usize| Phrase::new(code).with("line", number).with("path", place.log().display());
    let mut lines = bytes.strip_suffix(b"\n").unwrap_or(bytes).split(|byte| *byte == b'\n');
    let first = lines.next().ok_or_else(broken)?;
    if let Some(found) = line::newer_version(first) {
        let known = reasonix_proto::RECORD_VERSION;
        return Err(SessionError::TooNew { session: place.session.clone(), found, known });
    }
    // Without the first record nothing can be resumed, so it is taken also when its checksum is wrong.
    let head = line::parse(first).filter(line::is_head).ok_or_else(broken)?;
    if !line::is_sound(first) {
        notices.push(bad("session.head_damaged", 1));
    }
    let mut records = vec![head];
    for (index, text) in lines.enumerate() {
        match line::decode(text) {
            Ok(record) => records.push(record),
            Err(_) => notices.push(bad("session.line_skipped", index + 2)),
        }
    }
    Ok(records)
}

fn append_newline(place: &Place) -> io::Result<()> {
    OpenOptions::new().append(true).open(place.log())?.write_all(b"\n")
}

/// Keeps torn bytes beside the log before they are cut off: a line is never thrown away.
fn set_aside(place: &Place, tail: &[u8], end: u64) -> io::Result<()> {
    let mut aside = OpenOptions::new().append(true).create(true).mode(0o600).open(place.torn())?;
    aside.write_all(tail)?;
    aside.write_all(b"\n")?;
    File::options().write(true).open(place.log())?.set_len(end)
}
