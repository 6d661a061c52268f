//! The folder on disk that a session's box is made of: its own `/tmp`, its own home, and empty places to hide others.

use super::tables::{DEVICE_LINKS, DEVICES};
use std::fs::{self, DirBuilder, File, Permissions};
use std::io;
use std::os::unix::fs::{DirBuilderExt, MetadataExt, PermissionsExt, symlink};
use std::path::{Path, PathBuf};
use std::sync::OnceLock;
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::mpsc::{SyncSender, TrySendError, sync_channel};
use std::thread::JoinHandle;

const NAME: &str = "reasonix-box-";

/// The folder. It goes when it is dropped, and with the next session when this one was killed.
#[derive(Debug)]
pub(super) struct Scratch {
    path: PathBuf,
    broom: OnceLock<Broom>,
    /// The lock that tells others that it is in use.
    _lock: Option<File>,
}

impl Scratch {
    /// `roots` may be written by commands, so it lies in none of them; `state` is where it goes when the folder for temporary
    /// files does.
    pub(super) fn new(roots: &[PathBuf], state: &Path) -> io::Result<Self> {
        static NEXT: AtomicU32 = AtomicU32::new(0);
        let parent = parent(roots, state)?;
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
                Ok(()) => return Self { _lock: lock(&path), broom: OnceLock::new(), path }.furnish(),
            }
        }
    }

    fn furnish(self) -> io::Result<Self> {
        for name in ["empty", "dev/shm", "dev/pts", "dev/scratch", "held", "curtains"] {
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

    /// Removes a folder that a command was given, without anybody who waits for it.
    pub(super) fn discard(&self, folder: PathBuf) {
        self.broom.get_or_init(Broom::new).add(folder);
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        // Two that remove the same would be in each other's way.
        drop(self.broom.take());
        remove_tree(&self.path);
    }
}

/// As many folders wait to be removed; whoever brings more removes them, so that no disk fills with what is over.
const WAITING: usize = 16;

/// Removes folders beside what goes on.
#[derive(Debug)]
struct Broom {
    waiting: Option<SyncSender<PathBuf>>,
    sweeper: Option<JoinHandle<()>>,
}

impl Broom {
    fn new() -> Self {
        let (waiting, folders) = sync_channel::<PathBuf>(WAITING);
        let sweep = move || folders.into_iter().for_each(|folder| remove_tree(&folder));
        let sweeper = std::thread::Builder::new().name("broom".into()).spawn(sweep).ok();
        Self { waiting: Some(waiting), sweeper }
    }

    fn add(&self, folder: PathBuf) {
        let left = match &self.waiting {
            Some(waiting) => {
                waiting.try_send(folder).err().map(|(TrySendError::Full(it) | TrySendError::Disconnected(it))| it)
            }
            None => Some(folder),
        };
        if let Some(folder) = left {
            remove_tree(&folder);
        }
    }
}

impl Drop for Broom {
    fn drop(&mut self) {
        self.waiting = None;
        if let Some(sweeper) = self.sweeper.take() {
            let _ = sweeper.join();
        }
    }
}

/// Removes a tree, also one with folders that were made unreadable, and however deep it is: a command can nest folders so
/// that no path reaches the last one and no stack is large enough to go there. So what lies in a folder is moved up to the
/// top before the folder goes.
pub fn remove_tree(path: &Path) {
    if !path.symlink_metadata().is_ok_and(|meta| meta.is_dir()) {
        let _ = fs::remove_file(path);
        return;
    }
    let mut number = 0_u64;
    let mut folders = vec![path.to_owned()];
    while let Some(folder) = folders.pop() {
        let _ = fs::set_permissions(&folder, Permissions::from_mode(0o700));
        for entry in fs::read_dir(&folder).into_iter().flatten().flatten() {
            if !entry.file_type().is_ok_and(|kind| kind.is_dir()) {
                let _ = fs::remove_file(entry.path());
                continue;
            }
            // A folder that may not be written cannot be moved: it would have to learn of its new place.
            let _ = fs::set_permissions(entry.path(), Permissions::from_mode(0o700));
            if fs::remove_dir(entry.path()).is_ok() {
                continue;
            }
            number += 1;
            let up = path.join(format!(".removed-{number}"));
            match fs::rename(entry.path(), &up) {
                Ok(()) => folders.push(up),
                Err(_) if folder != path => folders.push(entry.path()),
                Err(_) => {}
            }
        }
        if folder != path {
            let _ = fs::remove_dir(&folder);
        }
    }
    let _ = fs::remove_dir(path);
}

/// A folder that no command can write.
fn parent(roots: &[PathBuf], state: &Path) -> io::Result<PathBuf> {
    let roots: Vec<PathBuf> = roots.iter().filter_map(|root| root.canonicalize().ok()).collect();
    let outside = |folder: &PathBuf| !roots.iter().any(|root| folder.starts_with(root));
    let temporary = fs::canonicalize(std::env::temp_dir()).ok().filter(outside);
    let runtime = std::env::var_os("XDG_RUNTIME_DIR").and_then(|folder| fs::canonicalize(folder).ok()).filter(outside);
    let own = || {
        DirBuilder::new().recursive(true).mode(0o700).create(state).ok()?;
        fs::canonicalize(state).ok().filter(outside)
    };
    let none = "every folder for temporary files lies in one that commands may write";
    temporary.or(runtime).or_else(own).ok_or_else(|| io::Error::other(none))
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
            remove_tree(&entry.path());
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
        // A child that another test made a moment ago has the descriptor too, until it closes what it inherited.
        let until = std::time::Instant::now() + std::time::Duration::from_secs(10);
        while used.exists() && std::time::Instant::now() < until {
            sweep(parent.path());
            std::thread::sleep(std::time::Duration::from_millis(5));
        }
        assert!(!used.exists());
    }

    /// A command can nest folders deeper than any path or stack reaches; what a killed session left of that must not end the
    /// next one.
    #[test]
    fn trees_of_any_depth_are_removed() {
        let parent = tempfile::tempdir().unwrap();
        let dead = parent.path().join(format!("{NAME}4294967295-deep"));
        fs::create_dir(&dead).unwrap();
        let mode = rustix::fs::Mode::from_raw_mode(0o700);
        let open = rustix::fs::OFlags::RDONLY | rustix::fs::OFlags::DIRECTORY;
        let mut at = rustix::fs::open(&dead, open, rustix::fs::Mode::empty()).unwrap();
        for _ in 0..5000 {
            rustix::fs::mkdirat(&at, "d", mode).unwrap();
            at = rustix::fs::openat(&at, "d", open, rustix::fs::Mode::empty()).unwrap();
        }
        rustix::fs::fchmod(&at, rustix::fs::Mode::empty()).unwrap();
        sweep(parent.path());
        assert!(!dead.exists());
    }

    /// What is removed beside the next command is gone when the session is, however much of it there was.
    #[test]
    fn what_is_over_goes_beside_what_goes_on() {
        let (scratch, elsewhere) = (Scratch::new(&[], &std::env::temp_dir()).unwrap(), tempfile::tempdir().unwrap());
        let folders: Vec<_> = (0..100).map(|number| elsewhere.path().join(format!("{number}/a/b"))).collect();
        for folder in &folders {
            fs::create_dir_all(folder).unwrap();
            scratch.discard(folder.parent().and_then(std::path::Path::parent).unwrap().to_owned());
        }
        let path = scratch.path.clone();
        drop(scratch);
        assert!(!path.exists());
        assert_eq!(fs::read_dir(elsewhere.path()).unwrap().count(), 0);
    }

    #[test]
    fn c10_it_lies_where_no_command_writes() {
        let temporary = std::env::temp_dir();
        let here = std::path::PathBuf::from(env!("CARGO_MANIFEST_DIR"));
        // The whole clone may lie among temporary files.
        let beside = if here.starts_with(&temporary) { std::env::home_dir().unwrap() } else { here };
        let state = tempfile::tempdir_in(beside).unwrap().keep();
        let scratch = Scratch::new(std::slice::from_ref(&temporary), &state).unwrap();
        assert!(!scratch.at("").starts_with(temporary.canonicalize().unwrap()), "{:?}", scratch.at(""));
        drop(scratch);
        fs::remove_dir_all(&state).unwrap();
        assert!(Scratch::new(&[std::path::PathBuf::from("/")], &temporary).is_err());
    }

    #[test]
    fn it_goes_with_its_owner() {
        let scratch = Scratch::new(&[], std::path::Path::new("/")).unwrap();
        let path = scratch.at("empty");
        assert!(path.exists() && lock(path.parent().unwrap()).is_none());
        drop(scratch);
        assert!(!path.exists());
    }
}
