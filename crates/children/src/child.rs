//! One subagent: a session of its own, with its own prefix and no history, judged by the gate of the session that it works for.

use super::forks::Forked;
use super::heard::{Heard, Spent};
use super::isolation::Apart;
use super::models::{model_of, session_model};
use super::share::Share;
use super::yields::{HandedResult, YIELD, Yields};
use super::{Children, Kin, Kit};
use reasonix_agent::{Agent, Aspect, Compaction, Conversation, Inbox, Limits, Model, Stop, Tool, ToolSpec, Tools};
use reasonix_assembly::beside::Beside;
use reasonix_assembly::blueprint::{Blueprint, conversation_of};
use reasonix_assembly::observers::{KeepsLedger, TellsGate};
use reasonix_assembly::roster::{kept, steps_of, words_of};
use reasonix_assembly::told::as_told;
use reasonix_extensions::agent_note;
use reasonix_gate::{AgentStanding, Approvals};
use reasonix_hooks::AroundChild;
use reasonix_proto::{AgentOrigin, AgentProfile, CallId, Mode, Origin, Phrase, SessionHead, SessionId, TurnEnd};
use reasonix_session::{Beginning, Ledger, Opened, SessionError, Sessions, in_memory};
use reasonix_state::{Book, SessionState};
use reasonix_talk::tools::{BySkill, Delegates};
use reasonix_world::error::EngineError;
use reasonix_world::shelf::skills_chapter;
use reasonix_world::spec::{Start, Which, folds};
use serde_json::Value;
use std::any::Any;
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::watch;

/// What a subagent is told where its profile has no words of its own.
const PROMPT: &str = include_str!("child.md");

/// What one is told beside that which works in a clone of its own.
const APART: &str = include_str!("apart.md");

/// How often and how long a log is waited for that its last turn still lets go of.
const PATIENCE: (u32, Duration) = (100, Duration::from_millis(20));

/// A subagent.
pub(super) struct Child {
    agent: Agent,
    conversation: Conversation,
    heard: Arc<Heard>,
    yields: Option<Arc<Yields>>,
    pub(super) session: SessionId,
    pub(super) model: String,
    /// The way out of its own box, where it has one.
    _way_out: Option<Box<dyn Any + Send>>,
}

/// Who it is to be.
pub(super) struct Wanted<'a> {
    /// What it is called.
    pub(super) name: &'a str,
    pub(super) profile: &'a AgentProfile,
    /// The session that it goes on with.
    pub(super) earlier: Option<&'a SessionId>,
    /// What it has to hand back.
    pub(super) schema: Option<&'a Value>,
    /// The clone that it works in; none for one that reads in the session's folder.
    pub(super) apart: Option<&'a Apart>,
    /// The skill that it does.
    pub(super) skill: Option<&'a BySkill>,
    /// The conversation that it begins with, and the call that it was copied at.
    pub(super) fork: Option<(&'a Forked, &'a CallId)>,
}

