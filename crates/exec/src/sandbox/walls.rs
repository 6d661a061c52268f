//! The walls: what happens in the process that is born into the namespaces and becomes the first of the box.
//! The rules of the guard hold here: no allocation, no lock, nothing written but what was prepared for it.
#![allow(unsafe_code)]

use super::calls::{
    AT_RECURSIVE, Done, NODEV, NOSUID, OPEN_TREE_CLONE, RDONLY, Stage, check, make_mount, open_tree, set_attributes,
    write_file,
};
use std::ffi::{CStr, CString, c_char, c_int, c_long};
use std::os::fd::RawFd;
use std::ptr;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicI32, Ordering};

/// A mount that is taken before anything is hidden and put in its place afterwards.
#[derive(Debug)]
pub(super) struct Graft {
    pub(super) source: Source,
    /// The graft that `to` starts at; without one it starts at the root.
    pub(super) anchor: Option<usize>,
    pub(super) to: CString,
    pub(super) read_only: bool,
    /// It may be gone by now; then so be it.
    pub(super) optional: bool,
    pub(super) fd: AtomicI32,
}

/// What is mounted.
#[derive(Debug)]
pub(super) enum Source {
    /// A folder or file, with what is mounted below it.
    Path(CString),
    /// A device node alone.
    Device(CString),
    /// A folder whose changes go elsewhere.
    Overlay { lower: CString, upper: CString, work: CString },
    /// Folders seen as one, the first in front; nothing is written.
    Merged(CString),
    /// A folder whose changes are thrown away; where that cannot be had, the folder itself, read-only. Says which it is.
    Throwaway { lower: CString, upper: CString, work: CString, overlaid: Arc<AtomicBool> },
    /// Terminals of the box's own.
    Terminals,
}

/// The walls: namespaces and mounts.
#[derive(Debug)]
pub(crate) struct Walls {
    /// The session's user namespace.
    pub(super) user: RawFd,
    /// The session's net namespace; none for the machine's.
    pub(super) net: Option<RawFd>,
    pub(super) grafts: Vec<Graft>,
    /// How many processes and threads the box holds; none for as many as the machine does.
    pub(super) most_processes: Option<CString>,
    /// How many pages of shared memory of the old kind it holds; none for as many as the machine does.
    pub(super) most_shared: Option<CString>,
}

/// Both the mount and the place it goes to are descriptors.
const MOVE_MOUNT_BY_DESCRIPTORS: c_int = 0x44;
const RESOLVE_NO_LINKS: u64 = 0x02 | 0x04;
const EMPTY: *const c_char = c"".as_ptr();

impl Walls {
    /// The namespaces that the guard is born into.
    pub(crate) fn flags(&self) -> c_int {
        libc::CLONE_NEWNS | libc::CLONE_NEWPID | libc::CLONE_NEWIPC | libc::CLONE_NEWUTS
    }

    /// Enters the namespaces of the session, from which a guard can be born into those of its own.
    ///
    /// # Safety
    /// Only in a process of its own.
    pub(crate) unsafe fn step_in(&self) -> Done {
        // SAFETY: system calls on this process.
        unsafe {
            check(c_long::from(libc::setns(self.user, libc::CLONE_NEWUSER)), Stage::Namespaces)?;
            self.net.map_or(Ok(()), |net| check(c_long::from(libc::setns(net, libc::CLONE_NEWNET)), Stage::Namespaces))
        }
    }

    /// Builds the box around this process.
    ///
    /// # Safety
    /// Only in a process of its own that was born with [`Walls::flags`].
    pub(crate) unsafe fn build(&self) -> Done {
        // SAFETY: system calls on this process, with pointers into what was prepared.
        unsafe {
            let private = libc::MS_REC | libc::MS_PRIVATE;
            check(
                c_long::from(libc::mount(ptr::null(), c"/".as_ptr(), ptr::null(), private, ptr::null())),
                Stage::Mounts,
            )?;
            self.grafts.iter().try_for_each(|graft| graft.take())?;
            set_attributes(libc::AT_FDCWD, c"/", AT_RECURSIVE, RDONLY | NOSUID)?;
            self.grafts.iter().try_for_each(|graft| self.put(graft))?;
            let flags = libc::MS_NOSUID | libc::MS_NODEV | libc::MS_NOEXEC;
            let proc = c"proc".as_ptr();
            // Processes that it may not look into are not there: the first one has our own command line.
            let hidden = c"hidepid=ptraceable".as_ptr().cast();
            let mounted = libc::mount(proc, c"/proc".as_ptr(), proc, flags, hidden);
            check(c_long::from(mounted), Stage::Proc)?;
            // Only newer kernels count for each box; elsewhere the limits of the user hold.
            if let Some(most) = &self.most_processes {
                write_file(c"/proc/sys/kernel/pid_max", most.to_bytes());
            }
            // No process has it open, so that nobody could count it from outside.
            if let Some(most) = &self.most_shared {
                write_file(c"/proc/sys/kernel/shmall", most.to_bytes());
            }
        }
        Ok(())
    }

