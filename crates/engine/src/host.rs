//! Where sessions are opened: the one door of every front end. It keeps a host, and goes from session to session without
//! starting a new process.

use crate::handle::Handle;
use crate::queries::find_sessions;
use crate::start::{start_at, tool_specs, unknown_tools};
use reasonix_config::{FolderSettings, Origins, SurfaceKind, Trust};
use reasonix_proto::{Level, Phrase, Reply, SessionId};
use reasonix_session::{DocumentReader, Sessions};
use reasonix_state::pooled::PurseHand;
use reasonix_world::World;
use reasonix_world::error::EngineError;
use reasonix_world::spec::{Start, Which};
use reasonix_world::tap::Tap;
use reasonix_world::trust::{with_check, with_git};
use std::path::PathBuf;
use std::sync::Arc;

/// What a front end says of the sessions that it wants to open.
pub struct HostSources {
    /// The folder with its settings.
    pub folder: FolderSettings,
    /// More folders that sessions may work in.
    pub add_dirs: Vec<PathBuf>,
    /// The model reference; the session's own or the default when none.
    pub model: Option<String>,
    /// The agent that is to be at work; the session's own or the default when none.
    pub agent: Option<String>,
    /// More text for the end of the system prompt.
    pub append_system: Option<String>,
    /// Which session is opened first.
    pub which: Which,
    /// True when a person can answer questions.
    pub attended: bool,
    /// Rules that answer for a person in this run.
    pub approve: Vec<String>,
    /// True when tools were named for this run: one that nobody has is then a mistake.
    pub names_tools: bool,
    /// True when nothing may be executed of the folder that the user does not trust.
    pub require_trust: bool,
    /// What tells the terminal from others: `Continue` goes on with what was last done at it.
    pub terminal: Option<String>,
    /// Its hand in a purse of several sessions; none where it is alone.
    pub hand: Option<Arc<PurseHand>>,
    /// Who reads the documents that are written.
    pub reader: DocumentReader,
}

/// What a person should be told.
type Notices = Vec<(Level, Phrase)>;

/// Makes everything that sessions start from, checked; with what to tell the user about it.
pub fn open(sources: HostSources) -> Result<(Host, Notices), EngineError> {
    let HostSources {
        mut folder,
        add_dirs,
        model,
        agent,
        append_system,
        which,
        attended,
        approve,
        terminal,
        hand,
        reader,
        ..
    } = sources;
    // Where nobody is asked and nobody demands it, the look is spared.
    if attended || sources.require_trust {
        let trust = std::mem::take(&mut folder.loaded.settings.trust);
        folder.loaded.settings.trust = with_git(trust)?.0;
    }
    let trust = std::mem::take(&mut folder.loaded.settings.trust);
    folder.loaded.settings.trust = with_check(trust, &folder.loaded.settings)?;
    if sources.require_trust {
        all_trusted(&folder.loaded.settings.trust)?;
    }
    let unopened = |error: reasonix_workspace::FileError| {
        EngineError::Settings(Phrase::new("engine.workspace").with("reason", error.message()))
    };
    let workspace = folder.workspace(&add_dirs).map_err(unopened)?;
    let rules = folder.rules_files().map_err(unopened)?;
    let mut notices = rules.notices;
    let mut world = World::new(folder.loaded.settings, folder.env, folder.home);
    (world.hand, world.reader) = (hand, reader);
    let base = Start { world, workspace, rules: rules.files, model, agent, append_system, which, attended, approve };
    notices.extend(check_tools(&base, sources.names_tools)?);
    let origins = Arc::new(folder.loaded.origins);
    Ok((Host { base, origins, terminal }, notices))
}

fn all_trusted(trust: &Trust) -> Result<(), EngineError> {
    let mut off = trust.untrusted();
    off.retain(|(surface, _)| surface.kind != SurfaceKind::Detected);
    let names: Vec<_> = off.iter().map(|(surface, _)| format!("{} {}", surface.kind.word(), surface.name)).collect();
    if names.is_empty() {
        return Ok(());
    }
    Err(EngineError::Untrusted(Phrase::new("cli.trust_required").with("names", names.join(", "))))
}

/// A name that no tool has is an error where it was said for this run, and worth a warning in a file: it may be meant for
/// another edition. So may a rule for a tool that does not exist here, or it is misspelt.
fn check_tools(start: &Start, named: bool) -> Result<Notices, EngineError> {
    let (settings, unknown) = (&start.world.settings, unknown_tools(start));
    let known: Vec<String> = tool_specs(start).into_iter().map(|spec| spec.name).collect();
    let mut notices = Vec::new();
    if !unknown.is_empty() {
        let phrase = Phrase::new("cli.unknown_tools").with("names", unknown.join(", ")).with("known", known.join(", "));
        if named || unknown.len() == settings.tools.enabled.len() {
            return Err(EngineError::Settings(phrase));
        }
        notices.push((Level::Warning, phrase));
    }
    let rules = reasonix_config::unknown_rule_tools(&settings.permissions, &known);
    notices.extend(rules.into_iter().map(|phrase| (Level::Warning, phrase)));
    Ok(notices)
}

/// Opens sessions that start from the same settings, in the same folder.
pub struct Host {
    base: Start,
    origins: Arc<Origins>,
    terminal: Option<String>,
}

impl Host {
    /// What its sessions start from.
    pub fn base(&self) -> &Start {
        &self.base
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
        let world = self.base.world.recorded_by(tap);
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

/// Starts a session on the current runtime, from what is already there.
pub fn start(start: Start) -> Result<Handle, EngineError> {
    Host { base: start, origins: Arc::default(), terminal: None }.open_first()
}
