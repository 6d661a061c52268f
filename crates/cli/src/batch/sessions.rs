//! The sessions that work on tasks, and what all of them may spend.

use super::place::TaskPlace;
use crate::args::{BatchArgs, SessionArgs};
use crate::context::{Context, flags_of};
use crate::exit::Exit;
use crate::say;
use reasonix_engine::{CommonPurse, Handle, PurseHand};
use reasonix_flow::batch::{BatchResult, BatchTask, Doing, WorkFolder, Worker};
use reasonix_proto::{
    Allowance, Done, Event, GoalStop, Level, Message, Op, Phrase, RecordBody, Settled, StopReason, TurnEnd,
    parse_count, parse_money, parse_seconds,
};
use std::cell::{Cell, RefCell};
use std::collections::{HashMap, HashSet};
use std::path::PathBuf;
use std::rc::Rc;
use std::sync::Arc;
use std::time::Instant;
use tokio::sync::Mutex;
use tokio_util::sync::CancellationToken;

/// So many different warnings are told.
const MOST_TOLD: usize = 1000;

/// Sessions that work on tasks.
pub(super) struct Sessions<'a> {
    args: &'a SessionArgs,
    keep: bool,
    here: PathBuf,
    work: WorkFolder,
    purse: Arc<CommonPurse>,
    spent: Cell<bool>,
    /// The user wants to go.
    left: CancellationToken,
    /// Folders that tasks share; one of them works there at a time.
    shared: RefCell<HashMap<PathBuf, Rc<Mutex<()>>>>,
    /// Warnings that were told: what holds for every task is told once.
    told: RefCell<HashSet<String>>,
}

impl<'a> Sessions<'a> {
    pub(super) fn new(args: &'a BatchArgs, here: PathBuf, work: WorkFolder, told: &[(Level, Phrase)]) -> Self {
        let some = |limit: Option<u64>| limit.filter(|limit| *limit > 0);
        #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss)]
        let cost = args.session.max_cost.filter(|cost| *cost > 0.0).map(|cost| ((cost * 1e6).round() as u64).max(1));
        let allowed = Allowance { cost, tokens: some(args.session.max_tokens), seconds: some(args.session.max_time) };
        let told = told.iter().map(|(_, phrase)| say::Style::get().text(phrase)).collect();
        Self {
            args: &args.session,
            keep: args.keep,
            here,
            work,
            purse: CommonPurse::new(allowed),
            spent: Cell::new(false),
            left: CancellationToken::new(),
            shared: RefCell::default(),
            told: RefCell::new(told),
        }
    }

    /// Stops everything, for good.
    pub(super) fn leave(&self) {
        self.left.cancel();
    }

    /// True when the user stopped it.
    pub(super) fn is_left(&self) -> bool {
        self.left.is_cancelled()
    }

    /// True when what all of them may spend is spent.
    pub(super) fn is_spent(&self) -> bool {
        self.spent.get()
    }

    /// Lets no task begin when all is spent. Those at work end by themselves, before their next request.
    fn look(&self) {
        if !self.spent.get() && self.purse.is_used_up() {
            self.spent.set(true);
            say::notice(Level::Warning, &Phrase::new("flow.batch_budget"));
        }
    }

    /// Passes on what the session of a task warns of.
    fn warn(&self, id: &str, level: Level, phrase: &Phrase) {
        let text = say::Style::get().text(phrase);
        let mut told = self.told.borrow_mut();
        if level != Level::Info && told.len() < MOST_TOLD && told.insert(text.clone()) {
            say::notice(level, &Phrase::new("flow.batch_said").with("id", id).with("said", text));
        }
    }

    /// Something that the user need not wait for.
    async fn unless_left<T>(&self, work: impl Future<Output = T>) -> Option<T> {
        // What is dropped ends with everything that it started.
        tokio::select! {
            biased;
            () = self.left.cancelled() => None,
            made = work => Some(made),
        }
    }

    async fn run(&self, task: BatchTask) -> Option<BatchResult> {
        let began = Instant::now();
        let lock = task.cwd.as_ref().map(|cwd| {
            let folder = self.here.join(cwd);
            let folder = folder.canonicalize().unwrap_or(folder);
            Rc::clone(self.shared.borrow_mut().entry(folder).or_default())
        });
        let _alone = match &lock {
            Some(lock) => Some(lock.lock().await),
            None => None,
        };
        self.look();
        if self.is_over() {
            return None;
        }
        let unbegun = |reason: String| {
            let phrase = Phrase::new("flow.batch_unbegun").with("id", &task.id).with("reason", reason);
            say::notice(Level::Error, &phrase);
        };
        let place = match self.unless_left(TaskPlace::make(&task, &self.here, &self.work)).await? {
            Ok(place) => place,
            Err(reason) => {
                unbegun(reason);
                return None;
            }
        };
        let hand = self.purse.hand();
        let handle = match self.open(&task, &place, &hand) {
            Ok(handle) => handle,
            Err(error) => {
                unbegun(say::reason(&error));
                place.give_up().await;
                return None;
            }
        };
        let mut result = self.follow(handle, &task, &hand).await?;
        self.unless_left(place.close(&mut result, &self.work.patch_of(&task.id), self.keep)).await?;
        for error in result.why.iter().chain(&result.error) {
            let phrase = Phrase::new("flow.batch_said").with("id", &task.id).with("said", error);
            say::notice(Level::Warning, &phrase);
        }
        result.seconds = began.elapsed().as_secs();
        Some(result)
    }

