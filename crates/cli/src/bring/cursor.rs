//! What Cursor keeps in the user's home: servers, commands, skills, and what its command line may do. Rules of the user lie in
//! the program itself, and are not reached.

use super::haul::{Haul, Ways};
use super::prompts::plain;
use super::servers::referred;
use serde_json::Value;

pub(super) fn haul(ways: &Ways) -> Haul {
    let mut haul = Haul::default();
    if let Some(said) = ways.json(&ways.from.join("mcp.json"), &mut haul) {
        haul.servers_of(said.get("mcpServers").cloned().map(referred).as_ref());
    }
    if let Some(said) = ways.json(&ways.from.join("cli-config.json"), &mut haul) {
        for list in ["deny", "allow"] {
            let rules = said.pointer(&format!("/permissions/{list}")).and_then(Value::as_array);
            for rule in rules.into_iter().flatten().filter_map(Value::as_str) {
                match translated(rule).filter(|_| list == "deny") {
                    Some(rule) => haul.rule("deny", &rule, ways),
                    None => haul.leave(format!("{list} {rule}"), "cli.bring_mode"),
                }
            }
        }
    }
    if let Some(said) = ways.json(&ways.from.join("hooks.json"), &mut haul) {
        for (event, _) in said.get("hooks").and_then(Value::as_object).into_iter().flatten() {
            haul.leave(format!("hook {event}"), "cli.bring_guard");
        }
    }
    commands(ways, &mut haul);
    haul.folder(&ways.from.join("skills"), "skills", None);
    haul.leave_files(&ways.from.join("agents"), "cli.bring_agent_words");
    haul
}

/// Commands are plain text there.
fn commands(ways: &Ways, haul: &mut Haul) {
    let entries = std::fs::read_dir(ways.from.join("commands")).into_iter().flatten().filter_map(Result::ok);
    let mut files: Vec<_> = entries.map(|entry| entry.path()).collect();
    files.sort();
    for file in files {
        let Some(name) = file.file_name().and_then(|name| name.to_str()?.strip_suffix(".md")) else { continue };
        if let Some(text) = ways.text(&file) {
            haul.command(name, plain(&text));
        }
    }
}

/// A rule in our words: `Shell(git)` is about all that begins with this word.
fn translated(rule: &str) -> Option<String> {
    let (tool, inner) = rule.trim().strip_suffix(')')?.split_once('(')?;
    match tool {
        "Shell" if !inner.contains(['*', ':', '(']) => Some(format!("Bash({inner}:*)")),
        "Read" => Some(format!("Read({inner})")),
        "Write" => Some(format!("Edit({inner})")),
        _ => None,
    }
}
