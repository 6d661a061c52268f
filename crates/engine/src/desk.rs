//! What operations act on, whether a turn runs or not: questions, the queue, the posture, titles and labels.

use crate::children::Family;
use crate::dials::Dials;
use crate::fleet::{Fleet, command_of, reaches_more};
use crate::handle::Shared;
use crate::hooks::Hooks;
use crate::images::keep;
use crate::invoke::{Brings, Errand, Fork, Invoked, Wants, invoke};
use crate::jobs::Jobs;
use crate::mentioned::{Delegating, Mentioned, agents_in, mentioned};
use crate::outbox::Outbox;
use crate::people::People;
use crate::purse::Purse;
use crate::queue::{Queue, Work};
use crate::refs::{references_in, resolve_for};
use crate::router::Escalation;
use crate::spec::Start;
use crate::state::Book;
use crate::ticket::{Inbound, Outcome, Ticket, Told};
use crate::trust::Word;
use reasonix_agent::{AnswerForm, Artifacts, Journal, Prefix, Said, Sink, Stop};
use reasonix_gate::AnswerHeard;
use reasonix_gate::{Approvals, AskAnswer};
use reasonix_proto::{
    AskId, ClientId, Done, Effect, Event, GoalStop, Level, Mode, Op, PLAN_AGENT, Phrase, Record, RecordBody, RecordId,
    Refusal, Refused, Scope, TurnState,
};
use reasonix_session::Past;
use std::collections::VecDeque;
use std::sync::Arc;
use tokio::sync::watch;

/// The longest title or label that is taken.
const LONGEST_NAME: usize = 200;

pub(crate) struct Desk {
    pub(crate) gate: Arc<Approvals>,
    pub(crate) people: Arc<People>,
    pub(crate) outbox: Arc<Outbox>,
    pub(crate) queue: Arc<Queue>,
    pub(crate) book: Arc<Book>,
    pub(crate) past: Past,
    pub(crate) base: Arc<Start>,
    pub(crate) fleet: Arc<Fleet>,
    pub(crate) escalation: Arc<Escalation>,
    pub(crate) closing: bool,
    pub(crate) purse: Arc<Purse>,
    pub(crate) jobs: Arc<Jobs>,
    /// What keeps pictures.
    pub(crate) artifacts: Arc<dyn Artifacts>,
    /// The user's word on what the working folder would execute.
    pub(crate) trust: Word,
    /// The hooks of the session.
    pub(crate) hooks: Arc<Hooks>,
    /// The settings that can be changed.
    pub(crate) dials: Arc<Dials>,
    /// Nothing happened since the conversation was folded while nobody waited.
    pub(crate) rested: bool,
    /// True once a new session was made because this one is full.
    pub(crate) handed: bool,
    /// Operations that have to wait until nothing runs.
    pub(crate) after_turn: VecDeque<Inbound>,
    /// The subagents.
    pub(crate) family: Arc<Family>,
    /// What is sent with every request.
    pub(crate) prefix: watch::Receiver<Arc<Prefix>>,
}

impl Desk {
    pub(crate) fn new(shared: &Shared, book: Arc<Book>, escalation: Arc<Escalation>) -> Self {
        Self {
            gate: Arc::clone(&shared.gate),
            people: Arc::clone(&shared.people),
            outbox: Arc::clone(&shared.outbox),
            queue: Arc::clone(&shared.queue),
            book,
            past: shared.past.clone(),
            base: Arc::clone(&shared.base),
            fleet: Arc::clone(&shared.fleet),
            escalation,
            closing: false,
            rested: false,
            handed: false,
            purse: Arc::clone(&shared.purse),
            jobs: Arc::clone(&shared.jobs),
            artifacts: Arc::clone(&shared.artifacts),
            trust: shared.trust.clone(),
            hooks: Arc::clone(&shared.hooks),
            dials: Arc::clone(&shared.dials),
            after_turn: VecDeque::new(),
            family: Arc::clone(&shared.family),
            prefix: shared.prefix.clone(),
        }
    }

