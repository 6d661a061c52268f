//! Arguments brought into the shape that a tool's schema asks for, where there is only one way to mean them. Pure.
//! What does not fit in the end is the tool's to refuse: nothing is made up here.

use crate::names::{nearest, plain_name};
use crate::ports::Args;
use reasonix_proto::Fix;
use serde_json::{Map, Value};

/// How deep arguments are looked into.
const DEPTH: usize = 8;

/// Names of a wrapping that some models put around all arguments.
const WRAPPINGS: [&str; 6] = ["arguments", "parameters", "args", "kwargs", "input", "params"];

/// What was changed: the kind, and the argument it is about.
pub(crate) type Notes = Vec<(Fix, String)>;

/// The arguments as the schema wants them, and what had to be changed for it.
pub(crate) fn coerce(args: Args, schema: &Value) -> (Args, Notes) {
    let mut notes = Notes::new();
    let args = unwrapped(args, schema, &mut notes);
    let args = object(args, schema, "", 0, &mut notes);
    (args, notes)
}

fn properties(schema: &Value) -> Option<&Map<String, Value>> {
    schema.get("properties")?.as_object().filter(|known| !known.is_empty())
}

/// Takes the arguments out of an object that holds nothing else.
fn unwrapped(mut args: Args, schema: &Value, notes: &mut Notes) -> Args {
    let Some(known) = properties(schema) else { return args };
    let mut names = args.keys();
    let (Some(name), None) = (names.next().cloned(), names.next()) else { return args };
    if known.contains_key(&name) || !WRAPPINGS.contains(&name.as_str()) {
        return args;
    }
    let inner = match args.get(&name) {
        Some(Value::Object(inner)) => Some(inner.clone()),
        Some(Value::String(text)) => serde_json::from_str::<Map<String, Value>>(text).ok(),
        _ => None,
    };
    if let Some(inner) = inner {
        notes.push((Fix::Unwrapped, name));
        args = inner;
    }
    args
}

fn object(mut args: Args, schema: &Value, at: &str, depth: usize, notes: &mut Notes) -> Args {
    let Some(known) = properties(schema).filter(|_| depth < DEPTH) else { return args };
    nest(&mut args, known, notes);
    rename(&mut args, known, at, notes);
    let required: Vec<&str> =
        schema.get("required").and_then(Value::as_array).into_iter().flatten().filter_map(Value::as_str).collect();
    let mut out = Args::new();
    for (name, value) in args {
        let Some(wanted) = known.get(&name) else {
            out.insert(name, value);
            continue;
        };
        let place = if at.is_empty() { name.clone() } else { format!("{at}.{name}") };
        let optional = !required.contains(&name.as_str());
        if optional && is_nothing(&value) && !accepts(wanted, &value) {
            notes.push((Fix::Type, format!("{place}: left out")));
            continue;
        }
        out.insert(name, fit(value, wanted, &place, depth + 1, notes));
    }
    out
}

/// A way to say that there is no value.
fn is_nothing(value: &Value) -> bool {
    match value {
        Value::Null => true,
        Value::String(text) => matches!(text.trim(), "" | "null" | "None" | "none" | "undefined"),
        _ => false,
    }
}

/// Puts `"a.b": 1` into `"a": {"b": 1}` where the schema has an object `a` and no `a.b`.
fn nest(args: &mut Args, known: &Map<String, Value>, notes: &mut Notes) {
    let dotted: Vec<String> =
        args.keys().filter(|name| name.contains('.') && !known.contains_key(*name)).cloned().collect();
    for name in dotted {
        let Some((first, rest)) = name.split_once('.') else { continue };
        let is_object = known.get(first).is_some_and(|schema| kinds(schema).contains(&"object"));
        if !is_object || args.get(first).is_some_and(|there| !there.is_object()) {
            continue;
        }
        let Some(value) = args.remove(&name) else { continue };
        if let Value::Object(inner) = args.entry(first.to_owned()).or_insert_with(|| Value::Object(Map::new())) {
            inner.insert(rest.to_owned(), value);
            notes.push((Fix::Nested, name));
        }
    }
}

