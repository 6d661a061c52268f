//! Agent profiles: an object under `agent` that is not one of the loop's own settings.

use super::{listed, permission, rename};
use crate::ConfigError;
use crate::node::{Node, Table, Value};
use crate::schema::{find, is_section};

/// Moves profiles out of `agent` and brings all of them into shape.
pub(crate) fn normalise(table: &mut Table) -> Result<(), ConfigError> {
    if let Some(agent) = table.take("agent") {
        let origin = agent.origin.clone();
        let Value::Table(entries) = agent.value else {
            table.set("agent", agent);
            return Ok(());
        };
        let mut own = Table::default();
        for (key, node) in entries.into_entries() {
            let path = format!("agent.{key}");
            if node.as_table().is_none() || find(&path).is_some() || is_section(&path) {
                own.set(key, node);
            } else if let Some(profiles) = table.table("profiles", &origin) {
                if profiles.get(&key).is_some() {
                    return Err(ConfigError::Twice { origin: node.origin, key: format!("profiles.{key}") });
                }
                profiles.set(key, node);
            }
        }
        table.set("agent", Node::table(own, &origin));
    }
    let profiles = table.get_mut("profiles").and_then(Node::as_table_mut);
    let names: Vec<String> = profiles.iter().flat_map(|table| table.iter()).map(|(name, _)| name.to_owned()).collect();
    let Some(profiles) = profiles else { return Ok(()) };
    for name in names {
        if let Some(fields) = profiles.get_mut(&name).and_then(Node::as_table_mut) {
            one(fields, &format!("profiles.{name}"))?;
        }
    }
    Ok(())
}

fn one(fields: &mut Table, path: &str) -> Result<(), ConfigError> {
    fields.take("name");
    rename(fields, "model_override", "model", path)?;
    rename(fields, "steps", "max_steps", path)?;
    permission::normalise(fields, path)?;
    let Some(tools) = fields.get_mut("tools") else { return Ok(()) };
    listed(tools);
    if let Some(names) = tools.as_list().filter(|names| names.iter().all(|node| node.as_text().is_some())) {
        let all = ("*".to_owned(), Node { value: Value::Bool(false), origin: tools.origin.clone() });
        let only = names.iter().filter_map(|node| Some((node.as_text()?.to_owned(), node)));
        let only = only.map(|(name, node)| (name, Node { value: Value::Bool(true), origin: node.origin.clone() }));
        *tools = Node::table(std::iter::once(all).chain(only).collect(), &tools.origin);
    }
    Ok(())
}
