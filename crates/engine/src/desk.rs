//! What operations act on, whether a turn runs or not: questions, the queue, the posture, titles and labels.

use crate::approve::{Answer, Approvals, Heard};
use crate::dials::Dials;
use crate::handle::Shared;
use crate::images::keep;
use crate::outbox::Outbox;
use crate::people::People;
use crate::purse::Purse;
use crate::queue::{Queue, Work};
use crate::refs::resolve_for;
use crate::relay::Escalation;
use crate::start::Start;
use crate::trust::Word;
use reasonix_agent::{Artifacts, Journal, Said, Sink, Stop};
use reasonix_proto::{AskId, Effect, Event, Level, Op, Phrase, Record, RecordBody, RecordId, Scope, TurnState};
use reasonix_session::Past;
use std::collections::VecDeque;
use std::sync::Arc;

/// The longest title or label that is taken.
const LONGEST_NAME: usize = 200;

pub(crate) struct Desk {
    pub(crate) gate: Arc<Approvals>,
    pub(crate) people: Arc<People>,
    pub(crate) outbox: Arc<Outbox>,
    pub(crate) queue: Arc<Queue>,
    pub(crate) journal: Arc<dyn Journal>,
    pub(crate) past: Past,
    pub(crate) base: Arc<Start>,
    pub(crate) escalation: Arc<Escalation>,
    pub(crate) closing: bool,
    pub(crate) purse: Arc<Purse>,
    /// What keeps pictures.
    pub(crate) artifacts: Arc<dyn Artifacts>,
    /// The user's word on what the working folder would execute.
    pub(crate) trust: Word,
    /// The settings that can be changed.
    pub(crate) dials: Arc<Dials>,
    /// Nothing happened since the conversation was folded while nobody waited.
    pub(crate) rested: bool,
    /// True once a new session was made because this one is full.
    pub(crate) handed: bool,
    /// Operations that have to wait until nothing runs.
    pub(crate) after_turn: VecDeque<Op>,
}

impl Desk {
    pub(crate) fn new(
        shared: &Shared,
        queue: Arc<Queue>,
        journal: Arc<dyn Journal>,
        escalation: Arc<Escalation>,
    ) -> Self {
        Self {
            gate: Arc::clone(&shared.gate),
            people: Arc::clone(&shared.people),
            outbox: Arc::clone(&shared.outbox),
            queue,
            journal,
            past: shared.past.clone(),
            base: Arc::clone(&shared.base),
            escalation,
            closing: false,
            rested: false,
            handed: false,
            purse: Arc::clone(&shared.purse),
            artifacts: Arc::clone(&shared.artifacts),
            trust: shared.trust.clone(),
            dials: Arc::clone(&shared.dials),
            after_turn: VecDeque::new(),
        }
    }

    /// An operation while a turn runs.
    pub(crate) async fn take_meanwhile(&mut self, op: Op, stop: &Stop) {
        match op {
            Op::Steer { text } => {
                let said = self.said(text, false).await;
                self.queue.steer(said);
                self.tell_queue();
            }
            Op::Prompt { text, resolved } => self.add(text, resolved).await,
            Op::FollowUp { text } => self.add(text, false).await,
            Op::Shell { command, keep } => {
                self.queue.add(Work::Shell { command, keep });
                self.tell_queue();
            }
            Op::Interrupt => stop.cancel(),
            Op::Shutdown => {
                self.closing = true;
                stop.cancel();
            }
            Op::Discard => {
                self.after_turn.push_front(Op::Discard);
                stop.cancel();
            }
            Op::SetModel { .. } => {
                self.after_turn.push_back(op);
                self.notice(Level::Info, Phrase::new("engine.model_later"));
            }
            Op::Retry | Op::Branch { .. } | Op::Rewind { .. } | Op::Compact { .. } | Op::Handoff { .. } => {
                self.notice(Level::Warning, Phrase::new("engine.busy"));
            }
            other => self.take(other).await,
        }
    }

    /// An operation that is possible at any time.
    pub(crate) async fn take(&self, op: Op) {
        match op {
            Op::Answer { ask, choice, digest, words, edited } => {
                self.answer(&ask, Answer { choice, words, edited }, digest.as_deref());
            }
            Op::Respond { ask, responses } => {
                if !self.people.respond(&ask, responses) {
                    self.notice(Level::Warning, Phrase::new("engine.answer_late").with("ask", ask));
                }
            }
            Op::AnswerPlan { ask, answer } => {
                if !self.people.answer_plan(&ask, answer) {
                    self.notice(Level::Warning, Phrase::new("engine.answer_late").with("ask", ask));
                }
            }
            Op::SetMode { mode } => {
                if self.gate.set_mode(mode) != mode {
                    self.change(RecordBody::ModeChanged { mode }).await;
                }
            }
            Op::Trust { digest, yes } => {
                let (level, phrase) = self.trust.answer(&digest, yes);
                self.notice(level, phrase);
            }
            Op::Configure { key, value } => {
                let (level, phrase) = self.dials.change(&key, value).await;
                self.notice(level, phrase);
            }
            Op::Forget { name, scope } => self.forget(name, &scope).await,
            Op::Export { path } => self.export(&path).await,
            Op::Escalate { on } => self.escalate(on),
            Op::Unqueue { id } => self.edit_queued(id, None),
            Op::EditQueued { id, text } => {
                let said = self.said(text, false).await;
                self.edit_queued(id, Some(said));
            }
            Op::SetPosture { posture } => {
                self.gate.set_posture(posture);
                self.change(RecordBody::PostureChanged { posture }).await;
            }
            Op::Grant { rule, effect, scope } => self.grant(rule, effect, scope).await,
            Op::Revoke { rule, scope } => self.revoke(rule, scope).await,
            Op::SetBudget { allowance } => {
                self.purse.allow(allowance);
                self.notice(Level::Info, Phrase::new("engine.budget_set"));
            }
            Op::Label { record, label } => self.label(record, &label).await,
            Op::Rename { title } => {
                let title = title.chars().take(LONGEST_NAME).collect();
                self.change(RecordBody::Titled { title, by_user: true }).await;
            }
            _ => self.notice(Level::Warning, Phrase::new("engine.not_possible")),
        }
    }

