//! Starting a session: settings in, a running agent out.

mod opening;
mod toolset;

use crate::approve::{Approvals, Standing, rules_of};
use crate::border::Crossing;
use crate::confine::{confinement, shortcoming, word};
use crate::desk::Desk;
use crate::destination::key_destination;
use crate::dials::Dials;
use crate::editing::{as_begun, settled};
use crate::error::EngineError;
use crate::handle::{Handle, Shared};
use crate::live::{Live, Todo};
use crate::lookout::{Bookkeeper, Lookout};
use crate::models::{build_model, model_of};
use crate::network::net_options;
use crate::outbox::Outbox;
use crate::people::{Floor, People};
use crate::planner::{Around, Planner};
use crate::purse::Purse;
use crate::queue::Queue;
use crate::relay::{Counted, Escalation, Relay, empty_roles};
use crate::spec::{Start, Which, folds};
use crate::ticket::Sender;
use crate::trust::Word;
use crate::undo::{Keep, Span, Undo, snapshots_of, spans};
use opening::{Begun, open};
use reasonix_agent::{Agent, Compaction, Conversation, Limits, Model, NoWatch, Prefix, Sink, Watch};
use reasonix_config::{Origins, Settings};
use reasonix_exec::Confinement;
use reasonix_policy::Posture;
use reasonix_proto::{Event, Level, Phrase, SessionHead, Status, TurnState};
use reasonix_session::{History, Ledger, Opened, Sessions};
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::mpsc;
use toolset::{Carried, Shell, all_tools, runs_commands, toolset};
use tracing::Instrument;

pub use opening::imported_head;
pub(crate) use toolset::{bare_tools, specs_of};
pub use toolset::{tool_names, tool_specs, unknown_tools};

/// Starts a session on the current runtime, with what a host knows.
pub(crate) fn start_at(start: Start, origins: Arc<Origins>, terminal: Option<String>) -> Result<Handle, EngineError> {
    if start.settings.providers.is_empty() {
        return Err(reasonix_config::ConfigError::NoProvider.into());
    }
    may_be_kept(&start)?;
    let (start, said) = settled(start)?;
    let confinement = confinement_of(&start)?;
    let standing = standing_of(&start, &confinement)?;
    let Begun { opened, artifacts, resumed, made } = open(&start, &confinement)?;
    let head = opened.history.head.clone().ok_or_else(|| broken(&opened))?;
    let start = if resumed { as_begun(start, &said, &head) } else { start };
    let model = pick_model(&start, resumed.then_some(&opened.history))?;
    let (todo, earlier) = (todo_of(&opened), resumed.then_some(head.tools.as_slice()));
    let notice = if runs_commands(&start, earlier) { shortcoming(&confinement) } else { None };
    let (outbox, events) = Outbox::new(status_of(&start, &opened, &head, &model, word(&confinement)));
    let purse = purse_of(&start, (&opened, &head), &outbox);
    let (model, escalation) = relay_of(&start, model, &opened, &outbox)?;
    let undo = undo_of(&start, &opened, &outbox);
    let gate = Arc::new(Approvals::new(standing, start.workspace.clone(), outbox.clone()).undone_by(undo.as_ref()));
    made.iter().for_each(|record| gate.recall(record));
    let crossing = Crossing::new(&start.settings, start.workspace.root(), &confinement, start.attended);
    let shell = Shell { confinement: confinement.clone(), crossing: Some(crossing.clone()) };
    let people = people_of(&start, &opened, &outbox, &gate);
    let carried = Carried::of(&start, &opened, &todo, &people);
    let tools = toolset(&start, &artifacts, &carried, shell, earlier);
    let way_out = crossing.open(&gate, opened.journal.clone(), net_options(&start.settings));
    let prefix = Arc::new(Prefix { system: head.system.clone(), tools: tools.specs(), aliases: tools.aliases() });
    let queue = Arc::new(Queue::default());
    let lookout = Lookout::new(gate.clone(), outbox.clone(), queue.clone(), start.workspace.clone())
        .with_books(books_of(&start, &head, &purse));
    let agent = Agent {
        model: model.clone(),
        tools,
        classify: gate.clone(),
        gate: gate.clone(),
        journal: Arc::new(Counted(escalation.clone())),
        artifacts,
        sink: Arc::new(lookout),
        watch: watch_of(undo.as_ref()),
        budget: purse.clone(),
        limits: limits_of(&start.settings, &model.card().name),
    };
    announce(&outbox, &opened, resumed, &model, notice.as_ref());
    let trust = Word::new(start.settings.trust.clone());
    warn(&start, &outbox, &model.card().name, &trust, &purse);
    let planner = planner_of(&start, &agent, (&outbox, &purse), (&opened, &carried))?;
    let ((ops, inbound), base) = (mpsc::unbounded_channel(), Arc::new(start));
    let Opened { journal, past, history, .. } = opened;
    let (told, conversation) = (history.mode, conversation_of(&prefix, history, past.turns()));
    let shared = Shared {
        outbox,
        gate,
        people,
        artifacts: agent.artifacts.clone(),
        past,
        todo: todo.clone(),
        prefix: prefix.clone(),
        dials: Arc::new(Dials::new(origins, &base.settings)),
        base,
        confinement,
        trust,
        undo: undo.is_some(),
        purse,
    };
    let desk = Desk::new(&shared, queue, journal, escalation);
    let (ops, tickets) = Sender::new(ops, &shared.outbox);
    let live =
        Live { agent, conversation, desk, inbound, tickets, resumed, undo, todo, prefix, terminal, told, planner };
    set_going(live, way_out);
    Ok(Handle { session: head.session, events, ops, shared: Arc::new(shared) })
}

