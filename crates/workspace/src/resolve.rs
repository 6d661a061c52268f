//! Finding out where a path leads: links are followed one by one, and every name on the way is checked.
//! The answer is not trusted when the file is opened; it says which file is meant.

use crate::FileError;
use crate::boundary::{Boundary, Id, Last, Place, Purpose, id};
use rustix::fs::{AtFlags, CWD, FileType, Stat, readlinkat, stat, statat};
use rustix::io::Errno;
use std::collections::VecDeque;
use std::ffi::{OsStr, OsString};
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

/// As many links as Linux itself follows in one path.
const MAX_LINKS: usize = 40;

const SECRET: &str = "it is an .env file that git does not have as it is; a rule such as allow Read(.env) opens it";

/// One walk along a path.
pub(crate) struct Resolve<'a> {
    boundary: &'a Boundary,
    given: &'a str,
    last: Last,
    purpose: Purpose,
    pending: VecDeque<OsString>,
    real: PathBuf,
    stat: Option<Stat>,
    missing: usize,
    links: usize,
    ids: Vec<Id>,
}

impl<'a> Resolve<'a> {
    pub(crate) fn new(boundary: &'a Boundary, given: &'a str, path: &Path, last: Last, purpose: Purpose) -> Self {
        Self {
            boundary,
            given,
            last,
            purpose,
            pending: parts(path).collect(),
            real: PathBuf::from("/"),
            stat: None,
            missing: 0,
            links: 0,
            ids: boundary.barrier_ids(),
        }
    }

    pub(crate) fn run(mut self) -> Result<Place, FileError> {
        while let Some(name) = self.pending.pop_front() {
            self.enter(&name)?;
        }
        let Some(root) = self.boundary.place_of(self.purpose, &self.real) else { return Err(self.outside()) };
        if self.stat.is_none() && self.missing == 0 {
            self.stat = stat(&self.real).ok();
        }
        self.closed()?;
        if self.stat.is_some() && self.boundary.is_secret(&self.real) {
            return Err(FileError::Forbidden { path: self.given.to_owned(), reason: SECRET });
        }
        Ok(Place { root, real: self.real, stat: self.stat, missing: self.missing })
    }

    fn enter(&mut self, name: &OsStr) -> Result<(), FileError> {
        if name == ".." {
            if self.missing > 0 {
                return Err(FileError::NotFound { path: self.given.to_owned(), near: Vec::new() });
            }
            self.real.pop();
            self.stat = None;
            return Ok(());
        }
        self.real.push(name);
        self.stat = None;
        if self.missing > 0 {
            self.missing += 1;
            return Ok(());
        }
        if self.boundary.leads_to_root(&self.real) {
            return Ok(());
        }
        let inside = self.boundary.place_of(self.purpose, &self.real).is_some();
        // The links of /proc are not what their text says; none of them is a way in.
        if self.boundary.root_of(&self.real).is_none() && self.real.starts_with("/proc") {
            return Err(self.outside());
        }
        self.closed()?;
        let found = match statat(CWD, &self.real, AtFlags::SYMLINK_NOFOLLOW) {
            Ok(found) => found,
            Err(_) if !inside => return Err(self.outside()),
            Err(Errno::NOENT) => {
                self.missing = 1;
                return Ok(());
            }
            Err(errno) => return Err(FileError::from_errno(self.given, errno)),
        };
        self.stat = Some(found);
        if FileType::from_raw_mode(found.st_mode) == FileType::Symlink
            && (self.last == Last::Follow || !self.pending.is_empty())
        {
            return self.follow();
        }
        Ok(())
    }

    fn follow(&mut self) -> Result<(), FileError> {
        self.links += 1;
        if self.links > MAX_LINKS {
            return Err(FileError::from_errno(self.given, Errno::LOOP));
        }
        let target = readlinkat(CWD, &self.real, Vec::new()).map_err(|e| FileError::from_errno(self.given, e))?;
        let target = Path::new(OsStr::from_bytes(target.as_bytes()));
        if target.is_absolute() {
            self.real = PathBuf::from("/");
        } else {
            self.real.pop();
        }
        self.stat = None;
        for part in parts(target).collect::<Vec<_>>().into_iter().rev() {
            self.pending.push_front(part);
        }
        Ok(())
    }

    fn closed(&self) -> Result<(), FileError> {
        let barriers = &self.boundary.barriers;
        let by_id = self.stat.as_ref().is_some_and(|found| self.ids.contains(&id(found)));
        let by_path = barriers.iter().find(|barrier| barrier.covers(&self.real));
        match (by_path, by_id) {
            (None, false) => Ok(()),
            (barrier, _) => Err(FileError::Forbidden {
                path: self.given.to_owned(),
                reason: barrier.map_or("it is another name of a closed file", |barrier| barrier.reason),
            }),
        }
    }

    fn outside(&self) -> FileError {
        let reason = format!("a symbolic link leads to {}", self.real.display());
        FileError::OutsideWorkspace { path: self.given.to_owned(), reason }
    }
}

fn parts(path: &Path) -> impl Iterator<Item = OsString> + '_ {
    path.components().filter_map(|part| match part {
        std::path::Component::Normal(name) => Some(name.to_owned()),
        std::path::Component::ParentDir => Some("..".into()),
        _ => None,
    })
}
