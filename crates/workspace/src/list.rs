//! The entries of one folder.

use crate::boundary::Boundary;
use crate::{FileError, kind};
use rustix::fs::{AtFlags, Dir, FileType, Mode, OFlags, openat, readlinkat, statat};
use std::ffi::{OsStr, OsString};
use std::os::unix::ffi::OsStrExt;

/// The most entries that are given.
const MAX_ENTRIES: usize = 2_000;
/// The most names that are looked at.
const MAX_NAMES: usize = 100_000;

/// The entries of one folder, sorted by name.
#[derive(Debug, Clone, Default)]
pub struct Listing {
    /// The entries.
    pub entries: Vec<FolderEntry>,
    /// How many more there are.
    pub more: usize,
}

/// One entry of a folder.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FolderEntry {
    /// Its name.
    pub name: String,
    /// What it is.
    pub kind: EntryKind,
    /// Its size in bytes; 0 for what has none.
    pub size: u64,
}

/// What an entry of a folder is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum EntryKind {
    /// A regular file.
    File,
    /// A folder.
    Dir,
    /// A symbolic link.
    Link {
        /// Where it points.
        target: String,
    },
    /// A pipe, a device, a socket.
    Other,
}

/// The entries of the folder at `path`; what is closed is left out.
pub(crate) fn list(boundary: &Boundary, path: &str) -> Result<Listing, FileError> {
    let failed = |errno| FileError::from_errno(path, errno);
    let place = boundary.resolve_to_read(path)?;
    let found = place.stat.ok_or_else(|| FileError::NotFound { path: path.to_owned(), near: Vec::new() })?;
    if FileType::from_raw_mode(found.st_mode) != FileType::Directory {
        kind::regular(path, &found)?;
        return Err(FileError::NotADirectory { path: path.to_owned() });
    }
    let folder = boundary.open(&place, OFlags::RDONLY | OFlags::DIRECTORY | OFlags::NONBLOCK).map_err(failed)?;
    let ids = boundary.barrier_ids();
    let mut names = names(&folder, MAX_NAMES).map_err(failed)?;
    names.retain(|(name, inode)| !boundary.hides(&place.real.join(name), Some(*inode), &ids));
    names.sort_unstable();
    let more = names.len().saturating_sub(MAX_ENTRIES);
    names.truncate(MAX_ENTRIES);
    let entries = names.into_iter().filter_map(|(name, _)| entry(&folder, &name)).collect();
    Ok(Listing { entries, more })
}

/// Up to `limit` names in an open folder, with their inodes.
pub(crate) fn names(folder: &impl rustix::fd::AsFd, limit: usize) -> rustix::io::Result<Vec<(OsString, u64)>> {
    let reading = openat(folder, ".", OFlags::RDONLY | OFlags::DIRECTORY | OFlags::CLOEXEC, Mode::empty())?;
    let mut names = Vec::new();
    for found in Dir::new(reading)?.take(limit) {
        let found = found?;
        let name = OsStr::from_bytes(found.file_name().to_bytes());
        if name != "." && name != ".." {
            names.push((name.to_owned(), found.ino()));
        }
    }
    Ok(names)
}

/// What `name` is; `None` when it is gone by now.
fn entry(folder: &rustix::fd::OwnedFd, name: &OsStr) -> Option<FolderEntry> {
    let found = statat(folder, name, AtFlags::SYMLINK_NOFOLLOW).ok()?;
    let size = u64::try_from(found.st_size).unwrap_or(0);
    let (kind, size) = match FileType::from_raw_mode(found.st_mode) {
        FileType::RegularFile => (EntryKind::File, size),
        FileType::Directory => (EntryKind::Dir, 0),
        FileType::Symlink => {
            let target = readlinkat(folder, name, Vec::new()).ok()?.to_string_lossy().into_owned();
            (EntryKind::Link { target }, 0)
        }
        _ => (EntryKind::Other, 0),
    };
    Some(FolderEntry { name: name.to_string_lossy().into_owned(), kind, size })
}
