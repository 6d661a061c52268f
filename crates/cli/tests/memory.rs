//! `reasonix memory`, and what a session begins with.

use crate::support;

use reasonix_testkit::Reply;
use support::Place;

#[test]
fn saved_listed_shown_and_forgotten() {
    let place = Place::new(vec![Reply::say("one"), Reply::say("two"), Reply::say("three")]);
    let none = place.run(&["memory"]);
    assert_eq!((none.code, none.out.as_str()), (Some(0), ""));
    assert!(none.err.contains("nothing is remembered"), "{}", none.err);
    let ran = place.run(&["memory", "add", "build-command", "use", "ninja", "--description", "how to build"]);
    assert_eq!(ran.code, Some(0), "{}", ran.err);
    assert_eq!(place.run(&["memory", "add", "--global", "tone", "be brief"]).code, Some(0));
    assert_eq!(place.run(&["memory", "add", "build-command", "use bazel"]).code, Some(0));
    let listed = place.run(&["memory", "list"]).out;
    assert!(listed.contains("tone  global  be brief") && listed.contains("build-command  project"), "{listed}");
    let shown = place.run(&["memory", "show", "build-command"]).out;
    assert!(shown.contains("use bazel") && shown.contains("revision: 2") && shown.contains("source: user"), "{shown}");
    let archived = place.run(&["memory", "list", "--archived", "--json"]).out;
    let first: serde_json::Value = serde_json::from_str(archived.lines().next().unwrap()).unwrap();
    assert_eq!((first["name"].as_str(), first["text"].as_str()), (Some("build-command.1"), Some("use ninja")));
    assert!(place.run(&["memory", "show", "build-command.1"]).out.contains("use ninja"));
    assert_eq!(place.run(&["memory", "forget", "build-command"]).code, Some(0));
    assert_eq!(place.run(&["memory", "forget", "build-command"]).code, Some(1));
    assert_eq!(place.run(&["memory", "add", "../x", "y"]).code, Some(2));
    assert!(!place.run(&["memory", "list"]).out.contains("build-command"));
}

#[test]
fn a_session_begins_with_what_is_remembered_and_keeps_what_it_began_with() {
    let place = Place::new(vec![Reply::say("one"), Reply::say("two"), Reply::say("three"), Reply::say("four")]);
    assert_eq!(place.run(&["run", "hi"]).code, Some(0));
    assert_eq!(place.run(&["memory", "add", "--global", "tone", "be brief"]).code, Some(0));
    assert_eq!(place.run(&["run", "--continue", "again"]).code, Some(0));
    place.server.assert_prefixes_grow();
    assert_eq!(place.run(&["run", "a new one"]).code, Some(0));
    place.configure("[memory]\nenabled = false\n");
    assert_eq!(place.run(&["run", "without"]).code, Some(0));
    let told: Vec<bool> = place
        .server
        .requests()
        .iter()
        .map(|request| request.messages()[0]["content"].as_str().unwrap().contains("- tone: be brief"))
        .collect();
    assert_eq!(told, [false, false, true, false]);
}
