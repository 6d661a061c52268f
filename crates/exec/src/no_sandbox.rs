//! Where there is no box yet: asking for one is refused, so that no command runs unheld by mistake.

use crate::{Environment, ExecError};
use std::fmt;
use std::io;
use std::path::PathBuf;
use std::sync::Arc;

/// How much the kernel holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum SandboxLevel {
    /// Landlock and seccomp alone: nothing is hidden.
    Partial,
    /// Namespaces too: a file system, processes and a network of its own.
    Full,
}

impl fmt::Display for SandboxLevel {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(if *self == Self::Full { "full" } else { "partial" })
    }
}

/// Where what builds write to the caches of toolchains goes.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub enum Caches {
    /// Away with the session.
    #[default]
    Session,
    /// Into this folder, for the next session of the same project.
    Project(PathBuf),
    /// Into the user's own caches.
    Shared,
}

/// Works out what is closed to a command that is about to start.
#[derive(Clone)]
pub struct Masked(pub Arc<dyn Fn() -> Vec<PathBuf> + Send + Sync>);

impl fmt::Debug for Masked {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Masked")
    }
}

/// What a box is for.
#[derive(Debug, Clone)]
pub struct BoxOptions {
    /// The workspace first, then whatever else may be written.
    pub writable: Vec<PathBuf>,
    /// Places that may not even be read.
    pub closed: Vec<PathBuf>,
    /// What is closed besides, worked out anew for each command.
    pub masked: Option<Masked>,
    /// Where the caches of toolchains go.
    pub caches: Caches,
    /// Commands may reach the network.
    pub network: bool,
    /// Where protected files go that a command made.
    pub quarantine: PathBuf,
    /// The environment that tells where homes and toolchains are.
    pub environment: Environment,
}

/// A protected file that a command made, and where it is now.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Quarantined {
    /// Where it was made.
    pub path: PathBuf,
    /// Where it was moved; none when it could not be moved and stays.
    pub kept: Option<PathBuf>,
}

/// A box; there is none here.
#[derive(Debug)]
pub struct Sandbox(Never);

#[derive(Debug)]
enum Never {}

/// What one command needs to get into the box.
#[derive(Debug)]
pub(crate) struct Confined(Never);

/// What stood at the protected places before a command.
pub(crate) struct Before(Never);

/// Where the way into the box ended.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Stage {}

impl Stage {
    pub(crate) fn named(_: i32) -> Option<&'static str> {
        None
    }
}

impl Before {
    pub(crate) fn compare(&self) -> Vec<Quarantined> {
        match self.0 {}
    }
}

impl Sandbox {
    /// Refuses: this system has no box.
    pub fn prepare(_: BoxOptions, wanted: SandboxLevel) -> Result<Arc<Self>, ExecError> {
        Err(ExecError::NoSandbox { wanted, reason: "there is none for this operating system".to_owned() })
    }

    /// How much the kernel holds.
    pub fn level(&self) -> SandboxLevel {
        match self.0 {}
    }

    /// Why it is not level `full`.
    pub fn shortfall(&self) -> Option<&str> {
        match self.0 {}
    }

    /// The socket that commands in the box can connect to.
    pub fn take_door(&self) -> Option<std::net::TcpListener> {
        match self.0 {}
    }

    pub(crate) fn places(&self) -> Vec<PathBuf> {
        match self.0 {}
    }

    pub(crate) fn confine(self: &Arc<Self>, _: &crate::Bounds) -> io::Result<Confined> {
        match self.0 {}
    }

    pub(crate) fn look(&self) -> Before {
        match self.0 {}
    }

    pub(crate) fn adapt(&self, _: &Environment) -> Environment {
        match self.0 {}
    }
}
