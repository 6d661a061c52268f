//! `reasonix batch` against the built binary: each task once, however often the process dies; clones, patches, budgets.

use crate::support;

use reasonix_testkit::{ModelServer, Reply};
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::time::{Duration, Instant};
use support::Place;

fn results(place: &Place) -> Vec<Value> {
    let text = std::fs::read_to_string(place.work.join("tasks.results.jsonl")).unwrap_or_default();
    text.lines().filter_map(|line| serde_json::from_str(line).ok()).collect()
}

fn by_id(place: &Place) -> BTreeMap<String, Value> {
    results(place).into_iter().map(|result| (result["id"].as_str().unwrap().to_owned(), result)).collect()
}

/// Two hundred tasks, and the process is killed five times in between: two hundred results, each once.
#[test]
fn every_task_has_one_result_however_often_it_is_killed() {
    let server = ModelServer::start_with(|request| {
        let messages = request.messages();
        let called = messages.iter().any(|message| message["role"] == "tool");
        let prompt = messages.iter().find(|message| message["role"] == "user")?["content"].to_string();
        Some(if called { Reply::say(&format!("done with {prompt}")) } else { Reply::call("ls", json!({})) })
    });
    let place = Place::with_server(server);
    let mut tasks = String::new();
    for number in 0..200 {
        writeln!(tasks, "{}", json!({"id": format!("t{number}"), "prompt": format!("task {number};")})).unwrap();
    }
    place.work.write("tasks.jsonl", tasks);
    for death in 1..=5 {
        let mut child = place.spawn(&["batch", "tasks.jsonl", "--jobs", "8"]);
        let started = Instant::now();
        while results(&place).len() < death * 30 {
            assert!(started.elapsed() < Duration::from_secs(300), "no results: {}", results(&place).len());
            std::thread::sleep(Duration::from_millis(5));
        }
        child.kill().unwrap();
        child.wait().unwrap();
    }
    let before = results(&place).len();
    assert!((150..200).contains(&before), "{before}");
    let ran = place.run(&["batch", "tasks.jsonl", "--jobs", "8"]);
    assert_eq!(ran.code, Some(0), "{}", ran.err);
    let (all, each) = (results(&place), by_id(&place));
    assert_eq!((all.len(), each.len()), (200, 200));
    for (id, result) in &each {
        let number = id.strip_prefix('t').unwrap();
        assert_eq!((result["end"].as_str(), result["code"].as_u64()), (Some("done"), Some(0)), "{result}");
        assert!(result["answer"].as_str().unwrap().contains(&format!("task {number};")), "{result}");
        assert!(result["session"].is_string() && result["usage"]["input"].as_u64() > Some(0), "{result}");
    }
    let ran = place.run(&["batch", "tasks.jsonl"]);
    assert_eq!(ran.code, Some(0), "{}", ran.err);
    assert_eq!(results(&place).len(), 200, "nothing is done again");
}

/// A task works in a clone: what it changed is a patch, the repository stays as it is, and no hook of it is run.
#[test]
fn a_task_works_in_a_clone_and_leaves_a_patch() {
    let place = Place::new(vec![
        Reply::call("write_file", json!({"path": "new.txt", "content": "made\n"})),
        Reply::say("done"),
    ]);
    place.work.git_init();
    place.work.write("old.txt", "old\n");
    place.work.git(&["add", "old.txt"]);
    place.work.git(&["-c", "user.name=a", "-c", "user.email=a@b", "commit", "-qm", "one"]);
    place.work.write(".git/hooks/post-checkout", "#!/bin/sh\ntouch hooked\n");
    place.work.git(&["config", "core.fsmonitor", "touch monitored"]);
    place.work.write("tasks.jsonl", "{\"id\":\"a\",\"prompt\":\"make it\",\"repo\":\".\"}\n");
    let ran = place.run(&["batch", "tasks.jsonl"]);
    assert_eq!(ran.code, Some(0), "{}", ran.err);
    let result = by_id(&place).remove("a").unwrap();
    let patch = std::fs::read_to_string(result["patch"].as_str().unwrap_or_else(|| panic!("{result}"))).unwrap();
    assert!(patch.contains("+++ b/new.txt") && patch.contains("+made") && !patch.contains("old.txt"), "{patch}");
    assert!(!place.work.exists("new.txt") && !place.work.exists("hooked") && !place.work.exists("monitored"));
    assert!(!place.work.exists("tasks.work/a"), "the clone is gone");
}

#[test]
fn a_batch_spends_no_more_than_it_may_and_goes_on_later() {
    let server = ModelServer::start_with(|_| Some(Reply::say("done").with_usage(900, 100, 0)));
    let place = Place::with_server(server);
    let tasks: String = (0..6).fold(String::new(), |all, number| all + &format!("{{\"prompt\":\"task {number}\"}}\n"));
    place.work.write("tasks.jsonl", tasks);
    let ran = place.run(&["batch", "tasks.jsonl", "--jobs", "1", "--max-tokens", "2500"]);
    assert_eq!(ran.code, Some(5), "{}", ran.err);
    assert!((2..=3).contains(&results(&place).len()), "{}", ran.err);
    assert_eq!(place.server.requests().len(), 3, "one request goes beyond");
    let ran = place.run(&["batch", "tasks.jsonl", "--jobs", "3"]);
    assert_eq!(ran.code, Some(0), "{}", ran.err);
    assert_eq!((results(&place).len(), by_id(&place).len()), (6, 6));
}

#[test]
fn what_is_wrong_with_a_batch_is_said_before_anything_begins() {
    let place = Place::new(vec![Reply::say("never")]);
    place.work.write("tasks.jsonl", "{\"prompt\":\"a\"}\n{\"promt\":\"b\"}\n");
    let ran = place.run(&["batch", "tasks.jsonl"]);
    assert_eq!(ran.code, Some(2), "{}", ran.err);
    assert!(ran.err.contains("line 2") && place.server.requests().is_empty(), "{}", ran.err);
    place.work.write("tasks.jsonl", "{\"id\":\"x\",\"prompt\":\"a\",\"repo\":\"nowhere\"}\n");
    let ran = place.run(&["batch", "tasks.jsonl"]);
    assert_eq!(ran.code, Some(0), "{}", ran.err);
    let result = by_id(&place).remove("x").unwrap();
    assert_eq!((result["end"].as_str(), result["error"].is_string()), (Some("not_begun"), true), "{result}");
}
