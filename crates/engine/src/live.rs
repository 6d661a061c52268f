//! One task a session: operations come in, turns run one after the other, and an interrupt is heard at any moment.

use crate::desk::Desk;
use crate::planner::Planner;
use crate::queue::Work;
use crate::relay::Relay;
use crate::start::folds;
use crate::undo::Undo;
use reasonix_agent::{Agent, Conversation, Prefix, Said, Sink, Stop};
use reasonix_proto::{Event, Level, Mode, Op, Phrase, RecordBody, TurnState};
use reasonix_session::Sessions;
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::mpsc;

pub(crate) use crate::tools::TodoList as Todo;

/// A live session.
pub(crate) struct Live {
    pub(crate) agent: Agent,
    pub(crate) conversation: Conversation,
    pub(crate) desk: Desk,
    pub(crate) inbound: mpsc::UnboundedReceiver<Op>,
    pub(crate) resumed: bool,
    pub(crate) undo: Option<Arc<Undo>>,
    pub(crate) todo: Todo,
    pub(crate) prefix: Arc<Prefix>,
    /// The terminal that goes on with this session, once it is on disk.
    pub(crate) terminal: Option<String>,
    /// The mode as the model knows it.
    pub(crate) told: Mode,
    /// Who plans the turns.
    pub(crate) planner: Option<Planner>,
}

impl Live {
    /// Runs until the front end shuts the session down or goes away.
    pub(crate) async fn run(mut self) {
        if self.resumed {
            self.note_resumed().await;
        }
        self.desk.state(TurnState::Idle);
        while let Some(work) = self.next_work().await {
            self.work(work).await;
        }
        self.desk.outbox.emit(Event::SessionEnded);
    }

    async fn note_resumed(&self) {
        let model = self.agent.model.card().name.clone();
        let body = RecordBody::Resumed { version: env!("CARGO_PKG_VERSION").to_owned(), model: model.clone() };
        if let Some(record) = self.desk.journal(body).await {
            self.desk.outbox.emit(Event::SessionStarted { record: Box::new(record), model, resumed: true });
        }
    }

    async fn next_work(&mut self) -> Option<Work> {
        loop {
            while let Some(op) = self.desk.after_turn.pop_front() {
                if let Some(work) = self.take(op).await {
                    return Some(work);
                }
            }
            if self.desk.closing {
                return None;
            }
            if let Some(work) = self.desk.queue.pop() {
                self.desk.tell_queue();
                return Some(work);
            }
            let op = match self.quiet() {
                None => self.inbound.recv().await?,
                Some(wait) => tokio::select! {
                    biased;
                    op = self.inbound.recv() => op?,
                    () = tokio::time::sleep(wait) => {
                        self.fold_idle().await;
                        continue;
                    }
                },
            };
            if let Some(work) = self.take(op).await {
                return Some(work);
            }
        }
    }

    /// An operation while nothing runs.
    async fn take(&mut self, op: Op) -> Option<Work> {
        match op {
            Op::Prompt { text, resolved } => return Some(Work::Prompt(self.desk.said(text, resolved).await)),
            Op::Steer { text } | Op::FollowUp { text } => {
                return Some(Work::Prompt(self.desk.said(text, false).await));
            }
            Op::Shell { command, keep } => return self.shell(command, keep),
            Op::Compact { instructions } => self.compact(&instructions).await,
            Op::Handoff { focus } => self.hand_over(&focus).await,
            Op::Retry => return self.retry().await,
            Op::Branch { at, summary } => self.branch(at, summary).await,
            Op::Rewind { turn, what, summary } => self.rewind(turn, what, summary).await,
            Op::SetModel { model, effort } => self.set_model(model, effort).await,
            Op::Discard => {
                self.desk.change(RecordBody::Discarded).await;
                self.desk.closing = true;
            }
            Op::Interrupt => {}
            Op::Shutdown => self.desk.closing = true,
            other => self.desk.take(other).await,
        }
        None
    }

    fn shell(&self, command: String, keep: bool) -> Option<Work> {
        if command.trim().is_empty() || !self.agent.has_shell() {
            self.desk.notice(Level::Warning, Phrase::new("engine.no_shell"));
            return None;
        }
        Some(Work::Shell { command, keep })
    }

    async fn work(&mut self, work: Work) {
        self.desk.rested = false;
        let stop = Stop::new();
        if let Some(undo) = &self.undo {
            undo.begin();
        }
        self.leave_crumb();
        let queue = Arc::clone(&self.desk.queue);
        let work = match work {
            Work::Prompt(said) => {
                self.warn_blind(&said);
                let said = self.with_news(said);
                Work::Prompt(self.planned(said, &stop).await)
            }
            other => other,
        };
        let turn = match work {
            Work::Prompt(said) => self.agent.turn(&mut self.conversation, said, queue.inbox(), &stop),
            Work::Shell { command, keep } => self.agent.shell(&mut self.conversation, command, keep, &stop),
        };
        let end = alongside(turn, &mut self.inbound, &mut self.desk, &stop).await;
        self.hand_over_when_full(&end).await;
        self.desk.state(TurnState::Idle);
    }

