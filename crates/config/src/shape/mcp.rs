//! MCP servers by name: the `mcp` table and the `mcpServers` of a `.mcp.json`.

use super::{dotted, rename};
use crate::node::{Node, Table, Value};
use crate::{ConfigError, SettingOrigin};

/// Turns `mcp` into entries of `plugins`.
pub(crate) fn normalise(table: &mut Table) -> Result<(), ConfigError> {
    if let Some(node) = table.take("mcp") {
        for plugin in servers(node, "mcp")? {
            table.push("plugins", plugin);
        }
    }
    if let Some(Value::List(list)) = table.get_mut("plugins").map(|node| &mut node.value) {
        for fields in list.iter_mut().filter_map(Node::as_table_mut) {
            switched(fields, "plugins")?;
        }
    }
    Ok(())
}

/// `disabled` is `enabled` the other way round.
fn switched(fields: &mut Table, path: &str) -> Result<(), ConfigError> {
    let Some(node) = fields.take("disabled") else { return Ok(()) };
    if fields.get("enabled").is_some() {
        return Err(ConfigError::Twice { origin: node.origin, key: dotted(path, "enabled") });
    }
    let value = node.as_bool().map_or_else(|| node.value.clone(), |off| Value::Bool(!off));
    fields.set("enabled", Node { value, origin: node.origin });
    Ok(())
}

/// How others write what a login needs: names in one word, scopes in one text.
fn login(fields: &mut Table, path: &str) -> Result<(), ConfigError> {
    let Some(login) = fields.get_mut("oauth").and_then(Node::as_table_mut) else { return Ok(()) };
    let path = dotted(path, "oauth");
    let names = [
        ("clientId", "client_id"),
        ("clientSecret", "client_secret"),
        ("clientMetadataUrl", "client_metadata_url"),
        ("callbackPort", "callback_port"),
    ];
    for (theirs, ours) in names {
        rename(login, theirs, ours, &path)?;
    }
    let Some(node) = login.get_mut("scopes") else { return Ok(()) };
    if let Value::Text(all) = &node.value {
        let each = all.split_whitespace().map(|scope| Node::text(scope, &node.origin)).collect();
        node.value = Value::List(each);
    }
    Ok(())
}

/// The servers of a table, each as an entry of `plugins`.
pub(crate) fn servers(node: Node, section: &str) -> Result<Vec<Node>, ConfigError> {
    let wrong = |node: Node, key: String| {
        let (expected, found) = ("{ … }".to_owned(), node.sketch());
        Err(ConfigError::Value { origin: node.origin, key, expected, found })
    };
    let Value::Table(entries) = node.value else { return wrong(node, section.to_owned()) };
    let mut plugins = Vec::new();
    for (name, node) in entries.into_entries() {
        let path = dotted(section, &name);
        let Value::Table(fields) = node.value else { return wrong(node, path) };
        plugins.push(Node::table(server(name, fields, &node.origin, &path)?, &node.origin));
    }
    Ok(plugins)
}

fn server(name: String, mut fields: Table, origin: &SettingOrigin, path: &str) -> Result<Table, ConfigError> {
    if let Some(command) = fields.get("command").and_then(Node::as_list).map(<[Node]>::to_vec) {
        let mut words = command.into_iter();
        fields.take("command");
        if let Some(program) = words.next() {
            fields.set("command", program);
        }
        let given = fields.take("args").and_then(|node| node.as_list().map(<[Node]>::to_vec)).unwrap_or_default();
        let args: Vec<Node> = words.chain(given).collect();
        fields.set("args", Node { value: Value::List(args), origin: origin.clone() });
    }
    rename(&mut fields, "environment", "env", path)?;
    rename(&mut fields, "timeout", "timeout_ms", path)?;
    switched(&mut fields, path)?;
    login(&mut fields, path)?;
    if let Some(node) = fields.take("timeout_ms") {
        let value = match node.as_count() {
            Some(millis) => Value::Int(i64::try_from(millis.div_ceil(1000)).unwrap_or(i64::MAX)),
            None => node.value,
        };
        fields.set("call_timeout_seconds", Node { value, origin: node.origin });
    }
    let kind = match fields.get("type").and_then(Node::as_text) {
        Some("local") => Some("stdio"),
        Some("remote") => Some("http"),
        None if fields.get("url").is_some() => Some("http"),
        _ => None,
    };
    if let Some(kind) = kind {
        fields.set("type", Node::text(kind, origin));
    }
    fields.set("name", Node::text(name, origin));
    Ok(fields)
}
