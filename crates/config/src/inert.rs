//! Settings that are read and shown, but that nothing follows from yet. Silence about them would be a promise, so each is
//! named; where it could be a rule, it is an error.

use crate::ConfigError;
use crate::node::{Node, Table, Value};
use crate::schema::{GUARDS, KEYS, SettingKey, below, find};
use crate::shape::Notices;
use reasonix_proto::{Level, Phrase};

/// Families that no tool belongs to. What is said about their calls is a notice and no error, though it stands among guards:
/// there is no call that it would let through, and settings of other editions that deny the web have to start.
const TOOLLESS: &[&str] = &["Web"];

/// What needs no word of its own: a mark of other editions, and what has a notice already.
const TOLD: &[&str] = &["config_version", "agent.memory_compiler.enabled"];

/// Values that are what happens anyway, beside the built-in ones.
const SO_ANYWAY: &[(&str, &str)] = &[("tools.shell.prefer", "\"bash\"")];

/// Names what was written and does nothing, each section that does nothing at all only once.
pub(crate) fn name(table: &Table, notices: &mut Notices) -> Result<(), ConfigError> {
    let mut named = Vec::new();
    walk(table, "", "", &mut |schema, key, node| {
        if GUARDS.iter().any(|guard| key.split('.').next() == Some(guard)) {
            return Err(ConfigError::Inert { origin: node.origin.clone(), key: key.to_owned() });
        }
        let key = whole(schema.path).unwrap_or(key);
        if !named.iter().any(|other| other == key) {
            let phrase = Phrase::new("config.key_later").with("place", node.origin.place()).with("key", key);
            notices.push((Level::Info, phrase));
            named.push(key.to_owned());
        }
        Ok(())
    })?;
    toolless(table, "", notices);
    for (name, node) in table.get("profiles").and_then(Node::as_table).into_iter().flat_map(Table::iter) {
        node.as_table().into_iter().for_each(|profile| toolless(profile, &format!("profiles.{name}."), notices));
    }
    Ok(())
}

/// Names what is said of families without tools.
fn toolless(table: &Table, above: &str, notices: &mut Notices) {
    let fallbacks = crate::guard::lookup(table, "permissions.fallbacks").and_then(Node::as_table);
    for (family, node) in fallbacks.into_iter().flat_map(Table::iter).filter(|(family, _)| TOOLLESS.contains(family)) {
        let key = format!("{above}permissions.fallbacks.{family}");
        notices
            .push((Level::Info, Phrase::new("config.key_later").with("place", node.origin.place()).with("key", key)));
    }
}

type Found<'a> = dyn FnMut(&SettingKey, &str, &Node) -> Result<(), ConfigError> + 'a;

fn walk(table: &Table, section: &str, shown: &str, found: &mut Found<'_>) -> Result<(), ConfigError> {
    for (key, node) in table.iter() {
        let path = below(section, key);
        let full = if shown.is_empty() { key.to_owned() } else { format!("{shown}.{key}") };
        match (find(&path), &node.value) {
            (Some(schema), _) if !schema.acts && says_something(schema, node) => found(schema, &full, node)?,
            (Some(_), _) => {}
            (None, Value::Table(entries)) => walk(entries, &path, &full, found)?,
            (None, Value::List(list)) => {
                for entries in list.iter().filter_map(Node::as_table) {
                    walk(entries, &format!("{path}[]"), &full, found)?;
                }
            }
            _ => {}
        }
    }
    Ok(())
}

/// True when the value asks for something else than what happens anyway.
fn says_something(schema: &SettingKey, node: &Node) -> bool {
    let shown = node.show();
    let nothing = ["[]", "{}", "\"\""].contains(&shown.as_str()) || shown == schema.default;
    !nothing && !TOLD.contains(&schema.path) && !SO_ANYWAY.contains(&(schema.path, &shown))
}

/// The outermost section of a key in which no key does anything.
fn whole(path: &str) -> Option<&str> {
    let section = path.split(['.', '[']).next().filter(|section| *section != path)?;
    let inside = |key: &&SettingKey| key.path.split(['.', '[']).next() == Some(section);
    KEYS.iter().filter(inside).all(|key| !key.acts).then_some(section)
}
