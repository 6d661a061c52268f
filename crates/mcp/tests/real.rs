//! Servers that nobody here wrote, in the folder that `REASONIX_MCP_REAL` names (`.ci/run` fills it). Skipped without it; a
//! failure without it when `REASONIX_E2E=1`.

use crate::asked::{Person, yes};
use crate::place::{NAME, Place, limits, object};
use reasonix_agent::Stop;
use reasonix_exec::{Child, ChildOptions, Command, Environment};
use reasonix_mcp::{Elicits, McpAnswer, McpCall, ServerListing, ServerReach, ServerSpec};
use reasonix_proto::Block;
use serde_json::{Value, json};
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;
use tokio::net::TcpStream;

/// Where the servers are.
fn real() -> Option<PathBuf> {
    let place = std::env::var_os("REASONIX_MCP_REAL").map(PathBuf::from);
    let needed = std::env::var("REASONIX_E2E").is_ok_and(|value| value == "1");
    assert!(place.is_some() || !needed, "REASONIX_MCP_REAL is not set");
    place
}

fn node(real: &std::path::Path, script: &str, args: &[String], folder: &std::path::Path) -> Command {
    let script = real.join("node_modules/@modelcontextprotocol").join(script).join("dist/index.js");
    let args = std::iter::once(script.display().to_string()).chain(args.iter().cloned());
    Command::program("node", args, folder).with_environment(Environment::inherited(&[]))
}

fn stdio(command: Command) -> Place {
    let spec = ServerSpec { limits: limits(), ..ServerSpec::new(NAME, ServerReach::Stdio(Box::new(command))) };
    Place::reaching(tempfile::tempdir().unwrap(), spec, None)
}

async fn call(place: &Place, tool: &str, args: Value) -> McpAnswer {
    let stop = Stop::new();
    let call = McpCall { server: NAME, tool, accepted: None, args: object(args), stop: &stop, progress: &|_| {} };
    place.servers.call(call).await.unwrap()
}

/// What `server-everything` shows, whatever the transport.
async fn everything(place: &Place) {
    let listing: Arc<ServerListing> = place.servers.listing(NAME).await.unwrap();
    assert!(listing.tools.as_ref().unwrap().len() > 5, "{listing:?}");
    assert!(listing.prompts.as_ref().is_some_and(|prompts| !prompts.is_empty()));
    assert!(listing.resources.as_ref().is_some_and(|resources| !resources.is_empty()));
    assert_eq!(listing.left_out, []);
    assert!(call(place, "echo", json!({"message": "hi there"})).await.content.into_words().contains("hi there"));
    let sum = call(place, "get-sum", json!({"a": 2, "b": 3})).await.content.into_words();
    assert!(sum.contains('5'), "{sum}");
    let picture = call(place, "get-tiny-image", json!({})).await;
    assert!(picture.content.blocks().iter().any(|block| matches!(block, Block::Picture(_))), "{picture:?}");
    let resource = &listing.resources.as_ref().unwrap().iter().find(|resource| !resource.template).unwrap().uri;
    assert!(!place.servers.read(NAME, resource, &Stop::new()).await.unwrap().is_empty());
}

#[tokio::test]
async fn everything_over_stdio() {
    let Some(real) = real() else { return };
    let folder = tempfile::tempdir().unwrap();
    everything(&stdio(node(&real, "server-everything", &[], folder.path()))).await;
}

#[tokio::test]
async fn everything_over_http() {
    let Some(real) = real() else { return };
    let port = free_port();
    let folder = tempfile::tempdir().unwrap();
    let mut command = node(&real, "server-everything", &["streamableHttp".to_owned()], folder.path());
    command.environment = command.environment.with("PORT", port.to_string());
    let (_server, place) = listening(&command, port, None).await;
    everything(&place).await;
}

fn free_port() -> u16 {
    std::net::TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port()
}

