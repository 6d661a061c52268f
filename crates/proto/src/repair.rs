//! What was put right in a model's answer, so that it can be seen and counted.

use crate::CallId;
use serde::{Deserialize, Serialize};

/// One thing that was put right, or found wrong, in an answer.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Repair {
    /// What it is.
    pub fix: Fix,
    /// The call it is about; none for the answer as a whole.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub call: Option<CallId>,
    /// How: the dialect, the argument, the place.
    pub detail: String,
}

impl Repair {
    /// A repair of the answer as a whole.
    pub fn new(fix: Fix, detail: impl Into<String>) -> Self {
        Self { fix, call: None, detail: detail.into() }
    }

    /// The same, of one call.
    pub fn of(mut self, call: &CallId) -> Self {
        self.call = Some(call.clone());
        self
    }
}

/// Kinds of repairs.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Fix {
    /// A call that was written into the text or the reasoning was taken out and made.
    Scavenged,
    /// A call that was written into the text was left there, because of where it stands: nothing was run.
    Unmade,
    /// An edit block in the text became a call.
    Block,
    /// Arguments that were almost JSON were read.
    Syntax,
    /// Closing brackets that were missing were added; nothing else was missing.
    Closed,
    /// The arguments broke off in the middle of a value; only a reader may run with them.
    CutOff,
    /// Quotation marks inside a text were not escaped; only a reader may run with what was read.
    Quotes,
    /// Arguments that were wrapped in a text were taken out.
    Unwrapped,
    /// The arguments could not be read; the call is answered with what is wrong with it.
    Unreadable,
    /// Reasoning without its opening or closing mark was told from the text.
    Thinking,
    /// Marks of the model's own protocol were cut out.
    Leak,
    /// An argument holds the model's own protocol; only a reader may run with it.
    Spoilt,
    /// The call stood in the reasoning, not in the answer; only a reader may run like that.
    Thought,
    /// The tool was named in another way.
    Tool,
    /// An argument had the wrong type.
    Type,
    /// An argument was named in another way.
    Argument,
    /// Flat arguments were nested.
    Nested,
    /// The same call again and again was not run.
    Storm,
    /// Text that repeated itself was cut.
    Loop,
    /// A kind that this version does not know.
    #[serde(other)]
    Unknown,
}

impl Fix {
    /// True when what was meant cannot be told for sure, so that nothing may be changed by it.
    pub fn is_doubtful(self) -> bool {
        matches!(self, Self::CutOff | Self::Quotes | Self::Spoilt | Self::Thought)
    }

    /// The name, as in the log.
    pub fn name(self) -> &'static str {
        match self {
            Self::Scavenged => "scavenged",
            Self::Unmade => "unmade",
            Self::Block => "block",
            Self::Syntax => "syntax",
            Self::Closed => "closed",
            Self::CutOff => "cut_off",
            Self::Quotes => "quotes",
            Self::Unwrapped => "unwrapped",
            Self::Unreadable => "unreadable",
            Self::Thinking => "thinking",
            Self::Leak => "leak",
            Self::Spoilt => "spoilt",
            Self::Thought => "thought",
            Self::Tool => "tool",
            Self::Type => "type",
            Self::Argument => "argument",
            Self::Nested => "nested",
            Self::Storm => "storm",
            Self::Loop => "loop",
            Self::Unknown => "unknown",
        }
    }
}
