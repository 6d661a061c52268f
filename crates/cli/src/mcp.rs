//! `reasonix mcp`: the configured servers, what they have, and the user's own entries. Nothing of a project is started that
//! the user did not trust.

mod login;

use crate::args::{McpArgs, McpCommand};
use crate::context::Context;
use crate::exit::Exit;
use crate::say::{self, Colour, Style, clean, in_line};
use reasonix_config::{Flags, NewServer, server_of};
use reasonix_engine::{ConfiguredServer, ServerAbsence, ServerOrigin, World, clashing_tools, configured_servers};
use reasonix_mcp::{LeftOut, McpError, ServerListing, ServerReach, ServerSpec, Servers, Surroundings};
use reasonix_proto::{Level, Phrase, ServerInfo, ServerStanding};
use reasonix_workspace::Workspace;
use serde_json::{Value, json};
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Instant;

pub(crate) fn mcp(args: McpArgs) -> anyhow::Result<Exit> {
    let context = Context::load(args.dir.as_deref(), Flags::default())?;
    let json = args.json;
    match args.command {
        None | Some(McpCommand::List) => list(&context, json),
        Some(McpCommand::Show { name }) => crate::runtime()?.block_on(show(&context, &name, json)),
        Some(McpCommand::Test { name }) => crate::runtime()?.block_on(test(&context, &name, json)),
        Some(McpCommand::Add { name, url, program, env, header }) => {
            add(&context, &NewServer { name, url, command: program, env, headers: header }, json)
        }
        Some(McpCommand::Remove { name }) => remove(&context, &name, json),
        Some(McpCommand::Login { name, no_browser }) => {
            crate::runtime()?.block_on(login::login(&context, &name, !no_browser, json))
        }
        Some(McpCommand::Logout { name }) => login::logout(&context, &name, json),
        Some(McpCommand::Trust { name, tools }) => readers(&context, &name, &tools, true, json),
        Some(McpCommand::Untrust { name, tools }) => readers(&context, &name, &tools, false, json),
    }
}

/// Every server of the settings, and what they are configured for.
struct Configured {
    servers: Vec<ConfiguredServer>,
    world: World,
    workspace: Workspace,
}

impl Configured {
    /// What a server has that is left out because of another's, as far as that is known.
    fn left_out(&self, server: &ConfiguredServer, now: Option<&ServerListing>) -> Vec<LeftOut> {
        let now = now.map(|listing| (server.name.as_str(), listing));
        let all = clashing_tools((&self.world, &self.workspace), &self.servers, now).into_iter();
        all.filter(|(name, _)| server.reach.is_ok() && *name == server.name).map(|(_, left)| left).collect()
    }
}

/// Every server of the settings; none is started.
fn all(context: &Context) -> anyhow::Result<Configured> {
    let workspace = context.workspace(&[]).map_err(|error| say::failed(error.phrase()))?;
    let settings = context.loaded.settings.clone();
    let trust = settings.trust.clone();
    let world = World::new(settings, context.env.clone(), context.home.clone());
    Ok(Configured { servers: configured_servers(&world, &workspace, &trust), world, workspace })
}

fn named(context: &Context, name: &str) -> anyhow::Result<ConfiguredServer> {
    let found = all(context)?.servers.into_iter().find(|server| server.name == name);
    found.ok_or_else(|| say::usage(McpError::NoServer { server: name.to_owned() }.phrase()))
}

/// How a server is reached; an error where it may not be.
fn reached(server: &ConfiguredServer) -> anyhow::Result<ServerSpec> {
    server
        .reach
        .clone()
        .map_err(|absence| say::Told { phrase: absence.phrase(&server.name), exit: Exit::Refused, cause: None }.into())
}

