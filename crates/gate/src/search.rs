//! What searches look for, and what is read outside the workspace.

use super::Approvals;
use reasonix_agent::Ask;
use reasonix_policy::{By, Fallback, Rule, Verdict};
use reasonix_proto::{Action, Family};

/// Names under which models give what they look for.
const PATTERNS: &[&str] = &["pattern", "query", "regex", "search", "q"];

impl Approvals {
    /// A deny or ask rule may name what a search looks for, and not only where.
    pub(super) fn by_search(&self, verdict: Verdict, ask: &Ask<'_>) -> Verdict {
        let tool = ask.tool.spec().name.as_str();
        let wanted = || PATTERNS.iter().find_map(|name| ask.args.get(*name)?.as_str());
        let Some(pattern) = matches!(tool, "grep" | "glob").then(wanted).flatten() else { return verdict };
        let rules = &self.with_agents(self.standing.rules.clone(), None);
        let speaks = |rule: &&Rule| rule.speaks_of_search(tool, pattern);
        let by = |rule: &Rule| By::Rule(rule.text().to_owned());
        match (rules.deny.iter().find(speaks), &verdict) {
            (Some(rule), _) => Verdict::Deny(by(rule)),
            (None, Verdict::Allow(_)) => rules.ask.iter().find(speaks).map_or(verdict, |rule| Verdict::Ask(by(rule))),
            _ => verdict,
        }
    }

    /// Reading outside that no rule allows is asked about, where the user said so.
    pub(super) fn by_outside(&self, verdict: Verdict, action: &Action) -> Verdict {
        let reads = matches!(action.family, Family::Read | Family::Grep);
        let asks = self.external_now() == Fallback::Ask;
        if !reads || !asks || verdict != Verdict::Allow(By::Fallback) {
            return verdict;
        }
        let workspace = self.files.workspace();
        match action.subjects.iter().any(|path| workspace.reads_outside(path)) {
            true => Verdict::Ask(By::Rule("permissions.external_directory".to_owned())),
            false => verdict,
        }
    }
}
