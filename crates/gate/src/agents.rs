//! What holds while an agent is at work, beside the rules of the session. An agent of the user's own may let run what would be
//! asked about, never what is denied or dangerous; one of a project only tightens.

use super::given::rules_of_agent;
use super::narrow::Narrowing;
use super::{Approvals, by_rule};
use reasonix_agent::{Ask, Decision};
use reasonix_policy::{By, Fallback, Posture, Rule, RuleError, Rules, Verdict, evaluate, more_dangers};
use reasonix_proto::{Action, AgentOrigin, AgentProfile, AgentRules, Family, Mode, PLAN_AGENT, ReadOnly};
use std::path::Path;
use std::sync::{Arc, PoisonError};

/// What holds for the calls of one agent.
pub struct AgentStanding {
    profile: AgentProfile,
    rules: Rules,
    dangerous: Vec<Rule>,
    /// Of the tools that it names, only what it covers.
    only: Option<Narrowing>,
}

impl AgentStanding {
    /// By what the profile says, for this root. A rule that cannot be read is an error, never left out.
    pub fn new(profile: &AgentProfile, root: &Path) -> Result<Self, RuleError> {
        let rules = rules_of_agent(&profile.rules, root)?;
        let dangerous = more_dangers(&profile.rules.dangerous)?;
        let only = (!profile.rules.only.is_empty()).then(|| Narrowing::new(&profile.name, &profile.rules.only));
        Ok(Self { profile: profile.clone(), rules, dangerous, only })
    }

    /// For an agent of which only the name is known: it reads.
    fn unknown(name: &str) -> Self {
        let rules = AgentRules { reads_only: true, ..AgentRules::default() };
        let profile = AgentProfile { name: name.to_owned(), rules, ..AgentProfile::default() };
        Self { profile, rules: Rules::default(), dangerous: Vec::new(), only: None }
    }

    /// Its name and its rules, for people.
    pub(super) fn shown(&self) -> (&str, &Rules) {
        (&self.profile.name, &self.rules)
    }

    /// The fallback, where the agent says something of it. A deny stays one, and a project's may only be stricter.
    fn fallback(&self, session: Fallback, said: Option<Fallback>) -> Fallback {
        match said {
            Some(said) if self.profile.origin == AgentOrigin::Project => session.max(said),
            Some(said) if session != Fallback::Deny => said,
            _ => session,
        }
    }

    /// The rules of the session with those of the agent. What the agent allows of this call answers the rules that would ask.
    fn over(&self, session: Rules, call: Option<(&str, &Action)>) -> Rules {
        let answered = call.is_some_and(|(tool, action)| self.allows(tool, action));
        let mode = self.fallback(session.mode, self.profile.rules.mode);
        let of = |family: &Family| session.families.iter().find(|(other, _)| other == family).map(|(_, mode)| *mode);
        // A family that the session says nothing of is judged as readers or writers are; a reader is not loosened by that.
        let families = self.rules.families.iter().map(|(family, said)| {
            let held = of(family).unwrap_or(if is_reader(*family) { Fallback::Allow } else { session.mode });
            (*family, self.fallback(held, Some(*said)))
        });
        let families: Vec<_> = families.chain(session.families.iter().copied()).collect();
        let mut ask = if answered { Vec::new() } else { session.ask };
        ask.extend(self.rules.ask.iter().cloned());
        Rules {
            deny: session.deny.into_iter().chain(self.rules.deny.iter().cloned()).collect(),
            ask,
            // The grants of the session stay the last ones.
            allow: self.rules.allow.iter().cloned().chain(session.allow).collect(),
            mode,
            families,
        }
    }

    /// Whether its own rules allow a call, and none of them asks.
    fn allows(&self, tool: &str, action: &Action) -> bool {
        let families =
            [Family::Bash, Family::Edit, Family::Read, Family::Grep, Family::Skill, Family::Task, Family::Tool];
        let families = families.into_iter().map(|family| (family, Fallback::Deny)).collect();
        let own = Rules { deny: Vec::new(), mode: Fallback::Deny, families, ..self.rules.clone() };
        matches!(evaluate(&own, &[], Posture::Ask, tool, action), Verdict::Allow(By::Rule(_)))
    }

