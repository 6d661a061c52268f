//! What is to be run, and under which limits.

use crate::{Bounds, Environment, Ports, Sandbox, SandboxLevel};
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

/// A command that has not been started.
#[derive(Debug, Clone)]
pub struct Command {
    /// The program, as a path or a name to be found in `PATH`.
    pub program: OsString,
    /// Its arguments.
    pub args: Vec<OsString>,
    /// The folder it starts in.
    pub cwd: PathBuf,
    /// Its whole environment.
    pub environment: Environment,
    /// When it is ended if it has not ended by itself; none for never.
    pub timeout: Option<Duration>,
    /// How much of its output is kept.
    pub keep: Keep,
    /// How much of the machine it may take.
    pub bounds: Bounds,
    /// What it reads; none for nothing.
    pub stdin: Option<Vec<u8>>,
    /// What the kernel holds it to.
    pub confinement: Confinement,
    /// Who decides about ports of the machine that it wants to reach; none for nobody.
    pub ports: Option<Arc<dyn Ports>>,
    /// True once it goes on behind its call.
    pub behind: Arc<AtomicBool>,
}

/// The longest line that is handed over as an argument; the kernel takes no longer ones than 128 KiB.
const LONGEST_ARGUMENT: usize = 96 * 1024;
/// Has a shell run what it reads, without leaving it there to be read: words are expanded before redirections are made.
const RUN_WHAT_IS_READ: &str = "eval \"$(cat)\" </dev/null";

impl Command {
    /// A program with arguments.
    pub fn program(
        program: impl Into<OsString>,
        args: impl IntoIterator<Item = impl Into<OsString>>,
        cwd: &Path,
    ) -> Self {
        Self {
            program: program.into(),
            args: args.into_iter().map(Into::into).collect(),
            cwd: cwd.to_owned(),
            environment: Environment::empty(),
            timeout: None,
            keep: Keep::default(),
            bounds: Bounds::default(),
            stdin: None,
            confinement: Confinement::None,
            ports: None,
            behind: Arc::default(),
        }
    }

    /// A line for a shell that reads no profile and is not interactive.
    pub fn shell(shell: &Path, line: &str, cwd: &Path) -> Self {
        let long = line.len() > LONGEST_ARGUMENT;
        let text = if long { RUN_WHAT_IS_READ } else { line };
        let command = Self::program(shell, [OsString::from("-c"), OsString::from(text)], cwd);
        Self { stdin: long.then(|| line.as_bytes().to_owned()), ..command }
    }

    /// Holds it to these limits.
    #[must_use]
    pub fn with_bounds(mut self, bounds: Bounds) -> Self {
        self.bounds = bounds;
        self
    }

    /// The disks it can fill, by a place on each.
    pub(crate) fn places(&self) -> Vec<PathBuf> {
        match &self.confinement {
            Confinement::Boxed(sandbox) | Confinement::Held(sandbox) => sandbox.places(),
            Confinement::None | Confinement::Refused { .. } => vec![self.cwd.clone()],
        }
    }

    /// Gives it an environment.
    #[must_use]
    pub fn with_environment(mut self, environment: Environment) -> Self {
        self.environment = environment;
        self
    }

    /// Holds it to something.
    #[must_use]
    pub fn with_confinement(mut self, confinement: Confinement) -> Self {
        self.confinement = confinement;
        self
    }

    /// Has somebody decide about ports of the machine that it wants to reach from its box.
    #[must_use]
    pub fn with_ports(mut self, ports: Option<Arc<dyn Ports>>) -> Self {
        self.ports = ports;
        self
    }

    /// Says whether it goes on behind its call, from the beginning or from some moment on. In a box nothing of a repository's
    /// own folder is written by one that does from the beginning, and it ends when something comes that would be hidden from it.
    #[must_use]
    pub fn with_behind(mut self, behind: Arc<AtomicBool>) -> Self {
        self.behind = behind;
        self
    }

    /// Ends it after this time.
    #[must_use]
    pub fn with_timeout(mut self, timeout: Option<Duration>) -> Self {
        self.timeout = timeout;
        self
    }
}

/// How much output is kept in memory; the rest is counted and dropped.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Keep {
    /// Bytes from the beginning.
    pub head: usize,
    /// Bytes from the end.
    pub tail: usize,
}

impl Default for Keep {
    fn default() -> Self {
        Self { head: 4 * 1024 * 1024, tail: 4 * 1024 * 1024 }
    }
}

/// What the kernel holds a command to, beyond its own session, limits and environment.
#[derive(Debug, Clone, Default)]
pub enum Confinement {
    /// Nothing: it can do what the user can do.
    #[default]
    None,
    /// A box.
    Boxed(Arc<Sandbox>),
    /// The same box for a command that only reads: whatever it does, nothing of it lasts.
    Held(Arc<Sandbox>),
    /// A box was wanted that this machine cannot have, for this reason: no command runs.
    Refused {
        /// The level that was wanted.
        wanted: SandboxLevel,
        /// Why it cannot be had.
        reason: String,
    },
}

impl Confinement {
    /// The same for a command that only reads; none where nothing can hold it to that.
    pub fn held(&self) -> Option<Self> {
        match self {
            Self::Boxed(sandbox) | Self::Held(sandbox) if sandbox.holds_readers() => {
                Some(Self::Held(Arc::clone(sandbox)))
            }
            _ => None,
        }
    }
}
