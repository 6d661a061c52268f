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
    // All of them have asked by then.
    while place.server.requests().iter().filter(|request| is_child(request)).count() < 3 {
        std::thread::sleep(Duration::from_millis(20));
    }
    child.kill().unwrap();
    child.wait().unwrap();
    let before = place.server.request_count();
    let ran = place.run(&["run", "--continue", "on"]);
    assert_eq!(ran.code, Some(0), "{}", ran.err);
    assert!(ran.err.contains("the subagent 1-T1") && ran.err.contains("the subagent 2-T2"), "{}", ran.err);
    assert!(ran.err.contains("the subagent 0-T0 (part 0) was done before"), "{}", ran.err);
    assert!(!ran.err.contains("is over"), "what was lost is not over: {}", ran.err);
    let again: Vec<Recorded> = place.server.requests().into_iter().skip(before).collect();
    assert!(again.iter().all(|request| !is_child(request)), "nobody is started again");
    let ran = place.run(&["run", "--continue", "on"]);
    assert!(!ran.err.contains("was lost"), "it is said once: {}", ran.err);
    assert_eq!(log().matches("\"lost\":true").count(), 2);
    place.server.assert_prefixes_grow_in(4);
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
    place.server.assert_prefixes_grow_in(6);
    place.server.assert_valid();
    let rows = place.run(&["stats", "--by", "subagent", "--json"]).out;
    let mut rows: Vec<Value> = rows.lines().map(|row| serde_json::from_str(row).unwrap()).collect();
    rows.sort_by_key(|row| row["child"].to_string());
    let told: Vec<_> = rows.iter().map(|row| (row["child"].as_str().unwrap(), &row["runs"], &row["steps"])).collect();
    let (once, none) = (json!(1), json!(0));
    assert_eq!(told, ["0-T0", "1-T1", "2-T2", "3-T3", "4-T4"].map(|child| (child, &once, &none)));
    assert!(rows.iter().all(|row| row["agent"] == "explore" && row["requests"] == 1 && row["took_ms"].is_u64()));
    let table = place.run(&["stats", "--by", "subagent", "--week"]).out;
    let head: Vec<&str> = table.lines().next().unwrap().split_whitespace().collect();
    assert_eq!(head, ["runs", "steps", "time", "input", "output", "cost"]);
    assert!(table.contains("/0-T0 (explore)") && table.lines().count() == 6, "{table}");
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
    assert_eq!(place.server.request_count(), asks + 1, "the session asks for nothing more");
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
            (false, false) if last.ends_with("\n\non") => {
                Reply::call("read_file", json!({"path": "agent://0-Top.0-Deep"}))
            }
            (false, false) => Reply::say("all done"),
            (true, true) if last == "deep" => Reply::say("gold is here"),
            (true, true) => Reply::call("task", deep),
            (true, false) => Reply::hang(),
        })
    });
    let place = Place::with_server(server);
    place.work.write("a", "a");
    place.work.git_init();
    let mut child = place.spawn(&["run", "go"]);
    let log = || place.logs().first().map(|log| std::fs::read_to_string(log).unwrap_or_default()).unwrap_or_default();
    until("the end of the one below", || log().matches("\"child\":\"0-Top.0-Deep\"").count() >= 2);
    child.kill().unwrap();
    child.wait().unwrap();
    let ran = place.run(&["run", "--continue", "on"]);
    assert_eq!(ran.code, Some(0), "{}", ran.err);
    for said in ["the subagent 0-Top (dig) was lost", "the subagent 0-Top.0-Deep (deep) was done before"] {
        assert!(ran.err.contains(said), "{said}: {}", ran.err);
    }
    let last = place.server.requests().pop().unwrap();
    assert!(last.last_content().contains("gold is here"), "{}", last.last_content());
    place.server.assert_prefixes_grow_in(3);
}

fn until(what: &str, mut is_true: impl FnMut() -> bool) {
    let started = std::time::Instant::now();
    while !is_true() {
        assert!(started.elapsed() < Duration::from_secs(60), "never happened: {what}");
        std::thread::sleep(Duration::from_millis(10));
    }
}

