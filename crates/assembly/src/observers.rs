//! Who looks at what a session writes down: the ledger, the citations, the claims, the queue, and the gate's own memory of
//! files.

use reasonix_agent::Sink;
use reasonix_evidence::Deeds;
use reasonix_gate::Approvals;
use reasonix_proto::{
    CallId, Claim, Claimed, Details, Event, Message, Record, RecordBody, RecordId, SessionHead, SessionId, TodoPhase,
    ToolOutcome, TurnEnd,
};
use reasonix_session::{ChildRuns, Entry, Ledger, Past, Subagent};
use reasonix_state::outbox::Outbox;
use reasonix_state::purse::Purse;
use reasonix_state::{Observer, SessionState};
use reasonix_talk::queue::Queue;
use reasonix_tools::{TODO_WRITE, TodoList};
use reasonix_workspace::Workspace;
use std::sync::Arc;

/// Writes what requests took into the ledger.
pub struct KeepsLedger {
    ledger: Ledger,
    purse: Arc<Purse>,
    session: SessionId,
    folder: String,
    /// Who a subagent is; none for a session of its own.
    who: Option<Subagent>,
    /// The subagents that work for it.
    runs: ChildRuns,
}

impl KeepsLedger {
    /// What keeps it for the session that begins like this.
    pub fn new(ledger: Ledger, purse: Arc<Purse>, head: &SessionHead, folder: String) -> Self {
        let (session, who, runs) = (head.session.clone(), Subagent::of(head), ChildRuns::new(head.session.clone()));
        Self { ledger, purse, session, folder, who, runs }
    }
}

impl Observer for KeepsLedger {
    fn after(&mut self, record: &Record, _state: &SessionState) -> Vec<RecordBody> {
        let entry = Entry::of(record, &self.session, &self.folder, |model| self.purse.price(model));
        let by = |entry: Entry| match &self.who {
            Some(who) => entry.by(who),
            None => entry,
        };
        // A ledger that cannot be written must not end a turn; the log has the figures too.
        let _ = entry.map(|entry| self.ledger.append(&by(entry)));
        let _ = self.runs.saw(record, &self.folder).map(|run| self.ledger.append_run(&run));
        Vec::new()
    }
}

/// Checks the citations of an answer beside the turn; nobody waits for it.
pub struct ChecksCitations {
    /// The files that are cited.
    pub workspace: Workspace,
    /// Where what was found is shown.
    pub outbox: Arc<Outbox>,
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

/// Holds what the answer of a turn claims against what the session did. It is written down when the turn ends, and no model
/// reads it.
pub struct ChecksClaims {
    deeds: Deeds,
    answer: Option<(RecordId, String)>,
    /// The log of a session that was taken up again, until the first claim needs what it did before.
    earlier: Option<Past>,
}

impl ChecksClaims {
    /// A check over what this log has of earlier turns.
    pub fn new(earlier: Option<Past>) -> Self {
        Self { deeds: Deeds::default(), answer: None, earlier }
    }

    fn claims(&mut self, answer: &str) -> Vec<Claim> {
        let found = self.deeds.check(answer);
        let Some(past) = self.earlier.take_if(|_| !found.is_empty()) else { return found };
        let mut deeds = Deeds::default();
        // A log that cannot be read proves nothing.
        match past.each(|record| deeds.see(&record)) {
            Ok(()) => self.deeds = deeds,
            Err(_) => return found,
        }
        self.deeds.check(answer)
    }
}

impl Observer for ChecksClaims {
    fn after(&mut self, record: &Record, _state: &SessionState) -> Vec<RecordBody> {
        self.deeds.see(record);
        match &record.body {
            RecordBody::Prompt { .. } => self.answer = None,
            RecordBody::Assistant { message: Message::Assistant { text, calls, .. }, .. } => {
                self.answer = calls.is_empty().then(|| (record.id, text.clone()));
            }
            // Where calls were refused, or steps ran out, the answer claims no less.
            RecordBody::TurnEnded {
                turn, end: TurnEnd::Done | TurnEnd::Refused { .. } | TurnEnd::StepLimit, ..
            } => {
                let Some((answer, text)) = self.answer.take() else { return Vec::new() };
                let claims = self.claims(&text);
                if !claims.is_empty() {
                    return vec![RecordBody::Claimed(Box::new(Claimed { turn: *turn, record: answer, claims }))];
                }
            }
            _ => {}
        }
        Vec::new()
    }
}

/// Tells what still waits when something of the queue was read, and lets go of the news that a prompt told of.
pub struct TellsQueue {
    /// What waits.
    pub queue: Arc<Queue>,
    /// Where what was found is shown.
    pub outbox: Arc<Outbox>,
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
pub struct TellsGate(pub Arc<Approvals>);

impl Observer for TellsGate {
    fn after(&mut self, record: &Record, _state: &SessionState) -> Vec<RecordBody> {
        self.0.recall(record);
        Vec::new()
    }
}

/// Keeps the list that the todo tools work on to what the log says: at the borders of a turn it is what the branch has, and
/// what the model explored away from is said again, because whoever resumes does not read it there.
pub struct KeepsTodo {
    list: TodoList,
    /// The last record that changed it.
    changed: Option<RecordId>,
}

impl KeepsTodo {
    /// Keeps this list.
    pub fn new(list: TodoList) -> Self {
        Self { list, changed: None }
    }
}

impl Observer for KeepsTodo {
    fn after(&mut self, record: &Record, state: &SessionState) -> Vec<RecordBody> {
        match &record.body {
            RecordBody::Outcome { outcome: ToolOutcome::Done { details, .. }, .. } if details.todo.is_some() => {
                self.changed = Some(record.id);
            }
            RecordBody::TodoChanged { todo, .. } => {
                self.changed = Some(record.id);
                self.list.restore(todo.clone());
            }
            RecordBody::Prompt { .. } | RecordBody::TurnEnded { .. } => self.list.restore(state.todo.to_vec()),
            RecordBody::Rewound(back) if self.changed.is_some_and(|changed| changed > back.to) => {
                return vec![kept_list(state.todo.to_vec())];
            }
            _ => {}
        }
        Vec::new()
    }
}

/// The todo list as a record that another branch or session takes it from: the end of a call that nobody made there.
pub fn kept_list(todo: Vec<TodoPhase>) -> RecordBody {
    let details = Details { todo: Some(todo), ..Details::default() };
    let outcome = ToolOutcome::detailed("The list was handed over.", details);
    RecordBody::Outcome { call: CallId::from("handoff"), tool: TODO_WRITE.to_owned(), took_ms: 0, outcome }
}
