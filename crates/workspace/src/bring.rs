//! Copies of what git does not carry along, for a clone: files that globs name, within bounds, and never from elsewhere.

use crate::FileError;
use crate::boundary::{Boundary, globs};
use globset::GlobSet;
use rustix::fs::{FileType, Mode, OFlags, fchmod};
use std::ffi::OsStr;
use std::fs::{self, File, OpenOptions};
use std::io;
use std::os::unix::fs::{MetadataExt, OpenOptionsExt, symlink};
use std::path::Path;

/// More files than this are not copied.
const MOST_FILES: u64 = 200_000;
/// More bytes than this are not copied.
const MOST_BYTES: u64 = 4 << 30;
/// The deepest folder that is looked into.
const DEEPEST: usize = 64;

struct Bringing<'a> {
    boundary: &'a Boundary,
    wanted: GlobSet,
    into: &'a Path,
    files: u64,
    bytes: u64,
}

/// Copies what the globs name. A glob for a folder stands for everything below it.
pub(crate) fn bring(boundary: &Boundary, patterns: &[String], into: &Path) -> Result<u64, FileError> {
    if patterns.is_empty() {
        return Ok(0);
    }
    let plain = patterns.iter().map(|pattern| pattern.trim_end_matches('/').trim_start_matches("./").to_owned());
    let wanted = globs(&plain.collect::<Vec<_>>())?;
    let mut bringing = Bringing { boundary, wanted, into, files: 0, bytes: 0 };
    bringing.folder(Path::new(""), false, 0)?;
    Ok(bringing.files)
}

impl Bringing<'_> {
    fn folder(&mut self, folder: &Path, named: bool, depth: usize) -> Result<(), FileError> {
        let real = self.boundary.root().join(folder);
        let Ok(entries) = fs::read_dir(&real) else { return Ok(()) };
        for entry in entries.flatten() {
            let (path, real) = (folder.join(entry.file_name()), entry.path());
            let closed = self.boundary.barriers.iter().any(|barrier| barrier.covers(&real));
            if closed || entry.file_name() == OsStr::new(".git") || self.boundary.is_secret(&real) {
                continue;
            }
            let Ok(kind) = entry.file_type() else { continue };
            let named = named || self.wanted.is_match(&path);
            if kind.is_dir() && depth < DEEPEST {
                self.folder(&path, named, depth + 1)?;
            } else if named {
                self.one(&path, &real).map_err(|error| FileError::from_io(&path.to_string_lossy(), error))?;
            }
        }
        Ok(())
    }

    fn one(&mut self, path: &Path, real: &Path) -> io::Result<()> {
        let to = self.into.join(path);
        if to.symlink_metadata().is_ok() {
            return Ok(());
        }
        let found = real.symlink_metadata()?;
        self.files += 1;
        self.bytes += found.size();
        if self.files > MOST_FILES || self.bytes > MOST_BYTES {
            return Err(io::Error::other("there is more than is copied (200,000 files, 4 GB)"));
        }
        match FileType::from_raw_mode(found.mode()) {
            FileType::Symlink => {
                make_way(&to)?;
                symlink(fs::read_link(real)?, &to)
            }
            FileType::RegularFile => {
                // No part of the way may be a link, whatever it was when it was listed.
                let mut from = File::from(self.boundary.open_at_root(real, OFlags::RDONLY | OFlags::NONBLOCK)?);
                make_way(&to)?;
                let mut copy = OpenOptions::new().write(true).create_new(true).mode(0o600).open(&to)?;
                io::copy(&mut from, &mut copy)?;
                Ok(fchmod(&copy, Mode::from_raw_mode(found.mode() & 0o7777))?)
            }
            _ => Ok(()),
        }
    }
}

fn make_way(to: &Path) -> io::Result<()> {
    to.parent().map_or(Ok(()), fs::create_dir_all)
}
