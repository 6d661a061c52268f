//! Where a turn stands, and how it ends.

use crate::{FailureClass, Phrase};
use serde::{Deserialize, Serialize};

/// Where a turn stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum TurnState {
    /// Nothing runs.
    Idle,
    /// A request was sent; nothing has arrived yet. Written as `planning`, as it was called first: programs read that word.
    #[serde(rename = "planning", alias = "awaiting_model")]
    AwaitingModel,
    /// The model is answering.
    ModelGenerating,
    /// A person is asked.
    AwaitingPermission,
    /// Tools run.
    ToolRunning,
    /// The turn ended with an answer.
    Done,
    /// The turn failed.
    Error,
    /// The turn was interrupted.
    Aborted,
    /// The turn ran out of time.
    TimedOut,
}

/// What was refused when a turn ended so.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum TurnRefusal {
    /// The same calls again and again.
    Storm,
    /// An answer that repeats itself.
    TextLoop,
    /// Subagents, again and again.
    ChildFlood,
    /// The skill that it was to begin with.
    Skill,
    /// What was said, before a turn could begin with it.
    Prompt,
    /// A goal that does not go on.
    Goal,
    /// A call.
    #[default]
    #[serde(other)]
    Call,
}

impl TurnRefusal {
    fn is_call(&self) -> bool {
        *self == Self::Call
    }
}

/// How a turn ended.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "how", rename_all = "snake_case")]
pub enum TurnEnd {
    /// With an answer.
    Done,
    /// The user interrupted it.
    Interrupted,
    /// It ran longer than it may.
    TimedOut,
    /// It took as many steps as it may; the last answer sums up.
    StepLimit,
    /// It spent what it may.
    OutOfBudget {
        /// What is used up.
        why: Phrase,
    },
    /// The user refused a call and there was nobody to go on for, or the harness refused to go on.
    Refused {
        /// What was refused, for programs.
        #[serde(default, skip_serializing_if = "TurnRefusal::is_call")]
        kind: TurnRefusal,
        /// Why.
        why: Phrase,
    },
    /// The provider failed.
    ProviderFailed {
        /// The class, for programs.
        #[serde(default)]
        class: FailureClass,
        /// Why.
        why: Phrase,
    },
    /// Something of ours failed, such as the disk.
    Broken {
        /// Why.
        why: Phrase,
    },
}
