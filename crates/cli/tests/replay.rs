//! Receipts: a session played again offline goes the same way, and two sessions are told apart.

use crate::support;

use reasonix_testkit::{ModelServer, Reply};
use serde_json::{Value, json};
use support::Place;

/// The durable events of a run, without the numbers that count ephemeral ones too. When each of several readers began that
/// run together hangs on the machine: those stand behind the others, by their calls.
fn durable(out: &str) -> Vec<Value> {
    let lines = out.lines().map(|line| serde_json::from_str::<Value>(line).unwrap());
    let kept = lines.filter(|line| line["ephemeral"] != true).map(|line| line["event"].clone());
    // What a command is called on the screen, and citations, are made from the machine as it is; nobody hands operations
    // to a replay.
    let mut kept: Vec<Value> = kept
        .filter(|event| !["notice", "cited", "settled", "session_ended"].contains(&event["type"].as_str().unwrap()))
        .collect();
    kept.sort_by_key(|event| match event["type"] == "tool_started" {
        true => event["call"].as_str().map(str::to_owned),
        false => None,
    });
    kept
}

fn working() -> Vec<Reply> {
    vec![
        Reply::calls(&[("read_file", json!({ "path": "a.txt" })), ("ls", json!({}))]).after_thinking("hm"),
        Reply::call("write_file", json!({ "path": "b.txt", "content": "made once" })).after_saying("I write it."),
        Reply::call("bash", json!({ "command": "git push" })),
        Reply::call("bash", json!({ "command": "echo out; echo ran >> ran.txt; false" })),
        Reply::raw_calls(&[("nosuch", "{}"), ("read_file", "{broken")]),
        Reply::say("all done"),
    ]
}

#[test]
fn a_replay_gives_the_same_events_and_does_nothing() {
    let place = Place::new(working());
    place.configure("[permissions]\ndeny = [\"Bash(git push:*)\"]\n");
    place.work.write("a.txt", "hello\n");
    let ran = place.run(&["run", "--json", "do it"]);
    assert_eq!(ran.code, Some(0), "{}", ran.err);
    let then = durable(&ran.out);
    assert!(then.iter().any(|event| event["type"] == "answered"), "a decision is on the log");
    let requests = place.server.request_count();
    let (log, before) = (place.logs()[0].clone(), std::fs::read(&place.logs()[0]).unwrap());
    std::fs::remove_file(place.work.join("b.txt")).unwrap();
    std::fs::remove_file(place.work.join("ran.txt")).unwrap();

    let again = place.run(&["replay", log.file_stem().unwrap().to_str().unwrap(), "--json"]);
    assert_eq!(again.code, Some(0), "{}", again.err);
    assert_eq!(durable(&again.out), then);
    assert!(again.err.contains("played again, with the same result: 1 turn, 5 steps"), "{}", again.err);
    assert_eq!(place.server.request_count(), requests, "nothing was sent");
    assert!(!place.work.exists("b.txt") && !place.work.exists("ran.txt"), "nothing was run");
    assert_eq!(std::fs::read(&log).unwrap(), before, "nothing was written");
    let shown = place.run(&["replay", log.to_str().unwrap()]);
    assert!(shown.out.contains("all done"), "{}", shown.out);
}

#[test]
fn a_report_from_elsewhere_plays_without_its_machine() {
    let place = Place::new(working());
    place.work.write("a.txt", "hello\n");
    place.run(&["run", "do it"]);
    let other = Place::bare(ModelServer::start_blocking(Vec::new()));
    let file = other.work.write("report.jsonl", std::fs::read(&place.logs()[0]).unwrap());
    let ran = other.run(&["replay", file.to_str().unwrap(), "--check"]);
    assert_eq!((ran.code, ran.out.as_str()), (Some(0), ""), "{}", ran.err);
    assert!(!other.work.exists("b.txt") && !other.home.join("state/sessions").exists());
}

#[test]
fn turns_that_failed_or_were_limited_are_replayed_too() {
    let mut replies = working();
    replies.truncate(2);
    replies.push(Reply::say("summed up"));
    replies.push(Reply::fail(401, "{}"));
    let place = Place::new(replies);
    place.work.write("a.txt", "hello\n");
    let limited = place.run(&["run", "--max-steps", "2", "--json", "do it"]);
    let failed = place.run(&["run", "--continue", "--json", "again"]);
    assert_eq!((limited.code, failed.code), (Some(5), Some(4)), "{}{}", limited.err, failed.err);
    let again = place.run(&["replay", place.logs()[0].to_str().unwrap(), "--json"]);
    assert_eq!(again.code, Some(0), "{}", again.err);
    assert_eq!(durable(&again.out), durable(&(limited.out + &failed.out)));
    assert!(again.err.contains("2 turns"), "{}", again.err);
}

