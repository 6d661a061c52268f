//! An agent: who is at work, with which words, which tools and which rules.

use crate::Effect;
use serde_json::Value;
use std::collections::BTreeMap;

/// The agent that a session has unless another one is named.
pub const BUILD_AGENT: &str = "build";

/// The agent that only plans. It is plan mode, by another name.
pub const PLAN_AGENT: &str = "plan";

/// What an agent is: the words it begins with, what it may use, and what it may do. Whoever is to work as one takes this.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct AgentProfile {
    /// What it is called.
    pub name: String,
    /// What it is for, in one line; empty when nothing says so.
    pub description: String,
    /// The file or the place in the settings that it comes from; empty for a built-in one.
    pub place: String,
    /// Who brought it.
    pub origin: AgentOrigin,
    /// Who may use it.
    pub mode: AgentMode,
    /// The model that it wants, as a reference.
    pub model: Option<String>,
    /// What stands in place of the built-in system prompt.
    pub prompt: Option<String>,
    /// The tools that it has and no others; all of them when none.
    pub tools: Option<Vec<String>>,
    /// Tools that it does not have.
    pub without: Vec<String>,
    /// What holds for its calls beside the rules of the session.
    pub rules: AgentRules,
    /// Steps a turn may take.
    pub max_steps: Option<u32>,
    /// Sampling temperature.
    pub temperature: Option<f64>,
    /// Nucleus sampling.
    pub top_p: Option<f64>,
    /// It is switched off.
    pub disable: bool,
    /// Skills whose texts it begins with.
    pub skills: Vec<String>,
    /// The agents that it may start; all of them when none. For subagents.
    pub spawns: Option<Vec<String>>,
    /// The JSON schema of what it hands back. For subagents.
    pub output: Option<Value>,
    /// Whether whoever starts it waits for it. For subagents.
    pub blocking: Option<bool>,
    /// Where it works: `worktree` for a copy of its own. For subagents.
    pub isolation: Option<String>,
}

/// Who brought an agent.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum AgentOrigin {
    /// Reasonix itself.
    #[default]
    Builtin,
    /// The user's own settings or files.
    User,
    /// The project's. It can only tighten.
    Project,
}

/// Who may use an agent.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum AgentMode {
    /// A person, for a session.
    Primary,
    /// Another agent, for a task.
    Subagent,
    /// Both.
    #[default]
    All,
}

impl AgentMode {
    /// Reads its word.
    pub fn parse(word: &str) -> Option<Self> {
        match word {
            "primary" => Some(Self::Primary),
            "subagent" => Some(Self::Subagent),
            "all" => Some(Self::All),
            _ => None,
        }
    }
}

/// What holds for the calls of an agent, beside the rules of the session. The texts are permission rules.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct AgentRules {
    /// What happens to writers that no rule speaks of.
    pub mode: Option<Effect>,
    /// Rules that allow; only of the user's own agents.
    pub allow: Vec<String>,
    /// Rules that ask.
    pub ask: Vec<String>,
    /// Rules that deny.
    pub deny: Vec<String>,
    /// What happens to single families otherwise, by their names in rules.
    pub fallbacks: BTreeMap<String, Effect>,
    /// Reading outside of the workspace.
    pub external_directory: Option<Effect>,
    /// More patterns for the dangerous class.
    pub dangerous: Vec<String>,
    /// Of the tools that these name, only what they cover.
    pub only: Vec<String>,
    /// Nothing that it does may change something.
    pub reads_only: bool,
}

impl AgentProfile {
    /// Whether it has this tool, where the session does.
    pub fn has(&self, tool: &str) -> bool {
        let named = |list: &[String]| list.iter().any(|name| covers(name, tool));
        self.tools.as_deref().is_none_or(named) && !named(&self.without)
    }

    /// True when it begins with other words or has fewer tools than others: a request of it does not extend one of another.
    pub fn has_own_head(&self) -> bool {
        self.prompt.is_some() || self.tools.is_some() || !self.without.is_empty() || !self.skills.is_empty()
    }

    /// The same of a project: what could loosen something is taken out, and named.
    #[must_use]
    pub fn tightened(mut self) -> (Self, Vec<&'static str>) {
        let mut left = Vec::new();
        if self.model.take().is_some() {
            left.push("model");
        }
        if !std::mem::take(&mut self.rules.allow).is_empty() {
            left.push("permissions.allow");
        }
        (self, left)
    }

