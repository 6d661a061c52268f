//! What is kept from session to session: small texts that a person approved, one file each, for all projects or for one.
//! They lie in our own state, never in a repository. Earlier versions and forgotten ones are archived, not deleted.

mod find;
mod text;

use crate::zone::clock;
use reasonix_proto::{MemoryReach, Phrase, is_deceptive};
use reasonix_store::{BlobKey, Lock, LockError, private_folder, write_atomic};
use rustix::fs::{Mode, OFlags};
use std::fs::File;
use std::io::{self, ErrorKind, Read};
use std::path::{Path, PathBuf};
use std::time::Duration;

pub use find::Recalled;
pub use text::{Memory, Provenance};

/// A larger file is not read.
const LARGEST_FILE: u64 = 64 * 1024;
/// No more memories of one scope are kept, nor looked at.
const MOST: usize = 500;
/// Archived versions of one name; the oldest go.
const MOST_ARCHIVED: usize = 20;
/// The index of one scope is at most so many characters.
const LONGEST_INDEX: usize = 4000;
/// How long somebody else who saves is waited for.
const PATIENCE: Duration = Duration::from_secs(5);
/// The folder of archived ones.
const ARCHIVE: &str = "archive";

/// For which work a memory holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Reach {
    /// For all of the user's.
    Global,
    /// For one project.
    Project,
}

impl Reach {
    /// The word for it.
    pub fn word(self) -> &'static str {
        match self {
            Self::Global => "global",
            Self::Project => "project",
        }
    }
}

impl From<Reach> for MemoryReach {
    fn from(reach: Reach) -> Self {
        match reach {
            Reach::Global => Self::Global,
            Reach::Project => Self::Project,
        }
    }
}

/// A memory could not be had or kept.
#[derive(Debug, thiserror::Error)]
pub enum MemoryError {
    /// The name is not one that a memory can have.
    #[error("{0:?} is no name for a memory: use 3 to 40 letters, digits, - and _")]
    Name(String),
    /// There is none of this name.
    #[error("there is no memory named {0}")]
    NotFound(String),
    /// There is nothing to keep.
    #[error("the text is empty")]
    Empty,
    /// There are too many, or the text is too long.
    #[error("{0}")]
    TooMuch(&'static str),
    /// The file is there and cannot be used.
    #[error("{path} cannot be used: {reason}")]
    File {
        /// The file.
        path: PathBuf,
        /// Why.
        reason: String,
    },
}

impl MemoryError {
    /// What to tell the user.
    pub fn phrase(&self) -> Phrase {
        match self {
            Self::Name(name) => Phrase::new("session.memory_name").with("name", name),
            Self::NotFound(name) => Phrase::new("session.no_memory").with("name", name),
            Self::Empty => Phrase::new("session.memory_empty"),
            Self::TooMuch(_) => Phrase::new("session.memory_full"),
            Self::File { path, reason } => {
                Phrase::new("session.io").with("path", path.display()).with("reason", reason)
            }
        }
    }
}

/// A memory with its name.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Named {
    /// The name.
    pub name: String,
    /// For which work it holds.
    pub reach: Reach,
    /// The memory.
    pub memory: Memory,
}

/// What a scope holds.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct KeptMemories {
    /// Sorted by name; archived versions by number.
    pub memories: Vec<Named>,
    /// Files that are no memories, and why.
    pub unusable: Vec<(PathBuf, String)>,
}

/// The memories of the user and of one project.
#[derive(Debug, Clone)]
pub struct Memories {
    global: PathBuf,
    project: PathBuf,
    root: PathBuf,
}

impl Memories {
    /// Those of this state folder and of the project with this root; touches nothing.
    pub fn at(state: &Path, root: &Path) -> Self {
        let folder = state.join("memory");
        let hash = BlobKey::of(root.as_os_str().as_encoded_bytes()).to_string();
        let project = folder.join("projects").join(hash.get(..16).unwrap_or(&hash));
        Self { global: folder.join("global"), project, root: root.to_owned() }
    }

    fn folder(&self, reach: Reach) -> &Path {
        match reach {
            Reach::Global => &self.global,
            Reach::Project => &self.project,
        }
    }

    /// Where a memory lies, or would lie.
    pub fn path(&self, reach: Reach, name: &str) -> PathBuf {
        self.folder(reach).join(format!("{name}.md"))
    }

    /// The active memories of a scope.
    pub fn active(&self, reach: Reach) -> KeptMemories {
        read_folder(self.folder(reach), reach)
    }

