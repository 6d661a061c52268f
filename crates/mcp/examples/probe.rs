//! A small client: says what a server has, and calls each tool that needs no argument, or two numbers. The official
//! conformance suite drives the room with it.
//!
//! `probe http://127.0.0.1:3001/mcp`, or `probe PROGRAM ARGUMENT…`

#![allow(clippy::print_stdout, reason = "an example that talks to people")]

use reasonix_agent::{BoxFuture, Stop};
use reasonix_exec::{Command, Environment};
use reasonix_mcp::{
    ElicitKind, ElicitReply, Elicitation, Elicits, ListedTool, LoginPerson, McpAnswer, McpCall, McpError, ServerLogin,
    ServerReach, ServerSpec, Servers, Surroundings, log_in,
};
use serde_json::{Map, Value, json};
use std::path::Path;
use std::process::ExitCode;
use std::sync::{Arc, Mutex};

/// Says yes to every form, with the values that it proposes.
struct Defaults;

impl Elicits for Defaults {
    fn elicit<'a>(&'a self, question: Elicitation) -> BoxFuture<'a, ElicitReply> {
        println!("{} asks: {}", question.server, question.message);
        let reply = match question.kind {
            ElicitKind::Form { schema } => ElicitReply::Accept(proposed(&schema)),
            ElicitKind::Url { .. } => ElicitReply::Decline,
        };
        Box::pin(async { reply })
    }
}

fn proposed(schema: &Value) -> Map<String, Value> {
    let fields = schema.get("properties").and_then(Value::as_object).into_iter().flatten();
    fields.filter_map(|(name, field)| Some((name.clone(), field.get("default")?.clone()))).collect()
}

/// Arguments for a tool that are not worth a person's time; none where some are needed that cannot be guessed.
fn arguments(tool: &ListedTool) -> Option<Map<String, Value>> {
    let needed = tool.schema.get("required").and_then(Value::as_array).into_iter().flatten().filter_map(Value::as_str);
    let kind = |name: &str| tool.schema.get("properties")?.get(name)?.get("type")?.as_str();
    needed.map(|name| (kind(name)? == "number").then(|| (name.to_owned(), json!(5)))).collect()
}

/// Says yes to every login, without a browser: follows the address once and hands over where it leads.
struct Browser(Mutex<Option<String>>);

impl LoginPerson for Browser {
    fn show(&self, url: &str, host: &str) {
        println!("log in at {host}");
        if let Ok(mut place) = self.0.lock() {
            *place = Some(url.to_owned());
        }
    }

    fn typed(&self) -> BoxFuture<'_, String> {
        let url = self.0.lock().ok().and_then(|mut place| place.take());
        Box::pin(async move {
            let Some(url) = url else { return std::future::pending().await };
            let client = reasonix_net::client(&url, &reasonix_net::NetOptions::default()).ok();
            let sent = match client {
                Some(client) => client.get(&url).send().await.ok(),
                None => None,
            };
            let place = sent.as_ref().and_then(|sent| sent.headers().get("location")?.to_str().ok());
            place.unwrap_or_default().to_owned()
        })
    }
}

/// How the suite says who we are, in a variable.
fn login() -> ServerLogin {
    let told: Value = std::env::var("MCP_CONFORMANCE_CONTEXT")
        .ok()
        .and_then(|text| serde_json::from_str(&text).ok())
        .unwrap_or_default();
    let text = |key: &str| told.get(key).and_then(Value::as_str).map(str::to_owned);
    ServerLogin {
        folder: std::env::temp_dir().join(format!("reasonix-probe-{}", std::process::id())),
        client_id: text("client_id"),
        client_secret: text("client_secret"),
        client_metadata_url: Some("https://conformance-test.local/client-metadata.json".to_owned()),
        ..ServerLogin::default()
    }
}

/// Calls a tool, and logs in again where it wants more than was granted.
async fn called(
    servers: &Servers,
    spec: &ServerSpec,
    tool: &ListedTool,
    args: &Map<String, Value>,
) -> Result<McpAnswer, McpError> {
    let mut tries = 0;
    loop {
        let (stop, progress) = (Stop::new(), |line: &str| print!("{line}"));
        let accepted = Some(tool.digest.as_str());
        let call = McpCall {
            server: "probed",
            tool: &tool.own,
            accepted,
            args: args.clone(),
            stop: &stop,
            progress: &progress,
        };
        match servers.call(call).await {
            Err(McpError::Login { challenge, .. }) if tries < 3 => {
                tries += 1;
                again(servers, spec, &challenge).await?;
            }
            other => return other,
        }
    }
}

/// Logs in and begins anew.
async fn again(servers: &Servers, spec: &ServerSpec, challenge: &str) -> Result<(), McpError> {
    let refused = |error: reasonix_mcp::LoginError| McpError::Down {
        server: "probed".to_owned(),
        reason: error.to_string(),
        boxed: false,
    };
    log_in(spec, Some(challenge), &Browser(Mutex::new(None))).await.map_err(refused)?;
    servers.restart("probed").await
}

async fn probe(reach: ServerReach) -> Result<(), McpError> {
    let around = Surroundings { elicits: Some(Arc::new(Defaults)), ..Surroundings::default() };
    let web = matches!(reach, ServerReach::Http { .. });
    let spec = ServerSpec { login: web.then(|| Arc::new(login())), ..ServerSpec::new("probed", reach) };
    let servers = Servers::new(vec![spec.clone()], &around);
    let mut tries = 0;
    let listing = loop {
        match servers.listing("probed").await {
            Err(McpError::Login { challenge, .. }) if tries < 3 => {
                tries += 1;
                again(&servers, &spec, &challenge).await?;
            }
            other => break other?,
        }
    };
    println!("revision {}, {:?}", listing.protocol, listing.about);
    for left in &listing.left_out {
        println!("left out {}: {}", left.name, left.reason);
    }
    for tool in listing.tools.iter().flatten() {
        println!("tool {}", tool.name.as_str());
        let Some(args) = arguments(tool) else { continue };
        match called(&servers, &spec, tool, &args).await {
            Ok(answer) => println!("{}", answer.content),
            Err(error) => println!("{error}"),
        }
    }
    servers.close().await;
    Ok(())
}

#[tokio::main(flavor = "current_thread")]
async fn main() -> ExitCode {
    let mut words = std::env::args().skip(1);
    let first = words.next().unwrap_or_default();
    let reach = if first.starts_with("http://") || first.starts_with("https://") {
        ServerReach::Http { url: first, headers: Vec::new(), net: Box::default() }
    } else {
        let command = Command::program(first, words, Path::new(".")).with_environment(Environment::inherited(&[]));
        ServerReach::Stdio(Box::new(command))
    };
    let probed = probe(reach).await;
    let _ = std::fs::remove_dir_all(login().folder);
    match probed {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            println!("{error}");
            ExitCode::FAILURE
        }
    }
}
