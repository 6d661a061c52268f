//! `[permissions]`: rule texts and fallbacks, and what was granted for one workspace.

use crate::ConfigError;
use crate::view::View;
use reasonix_policy::{Fallback, Rule};
use reasonix_proto::Phrase;
use std::collections::BTreeMap;
use std::path::Path;

/// The permission rules, as texts.
#[derive(Debug, Clone, PartialEq)]
pub struct Permissions {
    /// The fallback for writers.
    pub mode: Fallback,
    /// Rules that allow. Never from a project.
    pub allow: Vec<String>,
    /// Those at the end of `allow` that were granted for this workspace root.
    pub granted: Vec<String>,
    /// Rules that ask.
    pub ask: Vec<String>,
    /// Rules that deny.
    pub deny: Vec<String>,
    /// Fallbacks of single families by their rule name, such as `Bash`, `Edit`, `Read` or `Task`.
    pub fallbacks: BTreeMap<String, Fallback>,
    /// Paths outside the workspace.
    pub external_directory: Fallback,
    /// More patterns for the dangerous class.
    pub dangerous: Vec<String>,
}

impl Default for Permissions {
    fn default() -> Self {
        Self {
            mode: Fallback::Ask,
            allow: Vec::new(),
            granted: Vec::new(),
            ask: Vec::new(),
            deny: Vec::new(),
            fallbacks: BTreeMap::new(),
            external_directory: Fallback::Deny,
            dangerous: Vec::new(),
        }
    }
}

/// The families that have a fallback of their own.
const FAMILIES: &[&str] = &["Bash", "Edit", "Read", "Grep", "Task", "Skill", "Mcp", "Web"];

/// The rules. One that cannot be read is an error, never left out.
pub(crate) fn resolve(view: &View<'_>) -> Result<Permissions, ConfigError> {
    let built_in = Permissions::default();
    let stranger = view.entries("fallbacks").find(|(family, _)| !FAMILIES.contains(family));
    if let Some((family, node)) = stranger {
        return Err(ConfigError::UnknownKey {
            origin: node.origin.clone(),
            key: format!("permissions.fallbacks.{family}"),
            suggestion: crate::unknown::nearest(family, FAMILIES.iter().copied()),
        });
    }
    Ok(Permissions {
        mode: mode(view.text("mode")).unwrap_or(built_in.mode),
        allow: rules(view, "allow")?,
        granted: Vec::new(),
        ask: rules(view, "ask")?,
        deny: rules(view, "deny")?,
        fallbacks: view
            .entries("fallbacks")
            .filter_map(|(family, node)| Some((family.to_owned(), mode(node.as_text().map(str::to_owned))?)))
            .collect(),
        external_directory: mode(view.text("external_directory")).unwrap_or(built_in.external_directory),
        dangerous: view.texts("dangerous"),
    })
}

fn rules(view: &View<'_>, key: &str) -> Result<Vec<String>, ConfigError> {
    // What allows must not reach to code or to another program; what forbids may be as wide as it likes.
    let read = if key == "allow" { Rule::parse_allow } else { Rule::parse };
    for node in view.items(key) {
        read(node.as_text().unwrap_or_default()).map_err(|error| ConfigError::Rule {
            origin: node.origin.clone(),
            key: format!("permissions.{key}"),
            rule: error.rule,
            reason: error.reason,
        })?;
    }
    let placed = |text: String| match view.home() {
        Some(home) => Rule::at_home(&text, home),
        None => text,
    };
    Ok(view.texts(key).into_iter().map(placed).collect())
}

/// The rules that the user granted for exactly this workspace root.
pub(crate) fn granted(root: &View<'_>, project: &Path) -> Result<Vec<String>, ConfigError> {
    let here = project.canonicalize().unwrap_or_else(|_| project.to_owned());
    let workspaces = root.section("workspaces");
    let mut granted = Vec::new();
    for (path, _) in root.entries("workspaces").filter(|(path, _)| Path::new(path) == here) {
        granted.extend(rules(&workspaces.section(path).section("permissions"), "allow")?);
    }
    Ok(granted)
}

/// What to say about rules whose tool is not among the known ones. They are kept: a rule of a newer version forbids what
/// this one cannot do.
pub fn unknown_rule_tools(permissions: &Permissions, known: &[String]) -> Vec<Phrase> {
    let later =
        |name: &str| FAMILIES.iter().any(|family| family.eq_ignore_ascii_case(name)) || name.starts_with("mcp__");
    let texts = permissions.deny.iter().chain(&permissions.ask).chain(&permissions.allow);
    let mut phrases = Vec::new();
    for rule in texts.filter_map(|text| Rule::parse(text).ok()) {
        let Some(tool) = rule.tool().filter(|tool| !later(tool)) else { continue };
        if known.iter().any(|name| name.eq_ignore_ascii_case(tool)) {
            continue;
        }
        let names = known.iter().map(String::as_str).chain(FAMILIES.iter().copied());
        let phrase = Phrase::new("config.rule_tool").with("rule", rule.text()).with("tool", tool);
        phrases.push(match crate::unknown::nearest(tool, names) {
            Some(like) => Phrase { code: "config.rule_tool_like".into(), ..phrase }.with("suggestion", like),
            None => phrase,
        });
    }
    phrases
}

fn mode(text: Option<String>) -> Option<Fallback> {
    match text.as_deref() {
        Some("allow") => Some(Fallback::Allow),
        Some("ask") => Some(Fallback::Ask),
        Some("deny") => Some(Fallback::Deny),
        _ => None,
    }
}
