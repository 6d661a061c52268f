//! `[budget]`: what a run may spend.

use crate::ConfigError;
use crate::view::View;

/// What a run may spend; 0 for no limit.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct BudgetSettings {
    /// Money, in the currency of the prices.
    pub max_cost: f64,
    /// Tokens, input and output together.
    pub max_tokens: u64,
    /// Seconds that its turns may take together.
    pub max_seconds: u64,
}

/// Reads the section.
pub(crate) fn resolve(view: &View<'_>) -> Result<BudgetSettings, ConfigError> {
    Ok(BudgetSettings {
        max_cost: view.number("max_cost").unwrap_or_default().max(0.0),
        max_tokens: view.count("max_tokens").unwrap_or_default(),
        max_seconds: view.count("max_seconds").unwrap_or_default(),
    })
}
