//! Windows that fill up: the real binary against servers that really refuse what does not fit.

use crate::support;

use reasonix_testkit::{ModelServer, Recorded, Reply};
use serde_json::{Value, json};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use support::{Place, unboxed};

/// Tokens as a strict server counts them: never less than we do.
fn tokens(request: &Recorded) -> u64 {
    let text = request.body.to_string();
    let others = text.chars().filter(|c| !c.is_ascii()).count() as u64;
    text.len() as u64 / 4 + others
}

const TOO_LONG: &str = r#"{"error":{"message":"This model's maximum context length is exceeded","code":"context_length_exceeded","type":"invalid_request_error"}}"#;

/// A server with a window. It makes `steps` calls, each with a lot of output, then answers; asked for notes it writes
/// them, or fails to.
fn server(window: u64, steps: usize, notes: bool) -> ModelServer {
    let made = AtomicUsize::new(0);
    ModelServer::start_with(move |request| {
        let used = tokens(request);
        if used > window {
            return Some(Reply::fail(400, TOO_LONG));
        }
        if request.last_content().contains("The context is nearly full") {
            return Some(if notes { Reply::say("NOTES: half of it is done") } else { Reply::fail(500, "no") });
        }
        let step = made.fetch_add(1, Ordering::SeqCst);
        let reply = if step % (steps + 1) == steps {
            Reply::say("all done")
        } else {
            Reply::call(
                "bash",
                json!({ "command": format!("echo {step}; yes 'a long line of output' | head -c 6000") }),
            )
        };
        Some(reply.with_usage(used, 10, 0))
    })
}

fn place(server: ModelServer, window: u64) -> Place {
    let place = Place::bare(server);
    let text = format!(
        "default_model = \"mock\"\n[[providers]]\nname = \"mock\"\nkind = \"openai\"\nbase_url = \"{}\"\nmodel = \"m1\"\napi_key_env = \"MOCK_KEY\"\ncontext_window = {window}\n{}",
        place.server.base_url(),
        unboxed()
    );
    place.home.write("config.toml", text);
    place
}

fn kinds(place: &Place, kind: &str) -> Vec<Value> {
    let log = std::fs::read_to_string(&place.logs()[0]).unwrap();
    let lines = log.lines().map(|line| serde_json::from_str::<Value>(line).unwrap());
    lines.filter(|line| line["kind"] == kind).collect()
}

#[test]
fn a_long_turn_goes_on_in_a_small_window_and_what_the_user_said_stays() {
    for window in [8_000, 16_000] {
        let place = place(server(window, 40, true), window);
        let ran = place.run(&["run", "Fix it. The port must be 48213."]);
        assert_eq!((ran.code, ran.out.as_str()), (Some(0), "all done\n"), "{}", ran.err);
        let folded = kinds(&place, "compacted");
        assert!(!folded.is_empty() && ran.err.contains("were folded into"), "{}", ran.err);
        for request in place.server.requests() {
            assert!(request.body.to_string().contains("The port must be 48213."), "a fact was lost");
        }
        place.server.assert_valid();
        // The next process goes on from the notes, not from the whole log.
        let before = place.server.request_count();
        let ran = place.run(&["run", "--continue", "and now?"]);
        assert_eq!(ran.code, Some(0), "{}", ran.err);
        let requests = place.server.requests();
        assert!(tokens(&requests[before]) < window, "the fold holds for a resumed session");
        assert!(requests[before].body.to_string().contains("The port must be 48213."));
        place.server.assert_valid();
    }
}

#[test]
fn the_model_writes_the_notes_and_where_it_fails_the_log_does() {
    for notes in [true, false] {
        let place = place(server(16_000, 30, notes), 16_000);
        // Old outputs alone would make enough room here.
        place.home.write("config.toml", place.home.read("config.toml") + "\n[compaction]\nprune = false\n");
        let ran = place.run(&["run", "go"]);
        assert_eq!(ran.code, Some(0), "{}", ran.err);
        let folded = kinds(&place, "compacted");
        let written = folded.iter().filter(|record| record["notes"].to_string().contains("NOTES: half")).count();
        let by: Vec<&str> = folded.iter().map(|record| record["by"].as_str().unwrap()).collect();
        assert_eq!(written > 0, notes, "{by:?}");
        assert!(folded.iter().all(|record| record["after"].as_u64() < record["before"].as_u64()), "{folded:?}");
        place.server.assert_valid();
    }
}

/// What llama.cpp says.
const NAMED: &str = r#"{"error":{"code":400,"message":"the request exceeds the available context size","type":"exceed_context_size_error","n_ctx":12000}}"#;

