//! A model that plays a script, for tests, demos and bug reports. The format is described in `docs/scripted.md`.

use reasonix_proto::{FailureClass, Usage};
use serde::Deserialize;
use serde_json::Value;

/// A parsed script: one step for each request.
#[derive(Debug, Clone, PartialEq)]
pub struct Script {
    pub(crate) steps: Vec<Step>,
}

/// Why a script could not be read.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("script, line {line}: {reason}")]
pub struct ScriptError {
    /// The line, from 1.
    pub line: usize,
    /// What is wrong.
    pub reason: String,
}

/// What the model does on one request.
#[derive(Debug, Clone, Default, PartialEq, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub(crate) struct Step {
    pub(crate) expect: Option<String>,
    pub(crate) delay_ms: u64,
    pub(crate) think: Pieces,
    pub(crate) say: Pieces,
    pub(crate) calls: Vec<Call>,
    pub(crate) usage: Option<Counts>,
    pub(crate) fail: Option<Fail>,
    pub(crate) drop: bool,
}

/// A text, whole or in pieces.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(untagged)]
pub(crate) enum Pieces {
    Whole(String),
    Pieces(Vec<String>),
}

impl Default for Pieces {
    fn default() -> Self {
        Self::Pieces(Vec::new())
    }
}

impl Pieces {
    pub(crate) fn as_slice(&self) -> &[String] {
        match self {
            Self::Whole(text) => std::slice::from_ref(text),
            Self::Pieces(pieces) => pieces,
        }
    }
}

/// A call; arguments that are a string are sent as they are, also when they are no JSON.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Call {
    #[serde(alias = "name")]
    pub(crate) tool: String,
    #[serde(default)]
    pub(crate) arguments: Value,
    #[serde(default)]
    pub(crate) id: Option<String>,
}

#[derive(Debug, Clone, Copy, Default, PartialEq, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub(crate) struct Counts {
    input: u64,
    output: u64,
    cached: u64,
    reasoning: u64,
    written: u64,
}

impl From<Counts> for Usage {
    fn from(counts: Counts) -> Self {
        let Counts { input, output, cached, reasoning, written } = counts;
        Self { input, output, cached, reasoning, written }
    }
}

/// A failure with its class.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Fail {
    pub(crate) class: FailureClass,
    #[serde(default)]
    pub(crate) message: String,
}

impl Script {
    /// Reads a script: JSON objects one after the other, a step each, or one list of them. Lines that begin with `#`
    /// are comments.
    pub fn parse(text: &str) -> Result<Self, ScriptError> {
        // A line cannot begin inside a JSON string, so comments can be blanked without looking into the JSON.
        let plain = text.lines().map(|line| if line.trim_start().starts_with('#') { "" } else { line });
        let plain = plain.collect::<Vec<_>>().join("\n");
        if plain.trim_start().starts_with('[') {
            let steps = serde_json::from_str(&plain).map_err(|error| wrong(&error))?;
            return Ok(Self { steps });
        }
        let steps = serde_json::Deserializer::from_str(&plain).into_iter::<Step>();
        let steps = steps.collect::<Result<_, _>>().map_err(|error| wrong(&error))?;
        Ok(Self { steps })
    }

    /// How many steps there are.
    pub fn len(&self) -> usize {
        self.steps.len()
    }

    /// True when there is none.
    pub fn is_empty(&self) -> bool {
        self.steps.is_empty()
    }
}

fn wrong(error: &serde_json::Error) -> ScriptError {
    let text = error.to_string();
    let reason = text.rsplit_once(" at line ").map_or(text.as_str(), |(reason, _)| reason).to_owned();
    ScriptError { line: error.line(), reason }
}

#[cfg(test)]
mod tests {
    use super::Script;

    #[test]
    fn forms() {
        for (what, text, steps) in [
            ("a step a line", "# a demo\n{\"say\":\"a\"}\n\n{\"say\":[\"b\",\"c\"]}\n", 2),
            ("steps over lines", "{\n  # why\n  \"say\": \"a\"\n}\n{}", 2),
            ("a list", "# list\n[{\"say\":\"a\"},{\"calls\":[{\"tool\":\"ls\"}]}]", 2),
            ("nothing", "# nothing\n", 0),
        ] {
            let script = Script::parse(text).unwrap_or_else(|error| panic!("{what}: {error}"));
            assert_eq!(script.len(), steps, "{what}");
        }
    }

    #[test]
    fn mistakes_are_named_with_their_line() {
        for (text, line, part) in [
            ("{\"say\":\"a\"}\n{\"sya\":\"b\"}", 2, "unknown field `sya`"),
            ("\n\n{\"say\": }", 3, "expected value"),
            ("{\"fail\":{\"class\":\"tired\"}}", 1, "unknown variant `tired`"),
            ("{\"say\":\"a\"", 1, "EOF"),
        ] {
            let error = Script::parse(text).expect_err("it is wrong");
            assert_eq!(error.line, line, "{text}: {error}");
            assert!(error.to_string().contains(part), "{text}: {error}");
        }
    }
}
