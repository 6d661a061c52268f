//! What holds beyond the rules: a turn that was begun by a command with `allowed-tools` has those tools and no others, and the
//! scripts of a skill that nobody trusts are not run. A subagent that does such a skill has those tools for all of its work.

use super::Approvals;
use reasonix_policy::{By, Fallback, Posture, Rule, Rules, Verdict, evaluate};
use reasonix_proto::{Action, Family};
use std::sync::{Arc, PoisonError};

/// Gives the name of a skill that is not trusted and whose files a command line names.
pub(super) type Distrusts = Arc<dyn Fn(&str) -> Option<String> + Send + Sync>;

/// The tools that a turn is narrowed to.
pub struct Narrowing {
    /// Who narrowed it, such as `/commit`.
    by: String,
    rules: Rules,
}

impl Narrowing {
    /// To the tools that these rules name. What cannot be read names none: it could only have let in more.
    pub fn new(by: &str, tools: &[String]) -> Self {
        let allow = tools.iter().filter_map(|text| Rule::parse(text).ok()).collect();
        let families = [Family::Bash, Family::Edit, Family::Read, Family::Grep, Family::Skill, Family::Task];
        let families = families.into_iter().map(|family| (family, Fallback::Deny)).collect();
        Self { by: by.to_owned(), rules: Rules { allow, mode: Fallback::Deny, families, ..Rules::default() } }
    }

    pub(super) fn covers(&self, tool: &str, action: &Action) -> bool {
        let own = matches!(action.family, Family::Own | Family::Memory);
        own || matches!(evaluate(&self.rules, &[], Posture::Ask, tool, action), Verdict::Allow(_))
            || self.names_wholly(tool, action)
    }

    /// A prefix such as `Bash(git:*)` reaches too far to allow anything, and can still say what a turn is content with: a line
    /// that is one such command. The rules of the session judge it as ever.
    fn names_wholly(&self, tool: &str, action: &Action) -> bool {
        let one = |line: &String| !line.contains([';', '|', '&', '\n', '`', '$', '<', '>', '(']);
        let named = Rules { deny: self.rules.allow.clone(), mode: Fallback::Allow, ..Rules::default() };
        action.family == Family::Bash
            && action.subjects.iter().all(one)
            && matches!(evaluate(&named, &[], Posture::Ask, tool, action), Verdict::Deny(_))
    }
}

impl Approvals {
    /// Narrows what is allowed from now on; none for what the rules allow. It lets nothing in that they do not.
    pub fn narrow(&self, to: Option<Narrowing>) {
        *self.narrowed.lock().unwrap_or_else(PoisonError::into_inner) = to;
    }

    /// Tells whose scripts are not to be run.
    #[must_use]
    pub fn distrusting(mut self, distrusts: impl Fn(&str) -> Option<String> + Send + Sync + 'static) -> Self {
        self.distrusts = Some(Arc::new(distrusts));
        self
    }

    /// The verdict, held to what the turn was narrowed to and to what is trusted. What a kernel holds to reading runs no
    /// script that could do anything.
    pub(super) fn within(&self, verdict: Verdict, tool: &str, action: &Action, held: bool) -> Verdict {
        if matches!(verdict, Verdict::Deny(_)) {
            return verdict;
        }
        let narrowed = self.narrowed.lock().unwrap_or_else(PoisonError::into_inner);
        let all = narrowed.iter().chain(self.held_to.iter().map(AsRef::as_ref));
        if let Some(narrowing) = all.into_iter().find(|narrowing| !narrowing.covers(tool, action)) {
            return Verdict::Deny(By::Rule(format!("allowed-tools of {}", narrowing.by)));
        }
        let named = |distrusts: &Distrusts| action.subjects.iter().find_map(|line| distrusts(line));
        let applies = action.family == Family::Bash && !held;
        match self.distrusts.as_ref().filter(|_| applies).and_then(named) {
            Some(skill) => Verdict::Deny(By::Rule(format!("trust: the scripts of the skill {skill} are not trusted"))),
            None => verdict,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::Narrowing;
    use reasonix_proto::{Action, Family, ReadOnly};

    #[test]
    fn a_turn_has_the_tools_that_are_named_and_no_others() {
        let tools = ["Read", "Grep", "Bash(git diff:*)", "Bash(npm:*)", "mcp__github__list"].map(str::to_owned);
        let narrowing = Narrowing::new("/x", &tools);
        let reads = |family, subject: &str| Action::reads(family, subject);
        let runs = |line: &str| Action::writes(Family::Bash, vec![line.to_owned()]);
        for (tool, action) in [
            ("read_file", reads(Family::Read, "src/a.rs")),
            ("grep", reads(Family::Grep, "src")),
            ("bash", runs("git diff --staged")),
            ("bash", runs("npm test")),
            ("mcp__github__list", Action::writes(Family::Tool, vec![])),
            ("todo_write", Action { family: Family::Own, subjects: vec![], read_only: ReadOnly::Yes }),
        ] {
            assert!(narrowing.covers(tool, &action), "{tool} {action:?}");
        }
        for (tool, action) in [
            ("write_file", Action::writes(Family::Edit, vec!["a".into()])),
            ("bash", runs("git push")),
            ("bash", runs("ls")),
            ("bash", runs("npm test && git push")),
            ("skill", reads(Family::Skill, "x")),
            ("mcp__github__delete", Action::writes(Family::Tool, vec![])),
        ] {
            assert!(!narrowing.covers(tool, &action), "{tool} {action:?}");
        }
    }
}
