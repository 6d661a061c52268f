//! What may be spent and what was, and how people write such amounts.

use crate::{Cost, Usage};
use serde::{Deserialize, Serialize};

/// What may be spent; none where there is no limit.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Allowance {
    /// Money in millionths, in the currency of the prices.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cost: Option<u64>,
    /// Tokens, input and output together.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tokens: Option<u64>,
    /// Seconds that turns may take together.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub seconds: Option<u64>,
}

/// What a session may spend, and what this process spent in it.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct BudgetInfo {
    /// What may be spent.
    pub allowed: Allowance,
    /// What is left of it.
    pub left: Allowance,
    /// Money that was spent, a currency each.
    pub costs: Vec<Cost>,
    /// Tokens that were taken.
    pub tokens: u64,
    /// Seconds that turns took.
    pub seconds: u64,
}

/// What several requests took together.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Tally {
    /// What they have in common: a span of time, a model, a folder.
    pub name: String,
    /// How many they are.
    pub requests: u64,
    /// What the providers counted.
    pub usage: Usage,
    /// What they cost, a currency each.
    pub costs: Vec<Cost>,
}

impl Tally {
    /// Adds one request.
    pub fn add(&mut self, usage: Usage, cost: Option<&Cost>) {
        self.requests += 1;
        self.usage.add(usage);
        let Some(cost) = cost else { return };
        match self.costs.iter_mut().find(|known| known.currency == cost.currency) {
            Some(known) => known.add(cost),
            None => self.costs.push(cost.clone()),
        }
    }

    /// What it is sorted by: the money, then the tokens.
    pub fn weight(&self) -> (Option<u64>, u64) {
        (self.costs.iter().map(|cost| cost.spent).max(), self.usage.tokens())
    }

    /// The share of the input that came from caches, in percent; 0 without input.
    pub fn cached_share(&self) -> u64 {
        self.usage.cached.saturating_mul(100).checked_div(self.usage.input).unwrap_or(0)
    }
}

impl Allowance {
    /// What holds after `cost 2.50`, `tokens 500k`, `time 30m` (several may follow each other, `off` in place of an amount
    /// lifts that limit) or `off`; what is not named stays as it was.
    pub fn changed(self, words: &str) -> Option<Self> {
        let mut allowance = self;
        let mut words = words.split_whitespace();
        while let Some(word) = words.next() {
            let limit = |word: &str, read: fn(&str) -> Option<u64>| match word {
                "off" => Some(None),
                amount => read(amount).map(|amount| (amount > 0).then_some(amount)),
            };
            match word {
                "off" => allowance = Self::default(),
                "cost" => allowance.cost = limit(words.next()?, parse_money)?,
                "tokens" => allowance.tokens = limit(words.next()?, parse_count)?,
                "time" => allowance.seconds = limit(words.next()?, parse_seconds)?,
                _ => return None,
            }
        }
        Some(allowance)
    }
}

/// An amount as people write it: `200`, `50k`, `1.5m`.
pub fn parse_count(text: &str) -> Option<u64> {
    let text = text.trim();
    let (digits, factor) = match text.chars().last()?.to_ascii_lowercase() {
        'k' => (text.get(..text.len() - 1)?, 1e3),
        'm' => (text.get(..text.len() - 1)?, 1e6),
        _ => (text, 1.0),
    };
    whole(digits, factor)
}

/// A span of time as people write it, in seconds: `90`, `90s`, `10m`, `1.5h`.
pub fn parse_seconds(text: &str) -> Option<u64> {
    let text = text.trim();
    let (digits, factor) = match text.chars().last()?.to_ascii_lowercase() {
        's' => (text.get(..text.len() - 1)?, 1.0),
        'm' => (text.get(..text.len() - 1)?, 60.0),
        'h' => (text.get(..text.len() - 1)?, 3600.0),
        _ => (text, 1.0),
    };
    whole(digits, factor)
}

/// Money as people write it, in millionths: `2`, `0.50`.
pub fn parse_money(text: &str) -> Option<u64> {
    whole(text.trim().trim_start_matches(['$', '¥', '€']), 1e6)
}

#[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss)]
fn whole(digits: &str, factor: f64) -> Option<u64> {
    let plain = !digits.is_empty() && digits.chars().all(|letter| letter.is_ascii_digit() || letter == '.');
    let number: f64 = plain.then(|| digits.parse().ok()).flatten()?;
    let product = number * factor;
    // 0 means no limit: the smallest amount that is one must not become it.
    let least = u64::from(number > 0.0);
    (product < 1e18).then(|| (product.round() as u64).max(least))
}

#[cfg(test)]
mod tests {
    use super::{Allowance, parse_count, parse_money, parse_seconds};

    #[test]
    fn amounts() {
        for (text, wanted) in [("200", Some(200)), ("50k", Some(50_000)), ("1.5M", Some(1_500_000)), ("0", Some(0))] {
            assert_eq!(parse_count(text), wanted, "{text}");
        }
        for (text, wanted) in [("90", Some(90)), ("90s", Some(90)), ("10m", Some(600)), ("1.5h", Some(5400))] {
            assert_eq!(parse_seconds(text), wanted, "{text}");
        }
        for (text, wanted) in [("2", Some(2_000_000)), ("0.50", Some(500_000)), ("$1", Some(1_000_000))] {
            assert_eq!(parse_money(text), wanted, "{text}");
        }
        assert_eq!((parse_money("0.0000001"), parse_seconds("0.1"), parse_count("0.1")), (Some(1), Some(1), Some(1)));
        for nonsense in ["", " ", "k", "-1", "1e9", "nan", "inf", "1.2.3", "9999999999999999999999", "é"] {
            assert_eq!(parse_count(nonsense), None, "{nonsense}");
            assert_eq!(parse_seconds(nonsense), None, "{nonsense}");
            assert_eq!(parse_money(nonsense), None, "{nonsense}");
        }
    }

    #[test]
    fn what_is_typed_changes_what_it_names_alone() {
        let before = Allowance { cost: Some(7), tokens: Some(8), seconds: Some(9) };
        for (typed, wanted) in [
            ("cost 2.50", Some(Allowance { cost: Some(2_500_000), ..before })),
            ("time 1h", Some(Allowance { seconds: Some(3600), ..before })),
            ("tokens 500k time 30m", Some(Allowance { tokens: Some(500_000), seconds: Some(1800), ..before })),
            ("off", Some(Allowance::default())),
            ("cost 0", Some(Allowance { cost: None, ..before })),
            ("tokens off", Some(Allowance { tokens: None, ..before })),
            ("cost", None),
            ("cost much", None),
            ("2.50", None),
        ] {
            assert_eq!(before.changed(typed), wanted, "{typed}");
        }
    }
}
