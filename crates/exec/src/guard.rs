//! The guard: a small process between us and a command, which owns the command's whole tree.
//!
//! As the subreaper of everything below it, it adopts daemons and orphans, so that none of them can escape; it ends
//! when the last of them has ended. When we die, however we die, it ends them all.
//!
//! Neither guard nor command copies our memory, which would cost a millisecond and more: both run in it, as a spawn
//! of the C library does. So what runs in them allocates nothing, takes no lock, and writes to nothing but stacks of
//! its own; the error number of the C library it may spoil belongs to a thread that only waits for the guard.
#![allow(unsafe_code)]

use crate::plan::{Ends, Plan};
use crate::tree::Tree;
use std::ffi::{CString, c_char, c_void};
use std::io;
use std::os::fd::{AsRawFd, RawFd};
use std::ptr;
use std::sync::Arc;
use std::sync::atomic::{AtomicI32, Ordering};
use std::time::Duration;
use tokio::sync::oneshot;

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
const STACK: usize = 64 * 1024;

/// Starts a guard with its command. The receiver hears when both, and everything below them, have ended.
pub(crate) fn start(plan: Plan, ends: Ends) -> io::Result<(Arc<Tree>, oneshot::Receiver<io::Result<()>>)> {
    let tree = Arc::new(Tree::default());
    let (ended, heard) = oneshot::channel();
    let shared = Arc::clone(&tree);
    let keep = move || {
        let result = keep_guard(&plan, ends, &shared);
        shared.over();
        let _ = ended.send(result);
    };
    std::thread::Builder::new().name("guard".into()).stack_size(STACK * 2).spawn(keep)?;
    Ok((tree, heard))
}

/// Makes the guard, and waits for it. The guard borrows this thread's local storage, so the thread does nothing else.
fn keep_guard(plan: &Plan, ends: Ends, tree: &Tree) -> io::Result<()> {
    let mut stacks = vec![0u128; STACK * 2 / size_of::<u128>()];
    let (guard_stack, command_stack) = stacks.split_at_mut(STACK / size_of::<u128>());
    let (args, env) = (pointers(&plan.args), pointers(&plan.env));
    let birth = Birth {
        // SAFETY: no memory effects.
        parent: unsafe { libc::getpid() },
        program: plan.program.as_ptr(),
        args: args.as_ptr(),
        env: env.as_ptr(),
        cwd: plan.cwd.as_ptr(),
        stdin: ends.stdin.as_raw_fd(),
        output: ends.output.as_raw_fd(),
        report: ends.report.as_raw_fd(),
        stack: command_stack.as_mut_ptr_range().end.cast(),
        guard: AtomicI32::new(0),
        failed: AtomicI32::new(0),
    };
    let arg = ptr::from_ref(&birth).cast_mut().cast::<c_void>();
    // SAFETY: the stack and everything `birth` points to live in this frame, which waits for the guard below.
    // All signals are blocked first, so that none of our handlers ever runs in the guard or the command.
    let guard = unsafe {
        set_mask(true);
        libc::clone(guard_main, guard_stack.as_mut_ptr_range().end.cast(), libc::CLONE_VM | libc::SIGCHLD, arg)
    };
    if guard == -1 {
        return Err(io::Error::last_os_error());
    }
    tree.started(guard);
    // The guard has copies of its own; ours would keep the pipes open.
    drop(ends);
    // SAFETY: `info` lives through the call. First a look that leaves the guard's number taken, so that nobody
    // signals a stranger; then the guard is let go.
    unsafe {
        let mut info: libc::siginfo_t = std::mem::zeroed();
        let id = libc::id_t::from(guard.unsigned_abs());
        libc::waitid(libc::P_PID, id, &mut info, libc::WEXITED | libc::WNOWAIT);
        tree.over();
        libc::waitpid(guard, ptr::null_mut(), 0);
    }
    Ok(())
}

fn pointers(texts: &[CString]) -> Vec<*const c_char> {
    texts.iter().map(|text| text.as_ptr()).chain([ptr::null()]).collect()
}

/// All that guard and command need to know.
struct Birth {
    parent: i32,
    program: *const c_char,
    args: *const *const c_char,
    env: *const *const c_char,
    cwd: *const c_char,
    stdin: RawFd,
    output: RawFd,
    report: RawFd,
    stack: *mut c_void,
    guard: AtomicI32,
    /// Why the command could not be executed.
    failed: AtomicI32,
}

