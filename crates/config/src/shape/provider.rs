//! The `provider` table: one endpoint, several by name, or only the name of one.

use super::{Notices, dotted, rename};
use crate::node::{Node, Table, Value};
use crate::{ConfigError, SettingOrigin};
use reasonix_proto::{Level, Phrase};

/// The name of a provider that was written without one.
const NAMELESS: &str = "default";

/// Turns `provider` into entries of `providers`.
pub(crate) fn normalise(table: &mut Table, notices: &mut Notices) -> Result<(), ConfigError> {
    if let Some(node) = table.take("provider") {
        match node.value {
            Value::Text(name) => chosen(table, &name, &node.origin),
            Value::Table(entries) if is_one(&entries) => one(table, None, entries, &node.origin)?,
            Value::Table(entries) => {
                for (name, node) in entries.into_entries() {
                    let Value::Table(fields) = node.value else {
                        return Err(ConfigError::Value {
                            key: format!("provider.{name}"),
                            expected: "{ … }".to_owned(),
                            found: node.sketch(),
                            origin: node.origin,
                        });
                    };
                    one(table, Some(name), fields, &node.origin)?;
                }
            }
            value => {
                let node = Node { value, origin: node.origin };
                let expected = "{ … } | \"…\"".to_owned();
                let found = node.sketch();
                return Err(ConfigError::Value { origin: node.origin, key: "provider".to_owned(), expected, found });
            }
        }
    }
    if let Some(Value::List(list)) = table.get_mut("providers").map(|node| &mut node.value) {
        for fields in list.iter_mut().filter_map(Node::as_table_mut) {
            key(fields, notices);
        }
    }
    Ok(())
}

/// `provider = "name"`, perhaps beside a plain `model`.
fn chosen(table: &mut Table, name: &str, origin: &SettingOrigin) {
    let prefix = format!("{name}/");
    let reference = match table.get("default_model").and_then(Node::as_text) {
        Some(model) if model.starts_with(&prefix) => model.to_owned(),
        Some(model) => format!("{prefix}{model}"),
        None => name.to_owned(),
    };
    table.set("default_model", Node::text(reference, origin));
}

/// A table with the fields of an endpoint, rather than one with endpoints by name.
fn is_one(entries: &Table) -> bool {
    entries.iter().any(|(_, node)| !matches!(node.value, Value::Table(_) | Value::Null))
}

fn one(table: &mut Table, name: Option<String>, mut fields: Table, origin: &SettingOrigin) -> Result<(), ConfigError> {
    let name = name.unwrap_or_else(|| NAMELESS.to_owned());
    let section = dotted("provider", &name);
    if fields.get("name").is_none() {
        fields.set("name", Node::text(name, origin));
    }
    if let Some(Value::Table(options)) = fields.take("options").map(|node| node.value) {
        for (key, node) in options.into_entries() {
            fields.set(key, node);
        }
    }
    for (from, to) in [
        ("baseURL", "base_url"),
        ("baseUrl", "base_url"),
        ("url", "base_url"),
        ("type", "kind"),
        ("apiKey", "api_key"),
        ("apiKeyEnv", "api_key_env"),
        ("contextWindow", "context_window"),
    ] {
        rename(&mut fields, from, to, &section)?;
    }
    fields.take("npm");
    models(&mut fields);
    table.push("providers", Node::table(fields, origin));
    Ok(())
}

/// `models` as a table of models by name; a window that all of them share is the provider's.
fn models(fields: &mut Table) {
    let Some(Node { value: Value::Table(models), origin }) = fields.get("models").cloned() else { return };
    let names = models.iter().map(|(name, node)| Node::text(name, &node.origin)).collect();
    let window = |node: &Node| node.as_table()?.get("limit")?.as_table()?.get("context").cloned();
    let windows: Vec<_> = models.iter().filter_map(|(_, node)| window(node)).collect();
    fields.set("models", Node { value: Value::List(names), origin });
    let smallest = windows.into_iter().min_by_key(|node| node.as_count().unwrap_or(u64::MAX));
    if let Some(window) = smallest.filter(|_| fields.get("context_window").is_none()) {
        fields.set("context_window", window);
    }
}

/// A key itself does not belong into a settings file; the name of its variable does.
fn key(fields: &mut Table, notices: &mut Notices) {
    let Some(node) = fields.take("api_key") else { return };
    let variable = node.as_text().and_then(|text| {
        let inner = text.strip_prefix("${").or_else(|| text.strip_prefix("{env:"))?.strip_suffix('}')?;
        Some(inner.to_owned())
    });
    match variable {
        Some(variable) if fields.get("api_key_env").is_none() => {
            fields.set("api_key_env", Node::text(variable, &node.origin));
        }
        Some(_) => {}
        None if node.as_text().is_some_and(str::is_empty) => {}
        None => {
            notices.push((Level::Warning, Phrase::new("config.key_in_file").with("place", node.origin.place())));
        }
    }
}
