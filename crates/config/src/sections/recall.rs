//! `[history]`, `[memory]` and `[checkpoint]`: tools that look back, on or off by themselves.

use crate::view::View;

/// Which of these tools there are. Without a word they follow the model's window.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Recall {
    /// Earlier sessions can be searched.
    pub history: Option<bool>,
    /// Facts are kept from session to session.
    pub memory: Option<bool>,
    /// What was explored can be folded into a report.
    pub checkpoint: bool,
}

/// Reads the sections.
pub(crate) fn resolve(root: &View<'_>) -> Recall {
    let said = |section: &str| root.section(section).bool("enabled");
    Recall { history: said("history"), memory: said("memory"), checkpoint: said("checkpoint").unwrap_or(false) }
}
