//! The end-to-end ring: the built binary against a real model server. `scripts/e2e` starts the server and sets
//! `REASONIX_E2E_URL`; with `REASONIX_E2E=1` a missing server is a failure.

use crate::support;

use reasonix_testkit::{ModelServer, TempWorkspace};
use serde_json::Value;
use std::process::Command;
use std::time::{Duration, Instant};
use support::Place;
use support::pane::{Pane, screen_with, tmux};

/// A place configured for the real server; none when there is no server and none is required.
fn real() -> Option<(Place, String)> {
    let Ok(url) = std::env::var("REASONIX_E2E_URL") else {
        assert!(!support::everything_required(), "REASONIX_E2E=1 needs REASONIX_E2E_URL");
        return None;
    };
    let place = Place::bare(ModelServer::start_blocking(vec![]));
    place.home.write(
        "config.toml",
        format!(
            "[agent]\nsystem_prompt = \"You are a helpful assistant.\"\n\n[[providers]]\nname = \"real\"\nbase_url = \"{url}\"\nmodel = \"local\"\ncontext_window = 8192\nmax_tokens = 96\ntemperature = 0.0\n"
        ),
    );
    Some((place, url))
}

/// True for a run that came to its end: an answer of at most 96 tokens may be cut off, which has a code of its own.
fn is_answered(code: Option<i32>) -> bool {
    matches!(code, Some(0 | 6))
}

fn events(out: &str) -> Vec<Value> {
    out.lines().map(|line| serde_json::from_str(line).expect("JSON")).collect()
}

#[test]
fn it_answers_and_goes_on_with_the_prefix_cached() {
    let Some((place, _)) = real() else { return };
    let ran = place.run(&["run", "--tools", "read_file", "Say hello."]);
    assert!(is_answered(ran.code), "{}", ran.err);
    assert!(!ran.out.trim().is_empty());
    let ran = place.run(&["run", "-c", "--json", "Say it again."]);
    assert!(is_answered(ran.code), "{}", ran.err);
    let usage = events(&ran.out).into_iter().find(|event| event["event"]["type"] == "usage").expect("usage");
    let usage = &usage["event"]["usage"];
    assert!(usage["input"].as_u64() > Some(0), "{usage}");
    assert!(usage["cached"].as_u64() > Some(0), "the server reused the prefix of the first request: {usage}");
}

#[test]
fn it_calls_tools_and_reads_their_results() {
    let Some((place, _)) = real() else { return };
    place.work.write("example", "the secret word is platypus\n");
    // A model this small calls well in most tries, not in all; the wire and the loop have to hold in every one.
    let mut called = false;
    for prompt in
        ["Read the file example.", "Use read_file on example.", "Show me the file named example with read_file."]
    {
        let ran = place.run(&["run", "--json", "--tools", "read_file", "--max-steps", "2", prompt]);
        assert!(is_answered(ran.code) || ran.code == Some(5), "{}", ran.err);
        called |= events(&ran.out).iter().any(|event| event["event"]["type"] == "tool_ended");
    }
    assert!(called, "not one call in three prompts");
}

#[test]
fn a_grammar_of_the_tools_is_taken_by_the_server() {
    let Some((place, _)) = real() else { return };
    place.work.write("example", "the secret word is platypus\n");
    place.home.write("config.toml", place.home.read("config.toml") + "tool_calls = \"guided\"\n");
    for prompt in ["Read the file example.", "Use read_file on example."] {
        let ran = place.run(&["run", "--tools", "read_file,ls", "--max-steps", "2", prompt]);
        assert!(
            is_answered(ran.code) || ran.code == Some(5),
            "a server that cannot read the grammar says 400: {}",
            ran.err
        );
    }
}

#[test]
fn a_schema_is_asked_for_and_checked() {
    let Some((place, _)) = real() else { return };
    place.work.write("s.json", "{\"type\": \"object\"}");
    let ran = place.run(&["run", "--tools", "read_file", "--output-schema", "s.json", "Give me {\"a\": 1}"]);
    match ran.code {
        Some(0) => assert!(serde_json::from_str::<Value>(&ran.out).expect("JSON").is_object()),
        Some(1) => assert!(ran.err.contains("does not fit"), "{}", ran.err),
        other => panic!("{other:?}: {}", ran.err),
    }
}

#[test]
fn a_prompt_beyond_the_window_is_folded_and_said() {
    let Some((place, _)) = real() else { return };
    let ran = place.run(&["run", "--tools", "read_file", &"word ".repeat(12_000)]);
    assert!(is_answered(ran.code), "{}", ran.err);
    assert!(ran.err.contains("were folded into"), "{}", ran.err);
    let off = place.home.read("config.toml") + "\n[compaction]\nauto = false\n";
    place.home.write("config.toml", off);
    let ran = place.run(&["run", "--tools", "read_file", &"word ".repeat(12_000)]);
    assert_eq!(ran.code, Some(4), "{}", ran.err);
    assert!(ran.err.contains("context"), "{}", ran.err);
}

