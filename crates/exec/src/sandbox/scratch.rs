//! The folder on disk that a session's box is made of: its own `/tmp`, its own home, and empty places to hide others.

use super::tables::{DEVICE_LINKS, DEVICES};
use std::fs::{self, DirBuilder, File, Permissions};
use std::io;
use std::os::unix::fs::{DirBuilderExt, MetadataExt, PermissionsExt, symlink};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU32, Ordering};

const NAME: &str = "reasonix-box-";

/// The folder. It goes when it is dropped, and with the next session when this one was killed.
#[derive(Debug)]
pub(super) struct Scratch {
    path: PathBuf,
    /// The lock that tells others that it is in use.
    _lock: Option<File>,
}

impl Scratch {
    pub(super) fn new() -> io::Result<Self> {
        static NEXT: AtomicU32 = AtomicU32::new(0);
        let parent = fs::canonicalize(std::env::temp_dir())?;
        sweep(&parent);
        let nanos =
            std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).map_or(0, |time| time.subsec_nanos());
        loop {
            let number = NEXT.fetch_add(1, Ordering::Relaxed);
            let path = parent.join(format!("{NAME}{}-{nanos:08x}{number}", std::process::id()));
            // What somebody else planted there is not taken.
            match DirBuilder::new().mode(0o700).create(&path) {
                Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
                Err(error) => return Err(error),
                Ok(()) => return Self { _lock: lock(&path), path }.furnish(),
            }
        }
    }

    fn furnish(self) -> io::Result<Self> {
        for name in ["empty", "dev/shm", "dev/pts", "dev/scratch", "held"] {
            DirBuilder::new().recursive(true).mode(0o755).create(self.at(name))?;
        }
        for name in DEVICES {
            fs::write(self.at("dev").join(name), "")?;
        }
        for (name, target) in DEVICE_LINKS {
            symlink(target, self.at("dev").join(name))?;
        }
        fs::write(self.at("blank"), "")?;
        self.folder("shm", 0o1777)?;
        Ok(self)
    }

    pub(super) fn at(&self, name: &str) -> PathBuf {
        self.path.join(name)
    }

    /// Makes a folder in it, with exactly this mode.
    pub(super) fn folder(&self, name: &str, mode: u32) -> io::Result<PathBuf> {
        let path = self.at(name);
        DirBuilder::new().recursive(true).mode(0o700).create(&path)?;
        fs::set_permissions(&path, Permissions::from_mode(mode))?;
        Ok(path)
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        remove(&self.path);
    }
}

/// Removes a tree, also one with folders that were made unreadable.
pub(super) fn remove(path: &Path) {
    if fs::remove_dir_all(path).is_err() {
        open_up(path);
        let _ = fs::remove_dir_all(path);
    }
}

fn open_up(path: &Path) {
    if !path.symlink_metadata().is_ok_and(|meta| meta.is_dir()) {
        return;
    }
    let _ = fs::set_permissions(path, Permissions::from_mode(0o700));
    for entry in fs::read_dir(path).into_iter().flatten().flatten() {
        open_up(&entry.path());
    }
}

/// The lock on a folder; none while another has it.
pub(super) fn lock(folder: &Path) -> Option<File> {
    let file = File::open(folder).ok()?;
    file.try_lock().is_ok().then_some(file)
}

/// Removes what sessions left that were killed.
fn sweep(parent: &Path) {
    let Ok(me) = fs::metadata("/proc/self") else { return };
    for entry in fs::read_dir(parent).into_iter().flatten().flatten() {
        let name = entry.file_name();
        let owner = name.to_str().and_then(|name| name.strip_prefix(NAME)).and_then(|rest| rest.split('-').next());
        let Some(owner) = owner.and_then(|owner| owner.parse::<u32>().ok()) else { continue };
        let ours = entry.metadata().is_ok_and(|meta| meta.is_dir() && meta.uid() == me.uid());
        // Its number alone says little where another container shares the folder.
        if ours && !Path::new("/proc").join(owner.to_string()).exists() && lock(&entry.path()).is_some() {
            remove(&entry.path());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{NAME, Scratch, lock, sweep};
    use std::fs;

    #[test]
    fn only_what_nobody_uses_is_swept() {
        let parent = tempfile::tempdir().unwrap();
        // No process has this number.
        let [dead, used, other] =
            [format!("{NAME}4294967295-a"), format!("{NAME}4294967295-b"), "else-4294967295-a".to_owned()]
                .map(|name| parent.path().join(name));
        for folder in [&dead, &used, &other] {
            fs::create_dir_all(folder.join("in")).unwrap();
        }
        let held = lock(&used).unwrap();
        sweep(parent.path());
        assert!(!dead.exists() && used.exists() && other.exists());
        drop(held);
        sweep(parent.path());
        assert!(!used.exists());
    }

    #[test]
    fn it_goes_with_its_owner() {
        let scratch = Scratch::new().unwrap();
        let path = scratch.at("empty");
        assert!(path.exists() && lock(path.parent().unwrap()).is_none());
        drop(scratch);
        assert!(!path.exists());
    }
}