/// Gives arguments of unknown names those of known ones that they are near to and that are not there yet.
fn rename(args: &mut Args, known: &Map<String, Value>, at: &str, notes: &mut Notes) {
    let unknown: Vec<String> = args.keys().filter(|name| !known.contains_key(*name)).cloned().collect();
    for name in unknown {
        let plain = plain_name(&name);
        let free = || known.keys().map(String::as_str).filter(|known| !args.contains_key(*known));
        let spelt = free().find(|known| plain_name(known) == plain);
        let Some(meant) = spelt.or_else(|| nearest(&name, free())).map(str::to_owned) else { continue };
        if let Some(value) = args.remove(&name) {
            let dot = if at.is_empty() { "" } else { "." };
            notes.push((Fix::Argument, format!("{at}{dot}{name} -> {meant}")));
            args.insert(meant, value);
        }
    }
}

/// The types that a schema names, also through `anyOf` and `oneOf`; empty when it does not say.
fn kinds(schema: &Value) -> Vec<&str> {
    let mut found: Vec<&str> = match schema.get("type") {
        Some(Value::String(name)) => vec![name],
        Some(Value::Array(names)) => names.iter().filter_map(Value::as_str).collect(),
        _ => Vec::new(),
    };
    for list in ["anyOf", "oneOf"] {
        for variant in schema.get(list).and_then(Value::as_array).into_iter().flatten() {
            found.extend(variant.get("type").and_then(Value::as_str));
        }
    }
    found
}

fn accepts(schema: &Value, value: &Value) -> bool {
    let kinds = kinds(schema);
    kinds.is_empty()
        || kinds.iter().any(|kind| match *kind {
            "string" => value.is_string(),
            "integer" => value.is_i64() || value.is_u64(),
            "number" => value.is_number(),
            "boolean" => value.is_boolean(),
            "array" => value.is_array(),
            "object" => value.is_object(),
            "null" => value.is_null(),
            _ => true,
        })
}

fn fit(value: Value, schema: &Value, at: &str, depth: usize, notes: &mut Notes) -> Value {
    let value = if accepts(schema, &value) { value } else { changed(value, schema, at, notes) };
    match value {
        Value::Object(inner) => Value::Object(object(inner, schema, at, depth, notes)),
        Value::Array(items) => match schema.get("items").filter(|_| depth < DEPTH) {
            Some(wanted) => {
                let each = items.into_iter().enumerate();
                each.map(|(number, item)| fit(item, wanted, &format!("{at}[{number}]"), depth + 1, notes)).collect()
            }
            None => Value::Array(items),
        },
        Value::String(text) => Value::String(listed(text, schema, at, notes)),
        other => other,
    }
}

/// The value in a type that the schema takes, or as it was.
fn changed(value: Value, schema: &Value, at: &str, notes: &mut Notes) -> Value {
    for kind in kinds(schema) {
        if let Some(new) = turned(&value, kind, schema) {
            notes.push((Fix::Type, format!("{at}: {} -> {kind}", kind_of(&value))));
            return new;
        }
    }
    value
}

fn turned(value: &Value, kind: &str, schema: &Value) -> Option<Value> {
    match (kind, value) {
        ("string", Value::Number(_) | Value::Bool(_)) => Some(Value::String(value.to_string())),
        ("integer", Value::Number(number)) => whole(number.as_f64()?),
        ("integer", Value::String(text)) => {
            let text = text.trim();
            text.parse::<i64>().ok().map(Value::from).or_else(|| whole(text.parse().ok()?))
        }
        ("number", Value::String(text)) => {
            let text = text.trim();
            let number = text.parse::<f64>().ok().filter(|number| number.is_finite())?;
            text.parse::<i64>()
                .ok()
                .map_or_else(|| serde_json::Number::from_f64(number).map(Value::Number), |n| Some(n.into()))
        }
        ("boolean", Value::String(text)) => match text.trim() {
            "true" | "True" | "TRUE" => Some(true.into()),
            "false" | "False" | "FALSE" => Some(false.into()),
            _ => None,
        },
        ("boolean", Value::Number(number)) => match number.as_i64() {
            Some(1) => Some(true.into()),
            Some(0) => Some(false.into()),
            _ => None,
        },
        ("object" | "array", Value::String(text)) if looks_nested(text) => serde_json::from_str(text)
            .ok()
            .filter(|inner: &Value| kind_of(inner) == kind)
            .or_else(|| one(value, kind, schema)),
        ("array", _) => one(value, kind, schema),
        (_, Value::Array(items)) => match items.as_slice() {
            [only] if kind_of(only) == kind || (kind == "integer" && only.is_i64()) => Some(only.clone()),
            _ => None,
        },
        _ => None,
    }
}

