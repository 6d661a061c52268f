//! Which model answers: a larger one for the rest of a turn, one with a larger window when the context fills, the one of
//! plan mode while that is on, a small one for notes. What decides is the session's state, and so it is on the log.

mod escalation;
mod handing;
mod marker;

pub(crate) use escalation::{Escalates, Escalation, Target};

use handing::Handing;
use reasonix_agent::{Model, Purpose, Router, Sink};
use reasonix_config::Settings;
use reasonix_proto::{Event, Level, Mode, Phrase, Record, RecordBody};
use reasonix_state::{Book, Observer, SessionState};
use reasonix_world::spec::Start;
use std::sync::{Arc, PoisonError, RwLock, RwLockReadGuard, Weak};

/// What the model is told where it may hand a turn over.
pub(crate) const MARKER_PROMPT: &str = include_str!("router/prompt.md");

/// Says which model of a session answers.
pub(crate) struct Routes {
    models: RwLock<Models>,
    escalation: Arc<Escalation>,
    book: Arc<Book>,
    sink: Arc<dyn Sink>,
}

/// A model, with those that take over from it.
struct Models {
    base: Arc<dyn Model>,
    /// Who goes on when the context fills.
    larger: Option<Arc<dyn Model>>,
    /// Who answers in plan mode.
    plan: Option<Arc<dyn Model>>,
    /// Who writes notes.
    small: Option<Arc<dyn Model>>,
    /// Who answers while an agent is at work that has a model of its own.
    agent: Option<Arc<dyn Model>>,
}

impl Models {
    fn over(start: &Start, base: Arc<dyn Model>, agent: Option<Arc<dyn Model>>) -> Self {
        let settings = &start.world.settings;
        let larger = settings.resolve_model(&base.card().name).ok().and_then(|found| {
            let reference = settings.entry(found.provider, found.model)?.promote_to.clone()?;
            start.world.model(&settings.resolve_model(&reference).ok()?).ok()
        });
        let [plan, small] = ["plan", "small"].map(|role| in_role(start, role, &base));
        Self { base, larger, plan, small, agent }
    }
}

impl Routes {
    /// The routes of a session whose model is this one.
    pub(crate) fn new(
        start: &Start,
        (base, agent): (Arc<dyn Model>, Option<Arc<dyn Model>>),
        escalation: Arc<Escalation>,
        (book, sink): (&Arc<Book>, Arc<dyn Sink>),
    ) -> Arc<Self> {
        Arc::new(Self {
            models: RwLock::new(Models::over(start, base, agent)),
            escalation,
            book: Arc::clone(book),
            sink,
        })
    }

    /// The session's model is another one from now on, or that of its agent is.
    pub(crate) fn set(&self, start: &Start, base: Arc<dyn Model>, agent: Option<Arc<dyn Model>>) {
        let models = Models::over(start, base, agent);
        *self.models.write().unwrap_or_else(PoisonError::into_inner) = models;
    }

    fn models(&self) -> RwLockReadGuard<'_, Models> {
        self.models.read().unwrap_or_else(PoisonError::into_inner)
    }

    /// Who has the turn in this state.
    fn current<'a>(&'a self, models: &'a Models, state: &SessionState) -> &'a Arc<dyn Model> {
        let pro = self.escalation.pro().filter(|_| state.escalated);
        let plan = models.plan.as_ref().filter(|_| state.mode == Mode::Plan);
        let larger = models.larger.as_ref().filter(|larger| state.model == larger.card().name);
        pro.or(plan).or(models.agent.as_ref()).or(larger).unwrap_or(&models.base)
    }
}

impl Router for Routes {
    fn model(&self, purpose: Purpose) -> Arc<dyn Model> {
        let models = self.models();
        if let (Purpose::Digest, Some(small)) = (purpose, &models.small) {
            return Arc::clone(small);
        }
        let state = self.book.state();
        let own = Arc::clone(self.current(&models, &state));
        let other = |pro: &&Arc<dyn Model>| pro.card().name != own.card().name;
        match self.escalation.by_itself().filter(|_| !state.escalated).filter(other) {
            Some(pro) => {
                let (pro, book, sink) = (Arc::clone(pro), Arc::clone(&self.book), Arc::clone(&self.sink));
                Arc::new(Handing { own, pro, book, sink })
            }
            None => own,
        }
    }

    fn promote(&self) -> Option<String> {
        let (models, state) = (self.models(), self.book.state());
        let current = self.current(&models, &state).card();
        let larger = models.larger.as_ref().filter(|larger| larger.card().window > current.window)?;
        (current.name == models.base.card().name).then(|| larger.card().name.clone())
    }
}

/// The model of a role; none when the role is not filled, or with the session's own model.
fn in_role(start: &Start, role: &str, base: &Arc<dyn Model>) -> Option<Arc<dyn Model>> {
    let settings = &start.world.settings;
    let found = settings.resolve_model(settings.roles.get(role)?).ok()?;
    if found.name() == base.card().name {
        return None;
    }
    start.world.model(&found).ok()
}

/// Says once that another model answers in plan mode.
pub(crate) struct TellsPlanModel {
    // The routes hold the book, which holds this.
    routes: Weak<Routes>,
    told: bool,
}

impl TellsPlanModel {
    pub(crate) fn new(routes: &Arc<Routes>) -> Self {
        Self { routes: Arc::downgrade(routes), told: false }
    }
}

impl Observer for TellsPlanModel {
    fn after(&mut self, record: &Record, state: &SessionState) -> Vec<RecordBody> {
        let Some(routes) = self.routes.upgrade() else { return Vec::new() };
        let models = routes.models();
        let plan = models.plan.as_ref().filter(|_| state.mode == Mode::Plan && !state.escalated);
        // These are what the next request follows.
        let asks_next =
            matches!(record.body, RecordBody::Prompt { .. } | RecordBody::Outcome { .. } | RecordBody::Note { .. });
        if let Some(plan) = plan.filter(|_| asks_next && !self.told) {
            let phrase = Phrase::new("engine.plan_model").with("model", &plan.card().name);
            routes.sink.emit(Event::Notice { level: Level::Info, phrase });
        }
        self.told = plan.is_some() && (self.told || asks_next);
        Vec::new()
    }
}

/// Roles that are filled with a model that is not there; the session goes on without it.
pub(crate) fn empty_roles(settings: &Settings) -> impl Iterator<Item = Phrase> {
    let filled = ["plan", "small"].into_iter().filter_map(|role| Some((role, settings.roles.get(role)?)));
    filled
        .filter(|(_, reference)| settings.resolve_model(reference).is_err())
        .map(|(role, reference)| Phrase::new("engine.role_unknown").with("role", role).with("reference", reference))
}
