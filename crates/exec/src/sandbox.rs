//! The box that commands run in, held by the kernel.
//!
//! Level `full` is walls and locks: namespaces and mounts of its own, then Landlock and seccomp. Level `partial` is the
//! locks alone. What a level promises stands in `docs/sandbox.md`; there is no level in between.

mod bridge;
mod calls;
mod commons;
mod cover;
mod curtain;
mod filter;
mod held;
mod kept;
mod knock;
mod layout;
mod listening;
mod locks;
mod protect;
mod scratch;
mod tables;
mod walls;
#[cfg(test)]
mod weak;

use crate::plan::Plan;
use crate::{Bounds, BoxOptions, Caches, Environment, ExecError, Ports, Quarantined, SandboxLevel, WriteWish, guard};
use commons::Commons;
use cover::Covers;
use curtain::{Curtains, Hung};
use filter::Whom;
use held::{Held, Overlays};
use layout::Layout;
use locks::{Access, PathRule, reading};
use scratch::Scratch;
use std::ffi::{CString, OsString};
use std::io;
use std::net::SocketAddr;
use std::os::fd::OwnedFd;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicI32, AtomicU32, Ordering};
use std::sync::{Arc, OnceLock};
use walls::{Graft, Source};

pub(crate) use calls::Stage;
pub(crate) use cover::Watched;
pub(crate) use kept::Kept;
pub use kept::recover;
pub(crate) use knock::Knocks;
pub(crate) use layout::started;
pub(crate) use locks::Locks;
pub(crate) use protect::{Before, Left};
pub use scratch::remove_tree;
pub(crate) use walls::Walls;
#[cfg(test)]
pub(crate) use weak::Piece;

/// What the kernel counts shared memory in.
const PAGE: u64 = 4096;

/// The kernel takes no lower limit on processes.
const LEAST_PROCESSES: u32 = 301;

/// More places that rules fix are not mounted; each costs a command some time.
const MOST_FIXED: usize = 64;

/// A box, ready for any number of commands.
#[derive(Debug)]
pub struct Sandbox {
    level: SandboxLevel,
    /// Why it is not more.
    shortfall: Option<String>,
    options: BoxOptions,
    layout: Layout,
    scratch: Scratch,
    /// What all commands share; none at level `partial`.
    commons: Option<Commons>,
    abi: i32,
    /// What stands where something is hidden.
    curtains: Curtains,
    /// How many commands there were.
    count: AtomicU32,
    /// Whether readers can have layers of their own.
    overlays: Overlays,
    /// What of the machine readers see, once it was looked up.
    readable: OnceLock<Vec<(CString, bool)>>,
    /// `PATH`, and what of it readers have.
    programs: OnceLock<(OsString, OsString)>,
    /// The pieces that a test took out.
    #[cfg(test)]
    lacks: std::sync::atomic::AtomicU8,
}

/// What one command needs to get into the box.
#[derive(Debug)]
pub(crate) struct Confined {
    pub(crate) walls: Option<Walls>,
    pub(crate) locks: Locks,
    /// Folders that the kernel worked in.
    used: Vec<PathBuf>,
    /// What is its own, when it is held to reading.
    held: Option<Held>,
    /// What stands where something is hidden from it.
    hung: Hung,
    /// What must stay covered while it runs.
    covers: Covers,
    /// The folder behind it all lives as long as the command.
    sandbox: Arc<Sandbox>,
}

impl Confined {
    /// Where it is said what it wanted to write, when it is held to reading.
    pub(crate) fn wish(&self) -> Option<Arc<OnceLock<WriteWish>>> {
        self.held.as_ref().map(Held::wish)
    }

    /// What has to be looked after while it runs; none where nothing is.
    pub(crate) fn covers(&self) -> Option<(Arc<Sandbox>, Covers)> {
        // What is not there yet may come.
        let some = !self.covers.is_empty() || self.sandbox.options.masked.is_some();
        (self.walls.is_some() && some).then(|| (Arc::clone(&self.sandbox), self.covers.clone()))
    }

