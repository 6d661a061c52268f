//! Handing over to a new session: it begins with notes on this one, and with the same tools and system prompt.

use crate::acting::Actor;
use crate::desk::{Desk, unreadable};
use crate::goals::handed_on;
use crate::intake::Intake;
use reasonix_agent::{Sink, Stop};
use reasonix_assembly::observers::kept_list;
use reasonix_proto::{
    Done, Event, FailureClass, Level, Mode, Origin, Phrase, Record, RecordBody, RecordId, Refusal, Refused,
    SessionHead, SessionId, TurnEnd, TurnState,
};
use reasonix_session::{Entry, Ledger, Sessions};
use reasonix_state::SessionState;
use reasonix_state::ticket::Settlement;

/// A new session that goes on with what this one has.
pub(crate) struct Handoff<'a> {
    pub(crate) desk: &'a Desk,
    pub(crate) intake: &'a mut Intake,
    pub(crate) actor: &'a mut Actor,
    /// One was made because this session is full.
    pub(crate) handed: &'a mut bool,
}

impl Handoff<'_> {
    /// Makes the new session; this one stays as it is.
    pub(crate) async fn hand_over(&mut self, focus: &str) -> Settlement {
        if !self.desk.outbox.is_kept() {
            return Err(Refused::new(Refusal::Unkept, Phrase::new("engine.handoff_unkept")));
        }
        let stop = Stop::new();
        let folding = self.actor.agent.hand_over(&mut self.actor.conversation, focus, &stop);
        let folded = self.intake.alongside(folding, &stop).await;
        let made = folded.map(|folded| self.make(RecordBody::Compacted(Box::new(folded))));
        self.desk.state(TurnState::Idle);
        let Some(session) = made.transpose()? else {
            self.desk.notice(Level::Info, Phrase::new("engine.nothing_to_fold"));
            return Ok(Done::Unchanged);
        };
        self.desk.notice(Level::Info, Phrase::new("engine.handed_over").with("session", session.short()));
        self.desk.outbox.emit(Event::HandedOver { session: session.clone(), full: false });
        Ok(Done::HandedOver { session })
    }

    /// The last rung, where nothing that was folded was small enough: the work goes on in a new session. The endpoint takes
    /// nothing more of this one, so that the notes are made of the log. Once, however often it is tried here again.
    pub(crate) async fn hand_over_when_full(&mut self, end: &TurnEnd) {
        let full = matches!(end, TurnEnd::ProviderFailed { class: FailureClass::ContextTooLong, .. });
        let wanted = full && self.actor.agent.limits.compaction.auto && self.desk.outbox.is_kept();
        if !wanted || std::mem::replace(self.handed, true) {
            return;
        }
        let nobody = Stop::new();
        nobody.cancel();
        let folded = self.actor.agent.hand_over(&mut self.actor.conversation, "", &nobody).await;
        match folded.map(|folded| self.make(RecordBody::Compacted(Box::new(folded)))) {
            None => {}
            Some(Ok(session)) => {
                let phrase = Phrase::new("engine.handed_over_full").with("session", session.short());
                self.desk.notice(Level::Warning, phrase);
                self.desk.outbox.emit(Event::HandedOver { session, full: true });
            }
            Some(Err(refused)) => self.desk.notice(refused.refusal.level(), refused.why),
        }
    }

    /// Writes the new session: what it began with here, and what is handed over.
    fn make(&self, folded: RecordBody) -> Result<SessionId, Refused> {
        let past = &self.desk.past;
        let mut history = past.history().map_err(unreadable)?;
        let Some(head) = history.head.take() else {
            return Err(unreadable("record 1"));
        };
        let (here, state) = (head.session.clone(), self.desk.book.state().clone());
        let head = SessionHead {
            session: SessionId::fresh(),
            model: state.model.clone(),
            from: Some(Origin::Handoff { session: here }),
            ..head
        };
        let title = RecordBody::Titled { title: past.marks().title().to_owned(), by_user: false };
        let entry = history.requested.map(|entry| RecordBody::Requested(Box::new(entry)));
        let todo = history.todo.filter(|todo| !todo.is_empty()).map(kept_list);
        let now = reasonix_session::now();
        // What the session was in goes on there.
        let mode = (state.mode != Mode::Build).then_some(RecordBody::ModeChanged { mode: state.mode });
        let goal = state.goal.as_deref().map(handed_on);
        let SessionState { model, effort, .. } = state;
        let effort = effort.map(|effort| RecordBody::ModelChanged { model, effort: Some(effort) });
        let bodies = entry.into_iter().chain([folded, title]).chain(todo).chain(mode).chain(effort).chain(goal);
        let bodies: Vec<_> = bodies.map(|body| (now, body)).collect();
        let sessions = Sessions::at(&self.desk.base.world.home.join("state"));
        let session =
            sessions.import(head, bodies.clone()).map_err(|error| Refused::new(Refusal::Failed, error.phrase()))?;
        for (id, (at, body)) in (2..).zip(bodies) {
            self.enter(&Record { id: RecordId(id), parent: None, at, body }, &session);
        }
        Ok(session)
    }

    /// Enters what a record cost into the ledger. One that cannot be written must not stop anything; the log has it too.
    fn enter(&self, record: &Record, session: &SessionId) {
        let (base, purse) = (&self.desk.base, &self.desk.purse);
        let folder = base.workspace.root().display().to_string();
        if let Some(entry) = Entry::of(record, session, &folder, |model| purse.price(model)) {
            let _ = Ledger::at(&base.world.home.join("state")).append(&entry);
        }
    }
}
