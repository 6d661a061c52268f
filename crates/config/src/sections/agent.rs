//! `[agent]`: the loop, and the system prompt with its file.

use crate::error::Unreadable;
use crate::node::Node;
use crate::view::View;
use crate::{ConfigError, read};
use std::collections::BTreeMap;
use std::path::PathBuf;

/// Settings of the loop.
#[derive(Debug, Clone, PartialEq)]
pub struct AgentSettings {
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
    /// The larger model that a turn can go on to.
    pub escalation_model: Option<String>,
    /// A turn may go on to it by itself.
    pub auto_escalate: bool,
    /// The model of subagents.
    pub subagent_model: Option<String>,
    /// The model of a subagent by its skill's name.
    pub subagent_models: BTreeMap<String, String>,
    /// A complex task may enter plan mode by itself.
    pub auto_plan: bool,
}

impl Default for AgentSettings {
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
            escalation_model: None,
            auto_escalate: true,
            subagent_model: None,
            subagent_models: BTreeMap::new(),
            auto_plan: false,
        }
    }
}

/// The loop's settings. A system prompt's file is read here, so that a missing one is an error with a place.
pub(crate) fn resolve(view: &View<'_>) -> Result<AgentSettings, ConfigError> {
    let built_in = AgentSettings::default();
    let system_prompt_file = view.path("system_prompt_file")?;
    let mut agent = AgentSettings {
        system_prompt: view.text("system_prompt"),
        system_prompt_file: None,
        max_steps: view.steps("max_steps").unwrap_or(built_in.max_steps),
        planner_max_steps: view.steps("planner_max_steps").unwrap_or(built_in.planner_max_steps),
        temperature: view.number("temperature"),
        top_p: view.number("top_p"),
        turn_timeout_seconds: view.count("turn_timeout_seconds").unwrap_or(built_in.turn_timeout_seconds),
        reasoning_language: view.text("reasoning_language").unwrap_or(built_in.reasoning_language),
        memory_compiler: view.section("memory_compiler").bool("enabled"),
        plan_mode_allowed_tools: view.texts("plan_mode_allowed_tools"),
        planner_model: view.text("planner_model"),
        escalation_model: view.text("escalation_model"),
        auto_escalate: view.bool("auto_escalate").unwrap_or(built_in.auto_escalate),
        subagent_model: view.text("subagent_model"),
        subagent_models: view
            .entries("subagent_models")
            .filter_map(|(skill, node)| Some((skill.to_owned(), node.as_text()?.to_owned())))
            .collect(),
        auto_plan: view.bool("auto_plan").unwrap_or(built_in.auto_plan),
    };
    if let Some(path) = system_prompt_file.filter(|_| file_wins(view)) {
        let absent = || ConfigError::Read { path: path.clone(), reason: Unreadable::Absent };
        agent.system_prompt = Some(read::text(&path)?.ok_or_else(absent)?);
        agent.system_prompt_file = Some(path);
    }
    Ok(agent)
}

/// The nearer layer wins; in one layer the text does.
fn file_wins(view: &View<'_>) -> bool {
    let layer = |node: &Node| node.origin.layer;
    view.node("system_prompt_file").map(layer) > view.node("system_prompt").map(layer)
}
