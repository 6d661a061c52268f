//! One look at a whole tree. Entries whose stamp is as it was are taken over without reading them.

use super::ignored::{Ignores, is_build_folder};
use super::tree::{Entry, Reason, RelPath, Uncovered};
use super::{Limits, SnapshotError};
use reasonix_store::{BlobKey, Blobs};
use rustix::fd::{AsFd, BorrowedFd, OwnedFd};
use rustix::fs::{AtFlags, Dir, FileType, Mode, OFlags, Stat, fstat, openat, readlinkat, statat};
use rustix::io::Errno;
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, HashMap};
use std::ffi::{CStr, CString};
use std::fs::File;
use std::io::Read;
use std::path::Path;
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

/// A file that was written this short before a scan may be written again without its stamp changing.
const SETTLED: Duration = Duration::from_millis(100);

/// The deepest folder that is looked into.
const DEEPEST: usize = 256;

/// What changes when an entry does.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub(super) struct Stamp {
    inode: u64,
    size: u64,
    modified: i64,
    changed: i64,
}

impl Stamp {
    #[allow(clippy::unnecessary_cast, clippy::cast_sign_loss)]
    fn of(found: &Stat) -> Self {
        let nanos = |secs: i64, part: i64| secs.saturating_mul(1_000_000_000).saturating_add(part);
        Self {
            inode: found.st_ino as u64,
            size: found.st_size as u64,
            modified: nanos(found.st_mtime as i64, found.st_mtime_nsec as i64),
            changed: nanos(found.st_ctime as i64, found.st_ctime_nsec as i64),
        }
    }
}

/// An entry with what is needed to take it over in the next scan.
#[derive(Debug, Clone)]
pub(super) struct Tracked {
    pub(super) entry: Entry,
    pub(super) stamp: Stamp,
    pub(super) ignored: bool,
}

/// What a scan found.
#[derive(Debug, Default)]
pub(super) struct Known {
    pub(super) entries: HashMap<RelPath, Tracked>,
    /// The state that this is, once it has been written.
    pub(super) state: Option<BlobKey>,
    /// How many states lie below it.
    pub(super) depth: u32,
    /// True when the index on disk is older.
    pub(super) stale: bool,
}

pub(super) struct Scan<'a> {
    blobs: &'a Blobs,
    limits: Limits,
    ignores: &'a mut Ignores,
    before: &'a Known,
    stop: &'a dyn Fn() -> bool,
    found: Found,
    /// The device of the root; what is mounted below it is not ours.
    device: u64,
    /// The folder that is left out.
    without: Option<(u64, u64)>,
    /// From here on a stamp is too young to be relied on.
    young: i64,
    ignored_bytes: u64,
    /// True when an ignore file changed: then nothing is taken over without asking again.
    rules_changed: bool,
    path: Vec<u8>,
    begun: Instant,
    /// How many entries were looked at.
    looked: usize,
}

#[derive(Default)]
pub(super) struct Found {
    entries: HashMap<RelPath, Tracked>,
    uncovered: Vec<Uncovered>,
    restamped: bool,
}

impl Found {
    /// What is known now, what changed, and what is not covered.
    pub(super) fn against(self, before: Known) -> (Known, BTreeMap<RelPath, Option<Entry>>, Vec<Uncovered>) {
        let mut changes = BTreeMap::new();
        for (path, tracked) in &self.entries {
            if before.entries.get(path).is_none_or(|known| known.entry != tracked.entry) {
                changes.insert(path.clone(), Some(tracked.entry.clone()));
            }
        }
        for path in before.entries.keys().filter(|path| !self.entries.contains_key(*path)) {
            changes.insert(path.clone(), None);
        }
        let stale = before.stale || self.restamped;
        let known = Known { entries: self.entries, state: before.state, depth: before.depth, stale };
        let mut uncovered = self.uncovered;
        uncovered.sort();
        (known, changes, uncovered)
    }
}

impl<'a> Scan<'a> {
    pub(super) fn new(
        blobs: &'a Blobs,
        limits: Limits,
        ignores: &'a mut Ignores,
        before: &'a Known,
        stop: &'a dyn Fn() -> bool,
    ) -> Self {
        let now = SystemTime::now().checked_sub(SETTLED).and_then(|time| time.duration_since(UNIX_EPOCH).ok());
        let young = now.and_then(|since| i64::try_from(since.as_nanos()).ok()).unwrap_or(0);
        let entries = HashMap::with_capacity(before.entries.len());
        let found = Found { entries, ..Found::default() };
        let (ignored_bytes, rules_changed, path) = (0, false, Vec::new());
        let (device, without, begun, looked) = (0, None, Instant::now(), 0);
        Self {
            blobs,
            limits,
            ignores,
            before,
            stop,
            found,
            device,
            without,
            young,
            ignored_bytes,
            rules_changed,
            path,
            begun,
            looked,
        }
    }

    /// The same without this folder.
    pub(super) fn without(mut self, folder: Option<Stat>) -> Self {
        self.without = folder.map(|found| (found.st_dev, found.st_ino));
        self
    }

