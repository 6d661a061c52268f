//! One look at a whole tree. Entries whose stamp is as it was are taken over without reading them.

use super::contents::Contents;
use super::ignored::{Ignores, is_build_folder};
use super::known::{Child, Folder, Growing, IGNORE_FILE, Stamp, Tracked, enter};
use super::listing::{Listing, Room};
use super::tree::{Reason, RelPath, TreeEntry, Uncovered};
use super::writer::Writer;
use super::{SnapshotError, SnapshotLimits};
use crate::leftover::{Holds, Leftover};
use crate::tracked::TrackedBelow;
use reasonix_store::BlobKey;
use rustix::fd::{AsFd, BorrowedFd, OwnedFd};
use rustix::fs::{AtFlags, FileType, Mode, OFlags, Stat, fstat, openat, readlinkat, statat, unlinkat};
use rustix::io::Errno;
use std::ffi::CStr;
use std::fs::File;
use std::io::{self, Read};
use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

/// A file that was written this short before a scan may be written again without its stamp changing.
const SETTLED: Duration = Duration::from_millis(100);

/// The deepest folder that is looked into.
const DEEPEST: usize = 256;

/// The file by which a folder says that it can be made again.
const TAG: &CStr = c"CACHEDIR.TAG";

/// What says which entries are covered.
pub(super) struct Rules<'a> {
    pub(super) ignores: &'a mut Ignores,
    pub(super) tracked: &'a TrackedBelow,
}

/// What the folder is that an entry lies in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Above {
    /// One that is covered.
    Plain,
    /// One that git ignores.
    Ignored,
    /// One that is left out, but for what git tracks in it.
    LeftOut,
}

pub(super) struct Scan<'a> {
    contents: &'a Contents,
    writer: Writer<'a>,
    limits: SnapshotLimits,
    rules: Rules<'a>,
    stop: &'a dyn Fn() -> bool,
    uncovered: Vec<Uncovered>,
    /// True when a file was read, so that its stamp is worth keeping.
    restamped: bool,
    /// The device of the root; what is mounted below it is not ours.
    device: u64,
    /// The folder that keeps what is known about the tree.
    kept: Option<(u64, u64)>,
    /// From here on a stamp is too young to be relied on.
    young: i64,
    ignored_bytes: u64,
    /// True when an ignore file changed: then nothing is taken over without asking again.
    rules_changed: bool,
    path: Vec<u8>,
    room: Room,
    begun: Instant,
    /// How many entries were looked at.
    looked: usize,
}

/// What a look found.
pub(super) struct Found {
    pub(super) root: Arc<Folder>,
    pub(super) uncovered: Vec<Uncovered>,
    pub(super) restamped: bool,
}

/// An entry that is being looked at.
struct Place<'a> {
    folder: &'a OwnedFd,
    name: &'a CStr,
    found: Stat,
    /// What the last look found there.
    known: Option<&'a Child>,
    ignored: bool,
    depth: usize,
}

/// What became of an entry.
enum Looked {
    Same,
    Other(Tracked, Option<Arc<Folder>>),
}

impl<'a> Scan<'a> {
    pub(super) fn new(
        contents: &'a Contents,
        limits: SnapshotLimits,
        rules: Rules<'a>,
        kept: Option<Stat>,
        stop: &'a dyn Fn() -> bool,
    ) -> Self {
        let now = SystemTime::now().checked_sub(SETTLED).and_then(|time| time.duration_since(UNIX_EPOCH).ok());
        Self {
            contents,
            writer: Writer::new(contents),
            limits,
            rules,
            stop,
            uncovered: Vec::new(),
            restamped: false,
            device: 0,
            kept: kept.map(|found| (found.st_dev, found.st_ino)),
            young: now.and_then(|since| i64::try_from(since.as_nanos()).ok()).unwrap_or(0),
            ignored_bytes: 0,
            rules_changed: false,
            path: Vec::new(),
            room: Room::new(),
            begun: Instant::now(),
            looked: 0,
        }
    }

