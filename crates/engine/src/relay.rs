//! Models that take over from one another: a larger one for the rest of a turn, one with a larger window when the context
//! fills, the one of plan mode while that is on. The loop sees one model and one journal; each answer names who gave it.

mod marker;

use crate::error::EngineError;
use crate::models::build_model;
use crate::outbox::Outbox;
use crate::spec::Start;
use crate::ticket::Told;
use futures_util::StreamExt;
use marker::{Marker, marker};
use reasonix_agent::{BoxFuture, Item, Journal, JournalError, Model, ModelCard, ModelStream, Request, Sink, Stop};
use reasonix_config::Settings;
use reasonix_proto::{
    Done, Escalated, EscalatedBy, Event, Fix, Level, Mode, Phrase, Record, RecordBody, Refusal, Refused, ToolOutcome,
};
use std::collections::VecDeque;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// Failures of one turn after which the larger model has the rest of it.
const FAILURES: u32 = 3;

/// What the model is told where it may hand a turn over.
pub(crate) const MARKER_PROMPT: &str = include_str!("relay/prompt.md");

/// The larger model that a turn can go on to, and whether one goes there by itself.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Target {
    pub(crate) reference: String,
    pub(crate) auto: bool,
}

impl Target {
    /// What the settings name; none when nothing is named, or it is the model that is in use anyway.
    pub(crate) fn of(settings: &Settings, model: &str) -> Option<Self> {
        let profile = settings.model_profile.as_deref().and_then(reasonix_catalogue::model_profile);
        let escalates = profile.is_some_and(|profile| profile.escalates);
        let own = settings.agent.escalation_model.clone().filter(|reference| !reference.is_empty());
        let reference =
            own.clone().or_else(|| settings.roles.get("architect").filter(|_| profile.is_some()).cloned())?;
        let found = settings.resolve_model(&reference).ok()?;
        let auto = settings.agent.auto_escalate && (own.is_some() || escalates);
        (found.name() != model).then_some(Self { reference, auto })
    }
}

/// The state that the model and the journal of a session share.
pub(crate) struct Escalation {
    target: Option<(Arc<dyn Model>, bool)>,
    journal: Arc<dyn Journal>,
    outbox: Arc<Outbox>,
    turn: Mutex<Turn>,
    /// Plan mode was on when the last request went out, or when the turn began.
    planning: AtomicBool,
}

#[derive(Default)]
struct Turn {
    number: u32,
    /// The user wants the next one on the larger model.
    armed: bool,
    escalated: bool,
    /// What failed so far.
    edits: u32,
    scavenged: u32,
    truncated: u32,
    storms: u32,
}

impl Turn {
    fn failures(&self) -> u32 {
        self.edits + self.scavenged + self.truncated + self.storms
    }

    /// What failed, by kind.
    fn breakdown(&self) -> String {
        let kinds = [
            (self.edits, "edit failed"),
            (self.scavenged, "call in text"),
            (self.truncated, "call cut off"),
            (self.storms, "same call again"),
        ];
        let some = kinds.iter().filter(|(count, _)| *count > 0).map(|(count, what)| format!("{count}× {what}"));
        some.collect::<Vec<_>>().join(", ")
    }
}

impl Escalation {
    /// The escalation of a session whose model is this one.
    pub(crate) fn new(
        start: &Start,
        model: &str,
        journal: Arc<dyn Journal>,
        outbox: Arc<Outbox>,
    ) -> Result<Arc<Self>, EngineError> {
        let settings = &start.settings;
        let target = match Target::of(settings, model) {
            Some(target) => {
                let found = settings.resolve_model(&target.reference)?;
                Some((build_model(settings, &found, &start.env, &start.home, &start.tap)?, target.auto))
            }
            None => None,
        };
        Ok(Arc::new(Self { target, journal, outbox, turn: Mutex::default(), planning: AtomicBool::new(false) }))
    }