#[test]
fn a_window_that_a_refusal_named_is_known_to_later_processes_and_sessions() {
    let refused = Arc::new(AtomicUsize::new(0));
    let count = Arc::clone(&refused);
    let server = ModelServer::start_with(move |request| {
        let used = tokens(request);
        if used > 12_000 {
            count.fetch_add(1, Ordering::SeqCst);
            return Some(Reply::fail(400, NAMED));
        }
        Some(Reply::say("ok").with_usage(used, 10, 0))
    });
    let place = place(server, 1);
    place.home.write("config.toml", place.home.read("config.toml").replace("context_window = 1\n", ""));
    let say = |number: usize, more: &[&str]| {
        let text = format!("Part {number}. {}", "and so it goes on ".repeat(330));
        let ran = place.run(&[&["run"], more, &[text.as_str()]].concat());
        assert_eq!(ran.code, Some(0), "{number}: {}", ran.err);
    };
    let text = "Begin.".to_owned();
    let ran = place.run(&["run", &text]);
    assert!(ran.err.contains("context_window") && ran.err.contains("reasonix probe"), "{}", ran.err);
    let ran = place.run(&["run", "--continue", &text]);
    assert!(!ran.err.contains("context_window"), "it is said once: {}", ran.err);
    assert!(!place.run(&["run", "--quiet", "Begin."]).err.contains("context_window"));
    say(0, &["--continue"]);
    (1..12).take_while(|_| refused.load(Ordering::SeqCst) == 0).for_each(|number| say(number, &["--continue"]));
    let once = refused.load(Ordering::SeqCst);
    assert!(once > 0, "nothing was too long");
    (20..30).for_each(|number| say(number, &["--continue"]));
    say(40, &[]);
    (41..50).for_each(|number| say(number, &["--continue"]));
    assert_eq!(refused.load(Ordering::SeqCst), once, "a process had forgotten the window");
    assert_eq!(place.logs().len(), 3);
    let ran = place.run(&["doctor", "--offline"]);
    assert!(format!("{}{}", ran.out, ran.err).contains("12000"), "{}{}", ran.out, ran.err);
    let ran = place.run(&["context", "--json"]);
    assert!(ran.out.contains("\"window\":12000"), "{}", ran.out);
    // What the user says comes first.
    place.home.write(
        "config.toml",
        place.home.read("config.toml").replace("model = \"m1\"\n", "model = \"m1\"\ncontext_window = 20000\n"),
    );
    assert!(place.run(&["context", "--json"]).out.contains("\"window\":20000"));
}

#[test]
fn a_window_smaller_than_was_said_is_found_out() {
    // The settings say 100,000; the server takes 6,000.
    let place = place(server(6_000, 12, true), 100_000);
    let ran = place.run(&["run", "go"]);
    assert_eq!((ran.code, ran.out.as_str()), (Some(0), "all done\n"), "{}", ran.err);
    let folded = kinds(&place, "compacted");
    assert!(folded.iter().any(|record| record["reason"] == "overflow"), "{folded:?}");
    place.server.assert_valid();
}

#[test]
fn switched_off_means_off() {
    let place = place(server(8_000, 40, true), 8_000);
    let text = place.home.read("config.toml") + "\n[compaction]\nauto = false\n";
    place.home.write("config.toml", text);
    let ran = place.run(&["run", "go"]);
    assert_eq!(ran.code, Some(4), "{}", ran.err);
    assert!(kinds(&place, "compacted").is_empty());
}

#[test]
fn over_twenty_foldings_every_fact_that_fits_stays_word_for_word() {
    // Seven steps of six thousand characters each fill a window of 8,000 more than once.
    let place = place(server(8_000, 7, true), 8_000);
    place.home.write("config.toml", place.home.read("config.toml") + "\n[compaction]\nprune = false\n");
    let mut facts: Vec<String> = Vec::new();
    for number in 0.. {
        let fact = format!("Fact {number}: the port of service {number} is {}.", 40_000 + number * 7);
        let before = place.server.request_count();
        facts.push(fact.clone());
        let ran = place.run(&["run", "--continue", &fact]);
        assert_eq!(ran.code, Some(0), "{}", ran.err);
        for request in &place.server.requests()[before..] {
            let text = request.body["messages"].to_string();
            let lost: Vec<&String> = facts.iter().filter(|fact| !text.contains(fact.as_str())).collect();
            assert!(lost.is_empty(), "after {number} prompts: {lost:?}");
        }
        if kinds(&place, "compacted").len() >= 20 {
            break;
        }
        assert!(number < 40, "it is folded often enough");
    }
    place.server.assert_valid();
    // What breaks the prefix is always the folding, also when another process goes on.
    let entries = kinds(&place, "requested");
    assert!(entries.iter().all(|entry| entry["broke"].is_null() || entry["broke"] == "compaction"), "{entries:?}");
}

