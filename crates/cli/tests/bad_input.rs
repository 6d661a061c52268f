//! Bad input gets a clear error, and nothing is lost: each case shows its message, and its session goes on afterwards.

use crate::support;

use reasonix_testkit::{ModelServer, Reply};
use serde_json::json;
use support::{Place, Ran};

/// The error says all of this, its hint is there, and the exit code is right.
fn assert_says(ran: &Ran, code: i32, words: &[&str]) {
    assert_eq!(ran.code, Some(code), "{}{}", ran.out, ran.err);
    for word in words {
        assert!(ran.err.contains(word), "{word:?} is missing:\n{}", ran.err);
    }
}

#[test]
fn no_settings_at_all() {
    let place = Place::bare(ModelServer::start_blocking(vec![]));
    let ran = place.run(&["run", "hello"]);
    assert_says(&ran, 2, &["error:", "hint:", "reasonix setup"]);
}

#[test]
fn broken_settings_name_file_line_and_what_to_do() {
    let place = Place::new(vec![]);
    for (text, words) in [
        ("default_model = \n", vec!["config.toml:1", "hint:"]),
        ("[agent]\nmax_steps = \"many\"\n", vec!["config.toml:2", "agent.max_steps", "hint:"]),
        ("[permissions]\nalow = []\n", vec!["config.toml:2", "permissions.alow", "did you mean allow"]),
        ("[permissions]\nallow = [\"Bash(\"]\n", vec!["Bash(", "hint:"]),
    ] {
        place.home.write("config.toml", text);
        let ran = place.run(&["run", "hello"]);
        assert_says(&ran, 2, &words);
        assert_eq!(place.home.read("config.toml"), text, "the file is never changed");
    }
}

#[test]
fn an_unknown_key_is_a_warning_with_a_suggestion() {
    let place = Place::new(vec![Reply::say("ok")]);
    place.configure("[agent]\nmax_step = 3\n");
    let ran = place.run(&["run", "hello"]);
    assert_says(&ran, 0, &["warning:", "agent.max_step", "max_steps"]);
}

#[test]
fn a_folder_of_the_go_edition_starts_and_is_not_changed() {
    let place = Place::new(vec![Reply::say("ok")]);
    let text = format!(
        "config_version = 10\ndefault_model = \"mock/m\"\n[permissions]\nmode = \"allow\"\n[sandbox]\nbash = \"off\"\nnetwork = true\n[[providers]]\nname = \"mock\"\nkind = \"openai\"\nbase_url = \"{}\"\nmodels = [\"m\"]\ndefault = \"m\"\napi_key_env = \"MOCK_KEY\"\ncontext_window = 200000\n",
        place.server.base_url()
    );
    place.home.write("config.toml", &text);
    place.home.write("sessions/old.jsonl", "{\"role\":\"user\"}\n");
    let ran = place.run(&["run", "hello"]);
    assert_eq!((ran.code, ran.out.as_str()), (Some(0), "ok\n"), "{}", ran.err);
    assert_eq!(place.home.read("config.toml"), text);
    assert_eq!(place.home.read("sessions/old.jsonl"), "{\"role\":\"user\"}\n");
}

#[test]
fn no_key_is_said_when_the_endpoint_wants_one() {
    let place = Place::new(vec![Reply::fail(401, "{\"error\":{\"message\":\"no key\"}}"), Reply::say("ok")]);
    let mut command = place.command(&["run", "hello"]);
    let ran = support::finish(command.env_remove("MOCK_KEY").output().unwrap());
    assert_says(&ran, 4, &["MOCK_KEY", "hint:"]);
    place.assert_resumes();
}

#[test]
fn a_rejected_key_is_never_shown() {
    let body = "{\"error\":{\"message\":\"Incorrect API key provided: sk-secret-for-tests\"}}";
    let place = Place::new(vec![Reply::fail(401, body), Reply::say("ok")]);
    let ran = place.run(&["run", "hello"]);
    assert_says(&ran, 4, &["hint:"]);
    assert!(!ran.err.contains("sk-secret-for-tests"), "{}", ran.err);
    let log = std::fs::read_to_string(&place.logs()[0]).unwrap();
    assert!(!log.contains("sk-secret-for-tests"));
    place.assert_resumes();
}