/// One value where a list is wanted.
fn one(value: &Value, kind: &str, schema: &Value) -> Option<Value> {
    let fits = kind == "array" && !value.is_null() && schema.get("items").is_none_or(|items| accepts(items, value));
    fits.then(|| Value::Array(vec![value.clone()]))
}

fn looks_nested(text: &str) -> bool {
    let text = text.trim();
    (text.starts_with('{') && text.ends_with('}')) || (text.starts_with('[') && text.ends_with(']'))
}

#[allow(clippy::cast_possible_truncation, reason = "checked to be whole and in range")]
fn whole(number: f64) -> Option<Value> {
    (number.fract() == 0.0 && number.abs() < 9e15).then(|| Value::from(number as i64))
}

fn kind_of(value: &Value) -> &'static str {
    match value {
        Value::Null => "null",
        Value::Bool(_) => "boolean",
        Value::Number(_) => "number",
        Value::String(_) => "string",
        Value::Array(_) => "array",
        Value::Object(_) => "object",
    }
}

/// A text that is one of a list but for its case.
fn listed(text: String, schema: &Value, at: &str, notes: &mut Notes) -> String {
    let Some(allowed) = schema.get("enum").and_then(Value::as_array) else { return text };
    let names = || allowed.iter().filter_map(Value::as_str);
    if names().any(|name| name == text) {
        return text;
    }
    let plain = plain_name(&text);
    let mut meant = names().filter(|name| plain_name(name) == plain);
    match (meant.next(), meant.next()) {
        (Some(name), None) => {
            notes.push((Fix::Type, format!("{at}: {text:?} -> {name:?}")));
            name.to_owned()
        }
        _ => text,
    }
}

#[cfg(test)]
mod tests {
    use super::coerce;
    use pretty_assertions::assert_eq;
    use proptest::prelude::*;
    use reasonix_proto::Fix;
    use serde_json::{Map, Value, json};

    fn schema() -> Value {
        json!({ "type": "object", "required": ["path"], "properties": {
            "path": { "type": "string" }, "limit": { "type": "integer" }, "ratio": { "type": "number" },
            "deep": { "type": "boolean" }, "names": { "type": "array", "items": { "type": "string" } },
            "mode": { "type": "string", "enum": ["fast", "slow"] },
            "old_string": { "type": "string" },
            "edits": { "type": "array", "items": { "type": "object", "required": ["old"], "properties": {
                "old": { "type": "string" }, "count": { "type": "integer" } } } },
            "user": { "type": "object", "properties": { "profile": { "type": "object", "properties": {
                "name": { "type": "string" }, "age": { "type": "integer" } } } } },
        } })
    }

    fn run(args: Value) -> (Value, Vec<Fix>) {
        let Value::Object(args) = args else { panic!("an object") };
        let (args, notes) = coerce(args, &schema());
        (Value::Object(args), notes.into_iter().map(|(fix, _)| fix).collect())
    }

    #[test]
    fn what_fits_is_left_alone() {
        for args in [
            json!({ "path": "5", "limit": 5, "ratio": 1, "deep": true, "names": ["a"], "mode": "fast" }),
            json!({ "path": "x", "edits": [{ "old": "true", "count": 1 }], "user": { "profile": { "name": "n" } } }),
            json!({ "path": "[not json]", "something_else": { "a.b": 1 } }),
            json!({}),
        ] {
            assert_eq!(run(args.clone()), (args, vec![]));
        }
    }

