//! What a newcomer types and gets wrong: names that are shortened, turns that never were, files that are there already.

use crate::support;

use reasonix_testkit::{Pty, Reply};
use serde_json::json;
use support::Place;

fn said(place: &Place, prompt: &str) -> String {
    assert_eq!(place.run(&["run", prompt]).code, Some(0));
    place.run(&["sessions"]).out.split_whitespace().next().unwrap().to_owned()
}

/// What is listed may be shortened everywhere that a session is named.
#[test]
fn the_beginning_of_what_is_listed_names_a_session() {
    let place = Place::new(vec![Reply::say("fine"), Reply::say("on")]);
    let id = said(&place, "hello there");
    let short = &id[..5];
    for args in [&["sessions", "show", short][..], &["sessions", "check", short], &["sessions", "name", short, "T"]] {
        let ran = place.run(args);
        assert_eq!(ran.code, Some(0), "{args:?}: {}", ran.err);
    }
    assert_eq!(place.run(&["run", "--resume", short, "go on"]).code, Some(0));
    assert!(place.run(&["undo", "--session", short]).err.contains("nothing"), "it is found");
}

/// The kind of a document is that of its name, and what is there is not written over.
#[test]
fn an_export_is_what_its_file_is_called() {
    let place = Place::new(vec![Reply::say("fine")]);
    let id = said(&place, "hello there");
    for (name, begins) in [("out.html", "<!doctype html>"), ("out.md", "#")] {
        assert_eq!(place.run(&["sessions", "export", &id, "-o", name]).code, Some(0));
        assert!(place.work.read(name).starts_with(begins), "{name}");
        let again = place.run(&["sessions", "export", &id, "-o", name]);
        assert_eq!(again.code, Some(1));
        assert!(again.err.contains("is there already") && !again.err.contains("os error"), "{}", again.err);
        assert!(!again.err.contains("free space"), "{}", again.err);
    }
    assert_eq!(place.run(&["sessions", "export", &id, "-o", "plain.html", "--format", "md"]).code, Some(0));
    assert!(place.work.read("plain.html").starts_with('#'), "who says it outweighs the name");
}

/// Turns that never were are not answered as if they had been.
#[test]
fn a_turn_that_never_was_is_told_of() {
    let write = Reply::call("write_file", json!({"path": "a.txt", "content": "x"}));
    let place = Place::new(vec![write, Reply::say("fine"), Reply::say("on")]);
    assert_eq!(place.run(&["run", "--approve", "Edit", "write it"]).code, Some(0));
    assert_eq!(place.run(&["run", "--continue", "look"]).code, Some(0));
    for args in [
        &["changes", "--turn", "9"][..],
        &["changes", "--turn", "0"],
        &["rewind", "--to", "9"],
        &["rewind", "--to", "0"],
        &["rewind", "--to", "9", "--both"],
    ] {
        let ran = place.run(args);
        assert_ne!(ran.code, Some(0), "{args:?}: {}", ran.out);
        assert!(
            ran.err.contains("there is no turn") || ran.err.contains("not on this branch"),
            "{args:?}: {}",
            ran.err
        );
    }
    let ran = place.run(&["changes"]);
    assert!(ran.out.contains("a.txt") && !ran.out.contains("turn 2"), "{}", ran.out);
    assert!(place.work.exists("a.txt"));
}

/// What `doctor` says of the check is what a run does.
#[test]
fn doctor_says_what_is_not_checked_in_a_folder_that_is_not_trusted() {
    let place = Place::new(vec![]);
    place.work.write("Makefile", "test:\n\ttrue\n");
    let untrusted = place.run(&["doctor", "--offline"]).out;
    assert!(untrusted.contains("edits are not checked: `make test`"), "{untrusted}");
    place.configure("[validation]\ncommand = \"make test\"\n");
    let own = place.run(&["doctor", "--offline"]).out;
    assert!(own.contains("edits are checked with `make test`"), "{own}");
}

