//! Rules that spoke up while a model wrote.

use crate::{RecordId, Usage};
use serde::{Deserialize, Serialize};

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
