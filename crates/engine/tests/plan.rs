//! Plan mode: nothing that changes something runs, the plan waits for a person, and the prefix only grows.

use crate::world;

use reasonix_engine::{Handle, Which};
use reasonix_proto::{Event, Mode, Op, PlanAnswer, Posture, Query, RecordBody, Reply as Told, ToolOutcome, TurnState};
use reasonix_testkit::Reply;
use serde_json::json;
use world::World;

/// Runs a prompt; plans are answered by `answer`, and questions about calls must not come up unless `asks`.
async fn turn(handle: &mut Handle, text: &str, answer: impl Fn(&str) -> PlanAnswer) -> Vec<Event> {
    handle.submit(Op::Prompt { text: text.into(), resolved: true });
    let mut events = Vec::new();
    loop {
        let event = handle.events.next().await.expect("the session lives").event;
        match &event {
            Event::Proposed { proposal } => {
                let answer = answer(&proposal.plan);
                handle.submit(Op::AnswerPlan { ask: proposal.ask.clone(), answer });
            }
            Event::Asked { asking } => {
                let choice = reasonix_proto::Choice::Deny;
                handle.submit(Op::Answer { ask: asking.ask.clone(), choice, digest: None, words: None, edited: None });
            }
            _ => {}
        }
        let ended = events.iter().any(|event| matches!(event, Event::TurnEnded { .. }));
        let over = ended && event == Event::State { state: TurnState::Idle };
        events.push(event);
        if over {
            return events;
        }
    }
}

fn outcomes(events: &[Event]) -> Vec<String> {
    let outcome = |event: &Event| match event {
        Event::ToolEnded { record } => match &record.body {
            RecordBody::Outcome { outcome: ToolOutcome::Done { content, .. }, .. } => {
                Some(content.words().into_owned())
            }
            RecordBody::Outcome { outcome: ToolOutcome::Denied { by }, .. } => Some(format!("denied: {by}")),
            RecordBody::Outcome { outcome, .. } => Some(format!("{outcome:?}")),
            _ => None,
        },
        _ => None,
    };
    events.iter().filter_map(outcome).collect()
}

fn write(path: &str) -> Reply {
    Reply::call("write_file", json!({"path": path, "content": "x\n"}))
}

fn bash(command: &str) -> Reply {
    Reply::call("bash", json!({"command": command}))
}

fn plan(text: &str) -> Reply {
    Reply::call("submit_plan", json!({"plan": text}))
}

async fn status(handle: &Handle) -> reasonix_proto::Status {
    match handle.query(Query::Status).await {
        Told::Status(status) => *status,
        other => panic!("{other:?}"),
    }
}

#[tokio::test]
async fn only_readers_run_until_a_plan_is_approved_and_then_it_is_carried_out_unasked() {
    let replies = vec![
        write("early"),
        bash("touch early"),
        bash("ls"),
        plan("# Add the file\n\n1. write it"),
        plan("# Add the file\n\n1. write it, 2. test"),
        write("late"),
        Reply::say("done"),
        write("later"),
        Reply::say("ok"),
    ];
    let world = World::new(replies).await;
    let mut handle = world.open(Which::New);
    // Even where nothing is asked, nothing may change.
    handle.submit(Op::SetPosture { posture: Posture::Yolo });
    handle.submit(Op::SetMode { mode: Mode::Plan });
    handle.submit(Op::SetPosture { posture: Posture::Ask });
    let events = turn(&mut handle, "add a file", |plan| match plan.contains("test") {
        true => PlanAnswer::Approve { edited: None, asks: false },
        false => PlanAnswer::Revise { note: "add a test".into() },
    })
    .await;
    let said = outcomes(&events);
    assert!(said[0].starts_with("denied: plan mode is on"), "{said:?}");
    assert!(said[1].starts_with("denied: plan mode is on"), "{said:?}");
    assert!(!world.work.path().join("early").exists());
    assert!(said[3].contains("not approve this plan yet: add a test"), "{said:?}");
    assert!(said[4].starts_with("The user approved the plan."), "{said:?}");
    assert!(world.work.path().join("late").exists(), "{said:?}");
    assert!(!events.iter().any(|event| matches!(event, Event::Asked { .. })), "carried out unasked");
    let now = status(&handle).await;
    assert_eq!((now.mode, now.title.as_str()), (Mode::Build, "Add the file"));
    // The next turn asks as ever.
    let events = turn(&mut handle, "one more", |_| PlanAnswer::default()).await;
    assert!(events.iter().any(|event| matches!(event, Event::Asked { .. })));
    let requests = world.server.requests();
    let first = requests[0].body["messages"].as_array().unwrap().last().unwrap()["content"].to_string();
    assert!(first.contains("Plan mode is on") && first.contains("add a file"), "{first}");
    world.server.assert_prefixes_grow();
    world.server.assert_valid();
}