    /// Looks at the tree; `before` is what the last look found.
    pub(super) fn run(mut self, root: &Path, folder: &OwnedFd, before: &Arc<Folder>) -> Result<Found, SnapshotError> {
        let root_path = root;
        let failed = |errno: rustix::io::Errno| SnapshotError::io(root_path)(errno.into());
        self.device = fstat(folder).map_err(failed)?.st_dev;
        self.rules_changed = self.rules.ignores.look_beside();
        let top = openat(folder, ".", OPEN_FOLDER, Mode::empty()).map_err(failed)?;
        let root = match Listing::of(&top, &mut self.room) {
            Ok(listing) => self.folder(&top, &listing, Some(before), Above::Plain, 0)?,
            Err(_) => {
                // The root itself, which has no name.
                let tracked = self.leave_out(Reason::Unreadable, false);
                Arc::new(Folder { children: vec![Child { name: Box::default(), tracked, below: None }] })
            }
        };
        self.writer.finish().map_err(SnapshotError::io(root_path))?;
        self.uncovered.sort();
        Ok(Found { root, uncovered: self.uncovered, restamped: self.restamped })
    }

    /// Looks at what is in an open folder.
    fn folder(
        &mut self,
        folder: &OwnedFd,
        listing: &Listing,
        before: Option<&Arc<Folder>>,
        above: Above,
        depth: usize,
    ) -> Result<Arc<Folder>, SnapshotError> {
        self.ask_ignore_file(folder, listing, before);
        let mut growing = Growing::new(before);
        for name in listing.names() {
            self.may_go_on()?;
            let length = enter(&mut self.path, name.to_bytes());
            let looked = self.entry(folder, name, &mut growing, above, depth);
            self.path.truncate(length);
            looked?;
        }
        Ok(growing.finish())
    }

    fn may_go_on(&mut self) -> Result<(), SnapshotError> {
        if self.looked >= self.limits.entries {
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
        Ok(())
    }

    fn ask_ignore_file(&mut self, folder: &OwnedFd, listing: &Listing, before: Option<&Arc<Folder>>) {
        const NAME: &CStr = c".gitignore";
        let known = || before.and_then(|folder| folder.child(IGNORE_FILE)).map(|child| &child.tracked);
        let here = || RelPath(self.path.clone());
        let found = listing.holds(NAME).then(|| statat(folder, NAME, AtFlags::SYMLINK_NOFOLLOW).ok()).flatten();
        if let Some(found) = found {
            let stamp = Stamp::of(&found);
            let loaded = self.rules.ignores.saw(here().as_path(), stamp);
            // A new process reads the rules too, but by the stamp they are those that the last look went by.
            self.rules_changed |= loaded && known().is_none_or(|known| known.young || known.stamp != stamp);
        } else if known().is_some() {
            self.rules.ignores.lost(here().as_path());
            self.rules_changed = true;
        }
    }

    fn entry<'b>(
        &mut self,
        folder: &'b OwnedFd,
        name: &'b CStr,
        growing: &mut Growing<'b>,
        above: Above,
        depth: usize,
    ) -> Result<(), SnapshotError> {
        if self.is_temporary(folder, name) {
            return Ok(());
        }
        let found = match statat(folder, name, AtFlags::SYMLINK_NOFOLLOW) {
            // Gone since the folder was listed.
            Err(Errno::NOENT) => return Ok(()),
            found => found,
        };
        let is_folder = found.is_ok_and(|found| FileType::from_raw_mode(found.st_mode) == FileType::Directory);
        // The history of a repository is git's own; undo speaks of the files. That of one within is named, since it goes
        // when its folder goes.
        let history = is_folder && name.to_bytes() == b".git";
        if history && depth == 0 {
            return Ok(());
        }
        let (place, known) = growing.known(name.to_bytes()).unzip();
        let looked = match found {
            Ok(found) => {
                let said = known.filter(|_| !self.rules_changed).map(|known| known.tracked.ignored);
                let asked = || self.rules.ignores.holds(RelPath(self.path.clone()).as_path(), is_folder);
                let named = above != Above::Plain || said.unwrap_or_else(asked);
                // Rules do not speak of what git tracks; of a folder they do, and its entries are asked for one by one.
                let tracked = named && self.rules.tracked.holds(&self.path);
                let place = Place { folder, name, found, known, ignored: named && (is_folder || !tracked), depth };
                match above {
                    _ if history => self.left_out(&place, Reason::Repository),
                    Above::LeftOut if !tracked => self.left_out(&place, Reason::BuildFolder),
                    _ => self.look(&place, above)?,
                }
            }
            Err(_) => Looked::Other(self.leave_out(Reason::Unreadable, above != Above::Plain), None),
        };
        match (looked, place) {
            (Looked::Same, Some(place)) => growing.same(place),
            (Looked::Same, None) => {}
            (Looked::Other(tracked, below), place) => {
                growing.other(Child { name: name.to_bytes().into(), tracked, below }, place);
            }
        }
        Ok(())
    }

