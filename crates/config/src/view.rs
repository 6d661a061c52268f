//! Reading typed values out of a checked tree. A value that is not there is `None`; a wrong type cannot be here any more.

use crate::expand::expand;
use crate::node::{Node, Table};
use crate::{ConfigError, Layer, Secret, SettingOrigin};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// What resolving may look at beside the tree.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Context<'a> {
    /// The environment of the process.
    pub(crate) env: &'a BTreeMap<String, String>,
    /// The variables of the user's `.env`.
    pub(crate) saved: &'a BTreeMap<String, String>,
    /// The working folder.
    pub(crate) project: &'a Path,
}

/// A section of the tree.
#[derive(Clone, Copy)]
pub(crate) struct View<'a> {
    table: Option<&'a Table>,
    context: &'a Context<'a>,
    name: &'a str,
}

impl<'a> View<'a> {
    /// The whole tree.
    pub(crate) fn root(table: &'a Table, context: &'a Context<'a>) -> Self {
        Self { table: Some(table), context, name: "" }
    }

    /// A table with a name for messages.
    pub(crate) fn of(table: Option<&'a Table>, context: &'a Context<'a>, name: &'a str) -> Self {
        Self { table, context, name }
    }

    pub(crate) fn section(&self, name: &'a str) -> Self {
        Self { table: self.node(name).and_then(Node::as_table), context: self.context, name }
    }

    pub(crate) fn node(&self, key: &str) -> Option<&'a Node> {
        self.table?.get(key)
    }

    pub(crate) fn text(&self, key: &str) -> Option<String> {
        self.node(key)?.as_text().map(str::to_owned)
    }

    /// The user's home folder.
    pub(crate) fn home(&self) -> Option<&'a str> {
        self.context.env.get("HOME").map(String::as_str).filter(|home| !home.is_empty())
    }

    pub(crate) fn bool(&self, key: &str) -> Option<bool> {
        self.node(key)?.as_bool()
    }

    pub(crate) fn count(&self, key: &str) -> Option<u64> {
        self.node(key)?.as_count()
    }

    /// A count that fits a limit of steps; more is as good as the most.
    pub(crate) fn steps(&self, key: &str) -> Option<u32> {
        self.count(key).map(|count| u32::try_from(count).unwrap_or(u32::MAX))
    }

    pub(crate) fn number(&self, key: &str) -> Option<f64> {
        self.node(key)?.as_number()
    }

    pub(crate) fn texts(&self, key: &str) -> Vec<String> {
        self.items(key).filter_map(|node| node.as_text().map(str::to_owned)).collect()
    }

    /// The entries of a list.
    pub(crate) fn items(&self, key: &str) -> impl Iterator<Item = &'a Node> + use<'a> {
        self.node(key).and_then(Node::as_list).unwrap_or_default().iter()
    }

    /// The entries of a table.
    pub(crate) fn entries(&self, key: &str) -> impl Iterator<Item = (&'a str, &'a Node)> + use<'a> {
        self.node(key).and_then(Node::as_table).into_iter().flat_map(Table::iter)
    }

    /// A text with its variables put in.
    pub(crate) fn expanded(&self, key: &str) -> Result<Option<String>, ConfigError> {
        self.node(key).map(|node| self.put_in(key, node)).transpose()
    }

    /// Texts by name with their variables put in.
    pub(crate) fn secrets(&self, key: &str) -> Result<Vec<(String, Secret)>, ConfigError> {
        self.entries(key).map(|(name, node)| Ok((name.to_owned(), Secret::new(self.put_in(key, node)?)))).collect()
    }

    /// A path; a relative one starts at the folder of its file.
    pub(crate) fn path(&self, key: &str) -> Result<Option<PathBuf>, ConfigError> {
        self.node(key).map(|node| self.resolve_path(key, node, self.folder(&node.origin))).transpose()
    }

    /// Paths; relative ones start at the folder of their file.
    pub(crate) fn paths(&self, key: &str) -> Result<Vec<PathBuf>, ConfigError> {
        self.items(key).map(|node| self.resolve_path(key, node, self.folder(&node.origin))).collect()
    }

    /// Paths; relative ones start at the working folder.
    pub(crate) fn workspace_paths(&self, key: &str) -> Result<Vec<PathBuf>, ConfigError> {
        self.items(key).map(|node| self.resolve_path(key, node, self.context.project)).collect()
    }

    /// A path; a relative one starts at the working folder.
    pub(crate) fn workspace_path(&self, key: &str) -> Result<Option<PathBuf>, ConfigError> {
        self.node(key)
            .filter(|node| node.as_text() != Some(""))
            .map(|node| self.resolve_path(key, node, self.context.project))
            .transpose()
    }

    fn folder(&self, origin: &'a SettingOrigin) -> &'a Path {
        let parent = origin.path().parent().filter(|_| origin.line > 0);
        parent.unwrap_or(self.context.project)
    }

    fn resolve_path(&self, key: &str, node: &Node, base: &Path) -> Result<PathBuf, ConfigError> {
        let text = self.put_in(key, node)?;
        let home = self.context.env.get("HOME").filter(|home| !home.is_empty());
        let rest = text.strip_prefix("~/").or_else(|| (text == "~").then_some(""));
        match (rest, home) {
            (Some(rest), Some(home)) => Ok(Path::new(home).join(rest)),
            (Some(_), None) => Err(self.unset(key, node, "HOME")),
            (None, _) => Ok(base.join(text)),
        }
    }

    fn put_in(&self, key: &str, node: &Node) -> Result<String, ConfigError> {
        let text = node.as_text().unwrap_or_default();
        let lookup = |name: &str| {
            let saved = || self.context.saved.get(name).filter(|_| node.origin.layer != Layer::Project);
            self.context.env.get(name).or_else(saved).cloned()
        };
        expand(text, &lookup).map_err(|unset| self.unset(key, node, &unset.0))
    }

    fn unset(&self, key: &str, node: &Node, variable: &str) -> ConfigError {
        ConfigError::Variable {
            origin: node.origin.clone(),
            key: if self.name.is_empty() { key.to_owned() } else { format!("{}.{key}", self.name) },
            variable: variable.to_owned(),
        }
    }
}
