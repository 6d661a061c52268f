//! `[logs]`: log files.

use crate::ConfigError;
use crate::view::View;
use std::path::PathBuf;

/// Settings of log files.
#[derive(Debug, Clone, PartialEq)]
pub struct Logs {
    /// The folder; none for the one in our state.
    pub dir: Option<PathBuf>,
    /// `off`, `error`, `warn`, `info`, `debug` or `trace`.
    pub level: String,
    /// The size at which a file is rotated, in MiB.
    pub max_size_mb: u64,
    /// How many files are kept.
    pub max_files: u64,
}

impl Default for Logs {
    fn default() -> Self {
        Self { dir: None, level: "off".to_owned(), max_size_mb: 10, max_files: 5 }
    }
}

/// Reads the section.
pub(crate) fn resolve(view: &View<'_>) -> Result<Logs, ConfigError> {
    let built_in = Logs::default();
    Ok(Logs {
        dir: view.path("dir")?,
        level: view.text("level").unwrap_or(built_in.level),
        max_size_mb: view.count("max_size_mb").unwrap_or(built_in.max_size_mb),
        max_files: view.count("max_files").unwrap_or(built_in.max_files),
    })
}
