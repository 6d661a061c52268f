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

/// COMPLAINTS 7 against the binary: five are asked for in one call, exactly five run, each once, and each knows its own only.
#[test]
fn five_assignments_asked_and_exactly_five_run() {
    let place = place(5, |request| {
        let what = request.messages()[1]["content"].as_str().unwrap_or_default().to_owned();
        Some(Reply::say(&format!("seen: {what}")))
    });
    let ran = place.run(&["run", "go"]);
    assert_eq!((ran.code, ran.out.trim()), (Some(0), "all done"), "{}", ran.err);
    let requests = place.server.requests();
    let (below, own): (Vec<&Recorded>, Vec<&Recorded>) = requests.iter().partition(|request| is_child(request));
    let mut asked: Vec<String> = below.iter().map(|request| request.last_content().to_owned()).collect();
    asked.sort();
    assert_eq!(asked, (0..5).map(|n| format!("look at {n}")).collect::<Vec<_>>());
    assert!(below.iter().all(|request| request.messages().len() == 2));
    assert_eq!(own.len(), 2);
    let told = own[1].last_content();
    for n in 0..5 {
        assert_eq!(told.matches(&format!("seen: look at {n}")).count(), 1, "{told}");
    }
    place.server.assert_valid();
}

/// The budget ends while many work: no more is asked than what was on its way, and the run says so.
#[test]
fn the_budget_is_spent_in_the_middle_of_a_fan_out() {
    let place = place(6, |_| Some(Reply::call("ls", json!({"path": "."})).with_usage(400, 10, 0)));
    place.configure("[budget]\nmax_tokens = 1500\n[task]\nat_once = 2\n");
    let ran = place.run(&["run", "go"]);
    assert_ne!(ran.code, Some(0), "{}", ran.err);
    let asks = place.server.requests().into_iter().filter(is_child).count();
    // 410 tokens each: the fourth request reaches 1,500, and one more may be on its way by then.
    assert!((3..=5).contains(&asks), "{asks}: {}", ran.err);
    assert_eq!(place.server.requests().len(), asks + 1, "the session asks for nothing more");
    place.server.assert_valid();
}

/// What the session may not, its subagents may not either, however they ask for it.
#[test]
fn a_subagent_that_tries_what_its_parent_may_not() {
    let place = place(1, |request| {
        Some(match request.messages().len() {
            2 => Reply::calls(&[
                ("read_file", json!({"path": "secret.txt"})),
                ("bash", json!({"command": "cat secret.txt"})),
                ("bash", json!({"command": "echo x > made"})),
            ]),
            _ => Reply::say("refused"),
        })
    });
    place.work.write("secret.txt", "TOPSECRET");
    place.configure("[permissions]\ndeny = [\"Read(secret.txt)\"]\n");
    let ran = place.run(&["run", "go"]);
    assert_eq!(ran.code, Some(0), "{}", ran.err);
    let sent: String = place.server.requests().iter().map(|request| request.body.to_string()).collect();
    assert!(!sent.contains("TOPSECRET") && !place.work.path().join("made").exists());
}

/// A nested one that was finished is there after `kill -9`, under its name; the one that waited for it is lost.
#[test]
fn nested_results_outlive_kill() {
    let server = ModelServer::start_with(|request| {
        let deep = json!({"agent": "executor", "tasks": [{"id": "Deep", "assignment": "deep"}]});
        let first = request.messages().iter().filter(|message| message["role"] == "assistant").count() == 0;
        let last = request.last_content().to_owned();
        Some(match (is_child(request), first) {
            (false, true) => {
                Reply::call("task", json!({"agent": "general", "tasks": [{"id": "Top", "assignment": "dig"}]}))
            }
            (false, false) if last == "on" => Reply::call("read_file", json!({"path": "agent://0-Top.0-Deep"})),
            (false, false) => Reply::say("all done"),
            (true, true) if last == "deep" => Reply::say("gold is here"),
            (true, true) => Reply::call("task", deep),
            (true, false) => Reply::hang(),
        })
    });
    let place = Place::with_server(server);
    let mut child = place.spawn(&["run", "go"]);
    let log = || place.logs().first().map(|log| std::fs::read_to_string(log).unwrap_or_default()).unwrap_or_default();
    while log().matches("\"child\":\"0-Top.0-Deep\"").count() < 2 {
        std::thread::sleep(Duration::from_millis(20));
    }
    child.kill().unwrap();
    child.wait().unwrap();
    let ran = place.run(&["run", "--continue", "on"]);
    assert_eq!(ran.code, Some(0), "{}", ran.err);
    assert!(ran.err.contains("the subagent 0-Top (") && !ran.err.contains("the subagent 0-Top.0-Deep"), "{}", ran.err);
    let last = place.server.requests().pop().unwrap();
    assert!(last.last_content().contains("gold is here"), "{}", last.last_content());
}
