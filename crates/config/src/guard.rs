//! What a project's file may say. A repository can tighten what the user set and never loosen it: what it may not
//! say is taken out, each time with a notice that names file, line and key.

use crate::node::{Node, Table, Value};
use crate::schema::{SettingKey, SettingKind, SettingScope, below, find};
use crate::sections::providers;
use crate::shape::Notices;
use crate::view::Context;
use crate::{ConfigError, Settings};
use reasonix_proto::{Level, Phrase};
use std::path::{Component, Path};

/// Families whose calls run by default.
const READERS: &[&str] = &["Read", "Grep", "Task", "Skill"];

/// Takes out of a project's settings what it may not say beside the user's.
pub(crate) fn guard(
    project: Table,
    user: &Table,
    context: &Context<'_>,
    notices: &mut Notices,
) -> Result<Table, ConfigError> {
    Guard { user, context, notices }.table(project, "", "")
}

struct Guard<'a> {
    user: &'a Table,
    context: &'a Context<'a>,
    notices: &'a mut Notices,
}

impl Guard<'_> {
    fn table(&mut self, table: Table, section: &str, shown: &str) -> Result<Table, ConfigError> {
        let mut kept = Table::default();
        for (key, node) in table.into_entries() {
            let path = below(section, &key);
            let full = if shown.is_empty() { key.clone() } else { format!("{shown}.{key}") };
            if matches!(path.as_str(), "providers" | "models" | "model_profiles") {
                self.refuse("config.project_ignored", &node, &full);
            } else if let Some(schema) = find(&path) {
                if let Some(node) = self.value(schema, node, &full)? {
                    kept.set(key, node);
                }
            } else if section == "profiles" && self.user_has("profiles", &key) {
                self.refuse("config.project_name_taken", &node, &full);
            } else {
                let origin = node.origin.clone();
                let value = match node.value {
                    Value::Table(table) => Value::Table(self.table(table, &path, &full)?),
                    Value::List(list) => Value::List(self.list(list, &path, &full)?),
                    value => value,
                };
                kept.set(key, Node { value, origin });
            }
        }
        Ok(kept)
    }

    /// A list of tables: those with a name that the user has used stay out.
    fn list(&mut self, list: Vec<Node>, path: &str, full: &str) -> Result<Vec<Node>, ConfigError> {
        let mut kept = Vec::new();
        for node in list {
            let name = name_of(&node).unwrap_or_default().to_owned();
            let shown = format!("{full}.{name}");
            let theirs = self.user.get(path).and_then(Node::as_list).unwrap_or_default();
            if theirs.iter().any(|other| name_of(other) == Some(&name)) {
                self.refuse("config.project_name_taken", &node, &shown);
            } else if let Value::Table(table) = node.value {
                kept.push(Node::table(self.table(table, &format!("{path}[]"), &shown)?, &node.origin));
            }
        }
        Ok(kept)
    }

    fn value(&mut self, schema: &SettingKey, node: Node, full: &str) -> Result<Option<Node>, ConfigError> {
        let refused = match schema.scope {
            SettingScope::User => Some("config.project_ignored"),
            SettingScope::Lower => (limit(&node) > self.limit(schema)).then_some("config.project_looser"),
            SettingScope::Stricter if matches!(schema.kind, SettingKind::ChoiceMap(_)) => {
                return Ok(Some(self.fallbacks(node, full)));
            }
            SettingScope::Stricter => {
                let theirs =
                    lookup(self.user, schema.path).map_or_else(|| default_rank(schema), |node| rank(schema, node));
                (rank(schema, &node) < theirs).then_some("config.project_looser")
            }
            SettingScope::SameProvider => (!self.same_provider(&node)?).then_some("config.project_endpoint"),
            SettingScope::Narrows => return Ok(self.narrowed(schema, node, full)),
            SettingScope::Any | SettingScope::Adds | SettingScope::Trust => {
                self.outside(schema, &node).then_some("config.project_outside")
            }
        };
        if let Some(code) = refused {
            self.refuse(code, &node, full);
            return Ok(None);
        }
        Ok(Some(node))
    }

    fn refuse(&mut self, code: &'static str, node: &Node, key: &str) {
        let phrase = Phrase::new(code).with("place", node.origin.place()).with("key", key);
        self.notices.push((Level::Warning, phrase));
    }

    fn user_has(&self, section: &str, name: &str) -> bool {
        self.user.get(section).and_then(Node::as_table).is_some_and(|table| table.get(name).is_some())
    }

    fn limit(&self, schema: &SettingKey) -> u64 {
        lookup(self.user, schema.path).map_or_else(|| unlimited(schema.default.parse().unwrap_or(0)), limit)
    }

    /// Keeps what the user offers too. Where that is nothing the user's list stands, since an empty one means all; but for
    /// ports, of which an empty one means none.
    fn narrowed(&mut self, schema: &SettingKey, node: Node, full: &str) -> Option<Node> {
        let theirs = lookup(self.user, schema.path).and_then(Node::as_list).unwrap_or_default();
        if let (Value::List(ours), SettingKind::Ports) = (&node.value, schema.kind) {
            let both = |item: &&Node| theirs.iter().any(|other| other.as_count() == item.as_count());
            let kept: Vec<Node> = ours.iter().filter(both).cloned().collect();
            if kept.len() < ours.len() {
                self.refuse("config.project_looser", &node, full);
            }
            return Some(Node { value: Value::List(kept), origin: node.origin });
        }
        let (Value::List(ours), false) = (&node.value, theirs.is_empty()) else { return Some(node) };
        let both = |item: &&Node| theirs.iter().any(|other| other.as_text() == item.as_text());
        let kept: Vec<Node> = ours.iter().filter(both).cloned().collect();
        if kept.is_empty() || kept.len() < ours.len() {
            self.refuse("config.project_looser", &node, full);
        }
        (!kept.is_empty()).then_some(Node { value: Value::List(kept), origin: node.origin })
    }

    fn fallbacks(&mut self, node: Node, full: &str) -> Node {
        let Value::Table(ours) = node.value else { return node };
        let theirs = lookup(self.user, "permissions.fallbacks").and_then(Node::as_table);
        let mode = lookup(self.user, "permissions.mode").and_then(Node::as_text).unwrap_or("ask");
        let strictness = |word: &str| ["allow", "ask", "deny"].iter().position(|other| *other == word);
        let mut kept = Table::default();
        for (family, verdict) in ours.into_entries() {
            let fallback = if READERS.contains(&family.as_str()) { "allow" } else { mode };
            let held = theirs.and_then(|table| table.get(&family)).and_then(Node::as_text).unwrap_or(fallback);
            if verdict.as_text().and_then(strictness) < strictness(held) {
                self.refuse("config.project_looser", &verdict, &format!("{full}.{family}"));
            } else {
                kept.set(family, verdict);
            }
        }
        Node::table(kept, &node.origin)
    }

    /// A repository may choose among the models of the endpoint that the user chose, and no other endpoint.
    fn same_provider(&self, node: &Node) -> Result<bool, ConfigError> {
        let settings = Settings {
            providers: providers::resolve(self.user, self.context)?,
            default_model: self.user.get("default_model").and_then(Node::as_text).map(str::to_owned),
            ..Settings::default()
        };
        let wanted = node.as_text().and_then(|reference| settings.resolve_model(reference).ok());
        let chosen = settings.default_model().ok();
        Ok(matches!((wanted, chosen), (Some(wanted), Some(chosen)) if wanted.provider.name == chosen.provider.name))
    }

    /// A file of the model's instructions that lies outside the project.
    fn outside(&self, schema: &SettingKey, node: &Node) -> bool {
        let leaves = |text: &str| {
            let path = Path::new(text);
            text.starts_with('~')
                || text.contains("${")
                || path.is_absolute()
                || path.components().any(|part| part == Component::ParentDir)
        };
        match schema.path {
            "agent.system_prompt_file" => node.as_text().is_some_and(|text| {
                let folder = node.origin.path().parent().unwrap_or(Path::new("."));
                leaves(text) || leads_out(&folder.join(text), self.context.project)
            }),
            "instructions" => node.as_list().unwrap_or_default().iter().filter_map(Node::as_text).any(leaves),
            _ => false,
        }
    }
}

