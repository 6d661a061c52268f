//! What a strict server demands of a chat request, and what a cache demands of a sequence of them.

use crate::route::Route;
use serde_json::Value;
use serde_json::value::RawValue;
use std::collections::{HashMap, HashSet};

/// What is wrong with a request to a path, by the protocol of that path; empty when nothing is.
pub fn violations_at(path: &str, body: &Value) -> Vec<String> {
    match Route::of(path) {
        Some(Route::Messages) => crate::validate_messages::violations(body),
        Some(Route::Responses) => crate::validate_items::violations(body),
        Some(Route::Chat) | None => violations(body),
    }
}

/// What is wrong with a chat request; empty when nothing is.
pub fn violations(body: &Value) -> Vec<String> {
    let mut found = Vec::new();
    let mut check = |ok: bool, what: &str| {
        if !ok {
            found.push(what.to_owned());
        }
    };
    check(filled(&body["model"]), "`model` is missing");
    check(body["messages"].as_array().is_some_and(|list| !list.is_empty()), "`messages` is missing or empty");
    check(body.get("stream_options").is_none() || body["stream"] == true, "`stream_options` without `stream`");
    check(body.get("tool_choice").is_none() || body.get("tools").is_some(), "`tool_choice` without `tools`");
    tools(body, &mut check);
    messages(body["messages"].as_array().map_or(&[], Vec::as_slice), &mut found);
    found
}

fn filled(value: &Value) -> bool {
    value.as_str().is_some_and(|text| !text.trim().is_empty())
}

/// A name that every server takes.
fn legal(name: &str) -> bool {
    let legal = |c: char| c.is_ascii_alphanumeric() || c == '_' || c == '-';
    !name.is_empty() && name.len() <= 64 && name.chars().all(legal)
}

fn tools(body: &Value, check: &mut impl FnMut(bool, &str)) {
    let Some(tools) = body.get("tools") else { return };
    let tools = tools.as_array().map_or(&[][..], Vec::as_slice);
    check(!tools.is_empty(), "`tools` is empty or no array");
    let mut names = HashSet::new();
    for tool in tools {
        let function = &tool["function"];
        let name = function["name"].as_str().unwrap_or_default();
        check(tool["type"] == "function", &format!("tool {name}: type is not `function`"));
        check(legal(name), &format!("tool name {name:?}"));
        check(function["parameters"]["type"] == "object", &format!("tool {name}: parameters are no object schema"));
        check(names.insert(name.to_owned()), &format!("tool {name} stands twice"));
    }
}

/// Roles, contents, and the pairing of calls and results.
fn messages(messages: &[Value], found: &mut Vec<String>) {
    let mut open: Vec<String> = Vec::new();
    let mut ids = HashSet::new();
    for (at, message) in messages.iter().enumerate() {
        let role = message["role"].as_str().unwrap_or_default();
        if role != "tool" && !open.is_empty() {
            found.push(format!("message {at}: calls {open:?} are not answered before a `{role}` message"));
            open.clear();
        }
        let before = at.checked_sub(1).and_then(|before| messages.get(before)).map(|message| &message["role"]);
        if matches!(role, "user" | "assistant") && before.is_some_and(|before| before == role) {
            found.push(format!("message {at}: two `{role}` messages in a row"));
        }
        match role {
            "system" | "developer" if at == 0 && filled(&message["content"]) => {}
            "user" if filled(&message["content"]) => {}
            "assistant" => open = assistant(at, message, &mut ids, found),
            "tool" => {
                let id = message["tool_call_id"].as_str().unwrap_or_default();
                match open.iter().position(|call| call == id) {
                    Some(place) => drop(open.remove(place)),
                    None => found.push(format!("message {at}: answers no open call: {id:?}")),
                }
                if !filled(&message["content"]) {
                    found.push(format!("message {at}: empty result"));
                }
            }
            _ => found.push(format!("message {at}: bad `{role}` message")),
        }
    }
    if !open.is_empty() {
        found.push(format!("calls {open:?} are never answered"));
    }
    if messages.last().is_some_and(|message| message["role"] == "assistant") {
        found.push("the last message is the assistant's".to_owned());
    }
}

/// Checks an assistant message and returns the ids of its calls.
fn assistant(at: usize, message: &Value, ids: &mut HashSet<String>, found: &mut Vec<String>) -> Vec<String> {
    let content = &message["content"];
    if !content.is_string() && !content.is_null() {
        found.push(format!("message {at}: content is neither text nor null"));
    }
    let Some(calls) = message.get("tool_calls") else {
        if !filled(content) {
            found.push(format!("message {at}: an assistant message that says nothing"));
        }
        return Vec::new();
    };
    let calls = calls.as_array().map_or(&[][..], Vec::as_slice);
    if calls.is_empty() {
        found.push(format!("message {at}: `tool_calls` is empty or no array"));
    }
    calls
        .iter()
        .map(|call| {
            let id = call["id"].as_str().unwrap_or_default().to_owned();
            let arguments = call["function"]["arguments"].as_str().unwrap_or_default();
            if id.is_empty() || !ids.insert(id.clone()) {
                found.push(format!("message {at}: call id {id:?} is empty or was used before"));
            }
            let name = call["function"]["name"].as_str().unwrap_or_default();
            if call["type"] != "function" || !legal(name) {
                found.push(format!("message {at}: call {id} is no function call or has no legal name: {name:?}"));
            }
            if id.len() > 256 {
                found.push(format!("message {at}: the id of a call is too long"));
            }
            if !serde_json::from_str::<Value>(arguments).is_ok_and(|value| value.is_object()) {
                found.push(format!("message {at}: arguments of {id} are no JSON object: {arguments:?}"));
            }
            id
        })
        .collect()
}

