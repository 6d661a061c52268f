//! Whoever can be asked by a tool: what was asked and waits for the first answer, whichever front end it comes from.

use reasonix_agent::{Journal, Sink};
use reasonix_proto::{AskId, CallId, Event, Inquiry, PlanAnswer, Question, Response, TurnState};
use std::collections::HashMap;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;
use tokio::sync::oneshot;

/// The people at the other end of a session.
#[derive(Default)]
pub(crate) struct People {
    /// What they hear by, and what their words act on; none where nobody can answer.
    pub(crate) floor: Option<Floor>,
    /// How long an answer is waited for.
    patience: Option<Duration>,
    inquiries: Open<Vec<Response>>,
    pub(crate) plans: Open<PlanAnswer>,
    /// One thing is asked at a time.
    pub(crate) turn: tokio::sync::Mutex<()>,
}

/// What people hear by, and what keeps their words.
pub(crate) struct Floor {
    pub(crate) sink: Arc<dyn Sink>,
    pub(crate) journal: Arc<dyn Journal>,
}

/// What became of a question.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Asked<T> {
    /// Somebody answered.
    Answered(T),
    /// Nobody is there who could.
    Nobody,
    /// Nobody did in time.
    TimedOut(Duration),
}

impl People {
    /// People who are given so many seconds for an answer; 0 for as long as they want.
    pub(crate) fn new(floor: Option<Floor>, seconds: u64) -> Self {
        let patience = (seconds > 0).then(|| Duration::from_secs(seconds));
        Self { floor, patience, ..Self::default() }
    }

    /// Puts questions to them and waits. Dropping the future takes the questions back.
    pub(crate) async fn inquire(&self, call: &CallId, questions: Vec<Question>) -> Asked<Vec<Response>> {
        let Some(Floor { sink, .. }) = &self.floor else { return Asked::Nobody };
        let _alone = self.turn.lock().await;
        let (ask, answered) = self.inquiries.open("inquiry");
        let _forget = self.inquiries.forget(&ask);
        sink.emit(Event::State { state: TurnState::AwaitingPermission });
        let inquiry = Inquiry { ask: ask.clone(), call: call.clone(), questions };
        sink.emit(Event::Inquired { inquiry: Box::new(inquiry) });
        let said = self.wait(answered).await;
        sink.emit(Event::State { state: TurnState::ToolRunning });
        said
    }

    /// Takes an answer. False when it comes too late, or to nothing.
    pub(crate) fn respond(&self, ask: &AskId, responses: Vec<Response>) -> bool {
        self.inquiries.answer(ask, responses)
    }

    /// Takes an answer to a plan. False when it comes too late, or to nothing.
    pub(crate) fn answer_plan(&self, ask: &AskId, answer: PlanAnswer) -> bool {
        self.plans.answer(ask, answer)
    }

    pub(crate) async fn wait<T: Default>(&self, answered: oneshot::Receiver<T>) -> Asked<T> {
        match self.patience {
            None => Asked::Answered(answered.await.unwrap_or_default()),
            Some(time) => match tokio::time::timeout(time, answered).await {
                Ok(said) => Asked::Answered(said.unwrap_or_default()),
                Err(_) => Asked::TimedOut(time),
            },
        }
    }
}

/// What waits for an answer of one kind.
pub(crate) struct Open<T> {
    waiting: Mutex<HashMap<AskId, oneshot::Sender<T>>>,
    asked: AtomicU64,
}

impl<T> Default for Open<T> {
    fn default() -> Self {
        Self { waiting: Mutex::default(), asked: AtomicU64::new(0) }
    }
}

impl<T> Open<T> {
    fn lock(&self) -> MutexGuard<'_, HashMap<AskId, oneshot::Sender<T>>> {
        self.waiting.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(crate) fn open(&self, kind: &str) -> (AskId, oneshot::Receiver<T>) {
        let ask = AskId(format!("{kind}-{}", self.asked.fetch_add(1, Ordering::Relaxed) + 1));
        let (answer, answered) = oneshot::channel();
        self.lock().insert(ask.clone(), answer);
        (ask, answered)
    }

    /// Takes the question back when it goes out of scope: after an interrupt it must not stay answerable.
    pub(crate) fn forget<'a>(&'a self, ask: &'a AskId) -> Forget<'a, T> {
        Forget { open: self, ask }
    }

    fn answer(&self, ask: &AskId, said: T) -> bool {
        self.lock().remove(ask).is_some_and(|answer| answer.send(said).is_ok())
    }
}

/// See [`Open::forget`].
pub(crate) struct Forget<'a, T> {
    open: &'a Open<T>,
    ask: &'a AskId,
}

impl<T> Drop for Forget<'_, T> {
    fn drop(&mut self) {
        self.open.lock().remove(self.ask);
    }
}
