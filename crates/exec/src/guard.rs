//! The guard: a small process between us and a command, which owns the command's whole tree.
//!
//! As the subreaper of everything below it, it adopts daemons and orphans, so that none of them can escape; it ends
//! when the last of them has ended. When we die, however we die, it ends them all.
//!
//! Neither guard nor command copies our memory, which would cost a millisecond and more: both run in it, as a spawn
//! of the C library does. So what runs in them allocates nothing, takes no lock, and writes to nothing but stacks of
//! its own and the facts they tell; the error number of the C library it may spoil belongs to a thread that only waits for the guard.
#![allow(unsafe_code)]

mod birth;
mod watch;

use crate::Bounds;
use crate::control_group::Group;
use crate::plan::{Ends, Plan};
use crate::sandbox::{Locks, Stage, Walls};
use crate::tree::{Facts, Tree};
use std::ffi::{CString, c_char, c_void};
use std::io;
use std::os::fd::{AsRawFd, RawFd};
use std::ptr;
use std::sync::Arc;
use std::sync::atomic::{AtomicI32, Ordering};
use std::time::Duration;
use tokio::sync::oneshot;
use watch::Guard;

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
        // The plan goes first, so that whoever hears of the end finds everything tidied up.
        let plan = Arc::new(plan);
        let result = keep_guard(&plan, ends, &shared);
        if plan.group.as_ref().is_some_and(Group::close) {
            shared.facts.has_starved();
        }
        drop(plan);
        shared.over();
        let _ = ended.send(result);
    };
    std::thread::Builder::new().name("guard".into()).stack_size(STACK * 2).spawn(keep)?;
    Ok((tree, heard))
}