extern "C" fn guard_main(birth: *mut c_void) -> i32 {
    // SAFETY: `birth` is what `keep_guard` passed, and outlives this process. The rest are system calls on it.
    unsafe {
        let arg = birth;
        let birth = &*birth.cast_const().cast::<Birth>();
        // A death signal comes when the *thread* that made us ends; the guard looks whether the process is gone.
        libc::prctl(libc::PR_SET_PDEATHSIG, libc::SIGHUP);
        libc::prctl(libc::PR_SET_CHILD_SUBREAPER, 1);
        libc::setsid();
        if libc::getppid() != birth.parent {
            libc::_exit(1);
        }
        birth.guard.store(libc::getpid(), Ordering::Relaxed);
        // With CLONE_VFORK the guard stands still until the command has been executed, or has failed to be.
        let flags = libc::CLONE_VM | libc::CLONE_VFORK | libc::SIGCHLD;
        let command = libc::clone(command_main, birth.stack, flags, arg);
        if command == -1 {
            birth.failed.store(*libc::__errno_location(), Ordering::Relaxed);
        }
        Guard::new(birth, command).watch()
    }
}

extern "C" fn command_main(birth: *mut c_void) -> i32 {
    // SAFETY: as in `guard_main`, which stands still meanwhile.
    unsafe {
        let birth = &*birth.cast_const().cast::<Birth>();
        clean_slate(birth.guard.load(Ordering::Relaxed));
        let connected = libc::dup2(birth.stdin, 0) != -1
            && libc::dup2(birth.output, 1) != -1
            && libc::dup2(birth.output, 2) != -1
            && libc::chdir(birth.cwd) != -1;
        if connected {
            close_from(3);
            // The OS sandbox goes here: it is the last thing before the command's own code.
            set_mask(false);
            libc::execve(birth.program, birth.args, birth.env);
        }
        birth.failed.store(*libc::__errno_location(), Ordering::Relaxed);
        libc::_exit(127)
    }
}

/// A session, default signals and limits of its own.
unsafe fn clean_slate(guard: i32) {
    // SAFETY: system calls on this process, with pointers to locals that live through the calls.
    unsafe {
        libc::setsid();
        libc::prctl(libc::PR_SET_PDEATHSIG, libc::SIGKILL);
        if libc::getppid() != guard {
            libc::_exit(1);
        }
        // All zeros is the default disposition. The bare call, since the C library refuses signals of its own.
        let default = [0u64; 8];
        for signal in 1..=64 {
            let old = ptr::null_mut::<u64>();
            libc::syscall(libc::SYS_rt_sigaction, signal, default.as_ptr(), old, size_of::<u64>());
        }
        let none = libc::rlimit { rlim_cur: 0, rlim_max: 0 };
        libc::setrlimit(libc::RLIMIT_CORE, &none);
        let score = libc::open(c"/proc/self/oom_score_adj".as_ptr(), libc::O_WRONLY | libc::O_CLOEXEC);
        if score >= 0 {
            libc::write(score, OOM_SCORE.as_ptr().cast(), OOM_SCORE.len());
            libc::close(score);
        }
    }
}

unsafe fn set_mask(block: bool) {
    // SAFETY: `set` is initialised by the call before it is used.
    unsafe {
        let mut set: libc::sigset_t = std::mem::zeroed();
        if block {
            libc::sigfillset(&mut set)
        } else {
            libc::sigemptyset(&mut set)
        };
        libc::pthread_sigmask(libc::SIG_SETMASK, &set, ptr::null_mut());
    }
}

/// Closes every descriptor from `first` on.
unsafe fn close_from(first: u32) {
    // SAFETY: guard and command have descriptor tables of their own.
    unsafe {
        if libc::syscall(libc::SYS_close_range, first, u32::MAX, 0) != 0 {
            // A kernel without `close_range`; descriptors beyond this are not to be expected there.
            for fd in first.cast_signed()..4096 {
                libc::close(fd);
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
    unsafe fn new(birth: &Birth, command: i32) -> Self {
        // SAFETY: the report pipe moves to descriptor 0 and everything else is closed, so that the guard holds no
        // file, no lock and no end of the output pipe.
        unsafe {
            libc::dup2(birth.report, 0);
            close_from(1);
            libc::chdir(c"/".as_ptr());
            libc::prctl(libc::PR_SET_NAME, c"reasonix-guard".as_ptr());
        }
        tell([command, birth.failed.load(Ordering::Relaxed)]);
        Self {
            parent: birth.parent,
            command,
            status: 0,
            reaped: false,
            leftovers: false,
            phase: Phase::Running,
            until: None,
        }
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
        tell([self.status, i32::from(self.leftovers)]);
        // SAFETY: ends this process without running anything of the process whose memory it uses.
        unsafe { libc::_exit(0) }
    }
}

fn tell(numbers: [i32; 2]) {
    // SAFETY: the bytes are only read. Nobody may be listening any more, and SIGPIPE is blocked.
    unsafe { libc::write(0, numbers.as_ptr().cast(), size_of_val(&numbers)) };
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
