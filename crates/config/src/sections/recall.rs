//! `[history]`, `[memory]` and `[checkpoint]`: tools that look back, on or off by themselves.

use crate::view::View;

/// Which of these tools there are. Without a word they follow the model's window.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Recall {
    /// Earlier sessions can be searched.
    pub history: Option<bool>,
    /// Those of all projects, unasked.
    pub global_history: bool,
    /// Facts are kept from session to session.
    pub memory: Option<bool>,
    /// What was explored can be folded into a report.
    pub checkpoint: bool,
}

/// Reads the sections.
pub(crate) fn resolve(root: &View<'_>) -> Recall {
    let said = |section: &str| root.section(section).bool("enabled");
    let global_history = root.section("history").bool("global").unwrap_or(false);
    Recall {
        history: said("history"),
        global_history,
        memory: said("memory"),
        checkpoint: said("checkpoint").unwrap_or(false),
    }
}
