//! What a turn waits for before it ends: what works behind a goal whose model has nothing else to do, and the subagents of a
//! session that ends with its answer. It begins and ends no job.

use super::tool::JobTool;
use super::{Around, Jobs};
use reasonix_agent::{Aspect, BoxFuture, JournalError, Runs, Sink};
use reasonix_flow::{GoalSaid, said};
use reasonix_proto::{
    Event, GoalInfo, JobInfo, JobKind, JobState, Level, Message, Phrase, Record, RecordBody, TurnState,
};
use reasonix_state::{Observer, SessionState};
use reasonix_tools::TypedTool;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};
use std::time::Duration;

/// Keeps a turn from its end while something works that it is about.
#[derive(Clone)]
pub struct Rests {
    /// Weak, because the log holds this, and the jobs hold the log.
    jobs: Weak<Jobs>,
    attended: bool,
    /// How long a turn of a goal waits.
    most: Duration,
    turn: Arc<Mutex<TurnSoFar>>,
}

/// What is known of the turn that runs.
#[derive(Default)]
struct TurnSoFar {
    answer: String,
    /// It called something beside looking after jobs.
    works: bool,
    /// How long it waited.
    waited: Duration,
}

/// What is waited for.
enum Awaited {
    /// The first end, or any other news: it is for a goal.
    First,
    /// The ends of all subagents: after this nobody reads them any more.
    Subagents,
}

/// True of a job that will end by itself, as far as can be told: a server that said that it is ready does not, and what comes back neither.
fn will_end(job: &JobInfo) -> bool {
    job.what == JobKind::Task || (!job.ready && job.what != JobKind::Cron)
}

/// The names of those at work that will end.
pub fn at_work(jobs: &Jobs) -> Vec<String> {
    let runs = |job: &JobInfo| job.state == JobState::Running;
    jobs.list().into_iter().filter(runs).filter(will_end).map(|info| info.job).collect()
}

fn looks_after_jobs(tool: &str) -> bool {
    let names = std::iter::once(&JobTool::NAME).chain(JobTool::ALIASES);
    names.into_iter().any(|name| name.eq_ignore_ascii_case(tool))
}

impl Rests {
    /// Commands that take longer than these seconds become jobs.
    pub fn new(jobs: &Arc<Jobs>, seconds: u64) -> Self {
        Self {
            jobs: Arc::downgrade(jobs),
            attended: jobs.attended,
            most: Duration::from_secs(seconds),
            turn: Arc::default(),
        }
    }

    fn turn(&self) -> MutexGuard<'_, TurnSoFar> {
        self.turn.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// What the turn waits for as it is now; none where it may end.
    fn awaited(&self, goal: Option<&GoalInfo>) -> Option<Awaited> {
        let turn = self.turn();
        let over = matches!(said(&turn.answer).0, GoalSaid::Done { .. } | GoalSaid::Impossible(_));
        if goal.is_some_and(GoalInfo::is_active) && !over {
            return (!turn.works && turn.waited < self.most).then_some(Awaited::First);
        }
        (!self.attended).then_some(Awaited::Subagents)
    }

    /// Waits; returns when it is over, or there is something else to do.
    async fn wait(&self, jobs: &Jobs, around: &Around, awaited: Awaited, runs: &dyn Runs) {
        let names = match awaited {
            Awaited::First => at_work(jobs),
            Awaited::Subagents => jobs.table.open_subagents(),
        };
        if names.is_empty() {
            return;
        }
        let phrase = Phrase::new("engine.waits_for_jobs").with("jobs", names.join(", "));
        around.outbox.emit(Event::Notice { level: Level::Info, phrase });
        around.outbox.emit(Event::State { state: TurnState::ToolRunning });
        let over = || match awaited {
            Awaited::First => {
                names.iter().any(|name| !jobs.table.is_open(name)) || !around.queue.inbox().news().is_empty()
            }
            Awaited::Subagents => jobs.table.open_subagents().is_empty(),
        };
        let left = match awaited {
            Awaited::First => Some(self.most.saturating_sub(self.turn().waited)),
            Awaited::Subagents => None,
        };
        let mut state = around.book.seen();
        let before = state.borrow().goal.clone();
        let time = async {
            match left {
                Some(left) => tokio::time::sleep(left).await,
                None => std::future::pending().await,
            }
        };
        let begun = tokio::time::Instant::now();
        tokio::select! {
            () = jobs.table.until(over) => {}
            // Whoever pauses the goal, takes it away or says it in other words wants something else now.
            _ = state.wait_for(|state| state.goal != before) => {}
            () = around.queue.spoken() => {}
            () = runs.stopped() => {}
            () = time => {}
        }
        self.turn().waited += begun.elapsed();
    }

    /// The news that the turn is kept from its end for, which are thereby told.
    fn news(jobs: &Jobs, around: &Around, subagents: bool) -> Option<String> {
        let inbox = around.queue.inbox();
        let news = inbox.news();
        let told = jobs.table.news_of_subagents();
        if news.is_empty() || (subagents && !told.iter().any(|told| news.contains(told))) {
            return None;
        }
        inbox.news_kept(news.len());
        Some(news.join("\n\n"))
    }
}

impl Aspect for Rests {
    /// Waiting has bounds of its own, and takes nothing from checks that may send the model back.
    fn sends_back(&self) -> bool {
        false
    }

    fn check<'a>(&'a self, _turn: u32, runs: &'a dyn Runs) -> BoxFuture<'a, Result<Option<String>, JournalError>> {
        Box::pin(async move {
            let Some(jobs) = self.jobs.upgrade() else { return Ok(None) };
            let Some(around) = jobs.around.get() else { return Ok(None) };
            let goal = around.book.state().goal.clone();
            let Some(awaited) = self.awaited(goal.as_deref()) else { return Ok(None) };
            let subagents = matches!(awaited, Awaited::Subagents);
            // What came meanwhile may be all that there is to wait for.
            let told = || Self::news(&jobs, around, subagents);
            if !subagents && let Some(news) = told() {
                return Ok(Some(news));
            }
            self.wait(&jobs, around, awaited, runs).await;
            if !runs.goes_on() || around.queue.is_spoken_to() {
                return Ok(None);
            }
            Ok(told())
        })
    }
}

impl Observer for Rests {
    fn after(&mut self, record: &Record, _state: &SessionState) -> Vec<RecordBody> {
        match &record.body {
            RecordBody::Prompt { .. } => *self.turn() = TurnSoFar::default(),
            RecordBody::Assistant { message: Message::Assistant { text, calls, .. }, .. } => {
                let mut turn = self.turn();
                turn.answer.clone_from(text);
                turn.works |= calls.iter().any(|call| !looks_after_jobs(&call.name));
            }
            _ => {}
        }
        Vec::new()
    }
}
