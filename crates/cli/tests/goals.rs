//! Goals against the built binary: done only with evidence, blocked, limited, killed and taken up again. What is sent is asserted.

use crate::support;

use reasonix_testkit::{ModelServer, Reply};
use serde_json::{Value, json};
use support::{Place, Ran};

/// The last thing that was said to the model in a request.
fn last_said(place: &Place, request: usize) -> String {
    let requests = place.server.requests();
    let last = requests[request].messages().iter().rev().find(|message| message["role"] == "user").expect("a user");
    last["content"].as_str().expect("a text").to_owned()
}

/// What the log says of the goal: news, standing, and what stopped it.
fn course(place: &Place) -> Vec<(String, String, String)> {
    let log = std::fs::read_to_string(place.logs().last().expect("a log")).expect("it can be read");
    let records = log.lines().filter_map(|line| serde_json::from_str::<Value>(line.split('\t').next()?).ok());
    let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    records
        .filter(|record| record["kind"] == "goal")
        .map(|record| {
            let goal = &record["goal"];
            (text(&record["news"]), text(&goal["standing"]), text(&goal["stop"]["stop"]))
        })
        .collect()
}

fn news(place: &Place) -> Vec<String> {
    course(place).into_iter().map(|(news, _, _)| news).collect()
}

fn edit() -> Reply {
    Reply::call("write_file", json!({"path": "src/a.rs", "content": "fn a() {}\n"}))
}

fn tests() -> Reply {
    Reply::call("bash", json!({"command": "sh ./test.sh"}))
}

fn exits(ran: &Ran, code: i32) {
    assert_eq!(ran.code, Some(code), "{}\n{}", ran.out, ran.err);
}

#[test]
fn a_goal_that_lies_about_tests_is_held_to_it() {
    let place = Place::new(vec![
        edit(),
        Reply::say("I wrote it. All tests pass.\n\nGOAL: done"),
        Reply::say("It is finished.\n\n**Goal: Done**"),
        tests(),
        Reply::say("All tests pass.\n\nGOAL: done"),
    ]);
    place.work.write("test.sh", "echo '3 passed'\n");
    let ran = place.run(&["run", "--goal", "write src/a.rs"]);
    exits(&ran, 0);
    let first = last_said(&place, 0);
    assert!(first.starts_with("write src/a.rs\n\n[This is a goal."), "{first}");
    let held = last_said(&place, 2);
    assert!(held.contains("It is not done yet: \"All tests pass\" is not proved"), "{held}");
    let held = last_said(&place, 3);
    assert!(held.contains("It is not done yet: code was changed (src/a.rs), and no command"), "{held}");
    assert!(held.contains("The goal: write src/a.rs"), "{held}");
    assert_eq!(place.server.request_count(), 5, "nothing is asked after it is done");
    assert_eq!(news(&place), ["set", "not_proved", "not_proved", "reached"]);
    assert!(ran.err.contains("the log does not prove it") && ran.err.contains("the goal is reached"), "{}", ran.err);
    place.server.assert_prefixes_grow();
    place.server.assert_valid();
}

#[test]
fn a_goal_that_only_lies_waits_after_three_times() {
    let lie = || Reply::say("All tests pass.\nGOAL: done");
    let place = Place::new(vec![lie(), lie(), lie(), Reply::say("never")]);
    let ran = place.run(&["run", "--goal", "make the tests pass"]);
    exits(&ran, 7);
    assert_eq!(place.server.request_count(), 3);
    let last = course(&place).pop();
    assert_eq!(last, Some(("stopped".into(), "paused".into(), "unproved".into())));
}

