//! Which edit format a model gets right, measured at the user's own endpoint: generated files with a fault, the words that
//! say how to put it right, and the bytes that have to come out. What was tried is kept in a ledger, so that a run goes on
//! where the last one stopped. Nothing of the user's is sent.

mod attempt;
mod cases;
mod dice;
mod fault;
mod language;
mod room;

pub use cases::{Case, case};
pub use language::{LANGUAGES, Language, SET, language};

use crate::error::EngineError;
use crate::models::build_model;
use crate::outbox::{Events, Outbox};
use crate::purse::{Purse, price};
use crate::tap::Tap;
use attempt::{Outcome, Scene};
use reasonix_agent::{Model, Stop, estimate_tokens};
use reasonix_config::Settings;
use reasonix_proto::{
    BudgetInfo, Cost, EditFormat, Event, Level, Mode, Phrase, Posture, RecordId, SessionId, Status, TurnState, Usage,
};
use reasonix_session::{Entry, Ledger, Trial, TrialKey, Trials, Tried, Why, now};
use reasonix_workspace::{Options, Workspace};
use room::Room;
use std::collections::BTreeMap;
use std::io;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Instant;

/// Failures of the endpoint in a row after which there is no use in going on.
const FAILURES: u32 = 3;
/// What a change is reckoned to take, in tokens, where the file is not written whole.
const CHANGE: u64 = 140;

/// What is to be measured.
#[derive(Debug, Clone)]
pub struct Plan {
    /// The model reference; the default when none.
    pub model: Option<String>,
    /// The languages.
    pub languages: Vec<&'static Language>,
    /// The formats.
    pub formats: Vec<EditFormat>,
    /// Cases of each language.
    pub cases: usize,
    /// What the cases are made from.
    pub seed: u64,
}

/// Where it happens.
pub struct Place {
    /// What the user wrote on disk and said on the command line.
    pub settings: Settings,
    /// The environment of the process, for keys.
    pub env: BTreeMap<String, String>,
    /// The user's folder, `~/.reasonix`.
    pub home: PathBuf,
    /// The working folder, for the figures of what was spent.
    pub folder: PathBuf,
}

/// What the requests that are still to be made will take, by estimate.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Estimate {
    /// Tokens; reasoning cannot be foreseen.
    pub usage: Usage,
    /// Money, where prices are known.
    pub cost: Option<Cost>,
}