/// What carries out an approved plan is not asked about by an ask rule; danger is, and what is denied stays denied.
#[tokio::test]
async fn in_the_window_of_a_plan_only_danger_asks_and_denials_hold() {
    let calls = [plan("# Do it"), bash("touch a"), bash("touch b"), bash("rm a"), Reply::say("ok"), bash("touch c")];
    let world = World::new(calls.into_iter().chain([Reply::say("ok")]).collect()).await;
    let mut handle = world.open_with(Which::New, |start| {
        start.world.settings.permissions.ask = vec!["Bash(touch:*)".into()];
        start.world.settings.permissions.deny = vec!["Bash(touch b)".into()];
    });
    let approve = |_: &str| PlanAnswer::Approve { edited: None, asks: false };
    let events = turn(&mut handle, "go", approve).await;
    let asked: Vec<_> = events.iter().filter(|event| matches!(event, Event::Asked { .. })).collect();
    assert!(matches!(asked.as_slice(), [Event::Asked { asking }] if !asking.danger.is_empty()), "{asked:?}");
    assert!(world.work.exists("a") && !world.work.exists("b"), "{:?}", outcomes(&events));
    let events = turn(&mut handle, "one more", approve).await;
    assert!(events.iter().any(|event| matches!(event, Event::Asked { .. })), "the rule asks again");
}

#[tokio::test]
async fn whoever_wants_to_be_asked_about_each_change_is() {
    let world = World::new(vec![plan("# Do it"), write("a"), Reply::say("ok")]).await;
    let mut handle = world.open(Which::New);
    let edited = || PlanAnswer::Approve { edited: Some("# Do less".into()), asks: true };
    let events = turn(&mut handle, "go", |_| edited()).await;
    assert!(events.iter().any(|event| matches!(event, Event::Asked { .. })));
    assert!(outcomes(&events)[0].ends_with("# Do less"));
    let planned = |event: &Event| match event {
        Event::Changed { record } => match &record.body {
            RecordBody::Planned(planned) => Some(planned.clone()),
            _ => None,
        },
        _ => None,
    };
    let planned: Vec<_> = events.iter().filter_map(planned).collect();
    assert!(planned[0].approved && planned[0].plan == "# Do less", "{planned:?}");
}

#[tokio::test]
async fn planning_goes_on_in_the_next_process_and_ends_by_a_word() {
    let world = World::new(vec![Reply::say("1"), write("a"), Reply::say("2"), write("b"), Reply::say("3")]).await;
    let mut handle = world.open(Which::New);
    handle.submit(Op::SetMode { mode: Mode::Plan });
    turn(&mut handle, "first", |_| PlanAnswer::default()).await;
    let session = handle.session.clone();
    drop(handle);
    let mut handle = world.open_when_free(Which::Resume(session.0)).await;
    assert_eq!(status(&handle).await.mode, Mode::Plan);
    let events = turn(&mut handle, "second", |_| PlanAnswer::default()).await;
    assert!(outcomes(&events)[0].starts_with("denied: plan mode is on"));
    handle.submit(Op::SetMode { mode: Mode::Build });
    let events = turn(&mut handle, "third", |_| PlanAnswer::default()).await;
    assert!(events.iter().any(|event| matches!(event, Event::Asked { .. })), "the gate asks again");
    let requests = world.server.requests();
    let last = |at: usize| requests[at].body["messages"].as_array().unwrap().last().unwrap()["content"].to_string();
    assert!(last(0).contains("Plan mode is on"));
    assert!(!last(1).contains("Plan mode"), "said once");
    assert!(last(3).contains("Plan mode is off"));
    world.server.assert_prefixes_grow();
}

/// Whoever says yes to a plan and wants to go on planning in the same moment is heard in that order.
#[tokio::test]
async fn planning_goes_on_when_that_is_said_behind_a_yes() {
    let replies = vec![plan("# One\n\n1. it"), write("late"), Reply::say("stopped")];
    let world = World::new(replies).await;
    let mut handle = world.open(Which::New);
    handle.submit(Op::SetMode { mode: Mode::Plan });
    handle.submit(Op::Prompt { text: "go".into(), resolved: true });
    let mut records = Vec::new();
    let mut said = None;
    loop {
        let event = handle.events.next().await.expect("the session lives").event;
        match event {
            Event::Proposed { proposal } => {
                let answer = PlanAnswer::Approve { edited: None, asks: false };
                handle.submit(Op::AnswerPlan { ask: proposal.ask.clone(), answer });
                said = Some(handle.submit(Op::SetMode { mode: Mode::Plan }));
            }
            Event::Changed { record } => records.push(record.body),
            Event::TurnEnded { .. } => break,
            _ => {}
        }
    }
    let said = said.expect("the plan was put before somebody").settled().await;
    assert_eq!(said, reasonix_proto::Settled::Done(reasonix_proto::Done::Applied));
    let order: Vec<_> = records
        .iter()
        .filter_map(|body| match body {
            RecordBody::Planned(_) => Some("planned"),
            RecordBody::ModeChanged { mode: Mode::Plan } => Some("plan"),
            RecordBody::ModeChanged { mode: Mode::Build } => Some("build"),
            _ => None,
        })
        .collect();
    assert_eq!(order, ["plan", "planned", "plan"]);
    assert_eq!(status(&handle).await.mode, Mode::Plan);
    assert!(!world.work.exists("late"), "nothing of it is carried out");
}
