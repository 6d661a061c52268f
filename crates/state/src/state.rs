//! What a session is in: one owner, changed only by what is written to the log, and read by everybody else.

mod order;

use order::{Line, Writing};
use reasonix_agent::{BoxFuture, Journal, JournalError, Sink};
use reasonix_gate::{Stance, Stands};
use reasonix_proto::{
    BUILD_AGENT, Event, FiredSoFar, GoalInfo, Mode, Posture, Record, RecordBody, TodoPhase, ToolOutcome,
};
use std::future::ready;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};
use tokio::sync::watch;

/// How a plan that was approved is carried out.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum CarriedOut {
    /// There is none, or its turn is over.
    #[default]
    Nothing,
    /// What the posture alone would ask about may run.
    Trusted,
    /// Changes are asked about, whatever the posture.
    Asking,
}

/// What a session is in.
#[derive(Debug, Clone, PartialEq)]
pub struct SessionState {
    /// What the model may do.
    pub mode: Mode,
    /// The mode as the model knows it: the one that was on at its last prompt.
    pub told: Mode,
    /// How much is asked.
    pub posture: Posture,
    /// How the plan that was approved is carried out, until the turn ends.
    pub carried: CarriedOut,
    /// A plan was approved since the last prompt: with its outcome the model was told that plan mode is off.
    pub approved: bool,
    /// The session's model, as `provider/model`.
    pub model: String,
    /// How hard it is told to think.
    pub effort: Option<String>,
    /// The number of the last turn.
    pub turn: u32,
    /// The larger model has the rest of the turn.
    pub escalated: bool,
    /// The todo list, as the last outcome on the branch left it.
    pub todo: Arc<Vec<TodoPhase>>,
    /// The agent that is at work.
    pub agent: Arc<str>,
    /// The same as the model knows it.
    pub told_agent: Arc<str>,
    /// The rules that spoke up on the branch while models wrote.
    pub fired: FiredSoFar,
    /// The goal, whatever it stands.
    pub goal: Option<Arc<GoalInfo>>,
    /// The model was told at its last prompt that it works on a goal.
    pub goal_told: bool,
}

impl SessionState {
    /// What a session is in at its beginning, or when it is opened again: how much is asked does not outlast the process.
    pub fn new(model: String, effort: Option<String>, mode: Mode) -> Self {
        let (told, posture) = (mode, Posture::Ask);
        let (carried, approved, escalated) = (CarriedOut::default(), false, false);
        let (agent, told_agent): (Arc<str>, Arc<str>) = (Arc::from(BUILD_AGENT), Arc::from(BUILD_AGENT));
        let (turn, todo, fired) = (0, Arc::default(), FiredSoFar::default());
        Self {
            mode,
            told,
            posture,
            carried,
            approved,
            model,
            effort,
            turn,
            escalated,
            todo,
            agent,
            told_agent,
            fired,
            goal: None,
            goal_told: false,
        }
    }

    /// What follows from a record.
    fn apply(&mut self, body: &RecordBody) {
        self.fired.apply(body);
        match body {
            // Whoever says how much is allowed takes back how an approved plan was to be carried out.
            RecordBody::ModeChanged { mode } => {
                self.mode = *mode;
                self.end_plan();
            }
            // Other steps change nothing of what the plan was trusted with.
            RecordBody::Planned(planned) if planned.revises && !planned.cancelled => {}
            RecordBody::Planned(planned) if planned.approved => {
                (self.mode, self.approved) = (Mode::Build, true);
                self.carried = if planned.asks { CarriedOut::Asking } else { CarriedOut::Trusted };
            }
            // With the outcome the model is told that plan mode is off.
            RecordBody::Planned(planned) if planned.cancelled => {
                (self.mode, self.approved) = (Mode::Build, true);
                self.end_plan();
            }
            RecordBody::PostureChanged { posture } => {
                self.posture = *posture;
                self.end_plan();
            }
            RecordBody::ModelChanged { model, effort } => {
                self.model.clone_from(model);
                self.effort.clone_from(effort);
            }
            RecordBody::AgentChanged { agent, .. } => self.agent = Arc::from(agent.as_str()),
            RecordBody::Prompt { turn, .. } => {
                self.told_agent = Arc::clone(&self.agent);
                (self.turn, self.told, self.escalated) = (*turn, self.mode, false);
                self.approved = false;
                self.end_plan();
                self.goal_told = self.goal.as_ref().is_some_and(|goal| goal.is_active());
            }
            RecordBody::Shell { turn, .. } => {
                self.turn = *turn;
                self.end_plan();
            }
            RecordBody::Outcome { outcome: ToolOutcome::Done { details, .. }, .. } => {
                details.todo.iter().for_each(|todo| self.todo = Arc::new(todo.clone()));
            }
            RecordBody::TodoChanged { todo, .. } => self.todo = Arc::new(todo.clone()),
            RecordBody::Escalated(_) => self.escalated = true,
            RecordBody::Goal(change) => self.goal = change.goal.clone().map(Arc::new),
            RecordBody::TurnEnded { .. } => {
                self.escalated = false;
                self.end_plan();
            }
            _ => {}
        }
    }

