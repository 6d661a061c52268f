//! Why something could not be had of a server.

use reasonix_proto::Phrase;

/// Why something could not be had of a server. Its text is what the model reads.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum McpError {
    /// There is no such server.
    #[error("there is no MCP server {server}")]
    NoServer {
        /// The name.
        server: String,
    },
    /// It can never be used as it is configured.
    #[error("the MCP server {server} cannot be used: {reason}")]
    Refused {
        /// The server.
        server: String,
        /// Why, and what to do.
        reason: String,
    },
    /// It could not be started, or it is gone.
    #[error("the MCP server {server} is not there: {reason}")]
    Down {
        /// The server.
        server: String,
        /// Why, with the end of what it wrote to its stderr.
        reason: String,
        /// It did not come about in its box, which may lack what it needs.
        boxed: bool,
    },
    /// It died too often and is left alone for a while.
    #[error("the MCP server {server} died too often and is tried again in {seconds} s: {reason}")]
    Resting {
        /// The server.
        server: String,
        /// The last reason.
        reason: String,
        /// How long.
        seconds: u64,
    },
    /// It wants to know who asks.
    #[error("the MCP server {server} wants a login")]
    Login {
        /// The server.
        server: String,
        /// The challenge as it came, for whoever logs in.
        challenge: String,
    },
    /// It did not answer in time.
    #[error("the MCP server {server} did not answer within {seconds} s")]
    Late {
        /// The server.
        server: String,
        /// The limit.
        seconds: u64,
    },
    /// The call was interrupted.
    #[error("interrupted")]
    Aborted,
    /// It answered with an error of the protocol.
    #[error("the MCP server {server} answered with error {code}: {message}")]
    Told {
        /// The server.
        server: String,
        /// The code.
        code: i32,
        /// Its words, bounded.
        message: String,
    },
    /// It has no such tool, prompt or resource.
    #[error("the MCP server {server} has no {what}")]
    Missing {
        /// The server.
        server: String,
        /// What it lacks.
        what: String,
    },
    /// It describes the tool otherwise than when it was accepted.
    #[error("the MCP server {server} changed the definition of {tool} since it was accepted")]
    Changed {
        /// The server.
        server: String,
        /// The tool.
        tool: String,
    },
    /// It answered something that is no answer.
    #[error("the answer of the MCP server {server} cannot be read: {reason}")]
    Unreadable {
        /// The server.
        server: String,
        /// What is wrong with it.
        reason: String,
    },
}

impl McpError {
    /// What to tell the user.
    pub fn phrase(&self) -> Phrase {
        match self {
            Self::NoServer { server } => Phrase::new("mcp.no_server").with("server", server),
            Self::Refused { server, reason } => of("mcp.refused", server, reason),
            Self::Down { server, reason, boxed: false } => of("mcp.down", server, reason),
            Self::Down { server, reason, boxed: true } => of("mcp.down_boxed", server, reason),
            Self::Resting { server, reason, seconds } => of("mcp.resting", server, reason).with("seconds", seconds),
            Self::Login { server, .. } => Phrase::new("mcp.login").with("server", server),
            Self::Late { server, seconds } => Phrase::new("mcp.late").with("server", server).with("seconds", seconds),
            Self::Aborted => Phrase::new("mcp.aborted"),
            Self::Told { server, code, message } => of("mcp.told", server, message).with("code", code),
            Self::Missing { server, what } => Phrase::new("mcp.missing").with("server", server).with("what", what),
            Self::Changed { server, tool } => Phrase::new("mcp.redefined").with("server", server).with("tool", tool),
            Self::Unreadable { server, reason } => of("mcp.unreadable", server, reason),
        }
    }
}

fn of(code: &'static str, server: &str, reason: &str) -> Phrase {
    Phrase::new(code).with("server", server).with("reason", reason)
}
