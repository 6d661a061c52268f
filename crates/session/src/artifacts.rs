//! What was cut from outputs, kept whole: `artifact://` and the first sixteen hex digits of the content's hash.

use reasonix_agent::Artifacts;
use reasonix_proto::Artifact;
use reasonix_store::{BlobError, BlobKey, Blobs};
use std::collections::VecDeque;
use std::io;
use std::path::Path;
use std::sync::{Mutex, PoisonError};

const SCHEME: &str = "artifact://";
const DIGITS: usize = 16;
/// An artifact is never larger than what a tool may keep of an output.
const LARGEST: u64 = 64 * 1024 * 1024;

/// Artifacts on disk, below the state folder.
#[derive(Debug, Clone)]
pub struct SessionArtifacts {
    blobs: Blobs,
}

impl SessionArtifacts {
    /// The artifacts of this state folder; touches nothing.
    pub fn at(state: &Path) -> Self {
        Self { blobs: Blobs::at(&state.join("blobs")) }
    }
}

impl Artifacts for SessionArtifacts {
    fn put(&self, bytes: &[u8]) -> io::Result<Artifact> {
        Ok(artifact(self.blobs.put(bytes)?, bytes))
    }

    fn get(&self, uri: &str) -> io::Result<Vec<u8>> {
        let key = self.blobs.find(name_of(uri)?).map_err(plain)?;
        self.blobs.get(&key, LARGEST).map_err(plain)
    }
}

/// How much a process keeps in memory; the oldest go first.
const MOST_IN_MEMORY: usize = 32 * 1024 * 1024;

/// Artifacts that die with the process.
#[derive(Debug, Default)]
pub struct MemoryArtifacts(Mutex<VecDeque<(String, Vec<u8>)>>);

impl Artifacts for MemoryArtifacts {
    fn put(&self, bytes: &[u8]) -> io::Result<Artifact> {
        let artifact = artifact(BlobKey::of(bytes), bytes);
        let mut kept = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if kept.iter().all(|(uri, _)| *uri != artifact.uri) {
            kept.push_back((artifact.uri.clone(), bytes.to_owned()));
        }
        while kept.len() > 1 && kept.iter().map(|(_, bytes)| bytes.len()).sum::<usize>() > MOST_IN_MEMORY {
            kept.pop_front();
        }
        Ok(artifact)
    }

    fn get(&self, uri: &str) -> io::Result<Vec<u8>> {
        let kept = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let found = kept.iter().find(|(kept, _)| kept == uri);
        found.map(|(_, bytes)| bytes.clone()).ok_or_else(|| io::ErrorKind::NotFound.into())
    }
}

fn artifact(key: BlobKey, bytes: &[u8]) -> Artifact {
    let hex = key.to_string();
    let newlines = bytes.iter().filter(|byte| **byte == b'\n').count() as u64;
    let unfinished = u64::from(bytes.last().is_some_and(|byte| *byte != b'\n'));
    let name = hex.get(..DIGITS).unwrap_or(&hex);
    Artifact { uri: format!("{SCHEME}{name}"), bytes: bytes.len() as u64, lines: newlines + unfinished }
}

fn name_of(uri: &str) -> io::Result<&str> {
    uri.strip_prefix(SCHEME).filter(|name| name.len() >= DIGITS).ok_or_else(|| io::ErrorKind::NotFound.into())
}

fn plain(error: BlobError) -> io::Error {
    match error {
        BlobError::Io(error) => error,
        BlobError::Missing => io::ErrorKind::NotFound.into(),
        other => io::Error::new(io::ErrorKind::InvalidData, other.to_string()),
    }
}

#[cfg(test)]
mod tests {
    use super::{MemoryArtifacts, SessionArtifacts};
    use reasonix_agent::Artifacts;
    use std::io::ErrorKind;

    #[test]
    fn both_kinds_keep_the_same_names() {
        let root = tempfile::tempdir().unwrap();
        let (disk, memory) = (SessionArtifacts::at(root.path()), MemoryArtifacts::default());
        let kept = disk.put(b"one\ntwo\nthree").unwrap();
        assert_eq!(kept, memory.put(b"one\ntwo\nthree").unwrap());
        assert_eq!((kept.bytes, kept.lines), (13, 3));
        assert_eq!(kept.uri.len(), "artifact://".len() + 16);
        for store in [&disk as &dyn Artifacts, &memory] {
            assert_eq!(store.get(&kept.uri).unwrap(), b"one\ntwo\nthree");
            for uri in ["artifact://0000000000000000", "artifact://../../etc/passwd", "artifact://", "x"] {
                assert_eq!(store.get(uri).unwrap_err().kind(), ErrorKind::NotFound, "{uri}");
            }
        }
    }
}
