//! `[cache]`: what can be had again, kept for a while.

use crate::ConfigError;
use crate::view::View;
use std::path::PathBuf;
use std::time::Duration;

/// Settings of the cache.
#[derive(Debug, Clone, PartialEq)]
pub struct CacheSettings {
    /// The folder; none for the one in our state.
    pub dir: Option<PathBuf>,
    /// Hours after which an entry is old; 0 keeps none.
    pub ttl_hours: u64,
    /// How much is kept in all, in MiB; the oldest go first.
    pub max_mb: u64,
}

impl CacheSettings {
    /// How long an entry is not old.
    pub fn limit(&self) -> Duration {
        Duration::from_secs(self.ttl_hours.saturating_mul(3600))
    }
}

impl Default for CacheSettings {
    fn default() -> Self {
        Self { dir: None, ttl_hours: 168, max_mb: 512 }
    }
}

/// Reads the section.
pub(crate) fn resolve(view: &View<'_>) -> Result<CacheSettings, ConfigError> {
    let built_in = CacheSettings::default();
    Ok(CacheSettings {
        dir: view.path("dir")?,
        ttl_hours: view.count("ttl_hours").unwrap_or(built_in.ttl_hours),
        max_mb: view.count("max_mb").unwrap_or(built_in.max_mb),
    })
}
