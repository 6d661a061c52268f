//! From the settings to servers that can be reached: whose word each one is, whether it may be used, what it may take, and
//! the box that its program runs in. Nothing is started here, and no box is made before a server is.

use crate::closed::Closed;
use crate::configured::{ConfiguredServer, ServerAbsence, ServerOrigin};
use crate::unusable::leave_out;
use reasonix_config::{Layer, Plugin, Settings, Standing, Transport, Trust, bundle_servers};
use reasonix_exec::{BoxOptions, Caches, Command, Confinement, Environment};
use reasonix_mcp::{ServerLimits, ServerLogin, ServerReach, ServerSpec};
use reasonix_proto::Phrase;
use reasonix_workspace::Workspace;
use reasonix_world::World;
use reasonix_world::confine::{bounds, box_options, least_level, prepared};
use reasonix_world::network::net_options;
use std::collections::BTreeMap;
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::sync::{Arc, OnceLock};
use std::time::Duration;

/// The variable that tells a server the project's folder, as other agents name it.
const PROJECT_FOLDER: &str = "CLAUDE_PROJECT_DIR";
/// The one that tells it the folder of the bundle that it came with.
const BUNDLE_FOLDER: &str = "CLAUDE_PLUGIN_ROOT";

/// Every server of the settings: the user's in their order, those of the bundles that the user took in, then the project's. A project's is reached only where `trust`
/// has the user's yes to it as it is now; one that bears the name of a user's is none. What could be taken for another one, or
/// can never be reached as it is, is there and not used.
pub fn configured_servers(world: &World, workspace: &Workspace, trust: &Trust) -> Vec<ConfiguredServer> {
    let home = world.env.get("HOME").map(PathBuf::from);
    let closed = Closed::new(&world.home, home.as_deref());
    let mut boxes = Boxes { world, workspace, home, closed, made: BTreeMap::new() };
    let mut all: Vec<ConfiguredServer> = Vec::new();
    for plugin in world.settings.plugins.iter().cloned().chain(carried(world).0) {
        let expanded = plugin.expanded(&|name| match name {
            PROJECT_FOLDER => Some(workspace.root().display().to_string()),
            BUNDLE_FOLDER if plugin.bundle.is_some() => plugin.bundle.as_ref().map(|path| path.display().to_string()),
            // The keys of endpoints are for those alone; what a bundle brings does not get them by naming them.
            name if plugin.bundle.is_some() && world.settings.closes(name) => None,
            name => world.env.get(name).cloned(),
        });
        let expanded = expanded.map_err(|unset| ServerAbsence::Unset { variable: unset.0 });
        all.push(boxes.server(&plugin, expanded));
    }
    for theirs in trust.plugins() {
        let surface = theirs.surface();
        if all.iter().any(|other| other.name == surface.name) {
            continue;
        }
        let absent = |reach| ConfiguredServer {
            name: surface.name.clone(),
            origin: ServerOrigin::Project,
            place: surface.place.clone(),
            readers: Vec::new(),
            reach: Err(reach),
            surface: None,
        };
        let permit = match trust.of(surface) {
            Standing::Trusted(permit) => permit,
            Standing::Changed { .. } => {
                all.push(absent(ServerAbsence::Changed));
                continue;
            }
            Standing::Unknown => {
                all.push(absent(ServerAbsence::Untrusted));
                continue;
            }
            Standing::Refused { reason } => {
                all.push(absent(ServerAbsence::Blocked { reason }));
                continue;
            }
        };
        let (Some(plugin), Some(expanded)) = (theirs.open(&permit), trust.plugin(theirs, &permit)) else { continue };
        let expanded = expanded.map_err(|unset| ServerAbsence::Unset { variable: unset.0 });
        all.push(ConfiguredServer { surface: Some(surface.clone()), ..boxes.server(plugin, expanded) });
    }
    leave_out(&mut all);
    all
}

/// The servers that bundles carry, and what is wrong with some.
pub fn carried(world: &World) -> (Vec<Plugin>, Vec<Phrase>) {
    let each = world.bundles().bundles.iter();
    let each = each.map(|bundle| bundle_servers(&bundle.name, &bundle.root, &bundle.servers));
    each.fold((Vec::new(), Vec::new()), |(mut servers, mut notices), (more, wrong)| {
        servers.extend(more);
        notices.extend(wrong);
        (servers, notices)
    })
}

