//! Looks after what hides and fixes places for running commands. Those are mounts, and the kernel takes a mount away when
//! somebody outside replaces or removes the file under it, as git and most editors do when they save. The kernel also tells
//! when it has: the command is ended at once then. For one that goes on behind its call it is looked as well whether
//! something has come that would be hidden.
//!
//! One thread does it for all commands of the process, so that nobody who keeps the conversation waiting keeps this waiting.

use super::Sandbox;
use super::layout::unescaped;
use crate::bounds::Exposed;
use crate::tree::Tree;
use rustix::event::{EventfdFlags, PollFd, PollFlags, Timespec, eventfd, poll};
use rustix::fs::inotify::{CreateFlags, WatchFlags, add_watch, init};
use std::collections::HashSet;
use std::fs::{self, File};
use std::io;
use std::os::fd::OwnedFd;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, OnceLock, PoisonError, Weak};
use std::time::{Duration, Instant};

/// Nothing is looked at before this; most commands have ended by then.
const FIRST: Duration = Duration::from_millis(20);
/// When it is looked again at a command that is not there yet.
const SOON: Duration = Duration::from_millis(5);
/// How seldom it is looked whether something has come that would be hidden, or a folder was renamed.
const SELDOM: Duration = Duration::from_secs(1);
/// Looking takes at most one part in so many of a processor's time.
const SHARE: u32 = 20;
/// In more folders nobody waits for new names; they are looked through now and then all the same.
const MOST_FOLDERS: usize = 64;

/// What hides and fixes places for one command.
#[derive(Debug, Clone, Default)]
pub(crate) struct Covers {
    /// What is hidden from it although a root lies in it: closed before that root stands there.
    pub(super) above: Vec<PathBuf>,
    /// What else is hidden from it.
    pub(super) hidden: Vec<PathBuf>,
    /// What it may not change.
    pub(super) fixed: Vec<PathBuf>,
}

/// The command is looked after for as long as this is there.
pub(crate) struct Watched(Arc<Entry>);

impl Drop for Watched {
    fn drop(&mut self) {
        entries().retain(|entry| !Arc::ptr_eq(entry, &self.0));
        // The table keeps the box standing, and whoever waits for it has it open.
        if let (Some(_), Ok(wake)) = (self.0.state().table.take(), watcher()) {
            let _ = rustix::io::write(wake, &1u64.to_ne_bytes());
        }
    }
}

struct Entry {
    tree: Arc<Tree>,
    sandbox: Weak<Sandbox>,
    covers: Covers,
    /// Whether it goes on behind its call.
    behind: Arc<AtomicBool>,
    state: Mutex<State>,
}

struct State {
    due: Instant,
    /// Becomes readable by its exception when a mount has come or gone; not open before the first look.
    table: Option<Arc<File>>,
    /// Says when a name has come into a folder that matters.
    names: Option<Arc<OwnedFd>>,
    /// Names are not heard before this: whoever makes many files has us look no more often.
    deaf: Instant,
    /// What is hidden since it goes on behind its call; none before that.
    known: Option<Vec<PathBuf>>,
}

static ENTRIES: Mutex<Vec<Arc<Entry>>> = Mutex::new(Vec::new());

fn entries() -> std::sync::MutexGuard<'static, Vec<Arc<Entry>>> {
    ENTRIES.lock().unwrap_or_else(PoisonError::into_inner)
}

/// The thread, by what wakes it.
fn watcher() -> io::Result<&'static OwnedFd> {
    static WAKE: OnceLock<OwnedFd> = OnceLock::new();
    static MAKING: Mutex<()> = Mutex::new(());
    let _alone = MAKING.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some(wake) = WAKE.get() {
        return Ok(wake);
    }
    let wake = eventfd(0, EventfdFlags::CLOEXEC | EventfdFlags::NONBLOCK)?;
    let hears = wake.try_clone()?;
    std::thread::Builder::new().name("covers".into()).spawn(move || watch(&hears))?;
    Ok(WAKE.get_or_init(|| wake))
}

impl Watched {
    /// Begins to look after a command. Where nobody can, this is an error.
    pub(crate) fn begin(
        tree: &Arc<Tree>,
        (sandbox, covers): (Arc<Sandbox>, Covers),
        behind: &Arc<AtomicBool>,
    ) -> io::Result<Self> {
        let wake = watcher()?;
        let known = behind.load(Ordering::Relaxed).then(|| covers.hidden.clone());
        let now = Instant::now();
        let state = State { due: now + FIRST, table: None, names: None, deaf: now, known };
        let entry = Arc::new(Entry {
            tree: Arc::clone(tree),
            sandbox: Arc::downgrade(&sandbox),
            covers,
            behind: Arc::clone(behind),
            state: Mutex::new(state),
        });
        entries().push(Arc::clone(&entry));
        rustix::io::write(wake, &1u64.to_ne_bytes())?;
        Ok(Self(entry))
    }
}

/// What one command is waited for by.
struct Waits {
    table: Option<Arc<File>>,
    names: Option<Arc<OwnedFd>>,
    due: Instant,
    wakes: Instant,
}

