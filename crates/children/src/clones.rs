//! Where the clones of subagents that write lie: a folder of our state for each session, which goes with it. What a process
//! left that was killed is collected by the next one.

use reasonix_exec::remove_tree;
use reasonix_proto::SessionId;
use reasonix_store::{Lock, LockError, private_folder};
use std::io;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

/// The folder of all clones, in our state.
const FOLDER: &str = "isolation";

/// How long somebody is waited for who looks whether a session lives.
const PATIENCE: Duration = Duration::from_secs(10);

/// More files than this are not counted in one clone.
const MOST_COUNTED: u64 = 2_000_000;

/// The clones of one session.
#[derive(Default)]
pub(crate) struct Clones {
    held: Mutex<Option<Held>>,
    /// One brings back what it made at a time.
    pub(super) merging: tokio::sync::Mutex<()>,
}

/// The folder of a session's clones, for as long as it lives.
struct Held {
    folder: PathBuf,
    _lock: Lock,
}

impl Drop for Held {
    fn drop(&mut self) {
        remove_tree(&self.folder);
    }
}

impl Clones {
    /// The folder of the session's clones, which nobody else touches from now on. It may wait for a moment.
    pub(super) fn folder(&self, home: &Path, session: &SessionId) -> io::Result<PathBuf> {
        let mut held = self.held.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(held) = &*held {
            private_folder(&held.folder)?;
            return Ok(held.folder.clone());
        }
        let all = home.join("state").join(FOLDER);
        private_folder(&all)?;
        let folder = all.join(session.to_string());
        let _lock = Lock::acquire(&lock_of(&folder), PATIENCE).map_err(io::Error::other)?;
        // What an earlier process left of it.
        remove_tree(&folder);
        private_folder(&folder)?;
        *held = Some(Held { folder: folder.clone(), _lock });
        Ok(folder)
    }
}

/// Removes a clone, and the folder of its session when it was the last one there.
pub(super) fn remove_clone(folder: &Path) {
    remove_tree(folder);
    let _ = folder.parent().map(std::fs::remove_dir);
}

fn lock_of(folder: &Path) -> PathBuf {
    folder.with_extension("lock")
}

/// What clones take, and what of it went.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct ClonesKept {
    /// Sessions that have clones.
    pub sessions: u64,
    /// Their bytes.
    pub bytes: u64,
    /// Sessions that are gone, whose clones went or would go.
    pub removed: u64,
    /// Their bytes.
    pub freed: u64,
}

/// Removes the clones of sessions that no process has any more. With `dry` it only counts.
pub fn tidy_clones(home: &Path, dry: bool) -> io::Result<ClonesKept> {
    let all = home.join("state").join(FOLDER);
    let mut kept = ClonesKept::default();
    let entries = match std::fs::read_dir(&all) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(kept),
        entries => entries?,
    };
    let (folders, files): (Vec<PathBuf>, Vec<PathBuf>) =
        entries.flatten().map(|entry| entry.path()).partition(|path| path.is_dir());
    // A lock that nobody holds goes when it is let go of.
    let alone = files.iter().filter(|file| !dry && !folders.contains(&file.with_extension("")));
    alone.for_each(|file| drop(Lock::try_acquire(file)));
    for folder in folders {
        let bytes = taken_by(&folder);
        match Lock::try_acquire(&lock_of(&folder)) {
            Ok(_lock) => {
                (kept.removed, kept.freed) = (kept.removed + 1, kept.freed + bytes);
                if !dry {
                    remove_tree(&folder);
                }
            }
            Err(LockError::Held { .. }) => (kept.sessions, kept.bytes) = (kept.sessions + 1, kept.bytes + bytes),
            Err(error) => return Err(io::Error::other(error)),
        }
    }
    Ok(kept)
}

/// Does that beside a session that nobody has to wait for.
pub fn sweep(home: &Path) {
    if !home.join("state").join(FOLDER).is_dir() {
        return;
    }
    let home = home.to_owned();
    let work = move || drop(tidy_clones(&home, false));
    drop(std::thread::Builder::new().name("clones".into()).spawn(work));
}

/// The room that a folder takes, without following links.
fn taken_by(folder: &Path) -> u64 {
    let (mut folders, mut bytes, mut left) = (vec![folder.to_owned()], 0, MOST_COUNTED);
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(&folder).into_iter().flatten().flatten() {
            let Ok(found) = entry.metadata() else { continue };
            bytes += found.blocks() * 512;
            left = left.saturating_sub(1);
            if found.is_dir() && left > 0 {
                folders.push(entry.path());
            }
        }
    }
    bytes
}
