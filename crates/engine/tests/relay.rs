//! Models that take over from one another: a larger one for a turn, a larger window when the context fills, and one that
//! plans. Events, records and requests are looked at.

use crate::world;

use reasonix_config::ModelEntry;
use reasonix_engine::{Handle, Start, Which};
use reasonix_proto::{EscalatedBy, Event, Op, Query, Record, RecordBody, Reply as Answer};
use reasonix_testkit::{Recorded, Reply, prefix_breaks};
use serde_json::json;
use world::World;

/// Runs one turn, and gives its events.
async fn turn(handle: &mut Handle, prompt: &str) -> Vec<Event> {
    handle.submit(Op::Prompt { text: prompt.into(), resolved: true });
    let mut events = Vec::new();
    loop {
        let event = handle.events.next().await.expect("the session lives").event;
        let over = matches!(event, Event::TurnEnded { .. });
        events.push(event);
        if over {
            return events;
        }
    }
}

fn records(events: &[Event]) -> Vec<&Record> {
    events
        .iter()
        .filter_map(|event| match event {
            Event::Changed { record } | Event::Message { record } | Event::TurnStarted { record } => {
                Some(record.as_ref())
            }
            _ => None,
        })
        .collect()
}

fn escalations(events: &[Event]) -> Vec<(String, EscalatedBy, String)> {
    let one = |record: &&Record| match &record.body {
        RecordBody::Escalated(found) => Some((found.model.clone(), found.by, found.detail.clone())),
        _ => None,
    };
    records(events).iter().filter_map(one).collect()
}

fn answered_by(events: &[Event]) -> Vec<String> {
    let one = |record: &&Record| match &record.body {
        RecordBody::Assistant { model, .. } => Some(model.clone()),
        _ => None,
    };
    records(events).iter().filter_map(one).collect()
}

fn asked(world: &World) -> Vec<String> {
    world.server.requests().iter().map(|request| request.body["model"].as_str().unwrap().to_owned()).collect()
}

fn with_pro(start: &mut Start) {
    start.world.settings.agent.escalation_model = Some("mock/other".into());
}

#[tokio::test]
async fn the_users_word_holds_for_one_turn() {
    let world = World::new(vec![Reply::say("one"), Reply::say("two"), Reply::say("three")]).await;
    let mut handle = world.open_with(Which::New, |start| {
        with_pro(start);
        start.world.settings.agent.auto_escalate = false;
    });
    handle.submit(Op::Escalate { on: true });
    handle.submit(Op::Escalate { on: true });
    let events = turn(&mut handle, "hard").await;
    assert_eq!(escalations(&events), [("mock/other".to_owned(), EscalatedBy::User, String::new())]);
    assert_eq!(answered_by(&events), ["mock/other"]);
    assert_eq!(answered_by(&turn(&mut handle, "easy").await), ["mock/m"]);
    handle.submit(Op::Escalate { on: true });
    handle.submit(Op::Escalate { on: false });
    assert_eq!(answered_by(&turn(&mut handle, "easy").await), ["mock/m"], "taken back");
    assert_eq!(asked(&world), ["other", "m", "m"]);
    let system = world.server.requests()[0].body["messages"][0]["content"].to_string();
    assert!(!system.contains("NEEDS_PRO"), "nobody is told of a marker that is not heeded");
    world.server.assert_valid();
}

#[tokio::test]
async fn the_model_can_ask_for_it_in_its_first_line_only() {
    let replies = vec![
        Reply::say_pieces(&["<<<NEEDS", "_PRO: a hard", " proof>>>"]),
        Reply::say("solved"),
        Reply::say("Write <<<NEEDS_PRO>>> yourself."),
    ];
    let world = World::new(replies).await;
    let mut handle = world.open_with(Which::New, with_pro);
    let events = turn(&mut handle, "prove it").await;
    assert_eq!(escalations(&events), [("mock/other".to_owned(), EscalatedBy::Model, "a hard proof".to_owned())]);
    assert_eq!(answered_by(&events), ["mock/other"]);
    let shown: String = events
        .iter()
        .filter_map(|event| if let Event::Text { delta } = event { Some(delta.as_str()) } else { None })
        .collect();
    assert_eq!(shown, "solved", "the marker is nobody's answer");
    let events = turn(&mut handle, "how?").await;
    assert_eq!((escalations(&events).len(), answered_by(&events)), (0, vec!["mock/m".to_owned()]));
    assert_eq!(asked(&world), ["m", "other", "m"]);
    world.server.assert_valid();
    let requests = world.server.requests();
    let own: Vec<&[u8]> = [&requests[0], &requests[2]].iter().map(|request| request.raw.as_slice()).collect();
    assert!(prefix_breaks(&own).is_empty(), "the session's own model sees one conversation that grows");
}

