//! What stood before a command, kept on disk while it runs: where we are ended in between, whoever comes next finds it and
//! compares. It lies beside the quarantine, where no command reaches it.

use super::protect::Before;
use crate::repository::Surfaces;
use crate::{Masked, Quarantined};
use rustix::fs::{FlockOperation, flock};
use serde::{Deserialize, Serialize};
use std::ffi::{OsStr, OsString};
use std::fs::{self, DirBuilder, File, OpenOptions};
use std::io::{self, Read, Write};
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::os::unix::fs::{DirBuilderExt, MetadataExt, OpenOptionsExt};
use std::path::{Path, PathBuf};
use std::sync::OnceLock;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::{Duration, SystemTime};

/// The form of what is written. Another one is not understood.
const VERSION: u8 = 1;
/// More than this of what is in files is not kept.
const MOST_BYTES: usize = 16 * 1024 * 1024;
/// A larger file is not read.
const MOST_READ: u64 = 64 * 1024 * 1024;
/// More of them are not looked at.
const MOST_LEFT: usize = 256;
/// So long a command may outlive the one who started it: its guard asks it to end, and kills it then.
const LAST_BREATH: Duration = Duration::from_millis(700);
/// How a whole one ends; another name is one that was being written.
const WHOLE: &str = "look";

/// As it is written.
#[derive(Serialize, Deserialize)]
struct Written {
    version: u8,
    open: Vec<(Vec<u8>, Option<Vec<u8>>)>,
    roots: Vec<Vec<u8>>,
    surfaces: Vec<u8>,
}

/// What is on disk. It is locked for as long as this is there, so that nobody else takes it for left behind.
#[derive(Debug)]
pub(crate) struct Kept {
    path: PathBuf,
    _lock: File,
}

impl Kept {
    /// The command's end was looked at.
    pub(crate) fn forget(self) {
        remove(&self.path);
    }
}

impl Before {
    /// Writes it down.
    pub(crate) fn keep(&self) -> io::Result<Kept> {
        let bytes = |path: &PathBuf| path.as_os_str().as_bytes().to_owned();
        let open = self.open.iter().map(|(path, target)| (bytes(path), target.as_ref().map(bytes)));
        let surfaces = self.surfaces.packed(MOST_BYTES).unwrap_or_default();
        let roots = self.roots.iter().map(bytes).collect();
        let written = Written { version: VERSION, open: open.collect(), roots, surfaces };
        let text = postcard::to_allocvec(&written).map_err(io::Error::other)?;
        let (draft, mut file) = draft(&folder_of(&self.quarantine))?;
        flock(&file, FlockOperation::NonBlockingLockExclusive)?;
        file.write_all(&text)?;
        let path = draft.with_extension(WHOLE);
        fs::rename(&draft, &path)?;
        Ok(Kept { path, _lock: file })
    }
}

fn now() -> u128 {
    SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default().as_nanos()
}

/// What stands in the names of our own: a number of a process alone may stand for one elsewhere too.
fn own() -> &'static str {
    static OWN: OnceLock<String> = OnceLock::new();
    OWN.get_or_init(|| format!("-{}x{:x}-", std::process::id(), now()))
}

/// A file of its own, whose name sorts by time.
fn draft(folder: &Path) -> io::Result<(PathBuf, File)> {
    static NEXT: AtomicU32 = AtomicU32::new(0);
    let name = format!("{:024}{}{}.draft", now(), own(), NEXT.fetch_add(1, Ordering::Relaxed));
    let mut tries = 0;
    loop {
        DirBuilder::new().recursive(true).mode(0o700).create(folder)?;
        let path = folder.join(&name);
        match OpenOptions::new().write(true).create_new(true).mode(0o600).open(&path) {
            Ok(file) => return Ok((path, file)),
            // Somebody else was done with the folder and removed it.
            Err(error) if error.kind() == io::ErrorKind::NotFound && tries < 8 => tries += 1,
            Err(error) => return Err(error),
        }
    }
}

/// Where they are.
fn folder_of(quarantine: &Path) -> PathBuf {
    let mut name = quarantine.file_name().unwrap_or(OsStr::new("quarantine")).to_owned();
    name.push(".running");
    quarantine.with_file_name(name)
}

