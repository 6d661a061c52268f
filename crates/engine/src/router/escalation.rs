//! A larger model for the rest of a turn: because the user said so, or because too much failed.

use reasonix_agent::{Model, Prefix, Sink};
use reasonix_config::Settings;
use reasonix_proto::{
    Done, Escalated, EscalatedBy, Event, Fix, Level, Phrase, Record, RecordBody, Refusal, Refused, ToolOutcome,
};
use reasonix_state::ticket::ToldDone;
use reasonix_state::{Observer, SessionState};
use reasonix_world::error::EngineError;
use reasonix_world::spec::Start;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// Failures of one turn after which the larger model has the rest of it.
const FAILURES: u32 = 3;

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

/// Where a turn can go on to.
#[derive(Default)]
pub(crate) struct Escalation {
    /// The larger model, and whether a turn goes there by itself.
    target: Option<(Arc<dyn Model>, bool)>,
    /// The user wants the next turn there.
    armed: AtomicBool,
}

impl Escalation {
    /// The escalation of a session whose model is this one.
    pub(crate) fn new(start: &Start, model: &str) -> Result<Arc<Self>, EngineError> {
        let settings = &start.world.settings;
        let target = match Target::of(settings, model) {
            Some(target) => Some((start.world.model(&settings.resolve_model(&target.reference)?)?, target.auto)),
            None => None,
        };
        Ok(Arc::new(Self { target, armed: AtomicBool::new(false) }))
    }

    /// The larger model.
    pub(crate) fn pro(&self) -> Option<&Arc<dyn Model>> {
        self.target.as_ref().map(|(pro, _)| pro)
    }

    /// The larger model, where a turn goes there by itself.
    pub(crate) fn by_itself(&self) -> Option<&Arc<dyn Model>> {
        self.target.as_ref().filter(|(_, auto)| *auto).map(|(pro, _)| pro)
    }

    /// The user's word about the next turn.
    pub(crate) fn arm(&self, on: bool) -> Result<ToldDone, Refused> {
        let none = || Refused::new(Refusal::NotPossible, Phrase::new("engine.no_escalation"));
        let pro = self.pro().ok_or_else(none)?;
        self.armed.store(on, Ordering::Relaxed);
        let code = if on { "engine.armed" } else { "engine.disarmed" };
        let phrase = Phrase::new(code).with("model", &pro.card().name);
        Ok(ToldDone { done: Done::Applied, level: Level::Info, phrase })
    }
}

/// What failed in a turn, by kind.
#[derive(Default)]
struct Failures {
    edits: u32,
    scavenged: u32,
    truncated: u32,
    storms: u32,
}

impl Failures {
    fn count(&self) -> u32 {
        self.edits + self.scavenged + self.truncated + self.storms
    }

    fn take_in(&mut self, body: &RecordBody, prefix: &Prefix) {
        match body {
            RecordBody::Outcome { tool, outcome: ToolOutcome::Failed { .. }, .. }
                if prefix.traits_of(tool).changes_parts() =>
            {
                self.edits += 1;
            }
            RecordBody::Repaired { repairs, .. } => {
                for repair in repairs {
                    match repair.fix {
                        Fix::Scavenged => self.scavenged += 1,
                        Fix::CutOff => self.truncated += 1,
                        Fix::Storm => self.storms += 1,
                        _ => {}
                    }
                }
            }
            _ => {}
        }
    }

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

/// Gives a turn to the larger model when it should have it, and says so.
pub(crate) struct Escalates {
    escalation: Arc<Escalation>,
    failures: Failures,
    /// Knows what the tools can that failed.
    prefix: Arc<Prefix>,
    sink: Arc<dyn Sink>,
}

impl Escalates {
    pub(crate) fn new(escalation: Arc<Escalation>, prefix: Arc<Prefix>, sink: Arc<dyn Sink>) -> Self {
        Self { escalation, failures: Failures::default(), prefix, sink }
    }

    fn tell(&self, escalated: &Escalated) {
        let phrase = match escalated.by {
            EscalatedBy::User => Phrase::new("engine.escalated_user"),
            EscalatedBy::Model => Phrase::new("engine.escalated_model").with("reason", &escalated.detail),
            EscalatedBy::Failures => Phrase::new("engine.escalated_failures").with("what", &escalated.detail),
        };
        let phrase = phrase.with("model", &escalated.model);
        self.sink.emit(Event::Notice { level: Level::Info, phrase });
    }

    /// Whether this record tips the balance.
    fn tips(&mut self, body: &RecordBody, state: &SessionState) -> bool {
        let before = self.failures.count();
        self.failures.take_in(body, &self.prefix);
        let enough = before < FAILURES && self.failures.count() >= FAILURES;
        enough && !state.escalated && self.escalation.by_itself().is_some()
    }
}

impl Observer for Escalates {
    fn after(&mut self, record: &Record, state: &SessionState) -> Vec<RecordBody> {
        let by = match &record.body {
            RecordBody::Escalated(escalated) => {
                self.tell(escalated);
                None
            }
            RecordBody::Prompt { .. } => {
                self.failures = Failures::default();
                self.escalation.armed.swap(false, Ordering::Relaxed).then_some((EscalatedBy::User, String::new()))
            }
            body => self.tips(body, state).then(|| (EscalatedBy::Failures, self.failures.breakdown())),
        };
        let escalated = by.zip(self.escalation.pro()).map(|((by, detail), pro)| {
            let model = pro.card().name.clone();
            RecordBody::Escalated(Escalated { turn: state.turn, model, by, detail })
        });
        escalated.into_iter().collect()
    }
}

#[cfg(test)]
mod tests {
    use super::{Failures, Target};
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
        let failures = Failures { edits: 2, truncated: 1, ..Failures::default() };
        assert_eq!((failures.count(), failures.breakdown().as_str()), (3, "2× edit failed, 1× call cut off"));
    }
}