    /// Earlier versions and forgotten ones.
    pub fn archived(&self, reach: Reach) -> KeptMemories {
        read_folder(&self.folder(reach).join(ARCHIVE), reach)
    }

    /// A memory by its name; in the project first when no scope is named.
    pub fn get(&self, name: &str, reach: Option<Reach>) -> Result<Named, MemoryError> {
        check_name(name)?;
        for reach in reach.map_or(vec![Reach::Project, Reach::Global], |reach| vec![reach]) {
            let path = self.path(reach, name);
            match read_file(&path) {
                Ok(memory) => return Ok(Named { name: name.to_owned(), reach, memory }),
                Err(error) if error.kind() == ErrorKind::NotFound => {}
                Err(error) => return Err(MemoryError::File { path, reason: error.to_string() }),
            }
        }
        Err(MemoryError::NotFound(name.to_owned()))
    }

    /// What saving this would give: the next version, with nothing written.
    pub fn drafted(
        &self,
        reach: Reach,
        name: &str,
        description: &str,
        body: &str,
        from: Provenance,
    ) -> Result<Named, MemoryError> {
        check_name(name)?;
        if body.trim().is_empty() {
            return Err(MemoryError::Empty);
        }
        if body.len() > text::LONGEST_BODY {
            return Err(MemoryError::TooMuch("the text is longer than 16 KiB"));
        }
        let revision = match self.get(name, Some(reach)) {
            Ok(earlier) => earlier.memory.revision + 1,
            Err(MemoryError::NotFound(_)) => self.last_archived(reach, name) + 1,
            Err(error) => return Err(error),
        };
        let memory = Memory {
            description: text::line(description),
            body: body.trim().to_owned(),
            from,
            revision,
            saved: now(),
            archived: String::new(),
        };
        // As it will be read, so that what is approved is what is kept.
        Ok(Named { name: name.to_owned(), reach, memory: Memory::read(&memory.write()) })
    }

    /// Saves a memory; an earlier version of it is archived first.
    pub fn save(&self, draft: &Named) -> Result<PathBuf, MemoryError> {
        let (folder, path) = (self.folder(draft.reach), self.path(draft.reach, &draft.name));
        let failed = |error: io::Error| MemoryError::File { path: path.clone(), reason: error.to_string() };
        private_folder(folder).map_err(failed)?;
        let _lock = lock(folder).map_err(failed)?;
        match self.get(&draft.name, Some(draft.reach)) {
            Ok(earlier) => self.archive(&earlier, "replaced").map_err(failed)?,
            Err(MemoryError::NotFound(_)) if self.active(draft.reach).memories.len() >= MOST => {
                return Err(MemoryError::TooMuch("there are 500 memories already; forget some first"));
            }
            Err(MemoryError::NotFound(_)) => {}
            Err(error) => return Err(error),
        }
        if draft.reach == Reach::Project {
            let root = self.root.display().to_string();
            write_atomic(&folder.join("root"), format!("{root}\n").as_bytes(), 0o600).map_err(failed)?;
        }
        write_atomic(&path, draft.memory.write().as_bytes(), 0o600).map_err(failed)?;
        Ok(path)
    }

    /// Takes a memory out of use; it is archived.
    pub fn forget(&self, name: &str, reach: Option<Reach>) -> Result<Named, MemoryError> {
        let found = self.get(name, reach)?;
        let path = self.path(found.reach, name);
        let failed = |error: io::Error| MemoryError::File { path: path.clone(), reason: error.to_string() };
        let _lock = lock(self.folder(found.reach)).map_err(failed)?;
        self.archive(&found, "forgotten").map_err(failed)?;
        std::fs::remove_file(&path).map_err(failed)?;
        Ok(found)
    }

    fn archive(&self, earlier: &Named, why: &str) -> io::Result<()> {
        let folder = self.folder(earlier.reach).join(ARCHIVE);
        private_folder(&folder)?;
        let memory = Memory { archived: format!("{}, {why}", now()), ..earlier.memory.clone() };
        let name = format!("{}.{}.md", earlier.name, memory.revision);
        write_atomic(&folder.join(name), memory.write().as_bytes(), 0o600)?;
        let mut versions = self.versions(earlier.reach, &earlier.name);
        versions.sort_unstable();
        for old in versions.iter().rev().skip(MOST_ARCHIVED) {
            std::fs::remove_file(folder.join(format!("{}.{old}.md", earlier.name)))?;
        }
        Ok(())
    }

