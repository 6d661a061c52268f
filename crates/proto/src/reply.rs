//! What front ends get for what they ask.

use crate::command::CommandInfo;
use crate::job::JobInfo;
#[cfg(doc)]
use crate::query::Query;
use crate::record::ChildRun;
use crate::status::{
    Citation, Completion, ContextPart, Git, ModelInfo, RuleInfo, SessionInfo, Setting, Status, TreeNode,
};
use crate::{
    BudgetInfo, CacheReport, Change, GoalInfo, Hit, HookInfo, MemoryInfo, Phrase, Posture, Record, RecordId,
    ServerInfo, Tally, TodoPhase, TrustInfo,
};
use serde::{Deserialize, Serialize};

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
    /// Answers [`Query::Goal`].
    Goal {
        /// None when there is none.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        goal: Option<Box<GoalInfo>>,
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
        /// Where nobody can tell what it did, and what was taken back since.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        notes: Vec<Phrase>,
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
    /// Answers [`Query::Servers`].
    Servers {
        /// In the order of the settings.
        servers: Vec<ServerInfo>,
    },
    /// Answers [`Query::Hooks`].
    Hooks {
        /// In the order they are run.
        hooks: Vec<HookInfo>,
        /// What in files of hooks is not as it was meant.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        flaws: Vec<Phrase>,
    },
    /// Answers [`Query::Children`].
    Children {
        /// By their names.
        children: Vec<ChildRun>,
    },
    /// Answers [`Query::Jobs`].
    Jobs {
        /// In the order they began.
        jobs: Vec<JobInfo>,
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
