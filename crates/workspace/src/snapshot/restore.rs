//! Going back: entries become what they were. Every step works in a folder that was opened below the root without
//! following a link, so that nothing outside of the tree is ever touched.

use super::tree::{Entry, RelPath, Tree};
use super::{SnapshotError, Snapshots};
use crate::beneath::{Beneath, FOLDER};
use crate::stage::{Slot, Temp};
use rustix::fd::AsFd;
use rustix::fs::{AtFlags, FileType, Mode, chmodat, mkdirat, statat, unlinkat};
use rustix::io::Errno;
use std::collections::BTreeMap;
use std::ffi::OsStr;
use std::io;
use std::os::unix::ffi::OsStrExt;
use std::path::Path;
use std::sync::Arc;

/// What a restore did.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Restored {
    /// The state just before, to which one can go back.
    pub before: String,
    /// The state now.
    pub after: String,
    /// The entries that were changed.
    pub changed: Vec<RelPath>,
    /// The entries that are not what they were to become, and why.
    pub blocked: Vec<Blocked>,
}

/// An entry that could not be had back.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Blocked {
    /// Where it is.
    pub path: RelPath,
    /// Why.
    pub why: String,
}

impl Restored {
    pub(super) fn new(
        before: String,
        after: String,
        old: &Tree,
        now: &Tree,
        target: &Tree,
        paths: &[RelPath],
        reasons: BTreeMap<RelPath, String>,
    ) -> Self {
        let changed = paths.iter().filter(|path| old.get(*path) != now.get(*path)).cloned().collect();
        // What counts is what is there now, not what was reported on the way.
        let blocked = paths.iter().filter(|path| now.get(*path) != target.get(*path)).map(|path| {
            let unknown = || "it is not as it was, and nothing said why".to_owned();
            Blocked { path: path.clone(), why: reasons.get(path).cloned().unwrap_or_else(unknown) }
        });
        Self { before, after, changed, blocked: blocked.collect() }
    }
}

/// Restores the entries; gives what went wrong, by path.
pub(super) fn restore(
    snapshots: &Snapshots,
    current: &Tree,
    target: &Tree,
    paths: &[RelPath],
) -> BTreeMap<RelPath, String> {
    let way = Beneath::detect(snapshots.folder.as_fd());
    let mut work = Work { snapshots, way, opened: BTreeMap::new(), failed: BTreeMap::new() };
    let mut paths: Vec<&RelPath> = paths.iter().filter(|path| current.get(*path) != target.get(*path)).collect();
    paths.sort_by_key(|path| path.depth());
    for path in paths.iter().rev() {
        let (now, then) = (current.get(*path), target.get(*path));
        if now.is_some_and(|now| !then.is_some_and(|then| same_kind(now, then))) {
            work.attempt(path, |work| work.remove(path, matches!(now, Some(Entry::Folder { .. }))));
        }
    }
    for path in &paths {
        if let Some(entry) = target.get(*path) {
            work.attempt(path, |work| work.make(path, entry, current.get(*path)));
        }
    }
    // The permissions of folders come last: one that may not be written could not have been filled.
    work.close(target);
    for path in paths.iter().rev() {
        if let Some(Entry::Folder { mode }) = target.get(*path) {
            work.attempt(path, |work| work.set_mode(path, *mode));
        }
    }
    work.failed
}

fn same_kind(a: &Entry, b: &Entry) -> bool {
    std::mem::discriminant(a) == std::mem::discriminant(b)
}

struct Work<'a> {
    snapshots: &'a Snapshots,
    way: Beneath,
    /// Folders that were made writable for the time being, and what they were.
    opened: BTreeMap<RelPath, u32>,
    failed: BTreeMap<RelPath, String>,
}

