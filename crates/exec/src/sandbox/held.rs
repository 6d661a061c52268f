//! The box for a command that only reads: it sees the workspace, the toolchains and the system, and nothing of what it
//! does lasts. Where overlays can be had its changes go to a layer that is thrown away, and what is in that layer says
//! for certain what it wanted to write; elsewhere it finds everything read-only.

use super::cover::Covers;
use super::curtain::Hung;
use super::filter::Whom;
use super::layout::Layout;
use super::locks::{Access, PathRule};
use super::tables::{SYSTEM, SYSTEM_FILES};
use super::walls::{Graft, Source};
use super::{Confined, Sandbox, anchored, filter, graft, text};
use crate::plan::Life;
use crate::{Bounds, Environment, SandboxLevel, WriteWish};
use std::ffi::CString;
use std::fs;
use std::io;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, AtomicU8, Ordering};
use std::sync::{Arc, OnceLock};

/// Where a reader's own folder for temporary files stands in the box.
pub(super) const SCRATCH: &str = "/dev/scratch";

/// From this version on Landlock knows how files are cut; before it, it does not hold a reader alone.
const HOLDING_ABI: i32 = 3;

/// More of what a command wanted to write is not listed, and more of its layer not looked at.
const MOST_LISTED: usize = 20;
const MOST_LOOKED_AT: usize = 2000;

/// Whether overlays on the roots can be had; nobody knows before the first reader has tried.
#[derive(Debug, Default)]
pub(super) struct Overlays(AtomicU8);

const UNTRIED: u8 = 0;
const THERE: u8 = 1;
const MISSING: u8 = 2;

/// One call of a reader: the folders that are its own, and what they tell at its end.
#[derive(Debug)]
pub(super) struct Held {
    /// The folder for everything of this call.
    pub(super) folder: PathBuf,
    life: Life,
    layers: Vec<Layer>,
    wish: Arc<OnceLock<WriteWish>>,
}

/// A root and the layer in front of it.
#[derive(Debug)]
struct Layer {
    root: PathBuf,
    upper: PathBuf,
    overlaid: Arc<AtomicBool>,
}

impl Sandbox {
    /// Whether a command can be held to reading here.
    pub fn holds_readers(&self) -> bool {
        self.level == SandboxLevel::Full || self.abi >= HOLDING_ABI
    }

    /// What a command needs to get in that is held to reading.
    pub(crate) fn hold(self: &Arc<Self>, bounds: &Bounds, life: Life) -> io::Result<Confined> {
        let walled = self.level == SandboxLevel::Full;
        let number = self.count.fetch_add(1, Ordering::Relaxed);
        let folder = self.scratch.folder(&format!("held/{number}"), 0o700)?;
        fs::create_dir(folder.join("tmp"))?;
        let mut held = Held { folder, life, layers: Vec::new(), wish: Arc::default() };
        let mut hung = Hung::default();
        let (above, hidden) = if walled { self.closed() } else { Default::default() };
        let walls = if walled {
            let grafts = self.reader_grafts(&mut held, &mut hung, (&above, &hidden))?;
            Some(self.walled(grafts, bounds)?)
        } else {
            None
        };
        let whom = if walled { Whom::Reader } else { Whom::LooseReader { signals: self.abi >= 6 } };
        let locks = super::Locks {
            abi: self.abi,
            rules: self.reader_rules(&held)?,
            reads: true,
            filter: filter::program(whom),
            knocking: Vec::new(),
            walled,
        };
        // What hides something in front of a layer stays: nobody else replaces what is under it.
        let layered = !held.layers.is_empty();
        let hidden = if layered { Vec::new() } else { hidden };
        let covers = Covers { above, hidden, fixed: Vec::new() };
        let confined =
            Confined { walls, locks, used: vec![], held: Some(held), hung, covers, sandbox: Arc::clone(self) };
        #[cfg(test)]
        let confined = self.weakened(confined);
        Ok(confined)
    }