    /// Whether it is a temporary file of ours, which is no part of a tree. One that a dead process left is removed; but what
    /// stood in the user's file only where it is kept, too.
    fn is_temporary(&mut self, folder: &OwnedFd, name: &CStr) -> bool {
        let Some(left) = Leftover::read(name.to_bytes()) else { return false };
        let Ok(found) = statat(folder, name, AtFlags::SYMLINK_NOFOLLOW) else { return true };
        #[allow(clippy::unnecessary_cast)]
        let modified = UNIX_EPOCH + Duration::from_secs((found.st_mtime as i64).unsigned_abs());
        if FileType::from_raw_mode(found.st_mode) == FileType::Directory {
            return false;
        }
        if !left.is_forgotten(modified) {
            return true;
        }
        let spare = left.holds == Holds::Ours || found.st_size == 0 || self.is_kept(folder, name);
        spare && unlinkat(folder, name, AtFlags::empty()).is_ok()
    }

    /// Whether the content of a file is kept.
    fn is_kept(&self, folder: &OwnedFd, name: &CStr) -> bool {
        let flags = OFlags::RDONLY | OFlags::NOFOLLOW | OFlags::NONBLOCK | OFlags::CLOEXEC;
        let Ok(opened) = openat(folder, name, flags, Mode::empty()) else { return false };
        let mut hash = blake3::Hasher::new();
        let read = hash.update_reader(File::from(opened)).is_ok();
        read && self.contents.get(&BlobKey::from_bytes(*hash.finalize().as_bytes()), self.limits.file).is_ok()
    }

    fn look(&mut self, place: &Place<'_>, above: Above) -> Result<Looked, SnapshotError> {
        match FileType::from_raw_mode(place.found.st_mode) {
            FileType::Directory => self.subfolder(place, above),
            FileType::RegularFile => self.file(place),
            FileType::Symlink => Ok(match readlinkat(place.folder, place.name, Vec::new()) {
                Ok(target) => place.is(TreeEntry::Link { target: target.into_bytes() }, None),
                Err(_) => self.left_out(place, Reason::Unreadable),
            }),
            _ => Ok(self.left_out(place, Reason::Special)),
        }
    }

