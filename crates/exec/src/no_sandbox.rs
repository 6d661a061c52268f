//! Where there is no box yet: asking for one is refused, so that no command runs unheld by mistake.

use crate::{BoxOptions, Environment, ExecError, Ports, Quarantined, SandboxLevel};
use std::io;
use std::os::fd::OwnedFd;
use std::path::PathBuf;
use std::sync::Arc;

/// A box; there is none here.
#[derive(Debug)]
pub struct Sandbox(Never);

#[derive(Debug)]
pub(crate) enum Never {}

/// What one command needs to get into the box.
#[derive(Debug)]
pub(crate) struct Confined(Never);

impl Confined {
    pub(crate) fn wish(&self) -> Option<Arc<std::sync::OnceLock<crate::WriteWish>>> {
        match self.0 {}
    }

    pub(crate) fn opened(&self) -> Arc<std::sync::OnceLock<Vec<PathBuf>>> {
        match self.0 {}
    }

    pub(crate) fn covers(&self) -> Option<Never> {
        match self.0 {}
    }

    pub(crate) fn knocks(&self, _: Option<&Arc<dyn Ports>>) -> io::Result<Option<(Knocks, OwnedFd)>> {
        match self.0 {}
    }
}

/// Who looks after what hides and fixes places.
pub(crate) struct Watched(Never);

impl Watched {
    pub(crate) fn begin(
        _: &Arc<crate::tree::Tree>,
        covers: Never,
        _: &Arc<std::sync::atomic::AtomicBool>,
    ) -> io::Result<Self> {
        match covers {}
    }
}

/// Where the kernel asks about the connections of one command.
#[derive(Debug)]
pub(crate) struct Knocks(Never);

impl Knocks {
    pub(crate) async fn attend(&mut self) -> std::convert::Infallible {
        match self.0 {}
    }

    pub(crate) async fn finish(self) {
        match self.0 {}
    }
}

/// What stood at the protected places before a command.
pub(crate) struct Before(Never);

/// What stood before a command, on disk.
pub(crate) struct Kept(Never);

impl Kept {
    pub(crate) fn forget(self) {
        match self.0 {}
    }
}

/// Removes a tree.
pub fn remove_tree(path: &std::path::Path) {
    let _ = std::fs::remove_dir_all(path);
}

/// Without a box no command is looked at, and none is left.
pub fn recover(_: &std::path::Path, _: &[PathBuf], _: Option<&crate::Masked>) -> Vec<Quarantined> {
    Vec::new()
}

/// Where the way into the box ended.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Stage {}

impl Stage {
    pub(crate) fn named(_: i32) -> Option<&'static str> {
        None
    }
}

/// Where programs run or believe something when they start: not known here.
pub(crate) fn started() -> Vec<PathBuf> {
    Vec::new()
}

/// What has come since.
#[derive(Debug, Default)]
pub(crate) struct Left {
    pub(crate) moved: Vec<Quarantined>,
    pub(crate) unseen: Vec<PathBuf>,
}

impl Before {
    pub(crate) fn keep(&self) -> io::Result<Kept> {
        match self.0 {}
    }

    pub(crate) fn compare(&self) -> Left {
        match self.0 {}
    }

    pub(crate) fn open_places(&self) -> Vec<PathBuf> {
        match self.0 {}
    }

    pub(crate) fn take_over(&mut self, _: &Self) {
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

    pub(crate) fn confine(self: &Arc<Self>, _: &crate::Bounds, _: bool, _: &[PathBuf]) -> io::Result<Confined> {
        match self.0 {}
    }

    /// Whether a command can be held to reading here.
    pub fn holds_readers(&self) -> bool {
        match self.0 {}
    }

    pub(crate) fn hold(self: &Arc<Self>, _: &crate::Bounds, _: crate::plan::Life) -> io::Result<Confined> {
        match self.0 {}
    }

    pub(crate) fn adapt_held(&self, _: &Environment, _: &Confined) -> Environment {
        match self.0 {}
    }

    pub(crate) fn recover(&self) -> Vec<Quarantined> {
        match self.0 {}
    }

    pub(crate) fn look(&self) -> Before {
        match self.0 {}
    }

    pub(crate) fn adapt(&self, _: &Environment) -> Environment {
        match self.0 {}
    }
}
