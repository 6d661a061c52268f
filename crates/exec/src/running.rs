//! A command that was started, with its guard: what running one to its end and keeping one for long have in common.
//! Reads and writes nothing; its pipes belong to whoever started it.

use crate::bounds::LimitHit;
use crate::guard;
use crate::oversee::{Disk, disks, oversee};
use crate::plan::{Ends, Life, Plan};
use crate::sandbox::{Confined, Knocks, Left, Watched};
use crate::tree::Tree;
use crate::vigil::{Vigil, unless_leaving, untold};
use crate::{Bounds, Command, Confinement, ExecError, GroupLimits, Quarantined, WriteWish};
use rustix::process::Signal;
use std::io;
use std::os::unix::process::ExitStatusExt;
use std::path::PathBuf;
use std::process::ExitStatus;
use std::sync::{Arc, OnceLock};
use std::time::{Duration, Instant};
use tokio::sync::oneshot;

/// How a command ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum EndStatus {
    /// By itself, with this code.
    Exited(i32),
    /// By this signal.
    Signalled(i32),
    /// It ran out of time and was ended.
    TimedOut,
    /// It was cancelled and ended.
    Cancelled,
    /// It hit a limit and was ended.
    Bounded,
}

impl EndStatus {
    fn of(raw: i32) -> Self {
        let status = ExitStatus::from_raw(raw);
        match (status.code(), status.signal()) {
            (Some(code), _) => Self::Exited(code),
            (None, signal) => Self::Signalled(signal.unwrap_or(Signal::KILL.as_raw())),
        }
    }
}

/// The end of a command and of everything it started.
#[derive(Debug, Clone)]
pub struct Ended {
    /// How it ended.
    pub status: EndStatus,
    /// How long it lived.
    pub took: Duration,
    /// Processes it left in the background had to be ended.
    pub leftovers_killed: bool,
    /// The limit for which it was ended.
    pub hit: Option<LimitHit>,
    /// Protected files that it made and that were moved aside.
    pub quarantined: Vec<Quarantined>,
    /// Folders that could not be looked through for what git would execute later.
    pub unseen: Vec<PathBuf>,
    /// What it wanted to write though it was held to reading; none when it was not held.
    pub wish: Option<WriteWish>,
    /// Places that are hidden from commands, which it opened and found empty.
    pub hidden: Vec<PathBuf>,
}

impl Ended {
    /// The end of one that was ended and that nobody was left to look at.
    pub(crate) fn unseen() -> Self {
        Self {
            status: EndStatus::Cancelled,
            took: Duration::ZERO,
            leftovers_killed: false,
            hit: None,
            quarantined: Vec::new(),
            unseen: Vec::new(),
            wish: None,
            hidden: Vec::new(),
        }
    }
}

/// A guard with a command below it. Dropping it ends both.
pub(crate) struct Running {
    pub(crate) tree: Arc<Tree>,
    /// Hears when everything has ended.
    pub(crate) over: oneshot::Receiver<io::Result<()>>,
    started: Instant,
    bounds: Bounds,
    life: Life,
    /// What its control group holds, when it is in one.
    group: GroupLimits,
    /// Said when everything has ended, where the command was held to reading.
    wish: Option<Arc<OnceLock<WriteWish>>>,
    /// Said when everything has ended: which hidden places it opened.
    hidden: Option<Arc<OnceLock<Vec<PathBuf>>>>,
    /// Where the kernel asks about its connections.
    pub(crate) knocks: Option<Knocks>,
    /// The disks as they were before it.
    disks: Vec<Disk>,
    /// The protected places as they were before it.
    vigil: Option<Arc<Vigil>>,
    /// What commands before it left that nobody had looked at.
    found: Vec<Quarantined>,
    /// Somebody looks after what hides and fixes places for it.
    _watched: Option<Watched>,
}

impl Running {
    /// Starts a command with these ends of its pipes. Whether it could be executed is known when they are let go.
    pub(crate) async fn start(command: &Command, mut ends: Ends, life: Life) -> Result<Self, ExecError> {
        let started = Instant::now();
        let (vigil, found) = match &command.confinement {
            Confinement::None | Confinement::Held(_) => (None, Vec::new()),
            Confinement::Boxed(sandbox) => {
                let sandbox = Arc::clone(sandbox);
                let look = move || (sandbox.recover(), Vigil::begin(|| sandbox.look()));
                let (found, vigil) = apart(look).await.map_err(|source| explain(command, source))?;
                (Some(vigil), found)
            }
            Confinement::Refused { wanted, reason } => {
                tracing::warn!(%wanted, reason, "sandbox_refused");
                return Err(ExecError::NoSandbox { wanted: *wanted, reason: reason.clone() });
            }
        };
        let (disks, bounds) = (disks(&command.places(), &command.bounds), command.bounds);
        let since = vigil.as_ref().map(|vigil| vigil.open_places()).unwrap_or_default();
        let plan = Plan::of(command, life, &since).map_err(|source| explain(command, source))?;
        let wish = plan.confined.as_ref().and_then(Confined::wish);
        let hidden = plan.confined.as_ref().map(Confined::opened);
        let ports = command.ports.as_ref();
        let knocks = plan.confined.as_ref().map(|confined| confined.knocks(ports)).transpose();
        let (knocks, letterbox) = knocks.map_err(|source| explain(command, source))?.flatten().unzip();
        ends.letterbox = letterbox;
        let group = plan.group.as_ref().map(|group| group.holds()).unwrap_or_default();
        let covers = plan.confined.as_ref().and_then(Confined::covers);
        let (tree, over) = guard::start(plan, ends).map_err(|source| explain(command, source))?;
        if let Some(vigil) = &vigil {
            vigil.watches(&tree);
        }
        let watched = covers.map(|covers| Watched::begin(&tree, covers, &command.behind)).transpose();
        // Nobody would see what lies bare to it.
        let watched = watched.inspect_err(|_| tree.end()).map_err(|source| explain(command, source))?;
        let held = matches!(command.confinement, Confinement::Held(_));
        let boxed = !matches!(command.confinement, Confinement::None);
        tracing::debug!(boxed, held, ?life, "command_started");
        Ok(Self {
            tree,
            over,
            started,
            bounds,
            life,
            group,
            wish,
            hidden,
            knocks,
            disks,
            vigil,
            found,
            _watched: watched,
        })
    }

