//! Which places on disk are open, and where a path really leads. Opening itself never trusts what was resolved:
//! it goes through [`Beneath`], which refuses a link that appeared in between.

use crate::beneath::{Beneath, FOLDER};
use crate::resolve::Resolve;
use crate::secrets::{Secrets, is_named_path};
use crate::{FileError, Options, kind, lexical};
use globset::{GlobBuilder, GlobSet, GlobSetBuilder};
use rustix::fd::{AsFd, OwnedFd};
use rustix::fs::{AtFlags, CWD, Mode, OFlags, Stat, fstat, openat, stat, statat};
use rustix::io::Errno;
use std::fs::File;
use std::path::{Path, PathBuf};

/// How often an open is tried again when the tree changes under it.
const TRIES: usize = 4;

/// What opens every place outside.
const EVERYTHING: &str = "/**";

/// The open places and the closed ones.
#[derive(Debug)]
pub(crate) struct Boundary {
    roots: Vec<Root>,
    pub(crate) barriers: Vec<Barrier>,
    unlisted: GlobSet,
    secrets: Vec<Secrets>,
    /// Those of the repository around the root.
    around: Option<Secrets>,
    beneath: Beneath,
    /// What may be read outside, and the place from which it is.
    outside: Option<Outside>,
}

/// What the user opened outside of every root, for reading alone.
#[derive(Debug)]
struct Outside {
    readable: GlobSet,
    /// What a rule names, and not only everything: `.env` files too.
    named: GlobSet,
    root: Root,
}

/// What a path is resolved for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Purpose {
    /// It may be changed: only places below a root will do.
    Change,
    /// It is only read: what was opened outside will do too.
    Read,
}

/// A place that is open.
#[derive(Debug)]
struct Root {
    /// What is open: a folder, or a single file.
    open: PathBuf,
    /// The folder that `fd` is.
    base: PathBuf,
    /// The path as the user spelled it.
    alias: PathBuf,
    fd: OwnedFd,
}

/// A place that is closed, also below a root.
#[derive(Debug)]
pub(crate) struct Barrier {
    real: PathBuf,
    given: PathBuf,
    /// What lies in it and is open.
    spared: Option<PathBuf>,
    pub(crate) reason: &'static str,
}

/// The identity of a file, whatever it is called: a hard link, a bind mount and another case all have the same.
pub(crate) type Id = (u64, u64);

/// Where a path leads once links are followed.
#[derive(Debug)]
pub(crate) struct Place {
    pub(crate) root: usize,
    /// The absolute path without links.
    pub(crate) real: PathBuf,
    /// What stands there.
    pub(crate) stat: Option<Stat>,
    /// How many components at the end do not exist.
    pub(crate) missing: usize,
}

/// Whether a link at the very end of a path is followed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Last {
    /// To what it points to.
    Follow,
    /// No: the link itself is meant.
    Keep,
}

pub(crate) fn globs(patterns: &[String]) -> Result<GlobSet, FileError> {
    let bad = |error: globset::Error| FileError::InvalidPattern {
        message: format!("{}: {}", error.glob().unwrap_or_default(), error.kind()),
        hint: "Check the paths in the permission rules.",
    };
    let mut set = GlobSetBuilder::new();
    for pattern in patterns {
        set.add(GlobBuilder::new(pattern).literal_separator(true).build().map_err(bad)?);
    }
    set.build().map_err(bad)
}