    /// Why a call is none of this agent's, whatever the rules say.
    fn refuses(&self, tool: &str, action: &Action, by_user: bool) -> Option<&'static str> {
        let own = matches!(action.family, Family::Own);
        if by_user {
            return None;
        }
        if !own && !self.profile.has(tool) {
            return Some("this agent does not have the tool");
        }
        if self.profile.rules.reads_only && action.read_only != ReadOnly::Yes {
            return Some(
                "this agent only reads, and this could change something. Do not try it again or by other means",
            );
        }
        let named =
            |text: &String| text.split('(').next().is_some_and(|name| name.eq_ignore_ascii_case(action.family.name()));
        let speaks = self.profile.rules.only.iter().any(named);
        let covered = self.only.as_ref().is_none_or(|only| only.covers(tool, action));
        (speaks && !covered).then_some("this agent has the tool only for what its profile names")
    }
}

/// Families whose calls run by themselves.
fn is_reader(family: Family) -> bool {
    matches!(family, Family::Read | Family::Grep | Family::Skill | Family::Task)
}

impl Approvals {
    /// Learns what an agent may do. It holds while the session says that this one is at work.
    pub fn know_agent(&self, standing: AgentStanding) {
        let name = standing.profile.name.to_ascii_lowercase();
        self.agents.lock().unwrap_or_else(PoisonError::into_inner).insert(name, Arc::new(standing));
    }

    /// The agents whose rules hold now: the one at work, and the one that plans while that is on. One that nobody told of
    /// could have rules that deny: nothing of it may change something.
    pub(super) fn acting(&self) -> Vec<Arc<AgentStanding>> {
        let stance = self.stance.stance();
        let agents = self.agents.lock().unwrap_or_else(PoisonError::into_inner);
        let known = |name: &str| agents.get(&name.to_ascii_lowercase()).cloned();
        let name = Some(&*stance.agent).filter(|name| !name.is_empty());
        let at_work = name.map(|name| known(name).unwrap_or_else(|| Arc::new(AgentStanding::unknown(name))));
        let plans = (stance.mode == Mode::Plan).then(|| known(PLAN_AGENT)).flatten();
        let below = self.below.iter().map(|below| Arc::clone(&below.standing));
        at_work.into_iter().chain(plans).chain(below).collect()
    }

    /// The rules with those of the agents at work; for this call, where one is judged.
    pub(super) fn with_agents(&self, rules: Rules, call: Option<(&str, &Action)>) -> Rules {
        self.acting().iter().fold(rules, |rules, agent| agent.over(rules, call))
    }

    /// The patterns of the dangerous class, with those of the agents at work.
    pub(super) fn dangers_now(&self) -> Vec<Rule> {
        let acting = self.acting();
        let more = acting.iter().flat_map(|agent| &agent.dangerous);
        self.standing.dangerous.iter().chain(more).cloned().collect()
    }

    /// What happens to reading outside, with what the agents at work say.
    pub(super) fn external_now(&self) -> Fallback {
        let said = |held, agent: &Arc<AgentStanding>| agent.fallback(held, agent.profile.rules.external_directory);
        self.acting().iter().fold(self.standing.external, said)
    }

    /// The rules of the agents at work that deny files; they hold for what a person names in a prompt too.
    pub fn agent_denials(&self) -> Vec<Rule> {
        let acting = self.acting();
        acting.iter().flat_map(|agent| &agent.rules.deny).filter(|rule| rule.names_paths()).cloned().collect()
    }

    /// The refusal of a call that is none of the agent's at work.
    pub(super) fn by_agent(&self, ask: &Ask<'_>) -> Option<Decision> {
        let tool = ask.tool.spec().name.as_str();
        let refused = |agent: &Arc<AgentStanding>| {
            Some((agent.profile.name.clone(), agent.refuses(tool, ask.action, ask.by_user)?))
        };
        let (name, why) = self.acting().iter().find_map(refused)?;
        let record = by_rule(ask, false, &By::Rule(format!("agent {name}")));
        Some(Decision::Deny { record, message: format!("by agent {name}: {why}. Find another way or tell the user") })
    }
}

#[cfg(test)]
mod tests {
    use super::AgentStanding;
    use crate::{Approvals, GateStanding, Given, Stance};
    use reasonix_policy::{Fallback, Posture, Rules, Verdict, evaluate};
    use reasonix_proto::{Action, AgentOrigin, AgentProfile, AgentRules, Family};
    use std::path::Path;

    fn texts(texts: &[&str]) -> Vec<String> {
        texts.iter().map(|text| (*text).to_owned()).collect()
    }

