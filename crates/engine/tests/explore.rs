//! Explore, then fold: what was sent up to the checkpoint stays to the byte, and what came after it gives way to a report.

use crate::world;

use reasonix_engine::{Handle, Start, Which};
use reasonix_proto::{Choice, Event, Op, RecordBody, ToolOutcome, TurnState};
use reasonix_testkit::{Recorded, Reply, prefix_breaks};
use serde_json::json;
use world::World;

fn explores(start: &mut Start) {
    start.world.settings.recall.checkpoint = true;
}

/// Runs one prompt. Where a question comes up, `also` is said, and then it is answered with yes.
async fn turn(handle: &mut Handle, prompt: &str, also: Option<&str>) -> Vec<RecordBody> {
    handle.submit(Op::Prompt { text: prompt.into(), resolved: true });
    let (mut records, mut ended) = (Vec::new(), false);
    loop {
        match handle.events.next().await.expect("the session lives").event {
            Event::Asked { asking } => {
                if let Some(text) = also {
                    handle.submit(Op::Steer { text: text.into() });
                }
                handle.submit(Op::Answer {
                    ask: asking.ask.clone(),
                    choice: Choice::AllowOnce,
                    digest: None,
                    words: None,
                    edited: None,
                });
            }
            Event::ToolEnded { record } | Event::Changed { record } | Event::Noted { record } => {
                records.push(record.body);
            }
            Event::TurnEnded { .. } => ended = true,
            Event::State { state: TurnState::Idle } if ended => return records,
            _ => {}
        }
    }
}

/// Whether one request extends another, byte for byte.
fn extends(later: &Recorded, earlier: &Recorded) -> bool {
    prefix_breaks(&[&earlier.raw, &later.raw]).is_empty()
}

fn mark() -> Reply {
    Reply::call("checkpoint", json!({"goal": "where is the parser?"}))
}

fn report() -> Reply {
    Reply::call("rewind", json!({"report": "The parser is in a.txt, line 1."}))
}

#[tokio::test]
async fn what_was_explored_gives_way_to_the_report_and_the_rest_stays_to_the_byte() {
    let world = World::new(vec![
        mark(),
        Reply::calls(&[
            ("read_file", json!({"path": "a.txt"})),
            ("write_file", json!({"path": "b.txt", "content": "x"})),
        ]),
        report(),
        Reply::say("It is in a.txt."),
        Reply::say("Yes."),
        Reply::say("Still."),
    ])
    .await;
    world.work.write("a.txt", "the parser\nNOISE\n");
    let mut handle = world.open_with(Which::New, explores);
    let records = turn(&mut handle, "find the parser", Some("only in this folder")).await;
    let back = records.iter().find_map(|body| match body {
        RecordBody::Rewound(back) => Some(back),
        _ => None,
    });
    assert_eq!(back.unwrap().said, ["only in this folder"], "{records:?}");
    turn(&mut handle, "sure?", None).await;
    world.server.assert_valid();
    let requests = world.server.requests();
    let (marked, folded, later) = (&requests[1], &requests[3], &requests[4]);
    assert_eq!(folded.messages().len(), marked.messages().len() + 1);
    assert!(extends(folded, marked), "the prefix stays to the byte");
    assert!(!extends(folded, &requests[2]));
    assert!(extends(later, folded), "and goes on from there");
    let last = folded.last_content();
    assert!(last.contains("The parser is in a.txt, line 1.") && last.contains("only in this folder"), "{last}");
    assert!(!String::from_utf8_lossy(&folded.raw).contains("NOISE"));
    assert!(world.work.exists("b.txt"), "files are not taken back");
    // Another process goes on from the same place.
    let session = handle.session.0.clone();
    drop(handle);
    let mut again = world.open_when_free(Which::Resume(session)).await;
    turn(&mut again, "and now?", None).await;
    let resumed = world.server.requests().pop().unwrap();
    assert!(extends(&resumed, later), "the log gives the same conversation");
}

