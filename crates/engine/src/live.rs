//! One task a session: operations come in, turns run one after the other, and an interrupt is heard at any moment.

use crate::acting::Actor;
use crate::bringing::bring;
use crate::desk::Desk;
use crate::goals::Pursuit;
use crate::handoff::Handoff;
use crate::intake::Intake;
use crate::moves::{Moves, with_news};
use crate::planner::Planner;
use crate::reading::Reading;
use reasonix_agent::{AnswerForm, Said, Sink, Stop};
use reasonix_children::{LeftBehind, SkillErrand, left_behind};
use reasonix_gate::Narrowing;
use reasonix_proto::{
    ClientId, Done, Event, GoalStrategy, JobInfo, Level, Op, Phrase, RecordBody, Refusal, Refused, TurnEnd, TurnState,
};
use reasonix_session::Sessions;
use reasonix_state::ticket::{Inbound, Settlement, Ticket, Tickets};
use reasonix_talk::invoke::{Errand, Fork};
use reasonix_talk::queue::Work;
use reasonix_undo::{FilesWay, Undo};
use std::sync::Arc;
use std::time::Duration;

pub(crate) use reasonix_tools::TodoList as Todo;

/// What is to be done, and the operation that wants it.
type Wanted = (Work, Option<Ticket>);

/// A live session.
pub(crate) struct Live {
    pub(crate) desk: Arc<Desk>,
    pub(crate) intake: Intake,
    pub(crate) actor: Actor,
    pub(crate) pursuit: Pursuit,
    /// Who plans the turns.
    pub(crate) planner: Option<Planner>,
    pub(crate) undo: Option<Arc<Undo>>,
    pub(crate) todo: Todo,
    pub(crate) tickets: Arc<Tickets>,
    pub(crate) resumed: bool,
    /// Nothing was sent yet of a session that begins.
    pub(crate) begins: bool,
    /// The terminal that goes on with this session, once it is on disk.
    pub(crate) terminal: Option<String>,
    /// Jobs of the process before this one.
    pub(crate) lost: Vec<JobInfo>,
    /// Those of them that ended when nobody could be told any more.
    pub(crate) over: Vec<JobInfo>,
    /// Nothing happened since the conversation was folded while nobody waited.
    pub(crate) rested: bool,
    /// A new session was made because this one is full.
    pub(crate) handed: bool,
}

impl Live {
    /// Runs until the front end shuts the session down or goes away.
    pub(crate) async fn run(mut self) {
        if self.resumed {
            self.note_resumed().await;
            let lost = std::mem::take(&mut self.lost);
            self.desk.tell_lost(lost).await;
            self.desk.tell_over(std::mem::take(&mut self.over));
        }
        self.actor.begin_as(self.resumed).await;
        self.desk.brought.hooks.begin(self.resumed, self.desk.book.state().model.clone());
        self.pursuit.show_goal().await;
        self.desk.state(TurnState::Idle);
        while let Some((work, ticket)) = self.next_work().await {
            let end = self.work(work).await;
            if matches!(end, TurnEnd::OutOfBudget { .. }) {
                self.desk.behind.jobs.end_schedules();
            }
            self.pursuit.after_turn(&end, &self.actor.conversation).await;
            if let Some(ticket) = ticket {
                ticket.settle(Ok(Done::Turn { end }));
            }
        }
        self.let_go();
        self.desk.behind.jobs.end_all(true).await;
        self.desk.brought.hooks.end().await;
        self.desk.brought.fleet.close().await;
        self.desk.outbox.emit(Event::SessionEnded);
    }

