//! Where repositories are in some folders: a look at names alone, within bounds, and never through a link.

use std::collections::VecDeque;
use std::fs;
use std::path::PathBuf;

/// More folders, and folders deeper than this, are not looked through; they are named.
const MOST_FOLDERS: usize = 60_000;
const DEEPEST: usize = 200;
/// More names in all are not looked at.
const MOST_NAMES: usize = 1_000_000;
/// More repositories are not looked into.
const MOST_REPOSITORIES: usize = 4_000;
/// More of what was not seen is not named.
const MOST_UNSEEN: usize = 50;

/// How much is looked through.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Scope {
    most: usize,
    skipped: &'static [&'static str],
}

/// Everything, within bounds.
pub(super) const ALL: Scope = Scope { most: MOST_FOLDERS, skipped: &[] };
/// Little enough for somebody who waits; what was installed or built is left out.
pub(super) const OWN: Scope = Scope { most: 5_000, skipped: &["node_modules", "target", ".venv"] };

/// What was found.
#[derive(Debug, Default)]
pub(super) struct Walked {
    /// Folders that have a `.git`, whatever it is.
    pub(super) folders: Vec<PathBuf>,
    /// Folders that git takes for a repository by their own layout.
    pub(super) bare: Vec<PathBuf>,
    /// Folders that were not looked through.
    pub(super) unseen: Vec<PathBuf>,
    names: usize,
    count: usize,
    scope: Scope,
}

/// Looks through folders, those that lie higher first.
pub(super) fn walk(roots: &[PathBuf], scope: Scope) -> Walked {
    let mut walked = Walked { scope, ..Walked::default() };
    let outer = roots.iter().filter(|root| !roots.iter().any(|other| root != &other && root.starts_with(other)));
    let mut left: VecDeque<(PathBuf, usize)> = outer.map(|root| (root.clone(), 0)).collect();
    while let Some((folder, deep)) = left.pop_front() {
        let found = walked.folders.len() + walked.bare.len();
        let full = walked.count >= scope.most || walked.names >= MOST_NAMES || found >= MOST_REPOSITORIES;
        if full && walked.unseen.len() >= MOST_UNSEEN {
            break;
        }
        if full || deep > DEEPEST || walked.enter(&folder, deep, &mut left).is_err() {
            walked.unseen.push(folder);
        }
    }
    walked.unseen.sort();
    walked.unseen.truncate(MOST_UNSEEN);
    walked
}

impl Walked {
    fn enter(&mut self, folder: &PathBuf, deep: usize, left: &mut VecDeque<(PathBuf, usize)>) -> std::io::Result<()> {
        let (mut head, mut objects, mut refs, mut common) = (false, false, false, false);
        self.count += 1;
        for entry in fs::read_dir(folder)? {
            let entry = entry?;
            let (name, is_folder) = (entry.file_name(), entry.file_type()?.is_dir());
            self.names += 1;
            match name.as_encoded_bytes() {
                b".git" => {
                    // An empty one is no repository, and takes no place from one.
                    if !is_folder || fs::read_dir(entry.path())?.next().is_some() {
                        self.folders.push(folder.clone());
                    }
                    continue;
                }
                b"HEAD" => head = true,
                b"objects" => objects = true,
                b"refs" => refs = true,
                b"commondir" => common = true,
                _ => {}
            }
            if is_folder && !self.scope.skipped.iter().any(|skipped| name == *skipped) {
                left.push_back((folder.join(name), deep + 1));
            }
        }
        if head && ((objects && refs) || common) {
            self.bare.push(folder.clone());
        }
        Ok(())
    }
}