/// Runs the session in a task of its own; its way out of the box is there as long.
fn set_going(live: Live, way_out: impl Send + 'static) {
    let session = live.desk.outbox.span().clone();
    let running = async move {
        let _way_out = way_out;
        live.run().await;
    };
    tokio::spawn(running.instrument(session));
}

/// Nothing can be done where nothing can be written down; that is said before anything else goes wrong for that reason.
fn may_be_kept(start: &Start) -> Result<(), EngineError> {
    let state = start.home.join("state");
    match reasonix_store::may_write(&state) {
        Err(error) if start.which != Which::Unkept => {
            let phrase = Phrase::new("engine.home_unwritable").with("path", state.display()).with("reason", error);
            Err(EngineError::Settings(phrase))
        }
        _ => Ok(()),
    }
}

/// What the gate starts from.
fn standing_of(start: &Start, confinement: &Confinement) -> Result<Standing, EngineError> {
    let rules = rules_of(&start.settings, start.workspace.root())?;
    Ok(Standing::new(rules, Posture::Ask, start)?.confined(confinement))
}

/// The model with those that take over from it, and what decides when they do.
fn relay_of(
    start: &Start,
    model: Arc<dyn Model>,
    opened: &Opened,
    outbox: &Arc<Outbox>,
) -> Result<(Arc<dyn Model>, Arc<Escalation>), EngineError> {
    for phrase in empty_roles(&start.settings) {
        outbox.emit(Event::Notice { level: Level::Warning, phrase });
    }
    let escalation = Escalation::new(start, &model.card().name, opened.journal.clone(), outbox.clone())?;
    Ok((Relay::over(start, model, &escalation), escalation))
}

/// The conversation as it was left.
fn conversation_of(prefix: &Arc<Prefix>, history: History, turns: u32) -> Conversation {
    Conversation::replay(prefix.clone(), history.messages, turns, history.usage, history.context)
        .folded_by(history.folded)
        .requested_by(history.requested, history.broke)
}

