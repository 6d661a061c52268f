//! The two tools that reach what is not told: `find_tool` looks for tools of servers and on the shelf by words, `use_tool`
//! calls one. A call of the second is a call of the tool that it names, before the gate and in the log.

use super::Fleet;
use super::bm25::ranked;
use super::offer::known;
use super::resource::ReadsResource;
use super::tool::ServerTool;
use reasonix_agent::{Args, Artifacts, BoxFuture, Call, Meant, Stop, Tool, ToolSpec, Tools, parse_args};
use reasonix_mcp::{McpError, parse_address};
use reasonix_proto::{Action, Family, ToolOutcome, fenced};
use serde::Deserialize;
use serde_json::json;
use std::fmt::Write as _;
use std::sync::Arc;
use std::time::Duration;

/// The name of the tool that finds others.
pub(super) const FIND_TOOL: &str = "find_tool";
/// The name of the tool that calls them.
pub(super) const USE_TOOL: &str = "use_tool";

/// How long servers that nobody has met are waited for when somebody looks for tools.
const PATIENCE: Duration = Duration::from_secs(20);
/// Tools that are shown with their schemas.
const SHOWN: usize = 6;
/// Tools that are named besides.
const NAMED: usize = 40;
/// Bytes of what one server says of itself.
const INSTRUCTIONS: usize = 1000;

/// Looks for tools of servers, and on the shelf.
pub(super) struct FindTool {
    fleet: Arc<Fleet>,
    shelf: Vec<Arc<dyn Tool>>,
    spec: ToolSpec,
}

#[derive(Deserialize)]
struct Wanted {
    #[serde(default)]
    query: String,
}

impl FindTool {
    /// The tool, told with what it reaches. What servers say of themselves is quoted, and only in a window that has room for
    /// it.
    pub(super) fn new(fleet: &Arc<Fleet>, shelf: &[Arc<dyn Tool>], window: Option<u64>) -> Self {
        let members = fleet.members();
        let names: Vec<&str> = members.iter().map(|member| member.name.as_str()).collect();
        let own: Vec<&str> = shelf.iter().map(|tool| tool.spec().name.as_str()).collect();
        let (own, names) = (own.join(", "), names.join(", "));
        let mut text = match (own.is_empty(), names.is_empty()) {
            (false, true) => format!("Shows how to call {own}, by words. Call them with {USE_TOOL}."),
            (false, false) => format!(
                "Finds the tools {own}, and those of the MCP servers {names}, by words, with their schemas. Call them with {USE_TOOL}."
            ),
            (true, _) => format!(
                "Finds tools of the MCP servers {names} by words, with their schemas. Call them with {USE_TOOL}."
            ),
        };
        let roomy = window.is_none_or(|window| window == 0 || window > 32_000);
        for member in members.iter().filter(|_| roomy) {
            let listing = member.listing();
            let said = listing.as_ref().and_then(|listing| listing.instructions.as_deref());
            let Some(said) = said.map(str::trim).filter(|said| !said.is_empty()) else { continue };
            let cut = said.get(..said.floor_char_boundary(INSTRUCTIONS)).unwrap_or_default();
            let cut = if cut.len() < said.len() { format!("{cut}… [cut]") } else { cut.to_owned() };
            let quoted = fenced("server_says", &[("server", &member.name)], &cut);
            let _ = write!(text, "\n{quoted}");
        }
        let query = match names.is_empty() {
            true => json!({"type": "string"}),
            false => json!({"type": "string", "description": "Words for what is to be done."}),
        };
        let parameters = json!({"type": "object", "properties": {"query": query}, "required": ["query"]});
        let (fleet, shelf) = (Arc::clone(fleet), shelf.to_vec());
        Self { fleet, shelf, spec: ToolSpec::new(FIND_TOOL, text, parameters) }
    }

    /// The specs of all that can be found, the shelf first, and the texts that words are looked for in.
    fn all(&self) -> Vec<(ToolSpec, String)> {
        let own = self.shelf.iter().map(|tool| tool.spec().clone());
        let own = own.map(|spec| (format!("{} {}", spec.name.replace('_', " "), spec.description), spec));
        let known = known(&self.fleet);
        let theirs = known.iter().map(|(member, tool)| {
            (format!("{} {} {}", member.name, tool.own, tool.description), tool.spec(&member.name, false))
        });
        own.chain(theirs).map(|(text, spec)| (spec, text)).collect()
    }