    /// The environment as a reader needs it: a folder of its own for temporary files, no programs of the workspace by
    /// their name alone, and a git that starts nothing by itself.
    pub(crate) fn adapt_held(&self, environment: &Environment, confined: &Confined) -> Environment {
        let scratch = match (self.level, &confined.held) {
            (SandboxLevel::Partial, Some(held)) => held.folder.join("tmp"),
            _ => PathBuf::from(SCRATCH),
        };
        let path = environment.vars().find(|(name, _)| *name == "PATH").map(|(_, value)| value.to_owned());
        let path = path.map(|path| {
            let (known, without) = self.programs.get_or_init(|| (path.clone(), self.without_workspace(&path)));
            if *known == path { without.clone() } else { self.without_workspace(&path) }
        });
        let mut environment = self.adapt(environment).with("TMPDIR", scratch);
        if let Some(path) = path {
            environment = environment.with("PATH", path);
        }
        let settings = [("core.fsmonitor", "false"), ("core.hooksPath", "/dev/null"), ("maintenance.auto", "false")];
        environment = environment
            .with("GIT_CONFIG_COUNT", settings.len().to_string())
            .with("GIT_OPTIONAL_LOCKS", "0")
            .with("GIT_NO_LAZY_FETCH", "1");
        for (number, (key, value)) in settings.into_iter().enumerate() {
            environment = environment
                .with(format!("GIT_CONFIG_KEY_{number}"), key)
                .with(format!("GIT_CONFIG_VALUE_{number}"), value);
        }
        environment
    }

    /// The folders of `PATH` that lie in no root.
    fn without_workspace(&self, path: &std::ffi::OsStr) -> std::ffi::OsString {
        let outside = |folder: &PathBuf| {
            let real = folder.canonicalize().unwrap_or_else(|_| folder.clone());
            folder.is_absolute() && !self.layout.roots.iter().any(|root| real.starts_with(root))
        };
        std::env::join_paths(std::env::split_paths(path).filter(outside)).unwrap_or_default()
    }

    /// What stands where, the roots behind their layers.
    fn reader_grafts(
        &self,
        held: &mut Held,
        hung: &mut Hung,
        (above, hidden): (&[PathBuf], &[PathBuf]),
    ) -> io::Result<Vec<Graft>> {
        let mut grafts = self.surroundings_of_readers(held)?;
        let mut anchors: Vec<(&Path, usize)> = Vec::new();
        self.close_off(&mut grafts, hung, above, &anchors)?;
        for (number, root) in self.layout.roots.iter().enumerate() {
            let placed = match self.layer(held, number, root)? {
                Some(source) => Graft { source, ..graft(root, root, true)? },
                None => graft(root, root, true)?,
            };
            let placed = anchored(placed, root, &anchors)?;
            anchors.push((root, grafts.len()));
            grafts.push(placed);
        }
        self.close_off(&mut grafts, hung, hidden, &anchors)?;
        Ok(grafts)
    }

    /// The layer in front of a root; none where it is known that there can be none.
    fn layer(&self, held: &mut Held, number: usize, root: &Path) -> io::Result<Option<Source>> {
        // Below a layer files may not change: one that lives on would see what was replaced meanwhile.
        let lasting = held.life == Life::Lasting;
        if lasting || self.overlays.0.load(Ordering::Relaxed) == MISSING || !self.layout.is_layerable(root) {
            return Ok(None);
        }
        let (upper, work) = (held.folder.join(format!("upper{number}")), held.folder.join(format!("work{number}")));
        fs::create_dir(&upper)?;
        fs::create_dir(&work)?;
        // It is the root as the command sees it.
        let meta = root.metadata()?;
        fs::set_permissions(&upper, meta.permissions())?;
        let overlaid = Arc::new(AtomicBool::new(false));
        let source = Source::Throwaway {
            lower: text(root)?,
            upper: text(&upper)?,
            work: text(&work)?,
            overlaid: Arc::clone(&overlaid),
        };
        held.layers.push(Layer { root: root.to_owned(), upper, overlaid });
        Ok(Some(source))
    }