/// What an agent may not do is said to be its limit, with the way out.
#[test]
fn what_an_agent_may_not_do_is_said_to_be_its_limit() {
    let write = Reply::call("write_file", json!({"path": "a.txt", "content": "x"}));
    let place = Place::new(vec![write, Reply::say("All tests pass.")]);
    let ran = place.run(&["run", "--agent", "explore", "write it"]);
    assert!(ran.err.contains("the agent explore may not do that"), "{}", ran.err);
    assert!(ran.err.contains("--agent build") && !ran.err.contains("--approve"), "{}", ran.err);
    assert!(!ran.err.contains("the rule agent"), "{}", ran.err);
}

#[test]
fn what_says_nothing_is_asked_what_it_means() {
    let place = Place::new(vec![]);
    let ran = place.run(&["explain"]);
    assert!(ran.err.contains("no command to explain"), "{}", ran.err);
    place.work.write("tasks.jsonl", "{\"prompt\":\"x\"}\n");
    assert_eq!(place.run(&["batch", "tasks.jsonl", "--jobs", "0"]).code, Some(2));
}

/// Another file of settings is looked at before it is used.
#[test]
fn another_file_of_settings_is_shown_and_examined() {
    let place = Place::new(vec![]);
    place.work.write("other.toml", "default_model = \"other\"\n[[providers]]\nname = \"other\"\nkind = \"openai\"\nbase_url = \"http://127.0.0.1:9/v1\"\nmodel = \"m9\"\n");
    let shown = place.run(&["config", "show", "--config", "other.toml"]);
    assert!(shown.out.contains("m9") && !shown.out.contains("\"m1\""), "{} {}", shown.out, shown.err);
    let examined = place.run(&["doctor", "--offline", "--config", "other.toml"]);
    assert!(examined.out.contains("other"), "{} {}", examined.out, examined.err);
}

/// A draft that a crash left outlives a start that came to nothing.
#[test]
fn a_draft_outlives_a_start_that_failed() {
    let place = Place::new(vec![Reply::say("fine"), Reply::say("on")]);
    said(&place, "hello there");
    let open = |args: &[&str]| {
        let pty = Pty::new(100, 24);
        let child = pty.spawn(place.command(args));
        (pty, child)
    };
    let drafts = || {
        let Ok(entries) = std::fs::read_dir(place.home.join("state/tui")) else { return Vec::new() };
        let text = |entry: std::fs::DirEntry| std::fs::read_to_string(entry.path()).ok();
        let is_draft = |entry: &std::fs::DirEntry| entry.file_name().to_string_lossy().starts_with("draft-");
        entries.flatten().filter(is_draft).filter_map(text).collect::<Vec<_>>()
    };
    let (mut pty, mut child) = open(&["-c"]);
    pty.wait_for("the composer", |written| written.contains("fine"));
    pty.keys("half a sentence");
    while drafts() != ["half a sentence"] {
        std::thread::yield_now();
    }
    child.kill().unwrap();
    child.wait().unwrap();
    let (_pty, mut child) = open(&["--resume", "zzz"]);
    assert!(!child.wait().unwrap().success());
    assert_eq!(drafts(), ["half a sentence"]);
    let (pty, mut child) = open(&["-c"]);
    pty.wait_for("the draft", |written| written.contains("half a sentence"));
    child.kill().unwrap();
    child.wait().unwrap();
}

/// Whoever makes a copy is told that they are in it, and how to go back.
#[test]
fn a_copy_says_where_one_is() {
    let place = Place::new(vec![Reply::say("fine")]);
    let id = said(&place, "hello there");
    for plain in ["", "1"] {
        let mut pty = Pty::new(100, 24);
        let mut command = place.command(&["--resume", &id]);
        command.env("REASONIX_PLAIN", plain);
        let mut child = pty.spawn(command);
        pty.wait_for("the session", |written| written.contains("fine") || written.contains("> "));
        pty.keys("/fork");
        pty.wait_for("what was typed", |written| written.contains("/fork"));
        pty.keys("\r");
        pty.wait_for("where one is", |written| {
            written.contains("you are in a copy") && written.contains(&format!("/resume {id}"))
        });
        child.kill().unwrap();
        child.wait().unwrap();
    }
}
