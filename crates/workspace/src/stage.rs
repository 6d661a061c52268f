//! Temporary files beside the ones they will replace, and the folders made for new files.
//! Whatever is not published is removed again when it is dropped.

use crate::leftover::{self, Holds};
use rustix::fd::{AsRawFd, OwnedFd};
use rustix::fs::{
    AtFlags, CWD, Gid, Mode, OFlags, RenameFlags, Stat, Uid, fchmod, fchown, fstat, linkat, mkdirat, openat, renameat,
    renameat_with, symlinkat, unlinkat,
};
use rustix::io::{Errno, Result};
use std::ffi::{OsStr, OsString};
use std::fs::File;
use std::io::{Read, Write};
use std::path::Path;
use std::sync::Arc;

/// A name in a folder that is held open, so that it stays the same folder.
#[derive(Debug, Clone)]
pub(crate) struct Slot {
    pub(crate) dir: Arc<OwnedFd>,
    pub(crate) name: OsString,
    /// The path as it was given.
    pub(crate) given: String,
}

/// A temporary file; it is removed when dropped. Where the file system can, it has no name until it is published, so that
/// nothing is left of it whenever the process dies.
#[derive(Debug)]
pub(crate) struct Temp {
    dir: Arc<OwnedFd>,
    name: String,
    armed: bool,
    nameless: Option<File>,
}

impl Temp {
    /// A name nobody can guess in `dir`; nothing is made.
    fn name(dir: &Arc<OwnedFd>, holds: Holds) -> Self {
        Self { dir: Arc::clone(dir), name: leftover::name(holds), armed: false, nameless: None }
    }

    /// A new file in `dir` with the content of `source`, and with the mode and owner of the file it will replace.
    ///
    /// Its data is not forced to the disk: after a power cut the file is the old one or the new one on the usual
    /// file systems, and an fsync would cost more than all the rest of an edit.
    pub(crate) fn create(dir: &Arc<OwnedFd>, source: &mut dyn Read, like: Option<&Stat>) -> std::io::Result<Self> {
        // A new file gets what the umask leaves; a copy of a private file must never be readable by others.
        let mode = like.map_or(Mode::from_raw_mode(0o666), |_| Mode::RUSR | Mode::WUSR);
        let (temp, mut file) = Self::open(dir, mode)?;
        std::io::copy(source, &mut file)?;
        file.flush()?;
        if let Some(like) = like {
            own(&file, like)?;
            fchmod(&file, Mode::from_raw_mode(like.st_mode & 0o7777))?;
        }
        Ok(temp)
    }

    /// A new file in `dir` with these bytes and exactly this mode.
    pub(crate) fn with_mode(dir: &Arc<OwnedFd>, bytes: &[u8], mode: u32) -> std::io::Result<Self> {
        let (temp, mut file) = Self::open(dir, Mode::RUSR | Mode::WUSR)?;
        file.write_all(bytes)?;
        fchmod(&file, Mode::from_raw_mode(mode))?;
        Ok(temp)
    }

    /// A new symbolic link in `dir`.
    pub(crate) fn link(dir: &Arc<OwnedFd>, target: &OsStr) -> Result<Self> {
        let mut temp = Self::unique(dir, Holds::Ours, |name| symlinkat(target, dir, name))?.0;
        temp.armed = true;
        Ok(temp)
    }

    fn open(dir: &Arc<OwnedFd>, mode: Mode) -> Result<(Self, File)> {
        let flags = OFlags::WRONLY | OFlags::CLOEXEC;
        // Without the way by which it gets a name later, it needs one now.
        if Path::new(OWN_FILES).exists()
            && let Ok(fd) = openat(dir, ".", flags | OFlags::TMPFILE, mode)
        {
            let file = File::from(fd);
            let mut temp = Self::name(dir, Holds::Ours);
            temp.nameless = Some(file.try_clone().map_err(|_| Errno::MFILE)?);
            return Ok((temp, file));
        }
        let flags = flags | OFlags::CREATE | OFlags::EXCL | OFlags::NOFOLLOW;
        let (mut temp, fd) = Self::unique(dir, Holds::Ours, |name| openat(dir, name, flags, mode))?;
        temp.armed = true;
        Ok((temp, File::from(fd)))
    }

    /// Makes something under a name that nothing has.
    fn unique<T>(dir: &Arc<OwnedFd>, holds: Holds, make: impl Fn(&str) -> Result<T>) -> Result<(Self, T)> {
        loop {
            let temp = Self::name(dir, holds);
            match make(&temp.name) {
                Err(Errno::EXIST) => {}
                other => return Ok((temp, other?)),
            }
        }
    }

    /// Gives the file a name, where it has none, and so gives back what keeps it open.
    pub(crate) fn named(self, holds: Holds) -> Result<Self> {
        let Some(file) = &self.nameless else { return Ok(self) };
        let (mut named, ()) = Self::unique(&self.dir, holds, |name| link_to(file, &self.dir, name.as_ref()))?;
        named.armed = true;
        Ok(named)
    }

