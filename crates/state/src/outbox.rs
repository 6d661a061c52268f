//! Events on their way to front ends: numbered, never blocking, and bounded where something floods. What a status line
//! shows is folded out of them as they pass.

use crate::logbook;
use crate::state::SessionState;
use reasonix_agent::Sink;
use reasonix_gate::Waits;
use reasonix_proto::{
    AskId, BUILD_AGENT, CallId, Cost, Envelope, Event, Level, PROTOCOL_VERSION, Phrase, RecordBody, SessionId, Status,
    TodoPhase,
};
use std::collections::{HashMap, VecDeque};
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;
use tokio::sync::{mpsc, watch};
use tracing::Span;

/// Progress beyond this many unread events is dropped; it is marked as droppable.
const MOST_UNREAD: usize = 1024;

/// So many lasting events can be had again; who was away for longer reads the log.
const MOST_RECENT: usize = 256;

/// The sending side.
pub struct Outbox {
    session: SessionId,
    seats: Mutex<Seats>,
    /// What is counted and told; what the session is in stands in its state.
    status: Mutex<Status>,
    state: watch::Receiver<SessionState>,
    /// How long people were waited for.
    waits: Waits,
    /// The session in logs.
    span: Span,
    /// Tokens that the last folding left.
    folded_to: AtomicU64,
}

#[derive(Default)]
struct Seats {
    seq: u64,
    /// The last numbers of the sessions that work for this one.
    below: HashMap<SessionId, u64>,
    taken: Vec<Seat>,
    /// The last lasting events, for whoever comes back.
    recent: VecDeque<Envelope>,
    /// The number of the last lasting event that is not among them any more.
    forgotten: u64,
    /// Questions that nobody answered yet, for whoever comes later.
    open: Vec<Envelope>,
}

impl Seats {
    /// A seat, and what it is handed first.
    fn seat(&mut self, first: impl IntoIterator<Item = Envelope>) -> Events {
        let (to, from) = mpsc::unbounded_channel();
        let sent = first.into_iter().filter(|envelope| to.send(envelope.clone()).is_ok()).count();
        let unread = Arc::new(AtomicUsize::new(sent));
        self.taken.push(Seat { to, unread: Arc::clone(&unread) });
        Events { from, unread }
    }

    /// Keeps a question for whoever comes later, until somebody answered or nobody waits for it any more.
    fn follow(&mut self, envelope: &Envelope) {
        if asked(&envelope.event).is_some() {
            self.open.push(envelope.clone());
            return;
        }
        self.open.retain(|open| open.session != envelope.session || !settles(&envelope.event, &open.event));
    }

    fn remember(&mut self, envelope: &Envelope) {
        self.recent.push_back(envelope.clone());
        if self.recent.len() > MOST_RECENT
            && let Some(gone) = self.recent.pop_front()
        {
            self.forgotten = gone.seq;
        }
    }
}

/// What an event asks, and for which call.
fn asked(event: &Event) -> Option<(&AskId, &CallId)> {
    match event {
        Event::Asked { asking } => Some((&asking.ask, &asking.call)),
        Event::Inquired { inquiry } => Some((&inquiry.ask, &inquiry.call)),
        Event::Proposed { proposal } => Some((&proposal.ask, &proposal.call)),
        _ => None,
    }
}

/// Whether nobody waits for an answer to this question any more once that happened.
fn settles(event: &Event, question: &Event) -> bool {
    let Some((ask, call)) = asked(question) else { return false };
    match event {
        Event::InquiryOver { ask: over, .. } => ask == over,
        Event::Answered { record } | Event::Changed { record } | Event::ToolEnded { record } => match &record.body {
            RecordBody::Decided(decided) => decided.ask.as_ref() == Some(ask),
            RecordBody::Planned(planned) => matches!(question, Event::Proposed { .. }) && planned.call == *call,
            RecordBody::Outcome { call: ended, .. } => ended == call,
            _ => false,
        },
        _ => false,
    }
}

/// One front end.
struct Seat {
    to: mpsc::UnboundedSender<Envelope>,
    unread: Arc<AtomicUsize>,
}

/// The receiving side: the events of one session, in order.
pub struct Events {
    from: mpsc::UnboundedReceiver<Envelope>,
    unread: Arc<AtomicUsize>,
}

