//! The first matches in the order of paths, out of any number that threads bring in any order.

use crate::{FileMatches, GrepLine, Matches, lexical};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};

/// What one file brought: as many lines as may be shown, and how many matched in all.
#[derive(Debug, Default)]
pub(crate) struct Brought {
    pub(crate) lines: Vec<GrepLine>,
    pub(crate) kept: usize,
    pub(crate) count: usize,
}

/// The files to show, and the numbers of all.
#[derive(Debug)]
pub(crate) struct Board {
    limit: usize,
    state: Mutex<State>,
}

#[derive(Debug, Default)]
struct State {
    files: BTreeMap<PathBuf, Brought>,
    kept: usize,
    count: usize,
    file_count: usize,
}

impl Board {
    pub(crate) fn new(limit: usize) -> Self {
        Self { limit: limit.max(1), state: Mutex::default() }
    }

    /// False when the lines of this file will not be shown whatever it brings.
    pub(crate) fn wants(&self, path: &Path) -> bool {
        let state = self.lock();
        state.kept < self.limit || state.files.last_key_value().is_none_or(|(last, _)| path < last.as_path())
    }

    /// Adds the matches of a file.
    pub(crate) fn add(&self, path: &Path, brought: Brought) {
        let mut state = self.lock();
        state.count += brought.count;
        state.file_count += 1;
        if brought.kept > 0 {
            state.kept += brought.kept;
            state.files.insert(path.to_path_buf(), brought);
        }
        // The last file goes once the ones before it are enough.
        while let Some((_, last)) = state.files.last_key_value()
            && state.kept - last.kept >= self.limit
        {
            state.kept -= last.kept;
            state.files.pop_last();
        }
    }

    /// Cuts at the limit.
    pub(crate) fn finish(self, root: &Path, context: usize) -> Matches {
        let state = self.state.into_inner().unwrap_or_else(PoisonError::into_inner);
        let (mut shown, mut complete, mut files) = (0, 0, Vec::new());
        for (path, mut brought) in state.files {
            let room = self.limit - shown;
            if brought.kept > room {
                cut(&mut brought, room, context);
            }
            shown += brought.kept;
            complete += usize::from(brought.kept == brought.count);
            files.push(FileMatches { path: lexical::shown(root, &path), lines: brought.lines });
        }
        let (more, more_files) = (state.count - shown, state.file_count - complete);
        Matches { files, shown, more, more_files, ..Matches::default() }
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Keeps the first `room` matches and the context after the last of them.
pub(crate) fn cut(brought: &mut Brought, room: usize, context: usize) {
    let mut matched = brought.lines.iter().filter(|line| line.matched);
    let last = room.checked_sub(1).and_then(|at| matched.nth(at)).map_or(0, |line| line.number);
    let next = matched.next().map_or(u64::MAX, |line| line.number);
    let end = last.saturating_add(context as u64);
    brought.lines.retain(|line| line.number <= end && line.number < next);
    brought.kept = brought.kept.min(room);
}
