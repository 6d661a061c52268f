//! The form of an answer in the words of a wire: the schema as it is, or the part of it that strict endpoints know. What an
//! endpoint cannot be told the words of the prompt say, and whoever asked checks.

use crate::options::Field;
use reasonix_catalogue::{Structured, Wire};
use serde_json::{Map, Value, json};

/// The name of the schema on the wire.
const NAME: &str = "answer";
/// What a schema says about shape alone; strict endpoints know no more of it than this.
const KNOWN: &[&str] = &["type", "enum", "const", "description", "$ref"];
/// What holds schemas by name.
const DEFINITIONS: &[&str] = &["$defs", "definitions"];
/// What says something about values that are not looked at while they are written; it is checked afterwards.
const CHECKED: &[&str] = &[
    "$schema",
    "$id",
    "$comment",
    "title",
    "default",
    "examples",
    "deprecated",
    "readOnly",
    "writeOnly",
    "format",
    "pattern",
    "minLength",
    "maxLength",
    "contentEncoding",
    "contentMediaType",
    "minimum",
    "maximum",
    "exclusiveMinimum",
    "exclusiveMaximum",
    "multipleOf",
    "minItems",
    "maxItems",
    "uniqueItems",
];

/// How the body says which form the answer has to have; none where this endpoint cannot be told.
pub(crate) fn field(wire: Wire, how: Structured, schema: &Value) -> Option<Field> {
    let object = || schema["type"] == "object";
    let plain = || json!({ "type": "json_object" });
    match (wire, how) {
        (_, Structured::None) | (Wire::Anthropic, Structured::JsonObject) => None,
        (Wire::Anthropic, _) => {
            let schema = strict(schema, false).filter(|_| object())?;
            Some(("output_config", json!({ "format": { "type": "json_schema", "schema": schema } })))
        }
        (Wire::Chat, Structured::JsonObject) => object().then(|| ("response_format", plain())),
        (Wire::Responses, Structured::JsonObject) => object().then(|| ("text", json!({ "format": plain() }))),
        (Wire::Chat, _) => {
            let named = named(how, schema);
            Some(("response_format", json!({ "type": "json_schema", "json_schema": named })))
        }
        (Wire::Responses, _) => {
            let mut format = named(how, schema);
            format.insert("type".to_owned(), json!("json_schema"));
            Some(("text", json!({ "format": format })))
        }
    }
}

/// The schema with its name, and whether it is strict.
fn named(how: Structured, schema: &Value) -> Map<String, Value> {
    let part = strict(schema, true).filter(|_| how == Structured::Strict && schema["type"] == "object");
    let is_strict = part.is_some() || how == Structured::JsonSchema;
    let mut named = Map::new();
    named.insert("name".to_owned(), json!(NAME));
    named.insert("schema".to_owned(), part.unwrap_or_else(|| schema.clone()));
    named.insert("strict".to_owned(), json!(is_strict));
    named
}

/// The part of a schema that strict endpoints know: every object closed, with all of its properties required where they want
/// that. None where that would forbid something that the schema allows and an answer may need.
fn strict(schema: &Value, all_required: bool) -> Option<Value> {
    let fields = schema.as_object()?;
    let mut out = Map::new();
    for (name, value) in fields {
        let name = name.as_str();
        match name {
            _ if KNOWN.contains(&name) => drop(out.insert(name.to_owned(), value.clone())),
            _ if CHECKED.contains(&name) => {}
            // Which one of them it is, is checked afterwards.
            "anyOf" | "oneOf" => {
                let any = value.as_array()?.iter().map(|one| strict(one, all_required)).collect::<Option<Vec<_>>>()?;
                out.insert("anyOf".to_owned(), Value::Array(any));
            }
            "items" => drop(out.insert(name.to_owned(), strict(value, all_required)?)),
            "properties" => drop(out.insert(name.to_owned(), each(value, all_required)?)),
            _ if DEFINITIONS.contains(&name) => drop(out.insert(name.to_owned(), each(value, all_required)?)),
            "required" => drop(out.insert(name.to_owned(), value.clone())),
            "additionalProperties" if *value == Value::Bool(false) => {}
            _ => return None,
        }
    }
    let is_object = |kind: &Value| kind == "object";
    let may_be = fields.get("type").is_some_and(|kind| match kind {
        Value::Array(kinds) => kinds.iter().any(is_object),
        kind => is_object(kind),
    });
    if may_be || fields.contains_key("properties") {
        close(&mut out, all_required)?;
    }
    Some(Value::Object(out))
}

/// Closes an object; none where anything may stand in it, or something need not.
fn close(object: &mut Map<String, Value>, all_required: bool) -> Option<()> {
    let properties = object.get("properties")?.as_object()?;
    let required: Vec<&Value> = object.get("required").and_then(Value::as_array).into_iter().flatten().collect();
    let is_required = |name: &String| required.iter().any(|word| *word == name);
    let is_known = |word: &&Value| word.as_str().is_some_and(|word| properties.contains_key(word));
    if all_required && !properties.keys().all(is_required) || !required.iter().all(is_known) {
        return None;
    }
    object.insert("additionalProperties".to_owned(), json!(false));
    Some(())
}

