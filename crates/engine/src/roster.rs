//! The agents that a session may have, and what of models, prompts and limits follows from the one at work.

use crate::error::EngineError;
use crate::spec::Start;
use crate::trust::Word;
use crate::world::World;
use reasonix_agent::{Model, Tools};
use reasonix_config::{Settings, SurfaceKind};
use reasonix_extensions::{ExtensionFlaw, Roster};
use reasonix_proto::{AgentMode, AgentOrigin, AgentProfile, BUILD_AGENT, PLAN_AGENT, Phrase};
use reasonix_tools::told_skill;
use std::path::Path;
use std::sync::Arc;

impl Start {
    /// The agents that there are here, as they are on disk now.
    pub(crate) fn roster(&self, trust: &Word) -> Roster {
        let settings = &self.world.settings;
        let role = |name: &str| settings.roles.get(name).cloned();
        let trusts = |file: &Path| trust.trusts(SurfaceKind::Agent, file);
        Roster::new(settings.profiles.values().cloned(), self.shelf().agents_now(), role, trusts)
    }

    /// The agent that a new session begins with.
    pub(crate) fn begins_as(&self) -> Result<AgentProfile, EngineError> {
        self.begins_with().map(|(agent, _)| agent)
    }

    /// The same with what to tell about it. Plan mode is no agent of its own: whoever begins with it plans as `build`.
    pub(crate) fn begins_with(&self) -> Result<(AgentProfile, Vec<Phrase>), EngineError> {
        let wanted = self.agent.as_ref().or(self.world.settings.default_agent.as_ref());
        let wanted = wanted.map_or(BUILD_AGENT, String::as_str);
        let wanted = if wanted.eq_ignore_ascii_case(PLAN_AGENT) { BUILD_AGENT } else { wanted };
        let trust = Word::new(self.world.settings.trust.clone());
        chosen(self, &trust, wanted).map_err(EngineError::Settings)
    }
}

/// The agent of this name, for a person, and what to tell about it; or why nobody can work as it.
pub(crate) fn chosen(start: &Start, trust: &Word, name: &str) -> Result<(AgentProfile, Vec<Phrase>), Phrase> {
    let roster = start.roster(trust);
    let about = |code: &'static str| Phrase::new(code).with("name", name);
    let Some(agent) = roster.named(name) else {
        return Err(about("engine.no_agent").with("known", names(&roster).join(", ")));
    };
    let built_in = reasonix_extensions::is_builtin_agent(&agent.name);
    match agent {
        agent if agent.disable => return Err(about("engine.agent_off").with("place", &agent.place)),
        agent if agent.mode == AgentMode::Subagent => return Err(about("engine.agent_subagent")),
        agent if roster.distrusts(&agent.name) && !built_in => {
            return Err(about("engine.agent_untrusted").with("place", &agent.place));
        }
        _ => {}
    }
    let of_it = |flaw: &&ExtensionFlaw| flaw.path == Path::new(&agent.place);
    let told = roster.flaws.iter().filter(of_it).map(ExtensionFlaw::phrase).collect();
    Ok((agent.clone(), told))
}

/// The same of the agent that a session has: with how to go on.
pub(crate) fn of_session(why: Phrase) -> Phrase {
    let code = match why.code.as_ref() {
        "engine.agent_off" => "engine.session_agent_off",
        "engine.agent_subagent" => "engine.session_agent_subagent",
        "engine.agent_untrusted" => "engine.session_agent_untrusted",
        "engine.no_agent" => "engine.session_agent_gone",
        _ => return why,
    };
    Phrase { code: code.into(), ..why }
}

/// The names of those that a person can choose.
pub(crate) fn names(roster: &Roster) -> Vec<String> {
    let open = |agent: &&AgentProfile| !agent.disable && agent.mode != AgentMode::Subagent;
    roster.agents.iter().filter(open).map(|agent| agent.name.clone()).collect()
}

/// The tools of a session that an agent has.
pub(crate) fn kept(tools: &Tools, agent: &AgentProfile) -> Tools {
    Tools::new(tools.iter().filter(|tool| agent.has(&tool.spec().name)).cloned().collect())
}

/// The steps of a turn: a project's agent may only take fewer.
pub(crate) fn steps_of(settings: &Settings, agent: &AgentProfile) -> u32 {
    let session = settings.agent.max_steps;
    match (agent.max_steps, session) {
        (None, session) => session,
        (Some(own), 0) => own,
        (Some(own), session) if agent.origin == AgentOrigin::Project => {
            session.min(if own == 0 { session } else { own })
        }
        (Some(own), _) => own,
    }
}

/// The world in which models sample as an agent wants it.
pub(crate) fn sampled(world: &World, agent: &AgentProfile) -> World {
    let mut world = world.clone();
    for provider in &mut world.settings.providers {
        provider.temperature = agent.temperature.or(provider.temperature);
        provider.top_p = agent.top_p.or(provider.top_p);
    }
    world
}

/// The model that an agent wants and the session's is not; or a word on one that is not there. Only the user's own endpoints
/// can be named.
pub(crate) fn own_model(world: &World, agent: &AgentProfile) -> Result<Option<Arc<dyn Model>>, Phrase> {
    let Some(wanted) = &agent.model else { return Ok(None) };
    let world = sampled(world, agent);
    let own = |name: &str| world.settings.providers.iter().any(|provider| provider.name == name);
    let found = world.settings.resolve_model(wanted).ok().filter(|found| own(&found.provider.name));
    let model = found.and_then(|found| world.model(&found).ok());
    let lacks = || Phrase::new("engine.agent_model").with("agent", &agent.name).with("model", wanted);
    model.map(Some).ok_or_else(lacks)
}

/// What an agent begins with in place of these words: its own, then the texts of its skills.
pub(crate) fn words_of(start: &Start, agent: &AgentProfile, otherwise: &str) -> String {
    let mut words = agent.prompt.as_deref().unwrap_or(otherwise).trim_end().to_owned();
    let skills = agent.skills.iter().filter_map(|name| start.shelf().readable_named(name));
    for text in skills.filter_map(|skill| told_skill(skill, "", start.workspace.root()).ok()) {
        words.push_str("\n\n");
        words.push_str(text.trim_end());
    }
    words
}
