//! Gathers tool calls out of their pieces, whatever way a server cuts them.

use super::content::{self, Joint};
use crate::blocks::{MOST_ARGUMENTS, MOST_CALLS};
use crate::custom;
use crate::ids::{MOST_ID, unique};
use reasonix_agent::Prefix;
use reasonix_proto::{CallId, Message, ToolCall};
use serde::Deserialize;
use serde_json::value::RawValue;
use std::borrow::Cow;
use std::sync::Arc;

/// An answer has more calls, or longer ones, than it may.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum TooMuch {
    Calls,
    Arguments,
}

/// A piece of a call as it is on the wire. Every leaf is raw, so that a wrong type spoils nothing but itself.
#[derive(Debug, Default, Deserialize)]
pub(crate) struct Piece<'a> {
    #[serde(borrow, default)]
    index: Option<&'a RawValue>,
    #[serde(borrow, default)]
    id: Option<&'a RawValue>,
    #[serde(borrow, default)]
    function: Option<Function<'a>>,
    /// A call whose input is a text of no form.
    #[serde(borrow, default)]
    custom: Option<Function<'a>>,
    // Some servers leave out the wrapping.
    #[serde(borrow, default)]
    name: Option<&'a RawValue>,
    #[serde(borrow, default)]
    arguments: Option<&'a RawValue>,
    /// What only the endpoint can read, such as a signature of the thought behind the call.
    #[serde(borrow, default)]
    extra_content: Option<&'a RawValue>,
}

#[derive(Debug, Default, Clone, Copy, Deserialize)]
pub(crate) struct Function<'a> {
    #[serde(borrow, default)]
    name: Option<&'a RawValue>,
    #[serde(borrow, default)]
    arguments: Option<&'a RawValue>,
    #[serde(borrow, default)]
    input: Option<&'a RawValue>,
}

impl<'a> Piece<'a> {
    /// The legacy form: one call, never with an id.
    pub(crate) fn legacy(function: Function<'a>) -> Self {
        Self { function: Some(function), ..Self::default() }
    }
}

/// A call that is being written.
#[derive(Debug, Default)]
struct Building {
    index: Option<u64>,
    id: String,
    name: String,
    arguments: String,
    extra: Option<String>,
    custom: bool,
    scan: Scan,
}

/// The calls of one answer.
#[derive(Debug, Default)]
pub(crate) struct Calls(Vec<Building>, Joint);

/// What a piece added, for display.
pub(crate) struct Added<'c> {
    pub(crate) index: usize,
    pub(crate) name: &'c str,
    pub(crate) delta: Cow<'c, str>,
}

