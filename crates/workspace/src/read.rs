//! Reading what stands at a path, whole.

use crate::format::Format;
use crate::stage::Slot;
use crate::{FileError, MAX_TEXT_BYTES, kind, text};
use rustix::fs::{Mode, OFlags, Stat, fstat, openat};
use std::fs::File;
use std::io::Read;

/// The content of a file at one moment.
#[derive(Debug)]
pub(crate) struct Current {
    pub(crate) stat: Stat,
    pub(crate) hash: blake3::Hash,
    /// What it decodes to, unless it is not text or too large.
    pub(crate) decoded: Option<(String, Format)>,
}

impl Current {
    pub(crate) fn text(&self) -> Option<String> {
        self.decoded.as_ref().map(|(text, _)| text.clone())
    }

    pub(crate) fn format(&self) -> Option<Format> {
        self.decoded.as_ref().map(|(_, format)| *format)
    }
}

/// Opens the regular file at `slot` for reading.
pub(crate) fn at(slot: &Slot) -> Result<File, FileError> {
    let flags = OFlags::RDONLY | OFlags::NONBLOCK | OFlags::NOCTTY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
    let fd = openat(&slot.dir, &slot.name, flags, Mode::empty())
        .map_err(|errno| FileError::from_errno(&slot.given, errno))?;
    Ok(File::from(fd))
}

/// Reads a file that is about to be changed.
pub(crate) fn current(mut file: File, path: &str) -> Result<Current, FileError> {
    let stat = fstat(&file).map_err(|errno| FileError::from_errno(path, errno))?;
    kind::regular(path, &stat)?;
    let (bytes, whole) = bounded(&mut file, &stat).map_err(|error| FileError::from_io(path, error))?;
    if whole {
        return Ok(Current { stat, hash: blake3::hash(&bytes), decoded: text::decode(bytes).ok() });
    }
    let mut hasher = blake3::Hasher::new();
    hasher.update(&bytes);
    hasher.update_reader(file).map_err(|error| FileError::from_io(path, error))?;
    Ok(Current { stat, hash: hasher.finalize(), decoded: None })
}

/// The hash of a file.
pub(crate) fn hash(file: File, path: &str) -> Result<blake3::Hash, FileError> {
    let mut hasher = blake3::Hasher::new();
    hasher.update_reader(file).map_err(|error| FileError::from_io(path, error))?;
    Ok(hasher.finalize())
}

/// Reads up to [`MAX_TEXT_BYTES`], and whether that was all.
pub(crate) fn bounded(file: &mut File, stat: &Stat) -> std::io::Result<(Vec<u8>, bool)> {
    let size = u64::try_from(stat.st_size).unwrap_or(0).min(MAX_TEXT_BYTES);
    let mut bytes = Vec::with_capacity(usize::try_from(size).unwrap_or(0).saturating_add(1));
    file.take(MAX_TEXT_BYTES + 1).read_to_end(&mut bytes)?;
    let whole = bytes.len() as u64 <= MAX_TEXT_BYTES;
    Ok((bytes, whole))
}