impl Work<'_> {
    fn attempt(&mut self, path: &RelPath, step: impl Fn(&mut Self) -> io::Result<()>) {
        let mut tried = step(self);
        if matches!(&tried, Err(error) if error.kind() == io::ErrorKind::PermissionDenied) && self.make_writable(path) {
            tried = step(self);
        }
        if let Err(error) = tried {
            self.failed.entry(path.clone()).or_insert_with(|| error.to_string());
        }
    }

    /// The folder that the entry lies in, and its name there.
    fn slot(&self, path: &RelPath) -> io::Result<Slot> {
        let given = path.shown();
        let path = path.as_path();
        let name = path.file_name().ok_or(io::ErrorKind::InvalidInput)?;
        let parent = path.parent().unwrap_or(Path::new(""));
        let dir = self.way.open(self.snapshots.folder.as_fd(), parent, FOLDER, Mode::empty())?;
        Ok(Slot { dir: Arc::new(dir), name: name.to_owned(), given })
    }

    fn remove(&self, path: &RelPath, folder: bool) -> io::Result<()> {
        let slot = self.slot(path)?;
        let flags = if folder { AtFlags::REMOVEDIR } else { AtFlags::empty() };
        match unlinkat(&slot.dir, &slot.name, flags) {
            Ok(()) | Err(Errno::NOENT) => Ok(()),
            Err(Errno::NOTEMPTY | Errno::EXIST) => Err(io::Error::other("the folder holds files that are not covered")),
            Err(errno) => Err(errno.into()),
        }
    }

    fn make(&self, path: &RelPath, entry: &Entry, now: Option<&Entry>) -> io::Result<()> {
        let slot = self.slot(path)?;
        match (entry, now) {
            (Entry::Folder { mode }, _) => match mkdirat(&slot.dir, &slot.name, Mode::from_raw_mode(mode | 0o700)) {
                Ok(()) | Err(Errno::EXIST) => Ok(()),
                Err(errno) => Err(errno.into()),
            },
            (Entry::File { mode, content, .. }, Some(Entry::File { content: there, .. })) if content == there => {
                set_mode(&slot, *mode)
            }
            (Entry::File { mode, .. }, _) => {
                let bytes = self.snapshots.content(entry).map_err(plain)?;
                Temp::with_mode(&slot.dir, &bytes, *mode)?.replace(&slot)?;
                Ok(())
            }
            (Entry::Link { target }, _) => Ok(Temp::link(&slot.dir, OsStr::from_bytes(target))?.replace(&slot)?),
        }
    }

    fn set_mode(&self, path: &RelPath, mode: u32) -> io::Result<()> {
        let slot = self.slot(path)?;
        set_mode(&slot, mode)
    }

    /// Opens the folder around `path` for writing, until [`Work::close`]. False when that is not ours to do.
    fn make_writable(&mut self, path: &RelPath) -> bool {
        let Some(parent) = path.as_path().parent().filter(|parent| !parent.as_os_str().is_empty()) else {
            return false;
        };
        let parent = RelPath(parent.as_os_str().as_encoded_bytes().to_vec());
        let Ok(slot) = self.slot(&parent) else { return false };
        let Ok(found) = statat(&slot.dir, &slot.name, AtFlags::SYMLINK_NOFOLLOW) else { return false };
        let mode = found.st_mode & 0o7777;
        if self.opened.contains_key(&parent) || set_mode(&slot, mode | 0o700).is_err() {
            return false;
        }
        self.opened.insert(parent, mode);
        true
    }

    fn close(&mut self, target: &Tree) {
        for (path, mode) in std::mem::take(&mut self.opened).into_iter().rev() {
            let wanted = match target.get(&path) {
                Some(Entry::Folder { mode }) => *mode,
                _ => mode,
            };
            // It may be one of those that had to go.
            let _ = self.set_mode(&path, wanted);
        }
    }
}

/// Sets permission bits of a file or folder that is no link.
fn set_mode(slot: &Slot, mode: u32) -> io::Result<()> {
    let found = statat(&slot.dir, &slot.name, AtFlags::SYMLINK_NOFOLLOW)?;
    if FileType::from_raw_mode(found.st_mode) == FileType::Symlink {
        return Err(io::Error::other("a link stands there"));
    }
    if found.st_mode & 0o7777 != mode {
        chmodat(&slot.dir, &slot.name, Mode::from_raw_mode(mode), AtFlags::empty())?;
    }
    Ok(())
}

fn plain(error: SnapshotError) -> io::Error {
    io::Error::other(error.to_string())
}
