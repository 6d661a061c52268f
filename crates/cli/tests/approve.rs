//! `run --approve` and the dangerous class, with the built binary.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

mod support;

use reasonix_testkit::Reply;
use serde_json::json;
use support::Place;

fn bash(command: &str) -> Reply {
    Reply::call("bash", json!({"command": command}))
}

#[test]
fn a_dangerous_command_is_refused_until_it_is_approved_for_the_run() {
    let place = Place::new(vec![bash("rm old.txt"), Reply::say("I may not"), bash("rm old.txt"), Reply::say("gone")]);
    place.configure("[permissions]\nmode = \"allow\"\n");
    place.work.write("old.txt", "x\n");
    let ran = place.run(&["run", "delete it"]);
    assert_eq!(ran.code, Some(3), "{}", ran.err);
    assert!(ran.err.contains("the dangerous class") && place.work.exists("old.txt"), "{}", ran.err);
    let ran = place.run(&["run", "--json", "--approve", "Bash(rm:*)", "delete it"]);
    assert_eq!(ran.code, Some(0), "{}", ran.err);
    assert!(!place.work.exists("old.txt"));
    assert!(ran.out.contains(r#""by":"--approve Bash(rm:*)""#), "{}", ran.out);
    assert!(!place.home.read("config.toml").contains("rm:"), "nothing is saved");
}

#[test]
fn a_rule_that_cannot_be_read_is_a_usage_error() {
    let place = Place::new(vec![]);
    let ran = place.run(&["run", "--approve", "Bash(", "x"]);
    assert_eq!(ran.code, Some(2), "{}", ran.err);
    assert!(ran.err.contains("Bash("), "{}", ran.err);
}
