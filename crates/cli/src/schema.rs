//! `--output-schema`: the answer as JSON that fits a schema.

use crate::say;
use reasonix_proto::Phrase;
use serde_json::Value;
use std::path::Path;

/// Errors that are told to the model at once.
const MOST_ERRORS: usize = 5;

/// The largest schema that is read.
const LARGEST: u64 = 1024 * 1024;

/// A JSON schema that the last answer has to fit.
pub(crate) struct OutputSchema {
    text: String,
    validator: jsonschema::Validator,
}

impl OutputSchema {
    pub(crate) fn read(path: &Path) -> anyhow::Result<Self> {
        let fail = |reason: String| {
            say::usage(Phrase::new("cli.bad_schema").with("path", path.display()).with("reason", reason))
        };
        let found = std::fs::metadata(path).map_err(|error| fail(error.to_string()))?;
        if !found.is_file() || found.len() > LARGEST {
            return Err(fail(format!("it is not a file of at most {} KiB", LARGEST / 1024)));
        }
        let text = std::fs::read_to_string(path).map_err(|error| fail(error.to_string()))?;
        let value: Value = serde_json::from_str(&text).map_err(|error| fail(error.to_string()))?;
        let validator = jsonschema::validator_for(&value).map_err(|error| fail(error.to_string()))?;
        Ok(Self { text: value.to_string(), validator })
    }

    /// What the model is asked for.
    pub(crate) fn request(&self) -> String {
        format!(
            "Your last message must be one JSON value and nothing else (no prose, no code fence), fitting this JSON schema:\n{}",
            self.text
        )
    }

    /// The value in the answer, or why it does not fit.
    pub(crate) fn check(&self, answer: &str) -> Result<Value, String> {
        let value: Value = serde_json::from_str(json_part(answer)).map_err(|error| format!("not JSON: {error}"))?;
        let errors: Vec<_> = self
            .validator
            .iter_errors(&value)
            .take(MOST_ERRORS)
            .map(|error| format!("{}: {error}", error.instance_path()))
            .collect();
        if errors.is_empty() { Ok(value) } else { Err(errors.join("; ")) }
    }

    /// What the model is told about an answer that does not fit.
    pub(crate) fn correction(wrong: &str) -> String {
        format!(
            "Your answer does not fit the schema: {wrong}. Answer again with the corrected JSON value and nothing else."
        )
    }
}

/// The answer without the fence and the words around it.
fn json_part(answer: &str) -> &str {
    let answer = answer.trim();
    if serde_json::from_str::<serde::de::IgnoredAny>(answer).is_ok() {
        return answer;
    }
    let fenced = answer.split_once("```").and_then(|(_, rest)| {
        let rest = rest.strip_prefix("json").unwrap_or(rest);
        rest.split_once("```").map(|(inner, _)| inner.trim())
    });
    let braced = || {
        let (start, end) = (answer.find(['{', '['])?, answer.rfind(['}', ']'])?);
        answer.get(start..=end)
    };
    fenced.or_else(braced).unwrap_or(answer)
}

#[cfg(test)]
mod tests {
    use super::json_part;

    #[test]
    fn json_is_found_in_what_models_write() {
        for answer in [
            "{\"a\":1}",
            " {\"a\":1}\n",
            "```json\n{\"a\":1}\n```",
            "Here:\n```\n{\"a\":1}\n```\ndone",
            "It is {\"a\":1}.",
        ] {
            assert_eq!(json_part(answer), "{\"a\":1}", "{answer:?}");
        }
    }
}
