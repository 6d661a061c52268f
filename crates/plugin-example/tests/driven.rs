//! The template, driven by our own client in both eras.

use reasonix_agent::Stop;
use reasonix_exec::{Command, Environment};
use reasonix_mcp::{Era, McpCall, McpError, ServerReach, ServerSpec, ServerState, Servers, Surroundings};
use serde_json::{Map, Value, json};
use std::path::Path;

/// The server in one era, and the revision that is agreed on then.
fn server(era: Era) -> Servers {
    let program = env!("CARGO_BIN_EXE_reasonix-plugin-example");
    let command = Command::program(program, Vec::<String>::new(), Path::new("/"));
    let command = command.with_environment(Environment::inherited(&[]));
    let spec = ServerSpec { era, ..ServerSpec::new("example", ServerReach::Stdio(Box::new(command))) };
    Servers::new(vec![spec], &Surroundings { roots: vec!["/".into()], ..Surroundings::default() })
}

const ERAS: [(Era, &str); 3] =
    [(Era::Unknown, "2026-07-28"), (Era::Modern, "2026-07-28"), (Era::Initialize, "2025-11-25")];

fn object(value: Value) -> Map<String, Value> {
    value.as_object().unwrap().clone()
}

async fn call(servers: &Servers, tool: &str, args: Value) -> Result<(String, bool), McpError> {
    let (stop, progress) = (Stop::new(), |_: &str| {});
    let call =
        McpCall { server: "example", tool, accepted: None, args: object(args), stop: &stop, progress: &progress };
    servers.call(call).await.map(|answer| (answer.content.into_words(), answer.failed))
}

#[tokio::test]
async fn what_it_has_is_listed() {
    for (era, protocol) in ERAS {
        let servers = server(era);
        assert_eq!(servers.status()[0].state, ServerState::Asleep, "nothing runs before it is needed");
        let listing = servers.listing("example").await.unwrap();
        assert_eq!(listing.protocol, protocol, "{era:?}");
        let tools: Vec<_> = listing.tools.iter().flatten().map(|tool| tool.name.as_str()).collect();
        assert_eq!(tools, ["mcp__example__echo", "mcp__example__wordcount"]);
        let echo = listing.tool("echo").unwrap();
        assert!(echo.says_it_reads());
        assert_eq!(echo.schema["properties"]["text"]["description"], "What is to be said again.");
        let prompts: Vec<_> = listing.prompts.iter().flatten().map(|prompt| prompt.name.as_str()).collect();
        assert_eq!(prompts, ["mcp__example__summarise"]);
        assert_eq!(listing.prompts.as_ref().unwrap()[0].arguments[0].name, "topic");
        assert_eq!(listing.resources.as_ref().unwrap()[0].uri, "example://readme");
        assert!(listing.instructions.as_deref().unwrap().contains("wordcount"));
        assert_eq!(listing.left_out, []);
        assert_eq!(servers.status()[0].state, ServerState::Up);
        servers.close().await;
        assert_eq!(servers.status()[0].state, ServerState::Asleep);
    }
}

#[tokio::test]
async fn its_tools_are_called() {
    for (era, _) in ERAS {
        let servers = server(era);
        assert_eq!(call(&servers, "echo", json!({"text": "héllo"})).await.unwrap(), ("héllo".to_owned(), false));
        let (words, failed) = call(&servers, "wordcount", json!({"text": "one two\nthree"})).await.unwrap();
        assert_eq!(serde_json::from_str::<Value>(&words).unwrap(), json!({"words": 3, "lines": 2, "characters": 13}));
        assert!(!failed, "{words}");
        let (words, failed) = call(&servers, "wordcount", json!({"text": " "})).await.unwrap();
        assert_eq!((words.as_str(), failed), ("there is no word in it", true));
        assert!(call(&servers, "wordcount", json!({"txt": 1})).await.is_ok_and(|(_, failed)| failed));
        assert!(matches!(call(&servers, "none", json!({})).await, Err(McpError::Missing { .. })));
    }
}

#[tokio::test]
async fn its_prompt_and_its_resource_are_read() {
    for (era, _) in ERAS {
        let (servers, stop) = (server(era), Stop::new());
        let args = object(json!({"topic": "crabs"}));
        let messages = servers.prompt("example", "summarise", args, &stop).await.unwrap();
        let (role, block) = &messages[0];
        assert_eq!((role.as_str(), &*block.words()), ("user", "Sum up in three sentences: crabs"));
        let page = servers.read("example", "example://readme", &stop).await.unwrap();
        assert!(page.words().contains("# Example"), "{page}");
        assert!(matches!(servers.read("example", "example://no", &stop).await, Err(McpError::Told { .. })));
    }
}
