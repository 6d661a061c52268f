//! Which files are read for a scope. One file a scope: TOML wins over JSONC, and the others are named in a notice.

use crate::error::Unreadable;
use crate::node::{Node, Table, Value};
use crate::shape::{self, Notices};
use crate::trust::{Declared, EXECUTABLE, Trust};
use crate::{ConfigError, Layer, Sources, env, jsonc, read, schema, toml};
use reasonix_proto::{Level, Phrase};
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// The files of a folder that may hold a project's settings; the first that is there does.
pub const PROJECT_FILES: [&str; 4] =
    ["reasonix.toml", ".reasonix/config.toml", "reasonix.jsonc", ".reasonix/config.jsonc"];

/// The user's settings, checked.
pub(crate) fn user(sources: &Sources, notices: &mut Notices) -> Result<Table, ConfigError> {
    match named(sources) {
        Some(path) => {
            let absent = ConfigError::Read { path: path.clone(), reason: Unreadable::Absent };
            one(&path, Layer::User, notices)?.ok_or(absent)
        }
        None => first(["config.toml", "config.jsonc"].map(|name| sources.home.join(name)), Layer::User, notices),
    }
}

/// The file that the user named in place of their own. Its name is read where they typed it: a folder that a repository chooses has
/// no say in it.
fn named(sources: &Sources) -> Option<PathBuf> {
    let path = sources.flags.config.clone().or_else(|| env::config_path(&sources.env))?;
    Some(std::path::absolute(&path).unwrap_or_else(|_| sources.root.join(path)))
}

/// Where the user's settings stand, or would stand.
pub(crate) fn user_file(sources: &Sources) -> PathBuf {
    let [toml, jsonc] = ["config.toml", "config.jsonc"].map(|name| sources.home.join(name));
    match named(sources) {
        Some(path) => path,
        None if toml.symlink_metadata().is_err() && jsonc.symlink_metadata().is_ok() => jsonc,
        None => toml,
    }
}

/// The project's settings, checked but not guarded yet.
pub(crate) fn project(
    sources: &Sources,
    declared: &mut Vec<Declared>,
    notices: &mut Notices,
) -> Result<Table, ConfigError> {
    let paths = project_paths(&sources.project, &sources.home);
    // What would be executed is known before anything is taken out as unknown.
    declared.extend(stated(&paths)?);
    let mut table = first(paths, Layer::Project, notices)?;
    for plugin in mcp_json(&sources.project.join(".mcp.json"), notices) {
        let name = |node: &Node| node.as_table().and_then(|table| table.get("name")).map(|node| node.value.clone());
        let known = table.get("plugins").and_then(Node::as_list).unwrap_or_default();
        if !known.iter().any(|other| name(other) == name(&plugin)) {
            table.push("plugins", plugin);
        }
    }
    Ok(table)
}

/// Where a project's settings may stand. Started in the folder that holds the user's own, that one is not a project's.
fn project_paths(project: &Path, home: &Path) -> Vec<PathBuf> {
    let own = |path: &PathBuf| {
        let folder = path.parent().and_then(|folder| folder.canonicalize().ok());
        folder.is_none() || folder != home.canonicalize().ok()
    };
    PROJECT_FILES.map(|name| project.join(name)).into_iter().filter(own).collect()
}

fn stated(paths: &[PathBuf]) -> Result<Vec<Declared>, ConfigError> {
    let there = paths.iter().find(|path| path.symlink_metadata().is_ok());
    let Some(table) = there.map(|path| raw(path, Layer::Project)).transpose()?.flatten() else {
        return Ok(Vec::new());
    };
    let found = EXECUTABLE.iter().filter_map(|(key, kind)| Some(Declared::of(key, *kind, table.get(key)?)));
    Ok(found.collect())
}

/// Looks anew for what a project brings of hooks.
pub fn look_for_hooks(trust: &mut Trust) -> Result<(), ConfigError> {
    let declared = stated(&project_paths(trust.root(), trust.home()))?;
    trust.renew_hooks(&declared)
}

/// What the user's own settings say of hooks now; `file` is where they stand.
pub fn user_hooks(file: &Path) -> Result<Option<serde_json::Value>, ConfigError> {
    let table = raw(file, Layer::User)?;
    Ok(table.and_then(|table| table.get("hooks").map(Node::to_json)))
}

/// The first file that is there.
fn first(paths: impl IntoIterator<Item = PathBuf>, layer: Layer, notices: &mut Notices) -> Result<Table, ConfigError> {
    let mut found: Option<(PathBuf, Table)> = None;
    for path in paths {
        match &found {
            None => found = one(&path, layer, notices)?.map(|table| (path, table)),
            Some((read, _)) if path.symlink_metadata().is_ok() => {
                let phrase = Phrase::new("config.two_files").with("read", read.display());
                notices.push((Level::Warning, phrase.with("ignored", path.display())));
            }
            Some(_) => {}
        }
    }
    Ok(found.map(|(_, table)| table).unwrap_or_default())
}

/// A file as it is written.
fn raw(path: &Path, layer: Layer) -> Result<Option<Table>, ConfigError> {
    let Some(text) = read::text(path)? else { return Ok(None) };
    let path = Arc::new(path.to_owned());
    let jsonc = path.extension().is_some_and(|extension| extension == "jsonc" || extension == "json");
    if jsonc { jsonc::parse(&text, layer, &path).map(Some) } else { toml::parse(&text, layer, &path).map(Some) }
}

fn one(path: &Path, layer: Layer, notices: &mut Notices) -> Result<Option<Table>, ConfigError> {
    let Some(table) = raw(path, layer)? else { return Ok(None) };
    let table = shape::normalise(table, notices)?;
    schema::check(table, notices).map(Some)
}

/// The servers of a `.mcp.json`, which other programs write: what cannot be read of it is a notice.
fn mcp_json(path: &Path, notices: &mut Notices) -> Vec<Node> {
    let servers = |notices: &mut Notices| {
        let Some(text) = read::text(path)? else { return Ok(Vec::new()) };
        let mut table = jsonc::parse(&text, Layer::Project, &Arc::new(path.to_owned()))?;
        let Some(node) = table.take("mcpServers") else { return Ok(Vec::new()) };
        let Value::Table(entries) = node.value else { return shape::mcp_servers(node, "mcpServers") };
        // One that cannot be read does not take the others with it.
        let each = entries.into_entries().into_iter().map(|(name, entry)| one_server(name, entry, notices));
        let (read, broken): (Vec<_>, Vec<_>) = each.collect::<Vec<_>>().into_iter().partition(Result::is_ok);
        notices.extend(broken.into_iter().filter_map(Result::err).map(|error| (Level::Warning, error.phrase())));
        Ok(read.into_iter().filter_map(Result::ok).flatten().collect())
    };
    servers(notices).unwrap_or_else(|error: ConfigError| {
        notices.push((Level::Warning, error.phrase()));
        Vec::new()
    })
}

/// One server of a `.mcp.json`, as an entry of `plugins`.
pub(crate) fn one_server(name: String, entry: Node, notices: &mut Notices) -> Result<Vec<Node>, ConfigError> {
    let origin = entry.origin.clone();
    let alone = Node::table(Table::from_iter([(name, entry)]), &origin);
    let list = Node { value: Value::List(shape::mcp_servers(alone, "mcpServers")?), origin };
    let mut checked = schema::check(Table::from_iter([("plugins".to_owned(), list)]), notices)?;
    let plugins = checked.take("plugins").and_then(|node| node.as_list().map(<[Node]>::to_vec));
    Ok(plugins.unwrap_or_default())
}
