//! Another agent goes on: the gate judges its calls by its rules, and the model is told with what is said next. Only one that
//! has words or tools of its own begins another head, and that is entered in the ledger by its name.

use crate::desk::{Desk, not_possible, unreadable};
use crate::foreword::base_of;
use crate::refs::document_tag;
use crate::router::Routes;
use reasonix_agent::{Agent, Conversation, Model, Prefix, Purpose, Router, Said, Sink, Tools, image_tokens};
use reasonix_assembly::roster::{chosen, kept, own_model, sampled, steps_of};
use reasonix_extensions::agent_note;
use reasonix_gate::AgentStanding;
use reasonix_proto::{
    AgentProfile, Done, Event, Image, Level, Mode, PLAN_AGENT, PartKind, Phrase, RecordBody, Refusal, Refused,
};
use reasonix_state::ticket::Settlement;
use reasonix_talk::invoke::Wants;
use reasonix_world::spec::folds;
use std::sync::Arc;
use tokio::sync::watch;

/// The agent at work: who it is, which model answers for it, what it is sent with every request, and what was said.
pub(crate) struct Actor {
    pub(crate) desk: Arc<Desk>,
    pub(crate) agent: Agent,
    pub(crate) conversation: Conversation,
    pub(crate) prefix: watch::Sender<Arc<Prefix>>,
    pub(crate) profile: AgentProfile,
    /// All tools of the session; the agent at work may have fewer.
    pub(crate) whole: Tools,
    /// Which model answers.
    pub(crate) routes: Arc<Routes>,
}

impl Actor {
    /// What the model has to be told of the agent with the next prompt.
    pub(crate) fn agent_note(&self) -> Option<String> {
        let state = self.desk.book.state();
        (state.agent != state.told_agent).then(|| agent_note(&self.profile)).filter(|note| !note.is_empty())
    }

    /// Makes the session have the agent that was asked for, before anything is done in it.
    pub(crate) async fn begin_as(&mut self, resumed: bool) {
        let base = Arc::clone(&self.desk.base);
        let default = base.world.settings.default_agent.as_ref().filter(|_| !resumed);
        let wanted = base.agent.as_ref().or(default).cloned();
        let outcome = match wanted {
            Some(name) if resumed || name.eq_ignore_ascii_case(PLAN_AGENT) => self.set_agent(&name).await,
            _ => return,
        };
        if let Err(refused) = outcome {
            self.desk.notice(refused.refusal.level(), refused.why);
        }
    }

    /// Another agent goes on, from the next prompt on.
    pub(crate) async fn set_agent(&mut self, name: &str) -> Settlement {
        if name.eq_ignore_ascii_case(PLAN_AGENT) {
            return self.desk.set_mode(Mode::Plan).await;
        }
        let (base, trust, wanted) = (Arc::clone(&self.desk.base), self.desk.brought.trust.clone(), name.to_owned());
        let found = tokio::task::spawn_blocking(move || chosen(&base, &trust, &wanted)).await.map_err(unreadable)?;
        let (agent, told) = found.map_err(|why| Refused::new(Refusal::NotFound, why))?;
        let (same, plans) = {
            let state = self.desk.book.state();
            (*state.agent == *agent.name && agent == self.profile, state.mode == Mode::Plan)
        };
        if !same {
            self.go_on_as(agent, told).await?;
        }
        match (plans, same) {
            (true, _) => self.desk.set_mode(Mode::Build).await,
            (false, true) => Ok(Done::Unchanged),
            (false, false) => Ok(Done::Applied),
        }
    }