impl Events {
    /// The next event; none when the session is over.
    pub async fn next(&mut self) -> Option<Envelope> {
        let envelope = self.from.recv().await?;
        self.unread.fetch_sub(1, Ordering::Relaxed);
        Some(envelope)
    }

    /// The next event if one is already there.
    pub fn ready(&mut self) -> Option<Envelope> {
        let envelope = self.from.try_recv().ok()?;
        self.unread.fetch_sub(1, Ordering::Relaxed);
        Some(envelope)
    }
}

impl Outbox {
    /// An outbox of a session that begins like this, and what comes out of it.
    pub fn new(status: Status, state: watch::Receiver<SessionState>) -> (Arc<Self>, Events) {
        let span = tracing::info_span!("session", id = %status.session.short());
        let (session, seats) = (status.session.clone(), Mutex::default());
        let (status, waits) = (Mutex::new(status), Waits::default());
        let outbox = Self { session, seats, status, state, waits, span, folded_to: AtomicU64::new(0) };
        let events = outbox.join();
        (Arc::new(outbox), events)
    }

    /// A seat for one more front end; it gets the questions that wait for an answer, and what happens from now on.
    pub fn join(&self) -> Events {
        let mut seats = self.seats.lock().unwrap_or_else(PoisonError::into_inner);
        let open = seats.open.clone();
        seats.seat(open)
    }

    /// A seat for a front end that was away and has seen everything up to this number: it gets what lasts of the rest, then
    /// what happens from now on. None when some of it is not remembered any more.
    pub fn rejoin(&self, seen: u64) -> Option<Events> {
        let mut seats = self.seats.lock().unwrap_or_else(PoisonError::into_inner);
        if seen < seats.forgotten || seen > seats.seq {
            return None;
        }
        // A question that was answered meanwhile is among what was missed, and so is its answer.
        let missed: Vec<Envelope> = seats.recent.iter().filter(|envelope| envelope.seq > seen).cloned().collect();
        Some(seats.seat(missed))
    }

    fn figures(&self) -> MutexGuard<'_, Status> {
        self.status.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// What a status line shows.
    pub fn status(&self) -> Status {
        let figures = self.figures().clone();
        let SessionState { mode, posture, model, effort, agent, goal, .. } = self.state.borrow().clone();
        let goal = goal.map(|goal| Box::new((*goal).clone()));
        let agent = if &*agent == BUILD_AGENT { String::new() } else { agent.to_string() };
        Status { mode, agent, goal, posture, model, effort, ..figures }
    }

    /// What is to be done, as the log has it.
    pub fn todo(&self) -> Vec<TodoPhase> {
        self.state.borrow().todo.to_vec()
    }

    /// Tells something that a person should know.
    pub fn warn(&self, phrase: Phrase) {
        self.emit(Event::Notice { level: Level::Warning, phrase });
    }

    /// The session's id.
    pub fn session(&self) -> &SessionId {
        &self.session
    }

    /// What a folding left, until the provider counts again; 0 where nothing was folded.
    pub fn folded_to(&self) -> u64 {
        self.folded_to.load(Ordering::Relaxed)
    }

    /// Whether the session is kept on disk.
    pub fn is_kept(&self) -> bool {
        self.figures().kept
    }

    /// How full the context is now, or how large it may be.
    pub fn measure(&self, context: Option<u64>, window: Option<u64>) {
        let mut figures = self.figures();
        figures.context = context.unwrap_or(figures.context);
        figures.window = window.unwrap_or(figures.window);
    }

    /// Something of the session cost this; money in another currency than the first is not shown.
    pub(crate) fn paid(&self, cost: Cost) {
        match &mut self.figures().cost {
            Some(known) => known.add(&cost),
            none => *none = Some(cost),
        }
    }

    /// How long people were waited for so far.
    pub fn waited(&self) -> Duration {
        self.waits.so_far()
    }

    /// The session, for what is logged of it.
    pub fn span(&self) -> &Span {
        &self.span
    }

    /// Counts what another model of the session spent.
    pub fn count(&self, usage: reasonix_proto::Usage) {
        self.figures().usage.add(usage);
    }

