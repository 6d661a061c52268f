//! What Claude Code keeps in the user's home: settings, servers, instructions, skills, commands, agents.

use super::haul::{Haul, Ways};
use serde_json::{Map, Value, json};

/// Keys of its settings that say nothing that could come over, each with why.
const LEFT: &[(&str, &str)] = &[
    ("env", "cli.bring_env"),
    ("apiKeyHelper", "cli.bring_secret"),
    ("awsAuthRefresh", "cli.bring_secret"),
    ("awsCredentialExport", "cli.bring_secret"),
    ("otelHeadersHelper", "cli.bring_secret"),
    ("enabledPlugins", "cli.bring_plugins"),
    ("extraKnownMarketplaces", "cli.bring_plugins"),
    ("sandbox", "cli.bring_sandbox"),
];

pub(super) fn haul(ways: &Ways) -> Haul {
    let mut haul = Haul::default();
    if let Some(Value::Object(said)) = ways.json(&ways.from.join("settings.json"), &mut haul) {
        settings(&said, ways, &mut haul);
    }
    let own = [ways.from.join(".claude.json"), ways.user.join(".claude.json")];
    if let Some(file) = own.iter().find(|file| file.is_file()) {
        // It has the history of every project in it, and may be large.
        let text = reasonix_store::read_text(file, 64 << 20).ok();
        let read: Option<Value> = text.and_then(|text| serde_json::from_str(&text).ok());
        if read.is_none() {
            haul.leave(file.display(), "cli.bring_unreadable");
        }
        let said = read.unwrap_or_default();
        haul.servers_of(said.get("mcpServers"));
        let projects = said.get("projects").and_then(Value::as_object).into_iter().flatten();
        for (project, said) in projects {
            let named = said.get("mcpServers").and_then(Value::as_object).into_iter().flatten();
            for (name, _) in named {
                haul.leave(format!("mcp {name} ({project})"), "cli.bring_of_project");
            }
        }
    }
    haul.instructions(&ways.from.join("CLAUDE.md"), ways);
    haul.folder(&ways.from.join("skills"), "skills", None);
    haul.folder(&ways.from.join("commands"), "commands", Some(".md"));
    haul.folder(&ways.from.join("agents"), "agents", Some(".md"));
    haul.only_tightening_agents(&ways.from);
    for name in [".credentials.json"] {
        if ways.from.join(name).exists() {
            haul.leave(name, "cli.bring_secret");
        }
    }
    haul
}

fn settings(said: &Map<String, Value>, ways: &Ways, haul: &mut Haul) {
    for (key, value) in said {
        match key.as_str() {
            "permissions" => permissions(value, ways, haul),
            "hooks" => haul.hooks_of("hooks/claude.json", json!({ "hooks": value }), ways),
            "$schema" => {}
            key => {
                let why = LEFT.iter().find(|(known, _)| *known == key).map_or("cli.bring_no_key", |(_, why)| *why);
                haul.leave(format!("settings.json {key}"), why);
            }
        }
    }
}

fn permissions(said: &Value, ways: &Ways, haul: &mut Haul) {
    for list in ["deny", "ask", "allow"] {
        let rules = said.get(list).and_then(Value::as_array).into_iter().flatten().filter_map(Value::as_str);
        for rule in rules {
            match translated(rule, list, ways) {
                Ok(rule) => haul.rule(list, &rule, ways),
                Err(why) => haul.leave(format!("{list} {rule}"), why),
            }
        }
    }
    for key in said.as_object().into_iter().flatten().map(|(key, _)| key.as_str()) {
        match key {
            "deny" | "ask" | "allow" => {}
            "defaultMode" | "disableBypassPermissionsMode" => {
                haul.leave(format!("permissions.{key}"), "cli.bring_mode");
            }
            "additionalDirectories" => haul.leave(format!("permissions.{key}"), "cli.bring_folders"),
            key => haul.leave(format!("permissions.{key}"), "cli.bring_no_key"),
        }
    }
}

/// A rule in our words: there `//` is the root of the machine, `/` the folder of the settings, and hosts are fetched by a tool.
fn translated(rule: &str, list: &str, ways: &Ways) -> Result<String, &'static str> {
    let Some((tool, inner)) = rule.trim().split_once('(') else { return Ok(rule.to_owned()) };
    let paths = ["Read", "Edit", "Write", "MultiEdit", "NotebookEdit", "Glob", "Grep"].contains(&tool);
    if let Some(rest) = inner.strip_prefix("//").filter(|_| paths) {
        return Ok(format!("{tool}(/{rest}"));
    }
    if let Some(rest) = inner.strip_prefix('/').filter(|_| paths) {
        return Ok(format!("{tool}({}/{rest}", ways.from.display()));
    }
    if let Some(rest) = inner.strip_prefix("./").filter(|_| paths) {
        return Ok(format!("{tool}({rest}"));
    }
    match (tool, inner.strip_prefix("domain:")) {
        // There it is one tool that may read from a host; here it would open the host to every command.
        ("WebFetch", Some(_)) if list == "allow" => Err("cli.bring_host"),
        ("WebFetch", Some(host)) => Ok(format!("Web({host}")),
        _ => Ok(rule.to_owned()),
    }
}