    async fn go_on_as(&mut self, agent: AgentProfile, told: Vec<Phrase>) -> Result<(), Refused> {
        let base = Arc::clone(&self.desk.base);
        let failed = |why: Phrase| Refused::new(Refusal::Failed, why);
        let standing = AgentStanding::new(&agent, base.workspace.root());
        let standing = standing.map_err(|error| failed(reasonix_world::error::EngineError::from(error).phrase()))?;
        let (model, effort) = {
            let state = self.desk.book.state();
            (state.model.clone(), state.effort.clone())
        };
        let model = sampled(&base.world, &agent).model_thinking(&model, effort.as_deref());
        let model = model.map_err(|error| failed(error.phrase()))?;
        let (system, tools) = self.head_of(&agent)?;
        self.desk.gate.know_agent(standing);
        let named = |tools: &Tools| tools.iter().map(|tool| tool.spec().name.clone()).collect();
        let body = RecordBody::AgentChanged {
            agent: agent.name.clone(),
            system: system.clone(),
            tools: tools.as_ref().map(named),
            specs: self.kept_specs(tools.as_ref()).await?,
        };
        let record = self.desk.journal(body).await?;
        if system.is_some() || tools.is_some() {
            self.take_head(system, tools);
        }
        self.agent.limits.max_steps = steps_of(base.world.settings.agent.max_steps, &agent);
        let own = own_model(&base.world, &agent);
        told.into_iter().chain(own.as_ref().err().cloned()).for_each(|phrase| self.desk.notice(Level::Info, phrase));
        let own = own.ok().flatten();
        self.measure_anew(own.as_ref().unwrap_or(&model));
        self.routes.set(&base, model, own);
        self.profile = agent;
        self.desk.outbox.emit(Event::Changed { record: Box::new(record) });
        Ok(())
    }

    /// Keeps how tools are told, so that whoever resumes sends the same; the name that the record has for it.
    async fn kept_specs(&self, tools: Option<&Tools>) -> Result<Option<String>, Refused> {
        let Some(specs) = tools.map(Tools::specs) else { return Ok(None) };
        let past = self.desk.past.clone();
        let kept = tokio::task::spawn_blocking(move || past.keep_specs(&specs)).await.map_err(unreadable)?;
        kept.map_err(unreadable)
    }

    /// The window is that of the model which answers, and so is whether the conversation is folded by itself.
    fn measure_anew(&mut self, answers: &Arc<dyn Model>) {
        let card = answers.card();
        self.agent.limits.compaction.auto = folds(&self.desk.base.world.settings, &card.name);
        self.desk.outbox.measure(None, Some(card.window));
    }

    /// The system prompt and the tools of an agent, as far as they are others than those that are sent now.
    fn head_of(&self, agent: &AgentProfile) -> Result<(Option<String>, Option<Tools>), Refused> {
        if !agent.has_own_head() && !self.profile.has_own_head() {
            return Ok((None, None));
        }
        let base = &self.desk.base;
        let worded = |agent: &AgentProfile| agent.prompt.is_some() || !agent.skills.is_empty();
        let system = if worded(agent) || worded(&self.profile) {
            let head = self.desk.past.history().map_err(unreadable)?.head.ok_or_else(not_possible)?;
            let first = head.parts.first().filter(|part| part.kind == PartKind::Base).ok_or_else(not_possible)?;
            let rest =
                usize::try_from(first.bytes).ok().and_then(|at| head.system.get(at..)).ok_or_else(not_possible)?;
            let words = base_of(base, agent).map_err(|error| Refused::new(Refusal::Failed, error.phrase()))?;
            Some(words + rest)
        } else {
            None
        };
        let tools = kept(&self.whole, agent);
        let now = self.prefix.borrow();
        let system = system.filter(|system| *system != now.system);
        Ok((system, (tools.specs() != now.tools).then_some(tools)))
    }

    /// Another head from here on; what was said stays.
    fn take_head(&mut self, system: Option<String>, tools: Option<Tools>) {
        if let Some(tools) = tools {
            self.agent.tools = tools;
        }
        let system = system.unwrap_or_else(|| self.prefix.borrow().system.clone());
        let tools = &self.agent.tools;
        let prefix = Arc::new(Prefix { system, tools: tools.specs(), aliases: tools.aliases() });
        self.conversation.go_on_with(Arc::clone(&prefix));
        self.prefix.send_replace(prefix);
    }

