//! What a tree of files was, so that it can be had back: a scan looks at every entry, reads only what changed since the
//! last one, and keeps the content by its hash outside of the tree. Nothing here knows of turns or sessions.

mod collect;
mod contents;
mod ignored;
mod known;
mod listing;
mod part;
mod restore;
mod scan;
mod state;
mod tree;
mod writer;

#[cfg(test)]
mod tests;

pub use collect::{Collected, collect};
pub use part::{Changed, Whose};
pub use restore::{Blocked, RestoredTree};
pub use tree::{Reason, RelPath, Tree, TreeEntry, Uncovered, changes_between, covers, is_empty_folder};

use crate::tracked::TrackedBelow;
use contents::Contents;
use ignored::Ignores;
use known::{Changes, Known, difference};
use reasonix_store::{BlobKey, Blobs, place, private_folder};
use rustix::fd::OwnedFd;
use rustix::fs::{CWD, Mode, openat, stat};
use scan::{Rules, Scan};
use state::{Index, State};
use std::collections::BTreeSet;
use std::fs::File;
use std::io;
use std::path::{Path, PathBuf};
use std::time::Duration;

/// What is covered, and how much of it.
#[derive(Debug, Clone, Copy)]
pub struct SnapshotLimits {
    /// The largest file that is kept, in bytes.
    pub file: u64,
    /// The largest ignored file that is kept, in bytes.
    pub ignored_file: u64,
    /// All ignored files together, in bytes.
    pub ignored: u64,
    /// The most entries a tree may have; a larger one is not covered at all.
    pub entries: usize,
    /// How long a look at the tree may take.
    pub patience: Duration,
}

impl Default for SnapshotLimits {
    fn default() -> Self {
        const MB: u64 = 1024 * 1024;
        Self { file: 64 * MB, ignored_file: MB, ignored: 64 * MB, entries: 300_000, patience: Duration::from_secs(60) }
    }
}

/// Why a tree, or a state of it, cannot be had.
#[derive(Debug, thiserror::Error)]
pub enum SnapshotError {
    /// The folder is the user's home, holds it, or is the top of the file system.
    #[error("{0} is not a project folder")]
    NotAProject(PathBuf),
    /// The tree has more entries than are covered.
    #[error("there are more than {0} files and folders")]
    TooManyEntries(usize),
    /// Looking at the tree takes longer than anybody should wait.
    #[error("looking at all files takes more than {} s", .0.as_secs())]
    TooSlow(Duration),
    /// The work was called off.
    #[error("stopped")]
    Stopped,
    /// What was kept is not there any more, or is damaged.
    #[error("the state {0} is no longer kept")]
    Gone(String),
    /// The system refused.
    #[error("{path}: {source}")]
    Io {
        /// What it was about.
        path: PathBuf,
        /// What the system said.
        source: io::Error,
    },
}

impl SnapshotError {
    fn io(path: &Path) -> impl FnOnce(io::Error) -> Self {
        let path = path.to_owned();
        move |source| Self::Io { path, source }
    }
}

/// The states of one tree.
#[derive(Debug)]
pub struct Snapshots {
    root: PathBuf,
    kept: PathBuf,
    folder: OwnedFd,
    blobs: Blobs,
    contents: Contents,
    index: PathBuf,
    limits: SnapshotLimits,
    /// A folder that is never part of the tree, wherever it lies.
    without: Option<PathBuf>,
    /// The tree does not last.
    passes: bool,
    /// Held from the first scan on, so that nothing is collected that this process relies on.
    in_use: Option<File>,
    /// What the last scan found; none before the first.
    known: Option<Known>,
    /// What the last scan found to be different, and from which state.
    recent: Option<(BlobKey, Changes)>,
    ignores: Ignores,
    tracked: TrackedBelow,
}

/// A state that was just taken.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Taken {
    /// Its name.
    pub state: String,
    /// How many entries are different from the state before.
    pub changed: usize,
    /// What is not in it, by path.
    pub uncovered: Vec<Uncovered>,
}

impl Snapshots {
    /// The states of the tree at `root`, kept below `kept`. Touches nothing.
    pub fn open(root: &Path, kept: &Path, home: Option<&Path>, limits: SnapshotLimits) -> Result<Self, SnapshotError> {
        // Either may be spelt by way of a link.
        let real = |path: &Path| path.canonicalize().unwrap_or_else(|_| path.to_owned());
        let top = real(root);
        if top.parent().is_none() || home.is_some_and(|home| home.starts_with(root) || real(home).starts_with(&top)) {
            return Err(SnapshotError::NotAProject(root.to_owned()));
        }
        let folder = openat(CWD, root, crate::beneath::FOLDER, Mode::empty())
            .map_err(|errno| SnapshotError::io(root)(errno.into()))?;
        if !scan::keeps_files(&folder) {
            return Err(SnapshotError::NotAProject(root.to_owned()));
        }
        let name = BlobKey::of(root.as_os_str().as_encoded_bytes()).to_string();
        let index = kept.join("index").join(name.get(..32).unwrap_or(&name));
        let contents = Contents::at(kept);
        let blobs = contents.blobs().clone();
        let ignores = Ignores::new(root);
        Ok(Self {
            root: root.to_owned(),
            kept: kept.to_owned(),
            folder,
            blobs,
            contents,
            index,
            limits,
            without: None,
            passes: false,
            in_use: None,
            known: None,
            recent: None,
            ignores,
            tracked: TrackedBelow::default(),
        })
    }

    /// The same, but for what is in this folder: going back must not undo what is kept about it.
    #[must_use]
    pub fn without(mut self, folder: &Path) -> Self {
        self.without = Some(folder.to_owned());
        self
    }