/// A program that nobody knows proves something when it is named, ran well, and nothing was changed since.
#[test]
fn a_proof_can_be_named() {
    let place = Place::new(vec![
        edit(),
        Reply::call("bash", json!({"command": "sh ./verify-it"})),
        Reply::call("write_file", json!({"path": "src/b.rs", "content": "fn b() {}\n"})),
        Reply::say("Finished.\nGOAL: done, proof: `sh ./verify-it`"),
        Reply::call("bash", json!({"command": "echo fine"})),
        Reply::say("Finished.\nGOAL: done, proof: `echo fine`"),
        Reply::call("bash", json!({"command": "sh  ./verify-it"})),
        Reply::say("Finished.\nGOAL: done, proof: `sh ./verify-it`"),
    ]);
    place.work.write("verify-it", "exit 0\n");
    exits(&place.run(&["run", "--goal", "write src/a.rs"]), 0);
    assert!(last_said(&place, 4).contains("src/b.rs was changed after `sh ./verify-it`"), "{}", last_said(&place, 4));
    assert!(last_said(&place, 6).contains("`echo fine` only looks or says something"), "{}", last_said(&place, 6));
    assert_eq!(news(&place), ["set", "not_proved", "not_proved", "reached"]);
}

/// What a program changed that nobody knows is told by a look at the files: neither what ran before it, nor what only reads, nor
/// that program itself proves the goal.
#[test]
fn what_an_unknown_program_changed_has_to_be_checked() {
    let bash = |command: &str| Reply::call("bash", json!({"command": command}));
    let place = Place::new(vec![
        bash("sh ./verify-it"),
        bash("sh ./gen"),
        Reply::say("Finished.\nGOAL: done, proof: `sh ./verify-it`"),
        bash("cat src/a.rs"),
        Reply::say("Finished.\nGOAL: done, proof: `cat src/a.rs`"),
        Reply::say("Finished.\nGOAL: done, proof: `sh ./gen`"),
        Reply::say("Finished.\nGOAL: done"),
        bash("sh ./verify-it"),
        Reply::say("Finished.\nGOAL: done, proof: `sh ./verify-it`"),
    ]);
    place.work.write("verify-it", "exit 0\n");
    place.work.write("gen", "mkdir -p src && echo 'fn a() {}' > src/a.rs\n");
    exits(&place.run(&["run", "--goal", "make src/a.rs"]), 0);
    let held = |request: usize, words: &str| {
        let said = last_said(&place, request);
        assert!(said.contains(words), "{words}: {said}");
    };
    held(3, "a command after `sh ./verify-it` may have changed files");
    held(5, "`cat src/a.rs` only looks");
    held(6, "`sh ./gen` changed src/a.rs itself");
    held(7, "code was changed (src/a.rs), and no command");
    assert_eq!(news(&place), ["set", "not_proved", "not_proved", "not_proved", "not_proved", "reached"]);
}

/// A measurement that leaves a table has changed no code: the goal is done without a check of code.
#[test]
fn research_by_an_unknown_program_ends_without_a_check() {
    let place = Place::new(vec![
        Reply::call("bash", json!({"command": "sh ./measure"})),
        Reply::say("It takes 42 ms.\nGOAL: done"),
    ]);
    place.work.write("measure", "echo 42 > results.csv\n");
    exits(&place.run(&["run", "--goal", "say how long it takes"]), 0);
    assert_eq!(news(&place), ["set", "reached"]);
}

#[test]
fn the_same_blocked_state_three_times_stops_a_goal() {
    let place = Place::new(vec![
        Reply::say("I cannot reach it.\nGOAL: blocked: No network!"),
        Reply::say("Still not.\nGOAL: Blocked: no   NETWORK"),
        Reply::say("GOAL: blocked: no network."),
        Reply::say("never"),
    ]);
    let ran = place.run(&["run", "--goal", "fetch the page"]);
    exits(&ran, 7);
    assert_eq!(place.server.request_count(), 3);
    for request in [1, 2] {
        let said = last_said(&place, request);
        assert!(said.contains("held up; try another way") && said.contains("The goal: fetch the page"), "{said}");
    }
    assert!(ran.err.contains("the same stopped it three times: no network"), "{}", ran.err);
    assert_eq!(course(&place).pop(), Some(("stopped".into(), "paused".into(), "blocked".into())));
    place.server.assert_prefixes_grow();
}

