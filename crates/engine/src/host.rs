//! Where sessions are opened: a front end keeps one, and goes from session to session without starting a new process.

use crate::error::EngineError;
use crate::handle::Handle;
use crate::queries::find_sessions;
use crate::spec::{Start, Which};
use crate::start::start_at;
use crate::tap::Tap;
use crate::world::World;
use reasonix_config::Origins;
use reasonix_proto::{Reply, SessionId};
use reasonix_session::Sessions;
use std::sync::Arc;

/// Opens sessions that start from the same settings, in the same folder.
pub struct Host {
    base: Start,
    origins: Arc<Origins>,
    terminal: Option<String>,
}

impl Host {
    /// A host for sessions that start from this.
    pub fn new(base: Start) -> Self {
        Self { base, origins: Arc::default(), terminal: None }
    }

    /// With the origins of the settings, for [`reasonix_proto::Query::Config`].
    #[must_use]
    pub fn with_origins(mut self, origins: Origins) -> Self {
        self.origins = Arc::new(origins);
        self
    }

    /// At this terminal: `Continue` goes on with what was last done at it.
    #[must_use]
    pub fn at_terminal(mut self, terminal: Option<String>) -> Self {
        self.terminal = terminal;
        self
    }

    /// The sessions on disk.
    pub fn sessions(&self) -> Sessions {
        Sessions::at(&self.base.world.home.join("state"))
    }

    /// Opens the session that the start names.
    pub fn open_first(&self) -> Result<Handle, EngineError> {
        self.open(self.base.which.clone())
    }

    /// Opens a session, on the current runtime. The one before goes on until its handle is dropped.
    pub fn open(&self, which: Which) -> Result<Handle, EngineError> {
        let which = match which {
            Which::Continue => self.left_here().map_or(Which::Continue, |id| Which::Resume(id.0)),
            other => other,
        };
        let tap = Tap::of(&self.base.world.settings, which != Which::Unkept);
        let world = World { tap, ..self.base.world.clone() };
        let base = Start { which, workspace: self.base.workspace.fresh(), world, ..self.base.clone() };
        start_at(base, Arc::clone(&self.origins), self.terminal.clone())
    }

    fn left_here(&self) -> Option<SessionId> {
        self.sessions().crumb_of(self.terminal.as_deref()?, self.base.workspace.root())
    }

    /// A page of the saved sessions, before any of them is open.
    pub fn find(&self, all: bool, text: &str, from: usize, count: usize) -> Reply {
        let here = self.base.workspace.root().display().to_string();
        find_sessions(&self.sessions(), (!all).then_some(&here), text, from, count)
    }
}

/// Starts a session on the current runtime.
pub fn start(start: Start) -> Result<Handle, EngineError> {
    Host::new(start).open_first()
}
