//! Changes to several files that happen all or not at all. Every new content is on disk under a temporary name
//! before the first file changes; from then on only renames happen, each of which can be taken back.

use crate::act::{Act, perform};
use crate::boundary::{Boundary, Last, Place};
use crate::format::Format;
use crate::guard::{Guard, Seen};
use crate::leftover::Holds;
use crate::read::{self, Current};
use crate::stage::{Folders, Slot, Temp};
use crate::text::{self, TextFile};
use crate::{FileError, kind, lexical};
use reasonix_proto::ChangeKind;
use rustix::fs::{Access, AtFlags, FileType, Stat, accessat};
use rustix::io::Errno;
use std::collections::HashSet;
use std::io::Read;
use std::path::{Path, PathBuf};

/// More new contents than this get a name before they are published.
const MOST_HELD: usize = 32;

/// One change to one file. A commit may name a path once.
#[derive(Debug, Clone)]
pub enum Step {
    /// Creates a file, or replaces its content.
    Write {
        /// The file.
        path: String,
        /// The file as it was read for this change; the write is refused when it is different by now.
        /// Without it, the file must be as the session last saw it, or never seen.
        base: Option<TextFile>,
        /// The new content; its line ends are written as they are.
        text: String,
    },
    /// Removes a file, or a symbolic link (not what it points to).
    Remove {
        /// The file.
        path: String,
    },
    /// Moves a file to a path that does not exist yet, with new content when there is some.
    Move {
        /// Where it is.
        from: String,
        /// Where it goes.
        to: String,
        /// The file as it was read for this change, as in `Write`.
        base: Option<TextFile>,
        /// The new content.
        text: Option<String>,
    },
}

/// What a step did.
#[derive(Debug, Clone)]
pub struct Written {
    /// The path, relative to the root where it lies below it.
    pub path: String,
    /// What was done.
    pub kind: ChangeKind,
    /// The text before, when there was one that can be shown.
    pub before: Option<String>,
    /// The layout the file has now (or had, when it was removed).
    pub format: Format,
}

/// Everything that is known before the first file changes.
#[derive(Debug)]
pub(crate) struct Plan<'a> {
    boundary: &'a Boundary,
    guard: &'a Guard,
    /// Before `folders`, because it is dropped in this order and a folder must be empty to go.
    acts: Vec<Act>,
    folders: Folders,
    touched: HashSet<PathBuf>,
    seen: Vec<(PathBuf, Option<blake3::Hash>)>,
    written: Vec<Written>,
}

impl<'a> Plan<'a> {
    /// Checks and stages every step.
    pub(crate) fn new(boundary: &'a Boundary, guard: &'a Guard, steps: Vec<Step>) -> Result<Self, FileError> {
        let (folders, touched) = (Folders::default(), HashSet::new());
        let mut plan =
            Self { boundary, guard, folders, touched, acts: Vec::new(), seen: Vec::new(), written: Vec::new() };
        for step in steps {
            match step {
                Step::Write { path, base, text } => plan.write(&path, base.as_ref(), &text)?,
                Step::Remove { path } => plan.remove(&path)?,
                Step::Move { from, to, base, text } => plan.shift(&from, &to, base.as_ref(), text.as_deref())?,
            }
        }
        Ok(plan)
    }

    /// Does it all, or takes back what was done.
    pub(crate) fn apply(mut self) -> Result<Vec<Written>, FileError> {
        perform(std::mem::take(&mut self.acts))?;
        self.folders.keep();
        for (real, hash) in &self.seen {
            match hash {
                Some(hash) => self.guard.saw(real, Seen::Hash(*hash)),
                None => self.guard.forget(real),
            }
        }
        Ok(std::mem::take(&mut self.written))
    }

    fn write(&mut self, path: &str, base: Option<&TextFile>, text: &str) -> Result<(), FileError> {
        if path.ends_with('/') {
            return Err(FileError::IsDirectory { path: path.to_owned() });
        }
        let place = self.touch(path, Last::Follow)?;
        let Some(found) = place.stat else {
            if base.is_some() {
                return Err(FileError::ChangedSinceRead { path: path.to_owned() });
            }
            return self.create(path, &place, text, Format::NEW, ChangeKind::Created, None);
        };
        let (slot, current) = self.existing(path, &place, &found, base)?;
        let format = self.format_of(base, &current);
        let bytes = encode(path, text, &format)?;
        let hash = blake3::hash(&bytes);
        let unchanged = hash == current.hash;
        if !unchanged {
            writable(&slot)?;
            let temp = self.stage(&slot, &mut bytes.as_slice(), Some(&current.stat))?;
            self.acts.push(Act::Replace(slot, temp, current.hash));
        }
        let kind = if unchanged { ChangeKind::Unchanged } else { ChangeKind::Updated };
        self.seen.push((place.real.clone(), Some(hash)));
        self.note(&place, kind, current.text(), format);
        Ok(())
    }

