//! Going back: entries become what they were. Every step works in a folder that was opened below the root without
//! following a link, so that nothing outside of the tree is ever touched.

use super::tree::{RelPath, Tree, TreeEntry, covers, uncovered_above};
use super::{SnapshotError, Snapshots};
use crate::beneath::{Beneath, FOLDER};
use crate::stage::{Slot, Temp};
use rustix::fd::{AsFd, AsRawFd};
use rustix::fs::{
    AtFlags, CWD, FileType, Mode, OFlags, chmodat, fchmod, fstat, mkdirat, openat, readlinkat, statat, unlinkat,
};
use rustix::io::Errno;
use std::collections::{BTreeMap, BTreeSet};
use std::ffi::OsStr;
use std::fs::File;
use std::io::{self, Read};
use std::os::unix::ffi::OsStrExt;
use std::path::Path;
use std::sync::Arc;

/// What a restore did.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RestoredTree {
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
    /// True when this machine did not take it, such as a full disk: it may another time.
    pub no_room: bool,
}

/// Why a step failed.
#[derive(Debug, Clone)]
pub(super) struct Failed {
    why: String,
    no_room: bool,
}

impl Failed {
    fn new(error: &io::Error) -> Self {
        let full = [Errno::NOSPC, Errno::DQUOT, Errno::ROFS, Errno::IO, Errno::NOMEM, Errno::MFILE, Errno::NFILE];
        let no_room = error.raw_os_error().is_some_and(|code| full.iter().any(|errno| errno.raw_os_error() == code));
        Self { why: error.to_string(), no_room }
    }
}

impl RestoredTree {
    pub(super) fn new(
        before: String,
        after: String,
        old: &Tree,
        now: &Tree,
        target: &Tree,
        paths: &[RelPath],
        reasons: BTreeMap<RelPath, Failed>,
    ) -> Self {
        let changed = paths.iter().filter(|path| old.get(*path) != now.get(*path)).cloned().collect();
        // What counts is what is there now, not what was reported on the way.
        let blocked = paths.iter().filter(|path| now.get(*path) != target.get(*path)).map(|path| {
            let unknown = || Failed { why: "it is not as it was, and nothing said why".to_owned(), no_room: false };
            let Failed { why, no_room } = reasons.get(path).cloned().unwrap_or_else(unknown);
            Blocked { path: path.clone(), why, no_room }
        });
        let blocked = blocked.chain(unveiled(old, now, target, paths)).collect();
        Self { before, after, changed, blocked }
    }
}

/// What came to light in folders that could not be looked into before their permissions were restored.
fn unveiled(old: &Tree, now: &Tree, target: &Tree, paths: &[RelPath]) -> Vec<Blocked> {
    let closed: BTreeSet<&RelPath> =
        paths.iter().filter(|path| old.get(*path) == Some(&TreeEntry::Uncovered)).collect();
    if closed.is_empty() {
        return Vec::new();
    }
    let found = now.keys().filter(|path| !target.contains_key(*path) && !closed.contains(path));
    let found = found.filter(|path| uncovered_above(old, path).is_some_and(|above| closed.contains(&above)));
    let why = "it could not be seen before; it was left as it is";
    found.map(|path| Blocked { path: path.clone(), why: why.to_owned(), no_room: false }).collect()
}

/// Puts into `now` those of the entries that are as they were to become, but no longer covered: git may have ceased to
/// track them.
pub(super) fn look_again(snapshots: &Snapshots, now: &mut Tree, target: &Tree, paths: &[RelPath]) {
    let way = Beneath::detect(snapshots.folder.as_fd());
    let work = Work { snapshots, way, opened: BTreeMap::new(), failed: BTreeMap::new() };
    let unseen: Vec<&RelPath> = paths.iter().filter(|path| !covers(now, path)).collect();
    for path in unseen {
        if let Some(entry) = target.get(path).filter(|entry| work.has(path, entry).unwrap_or(false)) {
            now.insert(path.clone(), entry.clone());
        }
    }
}

/// Restores the entries; gives what went wrong, by path.
pub(super) fn restore(
    snapshots: &Snapshots,
    current: &Tree,
    target: &Tree,
    paths: &[RelPath],
) -> BTreeMap<RelPath, Failed> {
    let way = Beneath::detect(snapshots.folder.as_fd());
    let mut work = Work { snapshots, way, opened: BTreeMap::new(), failed: BTreeMap::new() };
    let mut paths: Vec<&RelPath> = paths.iter().filter(|path| current.get(*path) != target.get(*path)).collect();
    paths.sort_by_key(|path| path.depth());
    for path in paths.iter().rev() {
        let then = target.get(*path);
        let now = current.get(*path).filter(|now| !then.is_some_and(|then| same_kind(now, then)));
        // What is not covered is not kept anywhere else; what was not covered may have been there before.
        if let Some(now) = now.filter(|now| **now != TreeEntry::Uncovered && covers(target, path)) {
            work.attempt(path, |work| work.remove(path, now));
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
        if let Some(TreeEntry::Folder { mode }) = target.get(*path) {
            work.attempt(path, |work| work.set_mode(path, *mode));
        }
    }
    work.failed
}

fn same_kind(a: &TreeEntry, b: &TreeEntry) -> bool {
    std::mem::discriminant(a) == std::mem::discriminant(b)
}

struct Work<'a> {
    snapshots: &'a Snapshots,
    way: Beneath,
    /// Folders that were made writable for the time being, and what they were.
    opened: BTreeMap<RelPath, u32>,
    failed: BTreeMap<RelPath, Failed>,
}

