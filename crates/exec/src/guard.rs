//! The guard: a small process between us and a command, which owns the command's whole tree.
//!
//! It is forked and never executes anything. As the subreaper of everything below it, it adopts daemons and
//! orphans, so that none of them can escape; it ends when the last of them has ended. When we die, however we die,
//! it ends them all. Code here runs after a fork of a process with threads: only system calls, no allocation, no locks.
#![allow(unsafe_code)]

use std::io;
use std::os::fd::RawFd;
use std::time::Duration;

/// How long background processes may go on after the command itself has ended.
const LINGER: Duration = Duration::from_millis(250);
/// How long a process has between SIGTERM and SIGKILL.
const GRACE: Duration = Duration::from_millis(300);
/// How long the guard goes on killing what does not die.
const GIVE_UP: Duration = Duration::from_secs(2);
/// A guard that was asked to end has done so after this long, unless something stopped it.
pub(crate) const AT_MOST: Duration = Duration::from_secs(4);
/// Commands are the first to go when memory runs out; the agent that started them stays.
const OOM_SCORE: &[u8] = b"300";

/// What the guard says through its pipe: the command's process, its wait status, whether others had to be ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Report {
    pub(crate) status: i32,
    pub(crate) leftovers: bool,
}

/// Reads what came through the report pipe: the process id of the command, and the report when the guard got to write it.
pub(crate) fn read_report(bytes: &[u8]) -> (Option<i32>, Option<Report>) {
    let number = |at: usize| Some(i32::from_ne_bytes(bytes.get(at..at + 4)?.try_into().ok()?));
    let report = number(4).zip(number(8)).map(|(status, left)| Report { status, leftovers: left != 0 });
    (number(0), report)
}

/// Asks a guard to end its tree and itself.
pub(crate) fn end(guard: i32) {
    // SAFETY: `kill` has no memory effects. The guard is our child and not yet waited for, so the id is its own.
    unsafe { libc::kill(guard, libc::SIGTERM) };
}

/// Ends a guard that does not answer, and the command's group with it.
pub(crate) fn force(guard: i32, command: Option<i32>) {
    // SAFETY: as in `end`; the group id was written by the guard itself, which is still there.
    unsafe {
        if let Some(command) = command.filter(|command| *command > 1) {
            libc::kill(-command, libc::SIGKILL);
        }
        libc::kill(guard, libc::SIGKILL);
    }
}

/// Ends the command's group after its guard was killed before it could. What left the group is out of reach then.
pub(crate) fn orphaned(command: i32) {
    if command > 1 {
        // SAFETY: `kill` has no memory effects. The guard has only just died: nobody else can have the group's number yet.
        unsafe { libc::kill(-command, libc::SIGKILL) };
    }
}

/// Splits the forked child into the guard, which never returns, and the command, which returns to be executed.
///
/// `parent` is our process, `report` the writing end of the report pipe.
///
/// # Safety
/// Only to be called in a child that was just forked, before it executes.
pub(crate) unsafe fn split(parent: i32, report: RawFd) -> io::Result<()> {
    // SAFETY: system calls on our own process, with pointers to locals that live through the calls.
    unsafe {
        set_mask(true);
        // A death signal comes when the *thread* that forked us ends; the guard looks whether the process is gone.
        libc::prctl(libc::PR_SET_PDEATHSIG, libc::SIGHUP);
        libc::prctl(libc::PR_SET_CHILD_SUBREAPER, 1);
        libc::setsid();
        if libc::getppid() != parent {
            libc::_exit(1);
        }
        let guard = libc::getpid();
        // A bare fork: the C library's own would take locks that another thread may have held.
        match libc::syscall(libc::SYS_clone, libc::SIGCHLD, 0, 0, 0, 0) {
            -1 => Err(io::Error::last_os_error()),
            0 => become_command(guard),
            command => Guard::new(parent, i32::try_from(command).unwrap_or(-1), report).watch(),
        }
    }
}

