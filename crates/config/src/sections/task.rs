//! `[task]`: how far subagents may go.

use crate::view::View;

/// Bounds of subagents.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TaskSettings {
    /// How deep subagents may start others; 0 for none at all.
    pub max_depth: u32,
    /// How many work at the same time, at each depth.
    pub at_once: u32,
    /// How many a turn may start in all.
    pub per_turn: u32,
    /// Steps that one may take, unless its profile says otherwise; 0 for no limit.
    pub max_steps: u32,
    /// The same for one that writes.
    pub writer_max_steps: u32,
}

impl Default for TaskSettings {
    fn default() -> Self {
        Self { max_depth: 2, at_once: 4, per_turn: 16, max_steps: 16, writer_max_steps: 60 }
    }
}

/// Reads the section.
pub(crate) fn resolve(view: &View<'_>) -> TaskSettings {
    let built_in = TaskSettings::default();
    TaskSettings {
        max_depth: view.steps("max_depth").unwrap_or(built_in.max_depth).min(8),
        at_once: view.steps("at_once").unwrap_or(built_in.at_once).clamp(1, 64),
        per_turn: view.steps("per_turn").unwrap_or(built_in.per_turn),
        max_steps: view.steps("max_steps").unwrap_or(built_in.max_steps),
        writer_max_steps: view.steps("writer_max_steps").unwrap_or(built_in.writer_max_steps),
    }
}
