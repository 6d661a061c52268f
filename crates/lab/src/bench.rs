//! Which edit format a model gets right, measured at the user's own endpoint: generated files with a fault, the words that
//! say how to put it right, and the bytes that have to come out. What was tried is kept in a ledger, so that a run goes on
//! where the last one stopped. Nothing of the user's is sent.

mod attempt;
mod cases;
mod dice;
mod fault;
mod language;
mod room;

pub use cases::{EditCase, case};
pub use language::{CaseLanguage, LANGUAGES, SET, language};

use attempt::{Outcome, Scene};
use reasonix_agent::{Model, Sink, Stop, estimate_tokens};
use reasonix_engine::{EngineError, Purse, World, bare_prompt};
use reasonix_proto::{BudgetInfo, Cost, EditFormat, Event, Level, Phrase, RecordId, SessionId, Usage};
use reasonix_session::{Entry, Ledger, Trial, TrialKey, Trials, Tried, Why, now};
use reasonix_workspace::{Options, Workspace};
use room::Room;
use std::collections::BTreeMap;
use std::io;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Instant;
use tokio::sync::mpsc;

/// Failures of the endpoint in a row after which there is no use in going on.
const FAILURES: u32 = 3;
/// What a change is reckoned to take, in tokens, where the file is not written whole.
const CHANGE: u64 = 140;