    /// Puts the file at `slot`, where nothing stands.
    pub(crate) fn publish_new(mut self, slot: &Slot) -> Result<()> {
        match &self.nameless {
            Some(file) => link_to(file, &slot.dir, &slot.name)?,
            None => rename_new(&self.dir, self.name.as_ref(), &slot.dir, &slot.name)?,
        }
        self.armed = false;
        Ok(())
    }

    /// Puts the file at `slot` in place of what stands there.
    pub(crate) fn replace(self, slot: &Slot) -> Result<()> {
        let mut named = self.named(Holds::Ours)?;
        renameat(&named.dir, named.name.as_str(), &slot.dir, &slot.name)?;
        named.armed = false;
        Ok(())
    }

    /// Puts the file at `slot` and gives back what stood there, under a temporary name.
    pub(crate) fn swap(self, slot: &Slot) -> Result<Self> {
        let mut named = self.named(Holds::Theirs)?;
        match renameat_with(&named.dir, named.name.as_str(), &slot.dir, &slot.name, RenameFlags::EXCHANGE) {
            Ok(()) => Ok(named),
            Err(errno) if unsupported(errno) => {
                let old = Self::take(slot)?;
                if let Err(errno) = renameat(&named.dir, named.name.as_str(), &slot.dir, &slot.name) {
                    old.restore(slot)?;
                    return Err(errno);
                }
                named.armed = false;
                Ok(old)
            }
            Err(errno) => Err(errno),
        }
    }

    /// Moves what stands at `slot` to a temporary name.
    pub(crate) fn take(slot: &Slot) -> Result<Self> {
        let mut aside = Self::name(&slot.dir, Holds::Theirs);
        renameat(&slot.dir, &slot.name, &aside.dir, aside.name.as_str())?;
        aside.armed = true;
        Ok(aside)
    }

    /// Puts back what [`Temp::swap`] or [`Temp::take`] gave.
    pub(crate) fn restore(mut self, slot: &Slot) -> Result<()> {
        // If this fails, what is left under the temporary name is the only copy.
        self.armed = false;
        renameat(&self.dir, self.name.as_str(), &slot.dir, &slot.name)
    }
}

impl Drop for Temp {
    fn drop(&mut self) {
        if self.armed {
            let _ = unlinkat(&self.dir, self.name.as_str(), AtFlags::empty());
        }
    }
}

/// Where a process finds its own open files by name.
const OWN_FILES: &str = "/proc/self/fd";

/// Gives a file without a name one that nothing has.
fn link_to(file: &File, dir: &OwnedFd, name: &OsStr) -> Result<()> {
    linkat(CWD, format!("{OWN_FILES}/{}", file.as_raw_fd()), dir, name, AtFlags::SYMLINK_FOLLOW)
}

/// Renames to a name where nothing stands.
pub(crate) fn rename_new(from_dir: &OwnedFd, from: &OsStr, to_dir: &OwnedFd, to: &OsStr) -> Result<()> {
    match renameat_with(from_dir, from, to_dir, to, RenameFlags::NOREPLACE) {
        Err(errno) if unsupported(errno) => match rustix::fs::statat(to_dir, to, AtFlags::SYMLINK_NOFOLLOW) {
            Ok(_) => Err(Errno::EXIST),
            Err(Errno::NOENT) => renameat(from_dir, from, to_dir, to),
            Err(errno) => Err(errno),
        },
        other => other,
    }
}

fn unsupported(errno: Errno) -> bool {
    matches!(errno, Errno::INVAL | Errno::NOSYS | Errno::OPNOTSUPP)
}

/// Keeps the owner where we may; a file that only its group or we own changes hands as with any editor.
fn own(file: &File, like: &Stat) -> Result<()> {
    let now = fstat(file)?;
    if (now.st_uid, now.st_gid) != (like.st_uid, like.st_gid) {
        let (uid, gid) = (Uid::from_raw(like.st_uid), Gid::from_raw(like.st_gid));
        if fchown(file, Some(uid), Some(gid)).is_err() {
            let _ = fchown(file, None, Some(gid));
        }
    }
    Ok(())
}

/// Folders made for new files; those that are not kept are removed again when dropped.
#[derive(Debug, Default)]
pub(crate) struct Folders(Vec<(Arc<OwnedFd>, OsString)>);

impl Folders {
    /// Makes the folders `names`, each in the one before, starting in `dir`.
    pub(crate) fn make(&mut self, dir: OwnedFd, names: &Path) -> Result<Arc<OwnedFd>> {
        let mut dir = Arc::new(dir);
        for name in names {
            match mkdirat(&dir, name, Mode::from_raw_mode(0o777)) {
                Ok(()) => self.0.push((Arc::clone(&dir), name.to_owned())),
                Err(Errno::EXIST) => {}
                Err(errno) => return Err(errno),
            }
            dir = Arc::new(openat(&dir, name, crate::beneath::FOLDER | OFlags::NOFOLLOW, Mode::empty())?);
        }
        Ok(dir)
    }

    pub(crate) fn keep(&mut self) {
        self.0.clear();
    }
}

impl Drop for Folders {
    fn drop(&mut self) {
        for (dir, name) in self.0.iter().rev() {
            // One that is no longer empty is somebody else's by now.
            let _ = unlinkat(dir, name, AtFlags::REMOVEDIR);
        }
    }
}
