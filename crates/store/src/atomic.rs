//! Files that appear whole or not at all.

use rustix::fs::{Mode, OFlags};
use std::ffi::OsString;
use std::fs::File;
use std::hash::{BuildHasher, Hasher, RandomState};
use std::io::{self, Write};
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

/// Replaces a file by these bytes in one step: readers see the old content or the new, also after a power cut.
///
/// The new file has exactly `mode`, whatever the umask. A symlink at `path` is replaced, not followed.
pub fn write_atomic(path: &Path, bytes: &[u8], mode: u32) -> io::Result<()> {
    let staged = Staged::create(path)?;
    staged.fill(bytes, mode)?;
    staged.file.sync_all()?;
    staged.rename_to(path)?;
    // The rename itself must survive too. Some file systems cannot sync a folder; the file is there all the same.
    let _ = File::open(parent_of(path)).and_then(|folder| folder.sync_all());
    Ok(())
}

/// Like [`write_atomic`], but a power cut may leave damaged bytes: for content that can be checked, without the wait.
pub fn place(path: &Path, bytes: &[u8], mode: u32) -> io::Result<()> {
    let staged = Staged::create(path)?;
    staged.fill(bytes, mode)?;
    staged.rename_to(path)
}

fn parent_of(path: &Path) -> &Path {
    match path.parent() {
        Some(folder) if !folder.as_os_str().is_empty() => folder,
        _ => Path::new("."),
    }
}

/// A temporary file beside its goal; removed when it did not get there.
#[derive(Debug)]
pub(crate) struct Staged {
    path: PathBuf,
    file: File,
    moved: bool,
}

impl Staged {
    pub(crate) fn create(goal: &Path) -> io::Result<Self> {
        let name = goal.file_name().ok_or_else(|| io::Error::from(io::ErrorKind::InvalidInput))?;
        let flags = OFlags::WRONLY | OFlags::CREATE | OFlags::EXCL | OFlags::NOFOLLOW | OFlags::CLOEXEC;
        loop {
            let mut hidden = OsString::from(".");
            hidden.push(name);
            hidden.push(format!(".{:016x}.tmp", unpredictable()));
            let path = parent_of(goal).join(hidden);
            match rustix::fs::open(&path, flags, Mode::RUSR | Mode::WUSR) {
                Ok(fd) => return Ok(Self { path, file: File::from(fd), moved: false }),
                Err(rustix::io::Errno::EXIST) => {}
                Err(error) => return Err(error.into()),
            }
        }
    }

    fn fill(&self, bytes: &[u8], mode: u32) -> io::Result<()> {
        (&self.file).write_all(bytes)?;
        self.file.set_permissions(std::fs::Permissions::from_mode(mode))
    }

    pub(crate) fn file(&self) -> &File {
        &self.file
    }

    pub(crate) fn rename_to(mut self, goal: &Path) -> io::Result<()> {
        std::fs::rename(&self.path, goal)?;
        self.moved = true;
        Ok(())
    }
}

impl Drop for Staged {
    fn drop(&mut self) {
        if !self.moved {
            let _ = std::fs::remove_file(&self.path);
        }
    }
}

/// A number that nobody else can guess; the standard library seeds its hashers from the system's random source.
fn unpredictable() -> u64 {
    RandomState::new().build_hasher().finish()
}

#[cfg(test)]
mod tests {
    use super::write_atomic;
    use std::os::unix::fs::PermissionsExt;

    #[test]
    fn replaces_content_and_sets_the_mode() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a");
        std::fs::write(&path, "old").unwrap();
        write_atomic(&path, b"new", 0o640).unwrap();
        assert_eq!(std::fs::read(&path).unwrap(), b"new");
        assert_eq!(std::fs::metadata(&path).unwrap().permissions().mode() & 0o7777, 0o640);
    }

    #[test]
    fn a_symlink_is_replaced_and_its_target_kept() {
        let folder = tempfile::tempdir().unwrap();
        let (target, link) = (folder.path().join("target"), folder.path().join("link"));
        std::fs::write(&target, "kept").unwrap();
        std::os::unix::fs::symlink(&target, &link).unwrap();
        write_atomic(&link, b"new", 0o600).unwrap();
        assert_eq!(std::fs::read(&target).unwrap(), b"kept");
        assert!(!link.is_symlink());
    }

    #[test]
    fn a_failure_leaves_nothing_behind() {
        let folder = tempfile::tempdir().unwrap();
        let goal = folder.path().join("taken");
        std::fs::create_dir(&goal).unwrap();
        assert!(write_atomic(&goal, b"x", 0o600).is_err());
        assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 1);
    }
}