    /// Where it is said which hidden places it opened.
    pub(crate) fn opened(&self) -> Arc<OnceLock<Vec<PathBuf>>> {
        self.hung.opened()
    }

    /// Where the kernel asks about its connections, when somebody decides about ports, and the end that the command gets.
    pub(crate) fn knocks(&self, ports: Option<&Arc<dyn Ports>>) -> io::Result<Option<(Knocks, OwnedFd)>> {
        let ports = ports.filter(|_| !self.locks.knocking.is_empty());
        ports.map(|ports| Knocks::new(Arc::clone(&self.sandbox), Arc::clone(ports))).transpose()
    }
}

impl Drop for Confined {
    fn drop(&mut self) {
        // The mounts went with the last process, so that the layers are as it left them.
        if let Some(held) = &self.held {
            held.settle(&self.sandbox.overlays);
            self.used.push(held.folder.clone());
        }
        self.sandbox.curtains.take_back(&mut self.hung, &self.sandbox.layout.roots);
        self.used.drain(..).for_each(|folder| self.sandbox.scratch.discard(folder));
    }
}

impl Sandbox {
    /// Makes a box of at least this level, and tries it out. A machine that cannot have it is an error that says why.
    pub fn prepare(options: BoxOptions, least: SandboxLevel) -> Result<Arc<Self>, ExecError> {
        let lacking = |wanted: SandboxLevel, reason: String| ExecError::NoSandbox { wanted, reason };
        let abi = locks::landlock_abi();
        if abi == 0 {
            return Err(lacking(least, "this kernel has no Landlock, or it is not switched on".to_owned()));
        }
        if options.writable.iter().any(|root| root.canonicalize().is_ok_and(|root| root == Path::new("/"))) {
            return Err(lacking(least, crate::error::ALL_WRITABLE.to_owned()));
        }
        let furnish = || -> io::Result<_> {
            let state = options.quarantine.parent().unwrap_or(&options.quarantine);
            let scratch = Scratch::new(&options.writable, state)?;
            Ok((Layout::new(&options, &scratch)?, scratch))
        };
        let (layout, scratch) = furnish().map_err(|error| lacking(least, error.to_string()))?;
        let commons = Commons::new(options.network).map_err(|(stage, errno)| told(stage, errno));
        let (count, curtains) = (AtomicU32::new(0), Curtains::new(scratch.at("curtains")));
        let level = SandboxLevel::Full;
        let (commons, missing) = match commons {
            Ok(commons) => (Some(commons), None),
            Err(reason) => (None, Some(reason)),
        };
        let (overlays, readable, programs) = (Overlays::default(), OnceLock::new(), OnceLock::new());
        let full = Arc::new(Self {
            level,
            shortfall: None,
            options,
            layout,
            scratch,
            commons,
            abi,
            curtains,
            count,
            overlays,
            readable,
            programs,
            #[cfg(test)]
            lacks: std::sync::atomic::AtomicU8::new(0),
        });
        let reason = match missing.map_or_else(|| full.try_out(), Err) {
            Ok(overlays) => return Ok(full.without_dead_overlays(&overlays)),
            Err(reason) if least == SandboxLevel::Full => return Err(lacking(least, reason)),
            Err(reason) => reason,
        };
        let mut partial = Arc::into_inner(full).ok_or_else(|| lacking(least, reason.clone()))?;
        partial.level = SandboxLevel::Partial;
        partial.shortfall = Some(reason);
        partial.commons = None;
        let partial = Arc::new(partial);
        partial.try_out().map_err(|reason| lacking(least, reason))?;
        Ok(partial)
    }

    /// How much the kernel holds.
    pub fn level(&self) -> SandboxLevel {
        self.level
    }

    /// Why it is not level `full`.
    pub fn shortfall(&self) -> Option<&str> {
        self.shortfall.as_deref()
    }

    /// The socket that commands in the box can connect to, at an address of their own loopback. The first who asks has it.
    pub fn take_door(&self) -> Option<std::net::TcpListener> {
        self.commons.as_ref().and_then(Commons::take_door)
    }