    /// What stands around the roots: what other commands of the session write is seen, and not written.
    fn surroundings_of_readers(&self, held: &Held) -> io::Result<Vec<Graft>> {
        let mut grafts = Vec::new();
        for replaced in &self.layout.replaced {
            grafts.push(graft(&replaced.from, &replaced.at, true)?);
        }
        grafts.extend(self.devices(true)?);
        grafts.push(graft(&held.folder.join("tmp"), Path::new(SCRATCH), false)?);
        for path in &self.layout.visible {
            grafts.push(Graft { optional: true, ..graft(path, path, true)? });
        }
        for (at, from) in &self.layout.bound {
            grafts.push(Graft { optional: true, ..graft(from, at, true)? });
        }
        for cache in &self.layout.caches {
            let folders = [cache.upper.as_os_str(), cache.at.as_os_str()].join(std::ffi::OsStr::new(":"));
            let source = Source::Merged(text(Path::new(&folders))?);
            grafts.push(Graft { source, optional: true, ..graft(&cache.at, &cache.at, true)? });
        }
        Ok(grafts)
    }

    /// What may be read, and the few places that may be written.
    fn reader_rules(&self, held: &Held) -> io::Result<Vec<PathRule>> {
        let layout = &self.layout;
        let mut rules = Vec::new();
        let rule = |path: &Path, access: Access| -> io::Result<PathRule> {
            Ok(PathRule { path: text(path)?, folder: path.is_dir(), access })
        };
        for root in &layout.roots {
            let layer = held.layers.iter().find(|layer| layer.root == *root);
            rules.push(rule(root, layer.map_or(Access::Read, |layer| Access::WriteIf(Arc::clone(&layer.overlaid))))?);
        }
        // What there is of the machine is looked up once a session.
        let readable = self.readable.get_or_init(|| {
            // Where there are mounts, they hide it.
            let masked = if self.level == SandboxLevel::Full { Vec::new() } else { self.masked() };
            let all = readable(layout, (&self.options.readable, &masked), &self.options.environment);
            all.into_iter().filter_map(|path| Some((text(&path).ok()?, path.is_dir()))).collect()
        });
        let readable = readable.iter().map(|(path, folder)| PathRule {
            path: path.clone(),
            folder: *folder,
            access: Access::Read,
        });
        rules.extend(readable);
        if self.level == SandboxLevel::Full {
            for path in layout.replaced.iter().map(|replaced| &replaced.at) {
                rules.push(rule(path, Access::Read)?);
            }
            rules.push(PathRule { path: CString::from(c"/dev"), folder: true, access: Access::Read });
            for path in [SCRATCH, "/dev/null", "/dev/zero", "/dev/full", "/dev/pts"] {
                // They stand in the box alone, so that nobody can ask here what they are.
                let folder = matches!(path, SCRATCH | "/dev/pts");
                rules.push(PathRule { path: CString::new(path)?, folder, access: Access::Write });
            }
        } else {
            rules.push(rule(&self.scratch.at("shm"), Access::Read)?);
            rules.push(rule(&held.folder.join("tmp"), Access::Write)?);
            for name in super::tables::DEVICES {
                rules.push(rule(&Path::new("/dev").join(name), Access::Write)?);
            }
            for name in ["fd", "tty", "pts"] {
                rules.push(rule(&Path::new("/dev").join(name), Access::Read)?);
            }
        }
        Ok(rules)
    }
}

/// What of the machine is read without a question: programs and what they need to run, toolchains, and what a rule of the
/// user's opened.
fn readable(layout: &Layout, (opened, masked): (&[PathBuf], &[PathBuf]), environment: &Environment) -> Vec<PathBuf> {
    let fixed = |list: &'static [&str]| list.iter().map(PathBuf::from);
    let path = environment.vars().find(|(name, _)| *name == "PATH").map(|(_, value)| value.to_owned());
    let programs = path.map(|path| std::env::split_paths(&path).collect::<Vec<_>>()).unwrap_or_default();
    let toolchains = layout.open_toolchains_and_caches(masked);
    let opened = opened.iter().flat_map(|place| layout.open_within(place, masked));
    let all =
        fixed(SYSTEM).chain(fixed(SYSTEM_FILES)).chain(programs.into_iter().filter(|folder| folder.is_absolute()));
    let all = all.chain(toolchains).chain(opened);
    let mut all: Vec<_> = all.filter(|path| path.components().count() > 1 && path.exists()).collect();
    all.sort();
    // A folder brings what lies in it.
    all.dedup_by(|inner, outer| inner.starts_with(&*outer));
    all
}

