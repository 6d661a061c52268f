//! Why a call was refused, in words for people: what stands in the record is a name, and what the model is told is for it.

use crate::{DecidedBy, Phrase};

/// What to tell a person of a refusal by whoever is named so in [`crate::Decided::by`].
pub fn refusal(by: &DecidedBy) -> Phrase {
    match by {
        DecidedBy::User | DecidedBy::UserOfHost | DecidedBy::UserOfOutside => Phrase::new("tui.refused.user"),
        DecidedBy::PlanMode => Phrase::new("tui.refused.planning"),
        DecidedBy::Fallback | DecidedBy::Unasked => Phrase::new("refusal.mode"),
        DecidedBy::Danger => Phrase::new("refusal.danger"),
        DecidedBy::Memory => Phrase::new("refusal.memory"),
        DecidedBy::Protected => Phrase::new("refusal.protected"),
        DecidedBy::Later => Phrase::new("refusal.later"),
        DecidedBy::Redefined => Phrase::new("refusal.redefined"),
        DecidedBy::Rule(rule) if agent_of(rule).is_some() => {
            Phrase::new("refusal.agent").with("agent", agent_of(rule).unwrap_or_default())
        }
        DecidedBy::Rule(rule) | DecidedBy::Approved(rule) => Phrase::new("refusal.rule").with("rule", rule),
        DecidedBy::Posture(_) => Phrase::new("refusal.posture"),
        DecidedBy::Other(by) => Phrase::new("refusal.other").with("by", by),
    }
}

/// The agent whose own rules refused, where it was one.
pub fn agent_of(rule: &str) -> Option<&str> {
    rule.strip_prefix("agent ")
}
