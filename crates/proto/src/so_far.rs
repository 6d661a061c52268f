//! What a branch says of rules that spoke up.

use crate::{Message, RecordBody, StopReason};
use std::collections::BTreeMap;

/// The rules that have spoken up on a branch, and when.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct FiredSoFar {
    /// How many whole answers there were.
    answers: u64,
    /// How many there were when a rule last spoke up.
    at: BTreeMap<String, u64>,
}

impl FiredSoFar {
    /// Takes in what a record of the branch says.
    pub fn apply(&mut self, body: &RecordBody) {
        match body {
            RecordBody::RulesFired(fired) => {
                self.at.extend(fired.rules.iter().map(|rule| (rule.name.clone(), self.answers)));
            }
            RecordBody::Assistant { message: Message::Assistant { stop, .. }, .. }
                if !matches!(stop, StopReason::Interrupted | StopReason::Failed) =>
            {
                self.answers += 1;
            }
            _ => {}
        }
    }

    /// How many answers ago a rule last spoke up; none when it has not.
    pub fn ago(&self, rule: &str) -> Option<u64> {
        self.at.get(rule).map(|at| self.answers.saturating_sub(*at))
    }
}
