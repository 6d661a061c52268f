//! Is what was written something we know? One walk over the tree of one file.

use super::{GUARDS, SettingKind, below, children, find, is_section};
use crate::node::{Node, Table, Value};
use crate::trust::EXECUTABLE;
use crate::unknown::nearest;
use crate::{ConfigError, SettingOrigin};
use reasonix_proto::{Level, Phrase};

/// Checks the types of known keys and takes unknown keys out, each with a notice. Under permissions, sandbox and
/// profiles an unknown key is an error: it may be a rule that its author counts on. A null is the same as nothing.
pub(crate) fn check(table: Table, notices: &mut Vec<(Level, Phrase)>) -> Result<Table, ConfigError> {
    Walk { notices }.table(table, "", "")
}

struct Walk<'a> {
    notices: &'a mut Vec<(Level, Phrase)>,
}

impl Walk<'_> {
    /// `section` is the path in the schema, `shown` the one the user wrote.
    fn table(&mut self, table: Table, section: &str, shown: &str) -> Result<Table, ConfigError> {
        let mut known = Table::default();
        for (key, node) in table.into_entries() {
            let path = below(section, &key);
            let full = if shown.is_empty() { key.clone() } else { format!("{shown}.{key}") };
            if node.value == Value::Null {
                continue;
            }
            if let Some(schema) = find(&path) {
                kind(schema.kind, &node, &full)?;
                known.set(key, node);
            } else if is_section(&path) {
                known.set(key, self.section(node, &path, &full)?);
            } else {
                self.unknown(section, &key, full, node.origin)?;
            }
        }
        Ok(known)
    }

    fn section(&mut self, node: Node, path: &str, full: &str) -> Result<Node, ConfigError> {
        let each = format!("{path}[]");
        let listed = is_section(&each);
        let origin = node.origin.clone();
        let value = match node.value {
            Value::Table(table) if !listed => Value::Table(self.table(table, path, full)?),
            Value::List(list) if listed => Value::List(
                list.into_iter()
                    .map(|item| match item.value {
                        Value::Table(table) => Ok(Node::table(self.table(table, &each, full)?, &item.origin)),
                        _ => Err(wrong(full, &item, "{ … }".to_owned())),
                    })
                    .collect::<Result<_, _>>()?,
            ),
            value => {
                let expected = if listed { "[{ … }, …]" } else { "{ … }" };
                return Err(wrong(full, &Node { value, origin }, expected.to_owned()));
            }
        };
        Ok(Node { value, origin })
    }

    fn unknown(&mut self, section: &str, key: &str, full: String, origin: SettingOrigin) -> Result<(), ConfigError> {
        if section.is_empty() && EXECUTABLE.iter().any(|(known, _)| *known == key) {
            let phrase = Phrase::new("config.key_later").with("place", origin.place()).with("key", full);
            self.notices.push((Level::Info, phrase));
            return Ok(());
        }
        let suggestion = nearest(key, children(section));
        let guards = |part: &str| GUARDS.contains(&part);
        // A misspelt section is a guard that its author counts on, wherever it stands.
        let misspelt = suggestion.as_deref().is_some_and(guards);
        if misspelt || section.split('.').any(guards) {
            return Err(ConfigError::UnknownKey { origin, key: full, suggestion });
        }
        let code = if suggestion.is_some() { "config.unknown_key_like" } else { "config.unknown_key" };
        let phrase = Phrase::new(code).with("place", origin.place()).with("key", full);
        let phrase = match suggestion {
            Some(suggestion) => phrase.with("suggestion", suggestion),
            None => phrase,
        };
        self.notices.push((Level::Warning, phrase));
        Ok(())
    }
}

fn wrong(key: &str, node: &Node, expected: String) -> ConfigError {
    ConfigError::Value { origin: node.origin.clone(), key: key.to_owned(), expected, found: node.sketch() }
}

/// Prices and what may be spent are never less than nothing.
fn is_money(key: &str) -> bool {
    key.contains("price.") || key.ends_with("max_cost")
}

/// The value is of its kind, or the error says where it is not.
fn kind(kind: SettingKind, node: &Node, key: &str) -> Result<(), ConfigError> {
    let is = |node: &Node, kind: SettingKind| match kind {
        SettingKind::Text => node.as_text().is_some(),
        SettingKind::Bool => node.as_bool().is_some(),
        SettingKind::Count => node.as_count().is_some(),
        SettingKind::Number => {
            node.as_number().is_some_and(|number| number.is_finite() && (number >= 0.0 || !is_money(key)))
        }
        SettingKind::Choice(words) => node.as_text().is_some_and(|text| words.contains(&text)),
        SettingKind::Ports => match &node.value {
            Value::List(list) => list.iter().all(|item| matches!(item.as_count(), Some(1..=65535))),
            _ => false,
        },
        _ => true,
    };
    let single = match kind {
        SettingKind::Texts | SettingKind::TextMap => SettingKind::Text,
        SettingKind::CountMap => SettingKind::Count,
        SettingKind::BoolMap => SettingKind::Bool,
        SettingKind::ChoiceMap(words) => SettingKind::Choice(words),
        SettingKind::Any if node.as_table().is_none() => return Err(wrong(key, node, kind.sketch())),
        plain => return if is(node, plain) { Ok(()) } else { Err(wrong(key, node, plain.sketch())) },
    };
    let entries: Vec<(String, &Node)> = match (kind, &node.value) {
        (SettingKind::Texts, Value::List(list)) => list.iter().map(|item| (key.to_owned(), item)).collect(),
        (SettingKind::Texts, _) => return Err(wrong(key, node, kind.sketch())),
        (_, Value::Table(table)) => table.iter().map(|(name, item)| (format!("{key}.{name}"), item)).collect(),
        _ => return Err(wrong(key, node, kind.sketch())),
    };
    match entries.iter().find(|(_, item)| !is(item, single)) {
        Some((name, item)) => Err(wrong(name, item, single.sketch())),
        None => Ok(()),
    }
}
