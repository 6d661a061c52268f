//! What a strict server demands of an Anthropic messages request.

use serde_json::Value;
use std::collections::HashSet;

const PLAIN: fn(char) -> bool = |c| c.is_ascii_alphanumeric() || c == '_' || c == '-';

/// What is wrong with a request; empty when nothing is.
pub(crate) fn violations(body: &Value) -> Vec<String> {
    let mut found = Vec::new();
    let mut check = |ok: bool, what: &str| {
        if !ok {
            found.push(what.to_owned());
        }
    };
    check(filled(&body["model"]), "`model` is missing");
    let most = body["max_tokens"].as_u64().unwrap_or(0);
    check(most > 0, "`max_tokens` is missing");
    let budget = body["thinking"]["budget_tokens"].as_u64();
    check(
        budget.is_none_or(|budget| (1024..most).contains(&budget)),
        "`budget_tokens` is not between 1024 and `max_tokens`",
    );
    check(budget.is_none() || body.get("temperature").is_none(), "`temperature` beside thinking");
    check(body.get("tool_choice").is_none() || body.get("tools").is_some(), "`tool_choice` without `tools`");
    for name in ["stream_options", "reasoning_effort", "max_completion_tokens", "prompt_cache_key", "store"] {
        check(body.get(name).is_none(), &format!("`{name}` is of another protocol"));
    }
    for block in body["system"].as_array().into_iter().flatten() {
        check(block["type"] == "text" && filled(&block["text"]), "an empty system block");
    }
    let mut names = HashSet::new();
    for tool in body["tools"].as_array().into_iter().flatten() {
        let name = tool["name"].as_str().unwrap_or_default();
        check(!name.is_empty() && name.len() <= 64 && name.chars().all(PLAIN), &format!("tool name {name:?}"));
        check(tool["input_schema"]["type"] == "object", &format!("tool {name}: no object schema"));
        check(names.insert(name.to_owned()), &format!("tool {name} stands twice"));
    }
    let markers = body.to_string().matches("\"cache_control\"").count();
    check(markers <= 4, &format!("{markers} cache markers, 4 are allowed"));
    messages(body["messages"].as_array().map_or(&[], Vec::as_slice), &mut found);
    found
}

fn filled(value: &Value) -> bool {
    value.as_str().is_some_and(|text| !text.trim().is_empty())
}

/// Roles in turn, filled blocks, and the pairing of calls and results.
fn messages(messages: &[Value], found: &mut Vec<String>) {
    let (mut open, mut ids, mut before): (Vec<String>, HashSet<String>, &str) =
        (Vec::new(), HashSet::new(), "assistant");
    if messages.is_empty() {
        found.push("`messages` is missing or empty".to_owned());
    }
    for (at, message) in messages.iter().enumerate() {
        let role = message["role"].as_str().unwrap_or_default();
        if role == before || !matches!(role, "user" | "assistant") {
            found.push(format!("message {at}: `{role}` after `{before}`"));
        }
        before = role;
        let blocks = message["content"].as_array().map_or(&[][..], Vec::as_slice);
        if blocks.is_empty() {
            found.push(format!("message {at}: no content"));
        }
        for (place, block) in blocks.iter().enumerate() {
            let kind = block["type"].as_str().unwrap_or_default();
            match (role, kind) {
                ("user" | "assistant", "text") if filled(&block["text"]) => {}
                ("user", "tool_result") => {
                    let id = block["tool_use_id"].as_str().unwrap_or_default();
                    match open.iter().position(|call| call == id) {
                        Some(place) => drop(open.remove(place)),
                        None => found.push(format!("message {at}: answers no open call: {id:?}")),
                    }
                    let late = blocks.iter().take(place).any(|earlier| earlier["type"] != "tool_result");
                    if late || !filled(&block["content"]) {
                        found.push(format!("message {at}: result {id:?} is empty or stands behind something else"));
                    }
                }
                ("assistant", "thinking") if block["thinking"].is_string() && filled(&block["signature"]) => {}
                ("assistant", "redacted_thinking") if filled(&block["data"]) => {}
                ("assistant", "tool_use") => {
                    let id = block["id"].as_str().unwrap_or_default().to_owned();
                    if id.is_empty() || !id.chars().all(PLAIN) || !ids.insert(id.clone()) {
                        found.push(format!("message {at}: call id {id:?} is malformed or was used before"));
                    }
                    if !block["input"].is_object() || !filled(&block["name"]) {
                        found.push(format!("message {at}: call {id} has no name or its input is no object"));
                    }
                    open.push(id);
                }
                _ => found.push(format!("message {at}: bad `{kind}` block of `{role}`")),
            }
            if block.get("cache_control").is_some() && kind.ends_with("thinking") {
                found.push(format!("message {at}: a cache marker on thinking"));
            }
        }
        if role == "user" && !open.is_empty() {
            found.push(format!("message {at}: calls {open:?} are not answered"));
            open.clear();
        }
    }
    if before == "assistant" {
        found.push("the last message is the assistant's".to_owned());
    }
}
