//! What the scripts were that a rule was granted for, kept beside grants for good: one small file a rule, in a folder that
//! no command sees. Without one a rule was written by hand, and speaks of whatever the files are.

use super::Scripts;
use reasonix_store::{private_folder, read_text, write_atomic};
use std::io::{self, ErrorKind};
use std::path::{Path, PathBuf};

/// A longer file is none of ours.
const MOST_BYTES: u64 = 16 << 20;

/// The notes for one workspace root.
pub(crate) struct Noted {
    state: PathBuf,
    root: PathBuf,
}

impl Noted {
    /// Those in the folder of everything that is kept.
    pub(crate) fn new(home: &Path, root: &Path) -> Self {
        Self { state: home.join("state"), root: root.to_owned() }
    }

    fn folder(&self) -> PathBuf {
        self.state.join("granted")
    }

    fn file(&self, rule: &str) -> PathBuf {
        let mut hasher = blake3::Hasher::new();
        for part in [self.root.as_os_str().as_encoded_bytes(), rule.as_bytes()] {
            hasher.update(part).update(&[0]);
        }
        let name = hasher.finalize().to_hex();
        self.folder().join(format!("{}.json", name.get(..32).unwrap_or_default()))
    }

    /// What a rule was granted for. None where nothing was noted; nothing at all where the note cannot be read, so that it
    /// holds for nothing.
    pub(crate) fn get(&self, rule: &str) -> Option<Vec<Scripts>> {
        match read_text(&self.file(rule), MOST_BYTES) {
            Ok(text) => Some(serde_json::from_str(&text).unwrap_or_default()),
            Err(error) if error.kind() == ErrorKind::NotFound => None,
            Err(_) => Some(Vec::new()),
        }
    }

    /// Notes what a rule was granted for.
    pub(crate) fn put(&self, rule: &str, sets: &[Scripts]) -> io::Result<()> {
        private_folder(&self.state)?;
        private_folder(&self.folder())?;
        write_atomic(&self.file(rule), &serde_json::to_vec(sets)?, 0o600)
    }

    /// The rule does not stand any more.
    pub(crate) fn forget(&self, rule: &str) {
        // What stays speaks of no rule; it is written anew with the next grant of the same.
        let _ = std::fs::remove_file(self.file(rule));
    }
}