    async fn found(&self, query: &str, stop: &Stop) -> ToolOutcome {
        let absent = tokio::select! {
            () = stop.cancelled() => return ToolOutcome::Aborted,
            absent = tokio::time::timeout(PATIENCE, self.fleet.meet_new()) => absent.unwrap_or_default(),
        };
        let (known, texts): (Vec<ToolSpec>, Vec<String>) = self.all().into_iter().unzip();
        let all = || (0..known.len()).collect();
        let places: Vec<usize> = if query.trim().is_empty() { all() } else { ranked(&texts, query) };
        let found: Vec<&ToolSpec> = places.iter().filter_map(|place| known.get(*place)).collect();
        let mut text = String::new();
        for spec in found.iter().take(SHOWN) {
            let _ = writeln!(text, "{}\n{}\narguments: {}\n", spec.name, spec.description, spec.parameters);
        }
        let more: Vec<&str> = found.iter().skip(SHOWN).take(NAMED).map(|spec| spec.name.as_str()).collect();
        if !more.is_empty() {
            let _ = writeln!(text, "also: {}", more.join(", "));
        }
        if found.is_empty() {
            let names: Vec<&str> = known.iter().take(NAMED).map(|spec| spec.name.as_str()).collect();
            let _ = writeln!(text, "nothing fits {query:?}. There are: {}", names.join(", "));
        }
        for (server, error) in absent {
            let _ = writeln!(text, "{}", absence(&server, &error));
        }
        ToolOutcome::done(text.trim_end())
    }
}

fn absence(server: &str, error: &McpError) -> String {
    format!("[not looked through: {server}: {error}]")
}

impl Tool for FindTool {
    fn spec(&self) -> &ToolSpec {
        &self.spec
    }

    fn action(&self, args: &Args) -> Action {
        let query = args.get("query").and_then(|query| query.as_str()).unwrap_or_default();
        Action::reads(Family::Own, query)
    }

    fn run<'a>(&'a self, call: Call<'a>) -> BoxFuture<'a, ToolOutcome> {
        Box::pin(async move {
            match parse_args::<Wanted>(call.args) {
                Ok(wanted) => self.found(&wanted.query, &call.stop).await,
                Err(outcome) => outcome,
            }
        })
    }
}

/// Calls a tool of a server, or one from the shelf.
pub(super) struct UseTool {
    fleet: Arc<Fleet>,
    artifacts: Arc<dyn Artifacts>,
    spec: ToolSpec,
}

#[derive(Deserialize)]
struct Used {
    name: String,
    #[serde(default)]
    arguments: Args,
}

impl UseTool {
    pub(super) fn new(fleet: &Arc<Fleet>, artifacts: &Arc<dyn Artifacts>) -> Self {
        // Where there are no servers nobody needs to hear of what they have.
        let (text, name, arguments) = if fleet.is_empty() {
            let plain = json!({"type": "string"});
            (format!("Calls a tool that {FIND_TOOL} showed."), plain, json!({"type": "object"}))
        } else {
            let text = format!("Calls a tool that {FIND_TOOL} showed, or reads a resource by its address mcp://….");
            let name = json!({"type": "string", "description": "Such as mcp__server__tool."});
            (text, name, json!({"type": "object", "description": "As its schema says."}))
        };
        let properties = json!({"name": name, "arguments": arguments});
        let parameters = json!({"type": "object", "properties": properties, "required": ["name"]});
        let (fleet, artifacts) = (Arc::clone(fleet), Arc::clone(artifacts));
        Self { fleet, artifacts, spec: ToolSpec::new(USE_TOOL, text, parameters) }
    }

    fn named(&self, args: &Args, among: &Tools) -> Meant {
        let Used { name, arguments } = parse_args(args)?;
        if let Some(tool) = among.find_shelved(name.trim()) {
            return Ok((Arc::clone(tool), arguments));
        }
        if let Some((server, uri)) = parse_address(name.trim()) {
            return self.resource(server, uri);
        }
        let known = known(&self.fleet);
        let found = known.iter().find(|(_, tool)| tool.name.as_str().eq_ignore_ascii_case(name.trim()));
        match found {
            Some((member, tool)) => Ok((Arc::new(ServerTool::new(member, tool, &self.artifacts)), arguments)),
            None => {
                let hint = format!("{FIND_TOOL} shows the tools that there are, with their names");
                let missing = match self.fleet.is_empty() {
                    true => format!("there is no tool named {name:?} to be found"),
                    false => format!("no server is known to have a tool named {name:?}"),
                };
                Err(ToolOutcome::failed_with(missing, hint))
            }
        }
    }
}

impl UseTool {
    /// A resource of a server, by the address that the model was given.
    fn resource(&self, server: &str, uri: &str) -> Meant {
        let reads = self.fleet.member(server).and_then(|member| ReadsResource::new(member, uri));
        let missing = || ToolOutcome::failed(format!("there is no MCP server {server:?}"));
        let reads = reads.ok_or_else(missing)?;
        let args = reads.args();
        Ok((Arc::new(reads), args))
    }
}

impl Tool for UseTool {
    fn spec(&self) -> &ToolSpec {
        &self.spec
    }

    fn meant(&self, args: &Args, among: &Tools) -> Option<Meant> {
        Some(self.named(args, among))
    }

    /// Never judged: what it means is.
    fn action(&self, args: &Args) -> Action {
        reasonix_mcp::action_of(args, false)
    }

    fn run<'a>(&'a self, _call: Call<'a>) -> BoxFuture<'a, ToolOutcome> {
        let outcome = ToolOutcome::failed("it stands for the tool that it names, and cannot run by itself");
        Box::pin(std::future::ready(outcome))
    }
}