#[test]
fn another_behaviour_is_found() {
    let place = Place::new(working());
    place.work.write("a.txt", "hello\n");
    place.run(&["run", "do it"]);
    let log = std::fs::read_to_string(&place.logs()[0]).unwrap();
    // As another version would have written it.
    let text: String =
        log.lines().map(|line| reseal(&line.replace("there is no tool named", "unknown tool"))).collect();
    let file = place.work.write("changed.jsonl", text);
    let ran = place.run(&["replay", file.to_str().unwrap(), "--check"]);
    assert_eq!(ran.code, Some(1), "{}", ran.err);
    assert!(ran.err.contains("it goes another way at record") && ran.err.contains("unknown tool"), "{}", ran.err);
}

/// The line with the checksum that fits it.
fn reseal(line: &str) -> String {
    let body = &line[..line.rfind(",\"crc\"").unwrap()];
    format!("{body},\"crc\":\"{:08x}\"}}\n", crc32fast::hash(body.as_bytes()))
}

#[test]
fn two_sessions_are_compared() {
    let place = Place::new(vec![
        Reply::call("bash", json!({ "command": "echo one" })).with_usage(100, 10, 0),
        Reply::say("it says one").with_usage(200, 10, 100),
        Reply::call("bash", json!({ "command": "echo two" })).with_usage(100, 10, 0),
        Reply::say("it says two").with_usage(200, 10, 100),
    ]);
    place.run(&["run", "same prompt"]);
    place.run(&["run", "same prompt"]);
    let logs = place.logs();
    let (a, b) = (logs[0].to_str().unwrap(), logs[1].to_str().unwrap());
    let ran = place.run(&["diff", a, b]);
    assert_eq!(ran.code, Some(0), "{}", ran.err);
    assert!(ran.out.contains("the first difference is in turn 1:"), "{}", ran.out);
    assert!(ran.out.contains("echo one") && ran.out.contains("echo two"), "{}", ran.out);
    let json: Value = serde_json::from_str(&place.run(&["diff", a, b, "--json"]).out).unwrap();
    assert_eq!(json["a"]["cached_percent"], 33);
    assert_eq!(json["turns"][0]["kind"], "differs");
    assert_eq!(json["parts"]["turn"], 1);
    let same = place.run(&["diff", a, a]);
    assert!(same.out.contains("they say and do the same"), "{}", same.out);
}

/// Another agent goes on with other tools and other words: from there on the loop has those too.
#[test]
fn a_session_with_several_agents_goes_the_same_way() {
    let calls = || Reply::call("ls", json!({}));
    let place =
        Place::new(vec![Reply::say("looked"), calls(), Reply::say("built"), calls(), Reply::say("looked again")]);
    place.home.write("agents/looker.md", "---\ntools: Grep\n---\nYou look.");
    for (agent, code) in [("looker", 0), ("build", 0), ("looker", 0)] {
        let which: &[&str] = if place.logs().is_empty() { &[] } else { &["--continue"] };
        let ran = place.run(&[&["run", "--agent", agent], which, &["go"]].concat());
        assert_eq!(ran.code, Some(code), "{}", ran.err);
    }
    let log = place.logs()[0].clone();
    let again = place.run(&["replay", log.file_stem().unwrap().to_str().unwrap()]);
    assert_eq!(again.code, Some(0), "{}", again.err);
    assert!(again.err.contains("played again, with the same result: 3 turns"), "{}", again.err);
}

/// What came from outside of a turn is on the log: the end of a job, a line of a monitor, what a check came to.
#[test]
fn what_a_turn_was_told_meanwhile_is_told_again() {
    let write = |text: &str| Reply::call("write_file", json!({ "path": "a.py", "content": text }));
    let place = Place::new(vec![
        Reply::call("bash", json!({ "command": "sleep 0.5; echo begun", "background": true, "wait": 0 })),
        // It ends behind its call, and before this step does.
        Reply::call(
            "bash",
            json!({ "command": "while ! grep -q job_ended ~/.reasonix/state/sessions/*.jsonl 2>/dev/null; do sleep 0.01; test $SECONDS -gt 2 && break; done" }),
        ),
        write("bad"),
        Reply::say("done"),
        write("good"),
        Reply::say("mended"),
    ]);
    place.configure("[validation]\ncommand = \"grep -q good a.py\"\n\n");
    let ran = place.run(&["run", "go"]);
    assert_eq!(ran.code, Some(0), "{}", ran.err);
    let log = std::fs::read_to_string(&place.logs()[0]).unwrap();
    assert!(log.contains("[job j1") && log.contains("[Validation: "), "{log}");
    let again = place.run(&["replay", place.logs()[0].to_str().unwrap()]);
    assert_eq!(again.code, Some(0), "{}", again.err);
    assert!(again.err.contains("played again, with the same result: 1 turn"), "{}", again.err);
}
