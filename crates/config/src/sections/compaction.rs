//! `[compaction]`: what is done when the context fills.

use crate::ConfigError;
use crate::view::View;

/// Settings of compaction.
#[derive(Debug, Clone, PartialEq)]
pub struct CompactionSettings {
    /// It happens by itself.
    pub auto: bool,
    /// Old tool output goes first.
    pub prune: bool,
    /// How full the window may get before it happens.
    pub ratio: f64,
    /// Seconds without anything to do after which it happens when the window is half as full; 0 for never.
    pub idle_seconds: u64,
}

impl Default for CompactionSettings {
    fn default() -> Self {
        Self { auto: true, prune: true, ratio: 0.8, idle_seconds: 0 }
    }
}

/// Reads the section.
pub(crate) fn resolve(view: &View<'_>) -> Result<CompactionSettings, ConfigError> {
    let built_in = CompactionSettings::default();
    let ratio = view.number("ratio").unwrap_or(built_in.ratio);
    if let Some(node) = view.node("ratio").filter(|_| !(0.0..=1.0).contains(&ratio)) {
        return Err(ConfigError::Value {
            origin: node.origin.clone(),
            key: "compaction.ratio".to_owned(),
            expected: "0.0 … 1.0".to_owned(),
            found: node.sketch(),
        });
    }
    Ok(CompactionSettings {
        auto: view.bool("auto").unwrap_or(built_in.auto),
        prune: view.bool("prune").unwrap_or(built_in.prune),
        ratio,
        idle_seconds: view.count("idle_seconds").unwrap_or(built_in.idle_seconds),
    })
}
