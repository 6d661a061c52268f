//! `[sandbox]`: the box around commands and files.

use crate::ConfigError;
use crate::view::View;
use std::path::PathBuf;

/// How commands are boxed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default)]
pub enum BashBoxing {
    /// Not at all.
    Off,
    /// As well as this machine can.
    BestEffort,
    /// Fully, or the command is refused.
    #[default]
    Enforce,
}

/// Where builds write what belongs into toolchain caches.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum ToolchainCaches {
    /// The user's own caches.
    Shared,
    /// A layer over them that is kept for this workspace.
    #[default]
    Project,
    /// A layer over them that goes with the session.
    Session,
}

/// How much of the machine a command may take. 0 is no limit.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct CommandLimits {
    /// Processes and threads.
    pub processes: u32,
    /// MiB of memory; none for three quarters of the machine's.
    pub memory_mb: Option<u64>,
    /// MiB in one file.
    pub file_mb: u64,
    /// MiB of output.
    pub output_mb: u64,
    /// MiB that stay free on the disk.
    pub free_mb: u64,
}

impl Default for CommandLimits {
    fn default() -> Self {
        Self { processes: 8192, memory_mb: None, file_mb: 65536, output_mb: 1024, free_mb: 256 }
    }
}

/// Settings of the box.
#[derive(Debug, Clone, PartialEq)]
pub struct SandboxSettings {
    /// How commands are boxed.
    pub bash: BashBoxing,
    /// Commands may reach the network.
    pub network: bool,
    /// Hosts that commands may reach without it, and presets of such.
    pub allow_hosts: Vec<String>,
    /// A person is asked about other hosts and ports.
    pub ask_hosts: bool,
    /// Ports of the machine's own loopback that commands may reach.
    pub loopback: Vec<u16>,
    /// Where what builds cache goes.
    pub caches: ToolchainCaches,
    /// How much a command may take.
    pub limits: CommandLimits,
    /// The root that file tools stay in; none for the working folder.
    pub workspace_root: Option<PathBuf>,
    /// More folders that may be written.
    pub allow_write: Vec<PathBuf>,
    /// Folders that may not be read.
    pub forbid_read: Vec<PathBuf>,
    /// Folders that commands see wherever they lie, and cannot change. No file says so, only the program itself.
    pub shown: Vec<PathBuf>,
    /// More variables that commands see. Never from a project.
    pub env: Vec<String>,
}

impl Default for SandboxSettings {
    fn default() -> Self {
        Self {
            bash: BashBoxing::default(),
            network: false,
            allow_hosts: Vec::new(),
            ask_hosts: true,
            loopback: Vec::new(),
            caches: ToolchainCaches::default(),
            limits: CommandLimits::default(),
            workspace_root: None,
            allow_write: Vec::new(),
            forbid_read: Vec::new(),
            shown: Vec::new(),
            env: Vec::new(),
        }
    }
}

/// Reads the limits of the section.
fn limits(view: &View<'_>) -> CommandLimits {
    let usual = CommandLimits::default();
    let count = |key: &str, usual: u64| view.count(key).unwrap_or(usual);
    CommandLimits {
        processes: u32::try_from(count("max_processes", usual.processes.into())).unwrap_or(u32::MAX),
        memory_mb: view.count("max_memory_mb"),
        file_mb: count("max_file_mb", usual.file_mb),
        output_mb: count("max_output_mb", usual.output_mb),
        free_mb: count("min_free_mb", usual.free_mb),
    }
}

/// Reads the section.
pub(crate) fn resolve(view: &View<'_>) -> Result<SandboxSettings, ConfigError> {
    Ok(SandboxSettings {
        bash: match view.text("bash").as_deref() {
            Some("off") => BashBoxing::Off,
            Some("best-effort") => BashBoxing::BestEffort,
            _ => BashBoxing::Enforce,
        },
        network: view.bool("network").unwrap_or(false),
        allow_hosts: view.texts("allow_hosts"),
        ask_hosts: view.bool("ask_hosts").unwrap_or(true),
        loopback: view.items("loopback").filter_map(|node| u16::try_from(node.as_count()?).ok()).collect(),
        caches: match view.text("caches").as_deref() {
            Some("shared") => ToolchainCaches::Shared,
            Some("session") => ToolchainCaches::Session,
            _ => ToolchainCaches::Project,
        },
        limits: limits(view),
        workspace_root: view.workspace_path("workspace_root")?,
        allow_write: view.workspace_paths("allow_write")?,
        forbid_read: view.workspace_paths("forbid_read")?,
        shown: Vec::new(),
        env: view.texts("env"),
    })
}