    /// Ends with the limit that it hits; never, when it hits none.
    pub(crate) fn oversee(&mut self) -> impl Future<Output = LimitHit> + Send + use<> {
        oversee(Arc::clone(&self.tree), self.bounds, self.group, std::mem::take(&mut self.disks), self.life)
    }

    /// Why it was never executed; none when it was.
    pub(crate) fn failure(&self, command: &Command) -> Option<ExecError> {
        let facts = &self.tree.facts;
        let source = io::Error::from_raw_os_error(facts.failed()?);
        tracing::warn!(stage = facts.stage(), %source, "command_not_started");
        Some(match (facts.stage(), &command.confinement) {
            (Some(stage), Confinement::Boxed(sandbox) | Confinement::Held(sandbox)) => {
                ExecError::NoSandbox { wanted: sandbox.level(), reason: format!("{stage}: {source}") }
            }
            _ => explain(command, source),
        })
    }

    /// Its end, once everything has ended. `ending` is why we ended it, when it was us.
    pub(crate) async fn ended(&mut self, ending: Option<EndStatus>, hit: Option<LimitHit>) -> io::Result<Ended> {
        let facts = &self.tree.facts;
        let (ending, hit) = match ending {
            _ if self.tree.exposed().is_some() => {
                (Some(EndStatus::Bounded), self.tree.exposed().cloned().map(LimitHit::Exposed))
            }
            None if facts.starved() => (Some(EndStatus::Bounded), Some(LimitHit::Memory(self.bounds.memory))),
            _ => (ending, hit),
        };
        let ended = facts.ended();
        if ended.is_none() {
            // The guard was killed, by the command it may be. What left the command's group is out of reach then.
            self.tree.kill_group();
        }
        let status = match (ending, ended) {
            (Some(ending), _) => ending,
            (None, Some((raw, _))) => EndStatus::of(raw),
            (None, None) => EndStatus::Signalled(Signal::KILL.as_raw()),
        };
        tracing::debug!(?status, took = ?self.started.elapsed(), "command_ended");
        let leftovers_killed = ending.is_none() && ended.is_some_and(|(_, leftovers)| leftovers);
        let Left { moved, unseen } = match self.vigil.clone() {
            Some(vigil) => {
                // Whoever ends the process looks for itself.
                unless_leaving().await;
                apart(move || vigil.settle()).await?
            }
            None => Left::default(),
        };
        self.vigil = None;
        let before = std::mem::take(&mut self.found);
        let quarantined = before.into_iter().chain(untold()).chain(moved).collect();
        let wish = self.wish.as_ref().map(|wish| wish.get().cloned().unwrap_or(WriteWish::Unknown));
        let hidden = self.hidden.as_ref().and_then(|hidden| hidden.get().cloned()).unwrap_or_default();
        Ok(Ended { status, took: self.started.elapsed(), leftovers_killed, hit, quarantined, unseen, wish, hidden })
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        self.tree.end();
        if let Some(vigil) = self.vigil.take() {
            vigil.settle_alone();
        }
    }
}

/// Looks at files apart from the conversation's one thread: a large tree takes a moment.
async fn apart<T: Send + 'static>(look: impl FnOnce() -> T + Send + 'static) -> io::Result<T> {
    tokio::task::spawn_blocking(look).await.map_err(io::Error::other)
}

/// Why a command could not be started, in words for whoever wanted it.
pub(crate) fn explain(command: &Command, source: io::Error) -> ExecError {
    let program = command.program.to_string_lossy().into_owned();
    match source.kind() {
        io::ErrorKind::NotFound | io::ErrorKind::NotADirectory if !command.cwd.is_dir() => {
            ExecError::NoFolder { path: command.cwd.clone() }
        }
        io::ErrorKind::NotFound => ExecError::NoProgram { program },
        _ => ExecError::Start { program, source },
    }
}