    async fn add(&self, text: String, resolved: bool) {
        let said = self.said(text, resolved).await;
        self.queue.add(Work::Prompt(said));
        self.tell_queue();
    }

    /// What the model reads of what was typed. References are looked up off the runtime's thread.
    pub(crate) async fn said(&self, text: String, resolved: bool) -> Said {
        if resolved || !text.contains('@') {
            return text.into();
        }
        let (workspace, typed) = (self.base.workspace.clone(), text.clone());
        let artifacts = Arc::clone(&self.artifacts);
        // A person may show a picture that lies elsewhere; what is closed to the model is closed here too.
        let closed = self.base.attended.then(|| {
            let mut closed = self.base.settings.sandbox.forbid_read.clone();
            closed.push(self.base.home.clone());
            closed
        });
        let found = tokio::task::spawn_blocking(move || {
            let mut found = resolve_for(&workspace, &typed, closed.as_deref());
            keep(&mut found.images, artifacts.as_ref()).map(|()| found)
        });
        let found = match found.await {
            Ok(Ok(found)) => found,
            Ok(Err(error)) => {
                self.notice(Level::Error, Phrase::new("engine.image_unkept").with("reason", error));
                return text.into();
            }
            Err(_) => return text.into(),
        };
        for phrase in found.notices {
            self.notice(Level::Warning, phrase);
        }
        let typed = (found.text != text).then_some(text);
        Said { text: found.text, typed, images: found.images }
    }

    /// The next turn goes to the larger model, or not after all.
    fn escalate(&self, on: bool) {
        let (level, phrase) = self.escalation.arm(on);
        self.notice(level, phrase);
    }

    fn edit_queued(&self, id: u64, said: Option<Said>) {
        if !self.queue.edit(id, said) {
            self.notice(Level::Warning, Phrase::new("engine.not_queued"));
        }
        self.tell_queue();
    }

    async fn label(&self, record: RecordId, label: &str) {
        if self.past.parent(record).is_none() && self.past.record(record).is_none() {
            return self.notice(Level::Warning, Phrase::new("engine.no_record").with("record", record));
        }
        let label = label.trim().chars().take(LONGEST_NAME).collect();
        self.change(RecordBody::Labelled { record, label }).await;
    }

    async fn grant(&self, rule: String, effect: Effect, scope: Scope) {
        if effect != Effect::Allow {
            return self.notice(Level::Warning, Phrase::new("engine.grant_allows_only"));
        }
        match self.gate.grant_rule(&rule, scope).await {
            Ok(()) => self.change(RecordBody::Granted { rule, effect: Some(effect), scope }).await,
            Err(phrase) => self.notice(Level::Error, phrase),
        }
    }

    async fn revoke(&self, rule: String, scope: Scope) {
        let revoked = match scope {
            Scope::Session if self.gate.revoke_rule(&rule) => Ok(()),
            Scope::Session => Err(Phrase::new("engine.not_granted").with("rule", &rule)),
            Scope::Always => self.gate.revoke_kept(&rule).await,
        };
        match revoked {
            Ok(()) => self.change(RecordBody::Granted { rule, effect: None, scope }).await,
            Err(phrase) => self.notice(Level::Warning, phrase),
        }
    }

    fn answer(&self, ask: &AskId, answer: Answer, digest: Option<&str>) {
        let code = match self.gate.answer(ask, answer, digest) {
            Heard::Taken => return,
            Heard::TooLate => "engine.answer_late",
            Heard::NotOffered => "engine.answer_not_offered",
            Heard::OtherThing => "engine.answer_other",
        };
        self.notice(Level::Warning, Phrase::new(code).with("ask", ask));
    }

    /// Appends a record; a failure is said, and nothing may follow from it.
    pub(crate) async fn journal(&self, body: RecordBody) -> Option<Record> {
        match self.journal.append(body).await {
            Ok(record) => Some(record),
            Err(error) => {
                let phrase = error.phrase();
                self.notice(Level::Error, phrase);
                None
            }
        }
    }

    /// Appends a record that changes something about the session, and tells everybody.
    pub(crate) async fn change(&self, body: RecordBody) {
        if let Some(record) = self.journal(body).await {
            self.outbox.emit(Event::Changed { record: Box::new(record) });
        }
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
}
