//! The permission map: families and patterns with a verdict each, turned into rule texts.

use super::dotted;
use crate::node::{Node, Table, Value};
use crate::{ConfigError, SettingOrigin};
use reasonix_proto::family_of_word;

/// The rule family, or for tools without one the tool's own name.
enum Subject {
    Family(&'static str),
    Tool(String),
}

/// Brings `permission` and `permissions` of a table into the shape of the latter.
pub(crate) fn normalise(table: &mut Table, section: &str) -> Result<(), ConfigError> {
    super::rename(table, "permission", "permissions", section)?;
    let Some(node) = table.take("permissions") else { return Ok(()) };
    let path = dotted(section, "permissions");
    let origin = node.origin.clone();
    let node = match node.value {
        Value::Text(_) => Node::table(rules(Table::from_iter([("*".to_owned(), node)]), &origin, &path)?, &origin),
        Value::Table(entries) => Node::table(rules(entries, &origin, &path)?, &origin),
        _ => node,
    };
    table.set("permissions", node);
    Ok(())
}

fn rules(entries: Table, origin: &SettingOrigin, path: &str) -> Result<Table, ConfigError> {
    let mut rules = Table::default();
    let mut families = Vec::new();
    let mut rest = None;
    for (key, node) in entries.into_entries() {
        match subject(&key) {
            Some(subject) => families.push((key, subject, node)),
            None if key == "*" => rest = Some(node),
            None => rules.set(key, node),
        }
    }
    for (key, subject, node) in families {
        let full = dotted(path, &key);
        match node.value {
            Value::Table(patterns) => {
                for (pattern, verdict) in patterns.into_entries() {
                    add(&mut rules, origin, &subject, Some(&pattern), verdict, &format!("{full}.{pattern}"))?;
                }
            }
            _ => add(&mut rules, origin, &subject, None, node, &full)?,
        }
    }
    if let Some(node) = rest {
        everything_else(&mut rules, node, origin, path)?;
    }
    Ok(rules)
}

/// `*` of the whole map: the mode of writers, and of readers too where it is not "allow" and nothing was said of them.
fn everything_else(rules: &mut Table, node: Node, origin: &SettingOrigin, path: &str) -> Result<(), ConfigError> {
    if rules.get("mode").is_some() {
        return Err(ConfigError::Twice { origin: node.origin, key: dotted(path, "mode") });
    }
    if node.as_text().is_some_and(|verdict| rank(verdict) > 0) {
        for family in ["Read", "Grep", "Task", "Skill"] {
            let fallbacks = rules.table("fallbacks", origin);
            if let Some(fallbacks) = fallbacks.filter(|fallbacks| fallbacks.get(family).is_none()) {
                fallbacks.set(family, node.clone());
            }
        }
    }
    rules.set("mode", node);
    Ok(())
}

/// Adds one entry: `*` or nothing is the family's fallback, a pattern is a rule.
fn add(
    rules: &mut Table,
    origin: &SettingOrigin,
    subject: &Subject,
    pattern: Option<&str>,
    verdict: Node,
    key: &str,
) -> Result<(), ConfigError> {
    let Some(list) = verdict.as_text().and_then(|text| ["allow", "ask", "deny"].into_iter().find(|word| *word == text))
    else {
        return Err(ConfigError::Value {
            key: key.to_owned(),
            expected: "\"allow\" | \"ask\" | \"deny\"".to_owned(),
            found: verdict.sketch(),
            origin: verdict.origin,
        });
    };
    match (subject, pattern.filter(|pattern| *pattern != "*")) {
        (Subject::Family(family), None) => {
            if let Some(fallbacks) = rules.table("fallbacks", origin) {
                let looser = fallbacks.get(family).and_then(Node::as_text).is_some_and(|old| rank(old) > rank(list));
                if !looser {
                    fallbacks.set(*family, verdict);
                }
            }
        }
        (Subject::Tool(tool), None) => rules.push(list, Node::text(tool.as_str(), &verdict.origin)),
        (Subject::Family(name), Some(pattern)) => {
            rules.push(list, Node::text(rule(name, pattern), &verdict.origin));
        }
        (Subject::Tool(name), Some(pattern)) => {
            rules.push(list, Node::text(rule(name, pattern), &verdict.origin));
        }
    }
    Ok(())
}

fn rank(verdict: &str) -> usize {
    ["allow", "ask", "deny"].iter().position(|word| *word == verdict).unwrap_or(2)
}

/// The text of a rule; `ls *` is the older spelling of the prefix `ls:*`.
fn rule(family: &str, pattern: &str) -> String {
    match pattern.strip_suffix(" *").filter(|prefix| family == "Bash" && !prefix.contains('*')) {
        Some(prefix) => format!("{family}({prefix}:*)"),
        None => format!("{family}({pattern})"),
    }
}

fn subject(key: &str) -> Option<Subject> {
    let tool = |name: &str| Some(Subject::Tool(name.to_owned()));
    match key {
        "todoread" | "todo_read" => tool("todo_read"),
        "todowrite" | "todo_write" => tool("todo_write"),
        name if name.starts_with("mcp__") => tool(name),
        name => family_of_word(name).map(Subject::Family),
    }
}

#[cfg(test)]
mod tests {
    use super::rule;

    #[test]
    fn patterns_become_rules() {
        for (family, pattern, want) in [
            ("Bash", "ls *", "Bash(ls:*)"),
            ("Bash", "go test *", "Bash(go test:*)"),
            ("Bash", "git * --force *", "Bash(git * --force *)"),
            ("Bash", "make", "Bash(make)"),
            ("Edit", "docs/**", "Edit(docs/**)"),
            ("Edit", "a *", "Edit(a *)"),
        ] {
            assert_eq!(rule(family, pattern), want);
        }
    }
}
