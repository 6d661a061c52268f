//! The folder that clones and patches of a batch lie in. Only what a batch made is ever removed or written over: the folder is
//! made, marked and locked by one, and refused where it is somebody else's.

use super::BatchFault;
use reasonix_store::{Lock, LockError};
use std::fs::{self, OpenOptions};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

/// The file that says whose folder it is.
const MARK: &str = "reasonix-batch";
/// What stands in it.
const WORDS: &str = "A batch of Reasonix keeps clones and patches here, and removes them.\n";
/// The file that one batch at a time holds.
const LOCK: &str = "reasonix-batch.lock";
/// Where the clones are. No task is called so: neither a patch nor a clone takes the place of another.
const CLONES: &str = "clones";

/// A folder of one batch, for as long as this lives.
#[derive(Debug)]
pub struct WorkFolder {
    path: PathBuf,
    _lock: Lock,
}

impl WorkFolder {
    /// Makes the folder, or takes up one that a batch made. One that is a link, or in which there are other things, is
    /// refused, and nothing is put into it.
    pub fn open(path: &Path) -> Result<Self, BatchFault> {
        // A slash at the end would lead through a link.
        let path: PathBuf = path.components().collect();
        let fault = |error: io::Error| BatchFault::file(&path, error);
        let foreign = || BatchFault::Foreign { path: path.display().to_string() };
        match path.symlink_metadata() {
            Ok(found) if !found.is_dir() => return Err(foreign()),
            Err(error) if error.kind() == io::ErrorKind::NotFound => fs::create_dir_all(&path).map_err(fault)?,
            other => {
                other.map_err(fault)?;
            }
        }
        let marked = is_marked(&path);
        if !marked && !is_empty(&path).map_err(fault)? {
            return Err(foreign());
        }
        let lock = Lock::try_acquire(&path.join(LOCK)).map_err(|error| match error {
            LockError::Held { .. } => BatchFault::Taken { path: path.display().to_string() },
            other => BatchFault::file(&path, other),
        })?;
        if !is_marked(&path) {
            let mut mark = OpenOptions::new().write(true).create_new(true).open(path.join(MARK)).map_err(fault)?;
            mark.write_all(WORDS.as_bytes()).map_err(fault)?;
        }
        let clones = path.join(CLONES);
        match clones.symlink_metadata() {
            Ok(found) if found.is_dir() => {}
            Ok(_) => return Err(foreign()),
            Err(_) => fs::create_dir(&clones).map_err(fault)?,
        }
        Ok(Self { path, _lock: lock })
    }

    /// Where the clone of a task is.
    pub fn clone_of(&self, id: &str) -> PathBuf {
        self.path.join(CLONES).join(id)
    }

    /// Where the patch of a task is.
    pub fn patch_of(&self, id: &str) -> PathBuf {
        self.path.join(format!("{id}.patch"))
    }

    /// The folder itself.
    pub fn path(&self) -> &Path {
        &self.path
    }
}

fn is_marked(folder: &Path) -> bool {
    let mark = folder.join(MARK);
    let plain = mark.symlink_metadata().is_ok_and(|found| found.is_file() && found.len() == WORDS.len() as u64);
    plain && fs::read(mark).is_ok_and(|words| words == WORDS.as_bytes())
}

/// Whether nothing is in it but the lock of one that is about to mark it.
fn is_empty(folder: &Path) -> io::Result<bool> {
    for entry in fs::read_dir(folder)? {
        if entry?.file_name() != LOCK {
            return Ok(false);
        }
    }
    Ok(true)
}

#[cfg(test)]
mod tests {
    use super::{BatchFault, WorkFolder};
    use std::fs;
    use std::os::unix::fs::symlink;

    #[test]
    fn a_folder_of_somebody_else_is_refused_and_stays_as_it_is() {
        let place = tempfile::tempdir().unwrap();
        let at = |name: &str| place.path().join(name);
        fs::create_dir_all(at("mine/src")).unwrap();
        fs::write(at("file"), "x").unwrap();
        fs::create_dir(at("empty")).unwrap();
        symlink(at("empty"), at("link")).unwrap();
        // A mark that is a link, and a folder for clones that is one.
        fs::create_dir_all(at("marked")).unwrap();
        drop(WorkFolder::open(&at("ours")).unwrap());
        symlink(at("ours/reasonix-batch"), at("marked/reasonix-batch")).unwrap();
        fs::remove_dir(at("ours/clones")).unwrap();
        symlink(at("mine"), at("ours/clones")).unwrap();
        for name in ["mine", "file", "link", "link/", "marked", "ours"] {
            let refused = WorkFolder::open(&at(name));
            assert!(matches!(refused, Err(BatchFault::Foreign { .. })), "{name}: {refused:?}");
        }
        assert_eq!(fs::read_dir(at("mine")).unwrap().count(), 1);
        assert_eq!(fs::read_dir(at("empty")).unwrap().count(), 0);
        WorkFolder::open(&at("empty")).unwrap();
        WorkFolder::open(&at("empty")).unwrap();
    }

    #[test]
    fn one_batch_at_a_time_has_it_and_names_never_meet() {
        let place = tempfile::tempdir().unwrap();
        let work = WorkFolder::open(&place.path().join("a/b/work")).unwrap();
        assert!(matches!(WorkFolder::open(work.path()), Err(BatchFault::Taken { .. })));
        let ids = ["a", "a.patch", "a.patch.patch", "clones", "reasonix-batch", "a.traced"];
        let all: Vec<_> = ids.iter().flat_map(|id| [work.clone_of(id), work.patch_of(id)]).collect();
        let alone: std::collections::HashSet<_> = all.iter().collect();
        assert_eq!(alone.len(), all.len());
        assert!(all.iter().all(|path| !all.iter().any(|other| other != path && other.starts_with(path))));
    }
}