    /// A socket at this address of the loopback that commands have.
    pub(crate) fn listen_inside(&self, at: SocketAddr) -> Option<std::net::TcpListener> {
        self.commons.as_ref()?.listen(at)
    }

    /// The disks that commands write to, by a place on each.
    pub(crate) fn places(&self) -> Vec<PathBuf> {
        self.layout.roots.iter().cloned().chain([self.scratch.at("")]).collect()
    }

    /// Goes all the way to the execution of a program that is none. Says which overlays could be had.
    fn try_out(self: &Arc<Self>) -> Result<Vec<bool>, String> {
        let confined = self.confine(&Bounds::NONE, false, &[]).map_err(|error| error.to_string())?;
        let root = CString::from(c"/");
        let (program, args) = (root.clone(), vec![root.clone()]);
        let plan = Arc::new(Plan {
            program,
            args,
            env: vec![],
            cwd: root,
            bounds: Bounds::NONE,
            confined: Some(confined),
            group: None,
        });
        if let Some((stage, errno)) = guard::try_out(&plan).map_err(|error| error.to_string())? {
            return Err(told(stage, errno));
        }
        let walls = plan.confined.as_ref().and_then(|confined| confined.walls.as_ref());
        let overlays = walls
            .into_iter()
            .flat_map(|walls| &walls.grafts)
            .filter(|graft| matches!(graft.source, Source::Overlay { .. }));
        Ok(overlays.map(|graft| graft.fd.load(Ordering::Relaxed) >= 0).collect())
    }

    /// Where an overlay cannot be had, the command finds an empty folder of the session's own.
    fn without_dead_overlays(self: Arc<Self>, alive: &[bool]) -> Arc<Self> {
        if alive.iter().all(|alive| *alive) {
            return self;
        }
        match Arc::try_unwrap(self) {
            Err(shared) => shared,
            Ok(mut alone) => {
                let mut alive = alive.iter();
                alone.layout.caches.retain(|_| alive.next() == Some(&true));
                Arc::new(alone)
            }
        }
    }

    /// What a command needs to get in. `behind` is one that goes on behind its call, `since` are protected places where
    /// something has come while other commands run.
    pub(crate) fn confine(self: &Arc<Self>, bounds: &Bounds, behind: bool, since: &[PathBuf]) -> io::Result<Confined> {
        let walled = self.level == SandboxLevel::Full;
        let mut used = Vec::new();
        let mut hung = Hung::default();
        let covers = if walled { self.covers(behind, since) } else { Covers::default() };
        let walls = if walled { Some(self.walls(&mut used, &mut hung, bounds, &covers)?) } else { None };
        let filter = filter::program(Whom::Any { internet: walled || self.options.network });
        // Only who has a loopback of its own misses the machine's.
        let knocking = if walled && !self.options.network { filter::knocking(&filter) } else { Vec::new() };
        let locks = Locks { abi: self.abi, rules: self.writer_rules()?, reads: !walled, filter, knocking, walled };
        let confined = Confined { walls, locks, used, held: None, hung, covers, sandbox: Arc::clone(self) };
        #[cfg(test)]
        let confined = self.weakened(confined);
        Ok(confined)
    }

    /// What stands at the protected places now or, where commands of other processes run there, what stood before them.
    pub(crate) fn look(&self) -> Before {
        let BoxOptions { linked, quarantine, .. } = &self.options;
        #[cfg(test)]
        if self.lacks(Piece::Aside) {
            return Before::look(&[], &[], None, quarantine);
        }
        // One may end, and another begin, while it is looked.
        let mut others = kept::of_others(quarantine);
        let mut before = Before::look(&self.layout.roots, &self.layout.startup, linked.as_ref(), quarantine);
        others.extend(kept::of_others(quarantine));
        others.iter().for_each(|other| before.take_over(other));
        before
    }

    /// Moves aside what commands left here that nobody looked at to their end.
    pub(crate) fn recover(&self) -> Vec<Quarantined> {
        recover(&self.options.quarantine, &self.layout.roots, self.options.linked.as_ref())
    }

