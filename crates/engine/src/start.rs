//! Starting a session: settings in, a running agent out.

use crate::approve::{Approvals, Standing};
use crate::border::Crossing;
use crate::confine::{bounds, confinement, shortcoming, word};
use crate::error::EngineError;
use crate::live::{Live, Todo};
use crate::models::{build_model, net_options};
use crate::outbox::{Events, Figures, Outbox};
use crate::prompt::{BASE_PROMPT, assemble};
use crate::tools::todo_tools;
use crate::trust::Word;
use crate::undo::{Keep, Undo, snapshots_of};
use reasonix_agent::{
    Agent, Artifacts, Compaction, Conversation, Limits, Model, NoWatch, Prefix, Sink, Tool, ToolSpec, Tools, Watch,
};
use reasonix_config::{Mode as ConfigMode, RulesFile, Settings};
use reasonix_exec::{Confinement, SandboxLevel};
use reasonix_policy::{Mode, Posture, Rule, Rules};
use reasonix_proto::{
    Event, Family, Level, Op, Phrase, Query, RECORD_VERSION, Reply, SessionHead, SessionId, Status, TurnState,
};
use reasonix_session::{MemoryArtifacts, Opened, SessionArtifacts, Sessions, history, in_memory};
use reasonix_tools::{Bash, Deps, ShellOptions, files};
use reasonix_workspace::Workspace;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::mpsc;

/// What a session starts from.
pub struct Start {
    /// What the user wrote on disk and said on the command line.
    pub settings: Settings,
    /// The environment of the process, for keys.
    pub env: BTreeMap<String, String>,
    /// The user's folder, `~/.reasonix`.
    pub home: PathBuf,
    /// The files the session may touch.
    pub workspace: Workspace,
    /// Rules files, in order.
    pub rules: Vec<RulesFile>,
    /// The model reference; the session's own or the default when none.
    pub model: Option<String>,
    /// More text for the end of the system prompt.
    pub append_system: Option<String>,
    /// Which session.
    pub which: Which,
    /// True when a person can answer questions.
    pub attended: bool,
    /// Rules that answer for a person in this run.
    pub approve: Vec<String>,
}

/// Which session to run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Which {
    /// A new one.
    New,
    /// A new one that leaves nothing on disk.
    Unkept,
    /// The last one of this folder; a new one when there is none.
    Continue,
    /// This one.
    Resume(String),
}

/// A running session, as a front end holds it. Dropping it ends the session.
pub struct Handle {
    /// The session's id.
    pub session: SessionId,
    /// What happens.
    pub events: Events,
    ops: mpsc::UnboundedSender<Op>,
    outbox: Arc<Outbox>,
    model: String,
    window: u64,
    todo: Todo,
    trust: Word,
}

impl Handle {
    /// Hands in an operation. False when the session is over.
    pub fn send(&self, op: Op) -> bool {
        self.ops.send(op).is_ok()
    }

    /// A sender of operations that can go elsewhere, such as into a signal watcher.
    pub fn sender(&self) -> mpsc::UnboundedSender<Op> {
        self.ops.clone()
    }

    /// Answers a question about the session.
    pub fn query(&self, query: &Query) -> Reply {
        match query {
            Query::Status => {
                let figures = self.outbox.figures();
                Reply::Status(Box::new(Status {
                    session: self.session.clone(),
                    title: String::new(),
                    state: TurnState::Idle,
                    model: self.model.clone(),
                    effort: None,
                    posture: reasonix_proto::Posture::Ask,
                    sandbox: String::new(),
                    folder: String::new(),
                    turns: 0,
                    usage: figures.usage,
                    context: figures.context,
                    window: self.window,
                    cost: None,
                    queue: Vec::new(),
                    kept: true,
                }))
            }
            Query::Todo => Reply::Todo { phases: self.todo.phases() },
            Query::Trust => Reply::Trust(Box::new(self.trust.info())),
            _ => Reply::Failed { why: Phrase::new("engine.not_possible") },
        }
    }
}

