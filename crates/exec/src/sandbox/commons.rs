//! What the boxes of a session have in common: one user and one net namespace, made once. A server that one command
//! started is reached by the next, and no command pays for a network of its own.
//! The rules of the guard hold in the process that makes them: no allocation, no lock, nothing written but [`Made`].
#![allow(unsafe_code)]

use super::calls::{Stage, listen_on_loopback, raise_loopback, write_file};
use std::ffi::{CStr, CString, c_int, c_void};
use std::io;
use std::net::{SocketAddr, TcpListener};
use std::os::fd::{AsRawFd, FromRawFd, OwnedFd, RawFd};
use std::ptr;
use std::sync::Mutex;
use std::sync::atomic::{AtomicI32, Ordering};

const STACK: usize = 64 * 1024;

/// The namespaces of a session. They live as long as a descriptor of them is open.
#[derive(Debug)]
pub(super) struct Commons {
    user: OwnedFd,
    net: Option<OwnedFd>,
    /// A socket that only commands in the box can connect to.
    door: Mutex<Option<TcpListener>>,
}

/// What the process that makes them needs, and what it made.
struct Made {
    uid_map: CString,
    gid_map: CString,
    network: bool,
    user: AtomicI32,
    net: AtomicI32,
    door: AtomicI32,
    stage: AtomicI32,
    errno: AtomicI32,
}

impl Commons {
    /// Makes the namespaces; `network` keeps the machine's network. Says at which stage it failed.
    pub(super) fn new(network: bool) -> Result<Self, (&'static str, i32)> {
        let unnamed = |error: io::Error| ("starting a process", error.raw_os_error().unwrap_or(libc::EAGAIN));
        let (user, group) = (rustix::process::geteuid().as_raw(), rustix::process::getegid().as_raw());
        let map = |id: u32| CString::new(format!("{id} {id} 1")).map_err(|error| unnamed(error.into()));
        let none = || AtomicI32::new(-1);
        let made = Made {
            uid_map: map(user)?,
            gid_map: map(group)?,
            network,
            user: none(),
            net: none(),
            door: none(),
            stage: AtomicI32::new(0),
            errno: AtomicI32::new(0),
        };
        // A thread of its own: the other process borrows its local storage.
        let thread = std::thread::Builder::new().name("namespaces".into()).stack_size(STACK * 2).spawn(move || {
            make(&made);
            made
        });
        let made = thread.map_err(unnamed)?.join().map_err(|_| ("starting a process", libc::EAGAIN))?;
        let own = |fd: &AtomicI32| own(fd.load(Ordering::SeqCst));
        let (user, net, door) = (own(&made.user), own(&made.net), own(&made.door).map(TcpListener::from));
        if let Some(stage) = Stage::named(made.stage.load(Ordering::SeqCst)) {
            return Err((stage, made.errno.load(Ordering::SeqCst)));
        }
        let user = user.ok_or(("making namespaces", libc::ENOSYS))?;
        if net.is_none() && !network {
            return Err(("making namespaces", libc::ENOSYS));
        }
        Ok(Self { user, net, door: Mutex::new(door) })
    }

    pub(super) fn user(&self) -> RawFd {
        self.user.as_raw_fd()
    }

    pub(super) fn net(&self) -> Option<RawFd> {
        self.net.as_ref().map(AsRawFd::as_raw_fd)
    }

    /// The socket that commands can connect to; whoever asks first has it.
    pub(super) fn take_door(&self) -> Option<TcpListener> {
        self.door.lock().unwrap_or_else(std::sync::PoisonError::into_inner).take()
    }
}

/// What the process needs that opens a socket in the session's network, and what it opened.
struct Opening {
    user: RawFd,
    net: RawFd,
    newer: bool,
    port: u16,
    socket: AtomicI32,
}

impl Commons {
    /// A socket in the session's own network at this address of its loopback; none where it cannot be had, or somebody has it.
    pub(super) fn listen(&self, at: SocketAddr) -> Option<TcpListener> {
        let (user, net) = (self.user(), self.net()?);
        let opening = Opening { user, net, newer: at.is_ipv6(), port: at.port(), socket: AtomicI32::new(-1) };
        // A thread of its own: the other process borrows its local storage.
        let thread = std::thread::Builder::new().name("namespaces".into()).stack_size(STACK * 2).spawn(move || {
            // SAFETY: `opening` outlives the process, which is waited for.
            let _ = unsafe { in_a_process(step_in_and_listen, (&raw const opening).cast_mut().cast(), 0) };
            opening
        });
        let opening = thread.ok()?.join().ok()?;
        own(opening.socket.load(Ordering::SeqCst)).map(TcpListener::from)
    }
}

