//! What an answer claims is held against the log when its turn ends, and no model reads what came of it.

use crate::world;

use reasonix_engine::{Handle, Which};
use reasonix_proto::{Choice, ClaimStatus, Claimed, Event, Op, RecordBody, TurnState};
use reasonix_testkit::Reply as Answer;
use serde_json::json;
use world::World;

/// One turn in which everything is allowed; all its events.
async fn turn(handle: &mut Handle) -> Vec<Event> {
    handle.submit(Op::Prompt { text: "go".into(), resolved: true });
    let (mut events, mut ended) = (Vec::new(), false);
    loop {
        let event = handle.events.next().await.expect("the session lives").event;
        match &event {
            Event::Asked { asking } => {
                let (ask, choice) = (asking.ask.clone(), Choice::AllowOnce);
                handle.submit(Op::Answer { ask, choice, digest: None, words: None, edited: None });
            }
            Event::TurnEnded { .. } => ended = true,
            Event::State { state: TurnState::Idle } if ended => return events,
            _ => {}
        }
        events.push(event);
    }
}

/// A turn that ends on a refusal has an answer all the same, and what it claims is held against the log.
#[tokio::test]
async fn the_answer_of_a_turn_that_was_refused_something_is_checked() {
    let edit = json!({"path": "a.txt", "content": "x"});
    let world = World::new(vec![Answer::call("write_file", edit), Answer::say("All tests pass.")]).await;
    let mut handle = world.open_with(Which::New, |start| start.world.settings.permissions.deny = vec!["Edit".into()]);
    let events = turn(&mut handle).await;
    let refused = |event: &Event| {
        matches!(event, Event::TurnEnded { record } if matches!(&record.body,
        RecordBody::TurnEnded { end: reasonix_proto::TurnEnd::Refused { .. }, .. }))
    };
    assert!(events.iter().any(refused), "{events:?}");
    let claimed = claimed(&events).expect("it is looked at");
    assert_eq!(claimed.claims[0].status, ClaimStatus::Unsupported);
}

fn claimed(events: &[Event]) -> Option<Claimed> {
    let at = events.iter().position(|event| matches!(event, Event::Claimed { .. }))?;
    let end = events.iter().position(|event| matches!(event, Event::TurnEnded { .. })).expect("an end");
    let message = events.iter().rposition(|event| matches!(event, Event::Message { .. })).expect("an answer");
    assert!(message < at && at < end, "behind the answer and before the end of the turn");
    match events.get(at) {
        Some(Event::Claimed { record }) => match &record.body {
            RecordBody::Claimed(claimed) => Some((**claimed).clone()),
            other => panic!("{other:?}"),
        },
        _ => None,
    }
}

fn statuses(events: &[Event]) -> Vec<ClaimStatus> {
    claimed(events).map(|claimed| claimed.claims.iter().map(|claim| claim.status).collect()).unwrap_or_default()
}

#[tokio::test]
async fn a_claim_is_checked_when_the_turn_ends_and_no_model_reads_it() {
    let world = World::new(vec![
        Answer::call("bash", json!({"command": "sh ./test.sh"})),
        Answer::say("All tests pass."),
        Answer::say("Yes, all tests pass."),
        Answer::call("bash", json!({"command": "echo 1 > a.rs"})),
        Answer::say("所有测试都通过了。"),
        Answer::say("Nothing to say."),
    ])
    .await;
    world.work.write("test.sh", "echo '3 passed'\n");
    let mut handle = world.open(Which::New);
    let first = turn(&mut handle).await;
    let found = claimed(&first).expect("a claim");
    assert_eq!((found.claims.len(), found.claims[0].status), (1, ClaimStatus::Verified), "{found:?}");
    assert_eq!(found.claims[0].by.len(), 1);
    assert_eq!(statuses(&turn(&mut handle).await), [ClaimStatus::Verified], "nothing changed since");
    assert_eq!(statuses(&turn(&mut handle).await), [ClaimStatus::Stale]);
    assert_eq!(claimed(&turn(&mut handle).await), None, "nothing is claimed");
    let sent: String = world.server.requests().iter().map(|request| request.body.to_string()).collect();
    for word in ["\"claims\"", "claimed", "evidence.proved", "evidence.stale", "verified: "] {
        assert!(!sent.contains(word), "{word}: {sent}");
    }
}

#[tokio::test]
async fn a_session_that_is_taken_up_again_knows_what_it_did() {
    let world = World::new(vec![
        Answer::call("bash", json!({"command": "sh ./test.sh"})),
        Answer::say("Done."),
        Answer::say("All tests pass."),
    ])
    .await;
    world.work.write("test.sh", "echo '3 passed'\n");
    let mut handle = world.open(Which::New);
    assert_eq!(claimed(&turn(&mut handle).await), None);
    let session = handle.session.clone();
    drop(handle);
    let mut again = world.open_when_free(Which::Resume(session.to_string())).await;
    assert_eq!(statuses(&turn(&mut again).await), [ClaimStatus::Verified]);
}

#[tokio::test]
async fn it_can_be_switched_off() {
    let world = World::new(vec![Answer::say("All tests pass.")]).await;
    let mut handle = world.open_with(Which::New, |start| start.world.settings.evidence.enabled = false);
    assert_eq!(claimed(&turn(&mut handle).await), None);
    let world = World::new(vec![Answer::say("All tests pass.")]).await;
    assert_eq!(statuses(&turn(&mut world.open(Which::New)).await), [ClaimStatus::Unsupported]);
}
