//! What is found in earlier sessions, and what is remembered from session to session.

use crate::{RecordId, SessionId};
use serde::{Deserialize, Serialize};

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
    pub by: String,
    /// What; an excerpt where it was found by its words.
    pub text: String,
}

/// Something that is remembered.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct MemoryInfo {
    /// Its name.
    pub name: String,
    /// Where it holds: `project` or `global`.
    pub scope: String,
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
