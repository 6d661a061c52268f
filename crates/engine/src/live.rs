//! One task a session: operations come in, turns run one after the other, and an interrupt is heard at any moment.

use crate::children::{LeftBehind, SkillErrand, left_behind};
use crate::desk::Desk;
use crate::fleet::Fleet;
use crate::invoke::{Errand, Fork, Wants};
use crate::jobs::Jobs;
use crate::planner::Planner;
use crate::queue::Work;
use crate::refs::document_tag;
use crate::roster::{own_model, sampled};
use crate::router::Routes;
use crate::ticket::{Inbound, Outcome, Ticket, Tickets};
use reasonix_agent::{Agent, AnswerForm, Conversation, Prefix, Purpose, Router, Said, Sink, Stop, Tools, image_tokens};
use reasonix_gate::Narrowing;
use reasonix_proto::{
    AgentProfile, ClientId, Done, Event, GoalStrategy, Image, JobInfo, Level, Op, Phrase, RecordBody, Refusal, Refused,
    TurnEnd, TurnState,
};
use reasonix_session::Sessions;
use reasonix_undo::{FilesWay, Undo};
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::{mpsc, watch};

pub(crate) use reasonix_tools::TodoList as Todo;

/// What is to be done, and the operation that wants it.
type Wanted = (Work, Option<Ticket>);

/// A live session.
pub(crate) struct Live {
    pub(crate) agent: Agent,
    pub(crate) conversation: Conversation,
    pub(crate) desk: Desk,
    pub(crate) inbound: mpsc::UnboundedReceiver<Inbound>,
    pub(crate) tickets: Arc<Tickets>,
    pub(crate) resumed: bool,
    pub(crate) undo: Option<Arc<Undo>>,
    pub(crate) todo: Todo,
    pub(crate) prefix: watch::Sender<Arc<Prefix>>,
    /// Nothing was sent yet of a session that begins.
    pub(crate) begins: bool,
    /// The servers that extend it.
    pub(crate) fleet: Arc<Fleet>,
    /// The terminal that goes on with this session, once it is on disk.
    pub(crate) terminal: Option<String>,
    /// Which model answers.
    pub(crate) routes: Arc<Routes>,
    /// Who plans the turns.
    pub(crate) planner: Option<Planner>,
    /// The agent at work.
    pub(crate) acting: AgentProfile,
    /// All tools of the session; the agent at work may have fewer.
    pub(crate) whole: Tools,
    /// Who waits for the goal to come to its end.
    pub(crate) pursuit: Option<Ticket>,
    /// The goal's turns before the one that it wanted, while that runs.
    pub(crate) driven: Option<u32>,
    /// The goal does not go on in this process, though its log may not say so: it could not be written.
    pub(crate) halted: bool,
    /// What runs behind its calls.
    pub(crate) jobs: Arc<Jobs>,
    /// Jobs of the process before this one.
    pub(crate) lost: Vec<JobInfo>,
    /// Those of them that ended when nobody could be told any more.
    pub(crate) over: Vec<JobInfo>,
}

impl Live {
    /// Runs until the front end shuts the session down or goes away.
    pub(crate) async fn run(mut self) {
        if self.resumed {
            self.note_resumed().await;
            let lost = std::mem::take(&mut self.lost);
            self.tell_lost(lost).await;
            self.tell_over();
        }
        self.begin_as().await;
        self.desk.hooks.begin(self.resumed, self.desk.book.state().model.clone());
        self.show_goal().await;
        self.desk.state(TurnState::Idle);
        while let Some((work, ticket)) = self.next_work().await {
            let end = self.work(work).await;
            self.after_turn(&end).await;
            if let Some(ticket) = ticket {
                ticket.settle(Ok(Done::Turn { end }));
            }
        }
        self.let_go();
        self.jobs.end_all(true).await;
        self.desk.hooks.end().await;
        self.fleet.close().await;
        self.desk.outbox.emit(Event::SessionEnded);
    }

