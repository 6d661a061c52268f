//! Schemas without depth, for models that lose arguments in deep ones: `{"user": {"profile": {"name": …}}}` is sent as
//! `"user.profile.name"`. The loop nests the arguments back before a tool sees them.

use reasonix_agent::{Prefix, ToolSpec};
use serde_json::{Map, Value, json};
use std::sync::Arc;

/// A schema that is deeper than this is flattened.
const DEPTH: usize = 2;
/// A schema with more leaves than this is flattened.
const LEAVES: usize = 10;
/// How deep a schema is looked into.
const MOST_DEPTH: usize = 12;

/// The prefix with flat schemas; the same one where there is nothing to flatten.
pub(crate) fn flat_prefix(prefix: &Arc<Prefix>) -> Arc<Prefix> {
    if !prefix.tools.iter().any(|spec| is_deep(&spec.parameters)) {
        return Arc::clone(prefix);
    }
    let tools = prefix.tools.iter().map(|spec| match is_deep(&spec.parameters) {
        true => ToolSpec { parameters: flat(&spec.parameters), ..spec.clone() },
        false => spec.clone(),
    });
    Arc::new(Prefix { system: prefix.system.clone(), tools: tools.collect(), aliases: prefix.aliases.clone() })
}

/// Whether a schema is too deep or too wide, and has objects in it that can be flattened.
fn is_deep(schema: &Value) -> bool {
    let mut size = (0, 0);
    measure(schema, 0, &mut size);
    let nested = properties(schema).is_some_and(|known| known.values().any(|inner| properties(inner).is_some()));
    nested && (size.0 > DEPTH || size.1 > LEAVES)
}

/// The members of an object schema that names them. Anything that is also something else, or refers elsewhere, is a leaf.
fn properties(schema: &Value) -> Option<&Map<String, Value>> {
    let plain = schema.get("type").is_none_or(|kind| kind == "object")
        && schema.get("additionalProperties").is_none_or(|more| *more == json!(false));
    schema
        .get("properties")?
        .as_object()
        .filter(|known| plain && !known.is_empty() && !known.keys().any(|name| name.contains('.')))
}

fn measure(schema: &Value, depth: usize, size: &mut (usize, usize)) {
    match properties(schema).filter(|_| depth < MOST_DEPTH) {
        Some(known) => known.values().for_each(|inner| measure(inner, depth + 1, size)),
        None => {
            size.0 = size.0.max(depth);
            size.1 += 1;
        }
    }
}

fn flat(schema: &Value) -> Value {
    let (mut known, mut required) = (Map::new(), Vec::new());
    gather(schema, "", true, 0, &mut known, &mut required);
    let mut out = schema.as_object().cloned().unwrap_or_default();
    out.insert("type".to_owned(), json!("object"));
    out.insert("properties".to_owned(), Value::Object(known));
    out.remove("required");
    if !required.is_empty() {
        out.insert("required".to_owned(), json!(required));
    }
    Value::Object(out)
}

/// Gathers the leaves. One is required where it and all objects around it are.
fn gather(
    schema: &Value,
    front: &str,
    needed: bool,
    depth: usize,
    known: &mut Map<String, Value>,
    required: &mut Vec<String>,
) {
    let names: Vec<&str> =
        schema.get("required").and_then(Value::as_array).into_iter().flatten().filter_map(Value::as_str).collect();
    for (name, inner) in properties(schema).into_iter().flatten() {
        let path = if front.is_empty() { name.clone() } else { format!("{front}.{name}") };
        let needed = needed && names.contains(&name.as_str());
        if properties(inner).is_some() && depth < MOST_DEPTH {
            gather(inner, &path, needed, depth + 1, known, required);
            continue;
        }
        if needed {
            required.push(path.clone());
        }
        known.insert(path, inner.clone());
    }
}

#[cfg(test)]
mod tests {
    use super::{flat, flat_prefix, is_deep};
    use pretty_assertions::assert_eq;
    use reasonix_agent::{Prefix, ToolSpec};
    use serde_json::{Value, json};
    use std::sync::Arc;

    fn user() -> Value {
        json!({ "type": "object", "required": ["user"], "properties": {
            "force": { "type": "boolean" },
            "user": { "type": "object", "required": ["profile"], "properties": {
                "tags": { "type": "array", "items": { "type": "object", "properties": { "a": { "type": "string" } } } },
                "profile": { "type": "object", "required": ["name"], "properties": {
                    "name": { "type": "string", "description": "Who." }, "age": { "type": "integer" } } } } } } })
    }

    #[test]
    fn deep_and_wide_schemas() {
        let wide: Value =
            (0..11).map(|n| (format!("a{n}"), json!({ "type": "string" }))).collect::<serde_json::Map<_, _>>().into();
        let shallow = json!({ "type": "object", "properties": { "o": { "type": "object", "properties": { "a": { "type": "string" } } } } });
        assert!(is_deep(&user()));
        assert!(!is_deep(&shallow), "two levels are fine");
        assert!(!is_deep(&json!({ "type": "object", "properties": wide })), "wide but flat already");
        assert!(is_deep(&json!({ "type": "object", "properties": { "o": { "type": "object", "properties": wide } } })));
        assert!(!is_deep(&json!({ "type": "object" })));
    }

    #[test]
    fn leaves_by_their_paths() {
        assert_eq!(
            flat(&user()),
            json!({ "type": "object", "required": ["user.profile.name"], "properties": {
                "force": { "type": "boolean" },
                "user.tags": { "type": "array", "items": { "type": "object", "properties": { "a": { "type": "string" } } } },
                "user.profile.name": { "type": "string", "description": "Who." },
                "user.profile.age": { "type": "integer" } } })
        );
    }

    #[test]
    fn a_prefix_without_depth_is_the_same_one() {
        let spec = |parameters: Value| ToolSpec::new("t", "d", parameters);
        let prefix =
            |parameters: Value| Arc::new(Prefix { system: "s".into(), tools: vec![spec(parameters)], aliases: vec![] });
        let plain = prefix(json!({ "type": "object" }));
        assert!(Arc::ptr_eq(&plain, &flat_prefix(&plain)));
        let deep = prefix(user());
        assert_eq!(flat_prefix(&deep).tools[0].parameters, flat(&user()));
    }
}
