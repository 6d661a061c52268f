//! The system calls on the way into the box. The rules of the guard hold here: no allocation, no lock.
#![allow(unsafe_code)]

use std::ffi::{CStr, c_char, c_int, c_long};
use std::ptr;

/// Where the way into the box ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(i32)]
pub(crate) enum Stage {
    Namespaces = 1,
    Users,
    Mounts,
    Proc,
    Landlock,
    Privileges,
    Seccomp,
}

impl Stage {
    /// The stage of a number that a fact holds.
    pub(crate) fn named(number: i32) -> Option<&'static str> {
        Some(match number {
            1 => "making namespaces",
            2 => "mapping the user",
            3 => "mounting",
            4 => "mounting /proc",
            5 => "Landlock",
            6 => "giving up privileges",
            7 => "seccomp",
            _ => return None,
        })
    }
}

/// How a step went.
pub(super) type Done = Result<(), Stage>;

pub(super) const OPEN_TREE_CLONE: c_int = 1;
pub(super) const AT_RECURSIVE: c_int = 0x8000;
pub(super) const RDONLY: u64 = 1;
pub(super) const NOSUID: u64 = 2;
pub(super) const NODEV: u64 = 4;
const FSCONFIG_SET_FLAG: c_int = 0;
const FSCONFIG_SET_STRING: c_int = 1;
const FSCONFIG_CMD_CREATE: c_int = 6;

#[repr(C)]
struct MountAttr {
    set: u64,
    clear: u64,
    propagation: u64,
    userns: u64,
}

pub(super) unsafe fn open_tree(path: &CStr, flags: c_int) -> c_int {
    // SAFETY: the path lives through the call.
    let fd = unsafe { libc::syscall(libc::SYS_open_tree, libc::AT_FDCWD, path.as_ptr(), flags | libc::O_CLOEXEC) };
    c_int::try_from(fd).unwrap_or(-1)
}

pub(super) unsafe fn make_mount(kind: &CStr, options: &[(&CStr, Option<&CStr>)]) -> c_int {
    // SAFETY: all texts live through the calls.
    unsafe {
        let fs = libc::syscall(libc::SYS_fsopen, kind.as_ptr(), 1);
        let mut fine = fs >= 0;
        for (name, value) in options {
            let how = if value.is_some() { FSCONFIG_SET_STRING } else { FSCONFIG_SET_FLAG };
            let value = value.map_or(ptr::null(), CStr::as_ptr);
            fine = fine && libc::syscall(libc::SYS_fsconfig, fs, how, name.as_ptr(), value, 0) == 0;
        }
        let (no, nothing) = (ptr::null::<c_char>(), ptr::null::<c_char>());
        fine = fine && libc::syscall(libc::SYS_fsconfig, fs, FSCONFIG_CMD_CREATE, no, nothing, 0) == 0;
        let mount = if fine { libc::syscall(libc::SYS_fsmount, fs, 1, NOSUID) } else { -1 };
        if fs >= 0 {
            libc::syscall(libc::SYS_close, fs);
        }
        c_int::try_from(mount).unwrap_or(-1)
    }
}

pub(super) unsafe fn set_attributes(at: c_int, path: &CStr, flags: c_int, set: u64) -> Done {
    let attr = MountAttr { set, clear: 0, propagation: 0, userns: 0 };
    let (pointer, size) = (&raw const attr, size_of::<MountAttr>());
    // SAFETY: `attr` and the path live through the call.
    let done = unsafe { libc::syscall(libc::SYS_mount_setattr, at, path.as_ptr(), flags, pointer, size) };
    check(done, Stage::Mounts)
}

/// Without it not even a server and its client in one command could talk.
pub(super) unsafe fn raise_loopback() {
    // SAFETY: `request` is a plain structure that lives through the call; all zeros are valid for it.
    unsafe {
        let socket = libc::socket(libc::AF_INET, libc::SOCK_DGRAM | libc::SOCK_CLOEXEC, 0);
        if socket < 0 {
            return;
        }
        let mut request: libc::ifreq = std::mem::zeroed();
        request.ifr_name[0] = b'l'.cast_signed();
        request.ifr_name[1] = b'o'.cast_signed();
        request.ifr_ifru.ifru_flags = i16::try_from(libc::IFF_UP | libc::IFF_RUNNING).unwrap_or(0);
        libc::ioctl(socket, libc::SIOCSIFFLAGS, &request);
        libc::close(socket);
    }
}

/// A socket on a port of the loopback, ready for connections; -1 when there is none. Port 0 is any free one; `newer` is for
/// the loopback of the newer addresses.
pub(super) unsafe fn listen_on_loopback(newer: bool, port: u16) -> c_int {
    let family = if newer { libc::AF_INET6 } else { libc::AF_INET };
    // SAFETY: the addresses are plain structures that live through the calls; all zeros are valid for them.
    unsafe {
        let socket = libc::socket(family, libc::SOCK_STREAM | libc::SOCK_CLOEXEC | libc::SOCK_NONBLOCK, 0);
        let mut v4: libc::sockaddr_in = std::mem::zeroed();
        v4.sin_family = libc::sa_family_t::try_from(family).unwrap_or(0);
        v4.sin_addr.s_addr = libc::INADDR_LOOPBACK.to_be();
        v4.sin_port = port.to_be();
        let mut v6: libc::sockaddr_in6 = std::mem::zeroed();
        v6.sin6_family = v4.sin_family;
        v6.sin6_addr.s6_addr[15] = 1;
        v6.sin6_port = v4.sin_port;
        let (address, size) = match newer {
            true => ((&raw const v6).cast(), size_of::<libc::sockaddr_in6>()),
            false => ((&raw const v4).cast(), size_of::<libc::sockaddr_in>()),
        };
        let size = libc::socklen_t::try_from(size).unwrap_or(0);
        // Connections of an earlier command may still be closing.
        let (again, long) = (1, libc::socklen_t::try_from(size_of::<c_int>()).unwrap_or(0));
        libc::setsockopt(socket, libc::SOL_SOCKET, libc::SO_REUSEADDR, (&raw const again).cast(), long);
        let bound = socket >= 0 && libc::bind(socket, address, size) == 0 && libc::listen(socket, 64) == 0;
        if socket >= 0 && !bound {
            libc::close(socket);
        }
        if bound { socket } else { -1 }
    }
}

pub(super) unsafe fn write_file(path: &CStr, bytes: &[u8]) -> bool {
    // SAFETY: path and bytes live through the calls.
    unsafe {
        let fd = libc::open(path.as_ptr(), libc::O_WRONLY | libc::O_CLOEXEC);
        if fd < 0 {
            return false;
        }
        let wrote = libc::write(fd, bytes.as_ptr().cast(), bytes.len());
        libc::close(fd);
        usize::try_from(wrote).is_ok_and(|wrote| wrote == bytes.len())
    }
}

pub(super) fn check(result: c_long, stage: Stage) -> Done {
    if result < 0 { Err(stage) } else { Ok(()) }
}