/// Makes the guard, and waits for it. The guard borrows this thread's local storage, so the thread does nothing else.
fn keep_guard(plan: &Arc<Plan>, ends: Ends, tree: &Arc<Tree>) -> io::Result<()> {
    let mut stacks = vec![0u128; STACK * 3 / size_of::<u128>()];
    let (guard_stack, rest) = stacks.split_at_mut(STACK / size_of::<u128>());
    let (porter_stack, command_stack) = rest.split_at_mut(STACK / size_of::<u128>());
    let (args, env) = (pointers(&plan.args), pointers(&plan.env));
    let birth = Box::new(Birth {
        // SAFETY: no memory effects.
        parent: unsafe { libc::getpid() },
        program: plan.program.as_ptr(),
        args: args.as_ptr(),
        env: env.as_ptr(),
        cwd: plan.cwd.as_ptr(),
        stdin: ends.stdin.as_raw_fd(),
        output: ends.output.as_raw_fd(),
        errors: ends.errors.as_ref().unwrap_or(&ends.output).as_raw_fd(),
        lifeline: ends.lifeline.as_raw_fd(),
        letterbox: ends.letterbox.as_ref().map_or(-1, AsRawFd::as_raw_fd),
        stack: command_stack.as_mut_ptr_range().end.cast(),
        walls: plan.confined.as_ref().and_then(|confined| confined.walls.as_ref()),
        locks: plan.confined.as_ref().map(|confined| &confined.locks),
        bounds: plan.bounds,
        group: plan.group.as_ref().map_or(-1, Group::folder),
        guard: AtomicI32::new(0),
        born: AtomicI32::new(-1),
        guard_stack: guard_stack.as_mut_ptr_range().end.cast(),
        facts: &tree.facts,
    });
    let arg = ptr::from_ref(birth.as_ref()).cast_mut().cast::<c_void>();
    // SAFETY: the stacks, `birth` and everything it points to live until the guard and the start of the command are
    // over. All signals are blocked first, so that none of our handlers ever runs in them.
    let guard = unsafe {
        set_mask(true);
        if birth.walls.is_some() {
            through_porter(&birth, porter_stack.as_mut_ptr_range().end.cast(), arg)
        } else {
            libc::clone(guard_main, birth.guard_stack, libc::CLONE_VM | libc::SIGCHLD, arg)
        }
    };
    if guard == -1 {
        let error = io::Error::last_os_error();
        if birth.walls.is_some() {
            tree.facts.has_ended(0, false);
            return Ok(());
        }
        tree.facts.has_failed(error.raw_os_error().unwrap_or(libc::EAGAIN));
        return Err(error);
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
    if tree.facts.ended().is_none() {
        // Somebody killed the guard. The command may not have been executed yet and still use all this.
        std::mem::forget((stacks, args, env, birth, Arc::clone(plan), Arc::clone(tree)));
    }
    Ok(())
}

/// Has the guard of a box be born from inside the session's namespaces, which a thread of ours cannot enter. It is our
/// child all the same.
unsafe fn through_porter(birth: &Birth<'_>, stack: *mut c_void, arg: *mut c_void) -> i32 {
    let flags = libc::CLONE_VM | libc::CLONE_VFORK | libc::SIGCHLD;
    // SAFETY: as in `keep_guard`, whose thread stands still until the porter has ended.
    unsafe {
        let porter = libc::clone(porter_main, stack, flags, arg);
        if porter == -1 {
            birth.facts.has_failed_at(Stage::Namespaces, *libc::__errno_location());
            return -1;
        }
        libc::waitpid(porter, ptr::null_mut(), 0);
    }
    birth.born.load(Ordering::SeqCst)
}

extern "C" fn porter_main(birth: *mut c_void) -> i32 {
    // SAFETY: `birth` is what `keep_guard` passed, and outlives this process. The rest are system calls on it.
    unsafe {
        let arg = birth;
        let birth = &*birth.cast_const().cast::<Birth<'_>>();
        let Some(walls) = birth.walls else { libc::_exit(1) };
        let entered = walls.step_in();
        let flags = libc::CLONE_VM | libc::CLONE_PARENT | libc::SIGCHLD | walls.flags();
        let guard = if entered.is_ok() { libc::clone(guard_main, birth.guard_stack, flags, arg) } else { -1 };
        if guard == -1 {
            birth.facts.has_failed_at(Stage::Namespaces, *libc::__errno_location());
        } else {
            birth.born.store(guard, Ordering::SeqCst);
        }
        libc::_exit(0)
    }
}

/// Goes through a whole start, and says at which stage of the way into the box it ended, if it did.
pub(crate) fn try_out(plan: &Arc<Plan>) -> io::Result<Option<(&'static str, i32)>> {
    let (_, output) = rustix::pipe::pipe_with(rustix::pipe::PipeFlags::CLOEXEC)?;
    let ends = Ends::new(output, None)?;
    let tree = Arc::new(Tree::default());
    let (shared, plan) = (Arc::clone(&tree), Arc::clone(plan));
    let keep = move || keep_guard(&plan, ends, &shared);
    let thread = std::thread::Builder::new().name("guard".into()).stack_size(STACK * 2).spawn(keep)?;
    thread.join().map_err(|_| io::Error::other("the guard could not be started"))??;
    Ok(tree.facts.stage().map(|stage| (stage, tree.facts.failed().unwrap_or(0))))
}

fn pointers(texts: &[CString]) -> Vec<*const c_char> {
    texts.iter().map(|text| text.as_ptr()).chain([ptr::null()]).collect()
}

/// All that guard and command need to know.
struct Birth<'a> {
    parent: i32,
    program: *const c_char,
    args: *const *const c_char,
    env: *const *const c_char,
    cwd: *const c_char,
    stdin: RawFd,
    output: RawFd,
    errors: RawFd,
    /// Our own process; readable when it has ended.
    lifeline: RawFd,
    /// Through which the command says where the kernel asks about its connections; -1 for nowhere.
    letterbox: RawFd,
    stack: *mut c_void,
    walls: Option<&'a Walls>,
    locks: Option<&'a Locks>,
    bounds: Bounds,
    /// The folder of the command's control group; -1 when it has none.
    group: RawFd,
    /// The guard as it knows itself.
    guard: AtomicI32,
    /// The guard as we know it; -1 before it is there.
    born: AtomicI32,
    guard_stack: *mut c_void,
    facts: &'a Facts,
}

extern "C" fn guard_main(birth: *mut c_void) -> i32 {
    // SAFETY: `birth` is what `keep_guard` passed, and outlives this process. The rest are system calls on it.
    unsafe {
        let arg = birth;
        let birth = &*birth.cast_const().cast::<Birth<'_>>();
        if let Some(walls) = birth.walls {
            enter(birth, walls);
        } else {
            // A death signal comes when the *thread* that made us ends; the guard looks whether the process is gone.
            libc::prctl(libc::PR_SET_PDEATHSIG, libc::SIGHUP);
            libc::prctl(libc::PR_SET_CHILD_SUBREAPER, 1);
            libc::setsid();
            if libc::getppid() != birth.parent {
                libc::_exit(1);
            }
        }
        birth.guard.store(libc::getpid(), Ordering::Relaxed);
        // With CLONE_VFORK the guard stands still until the command has been executed, or has failed to be.
        let flags = libc::CLONE_VM | libc::CLONE_VFORK | libc::SIGCHLD;
        let command = bear(birth, flags, arg);
        if command == -1 {
            birth.facts.has_failed(*libc::__errno_location());
        }
        birth.facts.is_begun();
        Guard::new(birth, command).watch()
    }
}