#[test]
fn at_a_hundred_percent_the_run_goes_on() {
    let made = AtomicUsize::new(0);
    let server = ModelServer::start_with(move |request| {
        if request.last_content().contains("The context is nearly full") {
            return Some(Reply::fail(400, TOO_LONG));
        }
        let step = made.fetch_add(1, Ordering::SeqCst);
        let reply = if step == 6 {
            Reply::say("all done")
        } else {
            Reply::call("bash", json!({ "command": format!("echo {step}") }))
        };
        // Whatever is sent, the endpoint says that the window is full.
        Some(reply.with_usage(8_000, 10, 0))
    });
    let place = place(server, 8_000);
    let ran = place.run(&["run", "Keep this: 48213."]);
    assert_eq!((ran.code, ran.out.as_str()), (Some(0), "all done\n"), "{}", ran.err);
    assert!(place.server.requests().iter().all(|request| request.body.to_string().contains("48213")));
    assert!(kinds(&place, "compacted").is_empty(), "no folding would make room, so that none is made");
    place.server.assert_valid();
}

#[test]
fn folding_by_the_command_line_with_words_and_without_a_prompt() {
    let place = place(server(100_000, 0, true), 100_000);
    for prompt in ["the port is 4711", "second"] {
        assert_eq!(place.run(&["run", "--continue", prompt]).code, Some(0));
    }
    let ran = place.run(&["run", "--continue", "--compact=keep all ports"]);
    assert_eq!(ran.code, Some(0), "{}", ran.err);
    assert!(place.server.requests().last().unwrap().last_content().contains("keep all ports"));
    let folded = kinds(&place, "compacted");
    assert_eq!((folded.len(), &folded[0]["reason"]), (1, &json!("manual")), "{folded:?}");
    let ran = place.run(&["run", "--continue", "third"]);
    assert_eq!(ran.code, Some(0), "{}", ran.err);
    let sent = place.server.requests().last().unwrap().body["messages"].to_string();
    assert!(sent.contains("the port is 4711") && sent.contains("NOTES: half") && sent.contains("third"), "{sent}");
    let ran = place.run(&["run", "--continue", "--compact", "fourth"]);
    assert_eq!((ran.code, kinds(&place, "compacted").len()), (Some(0), 2), "{}", ran.err);
    assert_eq!(place.run(&["run", "--compact"]).code, Some(0), "a new session has nothing to fold");
    place.server.assert_valid();
}

#[test]
fn a_window_of_zero_means_that_nothing_is_folded() {
    let place = place(server(8_000, 40, true), 0);
    let ran = place.run(&["run", "go"]);
    assert_eq!(ran.code, Some(4), "{}", ran.err);
    assert!(kinds(&place, "compacted").is_empty());
}

#[test]
fn handing_over_makes_a_session_that_knows_and_keeps_the_prefix() {
    let place = place(server(100_000, 0, true), 100_000);
    assert_eq!(place.run(&["run", "the port is 4711"]).code, Some(0));
    let ran = place.run(&["handoff", "the", "ports"]);
    assert_eq!(ran.code, Some(0), "{}", ran.err);
    assert!(ran.err.contains("goes on with notes on this one"), "{}", ran.err);
    let asked = place.server.requests().last().unwrap().clone();
    assert!(asked.last_content().contains("the ports"));
    assert_eq!(place.logs().len(), 2);
    let ran = place.run(&["run", "--continue", "and now?"]);
    assert_eq!(ran.code, Some(0), "{}", ran.err);
    let next = place.server.requests().last().unwrap().clone();
    assert_eq!(next.body["tools"], asked.body["tools"]);
    assert_eq!(next.body["messages"][0], asked.body["messages"][0], "the same system prompt");
    let text = next.body["messages"].to_string();
    assert!(text.contains("the port is 4711") && text.contains("NOTES: half") && text.contains("and now?"), "{text}");
    let report: Value = serde_json::from_str(&place.run(&["cache", "--json"]).out).unwrap();
    assert_eq!(report["breaks"][0]["why"], "handoff", "{report}");
    assert!(report["breaks"][0]["at"].as_u64() > Some(5_000), "tools and system prompt are reused: {report}");
    let list = place.run(&["sessions", "--json"]).out;
    assert!(list.lines().any(|line| line.contains("\"from\":\"")), "{list}");
    place.server.assert_valid();
}