    /// Another model, or the same one thinking more or less, from the next request on.
    pub(crate) async fn set_model(&mut self, model: Option<String>, effort: Option<String>) -> Settlement {
        let (current, earlier) = {
            let state = self.desk.book.state();
            (state.model.clone(), state.effort.clone())
        };
        if let Some(word) = effort.as_deref().filter(|word| reasonix_catalogue::Effort::parse(word).is_none()) {
            let known = reasonix_proto::EFFORTS.join(", ");
            let phrase = Phrase::new("engine.unknown_effort").with("effort", word).with("known", known);
            return Err(Refused::new(Refusal::Invalid, phrase));
        }
        let same = model.as_ref().is_none_or(|wanted| *wanted == current);
        let effort = effort.or(earlier.filter(|_| same));
        let reference = model.unwrap_or(current);
        let world = sampled(&self.desk.base.world, &self.profile);
        let built = world.model_thinking(&reference, effort.as_deref());
        let model = built.map_err(|error| Refused::new(Refusal::Failed, error.phrase()))?;
        let card = model.card().clone();
        let record = self.desk.journal(RecordBody::ModelChanged { model: card.name.clone(), effort }).await?;
        let own = own_model(&self.desk.base.world, &self.profile).ok().flatten();
        if let Some(own) = own.as_ref().filter(|own| own.card().name != card.name) {
            let phrase = Phrase::new("engine.agent_keeps_model").with("agent", &self.profile.name);
            self.desk.notice(Level::Info, phrase.with("model", &own.card().name));
        }
        self.measure_anew(own.as_ref().unwrap_or(&model));
        let base = Arc::clone(&self.desk.base);
        self.routes.set(&base, model, own);
        self.desk.outbox.emit(Event::Changed { record: Box::new(record) });
        Ok(Done::Applied)
    }

    /// Goes over to the model that a command wants, and gives the one before; none where it stays the same.
    pub(crate) async fn borrow_model(&mut self, wants: &Wants) -> Option<(String, Option<String>)> {
        let wanted = wants.model.as_deref().filter(|model| *model != "inherit")?;
        let settings = &self.desk.base.world.settings;
        // A file names one of the user's own models, never an endpoint that nobody configured.
        let own = |name: &str| settings.providers.iter().any(|provider| provider.name == name);
        let found = settings.resolve_model(wanted).ok().filter(|found| own(&found.provider.name));
        let found = found.map(|found| found.name());
        let before = {
            let state = self.desk.book.state();
            (state.model.clone(), state.effort.clone())
        };
        let changed = match found {
            Some(name) if name == before.0 => return None,
            Some(name) => {
                let phrase = Phrase::new("engine.model_borrowed").with("command", &wants.name).with("model", &name);
                let changed = self.set_model(Some(name), None).await.is_ok();
                if changed {
                    self.desk.notice(Level::Info, phrase);
                }
                changed
            }
            None => false,
        };
        if !changed {
            let phrase = Phrase::new("engine.model_of_command").with("command", &wants.name).with("model", wanted);
            self.desk.notice(Level::Info, phrase);
            return None;
        }
        Some(before)
    }

    /// A model without eyes gets a line of text for a picture or a document; whoever showed it should know. A document that
    /// would fill the window is taken out again.
    pub(crate) fn shown(&self, mut said: Said) -> Said {
        let model = self.routes.model(Purpose::Measure);
        let card = model.card();
        let warn = |phrase: Phrase| self.desk.notice(Level::Warning, phrase.with("model", &card.name));
        if said.images.iter().any(|image| !image.is_document()) && !card.vision {
            warn(Phrase::new("engine.model_blind"));
        }
        for image in said.images.iter().filter(|image| image.is_document() && !card.documents) {
            warn(Phrase::new("engine.reference_pdf").with("path", &image.name));
        }
        let fills = |image: &Image| card.window > 0 && card.documents && image_tokens(image) > card.window / 2;
        let (large, images) = said.images.into_iter().partition(|image| image.is_document() && fills(image));
        said.images = images;
        let large: Vec<Image> = large;
        for document in large {
            let told = format!("[PDF {}: it is too long for your window]\n\n", document.describe());
            said.text = said.text.replace(&document_tag(&document), &told);
            warn(Phrase::new("engine.pdf_large").with("path", &document.name));
        }
        said
    }
}
