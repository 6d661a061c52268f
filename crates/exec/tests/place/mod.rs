//! A place for commands in a box: a workspace, a home, something outside.

#![allow(dead_code, unreachable_pub, reason = "each test takes what it needs")]

use reasonix_exec::{
    BoxOptions, Caches, Command, Confinement, EndStatus, Environment, Finished, Sandbox, SandboxLevel, run,
};
use std::fs;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;
use tempfile::TempDir;
use tokio_util::sync::CancellationToken;

/// A workspace, a home and a place outside, each in a temporary folder.
pub struct Place {
    pub work: TempDir,
    pub home: TempDir,
    pub outside: TempDir,
    pub state: TempDir,
}

impl Place {
    pub fn new() -> Self {
        // The workspace lies in a folder that the box replaces; the others do not.
        let new = || tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR")).unwrap();
        Self { work: tempfile::tempdir().unwrap(), home: new(), outside: new(), state: new() }
    }

    pub fn options(&self) -> BoxOptions {
        BoxOptions {
            writable: vec![self.work.path().to_owned()],
            opened: Vec::new(),
            readable: vec![],
            closed: vec![],
            shown: vec![],
            masked: None,
            linked: None,
            fixed: None,
            caches: Caches::Session,
            network: false,
            quarantine: self.state.path().join("quarantine"),
            environment: self.environment(),
        }
    }

    pub fn environment(&self) -> Environment {
        Environment::inherited(&[]).with("HOME", self.home.path())
    }

    pub fn boxed(&self, sandbox: &Arc<Sandbox>, line: &str) -> Command {
        Command::shell(Path::new("/bin/bash"), line, &self.work.path().canonicalize().unwrap())
            .with_environment(self.environment())
            .with_timeout(Some(Duration::from_secs(120)))
            .with_confinement(Confinement::Boxed(Arc::clone(sandbox)))
    }

    pub async fn finish(&self, sandbox: &Arc<Sandbox>, line: &str) -> Finished {
        run(&self.boxed(sandbox, line), CancellationToken::new(), &|_| {}).await.unwrap()
    }

    /// What a line writes, and its exit code.
    pub async fn says(&self, sandbox: &Arc<Sandbox>, line: &str) -> (String, EndStatus) {
        let finished = self.finish(sandbox, line).await;
        (String::from_utf8_lossy(&finished.output.into_parts().0).into_owned(), finished.status)
    }

    /// Asserts that a line succeeds and writes this.
    pub async fn good(&self, sandbox: &Arc<Sandbox>, line: &str, wanted: &str) {
        let (text, status) = self.says(sandbox, line).await;
        assert_eq!((text.trim(), status), (wanted, EndStatus::Exited(0)), "{line}");
    }

    /// Asserts that a line fails.
    pub async fn bad(&self, sandbox: &Arc<Sandbox>, line: &str) {
        let (text, status) = self.says(sandbox, line).await;
        assert!(matches!(status, EndStatus::Exited(1..)), "{line}\n{status:?} {text}");
    }
}

/// True for what lies in a folder of which each session has its own.
pub fn is_replaced(path: &Path) -> bool {
    ["/tmp", "/var/tmp", "/dev/shm"].iter().any(|place| path.starts_with(place))
}

/// A box of level `full`, or none where the kernel cannot have it and nobody insists.
pub fn full(options: BoxOptions) -> Option<Arc<Sandbox>> {
    match Sandbox::prepare(options, SandboxLevel::Full) {
        Ok(sandbox) => Some(sandbox),
        Err(error) if std::env::var_os("REASONIX_E2E").is_none() => {
            eprintln!("skipped: {error}");
            None
        }
        Err(error) => panic!("{error}"),
    }
}

/// A box of level `full`; the test ends where there is none.
#[macro_export]
macro_rules! full_or_skip {
    ($options:expr) => {
        match $crate::place::full($options) {
            Some(sandbox) => sandbox,
            None => return,
        }
    };
}

pub fn python(code: &str) -> String {
    format!("python3 - <<'END'\n{code}\nEND")
}

/// Our own number as a user.
pub fn uid() -> String {
    let text = fs::read_to_string("/proc/self/status").unwrap();
    let line = text.lines().find_map(|line| line.strip_prefix("Uid:")).unwrap();
    line.split_whitespace().next().unwrap().to_owned()
}

/// Runs one ignored test of this binary after a line of shell in a user namespace of its own, and says whether it passed;
/// none where such a namespace cannot be had and nobody insists.
pub fn inside(namespaces: &str, before: &str, test: &str) -> Option<bool> {
    let me = std::env::current_exe().unwrap();
    let line = format!("{before} && exec \"$0\" --ignored --exact {test}");
    let out = std::process::Command::new("unshare").args([namespaces, "sh", "-c", &line]).arg(me).output().unwrap();
    let text = String::from_utf8_lossy(&out.stdout);
    if !out.status.success() && text.is_empty() && std::env::var_os("REASONIX_E2E").is_none() {
        eprintln!("skipped: {}", String::from_utf8_lossy(&out.stderr));
        return None;
    }
    assert!(out.status.success() && text.contains("1 passed"), "{text}{}", String::from_utf8_lossy(&out.stderr));
    Some(true)
}