fn list(context: &Context, json: bool) -> anyhow::Result<Exit> {
    let found = all(context)?;
    let servers = &found.servers;
    if json {
        let all: Vec<Value> = servers.iter().map(|server| about(server, &found.left_out(server, None))).collect();
        say::line(&say::json(&all)?)?;
        return Ok(Exit::Done);
    }
    if servers.is_empty() {
        say::notice(Level::Info, &Phrase::new("mcp.list_none"));
        return Ok(Exit::Done);
    }
    let style = Style::get();
    for server in servers {
        let (code, colour) = match &server.reach {
            Ok(_) if missing(server).is_some() => ("mcp.state_missing", Colour::Red),
            Ok(_) => ("mcp.state_ready", Colour::Green),
            Err(absence) => (state_code(absence.word()), colour_of(absence)),
        };
        let state = style.out(colour, &style.text(&Phrase::new(code)));
        let name = style.out(Colour::Bold, &in_line(&server.name));
        let (_, target) = target(server);
        let rest = format!("{}  {}", target.unwrap_or_default(), server.place);
        say::line(&format!("{name}  {}  {state}  {}", server.origin.word(), in_line(rest.trim_start())))?;
        if let Err(absence) = &server.reach {
            say::line(&style.out(Colour::Dim, &clean(&format!("    {}", style.text(&absence.phrase(&server.name))))))?;
        }
        if let Some(program) = missing(server) {
            let said = style.text(&Phrase::new("mcp.no_program").with("program", program));
            say::line(&style.out(Colour::Dim, &clean(&format!("    {said}"))))?;
        }
        for left in found.left_out(server, None) {
            let what = format!("{}: {}", left.name, left.reason);
            let said = style.text(&Phrase::new("mcp.view_left_out").with("what", what));
            say::line(&style.out(Colour::Dim, &clean(&format!("    {said}"))))?;
        }
    }
    Ok(Exit::Done)
}

/// The program of a server, where there is none to start.
fn missing(server: &ConfiguredServer) -> Option<String> {
    let (ServerReach::Stdio(command) | ServerReach::Boxed { command, .. }) = &server.reach.as_ref().ok()?.reach else {
        return None;
    };
    let program = Path::new(&command.program);
    let runs =
        |path: PathBuf| path.metadata().is_ok_and(|meta| meta.is_file() && meta.permissions().mode() & 0o111 != 0);
    let path = command.environment.vars().find(|(name, _)| *name == "PATH").map(|(_, path)| path.to_owned());
    let there = match program.components().count() {
        0 | 1 => std::env::split_paths(&path.unwrap_or_default()).any(|folder| runs(folder.join(program))),
        _ => runs(command.cwd.join(program)),
    };
    (!there).then(|| program.display().to_string())
}

/// What is wrong stands out from what only waits for a yes.
fn colour_of(absence: &ServerAbsence) -> Colour {
    match absence {
        ServerAbsence::Twin { .. } | ServerAbsence::Refused { .. } => Colour::Red,
        _ => Colour::Yellow,
    }
}

fn state_code(word: &str) -> &'static str {
    match word {
        "off" => "mcp.state_off",
        "changed" => "mcp.state_changed",
        "blocked" => "mcp.state_blocked",
        "unset" => "mcp.state_unset",
        "twin" | "refused" => "mcp.state_refused",
        _ => "mcp.state_untrusted",
    }
}

/// How it is reached, without what could hold a key: arguments, headers and the query of an address.
fn target(server: &ConfiguredServer) -> (Option<&'static str>, Option<String>) {
    let plain = |url: &str| {
        let url = url.split(['?', '#']).next().unwrap_or_default();
        match url.split_once("://") {
            Some((scheme, rest)) => {
                let (host, path) = rest.split_once('/').map_or((rest, None), |(host, path)| (host, Some(path)));
                let host = host.rsplit_once('@').map_or(host, |(_, host)| host);
                path.map_or_else(|| format!("{scheme}://{host}"), |path| format!("{scheme}://{host}/{path}"))
            }
            None => url.to_owned(),
        }
    };
    match server.reach.as_ref().map(|spec| &spec.reach) {
        Ok(ServerReach::Stdio(command) | ServerReach::Boxed { command, .. }) => {
            (Some("stdio"), Some(command.program.to_string_lossy().into_owned()))
        }
        Ok(ServerReach::Http { url, .. }) => (Some("http"), Some(plain(url))),
        Ok(ServerReach::Sse { url }) => (Some("sse"), Some(plain(url))),
        Err(_) => (None, None),
    }
}

