//! What stands where in the box: worked out from the user's machine once, before the first command.

use super::scratch::{Scratch, lock, remove_tree};
use super::tables::{
    CACHES, ECOSYSTEMS, EMPTIED, HOMES, KEPT, KEPT_FOR_NETWORK, MIXED, MOVED, SECRETS, STARTUP, SYSTEM_SECRETS,
    TEMPORARY, TOOLCHAINS,
};
use super::{BoxOptions, Caches};
use rustix::fs::Access as ReadAccess;
use std::ffi::OsStr;
use std::fs::{self, File};
use std::io::{self, Read};
use std::path::{Path, PathBuf};

/// Comes with the box's devices, and is its own.
const SHARED_MEMORY: &str = "/dev/shm";

/// What stands where, in the order in which it is put there.
#[derive(Debug)]
pub(super) struct Layout {
    /// Folders that are replaced, shallow ones first.
    pub(super) replaced: Vec<Replaced>,
    /// What of the replaced folders is still seen, read-only.
    pub(super) visible: Vec<PathBuf>,
    /// Caches behind an overlay.
    pub(super) caches: Vec<Cache>,
    /// Caches that are written where they are: a place and what stands there.
    pub(super) bound: Vec<(PathBuf, PathBuf)>,
    /// The lock on the project's caches.
    _lock: Option<File>,
    /// What may be written, shallow ones first.
    pub(super) roots: Vec<PathBuf>,
    /// What may be read where it is seen, and not written.
    pub(super) fixed: Vec<PathBuf>,
    /// What starts by itself and lies in a root, there or not.
    pub(super) startup: Vec<PathBuf>,
    /// What is closed wherever it is.
    pub(super) closed: Vec<PathBuf>,
    /// What is seen in spite of that.
    pub(super) shown: Vec<PathBuf>,
    /// What is mounted inside of the roots.
    mounted: Vec<PathBuf>,
    /// The user's home folders.
    homes: Vec<PathBuf>,
}

/// A folder of the machine and what stands there instead.
#[derive(Debug)]
pub(super) struct Replaced {
    pub(super) at: PathBuf,
    pub(super) from: PathBuf,
    pub(super) writable: bool,
}

/// A cache and where its changes go.
#[derive(Debug)]
pub(super) struct Cache {
    pub(super) at: PathBuf,
    pub(super) upper: PathBuf,
    /// Where each command has a folder for the kernel to work in.
    pub(super) work: PathBuf,
}

/// Where a path really leads; none where there is nothing. Most of what the tables name is not there, and one look says so,
/// where following each of its parts takes five.
fn real(path: &Path) -> Option<PathBuf> {
    path.exists().then(|| path.canonicalize().ok()).flatten()
}

impl Layout {
    pub(super) fn new(options: &BoxOptions, scratch: &Scratch) -> io::Result<Self> {
        let mut roots: Vec<_> = options.writable.iter().filter_map(|path| path.canonicalize().ok()).collect();
        roots.sort_by_key(|path| path.components().count());
        roots.dedup();
        let homes = homes(options);
        let mut layout = Self {
            replaced: replaced(&homes, &roots, scratch)?,
            visible: vec![],
            caches: vec![],
            bound: vec![],
            _lock: None,
            mounted: mounted_below(&roots),
            homes: homes.clone(),
            roots,
            fixed: vec![],
            startup: vec![],
            closed: vec![],
            shown: options.shown.iter().filter_map(|path| real(path)).filter(|path| path.is_dir()).collect(),
        };
        let in_homes = |names: &'static [&str]| homes.iter().flat_map(|home| names.iter().map(|name| home.join(name)));
        let with_keys = in_homes(MIXED).filter(|path| holds_a_key(path));
        let system = SYSTEM_SECRETS
            .iter()
            .map(PathBuf::from)
            .filter(|path| rustix::fs::access(path, ReadAccess::READ_OK).is_ok());
        let closed = options.closed.iter().cloned().chain(in_homes(SECRETS)).chain(with_keys).chain(system);
        layout.closed = closed.filter_map(|path| real(&path)).collect();
        layout.fixed = in_homes(STARTUP).filter_map(|path| real(&path)).collect();
        let within = |path: &PathBuf| layout.roots.iter().any(|root| path.starts_with(root));
        layout.startup = in_homes(STARTUP).chain(in_homes(SECRETS)).filter(within).collect();
        layout.open_toolchains(&homes, options);
        layout.open_caches(&homes, options, scratch)?;
        let kept = KEPT.iter().chain(KEPT_FOR_NETWORK.iter().filter(|_| options.network)).map(PathBuf::from);
        layout.visible.extend(kept.filter(|path| path.exists()));
        let hidden: Vec<PathBuf> = layout.shown.iter().filter(|path| layout.is_hidden(path)).cloned().collect();
        layout.visible.extend(hidden);
        layout.prepare_places(scratch)?;
        Ok(layout)
    }

