//! `[cache]`: the cache.

use crate::ConfigError;
use crate::view::View;
use std::path::PathBuf;

/// Settings of the cache.
#[derive(Debug, Clone, PartialEq)]
pub struct Cache {
    /// The folder; none for the one in our state.
    pub dir: Option<PathBuf>,
    /// Hours after which an entry is old.
    pub ttl_hours: u64,
}

impl Default for Cache {
    fn default() -> Self {
        Self { dir: None, ttl_hours: 168 }
    }
}

/// Reads the section.
pub(crate) fn resolve(view: &View<'_>) -> Result<Cache, ConfigError> {
    Ok(Cache { dir: view.path("dir")?, ttl_hours: view.count("ttl_hours").unwrap_or(Cache::default().ttl_hours) })
}
