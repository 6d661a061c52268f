//! One task a session: operations come in, turns run one after the other, and an interrupt is heard at any moment.

use crate::approve::{Approvals, Heard};
use crate::outbox::Outbox;
use crate::trust::Word;
use crate::undo::Undo;
use reasonix_agent::{Agent, Conversation, Inbox, Sink, Stop};
use reasonix_proto::{AskId, Choice, Event, Level, Op, Phrase, RecordBody, TurnState};
use std::collections::VecDeque;
use std::sync::Arc;
use tokio::sync::mpsc;

pub(crate) use crate::tools::TodoList as Todo;

/// A live session.
pub(crate) struct Live {
    agent: Agent,
    conversation: Conversation,
    desk: Desk,
    inbound: mpsc::UnboundedReceiver<Op>,
    resumed: bool,
    undo: Option<Arc<Undo>>,
}

/// What operations act on while a turn runs.
struct Desk {
    gate: Arc<Approvals>,
    outbox: Arc<Outbox>,
    inbox: Inbox,
    queue: VecDeque<String>,
    closing: bool,
    trust: Option<Word>,
}

impl Live {
    pub(crate) fn new(
        agent: Agent,
        conversation: Conversation,
        gate: Arc<Approvals>,
        outbox: Arc<Outbox>,
        inbound: mpsc::UnboundedReceiver<Op>,
        resumed: bool,
        undo: Option<Arc<Undo>>,
    ) -> Self {
        let desk = Desk { gate, outbox, inbox: Inbox::default(), queue: VecDeque::new(), closing: false, trust: None };
        Self { agent, conversation, desk, inbound, resumed, undo }
    }

    /// The same, with the user's word on what the working folder would execute.
    pub(crate) fn trusting(mut self, trust: Word) -> Self {
        self.desk.trust = Some(trust);
        self
    }

    /// Runs until the front end shuts the session down or goes away.
    pub(crate) async fn run(mut self) {
        if self.resumed {
            self.note_resumed().await;
        }
        self.desk.state(TurnState::Idle);
        while let Some(prompt) = self.next_prompt().await {
            self.turn(prompt).await;
        }
        self.desk.outbox.emit(Event::SessionEnded);
    }

    async fn note_resumed(&self) {
        let model = self.agent.model.card().name.clone();
        let body = RecordBody::Resumed { version: env!("CARGO_PKG_VERSION").to_owned(), model: model.clone() };
        match self.agent.journal.append(body).await {
            Ok(record) => {
                self.desk.outbox.emit(Event::SessionStarted { record: Box::new(record), model, resumed: true });
            }
            Err(error) => {
                let phrase = Phrase::new("engine.journal_failed").with("path", error.path).with("reason", error.reason);
                self.desk.notice(Level::Error, phrase);
            }
        }
    }

    async fn next_prompt(&mut self) -> Option<String> {
        loop {
            if self.desk.closing {
                return None;
            }
            // What was said too late to steer the last turn is the next prompt.
            if let Some(text) = self.desk.inbox.take().or_else(|| self.desk.queue.pop_front()) {
                return Some(text);
            }
            match self.inbound.recv().await? {
                Op::Prompt { text, .. } | Op::Steer { text } | Op::FollowUp { text } => return Some(text),
                Op::Answer { ask, choice, digest } => self.desk.answer(&ask, choice, digest.as_deref()),
                Op::Trust { digest, yes } => self.desk.take_word(&digest, yes),
                Op::Interrupt => {}
                Op::Shutdown => return None,
                _ => self.desk.notice(Level::Warning, Phrase::new("engine.not_possible")),
            }
        }
    }

    async fn turn(&mut self, prompt: String) {
        let stop = Stop::new();
        if let Some(undo) = &self.undo {
            undo.begin();
        }
        let inbox = self.desk.inbox.clone();
        let turn = self.agent.turn(&mut self.conversation, prompt, &inbox, &stop);
        tokio::pin!(turn);
        let mut hung_up = false;
        loop {
            tokio::select! {
                biased;
                _ = &mut turn => break,
                op = self.inbound.recv(), if !hung_up => {
                    hung_up = op.is_none();
                    self.desk.take(op.unwrap_or(Op::Shutdown), &stop);
                }
            }
        }
        self.desk.state(TurnState::Idle);
    }
}

impl Desk {
    /// An operation while a turn runs.
    fn take(&mut self, op: Op, stop: &Stop) {
        match op {
            Op::Steer { text } => self.inbox.push(text),
            Op::Prompt { text, .. } | Op::FollowUp { text } => self.queue.push_back(text),
            Op::Interrupt => stop.cancel(),
            Op::Answer { ask, choice, digest } => self.answer(&ask, choice, digest.as_deref()),
            Op::Trust { digest, yes } => self.take_word(&digest, yes),
            Op::Shutdown => {
                self.closing = true;
                stop.cancel();
            }
            _ => self.notice(Level::Warning, Phrase::new("engine.not_possible")),
        }
    }

    fn take_word(&self, digest: &str, yes: bool) {
        if let Some(trust) = &self.trust {
            let (level, phrase) = trust.answer(digest, yes);
            self.notice(level, phrase);
        }
    }

    fn answer(&self, ask: &AskId, choice: Choice, digest: Option<&str>) {
        let code = match self.gate.answer(ask, choice, digest) {
            Heard::Taken => return,
            Heard::TooLate => "engine.answer_late",
            Heard::NotOffered => "engine.answer_not_offered",
            Heard::OtherThing => "engine.answer_other",
        };
        self.notice(Level::Warning, Phrase::new(code).with("ask", ask));
    }

    fn notice(&self, level: Level, phrase: Phrase) {
        self.outbox.emit(Event::Notice { level, phrase });
    }

    fn state(&self, state: TurnState) {
        self.outbox.emit(Event::State { state });
    }
}