impl Calls {
    pub(crate) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Adds a piece. `whole` says that it is a complete call, not to be joined with any other.
    pub(crate) fn add<'c>(&'c mut self, piece: &'c Piece<'_>, whole: bool) -> Result<Added<'c>, TooMuch> {
        let function = piece.function.as_ref().or(piece.custom.as_ref());
        let id = piece.id.and_then(content::string).filter(|id| id.len() <= MOST_ID).unwrap_or_default();
        let name = function.and_then(|function| function.name).or(piece.name);
        let name = name.and_then(content::string).unwrap_or_default();
        let arguments = function.and_then(|function| function.arguments.or(function.input)).or(piece.arguments);
        let arguments = arguments.map(|raw| written(raw, &mut self.1));
        let arguments = arguments.unwrap_or_default();
        let index = piece.index.and_then(|raw| raw.get().trim_matches('"').parse().ok());
        let place = if whole { None } else { self.place(index, &id, &name, &arguments) };
        let place = match place {
            Some(place) => place,
            None if self.0.len() >= MOST_CALLS => return Err(TooMuch::Calls),
            None => {
                self.0.push(Building { index, ..Building::default() });
                self.0.len() - 1
            }
        };
        let Some(call) = self.0.get_mut(place) else { return Err(TooMuch::Calls) };
        if call.id.is_empty() {
            call.id = id.into_owned();
        }
        call.custom |= piece.custom.is_some();
        call.add_name(&name);
        if let Some(extra) = piece.extra_content.filter(|extra| extra.get().len() <= MOST_ARGUMENTS) {
            call.extra = Some(extra.get().to_owned());
        }
        if call.arguments.len() + arguments.len() > MOST_ARGUMENTS {
            return Err(TooMuch::Arguments);
        }
        call.scan.feed(&arguments);
        call.arguments.push_str(&arguments);
        Ok(Added { index: place, name: &call.name, delta: arguments })
    }

    /// The call that a piece belongs to; none when it begins a new one.
    fn place(&self, index: Option<u64>, id: &str, name: &str, arguments: &str) -> Option<usize> {
        let place = match index {
            Some(_) => self.0.iter().rposition(|call| call.index == index)?,
            None if !id.is_empty() => match self.0.iter().rposition(|call| call.id == id) {
                Some(place) => place,
                None if name.is_empty() => self.0.len().checked_sub(1)?,
                None => return None,
            },
            None => self.0.len().checked_sub(1)?,
        };
        let call = self.0.get(place)?;
        let complete = call.scan.complete();
        if complete && !arguments.trim().is_empty() && !name.is_empty() {
            return None;
        }
        let other_id = !id.is_empty() && !call.id.is_empty() && call.id != id;
        let same_unfinished = call.name == name && !call.arguments.is_empty() && !complete;
        if other_id && !name.is_empty() && !same_unfinished {
            return None;
        }
        let other_name = !name.is_empty() && !call.arguments.is_empty() && call.name != name;
        if index.is_none() && id.is_empty() && other_name {
            return None;
        }
        Some(place)
    }

    /// Reads the inputs of no form as arguments, now that they are whole.
    pub(crate) fn form(&mut self, prefix: &Prefix) {
        for call in self.0.iter_mut().filter(|call| call.custom) {
            call.arguments = custom::arguments(&call.name, std::mem::take(&mut call.arguments), prefix);
        }
    }

    /// The finished calls, with ids that are unique within the conversation, and what has to go back beside each.
    pub(crate) fn finish(self, history: &[Arc<Message>]) -> Vec<(ToolCall, Option<String>)> {
        let mut calls: Vec<ToolCall> = Vec::with_capacity(self.0.len());
        let mut extras: Vec<Option<String>> = Vec::with_capacity(self.0.len());
        let mut given: Vec<String> = Vec::with_capacity(self.0.len());
        for call in self.0.into_iter().filter(|call| !call.name.is_empty() || !call.arguments.is_empty()) {
            // Some gateways send a whole call once more behind its pieces: it is still one call.
            let again = |(id, made): (&String, &ToolCall)| {
                *id == call.id && made.name == call.name && made.arguments == call.arguments
            };
            if !call.id.is_empty() && given.iter().zip(&calls).any(again) {
                continue;
            }
            given.push(call.id.clone());
            let id = unique(call.id, history, &calls);
            calls.push(ToolCall { id: CallId(id), name: call.name, arguments: call.arguments });
            extras.push(call.extra);
        }
        calls.into_iter().zip(extras).collect()
    }
}

impl Building {
    /// A name may come in pieces, whole with every piece, or growing.
    fn add_name(&mut self, piece: &str) {
        if piece.is_empty() || piece == self.name || self.name.len() + piece.len() > 1024 {
            return;
        }
        if piece.starts_with(&self.name) {
            self.name.clear();
            self.name.push_str(piece);
        } else if self.arguments.is_empty() {
            self.name.push_str(piece);
        }
    }
}

/// Arguments as text: a string's content, or the JSON of anything else.
fn written<'a>(raw: &'a RawValue, joint: &mut Joint) -> Cow<'a, str> {
    match joint.string(raw) {
        Some(text) => text,
        None => Cow::Borrowed(if raw.get() == "null" { "" } else { raw.get() }),
    }
}

/// Watches JSON go by and knows when one object is complete, without parsing it again.
#[derive(Debug, Default)]
struct Scan {
    depth: u32,
    begun: bool,
    in_string: bool,
    escaped: bool,
}

impl Scan {
    fn feed(&mut self, text: &str) {
        for byte in text.bytes() {
            match byte {
                _ if self.escaped => self.escaped = false,
                b'\\' if self.in_string => self.escaped = true,
                b'"' => self.in_string = !self.in_string,
                b'{' | b'[' if !self.in_string => {
                    self.begun = true;
                    self.depth = self.depth.saturating_add(1);
                }
                b'}' | b']' if !self.in_string => self.depth = self.depth.saturating_sub(1),
                _ => {}
            }
        }
    }

    fn complete(&self) -> bool {
        self.begun && self.depth == 0 && !self.in_string
    }
}

