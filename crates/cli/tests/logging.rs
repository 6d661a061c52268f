//! Looking inside: what goes into the log file, who decides how much, and what never does.

use crate::support;

use reasonix_testkit::Reply;
use serde_json::json;
use std::os::unix::fs::PermissionsExt;
use support::{Place, Ran, finish};

/// The log files together, newest first; none when there is no folder for them.
fn log_of(place: &Place) -> Option<String> {
    let mut files: Vec<_> = std::fs::read_dir(place.home.join("state/logs"))
        .ok()?
        .map(|entry| entry.expect("an entry").path())
        .filter(|path| path.to_string_lossy().contains("reasonix.log"))
        .collect();
    files.sort();
    Some(files.iter().map(|path| std::fs::read_to_string(path).expect("a log is text")).collect())
}

fn run(place: &Place, variable: Option<&str>, args: &[&str]) -> Ran {
    let mut command = place.command(args);
    command.envs(variable.map(|level| ("REASONIX_LOG", level)));
    finish(command.output().expect("the binary starts"))
}

/// A call and an answer.
fn replies() -> Vec<Reply> {
    vec![Reply::call("ls", json!({ "path": "." })), Reply::say("the-answer")]
}

fn lines_with<'a>(log: &'a str, words: &[&str]) -> Vec<&'a str> {
    log.lines().filter(|line| words.iter().all(|word| line.contains(word))).collect()
}

#[test]
fn debug_shows_the_turn_with_its_steps_requests_and_calls() {
    let place = Place::new(replies());
    let ran = run(&place, Some("debug"), &["run", "the-prompt"]);
    assert_eq!(ran.code, Some(0), "{}", ran.err);
    let log = log_of(&place).expect("a log");
    for wanted in [
        &[
            "DEBUG session{id=",
            "}:turn{turn=1}:step{step=1}:request{model=mock/m1 ",
            "reasonix_llm::answer: request_sent attempt=1 bytes=",
        ][..],
        &["step{step=1}:request{", "response_began status=200"],
        &["step{step=1}:request{", "reasonix_agent::step: close time.busy="],
        &["step{step=1}:call{id=", " tool=ls ", "gate verdict=allow"],
        &["step{step=1}:call{id=", " tool=ls ", "close time.busy="],
        &["step{step=2}:request{", "request_sent"],
        &[" INFO session{id=", "}:turn{turn=1}: reasonix_state::logbook: turn_ended turn=1 how=done steps=1"],
        &[" INFO session{id=", "}:turn{turn=1}: ", "close time.busy="],
        &[" INFO session{id=", "session_ended"],
    ] {
        assert!(!lines_with(&log, wanted).is_empty(), "{wanted:?}: {log}");
    }
    for line in log.lines() {
        let (at, rest) = line.split_once(' ').expect("a time");
        assert!(at.len() == 27 && at.ends_with('Z') && at.as_bytes()[10] == b'T', "{line}");
        assert!(["ERROR", "WARN", "INFO", "DEBUG"].iter().any(|level| rest.trim_start().starts_with(level)), "{line}");
    }
    assert!(!log.contains("the-prompt") && !log.contains("the-answer"), "{log}");
    let file = place.home.join("state/logs/reasonix.log");
    assert_eq!(file.metadata().unwrap().permissions().mode() & 0o777, 0o600);
}

#[test]
fn the_command_line_beats_the_variable_and_that_the_setting() {
    for (setting, variable, flag, level) in [
        ("", Some("info"), None, "info"),
        ("debug", None, None, "debug"),
        ("debug", Some("info"), None, "info"),
        ("info", Some("trace"), None, "trace"),
        ("trace", Some("trace"), Some("info"), "info"),
        ("off", Some("off"), Some("debug"), "debug"),
    ] {
        let place = Place::new(replies());
        if !setting.is_empty() {
            place.configure(&format!("[logs]\nlevel = \"{setting}\"\n"));
        }
        let mut args = vec!["run"];
        args.extend(flag.iter().flat_map(|flag| ["--log-level", flag]));
        args.push("hi");
        let ran = run(&place, variable, &args);
        assert_eq!(ran.code, Some(0), "{}", ran.err);
        let log = log_of(&place).expect("a log");
        let found = ["TRACE", "DEBUG", "INFO"].iter().find(|level| log.contains(&format!("{level} ")));
        assert_eq!(found.map(|found| found.to_lowercase()).as_deref(), Some(level), "{setting} {variable:?} {flag:?}");
    }
}

#[test]
fn off_leaves_no_file_wherever_it_is_said() {
    for (setting, variable, args) in [
        ("", None, &["run", "hi"][..]),
        ("off", None, &["run", "hi"]),
        ("debug", Some("off"), &["run", "hi"]),
        ("debug", Some("debug"), &["run", "--log-level", "off", "hi"]),
        ("debug", Some("debug"), &["run", "--no-session", "--log-level", "debug", "hi"]),
    ] {
        let place = Place::new(replies());
        if !setting.is_empty() {
            place.configure(&format!("[logs]\nlevel = \"{setting}\"\n"));
        }
        let ran = run(&place, variable, args);
        assert_eq!(ran.code, Some(0), "{}", ran.err);
        assert_eq!(log_of(&place), None, "{setting} {variable:?} {args:?}");
    }
}

