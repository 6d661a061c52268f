//! Hooks at the moments of a session: it begins, somebody says something, the model is done, the conversation is folded, it ends.

use super::list::Listed;
use super::{Hooks, May, Occasion, locked};
use crate::state::{Observer, SessionState};
use reasonix_agent::{Said, Stop};
use reasonix_extensions::hooks::{HookDecision, HookEvent, HookMoment, HookVerdict};
use reasonix_proto::{FoldReason, Message, Phrase, Record, RecordBody, TurnEnd, TurnRefusal};
use std::sync::{Arc, Mutex};
use std::time::Duration;
use tokio::task::JoinHandle;

/// So often a hook may keep one turn from ending.
const MOST_RETURNS: u32 = 3;
/// Records that wait for the first prompt, at most.
const MOST_HELD: usize = 64;
/// How long the end of a session waits for its hooks.
const FAREWELL: Duration = Duration::from_secs(10);

/// What hooks know of the running turn.
#[derive(Default)]
pub(super) struct Turn {
    pub(super) stop: Stop,
    /// How often the turn with this number was kept from ending.
    returns: (u32, u32),
    /// What is said next was said before, with what hooks added to it.
    again: bool,
}

/// What the model said last, and what is to be written down when there is a log to write to.
#[derive(Default)]
pub(super) struct Kept {
    last: Mutex<String>,
    early: Mutex<Vec<RecordBody>>,
}

impl Kept {
    pub(super) fn hold(&self, body: RecordBody) {
        let mut early = locked(&self.early);
        if early.len() < MOST_HELD {
            early.push(body);
        }
    }
}

/// Sees what is written down, for the hooks.
pub(crate) struct HookWatch(Arc<Kept>);

impl Observer for HookWatch {
    fn after(&mut self, record: &Record, _state: &SessionState) -> Vec<RecordBody> {
        match &record.body {
            RecordBody::Assistant { message: Message::Assistant { text, .. }, .. } => {
                locked(&self.0.last).clone_from(text);
                Vec::new()
            }
            RecordBody::Prompt { .. } => std::mem::take(&mut *locked(&self.0.early)),
            _ => Vec::new(),
        }
    }
}

/// What the hooks of the beginning have to say, once they are done.
#[derive(Default)]
pub(super) struct Began {
    work: Mutex<Option<JoinHandle<Vec<String>>>>,
    /// What they said, until a prompt takes it along.
    said: Mutex<Vec<String>>,
}

impl Hooks {
    /// Sees what is written down.
    pub(crate) fn watch(&self) -> HookWatch {
        HookWatch(Arc::clone(&self.kept))
    }

    /// The session begins. Nobody waits for these hooks before the first prompt does.
    pub(crate) fn begin(self: &Arc<Self>, resumed: bool, model: String) {
        self.listen();
        if self.any(HookEvent::SessionStart).is_none() {
            return;
        }
        let hooks = Arc::clone(self);
        let work = async move {
            let source = if resumed { "resume" } else { "startup" };
            hooks.each(HookEvent::SessionStart, HookMoment::Began { source, model: &model }).await.context
        };
        *locked(&self.began.work) = Some(tokio::spawn(work));
    }

    /// A turn begins that this stops.
    pub(crate) fn begin_turn(&self, stop: &Stop) {
        locked(&self.turn).stop = stop.clone();
        locked(&self.notes).clear();
        locked(&self.calls).clear();
    }

    /// The turn is over, and what stopped it stops nothing of later.
    pub(crate) fn end_turn(&self) {
        locked(&self.turn).stop = Stop::new();
    }

    /// The next prompt is one that was sent before.
    pub(crate) fn said_again(&self) {
        locked(&self.turn).again = true;
    }

    /// Waits until the hooks of the beginning are done. An interrupt ends the waiting, and what they say is kept.
    async fn wait_for_begun(&self, stop: &Stop) -> Result<(), TurnEnd> {
        let began = locked(&self.began.work).take();
        let Some(mut began) = began else { return Ok(()) };
        let said = tokio::select! {
            biased;
            () = stop.cancelled() => None,
            said = &mut began => Some(said.unwrap_or_default()),
        };
        let Some(said) = said else {
            *locked(&self.began.work) = Some(began);
            return Err(TurnEnd::Interrupted);
        };
        locked(&self.began.said).extend(said);
        Ok(())
    }

    /// Somebody said something. Gives it with what the model is to read beside it, or the end of the turn that it would have
    /// begun.
    pub(crate) async fn prompt(self: &Arc<Self>, said: Said, stop: &Stop) -> Result<Said, TurnEnd> {
        let again = std::mem::take(&mut locked(&self.turn).again);
        self.wait_for_begun(stop).await?;
        let report = self.each(HookEvent::UserPromptSubmit, HookMoment::Prompt(said.typed())).await;
        if stop.is_cancelled() && report.blocked.is_none() {
            return Err(TurnEnd::Interrupted);
        }
        if let Some((hook, reason)) = report.blocked {
            let why = Phrase::new("hooks.prompt_blocked").with("hook", hook).with("reason", reason);
            return Err(TurnEnd::Refused { kind: TurnRefusal::Prompt, why });
        }
        let mut context = std::mem::take(&mut *locked(&self.began.said));
        context.extend(report.context.into_iter().filter(|_| !again));
        Ok(said.after_news(context))
    }

