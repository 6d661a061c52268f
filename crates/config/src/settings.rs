//! What the settings mean, after all layers were put together. Plain data; each section is resolved in its own file.

use crate::{Layer, Secret};
use std::collections::BTreeMap;
use std::path::PathBuf;

/// Everything that can be set.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Settings {
    /// A model reference: `provider`, `model` or `provider/model`.
    pub default_model: Option<String>,
    /// The language of what people read.
    pub language: Option<String>,
    /// More files with instructions: paths and globs as they were written, and the layer each came from.
    pub instructions: Vec<(String, Layer)>,
    /// The loop.
    pub agent: Agent,
    /// The endpoints, in the order they were written.
    pub providers: Vec<Provider>,
    /// The network.
    pub net: Net,
    /// The tools.
    pub tools: Tools,
    /// The skills.
    pub skills: Skills,
    /// The permission rules.
    pub permissions: Permissions,
    /// The box around commands and files.
    pub sandbox: Sandbox,
    /// The HTTP front end.
    pub serve: Serve,
    /// MCP servers.
    pub plugins: Vec<Plugin>,
    /// What is done when the context fills.
    pub compaction: Compaction,
    /// Agent profiles by name.
    pub profiles: BTreeMap<String, Profile>,
    /// Questions to the user.
    pub ask: AskSettings,
    /// Log files.
    pub logs: Logs,
    /// The cache.
    pub cache: Cache,
}

/// Settings of the loop.
#[derive(Debug, Clone, PartialEq)]
pub struct Agent {
    /// Stands in place of the built-in system prompt.
    pub system_prompt: Option<String>,
    /// A file with the system prompt.
    pub system_prompt_file: Option<PathBuf>,
    /// Steps a turn may take; 0 for no limit.
    pub max_steps: u32,
    /// Steps the planner may take; 0 for no limit.
    pub planner_max_steps: u32,
    /// Sampling temperature; none leaves it to the endpoint.
    pub temperature: Option<f64>,
    /// Nucleus sampling; none leaves it to the endpoint.
    pub top_p: Option<f64>,
    /// Seconds a turn may take; 0 for no limit.
    pub turn_timeout_seconds: u64,
    /// The language of visible reasoning: `auto`, `zh` or `en`.
    pub reasoning_language: String,
    /// Accepted and ignored.
    pub memory_compiler: Option<bool>,
    /// Tools of the user that count as readers in plan mode.
    pub plan_mode_allowed_tools: Vec<String>,
    /// The planner's model.
    pub planner_model: Option<String>,
    /// The model of subagents.
    pub subagent_model: Option<String>,
    /// The model of a subagent by its skill's name.
    pub subagent_models: BTreeMap<String, String>,
    /// A complex task may enter plan mode by itself.
    pub auto_plan: bool,
}

impl Default for Agent {
    fn default() -> Self {
        Self {
            system_prompt: None,
            system_prompt_file: None,
            max_steps: 0,
            planner_max_steps: 0,
            temperature: None,
            top_p: None,
            turn_timeout_seconds: 0,
            reasoning_language: "auto".to_owned(),
            memory_compiler: None,
            plan_mode_allowed_tools: Vec::new(),
            planner_model: None,
            subagent_model: None,
            subagent_models: BTreeMap::new(),
            auto_plan: false,
        }
    }
}

/// An endpoint that offers one or more models.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Provider {
    /// Its name.
    pub name: String,
    /// The wire it speaks: `openai`, `scripted`, …
    pub kind: String,
    /// Its address.
    pub base_url: String,
    /// The models it offers; at least one.
    pub models: Vec<String>,
    /// The model used when only the provider is named.
    pub default: String,
    /// The variable that holds the key.
    pub api_key_env: Option<String>,
    /// Tokens the models can see; 0 switches compaction off.
    pub context_window: u64,
    /// Headers to send with every request.
    pub headers: Vec<(String, Secret)>,
    /// What tokens cost.
    pub price: Option<Price>,
    /// Sampling temperature for this endpoint; wins over the agent's.
    pub temperature: Option<f64>,
    /// Nucleus sampling for this endpoint; wins over the agent's.
    pub top_p: Option<f64>,
    /// The most tokens an answer may have.
    pub max_tokens: Option<u64>,
    /// How hard the model should think, as the endpoint spells it.
    pub reasoning_effort: Option<String>,
    /// More fields for the body of every request.
    pub extra_body: serde_json::Map<String, serde_json::Value>,
    /// Seconds without a byte after which a stream counts as broken; none leaves it to the wire, 0 waits for ever.
    pub stream_idle_timeout_seconds: Option<u64>,
    /// The script that a `scripted` provider plays.
    pub script: Option<PathBuf>,
    /// Options of a kind that this edition does not know.
    pub extra: serde_json::Map<String, serde_json::Value>,
}

/// What a million tokens cost.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Price {
    /// Tokens that were not in the endpoint's cache.
    pub input: f64,
    /// Tokens that were.
    pub cached_input: f64,
    /// Tokens of the answer.
    pub output: f64,
    /// The currency as it is shown.
    pub currency: String,
}

