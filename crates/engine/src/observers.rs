//! Who looks at what a session writes down: the ledger, the citations, the queue, and the gate's own memory of files.

use crate::outbox::Outbox;
use crate::purse::Purse;
use crate::queue::Queue;
use crate::state::{Observer, SessionState};
use reasonix_agent::Sink;
use reasonix_gate::Approvals;
use reasonix_proto::{Event, Message, Record, RecordBody, SessionId};
use reasonix_session::{Entry, Ledger};
use reasonix_workspace::Workspace;
use std::sync::Arc;

/// Writes what requests took into the ledger.
pub(crate) struct KeepsLedger {
    pub(crate) ledger: Ledger,
    pub(crate) purse: Arc<Purse>,
    pub(crate) session: SessionId,
    pub(crate) folder: String,
}

impl Observer for KeepsLedger {
    fn after(&mut self, record: &Record, _state: &SessionState) -> Vec<RecordBody> {
        let entry = Entry::of(record, &self.session, &self.folder, |model| self.purse.price(model));
        // A ledger that cannot be written must not end a turn; the log has the figures too.
        let _ = entry.map(|entry| self.ledger.append(&entry));
        Vec::new()
    }
}

/// Checks the citations of an answer beside the turn; nobody waits for it.
pub(crate) struct ChecksCitations {
    pub(crate) workspace: Workspace,
    pub(crate) outbox: Arc<Outbox>,
}

impl Observer for ChecksCitations {
    fn after(&mut self, record: &Record, _state: &SessionState) -> Vec<RecordBody> {
        if let RecordBody::Assistant { message: Message::Assistant { text, .. }, .. } = &record.body
            && text.contains(':')
        {
            let (id, text) = (record.id, text.clone());
            let (workspace, outbox) = (self.workspace.clone(), Arc::clone(&self.outbox));
            tokio::task::spawn_blocking(move || {
                let citations = reasonix_workspace::citations(&workspace, &text);
                if !citations.is_empty() {
                    outbox.emit(Event::Cited { record: id, citations });
                }
            });
        }
        Vec::new()
    }
}

/// Tells what still waits when something of the queue was read, and lets go of the news that a prompt told of.
pub(crate) struct TellsQueue {
    pub(crate) queue: Arc<Queue>,
    pub(crate) outbox: Arc<Outbox>,
}

impl Observer for TellsQueue {
    fn after(&mut self, record: &Record, _state: &SessionState) -> Vec<RecordBody> {
        match record.body {
            RecordBody::Note { .. } => self.outbox.emit(Event::Queued { queue: self.queue.list() }),
            RecordBody::Prompt { .. } => self.queue.prompt_kept(),
            _ => {}
        }
        Vec::new()
    }
}

/// Lets the gate know what calls did to files.
pub(crate) struct TellsGate(pub(crate) Arc<Approvals>);

impl Observer for TellsGate {
    fn after(&mut self, record: &Record, _state: &SessionState) -> Vec<RecordBody> {
        self.0.recall(record);
        Vec::new()
    }
}