    #[test]
    fn wrong_types() {
        for (given, wanted) in [
            (json!({ "limit": "5" }), json!({ "limit": 5 })),
            (json!({ "limit": 5.0 }), json!({ "limit": 5 })),
            (json!({ "limit": " 12 " }), json!({ "limit": 12 })),
            (json!({ "limit": [7] }), json!({ "limit": 7 })),
            (json!({ "ratio": "0.5" }), json!({ "ratio": 0.5 })),
            (json!({ "deep": "true" }), json!({ "deep": true })),
            (json!({ "deep": "False" }), json!({ "deep": false })),
            (json!({ "deep": 1 }), json!({ "deep": true })),
            (json!({ "path": 5 }), json!({ "path": "5" })),
            (json!({ "path": ["a"] }), json!({ "path": "a" })),
            (json!({ "names": "a" }), json!({ "names": ["a"] })),
            (json!({ "names": "[\"a\",\"b\"]" }), json!({ "names": ["a", "b"] })),
            (json!({ "mode": "FAST" }), json!({ "mode": "fast" })),
            (json!({ "edits": { "old": "x" } }), json!({ "edits": [{ "old": "x" }] })),
            (json!({ "edits": "[{\"old\":\"x\",\"count\":\"2\"}]" }), json!({ "edits": [{ "old": "x", "count": 2 }] })),
            (json!({ "user": "{\"profile\":{\"age\":\"7\"}}" }), json!({ "user": { "profile": { "age": 7 } } })),
            (json!({ "path": "x", "limit": null }), json!({ "path": "x" })),
            (json!({ "path": "x", "limit": "None" }), json!({ "path": "x" })),
        ] {
            let (args, fixes) = run(given.clone());
            assert_eq!(args, wanted, "{given}");
            assert!(fixes.contains(&Fix::Type), "{given}");
        }
    }

    #[test]
    fn what_has_no_one_meaning_stays() {
        for given in [
            json!({ "limit": "five" }),
            json!({ "limit": 5.5 }),
            json!({ "deep": "yes please" }),
            json!({ "path": { "a": 1 } }),
            json!({ "path": ["a", "b"] }),
            json!({ "path": null }),
            json!({ "names": 5 }),
            json!({ "mode": "medium" }),
        ] {
            assert_eq!(run(given.clone()), (given, vec![]));
        }
    }

    #[test]
    fn names_and_wrappings() {
        for (given, wanted, fix) in [
            (json!({ "oldString": "a" }), json!({ "old_string": "a" }), Fix::Argument),
            (json!({ "old-string": "a" }), json!({ "old_string": "a" }), Fix::Argument),
            (json!({ "limits": 1, "path": "x" }), json!({ "limit": 1, "path": "x" }), Fix::Argument),
            (json!({ "arguments": { "path": "x" } }), json!({ "path": "x" }), Fix::Unwrapped),
            (json!({ "input": "{\"path\":\"x\"}" }), json!({ "path": "x" }), Fix::Unwrapped),
            (
                json!({ "user.profile.name": "n", "user.profile.age": "3" }),
                json!({ "user": { "profile": { "name": "n", "age": 3 } } }),
                Fix::Nested,
            ),
        ] {
            let (args, fixes) = run(given.clone());
            assert_eq!(args, wanted, "{given}");
            assert!(fixes.contains(&fix), "{given}");
        }
        let both = json!({ "old_string": "a", "oldString": "b" });
        assert_eq!(run(both.clone()), (both, vec![]), "nothing is overwritten");
    }

    fn fitting() -> impl Strategy<Value = Value> {
        ("[a-z]{0,8}", any::<i32>(), any::<bool>(), prop::collection::vec("[a-z]{0,4}", 0..3)).prop_map(
            |(path, limit, deep, names)| {
                json!({ "path": path, "limit": limit, "deep": deep, "names": names, "mode": "slow" })
            },
        )
    }

    proptest! {
        #[test]
        fn valid_arguments_are_never_changed(args in fitting()) {
            prop_assert_eq!(run(args.clone()), (args, vec![]));
        }

        #[test]
        fn twice_is_once(pairs in prop::collection::vec(("(path|limit|deep|names|user\\.x|oldString)", "([0-9]{1,3}|true|\\[1\\]|x)"), 0..5)) {
            let args: Map<String, Value> = pairs.into_iter().map(|(name, value)| (name, Value::String(value))).collect();
            let (once, _) = run(Value::Object(args));
            let (twice, notes) = run(once.clone());
            prop_assert_eq!(once, twice);
            prop_assert_eq!(notes, vec![]);
        }
    }
}
