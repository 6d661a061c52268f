//! What endpoints answered is recorded and read again: the same records come out, on every wire, and damage is said.

use crate::support;

use reasonix_testkit::{ModelServer, Reply};
use serde_json::{Value, json};
use std::path::PathBuf;
use support::Place;

fn working() -> Vec<Reply> {
    vec![
        Reply::calls(&[("read_file", json!({ "path": "a.txt" })), ("ls", json!({}))]).after_thinking("hm"),
        Reply::call("write_file", json!({ "path": "b.txt", "content": "made once" })).after_saying("I write it."),
        Reply::raw_calls(&[("nosuch", "{}"), ("read_file", "{'path': 'a.txt',}")]),
        Reply::say("all done 你好"),
    ]
}

/// The settings of a place whose model speaks this protocol.
fn speaking(place: &Place, kind: &str) {
    let text = format!(
        "default_model = \"mock\"\n\n[[providers]]\nname = \"mock\"\nkind = \"{kind}\"\nbase_url = \"{}\"\nmodel = \"m1\"\napi_key_env = \"MOCK_KEY\"\ncontext_window = 100000\nheaders = {{ \"X-Own\" = \"own-token-1234\" }}\n{}",
        place.server.base_url(),
        support::unboxed()
    );
    place.home.write("config.toml", text);
}

fn recording(place: &Place) -> PathBuf {
    place.logs()[0].with_extension("wire")
}

/// A session whose answers were recorded.
fn recorded(kind: &str) -> Place {
    let place = Place::bare(ModelServer::start_blocking(working()));
    speaking(&place, kind);
    place.work.write("a.txt", "hello\n");
    let ran = place.run(&["run", "--record-wire", "do it"]);
    assert_eq!(ran.code, Some(0), "{kind}: {}", ran.err);
    place
}

fn replay(place: &Place) -> support::Ran {
    place.run(&["replay", "--wire", "--check", place.logs()[0].to_str().unwrap()])
}

#[test]
fn answers_are_read_again_on_every_wire() {
    for kind in ["openai", "responses", "anthropic"] {
        let place = recorded(kind);
        let requests = place.server.request_count();
        let again = replay(&place);
        assert_eq!(again.code, Some(0), "{kind}: {}", again.err);
        assert!(again.err.contains("4 answers were read again from"), "{kind}: {}", again.err);
        assert_eq!(place.server.request_count(), requests, "{kind}: nothing was sent");
        let bytes = std::fs::read(recording(&place)).unwrap();
        let first: Value = serde_json::from_slice(bytes.split(|byte| *byte == b'\n').next().unwrap()).unwrap();
        assert_eq!((&first["wire"], &first["status"], &first["v"]), (&json!(kind), &json!(200), &json!(1)), "{first}");
        assert_eq!(first["request"].as_str().unwrap().len(), 64);
        // A report from elsewhere: two files, nothing configured.
        let other = Place::bare(ModelServer::start_blocking(Vec::new()));
        let log = other.work.write("report.jsonl", std::fs::read(&place.logs()[0]).unwrap());
        other.work.write("report.wire", bytes);
        let there = other.run(&["replay", "--wire", "--check", log.to_str().unwrap()]);
        assert_eq!(there.code, Some(0), "{kind}: {}", there.err);
    }
}

/// An answer that the endpoint gives differently than the log has it is found, and where.
#[test]
fn another_answer_is_a_difference_and_says_where() {
    let place = recorded("openai");
    let other = Place::bare(ModelServer::start_blocking(
        working().into_iter().take(3).chain([Reply::say("all done 再见")]).collect(),
    ));
    speaking(&other, "openai");
    other.work.write("a.txt", "hello\n");
    assert_eq!(other.run(&["run", "--record-wire", "do it"]).code, Some(0));
    std::fs::copy(recording(&other), recording(&place)).unwrap();
    let again = replay(&place);
    assert_eq!(again.code, Some(1), "{}", again.err);
    assert!(again.err.contains("it goes another way at record") && again.err.contains("再见"), "{}", again.err);
}

#[test]
fn nothing_is_recorded_unless_it_is_wanted() {
    let place = Place::new(vec![Reply::say("one"), Reply::say("two"), Reply::say("three")]);
    place.run(&["run", "hi"]);
    assert!(!recording(&place).exists());
    let none = replay(&place);
    assert_eq!(none.code, Some(1), "{}", none.err);
    assert!(
        none.err.contains("nothing is recorded of this session") && none.err.contains("--record-wire"),
        "{}",
        none.err
    );
    let both = place.run(&["run", "--record-wire", "--no-session", "hi"]);
    assert_eq!(both.code, Some(2), "{}", both.err);
    place.configure("[record]\nwire = true\n");
    place.run(&["run", "--continue", "again"]);
    assert!(recording(&place).exists(), "by a setting");
    let half = replay(&place);
    assert_eq!(half.code, Some(0), "{}", half.err);
    assert!(half.err.contains("1 answer was read") && half.err.contains("1 answer has no whole"), "{}", half.err);
    place.run(&["run", "--no-session", "hi"]);
    assert_eq!(
        std::fs::read_dir(place.home.join("state/sessions"))
            .unwrap()
            .filter(|entry| { entry.as_ref().unwrap().path().extension().is_some_and(|end| end == "wire") })
            .count(),
        1
    );
}

