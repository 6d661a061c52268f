//! `[isolation]`: what the clones of subagents that write have beside what git carries along.

use crate::view::View;

/// What clones have.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct IsolationSettings {
    /// Globs of ignored files that are copied into a clone.
    pub include: Vec<String>,
}

/// Reads the section.
pub(crate) fn resolve(view: &View<'_>) -> IsolationSettings {
    IsolationSettings { include: view.texts("include") }
}
