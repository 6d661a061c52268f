//! `[history]`: tools that look back, on or off by themselves.

use crate::view::View;

/// Which of these tools there are. Without a word they follow the model's window.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Recall {
    /// Earlier sessions can be searched.
    pub history: Option<bool>,
}

/// Reads the sections.
pub(crate) fn resolve(root: &View<'_>) -> Recall {
    Recall { history: root.section("history").bool("enabled") }
}