/// What we send as a secret is in no recording, also where the endpoint repeats it.
#[test]
fn no_recording_has_a_key() {
    let refusal = r#"{"error":{"message":"Incorrect API key provided: sk-secret-for-tests, own-token-1234"}}"#;
    let place = Place::bare(ModelServer::start_blocking(vec![
        Reply::say("your key is sk-secret-for-tests").with_header("Set-Cookie", "session=c00kie"),
        Reply::fail(401, refusal),
    ]));
    speaking(&place, "openai");
    place.run(&["run", "--record-wire", "hi"]);
    let refused = place.run(&["run", "--record-wire", "--continue", "hi"]);
    assert_eq!(refused.code, Some(4), "{}", refused.err);
    let text = std::fs::read_to_string(recording(&place)).unwrap();
    assert_eq!(text.lines().count(), 2);
    for line in text.lines() {
        let line: Value = serde_json::from_str(line).unwrap();
        let body = unpacked(line["body"].as_str().unwrap());
        let all = format!("{line} {body}").to_lowercase();
        for secret in ["sk-secret", "own-token", "c00kie", "bearer", "authorization", "cookie"] {
            assert!(!all.contains(secret), "{secret}: {all}");
        }
        assert!(body.contains("***"), "{body}");
    }
}

fn unpacked(text: &str) -> String {
    use base64::Engine as _;
    use std::io::Read as _;
    let packed = base64::engine::general_purpose::STANDARD.decode(text).unwrap();
    let mut body = String::new();
    flate2::read::ZlibDecoder::new(packed.as_slice()).read_to_string(&mut body).unwrap();
    body
}

