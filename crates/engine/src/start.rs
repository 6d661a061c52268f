//! Starting a session: settings in, a running agent out.

mod opening;
mod preview;
mod toolset;

use crate::acting::Actor;
use crate::believed::Believed;
use crate::desk::{Behind, Brought, Desk, HeldBy};
use crate::dials::Dials;
use crate::goals::{JudgesGoal, Pursuit};
use crate::going::set_going;
use crate::handle::Handle;
use crate::intake::Intake;
use crate::listing::BeginsList;
use crate::live::{Live, Todo};
use crate::nearby::Nearby;
use crate::offline::broken_span;
use crate::planner::{Around as PlansAround, Planner};
use crate::retention::tend;
use crate::router::{Escalates, Escalation, Routes, TellsPlanModel, empty_roles};
use crate::streaming::Streaming;
use crate::validation::Validates;
use opening::{Begun, open};
use reasonix_agent::{Agent, Aspect, Compaction, Limits, Model, Prefix, Sink, Tool, Tools};
use reasonix_assembly::blueprint::{Blueprint, conversation_of};
use reasonix_assembly::observers::{ChecksCitations, ChecksClaims, KeepsLedger, KeepsTodo, TellsGate, TellsQueue};
use reasonix_assembly::roster::{begins_as, held, kept, own_model, roster_of, sampled, steps_of, unusable};
use reasonix_assembly::told::told_where_known;
use reasonix_children::{Addressed, ChildFamily, Children, Kin, Kit, MakesTools, sweep};
use reasonix_config::{Origins, Settings, key_destination};
use reasonix_exec::Confinement;
use reasonix_gate::{AgentStanding, Approvals, GateStanding};
use reasonix_hooks::{AroundAll, AroundCalls, Hooks};
use reasonix_jobs::{Around, Jobs, Rests};
use reasonix_proto::{
    AgentProfile, AgentRules, BUILD_AGENT, Event, PLAN_AGENT, Phrase, RecordBody, SessionHead, Status, TurnState,
};
use reasonix_servers::fleet::{Fleet, Hears};
use reasonix_servers::specs::carried;
use reasonix_session::{History, Ledger, Opened, Sessions};
use reasonix_state::outbox::{Events, Outbox};
use reasonix_state::purse::Purse;
use reasonix_state::ticket::Sender;
use reasonix_state::{Book, SessionState};
use reasonix_talk::people::{Floor, People};
use reasonix_talk::queue::Queue;
use reasonix_talk::tools::Delegates;
use reasonix_tools::TODO_WRITE;
use reasonix_undo::{Undo, UndoKeep, snapshots_of};
use reasonix_world::World;
use reasonix_world::border::{BoxedShell, Crossing};
use reasonix_world::confine::{confinement, left_behind, shortcoming, word};
use reasonix_world::editing::{as_begun, settled};
use reasonix_world::error::EngineError;
use reasonix_world::network::net_options;
use reasonix_world::spec::{Start, Which, folds};
use reasonix_world::trust::TrustWord;
use std::any::Any;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Duration;
use tokio::sync::{mpsc, watch};
use toolset::{Carried, all_tools, runs_commands, tools_below, toolset};

pub use opening::imported_head;
pub use preview::context_of;
pub(crate) use toolset::{Had, unknown_tools};
pub use toolset::{bare_tools, tool_specs};

/// Starts a session on the current runtime, with what a host knows.
pub(crate) fn start_at(start: Start, origins: Arc<Origins>, terminal: Option<String>) -> Result<Handle, EngineError> {
    let (ground, standing) = Ground::of(start.looking_anew())?;
    Ok(ground.equip(standing)?.run(origins, terminal))
}

/// What a session stands on: its settings, its box, and its log.
struct Ground {
    start: Start,
    confinement: Confinement,
    begun: Begun,
    head: SessionHead,
    /// The tools that the session had, when it goes on.
    had: Option<Had>,
    /// The servers that extend the session.
    fleet: Arc<Fleet>,
}