/// Starts a session on the current runtime.
pub fn start(start: Start) -> Result<Handle, EngineError> {
    if start.settings.providers.is_empty() {
        return Err(reasonix_config::ConfigError::NoProvider.into());
    }
    let confinement = confinement_of(&start)?;
    let (opened, artifacts, resumed) = open(&start, &confinement)?;
    let past = history(&opened.records);
    if resumed {
        check_folder(&past.head.cwd, start.workspace.root())?;
    }
    let model = pick_model(&start, resumed.then_some(past.head.model.as_str()))?;
    let todo = Todo::default();
    if let Some(phases) = past.todo.clone() {
        todo.restore(phases);
    }
    let earlier = resumed.then_some(past.head.tools.as_slice());
    let notice = if runs_commands(&start, earlier) { shortcoming(&confinement) } else { None };
    let walled = matches!(&confinement, Confinement::Boxed(sandbox) if sandbox.level() == SandboxLevel::Full);
    let crossing = Crossing::new(&start.settings, start.workspace.root(), &confinement, start.attended);
    let shell = Shell { confinement, crossing: Some(crossing.clone()) };
    let tools = toolset(&start, &artifacts, &todo, shell, earlier);
    let figures = Figures { usage: past.usage, context: past.context };
    let (outbox, events) = Outbox::new(past.head.session.clone(), figures);
    let rules = rules_of(&start.settings, start.workspace.root())?;
    let standing = Standing::new(rules, Posture::Ask, &start)?.walled(walled);
    let gate = Arc::new(Approvals::new(standing, start.workspace.clone(), outbox.clone()));
    gate.recall(&opened.records);
    let undo = undo_of(&start, &opened, &outbox);
    let way_out = crossing.open(&gate, opened.journal.clone(), net_options(&start.settings));
    let prefix = Arc::new(Prefix { system: past.head.system.clone(), tools: tools.specs(), aliases: tools.aliases() });
    let agent = Agent {
        model: model.clone(),
        tools,
        gate: gate.clone(),
        journal: opened.journal.clone(),
        artifacts,
        sink: gate.clone(),
        watch: undo.clone().map_or_else(|| Arc::new(NoWatch) as Arc<dyn Watch>, |undo| undo),
        limits: limits_of(&start.settings),
    };
    let conversation =
        Conversation::replay(prefix, past.messages, past.turns, past.usage, past.context).folded_by(past.folded);
    let (ops, inbound) = mpsc::unbounded_channel();
    let trust = Word::new(start.settings.trust.clone());
    let card = model.card();
    let handle = Handle {
        session: past.head.session.clone(),
        events,
        ops,
        outbox: outbox.clone(),
        model: card.name.clone(),
        window: card.window,
        todo,
        trust: trust.clone(),
    };
    announce(&outbox, &opened, resumed, &card.name, notice.as_ref());
    // Where somebody is, they are asked; where nobody is, it is said.
    if let Some(phrase) = trust.off().filter(|_| !start.attended) {
        outbox.emit(Event::Notice { level: Level::Warning, phrase });
    }
    let live = Live::new(agent, conversation, gate, outbox, inbound, resumed, undo).trusting(trust);
    tokio::spawn(async move {
        let _way_out = way_out;
        live.run().await;
    });
    Ok(handle)
}

/// What keeps the files for undo; nothing for a session that leaves nothing on disk, and where it cannot be had.
fn undo_of(start: &Start, opened: &Opened, outbox: &Arc<Outbox>) -> Option<Arc<Undo>> {
    if start.which == Which::Unkept || !start.settings.undo.enabled {
        return None;
    }
    let snapshots = snapshots_of(start.workspace.root(), &start.home).map_err(|error| error.to_string());
    let undo = snapshots.and_then(|snapshots| {
        let keep = Keep { home: start.home.clone(), most: start.settings.undo.max_mb.saturating_mul(1024 * 1024) };
        Undo::new(snapshots, keep, opened.journal.clone(), outbox.clone()).map_err(|error| error.to_string())
    });
    match undo {
        Ok(undo) => Some(Arc::new(undo)),
        Err(reason) => {
            let phrase = Phrase::new("engine.undo_off").with("reason", reason);
            outbox.emit(Event::Notice { level: Level::Warning, phrase });
            None
        }
    }
}

/// A session speaks of its own folder; in another one its paths would mean other files.
fn check_folder(its: &str, here: &Path) -> Result<(), EngineError> {
    if Path::new(its) == here {
        return Ok(());
    }
    Err(EngineError::Settings(Phrase::new("engine.other_folder").with("folder", its).with("here", here.display())))
}

