//! MCP servers of other agents. What may be a key does not come over: its place names a variable instead.

use reasonix_config::NewServer;
use serde_json::Value;
use toml_edit::{DocumentMut, Item, TableLike};

/// Parts of names by which a key is called.
const NAMES: &[&str] = &["key", "token", "secret", "passw", "auth", "credential", "bearer", "cookie"];
/// A part of a word that is longer than this and has digits and letters may be a key.
const LONGEST: usize = 24;
/// So may one without any sign in it that is this long.
const LEAST: usize = 16;

/// The same with references to variables in our words: others write `{env:NAME}`, `${env:NAME}` or `$NAME`.
pub(super) fn referred(value: Value) -> Value {
    match value {
        Value::String(text) => {
            let text = text.replace("${env:", "${").replace("{env:", "${");
            let is_name = |name: &str| {
                !name.is_empty() && name.chars().all(|c| c.is_ascii_uppercase() || c.is_ascii_digit() || c == '_')
            };
            match text.strip_prefix('$').filter(|name| is_name(name)) {
                Some(name) => Value::String(format!("${{{name}}}")),
                None => Value::String(text),
            }
        }
        Value::Array(list) => list.into_iter().map(referred).collect(),
        Value::Object(map) => Value::Object(map.into_iter().map(|(key, value)| (key, referred(value))).collect()),
        other => other,
    }
}

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
    let words = args.filter_map(|arg| arg.as_str().map(str::to_owned));
    let command: Vec<String> = text("command").into_iter().chain(words).collect();
    let url = text("url");
    if url.as_deref().is_some_and(is_telling) || has_key(&command) {
        return Err("cli.bring_key_inside");
    }
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
    if switch || is_reference(&text) { text } else { format!("${{{variable}}}") }
}

