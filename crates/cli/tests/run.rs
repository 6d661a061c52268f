//! `reasonix run` as a script uses it: output, exit codes, sessions, options. The real binary against a scripted server.

use crate::support;

use reasonix_proto::fenced;
use reasonix_testkit::Reply;
use serde_json::{Value, json};
use std::io::Write;
use std::process::Stdio;
use support::Place;

#[test]
fn the_answer_goes_to_stdout_and_everything_else_to_stderr() {
    let place = Place::new(vec![
        Reply::call("read_file", json!({"path": "a.txt"})).after_saying("I will look."),
        Reply::say("It says hello."),
    ]);
    place.work.write("a.txt", "hello\n");
    let ran = place.run(&["run", "what does a.txt say?"]);
    assert_eq!(ran.code, Some(0), "{}", ran.err);
    assert_eq!(ran.out, "It says hello.\n");
    for wanted in ["PLAN\nI will look.", "TOOL   read_file a.txt", "└ ok", "ANSWER"] {
        assert!(ran.err.contains(wanted), "{wanted}: {}", ran.err);
    }
    assert!(!ran.err.contains('\u{1b}'), "no colours in a pipe");
    place.server.assert_valid();
    place.server.assert_prefixes_grow();
}

#[test]
fn what_the_log_does_not_prove_is_said_behind_the_answer() {
    let claim = "Fixed. All tests pass.";
    let place = Place::new(vec![Reply::say(claim), Reply::say(claim), Reply::say(claim)]);
    let ran = place.run(&["run", "go"]);
    assert_eq!((ran.code, ran.out.as_str()), (Some(0), "Fixed. All tests pass.\n"), "its bytes stay");
    let line = "not supported: “All tests pass”: no command in the log shows it";
    let (answer, behind) = ran.err.split_once("ANSWER").expect("an answer");
    assert!(!answer.contains(line) && behind.contains(line), "{}", ran.err);
    let ran = place.run(&["run", "--json", "go"]);
    let events: Vec<Value> = ran.out.lines().map(|line| serde_json::from_str(line).expect("JSON")).collect();
    let claimed = events.iter().find(|event| event["event"]["type"] == "claimed").expect("the event");
    let claims = claimed["event"]["record"]["claims"].as_array().expect("claims");
    let found: Vec<_> = claims.iter().map(|claim| (claim["kind"].as_str(), claim["status"].as_str())).collect();
    assert_eq!(found, [(Some("fix"), Some("unsupported")), (Some("tests"), Some("unsupported"))]);
    let ran = place.run(&["run", "--quiet", "go"]);
    assert_eq!((ran.out.as_str(), ran.err.as_str()), ("Fixed. All tests pass.\n", ""));
}

#[test]
fn quiet_prints_the_last_answer_only() {
    let place = Place::new(vec![Reply::call("ls", json!({})).after_saying("plan"), Reply::say("answer")]);
    let ran = place.run(&["run", "--quiet", "go"]);
    assert_eq!((ran.code, ran.out.as_str(), ran.err.as_str()), (Some(0), "answer\n", ""));
}

#[test]
fn json_prints_one_envelope_a_line() {
    let place = Place::new(vec![Reply::call("ls", json!({})), Reply::say("done")]);
    let ran = place.run(&["run", "--json", "go"]);
    assert_eq!(ran.code, Some(0), "{}", ran.err);
    let events: Vec<Value> = ran.out.lines().map(|line| serde_json::from_str(line).expect("JSON")).collect();
    let kinds: Vec<_> = events.iter().map(|event| event["event"]["type"].as_str().unwrap()).collect();
    for wanted in [
        "session_started",
        "turn_started",
        "state",
        "message",
        "tool_started",
        "tool_ended",
        "usage",
        "turn_ended",
        "session_ended",
    ] {
        assert!(kinds.contains(&wanted), "{wanted} is missing in {kinds:?}");
    }
    assert!(events.iter().all(|event| event["v"] == 1 && event["session"].is_string()));
    assert!(events.windows(2).all(|pair| pair[0]["seq"].as_u64() < pair[1]["seq"].as_u64()));
    // Durable events carry the record that is on disk, unchanged.
    let log = std::fs::read_to_string(&place.logs()[0]).unwrap();
    let on_disk: Vec<Value> = log.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    for event in events.iter().filter(|event| event["event"]["record"].is_object()) {
        let record = &event["event"]["record"];
        let mut line = on_disk.iter().find(|line| line["id"] == record["id"]).expect("the record is on disk").clone();
        line.as_object_mut().unwrap().remove("crc");
        assert_eq!(&line, record);
    }
}

