//! What git ignores, and which folders hold what can be built or fetched again.

use crate::ignores::{FETCHED, IgnoreFile, exclude_file, said};
use ignore::gitignore::{Gitignore, GitignoreBuilder};
use std::collections::HashMap;
use std::path::{Path, PathBuf};

use super::known::Stamp;

/// Folders of build results and fetched packages, where git ignores them.
const BUILD_FOLDERS: &[&str] = &[
    "target",
    "node_modules",
    "dist",
    "build",
    "out",
    ".venv",
    "venv",
    "__pycache__",
    ".gradle",
    ".next",
    ".nuxt",
    ".svelte-kit",
    ".tox",
    ".nox",
    ".mypy_cache",
    ".pytest_cache",
    ".ruff_cache",
    ".cache",
    ".parcel-cache",
    ".turbo",
    ".terraform",
    ".dart_tool",
    "_build",
    ".zig-cache",
    "zig-cache",
    "zig-out",
    "bower_components",
    "Pods",
    "cmake-build-debug",
    "cmake-build-release",
    "bazel-out",
    ".eggs",
    "site-packages",
    ".stack-work",
    "dist-newstyle",
];

/// True for a folder that is left out as a whole.
pub(super) fn is_build_folder(name: &[u8], ignored: bool) -> bool {
    let among = |names: &[&str]| names.iter().any(|known| known.as_bytes() == name);
    among(FETCHED) || (ignored && among(BUILD_FOLDERS))
}

/// The ignore files of a tree, read once and again when they change.
#[derive(Debug)]
pub(super) struct Ignores {
    root: PathBuf,
    files: HashMap<PathBuf, (Stamp, Option<Gitignore>)>,
    /// What a repository ignores by files outside of its tree; none where the root is no repository.
    beside: Option<Beside>,
}

/// What is ignored on this machine alone.
#[derive(Debug)]
struct Beside {
    /// The stamp of the repository's own file; none where it has none.
    stamp: Option<Stamp>,
    exclude: Option<Gitignore>,
    /// The user's own, for all repositories.
    global: Gitignore,
}

impl Ignores {
    pub(super) fn new(root: &Path) -> Self {
        Self { root: root.to_owned(), files: HashMap::new(), beside: None }
    }

    /// Takes note of what is ignored by files outside of the tree. True when that is not as it was, or when nobody knows:
    /// no state says by which of these rules it was made.
    pub(super) fn look_beside(&mut self) -> bool {
        let Some(file) = exclude_file(&self.root) else { return self.beside.take().is_some() };
        let stamp = rustix::fs::lstat(&file).ok().map(|found| Stamp::of(&found));
        if self.beside.as_ref().is_some_and(|known| known.stamp == stamp) {
            return false;
        }
        let exclude = match IgnoreFile::read(&file, &self.root) {
            IgnoreFile::Rules(rules) => Some(rules),
            IgnoreFile::None | IgnoreFile::Unfit => None,
        };
        let global = GitignoreBuilder::new(&self.root).build_global().0;
        self.beside = Some(Beside { stamp, exclude, global });
        true
    }

    /// Takes note of the ignore file of a folder. True when it is not as it was.
    pub(super) fn saw(&mut self, folder: &Path, stamp: Stamp) -> bool {
        match self.files.get(folder) {
            Some((known, _)) if *known == stamp => false,
            _ => {
                let whole = self.root.join(folder);
                // Where its rules cannot be read, nothing counts as ignored, and more is kept rather than less.
                let rules = match IgnoreFile::read(&whole.join(".gitignore"), &whole) {
                    IgnoreFile::Rules(rules) => Some(rules),
                    IgnoreFile::None | IgnoreFile::Unfit => None,
                };
                self.files.insert(folder.to_owned(), (stamp, rules));
                true
            }
        }
    }

    /// Takes note that a folder has no ignore file any more.
    pub(super) fn lost(&mut self, folder: &Path) {
        self.files.remove(folder);
    }

    /// Whether git would ignore this path, by the files seen so far; the nearest one that says something counts.
    pub(super) fn holds(&self, path: &Path, folder: bool) -> bool {
        let absolute = self.root.join(path);
        for above in path.ancestors().skip(1) {
            let Some((_, rules)) = self.files.get(above) else { continue };
            if let Some(ignored) = said(rules.as_ref(), &absolute, folder) {
                return ignored;
            }
        }
        let Some(beside) = &self.beside else { return false };
        let exclude = said(beside.exclude.as_ref(), &absolute, folder);
        exclude.or_else(|| said(Some(&beside.global), &absolute, folder)).unwrap_or(false)
    }
}
