//! The prefix ledger: what of each request had been sent before, and what broke that.

use crate::{MoveReason, Phrase, Usage};
use serde::{Deserialize, Serialize};

/// One request, as the ledger keeps it. Bytes are those of tools, system prompt and messages in one canonical form,
/// which is the same whatever wire carries them.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Requested {
    /// The turn.
    pub turn: u32,
    /// The step within the turn, counted from 1; 0 for notes on a conversation that is being folded.
    pub step: u32,
    /// The model as `provider/model`.
    pub model: String,
    /// A hash of the tools.
    pub tools: String,
    /// A hash of the system prompt.
    pub system: String,
    /// A hash of the whole request.
    pub hash: String,
    /// How long it is.
    pub bytes: u64,
    /// How much of it the request before to the same model had too: the first byte that differs, or where that one ended.
    pub same: u64,
    /// Why it does not extend the request before; none when it does.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub broke: Option<Break>,
    /// What the provider counted.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub usage: Option<Usage>,
    /// Its tokens by estimate, before anything corrected it: with what the provider counted it tells how that one counts.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub estimate: u64,
}

fn is_zero(number: &u64) -> bool {
    *number == 0
}

/// Why a request does not extend the one before.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Break {
    /// The conversation was folded to make room.
    Compaction,
    /// Turns were taken back, or the last prompt was sent again.
    Rewind,
    /// The conversation goes on from another place of its tree.
    Branch,
    /// Another model is asked.
    ModelChange,
    /// Another agent is at work.
    AgentChange,
    /// The user changed the tools.
    ToolsChanged,
    /// The session began with what another one handed over.
    Handoff,
    /// Nobody knows: a defect, or a reason of a later version.
    #[serde(other)]
    Unexplained,
}

impl From<MoveReason> for Break {
    fn from(why: MoveReason) -> Self {
        match why {
            MoveReason::Branch => Self::Branch,
            MoveReason::Rewind | MoveReason::Retry => Self::Rewind,
        }
    }
}

impl Break {
    /// What it is called.
    pub fn phrase(self) -> Phrase {
        match self {
            Self::Compaction => Phrase::new("cache.compaction"),
            Self::Rewind => Phrase::new("cache.rewind"),
            Self::Branch => Phrase::new("cache.branch"),
            Self::ModelChange => Phrase::new("cache.model_change"),
            Self::AgentChange => Phrase::new("cache.agent_change"),
            Self::ToolsChanged => Phrase::new("cache.tools_changed"),
            Self::Handoff => Phrase::new("cache.handoff"),
            Self::Unexplained => Phrase::new("cache.unexplained"),
        }
    }
}

/// What the ledger of a session comes to.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct CacheReport {
    /// All requests.
    pub total: CacheSum,
    /// By turn, in the order they began.
    pub turns: Vec<CacheTurn>,
    /// Where a request did not extend the one before.
    pub breaks: Vec<CacheBreak>,
}

/// Requests added up.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct CacheSum {
    /// How many there were.
    pub requests: u64,
    /// Their bytes.
    pub bytes: u64,
    /// Bytes that had been sent before.
    pub same: u64,
    /// Prompt tokens, as the provider counted them.
    pub input: u64,
    /// Those that it took from its cache, as it says.
    pub cached: u64,
}

/// The requests of one turn.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct CacheTurn {
    /// The turn.
    pub turn: u32,
    /// Its requests.
    #[serde(flatten)]
    pub sum: CacheSum,
}

/// A break, and what it cost.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct CacheBreak {
    /// The turn.
    pub turn: u32,
    /// The step.
    pub step: u32,
    /// The model.
    pub model: String,
    /// Why.
    pub why: Break,
    /// The first byte that differs.
    pub at: u64,
    /// How many bytes came after it.
    pub bytes: u64,
    /// How many tokens these are: by the provider's count where it counted, otherwise by estimate.
    pub tokens: u64,
    /// What these cost more than from the cache, in millionths; none where no price is known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cost: Option<u64>,
    /// The currency of the cost.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub currency: String,
}
