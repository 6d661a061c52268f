//! JSON schemas from argument types, slimmed to what a model needs. Every byte here is sent with every request.

use schemars::JsonSchema;
use serde_json::{Map, Value};

/// How deep inlined references may nest; a recursive type is cut there.
const DEPTH: usize = 8;

/// The schema of an argument type: no titles, formats or nulls, references inlined.
pub fn schema_of<T: JsonSchema>() -> Value {
    let mut schema = schemars::schema_for!(T).to_value();
    let definitions = schema.as_object_mut().and_then(|map| map.remove("$defs")).unwrap_or_default();
    let mut slim = slim(schema, &definitions, 0);
    // Some servers refuse an object that does not say which properties it has, even where it has none.
    slim.as_object_mut().map(|map| map.entry("properties").or_insert_with(|| Value::Object(Map::new())));
    slim
}

fn slim(value: Value, definitions: &Value, depth: usize) -> Value {
    match value {
        Value::Object(map) => slim_object(map, definitions, depth),
        Value::Array(items) => items.into_iter().map(|item| slim(item, definitions, depth)).collect(),
        other => other,
    }
}

fn slim_object(mut map: Map<String, Value>, definitions: &Value, depth: usize) -> Value {
    if depth > DEPTH {
        return Value::Object(Map::new());
    }
    if let Some(target) = map.remove("$ref").and_then(|name| resolve(&name, definitions)) {
        let description = map.remove("description");
        let mut inlined = slim(target, definitions, depth + 1);
        if let (Some(description), Some(object)) = (description, inlined.as_object_mut()) {
            object.insert("description".to_owned(), description);
        }
        return inlined;
    }
    if let Some(plain) = without_null(&mut map) {
        map.extend(plain);
        return slim_object(map, definitions, depth + 1);
    }
    for key in ["$schema", "title", "format", "additionalProperties", "minimum"] {
        map.remove(key);
    }
    // What is nothing by default says nothing.
    let nothing = |value: &Value| match value {
        Value::Null | Value::Bool(false) => true,
        Value::String(text) => text.is_empty(),
        Value::Array(items) => items.is_empty(),
        _ => false,
    };
    if map.get("default").is_some_and(nothing) {
        map.remove("default");
    }
    flatten_type(&mut map);
    if let Some(Value::Object(properties)) = map.remove("properties") {
        let slimmed = properties.into_iter().map(|(name, schema)| (name, slim(schema, definitions, depth + 1)));
        map.insert("properties".to_owned(), Value::Object(slimmed.collect()));
    }
    if let Some(items) = map.remove("items") {
        map.insert("items".to_owned(), slim(items, definitions, depth + 1));
    }
    Value::Object(map)
}

fn resolve(name: &Value, definitions: &Value) -> Option<Value> {
    let name = name.as_str()?.rsplit('/').next()?;
    definitions.get(name).cloned()
}

/// The one schema that is left of an `anyOf` when null is taken out.
fn without_null(map: &mut Map<String, Value>) -> Option<Map<String, Value>> {
    let variants = map.get("anyOf")?.as_array()?;
    let rest: Vec<&Value> =
        variants.iter().filter(|variant| variant.get("type") != Some(&Value::from("null"))).collect();
    let [Value::Object(only)] = rest.as_slice() else { return None };
    let only = only.clone();
    map.remove("anyOf");
    Some(only)
}

/// Turns `["string", "null"]` into `"string"`.
fn flatten_type(map: &mut Map<String, Value>) {
    let Some(Value::Array(types)) = map.get("type") else { return };
    let rest: Vec<Value> = types.iter().filter(|name| **name != "null").cloned().collect();
    if let [only] = rest.as_slice() {
        map.insert("type".to_owned(), only.clone());
    }
}

#[cfg(test)]
mod tests {
    use super::schema_of;
    use pretty_assertions::assert_eq;
    use schemars::JsonSchema;
    use serde::Deserialize;
    use serde_json::json;

    #[derive(Deserialize, JsonSchema)]
    #[expect(dead_code, reason = "only its schema counts")]
    struct Sample {
        path: String,
        /// How many.
        limit: Option<u32>,
        #[serde(default)]
        deep: bool,
        inner: Option<Inner>,
        list: Vec<Inner>,
        #[serde(default, skip)]
        hidden: bool,
    }

    #[derive(Deserialize, JsonSchema)]
    #[expect(dead_code, reason = "only its schema counts")]
    struct Inner {
        old: String,
        title: Option<String>,
    }

    #[test]
    fn a_schema_is_slim() {
        let inner = json!({
            "type": "object",
            "properties": {"old": {"type": "string"}, "title": {"type": "string"}},
            "required": ["old"],
        });
        assert_eq!(
            schema_of::<Sample>(),
            json!({
                "type": "object",
                "properties": {
                    "path": {"type": "string"},
                    "limit": {"type": "integer", "description": "How many."},
                    "deep": {"type": "boolean"},
                    "inner": inner,
                    "list": {"type": "array", "items": inner},
                },
                "required": ["path", "list"],
            })
        );
    }
}