impl Ground {
    /// With what the gate starts from: whatever is wrong with the rules is said before there is a session.
    fn of(start: Start) -> Result<(Self, GateStanding), EngineError> {
        if start.world.settings.providers.is_empty() {
            return Err(reasonix_config::ConfigError::NoProvider.into());
        }
        may_be_kept(&start)?;
        let (start, said) = settled(start)?;
        // An agent that nobody has is a mistake also where the session goes on.
        begins_as(&start)?;
        let confinement = confinement_of(&start)?;
        let standing = GateStanding::new(&start.given())?.confined(&confinement);
        let fleet = Fleet::new(&start);
        let mut begun = open(&start, &confinement, &fleet)?;
        let head = begun.opened.history.head.clone().ok_or_else(|| broken(&begun.opened))?;
        tend(&start);
        sweep(&start.world.home);
        let start = if begun.resumed { as_begun(start, &said, &head) } else { start };
        let (had, lost) = begun.resumed.then(|| Had::of(&head, &begun.opened.past)).unzip();
        begun.opened.notices.extend(lost.flatten());
        Ok((Self { start, confinement, begun, head, had, fleet }, standing))
    }

    /// Gives the session everything that it runs with.
    fn equip(mut self, standing: GateStanding) -> Result<Equipped, EngineError> {
        // First, because from here on the artifacts of the session have what subagents handed back among them.
        let family = self.family();
        let (start, opened, artifacts) = (&self.start, &self.begun.opened, &self.begun.artifacts);
        let (settings, workspace) = (&start.world.settings, &start.workspace);
        let (acting, absent) = acting_of(start, &self.begun)?;
        let model = pick_model(start, &acting, self.begun.resumed.then_some(&opened.history))?;
        // Whatever comes below may have something to say, and nothing may be written but through the book.
        let (voice, events) = Voice::of(&self, &model);
        let Voice { outbox, book } = &voice;
        empty_roles(settings).chain(bundle_notices(&start.world)).chain(absent).for_each(|phrase| outbox.warn(phrase));
        let escalation = Escalation::new(start, &model.card().name)?;
        let own = own_model(&start.world, &acting).map_err(|phrase| outbox.warn(phrase)).ok().flatten();
        let answers = own.as_ref().unwrap_or(&model).card().clone();
        outbox.measure(None, Some(answers.window));
        let routes = Routes::new(start, (model.clone(), own), Arc::clone(&escalation), (book, outbox.clone()));
        let purse = purse_of(start, (opened, &self.head), outbox);
        let undo = undo_of(start, opened, &voice);
        let gate = Approvals::new(standing, workspace.clone(), book.stance(), outbox.clone());
        let trust = self.fleet.word();
        let asked = trust.clone();
        let gate = Arc::new(gate.undone_by(undo.as_ref()).distrusting(move |line| asked.untrusted_skill(line)));
        // What the session wrote earlier is its own: the gate knows that before it judges the first call.
        self.begun.made.iter().for_each(|record| gate.recall(record));
        know_agents(start, &trust, &gate, &acting)?;
        let hooks = Hooks::new(start, &trust, (outbox, book), &gate, &self.confinement);
        let (people, todo) = (people_of(start, &voice), todo_of(opened));
        let last = opened.history.last_job;
        let jobs = Jobs::new(&settings.jobs, start.attended, last, artifacts.clone());
        let rests = Rests::new(&jobs, settings.goal.wait_seconds);
        book.observe(rests.clone());
        if let Some(undo) = &undo {
            let jobs = Arc::downgrade(&jobs);
            undo.beside(move || jobs.upgrade().is_some_and(|jobs| jobs.running() > 0));
        }
        // A tool starts subagents, and subagents have tools: they are named here and learn below what they are made of.
        let children = Children::of_session(&family);
        let others: Arc<dyn Delegates> = children.clone();
        let carried = Carried::of(start, opened, (&todo, &people, &jobs), &others);
        let crossing = Crossing::new(settings, workspace.root(), &self.confinement, start.attended);
        let shell = BoxedShell { confinement: self.confinement.clone(), crossing: Some(crossing.clone()) };
        let (tools, whole) = tools_of(&self, &acting, shell.clone(), &carried);
        let writes = tools.iter().any(|tool| tool.spec().name == TODO_WRITE);
        let nearby = Nearby::of(start, model.card().window);
        // Before the other observers, which are added when the session runs: it has nothing written because of what it sees.
        book.observe(nearby.watch());
        let streaming = Streaming::of(start, model.card().window, (book, outbox));
        // Aspects are asked in this order: undo looks at files before anybody acts, and hooks come behind our own.
        let (agent, prefix) = Blueprint::new(routes.clone(), tools)
            .judged_by(gate.clone(), gate.clone())
            .kept_by(book.clone(), artifacts.clone(), outbox.clone())
            .surrounded_by(undo.iter().map(|undo| Arc::clone(undo) as Arc<dyn Aspect>))
            .surrounded_by([nearby as Arc<dyn Aspect>, streaming as Arc<dyn Aspect>, Believed::of(start, outbox)])
            .surrounded_by([BeginsList::new(book, outbox.clone(), writes) as Arc<dyn Aspect>])
            .surrounded_by([Arc::new(rests) as Arc<dyn Aspect>])
            .surrounded_by([Validates::of(start, &trust, (book, outbox), undo.as_ref()) as Arc<dyn Aspect>])
            .surrounded_by([Arc::new(AroundAll(hooks.clone())) as Arc<dyn Aspect>, children.clone() as Arc<dyn Aspect>])
            .within(purse.clone(), limits_of(settings, &answers.name, &acting))
            .build(self.head.system.clone());
        let around = (&gate, &purse, undo.as_ref());
        children.know(self.kin(&voice, around, (&hooks, &trust, &jobs), (&agent, shell, &whole)));
        let planner = planner_of(&self, &agent, &model, (outbox, &purse, &hooks), &carried)?;
        // Last: from now on connections of commands are asked about, which takes a gate.
        let way_out = crossing.open(&gate, book.clone(), net_options(settings));
        let jobs = (jobs, crossing);
        let held = (family, jobs);
        let parts =
            Parts { escalation, routes, purse, undo, gate, people, todo, planner, trust, hooks, acting, whole, held };
        Ok(Equipped { ground: self, model, voice, events, parts, agent, prefix, way_out: Box::new(way_out) })
    }
}

