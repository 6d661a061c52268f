//! Earlier sessions are found again: by a person, and by the model.

use crate::support;

use reasonix_testkit::Reply;
use serde_json::json;
use support::Place;

#[test]
fn a_person_finds_what_was_said() {
    let place = Place::new(vec![
        Reply::say("The frobnicator needs its cache warmed. Key: sk-abcdefghijklmnopqrst"),
        Reply::say("缓存已清理"),
    ]);
    assert_eq!(place.run(&["run", "why does the frobnicator fail?"]).code, Some(0));
    assert!(!place.home.exists("state/cache"), "nothing is made before somebody searches");
    assert_eq!(place.run(&["run", "清理缓存"]).code, Some(0));
    let found = place.run(&["history", "frobnicator", "cache"]);
    assert_eq!(found.code, Some(0), "{}", found.err);
    assert!(found.out.contains("frobnicator needs its cache") && found.out.contains("[redacted]"), "{}", found.out);
    assert!(!found.out.contains("sk-abc"), "{}", found.out);
    let json = place.run(&["history", "缓存", "--json"]).out;
    let first: serde_json::Value = serde_json::from_str(json.lines().next().unwrap()).unwrap();
    assert_eq!((first["by"].as_str(), first["record"].is_u64()), (Some("user"), true), "{json}");
    let id = found.out.split_whitespace().next().unwrap();
    let around = place.run(&["history", "--around", id]);
    assert!(around.out.contains("why does the frobnicator fail?"), "{}", around.out);
    let none = place.run(&["history", "xyzzy"]);
    assert_eq!((none.code, none.out.as_str()), (Some(0), ""));
    assert!(none.err.contains("--global"), "{}", none.err);
    assert_eq!(place.run(&["history", "--around", "rubbish"]).code, Some(2));
    assert_eq!(place.run(&["history"]).code, Some(2));
}

#[test]
fn the_model_finds_what_was_said_here_and_not_what_it_was_just_asked() {
    let place = Place::new(vec![
        Reply::say("It was the umlaut in the path."),
        Reply::call("history", json!({"query": "umlaut path"})),
        Reply::say("It was the umlaut."),
    ]);
    assert_eq!(place.run(&["run", "why did the build break?"]).code, Some(0));
    let ran = place.run(&["run", "--json", "what did we say about the umlaut path?"]);
    assert_eq!(ran.code, Some(0), "{}", ran.err);
    let outcome = ran.out.lines().find(|line| line.contains("\"tool_ended\"")).unwrap();
    assert!(outcome.contains("It was the umlaut in the path."), "{outcome}");
    assert!(!outcome.contains("what did we say"), "{outcome}");
    place.server.assert_valid();
}

/// What a tool gave back is found, and what a rule denies to read is not.
#[test]
fn the_model_finds_outputs_of_what_it_may_read() {
    let looks = || [Reply::call("history", json!({"query": "aardvark"})), Reply::say("ok")];
    let replies = [Reply::call("read_file", json!({"path": "key.txt"})), Reply::say("read")];
    let place = Place::new(replies.into_iter().chain(looks()).chain(looks()).collect());
    place.work.write("key.txt", "the aardvark stands here\n");
    assert_eq!(place.run(&["run", "what is in the file?"]).code, Some(0));
    let outcome = || {
        let ran = place.run(&["run", "--json", "what was there?"]);
        assert_eq!(ran.code, Some(0), "{}", ran.err);
        ran.out.lines().find(|line| line.contains("\"tool_ended\"")).unwrap().to_owned()
    };
    let found = outcome();
    assert!(found.contains(" tool\\n") && found.contains("the aardvark stands here"), "{found}");
    place.configure("[permissions]\ndeny = [\"Read(key.txt)\"]\n");
    let closed = outcome();
    assert!(!closed.contains("stands here") && closed.contains("no hits"), "{closed}");
}
