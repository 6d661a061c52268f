//! `[undo]`: what is kept so that changes to files can be taken back.

use crate::ConfigError;
use crate::view::View;

/// Settings of undo.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct UndoSettings {
    /// States of the files are kept.
    pub enabled: bool,
    /// How much may be kept in all, in MiB; the oldest sessions' go first.
    pub max_mb: u64,
}

impl Default for UndoSettings {
    fn default() -> Self {
        Self { enabled: true, max_mb: 2048 }
    }
}

/// Reads the section.
pub(crate) fn resolve(view: &View<'_>) -> Result<UndoSettings, ConfigError> {
    let built_in = UndoSettings::default();
    Ok(UndoSettings {
        enabled: view.bool("enabled").unwrap_or(built_in.enabled),
        max_mb: view.count("max_mb").unwrap_or(built_in.max_mb),
    })
}
