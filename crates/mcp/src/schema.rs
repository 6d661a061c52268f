//! Schemas of servers as models and wires can take them: everything local is put in place, circles are cut, nothing is ever
//! fetched. What cannot be used is said, never guessed.

use reasonix_proto::unhidden;
use serde_json::{Map, Value, json};
use std::borrow::Cow;

/// Levels of a schema; deeper ones take anything.
const DEEPEST: usize = 24;
/// Parts of a schema once everything is put in place: references to references can double on every level.
const MOST_PARTS: usize = 4000;
/// What only means something where the schema comes from.
const ELSEWHERE: &[&str] =
    &["$schema", "$id", "$anchor", "$defs", "definitions", "$dynamicAnchor", "$dynamicRef", "$comment", "$vocabulary"];

/// The schema of a tool's arguments, repaired; why it cannot be used otherwise.
pub(crate) fn repair(schema: &Map<String, Value>, most: usize) -> Result<Value, String> {
    let root = Value::Object(schema.clone());
    let mut work = Repair { root: &root, open: Vec::new(), parts: 0 };
    let mut whole = match work.one(&root, 0)? {
        Value::Object(fields) => fields,
        _ => Map::new(),
    };
    flatten(&mut whole);
    match whole.get("type").and_then(Value::as_str) {
        None | Some("object") => {}
        Some(other) => return Err(format!("its arguments are of the type {other}, not an object")),
    }
    whole.insert("type".into(), json!("object"));
    if !whole.get("properties").is_some_and(Value::is_object) {
        whole.insert("properties".into(), json!({}));
    }
    let mut whole = Value::Object(whole);
    show(&mut whole)?;
    let bytes = whole.to_string().len();
    if bytes > most { Err(format!("its schema has {bytes} bytes, more than {most}")) } else { Ok(whole) }
}

/// Takes out what nobody sees: who accepts a tool accepts what is shown of it. A name cannot be another one.
fn show(node: &mut Value) -> Result<(), String> {
    match node {
        Value::String(text) => {
            if let Cow::Owned(shown) = unhidden(text).text {
                *text = shown;
            }
        }
        Value::Array(list) => list.iter_mut().try_for_each(show)?,
        Value::Object(fields) => {
            for (name, value) in fields {
                if unhidden(name).count > 0 {
                    return Err("its schema has names with characters that nobody sees".to_owned());
                }
                show(value)?;
            }
        }
        _ => {}
    }
    Ok(())
}

struct Repair<'a> {
    root: &'a Value,
    /// The references that are being put in place, from the outermost.
    open: Vec<String>,
    parts: usize,
}

impl Repair<'_> {
    fn one(&mut self, node: &Value, depth: usize) -> Result<Value, String> {
        self.parts += 1;
        if self.parts > MOST_PARTS {
            return Err(format!("its schema has more than {MOST_PARTS} parts"));
        }
        match node {
            Value::Object(fields) if depth < DEEPEST => self.fields(fields, depth),
            // `false` as a schema, or a level too deep: nothing can be said that helps a model.
            Value::Object(_) | Value::Bool(_) => Ok(json!({})),
            other => Ok(other.clone()),
        }
    }

    fn fields(&mut self, fields: &Map<String, Value>, depth: usize) -> Result<Value, String> {
        let mut out = match fields.get("$ref").and_then(Value::as_str) {
            Some(reference) => self.referred(reference, depth)?,
            None => Map::new(),
        };
        for (name, value) in fields {
            if name == "$ref" || ELSEWHERE.contains(&name.as_str()) {
                continue;
            }
            let value = match (name.as_str(), value) {
                ("properties" | "patternProperties" | "dependentSchemas", Value::Object(named)) => {
                    self.named(named, depth)?
                }
                ("allOf" | "anyOf" | "oneOf" | "prefixItems", Value::Array(list)) => {
                    Value::Array(list.iter().map(|node| self.one(node, depth + 1)).collect::<Result<_, _>>()?)
                }
                ("items" | "not" | "contains" | "propertyNames" | "if" | "then" | "else", Value::Object(_)) => {
                    self.one(value, depth + 1)?
                }
                ("additionalProperties" | "unevaluatedProperties", Value::Object(_)) => self.one(value, depth + 1)?,
                _ => value.clone(),
            };
            out.insert(name.clone(), value);
        }
        simplify(&mut out);
        Ok(Value::Object(out))
    }

    fn named(&mut self, named: &Map<String, Value>, depth: usize) -> Result<Value, String> {
        let one = |(name, node): (&String, &Value)| Ok((name.clone(), self.one(node, depth + 1)?));
        Ok(Value::Object(named.iter().map(one).collect::<Result<_, String>>()?))
    }

    /// What a reference stands for. Only what is in the schema itself is ever looked at.
    fn referred(&mut self, reference: &str, depth: usize) -> Result<Map<String, Value>, String> {
        let said = |what: &str| Map::from_iter([("description".to_owned(), json!(what))]);
        let Some(pointer) = reference.strip_prefix('#') else { return Ok(said("anything")) };
        if self.open.iter().any(|open| open == reference) {
            return Ok(said("the same again"));
        }
        let root = self.root;
        let Some(node) = root.pointer(pointer) else { return Ok(said("anything")) };
        self.open.push(reference.to_owned());
        let found = self.one(node, depth + 1);
        self.open.pop();
        Ok(match found? {
            Value::Object(fields) => fields,
            _ => Map::new(),
        })
    }
}

