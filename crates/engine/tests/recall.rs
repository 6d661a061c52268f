//! Looking back: at earlier sessions.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

mod world;

use reasonix_engine::{Handle, Which, tool_specs};
use reasonix_proto::{Asking, Choice, Event, Op, RecordBody, ToolOutcome, TurnState};
use reasonix_testkit::Reply;
use serde_json::json;
use world::World;

/// Runs one prompt; gives the questions and the outcomes.
async fn turn(handle: &mut Handle, prompt: &str, choice: &Choice) -> (Vec<Asking>, Vec<ToolOutcome>) {
    handle.send(Op::Prompt { text: prompt.into(), resolved: true });
    let (mut asked, mut outcomes, mut ended) = (Vec::new(), Vec::new(), false);
    loop {
        match handle.events.next().await.expect("the session lives").event {
            Event::Asked { asking } => {
                handle.send(Op::Answer { ask: asking.ask.clone(), choice: choice.clone(), digest: None });
                asked.push(*asking);
            }
            Event::ToolEnded { record } => {
                if let RecordBody::Outcome { outcome, .. } = record.body {
                    outcomes.push(outcome);
                }
            }
            Event::TurnEnded { .. } => ended = true,
            Event::State { state: TurnState::Idle } if ended => return (asked, outcomes),
            _ => {}
        }
    }
}

fn text(outcome: &ToolOutcome) -> &str {
    match outcome {
        ToolOutcome::Done { content, .. } => content,
        ToolOutcome::Failed { message, .. } => message,
        ToolOutcome::Denied { by } => by,
        ToolOutcome::Aborted => "aborted",
    }
}

#[tokio::test]
async fn other_folders_are_asked_about_and_this_one_is_not() {
    let search = |query: &str, scope: &str| Reply::call("history", json!({"query": query, "scope": scope}));
    let world = World::new(vec![
        Reply::say("about pelicans"),
        search("pelicans", "project"),
        Reply::say("ok"),
        search("the pelicans", "global"),
        Reply::say("ok"),
    ])
    .await;
    let mut handle = world.open(Which::New);
    turn(&mut handle, "tell me", &Choice::Deny).await;
    let mut other = world.open(Which::New);
    let (asked, outcomes) = turn(&mut other, "what was said?", &Choice::Deny).await;
    assert!(asked.is_empty() && text(&outcomes[0]).contains("about pelicans"), "{outcomes:?}");
    let (asked, outcomes) = turn(&mut other, "and elsewhere?", &Choice::Deny).await;
    assert_eq!(asked[0].choices, [Choice::AllowOnce, Choice::Deny]);
    assert!(matches!(&outcomes[0], ToolOutcome::Denied { .. }), "{outcomes:?}");
}

#[tokio::test]
async fn small_windows_are_spared_tools_that_can_be_done_without() {
    let world = World::new(vec![Reply::say("a"), Reply::say("b"), Reply::say("c")]).await;
    let sent = |request: &serde_json::Value| {
        let tools = request["tools"].as_array().unwrap().iter();
        tools.map(|tool| tool["function"]["name"].as_str().unwrap().to_owned()).collect::<Vec<_>>()
    };
    for (window, said) in [(16_000, None), (16_000, Some(true)), (0, None)] {
        let mut handle = world.open_with(Which::New, |start| {
            start.settings.providers[0].context_window = window;
            start.settings.recall.history = said;
        });
        turn(&mut handle, "hi", &Choice::Deny).await;
    }
    let offered: Vec<bool> =
        world.server.requests().iter().map(|request| sent(&request.body).contains(&"history".to_owned())).collect();
    assert_eq!(offered, [false, true, true]);
    let base = world.base(Which::New);
    assert!(tool_specs(&base).iter().any(|spec| spec.name == "history"), "rules may name it");
}