    /// How a plan was to be carried out holds no longer.
    fn end_plan(&mut self) {
        self.carried = CarriedOut::default();
    }
}

/// Reads how strict a session is out of its state.
struct Reads(watch::Receiver<SessionState>);

impl Stands for Reads {
    fn stance(&self) -> Stance {
        let state = self.0.borrow();
        let agent = Arc::clone(&state.agent);
        let (trusted, asks) = (state.carried == CarriedOut::Trusted, state.carried == CarriedOut::Asking);
        Stance { mode: state.mode, posture: state.posture, trusted, asks, agent }
    }
}

/// Looks at what was written, after it was, and says what has to be written because of it.
pub trait Observer: Send + Sync {
    /// A record was written, and the state is the one behind it.
    fn after(&mut self, record: &Record, state: &SessionState) -> Vec<RecordBody>;
}

/// The log of a session as everything in it writes to it. What is written changes the state, and is then shown to the
/// observers, in their order; what they have to say is written next. That is done in the order of the log, whoever had it written
/// and whether or not they still wait for it.
pub struct Book {
    me: Weak<Self>,
    journal: Arc<dyn Journal>,
    state: watch::Sender<SessionState>,
    /// Held by whoever applies a record. Nothing is waited for meanwhile.
    observers: Mutex<Vec<Box<dyn Observer>>>,
    /// What the journal has and was not applied yet.
    line: Mutex<Line>,
    sink: Arc<dyn Sink>,
}

impl Book {
    /// A book over this journal.
    pub fn new(journal: Arc<dyn Journal>, state: watch::Sender<SessionState>, sink: Arc<dyn Sink>) -> Arc<Self> {
        Arc::new_cyclic(|me| Self {
            me: Weak::clone(me),
            journal,
            state,
            observers: Mutex::default(),
            line: Mutex::default(),
            sink,
        })
    }

    /// One more observer, behind those that are there.
    pub fn observe(&self, observer: impl Observer + 'static) {
        locked(&self.observers).push(Box::new(observer));
    }

