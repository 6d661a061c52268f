//! A server as the settings have it: whose word it is, how it is reached, or why it is not there.

use reasonix_config::Surface;
use reasonix_mcp::ServerSpec;
use reasonix_proto::Phrase;

/// A server of the settings.
#[derive(Debug, Clone)]
pub struct ConfiguredServer {
    /// Its name.
    pub name: String,
    /// Whose word it is.
    pub origin: ServerOrigin,
    /// The file and the line, or the flag.
    pub place: String,
    /// Tools of it that the user trusts to be readers.
    pub readers: Vec<String>,
    /// How it is reached, or why it is not.
    pub reach: Result<ServerSpec, ServerAbsence>,
    /// What the user said yes to, for one of a project.
    pub surface: Option<Surface>,
}

/// Whose word a server is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ServerOrigin {
    /// The user's own settings, or the command line.
    User,
    /// The project's settings or its `.mcp.json`.
    Project,
}

impl ServerOrigin {
    /// Its word in reports.
    pub fn word(self) -> &'static str {
        match self {
            Self::User => "user",
            Self::Project => "project",
        }
    }
}

/// Why a server of the settings is not there to be used.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ServerAbsence {
    /// It is switched off.
    Off,
    /// The user did not say yes to it.
    Untrusted,
    /// The user said yes to what it was before.
    Changed,
    /// It cannot be trusted.
    Blocked {
        /// Why.
        reason: String,
    },
    /// A variable that it names is not set.
    Unset {
        /// The variable.
        variable: String,
    },
    /// It could be taken for another one.
    Twin {
        /// What that one is called.
        other: String,
        /// Where that one stands.
        place: String,
    },
    /// It can never be used as it is configured.
    Refused {
        /// Why.
        reason: String,
    },
}

impl ServerAbsence {
    /// Its word in reports.
    pub fn word(&self) -> &'static str {
        match self {
            Self::Off => "off",
            Self::Untrusted => "untrusted",
            Self::Changed => "changed",
            Self::Blocked { .. } => "blocked",
            Self::Unset { .. } => "unset",
            Self::Twin { .. } => "twin",
            Self::Refused { .. } => "refused",
        }
    }

    /// What to tell the user.
    pub fn phrase(&self, server: &str) -> Phrase {
        let phrase = match self {
            Self::Off => Phrase::new("mcp.server_off"),
            Self::Untrusted => Phrase::new("mcp.server_untrusted"),
            Self::Changed => Phrase::new("mcp.server_changed"),
            Self::Blocked { reason } => Phrase::new("mcp.server_blocked").with("reason", reason),
            Self::Unset { variable } => Phrase::new("mcp.server_unset").with("variable", variable),
            Self::Twin { other, place } => Phrase::new("mcp.server_twin").with("other", other).with("place", place),
            Self::Refused { reason } => Phrase::new("mcp.refused").with("reason", reason),
        };
        phrase.with("server", server)
    }

    /// Why no session can use it, for one that is not off by somebody's will.
    pub fn refusal(&self) -> Option<String> {
        match self {
            Self::Twin { other, place } => Some(format!("its name is `{other}` ({place}), or looks like it")),
            Self::Refused { reason } => Some(reason.clone()),
            Self::Off | Self::Untrusted | Self::Changed | Self::Blocked { .. } | Self::Unset { .. } => None,
        }
    }
}
