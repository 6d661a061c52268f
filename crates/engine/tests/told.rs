//! A session that goes on sends its tools as it was told of them when it began, whatever the running build says of them.

use crate::world::{World, turn};

use reasonix_agent::{ToolSpec, ToolTraits};
use reasonix_engine::{Handle, Which, imported_head, tool_specs};
use reasonix_proto::{Choice, Done, EditFormat, EditsWith, Event, Op, RecordBody, Settled, ToolOutcome};
use reasonix_session::{Beginning, Sessions};
use reasonix_testkit::Reply;
use serde_json::{Value, json};

/// A session on disk that began with these specs.
fn begun_with(world: &World, specs: &[ToolSpec]) -> Which {
    let head = imported_head(&world.base(Which::New)).expect("a head").head().clone();
    let prompt = RecordBody::Prompt { turn: 1, text: "before".into(), typed: None, images: Vec::new() };
    let sessions = Sessions::at(&world.home.path().join("state"));
    Which::Resume(sessions.import(Beginning::new(head, specs), vec![(1, prompt)]).expect("a session").0)
}

/// The tools of a request: name, description, parameters.
fn sent(request: &Value) -> Vec<(String, String, Value)> {
    let text = |value: &Value| value.as_str().expect("a text").to_owned();
    let of = |tool: &Value| {
        let tool = &tool["function"];
        (text(&tool["name"]), text(&tool["description"]), tool["parameters"].clone())
    };
    request["tools"].as_array().expect("tools").iter().map(of).collect()
}

fn as_sent(specs: &[ToolSpec]) -> Vec<(String, String, Value)> {
    specs.iter().map(|spec| (spec.name.clone(), spec.description.clone(), spec.parameters.clone())).collect()
}

/// What an earlier build may have told: one tool in other words, one with another schema, one that is gone, another order,
/// and one not yet there.
fn earlier(world: &World) -> Vec<ToolSpec> {
    let mut specs = tool_specs(&world.base(Which::New));
    specs.retain(|spec| spec.name != "ls");
    specs.reverse();
    for spec in &mut specs {
        if spec.name == "read_file" {
            spec.description = "Reads, as it was told then.".to_owned();
        } else if spec.name == "bash" {
            spec.parameters["properties"]["command"]["description"] = json!("as it was described then");
        }
    }
    let gone = json!({"type": "object", "properties": {"where": {"type": "string"}}});
    specs.insert(2, ToolSpec::new("teleport", "Goes there.", gone).with(ToolTraits::READS));
    specs
}

async fn bodies(world: &World, which: Which, turns: usize) -> Vec<Value> {
    let mut handle = world.open_when_free(which).await;
    for _ in 0..turns {
        turn(&mut handle, |_| Choice::AllowOnce).await;
    }
    world.server.requests().into_iter().map(|request| request.body).collect()
}

#[tokio::test]
async fn what_was_told_then_is_sent_again() {
    let world = World::new(vec![Reply::say("a"), Reply::say("b")]).await;
    let specs = earlier(&world);
    let which = begun_with(&world, &specs);
    let requests = bodies(&world, which.clone(), 1).await;
    assert_eq!(sent(&requests[0]), as_sent(&specs));
    let requests = bodies(&world, which, 1).await;
    assert_eq!(sent(&requests[1]), as_sent(&specs), "and again, by the next process");
}

#[tokio::test]
async fn a_tool_that_is_gone_fails_in_words_and_those_told_otherwise_run() {
    let calls = vec![
        Reply::call("teleport", json!({"where": "home"})),
        Reply::call("read_file", json!({"path": "a.txt"})),
        Reply::call("ls", json!({"path": "."})),
        Reply::say("done"),
    ];
    let world = World::new(calls).await;
    world.work.write("a.txt", "pelicans");
    let which = begun_with(&world, &earlier(&world));
    let mut handle = world.open_when_free(which).await;
    let outcomes = turn(&mut handle, |_| panic!("nothing is asked")).await;
    let ToolOutcome::Failed { message, .. } = &outcomes[0] else { panic!("{outcomes:?}") };
    assert!(message.contains("\"teleport\" is not there any more"), "{message}");
    let ToolOutcome::Done { content, .. } = &outcomes[1] else { panic!("{outcomes:?}") };
    assert!(content.words().contains("pelicans"), "{outcomes:?}");
    let ToolOutcome::Failed { message, .. } = &outcomes[2] else { panic!("{outcomes:?}") };
    assert!(message.contains("no tool named"), "what is new in this build is not in an old session: {message}");
}

/// The notices until the first prompt's turn is over.
async fn notices(handle: &mut Handle) -> Vec<String> {
    handle.submit(Op::Prompt { text: "go".into(), resolved: true });
    let mut codes = Vec::new();
    loop {
        match handle.events.next().await.expect("the session lives").event {
            Event::Notice { phrase, .. } => codes.push(phrase.code.to_string()),
            Event::TurnEnded { .. } => return codes,
            _ => {}
        }
    }
}

#[tokio::test]
async fn specs_that_are_lost_are_said_and_the_build_tells_its_own() {
    let world = World::new(vec![Reply::say("a")]).await;
    let which = begun_with(&world, &earlier(&world));
    std::fs::remove_dir_all(world.home.path().join("state/specs")).expect("specs");
    let mut handle = world.open_when_free(which).await;
    let said = notices(&mut handle).await;
    assert!(said.iter().any(|code| code == "engine.specs_lost"), "{said:?}");
    let names: Vec<_> = sent(&world.server.requests()[0].body).into_iter().map(|(name, ..)| name).collect();
    assert!(names.contains(&"read_file".to_owned()) && !names.contains(&"teleport".to_owned()), "{names:?}");
    assert!(!names.contains(&"ls".to_owned()), "the names still hold: {names:?}");
}