impl Child {
    /// Makes one, or takes up one that rests.
    pub(super) async fn new(of: &Children, kin: &Kin, wanted: Wanted<'_>) -> Result<Self, EngineError> {
        let Wanted { name, profile: own, earlier, schema, apart, skill, fork } = wanted;
        let profile = narrowed(own, apart.is_some());
        let from = apart.map_or(&*kin.start, |apart| &apart.start);
        let world = from.world.recorded_by(kin.start.world.tap.fresh());
        let start = Start { workspace: from.workspace.fresh(), world, attended: false, ..from.clone() };
        let model =
            if fork.is_some() { session_model(kin, &start.world) } else { model_of(kin, &start.world, &profile) }?;
        let below = of.below(name, &profile);
        let others: Arc<dyn Delegates> = below.clone();
        let makes = apart.map_or_else(|| kin.kit.tools.clone(), |apart| (kin.kit.tools_in)(apart.shell.clone()));
        let all = makes(&start, &others, model.card().window);
        let yields = schema.filter(|_| earlier.is_none()).map(Yields::new).transpose();
        let yields = yields.map_err(|why| unfit_schema(&profile, &why))?;
        let tools = match fork {
            Some((fork, _)) => fork.tools(&all),
            None => offered(&all, &profile, apart, yields.as_ref()),
        };
        let sandbox = apart.map_or(&kin.kit.sandbox, |apart| &apart.sandbox);
        let told = (sandbox.as_str(), apart.is_some());
        let new = || match fork {
            Some((fork, _)) => fork.beginning(&start, kin, (name, &profile.name)),
            None => Beginning::new(head(&start, kin, (name, &profile, skill), told, (&model, &tools)), &tools.specs()),
        };
        let mut opened = open(&start, earlier, new).await?;
        let Some(head) = opened.history.head.clone() else {
            let phrase = Phrase::new("engine.log_unreadable").with("reason", "the subagent's session");
            return Err(EngineError::Settings(phrase));
        };
        // One that goes on sends what it sent.
        let specs = opened.past.specs(&head).ok().flatten();
        let (tools, yields) = specs.map_or((tools.clone(), yields.clone()), |specs| before(&tools, yields, &specs));
        if let Some((fork, call)) = fork {
            opened.history.messages = fork.begin(opened.journal.as_ref(), (call, name)).await?;
        }
        start.world.tap.bind(&sessions(&start), (&opened, &head), start.world.settings.record.most(), &kin.outbox);
        let gate = Arc::new(gate_of(kin, (name, &profile), (apart, &start), skill)?);
        let heard = Heard::new(&kin.outbox, &head.session, &kin.session);
        yields.iter().for_each(|yields| yields.know(&heard));
        let last = heard.clone();
        let name_of_model = model.card().name.clone();
        let book = book_of(kin, &start, (&head, &opened), (&gate, &heard), &name_of_model);
        let moved = |apart: &Apart| kin.hooks.moved_to(&start, (&kin.root, &gate), &apart.shell.confinement);
        let hooks = apart.map_or_else(|| Arc::clone(&kin.hooks), moved);
        let around = AroundChild::new(&hooks, move || last.said());
        let _way_out = apart.map(|apart| apart.way_out(&gate, book.clone()));
        below.know(Kin {
            gate: gate.clone(),
            session: head.session.clone(),
            start: apart.map_or_else(|| kin.start.clone(), |_| Arc::new(start.clone())),
            kit: Kit { tools: makes, sandbox: sandbox.clone(), ..kin.kit.clone() },
            hooks,
            ..kin.clone()
        });
        let limits = limits_of(kin, (&start, apart.is_some()), own, &name_of_model);
        let (agent, prefix) = Blueprint::new(Arc::new(model), tools)
            .judged_by(gate.clone(), gate)
            .kept_by(book, kin.artifacts.clone(), heard.clone())
            .surrounded_by(yields.iter().map(|yields| Arc::clone(yields) as Arc<dyn Aspect>))
            .surrounded_by([below.clone() as Arc<dyn Aspect>, around as Arc<dyn Aspect>])
            .within(Share::of(&kin.purse), limits)
            .build(head.system);
        let Opened { past, history, .. } = opened;
        let conversation = conversation_of(&prefix, history, past.turns(), &agent.artifacts);
        let (session, model) = (head.session, name_of_model);
        Ok(Self { agent, conversation, heard, yields, session, model, _way_out })
    }

    /// Works on an assignment: how that ended, what it took, and what it handed back.
    pub(super) async fn work(
        &mut self,
        assignment: String,
        inbox: &Inbox,
        stop: &Stop,
    ) -> (TurnEnd, Spent, HandedResult) {
        let end = self.agent.turn(&mut self.conversation, assignment.into(), inbox, stop).await;
        let said = self.conversation.last_words().map(str::to_owned).unwrap_or_default();
        let result = match &self.yields {
            Some(yields) => yields.result(said),
            None => HandedResult { text: said, unfit: false },
        };
        (end, self.heard.take(), result)
    }
}

/// The gate before it: that of the session, held to its profile and to what the skill that it does is content with.
fn gate_of(
    kin: &Kin,
    (name, profile): (&str, &AgentProfile),
    (apart, start): (Option<&Apart>, &Start),
    skill: Option<&BySkill>,
) -> Result<Approvals, EngineError> {
    let gate = match apart {
        Some(apart) => apart.gate(kin, name, profile)?,
        None => kin.gate.below(name, AgentStanding::new(profile, start.workspace.root())?),
    };
    Ok(match skill.and_then(BySkill::narrowing) {
        Some(narrowing) => gate.held_to(narrowing),
        None => gate,
    })
}

/// The tools of one that begins: what it may not use it is not told of.
fn offered(all: &Tools, profile: &AgentProfile, apart: Option<&Apart>, yields: Option<&Arc<Yields>>) -> Tools {
    let usable = |tool: &&Arc<dyn Tool>| {
        let spec = tool.spec();
        !(profile.rules.reads_only && spec.traits.edits) && apart.is_none_or(|apart| apart.has(tool.as_ref()))
    };
    let own = yields.into_iter().map(|yields| Arc::clone(yields) as Arc<dyn Tool>);
    Tools::new(kept(all, profile).iter().filter(usable).cloned().chain(own).collect())
}

