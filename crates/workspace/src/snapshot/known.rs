//! What a look found: folders within folders, each with its entries in the order in which the system lists them. Folders
//! in which nothing changed are shared by two looks, so that an unchanged tree costs no memory, and a difference is found
//! without comparing what is the same.

use super::tree::{RelPath, TreeEntry};
use reasonix_store::BlobKey;
use rustix::fs::Stat;
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, HashMap, HashSet};
use std::sync::Arc;

/// The file that says what git ignores.
pub(super) const IGNORE_FILE: &[u8] = b".gitignore";

/// What changes when an entry does.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub(super) struct Stamp {
    inode: u64,
    pub(super) size: u64,
    pub(super) modified: i64,
    pub(super) changed: i64,
}

impl Stamp {
    #[allow(clippy::unnecessary_cast, clippy::cast_sign_loss)]
    pub(super) fn of(found: &Stat) -> Self {
        let nanos = |secs: i64, part: i64| secs.saturating_mul(1_000_000_000).saturating_add(part);
        Self {
            inode: found.st_ino as u64,
            size: found.st_size as u64,
            modified: nanos(found.st_mtime as i64, found.st_mtime_nsec as i64),
            changed: nanos(found.st_ctime as i64, found.st_ctime_nsec as i64),
        }
    }
}

/// An entry with what is needed to take it over in the next look.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Tracked {
    pub(super) entry: TreeEntry,
    pub(super) stamp: Stamp,
    pub(super) ignored: bool,
    /// The stamp cannot be relied on: the file was being written, or was written just before.
    pub(super) young: bool,
}

/// An entry in its folder.
#[derive(Debug, Clone)]
pub(super) struct Child {
    pub(super) name: Box<[u8]>,
    pub(super) tracked: Tracked,
    /// What is in it, where it is a folder that is looked into.
    pub(super) below: Option<Arc<Folder>>,
}

/// What is in a folder.
#[derive(Debug, Default)]
pub(super) struct Folder {
    pub(super) children: Vec<Child>,
}

impl Folder {
    pub(super) fn child(&self, name: &[u8]) -> Option<&Child> {
        self.children.iter().find(|child| *child.name == *name)
    }
}

/// What the last look found.
#[derive(Debug, Default)]
pub(super) struct Known {
    pub(super) root: Arc<Folder>,
    /// The state that this is, once it has been written.
    pub(super) state: Option<BlobKey>,
    /// How many states lie below it.
    pub(super) depth: u32,
    /// True when the index on disk is older.
    pub(super) stale: bool,
    /// True when all files are to be read once more.
    pub(super) unsure: bool,
}

impl Known {
    /// Every entry with its path, folders before what is in them.
    pub(super) fn each<'a>(&'a self, give: &mut dyn FnMut(&[u8], &'a Child)) {
        each_below(&self.root, &mut Vec::new(), give);
    }

    /// The entry at a path; none where there is none.
    pub(super) fn find(&self, path: &RelPath) -> Option<&Tracked> {
        let mut folder = &self.root;
        let mut parts = path.0.split(|byte| *byte == b'/').peekable();
        while let Some(part) = parts.next() {
            let child = folder.child(part)?;
            if parts.peek().is_none() {
                return Some(&child.tracked);
            }
            folder = child.below.as_ref()?;
        }
        None
    }
}

fn each_below<'a>(folder: &'a Folder, path: &mut Vec<u8>, give: &mut dyn FnMut(&[u8], &'a Child)) {
    for child in &folder.children {
        let length = enter(path, &child.name);
        give(path, child);
        if let Some(below) = &child.below {
            each_below(below, path, give);
        }
        path.truncate(length);
    }
}

/// Appends a name to a path; gives the length to go back to.
pub(super) fn enter(path: &mut Vec<u8>, name: &[u8]) -> usize {
    let length = path.len();
    if length > 0 {
        path.push(b'/');
    }
    path.extend_from_slice(name);
    length
}

