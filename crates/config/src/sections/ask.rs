//! `[ask]`: questions to the user.

use crate::view::View;

/// Settings of questions to the user.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct AskSettings {
    /// Seconds to wait for an answer; 0 waits for ever.
    pub timeout: u64,
}

/// Reads the section.
pub(crate) fn resolve(view: &View<'_>) -> AskSettings {
    AskSettings { timeout: view.count("timeout").unwrap_or(0) }
}
