//! Roles: the model of plan mode, and the one that writes notes. Each is asked in requests of its own; the session's own
//! model sees one conversation that grows.

use crate::world;

use reasonix_config::ModelEntry;
use reasonix_engine::{Handle, Start, Which};
use reasonix_proto::{Break, Compacted, Event, Mode, Op, PlanAnswer, Query, RecordBody, Reply as Told, TurnState};
use reasonix_testkit::{Reply, prefix_breaks};
use serde_json::json;
use world::World;

/// Does something until the session has nothing more to do; plans are approved.
async fn events(handle: &mut Handle, op: Op) -> Vec<Event> {
    handle.submit(op);
    let (mut events, mut busy) = (Vec::new(), false);
    loop {
        let event = handle.events.next().await.expect("the session lives").event;
        if let Event::Proposed { proposal } = &event {
            let answer = PlanAnswer::Approve { edited: None, asks: false };
            handle.submit(Op::AnswerPlan { ask: proposal.ask.clone(), answer });
        }
        busy |= matches!(event, Event::State { state: TurnState::AwaitingModel });
        let over = busy && event == Event::State { state: TurnState::Idle };
        events.push(event);
        if over {
            return events;
        }
    }
}

async fn turn(handle: &mut Handle, text: &str) -> Vec<Event> {
    events(handle, Op::Prompt { text: text.into(), resolved: true }).await
}

fn asked(world: &World) -> Vec<String> {
    world.server.requests().iter().map(|request| request.body["model"].as_str().unwrap().to_owned()).collect()
}

fn answered_by(events: &[Event]) -> Vec<String> {
    let one = |event: &Event| match event {
        Event::Message { record } => match &record.body {
            RecordBody::Assistant { model, .. } => Some(model.clone()),
            _ => None,
        },
        _ => None,
    };
    events.iter().filter_map(one).collect()
}

fn notices(events: &[Event], code: &str) -> usize {
    events.iter().filter(|event| matches!(event, Event::Notice { phrase, .. } if phrase.code == code)).count()
}

fn folded(events: &[Event]) -> Option<Compacted> {
    events.iter().find_map(|event| match event {
        Event::Compacted { record } => match &record.body {
            RecordBody::Compacted(folded) => Some((**folded).clone()),
            _ => None,
        },
        _ => None,
    })
}

/// The requests to one model, each of which has to begin with the one before.
fn assert_grows(world: &World, model: &str, of: std::ops::Range<usize>) {
    let requests = world.server.requests();
    let own: Vec<&[u8]> = requests
        .iter()
        .filter(|request| request.body["model"] == model)
        .map(|request| request.raw.as_slice())
        .collect();
    assert!(prefix_breaks(&own[of]).is_empty(), "{model}");
}

fn fill(role: &'static str) -> impl Fn(&mut Start) {
    move |start: &mut Start| drop(start.world.settings.roles.insert(role.into(), "mock/other".into()))
}

#[tokio::test]
async fn plan_mode_has_a_model_of_its_own_and_the_sessions_carries_the_plan_out() {
    let replies = vec![
        Reply::call("ls", json!({})),
        Reply::call("submit_plan", json!({ "plan": "# Add the file" })),
        Reply::call("write_file", json!({ "path": "late", "content": "x\n" })),
        Reply::say("done"),
        Reply::say("next"),
    ];
    let world = World::new(replies).await;
    let mut handle = world.open_with(Which::New, fill("plan"));
    handle.submit(Op::SetMode { mode: Mode::Plan });
    let events = turn(&mut handle, "add a file").await;
    assert_eq!(answered_by(&events), ["mock/other", "mock/other", "mock/m", "mock/m"]);
    assert_eq!(notices(&events, "engine.plan_model"), 1, "said once");
    assert!(world.work.path().join("late").exists());
    assert_eq!(answered_by(&turn(&mut handle, "and now?").await), ["mock/m"]);
    assert_eq!(asked(&world), ["other", "other", "m", "m", "m"]);
    assert_grows(&world, "other", 0..2);
    assert_grows(&world, "m", 0..3);
    world.server.assert_valid();
    let Told::Status(status) = handle.query(Query::Status).await else { panic!("a status") };
    assert_eq!(status.model, "mock/m", "the session's model is what it was");
}