/// What tells one box from another.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
struct Wishes {
    project: bool,
    network: bool,
    opened: Vec<PathBuf>,
    writable: Vec<PathBuf>,
}

/// The boxes of servers; those that want the same share one.
struct Boxes<'a> {
    world: &'a World,
    workspace: &'a Workspace,
    /// The user's.
    home: Option<PathBuf>,
    closed: Closed,
    made: BTreeMap<Wishes, Arc<OnceLock<Confinement>>>,
}

impl Boxes<'_> {
    fn server(&mut self, plugin: &Plugin, expanded: Result<Plugin, ServerAbsence>) -> ConfiguredServer {
        let reach = if plugin.enabled { expanded.map(|plugin| self.spec(&plugin)) } else { Err(ServerAbsence::Off) };
        let project = plugin.layer == Layer::Project;
        let here = self.world.settings.project_readers.iter().filter(|_| project);
        let here = here.filter_map(|reader| reader.strip_prefix(&plugin.name)?.strip_prefix('.').map(str::to_owned));
        ConfiguredServer {
            name: plugin.name.clone(),
            origin: if project { ServerOrigin::Project } else { ServerOrigin::User },
            place: plugin.place.clone(),
            readers: plugin.trusted_read_only_tools.iter().cloned().chain(here).collect(),
            reach,
            surface: None,
        }
    }

    fn spec(&mut self, plugin: &Plugin) -> ServerSpec {
        let url = plugin.url.clone().unwrap_or_default();
        let headers = plugin.headers.iter().map(|(name, value)| (name.clone(), value.expose().to_owned()));
        let reach = match plugin.transport {
            Transport::Http => {
                let net = Box::new(net_options(&self.world.settings));
                ServerReach::Http { url, headers: headers.collect(), net }
            }
            Transport::Sse => ServerReach::Sse { url },
            Transport::Stdio => self.program(plugin),
        };
        let limits = limits(plugin, &self.world.settings);
        let web = plugin.transport == Transport::Http;
        let login = web.then(|| Arc::new(login(plugin, &self.world.home)));
        ServerSpec { limits, login, ..ServerSpec::new(&plugin.name, reach) }
    }

    fn program(&mut self, plugin: &Plugin) -> ServerReach {
        let wishes = self.wishes(plugin);
        let named = plugin.command.clone().unwrap_or_default();
        let (from, cwd) = self.folders(plugin);
        let program: OsString = if named.contains('/') { from.join(named).into() } else { named.into() };
        let command = Command::program(program, &plugin.args, cwd)
            .with_environment(self.environment(plugin, wishes.network))
            .with_bounds(bounds(&self.world.settings.sandbox.limits));
        let Some(least) = least_level(&self.world.settings) else { return ServerReach::Stdio(Box::new(command)) };
        let options = self.options(&wishes);
        let made = Arc::clone(self.made.entry(wishes).or_default());
        let confine = move || made.get_or_init(|| prepared(options.clone(), least)).clone();
        ServerReach::Boxed { command: Box::new(command), confine: Arc::new(confine) }
    }

    /// From where a path to the program is meant, and the folder that it is started in. The user's own are the same in every
    /// folder: started in one that somebody else wrote, `npx` and `python -m` would take settings and modules from there.
    /// What the command line says is said of this folder. A project's start where their files were looked at for the yes: in a
    /// folder below, the same names could be other files.
    fn folders<'a>(&'a self, plugin: &'a Plugin) -> (&'a Path, &'a Path) {
        let project = self.project(plugin);
        match (&plugin.bundle, plugin.layer) {
            (Some(folder), _) => (folder, folder),
            (None, Layer::Project | Layer::Flag) => (project, project),
            _ => (&self.world.home, Path::new("/")),
        }
    }

    /// The project's folder, for a server of the project; for any other the folder that the session works in.
    fn project(&self, plugin: &Plugin) -> &Path {
        let root = self.world.settings.trust.root();
        let known = plugin.layer == Layer::Project && !root.as_os_str().is_empty();
        if known { root } else { self.workspace.root() }
    }

    /// What a server has of the box beside the workspace: the network where the user configured it, and only by a wish that
    /// the user saw where a project did.
    fn wishes(&self, plugin: &Plugin) -> Wishes {
        let project = plugin.layer == Layer::Project;
        let place = |text: &String| placed(text, self.workspace.root(), self.home.as_deref());
        let place = |texts: &[String]| -> Vec<PathBuf> {
            texts.iter().map(place).filter(|path| !self.closed.holds(path)).collect()
        };
        Wishes {
            project,
            network: plugin.sandbox.network.unwrap_or(!project),
            opened: place(&plugin.sandbox.read),
            writable: place(&plugin.sandbox.write),
        }
    }

    fn options(&self, wishes: &Wishes) -> BoxOptions {
        let mut options = box_options(&self.world.settings, self.workspace, &self.world.home);
        options.network = wishes.network;
        options.opened.extend(wishes.opened.iter().cloned());
        options.writable.extend(wishes.writable.iter().cloned());
        // Commands have the lock on the workspace's layer of the caches. What servers of the user fetched is good in every
        // workspace; what those of a project fetched, only in that one, and for who wants the same.
        if let Caches::Project(folder) = &options.caches {
            let whose = if wishes.project { format!("{}", folder.display()) } else { String::new() };
            let name = blake3::hash(format!("{whose}\n{wishes:?}").as_bytes()).to_hex();
            let name: String = name.as_str().chars().take(16).collect();
            options.caches = Caches::Project(self.world.home.join("state").join("caches").join(format!("mcp-{name}")));
        }
        options
    }

    fn environment(&self, plugin: &Plugin, network: bool) -> Environment {
        let settings = &self.world.settings;
        let keys: Vec<&str> = settings.providers.iter().flat_map(reasonix_config::Provider::key_variables).collect();
        let open = Environment::inherited(&settings.sandbox.env).without(&keys);
        let open = if network { open.with_proxies() } else { open };
        let open = open.with(PROJECT_FOLDER, self.project(plugin));
        let open = plugin.bundle.iter().fold(open, |open, folder| {
            // What Python leaves beside a module would make the bundle another one than was taken in.
            open.with(BUNDLE_FOLDER, folder).with("PYTHONDONTWRITEBYTECODE", "1")
        });
        plugin.env.iter().fold(open, |open, (name, value)| open.with(name, value.expose()))
    }
}

