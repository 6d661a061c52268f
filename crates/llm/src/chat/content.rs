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

/// Joins characters that a server cut in two: one half at the end of a piece, the other at the beginning of the next.
#[derive(Debug, Default)]
pub(crate) struct Joint(Option<u32>);

impl Joint {
    /// The text of content, with the half that the piece before it left.
    pub(crate) fn text<'a>(&mut self, raw: &'a RawValue) -> Cow<'a, str> {
        self.string(raw).unwrap_or_else(|| text(raw))
    }

    /// The same for a JSON string; none for anything else.
    pub(crate) fn string<'a>(&mut self, raw: &'a RawValue) -> Option<Cow<'a, str>> {
        let inner = raw.get().strip_prefix('"')?.strip_suffix('"')?;
        if self.0.is_none()
            && let Some(text) = string(raw)
        {
            return Some(text);
        }
        if inner.is_empty() {
            return Some(Cow::Borrowed(""));
        }
        Some(Cow::Owned(self.halves(inner)))
    }

    /// Reads escapes one by one; whole characters are read as JSON reads them.
    fn halves(&mut self, inner: &str) -> String {
        let mut out = String::with_capacity(inner.len());
        let mut rest = inner;
        while !rest.is_empty() {
            let code = rest.strip_prefix("\\u").and_then(|hex| u32::from_str_radix(hex.get(..4)?, 16).ok());
            match (code, self.0.take()) {
                (Some(low @ 0xDC00..=0xDFFF), Some(high)) => {
                    out.extend(char::from_u32(0x10000 + ((high - 0xD800) << 10) + (low - 0xDC00)));
                    rest = rest.get(6..).unwrap_or_default();
                    continue;
                }
                (_, Some(_)) => out.push('\u{fffd}'),
                (_, None) => {}
            }
            let length = match code {
                Some(high @ 0xD800..=0xDBFF) => {
                    self.0 = Some(high);
                    6
                }
                Some(0xDC00..=0xDFFF) => {
                    out.push('\u{fffd}');
                    6
                }
                Some(other) => {
                    out.extend(char::from_u32(other));
                    6
                }
                None if rest.starts_with('\\') => {
                    out.push_str(
                        &serde_json::from_str::<String>(&format!("\"{}\"", rest.get(..2).unwrap_or_default()))
                            .unwrap_or_default(),
                    );
                    2
                }
                None => {
                    let plain = rest.find('\\').unwrap_or(rest.len());
                    out.push_str(rest.get(..plain).unwrap_or_default());
                    plain
                }
            };
            rest = rest.get(length..).unwrap_or_default();
        }
        out
    }
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

/// The thoughts among the parts of content, where some vendors put them; none where no part is one.
pub(crate) fn thoughts(raw: &RawValue) -> Option<(String, Box<RawValue>)> {
    if !raw.get().starts_with('[') || !raw.get().contains("\"thinking\"") {
        return None;
    }
    let parts: Vec<Value> = serde_json::from_str(raw.get()).ok()?;
    let (thought, said): (Vec<Value>, Vec<Value>) = parts.into_iter().partition(|part| part["type"] == "thinking");
    let mut out = String::new();
    for part in &thought {
        gather(&part["thinking"], &mut out);
    }
    let rest = serde_json::value::to_raw_value(&said).ok()?;
    (!thought.is_empty()).then_some((out, rest))
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
    use super::{Joint, text, thoughts};
    use serde_json::value::RawValue;

    #[test]
    fn characters_cut_in_two() {
        let run = |pieces: &[&str]| {
            let mut joint = Joint::default();
            let each = pieces.iter().map(|piece| {
                let raw = RawValue::from_string((*piece).to_owned()).expect("JSON");
                joint.text(&raw).into_owned()
            });
            each.collect::<String>()
        };
        for (pieces, wanted) in [
            (vec![r#""a\ud83d""#, r#""\ude00b""#], "a😀b"),
            (vec![r#""\ud83d""#, r#""""#, r#""\ude00""#], "😀"),
            (vec![r#""\ud83d\ude00""#], "😀"),
            (vec![r#""\ud83d""#, r#""x\n\"y""#], "\u{fffd}x\n\"y"),
            (vec![r#""x\ude00""#, r#""\u754c""#], "x\u{fffd}界"),
            (vec![r#""plain""#, r#"[{"text":"b"}]"#], "plainb"),
        ] {
            assert_eq!(run(&pieces), wanted, "{pieces:?}");
        }
    }

    #[test]
    fn thoughts_among_the_parts() {
        for (json, expected) in [
            (r#"[{"type":"thinking","thinking":[{"type":"text","text":"hm"}]}]"#, Some(("hm", ""))),
            (r#"[{"type":"thinking","thinking":"hm"},{"type":"text","text":"4"}]"#, Some(("hm", "4"))),
            (r#"[{"type":"text","text":"\"thinking\""}]"#, None),
            (r#""thinking""#, None),
        ] {
            let raw = RawValue::from_string(json.to_owned()).expect("JSON");
            let found = thoughts(&raw).map(|(thought, rest)| (thought, text(&rest).into_owned()));
            assert_eq!(found, expected.map(|(thought, said)| (thought.to_owned(), said.to_owned())), "{json}");
        }
    }

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
