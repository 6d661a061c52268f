//! Operations on their way: each is named, settled exactly once, and acts once however often it is sent.

use crate::outbox::Outbox;
use reasonix_agent::Sink;
use reasonix_proto::{ClientId, Done, Event, Level, Op, OpId, Phrase, Refusal, Refused, Settled, Submit};
use std::collections::{HashMap, VecDeque};
use std::hash::{DefaultHasher, Hash, Hasher};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use tokio::sync::{mpsc, oneshot};

/// So many settled operations are remembered, for those that are sent again.
const MOST_REMEMBERED: usize = 256;
/// A front end may call itself anything; so much of it is written down.
const LONGEST_CLIENT: usize = 64;

/// What came of an operation, before it is told.
pub type Settlement = Result<Done, Refused>;

/// Something was done, in words for the person who wanted it.
pub struct ToldDone {
    /// What was done.
    pub done: Done,
    /// How much it matters.
    pub level: Level,
    /// The words.
    pub phrase: Phrase,
}

/// What is handed to the session's task.
pub type Inbound = (Op, Ticket);

/// An operation that was handed in.
pub struct Pending {
    /// Its name, as events have it.
    pub id: OpId,
    answer: oneshot::Receiver<Settled>,
}

impl Pending {
    /// Waits for what comes of it. It goes on when nobody waits.
    pub async fn settled(self) -> Settled {
        self.answer.await.unwrap_or_else(|_| Settled::Refused(ended()))
    }
}

/// Hands operations to a session, from wherever it is taken to.
#[derive(Clone)]
pub struct Sender {
    to: mpsc::UnboundedSender<Inbound>,
    tickets: Arc<Tickets>,
}

impl Sender {
    /// A sender, and the operations that are sent with it.
    pub fn new(to: mpsc::UnboundedSender<Inbound>, outbox: &Arc<Outbox>) -> (Self, Arc<Tickets>) {
        let tickets = Tickets::new(Arc::clone(outbox));
        (Self { to, tickets: Arc::clone(&tickets) }, tickets)
    }

    /// Hands in an operation under a name of our own.
    pub fn submit(&self, op: Op) -> Pending {
        let (waiter, answer) = oneshot::channel();
        let id = self.tickets.fresh();
        self.hand_in(Name { by: By::Us, id: id.clone() }, op, waiter);
        Pending { id, answer }
    }

    /// Hands in an operation. One that is sent again under its name does not act again: it is settled as the first was.
    pub fn submit_as(&self, Submit { id, op, client }: Submit) -> Pending {
        let (waiter, answer) = oneshot::channel();
        let name = Name { by: client.map_or(By::Unsaid, By::named), id: id.clone() };
        self.hand_in(name, op, waiter);
        Pending { id, answer }
    }

    fn hand_in(&self, name: Name, op: Op, waiter: oneshot::Sender<Settled>) {
        if let Some(ticket) = self.tickets.admit(name, &op, waiter) {
            // A session that is over gives the ticket back, and dropping it settles the operation.
            let _ = self.to.send((op, ticket));
        }
    }
}

/// An operation's name: two front ends that both count from 1 mean two operations.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
struct Name {
    by: By,
    id: OpId,
}

/// Who named an operation.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
enum By {
    /// We did.
    Us,
    /// A front end that does not say who it is.
    Unsaid,
    Client(ClientId),
}

impl By {
    fn named(client: ClientId) -> Self {
        Self::Client(ClientId(client.0.chars().take(LONGEST_CLIENT).collect()))
    }

    fn client(&self) -> Option<ClientId> {
        match self {
            Self::Client(client) => Some(client.clone()),
            Self::Us | Self::Unsaid => None,
        }
    }
}

/// The operations of a session.
pub struct Tickets {
    outbox: Arc<Outbox>,
    known: Mutex<Known>,
}

#[derive(Default)]
struct Known {
    named: u64,
    entries: HashMap<Name, Entry>,
    /// Those that are settled, the oldest first.
    settled: VecDeque<Name>,
    over: bool,
}

struct Entry {
    /// What the operation was, for telling it from another one of the same name.
    content: u64,
    waiting: Vec<oneshot::Sender<Settled>>,
    settled: Option<Settled>,
}

impl Tickets {
    fn new(outbox: Arc<Outbox>) -> Arc<Self> {
        Arc::new(Self { outbox, known: Mutex::default() })
    }

    /// From now on nothing is told any more: the session's last event comes next.
    pub fn close(&self) {
        self.lock().over = true;
    }

    fn lock(&self) -> MutexGuard<'_, Known> {
        self.known.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn fresh(&self) -> OpId {
        let mut known = self.lock();
        known.named += 1;
        OpId(format!("op-{}", known.named))
    }

    /// A ticket for an operation that is new.
    fn admit(self: &Arc<Self>, name: Name, op: &Op, waiter: oneshot::Sender<Settled>) -> Option<Ticket> {
        let content = content(op);
        let mut known = self.lock();
        match known.entries.get_mut(&name) {
            Some(entry) if entry.content != content => {
                let why = Phrase::new("engine.op_repeated").with("id", name.id);
                let _ = waiter.send(Settled::Refused(Refused::new(Refusal::Repeated, why)));
                return None;
            }
            Some(Entry { settled: Some(settled), .. }) => {
                let _ = waiter.send(settled.clone());
                return None;
            }
            Some(entry) => {
                entry.waiting.push(waiter);
                return None;
            }
            None => {}
        }
        known.entries.insert(name.clone(), Entry { content, waiting: vec![waiter], settled: None });
        Some(Ticket { name, tickets: Arc::clone(self), open: true })
    }

    fn settle(&self, name: &Name, settled: &Settled) {
        let mut known = self.lock();
        let over = known.over;
        if let Some(entry) = known.entries.get_mut(name) {
            entry.settled = Some(settled.clone());
            for waiter in entry.waiting.drain(..) {
                let _ = waiter.send(settled.clone());
            }
        }
        known.settled.push_back(name.clone());
        if known.settled.len() > MOST_REMEMBERED
            && let Some(oldest) = known.settled.pop_front()
        {
            known.entries.remove(&oldest);
        }
        drop(known);
        if !over {
            let (op, client, settled) = (name.id.clone(), name.by.client(), Box::new(settled.clone()));
            self.outbox.emit(Event::Settled { op, client, settled });
        }
    }
}

/// The right and the duty to settle one operation. Dropped unused, it says that the session ended before its turn came.
pub struct Ticket {
    name: Name,
    tickets: Arc<Tickets>,
    open: bool,
}

impl Ticket {
    /// The front end that the operation came from, where that said its name.
    pub fn client(&self) -> Option<ClientId> {
        self.name.by.client()
    }

    /// Settles the operation: done, or refused with a reason.
    pub fn settle(mut self, outcome: Settlement) {
        self.open = false;
        self.tickets.settle(&self.name, &outcome.into());
    }
}

impl Drop for Ticket {
    fn drop(&mut self) {
        if self.open {
            self.tickets.settle(&self.name, &Settled::Refused(ended()));
        }
    }
}

fn ended() -> Refused {
    Refused::new(Refusal::Ended, Phrase::new("engine.session_over"))
}

fn content(op: &Op) -> u64 {
    let mut hasher = DefaultHasher::new();
    serde_json::to_string(op).unwrap_or_default().hash(&mut hasher);
    hasher.finish()
}