    pub(super) fn run(mut self, root: &Path, folder: &OwnedFd) -> Result<Found, SnapshotError> {
        let failed = |errno: rustix::io::Errno| SnapshotError::io(root)(errno.into());
        self.device = fstat(folder).map_err(failed)?.st_dev;
        let top = openat(folder, ".", OPEN_FOLDER, Mode::empty()).map_err(failed)?;
        self.folder(top, false, 0)?;
        Ok(self.found)
    }

    /// Looks at what is in an open folder.
    fn folder(&mut self, folder: OwnedFd, ignored: bool, depth: usize) -> Result<(), SnapshotError> {
        let Ok(names) = names_in(&folder) else {
            self.uncovered(Reason::Unreadable, ignored);
            return Ok(());
        };
        self.ask_ignore_file(&folder, &names);
        let length = self.path.len();
        for name in names {
            if length > 0 {
                self.path.push(b'/');
            }
            self.path.extend_from_slice(name.as_bytes());
            let looked = self.look(&folder, &name, ignored, depth);
            self.path.truncate(length);
            looked?;
        }
        Ok(())
    }

    fn ask_ignore_file(&mut self, folder: &OwnedFd, names: &[CString]) {
        const NAME: &CStr = c".gitignore";
        let here = RelPath(self.path.clone());
        let found = names.iter().any(|name| name.as_c_str() == NAME);
        if let Some(found) = found.then(|| statat(folder, NAME, AtFlags::SYMLINK_NOFOLLOW).ok()).flatten() {
            self.rules_changed |= self.ignores.saw(here.as_path(), Stamp::of(&found));
        } else if self.before.entries.contains_key(&here.join(NAME.to_bytes())) {
            self.ignores.lost(here.as_path());
            self.rules_changed = true;
        }
    }

    fn look(&mut self, folder: &OwnedFd, name: &CString, above: bool, depth: usize) -> Result<(), SnapshotError> {
        if self.found.entries.len() >= self.limits.entries {
            return Err(SnapshotError::TooManyEntries(self.limits.entries));
        }
        self.looked += 1;
        if self.looked.is_multiple_of(64) {
            if (self.stop)() {
                return Err(SnapshotError::Stopped);
            }
            if self.begun.elapsed() > self.limits.patience {
                return Err(SnapshotError::TooSlow(self.limits.patience));
            }
        }
        let found = match statat(folder, name, AtFlags::SYMLINK_NOFOLLOW) {
            Ok(found) => found,
            // Gone since the folder was listed.
            Err(Errno::NOENT) => return Ok(()),
            Err(_) => {
                self.uncovered(Reason::Unreadable, above);
                return Ok(());
            }
        };
        let kind = FileType::from_raw_mode(found.st_mode);
        let path = RelPath(self.path.clone());
        let known = self.before.entries.get(&path).filter(|_| !self.rules_changed);
        let is_folder = kind == FileType::Directory;
        let ignored =
            above || known.map_or_else(|| self.ignores.holds(path.as_path(), is_folder), |known| known.ignored);
        match kind {
            FileType::Directory => self.subfolder(folder, name, &found, path, ignored, depth),
            FileType::RegularFile => self.file(folder, name, &found, path, ignored),
            FileType::Symlink => {
                match readlinkat(folder, name, Vec::new()) {
                    Ok(target) => {
                        self.keep(path, Entry::Link { target: target.into_bytes() }, Stamp::of(&found), ignored)
                    }
                    Err(_) => self.uncovered(Reason::Unreadable, ignored),
                }
                Ok(())
            }
            _ => {
                self.uncovered(Reason::Special, ignored);
                Ok(())
            }
        }
    }

    fn subfolder(
        &mut self,
        folder: &OwnedFd,
        name: &CString,
        found: &Stat,
        path: RelPath,
        ignored: bool,
        depth: usize,
    ) -> Result<(), SnapshotError> {
        // The history of a repository is git's own; undo speaks of the files.
        if name.as_bytes() == b".git" {
            return Ok(());
        }
        if self.without == Some((found.st_dev, found.st_ino)) {
            self.uncovered(Reason::Ours, ignored);
            return Ok(());
        }
        if found.st_dev != self.device {
            self.uncovered(Reason::OtherFileSystem, ignored);
            return Ok(());
        }
        let opened = openat(folder, name, OPEN_FOLDER, Mode::empty());
        let Some(inner) = opened.ok().filter(|_| depth < DEEPEST) else {
            self.uncovered(Reason::Unreadable, ignored);
            return Ok(());
        };
        if is_build_folder(name.as_bytes(), ignored, is_tagged(inner.as_fd())) {
            self.uncovered(Reason::BuildFolder, ignored);
            return Ok(());
        }
        self.keep(path, Entry::Folder { mode: found.st_mode & 0o7777 }, Stamp::default(), ignored);
        self.folder(inner, ignored, depth + 1)
    }

