//! What Gemini CLI keeps in the user's home: servers, instructions, commands, skills.

use super::haul::{Haul, Ways};
use super::prompts::{described, of_gemini};
use super::servers::referred;
use serde_json::{Map, Value, json};
use std::path::Path;
use toml_edit::DocumentMut;

/// Folders of commands in folders that are looked into.
const DEEPEST: usize = 3;

/// Keys of its settings that guard something, and have no counterpart.
const GUARDS: &[&str] = &["hooks", "tools", "excludeTools", "coreTools", "allowedTools", "policyPaths", "admin"];

pub(super) fn haul(ways: &Ways) -> Haul {
    let mut haul = Haul::default();
    if let Some(Value::Object(said)) = ways.json(&ways.from.join("settings.json"), &mut haul) {
        settings(&said, &mut haul);
    }
    haul.instructions(&ways.from.join("GEMINI.md"), ways);
    commands(&ways.from.join("commands"), "", DEEPEST, ways, &mut haul);
    haul.folder(&ways.from.join("skills"), "skills", None);
    haul.leave_files(&ways.from.join("agents"), "cli.bring_agent_words");
    haul.leave_files(&ways.from.join("extensions"), "cli.bring_plugins");
    haul.leave_files(&ways.from.join("policies"), "cli.bring_guard");
    for (name, why) in [
        ("oauth_creds.json", "cli.bring_secret"),
        ("mcp-oauth-tokens.json", "cli.bring_secret"),
        (".env", "cli.bring_secret"),
        ("trustedFolders.json", "cli.bring_trust"),
    ] {
        if ways.from.join(name).exists() {
            haul.leave(name, why);
        }
    }
    haul
}

fn settings(said: &Map<String, Value>, haul: &mut Haul) {
    let names = |key: &str| {
        let list = said.get("mcp").and_then(|mcp| mcp.get(key)?.as_array());
        list.map(|list| list.iter().filter_map(Value::as_str).collect::<Vec<_>>())
    };
    let (allowed, excluded) = (names("allowed"), names("excluded").unwrap_or_default());
    for (key, value) in said {
        match key.as_str() {
            "mcpServers" => {
                let all = value.as_object().into_iter().flatten().map(|(name, server)| {
                    let off = excluded.contains(&name.as_str())
                        || allowed.as_ref().is_some_and(|allowed| !allowed.contains(&name.as_str()));
                    (name.clone(), turned(name, server.clone(), off, haul))
                });
                let all: Map<String, Value> = all.collect();
                haul.servers_of(Some(&referred(Value::Object(all))));
            }
            "$schema" | "mcp" => {}
            "security" | "selectedAuthType" => haul.leave(format!("settings.json {key}"), "cli.bring_secret"),
            "sandbox" => haul.leave(format!("settings.json {key}"), "cli.bring_sandbox"),
            key if GUARDS.contains(&key) => haul.leave(format!("settings.json {key}"), "cli.bring_guard"),
            key => haul.leave(format!("settings.json {key}"), "cli.bring_no_key"),
        }
    }
}

/// A server in the words of others: there `url` alone is the older transport, and `httpUrl` the newer one.
fn turned(name: &str, mut server: Value, off: bool, haul: &mut Haul) -> Value {
    let Some(fields) = server.as_object_mut() else { return server };
    match fields.remove("httpUrl") {
        Some(url) => drop(fields.insert("url".to_owned(), url)),
        None if fields.contains_key("url") && fields.get("type") != Some(&json!("http")) => {
            fields.insert("type".to_owned(), json!("sse"));
        }
        None => {}
    }
    if off {
        fields.insert("disabled".to_owned(), json!(true));
    }
    for key in ["includeTools", "excludeTools"] {
        if fields.contains_key(key) {
            haul.leave(format!("mcp {name} {key}"), "cli.bring_guard");
        }
    }
    if fields.get("trust") == Some(&Value::Bool(true)) {
        haul.leave(format!("mcp {name} trust"), "cli.bring_mode");
    }
    server
}

/// Commands are TOML with a prompt; folders stand before the name.
fn commands(folder: &Path, before: &str, deep: usize, ways: &Ways, haul: &mut Haul) {
    let mut entries: Vec<_> = std::fs::read_dir(folder).into_iter().flatten().filter_map(Result::ok).collect();
    entries.sort_by_key(std::fs::DirEntry::file_name);
    for entry in entries {
        let (path, name) = (entry.path(), entry.file_name().to_string_lossy().into_owned());
        if path.is_dir() && !path.is_symlink() && deep > 0 && !name.starts_with('.') {
            commands(&path, &format!("{before}{name}/"), deep - 1, ways, haul);
        } else if let Some((name, text)) = name.strip_suffix(".toml").zip(ways.text(&path)) {
            let said = text.parse::<DocumentMut>().ok();
            let word = |key: &str| said.as_ref()?.get(key)?.as_str();
            let prompt = word("prompt").and_then(of_gemini);
            haul.command(&format!("{before}{name}"), prompt.map(|prompt| described(word("description"), &prompt)));
        }
    }
}