    /// The same, with nothing written down for a process after this one: the tree does not last.
    #[must_use]
    pub fn passing(mut self) -> Self {
        self.passes = true;
        self
    }

    /// The folder whose files are kept.
    pub fn root(&self) -> &Path {
        &self.root
    }

    /// Looks at the tree and keeps what is new in it. `stop` is asked now and then; true calls it off.
    pub fn take(&mut self, stop: &dyn Fn() -> bool) -> Result<Taken, SnapshotError> {
        if self.in_use.is_none() {
            self.in_use = Some(collect::in_use(&self.kept).map_err(SnapshotError::io(&self.kept))?);
        }
        let before = match self.known.take() {
            Some(known) => known,
            None => self.load(),
        };
        let kept = self.without.as_ref().and_then(|folder| stat(folder).ok());
        self.tracked.refresh(&self.root);
        let rules = Rules { ignores: &mut self.ignores, tracked: &self.tracked };
        let scan = Scan::new(&self.contents, self.limits, rules, kept, stop);
        let found = match scan.run(&self.root, &self.folder, &before.root) {
            Ok(found) => found,
            Err(error) => {
                self.known = Some(before);
                return Err(error);
            }
        };
        let changes = difference(&before.root, &found.root);
        let stale = before.stale || found.restamped;
        self.settle(Known { root: found.root, stale, unsure: false, ..before }, changes, found.uncovered)
    }

    /// The tree as it was in this state.
    pub fn read(&self, state: &str) -> Result<Tree, SnapshotError> {
        State::read(&self.blobs, state)
    }

    /// The content of a file entry.
    pub fn content(&self, entry: &TreeEntry) -> Result<Vec<u8>, SnapshotError> {
        let TreeEntry::File { content, .. } = entry else { return Ok(Vec::new()) };
        let key = BlobKey::from_bytes(*content);
        self.contents.get(&key, u64::MAX).map_err(|_| SnapshotError::Gone(key.to_string()))
    }

    /// What the last look found that git does not ignore, or tracks all the same: files, links, and what is not covered.
    pub fn unignored(&self) -> BTreeSet<RelPath> {
        let mut paths = BTreeSet::new();
        let Some(known) = &self.known else { return paths };
        known.each(&mut |path, child| {
            if !matches!(child.tracked.entry, TreeEntry::Folder { .. }) && !child.tracked.ignored {
                paths.insert(RelPath(path.to_vec()));
            }
        });
        paths
    }

    /// Keeps a content that is not in the tree; gives the entry of a file that has it.
    pub fn keep(&self, bytes: &[u8], mode: u32) -> Result<TreeEntry, SnapshotError> {
        let key = BlobKey::of(bytes);
        self.contents.keep(key, bytes).map_err(SnapshotError::io(&self.root))?;
        Ok(TreeEntry::File { mode, size: bytes.len() as u64, content: *key.as_bytes() })
    }

    /// Makes the named entries what they are in `target`; everything else stays as it is. `before` is a state that was
    /// just taken, to which one can go back: what is no longer as it says there is left alone.
    pub fn restore(&mut self, before: &str, target: &Tree, paths: &[RelPath]) -> Result<RestoredTree, SnapshotError> {
        let current = self.read(before)?;
        let blocked = restore::restore(self, &current, target, paths);
        let after = self.take(&|| false)?;
        let mut now = self.read(&after.state)?;
        restore::look_again(self, &mut now, target, paths);
        Ok(RestoredTree::new(before.to_owned(), after.state, &current, &now, target, paths, blocked))
    }

    /// True when the contents of the tree are known, so that a look reads only what changed.
    pub fn is_known(&mut self) -> bool {
        let known = self.known.take().unwrap_or_else(|| self.load());
        let known = self.known.insert(known);
        known.state.is_some() && !known.unsure
    }

    /// True when the times of changes are by the clock of this machine.
    pub fn has_our_clock(&self) -> bool {
        scan::has_our_clock(&self.folder)
    }

    /// Writes down what is known for the next process, where that is not done yet. It only saves reading files again:
    /// that it could not be written loses nothing.
    pub fn keep_index(&mut self) {
        let passes = self.passes;
        let Some(known) = self.known.as_mut().filter(|known| known.stale && !passes) else { return };
        let Some(folder) = self.index.parent() else { return };
        let bytes = Index::encode(known);
        if bytes.and_then(|bytes| private_folder(folder).and_then(|()| place(&self.index, &bytes, 0o600))).is_ok() {
            known.stale = false;
        }
    }

    fn load(&self) -> Known {
        let read = std::fs::read(&self.index).ok().and_then(|bytes| Index::decode(&bytes));
        // Nothing can be told against a state that was collected, or damaged by a power cut.
        read.filter(|index| State::is_there(&self.blobs, &BlobKey::from_bytes(index.state).to_string()))
            .map(Index::known)
            .unwrap_or_default()
    }

    fn settle(
        &mut self,
        mut known: Known,
        changes: Changes,
        uncovered: Vec<Uncovered>,
    ) -> Result<Taken, SnapshotError> {
        let changed = changes.len();
        self.recent = None;
        if changed > 0 || known.state.is_none() {
            self.recent = known.state.map(|base| (base, changes.clone()));
            let state = State::after(&known, changes);
            let key = state.encode().and_then(|bytes| self.blobs.put(&bytes)).map_err(SnapshotError::io(&self.root))?;
            known.depth = state.depth;
            known.state = Some(key);
            known.stale = true;
        }
        let state = known.state.map(|key| key.to_string()).unwrap_or_default();
        self.known = Some(known);
        Ok(Taken { state, changed, uncovered })
    }
}

impl Drop for Snapshots {
    fn drop(&mut self) {
        self.keep_index();
    }
}
