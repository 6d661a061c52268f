//! Reasoning that goes back to the endpoint unread: `reasoning_details`, `reasoning_opaque`, and what stands in
//! `extra_content`. They come in pieces, and go back as fields of the message or of the call that they came with.

use reasonix_proto::{Kept, KeptBlock};
use serde_json::{Map, Value};

/// What blocks of this wire are stamped with.
pub(crate) const NAME: &str = "chat";
/// The most bytes of details that are kept, and the most of them.
const MOST_BYTES: usize = 8 * 1024 * 1024;
const MOST_DETAILS: usize = 4 * 1024;

/// The details of one answer.
#[derive(Debug, Default)]
pub(crate) struct Details {
    list: Vec<Map<String, Value>>,
    extra: Option<Value>,
    opaque: Option<String>,
    bytes: usize,
}

/// The words among details, for people to read.
pub(crate) fn words(details: &Value) -> String {
    let said = |detail: &Value| ["text", "summary"].iter().find_map(|field| detail[*field].as_str().map(str::to_owned));
    details.as_array().into_iter().flatten().filter_map(said).collect()
}

impl Details {
    /// Takes the details of one event.
    pub(crate) fn add(&mut self, details: Value, bytes: usize) {
        self.bytes += bytes;
        let Value::Array(details) = details else { return };
        for detail in details {
            if let Value::Object(detail) = detail {
                self.one(detail);
            }
        }
    }

    /// True when there are none.
    pub(crate) fn is_empty(&self) -> bool {
        self.list.is_empty()
    }

    /// Takes what stands beside a piece of text.
    pub(crate) fn extra(&mut self, extra: Value, bytes: usize) {
        self.bytes += bytes;
        // What only marks a thought is no signature.
        if extra.as_object().is_some_and(|vendors| vendors.values().any(|said| said["thought_signature"].is_string())) {
            self.extra = Some(extra);
        }
    }

    /// Takes what nobody but the endpoint can read of a thought.
    pub(crate) fn opaque(&mut self, opaque: &str) {
        self.bytes += opaque.len();
        if !opaque.is_empty() {
            self.opaque = Some(opaque.to_owned());
        }
    }

    /// Words of the same detail are joined; what is encrypted always stands by itself.
    fn one(&mut self, detail: Map<String, Value>) {
        let name = |detail: &Map<String, Value>| (detail.get("type").cloned(), detail.get("index").cloned());
        let is_words = ["text", "summary"].iter().any(|field| detail.get(*field).is_some_and(Value::is_string));
        let signs = detail.contains_key("signature") && !detail.contains_key("data");
        let last = self.list.iter().rposition(|known| name(known) == name(&detail)).filter(|_| is_words || signs);
        let Some(known) = last.and_then(|last| self.list.get_mut(last)) else {
            if self.list.len() < MOST_DETAILS {
                self.list.push(detail);
            }
            return;
        };
        for (field, value) in detail {
            match (known.get_mut(&field), value) {
                (_, Value::Null) => {}
                (Some(Value::String(words)), Value::String(more)) if field == "text" || field == "summary" => {
                    words.push_str(&more);
                }
                (_, value) => drop(known.insert(field, value)),
            }
        }
    }

    /// The fields of the message, as one object; none where nothing has to go back.
    pub(crate) fn finish(self) -> Option<String> {
        let list: Vec<Value> = self.list.into_iter().map(Value::Object).collect();
        let details = (!list.is_empty()).then_some(("reasoning_details", Value::Array(list)));
        let extra = self.extra.map(|extra| ("extra_content", extra));
        let opaque = self.opaque.map(|opaque| ("reasoning_opaque", Value::String(opaque)));
        let fields: Map<String, Value> =
            details.into_iter().chain(extra).chain(opaque).map(|(name, value)| (name.to_owned(), value)).collect();
        (!fields.is_empty() && self.bytes <= MOST_BYTES).then(|| Value::Object(fields).to_string())
    }
}

/// What was kept of an answer: the fields of the message, and those of each of its calls.
#[derive(Debug, Default, PartialEq)]
pub(crate) struct Fields<'a> {
    pub(crate) message: &'a str,
    pub(crate) calls: Vec<&'a str>,
}

impl<'a> Fields<'a> {
    /// Reads what was kept. Where the calls are no longer the ones that came, nothing is known of any of them.
    pub(crate) fn of(kept: Option<&'a Kept>, calls: usize) -> Self {
        let mut fields = Self::default();
        for block in kept.iter().flat_map(|kept| &kept.blocks) {
            match block {
                KeptBlock::Text(_) => {}
                KeptBlock::Call => fields.calls.push(""),
                KeptBlock::Raw(raw) => {
                    let inner = raw.strip_prefix('{').and_then(|raw| raw.strip_suffix('}')).unwrap_or_default();
                    *fields.calls.last_mut().unwrap_or(&mut fields.message) = inner;
                }
            }
        }
        if fields.calls.len() != calls {
            fields.calls.clear();
        }
        fields
    }
}

#[cfg(test)]
mod tests {
    use super::{Details, Fields};
    use reasonix_proto::{Kept, KeptBlock};
    use serde_json::{Value, json};

    #[test]
    fn words_are_joined_and_secrets_are_not() {
        let mut details = Details::default();
        for event in [
            json!([{ "type": "reasoning.text", "text": "Two ", "format": "f", "index": 0, "signature": null }]),
            json!([{ "type": "reasoning.text", "text": "and two.", "index": 0 }]),
            json!([{ "type": "reasoning.text", "signature": "s+/=", "index": 0 }]),
            json!([{ "type": "reasoning.encrypted", "data": "a", "id": "1", "index": 0 }]),
            json!([{ "type": "reasoning.encrypted", "data": "b", "id": "2", "index": 0 }]),
            json!("nonsense"),
        ] {
            details.add(event, 10);
        }
        details.extra(json!({ "google": { "thought": true } }), 10);
        let kept: Value = serde_json::from_str(&details.finish().expect("something")).expect("JSON");
        assert_eq!(
            kept,
            json!({ "reasoning_details": [
                { "type": "reasoning.text", "text": "Two and two.", "format": "f", "index": 0, "signature": "s+/=" },
                { "type": "reasoning.encrypted", "data": "a", "id": "1", "index": 0 },
                { "type": "reasoning.encrypted", "data": "b", "id": "2", "index": 0 },
            ] })
        );
        assert_eq!(Details::default().finish(), None);
    }

    #[test]
    fn fields_belong_to_their_calls() {
        let raw = |text: &str| KeptBlock::Raw(text.into());
        let blocks = vec![raw("{m}"), KeptBlock::Text(4), KeptBlock::Call, raw("{a}"), KeptBlock::Call];
        let kept = Kept { wire: "chat".into(), blocks };
        assert_eq!(Fields::of(Some(&kept), 2), Fields { message: "m", calls: vec!["a", ""] });
        assert_eq!(Fields::of(Some(&kept), 1), Fields { message: "m", calls: vec![] }, "a call was dropped");
        assert_eq!(Fields::of(None, 0), Fields::default());
    }
}