    fn fold(&self, event: &Event) {
        let mut status = self.figures();
        match event {
            Event::State { state } => status.state = *state,
            Event::Usage { usage, context, window } => {
                status.usage.add(*usage);
                (status.context, status.window) = (*context, *window);
            }
            Event::Compacted { record } => {
                if let RecordBody::Compacted(folded) = &record.body {
                    status.usage.add(folded.usage.unwrap_or_default());
                    status.context = 0;
                    self.folded_to.store(folded.after, Ordering::Relaxed);
                }
            }
            Event::Queued { queue } => status.queue.clone_from(queue),
            Event::Job { running, .. } => status.jobs = *running,
            Event::TurnStarted { record } => match record.body {
                RecordBody::Prompt { turn, .. } | RecordBody::Shell { turn, .. } => status.turns = turn,
                _ => {}
            },
            _ => {}
        }
    }
}

impl Outbox {
    /// Passes on what happened in a session that works for this one, under its own number, which counts on when that session
    /// goes on. Whoever was away reads it in its log.
    pub fn relay(&self, session: &SessionId, parent: &SessionId, event: Event) {
        let mut seats = self.seats.lock().unwrap_or_else(PoisonError::into_inner);
        let seq = seats.below.entry(session.clone()).or_default();
        *seq += 1;
        let (v, seq, ephemeral) = (PROTOCOL_VERSION, *seq, event.is_ephemeral());
        let envelope = Envelope { v, seq, session: session.clone(), parent: Some(parent.clone()), ephemeral, event };
        seats.follow(&envelope);
        seats.taken.retain(|seat| {
            if envelope.ephemeral && seat.unread.load(Ordering::Relaxed) > MOST_UNREAD {
                return !seat.to.is_closed();
            }
            seat.unread.fetch_add(1, Ordering::Relaxed);
            seat.to.send(envelope.clone()).is_ok()
        });
    }
}

impl Sink for Outbox {
    fn emit(&self, event: Event) {
        self.fold(&event);
        if let Event::State { state } = &event {
            self.waits.saw(*state);
        }
        // What happens in the session's task has its place there; what others do is at least the session's.
        if Span::current().is_none() {
            self.span.in_scope(|| logbook::tell(&event));
        } else {
            logbook::tell(&event);
        }
        let floods = matches!(event, Event::ToolProgress { .. } | Event::Arguments { .. });
        let mut seats = self.seats.lock().unwrap_or_else(PoisonError::into_inner);
        seats.seq += 1;
        let envelope = Envelope {
            v: PROTOCOL_VERSION,
            seq: seats.seq,
            session: self.session.clone(),
            parent: None,
            ephemeral: event.is_ephemeral(),
            event,
        };
        if !envelope.ephemeral {
            seats.remember(&envelope);
            seats.follow(&envelope);
        }
        // A front end that went away has given up its seat; the session ends when all of them have.
        seats.taken.retain(|seat| {
            if floods && seat.unread.load(Ordering::Relaxed) > MOST_UNREAD {
                return !seat.to.is_closed();
            }
            seat.unread.fetch_add(1, Ordering::Relaxed);
            seat.to.send(envelope.clone()).is_ok()
        });
    }
}

#[cfg(test)]
pub(crate) mod tests {
    use super::{Arc, Events, MOST_RECENT, MOST_UNREAD, Outbox};
    use crate::state::SessionState;
    use reasonix_agent::Sink;
    use reasonix_proto::{
        AskId, CallId, Event, Inquiry, Level, Mode, Phrase, Posture, Record, RecordBody, RecordId, SessionId, Status,
        ToolOutcome, TurnState, Usage,
    };

    fn status() -> Status {
        Status {
            session: SessionId::from("s"),
            title: String::new(),
            state: TurnState::Idle,
            model: String::new(),
            effort: None,
            mode: Mode::Build,
            agent: String::new(),
            goal: None,
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
            jobs: 0,
        }
    }

    fn state() -> tokio::sync::watch::Receiver<SessionState> {
        tokio::sync::watch::channel(SessionState::new("m".to_owned(), None, Mode::Build)).1
    }

    /// One of a session that does nothing, with a seat.
    pub(crate) fn outbox() -> (Arc<Outbox>, Events) {
        Outbox::new(status(), state())
    }

    #[test]
    fn a_flood_of_progress_is_bounded_and_nothing_else_is_lost() {
        let (outbox, mut events) = outbox();
        for _ in 0..MOST_UNREAD * 4 {
            outbox.emit(Event::ToolProgress { call: CallId::from("c"), delta: "x".into() });
        }
        outbox.emit(Event::SessionEnded);
        let all: Vec<_> = std::iter::from_fn(|| events.ready()).collect();
        assert!(all.len() <= MOST_UNREAD + 2, "{}", all.len());
        assert_eq!(all.last().map(|last| last.event.clone()), Some(Event::SessionEnded));
        assert!(all.windows(2).all(|pair| pair[0].seq < pair[1].seq));
    }

