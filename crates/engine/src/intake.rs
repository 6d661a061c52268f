//! Takes operations in, whether a turn runs or not: what is possible at any time is done, the rest waits or is refused.

use crate::desk::{Desk, no_record, not_possible, unreadable};
use crate::lookback::LookingBack;
use crate::reading::Reading;
use crate::router::Escalation;
use reasonix_agent::{AnswerForm, Said, Stop};
use reasonix_gate::{AnswerHeard, AskAnswer};
use reasonix_proto::{
    AskId, ClientId, Done, Effect, GoalStop, Level, Mode, Op, PLAN_AGENT, Phrase, RecordBody, RecordId, Refusal,
    Refused, Scope,
};
use reasonix_state::ticket::{Inbound, Settlement, Ticket};
use reasonix_talk::queue::Work;
use std::collections::VecDeque;
use std::sync::Arc;
use tokio::sync::mpsc;

/// The longest title or label that is taken.
const LONGEST_NAME: usize = 200;

/// Where operations come in.
pub(crate) struct Intake {
    pub(crate) desk: Arc<Desk>,
    pub(crate) inbound: mpsc::UnboundedReceiver<Inbound>,
    /// Those that have to wait until nothing runs.
    pub(crate) after_turn: VecDeque<Inbound>,
    /// The session is to end.
    pub(crate) closing: bool,
    escalation: Arc<Escalation>,
}

impl Intake {
    pub(crate) fn new(
        desk: &Arc<Desk>,
        inbound: mpsc::UnboundedReceiver<Inbound>,
        escalation: Arc<Escalation>,
    ) -> Self {
        Self { desk: Arc::clone(desk), inbound, after_turn: VecDeque::new(), closing: false, escalation }
    }

