//! Every value with its place, for `config show --origin`. Secrets are masked.

use crate::node::{Node, Table, Value, bare};
use crate::schema::{KEYS, below, find};
use crate::{Origin, Origins, Shown};

/// Lists what holds: what was written, and the built-in values of what was not.
pub(crate) fn origins(table: &Table) -> Origins {
    let mut origins = Origins::new();
    walk(table, "", "", &mut origins);
    for key in KEYS.iter().filter(|key| !key.default.is_empty() && !key.path.contains(['[', '<'])) {
        let shown = Shown { value: key.default.to_owned(), origin: Origin::default() };
        let written = |prefix: &String| prefix.strip_prefix(key.path).is_some_and(|rest| rest.starts_with('.'));
        if !origins.keys().any(written) {
            origins.entry(key.path.to_owned()).or_insert(shown);
        }
    }
    origins
}

fn walk(table: &Table, section: &str, shown: &str, origins: &mut Origins) {
    for (key, node) in table.iter() {
        let path = below(section, key);
        let full = if shown.is_empty() { bare(key) } else { format!("{shown}.{}", bare(key)) };
        match (find(&path), &node.value) {
            (Some(schema), Value::Table(entries)) if schema.secret => {
                for (name, node) in entries.iter() {
                    let shown = Shown { value: "***".to_owned(), origin: node.origin.clone() };
                    origins.insert(format!("{full}.{}", bare(name)), shown);
                }
            }
            (Some(schema), _) => {
                let value = if schema.secret { "***".to_owned() } else { without_password(node.show()) };
                origins.insert(full, Shown { value, origin: node.origin.clone() });
            }
            (None, Value::Table(entries)) => walk(entries, &path, &full, origins),
            (None, Value::List(list)) => {
                for (index, entries) in list.iter().enumerate().filter_map(|(at, node)| Some((at, node.as_table()?))) {
                    let name = entries.get("name").and_then(Node::as_text);
                    let name = name.map_or_else(|| index.to_string(), bare);
                    walk(entries, &format!("{path}[]"), &format!("{full}.{name}"), origins);
                }
            }
            _ => {}
        }
    }
}

/// Hides what stands between `//` and `@` in an address.
fn without_password(text: String) -> String {
    let masked = text.split_once("://").and_then(|(scheme, rest)| {
        let end = rest.find(['/', '?', '#', '"']).unwrap_or(rest.len());
        let at = rest.get(..end)?.rfind('@')?;
        Some(format!("{scheme}://***{}", rest.get(at..)?))
    });
    masked.unwrap_or(text)
}

#[cfg(test)]
mod tests {
    use super::without_password;

    #[test]
    fn passwords_in_addresses_are_hidden() {
        for (text, want) in [
            ("\"https://u:p@host/x\"", "\"https://***@host/x\""),
            ("\"https://host/a@b\"", "\"https://host/a@b\""),
            ("\"https://host\"", "\"https://host\""),
            ("3", "3"),
        ] {
            assert_eq!(without_password(text.to_owned()), want);
        }
    }
}