#[test]
fn stdin_is_added_to_the_prompt_or_is_the_prompt() {
    for (args, piped, wanted) in [
        (vec!["run", "review this"], "diff --git a b\n", fenced("stdin", &[], "diff --git a b") + "\n\nreview this"),
        (vec!["run"], "only stdin", "only stdin".to_owned()),
        (vec!["run", "-"], "a dash", "a dash".to_owned()),
    ] {
        let place = Place::new(vec![Reply::say("ok")]);
        let mut child =
            place.command(&args).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
        child.stdin.take().unwrap().write_all(piped.as_bytes()).unwrap();
        let ran = support::finish(child.wait_with_output().unwrap());
        assert_eq!(ran.code, Some(0), "{}", ran.err);
        assert_eq!(place.server.requests()[0].last_content(), wanted);
    }
}

#[test]
fn references_to_files_are_resolved_only_when_they_exist() {
    let place = Place::new(vec![Reply::say("ok")]);
    place.work.write("src/main.rs", "fn main() {}\n");
    let ran = place.run(&["run", "explain @src/main.rs, ask @nobody and me@example.org", "@src"]);
    assert_eq!(ran.code, Some(0), "{}", ran.err);
    let requests = place.server.requests();
    let sent = requests[0].last_content();
    assert!(sent.starts_with(&fenced("file", &[("path", "src/main.rs")], "fn main() {}")), "{sent}");
    assert!(sent.contains(&fenced("folder", &[("path", "src")], "src/main.rs")), "{sent}");
    assert!(sent.ends_with("explain @src/main.rs, ask @nobody and me@example.org @src"), "{sent}");
}

#[test]
fn a_session_is_kept_listed_continued_and_resumed() {
    let place = Place::new(vec![Reply::say("one"), Reply::say("two"), Reply::say("three"), Reply::say("four")]);
    assert_eq!(place.run(&["run", "first prompt"]).code, Some(0));
    assert_eq!(place.run(&["run", "-c", "second"]).code, Some(0));
    assert_eq!(place.logs().len(), 1);
    let listed = place.run(&["sessions"]);
    assert!(listed.out.contains("first prompt") && listed.out.contains("done"), "{}", listed.out);
    let id = listed.out.split_whitespace().next().unwrap().to_owned();
    assert_eq!(place.run(&["run", "--resume", &id, "third"]).code, Some(0));
    let requests = place.server.requests();
    let texts: Vec<_> =
        requests[2].messages().iter().skip(1).map(|message| message["content"].as_str().unwrap()).collect();
    assert_eq!(texts, ["first prompt", "one", "second", "two", "third"]);
    place.server.assert_prefixes_grow();
    let json: Value = serde_json::from_str(place.run(&["sessions", "--json"]).out.lines().next().unwrap()).unwrap();
    assert_eq!((json["turns"].as_u64(), json["ending"].as_str()), (Some(3), Some("done")));
    assert_eq!(place.run(&["run", "--no-session", "fourth"]).code, Some(0));
    assert_eq!(place.logs().len(), 1, "--no-session keeps nothing");
}

#[test]
fn an_unknown_session_is_a_clear_error() {
    let place = Place::new(vec![]);
    let ran = place.run(&["run", "--resume", "nope", "x"]);
    assert_eq!(ran.code, Some(1));
    assert!(ran.err.contains("nope") && ran.err.contains("hint"), "{}", ran.err);
}

