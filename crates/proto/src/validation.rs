//! The command that checks what a turn edited, and what it came to.

use crate::{CallId, ToolOutcome};
use serde::{Deserialize, Serialize};

/// The command that checks what a turn edited: written before it runs, and again when it is over. No model reads it; what one is
/// told stands in a note behind it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Validation {
    /// The turn.
    pub turn: u32,
    /// How often it ran in the turn, from 1.
    pub round: u32,
    /// The name under which it passed the gate.
    pub call: CallId,
    /// The command line.
    pub command: String,
    /// Where it comes from: `validation.command`, or the file that it was found by.
    pub from: String,
    /// How long it took, in milliseconds.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub took_ms: u64,
    /// What it came to, bounded; none before it runs.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub outcome: Option<ToolOutcome>,
    /// What follows from that; none before it runs.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub verdict: Option<ValidationVerdict>,
}

/// What follows from what the command came to.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ValidationVerdict {
    /// It passed.
    Passed,
    /// It failed, and the model is told.
    Failed,
    /// It failed as the round before: more rounds would not help.
    Same,
    /// It failed, and there were as many rounds as there may be.
    Rounds,
    /// It failed in the same way before the first edit.
    Before,
    /// It took too long.
    TimedOut,
    /// It was not allowed to run, or could not.
    Unrun,
    /// The user stopped it.
    Stopped,
}

fn is_zero(number: &u64) -> bool {
    *number == 0
}
