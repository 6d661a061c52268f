//! The locks: the last thing that happens in the command's process before its own code.
//! The rules of the guard hold here: no allocation, no lock, nothing written but facts.
#![allow(unsafe_code)]

use super::calls::{AT_RECURSIVE, Done, RDONLY, Stage, check, set_attributes};
use std::ffi::{CString, c_long};
use std::io;
use std::os::fd::RawFd;
use std::path::Path;
use std::ptr;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// The locks on the command: Landlock and seccomp.
#[derive(Debug)]
pub(crate) struct Locks {
    pub(super) abi: i32,
    /// What may be done where; what no rule names may only be read, or not even that.
    pub(super) rules: Vec<PathRule>,
    /// True when only what a rule names may be read.
    pub(super) reads: bool,
    pub(super) filter: Vec<libc::sock_filter>,
    /// The same filter, with what the kernel is to ask us about; empty where it is to ask nothing.
    pub(super) knocking: Vec<libc::sock_filter>,
    /// There are walls around it, and so privileges inside them to give up.
    pub(super) walled: bool,
}

impl Locks {
    /// Locks this process in; the next thing is the command's own code. Through `letterbox` goes where the kernel asks.
    ///
    /// # Safety
    /// Only in the command's process.
    pub(crate) unsafe fn close(&self, letterbox: Option<RawFd>) -> Done {
        // SAFETY: system calls on this process, with pointers into what was prepared and to locals.
        unsafe {
            if self.walled {
                set_attributes(libc::AT_FDCWD, c"/proc", AT_RECURSIVE, RDONLY)?;
            }
            check(c_long::from(libc::prctl(libc::PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0)), Stage::Privileges)?;
            self.landlock()?;
            if self.walled {
                drop_capabilities()?;
            }
            if let Some(letterbox) = letterbox
                && let Some(sent) = super::knock::tell_of_calls(&self.knocking, letterbox)
            {
                return if sent { Ok(()) } else { Err(Stage::Seccomp) };
            }
            let length = u16::try_from(self.filter.len()).unwrap_or(0);
            let program = libc::sock_fprog { len: length, filter: self.filter.as_ptr().cast_mut() };
            let filtered = libc::prctl(libc::PR_SET_SECCOMP, libc::SECCOMP_MODE_FILTER, &raw const program);
            check(c_long::from(filtered), Stage::Seccomp)
        }
    }

    unsafe fn landlock(&self) -> Done {
        // No box is made on a kernel without Landlock; a test takes it out.
        #[cfg(test)]
        if self.abi == 0 {
            return Ok(());
        }
        let (folder, file) = accesses(self.abi);
        let handled = if self.reads { folder | READ } else { folder };
        // Signals to processes outside, and abstract sockets outside.
        let scoped = if self.abi >= 6 { 3 } else { 0 };
        let attributes = [handled, 0u64, scoped];
        let size: usize = match self.abi {
            ..=3 => 8,
            4 | 5 => 16,
            _ => 24,
        };
        // SAFETY: as in `close`.
        unsafe {
            let rules = libc::syscall(libc::SYS_landlock_create_ruleset, attributes.as_ptr(), size, 0);
            check(rules, Stage::Landlock)?;
            for rule in &self.rules {
                let fd = libc::open(rule.path.as_ptr(), libc::O_PATH | libc::O_CLOEXEC);
                if fd < 0 {
                    continue;
                }
                let (write, read) = if rule.folder { (folder, READ) } else { (file, READ & !READ_FOLDER) };
                let allowed = if rule.access.writes() { write | read } else { read } & handled;
                if allowed == 0 {
                    libc::close(fd);
                    continue;
                }
                let rule = KernelRule { allowed, fd };
                let added = libc::syscall(libc::SYS_landlock_add_rule, rules, 1, &raw const rule, 0);
                libc::close(fd);
                check(added, Stage::Landlock)?;
            }
            check(libc::syscall(libc::SYS_landlock_restrict_self, rules, 0), Stage::Landlock)?;
            libc::syscall(libc::SYS_close, rules);
        }
        Ok(())
    }
}

/// What a command may do at a place.
#[derive(Debug)]
pub(super) struct PathRule {
    pub(super) path: CString,
    pub(super) folder: bool,
    pub(super) access: Access,
}

/// A place that may be read.
pub(super) fn reading(path: &Path) -> io::Result<PathRule> {
    Ok(PathRule { path: super::text(path)?, folder: path.is_dir(), access: Access::Read })
}

/// Reading or writing.
#[derive(Debug, Clone)]
pub(super) enum Access {
    Read,
    Write,
    /// Writing when this says so: what stands there is a layer that is thrown away. Otherwise only reading.
    WriteIf(Arc<AtomicBool>),
}

impl Access {
    fn writes(&self) -> bool {
        match self {
            Self::Read => false,
            Self::Write => true,
            Self::WriteIf(thrown_away) => thrown_away.load(Ordering::Relaxed),
        }
    }
}

#[repr(C, packed)]
struct KernelRule {
    allowed: u64,
    fd: i32,
}

const READ_FOLDER: u64 = 1 << 3;
/// Executing, reading files, listing folders.
const READ: u64 = 1 | (1 << 2) | READ_FOLDER;

/// The ways to change a folder and a file that this kernel knows of.
fn accesses(abi: i32) -> (u64, u64) {
    let (write, truncate, ioctl) = (1 << 1, 1 << 14, 1 << 15);
    // Removing and making of every kind.
    let mut folder = write | (0x1ff << 4);
    let mut file = write;
    if abi >= 2 {
        folder |= 1 << 13;
    }
    if abi >= 3 {
        folder |= truncate;
        file |= truncate;
    }
    if abi >= 5 {
        folder |= ioctl;
        file |= ioctl;
    }
    (folder, file)
}

/// The version of Landlock, 0 for none.
pub(super) fn landlock_abi() -> i32 {
    // SAFETY: asks for a number; no memory is involved.
    let abi = unsafe { libc::syscall(libc::SYS_landlock_create_ruleset, ptr::null::<u64>(), 0usize, 1) };
    i32::try_from(abi).unwrap_or(0).max(0)
}

unsafe fn drop_capabilities() -> Done {
    const LAST: c_long = 63;
    // No root, no fix-up of capabilities when the user changes, nothing ambient; and it stays so.
    const SECUREBITS: c_long = 0b1110_1111;
    // SAFETY: system calls on this process, with pointers to locals.
    unsafe {
        for capability in 0..=LAST {
            libc::prctl(libc::PR_CAPBSET_DROP, capability, 0, 0, 0);
        }
        libc::prctl(libc::PR_CAP_AMBIENT, libc::PR_CAP_AMBIENT_CLEAR_ALL, 0, 0, 0);
        check(c_long::from(libc::prctl(libc::PR_SET_SECUREBITS, SECUREBITS)), Stage::Privileges)?;
        let header = [0x2008_0522u32, 0];
        let none = [0u32; 6];
        check(libc::syscall(libc::SYS_capset, header.as_ptr(), none.as_ptr()), Stage::Privileges)
    }
}