#[test]
fn edits_are_made_and_shown() {
    let place = Place::new(vec![
        Reply::call("read_file", json!({"path": "a.rs"})),
        Reply::call("edit_file", json!({"path": "a.rs", "old_string": "1", "new_string": "2"})),
        Reply::call("bash", json!({"command": "cat a.rs; exit 3"})),
        Reply::say("done"),
    ]);
    place.work.write("a.rs", "let x = 1;\n");
    let ran = place.run(&["run", "change it"]);
    assert_eq!(ran.code, Some(0), "{}", ran.err);
    assert_eq!(place.work.read("a.rs"), "let x = 2;\n");
    for wanted in ["updated (+1 −1) a.rs", "-let x = 1;", "+let x = 2;", "exit code 3", "bash $ cat a.rs; exit 3"] {
        assert!(ran.err.contains(wanted), "{wanted}: {}", ran.err);
    }
}

#[test]
fn exit_codes_follow_how_the_turn_ended() {
    let limit = Place::new(vec![Reply::call("ls", json!({})), Reply::say("so far")]);
    let ran = limit.run(&["run", "--max-steps", "1", "go"]);
    assert_eq!((ran.code, ran.out.as_str()), (Some(5), "so far\n"));
    assert_eq!(limit.server.requests()[1].body["tool_choice"], "none");

    let refused = Place::new(vec![Reply::call("bash", json!({"command": "touch x"})), Reply::say("I may not")]);
    refused.configure("[permissions]\ndeny = [\"Bash(touch:*)\"]\n");
    let ran = refused.run(&["run", "go"]);
    assert_eq!(ran.code, Some(3), "{}", ran.err);
    assert!(ran.err.contains("blocked:") && ran.err.contains("Bash(touch:*)"), "{}", ran.err);
    assert!(ran.err.contains("TOOL   bash $ touch"), "what was refused is shown: {}", ran.err);
    assert!(!refused.work.exists("x"));

    let asks = Place::new(vec![Reply::call("bash", json!({"command": "touch x"})), Reply::say("I may not")]);
    asks.configure("[permissions]\nask = [\"Bash(touch:*)\"]\n");
    assert_eq!(asks.run(&["run", "go"]).code, Some(3), "an ask rule without a person is a refusal");
    assert!(!asks.work.exists("x"));

    let usage = Place::new(vec![]);
    for args in [vec!["run", "--no-such-flag"], vec!["nonsense"], vec!["run", "-C", "/no/such/folder", "x"], vec![]] {
        assert_eq!(usage.run(&args).code, Some(2), "{args:?}");
    }
    assert_eq!(usage.run(&["--version"]).code, Some(0));
}

#[test]
fn an_output_schema_is_enforced() {
    let schema = json!({"type": "object", "required": ["n"], "properties": {"n": {"type": "integer"}}}).to_string();
    let place =
        Place::new(vec![Reply::say("no idea"), Reply::say("```json\n{\"n\": \"x\"}\n```"), Reply::say("{\"n\": 4}")]);
    place.work.write("s.json", &schema);
    let ran = place.run(&["run", "--output-schema", "s.json", "count"]);
    assert_eq!(ran.code, Some(0), "{}", ran.err);
    assert_eq!(serde_json::from_str::<Value>(&ran.out).unwrap(), json!({"n": 4}));
    let never = Place::new(vec![Reply::say("no"), Reply::say("no"), Reply::say("no")]);
    never.work.write("s.json", &schema);
    let ran = never.run(&["run", "--output-schema", "s.json", "count"]);
    assert_eq!((ran.code, ran.out.as_str()), (Some(1), ""));
    assert!(ran.err.contains("does not fit"), "{}", ran.err);
}

#[test]
fn tools_can_be_chosen_and_the_prompt_extended() {
    let place = Place::new(vec![Reply::say("ok")]);
    place.work.write("AGENTS.md", "Always use tabs.\n");
    place.run(&["run", "--tools", "read_file,grep", "--append-system-prompt", "Speak softly.", "go"]);
    let body = &place.server.requests()[0].body;
    let names: Vec<_> =
        body["tools"].as_array().unwrap().iter().map(|tool| tool["function"]["name"].as_str().unwrap()).collect();
    assert_eq!(names, ["read_file", "grep"]);
    let system = body["messages"][0]["content"].as_str().unwrap();
    assert!(system.contains("Always use tabs.") && system.ends_with("Speak softly."), "{system}");
}