/// Makes this process a clean slate for the command.
unsafe fn become_command(guard: i32) -> io::Result<()> {
    // SAFETY: as in `split`.
    unsafe {
        if libc::setsid() == -1 {
            return Err(io::Error::last_os_error());
        }
        libc::prctl(libc::PR_SET_PDEATHSIG, libc::SIGKILL);
        if libc::getppid() != guard {
            libc::_exit(1);
        }
        // All zeros is the default disposition. The bare call, since the C library refuses signals of its own.
        let default = [0u64; 8];
        for signal in 1..=64 {
            let old = std::ptr::null_mut::<u64>();
            libc::syscall(libc::SYS_rt_sigaction, signal, default.as_ptr(), old, std::mem::size_of::<u64>());
        }
        let none = libc::rlimit { rlim_cur: 0, rlim_max: 0 };
        libc::setrlimit(libc::RLIMIT_CORE, &none);
        let score = libc::open(c"/proc/self/oom_score_adj".as_ptr(), libc::O_WRONLY | libc::O_CLOEXEC);
        if score >= 0 {
            libc::write(score, OOM_SCORE.as_ptr().cast(), OOM_SCORE.len());
            libc::close(score);
        }
        // Not closed yet, since the standard library reports a failed exec through one of them.
        close_from(3, libc::CLOSE_RANGE_CLOEXEC);
        // The OS sandbox goes here: it is the last thing before the command's own code.
        set_mask(false);
    }
    Ok(())
}

unsafe fn set_mask(block: bool) {
    // SAFETY: `set` is initialised by the call before it is used.
    unsafe {
        let mut set: libc::sigset_t = std::mem::zeroed();
        if block { libc::sigfillset(&mut set) } else { libc::sigemptyset(&mut set) };
        libc::sigprocmask(libc::SIG_SETMASK, &set, std::ptr::null_mut());
    }
}

/// Closes every descriptor from `first` on, or marks it to be closed on exec.
unsafe fn close_from(first: u32, flags: u32) {
    // SAFETY: closing descriptors of a forked child touches nothing of the parent's.
    unsafe {
        if libc::syscall(libc::SYS_close_range, first, u32::MAX, flags) == 0 {
            return;
        }
        // A kernel without `close_range`; descriptors beyond this are not to be expected there.
        for fd in first.cast_signed()..4096 {
            if flags == 0 {
                libc::close(fd);
            } else {
                libc::fcntl(fd, libc::F_SETFD, libc::FD_CLOEXEC);
            }
        }
    }
}

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

struct Guard {
    parent: i32,
    command: i32,
    status: i32,
    /// The command was waited for; its number may be somebody else's now.
    reaped: bool,
    leftovers: bool,
    phase: Phase,
    until: Option<Duration>,
}

impl Guard {
    unsafe fn new(parent: i32, command: i32, report: RawFd) -> Self {
        // SAFETY: as in `split`. The report pipe moves to descriptor 0 and everything else is closed, so that the
        // guard holds no file, no lock and no end of the output pipe.
        unsafe {
            libc::dup2(report, 0);
            close_from(1, 0);
            libc::chdir(c"/".as_ptr());
            libc::prctl(libc::PR_SET_NAME, c"reasonix-guard".as_ptr());
        }
        tell(&[command]);
        Self { parent, command, status: 0, reaped: false, leftovers: false, phase: Phase::Running, until: None }
    }

    fn watch(mut self) -> ! {
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
            self.until = Some(now() + GRACE);
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
        if !self.reaped {
            // SAFETY: no memory effects; the leader is our child and not yet waited for, so the group is its own.
            unsafe { libc::kill(-self.command, signal) };
        }
        for_each_child(|child| {
            // SAFETY: no memory effects; only we wait for our children, so the id is still theirs.
            unsafe { libc::kill(child, signal) };
        });
    }

    fn finish(&self) -> ! {
        tell(&[self.status, i32::from(self.leftovers)]);
        // SAFETY: ends this process without running anything of the process it was forked from.
        unsafe { libc::_exit(0) }
    }
}

fn tell(numbers: &[i32]) {
    // SAFETY: the bytes of the slice are read only. Nobody may be listening any more, and SIGPIPE is blocked.
    unsafe { libc::write(0, numbers.as_ptr().cast(), std::mem::size_of_val(numbers)) };
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
            return libc::sigwaitinfo(&set, std::ptr::null_mut()).max(0);
        };
        let mut time: libc::timespec = std::mem::zeroed();
        time.tv_sec = libc::time_t::try_from(patience.as_secs()).unwrap_or(0);
        time.tv_nsec = libc::c_long::from(patience.subsec_nanos().cast_signed());
        libc::sigtimedwait(&set, std::ptr::null_mut(), &time).max(0)
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
            let Some(bytes) = usize::try_from(read).ok().filter(|read| *read > 0).and_then(|read| buffer.get(..read)) else {
                break;
            };
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