    fn open_toolchains(&mut self, homes: &[PathBuf], options: &BoxOptions) {
        let known = homes.iter().flat_map(|home| TOOLCHAINS.iter().map(|name| home.join(name)));
        let moved = MOVED.iter().filter_map(|(variable, name)| {
            let folder = PathBuf::from(options.variable(variable)?);
            Some(TOOLCHAINS.iter().filter_map(move |known| {
                let rest = Path::new(known).strip_prefix(name).ok()?;
                Some(if rest.as_os_str().is_empty() { folder.clone() } else { folder.join(rest) })
            }))
        });
        let path = options.variable("PATH").map(std::env::split_paths).into_iter().flatten();
        let opened = options.opened.iter().filter_map(|path| real(path));
        let all: Vec<_> = known.chain(moved.flatten()).chain(path).chain(opened).collect();
        for path in all {
            let is_home = homes.iter().any(|home| home.starts_with(&path));
            if path.is_absolute() && path.exists() && self.is_hidden(&path) && !is_home {
                self.visible.push(path);
            }
        }
    }

    fn open_caches(&mut self, homes: &[PathBuf], options: &BoxOptions, scratch: &Scratch) -> io::Result<()> {
        let known = homes.iter().flat_map(|home| CACHES.iter().map(|name| home.join(name)));
        let moved = MOVED.iter().filter_map(|(variable, name)| {
            let folder = PathBuf::from(options.variable(variable)?);
            Some(CACHES.iter().filter_map(move |known| Some(folder.join(Path::new(known).strip_prefix(name).ok()?))))
        });
        let all: Vec<_> = known.chain(moved.flatten()).collect();
        let project = self.project_caches(options);
        for at in all {
            // The kernel splits its options at these.
            let plain = |path: &Path| path.to_str().is_some_and(|text| !text.contains([':', ',', '\\']));
            let open = self.roots.iter().any(|root| at.starts_with(root)) || !(self.is_hidden(&at) || at.is_dir());
            let known =
                self.caches.iter().any(|cache| cache.at == at) || self.bound.iter().any(|(bound, _)| *bound == at);
            if !plain(&at) || !at.is_absolute() || open || known {
                continue;
            }
            let kept = project.as_ref().filter(|folder| plain(folder)).map(|folder| folder.join(slug(&at)));
            let there = at.is_dir();
            if !there {
                // Nothing to put an overlay on; what the project's builds will write is kept all the same.
                if let Some(kept) = kept.filter(|_| self.is_wanted(&at)) {
                    let upper = kept.join("upper");
                    fs::create_dir_all(&upper)?;
                    self.bound.push((at, upper));
                }
                continue;
            }
            if options.caches == Caches::Shared {
                self.bound.push((at.clone(), at));
                continue;
            }
            let kept = kept.unwrap_or_else(|| scratch.at(&format!("cache/{}", self.caches.len())));
            let (upper, work) = (kept.join("upper"), kept.join("work"));
            // What a killed session left.
            remove_tree(&work);
            fs::create_dir_all(&upper)?;
            fs::create_dir_all(&work)?;
            self.caches.push(Cache { at, upper, work });
        }
        Ok(())
    }

