//! What a tool call would do, as the gate sees it.

use serde::{Deserialize, Serialize};

/// What one call would do.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Action {
    /// The permission family that rules name.
    pub family: Family,
    /// What it acts on: the exact command, or paths relative to the workspace root.
    pub subjects: Vec<String>,
    /// Whether it can change anything.
    pub read_only: ReadOnly,
}

impl Action {
    /// A reader of these paths or patterns.
    pub fn reads(family: Family, subject: impl Into<String>) -> Self {
        Self { family, subjects: vec![subject.into()], read_only: ReadOnly::Yes }
    }

    /// A writer of these paths, or a command.
    pub fn writes(family: Family, subjects: Vec<String>) -> Self {
        Self { family, subjects, read_only: ReadOnly::No }
    }

    /// The subjects in one line, for people.
    pub fn title(&self) -> String {
        self.subjects.join(", ")
    }
}

/// The families that permission rules name.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Family {
    /// Shell commands.
    Bash,
    /// Every change to files.
    Edit,
    /// Reading files and listing folders.
    Read,
    /// Searching contents.
    Grep,
    /// Skills, by their names.
    Skill,
    /// Subagents, by the names of their agents. Starting one changes nothing: each of their calls is judged for itself.
    Task,
    /// What is kept from session to session. A change to it is asked about each time, whatever rules and postures say.
    Memory,
    /// Tools that come from outside, such as those of an MCP server. Rules name them by their own names, with globs.
    Tool,
    /// The harness's own bookkeeping, such as the todo list; touches nothing of the user's.
    Own,
}

impl Family {
    /// The name that rules use.
    pub fn name(self) -> &'static str {
        match self {
            Self::Bash => "Bash",
            Self::Edit => "Edit",
            Self::Read => "Read",
            Self::Grep => "Grep",
            Self::Skill => "Skill",
            Self::Task => "Task",
            Self::Memory => "Memory",
            Self::Tool => "Tool",
            Self::Own => "Own",
        }
    }
}

/// The family that a small word of settings means, as rules name it; none for what is no family.
pub fn family_of_word(word: &str) -> Option<&'static str> {
    Some(match word {
        "bash" | "shell" => "Bash",
        "edit" | "write" | "patch" | "multiedit" => "Edit",
        "read" | "list" | "glob" => "Read",
        "grep" => "Grep",
        "skill" => "Skill",
        "task" => "Task",
        "mcp" => "Mcp",
        "web" | "webfetch" | "websearch" => "Web",
        _ => return None,
    })
}

/// Whether a call can change anything.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ReadOnly {
    /// It cannot.
    Yes,
    /// It can.
    No,
    /// Nobody can tell; treated as a writer.
    Unknown,
}
