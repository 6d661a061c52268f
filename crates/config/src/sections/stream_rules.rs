//! `[rules.stream]`: rules that watch what a model writes.

use crate::view::View;

/// Answers that have to lie between two times that a rule speaks up, where nothing else is said.
const GAP: u64 = 10;

/// Settings of rules that watch what a model writes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct StreamRuleSettings {
    /// They watch.
    pub enabled: bool,
    /// An answer that one stops leaves the conversation.
    pub discard: bool,
    /// One may speak up again after so many answers; none for never.
    pub gap: Option<u64>,
}

impl Default for StreamRuleSettings {
    fn default() -> Self {
        Self { enabled: true, discard: true, gap: None }
    }
}

/// Reads the section.
pub(crate) fn resolve(view: &View<'_>) -> StreamRuleSettings {
    let repeats = view.text("repeat").is_some_and(|word| word == "after-gap");
    StreamRuleSettings {
        enabled: view.bool("enabled").unwrap_or(true),
        discard: view.text("context").is_none_or(|word| word == "discard"),
        gap: repeats.then(|| view.count("gap").unwrap_or(GAP)),
    }
}