/// The tools as a subagent was told of them that goes on, with the one that hands back by the schema it had.
fn before(tools: &Tools, yields: Option<Arc<Yields>>, specs: &[ToolSpec]) -> (Tools, Option<Arc<Yields>>) {
    let had = || specs.iter().find(|spec| spec.name == YIELD).and_then(|spec| Yields::told(spec.clone()).ok());
    let yields = yields.or_else(had);
    let own = yields.iter().map(|yields| Arc::clone(yields) as Arc<dyn Tool>);
    let all: Vec<_> = own.chain(tools.iter().cloned()).collect();
    (Tools::new(as_told(&all, specs)), yields)
}

fn unfit_schema(profile: &AgentProfile, why: &str) -> EngineError {
    EngineError::Settings(Phrase::new("engine.agent_output").with("name", &profile.name).with("reason", why))
}

/// A profile as it holds for a subagent: a model chose it, so that it can only tighten; and in the folder of the session it reads.
fn narrowed(profile: &AgentProfile, writes: bool) -> AgentProfile {
    let mut profile = profile.clone();
    profile.origin = AgentOrigin::Project;
    profile.rules.allow.clear();
    profile.rules.reads_only |= !writes;
    profile
}

/// Subagents have a folder of their own: nobody goes on with one by mistake.
fn sessions(start: &Start) -> Sessions {
    Sessions::at(&start.world.home.join("state")).children()
}

async fn open(start: &Start, earlier: Option<&SessionId>, new: impl Fn() -> Beginning) -> Result<Opened, EngineError> {
    let Some(earlier) = earlier else {
        return match start.which {
            Which::Unkept => Ok(in_memory(new().unkept())),
            _ => Ok(sessions(start).create(new())?),
        };
    };
    let mut tries = PATIENCE.0;
    loop {
        match sessions(start).open(&earlier.0, |_| {}) {
            Err(SessionError::InUse { .. }) if tries > 0 => tries -= 1,
            opened => return Ok(opened?),
        }
        tokio::time::sleep(PATIENCE.1).await;
    }
}

fn head(
    start: &Start,
    kin: &Kin,
    (name, profile, skill): (&str, &AgentProfile, Option<&BySkill>),
    (sandbox, apart): (&str, bool),
    (model, tools): (&Arc<dyn Model>, &Tools),
) -> SessionHead {
    let card = model.card();
    let mut base = words_of(start, profile, PROMPT);
    if apart {
        base = format!("{base}\n\n{}", APART.trim_end());
    }
    let note = if profile.prompt.is_some() { String::new() } else { agent_note(profile) };
    if !note.is_empty() {
        base = format!("{base}\n\n{note}");
    }
    if let Some(words) = skill.and_then(|skill| skill.prompt.as_deref()) {
        base = format!("{base}\n\n{words}");
    }
    let instructs = tools.iter().any(|tool| tool.spec().traits.instructs);
    let skills = if instructs { skills_chapter(start, card.window).0 } else { String::new() };
    let from = Origin::Task { session: kin.session.clone(), child: name.to_owned() };
    let sandbox = if tools.shell().is_some() { sandbox } else { "" };
    let beside = Beside {
        base: &base,
        skills: &skills,
        model: &card.name,
        window: card.window,
        from: Some(from),
        agent: Some(profile.name.clone()),
        sandbox,
        tools: &tools.specs(),
    };
    beside.head(start)
}

fn book_of(
    kin: &Kin,
    start: &Start,
    (head, opened): (&SessionHead, &Opened),
    (gate, heard): (&Arc<Approvals>, &Arc<Heard>),
    model: &str,
) -> Arc<Book> {
    let state = SessionState::new(model.to_owned(), None, Mode::Build);
    let book = Book::new(opened.journal.clone(), watch::Sender::new(state), heard.clone());
    if start.which != Which::Unkept {
        let ledger = Ledger::at(&start.world.home.join("state"));
        // One in a clone works for the session's folder.
        let folder = kin.start.workspace.root().display().to_string();
        book.observe(KeepsLedger::new(ledger, kin.purse.clone(), head, folder));
    }
    book.observe(TellsGate(gate.clone()));
    book
}

/// Its bounds, by its profile as somebody wrote it: only a project's may take no more steps than there are.
fn limits_of(kin: &Kin, (start, writes): (&Start, bool), profile: &AgentProfile, model: &str) -> Limits {
    let settings = &start.world.settings;
    let most = if writes { settings.task.writer_max_steps } else { settings.task.max_steps };
    let compaction = Compaction { auto: folds(settings, model), ..kin.limits.compaction };
    Limits { max_steps: steps_of(most, profile), compaction, ..kin.limits }
}
