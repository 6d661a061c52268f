//! The names of everything below the root, for whoever searches by a few letters. They are gathered beside whoever asks: the
//! first answer is what was found so far, and the next one has more. Without what is ignored or closed, as in every walk.

use crate::boundary::Boundary;
use crate::walk::Walk;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

/// Names that are gathered at most.
const MOST: usize = 500_000;
/// Names that are handed on together.
const CHUNK: usize = 4096;
/// Gathered names are gathered again after this time, and after ten times as long as it took: files come and go.
const FRESH: Duration = Duration::from_secs(5);

/// Some of the names, one after the other; a folder's ends with a slash.
#[derive(Debug, Default)]
struct Chunk {
    text: String,
    ends: Vec<u32>,
}

impl Chunk {
    fn push(&mut self, name: &str, folder: bool) {
        self.text.push_str(name);
        if folder {
            self.text.push('/');
        }
        self.ends.push(u32::try_from(self.text.len()).unwrap_or(u32::MAX));
    }

    fn iter(&self) -> impl Iterator<Item = &str> {
        let starts = std::iter::once(0).chain(self.ends.iter().copied());
        starts.zip(self.ends.iter()).filter_map(|(from, to)| self.text.get(from as usize..*to as usize))
    }
}

/// Names as they were found so far.
#[derive(Debug, Clone, Default)]
pub struct Names {
    chunks: Vec<Arc<Chunk>>,
    /// False while more may come.
    pub whole: bool,
}

impl Names {
    /// Each name, relative to the root; a folder's ends with a slash.
    pub fn iter(&self) -> impl Iterator<Item = &str> {
        self.chunks.iter().flat_map(|chunk| chunk.iter())
    }
}

/// Gathers the names of one tree.
#[derive(Debug, Default)]
pub(crate) struct Gathering {
    state: Mutex<State>,
    came: Condvar,
}

#[derive(Debug, Default)]
struct State {
    /// What an earlier walk found; shown until the next one is through.
    known: Vec<Arc<Chunk>>,
    growing: Vec<Arc<Chunk>>,
    walking: bool,
    /// When the last walk was through, and how long it took.
    walked: Option<(Instant, Duration)>,
}

impl Gathering {
    /// The names as they are known after at most this long.
    pub(crate) fn names(self: &Arc<Self>, boundary: &Arc<Boundary>, patience: Duration) -> Names {
        let mut state = self.lock();
        let fresh = state.walked.is_some_and(|(at, took)| at.elapsed() < FRESH.max(took.saturating_mul(10)));
        if !state.walking && !fresh {
            state.walking = true;
            let (this, boundary) = (Arc::clone(self), Arc::clone(boundary));
            let walk = move || Walking(&this).through(&boundary);
            if std::thread::Builder::new().name("names".to_owned()).spawn(walk).is_err() {
                state.walking = false;
            }
        }
        let waited = self.came.wait_timeout_while(state, patience, |state| state.walking);
        let (state, _) = waited.unwrap_or_else(PoisonError::into_inner);
        let chunks = if state.known.is_empty() { state.growing.clone() } else { state.known.clone() };
        Names { chunks, whole: !state.walking }
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// A walk that is under way; however it ends, nobody waits for it afterwards.
struct Walking<'a>(&'a Gathering);

impl Walking<'_> {
    fn through(self, boundary: &Arc<Boundary>) {
        let begun = Instant::now();
        let Ok(walk) = Walk::new(boundary, None, true, false) else { return };
        let mut chunk = Chunk::default();
        for entry in walk.builder().build().flatten().filter(|entry| entry.depth() > 0).take(MOST) {
            let folder = entry.file_type().is_some_and(|kind| kind.is_dir());
            let name = entry.path().strip_prefix(boundary.root()).ok().and_then(|path| path.to_str());
            let Some(name) = name.filter(|name| !name.contains(char::is_control)) else { continue };
            chunk.push(name, folder);
            if chunk.ends.len() >= CHUNK {
                self.0.lock().growing.push(Arc::new(std::mem::take(&mut chunk)));
            }
        }
        let mut state = self.0.lock();
        state.growing.push(Arc::new(chunk));
        state.known = std::mem::take(&mut state.growing);
        state.walked = Some((Instant::now(), begun.elapsed()));
    }
}

impl Drop for Walking<'_> {
    fn drop(&mut self) {
        let mut state = self.0.lock();
        state.walking = false;
        state.growing.clear();
        drop(state);
        self.0.came.notify_all();
    }
}

#[cfg(test)]
mod tests {
    use crate::{Options, Workspace};
    use std::time::Duration;

    #[test]
    fn names_of_all_depths_without_what_is_ignored_or_closed() {
        let folder = tempfile::tempdir().unwrap();
        for path in ["a/b/c/deep.rs", "top.rs", "target/out.rs", ".github/ci.yml", ".git/config", "keys/.env"] {
            let path = folder.path().join(path);
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            std::fs::write(path, "x").unwrap();
        }
        std::fs::write(folder.path().join(".gitignore"), "target/\n").unwrap();
        let workspace = Workspace::open(folder.path(), Options::default()).unwrap();
        let names = workspace.names(Duration::from_secs(20));
        assert!(names.whole);
        let mut all: Vec<&str> = names.iter().collect();
        all.sort_unstable();
        let wanted =
            [".github/", ".github/ci.yml", ".gitignore", "a/", "a/b/", "a/b/c/", "a/b/c/deep.rs", "keys/", "top.rs"];
        assert_eq!(all, wanted);
        std::fs::write(folder.path().join("new.rs"), "x").unwrap();
        assert!(!workspace.names(Duration::ZERO).iter().any(|name| name == "new.rs"), "it is not walked at every key");
    }

    #[test]
    fn nobody_waits_longer_than_they_want_to() {
        let folder = tempfile::tempdir().unwrap();
        for number in 0..20_000 {
            let sub = folder.path().join(format!("d{}", number / 200));
            if number % 200 == 0 {
                std::fs::create_dir(&sub).unwrap();
            }
            std::fs::write(sub.join(format!("f{number}")), "").unwrap();
        }
        let workspace = Workspace::open(folder.path(), Options::default()).unwrap();
        assert!(!workspace.names(Duration::ZERO).whole, "it begins, and does not wait");
        let names = workspace.names(Duration::from_secs(60));
        assert_eq!((names.whole, names.iter().count()), (true, 20_100));
    }
}