impl Held {
    pub(super) fn wish(&self) -> Arc<OnceLock<WriteWish>> {
        Arc::clone(&self.wish)
    }

    /// Looks at what the call left in its layers.
    pub(super) fn settle(&self, overlays: &Overlays) {
        let overlaid = |layer: &Layer| layer.overlaid.load(Ordering::Relaxed);
        if let Some(first) = self.layers.first() {
            let found = if overlaid(first) { THERE } else { MISSING };
            let _ = overlays.0.compare_exchange(UNTRIED, found, Ordering::Relaxed, Ordering::Relaxed);
        }
        let certain = !self.layers.is_empty() && self.layers.iter().all(overlaid);
        let mut look = Look { found: Vec::new(), left: MOST_LOOKED_AT };
        self.layers.iter().filter(|layer| overlaid(layer)).for_each(|layer| look.at(&layer.upper, &layer.root));
        let wish = match (look.found.is_empty(), certain) {
            (false, _) => WriteWish::Write(look.found),
            (true, true) => WriteWish::Nothing,
            (true, false) => WriteWish::Unknown,
        };
        let _ = self.wish.set(wish);
    }
}

/// A walk through a layer.
struct Look {
    found: Vec<PathBuf>,
    left: usize,
}

impl Look {
    /// Notes everything in a folder of the layer that is not what the root has there. What is too much to look at, or cannot
    /// be, counts as written: nobody who only reads leaves that behind.
    fn at(&mut self, upper: &Path, root: &Path) {
        let mut folders = vec![(upper.to_owned(), root.to_owned())];
        while let Some((upper, below)) = folders.pop() {
            if is_opaque(&upper) || !is_same_folder(&upper, &below) {
                self.note(&below, root);
                continue;
            }
            let Ok(entries) = fs::read_dir(&upper) else {
                self.note(&below, root);
                continue;
            };
            for entry in entries.flatten() {
                self.left = self.left.saturating_sub(1);
                if self.found.len() >= MOST_LISTED {
                    return;
                }
                let (upper, below) = (entry.path(), below.join(entry.file_name()));
                if self.left == 0 {
                    return self.note(&below, root);
                }
                if entry.file_type().is_ok_and(|kind| kind.is_dir()) {
                    folders.push((upper, below));
                } else if !is_refreshed_index(&below) {
                    self.note(&below, root);
                }
            }
        }
    }

    fn note(&mut self, path: &Path, root: &Path) {
        let shown = path.strip_prefix(root).ok().filter(|rest| !rest.as_os_str().is_empty());
        self.found.push(shown.unwrap_or(path).to_owned());
    }
}

/// Readers of git write down what they found out about files; nobody asked for it, and it is thrown away.
fn is_refreshed_index(path: &Path) -> bool {
    let git = path.parent().filter(|git| git.ends_with(".git") && git.join("HEAD").is_file());
    git.is_some() && (path.ends_with("index") || path.ends_with("index.lock"))
}

/// A folder that was removed and made anew.
fn is_opaque(upper: &Path) -> bool {
    rustix::fs::lgetxattr(upper, c"user.overlay.opaque", &mut [0u8; 1]).is_ok()
}

fn is_same_folder(upper: &Path, below: &Path) -> bool {
    let (Ok(new), Ok(old)) = (upper.symlink_metadata(), below.symlink_metadata()) else { return false };
    old.is_dir() && (new.mode(), new.uid(), new.gid()) == (old.mode(), old.uid(), old.gid())
}