/// Looks after all of them, for as long as this process lives.
fn watch(wake: &OwnedFd) {
    loop {
        let all: Vec<Arc<Entry>> = entries().clone();
        let waits: Vec<Waits> = all.iter().map(|entry| entry.waits()).collect();
        let (mut fds, mut whose) = (vec![PollFd::new(wake, PollFlags::IN)], Vec::new());
        for (number, waits) in waits.iter().enumerate() {
            let table = waits.table.iter().map(|table| PollFd::new(table, PollFlags::PRI));
            let names = waits.names.iter().map(|names| PollFd::new(names, PollFlags::IN));
            for fd in table.chain(names) {
                fds.push(fd);
                whose.push(number);
            }
        }
        let wakes = waits.iter().map(|waits| waits.wakes).min();
        let patience = wakes.map(|wakes| wakes.saturating_duration_since(Instant::now()) + Duration::from_millis(1));
        let patience = patience.and_then(|patience| Timespec::try_from(patience).ok());
        let woken = poll(&mut fds, patience.as_ref()).is_ok();
        let heard = fds.iter().skip(1).zip(&whose).filter(|(fd, _)| woken && !fd.revents().is_empty());
        let heard: HashSet<usize> = heard.map(|(_, number)| *number).collect();
        let _ = rustix::io::read(wake, &mut [0; 8]);
        let now = Instant::now();
        for (number, (entry, waits)) in all.iter().zip(&waits).enumerate() {
            if waits.due <= now || heard.contains(&number) {
                entry.look();
            }
        }
    }
}

impl Entry {
    fn state(&self) -> std::sync::MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn waits(&self) -> Waits {
        let state = self.state();
        let (deaf, names) = (state.deaf > Instant::now(), state.names.clone());
        let wakes = if deaf { state.due.min(state.deaf) } else { state.due };
        Waits { table: state.table.clone(), names: names.filter(|_| !deaf), due: state.due, wakes }
    }

    /// Looks at one command, and ends it where something lies bare.
    fn look(&self) {
        let (mut state, now) = (self.state(), Instant::now());
        state.due = now + SELDOM;
        let Some(owner) = self.tree.owner() else {
            // It has ended: nothing more is heard of it, and nothing keeps its box standing.
            (state.table, state.names) = (None, None);
            return;
        };
        if !self.tree.facts.has_begun() {
            state.due = now + SOON;
            return;
        }
        let table = format!("/proc/{owner}/mountinfo");
        if state.table.is_none() {
            state.table = File::open(&table).ok().map(Arc::new);
        }
        let mounts = fs::read(&table).ok();
        let fallen = mounts.and_then(|mounts| self.covers.fallen(&String::from_utf8_lossy(&mounts)));
        // One that has ended has no mounts.
        let exposed = fallen.filter(|_| self.tree.owner() == Some(owner)).or_else(|| self.come(&mut state, now));
        if let Some(exposed) = exposed {
            tracing::warn!(path = %exposed.path().display(), "command_uncovered");
            self.tree.expose(exposed);
            self.tree.end_within(Duration::ZERO);
        }
    }

    /// What has come since it goes on behind its call and would be hidden.
    fn come(&self, state: &mut State, now: Instant) -> Option<Exposed> {
        if !self.behind.load(Ordering::Relaxed) {
            return None;
        }
        let sandbox = self.sandbox.upgrade()?;
        if state.names.is_none() {
            state.names = names(&self.folders(&sandbox)).map(Arc::new);
        }
        if let Some(names) = &state.names {
            let mut room = [0u8; 4096];
            while rustix::io::read(names, &mut room).is_ok_and(|read| read > 0) {}
        }
        let (_, closed) = sandbox.closed();
        state.deaf = now + now.elapsed() * SHARE;
        state.due = state.deaf.max(now + SELDOM);
        let known = state.known.get_or_insert_with(|| closed.clone());
        let new = closed.into_iter().find(|path| !known.iter().any(|known| path.starts_with(known)));
        new.map(Exposed::Come)
    }

    /// Where a new name may matter at once.
    fn folders(&self, sandbox: &Sandbox) -> Vec<PathBuf> {
        let around = self.covers.hidden.iter().filter_map(|path| path.parent()).map(Path::to_owned);
        let roots = &sandbox.layout.roots;
        let around = around.filter(|folder| roots.iter().any(|root| folder.starts_with(root)));
        let mut all: Vec<PathBuf> = roots.iter().cloned().chain(around).take(MOST_FOLDERS).collect();
        all.dedup();
        all
    }
}

fn names(folders: &[PathBuf]) -> Option<OwnedFd> {
    let names = init(CreateFlags::CLOEXEC | CreateFlags::NONBLOCK).ok()?;
    for folder in folders {
        let _ = add_watch(&names, folder, WatchFlags::CREATE | WatchFlags::MOVED_TO);
    }
    Some(names)
}

impl Covers {
    pub(super) fn is_empty(&self) -> bool {
        self.hidden.is_empty() && self.fixed.is_empty()
    }

    /// The first place where a mount should be and is not, by the table of the kernel.
    fn fallen(&self, mounts: &str) -> Option<Exposed> {
        let there: HashSet<String> = mounts.lines().filter_map(|line| line.split(' ').nth(4)).map(unescaped).collect();
        let gone = |path: &&PathBuf| !there.contains(&*path.to_string_lossy());
        let hidden = self.hidden.iter().find(gone).cloned().map(Exposed::Hidden);
        hidden.or_else(|| self.fixed.iter().find(gone).cloned().map(Exposed::Fixed))
    }
}
