//! One level of a tree, as somebody who types a path wants to see it: without what is ignored, hidden or closed.

use crate::FileError;
use crate::boundary::Boundary;
use crate::walk::Walk;
use std::sync::Arc;
use std::time::SystemTime;

/// An entry of a folder.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Near {
    /// Its name.
    pub name: String,
    /// True for a folder.
    pub folder: bool,
    /// When it was last changed, when that is known.
    pub modified: Option<SystemTime>,
}

/// The entries of the folder at `path`, up to `limit`, in no order.
pub(crate) fn level(boundary: &Arc<Boundary>, path: &str, hidden: bool, limit: usize) -> Result<Vec<Near>, FileError> {
    let walk = Walk::new(boundary, Some(path), hidden, false)?;
    let entries = walk.builder().max_depth(Some(1)).build();
    let near = |entry: ignore::DirEntry| {
        let meta = entry.metadata().ok()?;
        let folder = meta.is_dir() || (meta.is_symlink() && entry.path().is_dir());
        Some(Near { name: entry.file_name().to_str()?.to_owned(), folder, modified: meta.modified().ok() })
    };
    Ok(entries.flatten().filter(|entry| entry.depth() == 1).take(limit).filter_map(near).collect())
}
