//! The agents that a session may have, and what of models, prompts and limits follows from the one at work.

use crate::known::tool_names;
use reasonix_agent::{Model, Tools};
use reasonix_config::{Permissions, SurfaceKind};
use reasonix_extensions::{ExtensionFlaw, FlawKind, Roster};
use reasonix_gate::AgentStanding;
use reasonix_proto::{AgentMode, AgentOrigin, AgentProfile, AgentRules, BUILD_AGENT, PLAN_AGENT, Phrase};
use reasonix_servers::fleet::is_of_servers;
use reasonix_tools::told_skill;
use reasonix_world::World;
use reasonix_world::error::EngineError;
use reasonix_world::spec::Start;
use reasonix_world::trust::TrustWord;
use std::path::Path;
use std::sync::Arc;

/// The agents that there are here, as they are on disk now.
pub fn roster_of(start: &Start, trust: &TrustWord) -> Roster {
    let settings = &start.world.settings;
    let role = |name: &str| settings.roles.get(name).cloned();
    let trusts = |file: &Path| trust.trusts(SurfaceKind::Agent, file);
    let mut roster = Roster::new(settings.profiles.values().cloned(), start.shelf().agents_now(), role, trusts);
    let written: Vec<&AgentProfile> = roster.agents.iter().filter(|agent| !agent.place.is_empty()).collect();
    if !written.is_empty() {
        let known = tool_names(&start.workspace);
        let flaws: Vec<ExtensionFlaw> = written.into_iter().flat_map(|agent| misnamed(start, agent, &known)).collect();
        roster.flaws.extend(flaws);
    }
    roster
}

/// The tools and skills that an agent names and nobody has.
fn misnamed(start: &Start, agent: &AgentProfile, known: &[String]) -> Vec<ExtensionFlaw> {
    let tools = agent.tools.iter().flatten().chain(&agent.without);
    let lacks = |name: &&String| !is_of_servers(name) && !name.starts_with("mcp__") && !known.contains(name);
    let tools = tools.filter(lacks).cloned();
    let tools: Vec<String> = tools.chain(rules_for_nothing(agent, known).map(|rule| rule.text)).collect();
    let skills = agent.skills.iter().filter(|name| start.shelf().named(name).is_none()).cloned();
    let skills: Vec<String> = skills.collect();
    let place = Path::new(&agent.place);
    let tools = (!tools.is_empty()).then(|| FlawKind::UnknownTools(tools.join(", ")).at(place));
    let skills = (!skills.is_empty()).then(|| FlawKind::UnknownSkills(skills.join(", ")).at(place));
    tools.into_iter().chain(skills).collect()
}

/// The agent that a new session begins with.
pub fn begins_as(start: &Start) -> Result<AgentProfile, EngineError> {
    begins_with(start).map(|(agent, _)| agent)
}

/// The same with what to tell about it. Plan mode is no agent of its own: whoever begins with it plans as `build`.
pub fn begins_with(start: &Start) -> Result<(AgentProfile, Vec<Phrase>), EngineError> {
    let wanted = start.agent.as_ref().or(start.world.settings.default_agent.as_ref());
    let wanted = wanted.map_or(BUILD_AGENT, String::as_str);
    let wanted = if wanted.eq_ignore_ascii_case(PLAN_AGENT) { BUILD_AGENT } else { wanted };
    let trust = TrustWord::new(start.world.settings.trust.clone());
    chosen(start, &trust, wanted).map_err(EngineError::Settings)
}

/// An agent, and what to tell about it.
type Told = (AgentProfile, Vec<Phrase>);

/// Why nobody can work as an agent: for whoever chooses it, and for a session that has it, with how to go on.
struct Unfit {
    chosen: Phrase,
    held: Phrase,
}

/// The agent of this name, for a person, and what to tell about it; or why nobody can work as it.
pub fn chosen(start: &Start, trust: &TrustWord, name: &str) -> Result<Told, Phrase> {
    fit(start, trust, name).map_err(|unfit| unfit.chosen)
}

/// The same of the agent that a session has.
pub fn held(start: &Start, trust: &TrustWord, name: &str) -> Result<Told, Phrase> {
    fit(start, trust, name).map_err(|unfit| unfit.held)
}

fn fit(start: &Start, trust: &TrustWord, name: &str) -> Result<Told, Unfit> {
    let roster = roster_of(start, trust);
    let about = |chosen: &'static str, held: &'static str, more: (&'static str, &str)| {
        let [chosen, held] = [chosen, held].map(|code| Phrase::new(code).with("name", name).with(more.0, more.1));
        Err(Unfit { chosen, held })
    };
    let Some(agent) = roster.named(name) else {
        return about("engine.no_agent", "engine.session_agent_gone", ("known", &names(&roster).join(", ")));
    };
    let built_in = reasonix_extensions::is_builtin_agent(&agent.name);
    let place = ("place", agent.place.as_str());
    match agent {
        agent if agent.disable => return about("engine.agent_off", "engine.session_agent_off", place),
        agent if agent.mode == AgentMode::Subagent => {
            return about("engine.agent_subagent", "engine.session_agent_subagent", place);
        }
        agent if roster.distrusts(&agent.name) && !built_in => {
            return about("engine.agent_untrusted", "engine.session_agent_untrusted", place);
        }
        _ => {}
    }
    if let Some(why) = unusable(start, &roster, agent) {
        return Err(Unfit { chosen: why.clone(), held: why });
    }
    let of_it = |flaw: &&ExtensionFlaw| flaw.path == Path::new(&agent.place);
    let told = roster.flaws.iter().filter(of_it).map(ExtensionFlaw::phrase).collect();
    Ok((agent.clone(), told))
}

