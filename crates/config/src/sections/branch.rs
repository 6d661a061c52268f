//! `[branch]`: moving about in a session's tree.

use crate::view::View;

/// Settings of moving about.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Branch {
    /// The model writes notes on a branch that is left, and the next prompt carries them.
    pub summary: bool,
}

/// Reads the section.
pub(crate) fn resolve(view: &View<'_>) -> Branch {
    Branch { summary: view.bool("summary").unwrap_or(false) }
}
