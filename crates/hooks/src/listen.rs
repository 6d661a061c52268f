//! Hooks at moments that are only told: a person is asked, or waited for. Such a hook is one more that answers, and can only say no.

use super::calls::{HookedCalls, Known, MOST_FILES};
use super::list::Listed;
use super::running::{Occasion, Running};
use super::standing::May;
use reasonix_extensions::hooks::{ClaudeCall, HookDecision, HookEvent, HookMoment};
use reasonix_gate::{Approvals, AskAnswer};
use reasonix_proto::{Asking, Choice, ClientId, Event};
use reasonix_state::outbox::Events;
use std::sync::Arc;
use std::time::Duration;

/// After so long without a word a person is waited for.
const IDLE: Duration = Duration::from_secs(60);

/// Listens for hooks that want to know of questions.
pub(super) struct Ear {
    pub(super) running: Arc<Running>,
    pub(super) calls: Arc<HookedCalls>,
    pub(super) gate: Arc<Approvals>,
}

impl Ear {
    /// Whether a hook wants to hear of anything.
    pub(super) fn is_wanted(&self) -> bool {
        let wanted = [HookEvent::PermissionRequest, HookEvent::Notification];
        wanted.into_iter().any(|event| self.running.list.any(event).is_some())
    }

    /// Listens until the session is over.
    pub(super) async fn hear(self, mut events: Events) {
        let mut idle_since = None;
        loop {
            let waits =
                idle_since.map_or(Duration::MAX, |since: tokio::time::Instant| IDLE.saturating_sub(since.elapsed()));
            let Ok(came) = tokio::time::timeout(waits, events.next()).await else {
                idle_since = None;
                self.notify("idle_prompt", "Reasonix is waiting for your input").await;
                continue;
            };
            match came.map(|envelope| envelope.event) {
                None | Some(Event::SessionEnded) => return,
                Some(Event::TurnEnded { .. }) => idle_since = Some(tokio::time::Instant::now()),
                Some(Event::TurnStarted { .. }) => idle_since = None,
                Some(Event::Asked { asking }) => self.asked(&asking).await,
                Some(Event::Inquired { .. } | Event::Proposed { .. }) => {
                    self.notify("elicitation_dialog", "Reasonix asks you something").await;
                }
                Some(_) => {}
            }
        }
    }

    async fn notify(&self, kind: &str, message: &str) {
        self.running.each(HookEvent::Notification, HookMoment::Waits { kind, message }).await;
    }

    /// A person is asked for permission.
    async fn asked(&self, asking: &Asking) {
        if let Some(list) = self.running.list.any(HookEvent::PermissionRequest) {
            let known = self.calls.known(&asking.call);
            let files = vec![asking.subject.clone()];
            let known = known.unwrap_or_else(|| Known { args: serde_json::Map::new(), subjects: files.clone(), files });
            for listed in list.iter() {
                if self.is_against(listed, asking, &known).await {
                    return;
                }
            }
        }
        let message = format!("Reasonix needs your permission to use {}", asking.tool);
        self.notify("permission_prompt", &message).await;
    }

    /// Asks one hook about a question, for each file of the call. True when it answered with a no.
    async fn is_against(&self, listed: &Listed, asking: &Asking, known: &Known) -> bool {
        let event = HookEvent::PermissionRequest;
        let fits = listed.hook.fits(event, &moment(asking, known, None), &known.subjects);
        if !fits || !matches!(self.running.list.may(listed).await, May::Run) {
            return false;
        }
        let told = self.calls.told(listed.hook.dialect, (&asking.tool, &known.args), &known.files);
        for theirs in told.into_iter().take(MOST_FILES) {
            let moment = moment(asking, known, theirs.as_ref());
            let occasion = Occasion { event, moment, call: Some(&asking.call) };
            let Some(verdict) = self.running.one(listed, occasion).await else { return false };
            if verdict.decision == HookDecision::Block || verdict.stops.is_some() {
                self.refuse(asking, &listed.label(), verdict.reason);
                if let Some(why) = &verdict.stops {
                    self.running.stop_turn(listed, why);
                }
                return true;
            }
        }
        false
    }

    /// Answers in place of the person, who may have answered by now.
    fn refuse(&self, asking: &Asking, by: &str, reason: String) {
        let client = Some(ClientId(format!("hook {by}")));
        let answer = AskAnswer { choice: Choice::Deny, words: Some(reason), edited: None, client };
        let _ = self.gate.answer(&asking.ask, answer, None);
    }
}

fn moment<'a>(asking: &'a Asking, known: &'a Known, theirs: Option<&'a ClaudeCall>) -> HookMoment<'a> {
    HookMoment::Call { tool: &asking.tool, id: &asking.call.0, args: Some(&known.args), theirs, outcome: None }
}
