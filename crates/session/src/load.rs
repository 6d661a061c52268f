//! The reader's side of a session file: every whole line is kept, whatever happened to the others.

use crate::error::SessionError;
use crate::header::{Kind, header};
use crate::line;
use crate::lines::next_line;
use crate::log::Place;
use crate::marks::Marks;
use crate::shape::Shape;
use reasonix_proto::{Phrase, Record};
use rustix::fs::{Mode, OFlags};
use std::fs::File;
use std::io::{self, BufReader, Write};

/// Damaged lines that are named one by one; more are counted.
const MOST_NAMED: usize = 5;
/// How much of a file is read at once.
const PIECE: usize = 256 * 1024;
/// What some editors put before a text.
const BOM: &[u8] = b"\xef\xbb\xbf";

/// A log as it was found.
#[derive(Debug)]
pub(crate) struct Loaded {
    pub(crate) head: Record,
    pub(crate) shape: Shape,
    pub(crate) marks: Marks,
    pub(crate) damage: Damage,
    /// Where the last whole line ends.
    pub(crate) whole: u64,
}

/// What is wrong with a file.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Damage {
    /// The first line's checksum is wrong; it was used all the same.
    pub head: bool,
    /// Lines that are no records, by their number from 1.
    pub lines: Vec<usize>,
    /// Bytes after the last whole line.
    pub torn: u64,
    /// True when only the last newline is missing.
    pub no_newline: bool,
    /// Records whose number was already taken: two processes wrote at the same time.
    pub doubled: usize,
    /// Records that follow one which is not there before them: a line is missing or out of its place.
    pub missing: usize,
    /// True when an editor put a byte order mark before the first line, or changed the line ends.
    pub edited: bool,
}

impl Damage {
    /// True when nothing is wrong.
    pub fn is_none(&self) -> bool {
        *self == Self::default()
    }

    /// What to tell about it.
    pub(crate) fn phrases(&self, place: &Place) -> Vec<Phrase> {
        let path = place.log();
        let about = |code| Phrase::new(code).with("path", path.display());
        let mut phrases = Vec::new();
        if self.head {
            phrases.push(about("session.head_damaged").with("line", 1));
        }
        for number in self.lines.iter().take(MOST_NAMED) {
            phrases.push(about("session.line_skipped").with("line", number));
        }
        if self.lines.len() > MOST_NAMED {
            phrases.push(about("session.lines_skipped").with("count", self.lines.len() - MOST_NAMED));
        }
        if self.doubled > 0 {
            phrases.push(about("session.two_writers").with("count", self.doubled));
        }
        // Where lines are damaged, those are what is missing, and they are named already.
        if self.missing > 0 && self.lines.is_empty() {
            phrases.push(about("session.lines_missing").with("count", self.missing));
        }
        if self.edited {
            phrases.push(about("session.edited"));
        }
        phrases
    }
}

/// Reads a session file without changing it. Somebody may be writing it.
pub(crate) fn load(place: &Place) -> Result<Loaded, SessionError> {
    let path = place.log();
    let failed = || SessionError::io(&path);
    let file = place.open_log().map_err(failed())?;
    let mut reader = BufReader::with_capacity(PIECE, file);
    let mut text = Vec::new();
    let first = next_line(&mut reader, &mut text).map_err(failed())?;
    let mut loaded = begin(place, &text)?;
    let mut offset = first.map_or(0, |found| found.length);
    let mut number = 1;
    while let Some(found) = next_line(&mut reader, &mut text).map_err(failed())? {
        number += 1;
        let end = offset + found.length;
        if found.ended {
            loaded.add_line(text.strip_suffix(b"\n").unwrap_or(&text), offset, number);
            loaded.whole = end;
        } else if line::is_sound(&text) {
            loaded.add_line(&text, offset, number);
            loaded.damage.no_newline = true;
            loaded.whole = end;
        } else {
            loaded.damage.torn = found.length;
        }
        offset = end;
    }
    (loaded.damage.doubled, loaded.damage.missing) = (loaded.shape.doubled, loaded.shape.missing);
    Ok(loaded)
}

