//! How settings can be changed by front ends: what each takes, and when a change acts.

use serde::{Deserialize, Serialize};

/// How a setting can be changed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Dial {
    /// What it takes.
    #[serde(flatten)]
    pub takes: Takes,
    /// When a change acts.
    pub acts: Acts,
}

/// What a setting takes, in the words of [`crate::Op::Configure`].
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "takes", rename_all = "snake_case")]
pub enum Takes {
    /// `true` or `false`.
    Switch,
    /// One of these words.
    OneOf {
        /// The words.
        words: Vec<String>,
    },
    /// Any of these words, separated by blanks; their order counts.
    Several {
        /// The words.
        words: Vec<String>,
    },
    /// A whole number from 0 on.
    Count,
    /// A number.
    Number,
    /// A text.
    Text,
}

/// When a change of a setting acts.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Acts {
    /// At once.
    Now,
    /// In sessions that are opened from then on.
    NextSession,
    /// When the program is started anew.
    NextStart,
}
