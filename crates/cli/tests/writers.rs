//! Subagents that write, as a person meets them: what is merged can be taken back by `reasonix undo`, and what a killed
//! process left is collected, while a live one keeps what it works in.

use crate::support::Place;
use reasonix_testkit::{ModelServer, Recorded, Reply};
use serde_json::json;
use std::path::PathBuf;
use std::time::Duration;

/// A session that starts a writer, which writes a file and then does as it is told.
fn place(then: fn() -> Reply) -> Place {
    let place = Place::with_server(ModelServer::start_with(move |request: &Recorded| {
        let messages = request.messages();
        let steps = messages.iter().filter(|message| message["role"] == "assistant").count();
        let child = messages[0]["content"].as_str().unwrap_or_default().starts_with("You are a subagent");
        let call = json!({"agent": "general", "tasks": [{"id": "W", "assignment": "write"}]});
        Some(match (child, steps) {
            (true, 0) => Reply::call("write_file", json!({"path": "made.txt", "content": "made\n"})),
            (true, _) => then(),
            (false, 0) => Reply::call("task", call),
            (false, _) => Reply::say("all done"),
        })
    }));
    place.work.write("a.txt", "a\n");
    place.work.git_init();
    place.work.write("dirty.txt", "dirty\n");
    place
}

/// The folders of sessions that have clones.
fn clones(place: &Place) -> Vec<PathBuf> {
    let all = std::fs::read_dir(place.home.join("state/isolation")).into_iter().flatten().flatten();
    all.map(|entry| entry.path()).filter(|path| path.is_dir()).collect()
}

fn is_at_work(place: &Place) -> bool {
    clones(place).iter().any(|folder| folder.join("0-W/tree/made.txt").exists())
}

#[test]
fn what_a_writer_made_is_there_and_undo_takes_it_back() {
    let place = place(|| Reply::say("wrote it"));
    let ran = place.run(&["run", "go"]);
    assert_eq!((ran.code, ran.out.trim()), (Some(0), "all done"), "{}", ran.err);
    assert_eq!((place.work.read("made.txt").as_str(), place.work.read("dirty.txt").as_str()), ("made\n", "dirty\n"));
    assert!(clones(&place).is_empty(), "nothing is left of it: {:?}", clones(&place));
    let told = place.server.requests().last().unwrap().last_content().to_owned();
    assert!(told.contains("Merged: 1 files (made.txt)."), "{told}");
    let undone = place.run(&["undo"]);
    assert_eq!(undone.code, Some(0), "{}", undone.err);
    assert!(!place.work.exists("made.txt") && place.work.exists("dirty.txt"));
    assert_eq!(place.run(&["undo", "--redo"]).code, Some(0));
    assert!(place.work.exists("made.txt"));
    place.server.assert_prefixes_grow_in(2);
    place.server.assert_valid();
}

/// What a process knew of a writer's work the next one knows: the patch of what was not merged, and that what a killed one did is gone.
#[test]
fn a_writer_that_goes_on_in_another_process_knows_where_its_work_is() {
    for (killed, told) in [(false, "they are the patch artifact://"), (true, "they were lost with the one before.]")] {
        let place = Place::with_server(ModelServer::start_with(move |request: &Recorded| {
            let messages = request.messages();
            let steps = messages.iter().filter(|message| message["role"] == "assistant").count();
            let child = messages[0]["content"].as_str().unwrap_or_default().starts_with("You are a subagent");
            let one = |id: &str| json!({"id": id, "assignment": format!("write {id}")});
            let first = if killed { json!([one("W")]) } else { json!([one("W"), one("F")]) };
            let said = request.last_content().to_owned();
            Some(match (child, steps) {
                (true, _) if said == "write F" => Reply::fail(400, "{\"error\":{\"message\":\"no\"}}"),
                (true, 0) => Reply::call("write_file", json!({"path": "made.txt", "content": "made\n"})),
                (true, _) if killed && !said.contains("[This is a new clone") => Reply::hang(),
                (true, _) => Reply::say("over"),
                (false, 0) => Reply::call("task", json!({"agent": "general", "tasks": first})),
                (false, _) if said.ends_with("on") => Reply::call("task", json!({"tasks": [one("0-W")]})),
                (false, _) => Reply::say("all done"),
            })
        }));
        place.work.write("a.txt", "a\n");
        place.work.git_init();
        if killed {
            let mut child = place.spawn(&["run", "go"]);
            while !is_at_work(&place) {
                std::thread::sleep(Duration::from_millis(20));
            }
            child.kill().unwrap();
            child.wait().unwrap();
        } else {
            assert_eq!(place.run(&["run", "go"]).code, Some(0));
        }
        let ran = place.run(&["run", "--continue", "on"]);
        assert_eq!(ran.code, Some(0), "{}", ran.err);
        let read = |request: &Recorded| request.last_content().contains("[This is a new clone");
        let read = place.server.requests().into_iter().find(read).expect("it goes on");
        assert!(read.last_content().contains(told), "{}", read.last_content());
        place.server.assert_prefixes_grow_in(if killed { 2 } else { 3 });
        place.server.assert_valid();
    }
}

#[test]
fn what_a_killed_session_left_is_collected_and_a_live_one_keeps_its_own() {
    let place = place(Reply::hang);
    let begin = |place: &Place| {
        let child = place.spawn(&["run", "go"]);
        while !is_at_work(place) {
            std::thread::sleep(Duration::from_millis(20));
        }
        child
    };
    let mut child = begin(&place);
    let gc = place.run(&["store", "gc"]);
    assert!(gc.out.contains("clones of subagents: 1 session, "), "{} {}", gc.out, gc.err);
    assert!(gc.out.contains("left by sessions that are gone: 0"), "{}", gc.out);
    assert!(is_at_work(&place), "it is at work there");
    child.kill().unwrap();
    child.wait().unwrap();
    let du = place.run(&["store", "du"]);
    assert!(du.out.contains("left by sessions that are gone: 1"), "{} {}", du.out, du.err);
    assert_eq!(clones(&place).len(), 1, "du only counts");
    place.run(&["store", "gc"]);
    assert!(clones(&place).is_empty());
    assert!(!place.work.exists("made.txt"), "nothing of it reached the project");
    // The next session does the same beside its work.
    let mut child = begin(&place);
    child.kill().unwrap();
    child.wait().unwrap();
    while !clones(&place).is_empty() {
        let ran = place.run(&["run", "--continue", "on"]);
        assert_eq!(ran.code, Some(0), "{}", ran.err);
    }
    assert!(!place.work.exists("made.txt"));
    place.server.assert_valid();
}