/// What commands are held to. Without a person nobody would see that none can run, so that is an error.
fn confinement_of(start: &Start) -> Result<Confinement, EngineError> {
    if !runs_commands(start, None) {
        return Ok(Confinement::None);
    }
    let confinement = confinement(&start.settings, &start.workspace, &start.home);
    match (&confinement, shortcoming(&confinement)) {
        (Confinement::Refused { .. }, Some(phrase)) if !start.attended => Err(EngineError::Settings(phrase)),
        _ => Ok(confinement),
    }
}

/// Whether commands can be run at all.
fn runs_commands(start: &Start, earlier: Option<&[String]>) -> bool {
    let on = earlier.unwrap_or(&start.settings.tools.enabled);
    on.is_empty() || on.iter().any(|name| name == "bash")
}

fn announce(outbox: &Outbox, opened: &Opened, resumed: bool, model: &str, sandbox: Option<&Phrase>) {
    if let (Some(first), false) = (opened.records.first(), resumed) {
        outbox.emit(Event::SessionStarted { record: Box::new(first.clone()), model: model.to_owned(), resumed });
    }
    for phrase in opened.notices.iter().chain(sandbox) {
        outbox.emit(Event::Notice { level: Level::Warning, phrase: phrase.clone() });
    }
}

/// Opens or makes the session, and what keeps its artifacts. True when it goes on from an earlier process.
fn open(start: &Start, confinement: &Confinement) -> Result<(Opened, Arc<dyn Artifacts>, bool), EngineError> {
    let state = start.home.join("state");
    let sessions = Sessions::at(&state);
    let cwd = start.workspace.root();
    let wanted = match &start.which {
        Which::Unkept => {
            return Ok((in_memory(head_of(start, confinement)?), Arc::new(MemoryArtifacts::default()), false));
        }
        Which::New => None,
        Which::Continue => sessions.latest(cwd)?.map(|id| id.0),
        Which::Resume(id) => Some(id.clone()),
    };
    let artifacts = Arc::new(SessionArtifacts::at(&state));
    match wanted {
        Some(id) => Ok((sessions.open(&id)?, artifacts, true)),
        None => {
            let mut opened = sessions.create(head_of(start, confinement)?)?;
            if start.which == Which::Continue {
                opened.notices.push(Phrase::new("engine.nothing_to_continue"));
            }
            Ok((opened, artifacts, false))
        }
    }
}

fn head_of(start: &Start, confinement: &Confinement) -> Result<SessionHead, EngineError> {
    let settings = &start.settings;
    let found = match &start.model {
        Some(reference) => settings.resolve_model(reference)?,
        None => settings.default_model()?,
    };
    let base = settings.agent.system_prompt.as_deref().unwrap_or(BASE_PROMPT);
    let cwd = start.workspace.root();
    Ok(SessionHead {
        v: RECORD_VERSION,
        session: SessionId::fresh(),
        version: env!("CARGO_PKG_VERSION").to_owned(),
        cwd: cwd.display().to_string(),
        model: found.name(),
        system: assemble(base, cwd, &start.rules, start.append_system.as_deref()),
        tools: sent_tools(start),
        sandbox: word(confinement),
        from: None,
    })
}

/// The model that was asked for; otherwise the one the session had; otherwise the default.
fn pick_model(start: &Start, earlier: Option<&str>) -> Result<Arc<dyn Model>, EngineError> {
    let settings = &start.settings;
    let found = match (&start.model, earlier) {
        (Some(reference), _) => settings.resolve_model(reference)?,
        (None, Some(earlier)) => settings.resolve_model(earlier).or_else(|_| settings.default_model())?,
        (None, None) => settings.default_model()?,
    };
    build_model(settings, &found, &start.env, &start.home)
}

/// How commands are run.
#[derive(Default)]
struct Shell {
    confinement: Confinement,
    crossing: Option<Arc<Crossing>>,
}

