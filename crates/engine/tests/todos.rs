//! The todo list is what the log says, wherever the conversation goes on.

use crate::world::{World, turn};

use reasonix_engine::{Handle, Which};
use reasonix_proto::{Choice, Done, Event, Op, Query, Reply, Rewind, Settled, TodoStatus, ToolOutcome};
use reasonix_testkit::Reply as Answer;
use serde_json::{Value, json};

fn write(ops: Value) -> Answer {
    Answer::call("todo_write", json!({"ops": ops}))
}

fn init(items: &[&str]) -> Answer {
    write(json!([{"op": "init", "list": [{"phase": "P", "items": items}]}]))
}

/// The list: what is done stands with a cross.
async fn list(handle: &Handle) -> Vec<String> {
    let Reply::Todo { phases } = handle.query(Query::Todo).await else { panic!("a list") };
    let mark = |status| if status == TodoStatus::Completed { "x " } else { "" };
    let tasks = phases.into_iter().flat_map(|phase| phase.tasks);
    tasks.map(|task| format!("{}{}", mark(task.status), task.content)).collect()
}

async fn applied(handle: &Handle, op: Op) {
    let settled = handle.submit(op).settled().await;
    assert!(matches!(settled, Settled::Done(Done::Applied)), "{settled:?}");
}

fn read_out(outcomes: &[ToolOutcome]) -> String {
    reasonix_agent::outcome_text(outcomes.first().expect("an outcome"))
}

#[tokio::test]
async fn a_move_brings_the_list_of_the_place_it_goes_to() {
    let world = World::new(vec![
        init(&["first", "second"]),
        Answer::say("one"),
        write(json!([{"op": "done", "task": "first"}, {"op": "append", "phase": "P", "items": ["third"]}])),
        Answer::say("two"),
        Answer::call("todo_read", json!({})),
        Answer::say("three"),
    ])
    .await;
    let mut handle = world.open(Which::New);
    assert!(list(&handle).await.is_empty());
    turn(&mut handle, |_| Choice::Deny).await;
    assert_eq!(list(&handle).await, ["first", "second"]);
    turn(&mut handle, |_| Choice::Deny).await;
    assert_eq!(list(&handle).await, ["x first", "second", "third"]);
    let rewind = |turn| Op::Rewind { turn, what: Rewind::Chat, summary: Some(false) };
    applied(&handle, rewind(2)).await;
    assert_eq!(list(&handle).await, ["first", "second"], "what the turn did to it is not there");
    let outcomes = turn(&mut handle, |_| Choice::Deny).await;
    assert_eq!(read_out(&outcomes), "P\n[~] first\n[ ] second", "and the model sees the same");
    applied(&handle, rewind(1)).await;
    assert!(list(&handle).await.is_empty());
}

#[tokio::test]
async fn whoever_resumes_finds_the_list_of_the_branch() {
    let world = World::new(vec![
        init(&["first"]),
        Answer::say("one"),
        write(json!([{"op": "done", "task": "first"}])),
        Answer::say("two"),
        Answer::call("todo_read", json!({})),
        Answer::say("three"),
    ])
    .await;
    let mut handle = world.open(Which::New);
    turn(&mut handle, |_| Choice::Deny).await;
    turn(&mut handle, |_| Choice::Deny).await;
    applied(&handle, Op::Rewind { turn: 2, what: Rewind::Chat, summary: Some(false) }).await;
    let session = handle.session.clone();
    drop(handle);
    let mut handle = world.open_when_free(Which::Resume(session.0)).await;
    assert_eq!(list(&handle).await, ["first"]);
    assert_eq!(read_out(&turn(&mut handle, |_| Choice::Deny).await), "P\n[~] first");
}

#[tokio::test]
async fn what_was_explored_away_from_keeps_the_list_for_whoever_resumes() {
    let world = World::new(vec![
        init(&["first"]),
        Answer::call("checkpoint", json!({"goal": "look"})),
        write(json!([{"op": "done", "task": "first"}])),
        Answer::call("rewind", json!({"report": "It is there."})),
        Answer::say("done"),
    ])
    .await;
    let mut handle = world.open_with(Which::New, |start| start.world.settings.recall.checkpoint = true);
    turn(&mut handle, |_| Choice::Deny).await;
    assert_eq!(list(&handle).await, ["x first"]);
    let session = handle.session.clone();
    handle.submit(Op::Shutdown);
    while handle.events.next().await.is_some_and(|envelope| envelope.event != Event::SessionEnded) {}
    drop(handle);
    let handle = world.open_when_free(Which::Resume(session.0)).await;
    assert_eq!(list(&handle).await, ["x first"], "the same list as before");
}
