//! Token counts as endpoints spell them.

use reasonix_proto::Usage;
use serde_json::Value;

/// More tokens than any request has; what lies above is a mistake of the endpoint.
const MOST: u64 = 1_000_000_000;

/// Reads a `usage` object; none when it says nothing. Negative and absurd numbers are clamped.
pub(crate) fn parse(usage: &Value) -> Option<Usage> {
    usage.as_object()?;
    let input = count(&usage["prompt_tokens"]);
    let output = count(&usage["completion_tokens"]);
    if input.is_none() && output.is_none() {
        return None;
    }
    let (input, output) = (input.unwrap_or(0), output.unwrap_or(0));
    let cached = count(&usage["prompt_cache_hit_tokens"])
        .or_else(|| count(&usage["prompt_tokens_details"]["cached_tokens"]))
        .or_else(|| count(&usage["cached_tokens"]));
    let reasoning = count(&usage["completion_tokens_details"]["reasoning_tokens"]);
    let cached = cached.unwrap_or(0).min(input);
    Some(Usage { input, output, cached, reasoning: reasoning.unwrap_or(0).min(output) })
}

fn count(value: &Value) -> Option<u64> {
    if let Some(count) = value.as_u64() {
        return Some(count.min(MOST));
    }
    // Casts of floats saturate, so that negative and infinite numbers are clamped.
    value.as_f64().map(|count| (count as u64).min(MOST))
}

#[cfg(test)]
mod tests {
    use super::parse;
    use reasonix_proto::Usage;
    use serde_json::{Value, json};

    fn usage(input: u64, output: u64, cached: u64, reasoning: u64) -> Option<Usage> {
        Some(Usage { input, output, cached, reasoning })
    }

    #[test]
    fn spellings_and_nonsense() {
        for (given, expected) in [
            (json!({ "prompt_tokens": 9, "completion_tokens": 3 }), usage(9, 3, 0, 0)),
            (json!({ "prompt_tokens": 9, "completion_tokens": 3, "prompt_cache_hit_tokens": 8 }), usage(9, 3, 8, 0)),
            (json!({ "prompt_tokens": 9, "prompt_tokens_details": { "cached_tokens": 7 } }), usage(9, 0, 7, 0)),
            (json!({ "prompt_tokens": 9, "prompt_tokens_details": null }), usage(9, 0, 0, 0)),
            (
                json!({ "completion_tokens": 5, "completion_tokens_details": { "reasoning_tokens": 4 } }),
                usage(0, 5, 0, 4),
            ),
            (json!({ "prompt_tokens": -5, "completion_tokens": -1 }), usage(0, 0, 0, 0)),
            (
                json!({ "prompt_tokens": u64::MAX, "completion_tokens": 1e300 }),
                usage(1_000_000_000, 1_000_000_000, 0, 0),
            ),
            (json!({ "prompt_tokens": 9, "prompt_cache_hit_tokens": 99 }), usage(9, 0, 9, 0)),
            (json!({ "prompt_tokens": "many" }), None),
            (json!({}), None),
            (Value::Null, None),
            (json!([1]), None),
        ] {
            assert_eq!(parse(&given), expected, "{given}");
        }
    }
}
