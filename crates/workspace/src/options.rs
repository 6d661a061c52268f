//! What a workspace is opened with, and the sizes it holds files to.

use std::path::PathBuf;

/// The largest text file that is read or changed as a whole.
pub const MAX_TEXT_BYTES: u64 = 16 * 1024 * 1024;

/// What is open beside the root, and what is closed.
#[derive(Debug, Clone, Default)]
pub struct Options {
    /// More roots to read and write in. Each must exist.
    pub add_dirs: Vec<PathBuf>,
    /// More places to write (and read) in. Those that do not exist are left out.
    pub allow_write: Vec<PathBuf>,
    /// Places no file tool reads; they win over every root, and are not written either.
    pub forbid_read: Vec<PathBuf>,
    /// Places no file tool reads or writes, such as our own home.
    pub closed: Vec<PathBuf>,
    /// Globs below the root that listings and searches leave out: what a rule denies to read must not be found either.
    pub unlisted: Vec<String>,
    /// Globs below the root of `.env` files that are open although git does not track them.
    pub opened: Vec<String>,
    /// Globs of absolute paths that may be read although they lie outside, never written. What is closed stays closed.
    pub readable: Vec<String>,
    /// The root is open although it lies in a closed place: a clone of ours in our own home.
    pub within_closed: bool,
    /// The repository around the root. Commands see it and cannot change it; file tools stay inside.
    pub around: Option<PathBuf>,
}
