//! What a tree is made of.

use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, BTreeSet};
use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt;
use std::path::Path;

/// A path below the root as the bytes it has on disk, without a slash at either end.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct RelPath(pub(super) Vec<u8>);

impl RelPath {
    /// The path, relative to the root.
    pub fn as_path(&self) -> &Path {
        Path::new(OsStr::from_bytes(&self.0))
    }

    /// The path for people and messages, on one line: bytes that are no text are replaced, control characters escaped.
    pub fn shown(&self) -> String {
        let text = String::from_utf8_lossy(&self.0);
        let plain = |c: char| if c.is_control() { c.escape_default().to_string() } else { c.to_string() };
        if text.contains(char::is_control) { text.chars().map(plain).collect() } else { text.into_owned() }
    }

    /// The folders that it lies in, the outermost first.
    pub fn folders(&self) -> impl Iterator<Item = Self> + '_ {
        let ends = self.0.iter().enumerate().filter(|(_, byte)| **byte == b'/').map(|(place, _)| place);
        ends.filter_map(|end| Some(Self(self.0.get(..end)?.to_vec())))
    }

    /// Whether one of its names is git's own, in whatever case: nothing at such a path is a file of a project.
    pub fn is_gits(&self) -> bool {
        self.0.split(|byte| *byte == b'/').any(|name| name.eq_ignore_ascii_case(b".git"))
    }

    /// How many folders it lies in.
    pub(super) fn depth(&self) -> usize {
        self.0.iter().filter(|byte| **byte == b'/').count()
    }
}

impl From<&str> for RelPath {
    fn from(path: &str) -> Self {
        Self(path.as_bytes().to_vec())
    }
}

/// One thing in a tree.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub enum TreeEntry {
    /// A folder.
    Folder {
        /// Its permission bits.
        mode: u32,
    },
    /// A file.
    File {
        /// Its permission bits.
        mode: u32,
        /// Its length.
        size: u64,
        /// The hash that its content is kept under.
        content: [u8; 32],
    },
    /// A symbolic link.
    Link {
        /// Where it points to, as it says.
        target: Vec<u8>,
    },
    /// Something that is not kept; a folder stands for everything below it.
    Uncovered,
}

/// A whole tree.
pub type Tree = BTreeMap<RelPath, TreeEntry>;

/// Something that a state does not cover.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Uncovered {
    /// Where it is; a folder stands for everything below it.
    pub path: RelPath,
    /// Why.
    pub reason: Reason,
}

/// Why something is not covered.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Reason {
    /// A folder of build results or of fetched packages.
    BuildFolder,
    /// The file is larger than what is kept.
    TooLarge,
    /// It is ignored by git, and with it the ignored files would be more than what is kept of them.
    IgnoredTooMuch,
    /// It cannot be read.
    Unreadable,
    /// It is a pipe, a socket or a device.
    Special,
    /// Another file system is mounted there.
    OtherFileSystem,
    /// What is kept about sessions and states is there.
    Ours,
    /// The history of a repository within the tree.
    Repository,
}

impl Reason {
    /// A short word for records and output.
    pub fn word(self) -> &'static str {
        match self {
            Self::BuildFolder => "build_folder",
            Self::TooLarge => "too_large",
            Self::IgnoredTooMuch => "ignored",
            Self::Unreadable => "unreadable",
            Self::Special => "special",
            Self::OtherFileSystem => "other_file_system",
            Self::Ours => "reasonix",
            Self::Repository => "git_history",
        }
    }
}

/// Whether a tree says what was at a path, be it nothing.
pub fn covers(tree: &Tree, path: &RelPath) -> bool {
    uncovered_above(tree, path).is_none()
}

/// The path itself or the folder above it that is not covered.
pub(super) fn uncovered_above(tree: &Tree, path: &RelPath) -> Option<RelPath> {
    let above = path.0.iter().enumerate().filter(|(_, byte)| **byte == b'/').map(|(place, _)| place);
    let steps = [0].into_iter().chain(above).chain([path.0.len()]).filter_map(|end| path.0.get(..end));
    steps.map(|step| RelPath(step.to_vec())).find(|step| tree.get(step) == Some(&TreeEntry::Uncovered))
}

/// Whether nothing lies in a folder.
pub fn is_empty_folder(tree: &Tree, folder: &RelPath) -> bool {
    let mut start = folder.0.clone();
    start.push(b'/');
    let first = tree.range(RelPath(start.clone())..).next();
    first.is_none_or(|(path, _)| !path.0.starts_with(&start))
}

/// The paths that are different in two trees.
pub fn changes_between(before: &Tree, after: &Tree) -> BTreeSet<RelPath> {
    let gone_or_other = before.iter().filter(|(path, entry)| after.get(*path) != Some(*entry));
    let new = after.keys().filter(|path| !before.contains_key(*path));
    gone_or_other.map(|(path, _)| path).chain(new).cloned().collect()
}
