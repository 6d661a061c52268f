//! MCP servers of other agents. What may be a key does not come over: its place names a variable instead.

use reasonix_config::NewServer;
use serde_json::Value;
use toml_edit::{DocumentMut, Item, TableLike};

/// Parts of names by which a key is called.
const NAMES: &[&str] = &["key", "token", "secret", "passw", "auth", "credential", "bearer", "cookie"];
/// A word without blanks that is longer than this and no path may be a key.
const LONGEST: usize = 24;

/// The servers of an `mcpServers`, and those that stay behind, each with why.
pub(super) fn from_json(said: Option<&Value>) -> (Vec<NewServer>, Vec<(String, &'static str)>) {
    let (mut taken, mut left) = (Vec::new(), Vec::new());
    for (name, server) in said.and_then(Value::as_object).into_iter().flatten() {
        match one(name, server) {
            Ok(server) => taken.push(server),
            Err(why) => left.push((format!("mcp {name}"), why)),
        }
    }
    (taken, left)
}

fn one(name: &str, said: &Value) -> Result<NewServer, &'static str> {
    let text = |key: &str| said.get(key).and_then(Value::as_str).map(str::to_owned);
    let plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '-');
    if !name.starts_with(|c: char| c.is_ascii_alphabetic()) || !name.chars().all(plain) {
        return Err("cli.bring_name");
    }
    let off = said.get("disabled") == Some(&Value::Bool(true)) || said.get("enabled") == Some(&Value::Bool(false));
    if off {
        return Err("cli.bring_off");
    }
    if text("type").as_deref() == Some("sse") {
        return Err("cli.bring_sse");
    }
    let args = said.get("args").and_then(Value::as_array).into_iter().flatten();
    let words: Vec<String> = args.filter_map(|arg| arg.as_str().map(str::to_owned)).collect();
    let url = text("url");
    let open = url.as_deref().is_some_and(|url| url.contains(['?', '@']) && !url.contains("${"));
    if open || has_key(&words) {
        return Err("cli.bring_key_inside");
    }
    let command: Vec<String> = text("command").into_iter().chain(words).collect();
    if url.is_none() && command.is_empty() {
        return Err("cli.bring_unreadable");
    }
    let pairs = |key: &str| said.get(key).and_then(Value::as_object).into_iter().flatten();
    let prefix: String = name.to_uppercase().replace('-', "_");
    Ok(NewServer {
        name: name.to_owned(),
        command: if url.is_some() { Vec::new() } else { command },
        url,
        env: pairs("env").map(|(key, value)| (key.clone(), kept(value, key.clone()))).collect(),
        headers: pairs("headers")
            .map(|(key, value)| {
                let variable = format!("{prefix}_{}", key.to_uppercase().replace(|c: char| !c.is_alphanumeric(), "_"));
                (key.clone(), kept(value, variable))
            })
            .collect(),
    })
}

/// A value that cannot be a key, or a variable in its place.
fn kept(value: &Value, variable: String) -> String {
    let text = value.as_str().map_or_else(|| value.to_string(), str::to_owned);
    let switch = matches!(text.as_str(), "true" | "false" | "on" | "off" | "yes" | "no")
        || (text.len() <= 6 && text.bytes().all(|byte| byte.is_ascii_digit()));
    let reference = text.contains("${") && text.split("${").next().is_some_and(|before| before.len() <= 8);
    if switch || reference { text } else { format!("${{{variable}}}") }
}

/// True where one of the arguments may be a key: it is called one, or looks like one.
fn has_key(words: &[String]) -> bool {
    let named = |word: &str| {
        let word = word.to_lowercase();
        NAMES.iter().any(|name| word.contains(name))
    };
    let looks = |word: &str| {
        let value = word.rsplit(['=', ':', ' ']).next().unwrap_or(word);
        let mixed = value.chars().any(|c| c.is_ascii_digit()) && value.chars().any(|c| c.is_ascii_alphabetic());
        value.len() > LONGEST && mixed && !value.contains(['/', '$', '@'])
    };
    let follows = words.windows(2).any(|pair| {
        matches!(pair, [flag, value] if flag.starts_with('-') && named(flag) && !value.starts_with('-') && !value.contains("${"))
    });
    let joined = |word: &String| {
        word.split_once(['=', ':'])
            .is_some_and(|(name, value)| named(name) && !value.is_empty() && !value.contains("${"))
    };
    follows || words.iter().any(|word| joined(word) || looks(word))
}

/// What it is started by or reached at, and what it is given.
pub(super) fn line(server: &NewServer) -> String {
    let reach = server.url.clone().unwrap_or_else(|| server.command.join(" "));
    let given = server.env.iter().chain(&server.headers).map(|(name, value)| format!("{name}={value}"));
    let given = given.collect::<Vec<_>>().join(", ");
    if given.is_empty() { format!("{}: {reach}", server.name) } else { format!("{}: {reach}  [{given}]", server.name) }
}

/// Whether the user's settings have a server of this name.
pub(super) fn is_listed(settings: &DocumentMut, name: &str) -> bool {
    let is = |table: &dyn TableLike| table.get("name").and_then(Item::as_str) == Some(name);
    let listed = match settings.get("plugins") {
        Some(Item::ArrayOfTables(tables)) => tables.iter().any(|table| is(table)),
        Some(Item::Value(toml_edit::Value::Array(list))) => {
            list.iter().filter_map(toml_edit::Value::as_inline_table).any(|table| is(table))
        }
        _ => false,
    };
    listed || settings.get("mcp").and_then(Item::as_table_like).is_some_and(|map| map.contains_key(name))
}
