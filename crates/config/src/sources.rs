//! Where settings come from, as the caller hands it in.

use std::collections::BTreeMap;
use std::path::PathBuf;

/// The places and values that settings are made of.
#[derive(Debug, Clone, Default)]
pub struct Sources {
    /// The user's folder: `~/.reasonix`, or what `REASONIX_HOME` says.
    pub home: PathBuf,
    /// The folder whose `reasonix.toml` or `reasonix.jsonc` is the project's.
    pub project: PathBuf,
    /// The root that sessions work in, unless `sandbox.workspace_root` says another; empty for the project's folder.
    pub root: PathBuf,
    /// The environment of the process.
    pub env: BTreeMap<String, String>,
    /// What was said on the command line.
    pub flags: Flags,
}

/// What a command line can set. `None` means that it was not said.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Flags {
    /// A file to read in place of the user's configuration.
    pub config: Option<PathBuf>,
    /// A model reference.
    pub model: Option<String>,
    /// An endpoint, used as the provider `env`.
    pub base_url: Option<String>,
    /// The variable that holds the key of the chosen provider.
    pub api_key_env: Option<String>,
    /// The limit of steps; 0 for none.
    pub max_steps: Option<u32>,
    /// Money that the run may spend; 0 for no limit.
    pub max_cost: Option<f64>,
    /// Tokens that the run may take; 0 for no limit.
    pub max_tokens: Option<u64>,
    /// Seconds that the run may take; 0 for no limit.
    pub max_seconds: Option<u64>,
    /// The tools to offer.
    pub tools: Option<Vec<String>>,
    /// The language of what people read.
    pub language: Option<String>,
    /// What is logged.
    pub log_level: Option<String>,
    /// MCP servers, each as `NAME=COMMAND ARGS…` or `NAME=ADDRESS`.
    pub mcp: Vec<String>,
    /// What endpoints answer is recorded.
    pub record_wire: bool,
    /// Whoever is at the terminal trusts what the project brings, for this run.
    pub trust_once: bool,
    /// A file with the hashes of what is trusted for this run.
    pub trust_lock: Option<PathBuf>,
}
