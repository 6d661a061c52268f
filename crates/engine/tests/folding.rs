//! Folding while nobody waits, and what it costs.

use crate::world;

use reasonix_engine::{Handle, Start, Which};
use reasonix_proto::{Event, FoldReason, Op, Query, RecordBody, Reply, TurnState};
use reasonix_testkit::Reply as Answer;
use world::World;

async fn until(handle: &mut Handle, done: impl Fn(&Event) -> bool) -> Event {
    loop {
        let event = handle.events.next().await.expect("the session lives").event;
        if done(&event) {
            return event;
        }
    }
}

async fn turn(handle: &mut Handle, text: &str) {
    handle.submit(Op::Prompt { text: text.into(), resolved: true });
    until(handle, |event| matches!(event, Event::TurnEnded { .. })).await;
    until(handle, |event| *event == Event::State { state: TurnState::Idle }).await;
}

async fn input(handle: &Handle) -> u64 {
    match handle.query(Query::Status).await {
        Reply::Status(status) => status.usage.input,
        other => panic!("{other:?}"),
    }
}

#[tokio::test]
async fn a_quiet_session_is_folded_once_and_what_that_cost_is_counted() {
    // Never twice the same, or it would be cut as a loop.
    let long: String = (0..3000).map(|number| format!("word{number} ")).collect();
    let said = |text: &str| Answer::say(text).with_usage(7_000, 100, 0);
    let notes = Answer::say("NOTES: so it was").with_usage(500, 20, 0);
    let world = World::new(vec![said(&long), said("short"), notes, said("more"), said("later")]).await;
    let quiet = |start: &mut Start| {
        start.world.settings.compaction.idle_seconds = 2;
        start.world.settings.providers[0].context_window = 12_000;
    };
    let mut handle = world.open_with(Which::New, quiet);
    turn(&mut handle, "the port is 4711").await;
    turn(&mut handle, "shorter").await;
    let event = until(&mut handle, |event| matches!(event, Event::Compacted { .. })).await;
    let Event::Compacted { record } = event else { panic!() };
    let RecordBody::Compacted(folded) = &record.body else { panic!() };
    let told = folded.notes.last().is_some_and(|note| note.contains("NOTES: so it was"));
    assert_eq!((folded.reason, told), (FoldReason::Idle, true));
    turn(&mut handle, "and now?").await;
    let sent = world.server.requests().last().unwrap().body["messages"].to_string();
    assert!(sent.contains("the port is 4711") && sent.contains("NOTES: so it was") && !sent.contains("word1500 "));
    assert_eq!(input(&handle).await, 21_500, "the notes count");
    let session = handle.session.clone();
    drop(handle);
    let mut again = world.open_when_free(Which::Resume(session.0)).await;
    assert_eq!(input(&again).await, 21_500, "also after a restart");
    turn(&mut again, "still there?").await;
    let Reply::Cache(report) = again.query(Query::Cache).await else { panic!() };
    let why: Vec<_> = report.breaks.iter().map(|broke| broke.why).collect();
    assert_eq!(why, [reasonix_proto::Break::Compaction]);
    world.server.assert_valid();
}
