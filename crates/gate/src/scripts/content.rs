//! What is in a script.

use reasonix_store::open_regular;
use serde::{Deserialize, Serialize};
use std::io::Read;
use std::path::Path;

/// Of a longer file it is not known what is in it.
const MOST_BYTES: u64 = 64 << 20;

/// What is in a script, as far as it can be compared.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum Content {
    /// Bytes with this digest.
    Is(String),
    /// It cannot be read, is too long, or lies where nobody looks from here: no grant holds for it.
    Unknown,
}

impl Content {
    /// What is in this file now.
    pub(super) fn of(path: &Path) -> Self {
        read(path).map_or(Self::Unknown, Self::Is)
    }

    /// The digest; nothing where it is not known.
    pub(super) fn digest(&self) -> &str {
        match self {
            Self::Is(digest) => digest,
            Self::Unknown => "",
        }
    }
}

fn read(path: &Path) -> Option<String> {
    let file = open_regular(path).ok()?;
    if file.metadata().ok()?.len() > MOST_BYTES {
        return None;
    }
    let mut hasher = blake3::Hasher::new();
    // A file may grow while it is read.
    let mut file = file.take(MOST_BYTES + 1);
    let mut bytes = vec![0; 64 * 1024];
    loop {
        match file.read(&mut bytes).ok()? {
            0 => break,
            read => hasher.update(bytes.get(..read).unwrap_or_default()),
        };
    }
    (file.limit() > 0).then(|| hasher.finalize().to_hex().to_string())
}