    /// The folder of the project's caches, locked. One session has it at a time; another keeps its changes to itself.
    fn project_caches(&mut self, options: &BoxOptions) -> Option<PathBuf> {
        let Caches::Project(folder) = &options.caches else { return None };
        fs::create_dir_all(folder).ok()?;
        let folder = folder.canonicalize().ok()?;
        self._lock = Some(lock(&folder)?);
        Some(folder)
    }

    /// Whether builds of the workspace use this cache.
    fn is_wanted(&self, cache: &Path) -> bool {
        let marked =
            |markers: &[&str]| self.roots.iter().any(|root| markers.iter().any(|name| root.join(name).exists()));
        ECOSYSTEMS.iter().any(|(markers, caches)| caches.iter().any(|name| cache.ends_with(name)) && marked(markers))
    }

    /// Whether a place of the machine cannot be seen in the box: it lies in a replaced folder, and nothing brought
    /// it back.
    pub(super) fn is_hidden(&self, path: &Path) -> bool {
        let within = |place: &PathBuf| path.starts_with(place);
        let covered = path.starts_with(SHARED_MEMORY) || self.replaced.iter().any(|place| path.starts_with(&place.at));
        covered
            && !self.visible.iter().any(within)
            && !self.caches.iter().any(|cache| path.starts_with(&cache.at))
            && !self.bound.iter().any(|(at, _)| path.starts_with(at))
            && !self.roots.iter().any(within)
    }

    /// The roots that lie in a folder and are not that folder.
    pub(super) fn roots_within(&self, folder: &Path) -> impl Iterator<Item = &PathBuf> {
        self.roots.iter().filter(move |root| *root != folder && root.starts_with(folder))
    }

    /// Whether a root that lies in a folder opens a place there again.
    pub(super) fn opens_between(&self, outer: &Path, inner: &Path) -> bool {
        self.roots_within(outer).any(|root| inner.starts_with(root))
    }

    /// What may be read where nothing can be hidden: the machine without homes and what is closed, and what is opened of
    /// them. Inside of a root everything may; elsewhere nothing of what is `masked`.
    pub(super) fn open_to_all(&self, masked: &[PathBuf]) -> Vec<PathBuf> {
        let shut: Vec<PathBuf> = HOMES
            .iter()
            .map(PathBuf::from)
            .chain(self.homes.iter().cloned())
            .chain(self.closed.iter().chain(masked).cloned())
            .collect();
        let mut open = Vec::new();
        around(Path::new("/"), &shut, &mut open, 0);
        open.extend(self.open_toolchains_and_caches(masked));
        open
    }

    /// Toolchains, caches and what else is opened of the homes, without what is closed in them.
    pub(super) fn open_toolchains_and_caches(&self, masked: &[PathBuf]) -> Vec<PathBuf> {
        let caches = self.caches.iter().map(|cache| &cache.at).chain(self.bound.iter().map(|(at, _)| at));
        let open = self.visible.iter().chain(caches).flat_map(|path| self.open_within(path, masked));
        open.chain(self.shown.iter().cloned()).collect()
    }

    /// A place without what is closed or masked in it.
    pub(super) fn open_within(&self, place: &Path, masked: &[PathBuf]) -> Vec<PathBuf> {
        let shut: Vec<PathBuf> = self.closed.iter().chain(masked).cloned().collect();
        let mut open = Vec::new();
        around(place, &shut, &mut open, 0);
        open
    }

    /// Whether a layer can be put in front of a root: the kernel splits its options at some characters, and does not see
    /// through to what is mounted below.
    pub(super) fn is_layerable(&self, root: &Path) -> bool {
        let plain = root.to_str().is_some_and(|text| !text.contains([':', ',', '\\']));
        plain && !self.mounted.iter().any(|at| at != root && at.starts_with(root))
    }

