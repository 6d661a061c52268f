//! Where the contents of files are: each in a file of its own where a look kept few of them, many in one file otherwise.

use reasonix_store::{BlobError, BlobKey, Blobs, Packs};
use std::io;
use std::path::Path;

/// The contents that are kept.
#[derive(Debug, Clone)]
pub(super) struct Contents {
    blobs: Blobs,
    packs: Packs,
}

impl Contents {
    /// Those below a folder.
    pub(super) fn at(kept: &Path) -> Self {
        Self { blobs: Blobs::at(&kept.join("blobs")), packs: Packs::at(&kept.join("packs")) }
    }

    pub(super) fn blobs(&self) -> &Blobs {
        &self.blobs
    }

    pub(super) fn packs(&self) -> &Packs {
        &self.packs
    }

    /// The bytes of a content, checked against its name.
    pub(super) fn get(&self, key: &BlobKey, limit: u64) -> Result<Vec<u8>, BlobError> {
        match self.blobs.get(key, limit) {
            Err(BlobError::Missing | BlobError::Damaged) => self.packs.get(key, limit),
            found => found,
        }
    }

    /// Keeps a content in a file of its own.
    pub(super) fn keep(&self, key: BlobKey, bytes: &[u8]) -> io::Result<()> {
        self.blobs.keep(key, bytes)
    }
}