#[tokio::test]
async fn tools_that_the_user_chose_are_told_as_they_were() {
    let world = World::new(vec![Reply::say("a"), Reply::say("b")]).await;
    let specs = earlier(&world);
    let which = begun_with(&world, &specs);
    let mut handle = world.open_with(which, |start| {
        start.world.settings.tools.enabled = vec!["ls".into(), "read_file".into()];
    });
    turn(&mut handle, |_| Choice::Deny).await;
    let found = sent(&world.server.requests()[0].body);
    let told: Vec<_> = found.iter().map(|(name, told, _)| (name.as_str(), told.as_str())).collect();
    assert_eq!(told[0], ("read_file", "Reads, as it was told then."));
    assert_eq!((told.len(), told[1].0), (2, "ls"), "in the order of this build: {told:?}");
}

#[tokio::test]
async fn a_session_that_work_is_handed_to_is_told_the_same() {
    let world = World::new(vec![Reply::say("one"), Reply::say("notes"), Reply::say("two")]).await;
    let specs = earlier(&world);
    let mut handle = world.open_when_free(begun_with(&world, &specs)).await;
    turn(&mut handle, |_| Choice::Deny).await;
    let settled = handle.submit(Op::Handoff { focus: String::new() }).settled().await;
    let Settled::Done(Done::HandedOver { session }) = settled else { panic!("{settled:?}") };
    let requests = bodies(&world, Which::Resume(session.0), 1).await;
    assert_eq!(sent(requests.last().expect("requests")), as_sent(&specs));
}

#[tokio::test]
async fn a_new_session_keeps_what_it_sent() {
    let world = World::new(vec![Reply::say("a")]).await;
    let requests = bodies(&world, Which::New, 1).await;
    let sessions = Sessions::at(&world.home.path().join("state"));
    let id = sessions.list().expect("sessions").remove(0).id;
    let seen = sessions.look(id.as_str()).expect("a session");
    let RecordBody::Session(head) = &seen.head.body else { panic!("a head") };
    let specs = seen.past.specs(head).expect("they are there").expect("they are named");
    assert_eq!(as_sent(&specs), sent(&requests[0]));
}

/// An agent that has one tool, and stands in no file.
fn looker(start: &mut reasonix_engine::Start) {
    let profile = reasonix_proto::AgentProfile {
        name: "looker".into(),
        origin: reasonix_proto::AgentOrigin::User,
        tools: Some(vec!["grep".into()]),
        ..reasonix_proto::AgentProfile::default()
    };
    start.world.settings.profiles = [("looker".to_owned(), profile)].into();
}

/// Goes on with a session as an agent, for a turn; gives the request.
async fn as_agent(world: &World, which: &Which, agent: Option<&str>, attended: bool) -> reasonix_testkit::Recorded {
    let mut handle = loop {
        let mut base = world.base(which.clone());
        looker(&mut base);
        base.attended = attended;
        match reasonix_engine::start(base) {
            Ok(handle) => break handle,
            Err(error) if error.phrase().code == "session.in_use" => tokio::task::yield_now().await,
            Err(error) => panic!("{error}"),
        }
    };
    if let Some(agent) = agent {
        handle.submit(Op::WorkAs { agent: agent.into() }).settled().await;
    }
    turn(&mut handle, |_| Choice::Deny).await;
    world.server.requests().pop().expect("a request")
}

/// Another agent goes on, and back, each time in a process whose build tells otherwise of its tools.
#[tokio::test]
async fn what_an_agent_was_told_is_sent_again() {
    let world = World::new((0..6).map(|number| Reply::say(&number.to_string())).collect()).await;
    let which = begun_with(&world, &earlier(&world));
    let first = as_agent(&world, &which, Some("looker"), true).await;
    let resumed = as_agent(&world, &which, None, true).await;
    assert!(reasonix_testkit::prefix_breaks(&[&first.raw, &resumed.raw]).is_empty());
    // Without people, what asks them stays where the session had it.
    let back = as_agent(&world, &which, Some("build"), false).await;
    let told = sent(&back.body);
    assert!(
        told.iter().any(|(name, told, _)| name == "read_file" && told == "Reads, as it was told then."),
        "{told:?}"
    );
    assert!(told.iter().any(|(name, ..)| name == "ask"), "{told:?}");
    let resumed = as_agent(&world, &which, None, true).await;
    assert!(reasonix_testkit::prefix_breaks(&[&back.raw, &resumed.raw]).is_empty());
}

/// What a session edits with stands in its head: one format, or that there are several.
#[tokio::test]
async fn the_head_of_a_new_session_says_what_it_edits_with() {
    let world = World::new(Vec::new()).await;
    let mut start = world.base(Which::New);
    let said = |start: &_| imported_head(start).expect("a head").head().edit;
    assert_eq!(said(&start), EditsWith::Several);
    for format in EditFormat::ALL {
        start.world.settings.tools.edit = format.name().to_owned();
        assert_eq!(said(&start), EditsWith::One(format));
    }
    start.world.settings.tools.edit = "auto".into();
    start.world.settings.tools.enabled = vec!["read_file".into(), "apply_patch".into()];
    assert_eq!(said(&start), EditsWith::One(EditFormat::ApplyPatch), "it is offered no other");
}
