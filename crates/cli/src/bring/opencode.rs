//! What opencode keeps in the user's home: servers, rules, instructions, commands, skills.

use super::haul::{Haul, Ways};
use super::prompts::described;
use super::servers::referred;
use serde_json::{Map, Value, json};

pub(super) fn haul(ways: &Ways) -> Haul {
    let mut haul = Haul::default();
    for name in ["config.json", "opencode.json", "opencode.jsonc"] {
        if let Some(Value::Object(said)) = ways.json(&ways.from.join(name), &mut haul) {
            settings(name, &said, ways, &mut haul);
        }
    }
    haul.instructions(&ways.from.join("AGENTS.md"), ways);
    for folder in ["command", "commands"] {
        haul.folder(&ways.from.join(folder), "commands", Some(".md"));
    }
    for folder in ["skill", "skills"] {
        haul.folder(&ways.from.join(folder), "skills", None);
    }
    for folder in ["agent", "agents", "mode", "modes"] {
        haul.leave_files(&ways.from.join(folder), "cli.bring_agent_words");
    }
    for folder in ["plugin", "plugins", "tool", "tools"] {
        haul.leave_files(&ways.from.join(folder), "cli.bring_guard");
    }
    let keys = ways.user.join(".local/share/opencode/auth.json");
    if keys.exists() {
        haul.leave(keys.display(), "cli.bring_secret");
    }
    haul
}

fn settings(file: &str, said: &Map<String, Value>, ways: &Ways, haul: &mut Haul) {
    for (key, value) in said {
        let each = || value.as_object().into_iter().flatten();
        match key.as_str() {
            "mcp" => {
                let all: Map<String, Value> =
                    each().map(|(name, server)| (name.clone(), turned(server.clone()))).collect();
                haul.servers_of(Some(&referred(Value::Object(all))));
            }
            "permission" => permissions(value, ways, haul),
            "command" => {
                for (name, command) in each() {
                    let word = |key: &str| command.get(key).and_then(Value::as_str);
                    haul.command(name, word("template").map(|text| described(word("description"), text)));
                }
            }
            "agent" | "mode" => {
                each().for_each(|(name, _)| haul.leave(format!("{key} {name}"), "cli.bring_agent_words"));
            }
            "provider" => each().for_each(|(name, _)| haul.leave(format!("provider {name}"), "cli.bring_provider")),
            "instructions" => haul.leave(format!("{file} {key}"), "cli.bring_at_file"),
            "plugin" | "tools" => haul.leave(format!("{file} {key}"), "cli.bring_guard"),
            "$schema" => {}
            key => haul.leave(format!("{file} {key}"), "cli.bring_no_key"),
        }
    }
}

/// A server in the words of others.
fn turned(mut server: Value) -> Value {
    let Some(fields) = server.as_object_mut() else { return server };
    if let Some(Value::Array(words)) = fields.remove("command") {
        let mut words = words.into_iter();
        fields.extend(words.next().map(|word| ("command".to_owned(), word)));
        fields.insert("args".to_owned(), words.collect());
    }
    if let Some(given) = fields.remove("environment") {
        fields.insert("env".to_owned(), given);
    }
    server
}

/// What it asks about and forbids. What it allows is chosen anew, and so is what holds for everything while something else is
/// allowed: there the last that fits decides, here what forbids does.
fn permissions(said: &Value, ways: &Ways, haul: &mut Haul) {
    let Some(said) = said.as_object() else { return haul.leave("permission", "cli.bring_mode") };
    for (tool, how) in said {
        let whole = json!({ "*": how });
        let patterns = how.as_object().or(whole.as_object()).cloned().unwrap_or_default();
        let loosens = patterns.values().any(|how| how == "allow");
        for (pattern, how) in patterns {
            let what = format!("permission {tool} {pattern}: {}", how.as_str().unwrap_or_default());
            let list = ["deny", "ask"].into_iter().find(|list| how == **list);
            match (list, rule(tool, &pattern)) {
                (Some(_), Some(_)) if pattern == "*" && loosens => haul.leave(what, "cli.bring_mode"),
                (Some(list), Some(rule)) => haul.rule(list, &rule, ways),
                (Some(_), None) => haul.leave(what, "cli.bring_guard"),
                (None, _) => haul.leave(what, "cli.bring_mode"),
            }
        }
    }
}

/// A rule in our words; none where there is none that means the same.
fn rule(tool: &str, pattern: &str) -> Option<String> {
    let name = match tool {
        "bash" => "Bash",
        "edit" => "Edit",
        "read" => "Read",
        "webfetch" => "Web",
        _ => return None,
    };
    let begin = pattern.strip_suffix('*').unwrap_or(pattern).trim_end();
    match name {
        _ if pattern == "*" => Some(name.to_owned()),
        "Bash" if begin.contains(['*', '?', ':', '(', ')']) || begin.is_empty() => None,
        "Bash" if begin.len() < pattern.len() => Some(format!("Bash({begin}:*)")),
        "Bash" | "Edit" | "Read" => Some(format!("{name}({pattern})")),
        _ => None,
    }
}
