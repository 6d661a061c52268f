//! The arguments of one call as a JSON object, whatever they look like. What can be read is never touched; what cannot be
//! repaired stays as it was written, and is said to be unreadable.

use super::loose::{self, Cut};
use serde::de::IgnoredAny;
use serde_json::{Map, Value};
use std::borrow::Cow;

use reasonix_proto::Fix;

/// How often arguments may be wrapped in a text.
const WRAPPINGS: usize = 3;

/// Arguments after repair.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Mended {
    pub(crate) text: String,
    pub(crate) fixes: Vec<(Fix, String)>,
}

/// Repairs arguments. `cut` says that the answer ran into its limit, so that something is missing for sure where the text
/// is not complete.
pub(crate) fn mend(arguments: String, cut: bool) -> Mended {
    if is_object(&arguments) {
        return Mended { text: arguments, fixes: Vec::new() };
    }
    if matches!(arguments.trim(), "" | "null" | "None" | "\"\"") {
        return Mended { text: "{}".to_owned(), fixes: Vec::new() };
    }
    match object_in(&arguments, cut) {
        Ok((map, fixes)) => Mended { text: Value::Object(map).to_string(), fixes },
        Err(why) => Mended { text: arguments, fixes: vec![(Fix::Unreadable, why)] },
    }
}

/// True for a JSON object that every reader takes.
pub(crate) fn is_object(text: &str) -> bool {
    let text = text.trim_start();
    if !text.starts_with('{') {
        return false;
    }
    // Half a character is overlooked by the quick look alone.
    if memchr::memmem::find(text.as_bytes(), b"\\u").is_some() {
        return serde_json::from_str::<Map<String, Value>>(text).is_ok();
    }
    serde_json::from_str::<IgnoredAny>(text).is_ok()
}

type Found = (Map<String, Value>, Vec<(Fix, String)>);

/// The object that a text means, or why there is none.
pub(crate) fn object_in(text: &str, cut: bool) -> Result<Found, String> {
    let mut fixes = Vec::new();
    let mut text = Cow::Borrowed(bare(text));
    for _ in 0..WRAPPINGS {
        let Some(inner) = unwrapped(&text) else { break };
        fixes.push((Fix::Unwrapped, "a text".to_owned()));
        text = Cow::Owned(bare(&inner).to_owned());
        if is_object(&text) {
            break;
        }
    }
    if let Ok(map) = serde_json::from_str::<Map<String, Value>>(&text) {
        return Ok((map, fixes));
    }
    let start = text
        .find(['{', '['])
        .filter(|start| *start <= 24 && !text.get(..*start).unwrap_or("\"").contains(['"', '\'', '(']));
    let Some(start) = start else { return keywords(&text, fixes) };
    if start > 0 {
        fixes.push((Fix::Syntax, "something in front".to_owned()));
    }
    let body = text.get(start..).unwrap_or_default();
    let read = loose::read(body).ok_or_else(|| "it is not JSON".to_owned())?;
    let rest = behind(body.get(read.end..).unwrap_or_default(), &read.value)?;
    fixes.extend(read.marks.faults.iter().map(|fault| (Fix::Syntax, (*fault).to_owned())));
    if rest {
        fixes.push((Fix::Syntax, "something behind it".to_owned()));
    }
    if read.marks.quotes {
        fixes.push((Fix::Quotes, "in a text".to_owned()));
    }
    match &read.marks.cut {
        Cut::No => {}
        Cut::Brackets if !cut => fixes.push((Fix::Closed, "brackets".to_owned())),
        Cut::Brackets => fixes.push((Fix::CutOff, "before the end".to_owned())),
        Cut::Inside(name) if name.is_empty() => fixes.push((Fix::CutOff, "before the end".to_owned())),
        Cut::Inside(name) => fixes.push((Fix::CutOff, format!("inside {name}"))),
    }
    match only_object(read.value) {
        Some(map) => Ok((map, fixes)),
        None => Err("it is not a JSON object".to_owned()),
    }
}