    fn file(
        &mut self,
        folder: &OwnedFd,
        name: &CString,
        found: &Stat,
        path: RelPath,
        ignored: bool,
    ) -> Result<(), SnapshotError> {
        let stamp = Stamp::of(found);
        if stamp.size > if ignored { self.limits.ignored_file } else { self.limits.file } {
            self.uncovered(Reason::TooLarge, ignored);
            return Ok(());
        }
        if ignored {
            if self.ignored_bytes.saturating_add(stamp.size) > self.limits.ignored {
                self.uncovered(Reason::IgnoredTooMuch, ignored);
                return Ok(());
            }
            self.ignored_bytes += stamp.size;
        }
        let mode = found.st_mode & 0o7777;
        if let Some(known) = self.before.entries.get(&path)
            && known.stamp == stamp
            && let Entry::File { size, content, .. } = known.entry
        {
            self.keep(path, Entry::File { mode, size, content }, stamp, ignored);
            return Ok(());
        }
        self.read(folder, name, mode, path, ignored)
    }

    /// Keeps the content of a file. One that changes while it is read is looked at again in the next scan.
    fn read(
        &mut self,
        folder: &OwnedFd,
        name: &CString,
        mode: u32,
        path: RelPath,
        ignored: bool,
    ) -> Result<(), SnapshotError> {
        let flags = OFlags::RDONLY | OFlags::NOFOLLOW | OFlags::NONBLOCK | OFlags::CLOEXEC;
        let Ok(opened) = openat(folder, name, flags, Mode::empty()) else {
            self.uncovered(Reason::Unreadable, ignored);
            return Ok(());
        };
        let mut file = File::from(opened);
        let mut bytes = Vec::new();
        let limit = self.limits.file.saturating_add(1);
        let begun = fstat(&file).map(|found| Stamp::of(&found));
        if file.by_ref().take(limit).read_to_end(&mut bytes).is_err() {
            self.uncovered(Reason::Unreadable, ignored);
            return Ok(());
        }
        if bytes.len() as u64 > self.limits.file {
            self.uncovered(Reason::TooLarge, ignored);
            return Ok(());
        }
        let ended = fstat(&file).map(|found| Stamp::of(&found));
        let settled = matches!((begun, ended), (Ok(begun), Ok(ended)) if begun == ended && self.is_settled(ended));
        let stamp = ended.ok().filter(|_| settled).unwrap_or_default();
        let key = self.blobs.put(&bytes).map_err(SnapshotError::io(path.as_path()))?;
        self.found.restamped = true;
        let entry = Entry::File { mode, size: bytes.len() as u64, content: *key.as_bytes() };
        self.keep(path, entry, stamp, ignored);
        Ok(())
    }

    fn is_settled(&self, stamp: Stamp) -> bool {
        stamp.modified < self.young && stamp.changed < self.young
    }

    fn keep(&mut self, path: RelPath, entry: Entry, stamp: Stamp, ignored: bool) {
        self.found.entries.insert(path, Tracked { entry, stamp, ignored });
    }

    /// That it is there belongs to the state: what was never looked at must not count as new when it is seen later.
    fn uncovered(&mut self, reason: Reason, ignored: bool) {
        let path = RelPath(self.path.clone());
        self.keep(path.clone(), Entry::Uncovered, Stamp::default(), ignored);
        self.found.uncovered.push(Uncovered { path, reason });
    }
}

/// False for file systems that show the state of the kernel: what is there is no content that could be had back.
pub(super) fn keeps_files(folder: &OwnedFd) -> bool {
    const SHOWN: &[i64] = &[
        0x9fa0,      // proc
        0x6265_6572, // sysfs
        0x6462_6720, // debugfs
        0x7472_6163, // tracefs
        0x0027_e0eb, // cgroup
        0x6367_7270, // cgroup2
        0x1cd1,      // devpts
        0x7363_6673, // securityfs
        0xcafe_4a11, // bpf
    ];
    #[allow(clippy::unnecessary_cast)]
    rustix::fs::fstatfs(folder).is_ok_and(|found| !SHOWN.contains(&(found.f_type as i64)))
}

const OPEN_FOLDER: OFlags =
    OFlags::RDONLY.union(OFlags::DIRECTORY).union(OFlags::NOFOLLOW).union(OFlags::CLOEXEC).union(OFlags::NONBLOCK);

fn names_in(folder: &OwnedFd) -> rustix::io::Result<Vec<CString>> {
    let mut names = Vec::new();
    for entry in Dir::read_from(folder)? {
        let name = entry?.file_name().to_owned();
        if !matches!(name.as_bytes(), b"." | b"..") {
            names.push(name);
        }
    }
    Ok(names)
}

/// True for a folder that says itself that it can be made again.
fn is_tagged(folder: BorrowedFd<'_>) -> bool {
    const SIGNATURE: &[u8] = b"Signature: 8a477f597d28d172789f06886806bc55";
    let flags = OFlags::RDONLY | OFlags::NOFOLLOW | OFlags::NONBLOCK | OFlags::CLOEXEC;
    let Ok(opened) = openat(folder, c"CACHEDIR.TAG", flags, Mode::empty()) else { return false };
    let mut head = [0; SIGNATURE.len()];
    File::from(opened).read_exact(&mut head).is_ok() && head == SIGNATURE
}