#[test]
fn an_unknown_tool_name_on_the_command_line_is_an_error() {
    let place = Place::new(vec![]);
    let ran = place.run(&["run", "--tools", "read_fil", "go"]);
    assert_eq!(ran.code, Some(2));
    assert!(ran.err.contains("read_fil") && ran.err.contains("read_file"), "{}", ran.err);
}

#[test]
fn files_outside_the_folder_need_add_dir() {
    let other = reasonix_testkit::TempWorkspace::new();
    let path = other.join("x").display().to_string();
    let call = || vec![Reply::call("write_file", json!({"path": path, "content": "hi"})), Reply::say("ok")];
    let closed = Place::new(call());
    let ran = closed.run(&["run", "go"]);
    assert!(ran.err.contains("outside") && !other.exists("x"), "{}", ran.err);
    let open = Place::new(call());
    let ran = open.run(&["run", "--add-dir", &other.path().display().to_string(), "go"]);
    assert_eq!(ran.code, Some(0), "{}", ran.err);
    assert_eq!(other.read("x"), "hi");
}

#[test]
fn chinese_users_read_chinese() {
    let place = Place::new(vec![Reply::fail(401, "{\"error\":{\"message\":\"bad key\"}}")]);
    let mut command = place.command(&["run", "你好"]);
    let ran = support::finish(command.env("LANG", "zh_CN.UTF-8").output().unwrap());
    assert_eq!(ran.code, Some(4));
    assert!(ran.err.contains("错误") && ran.err.contains("提示"), "{}", ran.err);
}

#[test]
fn the_prefix_is_small() {
    let place = Place::new(vec![Reply::say("ok")]);
    place.run(&["run", "go"]);
    let body = &place.server.requests()[0].body;
    let system = body["messages"][0]["content"].as_str().unwrap();
    let tokens = reasonix_agent::estimate_tokens(system) + reasonix_agent::estimate_tokens(&body["tools"].to_string());
    assert!(tokens <= 2_500, "system prompt and tools take {tokens} tokens");
}

#[test]
fn options_of_the_chat_before_a_command_are_refused_and_not_ignored() {
    let place = Place::new(vec![Reply::say("ok")]);
    for args in [vec!["--no-session", "run", "x"], vec!["-m", "nosuch", "run", "x"], vec!["-C", "/tmp", "run", "x"]] {
        assert_eq!(place.run(&args).code, Some(2), "{args:?}");
    }
    assert!(place.server.requests().is_empty());
}

#[test]
fn tools_chosen_on_resume_are_the_ones_offered() {
    let place = Place::new(vec![Reply::say("one"), Reply::say("two"), Reply::say("three")]);
    place.run(&["run", "--tools", "ls,grep", "a"]);
    place.run(&["run", "-c", "b"]);
    place.run(&["run", "-c", "--tools", "ls", "c"]);
    let offered: Vec<_> =
        place.server.requests().iter().map(|request| request.body["tools"].as_array().unwrap().len()).collect();
    assert_eq!(offered, [2, 2, 1]);
}

#[test]
fn that_commands_are_not_held_is_said_whenever_they_can_be_run() {
    let place = Place::new((0..4).map(|_| Reply::say("ok")).collect());
    place.configure("[sandbox]\nbash = \"off\"\n");
    for (args, said) in [
        (vec!["run", "--tools", "ls", "a"], false),
        (vec!["run", "-c", "--tools", "bash", "b"], true),
        (vec!["run", "c"], true),
        (vec!["run", "-c", "--tools", "ls", "d"], false),
    ] {
        let ran = place.run(&args);
        assert_eq!((ran.code, ran.err.contains("sandbox")), (Some(0), said), "{args:?}: {}", ran.err);
    }
}

