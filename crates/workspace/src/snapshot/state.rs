//! States on disk: each one says what is different from the one before it, so that a hundred small changes take the room
//! of a hundred small changes. Every so often one is written whole, so that none depends on a long line of others.

use super::scan::{Known, Stamp, Tracked};
use super::tree::{Entry, RelPath, Tree};
use super::{SnapshotError, tree};
use reasonix_store::{BlobKey, Blobs};
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, HashMap, HashSet};
use std::io;

const VERSION: u8 = 1;

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
    changes: Vec<(tree::RelPath, Option<Entry>)>,
}

impl State {
    /// The state of `known`, whose difference from the state it names is `changes`.
    pub(super) fn after(known: &Known, changes: BTreeMap<RelPath, Option<Entry>>) -> Self {
        match known.state {
            Some(base) if known.depth < LONGEST => Self {
                v: VERSION,
                base: Some(*base.as_bytes()),
                depth: known.depth + 1,
                changes: changes.into_iter().collect(),
            },
            _ => {
                let mut whole: Vec<_> =
                    known.entries.iter().map(|(path, tracked)| (path.clone(), Some(tracked.entry.clone()))).collect();
                whole.sort_by(|a, b| a.0.cmp(&b.0));
                Self { v: VERSION, base: None, depth: 0, changes: whole }
            }
        }
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
        for (path, entry) in Self::line(blobs, name, &HashSet::new())?.into_iter().flat_map(|(_, state)| state.changes)
        {
            match entry {
                Some(entry) => drop(tree.insert(path, entry)),
                None => drop(tree.remove(&path)),
            }
        }
        Ok(tree)
    }

    /// The blobs of the named state's line, and of every file in its tree; without those that one of the `done` states
    /// needs, on which this one is built.
    pub(super) fn needs(blobs: &Blobs, name: &str, done: &HashSet<BlobKey>) -> Result<Vec<BlobKey>, SnapshotError> {
        let mut newest: HashMap<RelPath, Option<Entry>> = HashMap::new();
        let mut keys = Vec::new();
        for (key, state) in Self::line(blobs, name, done)?.into_iter().rev() {
            keys.push(key);
            for (path, entry) in state.changes {
                newest.entry(path).or_insert(entry);
            }
        }
        keys.extend(newest.into_values().filter_map(|entry| match entry {
            Some(Entry::File { content, .. }) => Some(BlobKey::from_bytes(content)),
            _ => None,
        }));
        Ok(keys)
    }
}

/// What the last scan found, as it is kept between processes.
#[derive(Debug, Serialize, Deserialize)]
pub(super) struct Index {
    v: u8,
    pub(super) state: [u8; 32],
    depth: u32,
    entries: Vec<(RelPath, Entry, Stamp, bool)>,
}

impl Index {
    pub(super) fn of(known: &Known) -> Self {
        let row = |(path, tracked): (&RelPath, &Tracked)| {
            (path.clone(), tracked.entry.clone(), tracked.stamp, tracked.ignored)
        };
        let state = known.state.map_or([0; 32], |key| *key.as_bytes());
        Self { v: VERSION, state, depth: known.depth, entries: known.entries.iter().map(row).collect() }
    }

    /// The blobs that it vouches for.
    pub(super) fn needs(&self) -> impl Iterator<Item = BlobKey> {
        let contents = self.entries.iter().filter_map(|(_, entry, _, _)| match entry {
            Entry::File { content, .. } => Some(*content),
            _ => None,
        });
        contents.chain([self.state]).map(BlobKey::from_bytes)
    }

    /// The bytes, after a checksum of them: it is written without waiting for the disk.
    pub(super) fn encode(&self) -> io::Result<Vec<u8>> {
        let body = postcard::to_allocvec(self).map_err(io::Error::other)?;
        let mut bytes = blake3::hash(&body).as_bytes().to_vec();
        bytes.extend(body);
        Ok(bytes)
    }

    pub(super) fn decode(bytes: &[u8]) -> Option<Self> {
        let (sum, body) = bytes.split_first_chunk::<32>()?;
        let index = || postcard::from_bytes::<Self>(body).ok().filter(|index| index.v == VERSION);
        (blake3::hash(body) == *sum).then(index).flatten()
    }
}

impl From<Index> for Known {
    fn from(index: Index) -> Self {
        let row = |(path, entry, stamp, ignored)| (path, Tracked { entry, stamp, ignored });
        Self {
            entries: index.entries.into_iter().map(row).collect(),
            state: Some(BlobKey::from_bytes(index.state)),
            depth: index.depth,
            stale: false,
        }
    }
}
