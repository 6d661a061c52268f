//! What has to be looked at when a command that may write has ended. Whoever leaves before that can have it done at once;
//! where nobody can, it is on disk for whoever comes next.
//!
//! Commands overlap. What stood before the first of them is what counts for all: what one of them makes is never what was
//! there before another.

use crate::Quarantined;
use crate::sandbox::{Before, Kept, Left};
use crate::tree::Tree;
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, OnceLock, PoisonError, Weak};
use std::time::{Duration, Instant};

/// How often it is looked whether a tree has ended.
const STEP: Duration = Duration::from_millis(5);
/// A command whose owner is gone is not waited for longer.
const AT_MOST: Duration = Duration::from_secs(10);

/// Those that are open in this process: signals are the process's, and so is what has to be done before it ends.
static OPEN: Mutex<Vec<Weak<Vigil>>> = Mutex::new(Vec::new());
/// One begins at a time, so that none comes to be between what another sees and what it takes over.
static BEGINNING: Mutex<()> = Mutex::new(());
/// What was moved when nobody was left to be told.
static UNTOLD: Mutex<Vec<Quarantined>> = Mutex::new(Vec::new());
/// True once this process is about to end.
static LEAVING: AtomicBool = AtomicBool::new(false);

/// What stood before a command, until its end was looked at.
pub(crate) struct Vigil {
    /// None once its end was looked at.
    before: Mutex<Option<Arc<Before>>>,
    kept: Mutex<Option<Kept>>,
    tree: OnceLock<Arc<Tree>>,
    /// True once its end was looked at; held by whoever looks.
    settled: Mutex<bool>,
}

impl Vigil {
    /// Begins before the command does, with a look. Of what others see that have not been looked at to their end, what was
    /// there before them counts.
    pub(crate) fn begin(look: impl FnOnce() -> Before) -> Arc<Self> {
        let _alone = BEGINNING.lock().unwrap_or_else(PoisonError::into_inner);
        // One that ends while it is looked is among them: what it left may be seen.
        let earlier: Vec<Arc<Before>> = open().iter().filter_map(|vigil| vigil.standing()).collect();
        let mut before = look();
        earlier.iter().for_each(|earlier| before.take_over(earlier));
        let kept = before.keep().inspect_err(|error| tracing::warn!(%error, "look_not_kept")).ok();
        let vigil = Arc::new(Self {
            before: Mutex::new(Some(Arc::new(before))),
            kept: Mutex::new(kept),
            tree: OnceLock::new(),
            settled: Mutex::new(false),
        });
        let mut open = OPEN.lock().unwrap_or_else(PoisonError::into_inner);
        open.retain(|other| other.strong_count() > 0);
        open.push(Arc::downgrade(&vigil));
        vigil
    }

    fn standing(&self) -> Option<Arc<Before>> {
        self.before.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Protected places where nothing was before the first of the commands that run.
    pub(crate) fn open_places(&self) -> Vec<PathBuf> {
        self.standing().map(|before| before.open_places()).unwrap_or_default()
    }

    /// The command is there.
    pub(crate) fn watches(&self, tree: &Arc<Tree>) {
        let _ = self.tree.set(Arc::clone(tree));
    }

    /// Looks at what the command left; nothing when somebody did so before.
    pub(crate) fn settle(&self) -> Left {
        let mut settled = self.settled.lock().unwrap_or_else(PoisonError::into_inner);
        if std::mem::replace(&mut *settled, true) {
            return Left::default();
        }
        let left = self.standing().map(|before| before.compare()).unwrap_or_default();
        self.before.lock().unwrap_or_else(PoisonError::into_inner).take();
        if let Some(kept) = self.kept.lock().unwrap_or_else(PoisonError::into_inner).take() {
            kept.forget();
        }
        left
    }

    /// Ends the command as soon as that can be.
    fn end(&self) {
        if let Some(tree) = self.tree.get() {
            tree.end_within(Duration::ZERO);
        }
    }

    /// Looks at what was left once the command has ended. False when that took too long.
    fn settle_by(&self, until: Instant) -> Option<Left> {
        let tree = self.tree.get()?;
        while !tree.is_over() {
            if Instant::now() >= until {
                return None;
            }
            std::thread::sleep(STEP);
        }
        if tree.facts.ended().is_none() {
            tree.kill_group();
        }
        Some(self.settle())
    }

    /// Goes on where nobody waits for the command any more.
    pub(crate) fn settle_alone(self: Arc<Self>) {
        let alone = move || {
            let Some(left) = self.settle_by(Instant::now() + AT_MOST) else { return };
            for moved in &left.moved {
                tracing::warn!(path = %moved.path.display(), "set_aside_alone");
            }
            UNTOLD.lock().unwrap_or_else(PoisonError::into_inner).extend(left.moved);
        };
        // Where there is no thread, what is on disk is found by the next one.
        let _ = std::thread::Builder::new().name("vigil".into()).spawn(alone);
    }
}

impl Drop for Vigil {
    fn drop(&mut self) {
        let kept = self.kept.get_mut().unwrap_or_else(PoisonError::into_inner);
        // Where no command came to be there is nothing to look at.
        if let (None, Some(kept)) = (self.tree.get(), kept.take()) {
            kept.forget();
        }
    }
}

/// Those that are open now, in the order in which they began.
fn open() -> Vec<Arc<Vigil>> {
    OPEN.lock().unwrap_or_else(PoisonError::into_inner).iter().filter_map(Weak::upgrade).collect()
}

/// Never resolves once this process is about to end: what follows from the end of a command, such as another request to a
/// model, is not to happen any more.
pub(crate) async fn unless_leaving() {
    if LEAVING.load(Ordering::Relaxed) {
        std::future::pending::<()>().await;
    }
}

/// What was moved since somebody was told the last time.
pub(crate) fn untold() -> Vec<Quarantined> {
    std::mem::take(&mut *UNTOLD.lock().unwrap_or_else(PoisonError::into_inner))
}

/// For a process that is about to end: ends every command that may write, and moves aside what they left, as far as that can
/// be done in this time. What cannot is done when Reasonix is next started in the same folder.
pub fn settle_all(patience: Duration) -> Vec<Quarantined> {
    LEAVING.store(true, Ordering::Relaxed);
    let until = Instant::now() + patience;
    let open = open();
    open.iter().for_each(|vigil| vigil.end());
    // The last one first, as when they are found on disk.
    let mut moved: Vec<Quarantined> =
        open.iter().rev().filter_map(|vigil| vigil.settle_by(until)).flat_map(|left| left.moved).collect();
    moved.extend(untold());
    moved
}