#[tokio::test]
async fn three_failures_are_enough() {
    let edit = |text: &str| Reply::call("edit_file", json!({ "path": "a.txt", "old_string": text, "new_string": "y" }));
    let replies = vec![
        Reply::call("read_file", json!({ "path": "a.txt" })),
        edit("no 1"),
        edit("no 2"),
        edit("no 3"),
        Reply::say("done"),
        Reply::say("next"),
    ];
    let world = World::new(replies).await;
    world.work.write("a.txt", "x\n");
    let mut handle = world.open_with(Which::New, |start| {
        with_pro(start);
        start.attended = false;
    });
    let events = turn(&mut handle, "edit it").await;
    let wanted = ("mock/other".to_owned(), EscalatedBy::Failures, "3× edit failed".to_owned());
    assert_eq!(escalations(&events), [wanted], "once, with what failed");
    assert_eq!(asked(&world), ["m", "m", "m", "m", "other"]);
    assert_eq!(answered_by(&turn(&mut handle, "and?").await), ["mock/m"], "the turn after is as before");
}

#[tokio::test]
async fn without_a_larger_model_it_is_said() {
    let world = World::new(vec![Reply::say("x")]).await;
    let known = |start: &mut reasonix_engine::Start| start.world.settings.providers[0].context_window = 100_000;
    let mut handle = world.open_with(Which::New, known);
    handle.submit(Op::Escalate { on: true });
    let said = loop {
        match handle.events.next().await.unwrap().event {
            Event::Notice { phrase, .. } if phrase.code.starts_with("engine.") => break phrase,
            _ => {}
        }
    };
    assert_eq!(said.code, "engine.no_escalation");
}

#[tokio::test]
async fn a_larger_window_comes_before_folding() {
    let long = "word ".repeat(300);
    let world =
        World::new(vec![Reply::say("one").with_usage(8500, 10, 0), Reply::say("two"), Reply::say("three")]).await;
    let change = |start: &mut Start| {
        let entry = |id: &str, window: u64, promote_to: Option<&str>| ModelEntry {
            id: id.into(),
            context_window: Some(window),
            promote_to: promote_to.map(str::to_owned),
            ..ModelEntry::default()
        };
        start.world.settings.models =
            vec![entry("mock/m", 10_000, Some("mock/other")), entry("mock/other", 50_000, None)];
    };
    let mut handle = world.open_with(Which::New, change);
    turn(&mut handle, &long).await;
    let events = turn(&mut handle, "go on").await;
    let changed = records(&events)
        .into_iter()
        .any(|record| matches!(&record.body, RecordBody::ModelChanged { model, .. } if model == "mock/other"));
    assert!(changed, "{events:?}");
    assert!(!events.iter().any(|event| matches!(event, Event::Compacted { .. })), "nothing was folded");
    assert_eq!(answered_by(&events), ["mock/other"]);
    assert!(world.server.requests()[1].body.to_string().contains("word word"), "all of it was sent");
    let Answer::Status(status) = handle.query(Query::Status).await else { panic!("a status") };
    assert_eq!((status.model.as_str(), status.window), ("mock/other", 50_000));
    let session = handle.session.clone();
    drop(handle);
    let mut again = loop {
        let mut base = world.base(Which::Resume(session.0.clone()));
        change(&mut base);
        match reasonix_engine::start(base) {
            Ok(handle) => break handle,
            Err(_) => tokio::task::yield_now().await,
        }
    };
    assert_eq!(answered_by(&turn(&mut again, "still?").await), ["mock/other"], "the log says who goes on");
}

fn with_planner(start: &mut Start) {
    start.world.settings.agent.planner_model = Some("mock/other".into());
    start.attended = false;
}

fn of<'a>(requests: &'a [Recorded], model: &str) -> Vec<&'a Recorded> {
    requests.iter().filter(|request| request.body["model"] == model).collect()
}