    fn create(
        &mut self,
        path: &str,
        place: &Place,
        text: &str,
        format: Format,
        kind: ChangeKind,
        before: Option<(String, &Stat)>,
    ) -> Result<(), FileError> {
        let bytes = encode(path, text, &format)?;
        let slot = self.slot(path, place)?;
        let (before, like) = before.unzip();
        let temp = self.stage(&slot, &mut bytes.as_slice(), like)?;
        self.acts.push(Act::Create(slot, temp));
        self.seen.push((place.real.clone(), Some(blake3::hash(&bytes))));
        self.note(place, kind, before, format);
        Ok(())
    }

    fn remove(&mut self, path: &str) -> Result<(), FileError> {
        let place = self.touch(path, Last::Keep)?;
        let found = place.stat.ok_or_else(|| FileError::NotFound { path: path.to_owned(), near: Vec::new() })?;
        let (slot, hash, before, format) = if is_link(&found) {
            (self.slot(path, &place)?, None, None, Format::NEW)
        } else {
            let (slot, current) = self.existing(path, &place, &found, None)?;
            let format = self.format_of(None, &current);
            (slot, Some(current.hash), current.text(), format)
        };
        self.acts.push(Act::Remove(slot, hash));
        self.seen.push((place.real.clone(), None));
        self.note(&place, ChangeKind::Deleted, before, format);
        Ok(())
    }

    fn shift(&mut self, from: &str, to: &str, base: Option<&TextFile>, text: Option<&str>) -> Result<(), FileError> {
        let source = self.touch(from, Last::Keep)?;
        let found = source.stat.ok_or_else(|| FileError::NotFound { path: from.to_owned(), near: Vec::new() })?;
        let target = self.touch(to, Last::Keep)?;
        if target.stat.is_some() {
            return Err(FileError::Exists { path: to.to_owned() });
        }
        let kind = ChangeKind::Moved { from: lexical::shown(self.boundary.root(), &source.real) };
        if is_link(&found) {
            let (slot, goal) = (self.slot(from, &source)?, self.slot(to, &target)?);
            self.acts.push(Act::Rename { from: slot, to: goal, hash: None });
            self.note(&target, kind, None, Format::NEW);
            return Ok(());
        }
        let (slot, current) = self.existing(from, &source, &found, base)?;
        let format = self.format_of(base, &current);
        let hash = current.hash;
        self.seen.push((source.real.clone(), None));
        if let Some(text) = text {
            let before = current.text().unwrap_or_default();
            self.create(to, &target, text, format, kind, Some((before, &current.stat)))?;
            self.acts.push(Act::Remove(slot, Some(hash)));
            return Ok(());
        }
        let goal = self.slot(to, &target)?;
        self.carry(slot, goal, &current)?;
        self.seen.push((target.real.clone(), Some(hash)));
        self.note(&target, kind, current.text(), format);
        Ok(())
    }

    /// Renames, or copies and removes where the two lie on different file systems.
    fn carry(&mut self, from: Slot, to: Slot, current: &Current) -> Result<(), FileError> {
        let hash = current.hash;
        let dev = |slot: &Slot| rustix::fs::fstat(&slot.dir).map(|found| found.st_dev);
        if matches!((dev(&from), dev(&to)), (Ok(a), Ok(b)) if a == b) {
            self.acts.push(Act::Rename { from, to, hash: Some(hash) });
            return Ok(());
        }
        let mut file = read::at(&from)?;
        let temp = self.stage(&to, &mut file, Some(&current.stat))?;
        self.acts.push(Act::Create(to, temp));
        self.acts.push(Act::Remove(from, Some(hash)));
        Ok(())
    }

    /// A new content beside its goal. A file without a name is held open, so that only so many are.
    fn stage(&self, slot: &Slot, source: &mut dyn Read, like: Option<&Stat>) -> Result<Temp, FileError> {
        let temp = Temp::create(&slot.dir, source, like).map_err(|error| FileError::from_io(&slot.given, error))?;
        if self.acts.len() < MOST_HELD {
            return Ok(temp);
        }
        temp.named(Holds::Ours).map_err(|errno| FileError::from_errno(&slot.given, errno))
    }

