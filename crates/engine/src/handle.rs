//! A running session as front ends hold it: operations in, events out, questions answered.

use crate::approve::Approvals;
use crate::dials::Dials;
use crate::outbox::{Events, Outbox};
use crate::people::People;
use crate::purse::Purse;
use crate::spec::Start;
use crate::ticket::{Pending, Sender};
use crate::tools::TodoList as Todo;
use crate::trust::Word;
use reasonix_agent::{Artifacts, BoxFuture, Prefix};
use reasonix_exec::Confinement;
#[cfg(doc)]
use reasonix_proto::Event;
use reasonix_proto::{Op, Query, Reply, SessionId, Submit};
use reasonix_session::Past;
use std::sync::Arc;

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
    pub(crate) gate: Arc<Approvals>,
    pub(crate) people: Arc<People>,
    pub(crate) artifacts: Arc<dyn Artifacts>,
    pub(crate) past: Past,
    pub(crate) todo: Todo,
    pub(crate) prefix: Arc<Prefix>,
    pub(crate) base: Arc<Start>,
    pub(crate) dials: Arc<Dials>,
    pub(crate) confinement: Confinement,
    pub(crate) trust: Word,
    pub(crate) undo: bool,
    pub(crate) purse: Arc<Purse>,
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
        Self {
            session: self.session.clone(),
            events: self.shared.outbox.join(),
            ops: self.ops.clone(),
            shared: Arc::clone(&self.shared),
        }
    }
}
