//! Two models together: the planner looks around with tools that only read, in a session of its own, and hands a plan
//! over as text; the session's own model carries it out. Neither conversation sees the other's turns, so that both only
//! grow and stay cached.

use reasonix_agent::{
    Agent, Artifacts, Aspect, Classify, Conversation, Gate, Inbox, Journal, Limits, Said, Sink, Stop, Tool, Tools,
};
use reasonix_assembly::beside::Beside;
use reasonix_assembly::blueprint::{Blueprint, conversation_of};
use reasonix_assembly::observers::KeepsLedger;
use reasonix_assembly::told::as_told;
use reasonix_proto::{
    Cost, Event, Level, Mode, Phrase, PlannerTurn, RecordBody, SessionHead, SessionId, TurnEnd, TurnState, Usage,
};
use reasonix_session::{Beginning, Opened, Sessions, in_memory};
use reasonix_state::outbox::Outbox;
use reasonix_state::purse::Purse;
use reasonix_state::{Book, SessionState};
use reasonix_world::error::EngineError;
use reasonix_world::spec::{Start, Which};
use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};
use tokio::sync::watch;

/// What the planner is told.
const PROMPT: &str = include_str!("planner.md");
/// What the planner reads of the last answer, at most.
const LAST_WORDS: usize = 4000;
/// A longer plan is cut; it would fill every later request.
const LONGEST_PLAN: usize = 16_000;

/// The planner of a session.
pub(crate) struct Planner {
    agent: Agent,
    conversation: Conversation,
    session: SessionId,
    /// Its model, as `provider/model`.
    name: String,
    heard: Arc<Heard>,
    outbox: Arc<Outbox>,
}

/// What a planner shares with the session that it plans for.
pub(crate) struct Around<'a, L> {
    pub(crate) classify: Arc<dyn Classify>,
    pub(crate) gate: Arc<dyn Gate>,
    pub(crate) artifacts: Arc<dyn Artifacts>,
    pub(crate) outbox: Arc<Outbox>,
    pub(crate) limits: Limits,
    pub(crate) purse: Arc<Purse>,
    /// Hooks stand around its calls too.
    pub(crate) hooks: Arc<dyn Aspect>,
    /// What keeps the ledger of a session that begins like this.
    pub(crate) ledger: L,
    /// Every tool of a session, over files of its own.
    pub(crate) tools: Vec<Arc<dyn Tool>>,
    /// The session's model.
    pub(crate) executor: &'a str,
    /// The planner's session so far.
    pub(crate) earlier: Option<&'a SessionId>,
}

