//! Hooks at moments that are only told: a person is asked, or waited for. Such a hook is one more that answers, and can only say no.

use super::{Hooks, May, Occasion, locked};
use crate::outbox::Events;
use reasonix_extensions::hooks::{HookDecision, HookDialect, HookEvent, HookMoment, claude_calls};
use reasonix_gate::AskAnswer;
use reasonix_proto::{Asking, Choice, ClientId, Event};
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;

/// After so long without a word a person is waited for.
const IDLE: Duration = Duration::from_secs(60);

impl Hooks {
    /// Listens from now on, where a hook wants to hear of it.
    pub(super) fn listen(self: &Arc<Self>) {
        let wanted = [HookEvent::PermissionRequest, HookEvent::Notification];
        let wanted = wanted.into_iter().any(|event| self.any(event).is_some());
        if wanted && self.start.attended && !self.listens.swap(true, Ordering::Relaxed) {
            let (hooks, events) = (Arc::clone(self), self.outbox.join());
            locked(&self.aside).spawn(hooks.hear(events));
        }
    }

    async fn hear(self: Arc<Self>, mut events: Events) {
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

    async fn notify(self: &Arc<Self>, kind: &str, message: &str) {
        self.each(HookEvent::Notification, HookMoment::Waits { kind, message }).await;
    }

    /// A person is asked for permission.
    async fn asked(self: &Arc<Self>, asking: &Asking) {
        if let Some(list) = self.any(HookEvent::PermissionRequest) {
            let known = locked(&self.calls).get(&asking.call).cloned();
            let (args, subjects) = known.unwrap_or_else(|| (serde_json::Map::new(), vec![asking.subject.clone()]));
            let root = self.start.workspace.root();
            let calls = claude_calls(&asking.tool, &args, &subjects, root);
            for listed in list.iter() {
                let theirs = calls.first().filter(|_| listed.hook.dialect == HookDialect::Claude);
                let moment = HookMoment::Call {
                    tool: &asking.tool,
                    id: &asking.call.0,
                    args: Some(&args),
                    theirs,
                    outcome: None,
                };
                let event = HookEvent::PermissionRequest;
                if !listed.hook.fits(event, &moment, &subjects) || !matches!(self.may(listed).await, May::Run) {
                    continue;
                }
                let occasion = Occasion { event, moment, call: Some(&asking.call) };
                let Some(verdict) = self.one(listed, occasion).await else { continue };
                if verdict.decision == HookDecision::Block {
                    return self.refuse(asking, &listed.label(), verdict.reason);
                }
            }
        }
        let message = format!("Reasonix needs your permission to use {}", asking.tool);
        self.notify("permission_prompt", &message).await;
    }

    /// Answers in place of the person, who may have answered by now.
    fn refuse(&self, asking: &Asking, by: &str, reason: String) {
        let client = Some(ClientId(format!("hook {by}")));
        let answer = AskAnswer { choice: Choice::Deny, words: Some(reason), edited: None, client };
        let _ = self.gate.answer(&asking.ask, answer, None);
    }
}