    /// The environment as it makes sense in the box.
    pub(crate) fn adapt(&self, environment: &Environment) -> Environment {
        let temporary: OsString = match self.level {
            SandboxLevel::Full => "/tmp".into(),
            SandboxLevel::Partial => self.scratch.at("shm").into(),
        };
        environment.clone().without(tables::DEAD_VARIABLES).with("TMPDIR", temporary)
    }

    fn writer_rules(&self) -> io::Result<Vec<PathRule>> {
        let rule = |path: &Path| Ok(PathRule { path: text(path)?, folder: path.is_dir(), access: Access::Write });
        let mut all: Vec<PathRule> = self.layout.roots.iter().map(|root| rule(root)).collect::<io::Result<_>>()?;
        if self.level == SandboxLevel::Full {
            let replaced = self.layout.replaced.iter().filter(|replaced| replaced.writable);
            all.extend(replaced.map(|replaced| rule(&replaced.at)).collect::<io::Result<Vec<_>>>()?);
            let caches = self.layout.caches.iter().map(|cache| &cache.at);
            let bound = self.layout.bound.iter().map(|(at, _)| at).filter(|at| at.is_dir());
            all.extend(caches.chain(bound).map(|at| rule(at)).collect::<io::Result<Vec<_>>>()?);
            all.push(PathRule { path: c"/dev".into(), folder: true, access: Access::Write });
        } else {
            all.push(rule(&self.scratch.at("shm"))?);
            all.extend(
                self.layout
                    .open_to_all(&self.masked())
                    .into_iter()
                    .map(|path| reading(&path))
                    .collect::<io::Result<Vec<_>>>()?,
            );
            all.extend(
                tables::DEVICES
                    .iter()
                    .map(|name| rule(&Path::new("/dev").join(name)))
                    .collect::<io::Result<Vec<_>>>()?,
            );
        }
        Ok(all)
    }

    /// What stands around the roots, in the order in which it is put there.
    fn surroundings(&self, used: &mut Vec<PathBuf>) -> io::Result<Vec<Graft>> {
        let layout = &self.layout;
        let mut grafts = Vec::new();
        for replaced in &layout.replaced {
            grafts.push(graft(&replaced.from, &replaced.at, !replaced.writable)?);
        }
        grafts.extend(self.devices(false)?);
        for path in &layout.visible {
            grafts.push(Graft { optional: true, ..graft(path, path, true)? });
        }
        for (at, from) in &layout.bound {
            grafts.push(Graft { optional: true, ..graft(from, at, false)? });
        }
        let number = self.count.fetch_add(1, Ordering::Relaxed).to_string();
        for cache in &layout.caches {
            // The kernel takes no such folder twice.
            let work = cache.work.join(&number);
            std::fs::create_dir(&work)?;
            used.push(work.clone());
            let source = Source::Overlay { lower: text(&cache.at)?, upper: text(&cache.upper)?, work: text(&work)? };
            grafts.push(Graft { source, optional: true, ..graft(&cache.at, &cache.at, false)? });
        }
        Ok(grafts)
    }

    /// `/dev` of the box's own; `fixed` keeps the session's shared memory as it is.
    fn devices(&self, fixed: bool) -> io::Result<Vec<Graft>> {
        let mut grafts = vec![
            graft(&self.scratch.at("dev"), Path::new("/dev"), true)?,
            graft(&self.scratch.at("shm"), Path::new("/dev/shm"), fixed)?,
        ];
        for name in tables::DEVICES {
            let at = Path::new("/dev").join(name);
            grafts.push(Graft { source: Source::Device(text(&at)?), ..graft(&at, &at, false)? });
        }
        let terminals = graft(Path::new(""), Path::new("/dev/pts"), false)?;
        grafts.push(Graft { source: Source::Terminals, optional: true, ..terminals });
        Ok(grafts)
    }