/// Every tool there is, in the order they are sent.
fn all_tools(start: &Start, artifacts: &Arc<dyn Artifacts>, todo: &Todo, how: Shell) -> Vec<Arc<dyn Tool>> {
    let deps = Deps { workspace: start.workspace.clone(), artifacts: artifacts.clone() };
    let settings = &start.settings.tools;
    let timeout = (settings.bash_timeout_seconds > 0).then(|| Duration::from_secs(settings.bash_timeout_seconds));
    let mut shell = ShellOptions::at(start.workspace.root());
    shell.timeout = timeout;
    // Whatever they are called: the keys of the endpoints are not for commands.
    let keys: Vec<&str> =
        start.settings.providers.iter().filter_map(|provider| provider.api_key_env.as_deref()).collect();
    let sandbox = &start.settings.sandbox;
    let open = reasonix_exec::Environment::inherited(&sandbox.env);
    let open = if sandbox.network { open.with_proxies() } else { open };
    shell.environment = open.without(&keys);
    shell.reads = reasonix_policy::read_only;
    shell.confinement = how.confinement;
    if let Some(crossing) = how.crossing {
        shell.environment = crossing.shown_to(shell.environment);
        shell.border = Some(crossing);
    }
    shell.bounds = bounds(&start.settings.sandbox.limits);
    if let Some(path) = &settings.shell.path {
        shell.shell.clone_from(path);
    }
    let mut tools = files(&deps);
    tools.push(Arc::new(Bash::new(shell)));
    tools.extend(todo_tools(todo));
    tools
}

/// The tools that are on: those the user chose; otherwise, in a session that goes on, the ones it had, so that its
/// prefix stays the same; otherwise all.
fn toolset(
    start: &Start,
    artifacts: &Arc<dyn Artifacts>,
    todo: &Todo,
    shell: Shell,
    earlier: Option<&[String]>,
) -> Tools {
    let chosen = &start.settings.tools.enabled;
    let on = if chosen.is_empty() { earlier.unwrap_or_default() } else { chosen };
    let tools = all_tools(start, artifacts, todo, shell);
    Tools::new(tools.into_iter().filter(|tool| on.is_empty() || on.contains(&tool.spec().name)).collect())
}

/// The tools of a start, with nothing behind them.
fn bare_tools(start: &Start) -> Vec<Arc<dyn Tool>> {
    let artifacts: Arc<dyn Artifacts> = Arc::new(MemoryArtifacts::default());
    all_tools(start, &artifacts, &Todo::default(), Shell::default())
}

/// The names of the tools that a new session sends.
fn sent_tools(start: &Start) -> Vec<String> {
    let artifacts: Arc<dyn Artifacts> = Arc::new(MemoryArtifacts::default());
    toolset(start, &artifacts, &Todo::default(), Shell::default(), None)
        .specs()
        .into_iter()
        .map(|spec| spec.name)
        .collect()
}

/// The specs of all built-in tools, as they are sent.
pub fn tool_specs(start: &Start) -> Vec<ToolSpec> {
    Tools::new(bare_tools(start)).specs()
}

/// The names in `tools.enabled` that no tool has.
pub fn unknown_tools(start: &Start) -> Vec<String> {
    let tools = bare_tools(start);
    let known = |name: &&String| tools.iter().any(|tool| tool.spec().name == **name);
    start.settings.tools.enabled.iter().filter(|name| !known(name)).cloned().collect()
}

fn limits_of(settings: &Settings) -> Limits {
    let seconds = settings.agent.turn_timeout_seconds;
    let how = &settings.compaction;
    Limits {
        max_steps: settings.agent.max_steps,
        turn_timeout: (seconds > 0).then(|| Duration::from_secs(seconds)),
        compaction: Compaction { auto: how.auto, prune: how.prune, ratio: how.ratio },
    }
}

/// The rules of the settings, for this root.
fn rules_of(settings: &Settings, root: &Path) -> Result<Rules, EngineError> {
    let root = root.display().to_string();
    let local = |rules: &[String]| -> Vec<String> { rules.iter().map(|rule| Rule::relative_to(rule, &root)).collect() };
    let permissions = &settings.permissions;
    let mode = mode_of(permissions.mode);
    let mut rules =
        Rules::parse(&local(&permissions.deny), &local(&permissions.ask), &local(&permissions.allow), mode)?;
    for (name, mode) in &permissions.fallbacks {
        let families = [Family::Bash, Family::Edit, Family::Read, Family::Grep];
        let family = families.into_iter().find(|family| family.name().eq_ignore_ascii_case(name));
        rules.families.extend(family.map(|family| (family, mode_of(*mode))));
    }
    Ok(rules)
}

fn mode_of(mode: ConfigMode) -> Mode {
    match mode {
        ConfigMode::Allow => Mode::Allow,
        ConfigMode::Ask => Mode::Ask,
        ConfigMode::Deny => Mode::Deny,
    }
}