    fn moves(&mut self) -> Moves<'_> {
        let Self { desk, intake, actor, undo, todo, .. } = self;
        Moves { desk, intake, actor, undo: undo.as_deref(), todo }
    }

    fn handoff(&mut self) -> Handoff<'_> {
        let Self { desk, intake, actor, handed, .. } = self;
        Handoff { desk, intake, actor, handed }
    }

    /// Whoever still waits for something hears that nothing comes of it.
    fn let_go(&mut self) {
        self.intake.inbound.close();
        self.pursuit.settle_goal(true);
        self.intake.after_turn.clear();
        self.desk.queue.clear();
        while self.intake.inbound.try_recv().is_ok() {}
        self.tickets.close();
    }

    async fn note_resumed(&self) {
        let model = self.desk.book.state().model.clone();
        let body = RecordBody::Resumed { version: env!("CARGO_PKG_VERSION").to_owned(), model: model.clone() };
        match self.desk.journal(body).await {
            Ok(record) => {
                self.desk.outbox.emit(Event::SessionStarted { record: Box::new(record), model, resumed: true });
            }
            Err(refused) => self.desk.notice(refused.refusal.level(), refused.why),
        }
        let LeftBehind { records, said, told } = left_behind(&self.desk.behind.family, &self.lost);
        for body in records {
            if let Err(refused) = self.desk.change(body).await {
                return self.desk.notice(refused.refusal.level(), refused.why);
            }
        }
        said.into_iter().for_each(|(level, phrase)| self.desk.notice(level, phrase));
        told.into_iter().for_each(|news| self.desk.queue.inbox().push_news(news));
    }

    async fn next_work(&mut self) -> Option<Wanted> {
        loop {
            while let Some(inbound) = self.intake.after_turn.pop_front() {
                if let Some(work) = self.admit(inbound).await {
                    return Some(work);
                }
            }
            self.pursuit.settle_goal(false);
            if self.intake.closing {
                return None;
            }
            if let Some(work) = self.desk.queue.pop() {
                self.desk.tell_queue();
                return Some(work);
            }
            if self.pursuit.goes_on() {
                // What was handed in meanwhile comes before the next turn of the goal.
                if let Ok(inbound) = self.intake.inbound.try_recv() {
                    self.intake.after_turn.push_back(inbound);
                    continue;
                }
                if let Some(work) = self.pursuit.goal_work().await {
                    return Some((work, None));
                }
            }
            let quiet = self.quiet();
            let folds = async {
                match quiet {
                    Some(wait) => tokio::time::sleep(wait).await,
                    None => std::future::pending().await,
                }
            };
            let inbound = tokio::select! {
                biased;
                inbound = self.intake.inbound.recv() => inbound?,
                () = self.desk.queue.spoken() => continue,
                () = folds => {
                    self.fold_idle().await;
                    continue;
                }
            };
            if let Some(work) = self.admit(inbound).await {
                return Some(work);
            }
        }
    }

    /// An operation while nothing runs.
    async fn admit(&mut self, (op, ticket): Inbound) -> Option<Wanted> {
        let work = match op {
            Op::SetGoal { objective, strategy } => {
                self.pursuit.set_goal(&objective, strategy, ticket).await;
                return None;
            }
            Op::ResumeGoal => {
                self.pursuit.resume_goal(ticket).await;
                return None;
            }
            Op::Prompt { text, .. } if self.pursuit.is_goal(&text) => {
                self.pursuit.set_goal(&text, Some(GoalStrategy::Research), ticket).await;
                return None;
            }
            Op::Prompt { text, resolved } => Ok(Reading(&self.desk).work_of(text, resolved).await),
            Op::PromptFor { text, resolved, schema, closing } => {
                let form = AnswerForm { schema, closing };
                Ok(Reading(&self.desk).work_of(text, resolved).await.formed(Some(form)))
            }
            Op::Steer { text } | Op::FollowUp { text } => Ok(Reading(&self.desk).work_of(text, false).await),
            Op::Shell { command, keep } => self.shell(command, keep),
            Op::Retry => self.moves().retry().await,
            other => {
                let outcome = self.apply(other, ticket.client()).await;
                self.desk.settle(ticket, outcome);
                return None;
            }
        };
        match work {
            Ok(work) => Some((work, Some(ticket))),
            Err(refused) => {
                self.desk.settle(ticket, Err(refused));
                None
            }
        }
    }

    /// An operation that begins no turn.
    async fn apply(&mut self, op: Op, client: Option<ClientId>) -> Settlement {
        if matches!(op, Op::Handoff { .. } | Op::Branch { .. } | Op::Rewind { .. } | Op::Redo | Op::Discard) {
            self.desk.end_jobs().await;
        }
        match op {
            Op::Compact { instructions } => self.compact(&instructions).await,
            Op::Handoff { focus } => self.handoff().hand_over(&focus).await,
            Op::Branch { at, summary } => self.moves().branch(at, summary).await,
            Op::Rewind { turn, what, summary } => self.moves().rewind(turn, what, summary).await,
            Op::Redo => self.moves().files(FilesWay::Again).await,
            Op::SetModel { model, effort } => self.actor.set_model(model, effort).await,
            Op::WorkAs { agent } => self.actor.set_agent(&agent).await,
            Op::Discard => {
                self.intake.closing = true;
                self.desk.change(RecordBody::Discarded).await
            }
            Op::Interrupt => Ok(Done::Unchanged),
            Op::Shutdown => {
                self.intake.closing = true;
                Ok(Done::Applied)
            }
            other => self.intake.apply(other, client).await,
        }
    }

    fn shell(&self, command: String, keep: bool) -> Result<Work, Refused> {
        if command.trim().is_empty() || !self.actor.agent.has_shell() {
            return Err(Refused::new(Refusal::NotPossible, Phrase::new("engine.no_shell")));
        }
        Ok(Work::Shell { command, keep })
    }

    async fn work(&mut self, work: Work) -> TurnEnd {
        match work {
            Work::Errand(errand) => self.run_errand(*errand).await,
            other => self.turn(other).await,
        }
    }

    /// A turn that a command or a skill began: what it wants to see first is run as the user's own command would be, and
    /// what it asks of the turn ends with the turn.
    async fn run_errand(&mut self, Errand { said, lines, wants, brings, fork }: Errand) -> TurnEnd {
        let said = match bring(&mut self.intake, said, brings).await {
            Ok(said) => said,
            Err(end) => {
                self.desk.state(TurnState::Idle);
                return end;
            }
        };
        for command in lines {
            let end = self.turn(Work::Shell { command, keep: true }).await;
            if end != TurnEnd::Done {
                return end;
            }
        }
        if let Some(fork) = fork {
            return self.fork_skill(said, fork).await;
        }
        let before = self.actor.borrow_model(&wants).await;
        self.desk.gate.narrow(wants.tools.as_deref().map(|tools| Narrowing::new(&wants.name, tools)));
        let end = self.turn(Work::Prompt(said)).await;
        self.desk.gate.narrow(None);
        if let Some((model, effort)) = before
            && let Err(refused) = self.actor.set_model(Some(model), effort).await
        {
            self.desk.notice(refused.refusal.level(), refused.why);
        }
        end
    }

    /// A turn that begins with a skill which a subagent does: of its text this conversation sees nothing.
    async fn fork_skill(&mut self, said: Said, Fork { skill, arguments }: Fork) -> TurnEnd {
        let typed = said.typed().to_owned();
        self.desk.behind.family.want(Some(SkillErrand { typed: typed.clone(), skill, text: said.text, arguments }));
        let end = self.turn(Work::Prompt(Said { form: said.form, ..typed.into() })).await;
        self.desk.behind.family.want(None);
        end
    }

    async fn turn(&mut self, work: Work) -> TurnEnd {
        self.rested = false;
        let stop = Stop::new();
        self.desk.brought.hooks.begin_turn(&stop);
        let work = match self.submitted(work, &stop).await {
            Ok(work) => work,
            Err(end) => {
                self.desk.brought.hooks.end_turn();
                return end;
            }
        };
        if let Some(undo) = &self.undo {
            undo.begin();
        }
        self.leave_crumb();
        self.join_late(&stop).await;
        let queue = Arc::clone(&self.desk.queue);
        let work = match work {
            Work::Prompt(said) => {
                let said = self.actor.shown(said);
                self.actor.plan_first(&said).await;
                let said = self.actor.list_first(said).await;
                let said = with_news(&self.desk, said);
                let said = self.planned(said, &stop).await;
                // The mode may have changed while somebody planned.
                let mode = self.actor.mode_note().map(str::to_owned);
                let notes = self.actor.agent_note().into_iter().chain(mode).chain(self.pursuit.goal_note());
                Work::Prompt(said.after_news(notes.collect()))
            }
            other => other,
        };
        self.pursuit.hold_goal();
        let turn = match work {
            Work::Prompt(said) => self.actor.agent.turn(&mut self.actor.conversation, said, queue.inbox(), &stop),
            Work::Errand(errand) => {
                self.actor.agent.turn(&mut self.actor.conversation, errand.said, queue.inbox(), &stop)
            }
            Work::Shell { command, keep } => self.actor.agent.shell(&mut self.actor.conversation, command, keep, &stop),
        };
        let end = self.intake.alongside(turn, &stop).await;
        self.desk.brought.hooks.end_turn();
        self.handoff().hand_over_when_full(&end).await;
        self.desk.state(TurnState::Idle);
        end
    }

    /// What was said, as those around the agent leave it; or the end of the turn that it does not begin.
    async fn submitted(&mut self, work: Work, stop: &Stop) -> Result<Work, TurnEnd> {
        let Work::Prompt(said) = work else { return Ok(work) };
        let asked = self.intake.alongside(self.actor.agent.before_turn(said, stop), stop).await;
        if let Err(TurnEnd::Refused { why, .. }) = &asked {
            self.desk.notice(Level::Warning, why.clone());
        }
        asked.map(Work::Prompt)
    }

    /// What the session's model is told: what the user said, with the plan of another model where one plans. An interrupt
    /// meanwhile is one of the turn itself, which then keeps the prompt and does nothing.
    async fn planned(&mut self, said: Said, stop: &Stop) -> Said {
        let Some(planner) = self.planner.as_mut().filter(|_| !self.desk.behind.family.wants()) else { return said };
        let last = self.actor.conversation.last_words().map(str::to_owned);
        let book = Arc::clone(&self.desk.book);
        let planning = planner.plan(said, last, book.as_ref(), stop);
        self.intake.alongside(planning, stop).await
    }

    /// Folds the conversation; an interrupt leaves it as it is, or as the log alone folds it.
    async fn compact(&mut self, instructions: &str) -> Settlement {
        let stop = Stop::new();
        self.desk.brought.hooks.begin_turn(&stop);
        let folding = self.actor.agent.fold_now(&mut self.actor.conversation, instructions, &stop);
        let folded = self.intake.alongside(folding, &stop).await;
        self.desk.brought.hooks.end_turn();
        self.desk.state(TurnState::Idle);
        if folded.map_err(|error| Refused::new(Refusal::Log, error.phrase()))? {
            return Ok(Done::Applied);
        }
        self.desk.notice(Level::Info, Phrase::new("engine.nothing_to_fold"));
        Ok(Done::Unchanged)
    }

    /// How long nothing has to happen before the conversation is folded; none when it is not to be.
    fn quiet(&self) -> Option<Duration> {
        let seconds = self.desk.base.world.settings.compaction.idle_seconds;
        let due = seconds > 0 && !self.rested && self.actor.agent.is_worth_folding(&self.actor.conversation);
        due.then(|| Duration::from_secs(seconds))
    }

    /// Folds the conversation while nobody waits; once, until something happens again.
    async fn fold_idle(&mut self) {
        self.rested = true;
        let stop = Stop::new();
        self.desk.brought.hooks.begin_turn(&stop);
        let folding = self.actor.agent.fold_idle(&mut self.actor.conversation, &stop);
        let folded = self.intake.alongside(folding, &stop).await;
        self.desk.brought.hooks.end_turn();
        if let Err(error) = folded {
            let phrase = error.phrase();
            self.desk.notice(Level::Error, phrase);
        }
    }

    /// From the first turn on, this terminal goes on with this session.
    fn leave_crumb(&mut self) {
        let Some(terminal) = self.terminal.take() else { return };
        let session = self.desk.outbox.session().clone();
        if self.desk.outbox.is_kept() {
            let (sessions, root) =
                (Sessions::at(&self.desk.base.world.home.join("state")), self.desk.base.workspace.root().to_owned());
            tokio::task::spawn_blocking(move || sessions.leave_crumb(&terminal, &root, &session));
        }
    }
}
