//! Control groups of the second version, where one was delegated to us: each command has a child of it, which holds its
//! limits in the kernel and ends everything in it at once. Nothing here is needed for a command to run; where there is no
//! such group, the limits are counted from outside as ever.

use crate::{Bounds, GroupLimits};
use rustix::fs::{Access, Mode, OFlags, access, getxattr, open};
use rustix::process::{geteuid, getpid};
use std::fs;
use std::io;
use std::os::fd::{AsRawFd, OwnedFd, RawFd};
use std::path::{Path, PathBuf};
use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};
use std::time::Duration;

/// What groups of ours are called, followed by our number and theirs.
const NAME: &str = "reasonix-";
/// The controllers that hold limits.
const WANTED: &[&str] = &["pids", "memory"];
/// How long, in milliseconds, it is tried to remove a group whose processes were killed.
const PATIENCE: &[u64] = &[0, 1, 2, 5, 10, 20, 50, 100, 200];

/// Which limits the kernel holds by control groups here.
pub fn group_limits() -> GroupLimits {
    given().map_or_else(GroupLimits::default, |given| GroupLimits {
        given: true,
        processes: given.has("pids"),
        memory: given.has("memory"),
    })
}

fn given() -> Option<&'static Given> {
    static GIVEN: OnceLock<Option<Given>> = OnceLock::new();
    GIVEN.get_or_init(|| Given::take(own_group()?, WANTED)).as_ref()
}

/// The group that our process was in, as a folder that we may divide.
#[derive(Debug)]
struct Given {
    folder: PathBuf,
    /// Controllers that its children have.
    controllers: Vec<String>,
    count: AtomicU32,
}

impl Given {
    /// None when the group was not delegated to us.
    fn take(folder: PathBuf, wanted: &[&str]) -> Option<Self> {
        if !is_delegated(&folder) {
            return None;
        }
        remove_stale(&folder);
        let mut controllers = words(&folder.join("cgroup.subtree_control"));
        if wanted.iter().any(|name| !controllers.iter().any(|there| there == name)) {
            controllers = enable(&folder, wanted).unwrap_or(controllers);
        }
        Some(Self { folder, controllers, count: AtomicU32::new(0) })
    }

    fn has(&self, controller: &str) -> bool {
        self.controllers.iter().any(|name| name == controller)
    }

    /// A group for one command.
    fn group(&self, bounds: &Bounds) -> io::Result<Group> {
        let number = self.count.fetch_add(1, Ordering::Relaxed);
        let folder = self.folder.join(format!("{NAME}{}-{number}", getpid()));
        fs::create_dir(&folder)?;
        let limits = GroupLimits { given: true, processes: self.has("pids"), memory: self.has("memory") };
        let mut group = Group { open: None, folder, limits, left: AtomicBool::new(false) };
        if bounds.processes > 0 && limits.processes {
            fs::write(group.folder.join("pids.max"), bounds.processes.to_string())?;
        }
        if bounds.memory > 0 && limits.memory {
            fs::write(group.folder.join("memory.max"), bounds.memory.to_string())?;
            // What is pushed out to the disk would not count.
            let _ = fs::write(group.folder.join("memory.swap.max"), "0");
            let _ = fs::write(group.folder.join("memory.oom.group"), "1");
        }
        group.open = Some(open(&group.folder, OFlags::DIRECTORY | OFlags::CLOEXEC, Mode::empty())?);
        Ok(group)
    }
}

/// The group of one command.
#[derive(Debug)]
pub(crate) struct Group {
    folder: PathBuf,
    /// The same, for a process to be born into.
    open: Option<OwnedFd>,
    limits: GroupLimits,
    left: AtomicBool,
}

impl Group {
    /// A group for a command with these limits; none where none was delegated to us.
    pub(crate) fn of(bounds: &Bounds) -> Option<Self> {
        given()?.group(bounds).ok()
    }

    /// The folder that a process can be born into; -1 when it cannot.
    pub(crate) fn folder(&self) -> RawFd {
        self.open.as_ref().map_or(-1, AsRawFd::as_raw_fd)
    }

    /// Which limits it holds for who is in it.
    pub(crate) fn holds(&self) -> GroupLimits {
        self.limits
    }