fn about(server: &ConfiguredServer, left_out: &[LeftOut]) -> Value {
    let (kind, target) = target(server);
    let ready = if missing(server).is_some() { "missing" } else { "ready" };
    let state = server.reach.as_ref().err().map_or(ready, |absence| absence.word());
    let mut all = json!({
        "name": server.name, "origin": server.origin.word(), "place": server.place, "state": state,
        "trusted_read_only_tools": server.readers,
    });
    if let (Some(kind), Some(target), Some(map)) = (kind, target, all.as_object_mut()) {
        map.insert("type".to_owned(), kind.into());
        map.insert("target".to_owned(), target.into());
    }
    if let (Err(absence), Some(map)) = (&server.reach, all.as_object_mut()) {
        map.insert("why".to_owned(), json!(absence.phrase(&server.name)));
    }
    if let (false, Some(map)) = (left_out.is_empty(), all.as_object_mut()) {
        map.insert("left_out".to_owned(), left_out.iter().map(left).collect());
    }
    all
}

/// A server of a session, as the chat in lines shows it.
pub(crate) fn server_lines(style: Style, server: &ServerInfo) -> Vec<String> {
    let (code, reason) = match &server.standing {
        ServerStanding::Asleep => ("mcp.view_asleep", None),
        ServerStanding::Starting => ("mcp.view_starting", None),
        ServerStanding::Up => ("mcp.view_up", None),
        ServerStanding::Down { reason } => ("mcp.view_down", Some(reason.clone())),
        ServerStanding::Refused { reason } => ("mcp.view_refused", Some(reason.clone())),
    };
    let protocol = server.protocol.clone().unwrap_or_default();
    let first = [server.name.clone(), style.text(&Phrase::new(code)), protocol, server.origin.clone()];
    let first: Vec<String> = first.into_iter().filter(|part| !part.is_empty()).collect();
    let counts = server.counts.as_ref().map(|counts| {
        let phrase = Phrase::new("mcp.view_counts").with("tools", counts.tools).with("sent", counts.sent);
        style.text(&phrase.with("prompts", counts.prompts).with("resources", counts.resources))
    });
    let left = server.left_out.iter().map(|what| style.text(&Phrase::new("mcp.view_left_out").with("what", what)));
    let wrote: Vec<&str> = server.stderr.trim_end().lines().collect();
    let from = wrote.len().saturating_sub(MOST_STDERR);
    let wrote = wrote.get(from..).unwrap_or_default().iter().map(|line| format!("  {line}"));
    let below = counts.into_iter().chain(reason).chain(left).chain(wrote);
    let lines = below.flat_map(|text| text.lines().map(|line| format!("  {line}")).collect::<Vec<_>>());
    std::iter::once(first.join("  ")).chain(lines).map(|line| clean(&line)).collect()
}

/// Lines of what a server wrote to its stderr that are shown.
const MOST_STDERR: usize = 20;

/// Starts one server, reads what it has, and ends it.
async fn listing(context: &Context, spec: ServerSpec) -> Result<Arc<ServerListing>, McpError> {
    let (name, roots) = (spec.name.clone(), vec![context.root().to_owned()]);
    let servers = Servers::new(vec![spec], &Surroundings { roots, ..Surroundings::default() });
    let listing = tokio::select! {
        listing = servers.listing(&name) => listing,
        _ = tokio::signal::ctrl_c() => Err(McpError::Aborted),
    };
    servers.close().await;
    listing
}

