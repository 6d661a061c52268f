//! Opening a path below a folder without following any link. The kernel does it in one call where it can;
//! elsewhere every component is opened by itself. Both refuse the same things.

use rustix::fd::{AsFd, BorrowedFd, OwnedFd};
use rustix::fs::{Mode, OFlags, ResolveFlags, openat, openat2};
use rustix::io::{Errno, Result};
use std::ffi::OsStr;
use std::path::{Component, Path};

/// How a path is opened below a folder.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Beneath {
    /// `openat2` with `RESOLVE_BENEATH`.
    Kernel,
    /// Component by component with `O_NOFOLLOW`.
    Walk,
}

const RESOLVE: ResolveFlags = ResolveFlags::BENEATH.union(ResolveFlags::NO_MAGICLINKS).union(ResolveFlags::NO_SYMLINKS);

/// A folder that is only a place to start from.
pub(crate) const FOLDER: OFlags = OFlags::PATH.union(OFlags::DIRECTORY).union(OFlags::CLOEXEC);

impl Beneath {
    /// What the kernel under us offers. Old kernels lack the call; some seccomp filters refuse it.
    pub(crate) fn detect(folder: BorrowedFd<'_>) -> Self {
        match openat2(folder, ".", FOLDER, Mode::empty(), RESOLVE) {
            Ok(_) => Self::Kernel,
            Err(_) => Self::Walk,
        }
    }

    /// Opens `path`, which is relative and has no `..`, below `folder`. A link anywhere in it is an error.
    pub(crate) fn open(self, folder: BorrowedFd<'_>, path: &Path, flags: OFlags, mode: Mode) -> Result<OwnedFd> {
        let flags = flags | OFlags::CLOEXEC | OFlags::NOFOLLOW;
        if path.as_os_str().is_empty() {
            return openat(folder, ".", flags, mode);
        }
        match self {
            Self::Kernel => openat2(folder, path, flags, mode, RESOLVE),
            Self::Walk => walk(folder, path, flags, mode),
        }
    }
}

fn walk(folder: BorrowedFd<'_>, path: &Path, flags: OFlags, mode: Mode) -> Result<OwnedFd> {
    let mut parts = path.components().map(|part| match part {
        Component::Normal(name) => Ok(name),
        _ => Err(Errno::XDEV),
    });
    let mut name: &OsStr = parts.next().unwrap_or(Err(Errno::NOENT))?;
    let mut held: Option<OwnedFd> = None;
    for next in parts {
        let next = next?;
        let at = held.as_ref().map_or(folder, AsFd::as_fd);
        held = Some(openat(at, name, FOLDER | OFlags::NOFOLLOW, Mode::empty())?);
        name = next;
    }
    openat(held.as_ref().map_or(folder, AsFd::as_fd), name, flags, mode)
}

#[cfg(test)]
mod tests {
    use super::{Beneath, FOLDER};
    use rustix::fd::AsFd;
    use rustix::fs::{CWD, Mode, OFlags, openat};
    use std::os::unix::fs::symlink;
    use std::path::Path;

    #[test]
    fn both_ways_open_and_refuse_the_same() {
        let temp = tempfile::tempdir().unwrap();
        let root = temp.path().join("root");
        std::fs::create_dir_all(root.join("a/b")).unwrap();
        std::fs::write(root.join("a/b/f"), "x").unwrap();
        std::fs::write(temp.path().join("outside"), "secret").unwrap();
        symlink("a", root.join("dirlink")).unwrap();
        symlink("a/b/f", root.join("filelink")).unwrap();
        symlink(temp.path(), root.join("out")).unwrap();
        let fd = openat(CWD, &root, FOLDER, Mode::empty()).unwrap();
        assert_eq!(Beneath::detect(fd.as_fd()), Beneath::Kernel, "these tests need a kernel with openat2");
        let table = [
            ("a/b/f", true),
            ("a/b", true),
            ("", true),
            ("a/missing", false),
            ("a/b/f/x", false),
            ("dirlink/b/f", false),
            ("filelink", false),
            ("out/outside", false),
            ("../outside", false),
            ("a/../../outside", false),
            ("/etc/passwd", false),
        ];
        for (path, opens) in table {
            for way in [Beneath::Kernel, Beneath::Walk] {
                let got = way.open(fd.as_fd(), Path::new(path), OFlags::RDONLY, Mode::empty());
                assert_eq!(got.is_ok(), opens, "{way:?} {path:?}: {got:?}");
            }
        }
    }
}
