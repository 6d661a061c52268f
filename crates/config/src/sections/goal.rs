//! `[goal]`: what a goal may take, and whether a prompt can become one by itself.

use crate::view::View;

/// Settings of goals; a limit of 0 is none.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct GoalSettings {
    /// Turns.
    pub max_turns: u64,
    /// Tokens, input and output together.
    pub max_tokens: u64,
    /// Seconds of work.
    pub max_seconds: u64,
    /// So long a turn that has nothing else to do waits for what works behind it.
    pub wait_seconds: u64,
    /// An ordinary prompt that is clearly long research becomes a goal.
    pub auto: bool,
}

impl Default for GoalSettings {
    fn default() -> Self {
        Self { max_turns: 50, max_tokens: 0, max_seconds: 0, wait_seconds: 1800, auto: false }
    }
}

/// Reads the section.
pub(crate) fn resolve(view: &View<'_>) -> GoalSettings {
    let built_in = GoalSettings::default();
    GoalSettings {
        max_turns: view.count("max_turns").unwrap_or(built_in.max_turns),
        max_tokens: view.count("max_tokens").unwrap_or(built_in.max_tokens),
        max_seconds: view.count("max_seconds").unwrap_or(built_in.max_seconds),
        wait_seconds: view.count("wait_seconds").unwrap_or(built_in.wait_seconds),
        auto: view.bool("auto").unwrap_or(built_in.auto),
    }
}