    /// An operation while a turn runs.
    pub(crate) async fn take_meanwhile(&mut self, (op, ticket): Inbound, stop: &Stop) {
        let outcome = match op {
            Op::Steer { text } => {
                let said = self.said(text, false).await;
                self.queue.steer(said);
                self.tell_queue();
                Ok(Done::Queued)
            }
            Op::Prompt { text, resolved } => return self.add(text, resolved, None, ticket).await,
            Op::PromptFor { text, resolved, schema, closing } => {
                let form = AnswerForm { schema, closing };
                return self.add(text, resolved, Some(form), ticket).await;
            }
            Op::FollowUp { text } => return self.add(text, false, None, ticket).await,
            Op::Shell { command, keep } => {
                self.queue.add(Work::Shell { command, keep }, Some(ticket));
                return self.tell_queue();
            }
            Op::Interrupt => {
                stop.cancel();
                Ok(Done::Applied)
            }
            Op::Shutdown => {
                self.hang_up(stop);
                Ok(Done::Applied)
            }
            Op::Discard => {
                self.after_turn.push_front((Op::Discard, ticket));
                return stop.cancel();
            }
            Op::SetModel { .. } => {
                self.after_turn.push_back((op, ticket));
                return self.notice(Level::Info, Phrase::new("engine.model_later"));
            }
            Op::SetGoal { .. } | Op::ResumeGoal => {
                self.after_turn.push_back((op, ticket));
                return self.notice(Level::Info, Phrase::new("flow.goal_later"));
            }
            Op::WorkAs { agent } if !agent.eq_ignore_ascii_case(PLAN_AGENT) => {
                self.after_turn.push_back((Op::WorkAs { agent }, ticket));
                return self.notice(Level::Info, Phrase::new("engine.agent_later"));
            }
            Op::Retry | Op::Branch { .. } | Op::Rewind { .. } | Op::Redo | Op::Compact { .. } | Op::Handoff { .. } => {
                Err(Refused::new(Refusal::Busy, Phrase::new("engine.busy")))
            }
            other => self.apply(other, ticket.client()).await,
        };
        self.settle(ticket, outcome);
    }

    /// Ends the session, and what runs in it.
    pub(crate) fn hang_up(&mut self, stop: &Stop) {
        self.closing = true;
        stop.cancel();
    }

    /// Tells what came of an operation; a refusal is also said to whoever reads notices.
    pub(crate) fn settle(&self, ticket: Ticket, outcome: Outcome) {
        if let Err(refused) = &outcome {
            self.notice(refused.refusal.level(), refused.why.clone());
        }
        ticket.settle(outcome);
    }

