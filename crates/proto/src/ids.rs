//! Ids. Session ids sort by time of creation (UUID v7); record ids count up within a session.

use serde::{Deserialize, Serialize};
use std::fmt;

macro_rules! string_id {
    ($(#[$doc:meta])* $name:ident) => {
        $(#[$doc])*
        #[derive(Debug, Clone, Default, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
        #[serde(transparent)]
        pub struct $name(pub String);

        impl $name {
            /// The id as text.
            pub fn as_str(&self) -> &str {
                &self.0
            }
        }

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str(&self.0)
            }
        }

        impl From<&str> for $name {
            fn from(text: &str) -> Self {
                Self(text.to_owned())
            }
        }
    };
}

string_id! {
    /// Names a session on disk and in every envelope.
    SessionId
}
string_id! {
    /// Names one tool call within a session; unique within its assistant message.
    CallId
}
string_id! {
    /// Names one question to the user.
    AskId
}

string_id! {
    /// Names a front end among several on one session, as it calls itself.
    ClientId
}

impl SessionId {
    /// Makes a new id; later ids sort after earlier ones.
    pub fn fresh() -> Self {
        Self(uuid::Uuid::now_v7().simple().to_string())
    }

    /// Whether this is what somebody may call it: its beginning, its end, or the beginning of what is listed of it.
    pub fn fits(&self, wanted: &str) -> bool {
        !wanted.is_empty()
            && (self.0.starts_with(wanted) || self.0.ends_with(wanted) || self.short().starts_with(wanted))
    }

    /// The last eight characters: the random part that people can type.
    pub fn short(&self) -> &str {
        let start = self.0.len().saturating_sub(8);
        self.0.get(start..).unwrap_or(&self.0)
    }
}

/// Names one record within its session; counts up from 1.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(transparent)]
pub struct RecordId(pub u64);

impl fmt::Display for RecordId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

/// How the call of a command begins that a person typed.
const OWN_COMMAND: &str = "shell-";

impl CallId {
    /// The call of the command that a person typed as this turn.
    pub fn of_own_command(turn: u32) -> Self {
        Self(format!("{OWN_COMMAND}{turn}"))
    }

    /// True for a command of the person's own, of which no model hears.
    pub fn is_own_command(&self) -> bool {
        self.0.strip_prefix(OWN_COMMAND).is_some_and(|turn| turn.parse::<u32>().is_ok())
    }
}
