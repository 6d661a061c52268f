//! What servers ask of people. The room only carries it: who answers decides what is shown and how.

use reasonix_agent::BoxFuture;
use serde_json::{Map, Value};

/// Answers what servers ask of people.
pub trait Elicits: Send + Sync {
    /// Asks a person. The question ends when its future is dropped, which happens when the call behind it ends.
    fn elicit<'a>(&'a self, question: Elicitation) -> BoxFuture<'a, ElicitReply>;
}

/// A question of a server.
#[derive(Debug, Clone, PartialEq)]
pub struct Elicitation {
    /// Who asks. People must see it: the words are the server's, not ours.
    pub server: String,
    /// Its words, bounded, without characters that nobody sees.
    pub message: String,
    /// What it wants.
    pub kind: ElicitKind,
}

/// What a server wants of a person.
#[derive(Debug, Clone, PartialEq)]
pub enum ElicitKind {
    /// Values for the fields of a flat schema.
    Form {
        /// The schema of the fields.
        schema: Value,
    },
    /// That an address is opened. It is never opened unasked.
    Url {
        /// The address: http or https, without a user or a password in it.
        url: String,
        /// Its host as it is looked up, so that letters of other scripts are seen.
        host: String,
    },
}

/// What a person answered.
#[derive(Debug, Clone, PartialEq)]
pub enum ElicitReply {
    /// Yes; for a form with its values.
    Accept(Map<String, Value>),
    /// No.
    Decline,
    /// Neither: the question was put away.
    Cancel,
}
