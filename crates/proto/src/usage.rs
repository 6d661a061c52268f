//! Token counts as the provider reported them.

use serde::{Deserialize, Serialize};

/// Tokens of one request, or a sum of several.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Usage {
    /// Tokens of the prompt, cached ones included.
    pub input: u64,
    /// Tokens of the answer, reasoning included.
    pub output: u64,
    /// The part of `input` that the provider took from its cache.
    #[serde(default)]
    pub cached: u64,
    /// The part of `output` that was reasoning, where the provider says so.
    #[serde(default)]
    pub reasoning: u64,
}

impl Usage {
    /// Adds the counts of another request.
    pub fn add(&mut self, other: Usage) {
        self.input = self.input.saturating_add(other.input);
        self.output = self.output.saturating_add(other.output);
        self.cached = self.cached.saturating_add(other.cached);
        self.reasoning = self.reasoning.saturating_add(other.reasoning);
    }
}
