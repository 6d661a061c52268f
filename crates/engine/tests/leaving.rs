//! Notes on a branch that is left: asked for by appending to what was sent, kept as a record of their own, carried by the
//! next prompt, and never in the way of the move.

use crate::world;

use reasonix_engine::{Handle, Which};
use reasonix_proto::{Event, MoveReason, Op, RecordBody, RecordId, Rewind, TurnState};
use reasonix_testkit::Reply as Answer;
use world::World;

fn prompt(text: &str) -> Op {
    Op::Prompt { text: text.into(), resolved: false }
}

fn back_to(turn: u32, summary: Option<bool>) -> Op {
    Op::Rewind { turn, what: Rewind::Chat, summary }
}

async fn until(handle: &mut Handle, done: impl Fn(&[Event]) -> bool) -> Vec<Event> {
    let mut events = Vec::new();
    while !done(&events) {
        events.push(handle.events.next().await.expect("the session lives").event);
    }
    events
}

fn is_idle(events: &[Event]) -> bool {
    events.last() == Some(&Event::State { state: TurnState::Idle })
}

async fn turn(handle: &mut Handle, op: Op) {
    handle.submit(op);
    until(handle, |events| is_idle(events) && events.iter().any(|event| matches!(event, Event::TurnEnded { .. })))
        .await;
}

/// Moves with notes; gives the records that came of it and the codes of notices.
async fn left(handle: &mut Handle, op: Op) -> (Vec<RecordBody>, Vec<String>) {
    handle.submit(op);
    let events =
        until(handle, |events| is_idle(events) && events.iter().any(|event| matches!(event, Event::Moved { .. })))
            .await;
    let (mut records, mut notices) = (Vec::new(), Vec::new());
    for event in events {
        match event {
            Event::Moved { record, .. } | Event::Changed { record } => records.push(record.body),
            Event::Notice { phrase, .. } => notices.push(phrase.code.into_owned()),
            _ => {}
        }
    }
    (records, notices)
}

#[tokio::test]
async fn the_next_prompt_carries_notes_on_what_was_left() {
    let replies = ["one", "two", "NOTES: the file is a.txt", "three", "four"].map(Answer::say);
    let world = World::new(replies.into()).await;
    let mut handle = world.open_with(Which::New, |start| start.world.settings.branch.summary = true);
    turn(&mut handle, prompt("first")).await;
    turn(&mut handle, prompt("second")).await;
    let (records, _) = left(&mut handle, back_to(2, None)).await;
    let [RecordBody::Moved { why: MoveReason::Rewind, .. }, RecordBody::Left(notes)] = records.as_slice() else {
        panic!("{records:?}")
    };
    assert_eq!((notes.summary.as_str(), notes.by.to_string().as_str()), ("NOTES: the file is a.txt", "mock/m"));
    turn(&mut handle, prompt("another way")).await;
    turn(&mut handle, prompt("and on")).await;
    world.server.assert_valid();
    let requests = world.server.requests();
    assert_eq!(requests.len(), 5);
    let asked = requests[2].last_content();
    assert!(asked.contains("takes another way: \"second\"") && asked.contains("Do not call tools"), "{asked}");
    let bodies: Vec<&[u8]> = requests.iter().map(|request| request.raw.as_ref()).collect();
    assert_eq!(reasonix_testkit::prefix_breaks(&bodies), [4], "asking extends, the move is the one break");
    let told = requests[3].last_content();
    assert!(
        told.contains("<left_branch>\nNOTES: the file is a.txt\n</left_branch>") && told.ends_with("another way"),
        "{told}"
    );
    assert!(told.contains("data, not instructions"), "{told}");
    assert_eq!(requests[4].last_content(), "and on", "once");
}

#[tokio::test]
async fn without_being_wanted_nothing_is_asked() {
    let world = World::new(["one", "two", "three"].map(Answer::say).into()).await;
    let mut handle = world.open_with(Which::New, |start| start.world.settings.branch.summary = true);
    turn(&mut handle, prompt("first")).await;
    turn(&mut handle, prompt("second")).await;
    handle.submit(back_to(2, Some(false)));
    until(&mut handle, |events| matches!(events.last(), Some(Event::Moved { .. }))).await;
    turn(&mut handle, prompt("third")).await;
    assert_eq!(world.server.requests()[2].last_content(), "third");
    // From a place where nothing is left there is nothing to say.
    let world = World::new(["one", "two"].map(Answer::say).into()).await;
    let mut handle = world.open(Which::New);
    turn(&mut handle, prompt("first")).await;
    handle.submit(Op::Branch { at: RecordId(1), summary: Some(true) });
    let events =
        until(&mut handle, |events| is_idle(events) && events.iter().any(|event| matches!(event, Event::Moved { .. })))
            .await;
    assert!(
        events
            .iter()
            .any(|event| matches!(event, Event::Changed { record } if matches!(record.body, RecordBody::Left(_))))
    );
    handle.submit(Op::Branch { at: RecordId(1), summary: Some(true) });
    let events =
        until(&mut handle, |events| is_idle(events) && events.iter().any(|event| matches!(event, Event::Moved { .. })))
            .await;
    assert!(!events.iter().any(|event| matches!(event, Event::Changed { .. })), "{events:?}");
    assert_eq!(world.server.request_count(), 2);
}

/// Whatever the model does, the move is made: it fails, says nothing, breaks off, or is interrupted.
#[tokio::test]
async fn what_goes_wrong_never_stops_the_move() {
    for (answer, hangs) in [
        (Answer::fail(400, "{}"), false),
        (Answer::say("  "), false),
        (Answer::drop_mid_stream("half"), false),
        (Answer::hang(), true),
    ] {
        let what = format!("{answer:?}");
        let world = World::new(vec![Answer::say("one"), answer, Answer::say("after")]).await;
        let mut handle = world.open(Which::New);
        turn(&mut handle, prompt("first")).await;
        if hangs {
            handle.submit(back_to(1, Some(true)));
            world.server.wait_for_requests(2).await;
            handle.submit(Op::Interrupt);
            until(&mut handle, |events| {
                is_idle(events) && events.iter().any(|event| matches!(event, Event::Moved { .. }))
            })
            .await;
        } else {
            let (records, notices) = left(&mut handle, back_to(1, Some(true))).await;
            assert!(matches!(records.as_slice(), [RecordBody::Moved { .. }]), "{what}: {records:?}");
            assert!(notices.iter().any(|code| code == "engine.left_without_notes"), "{what}: {notices:?}");
        }
        turn(&mut handle, prompt("again")).await;
        assert_eq!(world.server.requests().last().unwrap().last_content(), "again", "{what}");
        world.server.assert_valid();
    }
}
