//! `[sandbox]`: the box around commands and files.

use crate::ConfigError;
use crate::view::View;
use std::path::PathBuf;

/// How commands are boxed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default)]
pub enum Bash {
    /// Not at all.
    Off,
    /// As well as this machine can.
    BestEffort,
    /// Fully, or the command is refused.
    #[default]
    Enforce,
}

/// Settings of the box.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Sandbox {
    /// How commands are boxed.
    pub bash: Bash,
    /// Commands may reach the network.
    pub network: bool,
    /// The root that file tools stay in; none for the working folder.
    pub workspace_root: Option<PathBuf>,
    /// More folders that may be written.
    pub allow_write: Vec<PathBuf>,
    /// Folders that may not be read.
    pub forbid_read: Vec<PathBuf>,
}

/// Reads the section.
pub(crate) fn resolve(view: &View<'_>) -> Result<Sandbox, ConfigError> {
    Ok(Sandbox {
        bash: match view.text("bash").as_deref() {
            Some("off") => Bash::Off,
            Some("best-effort") => Bash::BestEffort,
            _ => Bash::Enforce,
        },
        network: view.bool("network").unwrap_or(false),
        workspace_root: view.workspace_path("workspace_root")?,
        allow_write: view.workspace_paths("allow_write")?,
        forbid_read: view.workspace_paths("forbid_read")?,
    })
}