impl Ground {
    /// The subagents of the session as its log has them; what they handed back is among its artifacts from now on.
    fn family(&mut self) -> Arc<ChildFamily> {
        let runs = &self.begun.opened.history.children;
        let family = Arc::new(ChildFamily::new(&self.start.world.settings.task, runs));
        let (artifacts, of) = (self.begun.artifacts.clone(), family.clone());
        self.begun.artifacts = Arc::new(Addressed { artifacts, family: of });
        family
    }

    /// What the session's subagents are made of.
    fn kin(
        &self,
        Voice { outbox, book }: &Voice,
        (gate, purse, undo): (&Arc<Approvals>, &Arc<Purse>, Option<&Arc<Undo>>),
        (hooks, trust, jobs): (&Arc<Hooks>, &TrustWord, &Arc<Jobs>),
        (agent, shell, whole): (&Agent, BoxedShell, &Tools),
    ) -> Kin {
        let (sandbox, fleet, artifacts) = (word(&shell.confinement), self.fleet.clone(), agent.artifacts.clone());
        let kept = artifacts.clone();
        let tools_in = move |shell: BoxedShell| -> MakesTools {
            let (kept, fleet) = (kept.clone(), fleet.clone());
            Arc::new(move |start: &Start, others: &Arc<dyn Delegates>, window: u64| {
                tools_below(start, &kept, shell.clone(), &fleet, (others, window))
            })
        };
        Kin {
            start: Arc::new(self.start.clone()),
            gate: gate.clone(),
            root: book.clone(),
            session: self.head.session.clone(),
            outbox: outbox.clone(),
            purse: purse.clone(),
            hooks: hooks.clone(),
            artifacts,
            kit: Kit {
                sandbox,
                edits: whole.specs().into_iter().filter(|spec| spec.traits.edits).map(|spec| spec.name).collect(),
                tools: tools_in(shell),
                tools_in: Arc::new(tools_in),
            },
            undo: undo.map(Arc::downgrade).unwrap_or_default(),
            limits: agent.limits,
            trust: trust.clone(),
            jobs: jobs.clone(),
        }
    }
}

