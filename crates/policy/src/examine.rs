//! Rules tried out before anybody relies on them: what each would match, by an example, and which can never matter.

use crate::analyse::analyse;
use crate::danger::{dangers, more_dangers};
use crate::effects::Places;
use crate::facts::{Facts, Target};
use crate::judge::{Circumstances, judge};
use crate::rule::Rule;
use crate::verdict::{By, Case, Fallback, Rules, Verdict, weigh};
use reasonix_proto::{Action, Posture};

/// What was found out about a rule.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Remark {
    /// The rule as written.
    pub rule: String,
    /// The list it stands in: `deny`, `ask`, `allow` or `dangerous`.
    pub list: &'static str,
    /// What was found out.
    pub finding: Finding,
}

/// What trying a rule out can find.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Finding {
    /// It works, for example for this.
    Matches(String),
    /// It cannot be read.
    Unreadable(String),
    /// Nothing can ever match it.
    Never(Never),
    /// For everything it says, this rule decides before it.
    Shadowed(String),
    /// The built-in dangerous class already has it; here is an example.
    BuiltIn(String),
}

/// Why nothing can match a rule.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Never {
    /// No tool has this name.
    NoTool,
    /// The dangerous class is asked about whatever is allowed.
    Dangerous,
    /// Text with operators, or code for an interpreter, is covered by no pattern.
    NotCovered,
    /// Paths are held against the rule without `~`.
    Home,
    /// Its example does not fit.
    Example,
}

/// Tries out the rules of a session and the patterns of `permissions.dangerous`. `tools` are the names that exist.
pub fn examine(rules: &Rules, dangerous: &[String], tools: &[&str]) -> Vec<Remark> {
    let mut found: Vec<Remark> = dangerous.iter().map(|text| pattern(text)).collect();
    for (list, of) in [("deny", &rules.deny), ("ask", &rules.ask), ("allow", &rules.allow)] {
        for (index, rule) in of.iter().enumerate() {
            let before = of.get(..index).unwrap_or_default();
            let finding = in_list(rules, list, rule, before, tools);
            found.extend(finding.map(|finding| Remark { rule: rule.text().to_owned(), list, finding }));
        }
    }
    found
}

fn pattern(text: &str) -> Remark {
    let finding = match more_dangers(&[text.to_owned()]) {
        Err(error) => Finding::Unreadable(error.reason),
        Ok(more) => match more.first().and_then(|rule| rule.example()) {
            None => Finding::Never(Never::Example),
            Some(example) => {
                let effects = analyse(&example);
                let added = |more: &[Rule]| dangers(&effects, &example, &Nowhere, more).len();
                match (added(&[]), added(&more)) {
                    (0, 0) => Finding::Never(Never::Example),
                    (0, _) => Finding::Matches(example),
                    _ => Finding::BuiltIn(example),
                }
            }
        },
    };
    Remark { rule: text.to_owned(), list: "dangerous", finding }
}

/// What is to be said about a rule; nothing when it works.
fn in_list(rules: &Rules, list: &str, rule: &Rule, before: &[Rule], tools: &[&str]) -> Option<Finding> {
    if rule.tool().is_some_and(|name| !name.starts_with("mcp__") && !tools.iter().any(|t| t.eq_ignore_ascii_case(name)))
    {
        return Some(Finding::Never(Never::NoTool));
    }
    if rule.begins_at_home() {
        return Some(Finding::Never(Never::Home));
    }
    let (tool, action) = rule.sample()?;
    let alone = |list: &str| {
        let only = vec![rule.clone()];
        let mut rules = Rules { mode: Fallback::Ask, ..Rules::default() };
        match list {
            "deny" => rules.deny = only,
            "ask" => rules.ask = only,
            _ => rules.allow = only,
        }
        rules
    };
    let (by_itself, among) = (decide(&alone(list), tool, &action), decide(rules, tool, &action));
    let works = match (list, &by_itself) {
        ("deny", Verdict::Deny(_)) | ("ask", Verdict::Ask(By::Rule(_))) | ("allow", Verdict::Allow(_)) => true,
        // The danger of it hides whether the rule would have asked; that is answered without danger.
        ("ask", Verdict::Ask(By::Danger(_))) => true,
        _ => false,
    };
    if !works {
        let why = if matches!(by_itself, Verdict::Ask(By::Danger(_))) { Never::Dangerous } else { Never::NotCovered };
        return Some(Finding::Never(why));
    }
    if let Some(same) = before.iter().find(|other| other.text() == rule.text()) {
        return Some(Finding::Shadowed(same.text().to_owned()));
    }
    match (list, among) {
        ("ask" | "allow", Verdict::Deny(By::Rule(by))) | ("allow", Verdict::Ask(By::Rule(by))) => {
            Some(Finding::Shadowed(by))
        }
        _ => None,
    }
}

fn decide(rules: &Rules, tool: &str, action: &Action) -> Verdict {
    let about = Circumstances {
        granted: &[],
        approved: &[],
        dangerous: &[],
        posture: Posture::Ask,
        attended: true,
        held: true,
        facts: &Nowhere,
    };
    let case = Case::new(tool, action);
    match judge(rules, &about, &case) {
        // Deny rules stand above danger, ask rules beside it.
        danger @ Verdict::Ask(By::Danger(_)) if rules.allow.is_empty() => {
            match weigh(rules, &[], Posture::Ask, &case, true) {
                asked @ Verdict::Ask(By::Rule(_)) => asked,
                _ => danger,
            }
        }
        other => other,
    }
}

/// A disk with nothing on it.
struct Nowhere;

impl Facts for Nowhere {
    fn target(&self, places: &Places, path: &str) -> Target {
        let inside = places.known && !path.starts_with(['/', '~']);
        Target { exists: !places.known, folder: false, ours: false, inside, passing: false }
    }
}
