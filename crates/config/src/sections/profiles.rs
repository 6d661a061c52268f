//! `[profiles.NAME]`: agents with a character of their own.

use crate::node::Node;
use crate::sections::permissions;
use crate::view::{Context, View};
use crate::{ConfigError, Layer};
use reasonix_proto::{AgentMode, AgentOrigin, AgentProfile, AgentRules};
use std::collections::BTreeMap;

/// Reads the section.
pub(crate) fn resolve(root: &View<'_>, context: &Context<'_>) -> Result<BTreeMap<String, AgentProfile>, ConfigError> {
    let one = |(name, node): (&str, &Node)| {
        let view = View::of(node.as_table(), context, name);
        let (tools, without) = tools(&view);
        let output = view.text("output").filter(|text| !text.is_empty());
        let project = node.origin.layer == Layer::Project;
        let profile = AgentProfile {
            name: name.to_owned(),
            description: view.text("description").unwrap_or_default(),
            place: node.origin.place(),
            origin: if project { AgentOrigin::Project } else { AgentOrigin::User },
            mode: view.text("mode").and_then(|word| AgentMode::parse(&word)).unwrap_or_default(),
            model: view.text("model").filter(|model| !model.is_empty() && model != "inherit"),
            prompt: view.text("prompt").filter(|prompt| !prompt.trim().is_empty()),
            tools,
            without,
            rules: rules(&view)?,
            max_steps: view.steps("max_steps"),
            temperature: view.number("temperature"),
            top_p: view.number("top_p"),
            disable: view.bool("disable").unwrap_or(false),
            skills: view.texts("skills"),
            spawns: view.node("spawns").map(|_| view.texts("spawns")),
            output: output.map(|text| serde_json::from_str(&text).unwrap_or(serde_json::Value::String(text))),
            blocking: view.bool("blocking"),
            isolation: view.text("isolation").filter(|word| !word.is_empty()),
        };
        Ok((name.to_owned(), profile))
    };
    root.entries("profiles").map(one).collect()
}

/// The tools that it has and no others, where `*` is switched off; and those that are switched off by name.
fn tools(view: &View<'_>) -> (Option<Vec<String>>, Vec<String>) {
    let named = |wanted: bool| {
        let said = view.entries("tools").filter(move |(tool, node)| *tool != "*" && node.as_bool() == Some(wanted));
        said.map(|(tool, _)| tool.to_owned()).collect::<Vec<_>>()
    };
    let no_others = view.entries("tools").any(|(tool, node)| tool == "*" && node.as_bool() == Some(false));
    (no_others.then(|| named(true)), named(false))
}

/// Its own rules: as those of the session are read, but what is not said is not said.
fn rules(view: &View<'_>) -> Result<AgentRules, ConfigError> {
    let section = view.section("permissions");
    if view.node("permissions").is_none() {
        return Ok(AgentRules::default());
    }
    let read = permissions::resolve(&section)?;
    let said = |key: &str| section.node(key).is_some();
    Ok(AgentRules {
        mode: said("mode").then_some(read.mode),
        allow: read.allow,
        ask: read.ask,
        deny: read.deny,
        fallbacks: read.fallbacks,
        external_directory: said("external_directory").then_some(read.external_directory),
        dangerous: read.dangerous,
        ..AgentRules::default()
    })
}