    #[test]
    fn a_subagent_that_goes_on_counts_on() {
        let (outbox, mut events) = outbox();
        let (one, other, parent) = ("one".into(), "other".into(), "s".into());
        for child in [&one, &one, &other, &one] {
            outbox.relay(child, &parent, Event::SessionEnded);
        }
        let told = std::iter::from_fn(|| events.ready()).map(|envelope| (envelope.session.0, envelope.seq));
        assert_eq!(
            told.collect::<Vec<_>>(),
            [("one", 1), ("one", 2), ("other", 1), ("one", 3)].map(|(id, n)| (id.to_owned(), n))
        );
    }

    #[test]
    fn who_comes_back_gets_what_lasts_of_the_rest() {
        let (outbox, mut first) = outbox();
        let notice = |code: &'static str| {
            outbox.emit(Event::Notice { level: Level::Info, phrase: Phrase::new(code) });
            outbox.emit(Event::State { state: TurnState::AwaitingModel });
        };
        notice("a");
        let seen = std::iter::from_fn(|| first.ready()).last().map(|last| last.seq).unwrap();
        drop(first);
        notice("b");
        notice("c");
        let mut back = outbox.rejoin(seen).unwrap();
        outbox.emit(Event::SessionEnded);
        let codes: Vec<_> = std::iter::from_fn(|| back.ready())
            .map(|envelope| match envelope.event {
                Event::Notice { phrase, .. } => phrase.code.to_string(),
                other => format!("{other:?}"),
            })
            .collect();
        assert_eq!(codes, ["b", "c", "SessionEnded"], "nothing twice, nothing that has passed");
        assert!(outbox.rejoin(1_000_000).is_none(), "nobody has seen what has not happened");
        (0..MOST_RECENT).for_each(|_| notice("d"));
        assert!(outbox.rejoin(seen).is_none(), "what is not remembered is not passed over in silence");
        assert!(outbox.rejoin(seen + 5).is_some());
    }

    #[test]
    fn every_seat_gets_every_event_under_the_same_number() {
        let (outbox, mut first) = outbox();
        let mut second = outbox.join();
        outbox.emit(Event::State { state: TurnState::AwaitingModel });
        assert_eq!(first.ready(), second.ready());
        assert_eq!(outbox.status().state, TurnState::AwaitingModel);
        drop(second);
        outbox.emit(Event::SessionEnded);
        assert_eq!(first.ready().map(|envelope| envelope.seq), Some(2));
    }

    fn asking(ask: &str, call: &str) -> Event {
        let (ask, call) = (AskId::from(ask), CallId::from(call));
        let inquiry = Inquiry { ask, call, server: None, step: false, questions: Vec::new() };
        Event::Inquired { inquiry: Box::new(inquiry) }
    }

    #[test]
    fn who_comes_later_is_asked_what_is_still_open() {
        let (outbox, _first) = outbox();
        let over = |ask: &str| Event::InquiryOver { ask: AskId::from(ask), answered: true, client: None };
        outbox.emit(asking("q1", "c1"));
        outbox.emit(asking("q2", "c2"));
        outbox.emit(over("q1"));
        let child = SessionId::from("child");
        outbox.relay(&child, &SessionId::from("s"), asking("q2", "c9"));
        outbox.emit(over("q2"));
        let all =
            |mut events: Events| std::iter::from_fn(move || events.ready()).map(|next| next.event).collect::<Vec<_>>();
        assert_eq!(all(outbox.join()), [asking("q2", "c9")], "that of another session is still open");
        outbox.emit(asking("q3", "c3"));
        assert_eq!(all(outbox.join()), [asking("q2", "c9"), asking("q3", "c3")]);
        let outcome = ToolOutcome::Aborted;
        let body = RecordBody::Outcome { call: CallId::from("c3"), tool: String::new(), took_ms: 0, outcome };
        outbox.emit(Event::ToolEnded { record: Box::new(Record { id: RecordId(1), parent: None, at: 0, body }) });
        assert_eq!(all(outbox.join()), [asking("q2", "c9")], "a call that ended asks nobody");
    }
}
