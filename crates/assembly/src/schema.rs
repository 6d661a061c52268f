//! Answers that have to fit a JSON schema: what `--output-schema` wants of a run, and whoever gives an assignment of a subagent.

use serde_json::Value;

/// Errors that are told to the model at once.
const MOST_ERRORS: usize = 5;

/// The longest value that is shown of one error.
const LONGEST_ERROR: usize = 400;

/// A JSON schema that an answer has to fit.
pub struct AnswerSchema {
    value: Value,
    validator: jsonschema::Validator,
}

impl AnswerSchema {
    /// Reads a schema. It reaches for no file and no address, whatever it refers to.
    pub fn new(schema: &Value) -> Result<Self, String> {
        let validator = jsonschema::validator_for(schema).map_err(|error| error.to_string())?;
        Ok(Self { value: schema.clone(), validator })
    }

    /// The schema itself.
    pub fn value(&self) -> &Value {
        &self.value
    }

    /// The value in an answer, or why it does not fit.
    pub fn check(&self, answer: &str) -> Result<Value, String> {
        let value: Value = serde_json::from_str(json_part(answer)).map_err(|error| format!("not JSON: {error}"))?;
        self.fits(&value)?;
        Ok(value)
    }

    /// Why a value does not fit.
    pub fn fits(&self, value: &Value) -> Result<(), String> {
        let errors = self.validator.iter_errors(value).take(MOST_ERRORS);
        let told = errors.map(|error| {
            let told = format!("{}: {error}", error.instance_path());
            told.get(..told.floor_char_boundary(LONGEST_ERROR)).unwrap_or_default().to_owned()
        });
        let told: Vec<String> = told.collect();
        if told.is_empty() { Ok(()) } else { Err(told.join("; ")) }
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
    use super::{AnswerSchema, json_part};
    use serde_json::json;

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

    #[test]
    fn nothing_outside_is_read_for_a_schema() {
        for place in ["file:///etc/hostname", "http://127.0.0.1:9/schema.json"] {
            assert!(AnswerSchema::new(&json!({ "$ref": place })).is_err(), "{place}");
        }
        assert!(AnswerSchema::new(&json!({ "type": 5 })).is_err());
    }
}
