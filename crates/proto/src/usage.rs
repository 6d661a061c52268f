//! Token counts as the provider reported them.

use crate::Cost;
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
    /// The part of `input` that the provider wrote into its cache, where it says so.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub written: u64,
}

fn is_zero(number: &u64) -> bool {
    *number == 0
}

impl Usage {
    /// Adds the counts of another request.
    pub fn add(&mut self, other: Usage) {
        self.input = self.input.saturating_add(other.input);
        self.output = self.output.saturating_add(other.output);
        self.cached = self.cached.saturating_add(other.cached);
        self.reasoning = self.reasoning.saturating_add(other.reasoning);
        self.written = self.written.saturating_add(other.written);
    }

    /// All tokens together.
    pub fn tokens(&self) -> u64 {
        self.input.saturating_add(self.output)
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
    /// Input that the endpoint writes into its cache; none where that costs what other input does.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub write: Option<f64>,
    /// The currency as it is shown, such as `USD`.
    pub currency: String,
}

impl Price {
    /// What a request cost, in [`Price::currency`].
    pub fn cost(&self, usage: Usage) -> f64 {
        let cached = usage.cached.min(usage.input);
        let written = usage.written.min(usage.input - cached);
        let fresh = usage.input - cached - written;
        let input = fresh as f64 * self.input + cached as f64 * self.cached;
        let write = written as f64 * self.write.unwrap_or(self.input);
        (input + write + usage.output as f64 * self.output) / 1e6
    }

    /// The same as money, with what the cache saved: what it would have cost without one, less what it cost.
    pub fn money(&self, usage: Usage) -> Cost {
        let millionths = |money: f64| (money * 1e6).round().max(0.0) as u64;
        let (spent, uncached) = (self.cost(usage), self.cost(Usage { cached: 0, written: 0, ..usage }));
        Cost { spent: millionths(spent), saved: millionths(uncached - spent), currency: self.currency.clone() }
    }
}

#[cfg(test)]
mod tests {
    use super::{Price, Usage};

    #[test]
    fn a_cost_counts_cached_tokens_once() {
        let price = Price { input: 2.0, cached: 0.5, output: 8.0, write: None, currency: "USD".into() };
        let usage = Usage { input: 1_000_000, output: 500_000, cached: 800_000, reasoning: 100_000, written: 0 };
        assert!((price.cost(usage) - (0.4 + 0.4 + 4.0)).abs() < 1e-9);
        let odd = Usage { input: 10, cached: 20, ..Usage::default() };
        assert!((price.cost(odd) - 5e-6).abs() < 1e-12, "more cached than sent is a mistake of the endpoint");
    }

    #[test]
    fn what_is_written_into_the_cache_has_its_own_price() {
        let price = Price { input: 4.0, cached: 1.0, output: 8.0, write: Some(5.0), currency: "USD".into() };
        let usage = Usage { input: 3_000_000, cached: 1_000_000, written: 1_000_000, ..Usage::default() };
        let cost = price.money(usage);
        assert_eq!((cost.spent, cost.saved), (10_000_000, 2_000_000), "4 fresh, 1 read, 5 written; 12 without a cache");
        let first = price.money(Usage { cached: 0, ..usage });
        assert_eq!((first.spent, first.saved), (13_000_000, 0), "the first request pays for the others");
        let same = Price { write: None, ..price };
        assert_eq!(same.money(usage).spent, 9_000_000);
    }
}