#[tokio::test]
async fn a_resumed_session_plans_with_it_and_pro_goes_before_it() {
    let world = World::new(vec![Reply::say("one"), Reply::say("two"), Reply::say("three")]).await;
    let mut handle = world.open_with(Which::New, fill("plan"));
    handle.submit(Op::SetMode { mode: Mode::Plan });
    turn(&mut handle, "first").await;
    let session = handle.session.clone();
    drop(handle);
    let mut handle = loop {
        let mut base = world.base(Which::Resume(session.0.clone()));
        fill("plan")(&mut base);
        base.world.settings.agent.escalation_model = Some("mock/pro".into());
        base.world.settings.providers[0].models.push("pro".into());
        match reasonix_engine::start(base) {
            Ok(handle) => break handle,
            Err(_) => tokio::task::yield_now().await,
        }
    };
    turn(&mut handle, "second").await;
    handle.submit(Op::Escalate { on: true });
    turn(&mut handle, "third").await;
    assert_eq!(asked(&world), ["other", "other", "pro"], "the user's word for one turn goes first");
}

#[tokio::test]
async fn the_small_model_writes_the_notes() {
    let replies = vec![Reply::say("one"), Reply::say("two"), Reply::say("NOTES of the small one"), Reply::say("three")];
    let world = World::new(replies).await;
    let mut handle = world.open_with(Which::New, fill("small"));
    turn(&mut handle, &"first ".repeat(200)).await;
    turn(&mut handle, "second").await;
    let events = events(&mut handle, Op::Compact { instructions: String::new() }).await;
    let record = folded(&events).expect("a folding");
    assert_eq!(record.by.to_string(), "mock/other");
    assert!(record.notes.iter().any(|note| note.contains("NOTES of the small one")), "{:?}", record.notes);
    turn(&mut handle, "third").await;
    assert_eq!(asked(&world), ["m", "m", "other", "m"]);
    assert_grows(&world, "m", 0..2);
    world.server.assert_valid();
    let Told::Cache(report) = handle.query(Query::Cache).await else { panic!("a report") };
    let breaks: Vec<Break> = report.breaks.iter().map(|broke| broke.why).collect();
    assert_eq!(breaks, [Break::ModelChange, Break::Compaction], "each by its name");
}

#[tokio::test]
async fn where_the_small_model_cannot_the_sessions_own_writes_them() {
    let window = |start: &mut Start| {
        let id = "mock/other".to_owned();
        start.world.settings.models = vec![ModelEntry { id, context_window: Some(500), ..ModelEntry::default() }];
    };
    type Change = Box<dyn Fn(&mut Start)>;
    let cases: [(&str, Vec<Reply>, Change, &[&str]); 2] = [
        (
            "it fails",
            vec![Reply::fail(400, "{}"), Reply::say("OWN NOTES")],
            Box::new(|_| {}),
            &["m", "m", "other", "m"],
        ),
        ("it is too small", vec![Reply::say("OWN NOTES")], Box::new(window), &["m", "m", "m"]),
    ];
    for (what, answers, change, wanted) in cases {
        let replies = [vec![Reply::say("one"), Reply::say("two")], answers].concat();
        let world = World::new(replies).await;
        let mut handle = world.open_with(Which::New, |start| {
            fill("small")(start);
            change(start);
        });
        turn(&mut handle, &"first ".repeat(500)).await;
        turn(&mut handle, "second").await;
        let events = events(&mut handle, Op::Compact { instructions: String::new() }).await;
        let record = folded(&events).unwrap_or_else(|| panic!("{what}"));
        assert_eq!(record.by.to_string(), "mock/m", "{what}");
        assert_eq!(asked(&world), wanted, "{what}");
        if wanted.len() == 3 {
            assert_grows(&world, "m", 0..3);
        }
    }
}

#[tokio::test]
async fn a_role_that_names_nothing_is_said_and_nothing_stops() {
    let world = World::new(vec![Reply::say("hello")]).await;
    let mut handle = world.open_with(Which::New, |start| {
        start.world.settings.roles.insert("plan".into(), "nobody".into());
    });
    handle.submit(Op::SetMode { mode: Mode::Plan });
    let events = turn(&mut handle, "hi").await;
    assert_eq!((notices(&events, "engine.role_unknown"), answered_by(&events)), (1, vec!["mock/m".to_owned()]));
}
