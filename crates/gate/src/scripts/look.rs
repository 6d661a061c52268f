//! Where scripts are looked for, and what was found.

use super::content::Content;
use crate::files::Files;
use reasonix_policy::Places;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// Of more files nothing is compared.
const MOST_FILES: usize = 256;

/// Folders that a box has of its own.
const OWN: &[&str] = &["/tmp", "/var/tmp"];

/// What the system has is not the model's to change.
const SYSTEM: &[&str] =
    &["/bin", "/dev", "/etc", "/lib", "/lib32", "/lib64", "/nix", "/opt", "/proc", "/sbin", "/snap", "/sys", "/usr"];

/// Looks for scripts, and keeps what is in them.
pub(super) struct Look<'a> {
    files: &'a Files,
    walled: bool,
    found: BTreeMap<String, Content>,
}

impl<'a> Look<'a> {
    pub(super) fn new(files: &'a Files, walled: bool) -> Self {
        Self { files, walled, found: BTreeMap::new() }
    }

    pub(super) fn into_found(self) -> BTreeMap<String, Content> {
        self.found
    }

    /// The places that a path may mean; a place that cannot be told holds no script that could be compared.
    pub(super) fn places(&mut self, places: &Places, path: &str) -> Vec<PathBuf> {
        if let (Some(rest), Some(home)) = (path.strip_prefix("~/"), std::env::var_os("HOME")) {
            return vec![Path::new(&home).join(rest)];
        }
        match self.files.candidates(places, path) {
            Some(candidates) => candidates,
            None => {
                self.keep(path.to_owned(), Content::Unknown);
                Vec::new()
            }
        }
    }

    /// Takes in a file that is run. False when nothing is there.
    pub(super) fn file(&mut self, path: &Path) -> bool {
        let root = self.files.workspace().root();
        let is_own = |path: &Path| !path.starts_with(root) && OWN.iter().any(|own| path.starts_with(own));
        if self.walled && is_own(path) {
            self.keep(path.display().to_string(), Content::Unknown);
            return true;
        }
        let Ok(real) = path.canonicalize() else { return false };
        let inside = real.strip_prefix(root).ok().map(|name| name.to_string_lossy().into_owned());
        if inside.is_none() && SYSTEM.iter().any(|folder| real.starts_with(folder)) {
            return false;
        }
        if !real.metadata().is_ok_and(|found| found.is_file()) {
            return false;
        }
        let name = inside.unwrap_or_else(|| real.display().to_string());
        if !self.found.contains_key(&name) {
            self.keep(name, Content::of(&real));
        }
        true
    }

    /// Takes in a file by the word that names it.
    pub(super) fn word(&mut self, places: &Places, path: &str) -> bool {
        let mut there = false;
        for candidate in self.places(places, path) {
            there |= self.file(&candidate);
        }
        there
    }

    /// Where a path of the workspace may lie, without a word about places that cannot be told.
    pub(super) fn inside(&self, places: &Places, path: &str) -> Vec<PathBuf> {
        let root = self.files.workspace().root();
        let candidates = self.files.candidates(places, path).unwrap_or_default();
        candidates.into_iter().filter(|at| at.canonicalize().is_ok_and(|real| real.starts_with(root))).collect()
    }

    /// Takes in the files of a folder whose names begin and end like this.
    pub(super) fn beginning(&mut self, folder: &Path, start: &str, end: &str) {
        let Ok(entries) = std::fs::read_dir(folder) else { return };
        for entry in entries.flatten() {
            let name = entry.file_name();
            if name.to_str().is_some_and(|name| name.starts_with(start) && name.ends_with(end)) {
                self.file(&entry.path());
            }
        }
    }

    /// Takes in the first of the names in a folder, or in one above it where they are looked for there.
    pub(super) fn first_of(&mut self, folder: &Path, names: &[&str], climbs: bool) -> Option<PathBuf> {
        let root = self.files.workspace().root().to_owned();
        let mut at = folder.to_owned();
        loop {
            if names.iter().any(|name| self.file(&at.join(name))) {
                return Some(at);
            }
            if !climbs || at == root || !at.pop() {
                return None;
            }
        }
    }

    fn keep(&mut self, name: String, content: Content) {
        // What is not compared is not known to be the same.
        let content = if self.found.len() >= MOST_FILES { Content::Unknown } else { content };
        if self.found.len() <= MOST_FILES {
            self.found.insert(name, content);
        }
    }
}
