//! `[[plugins]]`: MCP servers. Their texts stay as they were written until somebody may expand them.

use crate::expand::{Unset, expand};
use crate::node::{Node, Table};
use crate::view::{Context, View};
use crate::{ConfigError, Layer, Secret};
use std::collections::BTreeMap;

/// How an MCP server is reached.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Transport {
    /// A child process.
    #[default]
    Stdio,
    /// Streamable HTTP.
    Http,
    /// The older HTTP with server-sent events.
    Sse,
}

/// An MCP server. Its texts are not expanded yet, since a project's may only be after the user trusts it.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Plugin {
    /// Its name.
    pub name: String,
    /// How it is reached.
    pub transport: Transport,
    /// False when it is switched off.
    pub enabled: bool,
    /// The program.
    pub command: Option<String>,
    /// Its arguments.
    pub args: Vec<String>,
    /// Its environment.
    pub env: Vec<(String, Secret)>,
    /// Its address.
    pub url: Option<String>,
    /// Headers for every request.
    pub headers: Vec<(String, Secret)>,
    /// Seconds a call may take; 0 for the general limit.
    pub call_timeout_seconds: u64,
    /// The same for single tools.
    pub tool_timeout_seconds: BTreeMap<String, u64>,
    /// Tools that the user trusts to be readers. Never from a project.
    pub trusted_read_only_tools: Vec<String>,
    /// The layer it came from; nothing of a project's runs before trust.
    pub layer: Layer,
}

/// A server, its settings as they were written, and their file.
pub(crate) type Declared = (Plugin, serde_json::Value, String);

/// The project's servers with what their settings say, in the order they were written.
pub(crate) fn of_project(table: &Table, context: &Context<'_>) -> Result<Vec<Declared>, ConfigError> {
    let nodes = View::root(table, context).items("plugins").filter(|node| node.origin.layer == Layer::Project);
    let place = |node: &Node| node.origin.path().display().to_string();
    nodes.map(|node| Ok((one(node, context)?, node.to_json(), place(node)))).collect()
}

/// The user's servers, in the order they were written.
pub(crate) fn resolve(table: &Table, context: &Context<'_>) -> Result<Vec<Plugin>, ConfigError> {
    let mut plugins: Vec<Plugin> = Vec::new();
    let theirs = |node: &&Node| node.origin.layer != Layer::Project;
    for node in View::root(table, context).items("plugins").filter(theirs) {
        let plugin = one(node, context)?;
        if plugins.iter().any(|other| other.name == plugin.name) {
            let key = format!("plugins.{}", plugin.name);
            return Err(ConfigError::Twice { origin: node.origin.clone(), key });
        }
        plugins.push(plugin);
    }
    Ok(plugins)
}

fn one(node: &Node, context: &Context<'_>) -> Result<Plugin, ConfigError> {
    let missing = |key: String| ConfigError::Missing { origin: node.origin.clone(), key };
    let view = View::of(node.as_table(), context, "plugins");
    let name = view.text("name").filter(|name| !name.is_empty());
    let name = name.ok_or_else(|| missing("plugins.name".to_owned()))?;
    let transport = match view.text("type").as_deref() {
        Some("http" | "streamable-http") => Transport::Http,
        Some("sse") => Transport::Sse,
        _ => Transport::Stdio,
    };
    let (command, url) = (view.text("command"), view.text("url"));
    match transport {
        Transport::Stdio if command.is_none() => return Err(missing(format!("plugins.{name}.command"))),
        Transport::Http | Transport::Sse if url.is_none() => return Err(missing(format!("plugins.{name}.url"))),
        _ => {}
    }
    let secrets = |key| {
        let text = |node: &Node| Secret::new(node.as_text().unwrap_or_default());
        view.entries(key).map(|(name, node)| (name.to_owned(), text(node))).collect()
    };
    Ok(Plugin {
        transport,
        enabled: view.bool("enabled").unwrap_or(true),
        command,
        args: view.texts("args"),
        env: secrets("env"),
        url,
        headers: secrets("headers"),
        call_timeout_seconds: view.count("call_timeout_seconds").unwrap_or(0),
        tool_timeout_seconds: view
            .entries("tool_timeout_seconds")
            .filter_map(|(tool, node)| Some((tool.to_owned(), node.as_count()?)))
            .collect(),
        trusted_read_only_tools: view.texts("trusted_read_only_tools"),
        layer: node.origin.layer,
        name,
    })
}

impl Plugin {
    /// The same server with `${NAME}` and `${NAME:-default}` put in. Only for a server that the user trusts: what it
    /// is given leaves this process.
    pub fn expanded(&self, lookup: &dyn Fn(&str) -> Option<String>) -> Result<Self, Unset> {
        let text = |text: &String| expand(text, lookup);
        let secrets = |pairs: &[(String, Secret)]| {
            let put_in =
                |(name, value): &(String, Secret)| Ok((name.clone(), Secret::new(expand(value.expose(), lookup)?)));
            pairs.iter().map(put_in).collect::<Result<Vec<_>, Unset>>()
        };
        Ok(Self {
            command: self.command.as_ref().map(text).transpose()?,
            args: self.args.iter().map(text).collect::<Result<_, _>>()?,
            url: self.url.as_ref().map(text).transpose()?,
            env: secrets(&self.env)?,
            headers: secrets(&self.headers)?,
            ..self.clone()
        })
    }
}