#[test]
fn setup_and_doctor_know_the_server() {
    let Some((_, url)) = real() else { return };
    let fresh = Place::bare(ModelServer::start_blocking(vec![]));
    let ran = fresh.run(&["setup", "--base-url", &url]);
    assert_eq!(ran.code, Some(0), "{}", ran.err);
    assert!(fresh.home.read("config.toml").contains("context_window"), "{}", fresh.home.read("config.toml"));
    let ran = fresh.run(&["doctor"]);
    assert_eq!(ran.code, Some(0), "{}", ran.out);
    let ran = fresh.run(&["models", "--live"]);
    assert!(ran.out.contains("local"), "{}", ran.out);
}

#[test]
fn probe_sees_what_the_server_does() {
    let Some((place, url)) = real() else { return };
    let ran = place.run(&["probe", "--json"]);
    assert_eq!(ran.code, Some(0), "{}", ran.err);
    let found: Value = serde_json::from_str(&ran.out).expect("JSON");
    let probe = &found["probe"];
    assert_eq!((&probe["server"], &probe["window"]), (&"llama_cpp".into(), &8192.into()), "{url}: {probe}");
    // What a model this small does by itself differs; what its server holds it to does not.
    assert_eq!((&probe["json_schema"], &probe["guided"]), (&"yes".into(), &"gbnf".into()), "{probe}");
    assert_eq!((&probe["streaming"], &probe["usage"]), (&"yes".into(), &"yes".into()), "{probe}");
    assert_eq!((&probe["cache_reported"], &probe["prefix_cached"]), (&"yes".into(), &"yes".into()), "{probe}");
}

fn count(screen: &str, sign: &str) -> usize {
    screen.lines().filter(|line| line.starts_with(sign)).count()
}

/// The front end in a real terminal: Chinese typed and deleted, an approval, a change of size, an interrupt, a resume.
#[test]
fn the_screen_in_a_terminal() {
    let Some(pane) = Pane::open("80", "24") else { return };
    let place = Place::new(vec![
        reasonix_testkit::Reply::say("你好，世界"),
        reasonix_testkit::Reply::call("bash", serde_json::json!({"command": "touch made"}))
            .after_saying("I will make it."),
        reasonix_testkit::Reply::say("Made."),
        reasonix_testkit::Reply::hang_mid_stream("thinking about it"),
        reasonix_testkit::Reply::say("resumed fine"),
    ]);
    pane.start(&place);
    pane.keys(&["你好吗", "BSpace", "Enter"]);
    pane.shows("你好，世界");
    assert_eq!(place.server.requests()[0].last_content(), "你好", "one backspace takes one character");
    pane.keys(&["make it", "Enter"]);
    let question = pane.shows("Allow bash?");
    assert!(question.contains("touch made") && question.contains("PLAN"), "{question}");
    assert!(!place.work.exists("made"), "nothing runs before the answer");
    pane.answer("y", "Allow bash?");
    pane.shows("Made.");
    assert!(place.work.exists("made"));
    for (width, height) in [("31", "24"), ("7", "12"), ("120", "40"), ("80", "24")] {
        pane.resize(width, height);
        let screen = pane.shows("› A");
        assert_eq!(count(&screen, "› A"), 1, "one composer at {width}x{height}:\n{screen}");
    }
    pane.keys(&["think", "Enter"]);
    pane.shows("thinking about it");
    pane.keys(&["Escape"]);
    pane.shows("interrupted");
    pane.keys(&["/quit", "Enter"]);
    let screen = pane.shows("ended 0");
    assert!(screen.contains("--resume"), "{screen}");
    assert_eq!(count(&screen, "›"), 0, "the composer is gone:\n{screen}");
    place.assert_resumes();
    place.server.assert_prefixes_grow();
}

/// The terminal is as it was after a stop, after a signal, and a draft survives the signal.
#[test]
fn the_terminal_is_given_back() {
    let Some(pane) = Pane::open("80", "24") else { return };
    let place = Place::new(Vec::new());
    pane.start(&place);
    pane.keys(&["half a thought", "C-z"]);
    pane.shows("Stopped");
    pane.keys(&["stty -a | grep -q ' echo ' && echo it''s fine", "Enter"]);
    pane.shows("its fine");
    pane.keys(&["clear; fg; echo ended $?", "Enter"]);
    pane.shows("› half a thought");
    pane.keys(&[" more"]);
    pane.shows("› half a thought more");
    let pid = tmux(&pane.socket, &["list-panes", "-t", "t", "-F", "#{pane_pid}"]);
    let pid = Command::new("pgrep").args(["-P", pid.trim()]).output().expect("pgrep");
    let pid = String::from_utf8_lossy(&pid.stdout).trim().to_owned();
    Command::new("kill").args(["-TERM", &pid]).status().expect("kill");
    pane.shows("ended 143");
    pane.keys(&["clear; stty -a | grep -q ' echo ' && echo still fin''e", "Enter"]);
    pane.shows("still fine");
    pane.keys(&["clear", "Enter"]);
    let line = format!(
        "env -i PATH=\"$PATH\" TERM=xterm-256color LANG=C.UTF-8 HOME={home} REASONIX_HOME={home} MOCK_KEY=k {}",
        support::binary().display(),
        home = place.home.path().display(),
    );
    pane.keys(&[&line, "Enter"]);
    pane.shows("› half a thought more");
}

