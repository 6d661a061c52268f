//! What codex keeps in the user's home: settings, servers, instructions, prompts, skills.

use super::haul::{Haul, Ways};
use serde_json::{Map, Value, json};
use toml_edit::{DocumentMut, Item, Value as Toml};

pub(super) fn haul(ways: &Ways) -> Haul {
    let mut haul = Haul::default();
    let file = ways.from.join("config.toml");
    if let Some(text) = ways.text(&file) {
        match text.parse::<DocumentMut>() {
            Ok(said) => settings(&said, &mut haul),
            Err(_) => haul.leave(file.display(), "cli.bring_unreadable"),
        }
    }
    if let Some(said) = ways.json(&ways.from.join("hooks.json"), &mut haul) {
        haul.hooks_of("hooks/codex.json", said, ways);
    }
    haul.instructions(&ways.from.join("AGENTS.md"), ways);
    haul.folder(&ways.from.join("prompts"), "commands", Some(".md"));
    haul.folder(&ways.from.join("skills"), "skills", None);
    for (name, why) in
        [("auth.json", "cli.bring_secret"), ("rules", "cli.bring_no_key"), ("agents", "cli.bring_no_key")]
    {
        if ways.from.join(name).exists() {
            haul.leave(name, why);
        }
    }
    haul
}

fn settings(said: &DocumentMut, haul: &mut Haul) {
    for (key, item) in said.iter() {
        match key {
            "mcp_servers" => {
                let all: Map<String, Value> = json_of(item).as_object().cloned().unwrap_or_default();
                let all = all.into_iter().map(|(name, server)| (name, turned(server))).collect();
                haul.servers_of(Some(&Value::Object(all)));
            }
            "model_providers" => {
                let names = item.as_table_like().map(|table| table.iter().map(|(name, _)| name.to_owned()).collect());
                for name in names.unwrap_or_else(Vec::new) {
                    haul.leave(format!("model_providers.{name}"), "cli.bring_provider");
                }
            }
            "approval_policy" => haul.leave(key, "cli.bring_mode"),
            "sandbox_mode" | "sandbox_workspace_write" => haul.leave(key, "cli.bring_sandbox"),
            "projects" => haul.leave(key, "cli.bring_trust"),
            "plugins" | "marketplaces" => haul.leave(key, "cli.bring_plugins"),
            "shell_environment_policy" => haul.leave(key, "cli.bring_env"),
            key => haul.leave(format!("config.toml {key}"), "cli.bring_no_key"),
        }
    }
}

/// A server in the words of `mcpServers`: variables that hold keys become references to them.
fn turned(mut server: Value) -> Value {
    let Some(fields) = server.as_object_mut() else { return server };
    let mut headers = Map::new();
    if let Some(Value::Object(plain)) = fields.remove("http_headers") {
        headers.extend(plain);
    }
    if let Some(Value::Object(named)) = fields.remove("env_http_headers") {
        let named = named
            .into_iter()
            .filter_map(|(name, variable)| Some((name, json!(format!("${{{}}}", variable.as_str()?)))));
        headers.extend(named);
    }
    if let Some(variable) = fields.remove("bearer_token_env_var").as_ref().and_then(Value::as_str) {
        headers.insert("Authorization".to_owned(), json!(format!("Bearer ${{{variable}}}")));
    }
    if !headers.is_empty() {
        fields.insert("headers".to_owned(), Value::Object(headers));
    }
    server
}

fn json_of(item: &Item) -> Value {
    match item {
        Item::None => Value::Null,
        Item::Value(value) => json_of_value(value),
        Item::Table(table) => Value::Object(table.iter().map(|(key, item)| (key.to_owned(), json_of(item))).collect()),
        Item::ArrayOfTables(tables) => {
            tables.iter().map(|table| json_of(&Item::Table(table.clone()))).collect::<Vec<_>>().into()
        }
    }
}

fn json_of_value(value: &Toml) -> Value {
    match value {
        Toml::String(text) => json!(text.value()),
        Toml::Integer(number) => json!(number.value()),
        Toml::Float(number) => json!(number.value()),
        Toml::Boolean(yes) => json!(yes.value()),
        Toml::Datetime(when) => json!(when.value().to_string()),
        Toml::Array(list) => list.iter().map(json_of_value).collect::<Vec<_>>().into(),
        Toml::InlineTable(table) => {
            Value::Object(table.iter().map(|(key, value)| (key.to_owned(), json_of_value(value))).collect())
        }
    }
}
