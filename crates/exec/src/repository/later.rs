//! Which files, when somebody writes them, git or another program would run later. For those who know their paths before
//! they write: they can ask first, where what a command leaves can only be set aside.

use super::effective::{clean, resolved};
use super::look::{Look, PARTS};
use super::walk;
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

/// What makes a folder a repository by its own layout.
const LAYOUT: [&str; 4] = ["HEAD", "objects", "refs", "commondir"];

/// Those of these files that git, or a program that starts by itself, would run or believe later, if they were all made,
/// changed or moved. Whether something is there yet does not matter: a folder may become a repository step by step.
/// `linked` names folders that the index links to; it is asked where not everything could be seen. `started` are places
/// beside those of repositories.
pub(crate) fn run_later(
    roots: &[PathBuf],
    linked: Option<&dyn Fn() -> Vec<PathBuf>>,
    started: Vec<PathBuf>,
    touched: &[PathBuf],
) -> BTreeSet<PathBuf> {
    let roots: Vec<PathBuf> = roots.iter().filter_map(|root| root.canonicalize().ok()).collect();
    // As it is written, where a link itself is meant, and as it really is.
    let both = |path: &PathBuf| [clean(path), resolved(&clean(path))];
    let all: Vec<PathBuf> = touched.iter().flat_map(both).collect();
    // Who works on such a folder itself has it as the workspace.
    let below = |path: &PathBuf| roots.iter().any(|root| path != root && path.starts_with(root));
    let places = places(&roots, linked, &all).into_iter().chain(started).filter(below);
    let places: BTreeSet<PathBuf> = places.map(|place| lower(&place)).collect();
    let is_place = |path: &PathBuf| {
        let path = lower(path);
        places.iter().any(|place| path.starts_with(place) || place.starts_with(&path))
    };
    let concerns = |path: &PathBuf| is_place(path) || is_layout(&roots, path, &all);
    touched.iter().filter(|path| both(path).iter().any(concerns)).cloned().collect()
}

/// Every place that leads git to something that it runs.
fn places(roots: &[PathBuf], linked: Option<&dyn Fn() -> Vec<PathBuf>>, touched: &[PathBuf]) -> BTreeSet<PathBuf> {
    let mut walked = walk::walk(roots, walk::ALL);
    if !walked.unseen.is_empty() {
        walked.folders.extend(linked.map(|linked| linked()).unwrap_or_default());
        // What lies around the files themselves is seen, however much else there is.
        let around = touched.iter().flat_map(|path| path.ancestors().skip(1));
        walked.folders.extend(around.map(Path::to_owned).collect::<BTreeSet<_>>());
    }
    let mut found = BTreeMap::new();
    let mut look = Look::new(&mut found, roots).with_places();
    look.everything(&walked);
    look.into_places()
}

/// Whether a file belongs to the layout of a repository that is no `.git`: it is a part of one that leads to programs, or
/// with it a folder becomes one.
fn is_layout(roots: &[PathBuf], path: &Path, all: &[PathBuf]) -> bool {
    let inside = |folder: &&Path| roots.iter().any(|root| folder.starts_with(root));
    path.ancestors().skip(1).take_while(inside).any(|folder| {
        let Some(name) = name_below(folder, path) else { return false };
        let is_one_of = |known: &[&str]| known.iter().any(|known| name.eq_ignore_ascii_case(known));
        let there = LAYOUT.map(|name| folder.join(name).symlink_metadata().is_ok());
        if is_repository(there) {
            return is_one_of(PARTS);
        }
        let comes = |wanted: &str| {
            let mut names = all.iter().filter_map(|path| name_below(folder, path));
            names.any(|name| name.eq_ignore_ascii_case(wanted))
        };
        let mut then = there;
        for (has, name) in then.iter_mut().zip(LAYOUT) {
            *has |= comes(name);
        }
        is_repository(then) && (is_one_of(&LAYOUT) || is_one_of(PARTS))
    })
}

fn is_repository([head, objects, refs, common]: [bool; 4]) -> bool {
    head && ((objects && refs) || common)
}

/// What of a folder a path leads through.
fn name_below(folder: &Path, path: &Path) -> Option<String> {
    let first = path.strip_prefix(folder).ok()?.components().next()?;
    Some(first.as_os_str().to_string_lossy().into_owned())
}

/// On some file systems case makes no other file.
fn lower(path: &Path) -> PathBuf {
    PathBuf::from(path.to_string_lossy().to_lowercase())
}