#[tokio::test]
async fn killed_after_any_record_the_next_request_is_valid() {
    let mut replies = vec![mark(), Reply::call("ls", json!({})), report(), Reply::say("done")];
    replies.extend((0..40).map(|_| Reply::say("on")));
    let world = World::new(replies).await;
    let mut handle = world.open_with(Which::New, explores);
    turn(&mut handle, "look around", None).await;
    let session = handle.session.0.clone();
    drop(handle);
    drop(world.open_when_free(Which::Resume(session.clone())).await);
    let path = format!("state/sessions/{session}.jsonl");
    let log = std::fs::read_to_string(world.home.join(&path)).unwrap();
    let lines: Vec<&str> = log.lines().collect();
    assert!(log.contains("\"kind\":\"rewound\""));
    for kept in 2..=lines.len() {
        let id = format!("{kept:032x}");
        let text = lines[..kept].iter().map(|line| format!("{line}\n")).collect::<String>();
        world.home.write(format!("state/sessions/{id}.jsonl"), text);
        let mut handle = world.open(Which::Resume(id));
        turn(&mut handle, "go on", None).await;
        let request = world.server.requests().pop().unwrap();
        let told = String::from_utf8_lossy(&request.raw).contains("This is your report");
        let folded = lines[..kept].iter().any(|line| line.contains("\"kind\":\"rewound\""));
        assert_eq!(told, folded, "after {kept} records");
    }
    world.server.assert_valid();
}

#[tokio::test]
async fn one_at_a_time_a_word_before_the_end_and_nothing_across_turns() {
    let world = World::new(vec![
        mark(),
        Reply::call("checkpoint", json!({"goal": "another"})),
        Reply::say("I stop here."),
        Reply::say("I really do."),
        report(),
        Reply::say("no"),
        Reply::call("rewind", json!({"report": " "})),
        Reply::say("no"),
    ])
    .await;
    let mut handle = world.open_with(Which::New, explores);
    let records = turn(&mut handle, "look", None).await;
    let failed = |body: &RecordBody| matches!(body, RecordBody::Outcome { outcome: ToolOutcome::Failed { .. }, .. });
    assert_eq!(records.iter().map(failed).collect::<Vec<_>>(), [false, true, false]);
    assert!(matches!(&records[2], RecordBody::Note { text, by_user: false, .. } if text.contains("rewind")));
    // The next turn has no checkpoint, and nothing is folded.
    for prompt in ["report", "report again"] {
        assert!(turn(&mut handle, prompt, None).await.iter().all(failed));
    }
    world.server.assert_prefixes_grow();
    world.server.assert_valid();
}

#[tokio::test]
async fn a_folding_in_between_does_not_lose_the_way_back() {
    let names: Vec<String> = (0..12).map(|number| format!("{number}.txt")).collect();
    let reads: Vec<_> = names.iter().map(|name| ("read_file", json!({ "path": name }))).collect();
    // As many tokens as the bytes suggest: what is counted corrects the estimate.
    let world = World::new(vec![
        mark().with_usage(4500, 10, 0),
        Reply::calls(&reads).with_usage(4600, 10, 0),
        report(),
        Reply::say("done"),
    ])
    .await;
    for name in &names {
        world.work.write(name, format!("{name}: a line that fills the window\n").repeat(1000));
    }
    let mut handle = world.open_with(Which::New, |start| {
        explores(start);
        start.world.settings.providers[0].context_window = 16_000;
    });
    turn(&mut handle, "look around", None).await;
    let requests = world.server.requests();
    let compacted =
        std::fs::read_to_string(world.home.join(format!("state/sessions/{}.jsonl", handle.session))).unwrap();
    assert!(compacted.contains("\"kind\":\"compacted\""), "there was a folding");
    assert!(extends(requests.last().unwrap(), &requests[1]), "what was sent at the checkpoint is what it goes on from");
    world.server.assert_valid();
}

#[tokio::test]
async fn off_unless_wanted() {
    let world = World::new(vec![mark(), Reply::say("ok")]).await;
    let mut handle = world.open(Which::New);
    let records = turn(&mut handle, "look", None).await;
    assert!(matches!(&records[0], RecordBody::Outcome { outcome: ToolOutcome::Failed { .. }, .. }), "{records:?}");
    assert!(!String::from_utf8_lossy(&world.server.requests()[0].raw).contains("checkpoint"));
}