#[test]
fn a_session_is_not_taken_up_in_another_folder() {
    let place = Place::new(vec![Reply::say("one"), Reply::say("two")]);
    place.run(&["run", "a"]);
    let id = place.run(&["sessions"]).out.split_whitespace().next().unwrap().to_owned();
    let other = reasonix_testkit::TempWorkspace::new();
    let elsewhere = other.path().display().to_string();
    // A killed process left half a line and a turn without an end: to mend that is not the business of this run.
    let log = &place.logs()[0];
    let text = std::fs::read_to_string(log).unwrap();
    let last = text.trim_end().rfind('\n').unwrap() + 1;
    std::fs::write(log, &text[..last + 20]).unwrap();
    let before = std::fs::read(log).unwrap();
    let ran = place.run(&["run", "-C", &elsewhere, "--resume", &id, "b"]);
    assert_eq!(ran.code, Some(2), "{}", ran.err);
    assert!(ran.err.contains("-C"), "{}", ran.err);
    assert_eq!(std::fs::read(log).unwrap(), before, "the session was written to");
    assert!(!log.with_extension("torn").exists());
    assert_eq!(place.server.request_count(), 1);
}

#[test]
fn what_stands_in_for_an_answer_is_not_shown_as_one() {
    let place = Place::new(vec![Reply::fail(401, "{}"), Reply::fail(401, "{}")]);
    for args in [vec!["run", "x"], vec!["run", "-q", "x"]] {
        let ran = place.run(&args);
        assert_eq!((ran.code, ran.out.as_str()), (Some(4), ""), "{}", ran.err);
    }
}

#[test]
fn a_failure_while_an_answer_is_corrected_is_told() {
    let place = Place::new(vec![Reply::say("no json"), Reply::fail(401, "{}")]);
    place.work.write("s.json", "{\"type\": \"object\"}");
    let ran = place.run(&["run", "--output-schema", "s.json", "x"]);
    assert_eq!(ran.code, Some(4));
    assert!(ran.err.contains("error:") && ran.err.contains("hint:"), "{}", ran.err);
}

#[test]
fn settings_of_the_project_hold_in_its_subfolders() {
    for file in ["reasonix.toml", ".reasonix/config.toml"] {
        let place = Place::new(vec![Reply::call("bash", json!({"command": "touch x"})), Reply::say("I may not")]);
        place.work.git_init();
        place.work.write(file, "[permissions]\ndeny = [\"Bash(touch:*)\"]\n");
        place.work.write("sub/deep/a", "");
        let deep = place.work.join("sub/deep").display().to_string();
        let ran = place.run(&["run", "-C", &deep, "go"]);
        assert_eq!(ran.code, Some(3), "{file}: {}", ran.err);
        assert!(!place.work.exists("sub/deep/x"), "{file}");
    }
}

#[test]
fn the_keys_of_endpoints_do_not_reach_commands() {
    let place = Place::new(vec![Reply::call("bash", json!({"command": "env"})), Reply::say("ok")]);
    let settings = place.home.read("config.toml").replace("MOCK_KEY", "MYLLM");
    place.home.write("config.toml", settings);
    let mut command = place.command(&["run", "go"]);
    command.env("MYLLM", "sk-plain-name").env("DATABASE_URL", "postgres://me:hunter2@db/x").env("TZ", "Asia/Shanghai");
    assert_eq!(support::finish(command.output().unwrap()).code, Some(0));
    let request = place.server.requests().pop().unwrap();
    assert_eq!(request.header("authorization"), Some("Bearer sk-plain-name"));
    let seen = request.last_content();
    assert!(seen.contains("TZ=Asia/Shanghai"), "{seen}");
    assert!(!seen.contains("sk-plain-name") && !seen.contains("hunter2"), "{seen}");
}

#[test]
fn a_reference_that_names_no_file_is_said() {
    let place = Place::with_server(reasonix_testkit::ModelServer::start_with(|_| Some(Reply::say("ok"))));
    place.work.write("src/calc.py", "x");
    let ran = place.run(&["run", "explain @nosuch.py, @calc.py:3 and ask @someone about @types/node"]);
    assert_eq!(ran.code, Some(0), "{}", ran.err);
    assert!(ran.err.contains("there is no file nosuch.py"), "{}", ran.err);
    assert!(ran.err.contains("there is no file calc.py") && ran.err.contains("src/calc.py is there"), "{}", ran.err);
    assert!(!ran.err.contains("someone") && !ran.err.contains("types/node"), "{}", ran.err);
}
