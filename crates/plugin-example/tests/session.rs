//! The template in a session: a model that finds its tools, calls them, and reads what it has.

use reasonix_config::{BashBoxing, Plugin, Provider, SandboxSettings, Settings};
use reasonix_engine::{Start, Which, World, start};
use reasonix_proto::{Choice, Event, Op, Query, RecordBody, Reply, ServerStanding, TurnState};
use reasonix_testkit::{ModelServer, Reply as Answer, TempWorkspace};
use reasonix_workspace::{Options, Workspace};
use serde_json::json;
use std::collections::BTreeMap;

fn base(server: &ModelServer, work: &TempWorkspace, home: &TempWorkspace) -> Start {
    let provider = Provider {
        name: "mock".into(),
        kind: "openai".into(),
        base_url: server.base_url(),
        models: vec!["m".into()],
        default: "m".into(),
        ..Provider::default()
    };
    let plugin = Plugin {
        name: "example".into(),
        enabled: true,
        command: Some(env!("CARGO_BIN_EXE_reasonix-plugin-example").into()),
        trusted_read_only_tools: vec!["wordcount".into()],
        ..Plugin::default()
    };
    // The box has its own tests.
    let sandbox = SandboxSettings { bash: BashBoxing::Off, ..SandboxSettings::default() };
    let settings = Settings { providers: vec![provider], plugins: vec![plugin], sandbox, ..Settings::default() };
    Start {
        world: World::new(settings, BTreeMap::new(), home.path()),
        workspace: Workspace::open(&work.path(), Options::default()).expect("a workspace"),
        rules: Vec::new(),
        model: None,
        agent: None,
        append_system: None,
        which: Which::New,
        attended: true,
        approve: Vec::new(),
    }
}

#[tokio::test]
async fn a_model_calls_its_tools_and_a_person_its_prompt_and_its_resource() {
    let server = ModelServer::start(vec![
        Answer::call("mcp__example__wordcount", json!({"text": "one two three"})),
        Answer::call("use_tool", json!({"name": "mcp__example__echo", "arguments": {"text": "pelican"}})),
        Answer::say("done"),
        Answer::say("summed up"),
    ])
    .await;
    let (work, home) = (TempWorkspace::new(), TempWorkspace::new());
    let mut handle = start(base(&server, &work, &home)).expect("a session");
    let (mut asked, mut outcomes) = (Vec::new(), Vec::new());
    for text in ["count @example:example://readme", "/mcp__example__summarise crabs"] {
        handle.submit(Op::Prompt { text: text.into(), resolved: false });
        let mut ended = false;
        loop {
            match handle.events.next().await.expect("the session lives").event {
                Event::Asked { asking } => {
                    asked.push(asking.tool.clone());
                    let (ask, choice) = (asking.ask.clone(), Choice::AllowOnce);
                    handle.submit(Op::Answer { ask, choice, digest: None, words: None, edited: None });
                }
                Event::ToolEnded { record } => {
                    if let RecordBody::Outcome { tool, outcome, .. } = record.body {
                        outcomes.push((tool, reasonix_agent::outcome_text(&outcome)));
                    }
                }
                Event::TurnEnded { .. } => ended = true,
                Event::State { state: TurnState::Idle } if ended => break,
                _ => {}
            }
        }
    }
    assert_eq!(asked, ["mcp__example__echo"], "the other one is trusted to read");
    assert_eq!(outcomes[0].0, "mcp__example__wordcount");
    assert!(outcomes[0].1.contains("\"words\":3"), "{outcomes:?}");
    assert_eq!(outcomes[1], ("mcp__example__echo".to_owned(), "pelican".to_owned()));
    let requests = server.requests();
    assert!(requests[0].last_content().contains("# Example"), "{}", requests[0].last_content());
    assert_eq!(requests[3].last_content(), "Sum up in three sentences: crabs");
    let Reply::Servers { servers } = handle.query(Query::Servers).await else { panic!("servers") };
    assert_eq!(
        (servers[0].standing.clone(), servers[0].counts.map(|counts| counts.tools)),
        (ServerStanding::Up, Some(2))
    );
    server.assert_valid();
    server.assert_prefixes_grow();
}