/// The first line, without which nothing can be resumed, so that it is taken also when its checksum is wrong.
fn begin(place: &Place, text: &[u8]) -> Result<Loaded, SessionError> {
    let broken = || SessionError::Broken { session: place.session.clone(), path: place.log() };
    let mut damage = Damage::default();
    let ended = text.strip_suffix(b"\n");
    let marked = ended.unwrap_or(text);
    let line = unedited(marked.strip_prefix(BOM).unwrap_or(marked));
    damage.edited = line.len() != marked.len();
    damage.no_newline = ended.is_none();
    if let Some(found) = line::newer_version(line) {
        let known = reasonix_proto::RECORD_VERSION;
        return Err(SessionError::TooNew { session: place.session.clone(), found, known });
    }
    damage.head = !line::is_sound(line);
    if damage.no_newline && damage.head {
        return Err(broken());
    }
    let head = line::parse(line).filter(line::is_head).ok_or_else(broken)?;
    let mut shape = Shape::default();
    let before = if marked.starts_with(BOM) { BOM.len() } else { 0 };
    shape.push(header(line).ok_or_else(broken)?, before as u64, line.len());
    Ok(Loaded { head, shape, marks: Marks::default(), damage, whole: text.len() as u64 })
}

/// The line without what an editor for another system put at its end.
fn unedited(line: &[u8]) -> &[u8] {
    line.strip_suffix(b"\r").unwrap_or(line)
}

impl Loaded {
    fn add_line(&mut self, text: &[u8], offset: u64, number: usize) {
        let line = unedited(text);
        let header = if line::is_sound(line) { header(line) } else { None };
        let Some(header) = header else {
            self.damage.lines.push(number);
            return;
        };
        self.damage.edited |= line.len() != text.len();
        let marks = match header.kind {
            Kind::Prompt | Kind::Shell => self.marks.title().is_empty(),
            kind => matches!(
                kind,
                Kind::Labelled
                    | Kind::Titled
                    | Kind::Discarded
                    | Kind::TurnEnded
                    | Kind::Compacted
                    | Kind::Planner
                    | Kind::Child
                    | Kind::Left
            ),
        };
        if marks {
            match line::parse(line) {
                Some(record) => self.marks.apply(&record),
                None => {
                    self.damage.lines.push(number);
                    return;
                }
            }
        }
        self.shape.push(header, offset, line.len());
    }
}

/// Mends the end of a file: a missing newline is added, bytes after the last line are moved to `<id>.torn`.
/// The caller holds the session's lock.
pub(crate) fn mend(place: &Place, loaded: &mut Loaded) -> Result<Option<Phrase>, SessionError> {
    let path = place.log();
    if loaded.damage.no_newline {
        place.append_log().and_then(|mut file| file.write_all(b"\n")).map_err(SessionError::io(&path))?;
        loaded.whole += 1;
        loaded.damage.no_newline = false;
    }
    if loaded.damage.torn == 0 {
        return Ok(None);
    }
    let bytes = std::mem::take(&mut loaded.damage.torn);
    set_aside(place, loaded.whole).map_err(SessionError::io(&path))?;
    Ok(Some(Phrase::new("session.torn").with("bytes", bytes).with("path", place.torn().display())))
}

/// Keeps torn bytes beside the log before they are cut off: a line is never thrown away.
fn set_aside(place: &Place, end: u64) -> io::Result<()> {
    use std::io::{Seek, SeekFrom};
    let mut log = place.open_log()?;
    log.seek(SeekFrom::Start(end))?;
    let flags = OFlags::WRONLY | OFlags::APPEND | OFlags::CREATE | OFlags::NOFOLLOW | OFlags::CLOEXEC;
    let mut aside = File::from(rustix::fs::open(place.torn(), flags, Mode::RUSR | Mode::WUSR)?);
    io::copy(&mut log, &mut aside)?;
    aside.write_all(b"\n")?;
    place.append_log()?.set_len(end)
}
