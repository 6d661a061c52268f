//! What the settings mean, after all layers were put together. Plain data; each section has its own file.

use crate::sections::agent::AgentSettings;
use crate::sections::ask::AskSettings;
use crate::sections::branch::Branch;
use crate::sections::budget::BudgetSettings;
use crate::sections::cache::CacheSettings;
use crate::sections::compaction::CompactionSettings;
use crate::sections::evidence::EvidenceSettings;
use crate::sections::goal::GoalSettings;
use crate::sections::isolation::IsolationSettings;
use crate::sections::jobs::JobSettings;
use crate::sections::logs::Logs;
use crate::sections::models::{ModelEntry, ModelProfile};
use crate::sections::net::Net;
use crate::sections::permissions::Permissions;
use crate::sections::plugins::Plugin;
use crate::sections::providers::Provider;
use crate::sections::recall::Recall;
use crate::sections::record::RecordSettings;
use crate::sections::retention::RetentionSettings;
use crate::sections::sandbox::SandboxSettings;
use crate::sections::serve::Serve;
use crate::sections::skills::Skills;
use crate::sections::stream_rules::StreamRuleSettings;
use crate::sections::task::TaskSettings;
use crate::sections::tools::ToolSettings;
use crate::sections::tui::Tui;
use crate::sections::undo::UndoSettings;
use crate::sections::validation::ValidationSettings;
use crate::{Layer, Trust};
use reasonix_catalogue::Catalogue;
use reasonix_proto::AgentProfile;
use std::collections::BTreeMap;
use std::path::PathBuf;

/// Everything that can be set.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Settings {
    /// A model reference: `provider`, `model` or `provider/model`.
    pub default_model: Option<String>,
    /// The agent of new sessions.
    pub default_agent: Option<String>,
    /// The language of what people read.
    pub language: Option<String>,
    /// More files with instructions: absolute paths and globs, and the layer each came from.
    pub instructions: Vec<(PathBuf, Layer)>,
    /// The loop.
    pub agent: AgentSettings,
    /// The endpoints, in the order they were written.
    pub providers: Vec<Provider>,
    /// Known endpoints that nobody configured: a model of one can be named all the same, and none is listed.
    pub spares: Vec<Provider>,
    /// The network.
    pub net: Net,
    /// The tools.
    pub tools: ToolSettings,
    /// The skills.
    pub skills: Skills,
    /// The user's own hooks, by event, as they were written; a project's are in `trust`.
    pub hooks: Option<serde_json::Value>,
    /// The permission rules.
    pub permissions: Permissions,
    /// The box around commands and files.
    pub sandbox: SandboxSettings,
    /// The HTTP front end.
    pub serve: Serve,
    /// The user's own MCP servers; a project's are in `trust`.
    pub plugins: Vec<Plugin>,
    /// Tools of the project's MCP servers that the user trusts to be readers here, as `server.tool`.
    pub project_readers: Vec<String>,
    /// What a run may spend.
    pub budget: BudgetSettings,
    /// What is done when the context fills.
    pub compaction: CompactionSettings,
    /// Agent profiles by name.
    pub profiles: BTreeMap<String, AgentProfile>,
    /// Questions to the user.
    pub ask: AskSettings,
    /// Bounds of subagents.
    pub task: TaskSettings,
    /// What the clones of subagents that write have.
    pub isolation: IsolationSettings,
    /// Log files.
    pub logs: Logs,
    /// The terminal front end.
    pub tui: Tui,
    /// What is kept for undo.
    pub undo: UndoSettings,
    /// Whether what answers claim is checked.
    pub evidence: EvidenceSettings,
    /// The command that checks what turns edited.
    pub validation: ValidationSettings,
    /// What goals may take.
    pub goal: GoalSettings,
    /// Commands that go on behind their calls.
    pub jobs: JobSettings,
    /// Moving about in a session's tree.
    pub branch: Branch,
    /// Rules that watch what a model writes.
    pub stream_rules: StreamRuleSettings,
    /// What endpoints answer, as it is recorded.
    pub record: RecordSettings,
    /// Tools that look back.
    pub recall: Recall,
    /// The cache.
    pub cache: CacheSettings,
    /// How much of the past is kept.
    pub retention: RetentionSettings,
    /// What the project brings that would be executed, and what of it the user trusts.
    pub trust: Trust,
    /// The file that the user's own settings stand in, where what they grant for good is written.
    pub user_file: Option<PathBuf>,
    /// Providers whose key is not there: another one that offers the same model goes first.
    pub keyless: Vec<String>,
    /// What the user says about models.
    pub models: Vec<ModelEntry>,
    /// What is known of models, with what the user brought in.
    pub catalogue: Catalogue,
    /// Models that are asked when another one is overloaded or out of reach.
    pub fallback_models: Vec<String>,
    /// Model references by role.
    pub roles: BTreeMap<String, String>,
    /// The profile that fills the roles.
    pub model_profile: Option<String>,
    /// The user's profiles by name; [`Settings::profile`] knows the built-in ones too.
    pub model_profiles: BTreeMap<String, ModelProfile>,
}

impl Settings {
    /// A profile of the user's, or else a built-in one.
    pub fn profile(&self, name: &str) -> Option<ModelProfile> {
        let own = self.model_profiles.get(name).cloned();
        own.or_else(|| reasonix_catalogue::model_profile(name).map(ModelProfile::from))
    }
}
