//! What a box is for and what it promises, in words that every system shares.

use crate::Environment;
use std::fmt;
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
        f.write_str(match self {
            Self::Partial => "partial",
            Self::Full => "full",
        })
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

/// Works out what is closed, or fixed, to a command that is about to start.
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
    /// More places that commands may read which only read; others read whatever is not closed.
    pub readable: Vec<PathBuf>,
    /// More of the home folders that every command sees and cannot change. What is closed stays closed.
    pub opened: Vec<PathBuf>,
    /// Places that may not even be read.
    pub closed: Vec<PathBuf>,
    /// Folders that every command sees and cannot change although they lie in something closed.
    pub shown: Vec<PathBuf>,
    /// What is closed besides, worked out anew for each command.
    pub masked: Option<Masked>,
    /// What may be read and not changed, worked out anew for each command.
    pub fixed: Option<Masked>,
    /// Folders that an index of git links to. Asked where the roots are too large to be looked through.
    pub linked: Option<Masked>,
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
