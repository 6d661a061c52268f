//! The shelf: what our own prompt and schemas take of a window, and how rare tools are reached where they are not sent. What was
//! sent never changes, and the gate judges the tool that is meant.

use crate::world::{World, end, turn};

use reasonix_agent::{estimate_tokens, outcome_text};
use reasonix_engine::{Start, Which};
use reasonix_proto::{Asking, Choice, Mode, Op};
use reasonix_testkit::{Recorded, Reply as Answer};
use serde_json::json;

fn windowed(tokens: u64) -> impl FnOnce(&mut Start) {
    move |start| start.world.settings.providers[0].context_window = tokens
}

fn names(request: &Recorded) -> Vec<String> {
    let tools = request.body["tools"].as_array().expect("tools");
    tools.iter().map(|tool| tool["function"]["name"].as_str().expect("a name").to_owned()).collect()
}

/// Everything of a request that is ours: the system prompt, and the tools as they stand on the wire.
fn own_tokens(request: &Recorded) -> u64 {
    let system = request.body["messages"][0]["content"].as_str().expect("a system prompt");
    estimate_tokens(system)
        + request.body["tools"]
            .as_array()
            .into_iter()
            .flatten()
            .map(|tool| estimate_tokens(&tool.to_string()))
            .sum::<u64>()
}

#[tokio::test]
async fn our_own_prompt_and_schemas_stay_small() {
    for (window, most) in [(8_192, 1_500), (16_384, 1_500), (32_768, 3_000), (131_072, 3_000)] {
        for attended in [true, false] {
            let world = World::new(vec![Answer::say("a")]).await;
            let mut handle = world.open_with(Which::New, |start| {
                windowed(window)(start);
                start.attended = attended;
            });
            turn(&mut handle, |_| Choice::Deny).await;
            let took = own_tokens(&world.server.requests()[0]);
            eprintln!("window {window}, {}: {took} tokens", if attended { "chat" } else { "run" });
            assert!(took <= most, "{took} of {most} tokens at {window}, attended: {attended}");
            end(handle).await;
        }
    }
}

#[tokio::test]
async fn a_rare_tool_is_found_and_used_and_the_gate_judges_it() {
    let lines = json!({"path": "a.txt", "start": 2, "end": 2});
    let world = World::new(vec![
        Answer::call("find_tool", json!({"query": "delete lines"})),
        Answer::call("use_tool", json!({"name": "delete_range", "arguments": lines})),
        Answer::call("move_file", json!({"from": "a.txt", "to": "b.txt"})),
        Answer::call("use_tool", json!({"name": "no_such"})),
        Answer::say("done"),
    ])
    .await;
    world.work.write("a.txt", "1\n2\n3\n");
    let mut handle = world.open_with(Which::New, windowed(8_192));
    let mut asked = Vec::new();
    let outcomes = turn(&mut handle, |asking: &Asking| {
        asked.push(asking.tool.clone());
        Choice::AllowOnce
    })
    .await;
    let texts: Vec<String> = outcomes.iter().map(outcome_text).collect();
    assert!(texts[0].starts_with("delete_range\n") && texts[0].contains("arguments: {"), "{}", texts[0]);
    assert_eq!(asked, ["delete_range", "move_file"], "{texts:?}");
    assert_eq!(world.work.read("b.txt"), "1\n3\n", "{texts:?}");
    assert!(texts[3].contains("no tool named \"no_such\""), "{}", texts[3]);
    let sent = names(&world.server.requests()[0]);
    assert!(sent.contains(&"use_tool".to_owned()) && !sent.contains(&"delete_range".to_owned()), "{sent:?}");
    world.server.assert_valid();
    world.server.assert_prefixes_grow();
}

#[tokio::test]
async fn what_changes_files_is_refused_from_the_shelf_too_while_planning() {
    let world = World::new(vec![
        Answer::call("use_tool", json!({"name": "move_file", "arguments": {"from": "a.txt", "to": "b.txt"}})),
        Answer::say("planned"),
    ])
    .await;
    world.work.write("a.txt", "1\n");
    let mut handle = world.open_with(Which::New, windowed(8_192));
    handle.submit(Op::SetMode { mode: Mode::Plan });
    let outcomes = turn(&mut handle, |asking| panic!("nobody is asked: {asking:?}")).await;
    assert!(matches!(outcomes[0], reasonix_proto::ToolOutcome::Denied { .. }), "{outcomes:?}");
    assert!(world.work.exists("a.txt"));
}

/// A session keeps what it was told, whatever window its model has later, and reaches what it could reach.
#[tokio::test]
async fn a_session_that_goes_on_keeps_its_shelf() {
    let moved = json!({"name": "move_file", "arguments": {"from": "a.txt", "to": "b.txt"}});
    let world = World::new(vec![
        Answer::say("a"),
        Answer::call("use_tool", moved),
        Answer::say("b"),
        Answer::say("c"),
        Answer::say("d"),
    ])
    .await;
    world.work.write("a.txt", "1\n");
    let mut handle = world.open_with(Which::New, windowed(16_384));
    turn(&mut handle, |_| Choice::Deny).await;
    let session = end(handle).await;
    let mut handle = world.open_with(Which::Resume(session), windowed(131_072));
    turn(&mut handle, |_| Choice::AllowOnce).await;
    assert!(world.work.exists("b.txt"));
    end(handle).await;
    let requests = world.server.requests();
    assert_eq!(requests[0].body["tools"], requests[1].body["tools"]);
    // A larger window has them all, and nothing to find.
    let mut handle = world.open_with(Which::New, windowed(32_768));
    turn(&mut handle, |_| Choice::Deny).await;
    end(handle).await;
    let sent = names(world.server.requests().last().expect("a request"));
    assert!(!sent.contains(&"find_tool".to_owned()) && sent.contains(&"move_file".to_owned()), "{sent:?}");
    // Whoever chose tools has these.
    let mut handle = world.open_with(Which::New, |start| {
        windowed(8_192)(start);
        start.world.settings.tools.enabled = vec!["read_file".into(), "move_file".into()];
    });
    turn(&mut handle, |_| Choice::Deny).await;
    assert_eq!(names(world.server.requests().last().expect("a request")), ["read_file", "move_file"]);
}