/// How a login to it is made. Tokens lie in our own folder, which is closed to commands and servers.
fn login(plugin: &Plugin, home: &Path) -> ServerLogin {
    let told = &plugin.oauth;
    ServerLogin {
        folder: home.join("state").join("mcp"),
        client_id: told.client_id.clone(),
        client_secret: told
            .client_secret
            .as_ref()
            .map(|secret| secret.expose().to_owned())
            .filter(|text| !text.is_empty()),
        client_metadata_url: told.client_metadata_url.clone(),
        scopes: told.scopes.clone(),
        callback_port: told.callback_port,
    }
}

/// A path as it is meant: `~` is the home folder, and what is relative begins at the project's.
fn placed(text: &str, root: &Path, home: Option<&Path>) -> PathBuf {
    let rest = text.strip_prefix("~/").or_else(|| (text == "~").then_some(""));
    match (rest, home) {
        (Some(rest), Some(home)) => home.join(rest),
        _ => root.join(text),
    }
}

/// What a server may take in time; the rest is as usual.
fn limits(plugin: &Plugin, settings: &Settings) -> ServerLimits {
    let seconds = |count: u64| (count > 0).then(|| Duration::from_secs(count));
    let general = seconds(settings.tools.mcp_call_timeout_seconds);
    let usual = ServerLimits::default();
    ServerLimits {
        handshake: seconds(plugin.start_timeout_seconds).unwrap_or(usual.handshake),
        call: seconds(plugin.call_timeout_seconds).or(general),
        tools: plugin
            .tool_timeout_seconds
            .iter()
            .filter_map(|(tool, count)| Some((tool.clone(), seconds(*count)?)))
            .collect(),
        ..usual
    }
}