    fn turn(&self) -> MutexGuard<'_, Turn> {
        self.turn.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Looks at the mode; what it is holds until the next request.
    fn look_at_mode(&self) {
        self.planning.store(self.outbox.status().mode == Mode::Plan, Ordering::Relaxed);
    }

    /// The user's word about the next turn.
    pub(crate) fn arm(&self, on: bool) -> Result<Told, Refused> {
        let none = || Refused::new(Refusal::NotPossible, Phrase::new("engine.no_escalation"));
        let (pro, _) = self.target.as_ref().ok_or_else(none)?;
        self.turn().armed = on;
        let code = if on { "engine.armed" } else { "engine.disarmed" };
        let phrase = Phrase::new(code).with("model", &pro.card().name);
        Ok(Told { done: Done::Applied, level: Level::Info, phrase })
    }

    fn is_escalated(&self) -> Option<&Arc<dyn Model>> {
        self.target.as_ref().filter(|_| self.turn().escalated).map(|(pro, _)| pro)
    }

    /// True while the model may hand the turn over by itself.
    fn may_hand_over(&self) -> bool {
        self.target.as_ref().is_some_and(|(_, auto)| *auto) && !self.turn().escalated
    }

    /// Gives the rest of the turn to the larger model, and keeps that it does.
    async fn escalate(&self, by: EscalatedBy, detail: String) -> Result<(), JournalError> {
        let Some((pro, _)) = &self.target else { return Ok(()) };
        let number = {
            let mut turn = self.turn();
            turn.escalated = true;
            turn.number
        };
        let model = pro.card().name.clone();
        let body = RecordBody::Escalated(Escalated { turn: number, model: model.clone(), by, detail: detail.clone() });
        let record = self.journal.append(body).await?;
        self.outbox.emit(Event::Changed { record: Box::new(record) });
        let phrase = match by {
            EscalatedBy::User => Phrase::new("engine.escalated_user"),
            EscalatedBy::Model => Phrase::new("engine.escalated_model").with("reason", detail),
            EscalatedBy::Failures => Phrase::new("engine.escalated_failures").with("what", detail),
        };
        self.outbox.emit(Event::Notice { level: Level::Info, phrase: phrase.with("model", model) });
        Ok(())
    }

    /// Counts what a record says about this turn. True when it tips the balance.
    fn count(&self, body: &RecordBody) -> bool {
        let Some((_, auto)) = &self.target else { return false };
        let mut turn = self.turn();
        let before = turn.failures();
        match body {
            RecordBody::Outcome { tool, outcome: ToolOutcome::Failed { .. }, .. }
                if matches!(tool.as_str(), "edit_file" | "multi_edit" | "apply_patch") =>
            {
                turn.edits += 1;
            }
            RecordBody::Repaired { repairs, .. } => {
                for repair in repairs {
                    match repair.fix {
                        Fix::Scavenged => turn.scavenged += 1,
                        Fix::CutOff => turn.truncated += 1,
                        Fix::Storm => turn.storms += 1,
                        _ => {}
                    }
                }
            }
            _ => {}
        }
        *auto && !turn.escalated && before < FAILURES && turn.failures() >= FAILURES
    }

    /// Takes note of a record that was written.
    async fn noticed(&self, body: &RecordBody) -> Result<(), JournalError> {
        match body {
            RecordBody::Prompt { turn, .. } => {
                self.look_at_mode();
                let armed = {
                    let mut state = self.turn();
                    let armed = std::mem::take(&mut state.armed);
                    *state = Turn { number: *turn, ..Turn::default() };
                    armed
                };
                if armed { self.escalate(EscalatedBy::User, String::new()).await } else { Ok(()) }
            }
            RecordBody::TurnEnded { .. } => {
                let mut turn = self.turn();
                *turn = Turn { armed: turn.armed, ..Turn::default() };
                Ok(())
            }
            body if self.count(body) => {
                let detail = self.turn().breakdown();
                self.escalate(EscalatedBy::Failures, detail).await
            }
            _ => Ok(()),
        }
    }
}

/// The journal of the loop: counts what fails on the way.
pub(crate) struct Counted(pub(crate) Arc<Escalation>);