/// True for `${NAME}` alone, and behind `Bearer`: what stands around a reference may be the rest of a key, and so may its default.
fn is_reference(text: &str) -> bool {
    let text = text.trim();
    let text = text.strip_prefix("Bearer ").unwrap_or(text);
    let name = text.strip_prefix("${").and_then(|rest| rest.strip_suffix('}'));
    name.is_some_and(|name| !name.is_empty() && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_'))
}

fn is_named(word: &str) -> bool {
    let word = word.to_lowercase();
    NAMES.iter().any(|name| word.contains(name))
}

/// True where an address may have a key in it: before its host, in its path, or behind it.
fn is_telling(url: &str) -> bool {
    let (place, query) = url.split_once(['?', '#']).unwrap_or((url, ""));
    let rest = place.split_once("://").map_or(place, |(_, rest)| rest);
    let parts: Vec<&str> = rest.split('/').filter(|part| !part.is_empty()).collect();
    let of_path = |part: &&str| !is_reference(part) && (part.contains('$') || looks(part));
    // What stands behind a name such as `token` is one, however short.
    let follows = |pair: &[&str]| matches!(pair, [name, value] if is_named(name) && !is_reference(value) && value.contains(|c: char| c.is_ascii_digit()));
    let asked = query.split(['&', '#', '?']).filter(|pair| !pair.is_empty());
    let value = |pair: &str| pair.split_once('=').map_or(pair.to_owned(), |(_, value)| value.to_owned());
    rest.contains('@')
        || parts.iter().any(of_path)
        || parts.get(1..).unwrap_or_default().windows(2).any(follows)
        || asked.map(value).any(|value| !is_reference(&value))
}

/// True where a word has a piece that is long and mixed as keys are.
fn looks(word: &str) -> bool {
    let has = |text: &str, is: fn(&char) -> bool| text.chars().any(|c| is(&c));
    let digits = |text: &str| has(text, char::is_ascii_digit) && has(text, char::is_ascii_alphabetic);
    let cases = |text: &str| has(text, char::is_ascii_uppercase) && has(text, char::is_ascii_lowercase);
    let dashed = |text: &str| {
        let plain = text.replace('-', "");
        plain.len() >= LEAST && has(&plain, char::is_ascii_digit) && plain.chars().all(|c| c.is_ascii_hexdigit())
    };
    let piece = |text: &str| text.len() >= LEAST && (digits(text) || (text.len() >= LONGEST && cases(text)));
    let apart = ['/', '@', '$', '{', '}', '=', ':', ' ', ',', ';', '&', '?', '\'', '"'];
    word.split(apart).any(|part| {
        (part.len() > LONGEST && digits(part))
            || dashed(part)
            || part.split(|c: char| !c.is_ascii_alphanumeric()).any(piece)
    })
}

/// True where one of the words may be a key: it is called one, looks like one, or has a reference with more around it than a path.
fn has_key(words: &[String]) -> bool {
    let follows = words.windows(2).any(|pair| {
        matches!(pair, [flag, value] if flag.starts_with('-') && is_named(flag) && !value.starts_with('-') && !is_reference(value))
    });
    // Each name with what stands behind it: `--header=Authorization: Bearer …` has two.
    let joined = |word: &str| {
        word.match_indices(['=', ':']).any(|(at, _)| {
            let (name, value) = (word.get(..at).unwrap_or_default(), word.get(at + 1..).unwrap_or_default().trim());
            let name = name.rsplit(['=', ':', ' ', '/', '?', '&']).next().unwrap_or_default();
            is_named(name) && !name.contains('.') && !value.is_empty() && !is_reference(value)
        })
    };
    let odd = |word: &str| {
        let Some(at) = word.find('$') else { return false };
        let (before, after) = word.split_at(at);
        let end = after.find('}').map_or(0, |end| end + 1);
        let (reference, rest) = after.split_at(end);
        let begins = before.is_empty() || before.ends_with(['=', ':', ' ', '/']);
        !(begins && is_reference(reference) && (rest.is_empty() || (rest.starts_with('/') && !rest.contains('$'))))
    };
    let plain = |word: &str| match (word.find("${"), word.find('}')) {
        (Some(from), Some(to)) if from < to => {
            looks(word.get(..from).unwrap_or_default()) || looks(word.get(to + 1..).unwrap_or_default())
        }
        _ => looks(word),
    };
    follows || words.iter().any(|word| joined(word) || odd(word) || plain(word))
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

#[cfg(test)]
mod tests {
    use super::{from_json, line};
    use serde_json::{Value, json};

    fn comes(server: &Value) -> Option<String> {
        from_json(Some(&json!({ "s": server }))).0.first().map(line)
    }

    #[test]
    fn what_may_be_a_key_keeps_a_server_behind() {
        let args = |args: &[&str]| json!({"command": "npx", "args": args});
        let url = |url: &str| json!({"type": "http", "url": url});
        for server in [
            url("https://mcp.example/s/NmQ0YjQ5ZTAtAbCdEf01/mcp"),
            url("https://mcp.example/6f1c2b3a-0d4e-4f5a-8b9c-0123456789ab/mcp"),
            url("https://mcp.example/token/hunter2"),
            url("https://${A}:pw@mcp.example/mcp"),
            url("https://mcp.example/mcp?key=${A}rest-of-a-secret"),
            url("https://mcp.example/${A}rest-of-a-secret/mcp"),
            url("https://mcp.example/mcp?plain"),
            args(&["abc/DEF0123456789abcdefXYZ/x"]),
            args(&["@scope/abcDEF0123456789abcdef"]),
            args(&["$abcDEF0123456789abcdef"]),
            args(&["postgres://me:hunter2secret99@host/db", "--password", "${A}rest"]),
            args(&["${A}rest-of-a-secret"]),
            args(&["--token", "a${A}"]),
            args(&["--token=${A}rest-of-a-secret"]),
            args(&["--header=Authorization: Bearer abc"]),
            args(&["--header", "X-Api-Key: ${A:-hunter2}"]),
            json!({"command": "env API_KEY=hunter2 npx"}),
        ] {
            assert_eq!(comes(&server), None, "{server}");
        }
    }

    #[test]
    fn what_is_none_comes_over() {
        for (server, want) in [
            (json!({"url": "https://mcp.example:8080/v1/mcp"}), "s: https://mcp.example:8080/v1/mcp"),
            (json!({"url": "https://mcp.example/mcp?key=${A}"}), "s: https://mcp.example/mcp?key=${A}"),
            (
                json!({"command": "npx", "args": ["-y", "@modelcontextprotocol/server-filesystem@1.2", "${HOME}/src", "--token", "${T}"]}),
                "s: npx -y @modelcontextprotocol/server-filesystem@1.2 ${HOME}/src --token ${T}",
            ),
            (
                json!({"command": "x", "args": ["--header", "Authorization: Bearer ${T}", "/srv/files"]}),
                "s: x --header Authorization: Bearer ${T} /srv/files",
            ),
            (
                json!({"command": "x", "env": {"A": "${A}rest-of-a-secret", "B": "Bearer ${B}", "C": "${C:-hunter2}"}}),
                "s: x  [A=${A}, B=Bearer ${B}, C=${C}]",
            ),
        ] {
            assert_eq!(comes(&server).as_deref(), Some(want), "{server}");
        }
    }
}
