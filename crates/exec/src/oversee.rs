//! Looks at a running command from outside now and then: how many processes, how much memory, how full the disks are.
//! This is what holds where no control group was given to us; where one holds, only the disks are looked at. Only looks;
//! ending the command is the business of whoever runs it.

use crate::bounds::LimitHit;
use crate::plan::Life;
use crate::tree::Tree;
use crate::{Bounds, GroupLimits};
use rustix::fs::statvfs;
use std::collections::HashSet;
use std::fs;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

/// Nothing is looked at before this; most commands have ended by then.
const FIRST: Duration = Duration::from_millis(100);
/// How often it is looked at.
const OFTEN: Duration = Duration::from_millis(200);
/// The same when much of a limit is used.
const SOON: Duration = Duration::from_millis(25);
/// How seldom it is looked at in the end, where it lives on and is far from its limits.
const SELDOM: Duration = Duration::from_secs(1);
/// A disk with fewer free places for files than one in so many is about to be full.
const FILES: u64 = 100;

/// Of a disk that was too full already a command may take so many bytes.
const LITTLE: u64 = 16 * 1024 * 1024;

/// How a disk stood when the command began.
#[derive(Debug, Clone)]
pub(crate) struct Disk {
    path: PathBuf,
    free: u64,
    files: u64,
}

/// What a look found.
struct Sight {
    hit: Option<LimitHit>,
    /// It is well on its way to a limit.
    near: bool,
    /// What moves on the way there: bytes of memory, and free bytes of the disks.
    figures: (u64, u64),
}

/// The disks as they are now, before the command can write anything.
pub(crate) fn disks(places: &[PathBuf], bounds: &Bounds) -> Vec<Disk> {
    if bounds.free == 0 { Vec::new() } else { places.iter().filter_map(|path| Disk::at(path)).collect() }
}

/// Ends with the limit that the command hit; never, when it hits none.
pub(crate) async fn oversee(
    tree: Arc<Tree>,
    bounds: Bounds,
    group: GroupLimits,
    disks: Vec<Disk>,
    life: Life,
) -> LimitHit {
    let bounded = bounds.processes > 0 || bounds.memory > 0 || bounds.free > 0;
    let mut wait = FIRST;
    let mut last = None;
    let disks = Arc::new(disks);
    loop {
        if !bounded {
            std::future::pending::<()>().await;
        }
        tokio::time::sleep(wait).await;
        let (tree, disks) = (Arc::clone(&tree), Arc::clone(&disks));
        let looked = tokio::task::spawn_blocking(move || {
            let bounds = if tree.facts.grouped() { uncounted(bounds, group) } else { bounds };
            look(&tree, &bounds, &disks)
        });
        let Ok(sight) = looked.await else { continue };
        if let Some(hit) = sight.hit {
            return hit;
        }
        let steady = last.replace(sight.figures).is_some_and(|last| is_steady(last, sight.figures));
        wait = pause(wait, sight.near, steady, life);
    }
}

/// The limits that nobody counts but us.
fn uncounted(bounds: Bounds, group: GroupLimits) -> Bounds {
    let processes = if group.processes { 0 } else { bounds.processes };
    let memory = if group.memory { 0 } else { bounds.memory };
    Bounds { processes, memory, ..bounds }
}

/// How long until the next look. What lives for hours is looked at less and less often while nothing happens.
fn pause(last: Duration, near: bool, steady: bool, life: Life) -> Duration {
    match (life, near, steady) {
        (Life::Short, true, _) | (Life::Lasting, true, false) => SOON,
        (Life::Short, false, _) => OFTEN,
        (Life::Lasting, true, true) => (last * 2).clamp(SOON, OFTEN),
        (Life::Lasting, false, _) => (last * 2).clamp(OFTEN, SELDOM),
    }
}

/// Whether nothing to speak of has moved between two looks.
fn is_steady(before: (u64, u64), now: (u64, u64)) -> bool {
    before.0.abs_diff(now.0) < LITTLE && before.1.abs_diff(now.1) < LITTLE
}

fn look(tree: &Tree, bounds: &Bounds, disks: &[Disk]) -> Sight {
    let (mut processes, mut memory) = (0u32, 0u64);
    let all =
        if bounds.processes > 0 || bounds.memory > 0 { tree.owner().map(below).unwrap_or_default() } else { vec![] };
    let mut shared = 0u64;
    for pid in &all {
        let size = size_of(*pid);
        processes = processes.saturating_add(size.threads);
        memory = memory.saturating_add(size.own);
        shared = shared.saturating_add(size.shared);
    }
    // Files that only memory has may be mapped, open, or both; what is both is counted once.
    let files = if bounds.memory > 0 { memory_files(&all) } else { 0 };
    memory = memory.saturating_add(shared.max(files));
    let over = |value: u64, most: u64| most > 0 && value > most;
    // What forked processes share was counted for each of them; only when it matters it is counted exactly.
    if over(memory, bounds.memory) {
        let exact: Vec<Size> = all.iter().map(|pid| proportional(*pid).unwrap_or_else(|| size_of(*pid))).collect();
        let shared: u64 = exact.iter().map(|size| size.shared).sum();
        memory = exact.iter().map(|size| size.own).sum::<u64>().saturating_add(shared.max(files));
    }
    let full = disks.iter().find_map(|disk| disk.full(bounds.free));
    let hit = if over(processes.into(), bounds.processes.into()) {
        Some(LimitHit::Processes(bounds.processes))
    } else if over(memory, bounds.memory) {
        Some(LimitHit::Memory(bounds.memory))
    } else {
        full
    };
    Sight {
        hit,
        near: over(memory, bounds.memory / 2) || disks.iter().any(|disk| disk.full(bounds.free * 4).is_some()),
        figures: (memory, disks.iter().filter_map(|disk| free(&disk.path)).fold(0, u64::saturating_add)),
    }
}

