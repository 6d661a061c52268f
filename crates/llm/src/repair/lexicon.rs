//! The tools that a call may name, and what can be told of a call by its tool's schema.

use reasonix_agent::{Prefix, ToolSpec, plain_name};
use serde_json::{Map, Value};
use std::collections::HashMap;

/// The tools of a session under all their names.
#[derive(Debug, Default)]
pub(crate) struct Lexicon {
    /// Names in one spelling, and the tool's own.
    names: HashMap<String, String>,
    /// The arguments that a tool knows, and those that it needs.
    arguments: HashMap<String, (Vec<String>, Vec<String>)>,
}

impl Lexicon {
    pub(crate) fn of(prefix: &Prefix) -> Self {
        let mut lexicon = Self::default();
        for (alias, name) in &prefix.aliases {
            lexicon.names.insert(plain_name(alias), name.clone());
        }
        for spec in &prefix.tools {
            lexicon.names.insert(plain_name(&spec.name), spec.name.clone());
            lexicon.arguments.insert(spec.name.clone(), arguments(spec));
        }
        lexicon
    }

    /// The tool's own name, however it is spelt.
    pub(crate) fn find(&self, name: &str) -> Option<&str> {
        if name.len() > 128 {
            return None;
        }
        self.names.get(&plain_name(name)).map(String::as_str)
    }

    /// True when a name, or what may stand in front of one, can begin like this.
    pub(crate) fn may_begin(&self, text: &str) -> bool {
        let plain = plain_name(text);
        text.contains('.')
            || ["print", "functions", "default_api", "tools"].iter().any(|front| front.starts_with(text))
            || self.names.keys().any(|name| name.starts_with(&plain))
    }

    /// True when no tool is known.
    pub(crate) fn is_empty(&self) -> bool {
        self.names.is_empty()
    }

    /// True when a tool knows an argument of this name.
    pub(crate) fn knows(&self, tool: &str, argument: &str) -> bool {
        self.arguments.get(tool).is_some_and(|(known, _)| known.iter().any(|name| name == argument))
    }

    /// True when the arguments are exactly of the kind that the tool asks for: all it needs, and nothing it does not know.
    pub(crate) fn fits(&self, tool: &str, args: &Map<String, Value>) -> bool {
        let Some((known, required)) = self.arguments.get(tool) else { return false };
        let plain: Vec<String> = known.iter().map(|name| plain_name(name)).collect();
        required.iter().all(|name| args.keys().any(|given| plain_name(given) == plain_name(name)))
            && (known.is_empty() || args.keys().all(|given| plain.contains(&plain_name(given))))
    }
}

fn arguments(spec: &ToolSpec) -> (Vec<String>, Vec<String>) {
    let known = spec.parameters.get("properties").and_then(Value::as_object);
    let required = spec.parameters.get("required").and_then(Value::as_array);
    (
        known.into_iter().flatten().map(|(name, _)| name.clone()).collect(),
        required.into_iter().flatten().filter_map(|name| name.as_str().map(str::to_owned)).collect(),
    )
}