    /// Makes what others are mounted on, where that lies in a replaced folder.
    fn prepare_places(&self, scratch: &Scratch) -> io::Result<()> {
        // The box's own shared memory is such a folder too, though it comes with the devices.
        let shared = Replaced { at: PathBuf::from(SHARED_MEMORY), from: scratch.at("shm"), writable: true };
        let replaced = self.replaced.iter().map(|replaced| &replaced.at);
        let caches = self.caches.iter().map(|cache| &cache.at).chain(self.bound.iter().map(|(at, _)| at));
        for path in replaced.chain(&self.visible).chain(caches).chain(&self.roots) {
            let mut around = std::iter::once(&shared).chain(&self.replaced);
            let around = around.rfind(|replaced| *path != replaced.at && path.starts_with(&replaced.at));
            let Some((around, rest)) = around.and_then(|around| Some((around, path.strip_prefix(&around.at).ok()?)))
            else {
                continue;
            };
            let place = around.from.join(rest);
            let kept = self.bound.iter().any(|(at, _)| at == path);
            if path.is_dir() || kept {
                fs::create_dir_all(&place)?;
            } else {
                place.parent().map_or(Ok(()), fs::create_dir_all)?;
                fs::File::create(&place)?;
            }
        }
        Ok(())
    }
}

/// The most that is read of a file of settings.
const LARGEST_SETTINGS: u64 = 256 * 1024;

/// Whether settings have a key in them: a value by a name that speaks of one, or a password in an address.
fn holds_a_key(path: &Path) -> bool {
    let mut text = String::new();
    // A pipe would be waited for.
    let file = path.metadata().is_ok_and(|meta| meta.is_file()).then(|| File::open(path).ok()).flatten();
    let Some(file) = file else { return false };
    // What cannot be read through is taken to have one.
    if file.take(LARGEST_SETTINGS + 1).read_to_string(&mut text).is_err() || text.len() as u64 > LARGEST_SETTINGS {
        return true;
    }
    text.lines().map(str::trim).filter(|line| !line.starts_with(['#', ';'])).any(is_a_key)
}

fn is_a_key(line: &str) -> bool {
    const NAMES: &[&str] = &["token", "passw", "secret", "apikey", "api_key", "api-key", "_auth", "authorization"];
    let line = line.to_lowercase();
    let named = |name: &str| {
        let rest = line.find(name).and_then(|at| line.get(at + name.len()..)).unwrap_or_default();
        let value = rest.find(['=', ':', ' ', '>']).and_then(|at| rest.get(at + 1..)).unwrap_or_default();
        value.trim_matches([' ', '"', '\'', '=', ':', ',', '/', '>']).len() >= 6
    };
    let address = line.split("://").skip(1).any(|rest| {
        let user = rest.split(['/', ' ', '"']).next().and_then(|host| host.rsplit_once('@'));
        user.is_some_and(|(user, _)| user.contains(':') || user.len() >= 20)
    });
    address || NAMES.iter().any(|name| named(name))
}

/// The folders and files of a place without those that are shut.
fn around(place: &Path, shut: &[PathBuf], open: &mut Vec<PathBuf>, deep: usize) {
    /// Nobody shuts anything deeper than this; what lies there is shut with its folder.
    const DEEPEST: usize = 12;
    if shut.iter().any(|shut| place.starts_with(shut)) || deep > DEEPEST {
        return;
    }
    if !shut.iter().any(|shut| shut.starts_with(place)) {
        return open.push(place.to_owned());
    }
    for entry in fs::read_dir(place).into_iter().flatten().flatten() {
        // What a link leads to is open where it lies, or shut.
        if !entry.file_type().is_ok_and(|kind| kind.is_symlink()) {
            around(&entry.path(), shut, open, deep + 1);
        }
    }
}

/// A path as it is: the kernel writes a few characters as numbers.
pub(super) fn unescaped(place: &str) -> String {
    let plain = place.replace("\\040", " ").replace("\\011", "\t").replace("\\012", "\n");
    plain.replace("\\134", "\\")
}

/// What is mounted in these folders.
fn mounted_below(roots: &[PathBuf]) -> Vec<PathBuf> {
    let mounts = fs::read_to_string("/proc/self/mountinfo").unwrap_or_default();
    let places = mounts.lines().filter_map(|line| line.split(' ').nth(4)).map(|place| PathBuf::from(unescaped(place)));
    places.filter(|place| roots.iter().any(|root| place.starts_with(root))).collect()
}