/// True when a path that exists ends outside the folder after every link was followed.
pub(crate) fn leads_out(path: &Path, folder: &Path) -> bool {
    match (path.canonicalize(), folder.canonicalize()) {
        (Ok(path), Ok(folder)) => !path.starts_with(folder),
        (Ok(_), Err(_)) => true,
        (Err(_), _) => false,
    }
}

fn name_of(node: &Node) -> Option<&str> {
    node.as_table()?.get("name")?.as_text()
}

/// The value at a dotted path.
pub(crate) fn lookup<'a>(table: &'a Table, path: &str) -> Option<&'a Node> {
    let (first, rest) = path.split_once('.').map_or((path, None), |(first, rest)| (first, Some(rest)));
    let node = table.get(first)?;
    match rest {
        Some(rest) => lookup(node.as_table()?, rest),
        None => Some(node),
    }
}

/// A limit, where 0 is none.
fn limit(node: &Node) -> u64 {
    unlimited(node.as_count().unwrap_or(0))
}

fn unlimited(limit: u64) -> u64 {
    if limit == 0 { u64::MAX } else { limit }
}

/// How strict a value is, from 0.
fn rank(schema: &SettingKey, node: &Node) -> usize {
    match (schema.kind, &node.value) {
        (SettingKind::Choice(words), Value::Text(text)) => words.iter().position(|word| word == text).unwrap_or(0),
        (SettingKind::Bool, Value::Bool(value)) => usize::from(!value),
        _ => 0,
    }
}

fn default_rank(schema: &SettingKey) -> usize {
    match schema.kind {
        SettingKind::Choice(words) => {
            words.iter().position(|word| schema.default.trim_matches('"') == *word).unwrap_or(words.len())
        }
        _ => usize::from(schema.default != "true"),
    }
}