/// How a session writes down what happens, and tells it.
struct Voice {
    outbox: Arc<Outbox>,
    book: Arc<Book>,
}

impl Voice {
    fn of(ground: &Ground, model: &Arc<dyn Model>) -> (Self, Events) {
        let history = &ground.begun.opened.history;
        let name = model.card().name.clone();
        // Another model than the session's own thinks as hard as it does by itself.
        let effort = history.effort.clone().filter(|_| ground.start.model.is_none());
        let todo = Arc::new(history.todo.clone().unwrap_or_default());
        let [agent, told_agent] = [&history.agent, &history.told_agent]
            .map(|agent| Arc::from(if agent.is_empty() { BUILD_AGENT } else { agent.as_str() }));
        let new = SessionState::new(name, effort, history.mode);
        let (fired, goal_told, turn) = (history.fired.clone(), history.goal_told, ground.begun.opened.past.turns());
        let goal = history.goal.clone().map(Arc::new);
        let told = history.told;
        let state = SessionState { told, todo, agent, told_agent, fired, goal, goal_told, turn, ..new };
        let (state, published) = watch::channel(state);
        let (outbox, events) = Outbox::new(status_of(ground, model), published);
        let book = Book::new(ground.begun.opened.journal.clone(), state, outbox.clone());
        (Self { outbox, book }, events)
    }
}

/// What a session has that other things are made of.
struct Parts {
    escalation: Arc<Escalation>,
    routes: Arc<Routes>,
    purse: Arc<Purse>,
    undo: Option<Arc<Undo>>,
    gate: Arc<Approvals>,
    people: Arc<People>,
    todo: Todo,
    planner: Option<Planner>,
    trust: TrustWord,
    hooks: Arc<Hooks>,
    acting: AgentProfile,
    whole: Tools,
    /// Subagents, and jobs with the border that their connections cross.
    held: (Arc<ChildFamily>, (Arc<Jobs>, Arc<Crossing>)),
}

/// A session that has everything, and does not run yet.
struct Equipped {
    ground: Ground,
    model: Arc<dyn Model>,
    voice: Voice,
    events: Events,
    parts: Parts,
    agent: Agent,
    prefix: Arc<Prefix>,
    /// The way out of the box, for as long as the session runs.
    way_out: Box<dyn Any + Send>,
}

impl Equipped {
    /// Says what there is to say at the beginning, and lets it run.
    fn run(self, origins: Arc<Origins>, terminal: Option<String>) -> Handle {
        let queue = Arc::new(Queue::default());
        self.observe(&queue);
        self.announce();
        let Self { ground, voice: Voice { outbox, book }, events, parts, agent, prefix, way_out, .. } = self;
        let Ground { start, confinement, begun: Begun { opened, resumed, .. }, head, fleet, .. } = ground;
        let (published, seen) = watch::channel(prefix.clone());
        let Parts { escalation, routes, purse, undo, gate, people, todo, planner, trust, hooks, acting, whole, held } =
            parts;
        let (family, jobs) = held;
        let jobs = heard(jobs, (&outbox, &book, &queue));
        fleet.told_to(Hears { outbox: outbox.clone(), queue: queue.clone(), people: people.clone() });
        let Opened { past, history, .. } = opened;
        let (lost, over) = (history.jobs.clone(), history.untold_jobs.clone());
        let conversation = conversation_of(&prefix, history, past.turns(), &agent.artifacts);
        let desk = Arc::new(Desk {
            outbox,
            book,
            queue,
            gate,
            people,
            artifacts: agent.artifacts.clone(),
            past,
            prefix: seen,
            dials: Arc::new(Dials::new(origins, &start.world.settings)),
            base: Arc::new(start),
            purse,
            brought: Brought { fleet, hooks, trust },
            behind: Behind { jobs, family },
            held: HeldBy { confinement, undo: undo.is_some() },
            told_flaws: AtomicBool::new(false),
        });
        let (ops, inbound) = mpsc::unbounded_channel();
        let (ops, tickets) = Sender::new(ops, &desk.outbox);
        let live = Live {
            intake: Intake::new(&desk, inbound, escalation),
            actor: Actor { desk: desk.clone(), agent, conversation, prefix: published, profile: acting, whole, routes },
            pursuit: Pursuit::new(&desk),
            desk: desk.clone(),
            planner,
            undo,
            todo,
            tickets,
            resumed,
            begins: !resumed,
            terminal,
            lost,
            over,
            rested: false,
            handed: false,
        };
        set_going(live, way_out);
        Handle { session: head.session, events, ops, desk }
    }

