//! `.env` files that git does not have as they are hold keys. They are closed to file tools, and named so that they can be
//! closed to commands too, unless a rule opens them.

use crate::blob::is_same;
use crate::tracked::tracked;
use globset::GlobSet;
use std::collections::{HashMap, HashSet, VecDeque};
use std::os::unix::fs::FileTypeExt;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, OnceLock, PoisonError};
use std::time::{Duration, SystemTime};

/// So many folders are looked through; deeper ones come last.
const MOST_FOLDERS: usize = 5_000;
/// Folders that are not looked through.
const SKIPPED: &[&str] = &[".git", "node_modules", "target", ".venv", "__pycache__"];
/// More files of one such folder are not closed one by one, but with the folder.
const MOST_FILES: usize = 64;
/// What shows that a folder is the home of an interpreter, which some call `.env`.
const INTERPRETER: &[&str] = &["pyvenv.cfg", "conda-meta"];
/// What lies in one; anything else there stays closed, so that nobody opens a folder by making it look like one.
#[rustfmt::skip]
const OF_INTERPRETER: &[&str] = &[
    "pyvenv.cfg", "conda-meta", "bin", "lib", "lib64", "include", "share", "man", "Scripts", "Lib", "Include",
];
/// A folder that changed this recently may change again without its time telling.
const SETTLED: Duration = Duration::from_secs(2);

/// What is closed below one root.
#[derive(Debug)]
pub(crate) struct Secrets {
    root: PathBuf,
    opened: GlobSet,
    /// Those that git has as they are, as it was when this was first asked: what is added to the index during a session opens
    /// nothing, and neither does what was added while the file was closed, since git then has something else.
    tracked: OnceLock<HashSet<PathBuf>>,
    folders: Mutex<HashMap<PathBuf, Folder>>,
    /// Everything that git tracks; looked up only where a link has the name.
    all: OnceLock<HashMap<PathBuf, Vec<u8>>>,
    /// What such links lead to, and whether git has it as it was when this was first asked.
    led_to: Mutex<HashMap<PathBuf, bool>>,
}

/// What was found in a folder.
#[derive(Debug, Clone, Default)]
struct Folder {
    changed: Option<SystemTime>,
    below: Vec<PathBuf>,
    named: Vec<PathBuf>,
    /// Links of such a name.
    links: Vec<PathBuf>,
    /// Where programs listen: a mount that nobody can write to is no hindrance to talking to them.
    sockets: Vec<PathBuf>,
}

impl Secrets {
    pub(crate) fn new(root: PathBuf, opened: GlobSet) -> Self {
        Self {
            root,
            opened,
            tracked: OnceLock::new(),
            folders: Mutex::default(),
            all: OnceLock::new(),
            led_to: Mutex::default(),
        }
    }

    pub(crate) fn root(&self) -> &Path {
        &self.root
    }

    /// True when the file at this path without links is closed.
    pub(crate) fn hold(&self, real: &Path) -> bool {
        let Ok(below) = real.strip_prefix(&self.root) else { return false };
        self.is_named(below) && !self.opened.is_match(below) && !self.tracked().contains(real)
    }

    /// Paths of the index, as it is now, that are closed.
    pub(crate) fn copied(&self) -> Vec<PathBuf> {
        let all = tracked(&self.root, is_named_path).into_iter();
        let mut found: Vec<PathBuf> = all.map(|(path, _)| path).filter(|path| self.hold(path)).collect();
        found.dedup();
        found
    }

    fn tracked(&self) -> &HashSet<PathBuf> {
        self.tracked.get_or_init(|| {
            let all = tracked(&self.root, is_named_path).into_iter();
            all.filter(|(path, id)| is_same(path, id)).map(|(path, _)| path).collect()
        })
    }

    /// Whether a file has such a name, or lies in a folder that has it.
    fn is_named(&self, below: &Path) -> bool {
        let mut at = self.root.clone();
        let mut parts = below.components().peekable();
        while let Some(part) = parts.next() {
            at.push(part);
            let next = parts.peek().map(|next| next.as_os_str());
            let belongs =
                next.is_some_and(|next| OF_INTERPRETER.iter().any(|name| next == *name)) && is_interpreter(&at);
            if is_named(part.as_os_str().as_encoded_bytes()) && !belongs {
                return true;
            }
        }
        false
    }

    /// The closed files that are there now, shallow folders first.
    pub(crate) fn there(&self) -> Vec<PathBuf> {
        self.found(|_| Vec::new()).0
    }