    /// Opens the session of a task, within its own budget and that of all.
    fn open(&self, task: &BatchTask, place: &TaskPlace, hand: &Arc<PurseHand>) -> anyhow::Result<Handle> {
        let mut args = self.args.clone();
        args.model = task.model.clone().or(args.model);
        args.add_dir.extend(place.around());
        let budget = &task.budget;
        let own = |text: &Option<String>, read: fn(&str) -> Option<u64>| text.as_deref().and_then(read);
        args.max_tokens = own(&budget.tokens, parse_count);
        args.max_time = own(&budget.time, parse_seconds);
        #[allow(clippy::cast_precision_loss)]
        let cost = own(&budget.cost, parse_money).map(|millionths| millionths as f64 / 1e6);
        args.max_cost = cost;
        let mut context = Context::load_silently(Some(&place.folder), flags_of(&args))?;
        for (level, phrase) in &context.loaded.notices {
            self.warn(&task.id, *level, phrase);
        }
        context.0.loaded.settings.sandbox.shown.extend(place.shared());
        let host = context.host_with(&args, (false, Some(Arc::clone(hand))), Vec::new())?;
        host.open_first().map_err(|error| say::engine(&error))
    }

    /// Follows a session to the end of its task; none when it was stopped from here, or by what all may spend.
    async fn follow(&self, mut handle: Handle, task: &BatchTask, hand: &PurseHand) -> Option<BatchResult> {
        let text = task.prompt.clone();
        let op = if task.goal {
            Op::SetGoal { objective: text, strategy: None }
        } else {
            Op::Prompt { text, resolved: false }
        };
        let session = Some(handle.session.to_string());
        let (id, code, end) = (task.id.clone(), Exit::Failed as u8, "broken".to_owned());
        let mut result = BatchResult { id, session, end, code, ..BatchResult::default() };
        let wanted = handle.submit(op).id;
        let mut stopped = false;
        loop {
            let event = tokio::select! {
                biased;
                () = self.left.cancelled(), if !stopped => {
                    stopped = true;
                    handle.submit(Op::Interrupt);
                    continue;
                }
                event = handle.events.next() => event,
            };
            let Some(envelope) = event.filter(|envelope| envelope.event != Event::SessionEnded) else { break };
            match envelope.event {
                Event::Usage { .. } => self.look(),
                Event::Notice { level, phrase } => self.warn(&task.id, level, &phrase),
                _ if envelope.parent.is_some() => {}
                Event::Settled { op, settled, .. } if op == wanted => {
                    (result.end, result.code) = ended(&settled);
                    let why = why(&settled).filter(|_| result.code != Exit::Done as u8);
                    result.why = why.map(|phrase| say::Style::get().text(&phrase));
                    handle.submit(Op::Shutdown);
                }
                Event::Message { record } => result.answer = answer(record.body).unwrap_or(result.answer),
                _ => {}
            }
        }
        self.look();
        (result.usage, result.cost) = (hand.usage(), hand.cost());
        let unfinished = (stopped || hand.was_refused()) && result.code != Exit::Done as u8;
        (!unfinished).then_some(result)
    }
}

/// What the model said at the end, where it wants nothing more.
fn answer(body: RecordBody) -> Option<String> {
    let RecordBody::Assistant { message, .. } = body else { return None };
    let Message::Assistant { text, calls, stop, .. } = message else { return None };
    // What stands in the log for an answer that never came is for the model.
    let came = !matches!(stop, StopReason::Failed | StopReason::Interrupted);
    (came && calls.is_empty()).then_some(text)
}

/// Why a task did not end well, where anybody said so.
fn why(settled: &Settled) -> Option<Phrase> {
    match settled {
        Settled::Refused(refused) => Some(refused.why.clone()),
        Settled::Done(Done::Turn { end }) => match end {
            TurnEnd::ProviderFailed { why, .. }
            | TurnEnd::Refused { why, .. }
            | TurnEnd::OutOfBudget { why }
            | TurnEnd::Broken { why } => Some(why.clone()),
            TurnEnd::Done | TurnEnd::Interrupted | TurnEnd::StepLimit | TurnEnd::TimedOut => None,
        },
        Settled::Done(Done::Goal { goal: Some(goal) }) => goal.stop.as_ref().map(|stop| match stop {
            GoalStop::Provider { why, .. } | GoalStop::OutOfBudget { why } => why.clone(),
            other => other.phrase().1,
        }),
        Settled::Done(_) => None,
    }
}

/// How a task ended, in a word, and the exit code that `run` would have had.
fn ended(settled: &Settled) -> (String, u8) {
    let word = |value: Option<serde_json::Value>, name: &str| {
        value.as_ref().and_then(|value| value.get(name)?.as_str().map(str::to_owned)).unwrap_or_default()
    };
    let how = |end: &TurnEnd| word(serde_json::to_value(end).ok(), "how");
    let end = match settled {
        Settled::Done(Done::Turn { end }) => how(end),
        Settled::Done(Done::Goal { goal }) => {
            let goal = goal.as_deref();
            let stop = goal.and_then(|goal| goal.stop.as_ref()).and_then(|stop| serde_json::to_value(stop).ok());
            match word(stop, "stop").as_str() {
                "" => "goal done".to_owned(),
                stop => format!("goal {stop}"),
            }
        }
        Settled::Done(_) => "done".to_owned(),
        Settled::Refused(_) => "refused".to_owned(),
    };
    (end, Exit::of_settled(Some(settled)) as u8)
}

impl Worker for Sessions<'_> {
    fn work(&self, task: BatchTask) -> Doing<'_> {
        Box::pin(self.run(task))
    }

    fn is_over(&self) -> bool {
        self.is_left() || self.spent.get()
    }
}