    /// Who looks at what is written down, in this order.
    fn observe(&self, queue: &Arc<Queue>) {
        let (Parts { escalation, routes, purse, gate, todo, .. }, Voice { outbox, book }) = (&self.parts, &self.voice);
        let (start, head) = (&self.ground.start, &self.ground.head);
        if let Some(ledger) = ledger_of(start, head, purse) {
            book.observe(ledger);
        }
        book.observe(TellsGate(gate.clone()));
        book.observe(KeepsTodo::new(todo.clone()));
        book.observe(Escalates::new(escalation.clone(), self.prefix.clone(), outbox.clone()));
        book.observe(TellsPlanModel::new(routes));
        book.observe(ChecksCitations { workspace: start.workspace.clone(), outbox: outbox.clone() });
        if start.world.settings.evidence.enabled {
            let begun = &self.ground.begun;
            book.observe(ChecksClaims::new(begun.resumed.then(|| begun.opened.past.clone())));
        }
        let past = self.ground.begun.opened.past.clone();
        book.observe(JudgesGoal::new(past, start, purse.clone(), outbox.clone()));
        book.observe(self.parts.hooks.watch());
        book.observe(TellsQueue { queue: queue.clone(), outbox: outbox.clone() });
    }

    /// Says that the session is there and what a person should know before the first prompt, and makes its connection while
    /// the prompt is still being written.
    fn announce(&self) {
        let (outbox, Ground { start, confinement, begun, fleet, .. }) = (&self.voice.outbox, &self.ground);
        tokio::spawn(self.model.warm());
        let model = self.model.card().name.clone();
        if !begun.resumed {
            let record = Box::new(begun.opened.head.clone());
            outbox.emit(Event::SessionStarted { record, model: model.clone(), resumed: false });
        }
        let runs = self.agent.tools.shell().is_some();
        let sandbox = if runs { shortcoming(confinement) } else { None };
        begun.opened.notices.iter().cloned().chain(sandbox).for_each(|phrase| outbox.warn(phrase));
        // Where somebody is, they are asked about trust; where nobody is, it is said.
        let untrusted = TrustWord::new(start.world.settings.trust.clone()).off().filter(|_| !start.attended);
        let keys = key_moved(start, &model).into_iter().chain(key_absent(start, &model));
        let left = left_behind(&start.world.home, start.workspace.roots());
        let warnings =
            left.into_iter().chain(keys).chain(untrusted).chain(self.parts.purse.blind(&model)).chain(fleet.absent());
        warnings.chain(fleet.left_out_news()).for_each(|phrase| outbox.warn(phrase));
    }
}

/// The jobs of a session that is about to run, with who hears of them.
fn heard(
    (jobs, crossing): (Arc<Jobs>, Arc<Crossing>),
    (outbox, book, queue): (&Arc<Outbox>, &Arc<Book>, &Arc<Queue>),
) -> Arc<Jobs> {
    let (outbox, book, queue) = (outbox.clone(), book.clone(), queue.clone());
    jobs.told_to(Around { outbox, book, queue, crossing: Some(crossing) });
    jobs
}

/// What people should know of bundles: which are off, and what of their servers cannot be used.
fn bundle_notices(world: &World) -> Vec<Phrase> {
    world.bundles().told().chain(carried(world).1).collect()
}

