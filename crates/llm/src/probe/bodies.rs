//! The questions as the chat wire sends them. Each can be answered in a few tokens; those about a form ask for one that
//! a model does not come upon by itself, so that only a server that holds it to the form gives it.

use crate::Endpoint;
use crate::options::with_extra;
use reasonix_agent::ToolSpec;
use reasonix_catalogue::{Compat, Guided};
use serde_json::{Map, Value, json};
use std::time::{SystemTime, UNIX_EPOCH};

/// Room to think before a call.
const ROOM: u64 = 512;
/// Words of the long prompt.
const LONG: u64 = 1200;
/// The name and the value that a guided answer must have.
const KEY: &str = "kq7";
const WORD: &str = "zx4";

/// Makes the questions of one endpoint.
pub(super) struct Bodies<'a> {
    endpoint: &'a Endpoint,
    compat: Compat,
    /// Counts are asked for in the stream.
    pub(super) counts: bool,
}

/// The tool that is offered.
pub(super) fn note() -> ToolSpec {
    let text = json!({ "type": "string", "description": "The note." });
    let parameters = json!({ "type": "object", "properties": { "text": text }, "required": ["text"] });
    ToolSpec::new("note", "Keeps a note.", parameters)
}

/// Asks for one call.
pub(super) const ONCE: &str = "Call the tool `note` with the text \"ok\". Say nothing else.";
/// Asks for two calls at once.
pub(super) const TWICE: &str =
    "Call the tool `note` twice in this one answer: with the text \"a\" and with the text \"b\".";

impl<'a> Bodies<'a> {
    pub(super) fn new(endpoint: &'a Endpoint) -> Self {
        let compat = endpoint.compat();
        let counts = compat.usage_in_stream;
        Self { endpoint, compat, counts }
    }

    fn body(&self, prompt: &str, room: u64, more: &[(&str, Value)]) -> Value {
        let mut fields = Vec::new();
        if self.counts {
            fields.push(("stream_options", json!({ "include_usage": true })));
        }
        fields.push((self.compat.max_tokens_field.field(), json!(room)));
        let mut body: Map<String, Value> = with_extra(fields, &self.endpoint.extra_body).into_iter().collect();
        body.insert("model".to_owned(), json!(self.endpoint.wire_name()));
        body.insert("messages".to_owned(), json!([{ "role": "user", "content": prompt }]));
        body.insert("stream".to_owned(), json!(true));
        body.extend(more.iter().map(|(name, value)| ((*name).to_owned(), value.clone())));
        Value::Object(body)
    }

    /// Offers a tool and asks for it; `forced` by `tool_choice`.
    pub(super) fn tools(&self, forced: bool) -> Value {
        let mut more = vec![("tools", offered())];
        if forced {
            more.push(("tool_choice", json!("required")));
        }
        self.body(ONCE, ROOM, &more)
    }

    /// Asks for two calls.
    pub(super) fn twice(&self) -> Value {
        let mut more = vec![("tools", offered())];
        if self.compat.parallel_calls {
            more.push(("parallel_tool_calls", json!(true)));
        }
        self.body(TWICE, ROOM, &more)
    }

    /// Asks for a word.
    pub(super) fn plain(&self) -> Value {
        self.body("Say hello.", 32, &[])
    }

    /// Asks for a word in a form.
    pub(super) fn schema(&self, form: Guided) -> Value {
        let schema = json!({ "type": "object", "properties": { KEY: { "type": "string", "enum": [WORD] } },
            "required": [KEY], "additionalProperties": false });
        let more = match form {
            Guided::None => return self.plain(),
            Guided::Gbnf => ("grammar", json!(format!("root ::= \"{KEY}{WORD}\""))),
            Guided::JsonSchema => (
                "response_format",
                json!({ "type": "json_schema", "json_schema": { "name": "probe", "strict": true, "schema": schema } }),
            ),
            Guided::GuidedJson => ("guided_json", schema),
            Guided::StructuredOutputs => ("structured_outputs", json!({ "json": schema })),
        };
        self.body("Say hello.", ROOM, &[more])
    }

    /// A prompt long enough to be worth caching, that was never sent before.
    pub(super) fn long(&self, window: Option<u64>) -> Value {
        let nonce = SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |since| since.as_nanos());
        let words = window.map_or(LONG, |window| LONG.min(window / 4));
        let mut text = format!("{nonce}.");
        for number in 0..words {
            text.push_str(if number % 7 == 6 { " stone.\n" } else { " word" });
        }
        text.push_str("\nSay hello.");
        self.body(&text, 4, &[])
    }
}

fn offered() -> Value {
    json!([{ "type": "function", "function": note() }])
}

/// Whether an answer has the form that was asked for.
pub(super) fn held(form: Guided, text: &str) -> bool {
    let text = text.rsplit_once("</think>").map_or(text, |(_, text)| text).trim();
    match form {
        Guided::None => false,
        Guided::Gbnf => text == format!("{KEY}{WORD}"),
        _ => serde_json::from_str::<Value>(text).is_ok_and(|value| value == json!({ KEY: WORD })),
    }
}

#[cfg(test)]
mod tests {
    use super::{Bodies, held};
    use crate::Endpoint;
    use reasonix_catalogue::Guided;

    #[test]
    fn a_form_is_held_or_not() {
        for (form, text, expected) in [
            (Guided::Gbnf, "kq7zx4", true),
            (Guided::Gbnf, "Hello!", false),
            (Guided::JsonSchema, " {\"kq7\": \"zx4\"}\n", true),
            (Guided::JsonSchema, "<think>\nhm</think>{\"kq7\":\"zx4\"}", true),
            (Guided::GuidedJson, "{\"greeting\":\"hello\"}", false),
            (Guided::StructuredOutputs, "", false),
            (Guided::None, "kq7zx4", false),
        ] {
            assert_eq!(held(form, text), expected, "{form:?} {text}");
        }
    }

    #[test]
    fn questions_carry_what_the_user_adds_and_nothing_of_theirs() {
        let mut endpoint = Endpoint::new("p", "http://h/v1", "m");
        endpoint.wire_model = Some("deployed".into());
        endpoint.extra_body.insert("seed".into(), 7.into());
        let bodies = Bodies::new(&endpoint);
        let body = bodies.tools(true);
        assert_eq!((body["model"].as_str(), body["seed"].as_u64()), (Some("deployed"), Some(7)));
        assert_eq!(body["tool_choice"], "required");
        assert_ne!(bodies.long(None), bodies.long(None), "never sent before");
        assert!(bodies.long(Some(400)).to_string().len() < 2000, "fits into a small window");
    }
}
