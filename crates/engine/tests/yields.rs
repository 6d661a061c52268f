//! Subagents that hand back what fits a schema: the tool `yield`, what they are reminded of, and what counts where they do not.

use crate::children::{asked, children, is_child, next_of, outcomes, parent, quiet, system, text, tools, world};
use reasonix_engine::Which;
use reasonix_proto::{AgentProfile, Event, Level};
use reasonix_testkit::{Recorded, Reply};
use serde_json::{Value, json};
use std::sync::Mutex;

fn schema() -> Value {
    json!({"type": "object", "properties": {"files": {"type": "array", "items": {"type": "string"}}}, "required": ["files"]})
}

fn wants() -> Value {
    json!({"tasks": [{"id": "A", "assignment": "find A"}], "schema": schema()})
}

fn choice(request: &Recorded) -> Value {
    request.body["tool_choice"].clone()
}

/// What does not fit is refused, what fits ends the work at once, and a part of it can be read.
#[tokio::test]
async fn a_result_is_held_to_its_schema_and_ends_the_work() {
    let calls = Mutex::new(vec![("task", wants()), ("read_file", json!({"path": "agent://0-A/files/1"}))]);
    let world = world(move |request| match (is_child(request), asked(request).1) {
        (true, 2) => Some(Reply::call("yield", json!({"result": {"found": 1}}))),
        (true, _) => Some(Reply::call("yield", json!({"result": {"files": ["a.rs", "b.rs"]}}))),
        (false, _) => Some(next_of(&calls)),
    });
    let mut handle = world.open(Which::New);
    let events = quiet(&mut handle).await;
    let asks = children(&world);
    assert_eq!(asks.len(), 2, "nobody is asked for a last word");
    let spec = asks[0].body["tools"].as_array().unwrap().last().unwrap().clone();
    assert_eq!(spec["function"]["name"], "yield");
    assert_eq!(spec["function"]["parameters"]["properties"]["result"], schema());
    assert!(asks[1].last_content().contains("does not fit its schema"), "{}", asks[1].last_content());
    let told: Vec<String> = outcomes(&events).iter().map(text).collect();
    assert!(told[0].contains("0-A (explore): done in 2 steps"), "{told:?}");
    assert!(told[0].contains("{\"files\":[\"a.rs\",\"b.rs\"]}"), "{told:?}");
    assert!(told[1].contains("b.rs") && !told[1].contains("a.rs"), "{told:?}");
    world.server.assert_prefixes_grow_in(2);
    world.server.assert_valid();
}

/// Three reminders and no more; the last one has the wire say that the tool has to be called.
#[tokio::test]
async fn who_hands_back_nothing_is_reminded_three_times() {
    let world = world(|request| match is_child(request) {
        true => Some(Reply::say(&format!("words {}", asked(request).1))),
        false => parent(wants(), request),
    });
    let mut handle = world.open(Which::New);
    let events = quiet(&mut handle).await;
    let asks = children(&world);
    assert_eq!(asks.len(), 4);
    let forced = json!({"type": "function", "function": {"name": "yield"}});
    assert_eq!(asks.iter().map(choice).collect::<Vec<_>>(), [Value::Null, Value::Null, Value::Null, forced]);
    assert!(asks[1].last_content().contains("Call `yield`"), "{}", asks[1].last_content());
    assert!(asks[3].last_content().contains("last reminder"));
    let told = text(&outcomes(&events)[0]);
    assert!(told.contains("nothing that fits the schema after 3 reminders") && told.contains("words 8"), "{told}");
    let warned = |event: &Event| matches!(event, Event::Notice { level: Level::Warning, phrase } if phrase.code == "engine.child_unfit");
    assert!(events.iter().any(|(_, event)| warned(event)));
    world.server.assert_prefixes_grow_in(2);
    world.server.assert_valid();
}

/// JSON in the last message is as good as a call, also of a model that calls nothing.
#[tokio::test]
async fn what_fits_in_words_counts() {
    let world = world(|request| match is_child(request) {
        true => Some(Reply::say("Here:\n```json\n{\"files\": []}\n```")),
        false => parent(wants(), request),
    });
    let mut handle = world.open(Which::New);
    let told = text(&outcomes(&quiet(&mut handle).await)[0]);
    assert!(told.contains("done in") && told.contains("{\"files\":[]}"), "{told}");
    assert_eq!(children(&world).len(), 1);
}

/// A profile's own schema; whoever goes on with it is held to the same one and sends what it sent.
#[tokio::test]
async fn a_profile_has_a_schema_and_keeps_it() {
    let calls = Mutex::new(vec![
        json!({"agent": "lister", "tasks": [{"id": "A", "assignment": "one"}]}),
        json!({"tasks": [{"id": "0-A", "assignment": "two"}], "schema": {"type": "string"}}),
        json!({"tasks": [{"id": "0-A", "assignment": "two"}]}),
        json!({"tasks": [{"id": "B", "assignment": "x"}], "schema": {"type": "nothing"}}),
    ]);
    let lists = |request: &Recorded| system(request).starts_with("You list.");
    let world = world(move |request| match lists(request) {
        true => Some(Reply::call("yield", json!({"result": [asked(request).1]}))),
        false => {
            let mut calls = calls.lock().unwrap();
            Some(if calls.is_empty() { Reply::say("done") } else { Reply::call("task", calls.remove(0)) })
        }
    });
    let mut handle = world.open_with(Which::New, |start| {
        let profile = AgentProfile {
            name: "lister".into(),
            prompt: Some("You list.".into()),
            tools: Some(vec!["read_file".into()]),
            output: Some(json!({"type": "array", "items": {"type": "integer"}})),
            ..AgentProfile::default()
        };
        start.world.settings.profiles = [("lister".to_owned(), profile)].into();
    });
    let events = quiet(&mut handle).await;
    let told: Vec<String> = outcomes(&events).iter().map(text).collect();
    assert!(told[0].contains("[2]"), "{told:?}");
    assert!(told[1].contains("what it hands back cannot be changed"), "{told:?}");
    assert!(told[2].contains("[6]"), "{told:?}");
    assert!(told[3].contains("the schema cannot be used"), "{told:?}");
    let asks: Vec<Recorded> = world.server.requests().into_iter().filter(lists).collect();
    assert_eq!(asks.len(), 2);
    assert_eq!(tools(&asks[1]), ["read_file", "yield"]);
    world.server.assert_prefixes_grow_in(2);
    world.server.assert_valid();
}