    fn subfolder(&mut self, place: &Place<'_>, above: Above) -> Result<Looked, SnapshotError> {
        let found = &place.found;
        if self.kept == Some((found.st_dev, found.st_ino)) {
            return Ok(self.left_out(place, Reason::Ours));
        }
        if found.st_dev != self.device {
            return Ok(self.left_out(place, Reason::OtherFileSystem));
        }
        let mut out = above == Above::LeftOut || is_build_folder(place.name.to_bytes(), place.ignored);
        if out && !self.rules.tracked.holds(&self.path) {
            return Ok(self.left_out(place, Reason::BuildFolder));
        }
        let opened = openat(place.folder, place.name, OPEN_FOLDER, Mode::empty());
        let opened = opened.ok().filter(|_| place.depth < DEEPEST);
        let listed = opened.and_then(|inner| Some((Listing::of(&inner, &mut self.room).ok()?, inner)));
        let Some((listing, inner)) = listed else { return Ok(self.left_out(place, Reason::Unreadable)) };
        out |= listing.holds(TAG) && is_tagged(inner.as_fd());
        if out && !self.rules.tracked.holds(&self.path) {
            return Ok(self.left_out(place, Reason::BuildFolder));
        }
        let before = place.known.and_then(|known| known.below.as_ref());
        let inside = match place.ignored {
            _ if out => Above::LeftOut,
            true => Above::Ignored,
            false => Above::Plain,
        };
        let below = self.folder(&inner, &listing, before, inside, place.depth + 1)?;
        Ok(place.is(TreeEntry::Folder { mode: found.st_mode & 0o7777 }, Some(below)))
    }

    fn file(&mut self, place: &Place<'_>) -> Result<Looked, SnapshotError> {
        let stamp = Stamp::of(&place.found);
        if stamp.size > if place.ignored { self.limits.ignored_file } else { self.limits.file } {
            return Ok(self.left_out(place, Reason::TooLarge));
        }
        if place.ignored {
            if self.ignored_bytes.saturating_add(stamp.size) > self.limits.ignored {
                return Ok(self.left_out(place, Reason::IgnoredTooMuch));
            }
            self.ignored_bytes += stamp.size;
        }
        let mode = place.found.st_mode & 0o7777;
        if let Some(known) = place.known.map(|known| &known.tracked)
            && known.stamp == stamp
            && !known.young
            && let TreeEntry::File { mode: as_it_was, size, content } = known.entry
        {
            if mode == as_it_was && known.ignored == place.ignored {
                return Ok(Looked::Same);
            }
            let entry = TreeEntry::File { mode, size, content };
            return Ok(Looked::Other(Tracked { entry, stamp, ignored: place.ignored, young: false }, None));
        }
        self.read(place, mode)
    }

    /// Keeps the content of a file. One that changes while it is read is looked at again in the next scan.
    fn read(&mut self, place: &Place<'_>, mode: u32) -> Result<Looked, SnapshotError> {
        let flags = OFlags::RDONLY | OFlags::NOFOLLOW | OFlags::NONBLOCK | OFlags::CLOEXEC;
        let Ok(opened) = openat(place.folder, place.name, flags, Mode::empty()) else {
            return Ok(self.left_out(place, Reason::Unreadable));
        };
        let begun = Stamp::of(&place.found);
        let Ok((bytes, ended)) = content_of(File::from(opened), begun, self.limits.file) else {
            return Ok(self.left_out(place, Reason::Unreadable));
        };
        if bytes.len() as u64 > self.limits.file {
            return Ok(self.left_out(place, Reason::TooLarge));
        }
        let settled = ended.is_some_and(|ended| begun == ended && self.is_settled(ended));
        let path = RelPath(self.path.clone());
        let size = bytes.len() as u64;
        let key = self.writer.keep(bytes).map_err(SnapshotError::io(path.as_path()))?;
        self.restamped = true;
        let entry = TreeEntry::File { mode, size, content: *key.as_bytes() };
        let stamp = ended.unwrap_or_default();
        Ok(Looked::Other(Tracked { entry, stamp, ignored: place.ignored, young: !settled }, None))
    }

    fn is_settled(&self, stamp: Stamp) -> bool {
        stamp.modified < self.young && stamp.changed < self.young
    }

    /// Leaves an entry out of the state.
    fn left_out(&mut self, place: &Place<'_>, reason: Reason) -> Looked {
        let tracked = self.leave_out(reason, place.ignored);
        match place.known {
            Some(known) if known.below.is_none() && known.tracked == tracked => Looked::Same,
            _ => Looked::Other(tracked, None),
        }
    }