/// What is different, by path: the entry that is there now, or none.
pub(super) type Changes = BTreeMap<RelPath, Option<TreeEntry>>;

/// What is different between two looks.
pub(super) fn difference(before: &Arc<Folder>, after: &Arc<Folder>) -> Changes {
    let mut changes = Changes::new();
    compare(before, after, &mut Vec::new(), &mut changes);
    changes
}

fn compare(before: &Arc<Folder>, after: &Arc<Folder>, path: &mut Vec<u8>, changes: &mut Changes) {
    if Arc::ptr_eq(before, after) {
        return;
    }
    let mut gone: HashMap<&[u8], &Child> = before.children.iter().map(|child| (&*child.name, child)).collect();
    let nothing = Arc::new(Folder::default());
    for child in &after.children {
        let length = enter(path, &child.name);
        let old = gone.remove(&*child.name);
        if old.is_none_or(|old| old.tracked.entry != child.tracked.entry) {
            changes.insert(RelPath(path.clone()), Some(child.tracked.entry.clone()));
        }
        let inside = old.and_then(|old| old.below.as_ref());
        compare(inside.unwrap_or(&nothing), child.below.as_ref().unwrap_or(&nothing), path, changes);
        path.truncate(length);
    }
    for child in gone.into_values() {
        let length = enter(path, &child.name);
        changes.insert(RelPath(path.clone()), None);
        compare(child.below.as_ref().unwrap_or(&nothing), &nothing, path, changes);
        path.truncate(length);
    }
}

/// A folder while it is looked at: as long as everything is as it was, nothing is copied.
pub(super) struct Growing<'a> {
    whole: Option<&'a Arc<Folder>>,
    before: &'a [Child],
    /// Everything before this place is as it was, while nothing was copied; the next name is expected here.
    next: usize,
    copied: Option<Vec<Child>>,
    places: Option<HashMap<&'a [u8], usize>>,
}

impl<'a> Growing<'a> {
    pub(super) fn new(whole: Option<&'a Arc<Folder>>) -> Self {
        let before = whole.map(|folder| folder.children.as_slice()).unwrap_or_default();
        Self { whole, before, next: 0, copied: None, places: None }
    }

    /// What the last look found under this name, and where.
    pub(super) fn known(&mut self, name: &[u8]) -> Option<(usize, &'a Child)> {
        let before = self.before;
        if let Some(child) = before.get(self.next).filter(|child| *child.name == *name) {
            return Some((self.next, child));
        }
        let numbered = || before.iter().enumerate().map(|(place, child)| (&*child.name, place)).collect();
        let place = *self.places.get_or_insert_with(numbered).get(name)?;
        Some((place, before.get(place)?))
    }

    /// It is as it was.
    pub(super) fn same(&mut self, place: usize) {
        if self.copied.is_some() || place != self.next {
            let child = self.before.get(place).cloned();
            self.copy().extend(child);
        }
        self.next = place + 1;
    }

    /// It is new, or another one than the one at `place`.
    pub(super) fn other(&mut self, child: Child, place: Option<usize>) {
        self.copy().push(child);
        self.next = place.map_or(self.next, |place| place + 1);
    }

    fn copy(&mut self) -> &mut Vec<Child> {
        let before = self.before.get(..self.next).unwrap_or_default();
        self.copied.get_or_insert_with(|| before.to_vec())
    }

    /// The folder: the one from before when nothing is different.
    pub(super) fn finish(mut self) -> Arc<Folder> {
        if let (None, Some(whole)) = (&self.copied, self.whole.filter(|_| self.next == self.before.len())) {
            return Arc::clone(whole);
        }
        let mut children = std::mem::take(self.copy());
        // A folder that is being written may list a name twice.
        let mut seen: HashSet<Box<[u8]>> = HashSet::with_capacity(children.len());
        children.retain(|child| seen.insert(child.name.clone()));
        children.shrink_to_fit();
        Arc::new(Folder { children })
    }
}
