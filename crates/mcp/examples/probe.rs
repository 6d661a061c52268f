//! A small client: says what a server has, and calls each tool that needs no argument, or two numbers. The official
//! conformance suite drives the room with it.
//!
//! `probe http://127.0.0.1:3001/mcp`, or `probe PROGRAM ARGUMENT…`

#![allow(clippy::print_stdout, reason = "an example that talks to people")]

use reasonix_agent::{BoxFuture, Stop};
use reasonix_exec::{Command, Environment};
use reasonix_mcp::{
    ElicitKind, ElicitReply, Elicitation, Elicits, ListedTool, McpCall, McpError, ServerReach, ServerSpec, Servers,
    Surroundings,
};
use serde_json::{Map, Value, json};
use std::path::Path;
use std::process::ExitCode;
use std::sync::Arc;

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

async fn probe(reach: ServerReach) -> Result<(), McpError> {
    let around = Surroundings { elicits: Some(Arc::new(Defaults)), ..Surroundings::default() };
    let servers = Servers::new(vec![ServerSpec::new("probed", reach)], &around);
    let listing = servers.listing("probed").await?;
    println!("revision {}, {:?}", listing.protocol, listing.about);
    for left in &listing.left_out {
        println!("left out {}: {}", left.name, left.reason);
    }
    for tool in listing.tools.iter().flatten() {
        println!("tool {}", tool.name.as_str());
        let Some(args) = arguments(tool) else { continue };
        let (stop, progress) = (Stop::new(), |line: &str| print!("{line}"));
        let accepted = Some(tool.digest.as_str());
        let call = McpCall { server: "probed", tool: &tool.own, accepted, args, stop: &stop, progress: &progress };
        match servers.call(call).await {
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
    match probe(reach).await {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            println!("{error}");
            ExitCode::FAILURE
        }
    }
}
