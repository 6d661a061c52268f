//! `--output-schema`: the answer as JSON that fits a schema.

use crate::say;
use reasonix_engine::AnswerSchema;
use reasonix_proto::{Op, Phrase};
use serde_json::Value;
use std::path::Path;

/// The largest schema that is read.
const LARGEST: u64 = 1024 * 1024;

/// A JSON schema that the last answer has to fit.
pub(crate) struct OutputSchema(AnswerSchema);

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
        AnswerSchema::new(&value).map(Self).map_err(fail)
    }

    /// What the model is asked for.
    pub(crate) fn request(&self) -> String {
        format!(
            "Your last message must be one JSON value and nothing else (no prose, no code fence), fitting this JSON schema:\n{}",
            self.0.value()
        )
    }

    /// A prompt whose answer has to fit; a closing one wants nothing but that.
    pub(crate) fn prompt(&self, text: String, resolved: bool, closing: bool) -> Op {
        Op::PromptFor { text, resolved, schema: self.0.value().clone(), closing }
    }

    /// The value in the answer, or why it does not fit.
    pub(crate) fn check(&self, answer: &str) -> Result<Value, String> {
        self.0.check(answer)
    }

    /// What the model is told about an answer that does not fit.
    pub(crate) fn correction(wrong: &str) -> String {
        format!(
            "Your answer does not fit the schema: {wrong}. Answer again with the corrected JSON value and nothing else."
        )
    }
}