/// Nothing can be done where nothing can be written down; that is said before anything else goes wrong for that reason.
fn may_be_kept(start: &Start) -> Result<(), EngineError> {
    let state = start.world.home.join("state");
    match reasonix_store::may_write(&state) {
        Err(error) if start.which != Which::Unkept => {
            let phrase = Phrase::new("engine.home_unwritable").with("path", state.display()).with("reason", error);
            Err(EngineError::Settings(phrase))
        }
        _ => Ok(()),
    }
}

/// The planner, where the settings name one. It reads files for itself: what it saw the other model has not seen.
fn planner_of(
    ground: &Ground,
    agent: &Agent,
    model: &Arc<dyn Model>,
    (outbox, purse, hooks): (&Arc<Outbox>, &Arc<Purse>, &Arc<Hooks>),
    carried: &Carried,
) -> Result<Option<Planner>, EngineError> {
    let Ground { start, begun: Begun { opened, .. }, fleet, .. } = ground;
    if start.world.settings.agent.planner_model.is_none() {
        return Ok(None);
    }
    let world = start.world.recorded_by(start.world.tap.fresh());
    let own = Start { workspace: start.workspace.fresh(), world, ..start.clone() };
    let mut tools = all_tools(&own, &agent.artifacts, carried, BoxedShell::default(), None);
    tools.extend(fleet.tools(&agent.artifacts, model.card().window, &[]));
    let around = PlansAround {
        classify: agent.classify.clone(),
        gate: agent.gate.clone(),
        artifacts: agent.artifacts.clone(),
        outbox: outbox.clone(),
        limits: agent.limits,
        purse: purse.clone(),
        hooks: Arc::new(AroundCalls(Arc::clone(hooks))),
        ledger: |head: &SessionHead| ledger_of(start, head, purse),
        tools,
        executor: &model.card().name,
        earlier: opened.history.planner.as_ref(),
    };
    Planner::new(&own, around)
}

/// The agent at work: the session's own where it goes on. For one that nobody can work as any more stands one that changes
/// nothing, with why, until a person lets another go on; where there is none, that is an error.
fn acting_of(start: &Start, begun: &Begun) -> Result<(AgentProfile, Option<Phrase>), EngineError> {
    if !begun.resumed {
        return Ok((begins_as(start)?, None));
    }
    let trust = TrustWord::new(start.world.settings.trust.clone());
    let name = Some(begun.opened.history.agent.as_str()).filter(|name| !name.is_empty()).unwrap_or(BUILD_AGENT);
    let why = match held(start, &trust, name) {
        Ok((agent, _)) => return Ok((agent, None)),
        Err(why) => why,
    };
    if !start.attended && start.agent.is_none() {
        return Err(EngineError::Settings(why));
    }
    let gone = AgentProfile {
        name: name.to_owned(),
        prompt: Some(String::new()),
        tools: Some(begun.opened.history.head.as_ref().map(|head| head.tools.clone()).unwrap_or_default()),
        rules: AgentRules { reads_only: true, ..AgentRules::default() },
        disable: true,
        ..AgentProfile::default()
    };
    Ok((gone, Some(why).filter(|_| start.agent.is_none())))
}

/// The tools of the agent at work, and all that the session has.
fn tools_of(ground: &Ground, acting: &AgentProfile, shell: BoxedShell, carried: &Carried) -> (Tools, Tools) {
    let Ground { start, begun, had, fleet, .. } = ground;
    let made = |shell: BoxedShell, had: Option<&Had>| toolset(start, &begun.artifacts, carried, (shell, fleet), had);
    let fewer = acting.tools.is_some() || !acting.without.is_empty();
    match had {
        None => {
            let whole = made(shell, None);
            (kept(&whole, acting), whole)
        }
        Some(_) if !fewer => {
            let whole = made(shell, had.as_ref());
            (kept(&whole, acting), whole)
        }
        Some(_) => {
            let own = made(shell.clone(), had.as_ref());
            let shelf = own.shelved().to_vec();
            let all = every_one(ground, shell, carried);
            let told = |tool: &Arc<dyn Tool>| {
                own.iter().find(|own| own.spec().name == tool.spec().name).unwrap_or(tool).clone()
            };
            let whole = Tools::new(all.iter().map(told).collect()).shelving(shelf);
            let own = Tools::new(own.iter().cloned().collect()).shelving(kept(&whole, acting).shelved().to_vec());
            (own, whole)
        }
    }
}