    /// The same, and where programs listen; all of it where it has more folders than are looked through.
    pub(crate) fn there_with_sockets(&self) -> Vec<PathBuf> {
        let (found, all) = self.found(|folder| folder.sockets.clone());
        if !all {
            return vec![self.root.clone()];
        }
        let watching = self.root.join(".git/fsmonitor--daemon.ipc");
        let watching = watching.symlink_metadata().is_ok().then_some(watching);
        found.into_iter().chain(watching).collect()
    }

    /// What there is, and whether everything was looked through.
    fn found(&self, more: impl Fn(&Folder) -> Vec<PathBuf>) -> (Vec<PathBuf>, bool) {
        let mut known = self.folders.lock().unwrap_or_else(PoisonError::into_inner);
        let mut seen = HashMap::new();
        let mut found = Vec::new();
        let mut waiting = VecDeque::from([self.root.clone()]);
        while let Some(path) = waiting.pop_front() {
            if seen.len() >= MOST_FOLDERS {
                *known = seen;
                return (found, false);
            }
            let changed = path.metadata().and_then(|folder| folder.modified()).ok();
            let kept = known.remove(&path).filter(|folder| folder.changed.is_some() && folder.changed == changed);
            let inside = path.strip_prefix(&self.root).is_ok_and(|below| self.is_named(below));
            let folder = kept.unwrap_or_else(|| look(&path, changed, inside));
            waiting.extend(folder.below.iter().cloned());
            let held: Vec<PathBuf> = folder.named.iter().filter(|path| self.hold(path)).cloned().collect();
            let whole = held.len() > MOST_FILES && held.len() == folder.named.len();
            found.extend(if whole { vec![path.clone()] } else { held });
            found.extend(folder.links.iter().filter_map(|link| self.behind(link)));
            found.extend(more(&folder));
            seen.insert(path, folder);
        }
        *known = seen;
        (found, true)
    }

    /// What a closed link leads to: a file below the root that git does not track. One elsewhere is what it was before
    /// there was a link to it.
    fn behind(&self, link: &Path) -> Option<PathBuf> {
        let real = link.canonicalize().ok().filter(|real| self.hold(link) && real.starts_with(&self.root))?;
        let secret = real.is_file() && !self.has(&real);
        let open = real.strip_prefix(&self.root).is_ok_and(|below| self.opened.is_match(below));
        (secret && !open).then_some(real)
    }

    /// Whether git has the file that a link leads to as it is.
    fn has(&self, real: &Path) -> bool {
        let mut known = self.led_to.lock().unwrap_or_else(PoisonError::into_inner);
        *known.entry(real.to_owned()).or_insert_with(|| {
            let all = self.all.get_or_init(|| tracked(&self.root, |_| true).into_iter().collect());
            all.get(real).is_some_and(|id| is_same(real, id))
        })
    }
}

/// Looks at a folder; at one that lies inside of a closed one, every file counts.
fn look(path: &Path, changed: Option<SystemTime>, inside: bool) -> Folder {
    let settled = |changed: &SystemTime| changed.elapsed().is_ok_and(|age| age > SETTLED);
    let mut folder = Folder { changed: changed.filter(settled), ..Folder::default() };
    for entry in std::fs::read_dir(path).into_iter().flatten().flatten() {
        let (Ok(kind), name) = (entry.file_type(), entry.file_name()) else { continue };
        if kind.is_dir() && !SKIPPED.iter().any(|skipped| name == *skipped) {
            folder.below.push(entry.path());
        } else if kind.is_file() && (inside || is_named(name.as_encoded_bytes())) {
            folder.named.push(entry.path());
        } else if kind.is_symlink() && is_named(name.as_encoded_bytes()) {
            folder.links.push(entry.path());
        } else if kind.is_socket() {
            folder.sockets.push(entry.path());
        }
    }
    folder
}

/// `.env`, `.env.local`, `.env-prod` and folders such as `.env.d` and `.envs`, but not what is there to be copied.
fn is_named(name: &[u8]) -> bool {
    let name = name.to_ascii_lowercase();
    match name.strip_prefix(b".env") {
        Some([] | [b's']) => true,
        Some([b'.' | b'-' | b'_', end @ ..]) => !matches!(end, b"example" | b"sample" | b"template"),
        _ => false,
    }
}

/// The same for any part of a path.
pub(crate) fn is_named_path(path: &[u8]) -> bool {
    path.split(|byte| *byte == b'/').any(is_named)
}

fn is_interpreter(folder: &Path) -> bool {
    INTERPRETER.iter().any(|name| folder.join(name).symlink_metadata().is_ok())
}
