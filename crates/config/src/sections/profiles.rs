//! `[profiles.NAME]`: agents with a character of their own.

use crate::node::Node;
use crate::sections::permissions;
use crate::view::{Context, View};
use crate::{ConfigError, Layer, Permissions};
use std::collections::BTreeMap;

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

/// Reads the section.
pub(crate) fn resolve(root: &View<'_>, context: &Context<'_>) -> Result<BTreeMap<String, Profile>, ConfigError> {
    let one = |(name, node): (&str, &Node)| {
        let view = View::of(node.as_table(), context, name);
        let rules = view.node("permissions").map(|_| permissions::resolve(&view.section("permissions")));
        let profile = Profile {
            mode: view.text("mode"),
            description: view.text("description"),
            model: view.text("model"),
            prompt: view.text("prompt"),
            tools: view.entries("tools").filter_map(|(tool, node)| Some((tool.to_owned(), node.as_bool()?))).collect(),
            permissions: rules.transpose()?,
            max_steps: view.steps("max_steps"),
            temperature: view.number("temperature"),
            top_p: view.number("top_p"),
            disable: view.bool("disable").unwrap_or(false),
            layer: node.origin.layer,
        };
        Ok((name.to_owned(), profile))
    };
    root.entries("profiles").map(one).collect()
}
