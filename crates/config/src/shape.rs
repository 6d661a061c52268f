//! Other ways to write the same settings, brought into the one shape that the schema knows: a `provider` table, a
//! `permission` map, `mcp` servers, agents by name. Only shapes change here; meaning comes later.

mod mcp;
mod permission;
mod profile;
mod provider;

pub(crate) use mcp::servers as mcp_servers;

use crate::ConfigError;
use crate::node::{Node, Table, Value};
use reasonix_proto::{Level, Phrase};

/// What to tell the user.
pub(crate) type Notices = Vec<(Level, Phrase)>;

/// Brings the tree of one file into shape.
pub(crate) fn normalise(mut table: Table, notices: &mut Notices) -> Result<Table, ConfigError> {
    rename(&mut table, "model", "default_model", "")?;
    provider::normalise(&mut table, notices)?;
    permission::normalise(&mut table, "")?;
    mcp::normalise(&mut table)?;
    profile::normalise(&mut table)?;
    for key in ["logs", "cache"] {
        folder(&mut table, key);
    }
    if let Some(node) = table.get_mut("instructions") {
        listed(node);
    }
    Ok(table)
}

/// Moves a value to its other name; both in one file would contradict each other.
fn rename(table: &mut Table, from: &str, to: &str, section: &str) -> Result<(), ConfigError> {
    let Some(node) = table.take(from) else { return Ok(()) };
    if table.get(to).is_some() {
        return Err(ConfigError::Twice { origin: node.origin, key: dotted(section, to) });
    }
    table.set(to, node);
    Ok(())
}

fn dotted(section: &str, key: &str) -> String {
    if section.is_empty() { key.to_owned() } else { format!("{section}.{key}") }
}

/// A plain text in place of a table is its folder, and `false` switches logging off.
fn folder(table: &mut Table, key: &str) {
    let Some(node) = table.get_mut(key) else { return };
    let (name, value) = match &node.value {
        Value::Text(_) => ("dir", node.clone()),
        Value::Bool(false) if key == "logs" => ("level", Node::text("off", &node.origin)),
        _ => return,
    };
    *node = Node::table(Table::from_iter([(name.to_owned(), value)]), &node.origin);
}

/// A single value in place of a list.
fn listed(node: &mut Node) {
    if node.as_text().is_some() {
        *node = Node { origin: node.origin.clone(), value: Value::List(vec![node.clone()]) };
    }
}
