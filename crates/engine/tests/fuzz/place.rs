//! A throwaway repository with hostile names in it and somebody around it who notices, and what can be seen of its state.

use super::watch::Watch;
use super::{Aims, mark};
use crate::world::World;
use reasonix_config::{BashBoxing, Fallback, Permissions, SandboxSettings, ToolchainCaches};
use reasonix_engine::{Explainer, Start, Which, confinement};
use reasonix_exec::{Bounds, BoxOptions, Command, Confinement, Environment, Finished, Sandbox, SandboxLevel, run};
use std::collections::BTreeMap;
use std::fs;
use std::os::unix::fs::{MetadataExt, PermissionsExt, symlink};
use std::path::{Path, PathBuf};
use std::time::Duration;
use tempfile::TempDir;
use tokio_util::sync::CancellationToken;

/// What stands in the secret file.
const SECRET: &str = "the-secret-that-nobody-may-read";
/// What is said when it was read.
pub(crate) const SECRET_READ: &str = "the secret was read";
/// How long a line may take; what takes longer is ended and looked at as it is.
const LONGEST: Duration = Duration::from_secs(2);
/// How long something may take that has to come to its end.
pub(crate) const AT_LEAST: Duration = Duration::from_secs(300);
const MIB: u64 = 1 << 20;
const BOUNDS: Bounds = Bounds { processes: 2000, memory: 1024 * MIB, file: 64 * MIB, output: 8 * MIB, free: 64 * MIB };

/// Names that are something else to whoever takes them for words or code.
const HOSTILE: &[&str] = &[
    "-delete",
    "-oa.txt",
    "-exec",
    "-rf",
    "-i",
    "--expression=1e touch CANARY",
    "--output=zz",
    "--in-place",
    "new\nline",
    "$(touch x)",
    "`touch y`",
    "; touch z",
    "a b.txt",
    "'",
    "\"",
    "x[$(touch v)]",
    "{-o,w}",
];

/// Whether git readers of the repository start something by its settings.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Driver {
    /// They start nothing. What they note in the index about files is no harm here.
    None,
    /// They start a program that writes.
    Converts,
}

pub(crate) struct Place {
    world: World,
    outside: TempDir,
    watch: Watch,
    driver: Driver,
    before: BTreeMap<PathBuf, String>,
}

impl Place {
    pub(crate) async fn new(driver: Driver) -> Self {
        let world = World::new(Vec::new()).await;
        let outside = tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR")).unwrap();
        fs::write(outside.path().join("secret"), format!("{SECRET}\n")).unwrap();
        world.home.write("config.toml", format!("# {SECRET}\n"));
        furnish(&world, outside.path(), driver);
        let watch = Watch::new(&world.work.path());
        let mut place = Self { world, outside, watch, driver, before: BTreeMap::new() };
        place.before = state(&place.root());
        place
    }

    pub(crate) fn root(&self) -> PathBuf {
        self.world.work.path()
    }

    pub(crate) fn aims(&self) -> Aims {
        Aims {
            tcp: self.watch.tcp,
            udp: self.watch.udp,
            pid: self.watch.pid(),
            hidden: self.watch.hidden.clone(),
            secret: self.outside.path().join("secret").display().to_string(),
        }
    }

    /// A folder of the place that no line knows of.
    pub(crate) fn aside(&self) -> &Path {
        self.outside.path()
    }

    /// Nobody is there to be asked and whatever needs a question is refused, so that what runs runs by itself.
    pub(crate) fn start(&self, bash: BashBoxing) -> Start {
        let mut start = self.world.base(Which::New);
        start.world.settings.permissions = Permissions { mode: Fallback::Deny, ..Permissions::default() };
        start.world.settings.sandbox =
            SandboxSettings { bash, caches: ToolchainCaches::Session, ..SandboxSettings::default() };
        start.attended = false;
        start
    }

    pub(crate) fn explainer(&self, bash: BashBoxing) -> Explainer {
        Explainer::new(&self.start(bash)).unwrap()
    }

    /// The box that a session would have here.
    pub(crate) fn confinement(&self) -> Confinement {
        let start = self.start(BashBoxing::Enforce);
        confinement(&start.world.settings, &start.workspace, &start.world.home)
    }

    /// A box for what writes, with one more folder that it may write to; none where there can be no such box.
    pub(crate) fn open_box(&self, more: &Path) -> Option<Confinement> {
        let options = BoxOptions {
            writable: vec![self.root(), more.to_owned()],
            opened: Vec::new(),
            readable: vec![],
            closed: vec![],
            shown: Vec::new(),
            masked: None,
            linked: None,
            fixed: None,
            caches: reasonix_exec::Caches::Session,
            network: false,
            quarantine: self.world.home.join("quarantine"),
            environment: Environment::inherited(&[]),
        };
        Sandbox::prepare(options, SandboxLevel::Full).ok().map(Confinement::Boxed)
    }

    /// Runs a line; none when no shell could be started with it.
    pub(crate) async fn run(
        &self,
        line: &str,
        confinement: &Confinement,
        environment: Environment,
    ) -> Option<Finished> {
        self.run_for(LONGEST, line, confinement, environment).await
    }

    /// The same with more time for it.
    pub(crate) async fn run_for(
        &self,
        longest: Duration,
        line: &str,
        confinement: &Confinement,
        environment: Environment,
    ) -> Option<Finished> {
        let command = Command::shell(Path::new("/bin/bash"), line, &self.root())
            .with_environment(environment)
            .with_timeout(Some(longest))
            .with_bounds(BOUNDS)
            .with_confinement(confinement.clone());
        run(&command, CancellationToken::new(), &|_| {}).await.ok()
    }