/// Settings of the network. Only the user can set them.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Net {
    /// The proxy for every connection; `none` to ignore those of the environment.
    pub proxy: Option<Secret>,
    /// Hosts that are reached without it.
    pub no_proxy: Vec<String>,
    /// A file with more certificates to trust.
    pub ca_file: Option<PathBuf>,
}

/// Settings of the tools.
#[derive(Debug, Clone, PartialEq)]
pub struct Tools {
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

impl Default for Tools {
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

/// What happens to a call that no rule covers.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default)]
pub enum Mode {
    /// It runs.
    Allow,
    /// A person is asked.
    #[default]
    Ask,
    /// It does not run.
    Deny,
}

/// The permission rules, as texts.
#[derive(Debug, Clone, PartialEq)]
pub struct Permissions {
    /// The fallback for writers.
    pub mode: Mode,
    /// Rules that allow. Never from a project.
    pub allow: Vec<String>,
    /// Rules that ask.
    pub ask: Vec<String>,
    /// Rules that deny.
    pub deny: Vec<String>,
    /// Fallbacks of single families by their rule name, such as `Bash`, `Edit`, `Read` or `Task`.
    pub fallbacks: BTreeMap<String, Mode>,
    /// Paths outside the workspace.
    pub external_directory: Mode,
    /// More patterns for the dangerous class.
    pub dangerous: Vec<String>,
}

impl Default for Permissions {
    fn default() -> Self {
        Self {
            mode: Mode::Ask,
            allow: Vec::new(),
            ask: Vec::new(),
            deny: Vec::new(),
            fallbacks: BTreeMap::new(),
            external_directory: Mode::Deny,
            dangerous: Vec::new(),
        }
    }
}

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

/// Settings of the HTTP front end.
#[derive(Debug, Clone, PartialEq)]
pub struct Serve {
    /// `none`, `token` or `password`.
    pub auth_mode: String,
    /// A fixed token.
    pub token: Option<Secret>,
    /// A bcrypt hash.
    pub password_hash: Option<Secret>,
    /// Forwarded headers are believed.
    pub behind_proxy: bool,
}

impl Default for Serve {
    fn default() -> Self {
        Self { auth_mode: "none".to_owned(), token: None, password_hash: None, behind_proxy: false }
    }
}

/// How an MCP server is reached.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Transport {
    /// A child process.
    #[default]
    Stdio,
    /// Streamable HTTP.
    Http,
    /// The older HTTP with server-sent events.
    Sse,
}

/// An MCP server. Its texts are not expanded yet, since a project's may only be after the user trusts it.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Plugin {
    /// Its name.
    pub name: String,
    /// How it is reached.
    pub transport: Transport,
    /// False when it is switched off.
    pub enabled: bool,
    /// The program.
    pub command: Option<String>,
    /// Its arguments.
    pub args: Vec<String>,
    /// Its environment.
    pub env: Vec<(String, Secret)>,
    /// Its address.
    pub url: Option<String>,
    /// Headers for every request.
    pub headers: Vec<(String, Secret)>,
    /// Seconds a call may take; 0 for the general limit.
    pub call_timeout_seconds: u64,
    /// The same for single tools.
    pub tool_timeout_seconds: BTreeMap<String, u64>,
    /// Tools that the user trusts to be readers. Never from a project.
    pub trusted_read_only_tools: Vec<String>,
    /// The layer it came from; nothing of a project's runs before trust.
    pub layer: Layer,
}

/// Settings of compaction.
#[derive(Debug, Clone, PartialEq)]
pub struct Compaction {
    /// It happens by itself.
    pub auto: bool,
    /// Old tool output goes first.
    pub prune: bool,
    /// How full the window may get before it happens.
    pub ratio: f64,
}

impl Default for Compaction {
    fn default() -> Self {
        Self { auto: true, prune: true, ratio: 0.8 }
    }
}

/// An agent profile.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Profile {
    /// `primary`, `subagent` or `all`.
    pub mode: Option<String>,
    /// What it is for.
    pub description: Option<String>,
    /// A model reference. Never from a project.
    pub model: Option<String>,
    /// Its system prompt.
    pub prompt: Option<String>,
    /// Tools switched on or off.
    pub tools: BTreeMap<String, bool>,
    /// Its own rules.
    pub permissions: Option<Permissions>,
    /// Steps a turn may take. Never from a project.
    pub max_steps: Option<u32>,
    /// Sampling temperature.
    pub temperature: Option<f64>,
    /// Nucleus sampling.
    pub top_p: Option<f64>,
    /// Switched off.
    pub disable: bool,
    /// The layer it came from; a project's only tightens.
    pub layer: Layer,
}

/// Settings of questions to the user.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct AskSettings {
    /// Seconds to wait for an answer; 0 waits for ever.
    pub timeout: u64,
}

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
        Self { dir: None, level: "info".to_owned(), max_size_mb: 10, max_files: 5 }
    }
}

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
