//! What is to be run, and under which limits.

use crate::{Environment, Sandbox, SandboxLevel};
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::sync::Arc;
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
    /// What the kernel holds it to.
    pub confinement: Confinement,
}

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
            confinement: Confinement::None,
        }
    }

    /// A line for a shell that reads no profile and is not interactive.
    pub fn shell(shell: &Path, line: &str, cwd: &Path) -> Self {
        Self::program(shell, [OsString::from("-c"), OsString::from(line)], cwd)
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
    /// A box was wanted that this machine cannot have, for this reason: no command runs.
    Refused {
        /// The level that was wanted.
        wanted: SandboxLevel,
        /// Why it cannot be had.
        reason: String,
    },
}
