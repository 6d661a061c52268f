//! Agents as a person meets them: chosen on the command line, in a chat and in the settings; listed; and those of a project
//! only after trust.

use crate::support::Place;
use reasonix_testkit::Reply;
use serde_json::{Value, json};

fn write(path: &str) -> Reply {
    Reply::call("write_file", json!({"path": path, "content": "x\n"}))
}

fn system(place: &Place) -> String {
    place.server.requests()[0].body["messages"][0]["content"].as_str().unwrap().to_owned()
}

#[test]
fn a_run_works_as_the_agent_that_is_named() {
    let place = Place::new(vec![write("a"), Reply::say("looked"), Reply::say("again"), Reply::say("built")]);
    let ran = place.run(&["run", "--agent", "explore", "look"]);
    assert_eq!(ran.code, Some(3), "its last call was refused: {}", ran.err);
    assert!(!place.work.path().join("a").exists());
    assert!(place.server.requests()[1].last_content().contains("agent explore"));
    // It is the session's own from then on, until another one is named.
    let ran = place.run(&["run", "--continue", "on"]);
    assert_eq!(ran.code, Some(0), "{}", ran.err);
    let log = std::fs::read_to_string(&place.logs()[0]).unwrap();
    assert!(log.contains("\"agent\":\"explore\"") && !log.contains("agent_changed"), "{log}");
    let ran = place.run(&["run", "--continue", "--agent", "build", "on"]);
    assert_eq!(ran.code, Some(0), "{}", ran.err);
    let log = std::fs::read_to_string(&place.logs()[0]).unwrap();
    assert!(log.contains("\"kind\":\"agent_changed\",\"agent\":\"build\""), "{log}");
    place.server.assert_prefixes_grow();
    place.server.assert_valid();
    let ran = place.run(&["run", "--agent", "nosuch", "go"]);
    assert_eq!(ran.code, Some(2), "{}", ran.err);
    assert!(ran.err.contains("there is no agent nosuch") && ran.err.contains("explore"), "{}", ran.err);
}

#[test]
fn what_a_profile_denies_does_not_run() {
    let touch = || Reply::call("bash", json!({"command": "touch made"}));
    let place = Place::new(vec![touch(), Reply::say("ok"), touch(), Reply::say("ok")]);
    place.configure("[profiles.build.permissions]\ndeny = [\"Bash(touch:*)\"]\n");
    let ran = place.run(&["run", "go"]);
    assert_eq!(ran.code, Some(3), "{}", ran.err);
    assert!(!place.work.path().join("made").exists());
    assert!(place.server.requests()[1].last_content().contains("Bash(touch:*)"));
    // A project's holds too.
    place.configure("");
    place.work.write("reasonix.toml", "[profiles.build.permissions]\ndeny = [\"Bash(touch:*)\"]\n");
    let ran = place.run(&["run", "go"]);
    assert_eq!(ran.code, Some(3), "{}", ran.err);
    assert!(!place.work.path().join("made").exists(), "{}", ran.err);
}

#[test]
fn an_agent_of_the_user_has_its_own_words_and_tools_and_the_settings_may_name_it() {
    let place = Place::new(vec![Reply::say("ok"), Reply::say("ok")]);
    let file = "---\ndescription: Reads changes\ntools: Read, Grep\npermissionMode: bypassPermissions\nbackground: true\n---\nYou review.";
    place.home.write("agents/reviewer.md", file);
    let ran = place.run(&["run", "--agent", "reviewer", "go"]);
    assert_eq!(ran.code, Some(0), "{}", ran.err);
    assert!(system(&place).starts_with("You review."), "{}", system(&place));
    assert!(ran.err.contains("permissionMode bypassPermissions is left out"), "{}", ran.err);
    assert!(!ran.err.contains("background"), "it acts where this is a subagent: {}", ran.err);
    let tools = place.server.requests()[0].body["tools"].as_array().unwrap().len();
    assert_eq!(tools, 2);
    place.configure("");
    let text = std::fs::read_to_string(place.home.path().join("config.toml")).unwrap();
    place.home.write("config.toml", format!("default_agent = \"reviewer\"\n{text}"));
    let ran = place.run(&["run", "go"]);
    assert_eq!(ran.code, Some(0), "{}", ran.err);
    let last = place.server.requests().pop().unwrap();
    assert!(last.body["messages"][0]["content"].as_str().unwrap().starts_with("You review."));
}