impl Planner {
    /// The planner that the settings name; none when they name none, or the session's own model.
    pub(crate) fn new<L>(start: &Start, around: Around<'_, L>) -> Result<Option<Self>, EngineError>
    where
        L: FnOnce(&SessionHead) -> Option<KeepsLedger>,
    {
        let settings = &start.world.settings;
        let Some(reference) = settings.agent.planner_model.as_deref().filter(|reference| !reference.is_empty()) else {
            return Ok(None);
        };
        let unknown = |_| Phrase::new("engine.planner_unknown").with("reference", reference);
        let found = settings.resolve_model(reference).map_err(|error| EngineError::Settings(unknown(error)))?;
        if found.name() == around.executor {
            return Ok(None);
        }
        let model = start.world.model(&found)?;
        let readers: Vec<_> = around.tools.into_iter().filter(|tool| tool.spec().traits.reads).collect();
        let new = || {
            let (tools, window) = (Tools::new(readers.clone()).specs(), model.card().window);
            let head =
                Beside { base: PROMPT, model: &found.name(), window, tools: &tools, ..Beside::default() }.head(start);
            Beginning::new(head, &tools)
        };
        let opened = open(start, around.earlier, new)?;
        let Some(head) = opened.history.head.clone() else {
            let phrase = Phrase::new("engine.log_unreadable").with("reason", "the planner's session");
            return Err(EngineError::Settings(phrase));
        };
        // One that goes on sends what it sent.
        let specs = opened.past.specs(&head).ok().flatten();
        let tools = Tools::new(specs.map_or_else(|| readers.clone(), |specs| as_told(&readers, &specs)));
        start.world.tap.bind(&sessions(&start.world.home), (&opened, &head), settings.record.most(), &around.outbox);
        let heard = Arc::new(Heard { outbox: around.outbox.clone(), spent: Mutex::default() });
        let ledger = (around.ledger)(&head);
        let SessionHead { system, session, .. } = head;
        let Opened { journal, past, history, .. } = opened;
        let state = SessionState::new(found.name(), None, Mode::Build);
        let book = Book::new(journal, watch::Sender::new(state), heard.clone());
        if let Some(ledger) = ledger {
            book.observe(ledger);
        }
        let name = found.name();
        let limits = Limits { max_steps: settings.agent.planner_max_steps, ..around.limits };
        let (agent, prefix) = Blueprint::new(Arc::new(model), tools)
            .judged_by(around.classify, around.gate)
            .kept_by(book, around.artifacts, heard.clone())
            .surrounded_by([around.hooks])
            .within(around.purse, limits)
            .build(system);
        let conversation = conversation_of(&prefix, history, past.turns(), &agent.artifacts);
        Ok(Some(Self { agent, conversation, session, name, heard, outbox: around.outbox }))
    }

    /// Plans a turn, and keeps in the session's own journal that it does. Gives what the other model is told: what was
    /// said with the plan for it, or as it was where there is none.
    pub(crate) async fn plan(&mut self, said: Said, last: Option<String>, journal: &dyn Journal, stop: &Stop) -> Said {
        let model = self.name.clone();
        let blank = PlannerTurn {
            session: self.session.clone(),
            model: model.clone(),
            prompt: Some(said.typed().to_owned()),
            end: None,
            steps: 0,
            usage: Usage::default(),
            cost: None,
        };
        // What the user said must be on disk before anybody acts on it.
        if !self.keep(journal, blank.clone()).await {
            return said;
        }
        let phrase = Phrase::new("engine.planner_begins").with("model", &model);
        self.outbox.emit(Event::Notice { level: Level::Info, phrase });
        self.outbox.emit(Event::State { state: TurnState::AwaitingModel });
        let prompt = question(&said.text, last.as_deref());
        let end = self.agent.turn(&mut self.conversation, prompt.into(), &Inbox::default(), stop).await;
        let Spent { usage, steps, cost } = self.heard.take();
        self.outbox.count(usage);
        self.keep(journal, PlannerTurn { prompt: None, end: Some(end.clone()), steps, usage, cost, ..blank }).await;
        let plan = self.conversation.last_words().map(str::to_owned).unwrap_or_default();
        match end {
            TurnEnd::Done | TurnEnd::StepLimit if !plan.trim().is_empty() => handed_over(&said, &plan, &model),
            TurnEnd::Interrupted => said,
            other => {
                let phrase = Phrase::new("engine.planner_failed").with("model", model).with("reason", reason(&other));
                self.outbox.emit(Event::Notice { level: Level::Warning, phrase });
                said
            }
        }
    }

    async fn keep(&self, journal: &dyn Journal, turn: PlannerTurn) -> bool {
        match journal.append(RecordBody::Planner(Box::new(turn))).await {
            Ok(record) => {
                self.outbox.emit(Event::Changed { record: Box::new(record) });
                true
            }
            Err(error) => {
                let phrase = error.phrase();
                self.outbox.emit(Event::Notice { level: Level::Error, phrase });
                false
            }
        }
    }
}

/// Planners have a folder of their own: nobody goes on with one by mistake.
fn sessions(home: &Path) -> Sessions {
    Sessions::at(&home.join("state/planners"))
}

/// The planner's session as it was left, or a new one.
fn open(start: &Start, earlier: Option<&SessionId>, new: impl FnOnce() -> Beginning) -> Result<Opened, EngineError> {
    if start.which == Which::Unkept {
        return Ok(in_memory(new().unkept()));
    }
    let sessions = sessions(&start.world.home);
    let known = earlier.and_then(|id| sessions.open(&id.0, |_| {}).ok());
    match known {
        Some(opened) => Ok(opened),
        None => Ok(sessions.create(new())?),
    }
}

/// What the planner is asked.
fn question(prompt: &str, last: Option<&str>) -> String {
    match last.map(str::trim).filter(|last| !last.is_empty()) {
        Some(last) => {
            let last = clipped(last, LAST_WORDS);
            format!("<carried_out>\n{last}\n</carried_out>\n\n<request>\n{prompt}\n</request>")
        }
        None => format!("<request>\n{prompt}\n</request>"),
    }
}

/// What the other model is told: the user's words, and the plan for them.
fn handed_over(said: &Said, plan: &str, model: &str) -> Said {
    let plan = clipped(plan.trim(), LONGEST_PLAN);
    let text = format!(
        "{}\n\n<plan by=\"{model}\">\n{plan}\n</plan>\nCarry this plan out. It was made by looking only: where the files say otherwise, \
         follow the files and say so.",
        said.text
    );
    Said { text, typed: Some(said.typed().to_owned()), ..said.clone() }
}

fn clipped(text: &str, most: usize) -> &str {
    text.get(..text.floor_char_boundary(most)).unwrap_or_default()
}

fn reason(end: &TurnEnd) -> String {
    match end {
        TurnEnd::ProviderFailed { why, .. } | TurnEnd::Refused { why, .. } | TurnEnd::Broken { why } => {
            why.code.to_string()
        }
        TurnEnd::TimedOut => "timed out".to_owned(),
        _ => "no plan".to_owned(),
    }
}

/// Hears what the planner does. Its words and calls are its own affair; what it spends, and what a person should know,
/// is not.
struct Heard {
    outbox: Arc<Outbox>,
    spent: Mutex<Spent>,
}

/// What one turn took.
#[derive(Default)]
struct Spent {
    usage: Usage,
    steps: u32,
    cost: Option<Cost>,
}

impl Heard {
    fn take(&self) -> Spent {
        std::mem::take(&mut *self.spent.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

impl Sink for Heard {
    fn emit(&self, event: Event) {
        match event {
            Event::TurnEnded { record } => {
                if let RecordBody::TurnEnded { usage, steps, cost, .. } = record.body {
                    *self.spent.lock().unwrap_or_else(PoisonError::into_inner) = Spent { usage, steps, cost };
                }
            }
            Event::ToolStarted { tool, subject, .. } => {
                let phrase = Phrase::new("engine.planner_looks").with("tool", tool).with("subject", subject);
                self.outbox.emit(Event::Notice { level: Level::Info, phrase });
            }
            notice @ Event::Notice { .. } => self.outbox.emit(notice),
            _ => {}
        }
    }
}