impl Work<'_> {
    fn attempt(&mut self, path: &RelPath, step: impl Fn(&mut Self) -> io::Result<()>) {
        let mut tried = step(self);
        if matches!(&tried, Err(error) if error.kind() == io::ErrorKind::PermissionDenied) && self.make_writable(path) {
            tried = step(self);
        }
        if let Err(error) = tried {
            self.failed.entry(path.clone()).or_insert_with(|| Failed::new(&error));
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

    /// Whether exactly this stands there.
    fn has(&self, path: &RelPath, entry: &TreeEntry) -> io::Result<bool> {
        let slot = self.slot(path)?;
        let found = statat(&slot.dir, &slot.name, AtFlags::SYMLINK_NOFOLLOW)?;
        let same_mode = |mode: &u32| found.st_mode & 0o7777 == *mode;
        match entry {
            TreeEntry::Folder { mode } => {
                Ok(FileType::from_raw_mode(found.st_mode) == FileType::Directory && same_mode(mode))
            }
            TreeEntry::File { mode, .. } => Ok(same_mode(mode) && stands(&slot, entry)?),
            other => stands(&slot, other),
        }
    }

    fn remove(&self, path: &RelPath, now: &TreeEntry) -> io::Result<()> {
        let slot = self.slot(path)?;
        let folder = matches!(now, TreeEntry::Folder { .. });
        if !folder {
            match stands(&slot, now) {
                Ok(true) => {}
                Ok(false) => return Err(io::Error::other(CHANGED)),
                Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(()),
                Err(error) => return Err(error),
            }
        }
        let flags = if folder { AtFlags::REMOVEDIR } else { AtFlags::empty() };
        match unlinkat(&slot.dir, &slot.name, flags) {
            Ok(()) | Err(Errno::NOENT) => Ok(()),
            Err(Errno::NOTEMPTY | Errno::EXIST) => {
                Err(io::Error::other("the folder still holds files, of somebody else or not covered"))
            }
            Err(errno) => Err(errno.into()),
        }
    }

    fn make(&self, path: &RelPath, entry: &TreeEntry, now: Option<&TreeEntry>) -> io::Result<()> {
        let slot = self.slot(path)?;
        match (entry, now) {
            (TreeEntry::Folder { mode }, _) => {
                match mkdirat(&slot.dir, &slot.name, Mode::from_raw_mode(mode | 0o700)) {
                    Ok(()) | Err(Errno::EXIST) => Ok(()),
                    Err(errno) => Err(errno.into()),
                }
            }
            (TreeEntry::File { mode, content, .. }, Some(TreeEntry::File { content: there, .. }))
                if content == there =>
            {
                set_mode(&slot, *mode)
            }
            (TreeEntry::File { mode, .. }, _) => {
                let bytes = self.snapshots.content(entry).map_err(plain)?;
                put(Temp::with_mode(&slot.dir, &bytes, *mode)?, &slot, entry, now)
            }
            (TreeEntry::Link { target }, _) => {
                put(Temp::link(&slot.dir, OsStr::from_bytes(target))?, &slot, entry, now)
            }
            (TreeEntry::Uncovered, _) => Err(io::Error::other("what it was is not covered")),
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
                Some(TreeEntry::Folder { mode }) => *mode,
                _ => mode,
            };
            // It may be one of those that had to go.
            let _ = self.set_mode(&path, wanted);
        }
    }
}

/// Why something is left alone that is not as it was when the tree was looked at.
const CHANGED: &str = "somebody changed it just now; it was left as it is";

/// Puts a file or link where `now` stands. Anything else that stands there is the only copy of it.
fn put(made: Temp, slot: &Slot, entry: &TreeEntry, now: Option<&TreeEntry>) -> io::Result<()> {
    match now.filter(|now| same_kind(now, entry)) {
        Some(now) if stands(slot, now)? => Ok(made.replace(slot)?),
        Some(_) => Err(io::Error::other(CHANGED)),
        None => match made.publish_new(slot) {
            Err(Errno::EXIST) => is_there(slot, entry),
            done => Ok(done?),
        },
    }
}

/// Leaves what stands there as it is, but for its permission bits, which may be what keeps it from being read.
fn is_there(slot: &Slot, entry: &TreeEntry) -> io::Result<()> {
    let before = statat(&slot.dir, &slot.name, AtFlags::SYMLINK_NOFOLLOW)?.st_mode;
    if let (TreeEntry::File { mode, .. }, FileType::RegularFile) = (entry, FileType::from_raw_mode(before)) {
        set_mode(slot, *mode)?;
        if stands(slot, entry)? {
            return Ok(());
        }
        set_mode(slot, before & 0o7777)?;
    } else if stands(slot, entry)? {
        return Ok(());
    }
    Err(io::Error::other("what is there now is not covered and would be lost; move it away and try again"))
}