    /// What is hidden from a command, and what it may not change.
    fn covers(&self, behind: bool, since: &[PathBuf]) -> Covers {
        let layout = &self.layout;
        let ruled = self.options.fixed.as_ref().map(|fixed| (fixed.0)()).unwrap_or_default();
        // What has come while others run is moved when they end, and would take what fixes it away.
        let mut fixed: Vec<PathBuf> = protect::existing(&layout.roots).filter(|path| !since.contains(path)).collect();
        if behind {
            // Whole folders: a file in one can be replaced by others, and what fixes it goes with it.
            let gits: Vec<PathBuf> =
                layout.roots.iter().map(|root| root.join(".git")).filter(|git| is_folder(git)).collect();
            fixed.retain(|path| !gits.iter().any(|git| path.starts_with(git)));
            fixed.splice(0..0, gits);
        }
        fixed.extend(layout.fixed.iter().filter(|path| path.exists() && !layout.is_hidden(path)).cloned());
        fixed.extend(ruled.into_iter().take(MOST_FIXED));
        let (above, hidden) = self.closed();
        Covers { above, hidden, fixed }
    }

    fn walls(&self, used: &mut Vec<PathBuf>, hung: &mut Hung, bounds: &Bounds, covers: &Covers) -> io::Result<Walls> {
        let layout = &self.layout;
        let mut grafts = self.surroundings(used)?;
        let mut anchors: Vec<(&Path, usize)> = Vec::new();
        let Covers { above, hidden, fixed } = covers;
        self.close_off(&mut grafts, hung, above, &anchors)?;
        for root in &layout.roots {
            let placed = anchored(graft(root, root, false)?, root, &anchors)?;
            anchors.push((root, grafts.len()));
            grafts.push(placed);
            let git = root.join(".git");
            if is_folder(&git) {
                // As a mount of its own it can be neither renamed nor removed, and its hooks and settings with it.
                grafts.push(anchored(graft(&git, &git, false)?, &git, &anchors)?);
            }
        }
        let pinned: Vec<PathBuf> = fixed.iter().chain(hidden).cloned().collect();
        for path in ways(&pinned, &layout.roots) {
            grafts.push(anchored(graft(&path, &path, false)?, &path, &anchors)?);
        }
        for path in fixed {
            grafts.push(anchored(graft(path, path, true)?, path, &anchors)?);
        }
        self.close_off(&mut grafts, hung, hidden, &anchors)?;
        self.walled(grafts, bounds)
    }

    /// What is closed to the command that is about to start, beside what always is.
    fn masked(&self) -> Vec<PathBuf> {
        self.options.masked.as_ref().map(|masked| (masked.0)()).unwrap_or_default()
    }

    /// What is closed to commands and would be seen otherwise: first that in which a root lies, such as a clone of ours in
    /// our own folder, which has to be closed before the root stands in it; then the rest.
    fn closed(&self) -> (Vec<PathBuf>, Vec<PathBuf>) {
        let mut all: Vec<PathBuf> = self.layout.closed.iter().cloned().chain(self.masked()).collect();
        all.sort();
        all.dedup();
        let mut closed: Vec<PathBuf> = Vec::new();
        for path in all {
            // What lies in a closed folder is closed with it, but for what a root there opens again.
            if !closed.iter().any(|outer| path.starts_with(outer) && !self.layout.opens_between(outer, &path)) {
                closed.push(path);
            }
        }
        closed.retain(|path| path.exists() && !self.layout.is_hidden(path));
        closed.into_iter().partition(|path| self.layout.roots_within(path).next().is_some())
    }

    /// Puts nothing where something is closed to commands.
    fn close_off(
        &self,
        grafts: &mut Vec<Graft>,
        hung: &mut Hung,
        closed: &[PathBuf],
        anchors: &[(&Path, usize)],
    ) -> io::Result<()> {
        let unseen = |path: &Path| self.scratch.at(if path.is_dir() { "empty" } else { "blank" });
        for path in closed {
            let shown: Vec<_> = self.layout.shown.iter().filter(|shown| shown.starts_with(path)).collect();
            let seen: Vec<_> = shown.iter().copied().chain(self.layout.roots_within(path)).collect();
            let instead = match seen.is_empty() {
                true => self.curtains.hang(path, hung).unwrap_or_else(|| unseen(path)),
                false => self.around_shown(path, &seen)?,
            };
            grafts.push(anchored(graft(&instead, path, true)?, path, anchors)?);
            for shown in shown {
                grafts.push(Graft { optional: true, ..anchored(graft(shown, shown, true)?, shown, anchors)? });
            }
        }
        Ok(())
    }

