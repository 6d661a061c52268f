//! `[skills]`: where skills are looked for.

use crate::ConfigError;
use crate::view::View;
use std::path::PathBuf;

/// Settings of skills.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Skills {
    /// More folders with skills.
    pub paths: Vec<PathBuf>,
    /// Folders that are not looked into.
    pub excluded_paths: Vec<PathBuf>,
    /// Skills that are hidden.
    pub disabled_skills: Vec<String>,
}

/// Reads the section.
pub(crate) fn resolve(view: &View<'_>) -> Result<Skills, ConfigError> {
    Ok(Skills {
        paths: view.paths("paths")?,
        excluded_paths: view.paths("excluded_paths")?,
        disabled_skills: view.texts("disabled_skills"),
    })
}
