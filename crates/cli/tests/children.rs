//! Subagents as a person and a program meet them: lines of `run`, events of `--json`, what is left after `kill -9`, and what
//! they took.

use crate::support::Place;
use reasonix_testkit::{ModelServer, Recorded, Reply};
use serde_json::{Value, json};
use std::time::Duration;

fn is_child(request: &Recorded) -> bool {
    request.messages()[0]["content"].as_str().unwrap_or_default().starts_with("You are a subagent")
}

fn tasks(count: usize) -> Value {
    let one = |n: usize| json!({"id": format!("T{n}"), "description": format!("part {n}"), "assignment": format!("look at {n}")});
    json!({"tasks": (0..count).map(one).collect::<Vec<_>>()})
}

/// The session asks for so many, and then says that it is done.
fn parent(request: &Recorded, count: usize) -> Option<Reply> {
    let asked = request.messages().iter().any(|message| message["role"] == "tool");
    Some(if asked { Reply::say("all done") } else { Reply::call("task", tasks(count)) })
}

fn place(count: usize, mut child: impl FnMut(&Recorded) -> Option<Reply> + Send + 'static) -> Place {
    Place::with_server(ModelServer::start_with(move |request| match is_child(request) {
        true => child(request),
        false => parent(request, count),
    }))
}

#[test]
fn a_run_shows_a_line_each_and_programs_get_their_events() {
    let looks = |request: &Recorded| {
        Some(match request.messages().len() {
            2 => Reply::call("ls", json!({"path": "."})),
            _ => Reply::say("nothing there"),
        })
    };
    let place = place(3, looks);
    let ran = place.run(&["run", "go"]);
    assert_eq!((ran.code, ran.out.trim()), (Some(0), "all done"), "{}", ran.err);
    for n in 0..3 {
        assert!(ran.err.contains(&format!("{n}-T{n} (explore) began: part {n}")), "{}", ran.err);
        assert!(ran.err.contains(&format!("{n}-T{n} (explore) is over after 1 step")), "{}", ran.err);
    }
    assert!(ran.err.contains(": ls ."), "{}", ran.err);
    let ran = place.run(&["run", "--json", "go"]);
    let lines: Vec<Value> = ran.out.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let session = lines[0]["session"].clone();
    let below: Vec<&Value> = lines.iter().filter(|line| line.get("parent").is_some()).collect();
    assert!(below.iter().all(|line| line["parent"] == session && line["session"] != session), "{}", ran.out);
    let mut sessions: Vec<&str> = below.iter().filter_map(|line| line["session"].as_str()).collect();
    sessions.sort_unstable();
    sessions.dedup();
    assert_eq!(sessions.len(), 3);
    for child in sessions {
        let own: Vec<u64> =
            below.iter().filter(|line| line["session"] == child).filter_map(|line| line["seq"].as_u64()).collect();
        assert!(own.windows(2).all(|pair| pair[0] < pair[1]), "{own:?}");
    }
    let ends =
        |line: &&Value| line["event"]["record"]["kind"] == "child" && line["event"]["record"].get("end").is_some();
    assert_eq!(lines.iter().filter(ends).count(), 3);
    // They are in no list, and are reached by their ids; what they took is summed by agent.
    assert_eq!(place.run(&["sessions", "list", "--json"]).out.lines().count(), 2);
    let id = below[0]["session"].as_str().unwrap();
    assert!(place.run(&["sessions", "show", id]).out.contains("nothing there"));
    let stats = place.run(&["stats", "--by", "agent", "--json"]).out;
    assert!(stats.contains("\"name\":\"explore\"") && stats.contains("\"name\":\"session\""), "{stats}");
    let verified = place.run(&["sessions", "verify"]);
    assert_eq!(verified.code, Some(0), "{}", verified.out);
    assert_eq!(verified.out.matches("its subagent").count() + verified.err.matches("its subagent").count(), 6);
}

/// The parent dies in the middle of a fan-out: what was finished is known, the rest is lost and said so once, and nothing is
/// started again by itself.
#[test]
fn kill_in_the_middle_loses_nothing_that_was_finished() {
    let place = place(3, |request| {
        let what = request.messages()[1]["content"].as_str().unwrap_or_default().to_owned();
        Some(if what.contains("look at 0") { Reply::say("zero is here") } else { Reply::hang() })
    });
    let mut child = place.spawn(&["run", "go"]);
    let log = || place.logs().first().map(|log| std::fs::read_to_string(log).unwrap_or_default()).unwrap_or_default();
    while log().matches("\"kind\":\"child\"").count() < 4 {
        std::thread::sleep(Duration::from_millis(20));
    }
    child.kill().unwrap();
    child.wait().unwrap();
    let before = place.server.requests().len();
    let ran = place.run(&["run", "--continue", "on"]);
    assert_eq!(ran.code, Some(0), "{}", ran.err);
    assert!(ran.err.contains("the subagent 1-T1") && ran.err.contains("the subagent 2-T2"), "{}", ran.err);
    assert!(!ran.err.contains("the subagent 0-T0"), "{}", ran.err);
    let again: Vec<Recorded> = place.server.requests().into_iter().skip(before).collect();
    assert!(again.iter().all(|request| !is_child(request)), "nobody is started again");
    let ran = place.run(&["run", "--continue", "on"]);
    assert!(!ran.err.contains("was lost"), "it is said once: {}", ran.err);
    assert_eq!(log().matches("\"lost\":true").count(), 2);
    place.server.assert_valid();
}