async fn show(context: &Context, name: &str, json: bool) -> anyhow::Result<Exit> {
    let server = named(context, name)?;
    let found = listing(context, reached(&server)?).await.map_err(|error| say::failed(error.phrase()))?;
    let left_out = found.left_out.iter().cloned().chain(all(context)?.left_out(&server, Some(&found)));
    let left_out: Vec<LeftOut> = left_out.collect();
    if json {
        say::line(&say::json(&report(&server, &found, &left_out))?)?;
        return Ok(Exit::Done);
    }
    let style = Style::get();
    let whose = found.about.as_ref().map(|(name, version)| format!("{name} {version}")).unwrap_or_default();
    let first = format!("{}  {whose}  {}  {}", server.name, found.protocol, server.place);
    say::line(&style.out(Colour::Bold, &clean(&first)))?;
    for line in found.instructions.iter().flat_map(|words| words.lines()) {
        say::line(&style.out(Colour::Dim, &clean(&format!("  {line}"))))?;
    }
    let tools = found.tools.as_ref().map(|tools| {
        let reads = |own: &str| server.readers.iter().any(|reader| reader == own);
        tools.iter().map(|tool| (mark(&tool.own, reads(&tool.own)), tool.description.clone())).collect()
    });
    section("mcp.section_tools", tools)?;
    let prompts = found.prompts.as_ref();
    section(
        "mcp.section_prompts",
        prompts.map(|all| all.iter().map(|one| (one.own.clone(), one.description.clone())).collect()),
    )?;
    let resources = found.resources.as_ref();
    section(
        "mcp.section_resources",
        resources.map(|all| all.iter().map(|one| (one.uri.clone(), one.name.clone())).collect()),
    )?;
    if !left_out.is_empty() {
        let all = left_out.into_iter().map(|one| (one.name, one.reason)).collect();
        section("mcp.section_left_out", Some(all))?;
    }
    Ok(Exit::Done)
}

/// A tool that the user trusts to only read has a mark.
fn mark(own: &str, reads: bool) -> String {
    if reads { format!("{own} *") } else { own.to_owned() }
}

/// The entries of a section, each with the first line of what it is.
fn section(code: &'static str, entries: Option<Vec<(String, String)>>) -> anyhow::Result<()> {
    let style = Style::get();
    let title = style.text(&Phrase::new(code));
    let Some(entries) = entries else {
        let none = style.text(&Phrase::new("mcp.section_none"));
        say::line(&format!("{title}{}{none}", style.colon()))?;
        return Ok(());
    };
    say::line(&format!("{title}{}{}", style.colon(), entries.len()))?;
    for (name, words) in entries {
        let words: String = words.lines().next().unwrap_or_default().chars().take(100).collect();
        say::line(&format!("  {}  {}", style.out(Colour::Bold, &clean(&name)), clean(&words)))?;
    }
    Ok(())
}

fn left(one: &LeftOut) -> Value {
    json!({"name": one.name, "reason": one.reason})
}

/// The inspection report: each section says whether there is such a thing.
fn report(server: &ConfiguredServer, found: &ServerListing, left_out: &[LeftOut]) -> Value {
    let section = |items: Option<Vec<Value>>| match items {
        Some(items) => json!({"supported": true, "items": items}),
        None => json!({"supported": false, "reason": "the server does not offer it"}),
    };
    let tools = found.tools.as_ref().map(|all| {
        let tool = |tool: &reasonix_mcp::ListedTool| {
            json!({
                "name": tool.own, "called": tool.name.as_str(), "title": tool.title, "description": tool.description,
                "inputSchema": tool.schema, "annotations": tool.hints, "digest": tool.digest,
                "trusted_reader": server.readers.contains(&tool.own),
            })
        };
        all.iter().map(tool).collect()
    });
    let prompts = found.prompts.as_ref().map(|all| {
        let argument = |argument: &reasonix_mcp::ListedArgument| {
            json!({"name": argument.name, "description": argument.description, "required": argument.required})
        };
        let prompt = |prompt: &reasonix_mcp::ListedPrompt| {
            let arguments: Vec<Value> = prompt.arguments.iter().map(argument).collect();
            json!({"name": prompt.own, "called": format!("/{}", prompt.name.as_str()), "description": prompt.description, "arguments": arguments})
        };
        all.iter().map(prompt).collect()
    });
    let resources = found.resources.as_ref().map(|all| {
        let resource = |one: &reasonix_mcp::ListedResource| {
            json!({"uri": one.uri, "name": one.name, "description": one.description, "mimeType": one.media, "template": one.template})
        };
        all.iter().map(resource).collect()
    });
    let left: Vec<Value> = left_out.iter().map(left).collect();
    json!({
        "name": server.name, "origin": server.origin.word(), "place": server.place,
        "protocolVersion": found.protocol,
        "server": found.about.as_ref().map(|(name, version)| json!({"name": name, "version": version})),
        "instructions": found.instructions, "capabilities": found.capabilities,
        "tools": section(tools), "resources": section(resources), "prompts": section(prompts), "left_out": left,
    })
}