/// Makes plain what is only wrapped.
fn simplify(fields: &mut Map<String, Value>) {
    if let Some(Value::Array(list)) = fields.get("allOf")
        && let [Value::Object(only)] = list.as_slice()
    {
        let only = only.clone();
        fields.remove("allOf");
        for (name, value) in only {
            fields.entry(name).or_insert(value);
        }
    }
    if !fields.contains_key("description") {
        let inside = |key: &str| fields.get(key)?.as_array()?.iter().find_map(|node| node.get("description")).cloned();
        if let Some(text) = inside("anyOf").or_else(|| inside("oneOf")) {
            fields.insert("description".into(), text);
        }
    }
    if !fields.contains_key("type") && !fields.contains_key("anyOf") && !fields.contains_key("oneOf") {
        let examples = fields.get("enum").and_then(Value::as_array).map(Vec::as_slice);
        let examples = examples.or_else(|| fields.get("const").map(std::slice::from_ref)).unwrap_or_default();
        if let Some(kind) = kind_of(examples) {
            fields.insert("type".into(), json!(kind));
        }
    }
    if fields.get("type").and_then(Value::as_str) == Some("array") && !fields.contains_key("items") {
        fields.insert("items".into(), json!({}));
    }
}

/// The one type that all of these have.
fn kind_of(values: &[Value]) -> Option<&'static str> {
    let kind = |value: &Value| match value {
        Value::String(_) => Some("string"),
        Value::Bool(_) => Some("boolean"),
        Value::Number(number) => Some(if number.is_f64() { "number" } else { "integer" }),
        _ => None,
    };
    let first = kind(values.first()?)?;
    values.iter().all(|value| kind(value) == Some(first)).then_some(first)
}

/// Wires refuse a choice at the top: its branches become one object in which only what all of them want is required.
fn flatten(whole: &mut Map<String, Value>) {
    for (choice, all) in [("allOf", true), ("anyOf", false), ("oneOf", false)] {
        let Some(Value::Array(branches)) = whole.remove(choice) else { continue };
        let mut properties = match whole.remove("properties") {
            Some(Value::Object(properties)) => properties,
            _ => Map::new(),
        };
        let mut required: Vec<Value> = list(whole.get("required"));
        let wanted: Vec<Vec<Value>> = branches.iter().map(|branch| list(branch.get("required"))).collect();
        let everywhere = |name: &Value| all || wanted.iter().all(|names| names.contains(name));
        for name in wanted.iter().flatten().filter(|name| everywhere(name)) {
            if !required.contains(name) {
                required.push(name.clone());
            }
        }
        for branch in branches {
            let Some(Value::Object(more)) = branch.get("properties") else { continue };
            for (name, node) in more {
                properties.entry(name.clone()).or_insert_with(|| node.clone());
            }
        }
        whole.insert("properties".into(), Value::Object(properties));
        if !required.is_empty() {
            whole.insert("required".into(), Value::Array(required));
        }
    }
}