/// Schemas by name.
fn each(value: &Value, all_required: bool) -> Option<Value> {
    let made = value.as_object()?.iter().map(|(name, one)| Some((name.clone(), strict(one, all_required)?)));
    made.collect::<Option<Map<_, _>>>().map(Value::Object)
}

#[cfg(test)]
mod tests {
    use super::{field, strict};
    use reasonix_catalogue::{Structured, Wire};
    use serde_json::{Value, json};

    #[test]
    fn what_strict_endpoints_know_of_a_schema() {
        let schema = json!({ "$schema": "x", "type": "object", "required": ["n", "list"], "properties": {
            "n": { "type": "integer", "minimum": 1, "title": "N" },
            "list": { "type": "array", "minItems": 2, "items": { "oneOf": [{ "$ref": "#/$defs/word" }, { "type": "null" }] } },
        }, "$defs": { "word": { "type": "string", "maxLength": 3, "enum": ["a", "b"] } } });
        let closed = json!({ "type": "object", "required": ["n", "list"], "additionalProperties": false, "properties": {
            "n": { "type": "integer" },
            "list": { "type": "array", "items": { "anyOf": [{ "$ref": "#/$defs/word" }, { "type": "null" }] } },
        }, "$defs": { "word": { "type": "string", "enum": ["a", "b"] } } });
        assert_eq!(strict(&schema, true), Some(closed.clone()));
        assert_eq!(strict(&closed, true), Some(closed), "what is strict stays as it is");
    }

    #[test]
    fn what_would_forbid_an_answer_is_not_strict() {
        let object = |more: Value| {
            let mut object = json!({ "type": "object", "properties": { "a": { "type": "string" } } });
            more.as_object().into_iter().flatten().for_each(|(name, value)| object[name] = value.clone());
            object
        };
        for (schema, why) in [
            (json!({ "type": "object" }), "anything may stand in it"),
            (object(json!({ "required": ["a"], "additionalProperties": true })), "more may"),
            (object(json!({ "required": ["a"], "additionalProperties": { "type": "string" } })), "words as keys"),
            (object(json!({ "required": ["a", "b"] })), "what it wants could not be written"),
            (object(json!({ "required": ["a"], "patternProperties": {} })), "keys by pattern"),
            (object(json!({ "required": ["a"], "allOf": [] })), "a word that nobody knows"),
            (object(json!({ "required": ["a"], "properties": { "a": { "type": ["object", "null"] } } })), "deeper"),
            (json!(true), "no object at all"),
        ] {
            assert_eq!((strict(&schema, true), strict(&schema, false)), (None, None), "{why}: {schema}");
        }
        let optional = object(json!({}));
        assert_eq!(strict(&optional, true), None, "it need not be there");
        assert!(strict(&optional, false).is_some(), "where that may be said");
    }

    #[test]
    fn every_wire_has_its_words() {
        let schema =
            json!({ "type": "object", "properties": { "n": { "type": "integer", "minimum": 1 } }, "required": ["n"] });
        let closed = json!({ "type": "object", "properties": { "n": { "type": "integer" } }, "required": ["n"],
            "additionalProperties": false });
        let open = json!({ "type": "object" });
        let list = json!({ "type": "array", "items": { "type": "integer" } });
        let chat = |strict: bool, schema: &Value| {
            let named = json!({ "name": "answer", "schema": schema, "strict": strict });
            Some(("response_format", json!({ "type": "json_schema", "json_schema": named })))
        };
        let responses = |strict: bool, schema: &Value| {
            let format = json!({ "type": "json_schema", "name": "answer", "schema": schema, "strict": strict });
            Some(("text", json!({ "format": format })))
        };
        let claude = json!({ "format": { "type": "json_schema", "schema": closed } });
        let object = json!({ "type": "json_object" });
        for (wire, how, given, told) in [
            (Wire::Chat, Structured::None, &schema, None),
            (Wire::Chat, Structured::Strict, &schema, chat(true, &closed)),
            (Wire::Chat, Structured::Strict, &open, chat(false, &open)),
            (Wire::Chat, Structured::Strict, &list, chat(false, &list)),
            (Wire::Chat, Structured::JsonSchema, &schema, chat(true, &schema)),
            (Wire::Chat, Structured::JsonObject, &schema, Some(("response_format", object.clone()))),
            (Wire::Chat, Structured::JsonObject, &list, None),
            (Wire::Responses, Structured::Strict, &schema, responses(true, &closed)),
            (Wire::Responses, Structured::Strict, &open, responses(false, &open)),
            (Wire::Responses, Structured::JsonObject, &schema, Some(("text", json!({ "format": object })))),
            (Wire::Anthropic, Structured::Strict, &schema, Some(("output_config", claude))),
            (Wire::Anthropic, Structured::Strict, &open, None),
            (Wire::Anthropic, Structured::JsonObject, &schema, None),
        ] {
            assert_eq!(field(wire, how, given), told, "{wire:?} {how:?} {given}");
        }
    }
}
