//! Agents that a person refers to in a prompt, `@agent-NAME`: the model is told to give the work to them. What names nobody stays
//! text, and that is said.

use crate::refs::references_in;
use reasonix_assembly::roster::startable;
use reasonix_extensions::Roster;
use reasonix_proto::{AgentProfile, Completion, Phrase};

/// What a reference to an agent begins with, behind the `@`.
const MARK: &str = "agent-";

/// So many letters of it have to be typed before agents are offered.
const LEAST: usize = 2;

/// More agents than this are not told of in one prompt.
const MOST: usize = 8;

/// How the model of a session can have others work.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Delegating {
    /// By a tool that it is told of.
    Told,
    /// By one that stands on the shelf.
    Shelved,
    /// Not at all.
    Not,
}

/// What becomes of the references to agents in a prompt.
#[derive(Debug, Default, PartialEq)]
pub(crate) struct Mentioned {
    /// What the model is told.
    pub(crate) told: Vec<String>,
    /// What people should know.
    pub(crate) notices: Vec<Phrase>,
}

/// The names of the agents that a prompt refers to, each once.
pub(crate) fn agents_in(prompt: &str) -> Vec<String> {
    let is_name = |name: &&str| {
        !name.is_empty() && name.chars().all(|c| c.is_alphanumeric() || matches!(c, '-' | '_' | ':' | '.'))
    };
    let found = references_in(prompt).into_iter().filter_map(|mention| mention.strip_prefix(MARK)).filter(is_name);
    let mut names: Vec<String> = Vec::new();
    for name in found {
        if !names.iter().any(|known| known.eq_ignore_ascii_case(name)) {
            names.push(name.to_owned());
        }
    }
    names
}

/// What becomes of references to these agents; one that names a file too is no mistake.
pub(crate) fn mentioned(
    names: &[String],
    roster: &Roster,
    how: Delegating,
    is_file: impl Fn(&str) -> bool,
) -> Mentioned {
    let mut found = Mentioned::default();
    for name in names {
        let agent = roster.named(name).filter(|agent| startable(roster, agent));
        match (agent, how) {
            (Some(agent), Delegating::Told | Delegating::Shelved) if found.told.len() < MOST => {
                found.told.push(told(&agent.name, how));
            }
            _ if is_file(&format!("{MARK}{name}")) => {}
            (Some(_), Delegating::Not) => {
                found.notices.push(Phrase::new("engine.mention_off").with("name", name));
            }
            (Some(_), _) => {
                found.notices.push(Phrase::new("engine.mention_many").with("name", name).with("most", MOST))
            }
            (None, _) => {
                let known = startables(roster).map(|agent| agent.name.as_str()).collect::<Vec<_>>().join(", ");
                found.notices.push(Phrase::new("engine.mention_unknown").with("name", name).with("known", known));
            }
        }
    }
    found
}

fn told(name: &str, how: Delegating) -> String {
    let call = if how == Delegating::Shelved { "call task, by use_tool," } else { "call task" };
    format!(
        "[The user wants the agent {name} to work on this: {call} with agent {name:?}, and say in the assignment all that it has to know.]"
    )
}

fn startables(roster: &Roster) -> impl Iterator<Item = &AgentProfile> {
    roster.agents.iter().filter(|agent| startable(roster, agent))
}

/// The agents that what was typed behind an `@` may become.
pub(crate) fn offered(roster: &Roster, text: &str, limit: usize) -> Vec<Completion> {
    let typed = text.to_lowercase();
    let fits = |agent: &&AgentProfile| format!("{MARK}{}", agent.name.to_lowercase()).starts_with(&typed);
    let one = |agent: &AgentProfile| {
        let insert = format!("{MARK}{}", agent.name);
        let marks = (0..typed.chars().count()).collect();
        Completion { shown: insert.clone(), insert, marks, descends: false, note: agent.description.clone() }
    };
    startables(roster).filter(fits).take(limit).map(one).collect()
}

/// Whether agents are offered for what was typed behind an `@`.
pub(crate) fn means_agents(text: &str) -> bool {
    let typed = text.to_lowercase();
    typed.len() >= LEAST && (MARK.starts_with(&typed) || typed.starts_with(MARK))
}
