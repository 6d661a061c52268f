//! What goes into the engine: operations that change something, and queries that do not.

use crate::{AskId, SessionId, Usage};
use serde::{Deserialize, Serialize};

/// Something a front end wants done.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "op", rename_all = "snake_case")]
pub enum Op {
    /// Starts a turn.
    Prompt {
        /// What the user wrote, references already resolved.
        text: String,
    },
    /// Says something to the running turn; it is read before the next step.
    Steer {
        /// What the user wrote.
        text: String,
    },
    /// Queues a prompt for when the running turn is done.
    FollowUp {
        /// What the user wrote.
        text: String,
    },
    /// Stops the running turn; what was done is kept.
    Interrupt,
    /// Answers a question. The first answer wins.
    Answer {
        /// The question.
        ask: AskId,
        /// The answer.
        choice: Choice,
        /// The digest of what was shown; the answer is refused when the question is about something else.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        digest: Option<String>,
    },
    /// Ends the session.
    Shutdown,
}

/// An answer to an approval question.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "choice", rename_all = "snake_case")]
pub enum Choice {
    /// This call only.
    AllowOnce,
    /// This and what the named rule covers, until the session ends.
    AllowSession {
        /// The rule, one of those that were suggested.
        rule: String,
    },
    /// Not this call; the model is told and may go on.
    Deny,
}

/// Something a front end wants to know.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "query", rename_all = "snake_case")]
pub enum Query {
    /// Session, model, usage and context so far.
    Status,
    /// The todo list.
    Todo,
}

/// The answer to a [`Query`].
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "reply", rename_all = "snake_case")]
pub enum Reply {
    /// Answers [`Query::Status`].
    Status {
        /// The session.
        session: SessionId,
        /// The model as `provider/model`.
        model: String,
        /// All requests of this session together.
        usage: Usage,
        /// Tokens of the last request and answer: what the next one starts from.
        context: u64,
        /// The model's window; 0 when unknown.
        window: u64,
    },
    /// Answers [`Query::Todo`].
    Todo {
        /// The phases with their items.
        phases: Vec<TodoPhase>,
    },
}

/// A named group of todo items.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct TodoPhase {
    /// The phase's name.
    pub name: String,
    /// Its items in order.
    pub tasks: Vec<TodoItem>,
}

/// One todo item; identified by its exact content.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct TodoItem {
    /// What is to be done.
    pub content: String,
    /// How far it is.
    pub status: TodoStatus,
    /// Remarks made on the way.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub notes: Vec<String>,
}

/// How far a todo item is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum TodoStatus {
    /// Not begun.
    Pending,
    /// Being worked on; at most one item at a time.
    InProgress,
    /// Finished.
    Completed,
    /// Given up.
    Abandoned,
}