#[test]
fn a_level_that_is_none_is_refused_and_the_level_says_where_it_comes_from() {
    let place = Place::new(replies());
    assert_eq!(run(&place, None, &["run", "--log-level", "loud", "hi"]).code, Some(2));
    let ran = run(&place, Some("loud"), &["run", "hi"]);
    assert_eq!(ran.code, Some(2), "{}", ran.err);
    assert!(ran.err.contains("REASONIX_LOG") && ran.err.contains("loud"), "{}", ran.err);
    let shown = run(&place, Some("debug"), &["config", "show", "--origin"]);
    assert!(shown.out.lines().any(|line| line.contains("REASONIX_LOG") && line.contains("debug")), "{}", shown.out);
}

#[test]
fn a_retry_and_a_failure_are_told_by_their_class() {
    let busy = || Reply::fail(503, r#"{"error": {"message": "words-of-the-endpoint"}}"#);
    let refused = Reply::fail(400, r#"{"error": {"message": "words-of-the-endpoint"}}"#);
    let place = Place::new(vec![busy(), refused]);
    let ran = run(&place, Some("debug"), &["run", "hi"]);
    assert_eq!(ran.code, Some(4), "{}", ran.err);
    let log = log_of(&place).expect("a log");
    assert!(
        !lines_with(&log, &[" WARN ", ":request{", "retry class=Server attempt=1 of=", "wait="]).is_empty(),
        "{log}"
    );
    assert!(!lines_with(&log, &[" WARN ", ":request{", "answer_failed class=BadRequest"]).is_empty(), "{log}");
}

#[test]
fn what_fills_a_file_makes_way_also_in_the_middle_of_a_session() {
    let place = Place::new(replies());
    place.configure("[logs]\nlevel = \"trace\"\nmax_size_mb = 1\nmax_files = 3\n");
    let logs = place.home.join("state/logs");
    std::fs::create_dir_all(&logs).unwrap();
    // A few lines are missing to the size at which a file makes way.
    let before = "an old line\n".repeat((1024 * 1024 - 300) / 12);
    std::fs::write(logs.join("reasonix.log"), &before).unwrap();
    assert_eq!(run(&place, None, &["run", "hi"]).code, Some(0));
    let old = std::fs::read_to_string(logs.join("reasonix.log.1")).unwrap();
    let new = std::fs::read_to_string(logs.join("reasonix.log")).unwrap();
    assert!(old.starts_with(&before) && old.len() > before.len(), "begun in the old one");
    assert!(new.contains("session_ended") && !new.contains("an old line"), "{new}");
}

/// The session cannot be written beyond a size that the log does not reach.
#[test]
fn a_journal_that_cannot_be_written_is_told() {
    let place = Place::new(replies());
    let line = format!("ulimit -f 1; exec '{}' run --log-level error hi", support::binary().display());
    let ran = finish(place.program("bash".as_ref(), &["-c", &line]).output().expect("bash starts"));
    assert_eq!(ran.code, Some(1), "{}", ran.err);
    let log = log_of(&place).expect("a log");
    let told = lines_with(&log, &["ERROR reasonix_session::journal: journal_write_failed path=", "state/sessions"]);
    assert!(!told.is_empty(), "{log}");
}

/// The keys of the endpoint, in its address, in headers and in the environment: whatever happens, at whatever level.
#[test]
fn no_key_is_in_the_most_detailed_log() {
    let quoted = r#"{"error": {"message": "Incorrect API key provided: sk-secret-for-tests, hunter2, hunter4"}}"#;
    let busy = r#"{"error": {"message": "busy, sk-secret-for-tests, hunter2, hunter4"}}"#;
    let work = vec![
        Reply::fail(503, busy),
        Reply::call("bash", json!({ "command": "env; echo canary-output" })),
        Reply::call("write_file", json!({ "path": "a.txt", "content": "canary-content" })),
        Reply::call("nothing", json!({ "key": "canary-argument" })),
        Reply::say("canary-answer"),
        Reply::fail(401, quoted),
    ];
    let place = Place::new(work);
    let text = place.home.read("config.toml").replace("http://127", "http://me:hunter2@127");
    let text = text.replace("api_key_env", "headers = { X-Token = \"hunter4\" }\napi_key_env");
    assert!(text.contains("hunter2@") && text.contains("hunter4"), "{text}");
    place.home.write("config.toml", &text);
    for (prompt, code) in [("canary-prompt", Some(0)), ("canary-prompt", Some(4))] {
        let mut command = place.command(&["run", "--log-level", "trace", prompt]);
        command.env("GH_TOKEN", "hunter5");
        let ran = finish(command.output().expect("the binary starts"));
        assert_eq!(ran.code, code, "{}", ran.err);
    }
    let sent = format!("{:?}", place.server.requests());
    assert!(sent.contains("sk-secret-for-tests") && sent.contains("hunter4"), "the endpoint gets them");
    let log = log_of(&place).expect("a log");
    for wanted in ["TRACE", "retry class=Server", "tool=bash", "tool=write_file", "answer_failed class=KeyRejected"] {
        assert!(log.contains(wanted), "{wanted}: {log}");
    }
    for never in ["sk-secret-for-tests", "hunter", "canary"] {
        assert!(lines_with(&log, &[never]).is_empty(), "{never}: {:?}", lines_with(&log, &[never]));
    }
}