async fn test(context: &Context, name: &str, json: bool) -> anyhow::Result<Exit> {
    let server = named(context, name)?;
    let (spec, begun) = (reached(&server)?, Instant::now());
    let found = listing(context, spec).await;
    let millis = begun.elapsed().as_millis();
    let count = |all: Option<usize>| all.unwrap_or(0);
    if json {
        let told = match &found {
            Ok(found) => json!({
                "name": name, "works": true, "millis": millis, "protocolVersion": found.protocol,
                "tools": count(found.tools.as_ref().map(Vec::len)),
                "prompts": count(found.prompts.as_ref().map(Vec::len)),
                "resources": count(found.resources.as_ref().map(Vec::len)),
            }),
            Err(error) => json!({"name": name, "works": false, "millis": millis, "reason": error.to_string()}),
        };
        say::line(&say::json(&told)?)?;
        return Ok(if found.is_ok() { Exit::Done } else { Exit::Failed });
    }
    let found = found.map_err(|error| say::failed(error.phrase()))?;
    let phrase = Phrase::new("mcp.works")
        .with("server", name)
        .with("tools", count(found.tools.as_ref().map(Vec::len)))
        .with("prompts", count(found.prompts.as_ref().map(Vec::len)))
        .with("resources", count(found.resources.as_ref().map(Vec::len)))
        .with("protocol", &found.protocol)
        .with("millis", millis);
    say::line(&clean(&Style::get().text(&phrase)))?;
    Ok(Exit::Done)
}

/// The file that the user's own settings stand in.
fn own_file(context: &Context) -> anyhow::Result<PathBuf> {
    context.loaded.settings.user_file.clone().map_or_else(Context::settings_file, Ok)
}

fn told(phrase: &Phrase, json: bool, value: &Value) -> anyhow::Result<Exit> {
    if json {
        say::line(&say::json(value)?)?;
    } else {
        say::notice(Level::Info, phrase);
    }
    Ok(Exit::Done)
}

fn add(context: &Context, server: &NewServer, json: bool) -> anyhow::Result<Exit> {
    let plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '-');
    if !server.name.starts_with(|c: char| c.is_ascii_alphabetic()) || !server.name.chars().all(plain) {
        return Err(say::usage(Phrase::new("mcp.bad_name").with("server", &server.name)));
    }
    if let Some(url) = server.url.as_ref().filter(|url| !url.contains("${") && !is_address(url)) {
        return Err(say::usage(Phrase::new("mcp.bad_address").with("url", url)));
    }
    let file = own_file(context)?;
    reasonix_config::add_server(&file, server).map_err(|error| say::usage(error.phrase()))?;
    let phrase = Phrase::new("mcp.added").with("server", &server.name).with("file", file.display());
    told(&phrase, json, &json!({"added": server.name, "file": file}))
}

/// Whether a text is what a server can be reached at.
fn is_address(text: &str) -> bool {
    server_of(text).is_some_and(|spec| spec.name.is_none() && spec.reach.is_ok())
}

fn remove(context: &Context, name: &str, json: bool) -> anyhow::Result<Exit> {
    let file = own_file(context)?;
    let about = |code| Phrase::new(code).with("server", name).with("file", file.display());
    if !reasonix_config::remove_server(&file, name).map_err(|error| say::usage(error.phrase()))? {
        return Err(say::usage(about("mcp.not_yours")));
    }
    told(&about("mcp.removed"), json, &json!({"removed": name, "file": file}))
}

fn readers(context: &Context, name: &str, tools: &[String], on: bool, json: bool) -> anyhow::Result<Exit> {
    let server = named(context, name)?;
    let file = own_file(context)?;
    for tool in tools {
        reasonix_config::set_reader(&file, context.root(), (name, tool), on)
            .map_err(|error| say::usage(error.phrase()))?;
        let code = if on { "mcp.reader_is" } else { "mcp.reader_not" };
        let phrase = Phrase::new(code).with("server", name).with("tool", tool);
        let project = server.origin == ServerOrigin::Project;
        told(&phrase, json, &json!({"server": name, "tool": tool, "reader": on, "only_here": project}))?;
    }
    Ok(Exit::Done)
}