fn remove(path: &Path) {
    let _ = fs::remove_file(path);
    // Only an empty folder goes.
    let _ = path.parent().map(fs::remove_dir);
}

/// What stood before the commands of other processes that have not been looked at to their end, the first one first. Without
/// any of them this is one failing call.
pub(super) fn of_others(quarantine: &Path) -> Vec<Before> {
    let Ok(entries) = fs::read_dir(folder_of(quarantine)) else { return Vec::new() };
    let whole = |path: &PathBuf| path.extension() == Some(OsStr::new(WHOLE));
    let ours = |path: &PathBuf| path.file_name().is_some_and(|name| name.to_string_lossy().contains(own()));
    let all = entries.flatten().map(|entry| entry.path()).filter(|path| whole(path) && !ours(path));
    let mut all: Vec<PathBuf> = all.take(MOST_LEFT).collect();
    all.sort();
    all.iter().filter_map(|path| read(&bytes_of(&File::open(path).ok()?)?)).collect()
}

fn bytes_of(file: &File) -> Option<Vec<u8>> {
    let mut bytes = Vec::new();
    file.take(MOST_READ).read_to_end(&mut bytes).ok()?;
    Some(bytes)
}

/// Looks for commands in these folders that were running when Reasonix itself was ended, and moves aside what they left.
/// Without any of them this is one failing call.
pub fn recover(quarantine: &Path, roots: &[PathBuf], linked: Option<&Masked>) -> Vec<Quarantined> {
    let Ok(entries) = fs::read_dir(folder_of(quarantine)) else { return Vec::new() };
    let roots: Vec<PathBuf> = roots.iter().filter_map(|root| root.canonicalize().ok()).collect();
    let mut all: Vec<PathBuf> = entries.flatten().map(|entry| entry.path()).take(MOST_LEFT).collect();
    // The last one first: what was there before the first of them is what is put back in the end.
    all.sort();
    let mut left: Vec<(Before, PathBuf, File)> =
        all.into_iter().rev().filter_map(|path| left_behind(path, &roots)).collect();
    if left.is_empty() {
        return Vec::new();
    }
    std::thread::sleep(LAST_BREATH);
    let mut moved = Vec::new();
    for (before, path, _lock) in &mut left {
        before.linked = linked.cloned();
        before.quarantine = quarantine.to_owned();
        moved.extend(before.compare().moved);
        remove(path);
    }
    moved
}

/// What was written down by somebody who is gone, where it is about these folders.
fn left_behind(path: PathBuf, roots: &[PathBuf]) -> Option<(Before, PathBuf, File)> {
    let file = File::open(&path).ok()?;
    flock(&file, FlockOperation::NonBlockingLockExclusive).ok()?;
    // Its owner may have come to its end just now.
    let same = path.metadata().is_ok_and(|now| file.metadata().is_ok_and(|meta| meta.ino() == now.ino()));
    if !same {
        return None;
    }
    if path.extension() != Some(OsStr::new(WHOLE)) {
        remove(&path);
        return None;
    }
    let Some(before) = read(&bytes_of(&file)?) else {
        tracing::warn!(path = %path.display(), "look_not_understood");
        remove(&path);
        return None;
    };
    let meets = |other: &PathBuf| roots.iter().any(|root| root.starts_with(other) || other.starts_with(root));
    before.roots.iter().any(meets).then_some((before, path, file))
}

fn read(bytes: &[u8]) -> Option<Before> {
    let written: Written = postcard::from_bytes(bytes).ok().filter(|written: &Written| written.version == VERSION)?;
    let path = |bytes: Vec<u8>| PathBuf::from(OsString::from_vec(bytes));
    Some(Before {
        open: written.open.into_iter().map(|(at, target)| (path(at), target.map(path))).collect(),
        roots: written.roots.into_iter().map(path).collect(),
        surfaces: Surfaces::unpacked(&written.surfaces)?,
        linked: None,
        quarantine: PathBuf::new(),
    })
}

#[cfg(test)]
mod tests {
    use super::{folder_of, recover};
    use crate::sandbox::Before;
    use crate::vigil::Vigil;
    use std::fs;
    use std::sync::Arc;

