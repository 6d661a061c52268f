//! A running session as front ends hold it: operations in, events out, questions answered.

use crate::children::Family;
use crate::dials::Dials;
use crate::fleet::Fleet;
use crate::hooks::Hooks;
use crate::jobs::Jobs;
use crate::outbox::{Events, Outbox};
use crate::people::People;
use crate::purse::Purse;
use crate::queue::Queue;
use crate::spec::Start;
use crate::ticket::{Pending, Sender};
use crate::trust::Word;
use reasonix_agent::{Artifacts, BoxFuture, Prefix};
use reasonix_exec::Confinement;
use reasonix_gate::Approvals;
#[cfg(doc)]
use reasonix_proto::Event;
use reasonix_proto::{Op, Query, Reply, SessionId, Submit};
use reasonix_session::Past;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use tokio::sync::watch;

/// A running session, as a front end holds it. The session ends when every handle of it is dropped.
pub struct Handle {
    /// The session's id.
    pub session: SessionId,
    /// What happens.
    pub events: Events,
    pub(crate) ops: Sender,
    pub(crate) shared: Arc<Shared>,
}

/// What queries are answered from.
pub(crate) struct Shared {
    pub(crate) outbox: Arc<Outbox>,
    pub(crate) queue: Arc<Queue>,
    pub(crate) gate: Arc<Approvals>,
    pub(crate) people: Arc<People>,
    pub(crate) artifacts: Arc<dyn Artifacts>,
    pub(crate) past: Past,
    pub(crate) prefix: watch::Receiver<Arc<Prefix>>,
    pub(crate) fleet: Arc<Fleet>,
    pub(crate) base: Arc<Start>,
    pub(crate) dials: Arc<Dials>,
    pub(crate) confinement: Confinement,
    pub(crate) trust: Word,
    pub(crate) hooks: Arc<Hooks>,
    pub(crate) undo: bool,
    pub(crate) purse: Arc<Purse>,
    pub(crate) jobs: Arc<Jobs>,
    /// What is wrong with the files of commands was said.
    pub(crate) told_flaws: AtomicBool,
    /// The subagents.
    pub(crate) family: Arc<Family>,
}

impl Handle {
    /// Hands in an operation; what comes of it can be waited for, and is told to everybody as [`Event::Settled`].
    pub fn submit(&self, op: Op) -> Pending {
        self.ops.submit(op)
    }

    /// The same under a name that the front end chose: sent again, it does not act again.
    pub fn submit_as(&self, submit: Submit) -> Pending {
        self.ops.submit_as(submit)
    }

    /// A sender of operations that can go elsewhere, such as into a signal watcher.
    pub fn sender(&self) -> Sender {
        self.ops.clone()
    }

    /// Answers a question about the session. Dropping the future gives it up.
    pub fn query(&self, query: Query) -> BoxFuture<'static, Reply> {
        Shared::answer(Arc::clone(&self.shared), query)
    }

    /// Another front end on the same session; it gets what happens from now on.
    #[must_use]
    pub fn join(&self) -> Self {
        self.with(self.shared.outbox.join())
    }

    /// A front end that was away and has seen every event up to this number: it first gets those that it missed, but for
    /// what was only of the moment. None when they are too many: then it reads the log and joins.
    #[must_use]
    pub fn rejoin(&self, seen: u64) -> Option<Self> {
        self.shared.outbox.rejoin(seen).map(|events| self.with(events))
    }

    fn with(&self, events: Events) -> Self {
        let (session, ops, shared) = (self.session.clone(), self.ops.clone(), Arc::clone(&self.shared));
        Self { session, events, ops, shared }
    }

    /// Lets the model know of something that happened outside of its turns: a job ended, a server's tools changed. It reads
    /// it at the border of the next step, or with the next prompt; by itself it begins no turn.
    pub fn tell_news(&self, from: &str, text: &str) {
        self.shared.queue.inbox().push_news(format!("[{from}: {text}]"));
    }
}
