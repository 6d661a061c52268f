//! Files by the shape of their path.

use crate::boundary::Boundary;
use crate::walk::{Shape, Walk};
use crate::{FileError, lexical};
use ignore::WalkState;
use std::collections::BinaryHeap;
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

/// What to look for.
#[derive(Debug, Clone)]
pub struct GlobQuery {
    /// The shape, such as `**/*.rs`, relative to `path`; one without a slash matches at any depth.
    pub pattern: String,
    /// The folder to look in; the root when `None`.
    pub path: Option<String>,
    /// The most paths to give.
    pub limit: usize,
    /// Also looks at hidden files; a pattern with a name that starts with a dot does so by itself.
    pub hidden: bool,
    /// Also looks at files that `.gitignore` leaves out.
    pub ignored: bool,
    /// Also looks into folders of fetched packages and of caches that everybody leaves out, such as `node_modules`, where no
    /// ignore file names them.
    pub fetched: bool,
}

impl Default for GlobQuery {
    fn default() -> Self {
        Self { pattern: "**".to_owned(), path: None, limit: 500, hidden: false, ignored: false, fetched: true }
    }
}

/// The files that were found.
#[derive(Debug, Clone, Default)]
pub struct FoundFiles {
    /// Their paths as [`crate::Workspace::shown`] gives them, sorted.
    pub paths: Vec<String>,
    /// How many more there are.
    pub more: usize,
    /// True when the search was stopped before its end.
    pub stopped: bool,
    /// Ignore files that were not used: links, pipes, devices, or too large.
    pub unfit: Vec<String>,
}

/// The first paths in order, out of any number, and how many there were.
#[derive(Debug, Default)]
struct First {
    limit: usize,
    kept: BinaryHeap<PathBuf>,
    count: usize,
}

impl First {
    fn add(&mut self, path: PathBuf) {
        self.count += 1;
        self.kept.push(path);
        if self.kept.len() > self.limit {
            self.kept.pop();
        }
    }
}

/// Files below a folder whose path has the wanted shape.
pub(crate) fn glob(
    boundary: &Arc<Boundary>,
    query: &GlobQuery,
    stop: &(dyn Fn() -> bool + Sync),
) -> Result<FoundFiles, FileError> {
    let mut walk = Walk::new(boundary, query.path.as_deref(), query.hidden, query.ignored)?;
    let shape = Shape::new(&query.pattern, &walk.place.real)?;
    walk.hidden |= shape.hidden;
    walk.fetched = query.fetched;
    let first = Mutex::new(First { limit: query.limit, ..First::default() });
    let stopped = AtomicBool::new(false);
    walk.builder().threads(0).build_parallel().run(|| {
        Box::new(|entry| {
            if stop() {
                stopped.store(true, Ordering::Relaxed);
                return WalkState::Quit;
            }
            if let Ok(entry) = entry
                && entry.file_type().is_some_and(|kind| !kind.is_dir())
                && shape.holds(entry.path())
            {
                first.lock().unwrap_or_else(PoisonError::into_inner).add(entry.into_path());
            }
            WalkState::Continue
        })
    });
    let first = first.into_inner().unwrap_or_else(PoisonError::into_inner);
    let more = first.count - first.kept.len();
    let paths = first.kept.into_sorted_vec().iter().map(|path| lexical::shown(boundary.root(), path)).collect();
    Ok(FoundFiles { paths, more, stopped: stopped.into_inner(), unfit: walk.unfit() })
}
