//! What a strict server demands of an OpenAI responses request.

use serde_json::Value;
use std::collections::HashSet;

/// What is wrong with a request; empty when nothing is.
pub(crate) fn violations(body: &Value) -> Vec<String> {
    let mut found = Vec::new();
    let mut check = |ok: bool, what: &str| {
        if !ok {
            found.push(what.to_owned());
        }
    };
    check(filled(&body["model"]), "`model` is missing");
    check(filled(&body["instructions"]), "`instructions` is missing");
    check(body["store"] == false, "`store` is not false");
    check(body.get("tool_choice").is_none() || body.get("tools").is_some(), "`tool_choice` without `tools`");
    for name in ["messages", "stream_options", "reasoning_effort", "max_tokens", "max_completion_tokens"] {
        check(body.get(name).is_none(), &format!("`{name}` is of another protocol"));
    }
    let mut names = HashSet::new();
    for tool in body["tools"].as_array().into_iter().flatten() {
        let name = tool["name"].as_str().unwrap_or_default();
        check(tool["type"] == "function" && !name.is_empty(), &format!("tool {name:?} is no function"));
        check(tool["parameters"]["type"] == "object", &format!("tool {name}: no object schema"));
        check(names.insert(name.to_owned()), &format!("tool {name} stands twice"));
    }
    items(body["input"].as_array().map_or(&[], Vec::as_slice), &mut found);
    found
}

fn filled(value: &Value) -> bool {
    value.as_str().is_some_and(|text| !text.trim().is_empty())
}

fn items(items: &[Value], found: &mut Vec<String>) {
    let (mut open, mut ids): (Vec<String>, HashSet<String>) = (Vec::new(), HashSet::new());
    if items.is_empty() {
        found.push("`input` is missing or empty".to_owned());
    }
    for (at, item) in items.iter().enumerate() {
        let kind = item["type"].as_str().unwrap_or_default();
        let id = item["call_id"].as_str().unwrap_or_default().to_owned();
        match kind {
            "message" => {
                if !open.is_empty() {
                    found.push(format!("item {at}: calls {open:?} are not answered before a message"));
                    open.clear();
                }
                let wanted = if item["role"] == "assistant" { "output_text" } else { "input_text" };
                let part = &item["content"][0];
                if part["type"] != wanted
                    || !filled(&part["text"])
                    || !matches!(item["role"].as_str(), Some("user" | "assistant"))
                {
                    found.push(format!("item {at}: a bad message"));
                }
            }
            "reasoning" => {
                let next = items.get(at + 1).and_then(|next| next["type"].as_str()).unwrap_or_default();
                let own = items.get(at + 1).is_some_and(|next| next["role"] != "user");
                if !filled(&item["encrypted_content"]) || !own || next == "function_call_output" || next.is_empty() {
                    found.push(format!("item {at}: reasoning without its content or without what follows from it"));
                }
            }
            "function_call" => {
                if id.is_empty() || id.len() > 64 || !ids.insert(id.clone()) || !filled(&item["name"]) {
                    found
                        .push(format!("item {at}: call {id:?} has no name, or its id is malformed or was used before"));
                }
                let arguments = item["arguments"].as_str().unwrap_or_default();
                if !serde_json::from_str::<Value>(arguments).is_ok_and(|value| value.is_object()) {
                    found.push(format!("item {at}: arguments of {id} are no JSON object: {arguments:?}"));
                }
                open.push(id);
            }
            "function_call_output" => match open.iter().position(|call| *call == id) {
                Some(place) if filled(&item["output"]) => drop(open.remove(place)),
                _ => found.push(format!("item {at}: answers no open call, or with nothing: {id:?}")),
            },
            _ => found.push(format!("item {at}: bad `{kind}` item")),
        }
    }
    if !open.is_empty() {
        found.push(format!("calls {open:?} are never answered"));
    }
    if items.last().is_some_and(|item| item["role"] == "assistant") {
        found.push("the last item is the assistant's".to_owned());
    }
}
