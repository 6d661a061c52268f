//! `[tools]`: which tools there are, their limits and the shell.

use crate::ConfigError;
use crate::view::View;
use std::path::PathBuf;

/// Settings of the tools.
#[derive(Debug, Clone, PartialEq)]
pub struct ToolSettings {
    /// The tools to offer; empty for all.
    pub enabled: Vec<String>,
    /// Seconds a command may take; 0 for no limit.
    pub bash_timeout_seconds: u64,
    /// Seconds an MCP call may take; 0 for no limit.
    pub mcp_call_timeout_seconds: u64,
    /// The edit format: `auto`, or the name of one.
    pub edit: String,
    /// The shell of the `bash` tool.
    pub shell: Shell,
}

impl Default for ToolSettings {
    fn default() -> Self {
        Self {
            enabled: Vec::new(),
            bash_timeout_seconds: 120,
            mcp_call_timeout_seconds: 300,
            edit: "auto".to_owned(),
            shell: Shell::default(),
        }
    }
}

/// Which shell runs commands.
#[derive(Debug, Clone, PartialEq)]
pub struct Shell {
    /// `auto`, `bash`, `powershell` or `pwsh`.
    pub prefer: String,
    /// The program itself.
    pub path: Option<PathBuf>,
}

impl Default for Shell {
    fn default() -> Self {
        Self { prefer: "auto".to_owned(), path: None }
    }
}

/// Reads the section.
pub(crate) fn resolve(view: &View<'_>) -> Result<ToolSettings, ConfigError> {
    let built_in = ToolSettings::default();
    let shell = view.section("shell");
    Ok(ToolSettings {
        enabled: view.texts("enabled"),
        bash_timeout_seconds: view.count("bash_timeout_seconds").unwrap_or(built_in.bash_timeout_seconds),
        mcp_call_timeout_seconds: view.count("mcp_call_timeout_seconds").unwrap_or(built_in.mcp_call_timeout_seconds),
        edit: view.text("edit").unwrap_or(built_in.edit),
        shell: Shell { prefer: shell.text("prefer").unwrap_or(built_in.shell.prefer), path: shell.path("path")? },
    })
}
