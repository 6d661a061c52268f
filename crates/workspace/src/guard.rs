//! What the session has seen of each file, so that nothing is overwritten that nobody looked at.

use rustix::fs::Stat;
use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};

/// What was seen of a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Seen {
    /// All of its bytes.
    Hash(blake3::Hash),
    /// A part of a file too large to hash at each look.
    Stamp(Stamp),
    /// That nothing stood there.
    Nothing,
}

/// What changes when a file is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Stamp {
    inode: u64,
    size: i64,
    modified: (i64, i64),
    changed: (i64, i64),
}

impl Stamp {
    #[allow(clippy::unnecessary_cast)]
    pub(crate) fn of(found: &Stat) -> Self {
        Self {
            inode: found.st_ino as u64,
            size: found.st_size as i64,
            modified: (found.st_mtime as i64, found.st_mtime_nsec as i64),
            changed: (found.st_ctime as i64, found.st_ctime_nsec as i64),
        }
    }
}

/// Files by their real path, and what was seen of them.
#[derive(Debug, Default)]
pub(crate) struct Guard(Mutex<HashMap<PathBuf, Seen>>);

impl Guard {
    pub(crate) fn saw(&self, real: &Path, seen: Seen) {
        self.lock().insert(real.to_path_buf(), seen);
    }

    pub(crate) fn forget(&self, real: &Path) {
        self.lock().remove(real);
    }

    /// True when the file, as it is now, may be changed: it was never seen, or is as it was seen.
    pub(crate) fn allows(&self, real: &Path, hash: blake3::Hash, found: &Stat) -> bool {
        match self.lock().get(real) {
            None => true,
            Some(Seen::Hash(seen)) => *seen == hash,
            Some(Seen::Stamp(seen)) => *seen == Stamp::of(found),
            Some(Seen::Nothing) => false,
        }
    }

    fn lock(&self) -> MutexGuard<'_, HashMap<PathBuf, Seen>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