extern "C" fn step_in_and_listen(opening: *mut c_void) -> c_int {
    // SAFETY: `opening` is what `listen` passed; the rest are system calls on it.
    unsafe {
        let opening = &*opening.cast_const().cast::<Opening>();
        if libc::setns(opening.user, libc::CLONE_NEWUSER) == 0 && libc::setns(opening.net, libc::CLONE_NEWNET) == 0 {
            opening.socket.store(listen_on_loopback(opening.newer, opening.port), Ordering::SeqCst);
        }
        libc::_exit(0)
    }
}

fn own(fd: RawFd) -> Option<OwnedFd> {
    // SAFETY: the process that made them shared our descriptors and is gone; nobody else knows of this one.
    (fd >= 0).then(|| unsafe { OwnedFd::from_raw_fd(fd) })
}

/// Starts the process and waits for its end.
fn make(made: &Made) {
    let network = if made.network { 0 } else { libc::CLONE_NEWNET };
    let arg = ptr::from_ref(made).cast_mut().cast::<c_void>();
    // SAFETY: `made` outlives the process, which is waited for.
    if let Err(errno) = unsafe { in_a_process(settle, arg, libc::CLONE_NEWUSER | network) } {
        made.failed(Stage::Namespaces, errno);
    }
}

/// Runs a function in a process of its own, with our memory and descriptors, and waits for its end. Only for a thread that
/// does nothing else.
unsafe fn in_a_process(main: extern "C" fn(*mut c_void) -> c_int, arg: *mut c_void, flags: c_int) -> Result<(), i32> {
    let mut stack = vec![0u128; STACK / size_of::<u128>()];
    let shared = libc::CLONE_VM | libc::CLONE_VFORK | libc::CLONE_FILES | libc::SIGCHLD;
    // SAFETY: the stack and what `arg` points to outlive the process, which this thread waits for. All signals are blocked
    // first, so that none of our handlers runs in it.
    unsafe {
        let mut all: libc::sigset_t = std::mem::zeroed();
        libc::sigfillset(&mut all);
        libc::pthread_sigmask(libc::SIG_SETMASK, &all, ptr::null_mut());
        let process = libc::clone(main, stack.as_mut_ptr_range().end.cast(), shared | flags, arg);
        if process == -1 {
            return Err(io::Error::last_os_error().raw_os_error().unwrap_or(libc::EPERM));
        }
        libc::waitpid(process, ptr::null_mut(), 0);
    }
    Ok(())
}

extern "C" fn settle(made: *mut c_void) -> c_int {
    // SAFETY: `made` is what `make` passed; the rest are system calls on it.
    unsafe {
        let made = &*made.cast_const().cast::<Made>();
        write_file(c"/proc/self/setgroups", b"deny");
        if !write_file(c"/proc/self/uid_map", made.uid_map.to_bytes())
            || !write_file(c"/proc/self/gid_map", made.gid_map.to_bytes())
        {
            made.failed(Stage::Users, *libc::__errno_location());
            libc::_exit(1);
        }
        if !made.network {
            raise_loopback();
            made.door.store(listen_on_loopback(false, 0), Ordering::SeqCst);
            made.net.store(open(c"/proc/self/ns/net"), Ordering::SeqCst);
        }
        made.user.store(open(c"/proc/self/ns/user"), Ordering::SeqCst);
        libc::_exit(0)
    }
}

unsafe fn open(path: &CStr) -> c_int {
    // SAFETY: the path lives through the call.
    unsafe { libc::open(path.as_ptr(), libc::O_RDONLY | libc::O_CLOEXEC) }
}

impl Made {
    fn failed(&self, stage: Stage, errno: i32) {
        self.errno.store(errno, Ordering::SeqCst);
        self.stage.store(stage as i32, Ordering::SeqCst);
    }
}
