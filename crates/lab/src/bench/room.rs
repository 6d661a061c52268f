//! The folder that trials happen in. It has nothing in it but the file of the case, and goes away afterwards; what a run
//! left that was killed goes with the next one.

use super::cases::EditCase;
use reasonix_store::private_folder;
use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};

/// The folder.
pub(super) struct Room {
    path: PathBuf,
    /// Tells others that it is in use.
    _lock: File,
}

impl Room {
    /// Makes one below this folder.
    pub(super) fn new(parent: &Path) -> io::Result<Self> {
        private_folder(parent)?;
        sweep(parent);
        let path = parent.join(std::process::id().to_string());
        private_folder(&path)?;
        let lock = File::open(&path)?;
        lock.try_lock().map_err(io::Error::from)?;
        Ok(Self { path: path.canonicalize()?, _lock: lock })
    }

    /// The folder itself.
    pub(super) fn path(&self) -> &Path {
        &self.path
    }

    /// Takes everything out of it and puts the file of the case in.
    pub(super) fn prepare(&self, case: &EditCase) -> io::Result<()> {
        for entry in fs::read_dir(&self.path)? {
            let path = entry?.path();
            if path.symlink_metadata()?.is_dir() { fs::remove_dir_all(path)? } else { fs::remove_file(path)? }
        }
        let file = self.path.join(&case.path);
        file.parent().map_or(Ok(()), fs::create_dir_all)?;
        fs::write(file, &case.before)
    }

    /// True when the file is what it has to be, and nothing else is there.
    pub(super) fn is_right(&self, case: &EditCase) -> io::Result<bool> {
        let mut files = Vec::new();
        list(&self.path, &mut files)?;
        let own = self.path.join(&case.path);
        let is_alone = files.len() == 1 && files.first() == Some(&own);
        Ok(is_alone && fs::read(own)? == case.answer.as_bytes())
    }
}

impl Drop for Room {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.path);
    }
}

fn list(folder: &Path, into: &mut Vec<PathBuf>) -> io::Result<()> {
    for entry in fs::read_dir(folder)? {
        let path = entry?.path();
        if path.symlink_metadata()?.is_dir() { list(&path, into)? } else { into.push(path) }
    }
    Ok(())
}

/// Removes the folders that nobody holds.
fn sweep(parent: &Path) {
    for entry in fs::read_dir(parent).into_iter().flatten().flatten() {
        let free = File::open(entry.path()).is_ok_and(|file| file.try_lock().is_ok());
        if free {
            let _ = fs::remove_dir_all(entry.path());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::{LANGUAGES, case};
    use super::Room;

    #[test]
    fn one_file_is_right_and_anything_else_is_not() {
        let home = tempfile::tempdir().unwrap();
        let case = case(&LANGUAGES[0], 1, 0);
        let room = Room::new(&home.path().join("bench")).unwrap();
        room.prepare(&case).unwrap();
        assert!(!room.is_right(&case).unwrap());
        std::fs::write(room.path().join(&case.path), &case.answer).unwrap();
        assert!(room.is_right(&case).unwrap());
        std::fs::write(room.path().join("other"), "").unwrap();
        assert!(!room.is_right(&case).unwrap(), "another file");
        room.prepare(&case).unwrap();
        assert!(!room.path().join("other").exists());
        let path = room.path().to_owned();
        drop(room);
        assert!(!path.exists());
    }

    #[test]
    fn what_a_killed_run_left_goes_and_what_is_in_use_stays() {
        let home = tempfile::tempdir().unwrap();
        let parent = home.path().join("bench");
        for name in ["111", "222"] {
            std::fs::create_dir_all(parent.join(name).join("src")).unwrap();
        }
        let held = std::fs::File::open(parent.join("222")).unwrap();
        held.try_lock().unwrap();
        let _room = Room::new(&parent).unwrap();
        assert!(!parent.join("111").exists() && parent.join("222").exists());
    }
}