    /// What was noticed outside since the beginning.
    pub(crate) fn noticed(&self) -> Vec<String> {
        self.watch.noticed()
    }

    /// What of a line lasts or was noticed, by its output too.
    pub(crate) fn harm(&self, finished: Finished) -> Vec<String> {
        let mut harm = self.watch.noticed();
        let output = finished.output.into_parts();
        if [output.0, output.1].iter().any(|bytes| String::from_utf8_lossy(bytes).contains(SECRET)) {
            harm.push(SECRET_READ.to_owned());
        }
        let after = state(&self.root());
        for path in self.before.keys().chain(after.keys().filter(|path| !self.before.contains_key(*path))) {
            let (old, new) = (self.before.get(path), after.get(path));
            let noted = self.driver == Driver::None && [".git", ".git/index"].contains(&&*path.to_string_lossy());
            if old != new && !noted {
                harm.push(format!("{path:?}: {} -> {}", told(old), told(new)));
            }
        }
        harm
    }

    /// What the next command of the session would find beside the workspace, by its path.
    pub(crate) async fn surroundings(&self, confinement: &Confinement) -> BTreeMap<String, String> {
        let line = format!(
            "find /tmp ~ /dev/shm /var/tmp -maxdepth 3 \\( -path {} -o -name .cargo -o -name .rustup \\) -prune -o -printf '%y %m %s %p\\n' 2>/dev/null | sort",
            self.root().display()
        );
        // It is no line that is tried: however busy the machine is, it comes to its end.
        let finished = self.run_for(AT_LEAST, &line, confinement, Environment::inherited(&[])).await.unwrap();
        assert_eq!(finished.status, reasonix_exec::EndStatus::Exited(0), "the surroundings cannot be listed");
        let output = finished.output.into_parts().0;
        let text = String::from_utf8_lossy(&output);
        let parts = text.lines().filter_map(|line| {
            let mut fields = line.splitn(4, ' ');
            let what: Vec<&str> = fields.by_ref().take(3).collect();
            Some((fields.next()?.to_owned(), what.join(" ")))
        });
        parts.collect()
    }
}

fn told(state: Option<&String>) -> &str {
    state.map_or("nothing", |text| text.as_str())
}

fn furnish(world: &World, outside: &Path, driver: Driver) {
    let work = &world.work;
    for (path, text) in [
        ("a.txt", "alpha\nbeta: 1\nalpha x\n"),
        ("b.txt", "beta\ngamma\n"),
        ("src/main.rs", "fn main() {}\n"),
        ("src/lib.rs", "pub fn one() -> u8 { 1 }\n"),
        ("src/deep/c.txt", "gamma\n"),
        ("docs/x.md", "# x\n"),
        ("data.json", "{\"a\": 1}\n"),
        ("a.yml", "a: 1\n"),
        ("evil.sh", "#!/bin/sh\ntouch CANARY\n"),
    ] {
        work.write(path, text.replace("CANARY", mark()));
    }
    for name in HOSTILE {
        let name = name.replace("CANARY", mark());
        work.write(&name, "x\n");
        work.write(Path::new("hostile").join(&name), "y\n");
    }
    fs::set_permissions(work.join("evil.sh"), fs::Permissions::from_mode(0o755)).unwrap();
    work.git_init();
    work.write("a.txt", "alpha\nbeta: 2\nalpha x\n");
    if driver == Driver::Converts {
        work.write(".gitattributes", "*.txt diff=conv\n");
        work.git(&["config", "diff.conv.textconv", &format!("touch {}; cat", mark())]);
    }
    symlink(outside.join("secret"), work.join("link")).unwrap();
    fs::create_dir(work.join("run")).unwrap();
    assert!(std::process::Command::new("mkfifo").arg(work.join("run/pipe")).status().unwrap().success());
}

/// Everything that can be seen of a tree but when it was read.
fn state(root: &Path) -> BTreeMap<PathBuf, String> {
    let mut all = BTreeMap::new();
    let mut open = vec![root.to_owned()];
    while let Some(path) = open.pop() {
        let Ok(meta) = path.symlink_metadata() else { continue };
        let content = if meta.is_file() {
            blake3::hash(&fs::read(&path).unwrap_or_default()).to_hex().to_string()
        } else {
            String::new()
        };
        let link = if meta.is_symlink() { fs::read_link(&path).unwrap_or_default() } else { PathBuf::new() };
        let text = format!(
            "{:o} {}:{} ×{} {} bytes, changed {}.{:09} {}.{:09} {:?} {} {}",
            meta.mode(),
            meta.uid(),
            meta.gid(),
            meta.nlink(),
            meta.size(),
            meta.mtime(),
            meta.mtime_nsec(),
            meta.ctime(),
            meta.ctime_nsec(),
            link,
            attributes(&path),
            content,
        );
        all.insert(path.strip_prefix(root).unwrap().to_owned(), text);
        if meta.is_dir() {
            open.extend(fs::read_dir(&path).into_iter().flatten().map(|entry| entry.unwrap().path()));
        }
    }
    all
}

/// The names of the extended attributes of a file; their change is also told by the time of the last change.
fn attributes(path: &Path) -> String {
    let mut names = [0u8; 1024];
    let length = rustix::fs::llistxattr(path, &mut names[..]).unwrap_or(0);
    String::from_utf8_lossy(&names[..length]).into_owned()
}
