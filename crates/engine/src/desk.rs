//! What operations act on and queries are answered from: everything of a session that is not the turn itself. Each part has
//! its own lock where it needs one, so that whoever holds the desk may look at any time.

use crate::dials::Dials;
use reasonix_agent::{Artifacts, Journal, Prefix, Sink};
use reasonix_children::ChildFamily;
use reasonix_exec::Confinement;
use reasonix_gate::Approvals;
use reasonix_hooks::Hooks;
use reasonix_jobs::Jobs;
use reasonix_proto::{Done, Event, Level, Mode, Phrase, Record, RecordBody, RecordId, Refusal, Refused, TurnState};
use reasonix_servers::fleet::Fleet;
use reasonix_session::Past;
use reasonix_state::Book;
use reasonix_state::outbox::Outbox;
use reasonix_state::purse::Purse;
use reasonix_state::ticket::{Settlement, Ticket, ToldDone};
use reasonix_talk::people::People;
use reasonix_talk::queue::Queue;
use reasonix_world::spec::Start;
use reasonix_world::trust::TrustWord;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use tokio::sync::watch;

/// What a session has on its desk.
pub(crate) struct Desk {
    pub(crate) base: Arc<Start>,
    pub(crate) outbox: Arc<Outbox>,
    pub(crate) book: Arc<Book>,
    pub(crate) past: Past,
    /// What keeps pictures and long outputs.
    pub(crate) artifacts: Arc<dyn Artifacts>,
    pub(crate) queue: Arc<Queue>,
    pub(crate) gate: Arc<Approvals>,
    pub(crate) people: Arc<People>,
    pub(crate) purse: Arc<Purse>,
    /// The settings that can be changed.
    pub(crate) dials: Arc<Dials>,
    /// What is sent with every request.
    pub(crate) prefix: watch::Receiver<Arc<Prefix>>,
    pub(crate) brought: Brought,
    pub(crate) behind: Behind,
    pub(crate) held: HeldBy,
    /// What is wrong with the files of commands was said.
    pub(crate) told_flaws: AtomicBool,
}

/// What files and servers of other people bring into a session, and the user's word on that.
pub(crate) struct Brought {
    /// The servers that extend it.
    pub(crate) fleet: Arc<Fleet>,
    pub(crate) hooks: Arc<Hooks>,
    /// The user's word on what the working folder would execute.
    pub(crate) trust: TrustWord,
}

/// What works behind a conversation.
pub(crate) struct Behind {
    pub(crate) jobs: Arc<Jobs>,
    /// The subagents.
    pub(crate) family: Arc<ChildFamily>,
}

/// What stands between the model and the files.
pub(crate) struct HeldBy {
    /// What commands are held to.
    pub(crate) confinement: Confinement,
    /// What was done to files can be taken back.
    pub(crate) undo: bool,
}

impl Desk {
    /// Tells what came of an operation; a refusal is also said to whoever reads notices.
    pub(crate) fn settle(&self, ticket: Ticket, outcome: Settlement) {
        if let Err(refused) = &outcome {
            self.notice(refused.refusal.level(), refused.why.clone());
        }
        ticket.settle(outcome);
    }

    /// Says what was done.
    pub(crate) fn told(&self, outcome: Result<ToldDone, Refused>) -> Settlement {
        outcome.map(|ToldDone { done, level, phrase }| {
            self.notice(level, phrase);
            done
        })
    }

    /// Appends a record; nothing may follow from one that could not be.
    pub(crate) async fn journal(&self, body: RecordBody) -> Result<Record, Refused> {
        self.book.append(body).await.map_err(|error| Refused::new(Refusal::Log, error.phrase()))
    }

    /// Appends a record that changes something about the session, and tells everybody.
    pub(crate) async fn change(&self, body: RecordBody) -> Settlement {
        self.book.tighten(&body);
        let record = self.journal(body).await?;
        self.outbox.emit(Event::Changed { record: Box::new(record) });
        Ok(Done::Applied)
    }

    pub(crate) fn tell_queue(&self) {
        self.outbox.emit(Event::Queued { queue: self.queue.list() });
    }

    pub(crate) fn notice(&self, level: Level, phrase: Phrase) {
        self.outbox.emit(Event::Notice { level, phrase });
    }

    pub(crate) fn state(&self, state: TurnState) {
        self.outbox.emit(Event::State { state });
    }

    /// Lets the model do more or less. Whoever says so has done with the goal.
    pub(crate) async fn set_mode(&self, mode: Mode) -> Settlement {
        if mode == Mode::Plan && self.people.plans_on() {
            return Ok(Done::Applied);
        }
        let cleared = self.clear_goal().await?;
        if self.book.state().mode == mode {
            return Ok(cleared);
        }
        self.change(RecordBody::ModeChanged { mode }).await
    }
}

/// There is no such record.
pub(crate) fn no_record(record: RecordId) -> Refused {
    Refused::new(Refusal::NotFound, Phrase::new("engine.no_record").with("record", record))
}

/// This session cannot do it.
pub(crate) fn not_possible() -> Refused {
    Refused::new(Refusal::NotPossible, Phrase::new("engine.not_possible"))
}

/// The log cannot be read.
pub(crate) fn unreadable(reason: impl std::fmt::Display) -> Refused {
    Refused::new(Refusal::Log, Phrase::new("engine.log_unreadable").with("reason", reason))
}