    fn verdict(session: &Rules, origin: AgentOrigin, rules: AgentRules, line: &str) -> &'static str {
        let profile = AgentProfile { name: "x".into(), origin, rules, ..AgentProfile::default() };
        let agent = AgentStanding::new(&profile, Path::new("/w")).unwrap();
        let action = Action::writes(Family::Bash, vec![line.to_owned()]);
        let rules = agent.over(session.clone(), Some(("bash", &action)));
        match evaluate(&rules, &[], Posture::Ask, "bash", &action) {
            Verdict::Allow(_) => "allow",
            Verdict::Ask(_) => "ask",
            Verdict::Deny(_) => "deny",
        }
    }

    #[test]
    fn an_agent_of_the_users_own_loosens_what_asks_and_never_what_denies() {
        let session =
            Rules::parse(&texts(&["Bash(git push:*)"]), &texts(&["Bash(git:*)"]), &[], Fallback::Ask).unwrap();
        let rules = || AgentRules {
            allow: texts(&["Bash(git diff:*)", "Bash(git commit:*)", "Bash(git push:*)"]),
            ask: texts(&["Bash(git commit:*)"]),
            deny: texts(&["Bash(make:*)"]),
            mode: Some(Fallback::Allow),
            ..AgentRules::default()
        };
        for (line, own) in [
            ("git diff", "allow"),
            ("git status", "ask"),
            ("git commit -m x", "ask"),
            ("git push", "deny"),
            ("make all", "deny"),
            ("touch a", "allow"),
        ] {
            assert_eq!(verdict(&session, AgentOrigin::User, rules(), line), own, "{line}");
        }
        let theirs = AgentRules { allow: Vec::new(), ..rules() };
        assert_eq!(
            verdict(&session, AgentOrigin::Project, theirs.clone(), "touch a"),
            "ask",
            "a project only tightens"
        );
        assert_eq!(verdict(&session, AgentOrigin::Project, theirs, "make all"), "deny");
        let closed = Rules { mode: Fallback::Deny, ..session };
        assert_eq!(verdict(&closed, AgentOrigin::User, rules(), "touch a"), "deny", "a deny of the session stays one");
    }

    #[test]
    fn an_agent_has_its_own_tools_and_what_it_reads() {
        let words = |names: &[&str]| Some(texts(names));
        let rules = AgentRules { only: texts(&["Bash(git diff:*)"]), ..AgentRules::default() };
        let profile = AgentProfile { tools: words(&["bash", "grep"]), rules, ..AgentProfile::default() };
        let agent = AgentStanding::new(&profile, Path::new("/w")).unwrap();
        let runs = |line: &str| Action::writes(Family::Bash, vec![line.to_owned()]);
        let refused = |tool: &str, action: &Action| agent.refuses(tool, action, false).is_some();
        assert!(!refused("bash", &runs("git diff a")) && refused("bash", &runs("git push")));
        assert!(!refused("grep", &Action::reads(Family::Grep, "src")), "of others it says nothing");
        assert!(refused("write_file", &Action::writes(Family::Edit, vec!["a".into()])));
        assert!(agent.refuses("bash", &runs("git push"), true).is_none(), "what a person types is theirs");
        let reads = AgentRules { reads_only: true, ..AgentRules::default() };
        let profile = AgentProfile { rules: reads, ..AgentProfile::default() };
        let agent = AgentStanding::new(&profile, Path::new("/w")).unwrap();
        assert!(agent.refuses("bash", &runs("touch a"), false).is_some());
        assert!(agent.refuses("grep", &Action::reads(Family::Grep, "src"), false).is_none());
    }

    struct Nobody;

    impl reasonix_agent::Sink for Nobody {
        fn emit(&self, _: reasonix_proto::Event) {}
    }

    #[test]
    fn an_agent_that_nobody_told_of_only_reads_and_names_have_no_case() {
        let folder = reasonix_testkit::TempWorkspace::new();
        let workspace = reasonix_workspace::Workspace::open(&folder.path(), Default::default()).unwrap();
        let settings = reasonix_config::Settings::default();
        let home = folder.path();
        let given = Given { settings: &settings, home: &home, workspace: &workspace, attended: true, approve: &[] };
        let stance = Stance { agent: "Helper".into(), ..Stance::default() };
        let standing = GateStanding::new(&given).unwrap();
        let gate = Approvals::new(standing, workspace.clone(), stance, std::sync::Arc::new(Nobody));
        let touch = Action::writes(Family::Bash, vec!["touch a".to_owned()]);
        let refused = || gate.acting().iter().any(|agent| agent.refuses("bash", &touch, false).is_some());
        assert!(refused(), "nobody told of it");
        assert!(
            gate.acting().iter().all(|agent| agent.refuses("grep", &Action::reads(Family::Grep, "a"), false).is_none())
        );
        let profile = AgentProfile { name: "helper".into(), ..AgentProfile::default() };
        gate.know_agent(AgentStanding::new(&profile, Path::new("/w")).unwrap());
        assert!(!refused(), "it is the same one");
        assert_eq!(gate.acting().len(), 1);
    }
}
