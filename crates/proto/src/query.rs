//! What front ends may ask, and what they get. Queries change nothing. A query is cancelled by no longer waiting for
//! its reply; one that is repeated while the user types carries a generation, which comes back with the reply.

use crate::Change;
use crate::status::{
    Citation, CommandInfo, Completion, CompletionKind, ContextPart, Git, ModelInfo, RuleInfo, SessionInfo, Setting,
    Status, TreeFilter, TreeNode,
};
use crate::{BudgetInfo, CacheReport, Hit, MemoryInfo, Phrase, Posture, Record, RecordId, Tally, TodoPhase, TrustInfo};
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
}

/// The answer to a [`Query`].
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "reply", rename_all = "snake_case")]
pub enum Reply {
    /// Answers [`Query::Status`].
    Status(Box<Status>),
    /// Answers [`Query::Git`].
    Git {
        /// None where the folder is in no repository.
        git: Option<Git>,
    },
    /// Answers [`Query::Todo`].
    Todo {
        /// The phases with their items.
        phases: Vec<TodoPhase>,
    },
    /// Answers [`Query::Commands`].
    Commands {
        /// In the order of a menu.
        commands: Vec<CommandInfo>,
    },
    /// Answers [`Query::Complete`].
    Completions {
        /// As it was asked.
        generation: u64,
        /// Best first.
        items: Vec<Completion>,
        /// True when there are more than were asked for.
        more: bool,
    },
    /// Answers [`Query::Models`].
    Models {
        /// In the order of the settings.
        models: Vec<ModelInfo>,
    },
    /// Answers [`Query::Sessions`].
    Sessions {
        /// This page.
        sessions: Vec<SessionInfo>,
        /// How many fit in all.
        total: usize,
    },
    /// Answers [`Query::Tree`].
    Tree {
        /// Where the next record will be added.
        leaf: RecordId,
        /// The tree, flattened.
        nodes: Vec<TreeNode>,
        /// How many older records are left out.
        #[serde(default, skip_serializing_if = "is_zero")]
        older: usize,
    },
    /// Answers [`Query::Transcript`].
    Transcript {
        /// The place of the first record given.
        from: u64,
        /// How many records the path has.
        total: u64,
        /// The records.
        records: Vec<Record>,
    },
    /// Answers [`Query::Citations`].
    Citations {
        /// In the order of the text.
        citations: Vec<Citation>,
    },
    /// Answers [`Query::Changes`].
    Changes {
        /// The turn.
        turn: u32,
        /// A file each, by path.
        changes: Vec<Change>,
    },
    /// Answers [`Query::Permissions`].
    Permissions {
        /// The posture.
        posture: Posture,
        /// Rules: deny, ask, allow, each in the order they are tried.
        rules: Vec<RuleInfo>,
    },
    /// Answers [`Query::Budget`].
    Budget(BudgetInfo),
    /// Answers [`Query::Stats`].
    Stats {
        /// The last day, week and month, and all: names are `today`, `week`, `month`, `all`.
        spans: Vec<Tally>,
        /// All of it by model, the dearest first.
        models: Vec<Tally>,
    },
    /// Answers [`Query::Context`].
    Context {
        /// In the order they are sent.
        parts: Vec<ContextPart>,
        /// Tokens of the last request and its answer, as the provider counted them; 0 before the first.
        context: u64,
        /// The model's window; 0 when unknown.
        window: u64,
    },
    /// Answers [`Query::Cache`].
    Cache(Box<CacheReport>),
    /// Answers [`Query::Config`].
    Config {
        /// Sorted by key.
        settings: Vec<Setting>,
    },
    /// Answers [`Query::Trust`].
    Trust(Box<TrustInfo>),
    /// Answers [`Query::History`].
    History {
        /// The best first.
        hits: Vec<Hit>,
        /// How many sessions were not read yet.
        #[serde(default)]
        missing: usize,
    },
    /// Answers [`Query::Around`].
    Around {
        /// In the order they were said, whole.
        said: Vec<Hit>,
    },
    /// Answers [`Query::Memories`].
    Memories {
        /// Those of all projects first.
        memories: Vec<MemoryInfo>,
    },
    /// Nothing changed that could be shown.
    Unchanged,
    /// The query could not be answered.
    Failed {
        /// Why.
        why: Phrase,
    },
}

#[allow(clippy::trivially_copy_pass_by_ref, reason = "for serde")]
fn is_zero(number: &usize) -> bool {
    *number == 0
}
