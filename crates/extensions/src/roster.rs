//! The agents of a session: those that are built in, those of the settings and those of files; and which of two of a name
//! counts. The user's own stand before the project's: a repository must not take the place of what a person wrote.

use crate::agents::{FoundAgents, own_tools};
use crate::flaw::{ExtensionFlaw, FlawKind};
use crate::names::{ShadowedExtension, first_of};
use reasonix_proto::{AgentOrigin, AgentProfile, AgentRules};
use std::path::{Path, PathBuf};

/// A built-in agent: its name, what it is for, whether it only reads, and what a model is told when it begins.
type Row = (&'static str, &'static str, bool, &'static str);

const BUILT_IN: &[Row] = &[
    (
        "build",
        "does what is asked for",
        false,
        "[The agent build is at work: you may change things again, as far as the user allows.]",
    ),
    ("plan", "looks around and hands in a plan; changes nothing", false, ""),
    (
        "general",
        "looks widely and works on a question in as many steps as it takes",
        false,
        "[The agent general is at work: look widely, try what is needed, and answer the whole question.]",
    ),
    (
        "explore",
        "searches and reads; changes nothing",
        true,
        "[The agent explore is at work: search and read, and answer with what you found and where it stands. Whatever would \
         change something is refused, and a refused call must not be tried again.]",
    ),
    (
        "executor",
        "carries out what is decided; its model is `roles.executor`",
        false,
        "[The agent executor is at work: carry out what is decided, check it, and say what was done.]",
    ),
    (
        "architect",
        "judges structure and says how it should be built; its model is `roles.architect`",
        true,
        "[The agent architect is at work: judge the structure and say how it should be built, and why. Whatever would change \
         something is refused, and a refused call must not be tried again.]",
    ),
    (
        "planner",
        "cuts work into steps; its model is `roles.planner`",
        true,
        "[The agent planner is at work: cut the work into steps that can be checked, and name the files. Whatever would change \
         something is refused, and a refused call must not be tried again.]",
    ),
    (
        "critic",
        "looks for what is wrong with a plan or a change; its model is `roles.critic`",
        true,
        "[The agent critic is at work: look for what is wrong or missing, and prove it from the files. Whatever would change \
         something is refused, and a refused call must not be tried again.]",
    ),
];

/// All agents of a session, by name.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Roster {
    /// Those that count, also those that are switched off.
    pub agents: Vec<AgentProfile>,
    /// The names of those whose words are the project's and that the user does not trust; they are without them here.
    pub untrusted: Vec<String>,
    /// Those that another one stands before.
    pub shadowed: Vec<ShadowedExtension>,
    /// What is wrong with files.
    pub flaws: Vec<ExtensionFlaw>,
}

impl Roster {
    /// The agents of the settings and those of files, on top of those that are built in, with the models of the roles.
    pub fn new(
        stated: impl IntoIterator<Item = AgentProfile>,
        found: FoundAgents,
        role: impl Fn(&str) -> Option<String>,
        trusts: impl Fn(&Path) -> bool,
    ) -> Self {
        let mut roster = Self { flaws: found.flaws, ..Self::default() };
        let (own, theirs): (Vec<_>, Vec<_>) =
            stated.into_iter().map(in_our_words).partition(|agent| agent.origin != AgentOrigin::Project);
        let (files, others): (Vec<_>, Vec<_>) =
            found.agents.into_iter().partition(|agent| agent.origin != AgentOrigin::Project);
        let all = own.into_iter().chain(files).chain(theirs).chain(others).collect();
        let (written, shadowed) = first_of(all, |agent| (&agent.name, PathBuf::from(&agent.place)));
        roster.shadowed = shadowed;
        let mut written: Vec<_> = written.into_iter().map(|agent| roster.admitted(agent, &trusts)).collect();
        for (name, description, reads_only, _) in BUILT_IN {
            let base = AgentProfile {
                name: (*name).to_owned(),
                description: (*description).to_owned(),
                model: role(name).filter(|_| !matches!(*name, "build" | "plan")),
                rules: AgentRules { reads_only: *reads_only, ..AgentRules::default() },
                // Who only reads answers by itself.
                spawns: reads_only.then(Vec::new),
                ..AgentProfile::default()
            };
            let said = written.iter().position(|agent| agent.name.eq_ignore_ascii_case(name));
            let said = said.map(|place| AgentProfile { name: base.name.clone(), ..written.remove(place) });
            roster.flaws.extend(said.as_ref().and_then(|said| starts_more(said, &base)));
            roster.agents.push(match said {
                Some(said) => said.over(base),
                None => base,
            });
        }
        roster.agents.extend(written);
        roster
    }

    /// Of a project's only what tightens is taken, and its words where they are trusted.
    fn admitted(&mut self, agent: AgentProfile, trusts: &impl Fn(&Path) -> bool) -> AgentProfile {
        if agent.origin != AgentOrigin::Project {
            return agent;
        }
        let place = PathBuf::from(&agent.place);
        let (mut agent, left) = agent.tightened();
        if !left.is_empty() {
            self.flaws.push(FlawKind::OnlyTightens(left.join(", ")).at(&place));
        }
        if (agent.prompt.is_some() || !agent.skills.is_empty()) && !trusts(&place) {
            (agent.prompt, agent.skills) = (None, Vec::new());
            self.untrusted.push(agent.name.clone());
        }
        agent
    }

    /// The agent of this name, whatever its case.
    pub fn named(&self, name: &str) -> Option<&AgentProfile> {
        self.agents.iter().find(|agent| agent.name.eq_ignore_ascii_case(name))
    }

    /// True when its words are not to be used.
    pub fn distrusts(&self, name: &str) -> bool {
        self.untrusted.iter().any(|other| other.eq_ignore_ascii_case(name))
    }
}

/// A word on a project's agent that names others which the one below it may not start: it does not get them.
fn starts_more(agent: &AgentProfile, base: &AgentProfile) -> Option<ExtensionFlaw> {
    let [own, most] = [&agent.spawns, &base.spawns].map(|list| list.as_deref());
    let more = own?.iter().any(|name| most.is_some_and(|most| !most.contains(name)));
    let widens = more && agent.origin == AgentOrigin::Project;
    widens.then(|| FlawKind::OnlyTightens("spawns".to_owned()).at(Path::new(&agent.place)))
}

/// Lists of tools may be written in the names of other programs, and `*` is all of them.
fn in_our_words(mut agent: AgentProfile) -> AgentProfile {
    let ours = |names: Vec<String>| names.iter().flat_map(|name| own_tools(name)).collect::<Vec<_>>();
    agent.tools = agent.tools.map(ours).filter(|tools| tools.iter().all(|name| name != "*"));
    agent.without = ours(agent.without);
    agent
}

/// What a model is told when this agent goes on.
pub fn agent_note(agent: &AgentProfile) -> String {
    let built_in = BUILT_IN.iter().find(|(name, ..)| *name == agent.name).map(|(.., note)| (*note).to_owned());
    built_in.unwrap_or_else(|| {
        let about = if agent.description.is_empty() { String::new() } else { format!(": {}", agent.description) };
        let reads = if agent.rules.reads_only { " Whatever would change something is refused." } else { "" };
        format!("[The agent {} is at work{about}.{reads}]", agent.name).replace("..", ".")
    })
}

/// True for an agent that is always there.
pub fn is_builtin_agent(name: &str) -> bool {
    BUILT_IN.iter().any(|(known, ..)| *known == name)
}
