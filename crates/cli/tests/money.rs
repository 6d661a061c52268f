//! Budgets that hold, figures that add up: the real binary against a server that counts tokens.

use crate::support;

use reasonix_testkit::{ModelServer, Reply};
use serde_json::{Value, json};
use std::sync::atomic::{AtomicUsize, Ordering};
use support::{Place, unboxed};

/// A dollar for a thousand fresh tokens, a tenth of it for cached ones, two dollars for a thousand of output.
const PRICE: &str = "price = { input = 1000.0, cached_input = 100.0, output = 2000.0 }\n";

fn place(server: ModelServer, price: &str, more: &str) -> Place {
    let place = Place::bare(server);
    let url = place.server.base_url();
    let text = format!(
        "default_model = \"mock\"\n[[providers]]\nname = \"mock\"\nkind = \"openai\"\nbase_url = \"{url}\"\nmodel = \"m1\"\napi_key_env = \"MOCK_KEY\"\ncontext_window = 100000\n{price}\n{more}{}",
        unboxed()
    );
    place.home.write("config.toml", text);
    place
}

/// A model that calls for ever, each request of 1,000 tokens of which 800 were cached, with 100 of output.
fn tireless() -> ModelServer {
    let made = AtomicUsize::new(0);
    ModelServer::start_with(move |_| {
        let command = format!("echo {}", made.fetch_add(1, Ordering::SeqCst));
        Some(Reply::call("bash", json!({ "command": command })).with_usage(1000, 100, 800))
    })
}

fn last_end(place: &Place) -> Value {
    let log = std::fs::read_to_string(&place.logs()[0]).unwrap();
    let mut lines = log.lines().map(|line| serde_json::from_str::<Value>(line).unwrap());
    lines.rfind(|line| line["kind"] == "turn_ended").unwrap()
}

#[test]
fn an_exhausted_budget_ends_the_run_before_the_next_request_and_the_session_goes_on() {
    // Each request costs 0.2 + 0.08 + 0.2 = 0.48.
    for (flag, limit, requests, what) in
        [("--max-cost", "1.00", 3, "$1.44 of $1.00 spent"), ("--max-tokens", "2k", 2, "2200 of 2000 tokens")]
    {
        let place = place(tireless(), PRICE, "");
        let ran = place.run(&["run", flag, limit, "work"]);
        assert_eq!(ran.code, Some(5), "{}", ran.err);
        assert_eq!(place.server.request_count(), requests, "{flag}");
        assert!(ran.err.contains(what), "{}", ran.err);
        assert!(ran.err.contains("hint: go on with --continue"), "{}", ran.err);
        let end = last_end(&place);
        assert_eq!(end["end"]["how"], "out_of_budget", "{end}");
        let spent = 480_000 * requests as u64;
        assert_eq!(end["cost"], json!({ "spent": spent, "saved": 720_000 * requests as u64, "currency": "USD" }));
        let again = place.run(&["run", "--continue", flag, limit, "more"]);
        assert_eq!(again.code, Some(5), "each run has the budget for itself: {}", again.err);
        assert_eq!(place.server.request_count(), requests * 2);
        place.server.assert_valid();
        place.server.assert_prefixes_grow();
    }
}

#[test]
fn near_a_limit_there_is_one_warning() {
    let place = place(tireless(), PRICE, "[budget]\nmax_tokens = 11000\n");
    let ran = place.run(&["run", "work"]);
    assert_eq!(ran.code, Some(5), "{}", ran.err);
    assert_eq!(ran.err.matches("8800 of the allowed 11000 tokens are used").count(), 1, "{}", ran.err);
    assert_eq!(ran.err.matches("of the allowed").count(), 1, "{}", ran.err);
    assert_eq!(place.server.request_count(), 10);
}

#[test]
fn time_that_is_up_stops_what_runs() {
    let calls = ModelServer::start_with(|_| Some(Reply::call("bash", json!({ "command": "sleep 60" }))));
    let place = place(calls, "", "");
    let begun = std::time::Instant::now();
    let ran = place.run(&["run", "--max-time", "1s", "work"]);
    assert_eq!(ran.code, Some(5), "{}", ran.err);
    assert!(begun.elapsed().as_secs() < 45, "the command was not waited for");
    assert!(ran.err.contains("the time is used up"), "{}", ran.err);
    place.server.assert_valid();
}

#[test]
fn a_limit_of_money_without_a_price_is_said_and_tokens_are_reckoned_where_nobody_counts() {
    let made = AtomicUsize::new(0);
    let silent = ModelServer::start_with(move |_| {
        let count = made.fetch_add(1, Ordering::SeqCst);
        let arguments = json!({ "command": format!("echo {count}") }).to_string();
        let function = json!({ "name": "bash", "arguments": arguments });
        let call = json!({ "index": 0, "id": format!("call_{count}"), "type": "function", "function": function });
        Some(Reply::events(vec![
            json!({ "choices": [{ "index": 0, "delta": { "tool_calls": [call] } }] }),
            json!({ "choices": [{ "index": 0, "delta": {}, "finish_reason": "tool_calls" }] }),
        ]))
    });
    let place = place(silent, "", "");
    let ran = place.run(&["run", "--max-cost", "1", "--max-tokens", "5k", "work"]);
    assert_eq!(ran.code, Some(5), "{}", ran.err);
    assert!(ran.err.contains("the price of mock/m1 is not known"), "{}", ran.err);
    assert!(place.server.request_count() < 20, "{}", place.server.request_count());
}