/// A name for a cache among the project's: it says where it stands.
fn slug(at: &Path) -> String {
    at.to_string_lossy().trim_start_matches('/').replace('/', "%")
}

/// The folders that are replaced, each with a folder of the session's own.
fn replaced(homes: &[PathBuf], roots: &[PathBuf], scratch: &Scratch) -> io::Result<Vec<Replaced>> {
    let fixed = |list: &'static [&str]| list.iter().map(PathBuf::from);
    let real = |path: &PathBuf| path.canonicalize().is_ok_and(|real| real == *path) && path.is_dir();
    let mut all: Vec<Replaced> = Vec::new();
    let wanted = fixed(TEMPORARY).map(|at| (at, 0o1777)).chain(homes.iter().cloned().map(|at| (at, 0o700)));
    for (number, (at, mode)) in wanted.chain(fixed(EMPTIED).map(|at| (at, 0o555))).enumerate() {
        let covered = roots.iter().any(|root| at.starts_with(root)) || all.iter().any(|known| known.at == at);
        if real(&at) && !covered {
            let writable = mode != 0o555;
            let from = scratch.folder(&format!("place/{number}"), if writable { mode } else { 0o755 })?;
            all.push(Replaced { at, from, writable });
        }
    }
    all.sort_by_key(|replaced| replaced.at.components().count());
    Ok(all)
}

/// Where in the user's homes something lies that programs run or believe when they start.
pub(crate) fn started() -> Vec<PathBuf> {
    let homes = homes_of(std::env::home_dir());
    homes.iter().flat_map(|home| STARTUP.iter().map(|name| home.join(name))).collect()
}

/// The user's home folders: the one the environment names, and the one the system knows.
fn homes(options: &BoxOptions) -> Vec<PathBuf> {
    homes_of(options.variable("HOME").map(PathBuf::from))
}

fn homes_of(named: Option<PathBuf>) -> Vec<PathBuf> {
    let uid = rustix::process::getuid().as_raw().to_string();
    let users = fs::read_to_string("/etc/passwd").unwrap_or_default();
    let known = users.lines().find_map(|line| {
        let mut fields = line.split(':');
        (fields.nth(2)? == uid).then(|| fields.nth(2).map(PathBuf::from))?
    });
    let mut homes: Vec<_> = named.into_iter().chain(known).filter_map(|path| path.canonicalize().ok()).collect();
    homes.retain(|home| home.is_absolute() && home.components().count() > 1);
    homes.dedup();
    homes
}

impl BoxOptions {
    fn variable(&self, name: &str) -> Option<&OsStr> {
        self.environment.vars().find(|(known, _)| *known == name).map(|(_, value)| value)
    }
}

#[cfg(test)]
mod tests {
    use super::{is_a_key, unescaped};

    #[test]
    fn places_of_mounts_are_read_as_they_are() {
        assert_eq!(unescaped("/my\\040work/a\\134b\\011c"), "/my work/a\\b\tc");
    }

    #[test]
    fn keys_in_settings_are_told_from_settings() {
        for line in [
            "token = \"abcdef0123\"",
            "nexusPassword=hunter22",
            "url = https://me:s3cret@example.com/",
            "[url \"https://ghp_0123456789abcdefghij@example.com/\"]",
            "extraheader = Authorization: Basic QWxhZGRpbjpvcGVu",
            "//registry.example.com/:_authToken=0123456789",
            "<add key=\"ClearTextPassword\" value=\"hunter22\" />",
            "password: hunter22",
        ] {
            assert!(is_a_key(&line.to_lowercase()), "{line}");
        }
        for line in [
            "name = Somebody",
            "helper = store",
            "registry = \"sparse+https://index.example.com/\"",
            "[credential]",
            "token =",
            "url = git@example.com:me/x.git",
            "org.gradle.jvmargs=-Xmx2g",
        ] {
            assert!(!is_a_key(line), "{line}");
        }
    }
}
