//! `[validation]`: the command that checks what a turn edited.

use crate::view::View;

/// Settings of the check behind edits.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ValidationSettings {
    /// What was edited is checked.
    pub enabled: bool,
    /// The user's own command; where there is none, one is looked for.
    pub command: Option<String>,
    /// How often a turn is sent back.
    pub rounds: u32,
    /// How long the command may take, in seconds.
    pub timeout_seconds: u64,
}

impl Default for ValidationSettings {
    fn default() -> Self {
        Self { enabled: true, command: None, rounds: 3, timeout_seconds: 300 }
    }
}

/// Reads the section.
pub(crate) fn resolve(view: &View<'_>) -> ValidationSettings {
    let built_in = ValidationSettings::default();
    ValidationSettings {
        enabled: view.bool("enabled").unwrap_or(built_in.enabled),
        command: view.text("command").map(|line| line.trim().to_owned()).filter(|line| !line.is_empty()),
        rounds: view.steps("rounds").unwrap_or(built_in.rounds),
        timeout_seconds: view.count("timeout_seconds").unwrap_or(built_in.timeout_seconds),
    }
}