    /// Puts a mount in its place. The way there leads through folders that earlier commands could change, so no link is
    /// followed, and what belongs to a root is looked for in the mounted root itself.
    unsafe fn put(&self, graft: &Graft) -> Done {
        let fd = graft.fd.load(Ordering::Relaxed);
        if fd < 0 {
            return Ok(());
        }
        let anchor = graft.anchor.and_then(|anchor| self.grafts.get(anchor));
        let start = anchor.map_or(libc::AT_FDCWD, |anchor| anchor.fd.load(Ordering::Relaxed));
        let how = [(libc::O_PATH | libc::O_CLOEXEC).unsigned_abs().into(), 0u64, RESOLVE_NO_LINKS];
        let (pointer, size) = (how.as_ptr(), size_of_val(&how));
        // SAFETY: system calls with pointers to what was prepared and to locals.
        let put = unsafe {
            let place = libc::syscall(libc::SYS_openat2, start, graft.to.as_ptr(), pointer, size);
            if place < 0 {
                place
            } else {
                let put = libc::syscall(libc::SYS_move_mount, fd, EMPTY, place, EMPTY, MOVE_MOUNT_BY_DESCRIPTORS);
                libc::syscall(libc::SYS_close, place);
                put
            }
        };
        if put == 0 || graft.optional { Ok(()) } else { Err(Stage::Mounts) }
    }
}

/// A folder with its changes elsewhere. Files keep the numbers they have below: git knows them by these.
unsafe fn overlay(lower: &CStr, upper: &CStr, work: &CStr) -> c_int {
    let options = [
        (c"lowerdir", Some(lower)),
        (c"upperdir", Some(upper)),
        (c"workdir", Some(work)),
        (c"xino", Some(c"off")),
        (c"userxattr", None),
        // Otherwise each command would end with a flush of the whole disk below.
        (c"volatile", None),
    ];
    // SAFETY: all texts live through the call.
    unsafe { make_mount(c"overlay", &options) }
}

impl Graft {
    fn is_read_only(&self) -> bool {
        match &self.source {
            Source::Throwaway { overlaid, .. } => !overlaid.load(Ordering::Relaxed),
            _ => self.read_only,
        }
    }

    unsafe fn take(&self) -> Done {
        // SAFETY: system calls with pointers into what was prepared.
        unsafe {
            let fd = match &self.source {
                Source::Path(path) => open_tree(path, OPEN_TREE_CLONE | AT_RECURSIVE),
                Source::Device(path) => open_tree(path, OPEN_TREE_CLONE),
                Source::Terminals => make_mount(c"devpts", &[(c"newinstance", None), (c"ptmxmode", Some(c"0666"))]),
                Source::Overlay { lower, upper, work } => overlay(lower, upper, work),
                Source::Merged(folders) => {
                    make_mount(c"overlay", &[(c"lowerdir", Some(folders)), (c"userxattr", None)])
                }
                Source::Throwaway { lower, upper, work, overlaid } => {
                    let layer = overlay(lower, upper, work);
                    overlaid.store(layer >= 0, Ordering::Relaxed);
                    if layer >= 0 { layer } else { open_tree(lower, OPEN_TREE_CLONE | AT_RECURSIVE) }
                }
            };
            if fd < 0 && !self.optional {
                return Err(Stage::Mounts);
            }
            self.fd.store(fd, Ordering::Relaxed);
            let device = matches!(self.source, Source::Device(_) | Source::Terminals);
            if fd >= 0 && matches!(self.source, Source::Device(_)) {
                // Writing to a device goes on; its rights and times are the machine's.
                set_attributes(fd, c"", libc::AT_EMPTY_PATH, NOSUID | RDONLY)?;
            }
            if fd >= 0 && !device {
                let attributes = NOSUID | NODEV | if self.is_read_only() { RDONLY } else { 0 };
                set_attributes(fd, c"", libc::AT_EMPTY_PATH | AT_RECURSIVE, attributes)?;
            }
            Ok(())
        }
    }
}
