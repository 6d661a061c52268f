//! What is known of the servers that extend a session, for lists and overlays.

use serde::{Deserialize, Serialize};

/// A server of the session. Asking for it starts nothing.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ServerInfo {
    /// Its name.
    pub name: String,
    /// Where it is configured, for people; empty where nobody can tell.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub origin: String,
    /// What it is doing.
    #[serde(flatten)]
    pub standing: ServerStanding,
    /// The revision of the protocol that it speaks, where it is known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub protocol: Option<String>,
    /// How much it has, where that is known: now, or from when it was last there.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub counts: Option<ServerCounts>,
    /// What it offers and what is not taken, each with the reason.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub left_out: Vec<String>,
    /// The end of what it wrote to its stderr, bounded.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub stderr: String,
}

/// What a server is doing.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "standing", rename_all = "snake_case")]
pub enum ServerStanding {
    /// Nothing: it was not needed yet, or was put away because nobody used it.
    Asleep,
    /// It is being started.
    Starting,
    /// It is there.
    Up,
    /// It could not be started, or died; it is tried again when it is needed.
    Down {
        /// Why.
        reason: String,
    },
    /// It can never be used as it is configured.
    Refused {
        /// Why, and what to do.
        reason: String,
    },
}

/// How much a server has.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct ServerCounts {
    /// Tools.
    pub tools: usize,
    /// Of them, those that stand in the requests; the others are found by `find_tool`.
    #[serde(default)]
    pub sent: usize,
    /// Prompts.
    pub prompts: usize,
    /// Resources.
    pub resources: usize,
}
