//! What git ignores, and which folders hold what can be built or fetched again.

use crate::ignores::IgnoreFile;
use ignore::Match;
use ignore::gitignore::Gitignore;
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

/// Folders that nobody writes by hand, ignored or not.
const ALWAYS_OUT: &[&str] = &["node_modules", "__pycache__"];

/// True for a folder that is left out as a whole.
pub(super) fn is_build_folder(name: &[u8], ignored: bool) -> bool {
    let among = |names: &[&str]| names.iter().any(|known| known.as_bytes() == name);
    among(ALWAYS_OUT) || (ignored && among(BUILD_FOLDERS))
}

/// The ignore files of a tree, read once and again when they change.
#[derive(Debug)]
pub(super) struct Ignores {
    root: PathBuf,
    files: HashMap<PathBuf, (Stamp, Option<Gitignore>)>,
}

impl Ignores {
    pub(super) fn new(root: &Path) -> Self {
        Self { root: root.to_owned(), files: HashMap::new() }
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
            let Some((_, Some(rules))) = self.files.get(above) else { continue };
            match rules.matched(&absolute, folder) {
                Match::Ignore(_) => return true,
                Match::Whitelist(_) => return false,
                Match::None => {}
            }
        }
        false
    }
}
