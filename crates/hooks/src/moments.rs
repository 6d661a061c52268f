//! Hooks at the moments of a session: it begins, somebody says something, the model is done, the conversation is folded, it ends.

use super::locked;
use super::running::Running;
use reasonix_agent::{Said, Stop};
use reasonix_extensions::hooks::{HookEvent, HookMoment};
use reasonix_proto::{FoldReason, Phrase, TurnEnd, TurnRefusal};
use std::sync::{Arc, Mutex};
use std::time::Duration;
use tokio::task::JoinHandle;

/// So often a hook may keep one turn from ending.
const MOST_RETURNS: u32 = 3;
/// How long the end of a session waits for its hooks.
const FAREWELL: Duration = Duration::from_secs(10);

/// The moments of a session, as hooks have to do with them.
pub(super) struct Moments {
    running: Arc<Running>,
    turn: Mutex<Turn>,
    began: Began,
}

/// What hooks know of the turn.
#[derive(Default)]
struct Turn {
    /// How often the turn with this number was kept from ending.
    returns: (u32, u32),
    /// What is said next was said before, with what hooks added to it.
    again: bool,
}

/// What the hooks of the beginning have to say, once they are done.
#[derive(Default)]
struct Began {
    work: Mutex<Option<JoinHandle<Vec<String>>>>,
    /// What they said, until a prompt takes it along.
    said: Mutex<Vec<String>>,
}

impl Moments {
    /// None yet.
    pub(super) fn new(running: &Arc<Running>) -> Self {
        Self { running: Arc::clone(running), turn: Mutex::default(), began: Began::default() }
    }

    /// The session begins. Nobody waits for these hooks before the first prompt does.
    pub(super) fn begin(&self, resumed: bool, model: String) {
        if self.running.list.any(HookEvent::SessionStart).is_none() {
            return;
        }
        let running = Arc::clone(&self.running);
        let work = async move {
            let source = if resumed { "resume" } else { "startup" };
            running.each(HookEvent::SessionStart, HookMoment::Began { source, model: &model }).await.context
        };
        *locked(&self.began.work) = Some(tokio::spawn(work));
    }

    /// The next prompt is one that was sent before.
    pub(super) fn said_again(&self) {
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
    pub(super) async fn prompt(&self, said: Said, stop: &Stop) -> Result<Said, TurnEnd> {
        let again = std::mem::take(&mut locked(&self.turn).again);
        self.wait_for_begun(stop).await?;
        let report = self.running.each(HookEvent::UserPromptSubmit, HookMoment::Prompt(said.typed())).await;
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
    pub(super) async fn steered(&self, said: Said) -> Option<Said> {
        let report = self.running.each(HookEvent::UserPromptSubmit, HookMoment::Prompt(said.typed())).await;
        if let Some((hook, reason)) = report.blocked {
            self.running.outbox.warn(Phrase::new("hooks.prompt_blocked").with("hook", hook).with("reason", reason));
            return None;
        }
        Some(said.after_news(report.context))
    }

    /// The model has nothing more to do. Gives what it should read first, where a hook wants it to go on.
    pub(super) async fn stops(&self, turn: u32, end: &TurnEnd) -> Option<String> {
        let returns = {
            let of = &mut locked(&self.turn).returns;
            *of = if of.0 == turn { *of } else { (turn, 0) };
            of.1
        };
        let last = self.running.kept().last();
        let objection = self.ends(HookEvent::Stop, end, returns, &last).await?;
        locked(&self.turn).returns.1 += 1;
        Some(objection)
    }

    /// An agent has nothing more to do, and was kept from ending so often. Gives what it should read first, where a hook wants it
    /// to go on.
    pub(super) async fn ends(&self, event: HookEvent, end: &TurnEnd, returns: u32, last: &str) -> Option<String> {
        let natural = matches!(end, TurnEnd::Done | TurnEnd::Refused { .. });
        if self.running.list.any(event).is_none() || !natural {
            return None;
        }
        let (hook, reason) = self.running.each(event, HookMoment::Stop { active: returns > 0, last }).await.blocked?;
        if returns >= MOST_RETURNS {
            self.running.outbox.warn(Phrase::new("hooks.stop_limit").with("hook", hook).with("count", MOST_RETURNS));
            return None;
        }
        Some(format!("[The hook {hook} says that you are not done: {reason}]"))
    }

    /// The conversation is about to be folded.
    pub(super) async fn folds(&self, reason: FoldReason, instructions: &str) -> bool {
        let trigger = if reason == FoldReason::Manual { "manual" } else { "auto" };
        let report = self.running.each(HookEvent::PreCompact, HookMoment::Folds { trigger, instructions }).await;
        if let Some((hook, reason)) = &report.blocked {
            self.running.outbox.warn(Phrase::new("hooks.fold_blocked").with("hook", hook).with("reason", reason));
        }
        report.blocked.is_none()
    }

    /// The session ends, and with it every hook that still runs.
    pub(super) async fn end(&self) {
        if self.running.list.all().is_empty() {
            return;
        }
        self.running.stopped_by(Stop::new());
        let last = self.running.each(HookEvent::SessionEnd, HookMoment::Ended("other"));
        let _ = tokio::time::timeout(FAREWELL, last).await;
        self.running.end().await;
    }
}
