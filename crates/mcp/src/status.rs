//! What is known of a server from outside.

use crate::error::McpError;
use reasonix_proto::Phrase;

/// What a server is doing.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ServerState {
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

/// A server, for lists and overlays. Making one starts nothing.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ServerStatus {
    /// Its name.
    pub name: String,
    /// What it is doing.
    pub state: ServerState,
    /// The revision of the protocol that it speaks, where it is known.
    pub protocol: Option<String>,
    /// How many tools, prompts and resources it has, where that is known.
    pub counts: Option<(usize, usize, usize)>,
    /// The end of what it wrote to its stderr, bounded.
    pub stderr: String,
}

/// Something happened to a server.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ServerNews {
    /// It is there.
    Up,
    /// It could not be started, or died.
    Down {
        /// Why.
        reason: String,
        /// It did not come about in its box, which may lack what it needs.
        boxed: bool,
    },
    /// It says that its tools, prompts or resources are others now.
    Changed,
    /// It wanted a model's answer, which it does not get.
    Sampling,
}

impl ServerNews {
    /// What to tell the user; none for what is no news to people.
    pub fn phrase(&self, server: &str) -> Option<Phrase> {
        let code = match self {
            Self::Up => return None,
            Self::Down { reason, boxed } => {
                let (server, reason) = (server.to_owned(), reason.clone());
                return Some(McpError::Down { server, reason, boxed: *boxed }.phrase());
            }
            Self::Changed => Phrase::new("mcp.changed"),
            Self::Sampling => Phrase::new("mcp.sampling"),
        };
        Some(code.with("server", server))
    }
}