    /// What the session is in now.
    pub fn state(&self) -> watch::Ref<'_, SessionState> {
        self.state.borrow()
    }

    /// The state as it changes.
    pub fn seen(&self) -> watch::Receiver<SessionState> {
        self.state.subscribe()
    }

    /// What the gate reads at each decision. It does not hold the book, whose observers hold the gate.
    pub fn stance(&self) -> impl Stands + use<> {
        Reads(self.state.subscribe())
    }

    /// What allows less acts at once, and its record follows; what allows more waits for its record.
    pub fn tighten(&self, body: &RecordBody) {
        let tightens = match body {
            RecordBody::ModeChanged { mode } => *mode == Mode::Plan,
            RecordBody::PostureChanged { posture } => {
                let state = self.state();
                *posture < state.posture || (*posture == Posture::Ask && state.carried == CarriedOut::Trusted)
            }
            _ => false,
        };
        if tightens {
            self.state.send_modify(|state| state.apply(body));
        }
    }

    /// The conversation goes on from another place, where the model knew of this mode and this agent, this was to be done, and
    /// these rules had spoken up.
    pub fn gone_to(&self, (told, agent): (Mode, &str), todo: Vec<TodoPhase>, fired: FiredSoFar) {
        let told_agent: Arc<str> = Arc::from(if agent.is_empty() { BUILD_AGENT } else { agent });
        self.state.send_modify(|state| {
            (state.told, state.told_agent, state.todo, state.fired) = (told, told_agent, Arc::new(todo), fired);
        });
    }

    /// Tells whoever hears this log.
    pub fn tell(&self, event: Event) {
        self.sink.emit(event);
    }

    /// Hands something to the journal, and keeps its place in the line.
    fn hand_in(&self, body: RecordBody, of: &Arc<Writing>) {
        let mut line = locked(&self.line);
        // Under one lock, so that the line has the order of the log.
        let written = self.journal.append(body);
        line.push(written, of);
    }

    /// Applies what is written, from the front of the line, until this is done with all that follows from it.
    async fn settle(&self, writing: &Writing) -> Result<Record, JournalError> {
        loop {
            let front = {
                // Whoever applies the record of somebody else hands in what follows from it before this goes on.
                let _applied = locked(&self.observers);
                match writing.end() {
                    Some(end) => return end,
                    None => locked(&self.line).front(),
                }
            };
            // What is not done stands in the line.
            let Some((number, written)) = front else { return Err(Writing::lost()) };
            let written = written.await;
            self.apply(number, written);
        }
    }

    /// Applies the record at the front of the line, unless somebody else did.
    fn apply(&self, number: u64, written: Result<Arc<Record>, JournalError>) {
        let mut observers = locked(&self.observers);
        let Some(writing) = locked(&self.line).leave(number) else { return };
        let record = match written {
            Ok(record) => record,
            Err(error) => return writing.failed(error),
        };
        self.state.send_modify(|state| state.apply(&record.body));
        let state = self.state.borrow().clone();
        let more = observers.iter_mut().flat_map(|observer| observer.after(&record, &state)).collect();
        if writing.is_begun() {
            let record = Box::new(Record::clone(&record));
            self.sink.emit(match &record.body {
                RecordBody::Hook(_) => Event::Hooked { record },
                RecordBody::Claimed(_) => Event::Claimed { record },
                _ => Event::Changed { record },
            });
        }
        if let Some(next) = writing.go_on(record, more) {
            self.hand_in(next, &writing);
        }
    }
}

impl Journal for Book {
    fn append(&self, body: RecordBody) -> BoxFuture<'static, Result<Record, JournalError>> {
        let Some(book) = self.me.upgrade() else { return Box::pin(ready(Err(Writing::lost()))) };
        let writing = Arc::new(Writing::default());
        book.hand_in(body, &writing);
        let waits = Waits { book, writing };
        Box::pin(async move { waits.book.settle(&waits.writing).await })
    }
}

/// Waits for something that is being written. Who gives up on that leaves a task behind: what is written is applied.
struct Waits {
    book: Arc<Book>,
    writing: Arc<Writing>,
}

impl Drop for Waits {
    fn drop(&mut self) {
        if !self.writing.is_over()
            && let Ok(runtime) = tokio::runtime::Handle::try_current()
        {
            let (book, writing) = (Arc::clone(&self.book), Arc::clone(&self.writing));
            runtime.spawn(async move { book.settle(&writing).await });
        }
    }
}