/// Every process below this one, but not itself: the guard's memory is ours.
fn below(owner: u32) -> Vec<u32> {
    let mut found = Vec::new();
    let mut open = vec![owner];
    while let Some(pid) = open.pop() {
        for task in fs::read_dir(format!("/proc/{pid}/task")).into_iter().flatten().flatten() {
            let children = fs::read_to_string(task.path().join("children")).unwrap_or_default();
            open.extend(children.split_whitespace().filter_map(|pid| pid.parse::<u32>().ok()));
        }
        if pid != owner {
            found.push(pid);
        }
    }
    found
}

/// How large a process is.
struct Size {
    threads: u32,
    /// Bytes that no file backs.
    own: u64,
    /// Bytes of files that only memory has, where it has mapped them.
    shared: u64,
}

fn size_of(pid: u32) -> Size {
    let text = fs::read_to_string(format!("/proc/{pid}/status")).unwrap_or_default();
    let field = |name: &str| {
        let rest = text.lines().find_map(|line| line.strip_prefix(name)?.strip_prefix(':'));
        rest.and_then(|rest| rest.split_whitespace().next()?.parse::<u64>().ok()).unwrap_or(0)
    };
    let threads = u32::try_from(field("Threads")).unwrap_or(u32::MAX);
    Size { threads, own: field("RssAnon") * 1024, shared: field("RssShmem") * 1024 }
}

/// The same, with what it shares divided among those who share it.
fn proportional(pid: u32) -> Option<Size> {
    let text = fs::read_to_string(format!("/proc/{pid}/smaps_rollup")).ok()?;
    let field = |name: &str| {
        let line = text.lines().find_map(|line| line.strip_prefix(name))?;
        line.split_whitespace().next()?.parse::<u64>().ok().map(|kib| kib * 1024)
    };
    Some(Size { threads: 0, own: field("Pss_Anon:")?, shared: field("Pss_Shmem:").unwrap_or(0) })
}

/// The bytes of files that nothing but memory has and that one of these processes has open. No other figure counts those
/// that are not mapped.
fn memory_files(all: &[u32]) -> u64 {
    let mut seen = HashSet::new();
    let mut bytes = 0u64;
    for pid in all {
        for entry in fs::read_dir(format!("/proc/{pid}/fd")).into_iter().flatten().flatten() {
            let named = fs::read_link(entry.path()).is_ok_and(|to| to.as_os_str().as_bytes().starts_with(b"/memfd:"));
            if let Some(meta) = named.then(|| fs::metadata(entry.path()).ok()).flatten()
                && seen.insert((meta.dev(), meta.ino()))
            {
                bytes = bytes.saturating_add(meta.blocks() * 512);
            }
        }
    }
    bytes
}

fn free(path: &Path) -> Option<u64> {
    statvfs(path).ok().map(|now| now.f_bavail * now.f_frsize)
}

impl Disk {
    fn at(path: &Path) -> Option<Self> {
        let now = statvfs(path).ok()?;
        Some(Self { path: path.to_owned(), free: now.f_bavail * now.f_frsize, files: now.f_favail })
    }

    /// How it is about to be full. One that was so before is not this command's doing.
    fn full(&self, least: u64) -> Option<LimitHit> {
        let now = statvfs(&self.path).ok().filter(|_| least > 0)?;
        let free = now.f_bavail * now.f_frsize;
        // One that was low before is not this command's doing, but it may not take much of what is left.
        let over = if self.free >= least { free < least } else { free + LITTLE < self.free };
        if over {
            return Some(LimitHit::Disk(least));
        }
        let least = now.f_files / FILES;
        (now.f_favail < least && self.files >= least).then_some(LimitHit::Files)
    }
}

#[cfg(test)]
mod tests {
    use super::{Bounds, FIRST, GroupLimits, Life, OFTEN, SELDOM, SOON, pause, uncounted};

    #[test]
    fn what_lives_long_is_looked_at_less_and_less_often() {
        let mut wait = FIRST;
        for _ in 0..10 {
            wait = pause(wait, false, true, Life::Lasting);
        }
        assert_eq!(wait, SELDOM);
        assert_eq!(pause(wait, true, false, Life::Lasting), SOON, "it grows towards a limit");
        let mut wait = SOON;
        for _ in 0..10 {
            wait = pause(wait, true, true, Life::Lasting);
        }
        assert_eq!(wait, OFTEN, "near a limit it is never left alone for long");
        assert_eq!((pause(SOON, false, true, Life::Short), pause(OFTEN, true, true, Life::Short)), (OFTEN, SOON));
    }

    #[test]
    fn what_a_group_holds_is_not_counted() {
        let bounds = Bounds { memory: 5, ..Bounds::default() };
        assert_eq!(uncounted(bounds, GroupLimits::default()), bounds);
        let group = GroupLimits { given: true, processes: true, memory: true };
        assert_eq!(uncounted(bounds, group), Bounds { memory: 0, processes: 0, ..bounds });
    }
}