    fn reading(&self) -> Reading<'_> {
        Reading(&self.desk)
    }

    /// Takes operations while something runs, until it is done.
    pub(crate) async fn alongside<T>(&mut self, work: impl Future<Output = T>, stop: &Stop) -> T {
        tokio::pin!(work);
        let mut hung_up = false;
        loop {
            tokio::select! {
                biased;
                done = &mut work => return done,
                came = self.inbound.recv(), if !hung_up => match came {
                    Some(came) => self.take_meanwhile(came, stop).await,
                    None => {
                        hung_up = true;
                        self.hang_up(stop);
                    }
                },
            }
        }
    }

    /// An operation while a turn runs.
    async fn take_meanwhile(&mut self, (op, ticket): Inbound, stop: &Stop) {
        let outcome = match op {
            Op::Steer { text } => {
                let said = self.reading().said(text, false).await;
                self.desk.queue.steer(said);
                self.desk.tell_queue();
                Ok(Done::Queued)
            }
            Op::Prompt { text, resolved } => return self.add(text, resolved, None, ticket).await,
            Op::PromptFor { text, resolved, schema, closing } => {
                let form = AnswerForm { schema, closing };
                return self.add(text, resolved, Some(form), ticket).await;
            }
            Op::FollowUp { text } => return self.add(text, false, None, ticket).await,
            Op::Shell { command, keep } => {
                self.desk.queue.add(Work::Shell { command, keep }, Some(ticket));
                return self.desk.tell_queue();
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
                return self.desk.notice(Level::Info, Phrase::new("engine.model_later"));
            }
            Op::SetGoal { .. } | Op::ResumeGoal => {
                self.after_turn.push_back((op, ticket));
                return self.desk.notice(Level::Info, Phrase::new("flow.goal_later"));
            }
            Op::WorkAs { agent } if !agent.eq_ignore_ascii_case(PLAN_AGENT) => {
                self.after_turn.push_back((Op::WorkAs { agent }, ticket));
                return self.desk.notice(Level::Info, Phrase::new("engine.agent_later"));
            }
            Op::Retry | Op::Branch { .. } | Op::Rewind { .. } | Op::Redo | Op::Compact { .. } | Op::Handoff { .. } => {
                Err(Refused::new(Refusal::Busy, Phrase::new("engine.busy")))
            }
            other => self.apply(other, ticket.client()).await,
        };
        self.desk.settle(ticket, outcome);
    }

    /// Ends the session, and what runs in it.
    fn hang_up(&mut self, stop: &Stop) {
        self.closing = true;
        stop.cancel();
    }

    /// An operation that is possible at any time, and the front end that it comes from.
    pub(crate) async fn apply(&self, op: Op, client: Option<ClientId>) -> Settlement {
        match op {
            Op::Answer { ask, choice, digest, words, edited } => {
                self.answer(&ask, AskAnswer { choice, words, edited, client }, digest.as_deref())
            }
            Op::Respond { ask, responses } => in_time(self.desk.people.respond(&ask, responses, client), &ask),
            Op::AnswerPlan { ask, answer } => in_time(self.desk.people.answer_plan(&ask, answer, client), &ask),
            Op::WorkAs { agent } if agent.eq_ignore_ascii_case(PLAN_AGENT) => self.desk.set_mode(Mode::Plan).await,
            Op::SetMode { mode } => self.desk.set_mode(mode).await,
            Op::PauseGoal => self.desk.pause_goal(GoalStop::User).await,
            Op::ClearGoal => self.desk.clear_goal().await,
            Op::EditGoal { objective } => self.desk.edit_goal(&objective).await,
            Op::Trust { digest, yes } => self.trusted(&digest, yes).await,
            Op::Configure { key, value } => self.desk.told(self.desk.dials.change(&key, value).await),
            Op::ReloadHooks => self.desk.told(Ok(self.desk.brought.hooks.reload().await)),
            Op::Forget { name, scope } => LookingBack(&self.desk).forget(name, scope).await,
            Op::Export { path } => LookingBack(&self.desk).export(&path).await,
            Op::ChangeTodo { text } => self.desk.change_todo(&text).await,
            Op::StopChild { child } => match self.desk.behind.family.stop(&child) {
                true => Ok(Done::Applied),
                false => Err(Refused::new(Refusal::NotFound, Phrase::new("engine.no_child").with("child", child))),
            },
            Op::SteerChild { child, text } => self.steer_child(&child, text).await,
            Op::Escalate { on } => self.desk.told(self.escalation.arm(on)),
            Op::Unqueue { id } => self.edit_queued(id, None),
            Op::EditQueued { id, text } => {
                let said = self.reading().said(text, false).await;
                self.edit_queued(id, Some(said))
            }
            Op::SetPosture { posture } => self.desk.change(RecordBody::PostureChanged { posture }).await,
            Op::Grant { rule, effect, scope } => self.grant(rule, effect, scope).await,
            Op::Revoke { rule, scope } => self.revoke(rule, scope).await,
            Op::SetBudget { allowance } => {
                self.desk.purse.allow(allowance);
                self.desk.notice(Level::Info, Phrase::new("engine.budget_set"));
                Ok(Done::Applied)
            }
            Op::StopJob { job } => match self.desk.behind.jobs.stop(&job) || self.desk.behind.family.stop(&job) {
                true => Ok(Done::Applied),
                false => Err(Refused::new(Refusal::NotFound, Phrase::new("engine.no_job").with("job", job))),
            },
            Op::Label { record, label } => self.label(record, &label).await,
            Op::Rename { title } => {
                let title = title.chars().take(LONGEST_NAME).collect();
                self.desk.change(RecordBody::Titled { title, by_user: true }).await
            }
            // What a session does between its turns: whoever gets here with one of these has no session that could.
            Op::Prompt { .. }
            | Op::PromptFor { .. }
            | Op::Steer { .. }
            | Op::FollowUp { .. }
            | Op::Shell { .. }
            | Op::Interrupt
            | Op::Compact { .. }
            | Op::Handoff { .. }
            | Op::Retry
            | Op::Branch { .. }
            | Op::Rewind { .. }
            | Op::Redo
            | Op::Discard
            | Op::SetModel { .. }
            | Op::WorkAs { .. }
            | Op::SetGoal { .. }
            | Op::ResumeGoal
            | Op::Shutdown => Err(not_possible()),
        }
    }

    /// Says something to one subagent.
    async fn steer_child(&self, child: &str, text: String) -> Settlement {
        if text.trim().is_empty() {
            return Err(Refused::new(Refusal::Invalid, Phrase::new("engine.steer_what").with("child", child)));
        }
        let said = self.reading().said_plainly(text).await;
        match self.desk.behind.family.steer(child, said) {
            true => Ok(Done::Queued),
            false => Err(Refused::new(Refusal::NotFound, Phrase::new("engine.no_child").with("child", child))),
        }
    }

    /// The user's word on what the folder brings. Its servers are there at once: before the first prompt their tools join,
    /// later they are found by words.
    async fn trusted(&self, digest: &str, yes: bool) -> Settlement {
        let done = self.desk.told(self.desk.brought.trust.answer(digest, yes))?;
        if done == Done::Applied {
            let (word, fleet, base) =
                (self.desk.brought.trust.clone(), Arc::clone(&self.desk.brought.fleet), Arc::clone(&self.desk.base));
            // Files are read for it, which may take a while.
            let taking = tokio::task::spawn_blocking(move || word.with(|trust| fleet.take_in(&base, trust)));
            taking.await.map_err(unreadable)?;
            self.desk.brought.fleet.left_out_news().into_iter().for_each(|phrase| self.desk.outbox.warn(phrase));
        }
        Ok(done)
    }

    async fn add(&self, text: String, resolved: bool, form: Option<AnswerForm>, ticket: Ticket) {
        let work = self.reading().work_of(text, resolved).await.formed(form);
        self.desk.queue.add(work, Some(ticket));
        self.desk.tell_queue();
    }

    fn edit_queued(&self, id: u64, said: Option<Said>) -> Settlement {
        let found = self.desk.queue.edit(id, said);
        self.desk.tell_queue();
        if found { Ok(Done::Applied) } else { Err(Refused::new(Refusal::NotFound, Phrase::new("engine.not_queued"))) }
    }

    async fn label(&self, record: RecordId, label: &str) -> Settlement {
        if self.desk.past.parent(record).is_none() && self.desk.past.record(record).is_none() {
            return Err(no_record(record));
        }
        let label = label.trim().chars().take(LONGEST_NAME).collect();
        self.desk.change(RecordBody::Labelled { record, label }).await
    }

    async fn grant(&self, rule: String, effect: Effect, scope: Scope) -> Settlement {
        if effect != Effect::Allow {
            return Err(Refused::new(Refusal::Invalid, Phrase::new("engine.grant_allows_only")));
        }
        self.desk.gate.grant_rule(&rule, scope).await.map_err(|why| Refused::new(Refusal::Failed, why))?;
        self.desk.change(RecordBody::Granted { rule, effect: Some(effect), scope }).await
    }

    async fn revoke(&self, rule: String, scope: Scope) -> Settlement {
        let revoked = match scope {
            Scope::Session if self.desk.gate.revoke_rule(&rule) => Ok(()),
            Scope::Session => Err(Phrase::new("engine.not_granted").with("rule", &rule)),
            Scope::Always => self.desk.gate.revoke_kept(&rule).await,
        };
        revoked.map_err(|why| Refused::new(Refusal::NotFound, why))?;
        self.desk.change(RecordBody::Granted { rule, effect: None, scope }).await
    }

    fn answer(&self, ask: &AskId, answer: AskAnswer, digest: Option<&str>) -> Settlement {
        let (refusal, code) = match self.desk.gate.answer(ask, answer, digest) {
            AnswerHeard::Taken => return Ok(Done::Applied),
            AnswerHeard::TooLate => (Refusal::TooLate, "engine.answer_late"),
            AnswerHeard::NotOffered => (Refusal::NotOffered, "engine.answer_not_offered"),
            AnswerHeard::OtherThing => (Refusal::OtherThing, "engine.answer_other"),
        };
        Err(Refused::new(refusal, Phrase::new(code).with("ask", ask)))
    }
}

fn in_time(taken: bool, ask: &AskId) -> Settlement {
    let late = || Refused::new(Refusal::TooLate, Phrase::new("engine.answer_late").with("ask", ask));
    taken.then_some(Done::Applied).ok_or_else(late)
}