    /// An operation that is possible at any time, and the front end that it comes from.
    pub(crate) async fn apply(&self, op: Op, client: Option<ClientId>) -> Outcome {
        match op {
            Op::Answer { ask, choice, digest, words, edited } => {
                self.answer(&ask, AskAnswer { choice, words, edited, client }, digest.as_deref())
            }
            Op::Respond { ask, responses } => in_time(self.people.respond(&ask, responses, client), &ask),
            Op::AnswerPlan { ask, answer } => in_time(self.people.answer_plan(&ask, answer, client), &ask),
            Op::WorkAs { .. } | Op::SetMode { mode: Mode::Plan } if self.people.plans_on() => Ok(Done::Applied),
            Op::WorkAs { agent } if agent.eq_ignore_ascii_case(PLAN_AGENT) => {
                Box::pin(self.apply(Op::SetMode { mode: Mode::Plan }, client)).await
            }
            Op::SetMode { mode } => {
                let cleared = self.clear_goal().await?;
                if self.book.state().mode == mode {
                    return Ok(cleared);
                }
                self.change(RecordBody::ModeChanged { mode }).await
            }
            Op::PauseGoal => self.pause_goal(GoalStop::User).await,
            Op::ClearGoal => self.clear_goal().await,
            Op::EditGoal { objective } => self.edit_goal(&objective).await,
            Op::Trust { digest, yes } => self.trusted(&digest, yes).await,
            Op::Configure { key, value } => self.told(self.dials.change(&key, value).await),
            Op::ReloadHooks => self.told(Ok(self.hooks.reload().await)),
            Op::Forget { name, scope } => self.forget(name, scope).await,
            Op::Export { path } => self.export(&path).await,
            Op::ChangeTodo { text } => self.change_todo(&text).await,
            Op::StopChild { child } => match self.family.stop(&child) {
                true => Ok(Done::Applied),
                false => Err(Refused::new(Refusal::NotFound, Phrase::new("engine.no_child").with("child", child))),
            },
            Op::SteerChild { child, text } => self.steer_child(&child, text).await,
            Op::Escalate { on } => self.told(self.escalation.arm(on)),
            Op::Unqueue { id } => self.edit_queued(id, None),
            Op::EditQueued { id, text } => {
                let said = self.said(text, false).await;
                self.edit_queued(id, Some(said))
            }
            Op::SetPosture { posture } => self.change(RecordBody::PostureChanged { posture }).await,
            Op::Grant { rule, effect, scope } => self.grant(rule, effect, scope).await,
            Op::Revoke { rule, scope } => self.revoke(rule, scope).await,
            Op::SetBudget { allowance } => {
                self.purse.allow(allowance);
                self.notice(Level::Info, Phrase::new("engine.budget_set"));
                Ok(Done::Applied)
            }
            Op::StopJob { job } => match self.jobs.stop(&job) || self.family.stop(&job) {
                true => Ok(Done::Applied),
                false => Err(Refused::new(Refusal::NotFound, Phrase::new("engine.no_job").with("job", job))),
            },
            Op::Label { record, label } => self.label(record, &label).await,
            Op::Rename { title } => {
                let title = title.chars().take(LONGEST_NAME).collect();
                self.change(RecordBody::Titled { title, by_user: true }).await
            }
            _ => Err(not_possible()),
        }
    }

    /// Says something to one subagent.
    async fn steer_child(&self, child: &str, text: String) -> Outcome {
        if text.trim().is_empty() {
            return Err(Refused::new(Refusal::Invalid, Phrase::new("engine.steer_what").with("child", child)));
        }
        let said = self.said_plainly(text).await;
        match self.family.steer(child, said) {
            true => Ok(Done::Queued),
            false => Err(Refused::new(Refusal::NotFound, Phrase::new("engine.no_child").with("child", child))),
        }
    }

    /// The user's word on what the folder brings. Its servers are there at once: before the first prompt their tools join,
    /// later they are found by words.
    async fn trusted(&self, digest: &str, yes: bool) -> Outcome {
        let done = self.told(self.trust.answer(digest, yes))?;
        if done == Done::Applied {
            let (word, fleet, base) = (self.trust.clone(), Arc::clone(&self.fleet), Arc::clone(&self.base));
            // Files are read for it, which may take a while.
            let taking = tokio::task::spawn_blocking(move || word.with(|trust| fleet.take_in(&base, trust)));
            taking.await.map_err(unreadable)?;
            self.fleet.left_out_news().into_iter().for_each(|phrase| self.outbox.warn(phrase));
        }
        Ok(done)
    }

    async fn add(&self, text: String, resolved: bool, form: Option<AnswerForm>, ticket: Ticket) {
        let work = self.work_of(text, resolved).await.formed(form);
        self.queue.add(work, Some(ticket));
        self.tell_queue();
    }

    /// Says what was done.
    fn told(&self, outcome: Result<Told, Refused>) -> Outcome {
        outcome.map(|Told { done, level, phrase }| {
            self.notice(level, phrase);
            done
        })
    }