/// Whether a file or link has this content.
fn stands(slot: &Slot, entry: &TreeEntry) -> io::Result<bool> {
    match entry {
        TreeEntry::File { size, content, .. } => {
            let flags = OFlags::RDONLY | OFlags::NOFOLLOW | OFlags::NONBLOCK | OFlags::CLOEXEC;
            let file = match openat(&slot.dir, &slot.name, flags, Mode::empty()) {
                Err(Errno::LOOP) => return Ok(false),
                opened => File::from(opened?),
            };
            let found = file.metadata()?;
            if !found.is_file() || found.len() != *size {
                return Ok(false);
            }
            let mut hash = blake3::Hasher::new();
            hash.update_reader(file.take(size.saturating_add(1)))?;
            Ok(hash.finalize() == *content)
        }
        TreeEntry::Link { target } => match readlinkat(&slot.dir, &slot.name, Vec::new()) {
            Err(Errno::INVAL) => Ok(false),
            found => Ok(found?.as_bytes() == target.as_slice()),
        },
        TreeEntry::Folder { .. } | TreeEntry::Uncovered => Ok(false),
    }
}

/// Sets permission bits of a file or folder that is no link. What is looked at is what is changed: nobody can put a link
/// in its place in between.
fn set_mode(slot: &Slot, mode: u32) -> io::Result<()> {
    let held = openat(&slot.dir, &slot.name, OFlags::PATH | OFlags::NOFOLLOW | OFlags::CLOEXEC, Mode::empty())?;
    let found = fstat(&held)?;
    if FileType::from_raw_mode(found.st_mode) == FileType::Symlink {
        return Err(io::Error::other("a link stands there"));
    }
    if found.st_mode & 0o7777 == mode {
        return Ok(());
    }
    let wanted = Mode::from_raw_mode(mode);
    // A file that may not be opened can still be held; by way of `/proc` exactly that one is meant.
    match chmodat(CWD, format!("/proc/self/fd/{}", held.as_raw_fd()), wanted, AtFlags::empty()) {
        Err(Errno::NOENT | Errno::NOTDIR) => {
            let flags = OFlags::RDONLY | OFlags::NOFOLLOW | OFlags::NONBLOCK | OFlags::CLOEXEC;
            Ok(fchmod(openat(&slot.dir, &slot.name, flags, Mode::empty())?, wanted)?)
        }
        done => Ok(done?),
    }
}

fn plain(error: SnapshotError) -> io::Error {
    io::Error::other(error.to_string())
}

#[cfg(test)]
mod tests {
    use super::{Failed, Slot, set_mode};
    use rustix::fs::{CWD, Mode, RenameFlags, openat, renameat_with};
    use std::os::unix::fs::{PermissionsExt, symlink};
    use std::sync::Arc;
    use std::sync::atomic::{AtomicBool, Ordering};

    #[test]
    fn a_full_disk_is_told_from_what_a_person_has_to_decide() {
        let no_room = |errno: rustix::io::Errno| Failed::new(&errno.into()).no_room;
        for errno in [rustix::io::Errno::NOSPC, rustix::io::Errno::DQUOT, rustix::io::Errno::ROFS] {
            assert!(no_room(errno), "{errno}");
        }
        assert!(!no_room(rustix::io::Errno::ACCESS) && !no_room(rustix::io::Errno::NOTEMPTY));
        assert!(!Failed::new(&std::io::Error::other(super::CHANGED)).no_room);
    }

    #[test]
    fn no_link_is_followed_whenever_it_comes() {
        let temp = tempfile::tempdir().unwrap();
        let (inside, outside) = (temp.path().join("inside"), temp.path().join("outside"));
        std::fs::create_dir(&inside).unwrap();
        std::fs::write(&outside, "theirs").unwrap();
        std::fs::set_permissions(&outside, PermissionsExt::from_mode(0o640)).unwrap();
        std::fs::write(inside.join("f"), "ours").unwrap();
        symlink(&outside, inside.join("link")).unwrap();
        let dir = Arc::new(openat(CWD, &inside, crate::beneath::FOLDER, Mode::empty()).unwrap());
        let slot = Slot { dir: Arc::clone(&dir), name: "f".into(), given: "f".into() };
        let over = AtomicBool::new(false);
        std::thread::scope(|scope| {
            scope.spawn(|| {
                while !over.load(Ordering::Relaxed) {
                    renameat_with(&dir, "f", &dir, "link", RenameFlags::EXCHANGE).unwrap();
                }
            });
            for round in 0..20_000_u32 {
                let _ = set_mode(&slot, if round % 2 == 0 { 0o600 } else { 0o755 });
            }
            over.store(true, Ordering::Relaxed);
        });
        assert_eq!(std::fs::metadata(&outside).unwrap().permissions().mode() & 0o7777, 0o640);
    }
}