/// What is told while it runs.
pub enum Told<'a> {
    /// A request goes out.
    Trying(&'a Case, EditFormat),
    /// It came to this.
    Tried(&'a Trial),
    /// Something that a person should know.
    Notice(Level, Phrase),
}

/// How a run ended.
#[derive(Debug, Clone, PartialEq)]
pub enum End {
    /// Everything was tried.
    Done,
    /// The user stopped it.
    Stopped,
    /// Nothing more may be spent.
    OutOfBudget(Phrase),
    /// The endpoint does not answer as it should.
    Failed(Phrase),
}

/// A measurement.
pub struct Bench {
    place: Place,
    plan: Plan,
    model: String,
    trials: Trials,
    purse: Arc<Purse>,
    outbox: Arc<Outbox>,
    events: Events,
    /// What keeps what was spent, under a name of its own.
    session: SessionId,
}

impl Bench {
    /// Puts it together; nothing is sent or written.
    pub fn new(mut place: Place, plan: Plan) -> Result<Self, EngineError> {
        // Another model must not answer in the place of the one that is measured.
        place.settings.fallback_models.clear();
        place.settings.models.iter_mut().for_each(|model| model.fallback.clear());
        let found = place.settings.model_or_default(plan.model.as_deref())?;
        let (model, session) = (found.name(), SessionId::fresh());
        let (outbox, events) = Outbox::new(status(&session, &model));
        let purse = Arc::new(Purse::new(Arc::new(place.settings.clone()), outbox.clone()));
        let trials = Trials::at(&place.home.join("state"));
        Ok(Self { place, plan, model, trials, purse, outbox, events, session })
    }

    /// The model as `provider/model`.
    pub fn model(&self) -> &str {
        &self.model
    }

    /// The ledger.
    pub fn trials(&self) -> &Trials {
        &self.trials
    }

    /// What was spent so far.
    pub fn spent(&self) -> BudgetInfo {
        self.purse.info()
    }

    /// A word where a limit of money cannot hold.
    pub fn blind(&self) -> Option<Phrase> {
        self.purse.blind(&self.model)
    }

    /// Every trial of the plan. What is alike stands far apart, so that a run that is stopped has tried some of everything.
    pub fn all(&self) -> Vec<(Case, EditFormat)> {
        let plan = &self.plan;
        let cases = (0..plan.cases).flat_map(|number| plan.languages.iter().map(move |language| (number, *language)));
        cases
            .flat_map(|(number, language)| {
                let case = case(language, plan.seed, number);
                plan.formats.iter().map(move |format| (case.clone(), *format))
            })
            .collect()
    }

    /// What of it was not tried yet.
    pub fn left(&self, tried: &Tried) -> Vec<(Case, EditFormat)> {
        self.all().into_iter().filter(|(case, format)| !tried.has(&self.key(case, *format))).collect()
    }

    /// What was tried of this plan does not count any more.
    pub fn restart(&self) -> io::Result<()> {
        let languages: Vec<String> = self.plan.languages.iter().map(|language| language.name.to_owned()).collect();
        self.trials.forget(&self.model, self.plan.seed, &languages, &self.plan.formats)
    }

    /// What these will take.
    pub fn estimate(&self, left: &[(Case, EditFormat)]) -> Estimate {
        let nowhere = Workspace::open(&std::env::temp_dir(), Options::default());
        let mut usage = Usage::default();
        for (case, format) in left {
            let head = nowhere.as_ref().map_or(0, |nowhere| {
                let prefix = attempt::prefix(*format, &attempt::tools(*format, nowhere));
                let tools = serde_json::to_string(&prefix.tools).unwrap_or_default();
                estimate_tokens(&prefix.system) + estimate_tokens(&tools)
            });
            let file = estimate_tokens(&case.before);
            let output = if *format == EditFormat::WriteFile { file } else { CHANGE };
            usage.add(Usage {
                input: head + file + estimate_tokens(&case.task) + CHANGE / 2,
                output,
                ..Usage::default()
            });
        }
        let price = price(&self.place.settings, &self.model);
        Estimate { usage, cost: price.map(|price| price.money(usage)) }
    }

    fn key(&self, case: &Case, format: EditFormat) -> TrialKey {
        TrialKey { model: self.model.clone(), set: SET, seed: self.plan.seed, case: case.id.clone(), format }
    }

    /// The model as a session with this format has it.
    fn model_for(&self, format: EditFormat) -> Result<Arc<dyn Model>, EngineError> {
        let mut settings = self.place.settings.clone();
        settings.tools.edit = format.name().to_owned();
        let said = self.plan.model.as_deref().or(self.place.settings.default_model.as_deref());
        let found = settings.resolve_model(said.unwrap_or(&self.model))?;
        build_model(&settings, &found, &self.place.env, &self.place.home, &Tap::default())
    }

    /// Tries these, one after the other, and keeps what came of each before the next.
    pub async fn run(
        &mut self,
        left: &[(Case, EditFormat)],
        stop: &Stop,
        tell: &mut (dyn FnMut(Told<'_>) + Send),
    ) -> Result<End, EngineError> {
        let room = Room::new(&self.place.home.join("state/bench")).map_err(|error| self.unwritable(&error))?;
        let mut models = BTreeMap::new();
        for format in &self.plan.formats {
            models.insert(*format, self.model_for(*format)?);
        }
        let (mut failures, mut answered) = (0, false);
        for (number, (case, format)) in left.iter().enumerate() {
            let Some(model) = models.get(format) else { continue };
            tell(Told::Trying(case, *format));
            let began = Instant::now();
            let scene = Scene { model, room: &room, purse: &self.purse, outbox: &self.outbox };
            let done = watched(scene.attempt(case, *format, stop), &mut self.events, tell).await;
            let (outcome, usage) = done.map_err(|error| self.unwritable(&error))?;
            self.enter(number, usage);
            let why = match outcome {
                Outcome::Stopped => return Ok(End::Stopped),
                Outcome::OutOfBudget(why) => return Ok(End::OutOfBudget(why)),
                Outcome::Judged(judged) => judged.err(),
                Outcome::Failed(why) => {
                    failures += 1;
                    if failures >= FAILURES || !answered {
                        return Ok(End::Failed(why));
                    }
                    tell(Told::Notice(Level::Warning, why));
                    Some(Why::Error)
                }
            };
            if why != Some(Why::Error) {
                (failures, answered) = (0, true);
            }
            let ms = u64::try_from(began.elapsed().as_millis()).unwrap_or(u64::MAX);
            let language = case.language.name.to_owned();
            let (key, at) = (self.key(case, *format), now());
            let trial = Trial { at, key, language, why, input: usage.input, output: usage.output, ms };
            self.trials.append(&trial).map_err(|error| self.unwritable(&error))?;
            tell(Told::Tried(&trial));
        }
        Ok(End::Done)
    }

    /// Counts a request with what sessions spend. A figure that cannot be kept is no reason to stop.
    fn enter(&self, number: usize, usage: Usage) {
        if usage == Usage::default() {
            return;
        }
        let entry = Entry {
            at: now(),
            session: self.session.clone(),
            record: RecordId(number as u64 + 1),
            folder: self.place.folder.display().to_string(),
            model: self.model.clone(),
            usage,
            cost: price(&self.place.settings, &self.model).map(|price| price.money(usage)),
        };
        let _ = Ledger::at(&self.place.home.join("state")).append(&entry);
    }

    fn unwritable(&self, error: &io::Error) -> EngineError {
        let state = self.place.home.join("state");
        EngineError::Settings(Phrase::new("session.io").with("path", state.display()).with("reason", error))
    }
}

/// Waits for a trial, and passes on what it has to say meanwhile.
async fn watched<T>(work: impl Future<Output = T>, events: &mut Events, tell: &mut (dyn FnMut(Told<'_>) + Send)) -> T {
    tokio::pin!(work);
    let mut pass = |event| {
        if let Event::Notice { level, phrase } = event {
            tell(Told::Notice(level, phrase));
        }
    };
    let done = loop {
        tokio::select! {
            biased;
            done = &mut work => break done,
            Some(envelope) = events.next() => pass(envelope.event),
        }
    };
    std::iter::from_fn(|| events.ready()).for_each(|envelope| pass(envelope.event));
    done
}

/// What there is of a session: nobody looks at it.
fn status(session: &SessionId, model: &str) -> Status {
    Status {
        session: session.clone(),
        title: String::new(),
        state: TurnState::Idle,
        model: model.to_owned(),
        effort: None,
        mode: Mode::Build,
        posture: Posture::Ask,
        sandbox: String::new(),
        folder: String::new(),
        turns: 0,
        usage: Usage::default(),
        context: 0,
        window: 0,
        cost: None,
        queue: Vec::new(),
        kept: false,
    }
}