    /// The numbers of the archived versions of a name.
    fn versions(&self, reach: Reach, name: &str) -> Vec<u32> {
        let names = file_names(&self.folder(reach).join(ARCHIVE));
        let number = |file: &String| file.strip_prefix(name)?.strip_prefix('.')?.strip_suffix(".md")?.parse().ok();
        names.iter().filter_map(number).collect()
    }

    fn last_archived(&self, reach: Reach, name: &str) -> u32 {
        self.versions(reach, name).into_iter().max().unwrap_or(0)
    }

    /// The names and descriptions of a scope for the system prompt, sorted: the same files give the same bytes. Empty when
    /// there is none.
    pub fn index(&self, reach: Reach) -> String {
        let mut index = String::new();
        let kept = self.active(reach).memories;
        for (place, named) in kept.iter().enumerate() {
            let origin = match &named.memory.from {
                from if from.is_users() => String::new(),
                from => format!(" (from {})", from.source),
            };
            let line = format!("- {}: {}{origin}\n", named.name, named.memory.description);
            if index.chars().count() + line.chars().count() > LONGEST_INDEX {
                index.push_str(&format!("[{} more; the tool memory lists them]\n", kept.len() - place));
                break;
            }
            index.push_str(&line);
        }
        index
    }
}

/// Names are file names: nothing in them may lead elsewhere, hide, or look like a version.
fn check_name(name: &str) -> Result<(), MemoryError> {
    let fits =
        (3..=40).contains(&name.len()) && name.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '-' | '_'));
    let shown = || name.chars().filter(|c| !is_deceptive(*c)).take(60).collect();
    if fits { Ok(()) } else { Err(MemoryError::Name(shown())) }
}

fn now() -> String {
    clock(crate::stats::now())
}

fn lock(folder: &Path) -> io::Result<Lock> {
    Lock::acquire(&folder.join(".lock"), PATIENCE).map_err(|error| match error {
        LockError::Io { source, .. } => source,
        held @ LockError::Held { .. } => io::Error::other(held.to_string()),
    })
}

/// The names of the files of a folder, sorted.
fn file_names(folder: &Path) -> Vec<String> {
    // A folder that is a link is not ours.
    let real = std::fs::symlink_metadata(folder).is_ok_and(|found| found.is_dir());
    let entries = real.then(|| std::fs::read_dir(folder).ok()).flatten();
    let entries = entries.into_iter().flatten().filter_map(Result::ok);
    let mut names: Vec<String> = entries.filter_map(|entry| entry.file_name().into_string().ok()).collect();
    names.sort_unstable();
    names
}

fn read_folder(folder: &Path, reach: Reach) -> KeptMemories {
    let mut kept = KeptMemories::default();
    let names = file_names(folder);
    let names = names.iter().filter_map(|name| name.strip_suffix(".md")).filter(|name| !name.starts_with('.'));
    for name in names.take(2 * MOST) {
        let path = folder.join(format!("{name}.md"));
        let plain = name.split_once('.').map_or(name, |(name, _)| name);
        let read = if check_name(plain).is_ok() { read_file(&path) } else { Err(io::Error::other("its name")) };
        match read {
            Ok(memory) => kept.memories.push(Named { name: name.to_owned(), reach, memory }),
            Err(error) => kept.unusable.push((path, error.to_string())),
        }
    }
    kept
}

/// Reads a memory's file. Links, other things than files, what is too large and what is no text are refused.
fn read_file(path: &Path) -> io::Result<Memory> {
    let flags = OFlags::RDONLY | OFlags::NOFOLLOW | OFlags::NONBLOCK | OFlags::CLOEXEC;
    let file = File::from(rustix::fs::open(path, flags, Mode::empty()).map_err(|error| match error {
        rustix::io::Errno::LOOP => io::Error::other("it is a link"),
        error => error.into(),
    })?);
    let found = file.metadata()?;
    if !found.is_file() {
        return Err(io::Error::other("it is not a file"));
    }
    if found.len() > LARGEST_FILE {
        return Err(io::Error::other("it is larger than 64 KiB"));
    }
    let mut bytes = Vec::new();
    file.take(LARGEST_FILE).read_to_end(&mut bytes)?;
    let text = String::from_utf8(bytes).map_err(|_| io::Error::other("it is not UTF-8"))?;
    Ok(Memory::read(&text))
}