/// A goal that goes nowhere is not taken to the limit of its turns.
#[test]
fn a_goal_that_calls_nothing_stops_after_three_turns() {
    let say = |text: &str| Reply::say(&format!("{text}\nGOAL: continue"));
    let place = Place::new(vec![say("First I think."), say("Then I think more."), say("Now I plan."), say("never")]);
    let ran = place.run(&["run", "--goal", "do it"]);
    exits(&ran, 7);
    assert_eq!(place.server.request_count(), 3);
    assert!(ran.err.contains("no call was made in 3 turns in a row"), "{}", ran.err);
    assert_eq!(course(&place).pop(), Some(("stopped".into(), "paused".into(), "blocked".into())));
}

#[test]
fn what_only_the_user_can_do_stops_a_goal_at_once() {
    let place = Place::new(vec![Reply::say("GOAL: impossible: I need a key"), Reply::say("never")]);
    let ran = place.run(&["run", "--goal", "deploy it"]);
    exits(&ran, 7);
    assert!(ran.err.contains("I need a key"), "{}", ran.err);
    assert_eq!(place.server.request_count(), 1);
    let place = Place::new(vec![Reply::fail(401, "no"), Reply::say("never")]);
    exits(&place.run(&["run", "--goal", "deploy it"]), 4);
    assert_eq!(course(&place).pop(), Some(("stopped".into(), "paused".into(), "provider".into())));
}

#[test]
fn a_goal_takes_no_more_than_it_may() {
    let on = || Reply::say("on it\nGOAL: continue");
    let read = || Reply::call("ls", json!({})).with_usage(400, 100, 0);
    let place = Place::new(vec![read(), on(), read(), on(), Reply::say("never")]);
    place.configure("[goal]\nmax_turns = 2\n");
    exits(&place.run(&["run", "--goal", "look around"]), 5);
    assert_eq!(
        (place.server.request_count(), course(&place).pop().map(|(_, _, stop)| stop)),
        (4, Some("turn_limit".into()))
    );
    // Tokens are counted before each request, and the whole of them is there again when the goal is taken up again.
    let place = Place::new(vec![read(), read(), read(), Reply::say("never")]);
    place.configure("[goal]\nmax_tokens = 900\n");
    let ran = place.run(&["run", "--goal", "look around"]);
    exits(&ran, 5);
    assert!(ran.err.contains("the goal's tokens are used up"), "{}", ran.err);
    assert_eq!(place.server.request_count(), 2);
    exits(&place.run(&["run", "--continue", "--goal"]), 4);
    assert!(place.server.request_count() > 2, "the whole budget is there again");
}

#[test]
fn a_killed_goal_waits_and_is_taken_up_again() {
    let place = Place::new(vec![
        edit(),
        Reply::say("half of it is done\nGOAL: continue"),
        Reply::hang_mid_stream("thinking"),
        Reply::say("ok"),
        tests(),
        Reply::say("All tests pass.\nGOAL: done"),
    ]);
    place.work.write("test.sh", "echo '3 passed'\n");
    let mut child = place.spawn(&["run", "--goal", "write src/a.rs"]);
    place.server.wait_for_requests_blocking(3);
    child.kill().expect("it runs");
    child.wait().expect("it ends");
    // Whoever goes on without it is told that it waits, and so is the model.
    let ran = place.run(&["run", "--continue", "what is here?"]);
    exits(&ran, 0);
    assert!(ran.err.contains("the goal waits: its process had ended"), "{}", ran.err);
    assert!(last_said(&place, 3).contains("[The goal is set aside"), "{}", last_said(&place, 3));
    let ran = place.run(&["run", "--continue", "--goal"]);
    exits(&ran, 0);
    assert!(ran.err.contains("a goal waits here: write src/a.rs"), "{}", ran.err);
    assert!(last_said(&place, 4).starts_with("write src/a.rs\n\n[This is a goal."), "{}", last_said(&place, 4));
    let wanted = ["set", "goes_on", "stopped", "resumed", "reached"];
    assert_eq!(news(&place), wanted);
    let writes = |request: usize| place.server.requests()[request].body.to_string().matches("\"write_file\"").count();
    assert_eq!(writes(5), writes(1), "nothing was done twice");
    place.server.assert_prefixes_grow();
    place.server.assert_valid();
    // What is reached is not taken up again.
    let ran = place.run(&["run", "--continue", "--goal"]);
    exits(&ran, 1);
    assert!(ran.err.contains("the goal is reached"), "{}", ran.err);
}

