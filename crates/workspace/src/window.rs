//! Some lines out of a file of any size, in bounded memory.

use crate::format::{Encoding, Eol, Format};
use crate::{FileError, kind, text};
use std::io::Read;

/// The most bytes of one line that are shown.
const MAX_LINE: usize = 2_000;
/// How far a file is read in search of a line.
const MAX_SCAN: u64 = 1024 * 1024 * 1024;
/// A line longer than this ends the window: what follows is not read in search of its end.
const ENDLESS: usize = 8 * 1024 * 1024;
const CHUNK: usize = 64 * 1024;

/// Some lines out of a file.
#[derive(Debug, Clone)]
pub struct Window {
    /// The number of the first line in `lines`, from 1.
    pub first: u64,
    /// The lines without their ends; long ones are cut and say so.
    pub lines: Vec<String>,
    /// How many lines the file has; `None` when its end was not reached.
    pub total: Option<u64>,
    /// True when the file goes on after these lines.
    pub more: bool,
    /// How many of these lines were cut.
    pub cut: usize,
    /// The file's size in bytes.
    pub size: u64,
    /// Its layout on disk. In a file that was not read to its end, line ends are those of the part that was read.
    pub format: Format,
    /// True when some bytes were not valid in the file's encoding and are shown as U+FFFD.
    pub lossy: bool,
}

/// Which lines are wanted.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Wanted {
    pub(crate) offset: u64,
    pub(crate) limit: usize,
    pub(crate) max_bytes: usize,
}

/// The lines out of a file that was read as a whole.
pub(crate) fn of_text(text: &str, format: Format, size: u64, wanted: Wanted) -> Window {
    let mut lines = Lines::new(wanted);
    lines.feed(text);
    lines.finish(format, size, true)
}

/// The lines out of a file too large to be read as a whole.
pub(crate) fn of_stream(path: &str, mut source: impl Read, size: u64, wanted: Wanted) -> Result<Window, FileError> {
    let failed = |error| FileError::from_io(path, error);
    let mut chunk = vec![0; CHUNK];
    let mut filled = fill(&mut source, &mut chunk).map_err(failed)?;
    let head = chunk.get(..filled).unwrap_or_default();
    let (encoding, bom) = sniff(head).map_err(|kind| FileError::Binary { path: path.to_owned(), size, kind })?;
    let mut decoder = coding(encoding).new_decoder_with_bom_removal();
    let (mut lines, mut lossy, mut scanned, mut end) = (Lines::new(wanted), false, 0, false);
    while !end && !lines.full {
        end = filled < CHUNK;
        let bytes = chunk.get(..filled).unwrap_or_default();
        let mut out = String::with_capacity(decoder.max_utf8_buffer_length(filled).unwrap_or(CHUNK * 3));
        let (_, _, errors) = decoder.decode_to_string(bytes, &mut out, end);
        lossy |= errors;
        lines.feed(&out);
        lines.abandon_endless();
        scanned += filled as u64;
        if !end && !lines.full {
            if scanned >= MAX_SCAN && lines.taken.is_empty() {
                return Err(FileError::TooLarge { path: path.to_owned(), size, limit: MAX_SCAN });
            }
            filled = fill(&mut source, &mut chunk).map_err(failed)?;
        }
    }
    let format = Format { encoding, bom, eol: lines.eol(), mode: None };
    let mut window = lines.finish(format, size, end);
    window.lossy = lossy;
    Ok(window)
}

/// Reads until `buffer` is full or the source ends.
fn fill(source: &mut impl Read, buffer: &mut [u8]) -> std::io::Result<usize> {
    let mut filled = 0;
    while let Some(rest) = buffer.get_mut(filled..).filter(|rest| !rest.is_empty()) {
        match source.read(rest) {
            Ok(0) => break,
            Ok(count) => filled += count,
            Err(error) if error.kind() == std::io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
    Ok(filled)
}

/// The encoding of a file by its first bytes.
fn sniff(head: &[u8]) -> Result<(Encoding, bool), &'static str> {
    if let Some(found) = text::mark(head) {
        return Ok(found);
    }
    // A file may turn into something else after a textual start; its first lines are still worth showing.
    if memchr::memchr(0, head.get(..512).unwrap_or(head)).is_some() {
        return Err(kind::guess(head));
    }
    let whole_lines = memchr::memrchr(b'\n', head).map_or(head, |at| head.get(..at).unwrap_or(head));
    match std::str::from_utf8(whole_lines) {
        Ok(_) => Ok((Encoding::Utf8, false)),
        Err(error) if error.error_len().is_none() => Ok((Encoding::Utf8, false)),
        Err(_) => text::legacy(whole_lines)
            .map(|(_, encoding)| (Encoding::Legacy(encoding), false))
            .ok_or_else(|| kind::guess(head)),
    }
}

fn coding(encoding: Encoding) -> &'static encoding_rs::Encoding {
    match encoding {
        Encoding::Utf8 => encoding_rs::UTF_8,
        Encoding::Utf16Le => encoding_rs::UTF_16LE,
        Encoding::Utf16Be => encoding_rs::UTF_16BE,
        Encoding::Legacy(legacy) => legacy,
    }
}

