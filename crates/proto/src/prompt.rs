//! What a system prompt is put together from.

use serde::{Deserialize, Serialize};

/// A part of the system prompt.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct PromptPart {
    /// What it is.
    pub kind: PartKind,
    /// The file it comes from; empty for parts without one.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub name: String,
    /// How many bytes of the system prompt it is.
    pub bytes: u64,
    /// True when its source has more.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub cut: bool,
}

/// The parts of a system prompt, in the order they stand in it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum PartKind {
    /// The built-in prompt, or the one of the settings.
    Base,
    /// A rules file of the user.
    UserRules,
    /// A rules file of the project.
    ProjectRules,
    /// A file that the settings name under `instructions`.
    Instructions,
    /// What git ignores.
    Ignored,
    /// Rules that always hold.
    AlwaysRules,
    /// The list of rules for certain work.
    Rulebook,
    /// The indexes of what is remembered.
    Memory,
    /// The index of skills.
    Skills,
    /// What the command line added.
    Appended,
    /// A part of a later version.
    #[serde(other)]
    Other,
}
