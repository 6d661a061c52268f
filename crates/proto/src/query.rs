//! What front ends may ask. Queries change nothing. A query is cancelled by no longer waiting for
//! its reply; one that is repeated while the user types carries a generation, which comes back with the reply.

use crate::ids::RecordId;
use crate::status::{CompletionKind, TreeFilter};
use serde::{Deserialize, Serialize};

/// Something a front end wants to know.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "query", rename_all = "snake_case")]
pub enum Query {
    /// Session, model, usage, context, posture, queue: what a status line shows. Always at once.
    Status,
    /// The branch of the working folder and how many files differ. May take a moment in a large repository.
    Git,
    /// What may be spent, what was, and what is left.
    Budget,
    /// What was spent over spans of time, in all sessions, and by model.
    Stats,
    /// The goal, and how it stands.
    Goal,
    /// The todo list.
    Todo,
    /// The commands that can be had here; a capability that is not there has none.
    Commands,
    /// Candidates for what is being typed.
    Complete {
        /// What is completed.
        kind: CompletionKind,
        /// What is typed so far, without the `@` or the `/command` before it.
        text: String,
        /// Comes back with the reply, so that late ones can be told.
        generation: u64,
        /// How many candidates at most.
        limit: usize,
    },
    /// The models that can be chosen.
    Models,
    /// Saved sessions, the one written to last first.
    Sessions {
        /// Those of all folders, not only of this one.
        all: bool,
        /// Words that title, folder or id must contain; empty for all.
        text: String,
        /// How many to skip.
        from: usize,
        /// How many to give at most.
        count: usize,
    },
    /// The session's tree, flattened: each branch after its parent, the active one first.
    Tree {
        /// Which records.
        filter: TreeFilter,
        /// Words that label, role or content must contain; empty for all.
        text: String,
    },
    /// Records on the active path, in order.
    Transcript {
        /// The place of the first, from 0; none for the last `count`.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        from: Option<u64>,
        /// How many at most.
        count: u64,
    },
    /// The citations of an answer on the active path, checked now.
    Citations {
        /// The `assistant` record.
        record: RecordId,
    },
    /// What a turn did to files.
    Changes {
        /// The turn; none for the last one that changed some.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        turn: Option<u32>,
    },
    /// Posture and permission rules with their origins.
    Permissions,
    /// What the context consists of, with tokens.
    Context,
    /// What of the requests had been sent before, by turn, and what broke that.
    Cache,
    /// The settings with their origins.
    Config,
    /// What the working folder would execute, and whether the user trusts it.
    Trust,
    /// What was said in earlier sessions, the best first. May take a moment while sessions are read for the first time.
    History {
        /// The words to look for.
        text: String,
        /// In the sessions of all folders, not only of this one.
        all: bool,
        /// How many at most.
        count: usize,
    },
    /// What was said around a place of a session.
    Around {
        /// The session, or the beginning or the end of its id.
        session: String,
        /// The record.
        record: RecordId,
        /// How many messages before it and after it.
        span: usize,
    },
    /// What is remembered from session to session.
    Memories,
    /// The servers that extend the session, and what they are doing. Always at once; none is started for it.
    Servers,
    /// The hooks of the session, in the order they are run.
    Hooks,
    /// The jobs of the session: those that run, and those that ended a while ago.
    Jobs,
    /// The subagents of the session, as they were last written down.
    Children,
}