#[tokio::test]
async fn a_planner_plans_in_a_session_of_its_own() {
    let replies = vec![
        Reply::call("read_file", json!({ "path": "a.txt" })).with_usage(50, 5, 0),
        Reply::say("Steps: 1. change a.txt").with_usage(60, 6, 0),
        Reply::say("changed").with_usage(70, 7, 0),
        Reply::say("No plan is needed.").with_usage(80, 8, 0),
        Reply::say("bye").with_usage(90, 9, 0),
        Reply::say("again planned"),
        Reply::say("and done"),
    ];
    let world = World::new(replies).await;
    world.work.write("a.txt", "x\n");
    let mut handle = world.open_with(Which::New, with_planner);
    let events = turn(&mut handle, "change it").await;
    let planned: Vec<_> = records(&events)
        .into_iter()
        .filter_map(
            |record| if let RecordBody::Planner(turn) = &record.body { Some(turn.as_ref().clone()) } else { None },
        )
        .collect();
    assert_eq!(planned.len(), 2, "when it begins, and when it is done");
    assert_eq!(planned[0].prompt.as_deref(), Some("change it"));
    assert_eq!((planned[1].usage.input, planned[1].usage.output, planned[1].steps), (110, 11, 1));
    let prompt = records(&events).into_iter().find_map(|record| match &record.body {
        RecordBody::Prompt { text, typed, .. } => Some((text.clone(), typed.clone())),
        _ => None,
    });
    let (text, typed) = prompt.expect("a prompt");
    assert_eq!(typed.as_deref(), Some("change it"), "the user's own words are what people see");
    assert!(text.contains("<plan by=\"mock/other\">\nSteps: 1. change a.txt\n</plan>"), "{text}");
    let Answer::Status(status) = handle.query(Query::Status).await else { panic!("a status") };
    assert_eq!(status.usage.input, 180, "what both spent");

    turn(&mut handle, "thanks").await;
    let requests = world.server.requests();
    let (planner, own) = (of(&requests, "other"), of(&requests, "m"));
    assert_eq!((planner.len(), own.len()), (3, 2));
    let tools: Vec<&str> = planner[0].body["tools"]
        .as_array()
        .unwrap()
        .iter()
        .filter_map(|tool| tool["function"]["name"].as_str())
        .collect();
    assert!(tools.contains(&"read_file") && !tools.contains(&"bash") && !tools.contains(&"write_file"), "{tools:?}");
    assert!(planner[2].last_content().contains("<carried_out>\nchanged"), "{}", planner[2].last_content());
    for of_one in [&planner, &own] {
        let bodies: Vec<&[u8]> = of_one.iter().map(|request| request.raw.as_slice()).collect();
        assert!(prefix_breaks(&bodies).is_empty(), "neither conversation is disturbed");
    }
    world.server.assert_valid();
    assert_eq!(logs(&world), 1, "one session for all its turns");

    let session = handle.session.clone();
    drop(handle);
    let mut again = loop {
        let mut base = world.base(Which::Resume(session.0.clone()));
        with_planner(&mut base);
        match reasonix_engine::start(base) {
            Ok(handle) => break handle,
            Err(_) => tokio::task::yield_now().await,
        }
    };
    turn(&mut again, "more").await;
    let requests = world.server.requests();
    let planner = of(&requests, "other");
    assert!(planner[3].body.to_string().contains("Steps: 1. change a.txt"), "the planner goes on where it was");
}

fn logs(world: &World) -> usize {
    let folder = world.home.path().join("state/planners/sessions");
    let is_log =
        |entry: std::io::Result<std::fs::DirEntry>| entry.unwrap().path().extension().is_some_and(|end| end == "jsonl");
    std::fs::read_dir(folder).unwrap().map(is_log).filter(|log| *log).count()
}

#[tokio::test]
async fn a_planner_that_fails_stops_nobody() {
    let replies = vec![Reply::fail(400, r#"{"error":{"message":"no"}}"#), Reply::say("done without")];
    let world = World::new(replies).await;
    let mut handle = world.open_with(Which::New, with_planner);
    let events = turn(&mut handle, "do it").await;
    let warned = events
        .iter()
        .any(|event| matches!(event, Event::Notice { phrase, .. } if phrase.code == "engine.planner_failed"));
    assert!(warned, "{events:?}");
    assert_eq!(answered_by(&events), ["mock/m"]);
    assert_eq!(of(&world.server.requests(), "m")[0].last_content(), "do it");
}

#[tokio::test]
async fn an_interrupt_while_it_plans_keeps_the_prompt() {
    let world =
        World::new(vec![Reply::hang_mid_stream("thinking"), Reply::say("hello again"), Reply::say("yes")]).await;
    let mut handle = world.open_with(Which::New, with_planner);
    handle.submit(Op::Prompt { text: "plan this".into(), resolved: true });
    world.server.wait_for_requests(1).await;
    handle.submit(Op::Interrupt);
    let mut prompt = None;
    loop {
        match handle.events.next().await.expect("the session lives").event {
            Event::TurnStarted { record } => prompt = Some(record.body),
            Event::TurnEnded { record } => {
                assert!(
                    matches!(record.body, RecordBody::TurnEnded { end: reasonix_proto::TurnEnd::Interrupted, .. }),
                    "{record:?}"
                );
                break;
            }
            _ => {}
        }
    }
    assert!(matches!(prompt, Some(RecordBody::Prompt { text, .. }) if text == "plan this"));
    turn(&mut handle, "go on").await;
    world.server.assert_valid();
}