#[test]
fn a_server_that_counts_nothing_does_not_lift_a_budget() {
    for (flag, limit) in [("--max-cost", "2"), ("--max-tokens", "5k")] {
        let made = AtomicUsize::new(0);
        let server = ModelServer::start_with(move |_| {
            let command = format!("echo {}", made.fetch_add(1, Ordering::SeqCst));
            Some(Reply::call("bash", json!({ "command": command })).with_usage(0, 0, 0))
        });
        let place = place(server, PRICE, "");
        let ran = place.run(&["run", flag, limit, "work"]);
        assert_eq!(ran.code, Some(5), "{flag}: {}", ran.err);
        assert!(place.server.request_count() < 20, "{flag}: {}", place.server.request_count());
    }
}

#[test]
fn a_log_says_how_it_went_and_not_what_was_said() {
    let replies = vec![
        Reply::call("bash", json!({ "command": "echo the-output" })).with_usage(1000, 100, 800),
        Reply::say("the-answer").with_usage(1000, 100, 800),
        Reply::say("again"),
    ];
    let place = place(ModelServer::start_blocking(replies), PRICE, "[logs]\nlevel = \"debug\"\n");
    assert_eq!(place.run(&["run", "the-prompt"]).code, Some(0));
    assert_eq!(place.run(&["run", "--no-session", "unkept"]).code, Some(0));
    let log = std::fs::read_to_string(place.home.join("state/logs/reasonix.log")).unwrap();
    for wanted in [
        "INFO",
        "session_started model=mock/m1",
        "tool_ended tool=bash how=done",
        "turn_ended turn=1 how=done",
        "cost=$0.96",
    ] {
        assert!(log.contains(wanted), "{wanted}: {log}");
    }
    for never in ["the-prompt", "the-output", "the-answer", "sk-secret-for-tests"] {
        assert!(!log.contains(never), "{never}: {log}");
    }
    assert_eq!(log.matches("session_started").count(), 1, "a session that keeps nothing is not logged");
}

#[test]
fn nonsense_is_refused() {
    let place = place(ModelServer::start_blocking(Vec::new()), "", "");
    for (flag, value) in [("--max-cost", "-1"), ("--max-tokens", "many"), ("--max-time", "soon")] {
        let ran = place.run(&["run", flag, value, "work"]);
        assert_eq!(ran.code, Some(2), "{flag} {value}: {}", ran.err);
    }
}

#[test]
fn stats_add_up_and_survive_the_ledger_and_the_sessions() {
    let place = place(
        ModelServer::start_blocking(vec![
            Reply::say("one").with_usage(1000, 100, 800),
            Reply::say("two").with_usage(1000, 100, 0),
            Reply::say("unkept").with_usage(9000, 100, 0),
        ]),
        PRICE,
        "",
    );
    assert_eq!(place.run(&["stats"]).out, "nothing was spent yet\n");
    place.run(&["run", "first"]);
    place.run(&["run", "second"]);
    place.run(&["run", "--no-session", "third"]);
    let row = |args: &[&str]| -> Vec<Value> {
        let ran = place.run(args);
        assert_eq!(ran.code, Some(0), "{}", ran.err);
        ran.out.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
    };
    let wanted = json!({ "name": "mock/m1", "requests": 2, "input": 2000, "cached": 800, "cache_written": 0, "output": 200,
        "reasoning": 0, "costs": [{ "currency": "USD", "spent": 1.68, "saved": 0.72 }] });
    let by_model = row(&["stats", "--by", "model", "--json"]);
    assert_eq!(by_model, std::slice::from_ref(&wanted));
    let spans = row(&["stats", "--json"]);
    assert_eq!(
        spans.iter().map(|row| row["name"].as_str().unwrap()).collect::<Vec<_>>(),
        ["today", "week", "month", "all"]
    );
    assert!(spans.iter().all(|row| row["requests"] == 2));
    let project = row(&["stats", "--today", "--by", "project", "--json"]);
    assert_eq!(project[0]["name"], place.work.path().canonicalize().unwrap().display().to_string());
    let table = place.run(&["stats", "--all"]);
    assert!(table.out.contains("mock/m1") && table.out.contains("$1.68") && table.out.contains("40%"), "{}", table.out);
    assert!(table.out.contains("████"), "{}", table.out);

    let ledger = place.home.join("state/usage.jsonl");
    assert!(!std::fs::read_to_string(&ledger).unwrap().contains("first"), "figures, not words");
    std::fs::remove_file(&ledger).unwrap();
    assert_eq!(row(&["stats", "--by", "model", "--json"]), std::slice::from_ref(&wanted), "made anew");
    place.logs().iter().for_each(|log| std::fs::remove_file(log).unwrap());
    assert_eq!(
        row(&["stats", "--by", "model", "--json", "--rebuild"]),
        [wanted],
        "what is gone was spent all the same"
    );
}
