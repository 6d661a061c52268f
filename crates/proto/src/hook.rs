//! Hooks as they are written down and shown.

use crate::CallId;
use serde::{Deserialize, Serialize};

/// A hook was run.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct HookRan {
    /// The turn; 0 outside of one.
    pub turn: u32,
    /// The event, such as `PreToolUse`.
    pub event: String,
    /// Its command, bounded.
    pub hook: String,
    /// The file that it stands in.
    pub source: String,
    /// The call that it is about.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub call: Option<CallId>,
    /// `pass`, `block`, `warn`, `timeout` or `error`.
    pub decision: String,
    /// The code that it ended with; none where it did not end by itself.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub exit_code: Option<i32>,
    /// What it wrote, bounded.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub stdout: String,
    /// What it complained of, bounded.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub stderr: String,
    /// How long it took, in milliseconds.
    pub took_ms: u64,
    /// True when it wrote more than is kept.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub truncated: bool,
}

/// A hook of the session.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct HookInfo {
    /// The event.
    pub event: String,
    /// The tools or kinds that it is for; empty for all.
    pub matcher: String,
    /// Its command.
    pub command: String,
    /// What it is for.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub description: Option<String>,
    /// The file that it stands in.
    pub source: String,
    /// How it is told and how it answers: `own` or `claude`.
    pub dialect: String,
    /// How long it may take, in milliseconds.
    pub timeout_ms: u64,
    /// False when it is off, because the user does not trust it as it is.
    pub trusted: bool,
}

impl HookInfo {
    /// How long it may take, in seconds.
    pub fn timeout_seconds(&self) -> f32 {
        std::time::Duration::from_millis(self.timeout_ms).as_secs_f32()
    }
}
