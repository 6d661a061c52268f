//! A plan before people: what they decide holds, and is written down before anybody acts on it.

use crate::people::{FromClient, People};
use crate::tools::title_of;
use reasonix_gate::QuestionEnd;
use reasonix_proto::{AskId, CallId, Event, Mode, PlanAnswer, PlanStep, Planned, Proposal, RecordBody};
use std::collections::VecDeque;
use std::sync::{Mutex, PoisonError};

impl People {
    /// Puts a plan before them and waits; what they decide holds and is written down before anybody acts on it.
    pub(crate) async fn propose(
        &self,
        call: &CallId,
        (plan, steps): (&str, &[PlanStep]),
        revises: bool,
    ) -> QuestionEnd<FromClient<PlanAnswer>> {
        let Some(floor) = &self.floor else { return QuestionEnd::Nobody };
        let _alone = self.turn.lock().await;
        let shown = |ask: &AskId| {
            let (ask, call) = (ask.clone(), call.clone());
            let proposal = Proposal { ask, call, plan: plan.to_owned(), steps: steps.to_vec(), revises };
            ((), Event::Proposed { proposal: Box::new(proposal) })
        };
        let _over = Over(&self.approved);
        let (_, said) = self.plans.ask(floor.sink.as_ref(), None, shown).await;
        if let QuestionEnd::Answered((answer, client)) = &said {
            let (approved, text, note, asks) = match answer {
                PlanAnswer::Approve { edited, asks } => (true, edited.as_deref().unwrap_or(plan), "", *asks),
                PlanAnswer::Revise { note } => (false, plan, note.as_str(), false),
                PlanAnswer::Cancel => (false, plan, "", false),
            };
            let (call, plan, note) = (call.clone(), text.to_owned(), note.to_owned());
            let (steps, cancelled, client) = (steps.to_vec(), *answer == PlanAnswer::Cancel, client.clone());
            self.decided(Planned { call, plan, approved, note, steps, cancelled, asks, revises, client }).await;
        }
        said
    }

    async fn decided(&self, planned: Planned) {
        let Some(floor) = &self.floor else { return };
        // Other steps for the rest leave the session its name.
        let title = if planned.approved && !planned.revises { title_of(&planned.plan) } else { String::new() };
        let mut records = vec![RecordBody::Planned(planned)];
        records.extend((!title.is_empty()).then_some(RecordBody::Titled { title, by_user: false }));
        let mut records = VecDeque::from(records);
        while let Some(body) = records.pop_front() {
            match floor.journal.append(body).await {
                Ok(record) => floor.sink.emit(Event::Changed { record: Box::new(record) }),
                // The turn ends by the same failure at its next record; nothing was let through.
                Err(_) => return,
            }
            let goes_on = self.approved.lock().unwrap_or_else(PoisonError::into_inner).take();
            if goes_on == Some(true) {
                records.push_front(RecordBody::ModeChanged { mode: Mode::Plan });
            }
        }
    }
}

/// Whatever became of a plan, nothing waits for it any more.
struct Over<'a>(&'a Mutex<Option<bool>>);

impl Drop for Over<'_> {
    fn drop(&mut self) {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) = None;
    }
}
