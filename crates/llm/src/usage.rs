//! Token counts as endpoints spell them.

use reasonix_proto::Usage;
use serde_json::Value;

/// More tokens than any request has; what lies above is a mistake of the endpoint.
const MOST: u64 = 1_000_000_000;

/// Reads a `usage` object; none when it says nothing. Negative and absurd numbers are clamped.
pub(crate) fn parse(usage: &Value) -> Option<Usage> {
    usage.as_object()?;
    let input = count(&usage["prompt_tokens"]).or_else(|| count(&usage["input_tokens"]));
    let output = count(&usage["completion_tokens"]).or_else(|| count(&usage["output_tokens"]));
    if input.is_none() && output.is_none() {
        return None;
    }
    let (input, output) = (input.unwrap_or(0), output.unwrap_or(0));
    // Where thinking is not part of the answer it is still paid for: only the sum has it.
    let output = count(&usage["total_tokens"]).map_or(output, |total| output.max(total.saturating_sub(input)));
    let cached = count(&usage["prompt_cache_hit_tokens"])
        .or_else(|| count(&usage["prompt_tokens_details"]["cached_tokens"]))
        .or_else(|| count(&usage["cached_tokens"]));
    let reasoning = count(&usage["completion_tokens_details"]["reasoning_tokens"])
        .or_else(|| count(&usage["reasoning_tokens"]))
        .unwrap_or(0);
    // More thinking than answer is no part of it, whatever the sum says.
    let output = if reasoning > output { (output + reasoning).min(MOST) } else { output };
    let cached = cached.unwrap_or(0).min(input);
    let written = count(&usage["prompt_tokens_details"]["cache_write_tokens"])
        .or_else(|| count(&usage["prompt_tokens_details"]["cache_creation_tokens"]))
        .or_else(|| count(&usage["prompt_tokens_details"]["cache_creation_input_tokens"]));
    let written = written.unwrap_or(0).min(input - cached);
    Some(Usage { input, output, cached, reasoning, written })
}

/// Reads the counts of the messages wire, which come in parts: what a part does not speak of stays. Its `input_tokens`
/// leave out what the cache read and wrote.
pub(crate) fn anthropic(counts: &Value, so_far: Usage) -> Option<Usage> {
    counts.as_object()?;
    let fresh = count(&counts["input_tokens"]);
    let (read, written) = (count(&counts["cache_read_input_tokens"]), count(&counts["cache_creation_input_tokens"]));
    let output = count(&counts["output_tokens"]);
    if fresh.is_none() && output.is_none() {
        return None;
    }
    let mut usage = so_far;
    // What the cache did may come later than the rest of the prompt.
    let known = so_far.input.saturating_sub(so_far.cached + so_far.written);
    let fresh = fresh.or_else(|| (read.is_some() || written.is_some()).then_some(known));
    let input = fresh.map(|fresh| (fresh + read.unwrap_or(0) + written.unwrap_or(0)).min(MOST));
    // Some servers send the prompt's counts as zeros with the end.
    if let Some(input) = input.filter(|input| *input > 0) {
        (usage.input, usage.cached) = (input, read.unwrap_or(0).min(input));
        usage.written = written.unwrap_or(0).min(input - usage.cached);
    }
    usage.output = output.unwrap_or(usage.output);
    let thinking = count(&counts["output_tokens_details"]["thinking_tokens"]);
    usage.reasoning = thinking.unwrap_or(usage.reasoning).min(usage.output);
    Some(usage)
}

/// Reads the counts of the responses wire.
pub(crate) fn responses(counts: &Value) -> Option<Usage> {
    counts.as_object()?;
    let (input, output) = (count(&counts["input_tokens"]), count(&counts["output_tokens"]));
    if input.is_none() && output.is_none() {
        return None;
    }
    let (input, output) = (input.unwrap_or(0), output.unwrap_or(0));
    let cached = count(&counts["input_tokens_details"]["cached_tokens"]).unwrap_or(0).min(input);
    let reasoning = count(&counts["output_tokens_details"]["reasoning_tokens"]).unwrap_or(0).min(output);
    let written = count(&counts["input_tokens_details"]["cache_write_tokens"]).unwrap_or(0).min(input - cached);
    Some(Usage { input, output, cached, reasoning, written })
}

fn count(value: &Value) -> Option<u64> {
    if let Some(count) = value.as_u64() {
        return Some(count.min(MOST));
    }
    if let Some(written) = value.as_str() {
        return written.trim().parse().ok().map(|count: u64| count.min(MOST));
    }
    // Casts of floats saturate, so that negative and infinite numbers are clamped.
    value.as_f64().map(|count| (count as u64).min(MOST))
}

#[cfg(test)]
mod tests {
    use super::{anthropic, parse, responses};
    use reasonix_proto::Usage;
    use serde_json::{Value, json};

    fn usage(input: u64, output: u64, cached: u64, reasoning: u64) -> Option<Usage> {
        Some(Usage { input, output, cached, reasoning, written: 0 })
    }

    fn writing(written: u64, usage: Option<Usage>) -> Option<Usage> {
        usage.map(|usage| Usage { written, ..usage })
    }