impl Journal for Counted {
    fn append(&self, body: RecordBody) -> BoxFuture<'_, Result<Record, JournalError>> {
        Box::pin(async move {
            let record = self.0.journal.append(body).await?;
            self.0.noticed(&record.body).await?;
            Ok(record)
        })
    }
}

/// The model of the loop: whoever has the turn.
pub(crate) struct Relay {
    base: Arc<dyn Model>,
    larger: Option<Arc<dyn Model>>,
    promoted: AtomicBool,
    /// Who answers in plan mode.
    plan: Option<Arc<dyn Model>>,
    /// Its user was told.
    told: AtomicBool,
    /// Who writes notes.
    small: Option<Arc<dyn Model>>,
    escalation: Arc<Escalation>,
}

impl Relay {
    /// A model with those that take over from it.
    pub(crate) fn over(start: &Start, base: Arc<dyn Model>, escalation: &Arc<Escalation>) -> Arc<dyn Model> {
        let settings = &start.settings;
        let larger = settings.resolve_model(&base.card().name).ok().and_then(|found| {
            let reference = settings.entry(found.provider, found.model)?.promote_to.clone()?;
            let next = settings.resolve_model(&reference).ok()?;
            build_model(settings, &next, &start.env, &start.home, &start.tap).ok()
        });
        let (plan, small) = (in_role(start, "plan", &base), in_role(start, "small", &base));
        let escalation = Arc::clone(escalation);
        let (promoted, told) = (AtomicBool::new(false), AtomicBool::new(false));
        Arc::new(Self { base, larger, promoted, plan, told, small, escalation })
    }

    /// The model of plan mode, while that is on.
    fn planning(&self) -> Option<&Arc<dyn Model>> {
        self.plan.as_ref().filter(|_| self.escalation.planning.load(Ordering::Relaxed))
    }

    /// Says once that another model answers in plan mode.
    fn tell_plan(&self) {
        let plan = self.planning();
        if let Some(plan) = plan.filter(|_| !self.told.swap(true, Ordering::Relaxed)) {
            let phrase = Phrase::new("engine.plan_model").with("model", &plan.card().name);
            self.escalation.outbox.emit(Event::Notice { level: Level::Info, phrase });
        }
        self.told.store(plan.is_some(), Ordering::Relaxed);
    }

    /// Who has it.
    fn current(&self) -> &Arc<dyn Model> {
        if let Some(pro) = self.escalation.is_escalated() {
            return pro;
        }
        if let Some(plan) = self.planning() {
            return plan;
        }
        match &self.larger {
            Some(larger) if self.promoted.load(Ordering::Relaxed) => larger,
            _ => &self.base,
        }
    }
}

impl Model for Relay {
    fn card(&self) -> &ModelCard {
        self.current().card()
    }

    fn stream(&self, request: Request, stop: Stop) -> ModelStream {
        self.escalation.look_at_mode();
        self.tell_plan();
        let inner = self.current().stream(request.clone(), stop.clone());
        if !self.escalation.may_hand_over() {
            return inner;
        }
        let escalation = Arc::clone(&self.escalation);
        let watched =
            Watched { inner, escalation, request, stop, held: String::new(), settled: false, ready: VecDeque::new() };
        Box::pin(futures_util::stream::unfold(watched, |mut watched| async move {
            let item = watched.next().await?;
            Some((item, watched))
        }))
    }

    fn count<'a>(&'a self, request: &'a Request) -> BoxFuture<'a, Option<u64>> {
        self.current().count(request)
    }

    fn promote(&self) -> Option<String> {
        let larger = self.larger.as_ref().filter(|larger| larger.card().window > self.card().window)?;
        if self.escalation.is_escalated().is_some()
            || self.planning().is_some()
            || self.promoted.swap(true, Ordering::Relaxed)
        {
            return None;
        }
        Some(larger.card().name.clone())
    }

    fn scribe(&self) -> Option<Arc<dyn Model>> {
        self.small.clone()
    }

