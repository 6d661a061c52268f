//! Watches the events of a session on their way out, and adds what follows from them: the queue after something of it
//! was read, and the citations of an answer, checked.

use crate::approve::Approvals;
use crate::citations::citations;
use crate::outbox::Outbox;
use crate::purse::Purse;
use crate::queue::Queue;
use reasonix_agent::Sink;
use reasonix_proto::{Event, Message, RecordBody, SessionId};
use reasonix_session::{Entry, Ledger};
use reasonix_workspace::Workspace;
use std::sync::Arc;

/// The sink of a session's agent.
pub(crate) struct Lookout {
    gate: Arc<Approvals>,
    outbox: Arc<Outbox>,
    queue: Arc<Queue>,
    workspace: Workspace,
    books: Option<Bookkeeper>,
}

/// Writes what requests took into the ledger.
pub(crate) struct Bookkeeper {
    pub(crate) ledger: Ledger,
    pub(crate) purse: Arc<Purse>,
    pub(crate) session: SessionId,
    pub(crate) folder: String,
}

impl Bookkeeper {
    /// Keeps what an event says about a request.
    pub(crate) fn take(&self, event: &Event) {
        let (Event::Message { record } | Event::Compacted { record }) = event else { return };
        let entry = Entry::of(record, &self.session, &self.folder, |model| self.purse.price(model));
        // A ledger that cannot be written must not end a turn; the log has the figures too.
        let _ = entry.map(|entry| self.ledger.append(&entry));
    }
}

impl Lookout {
    pub(crate) fn new(gate: Arc<Approvals>, outbox: Arc<Outbox>, queue: Arc<Queue>, workspace: Workspace) -> Self {
        Self { gate, outbox, queue, workspace, books: None }
    }

    /// The same, keeping the ledger.
    pub(crate) fn with_books(self, books: Option<Bookkeeper>) -> Self {
        Self { books, ..self }
    }

    /// Checks the citations of an answer beside the turn; nobody waits for it.
    fn cite(&self, event: &Event) {
        let Event::Message { record } = event else { return };
        let RecordBody::Assistant { message: Message::Assistant { text, .. }, .. } = &record.body else { return };
        if !text.contains(':') {
            return;
        }
        let (id, text) = (record.id, text.clone());
        let (workspace, outbox) = (self.workspace.clone(), Arc::clone(&self.outbox));
        tokio::task::spawn_blocking(move || {
            let citations = citations(&workspace, &text);
            if !citations.is_empty() {
                outbox.emit(Event::Cited { record: id, citations });
            }
        });
    }
}

impl Sink for Lookout {
    fn emit(&self, event: Event) {
        let read = matches!(event, Event::Noted { .. });
        self.cite(&event);
        if let Some(books) = &self.books {
            books.take(&event);
        }
        self.gate.emit(event);
        if read {
            self.outbox.emit(Event::Queued { queue: self.queue.list() });
        }
    }
}
