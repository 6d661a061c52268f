//! A running session as front ends hold it: operations in, events out, questions answered.

use crate::desk::Desk;
use crate::queries::Queries;
use reasonix_agent::BoxFuture;
#[cfg(doc)]
use reasonix_proto::Event;
use reasonix_proto::{AskId, Op, Query, Reply, SessionId, Submit};
use reasonix_state::outbox::Events;
use reasonix_state::ticket::{Pending, Sender};
use std::sync::Arc;

/// A running session, as a front end holds it. The session ends when every handle of it is dropped.
pub struct Handle {
    /// The session's id.
    pub session: SessionId,
    /// What happens.
    pub events: Events,
    pub(crate) ops: Sender,
    pub(crate) desk: Arc<Desk>,
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
        Queries(Arc::clone(&self.desk)).answer(query)
    }

    /// True while an answer to these questions is waited for: nobody else gave one, and there is time left.
    pub fn awaits(&self, ask: &AskId) -> bool {
        self.desk.people.awaits(ask)
    }

    /// Another front end on the same session; it gets what happens from now on.
    #[must_use]
    pub fn join(&self) -> Self {
        self.with(self.desk.outbox.join())
    }

    /// A front end that was away and has seen every event up to this number: it first gets those that it missed, but for
    /// what was only of the moment. None when they are too many: then it reads the log and joins.
    #[must_use]
    pub fn rejoin(&self, seen: u64) -> Option<Self> {
        self.desk.outbox.rejoin(seen).map(|events| self.with(events))
    }

    fn with(&self, events: Events) -> Self {
        let (session, ops, desk) = (self.session.clone(), self.ops.clone(), Arc::clone(&self.desk));
        Self { session, events, ops, desk }
    }
}
