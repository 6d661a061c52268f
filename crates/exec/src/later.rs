//! What files would have git, or programs that start by themselves, run something later.

use crate::repository;
use crate::sandbox::started;
use std::collections::BTreeSet;
use std::path::PathBuf;

/// Those of these files in some folders that git, or a program that starts by itself, would run or believe later, if all of
/// them were made, changed or moved. For those who know their paths before they write: they can ask first. `linked` names
/// folders that the index links to; it is asked where not everything could be seen.
pub fn run_later(
    roots: &[PathBuf],
    linked: Option<&dyn Fn() -> Vec<PathBuf>>,
    touched: &[PathBuf],
) -> BTreeSet<PathBuf> {
    repository::run_later(roots, linked, started(), touched)
}