#[test]
fn failures_of_the_provider() {
    let cases: Vec<(Reply, Vec<&str>)> = vec![
        (Reply::html(), vec!["base_url", "/v1"]),
        (Reply::fail(402, "{\"error\":{\"message\":\"Insufficient Balance\"}}"), vec!["balance"]),
        (Reply::fail(404, "{\"error\":{\"message\":\"The model `m1` does not exist\"}}"), vec!["m1"]),
        (
            Reply::fail(400, "{\"error\":{\"message\":\"This model's maximum context length is 8192 tokens\"}}"),
            vec!["context"],
        ),
        (Reply::drop_mid_stream("half an answer"), vec!["hint:"]),
        (Reply::raw("data: not json\n\n"), vec!["hint:"]),
        (Reply::raw(vec![b'x'; 40 << 20]), vec!["hint:"]),
    ];
    for (number, (reply, words)) in cases.into_iter().enumerate() {
        let place = Place::new(vec![reply, Reply::say("ok")]);
        let ran = place.run(&["run", "hello"]);
        let with_error = [vec!["error:", "hint:"], words].concat();
        assert_says(&ran, 4, &with_error);
        assert!(ran.err.len() < 4000, "case {number}: the message is bounded");
        place.assert_resumes();
    }
}

#[test]
fn a_stream_that_stops_keeps_and_shows_its_text() {
    let place = Place::new(vec![Reply::drop_mid_stream("half an answer"), Reply::say("ok")]);
    let ran = place.run(&["run", "hello"]);
    assert_eq!(ran.out, "half an answer\n");
    place.assert_resumes();
    let sent = place.server.requests()[1].messages()[2]["content"].clone();
    assert_eq!(sent, "half an answer");
}

#[test]
fn odd_but_good_streams_are_answers() {
    for reply in [
        Reply::no_done("fine"),
        Reply::json(
            &json!({"choices": [{"message": {"role": "assistant", "content": "fine"}, "finish_reason": "stop"}]}),
        ),
    ] {
        let place = Place::new(vec![reply]);
        let ran = place.run(&["run", "hello"]);
        assert_eq!((ran.code, ran.out.as_str()), (Some(0), "fine\n"), "{}", ran.err);
    }
    // A character split over chunks arrives whole.
    let event = "data: {\"choices\":[{\"index\":0,\"delta\":{\"content\":\"中文🦀\"},\"finish_reason\":\"stop\"}]}\n\ndata: [DONE]\n\n";
    let place = Place::new(vec![Reply::raw_pieces(event.bytes().map(|byte| vec![byte]).collect())]);
    assert_eq!(place.run(&["run", "hello"]).out, "中文🦀\n");
}

#[test]
fn an_endpoint_that_is_not_there() {
    let place = Place::new(vec![]);
    // A port that was free a moment ago, and that nobody listens on.
    let port = std::net::TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
    place.home.write(
        "config.toml",
        format!(
            "[[providers]]\nname = \"down\"\nbase_url = \"http://127.0.0.1:{port}/v1\"\nmodel = \"m\"\n{}",
            support::unboxed()
        ),
    );
    let ran = place.run(&["run", "hello"]);
    assert_says(&ran, 4, &[&port.to_string(), "attempt 1 of 4", "connection refused", "hint:"]);
    assert_eq!(
        ran.err.matches("Nobody answers").count(),
        2,
        "once where it is tried again, once at the end: {}",
        ran.err
    );
    assert!(!ran.err.contains("error sending request"), "{}", ran.err);
    place.configure("");
    let listed = place.run(&["sessions"]);
    assert!(listed.out.contains("hello") && listed.out.contains("failed"), "{}", listed.out);
}

#[test]
fn passing_failures_are_tried_again() {
    let busy = || Reply::fail(503, "loading").with_header("Retry-After", "0");
    let place = Place::new(vec![busy(), busy(), busy(), Reply::say("ok")]);
    let ran = place.run(&["run", "hello"]);
    assert_eq!((ran.code, ran.out.as_str()), (Some(0), "ok\n"), "{}", ran.err);
    let never = Place::new(vec![busy(), busy(), busy(), busy(), Reply::say("too late")]);
    assert_eq!(never.run(&["run", "hello"]).code, Some(4));
    assert_eq!(never.server.request_count(), 4);
}