/// What is to be measured.
#[derive(Debug, Clone)]
pub struct BenchPlan {
    /// The model reference; the default when none.
    pub model: Option<String>,
    /// The languages.
    pub languages: Vec<&'static CaseLanguage>,
    /// The formats.
    pub formats: Vec<EditFormat>,
    /// Cases of each language.
    pub cases: usize,
    /// What the cases are made from.
    pub seed: u64,
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
pub enum BenchNews<'a> {
    /// A request goes out.
    Trying(&'a EditCase, EditFormat),
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
    world: World,
    /// The working folder, for the figures of what was spent.
    folder: PathBuf,
    plan: BenchPlan,
    model: String,
    trials: Trials,
    purse: Arc<Purse>,
    sink: Arc<dyn Sink>,
    /// What a person should know, on its way.
    notices: Notices,
    /// What keeps what was spent, under a name of its own.
    session: SessionId,
}

impl Bench {
    /// Puts it together; nothing is sent or written.
    pub fn new(mut world: World, folder: PathBuf, plan: BenchPlan) -> Result<Self, EngineError> {
        // Another model must not answer in the place of the one that is measured.
        world.settings.fallback_models.clear();
        world.settings.models.iter_mut().for_each(|model| model.fallback.clear());
        let found = world.settings.model_or_default(plan.model.as_deref())?;
        let (model, session) = (found.name(), SessionId::fresh());
        let (tell, notices) = mpsc::unbounded_channel();
        let sink: Arc<dyn Sink> = Arc::new(Teller(tell));
        let purse = Arc::new(Purse::new(Arc::new(world.settings.clone()), sink.clone()));
        let trials = Trials::at(&world.home.join("state"));
        Ok(Self { world, folder, plan, model, trials, purse, sink, notices, session })
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
    pub fn all(&self) -> Vec<(EditCase, EditFormat)> {
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
    pub fn left(&self, tried: &Tried) -> Vec<(EditCase, EditFormat)> {
        self.all().into_iter().filter(|(case, format)| !tried.has(&self.key(case, *format))).collect()
    }

    /// What was tried of this plan does not count any more.
    pub fn restart(&self) -> io::Result<()> {
        let languages: Vec<String> = self.plan.languages.iter().map(|language| language.name.to_owned()).collect();
        self.trials.forget(&self.model, self.plan.seed, &languages, &self.plan.formats)
    }

    /// What these will take.
    pub fn estimate(&self, left: &[(EditCase, EditFormat)]) -> Estimate {
        let nowhere = Workspace::open(&std::env::temp_dir(), Options::default());
        let mut usage = Usage::default();
        for (case, format) in left {
            let head = nowhere.as_ref().map_or(0, |nowhere| {
                let specs = attempt::tools(*format, nowhere).specs();
                let tools = serde_json::to_string(&specs).unwrap_or_default();
                estimate_tokens(&bare_prompt(*format)) + estimate_tokens(&tools)
            });
            let file = estimate_tokens(&case.before);
            let output = if *format == EditFormat::WriteFile { file } else { CHANGE };
            usage.add(Usage {
                input: head + file + estimate_tokens(&case.task) + CHANGE / 2,
                output,
                ..Usage::default()
            });
        }
        let price = self.purse.price(&self.model);
        Estimate { usage, cost: price.map(|price| price.money(usage)) }
    }

    fn key(&self, case: &EditCase, format: EditFormat) -> TrialKey {
        TrialKey { model: self.model.clone(), set: SET, seed: self.plan.seed, case: case.id.clone(), format }
    }

    /// The model as a session with this format has it.
    fn model_for(&self, format: EditFormat) -> Result<Arc<dyn Model>, EngineError> {
        let mut world = self.world.clone();
        world.settings.tools.edit = format.name().to_owned();
        let said = self.plan.model.as_deref().or(self.world.settings.default_model.as_deref());
        world.model(&world.settings.resolve_model(said.unwrap_or(&self.model))?)
    }

    /// Tries these, one after the other, and keeps what came of each before the next.
    pub async fn run(
        &mut self,
        left: &[(EditCase, EditFormat)],
        stop: &Stop,
        tell: &mut (dyn FnMut(BenchNews<'_>) + Send),
    ) -> Result<End, EngineError> {
        let room = Room::new(&self.world.home.join("state/bench")).map_err(|error| self.unwritable(&error))?;
        let mut models = BTreeMap::new();
        for format in &self.plan.formats {
            models.insert(*format, self.model_for(*format)?);
        }
        let (mut failures, mut answered) = (0, false);
        for (number, (case, format)) in left.iter().enumerate() {
            let Some(model) = models.get(format) else { continue };
            tell(BenchNews::Trying(case, *format));
            let began = Instant::now();
            let scene = Scene { model, room: &room, purse: &self.purse, sink: &self.sink };
            let done = watched(scene.attempt(case, *format, stop), &mut self.notices, tell).await;
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
                    tell(BenchNews::Notice(Level::Warning, why));
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
            tell(BenchNews::Tried(&trial));
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
            folder: self.folder.display().to_string(),
            model: self.model.clone(),
            usage,
            cost: self.purse.price(&self.model).map(|price| price.money(usage)),
            kind: None,
            agent: None,
            child: None,
            parent: None,
        };
        let _ = Ledger::at(&self.world.home.join("state")).append(&entry);
    }

    fn unwritable(&self, error: &io::Error) -> EngineError {
        let state = self.world.home.join("state");
        EngineError::Settings(Phrase::new("session.io").with("path", state.display()).with("reason", error))
    }
}

/// What a person should know.
type Notices = mpsc::UnboundedReceiver<(Level, Phrase)>;

/// Passes on what a person should know; nobody looks at the rest.
struct Teller(mpsc::UnboundedSender<(Level, Phrase)>);

impl Sink for Teller {
    fn emit(&self, event: Event) {
        if let Event::Notice { level, phrase } = event {
            let _ = self.0.send((level, phrase));
        }
    }
}

/// Waits for a trial, and passes on what it has to say meanwhile.
async fn watched<T>(
    work: impl Future<Output = T>,
    notices: &mut Notices,
    tell: &mut (dyn FnMut(BenchNews<'_>) + Send),
) -> T {
    tokio::pin!(work);
    let done = loop {
        tokio::select! {
            biased;
            done = &mut work => break done,
            Some((level, phrase)) = notices.recv() => tell(BenchNews::Notice(level, phrase)),
        }
    };
    while let Ok((level, phrase)) = notices.try_recv() {
        tell(BenchNews::Notice(level, phrase));
    }
    done
}