/// A server that listens there, and the way to it.
async fn listening(command: &Command, port: u16, elicits: Option<Arc<dyn Elicits>>) -> (Child, Place) {
    let server = reasonix_exec::spawn(command, ChildOptions::default()).await.unwrap();
    let there = async {
        while TcpStream::connect(("127.0.0.1", port)).await.is_err() {
            tokio::time::sleep(Duration::from_millis(50)).await;
        }
    };
    tokio::time::timeout(Duration::from_secs(60), there).await.expect("it listens");
    let url = format!("http://127.0.0.1:{port}/mcp");
    let reach = ServerReach::Http { url, headers: Vec::new(), net: Box::default() };
    let spec = ServerSpec { limits: limits(), ..ServerSpec::new(NAME, reach) };
    (server, Place::reaching(tempfile::tempdir().unwrap(), spec, elicits))
}

/// The official SDK for TypeScript, in the newer era, asking back.
#[tokio::test]
async fn the_newer_era_of_another_sdk() {
    let Some(real) = real() else { return };
    let script = real.join("newer.mjs");
    std::fs::write(&script, include_str!("fixtures/newer.mjs")).unwrap();
    let command = |args: Vec<String>| {
        let args = std::iter::once(script.display().to_string()).chain(args);
        Command::program("node", args, &real).with_environment(Environment::inherited(&[]))
    };
    let person = || Some(Person::new(yes(), Duration::ZERO) as Arc<dyn Elicits>);
    let reach = ServerReach::Stdio(Box::new(command(Vec::new())));
    let spec = ServerSpec { limits: limits(), ..ServerSpec::new(NAME, reach) };
    asks_back(&Place::reaching(tempfile::tempdir().unwrap(), spec, person())).await;
    let port = free_port();
    let (_server, place) = listening(&command(vec![port.to_string()]), port, person()).await;
    asks_back(&place).await;
}

async fn asks_back(place: &Place) {
    assert_eq!(place.servers.listing(NAME).await.unwrap().protocol, "2026-07-28");
    assert_eq!(call(place, "add", json!({"a": 2, "b": 3})).await.content.into_words(), "5");
    assert_eq!(call(place, "greet", json!({})).await.content.into_words(), "hello blue");
    assert!(call(place, "open", json!({})).await.content.into_words().contains("accept"));
}

#[tokio::test]
async fn files() {
    let Some(real) = real() else { return };
    let folder = tempfile::tempdir().unwrap();
    let root = folder.path().canonicalize().unwrap();
    std::fs::write(root.join("a.txt"), "what is in it").unwrap();
    let place = stdio(node(&real, "server-filesystem", &[root.display().to_string()], &root));
    // The server takes the roots of whoever asks in place of its own; ours has a folder that is not there.
    let listing = place.servers.listing(NAME).await.unwrap();
    assert!(listing.tool("read_text_file").is_some() && listing.left_out.is_empty(), "{listing:?}");
    let answer = call(&place, "list_allowed_directories", json!({})).await;
    assert!(!answer.failed, "{answer:?}");
}

#[tokio::test]
async fn git() {
    let Some(real) = real() else { return };
    let folder = tempfile::tempdir().unwrap();
    let root = folder.path().canonicalize().unwrap();
    let made = std::process::Command::new("git").args(["init", "-q"]).current_dir(&root).status().unwrap();
    assert!(made.success());
    std::fs::write(root.join("new.txt"), "x").unwrap();
    let program = real.join("py/bin/mcp-server-git");
    let args = ["--repository".to_owned(), root.display().to_string()];
    let command = Command::program(program, args, &root).with_environment(Environment::inherited(&[]));
    let place = stdio(command);
    assert_eq!(place.servers.listing(NAME).await.unwrap().protocol, "2026-07-28", "PyPI's `mcp` 2.x");
    let status = call(&place, "git_status", json!({"repo_path": root.display().to_string()})).await;
    assert!(status.content.into_words().contains("new.txt"));
}