#[test]
fn handing_over_is_in_the_books_leaves_the_prefix_alone_and_takes_the_list_along() {
    let list = json!({"ops": [{ "op": "init", "list": [{ "phase": "Build", "items": ["still to do"] }] }]});
    let replies = [Reply::call("todo_write", list), Reply::say("noted"), Reply::say("NOTES"), Reply::say("here")];
    let more = [Reply::call("todo_read", json!({})), Reply::say("there")];
    let place = Place::new(replies.into_iter().chain(more).collect());
    assert_eq!(place.run(&["run", "keep a list"]).code, Some(0));
    let old = place.logs()[0].file_stem().unwrap().to_str().unwrap().to_owned();
    let ran = place.run(&["handoff"]);
    assert_eq!(ran.code, Some(0), "{}", ran.err);
    let new =
        place.logs().iter().map(|log| log.file_stem().unwrap().to_str().unwrap().to_owned()).find(|id| *id != old);
    // The old one goes on as if nothing had been asked beside it.
    assert_eq!(place.run(&["run", "--resume", &old, "go on"]).code, Some(0));
    let report: Value = serde_json::from_str(&place.run(&["cache", &old, "--json"]).out).unwrap();
    assert_eq!(report["breaks"], json!([]), "{report}");
    let ran = place.run(&["run", "--resume", &new.unwrap(), "what is left?"]);
    assert_eq!(ran.code, Some(0), "{}", ran.err);
    let sent = place.server.requests().last().unwrap().body["messages"].to_string();
    assert!(sent.contains("still to do"), "{sent}");
    let booked = std::fs::read_to_string(place.home.join("state/usage.jsonl")).unwrap().lines().count();
    assert_eq!(booked, place.server.request_count(), "one line a request");
    let stats = |args: &[&str]| place.run(args).out;
    assert_eq!(stats(&["stats", "--json"]), stats(&["stats", "--json", "--rebuild"]));
    place.server.assert_valid();
}

/// Each rung of the ladder is reached, in windows of 8,000 and of 16,000: old outputs go, the model writes notes, the log
/// makes them where it does not.
#[test]
fn every_rung_is_reached_in_small_windows() {
    for window in [8_000, 16_000] {
        let folds = |steps: usize, notes: bool, more: &str| {
            let place = place(server(window, steps, notes), window);
            place.home.write("config.toml", place.home.read("config.toml") + more);
            let ran = place.run(&["run", "go"]);
            assert_eq!(ran.code, Some(0), "{}", ran.err);
            place.server.assert_valid();
            kinds(&place, "compacted")
        };
        let has_notes = |record: &Value| record["notes"].as_array().is_some_and(|notes| !notes.is_empty());
        let pruned = folds(40, true, "");
        assert!(pruned.iter().any(|record| record["by"] == "log" && !has_notes(record)), "{window}: {pruned:#?}");
        let unpruned = "\n[compaction]\nprune = false\n";
        let written = folds(40, true, unpruned);
        assert!(written.iter().any(|record| record["by"] == "mock/m1" && has_notes(record)), "{window}: {written:#?}");
        let mechanical = folds(20, false, unpruned);
        assert!(
            !mechanical.is_empty() && mechanical.iter().all(|record| record["by"] == "log" && has_notes(record)),
            "{window}: {mechanical:#?}"
        );
    }
}

/// The last rung: where the endpoint takes nothing of a conversation however it is folded, a new session knows what was
/// said, and begins with the same prompt and tools.
#[test]
fn the_last_rung_is_a_new_session() {
    for window in [8_000, 16_000] {
        let full = Arc::new(AtomicBool::new(false));
        let refuses = full.clone();
        let server = ModelServer::start_with(move |_| {
            let refused = refuses.load(Ordering::SeqCst);
            Some(if refused { Reply::fail(400, TOO_LONG) } else { Reply::say("fine") })
        });
        let place = place(server, window);
        assert_eq!(place.run(&["run", "Keep this: 48213."]).code, Some(0));
        full.store(true, Ordering::SeqCst);
        let ran = place.run(&["run", "--continue", "and then this: 5077"]);
        assert_eq!(ran.code, Some(4), "{}", ran.err);
        assert!(ran.err.contains("cannot be made small enough") && ran.err.contains("--resume"), "{}", ran.err);
        assert_eq!(place.logs().len(), 2, "{window}");
        let asked = place.server.requests();
        full.store(false, Ordering::SeqCst);
        let new = place.logs()[1].clone();
        let ran = place.run(&["run", "--resume", new.to_str().unwrap(), "go on"]);
        assert_eq!((ran.code, ran.out.as_str()), (Some(0), "fine\n"), "{}", ran.err);
        let next = place.server.requests().last().unwrap().clone();
        let text = next.body["messages"].to_string();
        assert!(text.contains("48213") && text.contains("5077") && text.contains("go on"), "{text}");
        assert_eq!(next.body["tools"], asked[0].body["tools"]);
        assert_eq!(next.body["messages"][0], asked[0].body["messages"][0]);
        assert!(tokens(&next) < window);
        place.server.assert_valid();
    }
}