/// The numbers (from 1) of the requests whose tools and messages do not extend those of the request before, byte for
/// byte, cache markers aside.
pub fn prefix_breaks(bodies: &[&[u8]]) -> Vec<usize> {
    let heads: Vec<(String, String)> = bodies.iter().map(|body| head(body)).collect();
    let extends = |(before, after): (&(String, String), &(String, String))| {
        before.0 == after.0 && before.1.strip_suffix(']').is_some_and(|messages| after.1.starts_with(messages))
    };
    let pairs = heads.iter().zip(heads.iter().skip(1)).enumerate();
    pairs.filter(|(_, pair)| !extends(*pair)).map(|(number, _)| number + 2).collect()
}

/// The raw head and messages of a body, without cache markers.
fn head(body: &[u8]) -> (String, String) {
    let fields: HashMap<String, Box<RawValue>> = serde_json::from_slice(body).unwrap_or_default();
    let text = |name: &str| fields.get(name).map(|value| unmarked(value.get())).unwrap_or_default();
    let head = ["tools", "system", "instructions"].map(text).concat();
    (head, text("messages") + &text("input"))
}

/// Without `,"cache_control":{..}`.
fn unmarked(json: &str) -> String {
    let mut out = String::with_capacity(json.len());
    let mut rest = json;
    while let Some((before, after)) = rest.split_once(",\"cache_control\":{") {
        out.push_str(before);
        rest = after.split_once('}').map_or("", |(_, rest)| rest);
    }
    out + rest
}

#[cfg(test)]
mod tests {
    use super::{prefix_breaks, violations};
    use serde_json::{Value, json};

    fn request(messages: &Value) -> Value {
        json!({ "model": "m", "stream": true, "messages": messages })
    }

    fn call(id: &str, arguments: &str) -> Value {
        json!({ "role": "assistant", "content": "", "tool_calls": [
            { "id": id, "type": "function", "function": { "name": "ls", "arguments": arguments } }] })
    }

    fn result(id: &str) -> Value {
        json!({ "role": "tool", "tool_call_id": id, "content": "ok" })
    }

    #[test]
    fn a_good_request_passes() {
        let user = json!({ "role": "user", "content": "hi" });
        let messages = json!([{ "role": "system", "content": "s" }, user, call("a", "{}"), result("a")]);
        assert_eq!(violations(&request(&messages)), Vec::<String>::new());
    }

    #[test]
    fn each_fault_is_found() {
        let user = json!({ "role": "user", "content": "hi" });
        for (what, messages) in [
            ("unanswered call", json!([user, call("a", "{}")])),
            ("call answered too late", json!([user, call("a", "{}"), user, result("a")])),
            ("stray result", json!([user, result("a")])),
            ("result given twice", json!([user, call("a", "{}"), result("a"), result("a")])),
            ("broken arguments", json!([user, call("a", "{\"x\""), result("a")])),
            ("arguments that are no object", json!([user, call("a", "[]"), result("a")])),
            ("an id used twice", json!([user, call("a", "{}"), result("a"), call("a", "{}"), result("a")])),
            ("empty user text", json!([{ "role": "user", "content": " " }])),
            ("late system message", json!([user, { "role": "system", "content": "s" }])),
            ("empty assistant", json!([user, { "role": "assistant", "content": "" }, user])),
            ("assistant at the end", json!([user, { "role": "assistant", "content": "x" }])),
            ("two prompts in a row", json!([user, user])),
            (
                "two answers in a row",
                json!([user, { "role": "assistant", "content": "a" }, { "role": "assistant", "content": "b" }, user]),
            ),
            (
                "a name with a space",
                json!([user, { "role": "assistant", "content": "", "tool_calls": [
                { "id": "a", "type": "function", "function": { "name": "l s", "arguments": "{}" } }] }, result("a")]),
            ),
            ("a very long id", json!([user, call(&"x".repeat(300), "{}"), result(&"x".repeat(300))])),
            ("unknown role", json!([{ "role": "robot", "content": "x" }])),
            ("no messages", json!([])),
        ] {
            assert!(!violations(&request(&messages)).is_empty(), "not found: {what}");
        }
    }

    #[test]
    fn breaks_are_found_by_bytes() {
        let bodies: [&[u8]; 4] = [
            br#"{"tools":[1],"messages":[{"a":1}]}"#,
            br#"{"tool_choice":"none","tools":[1],"messages":[{"a":1},{"b":2}]}"#,
            br#"{"tools":[1],"messages":[{"a": 1},{"b":2},3]}"#,
            br#"{"tools":[2],"messages":[{"a": 1},{"b":2},3,4]}"#,
        ];
        assert_eq!(prefix_breaks(&bodies), [3, 4]);
    }
}
