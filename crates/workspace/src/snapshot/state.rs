//! States on disk: each one says what is different from the one before it, so that a hundred small changes take the room
//! of a hundred small changes. Every so often one is written whole, so that none depends on a long line of others.

use super::known::{Changes, Child, Folder, Known, Tracked};
use super::tree::{RelPath, Tree, TreeEntry};
use super::{SnapshotError, tree};
use reasonix_store::{BlobKey, Blobs};
use serde::{Deserialize, Serialize};
use std::collections::{HashMap, HashSet};
use std::io;
use std::sync::Arc;

const VERSION: u8 = 1;

/// The contents that an index of version 2 vouches for are each in a file of its own; who knows no other version does not
/// know packs.
const INDEX_VERSION: u8 = 3;

const INDEX_VERSIONS: std::ops::RangeInclusive<u8> = 2..=INDEX_VERSION;

/// How many states may stand between one and the next that is whole.
const LONGEST: u32 = 64;

/// The largest state that is read.
const LARGEST: u64 = 256 * 1024 * 1024;

/// A state as it is kept.
#[derive(Debug, Serialize, Deserialize)]
pub(super) struct State {
    v: u8,
    /// The state that this one is told against; none for a whole one.
    base: Option<[u8; 32]>,
    /// How many states lie below this one.
    pub(super) depth: u32,
    changes: Vec<(tree::RelPath, Option<TreeEntry>)>,
}

impl State {
    /// The state of `known`, whose difference from the state it names is `changes`.
    pub(super) fn after(known: &Known, changes: Changes) -> Self {
        match known.state {
            Some(base) if known.depth < LONGEST => Self::told(base, known.depth, changes),
            _ => {
                let mut whole = Tree::new();
                known.each(&mut |path, child| {
                    whole.insert(RelPath(path.to_vec()), child.tracked.entry.clone());
                });
                Self::whole(whole)
            }
        }
    }

    /// The named state with some changes.
    pub(super) fn on(blobs: &Blobs, name: &str, changes: Changes) -> Result<Self, SnapshotError> {
        let key = BlobKey::from_hex(name).ok_or_else(|| SnapshotError::Gone(name.to_owned()))?;
        let depth = Self::load(blobs, &key)?.depth;
        if depth < LONGEST {
            return Ok(Self::told(key, depth, changes));
        }
        let mut whole = Self::read(blobs, name)?;
        changes.into_iter().for_each(|change| apply(&mut whole, change));
        Ok(Self::whole(whole))
    }

    fn told(base: BlobKey, depth: u32, changes: Changes) -> Self {
        Self { v: VERSION, base: Some(*base.as_bytes()), depth: depth + 1, changes: changes.into_iter().collect() }
    }

    fn whole(tree: Tree) -> Self {
        let changes = tree.into_iter().map(|(path, entry)| (path, Some(entry))).collect();
        Self { v: VERSION, base: None, depth: 0, changes }
    }

    pub(super) fn encode(&self) -> io::Result<Vec<u8>> {
        postcard::to_allocvec(self).map_err(io::Error::other)
    }

    fn load(blobs: &Blobs, key: &BlobKey) -> Result<Self, SnapshotError> {
        let gone = || SnapshotError::Gone(key.to_string());
        let bytes = blobs.get(key, LARGEST).map_err(|_| gone())?;
        postcard::from_bytes::<Self>(&bytes).ok().filter(|state| state.v == VERSION).ok_or_else(gone)
    }

    /// The states from the whole one, or from the one after the last of `done`, up to the named one.
    fn line(blobs: &Blobs, name: &str, done: &HashSet<BlobKey>) -> Result<Vec<(BlobKey, Self)>, SnapshotError> {
        let mut next = Some(BlobKey::from_hex(name).ok_or_else(|| SnapshotError::Gone(name.to_owned()))?);
        let mut line = Vec::new();
        while let Some(key) = next.filter(|key| !done.contains(key)) {
            let state = Self::load(blobs, &key)?;
            next = state.base.map(BlobKey::from_bytes);
            line.push((key, state));
            if line.len() > LONGEST as usize + 1 {
                return Err(SnapshotError::Gone(name.to_owned()));
            }
        }
        line.reverse();
        Ok(line)
    }

    /// The tree of the named state.
    pub(super) fn read(blobs: &Blobs, name: &str) -> Result<Tree, SnapshotError> {
        let mut tree = Tree::new();
        let changes = Self::line(blobs, name, &HashSet::new())?.into_iter().flat_map(|(_, state)| state.changes);
        changes.for_each(|change| apply(&mut tree, change));
        Ok(tree)
    }