/// All tools of a session whose agent has fewer, told as they were when it began. What only asks people stays where it had
/// that, also while there are none.
fn every_one(ground: &Ground, shell: BoxedShell, carried: &Carried) -> Vec<Arc<dyn Tool>> {
    let Ground { start, begun, fleet, .. } = ground;
    let first = match &begun.opened.head.body {
        RecordBody::Session(head) => Had::of(head, &begun.opened.past).0,
        _ => Had::default(),
    };
    let with_people = Start { attended: true, ..start.clone() };
    let all = toolset(&with_people, &begun.artifacts, carried, (shell, fleet), None);
    let stays =
        |tool: &&Arc<dyn Tool>| start.attended || !tool.spec().traits.asks || first.names.contains(&tool.spec().name);
    let all = all.iter().filter(stays).cloned().collect();
    told_where_known(all, first.specs.as_deref().unwrap_or_default())
}

/// Tells the gate of the agents that are at work, or may be before anybody chooses another.
fn know_agents(start: &Start, trust: &TrustWord, gate: &Approvals, acting: &AgentProfile) -> Result<(), EngineError> {
    let root = start.workspace.root();
    let roster = roster_of(start, trust);
    let plan = roster.named(PLAN_AGENT).cloned();
    if let Some(why) = plan.as_ref().and_then(|plan| unusable(start, &roster, plan)) {
        return Err(EngineError::Settings(why));
    }
    for agent in plan.iter().chain([acting]) {
        gate.know_agent(AgentStanding::new(agent, root)?);
    }
    Ok(())
}

/// The todo list as it was left.
fn todo_of(opened: &Opened) -> Todo {
    let todo = Todo::default();
    if let Some(phases) = opened.history.todo.clone() {
        todo.restore(phases);
    }
    todo
}

/// Who can be asked.
fn people_of(start: &Start, voice: &Voice) -> Arc<People> {
    let floor = start.attended.then(|| Floor {
        sink: voice.outbox.clone(),
        journal: voice.book.clone(),
        stance: Box::new(voice.book.stance()),
    });
    Arc::new(People::new(floor, start.world.settings.ask.timeout))
}

/// What counts what is spent; what happens is recorded from now on, where something is kept at all.
fn purse_of(start: &Start, (opened, head): (&Opened, &SessionHead), outbox: &Arc<Outbox>) -> Arc<Purse> {
    if start.which != Which::Unkept {
        let sessions = Sessions::at(&start.world.home.join("state"));
        start.world.tap.bind(&sessions, (opened, head), start.world.settings.record.most(), outbox);
    }
    let settings = Arc::new(start.world.settings.clone());
    Arc::new(Purse::new(settings, outbox.clone()).shown_by(outbox).filled_by(start.world.hand.clone()))
}

/// What keeps the ledger; nothing for a session that leaves nothing on disk.
fn ledger_of(start: &Start, head: &SessionHead, purse: &Arc<Purse>) -> Option<KeepsLedger> {
    let ledger = Ledger::at(&start.world.home.join("state"));
    (start.which != Which::Unkept).then(|| KeepsLedger::new(ledger, purse.clone(), head, head.cwd.clone()))
}

fn broken(opened: &Opened) -> EngineError {
    let reason = format!("record {} is not readable", opened.head.id);
    EngineError::Settings(Phrase::new("engine.log_unreadable").with("reason", reason))
}

