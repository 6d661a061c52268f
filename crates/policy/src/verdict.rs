//! The verdict over one call.

use crate::rule::{Rule, RuleError};
use reasonix_proto::{Action, Family, ReadOnly};

/// What happens to writers that no rule speaks of.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Mode {
    /// A person is asked.
    #[default]
    Ask,
    /// They run.
    Allow,
    /// They do not run.
    Deny,
}

/// How much the user wants to be asked during a session.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Posture {
    /// As the rules say.
    #[default]
    Ask,
    /// The fallback allows; ask and deny rules still hold.
    Auto,
    /// Nothing is asked; deny rules still hold.
    Yolo,
}

/// The rules of a session.
#[derive(Debug, Clone, Default)]
pub struct Rules {
    /// What never runs.
    pub deny: Vec<Rule>,
    /// What always asks.
    pub ask: Vec<Rule>,
    /// What never asks.
    pub allow: Vec<Rule>,
    /// What happens to writers otherwise.
    pub mode: Mode,
    /// What happens to a family otherwise, where that was said.
    pub families: Vec<(Family, Mode)>,
}

impl Rules {
    /// Reads rules from their texts; one that cannot be read is an error, never left out.
    pub fn parse(deny: &[String], ask: &[String], allow: &[String], mode: Mode) -> Result<Self, RuleError> {
        let read = |texts: &[String]| texts.iter().map(|text| Rule::parse(text)).collect::<Result<Vec<_>, _>>();
        Ok(Self { deny: read(deny)?, ask: read(ask)?, allow: read(allow)?, mode, families: Vec::new() })
    }
}

/// What decided.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum By {
    /// This rule, as written.
    Rule(String),
    /// No rule spoke; the fallback did.
    Fallback,
    /// The posture.
    Posture(Posture),
}

/// What may happen with a call.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Verdict {
    /// It runs.
    Allow(By),
    /// A person decides.
    Ask(By),
    /// It does not run.
    Deny(By),
}

/// Decides: deny, then ask, then allow, then the fallback. A grant of this session is an allow rule that also
/// answers ask rules: the user was asked, and said so.
pub fn evaluate(rules: &Rules, granted: &[Rule], posture: Posture, tool: &str, action: &Action) -> Verdict {
    let by = |rule: &Rule| By::Rule(rule.text().to_owned());
    if let Some(rule) = rules.deny.iter().find(|rule| rule.touches(tool, action)) {
        return Verdict::Deny(by(rule));
    }
    if let Some(rule) = granted.iter().find(|rule| rule.permits(tool, action)) {
        return Verdict::Allow(by(rule));
    }
    if let Some(rule) = rules.ask.iter().find(|rule| rule.touches(tool, action)) {
        return if posture == Posture::Yolo { Verdict::Allow(By::Posture(posture)) } else { Verdict::Ask(by(rule)) };
    }
    if let Some(rule) = rules.allow.iter().find(|rule| rule.permits(tool, action)) {
        return Verdict::Allow(by(rule));
    }
    fallback(rules, posture, action)
}

fn fallback(rules: &Rules, posture: Posture, action: &Action) -> Verdict {
    let family = rules.families.iter().find(|(family, _)| *family == action.family).map(|(_, mode)| *mode);
    let reads = action.read_only == ReadOnly::Yes;
    let mode = family.unwrap_or(if reads { Mode::Allow } else { rules.mode });
    match mode {
        Mode::Allow => Verdict::Allow(By::Fallback),
        Mode::Deny => Verdict::Deny(By::Fallback),
        Mode::Ask if posture == Posture::Ask => Verdict::Ask(By::Fallback),
        Mode::Ask => Verdict::Allow(By::Posture(posture)),
    }
}