/// Gathers the wanted lines out of text that comes in pieces.
struct Lines {
    wanted: Wanted,
    /// The number of the line that is being read.
    number: u64,
    /// Its beginning, as much as is kept, and its whole length.
    line: String,
    length: usize,
    taken: Vec<String>,
    used: usize,
    cut: usize,
    full: bool,
    lf: bool,
    crlf: bool,
    last_byte: Option<u8>,
}

impl Lines {
    fn new(wanted: Wanted) -> Self {
        let wanted = Wanted { offset: wanted.offset.max(1), limit: wanted.limit.max(1), ..wanted };
        Self {
            wanted,
            number: 1,
            line: String::new(),
            length: 0,
            taken: Vec::new(),
            used: 0,
            cut: 0,
            full: false,
            lf: false,
            crlf: false,
            last_byte: None,
        }
    }

    fn feed(&mut self, mut text: &str) {
        while let Some(at) = memchr::memchr(b'\n', text.as_bytes()) {
            let (piece, rest) = text.split_at(at);
            let before = piece.as_bytes().last().copied().or(self.last_byte);
            if before == Some(b'\r') {
                self.crlf = true
            } else {
                self.lf = true
            }
            self.grow(piece);
            self.end_line();
            text = rest.strip_prefix('\n').unwrap_or(rest);
            self.last_byte = Some(b'\n');
        }
        if !text.is_empty() {
            self.last_byte = text.as_bytes().last().copied();
            self.grow(text);
        }
    }

    fn grow(&mut self, piece: &str) {
        self.length += piece.len();
        if self.number >= self.wanted.offset && !self.full {
            // One byte more than is shown tells a line that just fits from one that is cut.
            let room = (MAX_LINE + 1).saturating_sub(self.line.len());
            self.line.push_str(head(piece, room));
        }
    }

    fn end_line(&mut self) {
        if self.number >= self.wanted.offset && !self.full {
            self.take();
        }
        self.number += 1;
        self.line.clear();
        self.length = 0;
    }

    fn take(&mut self) {
        let room = self.wanted.max_bytes.saturating_sub(self.used);
        let whole = self.line.len() == self.length;
        let line = if whole { self.line.strip_suffix('\r').unwrap_or(&self.line) } else { &self.line };
        let most = if self.taken.is_empty() { MAX_LINE.min(room) } else { MAX_LINE };
        let cut = !whole || line.len() > most;
        let line = match cut {
            _ if line.contains('\0') => format!("[binary data, {} bytes or more]", self.length),
            true => format!("{}… [cut: the line has {} bytes]", head(line, most), self.length),
            false => line.to_owned(),
        };
        if line.len() >= room && !self.taken.is_empty() {
            self.full = true;
            return;
        }
        self.cut += usize::from(cut);
        self.used += line.len() + 1;
        self.taken.push(line);
        self.full = self.taken.len() >= self.wanted.limit;
    }

    /// Gives up on a wanted line that does not end.
    fn abandon_endless(&mut self) {
        if self.number >= self.wanted.offset && !self.full && self.length > ENDLESS {
            self.take();
            self.full = true;
        }
    }

    fn eol(&self) -> Eol {
        match (self.lf, self.crlf) {
            (true, true) => Eol::Mixed,
            (true, false) => Eol::Lf,
            (false, true) => Eol::Crlf,
            (false, false) => Eol::None,
        }
    }

    /// `whole` when everything was fed, so that the last line is known to be the last.
    fn finish(mut self, format: Format, size: u64, whole: bool) -> Window {
        if whole && self.length > 0 {
            self.end_line();
        }
        let total = whole.then_some(self.number - 1);
        let after = self.wanted.offset.saturating_add(self.taken.len() as u64);
        let more = total.is_none_or(|total| after <= total);
        let (first, cut) = (self.wanted.offset, self.cut);
        Window { first, lines: self.taken, total, more, cut, size, format, lossy: false }
    }
}

/// The longest start of `text` with at most `limit` bytes.
fn head(text: &str, limit: usize) -> &str {
    text.get(..text.floor_char_boundary(limit)).unwrap_or(text)
}
