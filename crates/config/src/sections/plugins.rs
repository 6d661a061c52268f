//! `[[plugins]]`: MCP servers. Their texts stay as they were written until somebody may expand them.

use crate::expand::{Unset, expand};
use crate::node::{Node, Table, Value};
use crate::shape::Notices;
use crate::view::{Context, View};
use crate::{ConfigError, Layer, Secret};
use reasonix_proto::Level;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// Seconds until a server has to have said who it is.
const START: u64 = 30;

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
    /// Seconds it may take until it has said who it is.
    pub start_timeout_seconds: u64,
    /// Tools that the user trusts to be readers. Never from a project.
    pub trusted_read_only_tools: Vec<String>,
    /// What its program wants of the box.
    pub sandbox: PluginBox,
    /// How a login to it is made.
    pub oauth: PluginLogin,
    /// The layer it came from; nothing of a project's runs before trust.
    pub layer: Layer,
    /// The file and the line, or the flag.
    pub place: String,
    /// The folder of the bundle that it came with; it starts there.
    pub bundle: Option<PathBuf>,
}

/// What a server's program wants of the box. Paths are as they were written.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct PluginBox {
    /// Whether it may reach the network; none for what is usual for who configured it.
    pub network: Option<bool>,
    /// What it sees of the home folder.
    pub read: Vec<String>,
    /// What it may write beside the workspace.
    pub write: Vec<String>,
}

/// How a login to a server is made.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct PluginLogin {
    /// Who we are there.
    pub client_id: Option<String>,
    /// The secret to it.
    pub client_secret: Option<Secret>,
    /// A document that says who we are.
    pub client_metadata_url: Option<String>,
    /// What is asked for; empty for what the server says.
    pub scopes: Vec<String>,
    /// Where the login comes back to; none for any port.
    pub callback_port: Option<u16>,
}

/// A server, its settings as they were written, and their file.
pub(crate) type Declared = (Plugin, serde_json::Value, String);

/// The project's servers with what their settings say, in the order they were written. One of a `.mcp.json`, which other
/// programs write, that lacks something is left out and named.
pub(crate) fn of_project(
    table: &Table,
    context: &Context<'_>,
    notices: &mut Notices,
) -> Result<Vec<Declared>, ConfigError> {
    let nodes = View::root(table, context).items("plugins").filter(|node| node.origin.layer == Layer::Project);
    let mut all = Vec::new();
    for node in nodes {
        let place = node.origin.path();
        match one(node, context) {
            Ok(plugin) => all.push((plugin, node.to_json(), place.display().to_string())),
            Err(error) if place.ends_with(".mcp.json") => notices.push((Level::Warning, error.phrase())),
            Err(error) => return Err(error),
        }
    }
    Ok(all)
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

pub(crate) fn one(node: &Node, context: &Context<'_>) -> Result<Plugin, ConfigError> {
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
        start_timeout_seconds: view.count("start_timeout_seconds").unwrap_or(START),
        trusted_read_only_tools: view.texts("trusted_read_only_tools"),
        sandbox: boxed(&view.section("sandbox")),
        oauth: login(&view.section("oauth")),
        layer: node.origin.layer,
        place: node.origin.place(),
        bundle: None,
        name,
    })
}

fn boxed(view: &View<'_>) -> PluginBox {
    PluginBox { network: view.bool("network"), read: view.texts("read"), write: view.texts("write") }
}

fn login(view: &View<'_>) -> PluginLogin {
    let text = |key| view.text(key).filter(|text| !text.is_empty());
    PluginLogin {
        client_id: text("client_id"),
        client_secret: text("client_secret").map(Secret::new),
        client_metadata_url: text("client_metadata_url"),
        scopes: view.texts("scopes"),
        callback_port: view.count("callback_port").and_then(|port| u16::try_from(port).ok()).filter(|port| *port > 0),
    }
}

/// What is trusted to be a reader in exactly this workspace root, as `server.tool`.
pub(crate) fn readers(root: &View<'_>, project: &Path) -> Vec<String> {
    let here = project.canonicalize().unwrap_or_else(|_| project.to_owned());
    let workspaces = root.section("workspaces");
    let own = root.entries("workspaces").filter(|(path, _)| Path::new(path) == here);
    own.flat_map(|(path, _)| workspaces.section(path).texts("trusted_read_only_tools")).collect()
}

/// Takes servers out of a layer that a later one says anew: a server of the command line is whole by itself.
pub(crate) fn replace(table: &mut Table, over: &Table) {
    let name =
        |node: &Node| node.as_table().and_then(|table| table.get("name")).and_then(Node::as_text).map(str::to_owned);
    let said: Vec<_> = over.get("plugins").and_then(Node::as_list).unwrap_or_default().iter().map(name).collect();
    if let Some(Value::List(list)) = table.get_mut("plugins").map(|node| &mut node.value) {
        list.retain(|node| !said.contains(&name(node)));
    }
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
            sandbox: PluginBox {
                network: self.sandbox.network,
                read: self.sandbox.read.iter().map(text).collect::<Result<_, _>>()?,
                write: self.sandbox.write.iter().map(text).collect::<Result<_, _>>()?,
            },
            oauth: PluginLogin {
                client_id: self.oauth.client_id.as_ref().map(text).transpose()?,
                client_secret: match &self.oauth.client_secret {
                    Some(secret) => Some(Secret::new(expand(secret.expose(), lookup)?)),
                    None => None,
                },
                ..self.oauth.clone()
            },
            ..self.clone()
        })
    }
}
