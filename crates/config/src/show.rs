//! Every value with its place, for `config show --origin`. Secrets are masked.

use crate::node::{Node, Table, Value, bare};
use crate::schema::{KEYS, below, find};
use crate::{Origins, ShownValue};

/// Lists what holds: what was written, and the built-in values of what was not.
pub(crate) fn origins(table: &Table) -> Origins {
    let mut origins = Origins::new();
    walk(table, "", "", &mut origins);
    for key in KEYS.iter().filter(|key| !key.default.is_empty() && !key.path.contains(['[', '<'])) {
        let shown = ShownValue { value: key.default.to_owned(), ..ShownValue::default() };
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
                    let shown =
                        ShownValue { value: "***".to_owned(), origin: node.origin.clone(), entries: Vec::new() };
                    origins.insert(format!("{full}.{}", bare(name)), shown);
                }
            }
            (Some(schema), _) => {
                let value = if schema.secret { "***".to_owned() } else { shown_address(&node.show()) };
                let entries = node.as_list().unwrap_or_default().iter().map(|item| item.origin.clone()).collect();
                origins.insert(full, ShownValue { value, origin: node.origin.clone(), entries });
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

/// An address as it may be shown: without what stands between `//` and `@`, and without the values of its query.
pub fn shown_address(text: &str) -> String {
    let Some((scheme, rest)) = text.split_once("://") else { return text.to_owned() };
    let end = rest.find(['/', '?', '#', '"']).unwrap_or(rest.len());
    let (authority, path) = rest.split_at_checked(end).unwrap_or((rest, ""));
    let host = authority.rfind('@').and_then(|at| authority.get(at..)).map(|host| format!("***{host}"));
    let host = host.unwrap_or_else(|| authority.to_owned());
    let path = match path.split_once('?') {
        None => path.to_owned(),
        Some((path, query)) => {
            let end = if query.ends_with('"') { "\"" } else { "" };
            let hidden = query.trim_end_matches('"').split('&').map(|pair| match pair.split_once('=') {
                Some((name, _)) => format!("{name}=***"),
                None => pair.to_owned(),
            });
            format!("{path}?{}{end}", hidden.collect::<Vec<_>>().join("&"))
        }
    };
    format!("{scheme}://{host}{path}")
}

#[cfg(test)]
mod tests {
    use super::shown_address;

    #[test]
    fn g2_passwords_and_queries_of_addresses_are_hidden() {
        for (text, want) in [
            ("\"https://u:p@host/x\"", "\"https://***@host/x\""),
            ("\"https://host/a@b\"", "\"https://host/a@b\""),
            ("\"https://host\"", "\"https://host\""),
            ("\"https://host/v1?api_key=sk-1&x=2&y\"", "\"https://host/v1?api_key=***&x=***&y\""),
            ("https://u:p@host/v1?key=1", "https://***@host/v1?key=***"),
            ("https://host?key=1", "https://host?key=***"),
            ("3", "3"),
        ] {
            assert_eq!(shown_address(text), want);
        }
    }
}