impl Boundary {
    pub(crate) fn new(root: &Path, options: &Options, beneath: Option<Beneath>) -> Result<Self, FileError> {
        let first = Root::open(root)?;
        let base = first.base.clone();
        let mut roots = vec![first];
        for dir in &options.add_dirs {
            roots.push(Root::open(&base.join(dir))?);
        }
        let opened = globs(&options.opened)?;
        let secrets = roots.iter().map(|root| Secrets::new(root.base.clone(), opened.clone())).collect();
        let around = options.around.as_ref().and_then(|around| around.canonicalize().ok());
        let around = around.filter(|around| *around != base && base.starts_with(around));
        let around = around.map(|around| Secrets::new(around, GlobSet::empty()));
        roots.extend(options.allow_write.iter().filter_map(|path| Root::open_any(&base.join(path))));
        let forbid = options.forbid_read.iter().map(|path| (path, "the settings forbid reading it"));
        let closed = options.closed.iter().map(|path| (path, "it belongs to the program itself"));
        let spared = options.within_closed.then_some(base.as_path());
        let barriers =
            forbid.chain(closed).map(|(path, reason)| Barrier::new(&base.join(path), reason).sparing(spared)).collect();
        let beneath = beneath.unwrap_or_else(|| match roots.first() {
            Some(root) => Beneath::detect(root.fd.as_fd()),
            None => Beneath::Walk,
        });
        let outside = Outside::of(&options.readable)?;
        let unlisted = globs(&options.unlisted)?;
        Ok(Self { roots, barriers, unlisted, secrets, around, beneath, outside })
    }

    /// The first root.
    pub(crate) fn root(&self) -> &Path {
        self.roots.first().map_or(Path::new("/"), |root| &root.base)
    }

    /// What is open, the first root first.
    pub(crate) fn open_places(&self) -> Vec<PathBuf> {
        self.roots.iter().map(|root| root.open.clone()).collect()
    }

    /// The folder of the root that `place` lies in.
    pub(crate) fn base_of(&self, place: &Place) -> &Path {
        self.root_at(place.root).map_or(Path::new("/"), |root| &root.base)
    }

    /// The absolute path a given path means, by its text; the user's spelling of a root becomes the real one.
    pub(crate) fn absolute(&self, given: &str) -> Result<PathBuf, FileError> {
        let path = lexical::absolute(self.root(), given)?;
        if self.root_of(&path).is_some() {
            return Ok(path);
        }
        let alias = self.roots.iter().find_map(|root| Some(root.open.join(path.strip_prefix(&root.alias).ok()?)));
        Ok(alias.unwrap_or(path))
    }

    /// Where a given path leads, for whoever may change what stands there.
    pub(crate) fn resolve(&self, given: &str, last: Last) -> Result<Place, FileError> {
        self.resolve_for(Purpose::Change, given, last)
    }

    /// Where a given path leads, for whoever only reads what stands there.
    pub(crate) fn resolve_to_read(&self, given: &str) -> Result<Place, FileError> {
        self.resolve_for(Purpose::Read, given, Last::Follow)
    }

    fn resolve_for(&self, purpose: Purpose, given: &str, last: Last) -> Result<Place, FileError> {
        let path = self.absolute(given)?;
        if self.place_of(purpose, &path).is_none() {
            let reason = format!("the root is {}", self.root().display());
            return Err(FileError::OutsideWorkspace { path: given.to_owned(), reason });
        }
        Resolve::new(self, given, &path, last, purpose).run()
    }

    /// The root that a path without links lies in; one past the last for what was opened outside.
    pub(crate) fn place_of(&self, purpose: Purpose, path: &Path) -> Option<usize> {
        let opened = |outside: &&Outside| purpose == Purpose::Read && outside.readable.is_match(path);
        self.root_of(path).or_else(|| self.outside.as_ref().filter(opened).map(|_| self.roots.len()))
    }

    fn root_at(&self, index: usize) -> Option<&Root> {
        let outside = self.outside.as_ref().filter(|_| index == self.roots.len());
        self.roots.get(index).or_else(|| outside.map(|outside| &outside.root))
    }

    /// Opens what stands at `place`.
    pub(crate) fn open(&self, place: &Place, flags: OFlags) -> Result<OwnedFd, Errno> {
        self.open_real(place.root, &place.real, flags)
    }