#[cfg(test)]
mod tests {
    use super::{Calls, Piece, TooMuch};
    use crate::blocks::MOST_CALLS;
    use reasonix_proto::{Message, StopReason, ToolCall};
    use std::sync::Arc;

    fn gather(pieces: &[&str]) -> Vec<(String, String, String)> {
        let mut calls = Calls::default();
        for piece in pieces {
            let piece: Piece<'_> = serde_json::from_str(piece).expect("a piece");
            calls.add(&piece, false).expect("few calls");
        }
        flat(calls.finish(&[]))
    }

    fn flat(calls: Vec<(ToolCall, Option<String>)>) -> Vec<(String, String, String)> {
        calls.into_iter().map(|(call, _)| (call.id.0, call.name, call.arguments)).collect()
    }

    fn call(id: &str, name: &str, arguments: &str) -> (String, String, String) {
        (id.into(), name.into(), arguments.into())
    }

    #[test]
    fn a_call_that_is_sent_again_whole_is_one_call() {
        let one = r#"{"index":0,"id":"a","function":{"name":"bash","arguments":"{\"command\":\"x\"}"}}"#;
        let again = r#"{"index":1,"id":"a","function":{"name":"bash","arguments":"{\"command\":\"x\"}"}}"#;
        assert_eq!(gather(&[one, again]), [call("a", "bash", r#"{"command":"x"}"#)]);
        assert_eq!(gather(&[one, one]).len(), 1);
        let other = r#"{"index":1,"id":"a","function":{"name":"bash","arguments":"{\"command\":\"y\"}"}}"#;
        assert_eq!(gather(&[one, other]).len(), 2, "another call with the same id gets one of its own");
        let unnamed = r#"{"function":{"name":"bash","arguments":"{\"command\":\"x\"}"}}"#;
        assert_eq!(gather(&[unnamed, unnamed]).len(), 2);
    }

    const ONE_CALL: &[(&str, &[&str])] = &[
        (
            "by index",
            &[
                r#"{"index":0,"id":"a","function":{"name":"read_file","arguments":""}}"#,
                r#"{"index":0,"function":{"arguments":"{\"path\":"}}"#,
                r#"{"index":0,"function":{"arguments":"\"x\"}"}}"#,
            ],
        ),
        (
            "without index",
            &[
                r#"{"id":"a","function":{"name":"read_file","arguments":"{\"path\":"}}"#,
                r#"{"function":{"arguments":"\"x\"}"}}"#,
            ],
        ),
        (
            "id repeated",
            &[
                r#"{"index":0,"id":"a","function":{"name":"read_file"}}"#,
                r#"{"index":0,"id":"a","function":{"arguments":"{\"path\":\"x\"}"}}"#,
            ],
        ),
        (
            "id and name repeated",
            &[
                r#"{"index":0,"id":"a","function":{"name":"read_file","arguments":"{\"path\":"}}"#,
                r#"{"index":0,"id":"a","function":{"name":"read_file","arguments":"\"x\"}"}}"#,
            ],
        ),
        (
            "another id with every piece",
            &[
                r#"{"index":0,"id":"a","function":{"name":"read_file","arguments":"{\"path\":"}}"#,
                r#"{"index":0,"id":"b","function":{"name":"read_file","arguments":"\"x\"}"}}"#,
            ],
        ),
        (
            "one whole call",
            &[r#"{"id":"a","type":"function","function":{"name":"read_file","arguments":"{\"path\":\"x\"}"}}"#],
        ),
        (
            "name in pieces",
            &[
                r#"{"index":0,"id":"a","function":{"name":"read_"}}"#,
                r#"{"index":0,"function":{"name":"file"}}"#,
                r#"{"index":0,"function":{"arguments":"{\"path\":\"x\"}"}}"#,
            ],
        ),
        (
            "a growing name",
            &[
                r#"{"index":0,"id":"a","function":{"name":"read_"}}"#,
                r#"{"index":0,"function":{"name":"read_file","arguments":"{\"path\":\"x\"}"}}"#,
            ],
        ),
        (
            "arguments as an object",
            &[r#"{"index":0,"id":"a","function":{"name":"read_file","arguments":{"path":"x"}}}"#],
        ),
        ("without wrapping", &[r#"{"id":"a","name":"read_file","arguments":{"path":"x"}}"#]),
        (
            "index as a string",
            &[
                r#"{"index":"0","id":"a","function":{"name":"read_file","arguments":"{\"path\":"}}"#,
                r#"{"index":"0","function":{"arguments":"\"x\"}"}}"#,
            ],
        ),
    ];

    #[test]
    fn ways_to_cut_one_call() {
        let expected = vec![call("a", "read_file", r#"{"path":"x"}"#)];
        for (way, pieces) in ONE_CALL {
            assert_eq!(gather(pieces), expected, "{way}");
        }
    }

    #[test]
    fn ways_to_send_two_calls() {
        let expected = vec![call("a", "ls", "{}"), call("b", "ls", r#"{"path":"y"}"#)];
        for (way, pieces) in [
            (
                "interleaved",
                vec![
                    r#"{"index":0,"id":"a","function":{"name":"ls"}}"#,
                    r#"{"index":1,"id":"b","function":{"name":"ls","arguments":"{\"path\":"}}"#,
                    r#"{"index":0,"function":{"arguments":"{}"}}"#,
                    r#"{"index":1,"function":{"arguments":"\"y\"}"}}"#,
                ],
            ),
            (
                "one index for both",
                vec![
                    r#"{"index":0,"id":"a","function":{"name":"ls","arguments":"{}"}}"#,
                    r#"{"index":0,"id":"b","function":{"name":"ls","arguments":"{\"path\":"}}"#,
                    r#"{"index":0,"function":{"arguments":"\"y\"}"}}"#,
                ],
            ),
            (
                "no index",
                vec![
                    r#"{"id":"a","function":{"name":"ls","arguments":"{}"}}"#,
                    r#"{"id":"b","function":{"name":"ls","arguments":"{\"path\":\"y\"}"}}"#,
                ],
            ),
        ] {
            assert_eq!(gather(&pieces), expected, "{way}");
        }
        let whole = r#"{"function":{"name":"ls","arguments":"{}"}}"#;
        assert_eq!(gather(&[whole, whole]), [call("call_1", "ls", "{}"), call("call_2", "ls", "{}")]);
    }

    #[test]
    fn ids_are_unique_and_depend_on_the_conversation_alone() {
        let earlier = ToolCall { id: "call_1".into(), name: "ls".into(), arguments: "{}".into() };
        let calls = vec![earlier];
        let message = Message::Assistant { text: String::new(), reasoning: None, calls, stop: StopReason::Calls };
        let pieces = [
            r#"{"index":0,"function":{"name":"ls"}}"#,
            r#"{"index":1,"id":"call_1","function":{"name":"ls"}}"#,
            r#"{"index":2,"id":"mine","function":{"name":"ls"}}"#,
            r#"{"index":3,"id":"mine","function":{"name":"grep"}}"#,
        ];
        let mut calls = Calls::default();
        for piece in pieces {
            calls.add(&serde_json::from_str(piece).expect("a piece"), false).expect("few calls");
        }
        let ids: Vec<_> = calls.finish(&[Arc::new(message)]).into_iter().map(|(call, _)| call.id.0).collect();
        assert_eq!(ids, ["call_2", "call_3", "mine", "call_5"]);
    }

    #[test]
    fn calls_and_their_arguments_are_bounded() {
        let mut calls = Calls::default();
        let results: Vec<_> = (0..10_000)
            .map(|index| {
                let piece =
                    format!(r#"{{"index":{index},"id":"{index}","function":{{"name":"ls","arguments":"{{}}"}}}}"#);
                calls.add(&serde_json::from_str(&piece).expect("a piece"), false).map(|_| ()).err()
            })
            .collect();
        assert_eq!(results[MOST_CALLS - 1], None);
        assert!(results[MOST_CALLS..].iter().all(|error| *error == Some(TooMuch::Calls)));

        let piece = format!(r#"{{"index":0,"function":{{"name":"x","arguments":"{}"}}}}"#, "y".repeat(1 << 20));
        let mut calls = Calls::default();
        let piece: Piece<'_> = serde_json::from_str(&piece).expect("a piece");
        let errors = (0..9).filter_map(|_| calls.add(&piece, false).map(|_| ()).err()).count();
        assert_eq!(errors, 1);
    }

    #[test]
    fn broken_arguments_stay_as_they_were_written() {
        let pieces = [r#"{"index":0,"id":"a","function":{"name":"ls","arguments":"{\"path\": \"x"}}"#];
        assert_eq!(gather(&pieces), [call("a", "ls", "{\"path\": \"x")]);
        assert_eq!(gather(&[r#"{"index":0}"#]), [], "a call that says nothing is none");
    }
}