    /// What the session's model is told: what the user said, with the plan of another model where one plans. An interrupt
    /// meanwhile is one of the turn itself, which then keeps the prompt and does nothing.
    async fn planned(&mut self, said: Said, stop: &Stop) -> Said {
        let Some(planner) = &mut self.planner else { return said };
        let last = self.conversation.last_words().map(str::to_owned);
        let journal = Arc::clone(&self.desk.journal);
        let planning = planner.plan(said, last, journal.as_ref(), stop);
        alongside(planning, &mut self.inbound, &mut self.desk, stop).await
    }

    /// Folds the conversation; an interrupt leaves it as it is, or as the log alone folds it.
    async fn compact(&mut self, instructions: &str) {
        let stop = Stop::new();
        let folding = self.agent.fold_now(&mut self.conversation, instructions, &stop);
        let folded = alongside(folding, &mut self.inbound, &mut self.desk, &stop).await;
        match folded {
            Ok(true) => {}
            Ok(false) => self.desk.notice(Level::Info, Phrase::new("engine.nothing_to_fold")),
            Err(error) => {
                let phrase = error.phrase();
                self.desk.notice(Level::Error, phrase);
            }
        }
        self.desk.state(TurnState::Idle);
    }

    /// A model without eyes gets a line of text for a picture; whoever showed it should know.
    fn warn_blind(&self, said: &Said) {
        let card = self.agent.model.card();
        if !said.images.is_empty() && !card.vision {
            self.desk.notice(Level::Warning, Phrase::new("engine.model_blind").with("model", &card.name));
        }
    }

    /// How long nothing has to happen before the conversation is folded; none when it is not to be.
    fn quiet(&self) -> Option<Duration> {
        let seconds = self.desk.base.settings.compaction.idle_seconds;
        let due = seconds > 0 && !self.desk.rested && self.agent.is_worth_folding(&self.conversation);
        due.then(|| Duration::from_secs(seconds))
    }

    /// Folds the conversation while nobody waits; once, until something happens again.
    async fn fold_idle(&mut self) {
        self.desk.rested = true;
        let stop = Stop::new();
        let folding = self.agent.fold_idle(&mut self.conversation, &stop);
        if let Err(error) = alongside(folding, &mut self.inbound, &mut self.desk, &stop).await {
            let phrase = error.phrase();
            self.desk.notice(Level::Error, phrase);
        }
    }

    /// From the first turn on, this terminal goes on with this session.
    fn leave_crumb(&mut self) {
        let Some(terminal) = self.terminal.take() else { return };
        let (session, kept) = {
            let status = self.desk.outbox.status();
            (status.session.clone(), status.kept)
        };
        if kept {
            let (sessions, root) =
                (Sessions::at(&self.desk.base.home.join("state")), self.desk.base.workspace.root().to_owned());
            tokio::task::spawn_blocking(move || sessions.leave_crumb(&terminal, &root, &session));
        }
    }

    /// Another model, or the same one thinking more or less, from the next request on.
    async fn set_model(&mut self, model: Option<String>, effort: Option<String>) {
        let (current, earlier) = {
            let status = self.desk.outbox.status();
            (status.model.clone(), status.effort.clone())
        };
        if let Some(word) = effort.as_deref().filter(|word| reasonix_catalogue::Effort::parse(word).is_none()) {
            let known = crate::commands::EFFORTS.join(", ");
            let phrase = Phrase::new("engine.unknown_effort").with("effort", word).with("known", known);
            return self.desk.notice(Level::Warning, phrase);
        }
        let same = model.as_ref().is_none_or(|wanted| *wanted == current);
        let effort = effort.or(earlier.filter(|_| same));
        let reference = model.unwrap_or(current);
        let built = crate::models::model_of(&self.desk.base, &reference, effort.as_deref());
        let model = match built {
            Ok(model) => model,
            Err(error) => return self.desk.notice(Level::Error, error.phrase()),
        };
        let card = model.card().clone();
        self.agent.model = Relay::over(&self.desk.base, model, &self.desk.escalation);
        self.agent.limits.compaction.auto = folds(&self.desk.base.settings, &card.name);
        {
            let mut status = self.desk.outbox.status();
            status.window = card.window;
        }
        self.desk.change(RecordBody::ModelChanged { model: card.name, effort }).await;
    }
}

/// Takes operations while something runs, until it is done.
pub(crate) async fn alongside<T>(
    work: impl Future<Output = T>,
    inbound: &mut mpsc::UnboundedReceiver<Op>,
    desk: &mut Desk,
    stop: &Stop,
) -> T {
    tokio::pin!(work);
    let mut hung_up = false;
    loop {
        tokio::select! {
            biased;
            done = &mut work => return done,
            op = inbound.recv(), if !hung_up => {
                hung_up = op.is_none();
                desk.take_meanwhile(op.unwrap_or(Op::Shutdown), stop).await;
            }
        }
    }
}