/// `path="a", limit=5` as an object.
fn keywords(text: &str, mut fixes: Vec<(Fix, String)>) -> Result<Found, String> {
    let map = super::python::keywords(text.trim()).filter(|map| !map.is_empty());
    let map = map.ok_or_else(|| "it is not JSON".to_owned())?;
    fixes.push((Fix::Syntax, "keywords".to_owned()));
    Ok((map, fixes))
}

/// The text without a fence around it.
fn bare(text: &str) -> &str {
    let text = text.trim();
    let Some(inner) = text.strip_prefix("```") else { return text };
    let inner = inner.trim_start_matches(|c: char| c.is_ascii_alphanumeric() || c == '_');
    inner.trim_end().strip_suffix("```").unwrap_or(inner).trim()
}

/// What a text holds that is wrapped in one more pair of quotation marks, or escaped as if it were.
fn unwrapped(text: &str) -> Option<String> {
    if text.starts_with('"') {
        let inner = serde_json::from_str::<String>(text).ok()?;
        return inner.trim_start().starts_with(['{', '"', '[']).then_some(inner);
    }
    let escaped = text.starts_with('{') && text.get(1..).is_some_and(|rest| rest.trim_start().starts_with("\\\""));
    if escaped {
        return serde_json::from_str::<String>(&format!("\"{text}\"")).ok();
    }
    None
}

/// The object itself, or the only one of a list.
fn only_object(value: Value) -> Option<Map<String, Value>> {
    match value {
        Value::Object(map) => Some(map),
        Value::Array(mut items) if items.len() == 1 => match items.pop() {
            Some(Value::Object(map)) => Some(map),
            _ => None,
        },
        _ => None,
    }
}

/// Judges what stands behind a whole value: true when something was cut away.
fn behind(rest: &str, value: &Value) -> Result<bool, String> {
    let rest = rest.trim();
    if rest.is_empty() {
        return Ok(false);
    }
    match rest.find('{') {
        Some(at) => match loose::read(rest.get(at..).unwrap_or_default()) {
            // The same object twice is one.
            Some(again) if again.value == *value => Ok(true),
            _ => Err("there is more than one object".to_owned()),
        },
        None => Ok(true),
    }
}

#[cfg(test)]
mod tests {
    use super::mend;
    use pretty_assertions::assert_eq;
    use proptest::prelude::*;
    use reasonix_proto::Fix;
    use serde_json::{Value, json};

    #[test]
    fn what_can_be_read_is_not_touched() {
        for text in ["{}", " {\"a\" : 1}\n", r#"{"a":"\ud83d\ude00"}"#, r#"{"_":[{"deep":{}}]}"#] {
            let mended = mend(text.to_owned(), false);
            assert_eq!((mended.text.as_str(), mended.fixes.len()), (text, 0));
        }
    }

