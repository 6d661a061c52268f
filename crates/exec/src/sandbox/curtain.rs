//! Curtains: the empty files and folders that stand where something is hidden from commands. The kernel tells which of
//! them were opened, so that a command that found nothing can be told that it was not meant to.

use rustix::fs::inotify::{CreateFlags, Reader, WatchFlags, add_watch, init};
use std::collections::HashSet;
use std::fs;
use std::mem::MaybeUninit;
use std::os::fd::OwnedFd;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

/// Behind more curtains than these nobody is seen.
const MOST: usize = 256;

/// The curtains of a session. Each hides one place for one command at a time, and is used again.
#[derive(Debug)]
pub(super) struct Curtains {
    folder: PathBuf,
    /// None where the kernel has no more of them.
    watch: Option<OwnedFd>,
    state: Mutex<State>,
}

#[derive(Debug, Default)]
struct State {
    free: Vec<Curtain>,
    made: usize,
    /// Those that were opened and not asked about since.
    opened: HashSet<i32>,
    /// Places elsewhere that somebody was told about.
    told: HashSet<PathBuf>,
}

/// An empty file or folder that is watched.
#[derive(Debug)]
struct Curtain {
    number: i32,
    folder: bool,
    path: PathBuf,
}

/// The curtains of one command, with what is behind them.
#[derive(Debug, Default)]
pub(super) struct Hung {
    curtains: Vec<(Curtain, PathBuf)>,
    /// Said when everything has ended.
    opened: Arc<OnceLock<Vec<PathBuf>>>,
}

impl Hung {
    pub(super) fn opened(&self) -> Arc<OnceLock<Vec<PathBuf>>> {
        Arc::clone(&self.opened)
    }
}

impl Curtains {
    pub(super) fn new(folder: PathBuf) -> Self {
        let watch = init(CreateFlags::CLOEXEC | CreateFlags::NONBLOCK).ok();
        Self { folder, watch, state: Mutex::default() }
    }

    /// What is put in this place instead, for one command; none when nobody would be seen there.
    pub(super) fn hang(&self, before: &Path, hung: &mut Hung) -> Option<PathBuf> {
        let folder = before.is_dir();
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        let curtain = match state.free.iter().position(|curtain| curtain.folder == folder) {
            Some(at) => state.free.swap_remove(at),
            None => self.make(&mut state, folder)?,
        };
        let path = curtain.path.clone();
        hung.curtains.push((curtain, before.to_owned()));
        Some(path)
    }

    fn make(&self, state: &mut State, folder: bool) -> Option<Curtain> {
        let watch = self.watch.as_ref().filter(|_| state.made < MOST)?;
        let path = self.folder.join(state.made.to_string());
        if folder { fs::create_dir(&path) } else { fs::write(&path, "") }.ok()?;
        let number = add_watch(watch, &path, WatchFlags::OPEN).ok()?;
        state.made += 1;
        Some(Curtain { number, folder, path })
    }

    /// The command has ended: says what it opened, and takes the curtains back. Of places outside of the roots each is said
    /// once a session: programs look for their settings every time.
    pub(super) fn take_back(&self, hung: &mut Hung, roots: &[PathBuf]) {
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        let state = &mut *state;
        if let (Some(watch), false) = (&self.watch, hung.curtains.is_empty()) {
            let mut room = [MaybeUninit::uninit(); 4096];
            let mut events = Reader::new(watch, &mut room);
            while let Ok(event) = events.next() {
                state.opened.insert(event.wd());
            }
        }
        let mut opened = Vec::new();
        for (curtain, place) in hung.curtains.drain(..) {
            let inside = roots.iter().any(|root| place.starts_with(root));
            if state.opened.remove(&curtain.number) && (inside || state.told.insert(place.clone())) {
                opened.push(place);
            }
            state.free.push(curtain);
        }
        let _ = hung.opened.set(opened);
    }
}