    /// What is to be done about what was typed: a command or a skill that it names is filled in.
    pub(crate) async fn work_of(&self, text: String, resolved: bool) -> Work {
        if let Some((name, words)) = command_of(&text).filter(|_| !self.fleet.is_empty()) {
            let brings = vec![Brings::Prompt { name: name.to_owned(), words: words.to_owned() }];
            let wants = Wants { name: format!("/{name}"), ..Wants::default() };
            return Work::Errand(Box::new(Errand { said: text.into(), lines: Vec::new(), wants, brings, fork: None }));
        }
        let brings = if resolved { Vec::new() } else { self.resources_in(&text) };
        let Some(Invoked { text: filled, lines, notices, wants, foreign, fork }) = self.invoked(&text, true).await
        else {
            let said = self.read(text, resolved, false).await;
            if brings.is_empty() {
                return Work::Prompt(said);
            }
            let (lines, wants) = (Vec::new(), Wants::default());
            return Work::Errand(Box::new(Errand { said, lines, wants, brings, fork: None }));
        };
        notices.into_iter().for_each(|phrase| self.notice(Level::Warning, phrase));
        let said = Said { typed: Some(text), ..self.read(filled, false, foreign).await };
        Work::Errand(Box::new(Errand { said, lines, wants, brings, fork }))
    }

    /// The same of what was typed earlier and is done again.
    pub(crate) async fn work_again(&self, said: Said) -> Work {
        match self.invoked(said.typed(), false).await {
            Some(Invoked { fork: Some(_), .. }) => self.work_of(said.typed().to_owned(), false).await,
            _ => Work::Prompt(said),
        }
    }

    /// The resources of servers that a person refers to.
    fn resources_in(&self, typed: &str) -> Vec<Brings> {
        if self.fleet.is_empty() {
            return Vec::new();
        }
        let of = |mention| self.fleet.resource_of(mention);
        let found = references_in(typed).into_iter().filter_map(of);
        let mut brings: Vec<Brings> = Vec::new();
        for (server, uri) in found {
            let wanted = Brings::Resource { server: server.to_owned(), uri: uri.to_owned() };
            if !brings.contains(&wanted) {
                brings.push(wanted);
            }
        }
        brings
    }

    async fn invoked(&self, text: &str, runs: bool) -> Option<Invoked> {
        if !text.trim_start().starts_with('/') {
            return None;
        }
        let (base, trust, typed) = (Arc::clone(&self.base), self.trust.clone(), text.to_owned());
        tokio::task::spawn_blocking(move || invoke(&base, &trust, &typed, runs)).await.ok().flatten()
    }

    /// What the model reads of what was typed into a running turn, which cannot run anything first.
    pub(crate) async fn said(&self, text: String, resolved: bool) -> Said {
        let Some(Invoked { text: filled, notices, foreign, fork, .. }) = self.invoked(&text, false).await else {
            return self.read(text, resolved, false).await;
        };
        if let Some(Fork { skill, .. }) = fork {
            self.notice(Level::Warning, Phrase::new("engine.skill_in_turn").with("name", skill.name));
        }
        notices.into_iter().for_each(|phrase| self.notice(Level::Warning, phrase));
        Said { typed: Some(text), ..self.read(filled, false, foreign).await }
    }

    /// The same of a text that is no command.
    pub(crate) async fn said_plainly(&self, text: String) -> Said {
        self.read(text, false, false).await
    }

