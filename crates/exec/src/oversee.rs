//! Looks at a running command from outside now and then: how many processes, how much memory, how full the disks are.
//! This is what holds where no control group was given to us. Only looks; ending the command is the business of `run`.

use crate::Bounds;
use crate::bounds::Hit;
use crate::tree::Tree;
use rustix::fs::statvfs;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

/// Nothing is looked at before this; most commands have ended by then.
const FIRST: Duration = Duration::from_millis(100);
/// How often it is looked at.
const OFTEN: Duration = Duration::from_millis(200);
/// The same when much of a limit is used.
const SOON: Duration = Duration::from_millis(25);
/// A disk with fewer free places for files than one in so many is about to be full.
const FILES: u64 = 100;

/// How a disk stood when the command began.
#[derive(Debug, Clone)]
struct Disk {
    path: PathBuf,
    free: u64,
    files: u64,
}

/// What a look found.
struct Sight {
    hit: Option<Hit>,
    /// It is well on its way to a limit.
    near: bool,
}

/// Ends with the limit that the command hit; never, when it hits none.
pub(crate) async fn oversee(tree: Arc<Tree>, bounds: Bounds, places: Vec<PathBuf>) -> Hit {
    let bounded = bounds.processes > 0 || bounds.memory > 0 || bounds.free > 0;
    let mut wait = FIRST;
    let mut disks: Option<Vec<Disk>> = None;
    loop {
        if !bounded {
            std::future::pending::<()>().await;
        }
        tokio::time::sleep(wait).await;
        let (tree, places) = (Arc::clone(&tree), places.clone());
        let known = disks.take();
        let looked = tokio::task::spawn_blocking(move || {
            let disks = known.unwrap_or_else(|| places.iter().filter_map(|path| Disk::at(path)).collect());
            (look(&tree, &bounds, &disks), disks)
        });
        let Ok((sight, looked)) = looked.await else { continue };
        disks = Some(looked);
        if let Some(hit) = sight.hit {
            return hit;
        }
        wait = if sight.near { SOON } else { OFTEN };
    }
}

fn look(tree: &Tree, bounds: &Bounds, disks: &[Disk]) -> Sight {
    let (mut processes, mut memory) = (0u32, 0u64);
    let all =
        if bounds.processes > 0 || bounds.memory > 0 { tree.owner().map(below).unwrap_or_default() } else { vec![] };
    for pid in &all {
        let (threads, bytes) = size_of(*pid);
        processes = processes.saturating_add(threads);
        memory = memory.saturating_add(bytes);
    }
    let over = |value: u64, most: u64| most > 0 && value > most;
    // What forked processes share was counted for each of them; only when it matters it is counted exactly.
    if over(memory, bounds.memory) {
        memory = all.iter().map(|pid| proportional(*pid).unwrap_or_else(|| size_of(*pid).1)).sum();
    }
    let full = disks.iter().find_map(|disk| disk.full(bounds.free));
    let hit = if over(processes.into(), bounds.processes.into()) {
        Some(Hit::Processes(bounds.processes))
    } else if over(memory, bounds.memory) {
        Some(Hit::Memory(bounds.memory))
    } else {
        full
    };
    Sight {
        hit,
        near: over(memory, bounds.memory / 2) || disks.iter().any(|disk| disk.full(bounds.free * 4).is_some()),
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

/// The threads of a process, and its bytes that no file backs.
fn size_of(pid: u32) -> (u32, u64) {
    let text = fs::read_to_string(format!("/proc/{pid}/status")).unwrap_or_default();
    let field = |name: &str| {
        let rest = text.lines().find_map(|line| line.strip_prefix(name)?.strip_prefix(':'));
        rest.and_then(|rest| rest.split_whitespace().next()?.parse::<u64>().ok()).unwrap_or(0)
    };
    (u32::try_from(field("Threads")).unwrap_or(u32::MAX), field("RssAnon") * 1024)
}

/// The same, with what it shares divided among those who share it.
fn proportional(pid: u32) -> Option<u64> {
    let text = fs::read_to_string(format!("/proc/{pid}/smaps_rollup")).ok()?;
    let line = text.lines().find_map(|line| line.strip_prefix("Pss_Anon:"))?;
    let kib: u64 = line.split_whitespace().next()?.parse().ok()?;
    Some(kib * 1024)
}

impl Disk {
    fn at(path: &Path) -> Option<Self> {
        let now = statvfs(path).ok()?;
        Some(Self { path: path.to_owned(), free: now.f_bavail * now.f_frsize, files: now.f_favail })
    }

    /// How it is about to be full. One that was so before is not this command's doing.
    fn full(&self, least: u64) -> Option<Hit> {
        let now = statvfs(&self.path).ok().filter(|_| least > 0)?;
        let free = now.f_bavail * now.f_frsize;
        if free < least && self.free >= least {
            return Some(Hit::Disk(least));
        }
        let least = now.f_files / FILES;
        (now.f_favail < least && self.files >= least).then_some(Hit::Files)
    }
}
