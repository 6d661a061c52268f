//! Rules that spoke up while a model wrote.

use crate::{Message, RecordBody, RecordId, StopReason, Usage};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// Rules spoke up, all of one moment together. The model is told of them by what follows.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct RulesFired {
    /// The turn.
    pub turn: u32,
    /// The rules, each once.
    pub rules: Vec<FiredRule>,
    /// True when the answer was stopped.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub stopped: bool,
    /// The record that the conversation goes on after, which is this one's parent: the answer is no part of it. None where it
    /// stays.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub to: Option<RecordId>,
    /// What the provider counted for the answer that went.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub usage: Option<Usage>,
}

/// A rule that spoke up.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct FiredRule {
    /// Its name.
    pub name: String,
    /// Its file.
    pub path: String,
    /// The text that it was hit in: `text`, `thinking` or `tool:NAME`.
    pub source: String,
}

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
    pub fn take(&mut self, body: &RecordBody) {
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