    fn warm(&self) -> BoxFuture<'static, ()> {
        self.base.warm()
    }
}

/// The model of a role; none when the role is not filled, or with the session's own model.
fn in_role(start: &Start, role: &str, base: &Arc<dyn Model>) -> Option<Arc<dyn Model>> {
    let settings = &start.settings;
    let found = settings.resolve_model(settings.roles.get(role)?).ok()?;
    if found.name() == base.card().name {
        return None;
    }
    build_model(settings, &found, &start.env, &start.home, &start.tap).ok()
}

/// Roles that are filled with a model that is not there; the session goes on without it.
pub(crate) fn empty_roles(settings: &Settings) -> impl Iterator<Item = Phrase> {
    let filled = ["plan", "small"].into_iter().filter_map(|role| Some((role, settings.roles.get(role)?)));
    filled
        .filter(|(_, reference)| settings.resolve_model(reference).is_err())
        .map(|(role, reference)| Phrase::new("engine.role_unknown").with("role", role).with("reference", reference))
}

/// An answer whose beginning may ask for the larger model.
struct Watched {
    inner: ModelStream,
    escalation: Arc<Escalation>,
    request: Request,
    stop: Stop,
    /// The beginning of the text, while it may still become the marker.
    held: String,
    settled: bool,
    ready: VecDeque<Item>,
}

impl Watched {
    async fn next(&mut self) -> Option<Item> {
        loop {
            if let Some(item) = self.ready.pop_front() {
                return Some(item);
            }
            let item = self.inner.next().await?;
            match item {
                item if self.settled => return Some(item),
                Item::Text(text) => {
                    self.held.push_str(&text);
                    match marker(&self.held) {
                        Marker::Maybe => {}
                        Marker::No => self.settle(),
                        Marker::Yes(reason) => self.hand_over(reason).await,
                    }
                }
                item @ (Item::Reasoning(_) | Item::Retrying { .. } | Item::Switched { .. }) => return Some(item),
                item => {
                    self.settle();
                    self.ready.push_back(item);
                }
            }
        }
    }

    fn settle(&mut self) {
        self.settled = true;
        if !self.held.is_empty() {
            self.ready.push_back(Item::Text(std::mem::take(&mut self.held)));
        }
    }

    async fn hand_over(&mut self, reason: String) {
        self.settled = true;
        self.held.clear();
        // A log that cannot be written ends the turn at the next record; until then nothing is handed over.
        if self.escalation.escalate(EscalatedBy::Model, reason).await.is_err() {
            return;
        }
        if let Some((pro, _)) = &self.escalation.target {
            self.inner = pro.stream(self.request.clone(), self.stop.clone());
            self.ready.push_back(Item::Restart);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{Target, Turn};
    use reasonix_config::{Provider, Settings};

    #[test]
    fn where_a_turn_can_go() {
        let provider = Provider {
            name: "p".into(),
            models: vec!["small".into(), "large".into()],
            default: "small".into(),
            ..Provider::default()
        };
        let mut settings = Settings { providers: vec![provider], ..Settings::default() };
        assert_eq!(Target::of(&settings, "p/small"), None, "nothing is named");
        settings.agent.escalation_model = Some("p/large".into());
        let auto = Target { reference: "p/large".into(), auto: true };
        assert_eq!(Target::of(&settings, "p/small"), Some(auto.clone()));
        assert_eq!(Target::of(&settings, "p/large"), None, "it is there already");
        settings.agent.auto_escalate = false;
        assert_eq!(Target::of(&settings, "p/small"), Some(Target { auto: false, ..auto }));
        settings.agent.escalation_model = Some("nobody".into());
        assert_eq!(Target::of(&settings, "p/small"), None);
    }

    #[test]
    fn failures_are_told_by_kind() {
        let turn = Turn { edits: 2, truncated: 1, ..Turn::default() };
        assert_eq!((turn.failures(), turn.breakdown().as_str()), (3, "2× edit failed, 1× call cut off"));
    }
}