/// Has the command be born, in its control group where it has one. Where it cannot be, its limits are counted from outside
/// as for any other.
unsafe fn bear(birth: &Birth<'_>, flags: i32, arg: *mut c_void) -> i32 {
    // SAFETY: the stack is the command's alone; `command_main` ends its process.
    unsafe {
        if birth.group >= 0 {
            let start = birth.stack.byte_sub(STACK);
            let command = birth::clone_into(birth.group, command_main, (start, STACK), flags, arg);
            if command > 0 {
                birth.facts.is_grouped();
                return i32::try_from(command).unwrap_or(-1);
            }
        }
        libc::clone(command_main, birth.stack, flags, arg)
    }
}

/// Makes this process the first of a box. The kernel ends the box with it, and it ends with the thread that waits for it.
unsafe fn enter(birth: &Birth<'_>, walls: &Walls) {
    // SAFETY: system calls on this process; `look` is a plain structure that lives through the call.
    unsafe {
        libc::prctl(libc::PR_SET_PDEATHSIG, libc::SIGKILL);
        let mut look = libc::pollfd { fd: birth.lifeline, events: libc::POLLIN, revents: 0 };
        if libc::poll(&mut look, 1, 0) == 1 {
            libc::_exit(1);
        }
        libc::setsid();
        if let Err(stage) = walls.build() {
            birth.facts.has_failed_at(stage, *libc::__errno_location());
            birth.facts.has_ended(0, false);
            libc::_exit(1);
        }
    }
}

extern "C" fn command_main(birth: *mut c_void) -> i32 {
    // SAFETY: as in `guard_main`, which stands still meanwhile.
    unsafe {
        let birth = &*birth.cast_const().cast::<Birth<'_>>();
        if birth.walls.is_none() {
            birth.facts.is_command(libc::getpid());
        }
        clean_slate(birth.guard.load(Ordering::Relaxed));
        limit(&birth.bounds, birth.walls.is_some());
        let connected = libc::dup2(birth.stdin, 0) != -1
            && libc::dup2(birth.output, 1) != -1
            && libc::dup2(birth.errors, 2) != -1
            && libc::chdir(birth.cwd) != -1;
        if connected {
            let letterbox = (birth.letterbox >= 0 && libc::dup2(birth.letterbox, 3) == 3).then_some(3);
            close_from(if letterbox.is_some() { 4 } else { 3 });
            if let Some(Err(stage)) = birth.locks.map(|locks| locks.close(letterbox)) {
                birth.facts.has_failed_at(stage, *libc::__errno_location());
                libc::_exit(127)
            }
            set_mask(false);
            libc::execve(birth.program, birth.args, birth.env);
        }
        birth.facts.has_failed(*libc::__errno_location());
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
        lower(libc::RLIMIT_CORE, 0);
        let score = libc::open(c"/proc/self/oom_score_adj".as_ptr(), libc::O_WRONLY | libc::O_CLOEXEC);
        if score >= 0 {
            libc::write(score, OOM_SCORE.as_ptr().cast(), OOM_SCORE.len());
            libc::close(score);
        }
    }
}

/// Sets the limits that the kernel keeps for each process.
unsafe fn limit(bounds: &Bounds, walled: bool) {
    // SAFETY: system calls on this process.
    unsafe {
        if bounds.file > 0 {
            lower(libc::RLIMIT_FSIZE, bounds.file);
        }
        // In a user namespace of its own only the session's processes count; elsewhere all of the user's would.
        if bounds.processes > 0 && walled {
            lower(libc::RLIMIT_NPROC, bounds.processes.into());
        }
    }
}

/// Lowers a limit for good; one that is lower already stays.
unsafe fn lower(resource: libc::__rlimit_resource_t, most: libc::rlim_t) {
    // SAFETY: `now` lives through the calls.
    unsafe {
        let mut now = libc::rlimit { rlim_cur: most, rlim_max: most };
        libc::getrlimit(resource, &mut now);
        let lowered = libc::rlimit { rlim_cur: now.rlim_cur.min(most), rlim_max: now.rlim_max.min(most) };
        libc::setrlimit(resource, &lowered);
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
