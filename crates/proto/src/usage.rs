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

/// What a million tokens cost.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct Price {
    /// Input that was not in the endpoint's cache.
    pub input: f64,
    /// Input that was.
    pub cached: f64,
    /// Output, reasoning included.
    pub output: f64,
    /// The currency as it is shown, such as `USD`.
    pub currency: String,
}

impl Price {
    /// What a request cost, in [`Price::currency`].
    pub fn cost(&self, usage: Usage) -> f64 {
        let cached = usage.cached.min(usage.input);
        let fresh = usage.input - cached;
        (fresh as f64 * self.input + cached as f64 * self.cached + usage.output as f64 * self.output) / 1e6
    }
}

#[cfg(test)]
mod tests {
    use super::{Price, Usage};

    #[test]
    fn a_cost_counts_cached_tokens_once() {
        let price = Price { input: 2.0, cached: 0.5, output: 8.0, currency: "USD".into() };
        let usage = Usage { input: 1_000_000, output: 500_000, cached: 800_000, reasoning: 100_000 };
        assert!((price.cost(usage) - (0.4 + 0.4 + 4.0)).abs() < 1e-9);
        let odd = Usage { input: 10, output: 0, cached: 20, reasoning: 0 };
        assert!((price.cost(odd) - 5e-6).abs() < 1e-12, "more cached than sent is a mistake of the endpoint");
    }
}