    /// Whether the named state is whole, as far as that can be told without the contents.
    pub(super) fn is_there(blobs: &Blobs, name: &str) -> bool {
        Self::line(blobs, name, &HashSet::new()).is_ok()
    }

    /// The blobs of the named state's line, and of every file in its tree; without those that one of the `done` states
    /// needs, on which this one is built.
    pub(super) fn needs(blobs: &Blobs, name: &str, done: &HashSet<BlobKey>) -> Result<Vec<BlobKey>, SnapshotError> {
        let mut newest: HashMap<RelPath, Option<TreeEntry>> = HashMap::new();
        let mut keys = Vec::new();
        for (key, state) in Self::line(blobs, name, done)?.into_iter().rev() {
            keys.push(key);
            for (path, entry) in state.changes {
                newest.entry(path).or_insert(entry);
            }
        }
        keys.extend(newest.into_values().filter_map(|entry| match entry {
            Some(TreeEntry::File { content, .. }) => Some(BlobKey::from_bytes(content)),
            _ => None,
        }));
        Ok(keys)
    }
}

fn apply(tree: &mut Tree, (path, entry): (RelPath, Option<TreeEntry>)) {
    match entry {
        Some(entry) => drop(tree.insert(path, entry)),
        None => drop(tree.remove(&path)),
    }
}

/// What the last look found, as it is kept between processes: every entry, each folder before what is in it.
#[derive(Debug, Serialize, Deserialize)]
pub(super) struct Index<R = Row<Box<[u8]>, Tracked>> {
    v: u8,
    /// Under which start of the system it was written: what was kept may be damaged since, when that was another one.
    boot: String,
    pub(super) state: [u8; 32],
    depth: u32,
    rows: Vec<R>,
}

/// One entry.
#[derive(Debug, Serialize, Deserialize)]
pub(super) struct Row<N, T> {
    name: N,
    tracked: T,
    /// How many of the rows are directly in it, where it is a folder that is looked into.
    below: Option<u32>,
}

impl Index {
    /// The bytes for what is known, after a checksum of them: they are written without waiting for the disk.
    pub(super) fn encode(known: &Known) -> io::Result<Vec<u8>> {
        let mut rows = Vec::new();
        known.each(&mut |_, child| {
            let below = child.below.as_ref().map(|folder| u32::try_from(folder.children.len()).unwrap_or(u32::MAX));
            rows.push(Row { name: &*child.name, tracked: &child.tracked, below });
        });
        let state = known.state.map_or([0; 32], |key| *key.as_bytes());
        let index = Index { v: INDEX_VERSION, boot: boot(), state, depth: known.depth, rows };
        let body = postcard::to_allocvec(&index).map_err(io::Error::other)?;
        let mut bytes = blake3::hash(&body).as_bytes().to_vec();
        bytes.extend(body);
        Ok(bytes)
    }

    pub(super) fn decode(bytes: &[u8]) -> Option<Self> {
        let (sum, body) = bytes.split_first_chunk::<32>()?;
        let index = || postcard::from_bytes::<Self>(body).ok().filter(|index| INDEX_VERSIONS.contains(&index.v));
        (blake3::hash(body) == *sum).then(index).flatten()
    }

    /// The blobs that it vouches for.
    pub(super) fn needs(&self) -> impl Iterator<Item = BlobKey> {
        let contents = self.rows.iter().filter_map(|row| match row.tracked.entry {
            TreeEntry::File { content, .. } => Some(content),
            _ => None,
        });
        contents.chain([self.state]).map(BlobKey::from_bytes)
    }

    /// What was known. After another start of the system every file is read once more: what was kept last may not have
    /// reached the disk.
    pub(super) fn known(self) -> Known {
        let unsure = self.boot.is_empty() || self.boot != boot();
        let mut rows = self.rows.into_iter();
        let mut children = Vec::new();
        while let Some(child) = child(&mut rows, unsure) {
            children.push(child);
        }
        let root = Arc::new(Folder { children });
        Known { root, state: Some(BlobKey::from_bytes(self.state)), depth: self.depth, stale: false, unsure }
    }
}

fn child(rows: &mut impl Iterator<Item = Row<Box<[u8]>, Tracked>>, unsure: bool) -> Option<Child> {
    let Row { name, mut tracked, below } = rows.next()?;
    tracked.young |= unsure;
    let below =
        below.map(|count| Arc::new(Folder { children: (0..count).map_while(|_| child(rows, unsure)).collect() }));
    Some(Child { name, tracked, below })
}

/// The name of this start of the system; empty where that is not told.
fn boot() -> String {
    std::fs::read_to_string("/proc/sys/kernel/random/boot_id").unwrap_or_default().trim().to_owned()
}
