//! A long conversation that is gone on with: its beginning is in the log alone until a prompt needs it.

use crate::world;

use reasonix_engine::{Handle, Which};
use reasonix_proto::{
    Event, Message, Op, Query, RecordBody, Reply, Rewind, SessionId, StopReason, TurnEnd, TurnState, Usage,
};
use reasonix_session::Sessions;
use reasonix_testkit::Reply as Answer;
use serde_json::Value;
use world::{World, end};

const TURNS: u32 = 24;

/// A session with so much in it that not all of it is held.
async fn long(world: &World) -> SessionId {
    let mut handle = world.open_when_free(Which::New).await;
    say(&mut handle, "turn 1").await;
    let session = handle.session.clone();
    end(handle).await;
    let sessions = Sessions::at(&world.home.path().join("state"));
    let opened = sessions.open(session.as_str(), |_| {}).unwrap();
    let filler = "word ".repeat(10_000);
    for turn in 2..=TURNS {
        let text = format!("turn {turn}");
        let words = format!("answer {turn} {filler}");
        let message = Message::Assistant { text: words, reasoning: None, calls: Vec::new(), stop: StopReason::End };
        let model = opened.history.model.clone();
        let prompt = RecordBody::Prompt { turn, text: text + " " + &filler, typed: None, images: Vec::new() };
        let answer = RecordBody::Assistant { turn, step: 1, model, message, usage: None };
        let over = RecordBody::TurnEnded { turn, end: TurnEnd::Done, steps: 1, usage: Usage::default(), cost: None };
        for body in [prompt, answer, over] {
            opened.journal.append(body).await.unwrap();
        }
    }
    session
}

async fn say(handle: &mut Handle, text: &str) {
    handle.submit(Op::Prompt { text: text.into(), resolved: false });
    let (mut over, mut idle) = (false, false);
    while !idle {
        match handle.events.next().await.expect("the session lives").event {
            Event::TurnEnded { record } => {
                assert!(matches!(record.body, RecordBody::TurnEnded { end: TurnEnd::Done, .. }), "{record:?}");
                over = true;
            }
            Event::State { state: TurnState::Idle } => idle = over,
            _ => {}
        }
    }
}

/// The first words of each message.
fn sent(world: &World) -> Vec<String> {
    let body: Value = world.server.requests().last().unwrap().body.clone();
    let list = body["messages"].as_array().unwrap().clone();
    let words = |message: &Value| {
        let text = message["content"].as_str().unwrap_or_default();
        text.split(' ').take(2).collect::<Vec<_>>().join(" ")
    };
    list.iter().skip(1).map(words).collect()
}

fn wanted(turns: u32, last: &str) -> Vec<String> {
    let each = (2..=turns).flat_map(|turn| [format!("turn {turn}"), format!("answer {turn}")]);
    ["turn 1".to_owned(), "ok".to_owned()].into_iter().chain(each).chain([last.to_owned()]).collect()
}

fn ok() -> Answer {
    Answer::say("ok")
}

#[tokio::test]
async fn a_prompt_sends_all_of_a_long_conversation() {
    let world = World::new(vec![ok(), ok(), ok()]).await;
    let session = long(&world).await;
    let mut handle = world.open_when_free(Which::Resume(session.0.clone())).await;
    let Reply::Context { parts, .. } = handle.query(Query::Context).await else { panic!("no context") };
    let counts: Vec<u64> = parts.iter().rev().take(3).map(|part| part.messages).collect();
    assert_eq!(counts, [0, u64::from(TURNS), u64::from(TURNS)], "results, answers, prompts");
    say(&mut handle, "go on").await;
    assert_eq!(sent(&world), wanted(TURNS, "go on"));
    // Back to a place from which on there is still more than is held.
    handle.submit(Op::Rewind { turn: TURNS, what: Rewind::Chat, summary: Some(false) });
    while !matches!(handle.events.next().await.expect("the session lives").event, Event::Moved { .. }) {}
    say(&mut handle, "otherwise").await;
    assert_eq!(sent(&world), wanted(TURNS - 1, "otherwise"));
    end(handle).await;
}
