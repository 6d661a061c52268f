//! Files of lines that only grow, across processes: one line an entry, each with its checksum. What cannot be read is
//! counted and left out.

use crate::line;
use crate::lines::next_line;
use rustix::fs::{Mode, OFlags};
use serde::Serialize;
use serde::de::DeserializeOwned;
use std::io::{self, BufRead, BufReader, ErrorKind, Write};
use std::os::unix::fs::FileExt;
use std::path::Path;

/// Appends entries in one write, so that processes do not get in each other's way. A line that a full disk cut is closed by
/// the next one.
pub(crate) fn append<T: Serialize>(path: &Path, entries: &[T]) -> io::Result<()> {
    if let Some(folder) = path.parent() {
        reasonix_store::private_folder(folder)?;
    }
    let flags = OFlags::RDWR | OFlags::APPEND | OFlags::CREATE | OFlags::NOFOLLOW;
    let mut file = reasonix_store::open_as(path, flags, Mode::RUSR | Mode::WUSR)?;
    let mut last = [b'\n'];
    if let Some(end) = file.metadata()?.len().checked_sub(1) {
        file.read_exact_at(&mut last, end)?;
    }
    let mut bytes = if last == [b'\n'] { Vec::new() } else { vec![b'\n'] };
    for entry in entries {
        bytes.extend(line::seal(entry)?);
    }
    file.write_all(&bytes)
}

/// Gives every sound entry in order, and says how many lines are not. Nothing when there is no file.
pub(crate) fn read<T: DeserializeOwned>(path: &Path, mut give: impl FnMut(T)) -> io::Result<u64> {
    let file = match reasonix_store::open_regular(path) {
        Ok(file) => file,
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(0),
        Err(error) => return Err(error),
    };
    let mut damaged = 0;
    each_line(&mut BufReader::new(file), |line| {
        match line::is_sound(line).then(|| serde_json::from_slice(line).ok()).flatten() {
            Some(entry) => give(entry),
            None => damaged += 1,
        }
    })?;
    Ok(damaged)
}

/// Gives each line; blank ones are none, and of one that is too long there is nothing to give but that it is there.
pub(crate) fn each_line(reader: &mut impl BufRead, mut give: impl FnMut(&[u8])) -> io::Result<()> {
    let mut line = Vec::new();
    while let Some(found) = next_line(reader, &mut line)? {
        let text = line.strip_suffix(b"\n").unwrap_or(&line);
        if !text.is_empty() || found.too_long {
            give(text);
        }
    }
    Ok(())
}