/// The line chat in a real terminal: Chinese typed and deleted, an approval, an interrupt, a resume.
#[test]
fn the_line_chat_in_a_terminal() {
    if Command::new("tmux").arg("-V").output().is_err() {
        assert!(!support::everything_required(), "REASONIX_E2E=1 needs tmux");
        return;
    }
    let place = Place::new(vec![
        reasonix_testkit::Reply::say("你好，世界"),
        reasonix_testkit::Reply::call("bash", serde_json::json!({"command": "touch made"}))
            .after_saying("I will make it."),
        reasonix_testkit::Reply::say("Made."),
        reasonix_testkit::Reply::hang_mid_stream("thinking about it\nand of mo"),
        reasonix_testkit::Reply::say("resumed fine"),
    ]);
    let socket = TempWorkspace::new();
    let line = format!(
        "cd {} && env -i PATH=\"$PATH\" TERM=xterm-256color LANG=C.UTF-8 REASONIX_PLAIN=1 HOME={home} REASONIX_HOME={home} MOCK_KEY=k {}; echo ended $?",
        place.work.path().display(),
        support::binary().display(),
        home = place.home.path().display(),
    );
    tmux(&socket, &["new-session", "-d", "-s", "t", "-x", "80", "-y", "24", "bash --norc"]);
    tmux(&socket, &["send-keys", "-t", "t", &line, "Enter"]);
    screen_with(&socket, "/help");
    tmux(&socket, &["send-keys", "-t", "t", "你好吗", "BSpace", "Enter"]);
    screen_with(&socket, "你好，世界");
    assert_eq!(place.server.requests()[0].last_content(), "你好", "one backspace takes one character");
    tmux(&socket, &["send-keys", "-t", "t", "make it", "Enter"]);
    let question = screen_with(&socket, "allow?");
    assert!(question.contains("touch made") && question.contains("PLAN"), "{question}");
    assert!(!place.work.exists("made"), "nothing runs before the answer");
    // A yes that comes before the question could be read is asked for once more.
    let asked = Instant::now();
    while !place.work.exists("made") {
        assert!(asked.elapsed() < Duration::from_secs(90), "{}", tmux(&socket, &["capture-pane", "-p", "-t", "t"]));
        tmux(&socket, &["send-keys", "-t", "t", "y", "Enter"]);
        let answered = Instant::now();
        while !place.work.exists("made") && answered.elapsed() < Duration::from_secs(2) {
            std::thread::sleep(Duration::from_millis(50));
        }
    }
    screen_with(&socket, "Made.");
    assert!(place.work.exists("made"));
    tmux(&socket, &["send-keys", "-t", "t", "think", "Enter"]);
    screen_with(&socket, "thinking about it");
    tmux(&socket, &["send-keys", "-t", "t", "C-c"]);
    screen_with(&socket, "interrupted");
    tmux(&socket, &["send-keys", "-t", "t", "/quit", "Enter"]);
    screen_with(&socket, "ended 0");
    tmux(&socket, &["kill-server"]);
    place.assert_resumes();
    place.server.assert_prefixes_grow();
}

#[test]
fn an_unknown_local_endpoint_is_probed_only_with_the_users_word() {
    let Some(pane) = Pane::open("100", "30") else { return };
    let place = Place::bare(ModelServer::start_blocking(vec![]));
    let url = place.server.base_url();
    place.home.write(
        "config.toml",
        format!("[[providers]]\nname = \"new\"\nbase_url = \"{url}\"\nmodel = \"m\"\n{}", support::unboxed()),
    );
    pane.begin(&place);
    pane.shows("is new here");
    assert!(place.server.all_requests().is_empty(), "nothing before the answer");
    pane.keys(&["n", "Enter"]);
    pane.shows("Ask anything");
    assert!(place.server.all_requests().is_empty(), "a no is a no");
    pane.keys(&["C-d"]);
    pane.shows("ended 0");
    pane.keys(&["clear", "Enter"]);
    pane.start(&place);
    assert!(!pane.shows("Ask anything").contains("is new here"), "it is asked once");
}