    /// Opens the deepest folder on the way to `place` that exists, `missing` components up.
    pub(crate) fn open_parent(&self, place: &Place) -> Result<OwnedFd, Errno> {
        let up = place.missing.max(1);
        let folder = place.real.ancestors().nth(up).unwrap_or(Path::new("/"));
        self.open_real(place.root, folder, FOLDER)
    }

    /// Opens `real`, an absolute path without links that was found below the same root as `place`.
    pub(crate) fn open_below(&self, place: &Place, real: &Path, flags: OFlags) -> Result<OwnedFd, Errno> {
        self.open_real(place.root, real, flags)
    }

    /// Opens an absolute path without links below the first root.
    pub(crate) fn open_at_root(&self, real: &Path, flags: OFlags) -> Result<OwnedFd, Errno> {
        self.open_real(0, real, flags)
    }

    /// Opens an existing regular file for reading. Nothing that could block is ever opened.
    pub(crate) fn open_file(&self, given: &str) -> Result<(Place, File, Stat), FileError> {
        let mut last = Errno::LOOP;
        for _ in 0..TRIES {
            let place = self.resolve_to_read(given)?;
            let Some(found) = &place.stat else {
                return Err(FileError::NotFound { path: given.to_owned(), near: Vec::new() });
            };
            kind::regular(given, found)?;
            match self.open(&place, OFlags::RDONLY | OFlags::NONBLOCK | OFlags::NOCTTY) {
                Ok(fd) => {
                    let now = fstat(&fd).map_err(|errno| FileError::from_errno(given, errno))?;
                    kind::regular(given, &now)?;
                    return Ok((place, File::from(fd), now));
                }
                Err(errno @ (Errno::LOOP | Errno::NOTDIR | Errno::NOENT | Errno::XDEV | Errno::AGAIN)) => last = errno,
                Err(errno) => return Err(FileError::from_errno(given, errno)),
            }
        }
        Err(FileError::from_errno(given, if last == Errno::NOENT { last } else { Errno::LOOP }))
    }

    /// The identities of what is closed, as of now.
    pub(crate) fn barrier_ids(&self) -> Vec<Id> {
        self.barriers.iter().filter_map(|barrier| stat(&barrier.real).ok().map(|found| id(&found))).collect()
    }

    /// True when a file without links is a `.env` that nobody but the user is to read.
    pub(crate) fn is_secret(&self, real: &Path) -> bool {
        let outside = || {
            let outside = self.outside.as_ref().filter(|_| self.root_of(real).is_none());
            outside.is_some_and(|outside| outside.hold(real))
        };
        (self.secrets.iter().any(|secrets| secrets.hold(real)) || outside()) && real.is_file()
    }

    /// All of those that are there.
    pub(crate) fn secrets(&self) -> Vec<PathBuf> {
        let around = self.around.iter().flat_map(Secrets::there_with_sockets);
        let around = around.filter(|path| self.root_of(path).is_none());
        self.secrets.iter().flat_map(Secrets::there).chain(around).collect()
    }

    /// Those that the index has now.
    pub(crate) fn copied_secrets(&self) -> Vec<PathBuf> {
        let around = self.around.iter().flat_map(Secrets::copied).filter(|path| self.root_of(path).is_none());
        self.secrets.iter().flat_map(Secrets::copied).chain(around).collect()
    }

    /// The repository around the first root, which commands see.
    pub(crate) fn around(&self) -> Option<&Path> {
        self.around.as_ref().map(Secrets::root)
    }

    /// True when a path without links, found on a walk, is closed.
    pub(crate) fn hides(&self, real: &Path, inode: Option<u64>, ids: &[Id]) -> bool {
        let named = self.unlisted.is_match(real.strip_prefix(self.root()).unwrap_or(real));
        if named || self.barriers.iter().any(|barrier| barrier.covers(real)) || self.is_secret(real) {
            return true;
        }
        let suspect = inode.is_none_or(|inode| ids.iter().any(|(_, closed)| *closed == inode));
        !ids.is_empty()
            && suspect
            && statat(CWD, real, AtFlags::SYMLINK_NOFOLLOW).is_ok_and(|found| ids.contains(&id(&found)))
    }