    /// Where `path` leads; a path that an earlier step has touched is refused.
    fn touch(&mut self, path: &str, last: Last) -> Result<Place, FileError> {
        let place = self.boundary.resolve(path, last)?;
        if !self.touched.insert(place.real.clone()) {
            return Err(FileError::InvalidPath { path: path.to_owned(), reason: "it stands twice in one change" });
        }
        Ok(place)
    }

    /// The content that stands at `place`, after a check that it may be changed.
    fn existing(
        &self,
        path: &str,
        place: &Place,
        found: &Stat,
        base: Option<&TextFile>,
    ) -> Result<(Slot, Current), FileError> {
        kind::regular(path, found)?;
        let slot = self.open_slot(path, place)?;
        let current = read::current(read::at(&slot)?, path)?;
        let same = match base {
            Some(base) => base.hash == current.hash,
            None => self.guard.allows(&place.real, current.hash, &current.stat),
        };
        if !same {
            return Err(FileError::ChangedSinceRead { path: path.to_owned() });
        }
        Ok((slot, current))
    }

    fn slot(&mut self, path: &str, place: &Place) -> Result<Slot, FileError> {
        if place.missing <= 1 {
            return self.open_slot(path, place);
        }
        let parent = self.boundary.open_parent(place).map_err(|errno| FileError::from_errno(path, errno))?;
        let depth = place.real.components().count() - place.missing;
        let names: PathBuf = place.real.components().skip(depth).take(place.missing - 1).collect();
        let dir = self.folders.make(parent, &names).map_err(|errno| FileError::from_errno(path, errno))?;
        Ok(Slot { dir, name: name_of(path, &place.real)?, given: path.to_owned() })
    }

    fn open_slot(&self, path: &str, place: &Place) -> Result<Slot, FileError> {
        let parent = self.boundary.open_parent(place).map_err(|errno| FileError::from_errno(path, errno))?;
        let name = name_of(path, &place.real)?;
        Ok(Slot { dir: parent.into(), name, given: path.to_owned() })
    }

    fn format_of(&self, base: Option<&TextFile>, current: &Current) -> Format {
        let mode = Some(current.stat.st_mode & 0o7777);
        let format = base.map(|base| base.format).or_else(|| current.format());
        Format { mode, ..format.unwrap_or(Format::NEW) }
    }

    fn note(&mut self, place: &Place, kind: ChangeKind, before: Option<String>, format: Format) {
        let path = lexical::shown(self.boundary.root(), &place.real);
        self.written.push(Written { path, kind, before, format });
    }
}

/// Whether a file can be written, or moved here from elsewhere, as far as that is told without touching anything.
pub(crate) fn check(boundary: &Boundary, path: &str, from: Option<&str>) -> Result<(), FileError> {
    let Some(from) = from else {
        let place = boundary.resolve(path, Last::Follow)?;
        let Some(found) = place.stat else { return Ok(()) };
        kind::regular(path, &found)?;
        let dir = boundary.open_parent(&place).map_err(|errno| FileError::from_errno(path, errno))?.into();
        return writable(&Slot { dir, name: name_of(path, &place.real)?, given: path.to_owned() });
    };
    let source = boundary.resolve(from, Last::Keep)?;
    let found = source.stat.ok_or_else(|| FileError::NotFound { path: from.to_owned(), near: Vec::new() })?;
    if boundary.resolve(path, Last::Keep)?.stat.is_some() {
        return Err(FileError::Exists { path: path.to_owned() });
    }
    if is_link(&found) { Ok(()) } else { kind::regular(from, &found) }
}

/// A rename would replace a file that is marked as not to be written; this does not.
fn writable(slot: &Slot) -> Result<(), FileError> {
    match accessat(&slot.dir, &slot.name, Access::WRITE_OK, AtFlags::EACCESS) {
        Err(errno @ (Errno::ACCESS | Errno::PERM | Errno::ROFS)) => Err(FileError::from_errno(&slot.given, errno)),
        _ => Ok(()),
    }
}

fn encode(path: &str, content: &str, format: &Format) -> Result<Vec<u8>, FileError> {
    text::encode(content, format).map_err(|bad| FileError::CannotEncode {
        path: path.to_owned(),
        character: bad.character,
        line: bad.line,
        encoding: format.encoding.name(),
    })
}

fn name_of(path: &str, real: &Path) -> Result<std::ffi::OsString, FileError> {
    real.file_name().map(ToOwned::to_owned).ok_or_else(|| FileError::IsDirectory { path: path.to_owned() })
}

fn is_link(found: &Stat) -> bool {
    FileType::from_raw_mode(found.st_mode) == FileType::Symlink
}