/// How many processes have the mark among their words.
fn marked(mark: &str) -> usize {
    let lines = std::fs::read_dir("/proc").unwrap().flatten().map(|entry| entry.path().join("cmdline"));
    lines.filter(|file| std::fs::read_to_string(file).is_ok_and(|line| line.contains(mark))).count()
}

/// The power fails in the middle of a goal with three subagents and two jobs: what was done is there, what was at work is lost
/// and said so to the person and to the model, nothing is done twice, and nothing is left running.
#[test]
fn power_loss_in_the_middle_of_a_goal_with_subagents_and_jobs() {
    let mark = format!("301.{}7", std::process::id());
    let sleeps = format!("echo once >> one; sleep {mark}");
    let server = ModelServer::start_with(move |request| {
        let last = request.last_content().to_owned();
        if is_child(request) {
            return Some(if last == "find A" { Reply::say("A is in a.rs") } else { Reply::hang() });
        }
        let one =
            |id: &str| json!({"id": id, "description": format!("looks for {id}"), "assignment": format!("find {id}")});
        let said = request.messages().iter().filter(|message| message["role"] == "assistant").count();
        Some(match said {
            0 => Reply::call("bash", json!({"command": sleeps, "background": true})),
            1 => Reply::call("bash", json!({"command": "echo once >> two", "background": true})),
            2 => Reply::call("task", json!({"tasks": [one("C")], "background": true})),
            3 => Reply::call("task", json!({"tasks": [one("A"), one("B")]})),
            _ if last.contains("[The goal is set aside") => Reply::call("read_file", json!({"path": "agent://1-A"})),
            _ => Reply::say("I see"),
        })
    });
    let place = Place::with_server(server);
    place.configure("[goal]\nmax_turns = 1\n");
    let mut child = place.spawn(&["run", "--goal", "look around"]);
    let log = || place.logs().first().map(|log| std::fs::read_to_string(log).unwrap_or_default()).unwrap_or_default();
    let ended = || log().contains("\"kind\":\"job_ended\"") && log().contains("A is in a.rs");
    until("all are at work, and some are done", || {
        let asked = |what: &str| place.server.requests().iter().any(|request| request.last_content() == what);
        ended() && asked("find B") && asked("find C") && marked(&mark) > 0 && place.work.path().join("one").exists()
    });
    child.kill().unwrap();
    child.wait().unwrap();
    until("nothing is left running", || marked(&mark) == 0);
    let before = place.server.request_count();
    let ran = place.run(&["run", "--continue", "on"]);
    assert_eq!(ran.code, Some(0), "{}", ran.err);
    for said in [
        "the goal waits: its process had ended",
        "the subagent 2-B (looks for B) was lost",
        "the subagent 1-A (looks for A) was done before the process ended",
        "0-C",
        "j1",
    ] {
        assert!(ran.err.contains(said), "{said}: {}", ran.err);
    }
    let again: Vec<Recorded> = place.server.requests().into_iter().skip(before).collect();
    let told = again[0].last_content();
    for said in [
        "2-B (looks for B) was lost",
        "1-A (looks for A) was done: read_file agent://1-A",
        "[job 0-C (explore: looks for C) is gone",
        "[job j1 (",
    ] {
        assert!(told.contains(said), "{said}: {told}");
    }
    assert!(!told.contains("[job j2"), "what ended before was told before: {told}");
    assert!(again[1].last_content().contains("A is in a.rs"), "{}", again[1].last_content());
    assert!(again.iter().all(|request| !is_child(request)), "nobody is started again");
    for file in ["one", "two"] {
        assert_eq!(std::fs::read_to_string(place.work.path().join(file)).unwrap(), "once\n", "nothing is done twice");
    }
    // It is said once, and the goal can be gone on with.
    let ran = place.run(&["run", "--continue", "--goal"]);
    assert!(!ran.err.contains("was lost") && !ran.err.contains("was done before"), "{}", ran.err);
    let last = place.server.requests().pop().unwrap();
    assert!(last.messages().iter().any(|message| message.to_string().contains("look around\\n\\n[This is a goal.")));
    place.server.assert_valid();
}