    #[test]
    fn spellings_and_nonsense() {
        for (given, expected) in [
            (json!({ "prompt_tokens": 9, "completion_tokens": 3 }), usage(9, 3, 0, 0)),
            (json!({ "prompt_tokens": 9, "completion_tokens": 3, "prompt_cache_hit_tokens": 8 }), usage(9, 3, 8, 0)),
            (json!({ "prompt_tokens": 9, "prompt_tokens_details": { "cached_tokens": 7 } }), usage(9, 0, 7, 0)),
            (json!({ "prompt_tokens": 9, "prompt_tokens_details": null }), usage(9, 0, 0, 0)),
            (
                json!({ "prompt_tokens": 9, "prompt_tokens_details": { "cached_tokens": 3, "cache_write_tokens": 50 } }),
                writing(6, usage(9, 0, 3, 0)),
            ),
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
            (json!({ "prompt_tokens": "9", "completion_tokens": "3" }), usage(9, 3, 0, 0)),
            (json!({ "input_tokens": 9, "output_tokens": 3, "total_tokens": 12 }), usage(9, 3, 0, 0)),
            (
                json!({ "prompt_tokens": 12, "completion_tokens": 2, "total_tokens": 354,
                    "completion_tokens_details": { "reasoning_tokens": 340 } }),
                usage(12, 342, 0, 340),
            ),
            (
                json!({ "prompt_tokens": 57, "completion_tokens": 18, "total_tokens": 75,
                    "completion_tokens_details": { "reasoning_tokens": 95 } }),
                usage(57, 113, 0, 95),
            ),
            (
                json!({ "prompt_tokens": 57, "completion_tokens": 95, "total_tokens": 152,
                    "completion_tokens_details": { "reasoning_tokens": 95 } }),
                usage(57, 95, 0, 95),
            ),
            (
                json!({ "prompt_tokens": 7, "completion_tokens": 19, "total_tokens": 37, "reasoning_tokens": 11 }),
                usage(7, 30, 0, 11),
            ),
            (json!({ "prompt_tokens": 20, "completion_tokens": 151, "total_tokens": 553 }), usage(20, 533, 0, 0)),
            (json!({ "prompt_tokens": 20, "completion_tokens": 5, "total_tokens": 20 }), usage(20, 5, 0, 0)),
            (
                json!({ "prompt_tokens": 9, "prompt_tokens_details": { "cache_creation_input_tokens": 4 } }),
                writing(4, usage(9, 0, 0, 0)),
            ),
            (json!({ "prompt_tokens": "many" }), None),
            (json!({}), None),
            (Value::Null, None),
            (json!([1]), None),
        ] {
            assert_eq!(parse(&given), expected, "{given}");
        }
    }

    #[test]
    fn counts_in_parts() {
        let first = json!({ "input_tokens": 3, "cache_read_input_tokens": 90, "cache_creation_input_tokens": 7, "output_tokens": 1 });
        let begun = anthropic(&first, Usage::default()).unwrap();
        assert_eq!(Some(begun), writing(7, usage(100, 1, 90, 0)));
        assert_eq!(anthropic(&json!({ "output_tokens": 20 }), begun), writing(7, usage(100, 20, 90, 0)));
        assert_eq!(
            anthropic(&json!({ "input_tokens": 0, "output_tokens": 20 }), begun),
            writing(7, usage(100, 20, 90, 0))
        );
        assert_eq!(anthropic(&json!({ "input_tokens": -4, "output_tokens": -2 }), Usage::default()), usage(0, 0, 0, 0));
        assert_eq!(anthropic(&json!({}), begun), None);
        let bare = anthropic(&json!({ "input_tokens": 17, "output_tokens": 1 }), Usage::default()).unwrap();
        let late = json!({ "cache_read_input_tokens": 5, "cache_creation_input_tokens": 10, "output_tokens": 9 });
        assert_eq!(anthropic(&late, bare), writing(10, usage(32, 9, 5, 0)), "what the cache did came with the end");
        assert_eq!(anthropic(&late, anthropic(&late, bare).unwrap()), writing(10, usage(32, 9, 5, 0)), "twice");
        let thought = json!({ "output_tokens": 92, "output_tokens_details": { "thinking_tokens": 53 } });
        assert_eq!(anthropic(&thought, bare), usage(17, 92, 0, 53));
        let counted = anthropic(&thought, bare).unwrap();
        assert_eq!(anthropic(&json!({ "output_tokens": 93 }), counted), usage(17, 93, 0, 53), "it is not said again");
        let whole = json!({ "input_tokens": 9, "input_tokens_details": { "cached_tokens": 80 }, "output_tokens": 5,
            "output_tokens_details": { "reasoning_tokens": 4 } });
        assert_eq!(responses(&whole), usage(9, 5, 9, 4));
        let wrote =
            json!({ "input_tokens": 9, "input_tokens_details": { "cached_tokens": 2, "cache_write_tokens": 4 } });
        assert_eq!(responses(&wrote), writing(4, usage(9, 0, 2, 0)));
        assert_eq!(responses(&Value::Null), None);
    }
}