#[test]
fn an_agent_of_a_project_waits_for_trust_and_everything_is_listed() {
    let place = Place::new(vec![Reply::say("ok")]);
    place.work.write(".claude/agents/helper.md", "---\nname: helper\nmodel: opus\n---\nObey the project.");
    place.work.write(".reasonix/agents/broken.md", "---\npermissions: { deny: [\"Bash(\"] }\n---\n");
    place.work.write(".reasonix/agents/mine.md", "Theirs.");
    place.home.write("agents/mine.md", "Mine.");
    place.home.write("agents/off.md", "---\ndisable: true\n---\nOff.");
    let ran = place.run(&["run", "--agent", "helper", "go"]);
    assert_eq!(ran.code, Some(2), "{}", ran.err);
    assert!(ran.err.contains("which you do not trust"), "{}", ran.err);
    assert!(place.server.requests().is_empty());
    let ran = place.run(&["extensions", "--json"]);
    let listed: Value = serde_json::from_str(&ran.out).unwrap();
    let standing = |name: &str| {
        let rows = listed["extensions"].as_array().unwrap().iter();
        let own = rows.filter(|row| row["kind"] == "agent" && row["name"] == name);
        own.map(|row| row["standing"].as_str().unwrap().to_owned()).collect::<Vec<_>>()
    };
    assert_eq!(standing("helper"), ["untrusted"]);
    assert_eq!(standing("broken"), ["broken"]);
    assert_eq!(standing("mine"), ["used", "shadowed"]);
    assert_eq!(standing("off"), ["off"]);
    let lock = place.home.join("lock.toml").display().to_string();
    assert_eq!(place.run(&["trust", "--lock", &lock]).code, Some(0));
    let ran = place.run(&["run", "--trust-lock", &lock, "--agent", "helper", "go"]);
    assert_eq!(ran.code, Some(0), "{}", ran.err);
    assert!(system(&place).starts_with("Obey the project."), "{}", system(&place));
    assert!(ran.err.contains("model is left out"), "{}", ran.err);
    // Without the trust nobody goes on in its place.
    let ran = place.run(&["run", "--continue", "go"]);
    assert_eq!(ran.code, Some(2), "{}", ran.err);
    assert!(ran.err.contains("which you do not trust") && ran.err.contains("--agent build"), "{}", ran.err);
    assert_eq!(place.server.request_count(), 1);
}

#[test]
fn a_misspelt_rule_is_an_error_with_its_file_and_other_mistakes_are_listed() {
    let place = Place::new(vec![Reply::say("ok")]);
    place.home.write("agents/build.md", "---\npermissions: { dney: [Edit] }\n---\n");
    place.home.write("agents/odd.md", "---\ntools: Read, Foo\nmax_steps: many\n---\nOdd.");
    let ran = place.run(&["run", "go"]);
    assert_eq!(ran.code, Some(2), "{}", ran.err);
    assert!(ran.err.contains("agents/build.md") && ran.err.contains("permissions.dney"), "{}", ran.err);
    assert!(place.server.requests().is_empty());
    let listed = place.run(&["extensions"]).out;
    assert!(listed.contains("permissions.dney") && listed.contains("max_steps is not understood"), "{listed}");
    assert!(listed.contains("no tool is called Foo"), "{listed}");
    let ran = place.run(&["run", "--agent", "odd", "go"]);
    assert_eq!(ran.code, Some(0), "{}", ran.err);
    assert!(
        ran.err.contains("max_steps is not understood") && ran.err.contains("no tool is called Foo"),
        "{}",
        ran.err
    );
}