#[test]
fn bad_calls_go_back_to_the_model_and_the_turn_goes_on() {
    let place = Place::new(vec![
        Reply::raw_calls(&[("no_such_tool", "{}"), ("read_file", "{\"path\": ")]),
        Reply::calls(&[
            ("read_file", json!({"path": "folder"})),
            ("read_file", json!({"path": "binary"})),
            ("read_file", json!({"path": "absent.txt"})),
            ("read_file", json!({"path": "../outside"})),
            ("read_file", json!({"path": "pipe"})),
            ("read_file", json!({"path": "huge"})),
            ("read_file", json!({})),
        ]),
        Reply::say("I saw"),
        Reply::say("ok"),
    ]);
    place.work.write("folder/x", "x");
    place.work.write("binary", b"\x7fELF\x00\x01\x02\x00\x00\xff\xfe");
    std::fs::File::create(place.work.join("huge")).unwrap().set_len(5 << 30).unwrap();
    assert!(std::process::Command::new("mkfifo").arg(place.work.join("pipe")).status().unwrap().success());
    let ran = place.run(&["run", "try"]);
    assert_eq!((ran.code, ran.out.as_str()), (Some(0), "I saw\n"), "{}", ran.err);
    let last = place.server.requests().pop().unwrap();
    let results: Vec<_> = last
        .messages()
        .iter()
        .filter(|message| message["role"] == "tool")
        .map(|message| message["content"].as_str().unwrap().to_owned())
        .collect();
    // Arguments that break off are closed where they stand; what they lack is said.
    let wanted = ["no tool named", "missing field `path`", "", "binary", "absent.txt", "outside", "", "", "path"];
    assert_eq!(results.len(), wanted.len());
    for (result, word) in results.iter().zip(wanted) {
        assert!(result.contains(word), "{word:?} is missing in {result:?}");
        assert!(result.len() < 40_000);
    }
    place.assert_resumes();
}

#[test]
fn a_folder_that_cannot_be_written() {
    // /proc is read-only for everybody, root included.
    let place = Place::new(vec![
        Reply::call("write_file", json!({"path": "new.txt", "content": "x"})),
        Reply::say("could not"),
        Reply::say("ok"),
    ]);
    let ran = place.run(&["run", "-C", "/proc", "write"]);
    assert_eq!(ran.code, Some(0), "{}", ran.err);
    assert!(ran.err.contains("failed:"), "{}", ran.err);
    place.server.assert_valid();
}

#[test]
fn a_home_that_cannot_be_written_runs_nothing() {
    let place = Place::new(vec![Reply::call("bash", json!({"command": "touch ran"})), Reply::say("x")]);
    // A file stands where the folder of sessions would be.
    place.home.write("state", "in the way");
    let ran = place.run(&["run", "go"]);
    assert_says(&ran, 1, &["error:", "hint:"]);
    assert!(!place.work.exists("ran"));
    let ran = place.run(&["run", "--no-session", "go"]);
    assert_eq!(ran.code, Some(0), "--no-session needs no folder: {}", ran.err);
}

#[test]
fn a_full_disk_loses_nothing() {
    let place = Place::new(vec![
        Reply::say("first answer"),
        Reply::call("bash", json!({"command": "echo ran >> ran"})),
        Reply::say("second"),
        Reply::say("third"),
    ]);
    assert_eq!(place.run(&["run", "first"]).code, Some(0));
    let log = place.logs().remove(0);
    let before = std::fs::read(&log).unwrap();
    // The file may grow by one block at most: the next answer does not fit any more.
    let blocks = before.len() / 1024 + 1;
    let line = format!(
        "ulimit -f {blocks}; exec '{}' run -c \"$(head -c 4000 /dev/zero | tr '\\0' x)\"",
        support::binary().display()
    );
    let ran = support::finish(place.program("bash".as_ref(), &["-c", &line]).output().unwrap());
    assert_says(&ran, 1, &["error:", "hint:"]);
    assert!(!place.work.exists("ran"), "nothing ran that is not on the log");
    let after = std::fs::read(&log).unwrap();
    assert!(after.starts_with(&before), "what was there is still there");
    place.assert_resumes();
}