    /// Somebody said something into the running turn; none when a hook is against it.
    pub(super) async fn steered(self: &Arc<Self>, said: Said) -> Option<Said> {
        let report = self.each(HookEvent::UserPromptSubmit, HookMoment::Prompt(said.typed())).await;
        if let Some((hook, reason)) = report.blocked {
            self.outbox.warn(Phrase::new("hooks.prompt_blocked").with("hook", hook).with("reason", reason));
            return None;
        }
        Some(said.after_news(report.context))
    }

    /// The model has nothing more to do. Gives what it should read first, where a hook wants it to go on.
    pub(super) async fn stops(self: &Arc<Self>, turn: u32, end: &TurnEnd) -> Option<String> {
        let returns = {
            let of = &mut locked(&self.turn).returns;
            *of = if of.0 == turn { *of } else { (turn, 0) };
            of.1
        };
        let last = locked(&self.kept.last).clone();
        let objection = self.ends(HookEvent::Stop, end, returns, &last).await?;
        locked(&self.turn).returns.1 += 1;
        Some(objection)
    }

    /// An agent has nothing more to do, and was kept from ending so often. Gives what it should read first, where a hook wants it
    /// to go on.
    pub(super) async fn ends(
        self: &Arc<Self>,
        event: HookEvent,
        end: &TurnEnd,
        returns: u32,
        last: &str,
    ) -> Option<String> {
        let natural = matches!(end, TurnEnd::Done | TurnEnd::Refused { .. });
        if self.any(event).is_none() || !natural {
            return None;
        }
        let (hook, reason) = self.each(event, HookMoment::Stop { active: returns > 0, last }).await.blocked?;
        if returns >= MOST_RETURNS {
            self.outbox.warn(Phrase::new("hooks.stop_limit").with("hook", hook).with("count", MOST_RETURNS));
            return None;
        }
        Some(format!("[The hook {hook} says that you are not done: {reason}]"))
    }

    /// The conversation is about to be folded.
    pub(super) async fn folds(self: &Arc<Self>, reason: FoldReason, instructions: &str) -> bool {
        let trigger = if reason == FoldReason::Manual { "manual" } else { "auto" };
        let report = self.each(HookEvent::PreCompact, HookMoment::Folds { trigger, instructions }).await;
        if let Some((hook, reason)) = &report.blocked {
            self.outbox.warn(Phrase::new("hooks.fold_blocked").with("hook", hook).with("reason", reason));
        }
        report.blocked.is_none()
    }

    /// The session ends, and with it every hook that still runs.
    pub(crate) async fn end(self: &Arc<Self>) {
        if locked(&self.list).is_empty() {
            return;
        }
        locked(&self.turn).stop = Stop::new();
        let last = self.each(HookEvent::SessionEnd, HookMoment::Ended("other"));
        let _ = tokio::time::timeout(FAREWELL, last).await;
        self.over.cancel();
        let mut aside = std::mem::take(&mut *locked(&self.aside));
        aside.shutdown().await;
    }

    /// Runs the hooks of a moment, one after the other; the first that is against it ends that.
    pub(super) async fn each(self: &Arc<Self>, event: HookEvent, moment: HookMoment<'_>) -> Report {
        let mut report = Report::default();
        let Some(list) = self.any(event) else { return report };
        for listed in list.iter().filter(|listed| listed.hook.fits(event, &moment, &[])) {
            if !matches!(self.may(listed).await, May::Run) {
                continue;
            }
            let Some(verdict) = self.one(listed, Occasion { event, moment, call: None }).await else { continue };
            if self.reported(listed, event, verdict, &mut report) {
                break;
            }
        }
        report
    }

    /// Takes in what a hook said. True when nobody else is asked.
    fn reported(&self, listed: &Listed, event: HookEvent, verdict: HookVerdict, report: &mut Report) -> bool {
        report.context.extend(verdict.context.map(|text| format!("[hook {}: {text}]", listed.label())));
        match (verdict.stops, event) {
            // What is to end there ends anyway.
            (Some(_), HookEvent::Stop | HookEvent::SubagentStop) => return true,
            (Some(why), HookEvent::UserPromptSubmit) => {
                report.blocked = Some((listed.label(), why));
                return true;
            }
            (Some(why), _) => self.stop_turn(listed, &why),
            (None, _) => {}
        }
        if verdict.decision == HookDecision::Block {
            report.blocked = Some((listed.label(), verdict.reason));
        }
        report.blocked.is_some()
    }
}

/// What the hooks of a moment said together.
#[derive(Default)]
pub(super) struct Report {
    /// Who is against it, and why.
    pub(super) blocked: Option<(String, String)>,
    /// What the model is to read.
    pub(super) context: Vec<String>,
}