    #[test]
    fn repairs() {
        for (text, wanted, fix) in [
            (r#""{\"a\":1}""#, json!({ "a": 1 }), Fix::Unwrapped),
            (r#""\"{\\\"a\\\":1}\"""#, json!({ "a": 1 }), Fix::Unwrapped),
            (r#"{\"a\": \"b\"}"#, json!({ "a": "b" }), Fix::Unwrapped),
            ("```json\n{\"a\":1,}\n```", json!({ "a": 1 }), Fix::Syntax),
            (r#"[{"a":1}]"#, json!({ "a": 1 }), Fix::Syntax),
            (r#"{"a":1}}"#, json!({ "a": 1 }), Fix::Syntax),
            (r#"{"a":1}<|im_end|>"#, json!({ "a": 1 }), Fix::Syntax),
            (r#"{"a":1}{"a":1}"#, json!({ "a": 1 }), Fix::Syntax),
            (r#"arguments: {"a":1}"#, json!({ "a": 1 }), Fix::Syntax),
            (r#"{"a":"b""#, json!({ "a": "b" }), Fix::Closed),
            (r#"{"a":"b"#, json!({ "a": "b" }), Fix::CutOff),
            (r#"{"a":"x "y" z"}"#, json!({ "a": "x \"y\" z" }), Fix::Quotes),
            (r#"path="a", limit=5"#, json!({ "path": "a", "limit": 5 }), Fix::Syntax),
            (r#"{"a":"\ud83d"}"#, json!({ "a": "\u{fffd}" }), Fix::Syntax),
        ] {
            let mended = mend(text.to_owned(), false);
            assert_eq!(serde_json::from_str::<Value>(&mended.text).ok(), Some(wanted), "{text}");
            let fixes: Vec<_> = mended.fixes.iter().map(|(fix, _)| *fix).collect();
            assert!(fixes.contains(&fix) || text.starts_with('['), "{text}: {fixes:?}");
        }
        assert_eq!(mend("null".into(), false).text, "{}");
        assert_eq!(mend(r#"{"a":"b""#.into(), true).fixes, [(Fix::CutOff, "before the end".to_owned())]);
    }

    #[test]
    fn what_cannot_be_told_is_left_and_said() {
        for text in ["ls -la", r#"{"a":1}{"a":2}"#, "[1, 2]", "\"just a text\"", "7", "{\"a\": <b>}"] {
            let mended = mend(text.to_owned(), false);
            assert_eq!(mended.text, text);
            assert!(matches!(mended.fixes.as_slice(), [(Fix::Unreadable, _)]), "{text}: {:?}", mended.fixes);
        }
    }

    fn arguments() -> impl Strategy<Value = Value> {
        let leaf = prop_oneof![
            any::<bool>().prop_map(Value::from),
            any::<i32>().prop_map(Value::from),
            Just(Value::Null),
            "[ -~\\n界😀\"\\\\]{0,20}".prop_map(Value::from),
        ];
        let nested = leaf.clone().prop_recursive(3, 12, 3, |inner| {
            prop_oneof![
                prop::collection::vec(inner.clone(), 0..3).prop_map(Value::from),
                prop::collection::btree_map("[a-z_]{1,6}", inner, 0..3)
                    .prop_map(|map| Value::Object(map.into_iter().collect())),
            ]
        });
        prop::collection::btree_map("[a-z_]{1,8}", nested, 0..4)
            .prop_map(|map| Value::Object(map.into_iter().collect()))
    }

    /// Everything in it is in the truth, or the beginning of it.
    fn is_prefix(found: &Value, truth: &Value) -> bool {
        match (found, truth) {
            (Value::Object(found), Value::Object(truth)) => {
                found.iter().all(|(name, value)| truth.get(name).is_some_and(|truth| is_prefix(value, truth)))
            }
            (Value::Array(found), Value::Array(truth)) => {
                found.len() <= truth.len() && found.iter().zip(truth).all(|(found, truth)| is_prefix(found, truth))
            }
            (Value::String(found), Value::String(truth)) => truth.starts_with(found.as_str()),
            (found, truth) => found == truth,
        }
    }

    proptest! {
        #![proptest_config(ProptestConfig { cases: 1000, ..ProptestConfig::default() })]
        #[test]
        fn a_valid_call_is_left_alone(value in arguments(), pretty in any::<bool>(), cut in any::<bool>()) {
            let text = if pretty { serde_json::to_string_pretty(&value).unwrap() } else { value.to_string() };
            let mended = mend(text.clone(), cut);
            prop_assert_eq!(mended.text, text);
            prop_assert!(mended.fixes.is_empty());
        }

        #[test]
        fn what_broke_off_is_a_prefix_of_the_truth_or_refused(truth in arguments(), pretty in any::<bool>()) {
            let text = if pretty { serde_json::to_string_pretty(&truth).unwrap() } else { truth.to_string() };
            for end in (0..text.len()).filter(|end| text.is_char_boundary(*end)) {
                let part = &text[..end];
                let mended = mend(part.to_owned(), true);
                let fixes: Vec<Fix> = mended.fixes.iter().map(|(fix, _)| *fix).collect();
                if fixes.contains(&Fix::Unreadable) || part.trim().is_empty() {
                    continue;
                }
                let found: Value = serde_json::from_str(&mended.text).expect("a repaired call is JSON");
                prop_assert!(is_prefix(&found, &truth), "{part} became {found}");
                let doubtful = fixes.iter().any(|fix| fix.is_doubtful());
                prop_assert!(doubtful, "{part} became {found}, and a writer would run with it");
            }
        }
    }
}