fn list(node: Option<&Value>) -> Vec<Value> {
    node.and_then(Value::as_array).cloned().unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::repair;
    use serde_json::{Value, json};

    fn repaired(schema: &Value) -> Result<Value, String> {
        repair(schema.as_object().unwrap(), 64 * 1024)
    }

    #[test]
    fn what_nobody_sees_is_taken_out_and_is_no_name() {
        let made = repaired(&json!({"properties": {"a": {"description": "re\u{e0041}ad\u{202e}s"}}})).unwrap();
        let text = made.to_string();
        assert!(!text.contains(['\u{e0041}', '\u{202e}']) && text.contains("re"), "{text}");
        assert!(repaired(&json!({"properties": {"p\u{200b}q": {}}})).is_err());
    }

    #[test]
    fn what_is_local_is_put_in_place_and_the_rest_is_never_fetched() {
        let schema = json!({"$schema": "x", "type": "object", "$defs": {"a": {"type": "string", "enum": ["x"]}},
            "properties": {"one": {"$ref": "#/$defs/a"}, "two": {"$ref": "https://example.com/s.json"},
                "three": {"$ref": "#/nowhere"}, "four": {"$ref": "#/$defs/a", "description": "mine"}}});
        let wanted = json!({"type": "object", "properties": {
            "one": {"type": "string", "enum": ["x"]}, "two": {"description": "anything"},
            "three": {"description": "anything"}, "four": {"type": "string", "enum": ["x"], "description": "mine"}}});
        assert_eq!(repaired(&schema).unwrap(), wanted);
    }

    #[test]
    fn circles_are_cut() {
        let schema = json!({"type": "object", "$defs": {"node": {"type": "object", "properties": {
            "next": {"$ref": "#/$defs/node"}, "value": {"type": "string"}}}},
            "properties": {"list": {"$ref": "#/$defs/node"}, "self": {"$ref": "#"}}});
        let list = json!({"type": "object", "properties": {
            "next": {"description": "the same again"}, "value": {"type": "string"}}});
        let out = repaired(&schema).unwrap();
        assert_eq!(out["properties"]["list"], list);
        assert_eq!(out["properties"]["self"]["properties"]["self"], json!({"description": "the same again"}));
    }

    #[test]
    fn what_doubles_on_every_level_is_refused() {
        let mut defs = serde_json::Map::new();
        for level in 0..20 {
            let below = json!({"$ref": format!("#/$defs/d{}", level + 1)});
            defs.insert(format!("d{level}"), json!({"type": "object", "properties": {"a": below, "b": below}}));
        }
        defs.insert("d20".into(), json!({"type": "string"}));
        let schema = json!({"type": "object", "$defs": defs, "properties": {"top": {"$ref": "#/$defs/d0"}}});
        assert!(repaired(&schema).unwrap_err().contains("parts"));
    }

    #[test]
    fn wrappers_are_made_plain() {
        let schema = json!({"properties": {
            "a": {"allOf": [{"type": "string", "description": "d"}]},
            "b": {"anyOf": [{"type": "string", "description": "inside"}, {"type": "null"}]},
            "c": {"enum": [1, 2]}, "d": {"const": "x"}, "e": {"enum": [1, "x"]}, "f": {"type": "array"}, "g": true}});
        let wanted = json!({"type": "object", "properties": {
            "a": {"type": "string", "description": "d"},
            "b": {"anyOf": [{"type": "string", "description": "inside"}, {"type": "null"}], "description": "inside"},
            "c": {"enum": [1, 2], "type": "integer"}, "d": {"const": "x", "type": "string"}, "e": {"enum": [1, "x"]},
            "f": {"type": "array", "items": {}}, "g": {}}});
        assert_eq!(repaired(&schema).unwrap(), wanted);
    }

    #[test]
    fn a_choice_at_the_top_becomes_one_object() {
        let branch =
            |name: &str| json!({"properties": {name: {"type": "string"}, "both": {}}, "required": [name, "both"]});
        let out = repaired(&json!({"type": "object", "anyOf": [branch("a"), branch("b")]})).unwrap();
        assert_eq!(out["required"], json!(["both"]));
        assert_eq!(out["properties"].as_object().unwrap().len(), 3);
        assert!(out.get("anyOf").is_none());
    }

    #[test]
    fn what_is_no_object_or_too_large_is_said() {
        assert!(repaired(&json!({"type": "string"})).unwrap_err().contains("string"));
        let large = json!({"properties": {"a": {"description": "x".repeat(70_000)}}});
        assert!(repaired(&large).unwrap_err().contains("bytes"));
        assert_eq!(repaired(&json!({})).unwrap(), json!({"type": "object", "properties": {}}));
    }
}