    /// That it is there belongs to the state: what was never looked at must not count as new when it is seen later.
    fn leave_out(&mut self, reason: Reason, ignored: bool) -> Tracked {
        self.uncovered.push(Uncovered { path: RelPath(self.path.clone()), reason });
        Tracked { entry: TreeEntry::Uncovered, stamp: Stamp::default(), ignored, young: false }
    }
}

impl Place<'_> {
    /// What it is, when that is quickly told.
    fn is(&self, entry: TreeEntry, below: Option<Arc<Folder>>) -> Looked {
        let same = |known: &Child| {
            let inside = match (&known.below, &below) {
                (Some(then), Some(now)) => Arc::ptr_eq(then, now),
                (then, now) => then.is_none() && now.is_none(),
            };
            inside && known.tracked.entry == entry && known.tracked.ignored == self.ignored
        };
        if self.known.is_some_and(same) {
            return Looked::Same;
        }
        let stamp = Stamp::of(&self.found);
        Looked::Other(Tracked { entry, stamp, ignored: self.ignored, young: false }, below)
    }
}

/// The bytes of a file, one more than `most` where there are more than that, and its stamp when they had been read. A file
/// that is as long as it was when it was stamped is not asked for its end: most of the time of a first look goes into
/// questions to the system.
fn content_of(mut file: File, begun: Stamp, most: u64) -> io::Result<(Vec<u8>, Option<Stamp>)> {
    let size = usize::try_from(begun.size.min(most)).unwrap_or_default();
    // One byte more than there are, so that the end is seen with the second reading where it has to be.
    let mut bytes = Vec::with_capacity(size.saturating_add(1));
    file.by_ref().take(size as u64).read_to_end(&mut bytes)?;
    let ended = fstat(&file).map(|found| Stamp::of(&found)).ok();
    // What is said to be empty may be a file of a system that does not count.
    if size > 0 && bytes.len() == size && ended == Some(begun) && begun.size <= most {
        return Ok((bytes, ended));
    }
    let rest = most.saturating_add(1).saturating_sub(bytes.len() as u64);
    file.by_ref().take(rest).read_to_end(&mut bytes)?;
    let ended = fstat(&file).map(|found| Stamp::of(&found)).ok();
    Ok((bytes, ended))
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

/// True for file systems of this machine: others stamp files by a clock of their own.
pub(super) fn has_our_clock(folder: &OwnedFd) -> bool {
    const LOCAL: &[i64] = &[
        0xef53,      // ext2, ext3, ext4
        0x9123_683e, // btrfs
        0x5846_5342, // xfs
        0x0102_1994, // tmpfs
        0x794c_7630, // overlayfs
        0xf2f5_2010, // f2fs
        0x2fc1_2fc1, // zfs
        0xca45_1a4e, // bcachefs
    ];
    #[allow(clippy::unnecessary_cast)]
    rustix::fs::fstatfs(folder).is_ok_and(|found| LOCAL.contains(&(found.f_type as i64)))
}

const OPEN_FOLDER: OFlags =
    OFlags::RDONLY.union(OFlags::DIRECTORY).union(OFlags::NOFOLLOW).union(OFlags::CLOEXEC).union(OFlags::NONBLOCK);

/// True for a folder that says itself that it can be made again.
fn is_tagged(folder: BorrowedFd<'_>) -> bool {
    const SIGNATURE: &[u8] = b"Signature: 8a477f597d28d172789f06886806bc55";
    let flags = OFlags::RDONLY | OFlags::NOFOLLOW | OFlags::NONBLOCK | OFlags::CLOEXEC;
    let Ok(opened) = openat(folder, TAG, flags, Mode::empty()) else { return false };
    let mut head = [0; SIGNATURE.len()];
    File::from(opened).read_exact(&mut head).is_ok() && head == SIGNATURE
}