/// The planner, where the settings name one. It reads files for itself: what it saw the other model has not seen.
fn planner_of(
    start: &Start,
    agent: &Agent,
    (outbox, purse): (&Arc<Outbox>, &Arc<Purse>),
    (opened, carried): (&Opened, &Carried),
) -> Result<Option<Planner>, EngineError> {
    if start.settings.agent.planner_model.is_none() {
        return Ok(None);
    }
    let own = Start { workspace: start.workspace.fresh(), tap: start.tap.fresh(), ..start.clone() };
    let around = Around {
        classify: agent.classify.clone(),
        gate: agent.gate.clone(),
        artifacts: agent.artifacts.clone(),
        outbox: outbox.clone(),
        limits: agent.limits,
        purse: purse.clone(),
        books: |head: &SessionHead| books_of(start, head, purse),
        tools: all_tools(&own, &agent.artifacts, carried, Shell::default(), None),
        executor: &agent.model.card().name,
        earlier: opened.history.planner.as_ref(),
    };
    Planner::new(&own, around)
}

/// The todo list as it was left.
fn todo_of(opened: &Opened) -> Todo {
    let todo = Todo::default();
    if let Some(phases) = opened.history.todo.clone() {
        todo.restore(phases);
    }
    todo
}

/// Who can be asked; the mode is the one that the session was left in.
fn people_of(start: &Start, opened: &Opened, outbox: &Arc<Outbox>, gate: &Arc<Approvals>) -> Arc<People> {
    gate.set_mode(opened.history.mode);
    let floor = Floor { sink: outbox.clone(), gate: gate.clone(), journal: opened.journal.clone() };
    Arc::new(People::new(start.attended.then_some(floor), start.settings.ask.timeout))
}

/// What counts what is spent; what happens is recorded from now on, where something is kept at all.
fn purse_of(start: &Start, (opened, head): (&Opened, &SessionHead), outbox: &Arc<Outbox>) -> Arc<Purse> {
    if start.which != Which::Unkept {
        let sessions = Sessions::at(&start.home.join("state"));
        start.tap.bind(&sessions, (opened, head), start.settings.record.most(), outbox);
    }
    Arc::new(Purse::new(Arc::new(start.settings.clone()), outbox.clone()))
}

/// What keeps the ledger; nothing for a session that leaves nothing on disk.
fn books_of(start: &Start, head: &SessionHead, purse: &Arc<Purse>) -> Option<Bookkeeper> {
    let ledger = Ledger::at(&start.home.join("state"));
    let (session, folder) = (head.session.clone(), head.cwd.clone());
    (start.which != Which::Unkept).then(|| Bookkeeper { ledger, purse: purse.clone(), session, folder })
}

fn watch_of(undo: Option<&Arc<Undo>>) -> Arc<dyn Watch> {
    match undo {
        Some(undo) => undo.clone(),
        None => Arc::new(NoWatch),
    }
}

/// What a person should know before the first prompt. Where somebody is, they are asked about trust; where nobody is,
/// it is said.
fn warn(start: &Start, outbox: &Outbox, model: &str, trust: &Word, purse: &Purse) {
    let untrusted = trust.off().filter(|_| !start.attended);
    let keys = key_moved(start, model).into_iter().chain(key_absent(start, model));
    for phrase in keys.chain(untrusted).chain(purse.blind(model)) {
        outbox.emit(Event::Notice { level: Level::Warning, phrase });
    }
}

fn broken(opened: &Opened) -> EngineError {
    let reason = format!("record {} is not readable", opened.head.id);
    EngineError::Settings(Phrase::new("engine.log_unreadable").with("reason", reason))
}