/// Wherever the process dies, the goal waits, and its log can be gone on with.
#[test]
fn a_goal_survives_a_kill_at_any_request() {
    for deaths in 1..=4 {
        let mut count = 0;
        let server = ModelServer::start_with(move |_| {
            count += 1;
            Some(match count {
                count if count == deaths => Reply::hang(),
                count if count > deaths => match count - deaths {
                    1 => tests(),
                    _ => Reply::say("All tests pass.\nGOAL: done"),
                },
                count if count % 2 == 1 => edit(),
                _ => Reply::say("on it\nGOAL: continue"),
            })
        });
        let place = Place::with_server(server);
        place.work.write("test.sh", "echo '3 passed'\n");
        let mut child = place.spawn(&["run", "--goal", "write src/a.rs"]);
        place.server.wait_for_requests_blocking(deaths);
        child.kill().expect("it runs");
        child.wait().expect("it ends");
        let ran = place.run(&["run", "--continue", "--goal"]);
        exits(&ran, 0);
        assert_eq!(news(&place).iter().filter(|news| *news == "set").count(), 1, "after {deaths}");
        assert_eq!(course(&place).pop(), Some(("reached".into(), "done".into(), String::new())), "after {deaths}");
        place.server.assert_valid();
    }
}

#[test]
fn research_is_chosen_by_its_words_and_kept_in_the_project() {
    let read = || Reply::call("ls", json!({}));
    let look = || vec![read(), Reply::say("It is the parser: 40 ms of 50.\nGOAL: done")];
    let folders = |place: &Place| -> Vec<String> {
        let found = std::fs::read_dir(place.work.join(".reasonix/autoresearch"));
        let found = found.into_iter().flatten().flatten();
        found.map(|entry| entry.file_name().to_string_lossy().into_owned()).collect()
    };
    let place = Place::new(look());
    let ran = place.run(&["run", "--goal", "find out why it has a high latency"]);
    exits(&ran, 0);
    let made = folders(&place);
    let [folder] = made.as_slice() else { panic!("{made:?}") };
    assert!(folder.ends_with("-find-out-why-it-has-a-high-latency"), "{folder}");
    assert!(ran.err.contains("worked on as research"), "{}", ran.err);
    let within = |name: &str| place.work.read(format!(".reasonix/autoresearch/{folder}/{name}"));
    assert!(within("goal.md").contains("find out why it has a high latency"));
    assert!(within("turn-001.md").contains("It is the parser: 40 ms of 50."));
    assert!(last_said(&place, 0).contains(folder), "{}", last_said(&place, 0));
    for (words, flag, wanted) in
        [("find out why it has a high latency", "--simple", 0), ("look at the flags", "--research", 1)]
    {
        let place = Place::new(look());
        exits(&place.run(&["run", "--goal", flag, words]), 0);
        assert_eq!(folders(&place).len(), wanted, "{flag}");
    }
    let place = Place::new(look());
    exits(&place.run(&["run", "--goal", "look at the flags"]), 0);
    assert!(folders(&place).is_empty() && !place.work.exists(".reasonix"));
}

#[test]
fn a_prompt_becomes_a_goal_only_where_that_is_switched_on() {
    let long = "Investigate the latency regression overnight, benchmark every hypothesis, keep going until it is gone";
    let replies = || vec![Reply::call("ls", json!({})), Reply::say("It is gone.\nGOAL: done")];
    let place = Place::new(replies());
    exits(&place.run(&["run", long]), 0);
    assert!(course(&place).is_empty() && !place.work.exists(".reasonix"));
    let place = Place::new(replies());
    place.configure("[goal]\nauto = true\n");
    exits(&place.run(&["run", long]), 0);
    assert_eq!(news(&place), ["set", "reached"]);
}