    /// What the model reads of a text. References are looked up off the runtime's thread. In words that are `foreign` nobody has
    /// answered for them: what a rule would ask about is closed, and so is everything outside.
    async fn read(&self, text: String, resolved: bool, foreign: bool) -> Said {
        if resolved || !text.contains('@') {
            return text.into();
        }
        let (workspace, typed) = (self.base.workspace.clone(), text.clone());
        let called = self.agents_in(&text).await;
        let (artifacts, mut denied) = (Arc::clone(&self.artifacts), self.base.denied(foreign));
        denied.extend(self.gate.agent_denials());
        // A person may show a picture that lies elsewhere; what is closed to the model is closed here too.
        let closed = (self.base.attended && !foreign).then(|| {
            let mut closed = self.base.world.settings.sandbox.forbid_read.clone();
            closed.push(self.base.world.home.clone());
            closed
        });
        let found = tokio::task::spawn_blocking(move || {
            let mut found = resolve_for(&workspace, &denied, &typed, closed.as_deref());
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
        Said { text: found.text, typed, images: found.images, form: None }.after_news(called)
    }

    /// What the model is told of the agents that a person refers to; what names nobody is said.
    async fn agents_in(&self, typed: &str) -> Vec<String> {
        let names = agents_in(typed);
        if names.is_empty() {
            return Vec::new();
        }
        let (base, trust, how) = (Arc::clone(&self.base), self.trust.clone(), self.delegating());
        let look = move || {
            let is_file = |path: &str| base.workspace.exists(path).unwrap_or(false);
            mentioned(&names, &base.roster(&trust), how, is_file)
        };
        let Mentioned { told, notices } = tokio::task::spawn_blocking(look).await.unwrap_or_default();
        notices.into_iter().for_each(|phrase| self.notice(Level::Warning, phrase));
        told
    }

    /// How the model can give work to others here.
    fn delegating(&self) -> Delegating {
        let prefix = self.prefix.borrow();
        let names: Vec<String> = prefix.tools.iter().map(|spec| spec.name.clone()).collect();
        match prefix.tools.iter().any(|spec| spec.traits.delegates) {
            true => Delegating::Told,
            false if reaches_more(&names) && self.base.world.settings.tools.enabled.is_empty() => Delegating::Shelved,
            false => Delegating::Not,
        }
    }

    fn edit_queued(&self, id: u64, said: Option<Said>) -> Outcome {
        let found = self.queue.edit(id, said);
        self.tell_queue();
        if found { Ok(Done::Applied) } else { Err(Refused::new(Refusal::NotFound, Phrase::new("engine.not_queued"))) }
    }

    async fn label(&self, record: RecordId, label: &str) -> Outcome {
        if self.past.parent(record).is_none() && self.past.record(record).is_none() {
            return Err(no_record(record));
        }
        let label = label.trim().chars().take(LONGEST_NAME).collect();
        self.change(RecordBody::Labelled { record, label }).await
    }

    async fn grant(&self, rule: String, effect: Effect, scope: Scope) -> Outcome {
        if effect != Effect::Allow {
            return Err(Refused::new(Refusal::Invalid, Phrase::new("engine.grant_allows_only")));
        }
        self.gate.grant_rule(&rule, scope).await.map_err(|why| Refused::new(Refusal::Failed, why))?;
        self.change(RecordBody::Granted { rule, effect: Some(effect), scope }).await
    }

    async fn revoke(&self, rule: String, scope: Scope) -> Outcome {
        let revoked = match scope {
            Scope::Session if self.gate.revoke_rule(&rule) => Ok(()),
            Scope::Session => Err(Phrase::new("engine.not_granted").with("rule", &rule)),
            Scope::Always => self.gate.revoke_kept(&rule).await,
        };
        revoked.map_err(|why| Refused::new(Refusal::NotFound, why))?;
        self.change(RecordBody::Granted { rule, effect: None, scope }).await
    }

    fn answer(&self, ask: &AskId, answer: AskAnswer, digest: Option<&str>) -> Outcome {
        let (refusal, code) = match self.gate.answer(ask, answer, digest) {
            AnswerHeard::Taken => return Ok(Done::Applied),
            AnswerHeard::TooLate => (Refusal::TooLate, "engine.answer_late"),
            AnswerHeard::NotOffered => (Refusal::NotOffered, "engine.answer_not_offered"),
            AnswerHeard::OtherThing => (Refusal::OtherThing, "engine.answer_other"),
        };
        Err(Refused::new(refusal, Phrase::new(code).with("ask", ask)))
    }

    /// Appends a record; nothing may follow from one that could not be.
    pub(crate) async fn journal(&self, body: RecordBody) -> Result<Record, Refused> {
        self.book.append(body).await.map_err(|error| Refused::new(Refusal::Log, error.phrase()))
    }

    /// Appends a record that changes something about the session, and tells everybody.
    pub(crate) async fn change(&self, body: RecordBody) -> Outcome {
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
}

fn in_time(taken: bool, ask: &AskId) -> Outcome {
    let late = || Refused::new(Refusal::TooLate, Phrase::new("engine.answer_late").with("ask", ask));
    taken.then_some(Done::Applied).ok_or_else(late)
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