    /// This one on top of another of the same name: what it says counts, and rules of both hold.
    #[must_use]
    pub fn over(self, base: Self) -> Self {
        let both = |mut under: Vec<String>, over: Vec<String>| {
            under.extend(over);
            under
        };
        let (under, over) = (base.rules, self.rules);
        let rules = AgentRules {
            mode: over.mode.or(under.mode),
            allow: both(under.allow, over.allow),
            ask: both(under.ask, over.ask),
            deny: both(under.deny, over.deny),
            fallbacks: under.fallbacks.into_iter().chain(over.fallbacks).collect(),
            external_directory: over.external_directory.or(under.external_directory),
            dangerous: both(under.dangerous, over.dangerous),
            only: both(under.only, over.only),
            reads_only: under.reads_only || over.reads_only,
        };
        Self {
            description: if self.description.is_empty() { base.description } else { self.description },
            model: self.model.or(base.model),
            prompt: self.prompt.or(base.prompt),
            tools: self.tools.or(base.tools),
            without: both(base.without, self.without),
            rules,
            max_steps: self.max_steps.or(base.max_steps),
            temperature: self.temperature.or(base.temperature),
            top_p: self.top_p.or(base.top_p),
            spawns: match (self.spawns, base.spawns) {
                // A project's may start fewer of them, and no other.
                (Some(own), Some(most)) if self.origin == AgentOrigin::Project => Some(both_name(&own, most)),
                (own, most) => own.or(most),
            },
            output: self.output.or(base.output),
            blocking: self.blocking.or(base.blocking),
            isolation: self.isolation.or(base.isolation),
            ..self
        }
    }
}

/// What is named by both; `*` is everything.
fn both_name(own: &[String], most: Vec<String>) -> Vec<String> {
    let named = |list: &[String], name: &String| list.iter().any(|one| one == "*" || one.eq_ignore_ascii_case(name));
    if most.iter().any(|name| name == "*") {
        return own.to_vec();
    }
    most.into_iter().filter(|name| named(own, name)).collect()
}

/// Whether a name of a list means this tool; `mcp__server__*` and `mcp__server` mean all tools of a server.
fn covers(name: &str, tool: &str) -> bool {
    let server = name.strip_suffix('*').unwrap_or(name);
    name == tool
        || (name.starts_with("mcp__") && name.ends_with('*') && tool.starts_with(server))
        || (name.starts_with("mcp__") && tool.strip_prefix(name).is_some_and(|rest| rest.starts_with("__")))
}

#[cfg(test)]
mod tests {
    use super::{AgentOrigin, AgentProfile, AgentRules};

    #[test]
    fn tools_are_those_that_are_named_without_those_that_are_taken_away() {
        let words = |names: &[&str]| names.iter().map(|name| (*name).to_owned()).collect::<Vec<_>>();
        let all = AgentProfile::default();
        assert!(all.has("bash") && !all.has_own_head());
        let some = AgentProfile {
            tools: Some(words(&["read_file", "mcp__github", "mcp__far__*"])),
            without: words(&["mcp__far__delete"]),
            ..AgentProfile::default()
        };
        let kept =
            ["read_file", "bash", "mcp__github__list", "mcp__githubs__list", "mcp__far__look", "mcp__far__delete"];
        assert_eq!(kept.map(|tool| some.has(tool)), [true, false, true, false, true, false]);
    }

    #[test]
    fn what_stands_on_top_adds_rules_and_takes_none_away() {
        let rules =
            |deny: &str, reads_only| AgentRules { deny: vec![deny.to_owned()], reads_only, ..AgentRules::default() };
        let base = AgentProfile { rules: rules("Bash(a:*)", true), max_steps: Some(3), ..AgentProfile::default() };
        let over = AgentProfile { rules: rules("Bash(b:*)", false), ..AgentProfile::default() }.over(base);
        assert_eq!(over.rules.deny, ["Bash(a:*)", "Bash(b:*)"]);
        assert!(over.rules.reads_only && over.max_steps == Some(3));
    }

    #[test]
    fn a_project_lets_nobody_start_more_than_before() {
        let of = |spawns: Option<&[&str]>, origin| AgentProfile {
            spawns: spawns.map(|names| names.iter().map(|name| (*name).to_owned()).collect()),
            origin,
            ..AgentProfile::default()
        };
        let over = |own: Option<&[&str]>, most: Option<&[&str]>, origin| {
            of(own, origin).over(of(most, AgentOrigin::Builtin)).spawns.map(|names| names.join(" "))
        };
        let project = |own, most| over(own, most, AgentOrigin::Project);
        assert_eq!(project(Some(&["general", "*"]), Some(&[])).as_deref(), Some(""));
        assert_eq!(project(Some(&["B", "c"]), Some(&["a", "b"])).as_deref(), Some("b"));
        assert_eq!(project(Some(&["*"]), Some(&["a", "b"])).as_deref(), Some("a b"));
        assert_eq!(project(Some(&["a"]), Some(&["*"])).as_deref(), Some("a"));
        assert_eq!(project(Some(&["a"]), None).as_deref(), Some("a"));
        assert_eq!(project(None, Some(&[])).as_deref(), Some(""));
        assert_eq!(over(Some(&["general"]), Some(&[]), AgentOrigin::User).as_deref(), Some("general"));
    }

    #[test]
    fn of_a_project_nothing_is_left_that_loosens() {
        let rules = AgentRules { allow: vec!["Bash".into()], deny: vec!["Edit".into()], ..AgentRules::default() };
        let wide = AgentProfile { rules, model: Some("m".into()), ..AgentProfile::default() };
        let (kept, left) = wide.tightened();
        assert_eq!(left, ["model", "permissions.allow"]);
        assert!(kept.model.is_none() && kept.rules.allow.is_empty() && kept.rules.deny == ["Edit"]);
    }
}