    /// Kills what is left in the group and removes it. True when the kernel had ended the command for its memory.
    pub(crate) fn close(&self) -> bool {
        if self.left.swap(true, Ordering::SeqCst) {
            return false;
        }
        let events = fs::read_to_string(self.folder.join("memory.events")).unwrap_or_default();
        let kills = events.lines().find_map(|line| line.strip_prefix("oom_kill ")?.trim().parse::<u64>().ok());
        for wait in PATIENCE {
            std::thread::sleep(Duration::from_millis(*wait));
            if fs::remove_dir(&self.folder).is_ok() || !self.folder.exists() {
                break;
            }
            let _ = fs::write(self.folder.join("cgroup.kill"), "1");
        }
        self.limits.memory && kills.is_some_and(|kills| kills > 0)
    }
}

impl Drop for Group {
    fn drop(&mut self) {
        self.close();
    }
}

/// The folder of the group that our process is in.
fn own_group() -> Option<PathBuf> {
    let groups = fs::read_to_string("/proc/self/cgroup").ok()?;
    let own = groups.lines().find_map(|line| line.strip_prefix("0::"))?;
    let mounts = fs::read_to_string("/proc/self/mountinfo").ok()?;
    mounts.lines().rev().find_map(|line| placed(line, own)).filter(|folder| folder.join("cgroup.procs").exists())
}

/// Where a group is seen below a mount; none when the mount is of another kind, or begins elsewhere.
fn placed(mount: &str, group: &str) -> Option<PathBuf> {
    let (before, after) = mount.split_once(" - ")?;
    if after.split(' ').next() != Some("cgroup2") {
        return None;
    }
    let mut fields = before.split(' ').skip(3);
    let (root, at) = (fields.next()?, fields.next()?.replace("\\040", " "));
    let below =
        group.strip_prefix(root.trim_end_matches('/')).filter(|rest| rest.is_empty() || rest.starts_with('/'))?;
    Some(Path::new(&at).join(below.trim_start_matches('/')))
}

/// Whoever is not root may only write where it was handed over. Root may write everywhere, so that somebody must have said
/// so: service managers mark what they delegate.
fn is_delegated(folder: &Path) -> bool {
    let writable = |name: &str| access(folder.join(name), Access::WRITE_OK).is_ok();
    if !writable("") || !writable("cgroup.procs") || !writable("cgroup.subtree_control") {
        return false;
    }
    let marked = |name: &str| {
        let mut value = [0u8; 2];
        getxattr(folder, name, &mut value).is_ok_and(|length| value.get(..length) == Some(b"1".as_slice()))
    };
    !geteuid().is_root() || marked("user.delegate") || marked("trusted.delegate")
}

/// Hands controllers on to the children. A group with processes in it cannot, so that we move ourselves into a child, but
/// only when nobody else is in it: others are not ours to move. Says what the children have.
fn enable(folder: &Path, wanted: &[&str]) -> Option<Vec<String>> {
    let there = words(&folder.join("cgroup.controllers"));
    let wanted: Vec<String> =
        wanted.iter().filter(|name| there.iter().any(|there| there == *name)).map(|name| format!("+{name}")).collect();
    if wanted.is_empty() || words(&folder.join("cgroup.procs")) != [getpid().to_string()] {
        return None;
    }
    let own = folder.join(format!("{NAME}{}-self", getpid()));
    fs::create_dir(&own).ok()?;
    fs::write(own.join("cgroup.procs"), "0").ok()?;
    if fs::write(folder.join("cgroup.subtree_control"), wanted.join(" ")).is_err() {
        fs::write(folder.join("cgroup.procs"), "0").ok()?;
        fs::remove_dir(&own).ok()?;
    }
    Some(words(&folder.join("cgroup.subtree_control")))
}

/// Removes groups of processes that were killed before they could. The kernel keeps one that has anybody in it.
fn remove_stale(folder: &Path) {
    for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
        let name = entry.file_name().to_string_lossy().into_owned();
        let owner = name.strip_prefix(NAME).and_then(|rest| rest.split('-').next()?.parse::<u32>().ok());
        if owner.is_some_and(|owner| !Path::new("/proc").join(owner.to_string()).exists()) {
            let _ = fs::remove_dir(entry.path());
        }
    }
}

fn words(file: &Path) -> Vec<String> {
    let text = fs::read_to_string(file).unwrap_or_default();
    text.split_whitespace().map(str::to_owned).collect()
}

#[cfg(test)]
mod tests;