/// What a status line shows at the beginning.
fn status_of(start: &Start, opened: &Opened, head: &SessionHead, model: &Arc<dyn Model>, sandbox: String) -> Status {
    let card = model.card();
    let marks = opened.past.marks();
    let usage = marks.usage;
    let cost = card.price.as_ref().filter(|_| usage.input > 0).map(|price| price.money(usage));
    let cost = marks.cost.clone().or(cost);
    Status {
        session: head.session.clone(),
        title: marks.title().to_owned(),
        state: TurnState::Idle,
        model: card.name.clone(),
        effort: opened.history.effort.clone(),
        mode: opened.history.mode,
        posture: reasonix_proto::Posture::Ask,
        sandbox,
        folder: start.workspace.root().display().to_string(),
        turns: opened.past.turns(),
        usage,
        context: opened.history.context,
        window: card.window,
        cost,
        queue: Vec::new(),
        kept: start.which != Which::Unkept,
    }
}

/// What keeps the files for undo; nothing for a session that leaves nothing on disk, and where it cannot be had.
fn undo_of(start: &Start, opened: &Opened, outbox: &Arc<Outbox>) -> Option<Arc<Undo>> {
    if start.which == Which::Unkept || !start.settings.undo.enabled {
        return None;
    }
    let snapshots = snapshots_of(start.workspace.root(), &start.home).map_err(|error| error.to_string());
    let undo = snapshots.and_then(|snapshots| {
        let most = start.settings.undo.max_mb.saturating_mul(1024 * 1024);
        let session = outbox.status().session.to_string();
        let keep = Keep { home: start.home.clone(), most, session };
        let broken = opened.past.of_files().ok().and_then(|records| spans(&records).pop()).filter(Span::is_open);
        Undo::new(snapshots, keep, broken, opened.journal.clone(), outbox.clone()).map_err(|error| error.to_string())
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

/// Says that the session is there, and makes its connection while the prompt is still being written.
fn announce(outbox: &Outbox, opened: &Opened, resumed: bool, model: &Arc<dyn Model>, sandbox: Option<&Phrase>) {
    tokio::spawn(model.warm());
    if !resumed {
        let record = Box::new(opened.head.clone());
        outbox.emit(Event::SessionStarted { record, model: model.card().name.clone(), resumed });
    }
    for phrase in opened.notices.iter().chain(sandbox) {
        outbox.emit(Event::Notice { level: Level::Warning, phrase: phrase.clone() });
    }
}

/// The model that was asked for; otherwise the one the session last had, thinking as hard; otherwise the default.
fn pick_model(start: &Start, earlier: Option<&History>) -> Result<Arc<dyn Model>, EngineError> {
    let settings = &start.settings;
    let earlier = earlier.filter(|_| start.model.is_none());
    if let Some(earlier) = earlier.filter(|earlier| settings.resolve_model(&earlier.model).is_ok()) {
        return model_of(start, &earlier.model, earlier.effort.as_deref());
    }
    let found = start.named_model()?;
    build_model(settings, &found, &start.env, &start.home, &start.tap)
}

/// A word about where the model's key goes, if that is not where it went the last time.
fn key_moved(start: &Start, model: &str) -> Option<Phrase> {
    let found = start.settings.resolve_model(model).ok().filter(|_| start.which != Which::Unkept)?;
    key_destination(&found, &start.env, &start.home)
}

/// A hosted service is asked without the key that it is said to need: most refuse that, in words that do not help.
fn key_absent(start: &Start, model: &str) -> Option<Phrase> {
    let provider = start.settings.resolve_model(model).ok()?.provider;
    let name = provider.api_key_env.as_deref().filter(|_| !provider.is_local())?;
    let absent = reasonix_config::api_key(provider, &start.env, &start.home).is_none();
    absent.then(|| Phrase::new("engine.no_key").with("name", name).with("provider", &provider.name))
}

fn limits_of(settings: &Settings, model: &str) -> Limits {
    let seconds = settings.agent.turn_timeout_seconds;
    let how = &settings.compaction;
    Limits {
        max_steps: settings.agent.max_steps,
        turn_timeout: (seconds > 0).then(|| Duration::from_secs(seconds)),
        compaction: Compaction { auto: folds(settings, model), prune: how.prune, ratio: how.ratio },
    }
}