    /// Whoever still waits for something hears that nothing comes of it.
    fn let_go(&mut self) {
        self.inbound.close();
        self.settle_goal(true);
        self.desk.after_turn.clear();
        self.desk.queue.clear();
        while self.inbound.try_recv().is_ok() {}
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
        let LeftBehind { records, said, told } = left_behind(&self.desk.family, &self.lost);
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
            while let Some(inbound) = self.desk.after_turn.pop_front() {
                if let Some(work) = self.take(inbound).await {
                    return Some(work);
                }
            }
            self.settle_goal(false);
            if self.desk.closing {
                return None;
            }
            if let Some(work) = self.desk.queue.pop() {
                self.desk.tell_queue();
                return Some(work);
            }
            if self.desk.goal().is_some_and(|goal| goal.is_active()) && !self.halted {
                // What was handed in meanwhile comes before the next turn of the goal.
                if let Ok(inbound) = self.inbound.try_recv() {
                    self.desk.after_turn.push_back(inbound);
                    continue;
                }
                if let Some(work) = self.goal_work().await {
                    return Some((work, None));
                }
            }
            let inbound = match self.quiet() {
                None => self.inbound.recv().await?,
                Some(wait) => tokio::select! {
                    biased;
                    inbound = self.inbound.recv() => inbound?,
                    () = tokio::time::sleep(wait) => {
                        self.fold_idle().await;
                        continue;
                    }
                },
            };
            if let Some(work) = self.take(inbound).await {
                return Some(work);
            }
        }
    }

    /// An operation while nothing runs.
    async fn take(&mut self, (op, ticket): Inbound) -> Option<Wanted> {
        let work = match op {
            Op::SetGoal { objective, strategy } => {
                self.set_goal(&objective, strategy, ticket).await;
                return None;
            }
            Op::ResumeGoal => {
                self.resume_goal(ticket).await;
                return None;
            }
            Op::Prompt { text, .. } if self.is_goal(&text) => {
                self.set_goal(&text, Some(GoalStrategy::Research), ticket).await;
                return None;
            }
            Op::Prompt { text, resolved } => Ok(self.desk.work_of(text, resolved).await),
            Op::PromptFor { text, resolved, schema, closing } => {
                let form = AnswerForm { schema, closing };
                Ok(self.desk.work_of(text, resolved).await.formed(Some(form)))
            }
            Op::Steer { text } | Op::FollowUp { text } => Ok(self.desk.work_of(text, false).await),
            Op::Shell { command, keep } => self.shell(command, keep),
            Op::Retry => self.retry().await,
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
    async fn apply(&mut self, op: Op, client: Option<ClientId>) -> Outcome {
        if matches!(op, Op::Handoff { .. } | Op::Branch { .. } | Op::Rewind { .. } | Op::Redo | Op::Discard) {
            self.end_jobs().await;
        }
        match op {
            Op::Compact { instructions } => self.compact(&instructions).await,
            Op::Handoff { focus } => self.hand_over(&focus).await,
            Op::Branch { at, summary } => self.branch(at, summary).await,
            Op::Rewind { turn, what, summary } => self.rewind(turn, what, summary).await,
            Op::Redo => self.files(FilesWay::Again).await,
            Op::SetModel { model, effort } => self.set_model(model, effort).await,
            Op::WorkAs { agent } => self.set_agent(&agent).await,
            Op::Discard => {
                self.desk.closing = true;
                self.desk.change(RecordBody::Discarded).await
            }
            Op::Interrupt => Ok(Done::Unchanged),
            Op::Shutdown => {
                self.desk.closing = true;
                Ok(Done::Applied)
            }
            other => self.desk.apply(other, client).await,
        }
    }

    fn shell(&self, command: String, keep: bool) -> Result<Work, Refused> {
        if command.trim().is_empty() || !self.agent.has_shell() {
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
        let said = match self.bring(said, brings).await {
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
        let before = self.borrow_model(&wants).await;
        self.desk.gate.narrow(wants.tools.as_deref().map(|tools| Narrowing::new(&wants.name, tools)));
        let end = self.turn(Work::Prompt(said)).await;
        self.desk.gate.narrow(None);
        if let Some((model, effort)) = before
            && let Err(refused) = self.set_model(Some(model), effort).await
        {
            self.desk.notice(refused.refusal.level(), refused.why);
        }
        end
    }

    /// A turn that begins with a skill which a subagent does: of its text this conversation sees nothing.
    async fn fork_skill(&mut self, said: Said, Fork { skill, arguments }: Fork) -> TurnEnd {
        let typed = said.typed().to_owned();
        self.desk.family.want(Some(SkillErrand { typed: typed.clone(), skill, text: said.text, arguments }));
        let end = self.turn(Work::Prompt(typed.into())).await;
        self.desk.family.want(None);
        end
    }

    /// Goes over to the model that a command wants, and gives the one before; none where it stays the same.
    async fn borrow_model(&mut self, wants: &Wants) -> Option<(String, Option<String>)> {
        let wanted = wants.model.as_deref().filter(|model| *model != "inherit")?;
        let settings = &self.desk.base.world.settings;
        // A file names one of the user's own models, never an endpoint that nobody configured.
        let own = |name: &str| settings.providers.iter().any(|provider| provider.name == name);
        let found = settings.resolve_model(wanted).ok().filter(|found| own(&found.provider.name));
        let found = found.map(|found| found.name());
        let before = {
            let state = self.desk.book.state();
            (state.model.clone(), state.effort.clone())
        };
        let changed = match found {
            Some(name) if name == before.0 => return None,
            Some(name) => {
                let phrase = Phrase::new("engine.model_borrowed").with("command", &wants.name).with("model", &name);
                let changed = self.set_model(Some(name), None).await.is_ok();
                if changed {
                    self.desk.notice(Level::Info, phrase);
                }
                changed
            }
            None => false,
        };
        if !changed {
            let phrase = Phrase::new("engine.model_of_command").with("command", &wants.name).with("model", wanted);
            self.desk.notice(Level::Info, phrase);
            return None;
        }
        Some(before)
    }

    async fn turn(&mut self, work: Work) -> TurnEnd {
        self.desk.rested = false;
        let stop = Stop::new();
        self.desk.hooks.begin_turn(&stop);
        let work = match self.submitted(work, &stop).await {
            Ok(work) => work,
            Err(end) => {
                self.desk.hooks.end_turn();
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
                let said = self.shown(said);
                self.plan_first(&said).await;
                let said = self.list_first(said).await;
                let said = self.with_news(said);
                let said = self.planned(said, &stop).await;
                // The mode may have changed while somebody planned.
                let mode = self.mode_note().map(str::to_owned);
                let notes = self.agent_note().into_iter().chain(mode).chain(self.goal_note());
                Work::Prompt(said.after_news(notes.collect()))
            }
            other => other,
        };
        self.hold_goal();
        let turn = match work {
            Work::Prompt(said) => self.agent.turn(&mut self.conversation, said, queue.inbox(), &stop),
            Work::Errand(errand) => self.agent.turn(&mut self.conversation, errand.said, queue.inbox(), &stop),
            Work::Shell { command, keep } => self.agent.shell(&mut self.conversation, command, keep, &stop),
        };
        let end = alongside(turn, &mut self.inbound, &mut self.desk, &stop).await;
        self.desk.hooks.end_turn();
        self.hand_over_when_full(&end).await;
        self.desk.state(TurnState::Idle);
        end
    }

    /// What was said, as hooks leave it; or the end of the turn that it does not begin.
    async fn submitted(&mut self, work: Work, stop: &Stop) -> Result<Work, TurnEnd> {
        let Work::Prompt(said) = work else { return Ok(work) };
        let hooks = Arc::clone(&self.desk.hooks);
        let asked = alongside(hooks.prompt(said, stop), &mut self.inbound, &mut self.desk, stop).await;
        if let Err(TurnEnd::Refused { why }) = &asked {
            self.desk.notice(Level::Warning, why.clone());
        }
        asked.map(Work::Prompt)
    }

    /// What the session's model is told: what the user said, with the plan of another model where one plans. An interrupt
    /// meanwhile is one of the turn itself, which then keeps the prompt and does nothing.
    async fn planned(&mut self, said: Said, stop: &Stop) -> Said {
        let Some(planner) = self.planner.as_mut().filter(|_| !self.desk.family.wants()) else { return said };
        let last = self.conversation.last_words().map(str::to_owned);
        let book = Arc::clone(&self.desk.book);
        let planning = planner.plan(said, last, book.as_ref(), stop);
        alongside(planning, &mut self.inbound, &mut self.desk, stop).await
    }

    /// Folds the conversation; an interrupt leaves it as it is, or as the log alone folds it.
    async fn compact(&mut self, instructions: &str) -> Outcome {
        let stop = Stop::new();
        self.desk.hooks.begin_turn(&stop);
        let folding = self.agent.fold_now(&mut self.conversation, instructions, &stop);
        let folded = alongside(folding, &mut self.inbound, &mut self.desk, &stop).await;
        self.desk.hooks.end_turn();
        self.desk.state(TurnState::Idle);
        if folded.map_err(|error| Refused::new(Refusal::Log, error.phrase()))? {
            return Ok(Done::Applied);
        }
        self.desk.notice(Level::Info, Phrase::new("engine.nothing_to_fold"));
        Ok(Done::Unchanged)
    }

    /// A model without eyes gets a line of text for a picture or a document; whoever showed it should know. A document that
    /// would fill the window is taken out again.
    fn shown(&self, mut said: Said) -> Said {
        let model = self.routes.model(Purpose::Step);
        let card = model.card();
        let warn = |phrase: Phrase| self.desk.notice(Level::Warning, phrase.with("model", &card.name));
        if said.images.iter().any(|image| !image.is_document()) && !card.vision {
            warn(Phrase::new("engine.model_blind"));
        }
        for image in said.images.iter().filter(|image| image.is_document() && !card.documents) {
            warn(Phrase::new("engine.reference_pdf").with("path", &image.name));
        }
        let fills = |image: &Image| card.window > 0 && card.documents && image_tokens(image) > card.window / 2;
        let (large, images) = said.images.into_iter().partition(|image| image.is_document() && fills(image));
        said.images = images;
        let large: Vec<Image> = large;
        for document in large {
            let told = format!("[PDF {}: it is too long for your window]\n\n", document.describe());
            said.text = said.text.replace(&document_tag(&document), &told);
            warn(Phrase::new("engine.pdf_large").with("path", &document.name));
        }
        said
    }

    /// How long nothing has to happen before the conversation is folded; none when it is not to be.
    fn quiet(&self) -> Option<Duration> {
        let seconds = self.desk.base.world.settings.compaction.idle_seconds;
        let due = seconds > 0 && !self.desk.rested && self.agent.is_worth_folding(&self.conversation);
        due.then(|| Duration::from_secs(seconds))
    }

    /// Folds the conversation while nobody waits; once, until something happens again.
    async fn fold_idle(&mut self) {
        self.desk.rested = true;
        let stop = Stop::new();
        self.desk.hooks.begin_turn(&stop);
        let folding = self.agent.fold_idle(&mut self.conversation, &stop);
        let folded = alongside(folding, &mut self.inbound, &mut self.desk, &stop).await;
        self.desk.hooks.end_turn();
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

    /// Another model, or the same one thinking more or less, from the next request on.
    async fn set_model(&mut self, model: Option<String>, effort: Option<String>) -> Outcome {
        let (current, earlier) = {
            let state = self.desk.book.state();
            (state.model.clone(), state.effort.clone())
        };
        if let Some(word) = effort.as_deref().filter(|word| reasonix_catalogue::Effort::parse(word).is_none()) {
            let known = reasonix_proto::EFFORTS.join(", ");
            let phrase = Phrase::new("engine.unknown_effort").with("effort", word).with("known", known);
            return Err(Refused::new(Refusal::Invalid, phrase));
        }
        let same = model.as_ref().is_none_or(|wanted| *wanted == current);
        let effort = effort.or(earlier.filter(|_| same));
        let reference = model.unwrap_or(current);
        let world = sampled(&self.desk.base.world, &self.acting);
        let built = world.model_thinking(&reference, effort.as_deref());
        let model = built.map_err(|error| Refused::new(Refusal::Failed, error.phrase()))?;
        let card = model.card().clone();
        let record = self.desk.journal(RecordBody::ModelChanged { model: card.name.clone(), effort }).await?;
        let own = own_model(&self.desk.base.world, &self.acting).ok().flatten();
        if let Some(own) = own.as_ref().filter(|own| own.card().name != card.name) {
            let phrase = Phrase::new("engine.agent_keeps_model").with("agent", &self.acting.name);
            self.desk.notice(Level::Info, phrase.with("model", &own.card().name));
        }
        self.measure_anew(own.as_ref().unwrap_or(&model));
        let base = Arc::clone(&self.desk.base);
        self.routes.set(&base, model, own);
        self.desk.outbox.emit(Event::Changed { record: Box::new(record) });
        Ok(Done::Applied)
    }
}

/// Takes operations while something runs, until it is done.
pub(crate) async fn alongside<T>(
    work: impl Future<Output = T>,
    inbound: &mut mpsc::UnboundedReceiver<Inbound>,
    desk: &mut Desk,
    stop: &Stop,
) -> T {
    tokio::pin!(work);
    let mut hung_up = false;
    loop {
        tokio::select! {
            biased;
            done = &mut work => return done,
            came = inbound.recv(), if !hung_up => match came {
                Some(came) => desk.take_meanwhile(came, stop).await,
                None => {
                    hung_up = true;
                    desk.hang_up(stop);
                }
            },
        }
    }
}
