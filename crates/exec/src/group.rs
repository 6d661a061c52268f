//! Where there is no subreaper: the command leads a session and group of its own, and the group is what is ended.
//! A process that leaves the group escapes; the Linux guard is the one that lets none go.
#![allow(unsafe_code)]

use std::io;
use std::os::fd::RawFd;
use std::time::Duration;

/// How long a command has to end after it was asked.
pub(crate) const AT_MOST: Duration = Duration::from_millis(300);

/// What a guard would say.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Report {
    pub(crate) status: i32,
    pub(crate) leftovers: bool,
}

/// There is never a report: the child is the command itself.
pub(crate) fn read_report(_bytes: &[u8]) -> (Option<i32>, Option<Report>) {
    (None, None)
}

/// Asks the group to end.
pub(crate) fn end(command: i32) {
    // SAFETY: `kill` has no memory effects.
    unsafe { libc::kill(-command, libc::SIGTERM) };
}

/// Kills the group.
pub(crate) fn force(command: i32, _: Option<i32>) {
    // SAFETY: `kill` has no memory effects.
    unsafe { libc::kill(-command, libc::SIGKILL) };
}

/// There is no guard that could die before its command.
pub(crate) fn orphaned(_command: i32) {}

/// Gives the forked child a session of its own.
///
/// # Safety
/// Only to be called in a child that was just forked, before it executes.
pub(crate) unsafe fn split(_parent: i32, _report: RawFd) -> io::Result<()> {
    // SAFETY: system calls on our own process.
    if unsafe { libc::setsid() } == -1 { Err(io::Error::last_os_error()) } else { Ok(()) }
}
