//! Writing MCP servers into the user's file and taking them out: comments, order and everything else stay as they are.

use crate::write::{alone, document, is_jsonc, put, replace_keeping_mode, root_key, wrong};
use crate::{ConfigError, SettingOrigin};
use std::path::Path;
use toml_edit::{Array, ArrayOfTables, InlineTable, Item, Table, TableLike, value};

/// A server to write.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct NewServer {
    /// Its name.
    pub name: String,
    /// Its address, or else its command.
    pub url: Option<String>,
    /// The program and its arguments.
    pub command: Vec<String>,
    /// Its environment.
    pub env: Vec<(String, String)>,
    /// Headers for every request.
    pub headers: Vec<(String, String)>,
}

/// Adds a server to the user's TOML file. One that has its name already is an error.
pub fn add_server(path: &Path, server: &NewServer) -> Result<(), ConfigError> {
    toml_only(path)?;
    let _alone = alone(path)?;
    let mut document = document(path)?;
    if has(document.as_table(), &server.name) {
        let origin = SettingOrigin::named(crate::Layer::User, &path.to_string_lossy());
        return Err(ConfigError::Twice { origin, key: format!("plugins.{}", server.name) });
    }
    match document.entry("plugins").or_insert_with(|| Item::ArrayOfTables(ArrayOfTables::new())) {
        Item::ArrayOfTables(tables) => {
            let mut table = Table::new();
            fill(&mut table, server);
            tables.push(table);
        }
        Item::Value(toml_edit::Value::Array(array)) => {
            let mut table = InlineTable::new();
            fill(&mut table, server);
            array.push(table);
        }
        other => return Err(wrong(path, "plugins", "[{ … }, …]", other.type_name().to_owned())),
    }
    replace_keeping_mode(path, &document.to_string())
}

/// Takes a server out of the user's TOML file; false when it is not there.
pub fn remove_server(path: &Path, name: &str) -> Result<bool, ConfigError> {
    toml_only(path)?;
    let _alone = alone(path)?;
    let mut document = document(path)?;
    if !has(document.as_table(), name) {
        return Ok(false);
    }
    match document.get_mut("plugins") {
        Some(Item::ArrayOfTables(tables)) => tables.retain(|table| name_of(table) != Some(name)),
        Some(Item::Value(toml_edit::Value::Array(array))) => {
            array.retain(|entry| entry.as_inline_table().and_then(|table| name_of(table)) != Some(name));
        }
        _ => {}
    }
    if document.get("plugins").is_some_and(|item| item.as_array_of_tables().is_some_and(ArrayOfTables::is_empty)) {
        document.remove("plugins");
    }
    if let Some(map) = document.get_mut("mcp").and_then(Item::as_table_like_mut) {
        map.remove(name);
    }
    replace_keeping_mode(path, &document.to_string())?;
    Ok(true)
}

/// Says that a tool of a server is trusted to be a reader, or no longer: at the server's own entry where that is in the user's
/// file, and for this workspace root alone where the server is a project's. False where it is so already.
pub fn set_reader(path: &Path, root: &Path, (server, tool): (&str, &str), on: bool) -> Result<bool, ConfigError> {
    toml_only(path)?;
    let root = root_key(path, root)?;
    let _alone = alone(path)?;
    let mut document = document(path)?;
    let own = has(document.as_table(), server);
    let entry = if own { tool.to_owned() } else { format!("{server}.{tool}") };
    let table: &mut dyn TableLike = document.as_table_mut();
    let table = if own { own_entry(table, server) } else { below(table, &["workspaces", &root], on) };
    let Some(table) = table else { return Ok(false) };
    let key = "trusted_read_only_tools";
    if !on && table.get(key).is_none() {
        return Ok(false);
    }
    let list = table.entry(key).or_insert_with(|| value(Array::new()));
    let found = list.type_name().to_owned();
    let list = list.as_array_mut().ok_or_else(|| wrong(path, key, "[\"…\", …]", found))?;
    let there = list.iter().any(|old| old.as_str() == Some(&entry));
    if there == on {
        return Ok(false);
    }
    if on {
        list.push(entry);
    } else {
        list.retain(|old| old.as_str() != Some(&entry));
    }
    replace_keeping_mode(path, &document.to_string())?;
    Ok(true)
}

/// Files with comments in JSON are the user's to edit.
fn toml_only(path: &Path) -> Result<(), ConfigError> {
    if !is_jsonc(path) {
        return Ok(());
    }
    let reason = "it is JSON; write the server into its `mcp` table by hand".to_owned();
    Err(ConfigError::Write { path: path.to_owned(), reason })
}

fn name_of(table: &dyn TableLike) -> Option<&str> {
    table.get("name").and_then(Item::as_str)
}

fn has(document: &Table, name: &str) -> bool {
    let listed = match document.get("plugins") {
        Some(Item::ArrayOfTables(tables)) => tables.iter().any(|table| name_of(table) == Some(name)),
        Some(Item::Value(toml_edit::Value::Array(array))) => {
            array.iter().filter_map(toml_edit::Value::as_inline_table).any(|table| name_of(table) == Some(name))
        }
        _ => false,
    };
    listed || document.get("mcp").and_then(Item::as_table_like).is_some_and(|map| map.contains_key(name))
}

fn own_entry<'a>(document: &'a mut dyn TableLike, name: &str) -> Option<&'a mut dyn TableLike> {
    let mapped = document.get("mcp").and_then(Item::as_table_like).is_some_and(|map| map.contains_key(name));
    if mapped {
        return document.get_mut("mcp")?.as_table_like_mut()?.get_mut(name)?.as_table_like_mut();
    }
    match document.get_mut("plugins")? {
        Item::ArrayOfTables(tables) => {
            let found = tables.iter_mut().find(|table| name_of(*table) == Some(name));
            found.map(|table| table as &mut dyn TableLike)
        }
        Item::Value(toml_edit::Value::Array(array)) => {
            let mut tables = array.iter_mut().filter_map(toml_edit::Value::as_inline_table_mut);
            tables.find(|table| name_of(*table) == Some(name)).map(|table| table as &mut dyn TableLike)
        }
        _ => None,
    }
}

/// The table at the end of a path; made where it is wanted and not there.
fn below<'a>(mut table: &'a mut dyn TableLike, path: &[&str], make: bool) -> Option<&'a mut dyn TableLike> {
    for key in path {
        if !make && table.get(key).is_none() {
            return None;
        }
        let item = table.entry(key).or_insert_with(|| {
            let mut table = Table::new();
            table.set_implicit(true);
            Item::Table(table)
        });
        table = item.as_table_like_mut()?;
    }
    Some(table)
}

fn fill(table: &mut dyn TableLike, server: &NewServer) {
    put(table, "name", server.name.as_str().into());
    match &server.url {
        Some(url) => {
            put(table, "type", "http".into());
            put(table, "url", url.as_str().into());
        }
        None => {
            let mut words = server.command.iter().map(String::as_str);
            put(table, "command", words.next().unwrap_or_default().into());
            let args: Array = words.collect();
            if !args.is_empty() {
                put(table, "args", toml_edit::Value::Array(args));
            }
        }
    }
    for (key, pairs) in [("env", &server.env), ("headers", &server.headers)] {
        if !pairs.is_empty() {
            let pairs: InlineTable = pairs.iter().map(|(name, value)| (name.as_str(), value.as_str())).collect();
            put(table, key, toml_edit::Value::InlineTable(pairs));
        }
    }
}