/// A rule for a tool that nobody has, and a name that is nearly the same.
struct ForNothing {
    text: String,
    like: Option<String>,
}

fn rules_for_nothing(agent: &AgentProfile, known: &[String]) -> impl Iterator<Item = ForNothing> + use<> {
    let AgentRules { deny, ask, allow, .. } = agent.rules.clone();
    let permissions = Permissions { deny, ask, allow, ..Permissions::default() };
    let said = |phrase: &Phrase, name: &str| phrase.arg(name).map(str::to_owned);
    reasonix_config::unknown_rule_tools(&permissions, known)
        .into_iter()
        .filter_map(move |phrase| Some(ForNothing { text: said(&phrase, "rule")?, like: said(&phrase, "suggestion") }))
}

/// Why nobody can work as an agent although it is there: its rules say nothing, or not what they were meant to say.
pub fn unusable(start: &Start, roster: &Roster, agent: &AgentProfile) -> Option<Phrase> {
    let place = Path::new(&agent.place);
    let unread = |flaw: &&ExtensionFlaw| matches!(flaw.kind, FlawKind::BadPermissions(_)) && flaw.path == place;
    if let Some(flaw) = roster.flaws.iter().find(unread) {
        return Some(flaw.phrase());
    }
    let about = |code: &'static str| Phrase::new(code).with("name", &agent.name).with("place", &agent.place);
    if let Err(error) = AgentStanding::new(agent, start.workspace.root()) {
        return Some(about("engine.agent_rule").with("rule", error.rule).with("reason", error.reason));
    }
    let misspelt = |rule: ForNothing| Some((rule.text, rule.like?));
    let known = if agent.place.is_empty() { return None } else { tool_names(&start.workspace) };
    let (rule, like) = rules_for_nothing(agent, &known).find_map(misspelt)?;
    Some(about("engine.agent_rule_tool").with("rule", rule).with("suggestion", like))
}

/// Whether an agent may be started by another one. What plans is a mode, and what builds is the session itself.
pub fn startable(roster: &Roster, agent: &AgentProfile) -> bool {
    let reserved = [BUILD_AGENT, PLAN_AGENT].contains(&agent.name.as_str());
    let built_in = reasonix_extensions::is_builtin_agent(&agent.name);
    let trusted = built_in || !roster.distrusts(&agent.name);
    !reserved && !agent.disable && agent.mode != AgentMode::Primary && trusted
}

/// The names of those that a person can choose.
pub fn names(roster: &Roster) -> Vec<String> {
    let open = |agent: &&AgentProfile| !agent.disable && agent.mode != AgentMode::Subagent;
    roster.agents.iter().filter(open).map(|agent| agent.name.clone()).collect()
}

/// The tools of a session that an agent has.
pub fn kept(tools: &Tools, agent: &AgentProfile) -> Tools {
    tools.kept(|spec| agent.has(&spec.name))
}

/// The steps of a turn where there may be so many, 0 for no limit: a project's agent may only take fewer.
pub fn steps_of(most: u32, agent: &AgentProfile) -> u32 {
    match (agent.max_steps, most) {
        (None, most) => most,
        (Some(own), 0) => own,
        (Some(own), most) if agent.origin == AgentOrigin::Project => most.min(if own == 0 { most } else { own }),
        (Some(own), _) => own,
    }
}

/// The world in which models sample as an agent wants it.
pub fn sampled(world: &World, agent: &AgentProfile) -> World {
    let mut world = world.clone();
    for provider in &mut world.settings.providers {
        provider.temperature = agent.temperature.or(provider.temperature);
        provider.top_p = agent.top_p.or(provider.top_p);
    }
    world
}

/// The model that an agent wants and the session's is not; or a word on one that is not there. Only the user's own endpoints
/// can be named.
pub fn own_model(world: &World, agent: &AgentProfile) -> Result<Option<Arc<dyn Model>>, Phrase> {
    let Some(wanted) = &agent.model else { return Ok(None) };
    let world = sampled(world, agent);
    let own = |name: &str| world.settings.providers.iter().any(|provider| provider.name == name);
    let found = world.settings.resolve_model(wanted).ok().filter(|found| own(&found.provider.name));
    let model = found.and_then(|found| world.model(&found).ok());
    let lacks = || Phrase::new("engine.agent_model").with("agent", &agent.name).with("model", wanted);
    model.map(Some).ok_or_else(lacks)
}

/// What an agent begins with in place of these words: its own, then the texts of its skills.
pub fn words_of(start: &Start, agent: &AgentProfile, otherwise: &str) -> String {
    let mut words = agent.prompt.as_deref().unwrap_or(otherwise).trim_end().to_owned();
    let skills = agent.skills.iter().filter_map(|name| start.shelf().readable_named(name));
    for text in skills.filter_map(|skill| told_skill(skill, "", start.workspace.root()).ok()) {
        words.push_str("\n\n");
        words.push_str(text.trim_end());
    }
    words
}
