//! A command's process tree as the rest of this room sees it: somebody to ask to end, and facts at the end.

use crate::bounds::Exposed;
use crate::sandbox::Stage;
use rustix::process::{Pid, Signal, kill_process, kill_process_group};
use std::sync::atomic::{AtomicBool, AtomicI32, AtomicU32, Ordering};
use std::sync::{Mutex, MutexGuard, OnceLock, PoisonError};
use std::time::Duration;

/// The process that owns a command's tree. It is signalled only while it has not been waited for, so that its number
/// cannot be somebody else's.
#[derive(Debug, Default)]
pub(crate) struct Tree {
    standing: Mutex<Standing>,
    pub(crate) facts: Facts,
    /// What lay bare to it, for which it was ended.
    exposed: OnceLock<Exposed>,
}

#[derive(Debug, Default, Clone, Copy)]
enum Standing {
    #[default]
    Starting,
    /// Asked to end before it was there.
    Unwanted,
    Running(Pid),
    Over,
}

impl Tree {
    /// The owner is there.
    pub(crate) fn started(&self, owner: i32) {
        let Some(owner) = Pid::from_raw(owner) else { return };
        let mut standing = self.standing();
        if matches!(*standing, Standing::Unwanted) {
            let _ = kill_process(owner, Signal::TERM);
        }
        *standing = Standing::Running(owner);
    }

    /// Something lay bare to it that it may not read or change.
    pub(crate) fn expose(&self, exposed: Exposed) {
        let _ = self.exposed.set(exposed);
    }

    /// What lay bare to it.
    pub(crate) fn exposed(&self) -> Option<&Exposed> {
        self.exposed.get()
    }

    /// The owner's number, while it has not been waited for.
    pub(crate) fn owner(&self) -> Option<u32> {
        match *self.standing() {
            Standing::Running(owner) => u32::try_from(owner.as_raw_nonzero().get()).ok(),
            _ => None,
        }
    }

    /// The owner is about to be waited for.
    pub(crate) fn over(&self) {
        *self.standing() = Standing::Over;
    }

    /// Whether the owner, and with it everything below it, has ended.
    pub(crate) fn is_over(&self) -> bool {
        matches!(*self.standing(), Standing::Over)
    }

    /// Asks the owner to end its tree and itself.
    pub(crate) fn end(&self) {
        let mut standing = self.standing();
        match *standing {
            Standing::Starting => *standing = Standing::Unwanted,
            Standing::Running(owner) => {
                let _ = kill_process(owner, Signal::TERM);
            }
            Standing::Unwanted | Standing::Over => {}
        }
    }

    /// The same, with another time between asking the tree and killing it.
    pub(crate) fn end_within(&self, grace: Duration) {
        self.facts.has_grace(grace);
        self.end();
    }

    /// Kills an owner that does not answer, and the command's group with it.
    pub(crate) fn force(&self) {
        if let Standing::Running(owner) = *self.standing() {
            self.kill_group();
            let _ = kill_process(owner, Signal::KILL);
        }
    }

    /// Kills the command's group; for when its owner cannot, and before anybody else can have its number.
    pub(crate) fn kill_group(&self) {
        if let Some(command) = self.facts.command() {
            let _ = kill_process_group(command, Signal::KILL);
        }
    }

    fn standing(&self) -> MutexGuard<'_, Standing> {
        self.standing.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// What guard and command tell, by writing here: they share our memory. Never a lock, since they may die at any moment.
#[derive(Debug, Default)]
pub(crate) struct Facts {
    /// The command's own process, which leads its group; 0 before it is there.
    command: AtomicI32,
    /// The system's error number when the command could not be executed.
    failed: AtomicI32,
    /// The stage of the way into the box at which it failed, 0 when it was none of them.
    stage: AtomicI32,
    /// The command's wait status.
    status: AtomicI32,
    /// [`WHOLE`] when everything has ended by itself, [`LEFT`] when processes that the command left had to be ended.
    ended: AtomicI32,
    /// The kernel ended it for its memory.
    starved: AtomicBool,
    /// The command was born into its control group.
    grouped: AtomicBool,
    /// Everything stands around the command, and it was executed or could not be.
    begun: AtomicBool,
    /// Told to the guard: milliseconds between asking and killing, and one more; 0 for its usual ones.
    grace: AtomicU32,
}

const WHOLE: i32 = 1;
const LEFT: i32 = 2;

impl Facts {
    pub(crate) fn is_command(&self, pid: i32) {
        self.command.store(pid, Ordering::SeqCst);
    }

    pub(crate) fn has_failed(&self, errno: i32) {
        self.failed.store(errno, Ordering::SeqCst);
    }

    /// It failed on its way into the box.
    pub(crate) fn has_failed_at(&self, stage: Stage, errno: i32) {
        self.stage.store(stage as i32, Ordering::SeqCst);
        self.has_failed(errno);
    }

    /// The stage at which the way into the box ended.
    pub(crate) fn stage(&self) -> Option<&'static str> {
        Stage::named(self.stage.load(Ordering::SeqCst))
    }

    pub(crate) fn has_ended(&self, status: i32, leftovers: bool) {
        self.status.store(status, Ordering::SeqCst);
        self.ended.store(if leftovers { LEFT } else { WHOLE }, Ordering::SeqCst);
    }

    /// The kernel ended it for its memory.
    pub(crate) fn has_starved(&self) {
        self.starved.store(true, Ordering::SeqCst);
    }

    pub(crate) fn starved(&self) -> bool {
        self.starved.load(Ordering::SeqCst)
    }

    pub(crate) fn is_grouped(&self) {
        self.grouped.store(true, Ordering::SeqCst);
    }

    pub(crate) fn grouped(&self) -> bool {
        self.grouped.load(Ordering::SeqCst)
    }

    /// The way into the box is over.
    pub(crate) fn is_begun(&self) {
        self.begun.store(true, Ordering::SeqCst);
    }

    pub(crate) fn has_begun(&self) -> bool {
        self.begun.load(Ordering::SeqCst)
    }

    fn has_grace(&self, grace: Duration) {
        let millis = u32::try_from(grace.as_millis()).unwrap_or(u32::MAX);
        self.grace.store(millis.saturating_add(1), Ordering::SeqCst);
    }

    /// How long the tree has between being asked and being killed, when somebody said so.
    pub(crate) fn grace(&self) -> Option<Duration> {
        self.grace.load(Ordering::SeqCst).checked_sub(1).map(|millis| Duration::from_millis(millis.into()))
    }

    pub(crate) fn command(&self) -> Option<Pid> {
        Pid::from_raw(self.command.load(Ordering::SeqCst))
    }

    pub(crate) fn failed(&self) -> Option<i32> {
        Some(self.failed.load(Ordering::SeqCst)).filter(|errno| *errno != 0)
    }

    /// The command's wait status, and whether processes it left had to be ended; none when the guard did not live to say.
    pub(crate) fn ended(&self) -> Option<(i32, bool)> {
        match self.ended.load(Ordering::SeqCst) {
            0 => None,
            how => Some((self.status.load(Ordering::SeqCst), how == LEFT)),
        }
    }
}