    #[test]
    fn what_was_left_while_nobody_looked_is_moved_and_the_first_state_is_put_back() {
        let place = tempfile::tempdir().unwrap();
        let place = place.path().canonicalize().unwrap();
        let [work, other, quarantine] = ["work", "other", "quarantine"].map(|name| place.join(name));
        let [git, elsewhere] = [&work, &other].map(|root| root.join("s/.git"));
        for git in [&git, &elsewhere] {
            fs::create_dir_all(git).unwrap();
            fs::write(git.join("HEAD"), "ref: x\n").unwrap();
            fs::write(git.join("config"), "[alias]\n\tx = !mine\n").unwrap();
        }
        let look = |root: &std::path::PathBuf| Before::look(std::slice::from_ref(root), &[], None, &quarantine);
        let first = look(&work).keep().unwrap();
        fs::write(git.join("config"), "[core]\n\tfsmonitor = evil\n").unwrap();
        let second = look(&work).keep().unwrap();
        fs::write(git.join("config"), "[core]\n\tpager = evil\n").unwrap();
        fs::write(work.join(".envrc"), "evil").unwrap();
        drop(look(&other).keep().unwrap());
        fs::write(folder_of(&quarantine).join("1.draft"), "half").unwrap();
        fs::write(folder_of(&quarantine).join("1.look"), "nonsense").unwrap();
        let roots = [work.clone()];
        assert_eq!(recover(&quarantine, &roots, None), [], "their owner lives");
        assert!(git.join("config").exists() && work.join(".envrc").exists());
        drop((first, second));
        let left = || fs::read_dir(folder_of(&quarantine)).map_or(0, Iterator::count);
        // A command that another test starts may have a copy of the lock for a moment.
        let until = |roots: &[std::path::PathBuf], wanted: usize| {
            let mut moved = recover(&quarantine, roots, None);
            while left() > wanted {
                std::thread::yield_now();
                moved.extend(recover(&quarantine, roots, None));
            }
            moved
        };
        let moved = until(&roots, 1);
        assert!(moved.iter().all(|moved| moved.kept.as_ref().is_some_and(|kept| kept.exists())), "{moved:?}");
        assert_eq!(fs::read_to_string(git.join("config")).unwrap(), "[alias]\n\tx = !mine\n", "{moved:?}");
        assert!(!work.join(".envrc").exists());
        assert_eq!(recover(&quarantine, &roots, None), []);
        assert_eq!(left(), 1, "that of another folder waits for it");
        assert_eq!(until(&[other], 0), []);
        assert!(!folder_of(&quarantine).exists());
    }

    /// What was planted while another command ran is found after a kill, though it stood there when the last one began.
    #[test]
    fn c2_after_a_kill_what_stood_before_the_first_of_overlapping_commands_counts() {
        let place = tempfile::tempdir().unwrap();
        let place = place.path().canonicalize().unwrap();
        let [work, quarantine] = ["work", "quarantine"].map(|name| place.join(name));
        let config = work.join("s/.git/config");
        fs::create_dir_all(config.parent().unwrap()).unwrap();
        fs::write(work.join("s/.git/HEAD"), "ref: x\n").unwrap();
        fs::write(&config, "[core]\n\tbare = false\n").unwrap();
        let begin = || {
            let vigil = Vigil::begin(|| Before::look(std::slice::from_ref(&work), &[], None, &quarantine));
            vigil.watches(&Arc::default());
            vigil
        };
        let plant = || {
            fs::write(&config, "[core]\n\tfsmonitor = evil\n").unwrap();
            fs::write(work.join(".envrc"), "evil").unwrap();
        };
        let first = begin();
        plant();
        let second = begin();
        assert_eq!(first.settle().moved.len(), 2);
        drop(first);
        plant();
        drop(second);
        let mut moved = Vec::new();
        // A command that another test starts may have a copy of the lock for a moment.
        while folder_of(&quarantine).exists() {
            moved.extend(recover(&quarantine, std::slice::from_ref(&work), None));
            std::thread::yield_now();
        }
        assert_eq!(moved.len(), 2, "{moved:?}");
        assert_eq!(fs::read_to_string(&config).unwrap(), "[core]\n\tbare = false\n");
        assert!(!work.join(".envrc").exists());
    }
}