    /// A folder for the place of one that is closed, with nothing in it but the ways to what is seen of it.
    fn around_shown(&self, closed: &Path, shown: &[&PathBuf]) -> io::Result<PathBuf> {
        let number = self.layout.closed.iter().position(|path| path == closed).unwrap_or_default();
        let folder = self.scratch.at(&format!("around/{number}"));
        for path in shown {
            std::fs::create_dir_all(folder.join(path.strip_prefix(closed).unwrap_or(Path::new(""))))?;
        }
        Ok(folder)
    }

    fn walled(&self, grafts: Vec<Graft>, bounds: &Bounds) -> io::Result<Walls> {
        let commons = self.commons.as_ref().ok_or_else(|| io::Error::other("the session has no namespaces"))?;
        let most_processes =
            (bounds.processes > 0).then(|| CString::new(bounds.processes.max(LEAST_PROCESSES).to_string()));
        let pages = (bounds.memory > 0).then(|| CString::new((bounds.memory / PAGE).max(1).to_string()));
        Ok(Walls {
            user: commons.user(),
            net: commons.net(),
            grafts,
            most_processes: most_processes.transpose()?,
            most_shared: pages.transpose()?,
        })
    }
}

fn is_folder(path: &Path) -> bool {
    path.symlink_metadata().is_ok_and(|meta| meta.is_dir())
}

/// The folders on the way from the roots to these places, outer ones first. As mounts of their own they can be neither
/// renamed nor removed, and what is fixed cannot be gone around by another folder of the same name.
fn ways(fixed: &[PathBuf], roots: &[PathBuf]) -> Vec<PathBuf> {
    let root_of = |path: &Path| roots.iter().rfind(|root| path.starts_with(root));
    let mut all: Vec<PathBuf> = Vec::new();
    for path in fixed {
        let Some(root) = root_of(path) else { continue };
        // A place that is a root itself has no way: what lies above it is nobody's to bring into the box.
        let between = path.ancestors().skip(1).take_while(|folder| *folder != root && folder.starts_with(root));
        // The repository's own folder is such a mount already.
        all.extend(between.filter(|folder| !folder.ends_with(".git")).map(Path::to_owned));
    }
    all.sort();
    all.dedup();
    all.sort_by_key(|path| path.components().count());
    all
}

/// Why the way into the box ended at a stage.
fn told(stage: &str, errno: i32) -> String {
    // The system's own words for these two mislead.
    match errno {
        libc::ENOSPC => format!("{stage}: user.max_user_namespaces allows no more"),
        libc::EPERM => format!("{stage}: the system or the container forbids it"),
        _ => format!("{stage}: {}", io::Error::from_raw_os_error(errno)),
    }
}

fn graft(from: &Path, to: &Path, read_only: bool) -> io::Result<Graft> {
    let source = Source::Path(text(from)?);
    Ok(Graft { source, to: text(to)?, read_only, anchor: None, optional: false, fd: AtomicI32::new(-1) })
}

/// The same graft, looked for in the innermost root it belongs to.
fn anchored(graft: Graft, path: &Path, anchors: &[(&Path, usize)]) -> io::Result<Graft> {
    let inside = anchors.iter().rev().find_map(|(root, anchor)| Some((path.strip_prefix(root).ok()?, *anchor)));
    let Some((rest, anchor)) = inside else { return Ok(graft) };
    let to = if rest.as_os_str().is_empty() { CString::from(c".") } else { text(rest)? };
    Ok(Graft { anchor: Some(anchor), to, ..graft })
}

fn text(path: &Path) -> io::Result<CString> {
    Ok(CString::new(path.as_os_str().as_bytes())?)
}