    fn open_real(&self, root: usize, real: &Path, flags: OFlags) -> Result<OwnedFd, Errno> {
        let root = self.root_at(root).ok_or(Errno::BADF)?;
        let rest = real.strip_prefix(&root.base).map_err(|_| Errno::XDEV)?;
        self.beneath.open(root.fd.as_fd(), rest, flags, Mode::empty())
    }

    pub(crate) fn root_of(&self, path: &Path) -> Option<usize> {
        let inside = self.roots.iter().enumerate().filter(|(_, root)| path.starts_with(&root.open));
        inside.max_by_key(|(_, root)| root.open.as_os_str().len()).map(|(index, _)| index)
    }

    /// True for a folder above a root (and the root): it is known to have no links.
    pub(crate) fn leads_to_root(&self, path: &Path) -> bool {
        self.roots.iter().any(|root| root.base.starts_with(path))
    }
}

impl Outside {
    fn of(patterns: &[String]) -> Result<Option<Self>, FileError> {
        if patterns.is_empty() {
            return Ok(None);
        }
        // A folder whose whole content is open is open itself.
        let folders = patterns.iter().filter_map(|pattern| pattern.strip_suffix("/**")).filter(|path| !path.is_empty());
        let all: Vec<String> = patterns.iter().cloned().chain(folders.map(str::to_owned)).collect();
        let named: Vec<String> = all.iter().filter(|pattern| *pattern != EVERYTHING).cloned().collect();
        Ok(Some(Self { readable: globs(&all)?, named: globs(&named)?, root: Root::open(Path::new("/"))? }))
    }

    /// True for a file that holds keys by its name and that no rule names.
    fn hold(&self, real: &Path) -> bool {
        is_named_path(real.as_os_str().as_encoded_bytes()) && !self.named.is_match(real)
    }
}

impl Root {
    /// A folder that must exist.
    fn open(path: &Path) -> Result<Self, FileError> {
        let given = path.to_string_lossy();
        let alias = lexical::normalise(&std::path::absolute(path).map_err(|error| FileError::from_io(&given, error))?);
        let base = std::fs::canonicalize(path).map_err(|error| FileError::from_io(&given, error))?;
        let fd = openat(CWD, &base, FOLDER, Mode::empty()).map_err(|errno| FileError::from_errno(&given, errno))?;
        Ok(Self { open: base.clone(), base, alias, fd })
    }

    /// A folder or a file, if it exists.
    fn open_any(path: &Path) -> Option<Self> {
        let open = std::fs::canonicalize(path).ok()?;
        if open.is_dir() {
            return Self::open(path).ok();
        }
        let folder = Self::open(open.parent()?).ok()?;
        Some(Self { open, alias: lexical::normalise(path), ..folder })
    }
}

impl Barrier {
    fn new(path: &Path, reason: &'static str) -> Self {
        let given = lexical::normalise(path);
        let real = std::fs::canonicalize(path).unwrap_or_else(|_| given.clone());
        Self { real, given, spared: None, reason }
    }

    /// The same without a root that lies in it.
    fn sparing(mut self, root: Option<&Path>) -> Self {
        self.spared = root.filter(|root| **root != self.real && root.starts_with(&self.real)).map(Path::to_owned);
        self
    }

    pub(crate) fn covers(&self, path: &Path) -> bool {
        let spared = self.spared.as_ref().is_some_and(|root| path.starts_with(root));
        !spared && (path.starts_with(&self.real) || path.starts_with(&self.given))
    }
}

/// The identity of what was found.
#[allow(clippy::unnecessary_cast)]
pub(crate) fn id(found: &Stat) -> Id {
    (found.st_dev as u64, found.st_ino as u64)
}
