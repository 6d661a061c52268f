//! `.env` files that git does not track hold keys. They are closed to file tools, and named so that they can be closed to
//! commands too, unless a rule opens them.

use crate::tracked::tracked;
use globset::GlobSet;
use std::collections::{HashMap, HashSet, VecDeque};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, OnceLock, PoisonError};
use std::time::{Duration, SystemTime};

/// So many folders are looked through; deeper ones come last.
const MOST_FOLDERS: usize = 5_000;
/// Folders that are not looked through.
const SKIPPED: &[&str] = &[".git", "node_modules", "target", ".venv", "__pycache__"];
/// A folder that changed this recently may change again without its time telling.
const SETTLED: Duration = Duration::from_secs(2);

/// What is closed below one root.
#[derive(Debug)]
pub(crate) struct Secrets {
    root: PathBuf,
    opened: GlobSet,
    /// As it was when this was first asked: what is added to the index during a session opens nothing.
    tracked: OnceLock<HashSet<PathBuf>>,
    folders: Mutex<HashMap<PathBuf, Folder>>,
    /// Everything that git tracks; looked up only where a link has the name.
    all: OnceLock<HashSet<PathBuf>>,
}

/// What was found in a folder.
#[derive(Debug, Clone, Default)]
struct Folder {
    changed: Option<SystemTime>,
    below: Vec<PathBuf>,
    named: Vec<PathBuf>,
    /// Links of such a name.
    links: Vec<PathBuf>,
}

impl Secrets {
    pub(crate) fn new(root: PathBuf, opened: GlobSet) -> Self {
        Self { root, opened, tracked: OnceLock::new(), folders: Mutex::default(), all: OnceLock::new() }
    }

    /// True when the file at this path without links is closed.
    pub(crate) fn hold(&self, real: &Path) -> bool {
        let Ok(below) = real.strip_prefix(&self.root) else { return false };
        real.file_name().is_some_and(|name| is_named(name.as_encoded_bytes()))
            && !self.opened.is_match(below)
            && !self.tracked.get_or_init(|| tracked(&self.root, is_named_path)).contains(real)
    }

    /// The closed files that are there now, shallow folders first.
    pub(crate) fn there(&self) -> Vec<PathBuf> {
        let mut known = self.folders.lock().unwrap_or_else(PoisonError::into_inner);
        let mut seen = HashMap::new();
        let mut found = Vec::new();
        let mut waiting = VecDeque::from([self.root.clone()]);
        while let Some(path) = waiting.pop_front() {
            if seen.len() >= MOST_FOLDERS {
                break;
            }
            let changed = path.metadata().and_then(|folder| folder.modified()).ok();
            let kept = known.remove(&path).filter(|folder| folder.changed.is_some() && folder.changed == changed);
            let folder = kept.unwrap_or_else(|| look(&path, changed));
            waiting.extend(folder.below.iter().cloned());
            found.extend(folder.named.iter().filter(|path| self.hold(path)).cloned());
            found.extend(folder.links.iter().filter_map(|link| self.behind(link)));
            seen.insert(path, folder);
        }
        *known = seen;
        found
    }

    /// What a closed link leads to: a file below the root that git does not track. One elsewhere is what it was before
    /// there was a link to it.
    fn behind(&self, link: &Path) -> Option<PathBuf> {
        let real = link.canonicalize().ok().filter(|real| self.hold(link) && real.starts_with(&self.root))?;
        let secret = real.is_file() && !self.all.get_or_init(|| tracked(&self.root, |_| true)).contains(&real);
        let open = real.strip_prefix(&self.root).is_ok_and(|below| self.opened.is_match(below));
        (secret && !open).then_some(real)
    }
}

fn look(path: &Path, changed: Option<SystemTime>) -> Folder {
    let settled = |changed: &SystemTime| changed.elapsed().is_ok_and(|age| age > SETTLED);
    let mut folder = Folder { changed: changed.filter(settled), ..Folder::default() };
    for entry in std::fs::read_dir(path).into_iter().flatten().flatten() {
        let (Ok(kind), name) = (entry.file_type(), entry.file_name()) else { continue };
        if kind.is_dir() && !SKIPPED.iter().any(|skipped| name == *skipped) {
            folder.below.push(entry.path());
        } else if kind.is_file() && is_named(name.as_encoded_bytes()) {
            folder.named.push(entry.path());
        } else if kind.is_symlink() && is_named(name.as_encoded_bytes()) {
            folder.links.push(entry.path());
        }
    }
    folder
}

/// `.env` and `.env.local`, but not what is there to be copied.
fn is_named(name: &[u8]) -> bool {
    let name = name.to_ascii_lowercase();
    match name.strip_prefix(b".env") {
        Some([]) => true,
        Some([b'.', end @ ..]) => !matches!(end, b"example" | b"sample" | b"template"),
        _ => false,
    }
}

fn is_named_path(path: &[u8]) -> bool {
    path.rsplit(|byte| *byte == b'/').next().is_some_and(is_named)
}