/// What a status line shows at the beginning.
fn status_of(ground: &Ground, model: &Arc<dyn Model>) -> Status {
    let Ground { start, confinement, begun: Begun { opened, .. }, head, .. } = ground;
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
        agent: opened.history.agent.clone(),
        goal: None,
        posture: reasonix_proto::Posture::Ask,
        sandbox: word(confinement),
        folder: start.workspace.root().display().to_string(),
        turns: opened.past.turns(),
        usage,
        context: opened.history.context,
        window: card.window,
        cost,
        queue: Vec::new(),
        kept: start.which != Which::Unkept,
        jobs: 0,
    }
}

/// What keeps the files for undo; nothing for a session that leaves nothing on disk, and where it cannot be had.
fn undo_of(start: &Start, opened: &Opened, Voice { outbox, book }: &Voice) -> Option<Arc<Undo>> {
    if start.which == Which::Unkept || !start.world.settings.undo.enabled {
        return None;
    }
    let snapshots = snapshots_of(start.workspace.root(), &start.world.home).map_err(|error| error.to_string());
    let undo = snapshots.and_then(|snapshots| {
        let most = start.world.settings.undo.max_mb.saturating_mul(1024 * 1024);
        let session = outbox.session().to_string();
        let keep = UndoKeep { home: start.world.home.clone(), most, session };
        Undo::new(snapshots, keep, broken_span(&opened.past), book.clone(), outbox.clone())
            .map_err(|error| error.to_string())
    });
    match undo {
        Ok(undo) => Some(Arc::new(undo)),
        Err(reason) => {
            outbox.warn(Phrase::new("engine.undo_off").with("reason", reason));
            None
        }
    }
}

/// What commands are held to. Without a person nobody would see that none can run, so that is an error.
fn confinement_of(start: &Start) -> Result<Confinement, EngineError> {
    if !runs_commands(start) {
        return Ok(Confinement::None);
    }
    // What the agent that it begins with is denied is closed to commands too.
    let mut settings = start.world.settings.clone();
    settings.permissions.deny.extend(begins_as(start)?.rules.deny);
    let confinement = confinement(&settings, &start.workspace, &start.world.home);
    match (&confinement, shortcoming(&confinement)) {
        (Confinement::Refused { .. }, Some(phrase)) if !start.attended => Err(EngineError::Settings(phrase)),
        _ => Ok(confinement),
    }
}

/// The model that was asked for; otherwise the one the session last had, thinking as hard; otherwise the default.
fn pick_model(start: &Start, acting: &AgentProfile, earlier: Option<&History>) -> Result<Arc<dyn Model>, EngineError> {
    let (settings, world) = (&start.world.settings, sampled(&start.world, acting));
    let earlier = earlier.filter(|_| start.model.is_none());
    if let Some(earlier) = earlier.filter(|earlier| settings.resolve_model(&earlier.model).is_ok()) {
        return world.model_thinking(&earlier.model, earlier.effort.as_deref());
    }
    let sampled = Start { world, ..start.clone() };
    sampled.world.model(&sampled.named_model()?)
}

/// A word about where the model's key goes, if that is not where it went the last time.
fn key_moved(start: &Start, model: &str) -> Option<Phrase> {
    let found = start.world.settings.resolve_model(model).ok().filter(|_| start.which != Which::Unkept)?;
    key_destination(&found, &start.world.env, &start.world.home)
}

/// A hosted service is asked without the key that it is said to need: most refuse that, in words that do not help.
fn key_absent(start: &Start, model: &str) -> Option<Phrase> {
    let provider = start.world.settings.resolve_model(model).ok()?.provider;
    let name = provider.api_key_env.as_deref().filter(|_| !provider.is_local())?;
    let absent = reasonix_config::api_key(provider, &start.world.env, &start.world.home).is_none();
    absent.then(|| Phrase::new("engine.no_key").with("name", name).with("provider", &provider.name))
}

fn limits_of(settings: &Settings, model: &str, acting: &AgentProfile) -> Limits {
    let seconds = settings.agent.turn_timeout_seconds;
    let how = &settings.compaction;
    Limits {
        max_steps: steps_of(settings.agent.max_steps, acting),
        turn_timeout: (seconds > 0).then(|| Duration::from_secs(seconds)),
        compaction: Compaction { auto: folds(settings, model), prune: how.prune, ratio: how.ratio },
    }
}
