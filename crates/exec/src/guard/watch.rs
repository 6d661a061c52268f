//! What the guard does all its life: it waits for signals, takes in the dead, and ends the rest when it is time.
//! The same rules as for its parent module: no allocation, no lock, nothing written but the facts.
#![allow(unsafe_code)]

use super::{Birth, close_from};
use crate::tree::Facts;
use std::ptr;
use std::time::Duration;

/// How long background processes may go on after the command itself has ended.
const LINGER: Duration = Duration::from_millis(250);
/// How long a process has between SIGTERM and SIGKILL.
const GRACE: Duration = Duration::from_millis(300);
/// How long the guard goes on killing what does not die.
const GIVE_UP: Duration = Duration::from_secs(2);
enum Phase {
    /// The command runs.
    Running,
    /// It has ended, others go on.
    Lingering,
    /// All were asked to end.
    Ending,
    /// All are killed.
    Killing,
}

/// The guard's own state.
pub(super) struct Guard<'a> {
    facts: &'a Facts,
    parent: i32,
    /// It is the first process of a box: all others there are below it.
    first: bool,
    command: i32,
    status: i32,
    /// The command was waited for; its number may be somebody else's now.
    reaped: bool,
    leftovers: bool,
    phase: Phase,
    until: Option<Duration>,
}

impl<'a> Guard<'a> {
    /// Begins to watch. It lets go of everything it was born with.
    ///
    /// # Safety
    /// Only to be called in the guard's process.
    pub(super) unsafe fn new(birth: &Birth<'a>, command: i32) -> Self {
        // SAFETY: the descriptors are this process's own: it is to hold no file, no lock and no end of the output pipe.
        unsafe {
            close_from(0);
            libc::chdir(c"/".as_ptr());
            libc::prctl(libc::PR_SET_NAME, c"reasonix-guard".as_ptr());
        }
        Self {
            facts: birth.facts,
            parent: birth.parent,
            first: birth.walls.is_some(),
            command,
            status: 0,
            reaped: false,
            leftovers: false,
            phase: Phase::Running,
            until: None,
        }
    }

    /// Watches until the last process below has ended.
    pub(super) fn watch(mut self) -> ! {
        loop {
            if self.reap() {
                self.finish();
            }
            if self.reaped && matches!(self.phase, Phase::Running) {
                self.phase = Phase::Lingering;
                self.until = Some(now() + LINGER);
            }
            if matches!(self.phase, Phase::Killing) {
                self.signal_all(libc::SIGKILL);
            }
            match wait_signal(self.patience()) {
                libc::SIGTERM => self.begin_to_end(),
                // SAFETY: no memory effects.
                libc::SIGHUP if unsafe { libc::getppid() } != self.parent => self.begin_to_end(),
                _ => self.look_at_the_clock(),
            }
        }
    }

    /// Takes in all that have ended. Says whether nobody is left.
    fn reap(&mut self) -> bool {
        loop {
            let mut status = 0;
            // SAFETY: `status` lives through the call.
            match unsafe { libc::waitpid(-1, &mut status, libc::WNOHANG | libc::__WALL) } {
                -1 => return true,
                0 => return false,
                pid if pid == self.command => {
                    self.status = status;
                    self.reaped = true;
                }
                _ => {}
            }
        }
    }

    fn begin_to_end(&mut self) {
        if matches!(self.phase, Phase::Running | Phase::Lingering) {
            self.phase = Phase::Ending;
            self.until = Some(now() + self.facts.grace().unwrap_or(GRACE));
            self.signal_all(libc::SIGTERM);
            self.signal_all(libc::SIGCONT);
        }
    }

    fn look_at_the_clock(&mut self) {
        if self.until.is_none_or(|until| now() < until) {
            return;
        }
        match self.phase {
            Phase::Running => {}
            Phase::Lingering => {
                self.leftovers = true;
                self.begin_to_end();
            }
            Phase::Ending => {
                self.phase = Phase::Killing;
                self.until = Some(now() + GIVE_UP);
            }
            Phase::Killing => self.finish(),
        }
    }

    /// How long to wait for the next signal; none for as long as it takes.
    fn patience(&self) -> Option<Duration> {
        let left = self.until?.saturating_sub(now());
        // What is killed hands its children over to us; they are next.
        if matches!(self.phase, Phase::Killing) { Some(left.min(Duration::from_millis(5))) } else { Some(left) }
    }

    /// Signals the command's group and whoever is directly below us, adopted ones among them.
    fn signal_all(&self, signal: i32) {
        if self.first {
            // SAFETY: no memory effects; in a process namespace of its own this reaches all but the first process.
            unsafe { libc::kill(-1, signal) };
            return;
        }
        if !self.reaped && self.command > 1 {
            // SAFETY: no memory effects; the leader is our child and not yet waited for, so the group is its own.
            unsafe { libc::kill(-self.command, signal) };
        }
        for_each_child(|child| {
            // SAFETY: no memory effects; only we wait for our children, so the id is still theirs.
            unsafe { libc::kill(child, signal) };
        });
    }

    fn finish(&self) -> ! {
        self.facts.has_ended(self.status, self.leftovers);
        // SAFETY: ends this process without running anything of the process whose memory it uses.
        unsafe { libc::_exit(0) }
    }
}

fn now() -> Duration {
    let mut time = libc::timespec { tv_sec: 0, tv_nsec: 0 };
    // SAFETY: `time` lives through the call.
    unsafe { libc::clock_gettime(libc::CLOCK_MONOTONIC, &mut time) };
    Duration::new(time.tv_sec.unsigned_abs(), u32::try_from(time.tv_nsec).unwrap_or(0))
}

/// The next signal for the guard; 0 when time is up.
fn wait_signal(patience: Option<Duration>) -> i32 {
    // SAFETY: `set` is initialised by `sigemptyset`, and everything pointed to lives through the calls.
    unsafe {
        let mut set: libc::sigset_t = std::mem::zeroed();
        libc::sigemptyset(&mut set);
        for signal in [libc::SIGCHLD, libc::SIGTERM, libc::SIGHUP] {
            libc::sigaddset(&mut set, signal);
        }
        let Some(patience) = patience else {
            return libc::sigwaitinfo(&set, ptr::null_mut()).max(0);
        };
        let mut time: libc::timespec = std::mem::zeroed();
        time.tv_sec = libc::time_t::try_from(patience.as_secs()).unwrap_or(0);
        time.tv_nsec = libc::c_long::from(patience.subsec_nanos().cast_signed());
        libc::sigtimedwait(&set, ptr::null_mut(), &time).max(0)
    }
}

/// Calls with each process directly below this one, without allocating.
fn for_each_child(mut call: impl FnMut(i32)) {
    // SAFETY: the path ends with NUL, the buffer lives through the reads and `read` is bounded by its length.
    unsafe {
        let list = libc::open(c"/proc/thread-self/children".as_ptr(), libc::O_RDONLY | libc::O_CLOEXEC);
        if list < 0 {
            return;
        }
        let mut buffer = [0u8; 1024];
        let mut pid = 0i32;
        loop {
            let read = libc::read(list, buffer.as_mut_ptr().cast(), buffer.len());
            let read = usize::try_from(read).unwrap_or(0);
            let Some(bytes) = buffer.get(..read).filter(|bytes| !bytes.is_empty()) else { break };
            for byte in bytes {
                if byte.is_ascii_digit() {
                    pid = pid.wrapping_mul(10).wrapping_add(i32::from(byte - b'0'));
                } else if pid > 1 {
                    call(pid);
                    pid = 0;
                }
            }
        }
        libc::close(list);
    }
}
