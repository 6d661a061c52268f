//! Text out of whatever an endpoint calls content.

use serde_json::Value;
use serde_json::value::RawValue;
use std::borrow::Cow;

/// The text of a JSON string; none for anything else.
pub(crate) fn string(raw: &RawValue) -> Option<Cow<'_, str>> {
    let text = raw.get();
    let inner = text.strip_prefix('"')?.strip_suffix('"')?;
    if memchr::memchr(b'\\', inner.as_bytes()).is_none() {
        return Some(Cow::Borrowed(inner));
    }
    serde_json::from_str(text).map(Cow::Owned).ok()
}

/// The text of content: a string, parts, or an object; compact JSON where no text can be taken out.
pub(crate) fn text(raw: &RawValue) -> Cow<'_, str> {
    if let Some(text) = string(raw) {
        return text;
    }
    let Ok(value) = serde_json::from_str::<Value>(raw.get()) else { return Cow::Borrowed(raw.get()) };
    let empty = match &value {
        Value::Array(parts) => parts.is_empty(),
        Value::Object(fields) => fields.is_empty(),
        other => other.is_null(),
    };
    if empty {
        return Cow::Borrowed("");
    }
    let mut out = String::new();
    if gather(&value, &mut out) { Cow::Owned(out) } else { Cow::Owned(value.to_string()) }
}

/// Adds the text in a value; false when there is none to be found.
fn gather(value: &Value, out: &mut String) -> bool {
    match value {
        Value::String(text) => {
            out.push_str(text);
            true
        }
        Value::Array(parts) => parts.iter().map(|part| gather(part, out)).filter(|found| *found).count() > 0,
        Value::Object(fields) => match fields.get("text").or_else(|| fields.get("content")) {
            // Text with annotations is wrapped once more: `{"text": {"value": ..}}`.
            Some(Value::Object(inner)) if inner.get("value").is_some_and(Value::is_string) => {
                inner.get("value").is_some_and(|value| gather(value, out))
            }
            Some(inner) => gather(inner, out),
            None => false,
        },
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::text;
    use serde_json::value::RawValue;

    #[test]
    fn shapes() {
        for (json, expected) in [
            (r#""plain""#, "plain"),
            (r#""q\"\u754c""#, "q\"界"),
            (r#"[{"type":"text","text":"a"},{"type":"text","text":"b"}]"#, "ab"),
            (r#"[{"type":"image","url":"x"},{"type":"text","text":"b"}]"#, "b"),
            (r#"["a","b"]"#, "ab"),
            (r#"{"type":"text","text":"a"}"#, "a"),
            (r#"{"text":{"value":"v","annotations":[]}}"#, "v"),
            (r#"{"content":[{"text":"deep"}]}"#, "deep"),
            (r#"{"answer": 42}"#, r#"{"answer":42}"#),
            ("[1, 2]", "[1,2]"),
            ("7", "7"),
            ("[]", ""),
            ("{}", ""),
            ("null", ""),
        ] {
            let raw = RawValue::from_string(json.to_owned()).expect("JSON");
            assert_eq!(text(&raw), expected, "{json}");
        }
    }
}
