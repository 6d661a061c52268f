//! What one answer of the chat wire showed. A pure fold over its events; numbers and texts are bounded by the line.

use crate::Repairing;
use crate::repair::Mender;
use crate::usage;
use reasonix_agent::{Item, Prefix, Request};
use reasonix_catalogue::{ReasoningField, Seen, ToolCalls};
use reasonix_proto::StopReason;
use serde_json::Value;
use std::collections::BTreeSet;
use std::sync::Arc;
use std::time::Duration;

/// The names under which reasoning comes.
const FIELDS: [ReasoningField; 4] = [
    ReasoningField::ReasoningContent,
    ReasoningField::Reasoning,
    ReasoningField::ReasoningText,
    ReasoningField::Thinking,
];

/// What was heard.
#[derive(Debug, Default)]
pub(super) struct Heard {
    pub(super) text: String,
    pub(super) reasoning: Option<ReasoningField>,
    /// Calls by the protocol.
    pub(super) calls: usize,
    pub(super) usage: Option<Value>,
    /// The answer came to its end.
    pub(super) is_whole: bool,
    pub(super) error: Option<Value>,
    /// Until the first byte.
    pub(super) took: Duration,
    places: BTreeSet<u64>,
    /// Pieces of the answer; one for a document.
    pieces: usize,
    is_document: bool,
}

impl Heard {
    /// Takes the data of an event.
    pub(super) fn event(&mut self, data: &[u8]) {
        if data == b"[DONE]" {
            self.is_whole = true;
            return;
        }
        let Ok(event) = serde_json::from_slice::<Value>(data) else { return };
        self.hear(&event, "delta");
    }

    /// Takes an answer that came as one document.
    pub(super) fn document(&mut self, bytes: &[u8]) {
        let Ok(answer) = serde_json::from_slice::<Value>(bytes) else { return };
        self.is_document = true;
        self.hear(&answer, "message");
        self.is_whole = true;
    }

    fn hear(&mut self, event: &Value, part: &str) {
        if let Some(error) = event.get("error").filter(|error| !error.is_null()) {
            self.error = Some(error.clone());
        }
        if usage::parse(&event["usage"]).is_some() {
            self.usage = Some(event["usage"].clone());
        }
        let said = &event["choices"][0][part];
        if let Some(text) = said["content"].as_str().filter(|text| !text.is_empty()) {
            self.text.push_str(text);
            self.pieces += 1;
        }
        let has = |field: &&ReasoningField| said[field.name()].as_str().is_some_and(|text| !text.is_empty());
        if let Some(field) = FIELDS.iter().find(has) {
            self.reasoning.get_or_insert(*field);
            self.pieces += 1;
        }
        for (place, call) in said["tool_calls"].as_array().into_iter().flatten().enumerate() {
            let place = call["index"].as_u64().unwrap_or(place as u64);
            self.pieces += 1;
            if call["function"]["name"].as_str().is_some_and(|name| !name.is_empty()) {
                self.places.insert(place);
            }
        }
        self.calls = self.places.len();
        // Counts may still follow.
        if event["choices"][0]["finish_reason"].is_string() {
            self.is_whole = part == "message" || self.usage.is_some();
        }
    }

    /// How the tool was called.
    pub(super) fn tools(&self) -> ToolCalls {
        if self.calls > 0 {
            return ToolCalls::Native;
        }
        let prefix = Prefix { system: String::new(), tools: vec![super::bodies::note()], aliases: Vec::new() };
        let request =
            Request { prefix: Arc::new(prefix), messages: Vec::new(), may_call: true, must_call: None, form: None };
        let mut mender = Mender::new(Arc::new(request), Repairing::default());
        mender.feed(Item::Text(self.text.clone()));
        mender.feed(Item::End(StopReason::End));
        if mender.made_calls() { ToolCalls::Text } else { ToolCalls::NotSeen }
    }

    /// Whether it came in pieces.
    pub(super) fn streaming(&self) -> Seen {
        match (self.is_document, self.pieces) {
            (true, _) => Seen::No,
            (false, 0 | 1) => Seen::Unclear,
            _ => Seen::Yes,
        }
    }

    /// Tokens that came from the cache, where that is counted.
    pub(super) fn cached(&self) -> Option<u64> {
        let usage = self.usage.as_ref()?;
        let places = [
            &usage["prompt_cache_hit_tokens"],
            &usage["prompt_tokens_details"]["cached_tokens"],
            &usage["cached_tokens"],
        ];
        places.into_iter().find_map(Value::as_u64)
    }
}

#[cfg(test)]
mod tests {
    use super::Heard;
    use reasonix_catalogue::{ReasoningField, Seen, ToolCalls};

    fn heard(events: &[&str]) -> Heard {
        let mut heard = Heard::default();
        for event in events {
            heard.event(event.as_bytes());
        }
        heard
    }

    #[test]
    fn calls_by_the_protocol_and_in_words() {
        let native = heard(&[
            r#"{"choices":[{"delta":{"tool_calls":[{"index":0,"function":{"name":"note","arguments":""}}]}}]}"#,
            r#"{"choices":[{"delta":{"tool_calls":[{"index":0,"function":{"arguments":"{}"}}]}}]}"#,
            r#"{"choices":[{"delta":{"tool_calls":[{"index":1,"function":{"name":"note","arguments":"{}"}}]}}]}"#,
        ]);
        assert_eq!((native.tools(), native.calls, native.streaming()), (ToolCalls::Native, 2, Seen::Yes));
        let text = r#"{"choices":[{"delta":{"content":"<tool_call>\n{\"name\": \"note\", \"arguments\": {\"text\": \"ok\"}}\n</tool_call>"}}]}"#;
        assert_eq!(heard(&[text]).tools(), ToolCalls::Text);
        assert_eq!(heard(&[r#"{"choices":[{"delta":{"content":"ok"}}]}"#]).tools(), ToolCalls::NotSeen);
    }

    #[test]
    fn what_else_an_answer_shows() {
        let seen = heard(&[
            r#"{"choices":[{"delta":{"reasoning":"hm"}}]}"#,
            r#"{"choices":[{"delta":{"content":"x"},"finish_reason":"stop"}]}"#,
            r#"{"choices":[],"usage":{"prompt_tokens":9,"completion_tokens":1,"prompt_tokens_details":{"cached_tokens":4}}}"#,
            "[DONE]",
        ]);
        assert_eq!((seen.reasoning, seen.cached(), seen.is_whole), (Some(ReasoningField::Reasoning), Some(4), true));
        let nonsense =
            heard(&["not json", "[]", "null", r#"{"choices":{"0":1}}"#, r#"{"usage":{"prompt_tokens":"x"}}"#]);
        assert!(nonsense.usage.is_none() && !nonsense.is_whole && nonsense.text.is_empty());
        let mut whole = Heard::default();
        whole.document(
            br#"{"choices":[{"message":{"content":"x"},"finish_reason":"stop"}],"usage":{"prompt_tokens":1}}"#,
        );
        assert_eq!((whole.streaming(), whole.is_whole, whole.cached()), (Seen::No, true, None));
    }
}
