//! One holder at a time, across processes.

use rustix::fs::{FlockOperation, Mode, OFlags};
use rustix::process::{Pid, test_kill_process};
use std::fs::File;
use std::io::{self, Read, Seek, Write};
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

/// How often it is tried again.
const BETWEEN: Duration = Duration::from_millis(3);

/// How long the lock of a process that is dead is waited for: what it had started may hold it until its own end, which
/// follows at once.
const LINGERS: Duration = Duration::from_secs(5);

/// A held lock. The kernel frees it when the process dies, however it dies; dropping it removes the file.
#[derive(Debug)]
pub struct Lock {
    path: PathBuf,
    file: File,
}

/// The lock could not be had.
#[derive(Debug, thiserror::Error)]
pub enum LockError {
    /// Another process holds it, or another part of this one.
    #[error("{path} is held by process {}", pid.map_or_else(|| "unknown".to_owned(), |pid| pid.to_string()))]
    Held {
        /// The lock file.
        path: PathBuf,
        /// The holder, when it could be read.
        pid: Option<u32>,
    },
    /// The file could not be opened or locked.
    #[error("cannot lock {path}: {source}")]
    Io {
        /// The lock file.
        path: PathBuf,
        /// What the system said.
        source: io::Error,
    },
}

impl Lock {
    /// Takes the lock, or says at once who has it. One that is about to become free, because its holder is dead, is taken
    /// when it is.
    pub fn try_acquire(path: &Path) -> Result<Self, LockError> {
        let until = Instant::now() + LINGERS;
        loop {
            match Self::attempt(path) {
                Err(LockError::Held { pid: Some(pid), .. }) if is_dead(pid) && Instant::now() < until => {
                    std::thread::sleep(BETWEEN);
                }
                other => return other,
            }
        }
    }

    fn attempt(path: &Path) -> Result<Self, LockError> {
        let failed = |source: io::Error| LockError::Io { path: path.to_owned(), source };
        let flags = OFlags::RDWR | OFlags::CREATE | OFlags::NOFOLLOW | OFlags::CLOEXEC;
        loop {
            let fd = rustix::fs::open(path, flags, Mode::RUSR | Mode::WUSR).map_err(|error| failed(error.into()))?;
            let mut file = File::from(fd);
            match rustix::fs::flock(&file, FlockOperation::NonBlockingLockExclusive) {
                Ok(()) => {}
                Err(rustix::io::Errno::WOULDBLOCK) => {
                    return Err(LockError::Held { path: path.to_owned(), pid: holder(&mut file) });
                }
                Err(error) => return Err(failed(error.into())),
            }
            // The last holder may have removed the file between our open and our lock; then a newcomer
            // would lock a new file under the same name, and there would be two holders.
            if !is_at(&file, path) {
                continue;
            }
            file.set_len(0).map_err(failed)?;
            file.write_all(format!("{}\n", std::process::id()).as_bytes()).map_err(failed)?;
            return Ok(Self { path: path.to_owned(), file });
        }
    }
}

impl Lock {
    /// Takes the lock, and waits for whoever has it for at most this long.
    pub fn acquire(path: &Path, patience: Duration) -> Result<Self, LockError> {
        let until = Instant::now() + patience;
        loop {
            match Self::try_acquire(path) {
                Err(LockError::Held { .. }) if Instant::now() < until => std::thread::sleep(BETWEEN),
                other => return other,
            }
        }
    }
}

impl Drop for Lock {
    fn drop(&mut self) {
        if is_at(&self.file, &self.path) {
            let _ = std::fs::remove_file(&self.path);
        }
    }
}

/// No process of this number is there. One of another container may be, so that a lock is never taken for it alone.
fn is_dead(pid: u32) -> bool {
    let pid = i32::try_from(pid).ok().and_then(Pid::from_raw);
    pid.is_some_and(|pid| test_kill_process(pid) == Err(rustix::io::Errno::SRCH))
}

fn holder(file: &mut File) -> Option<u32> {
    let mut text = String::new();
    file.rewind().ok()?;
    file.take(32).read_to_string(&mut text).ok()?;
    text.trim().parse().ok()
}

fn is_at(file: &File, path: &Path) -> bool {
    match (file.metadata(), std::fs::symlink_metadata(path)) {
        (Ok(held), Ok(found)) => held.dev() == found.dev() && held.ino() == found.ino(),
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::{Lock, LockError};

    #[test]
    fn one_holder_and_it_is_named() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("x.lock");
        let first = Lock::try_acquire(&path).unwrap();
        let LockError::Held { pid, .. } = Lock::try_acquire(&path).unwrap_err() else { panic!("not held") };
        assert_eq!(pid, Some(std::process::id()));
        drop(first);
        assert!(!path.exists(), "nothing is left behind");
        Lock::try_acquire(&path).unwrap();
    }

    #[test]
    fn a_dead_holders_file_does_not_matter() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("x.lock");
        std::fs::write(&path, "999999\n").unwrap();
        let held = Lock::try_acquire(&path).unwrap();
        assert_eq!(std::fs::read_to_string(&path).unwrap(), format!("{}\n", std::process::id()));
        drop(held);
    }

    #[test]
    fn a_dead_holder_whose_child_is_not_gone_yet_is_waited_for() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("x.lock");
        let last_words = folder.path().join("last words");
        // No process can have this number.
        std::fs::write(&path, "2147483647\n").unwrap();
        let inherited = std::fs::File::open(&path).unwrap();
        rustix::fs::flock(&inherited, rustix::fs::FlockOperation::LockExclusive).unwrap();
        let script = ["-c", "sleep 0.2; echo > \"$0\""];
        let mut child =
            std::process::Command::new("sh").args(script).arg(&last_words).stdin(inherited).spawn().unwrap();
        let held = Lock::try_acquire(&path).unwrap();
        assert!(last_words.exists(), "it was taken before that");
        drop(held);
        child.wait().unwrap();
    }

    #[test]
    fn never_two_holders_however_they_race() {
        use std::sync::atomic::{AtomicU32, Ordering};
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("x.lock");
        let (inside, taken) = (AtomicU32::new(0), AtomicU32::new(0));
        std::thread::scope(|scope| {
            for _ in 0..4 {
                scope.spawn(|| {
                    for _ in 0..500 {
                        if let Ok(_lock) = Lock::try_acquire(&path) {
                            assert_eq!(inside.fetch_add(1, Ordering::SeqCst), 0);
                            taken.fetch_add(1, Ordering::SeqCst);
                            inside.fetch_sub(1, Ordering::SeqCst);
                        }
                    }
                });
            }
        });
        assert!(taken.load(Ordering::SeqCst) > 0);
    }
}