#[test]
fn failures_and_further_attempts_are_read_again() {
    for kind in ["openai", "responses", "anthropic"] {
        let place = Place::bare(ModelServer::start_blocking(vec![
            Reply::fail(503, "busy"),
            Reply::say("after a while"),
            Reply::fail(401, r#"{"error":{"message":"not this key: sk-secret-for-tests"}}"#),
            Reply::drop_mid_stream("half of"),
        ]));
        speaking(&place, kind);
        let first = place.run(&["run", "--record-wire", "one"]);
        let second = place.run(&["run", "--record-wire", "--continue", "two"]);
        let third = place.run(&["run", "--record-wire", "--continue", "three"]);
        assert_eq!((first.code, second.code, third.code), (Some(0), Some(4), Some(4)), "{kind}: {}", third.err);
        assert_eq!(std::fs::read_to_string(recording(&place)).unwrap().lines().count(), 4, "{kind}");
        let again = replay(&place);
        assert_eq!(again.code, Some(0), "{kind}: {}", again.err);
        assert!(again.err.contains("3 answers were read again"), "{kind}: {}", again.err);
    }
}

/// Cut or flipped anywhere, a recording never gives a wrong answer: what is left of it is the same, the rest is said.
#[test]
fn a_damaged_recording_is_said_and_never_believed() {
    let place = recorded("openai");
    let whole = std::fs::read(recording(&place)).unwrap();
    for at in (1..whole.len()).step_by(whole.len() / 12) {
        std::fs::write(recording(&place), &whole[..at]).unwrap();
        let cut = replay(&place);
        assert!(!cut.err.contains("it goes another way"), "cut at {at}: {}", cut.err);
        assert!(cut.err.contains("no whole recording"), "cut at {at}: {}", cut.err);
        let mut bytes = whole.clone();
        bytes[at] ^= 4;
        std::fs::write(recording(&place), &bytes).unwrap();
        let flipped = replay(&place);
        assert!(!flipped.err.contains("it goes another way"), "flipped at {at}: {}", flipped.err);
        assert!(flipped.err.contains("of the recording cannot be read"), "flipped at {at}: {}", flipped.err);
        let verified = place.run(&["sessions", "verify"]);
        assert_eq!(verified.code, Some(1), "flipped at {at}: {}{}", verified.out, verified.err);
    }
}

#[test]
fn a_recording_is_bounded_and_goes_with_its_session() {
    let mut seed = 0x9e37_79b9_7f4a_7c15_u64;
    let mut letter = || {
        seed ^= seed << 13;
        seed ^= seed >> 7;
        seed ^= seed << 17;
        char::from(b"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789 "[(seed >> 32) as usize % 63])
    };
    let long: String = (0..40_000).map(|_| letter()).collect();
    let read = |n: u32| Reply::call("read_file", json!({ "path": format!("f{n}") })).after_saying(&long);
    let mut replies: Vec<Reply> = (0..40).map(read).collect();
    replies.push(Reply::say("done"));
    let place = Place::new(replies);
    place.configure("[record]\nwire = true\nmax_mb = 1\n");
    for n in 0..40 {
        place.work.write(format!("f{n}"), "x");
    }
    let ran = place.run(&["run", "go"]);
    let size = recording(&place).metadata().unwrap().len();
    assert!((900_000..=1024 * 1024).contains(&size), "{size}");
    assert_eq!(ran.err.matches("the recording is full").count(), 1);
    let du = place.run(&["store", "du"]);
    assert!(du.out.contains("recorded answers: 1 file, 1 MiB; 0 of deleted sessions"), "{}{}", du.out, du.err);
    let left = recording(&place).with_file_name("gone.wire");
    std::fs::copy(recording(&place), &left).unwrap();
    let gc = place.run(&["store", "gc"]);
    assert!(gc.out.contains("1 of deleted sessions") && !left.exists(), "{}{}", gc.out, gc.err);
    let (log, wire) = (place.logs()[0].clone(), recording(&place));
    assert!(wire.exists(), "that of a session stays");
    let deleted = place.run(&["sessions", "delete", log.file_stem().unwrap().to_str().unwrap()]);
    assert_eq!(deleted.code, Some(0), "{}", deleted.err);
    assert!(!log.exists() && !wire.exists());
}

/// Calls in words, and a model that answers in place of another one, are read again as they were read.
#[test]
fn calls_in_words_and_other_models_are_read_again() {
    let called = "I look.\n<tool_call>\n{\"name\": \"read_file\", \"arguments\": {\"path\": \"a.txt\"}}\n</tool_call>";
    let place = Place::bare(ModelServer::start_blocking(vec![Reply::say(called), Reply::say("seen")]));
    speaking(&place, "openai");
    let settings = place.home.read("config.toml");
    place.home.write("config.toml", settings.replace("model = \"m1\"", "model = \"m1\"\ntool_calls = \"text\""));
    place.work.write("a.txt", "hello\n");
    let ran = place.run(&["run", "--record-wire", "do it"]);
    assert_eq!(ran.code, Some(0), "{}", ran.err);
    assert!(std::fs::read_to_string(&place.logs()[0]).unwrap().contains("\"kind\":\"outcome\""), "a call was read");
    let again = replay(&place);
    assert_eq!(again.code, Some(0), "{}", again.err);
    assert!(again.err.contains("2 answers were read again"), "{}", again.err);

    let place = Place::bare(ModelServer::start_with(|request| {
        let first = request.body["model"] == "m1";
        Some(if first { Reply::fail(503, "busy") } else { Reply::say("in its place") })
    }));
    speaking(&place, "openai");
    let settings = place.home.read("config.toml");
    let both = settings.replace("model = \"m1\"", "models = [\"m1\", \"m2\"]\ndefault = \"m1\"");
    place.home.write("config.toml", format!("fallback_models = [\"mock/m2\"]\n{both}"));
    let ran = place.run(&["run", "--record-wire", "do it"]);
    assert_eq!((ran.code, ran.out.as_str()), (Some(0), "in its place\n"), "{}", ran.err);
    let again = replay(&place);
    assert_eq!(again.code, Some(0), "{}", again.err);
    assert!(again.err.contains("1 answer was read again"), "{}", again.err);
}

/// An answer that was interrupted is recorded as far as it came, and is nobody's answer.
#[test]
fn what_was_interrupted_is_recorded_as_far_as_it_came() {
    let place = Place::new(vec![Reply::hang_mid_stream("half of it")]);
    let child = place.spawn(&["run", "--record-wire", "--json", "hi"]);
    place.server.wait_for_requests_blocking(1);
    let log = loop {
        let said = place.logs().into_iter().next();
        if let Some(log) = said.filter(|log| std::fs::read_to_string(log).unwrap().contains("\"kind\":\"prompt\"")) {
            break log;
        }
        std::thread::sleep(std::time::Duration::from_millis(5));
    };
    rustix::process::kill_process(
        rustix::process::Pid::from_raw(i32::try_from(child.id()).unwrap()).unwrap(),
        rustix::process::Signal::INT,
    )
    .unwrap();
    let ran = support::finish(child.wait_with_output().unwrap());
    assert_eq!(ran.code, Some(130), "{}", ran.err);
    let text = std::fs::read_to_string(log.with_extension("wire")).unwrap();
    let line: Value = serde_json::from_str(text.lines().next().unwrap()).unwrap();
    assert_eq!(line["end"]["how"], "stopped", "{line}");
    let again = replay(&place);
    assert!(!again.err.contains("it goes another way"), "{}", again.err);
}
