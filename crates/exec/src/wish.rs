//! What a command that was held to reading wanted.

use std::path::PathBuf;

/// What a command wanted to write that was held to reading.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum WriteWish {
    /// Nothing.
    Nothing,
    /// These files and perhaps more, in the folders that it could otherwise write.
    Write(Vec<PathBuf>),
    /// Nobody can tell: it found everything read-only.
    Unknown,
}
