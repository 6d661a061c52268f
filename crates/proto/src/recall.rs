//! What is found in earlier sessions, and what is remembered from session to session.

use crate::text::as_text;
use crate::{RecordId, SessionId};
use serde::{Deserialize, Serialize};
use std::borrow::Cow;

as_text!(Speaker, MemoryReach);

/// Something that was said in a session.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Hit {
    /// The session.
    pub session: SessionId,
    /// The record.
    pub record: RecordId,
    /// The session's working folder.
    pub folder: String,
    /// When, in milliseconds since the Unix epoch.
    pub at: u64,
    /// Who said it: `user`, `assistant` or `tool`.
    pub by: Speaker,
    /// What; an excerpt where it was found by its words.
    pub text: String,
}

/// Something that is remembered.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct MemoryInfo {
    /// Its name.
    pub name: String,
    /// Where it holds: `project` or `global`.
    pub scope: MemoryReach,
    /// What it is, in one line.
    pub description: String,
    /// The whole.
    pub text: String,
    /// Where it comes from; empty for the user's own word.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub source: String,
    /// When it was saved.
    pub saved: String,
    /// How often it was changed, from 1.
    pub revision: u32,
}

/// Who said something.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Speaker {
    /// A person.
    User,
    /// The model.
    Model,
    /// A tool, or a command.
    Tool,
    /// Somebody whom only another version knows.
    Other(String),
}

impl Speaker {
    /// The word for it in lists and in JSON.
    pub fn word(&self) -> &str {
        match self {
            Self::User => "user",
            Self::Model => "assistant",
            Self::Tool => "tool",
            Self::Other(word) => word,
        }
    }

    fn text(&self) -> Cow<'_, str> {
        self.word().into()
    }

    fn read(text: &str) -> Self {
        let known = [Self::User, Self::Model, Self::Tool].into_iter().find(|known| known.word() == text);
        known.unwrap_or_else(|| Self::Other(text.to_owned()))
    }
}

/// For which work a memory holds.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum MemoryReach {
    /// For all of the user's.
    Global,
    /// For one project.
    Project,
    /// For something that only another version knows.
    Other(String),
}

impl MemoryReach {
    fn text(&self) -> Cow<'_, str> {
        match self {
            Self::Global => "global".into(),
            Self::Project => "project".into(),
            Self::Other(word) => word.into(),
        }
    }

    fn read(text: &str) -> Self {
        match text {
            "global" => Self::Global,
            "project" => Self::Project,
            other => Self::Other(other.to_owned()),
        }
    }
}