fn locked<T>(of: &Mutex<T>) -> MutexGuard<'_, T> {
    of.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests {
    use super::{Book, CarriedOut, Observer, SessionState};
    use reasonix_agent::{BoxFuture, Journal, JournalError, Sink};
    use reasonix_proto::{CallId, Event, Mode, Planned, Posture, Record, RecordBody, RecordId};
    use std::sync::atomic::{AtomicBool, Ordering};
    use std::sync::{Arc, Mutex};
    use tokio::sync::watch;

    #[derive(Default)]
    struct Log {
        full: AtomicBool,
        bodies: Mutex<Vec<RecordBody>>,
    }

    impl Journal for Log {
        fn append(&self, body: RecordBody) -> BoxFuture<'static, Result<Record, JournalError>> {
            let written = if self.full.load(Ordering::SeqCst) {
                Err(JournalError { path: "log".into(), reason: "full".into() })
            } else {
                let mut bodies = self.bodies.lock().unwrap();
                bodies.push(body.clone());
                Ok(Record { id: RecordId(bodies.len() as u64), parent: None, at: 0, body })
            };
            Box::pin(std::future::ready(written))
        }
    }

    impl Sink for Log {
        fn emit(&self, _: Event) {}
    }

    fn book() -> (Arc<Log>, Arc<Book>) {
        let log = Arc::new(Log::default());
        let state = SessionState::new("p/m".into(), None, Mode::Build);
        (log.clone(), Book::new(log.clone(), watch::Sender::new(state), log))
    }

    #[tokio::test]
    async fn what_allows_less_acts_at_once_and_what_allows_more_waits_for_its_record() {
        let (log, book) = book();
        log.full.store(true, Ordering::SeqCst);
        let set = async |body: RecordBody| {
            book.tighten(&body);
            let _ = book.append(body).await;
            let state = book.state();
            (state.mode, state.posture)
        };
        assert_eq!(set(RecordBody::ModeChanged { mode: Mode::Plan }).await, (Mode::Plan, Posture::Ask));
        assert_eq!(set(RecordBody::ModeChanged { mode: Mode::Build }).await.0, Mode::Plan, "not written, not loosened");
        assert_eq!(set(RecordBody::PostureChanged { posture: Posture::Yolo }).await.1, Posture::Ask);
        log.full.store(false, Ordering::SeqCst);
        let yolo = RecordBody::PostureChanged { posture: Posture::Yolo };
        assert_eq!(set(yolo).await.1, Posture::Yolo);
        log.full.store(true, Ordering::SeqCst);
        assert_eq!(set(RecordBody::PostureChanged { posture: Posture::Auto }).await.1, Posture::Auto);
        assert_eq!(set(RecordBody::PostureChanged { posture: Posture::Yolo }).await.1, Posture::Auto);
    }

    /// What an approved plan was trusted with ends with its turn, and before that at the word of whoever is asked.
    #[tokio::test]
    async fn trust_in_a_plan_can_be_taken_back_and_does_not_outlive_its_turn() {
        let (log, book) = book();
        let approve = async || {
            let (call, plan) = (CallId::from("c"), "# P".to_owned());
            let planned = Planned {
                call,
                plan,
                approved: true,
                note: String::new(),
                steps: Vec::new(),
                cancelled: false,
                asks: false,
                revises: false,
                client: None,
            };
            book.append(RecordBody::Planned(planned)).await.unwrap();
            assert!(book.state().carried == CarriedOut::Trusted);
        };
        let prompt = RecordBody::Prompt { turn: 2, text: "go".into(), typed: None, images: Vec::new() };
        for ends in [prompt, RecordBody::ModeChanged { mode: Mode::Build }] {
            approve().await;
            book.append(ends.clone()).await.unwrap();
            assert!(book.state().carried != CarriedOut::Trusted, "{ends:?}");
        }
        approve().await;
        log.full.store(true, Ordering::SeqCst);
        book.tighten(&RecordBody::PostureChanged { posture: Posture::Ask });
        assert!(book.state().carried != CarriedOut::Trusted, "what allows less needs no record");
    }

    struct Follows(&'static str, &'static str);

    impl Observer for Follows {
        fn after(&mut self, record: &Record, _: &SessionState) -> Vec<RecordBody> {
            let is_it = matches!(&record.body, RecordBody::Titled { title, .. } if title == self.0);
            is_it.then(|| RecordBody::Titled { title: self.1.into(), by_user: false }).into_iter().collect()
        }
    }

    /// What an observer has to say is written behind what it saw, is shown to all of them, and comes in their order.
    #[tokio::test]
    async fn observers_are_asked_in_their_order_and_about_each_other() {
        let (log, book) = book();
        for (seen, said) in [("a", "b"), ("a", "c"), ("b", "d")] {
            book.observe(Follows(seen, said));
        }
        let record = book.append(RecordBody::Titled { title: "a".into(), by_user: true }).await.unwrap();
        assert_eq!(record.id, RecordId(1), "the caller gets its own record");
        let bodies = log.bodies.lock().unwrap();
        let titles: Vec<&str> = bodies
            .iter()
            .filter_map(|body| if let RecordBody::Titled { title, .. } = body { Some(title.as_str()) } else { None })
            .collect();
        assert_eq!(titles, ["a", "b", "d", "c"]);
    }
}
