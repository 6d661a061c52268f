//! What the documents promise of settings and rules, met on the built binary.

use crate::support;

use reasonix_testkit::{Reply, TempWorkspace};
use serde_json::json;
use support::Place;

#[test]
fn what_does_nothing_is_named_by_run_doctor_and_config_show() {
    let place = Place::new(vec![Reply::say("ok")]);
    place.configure("[agent]\nauto_plan = true\nreasoning_language = \"zh\"\n[tools.shell]\nprefer = \"pwsh\"\n");
    for args in [&["run", "go"][..], &["doctor", "--offline"], &["config", "show"]] {
        let ran = place.run(args);
        let told = format!("{}{}", ran.out, ran.err);
        assert!(told.contains("tools.shell.prefer does nothing"), "{args:?}: {told}");
        assert!(!told.contains("agent.auto_plan does nothing"), "{told}");
        assert!(!told.contains("reasoning_language does nothing"), "{told}");
    }
    let system = place.server.requests()[0].messages()[0]["content"].as_str().unwrap().to_owned();
    assert!(system.contains("Think in Chinese"), "{system}");
}

#[test]
fn a_guard_of_a_profile_that_cannot_be_read_stops_everything() {
    let place = Place::new(vec![Reply::say("ok")]);
    for guard in ["deny = [\"Bash(\"]", "dney = [\"Bash\"]"] {
        place.configure(&format!("[profiles.build.permissions]\n{guard}\n"));
        let ran = place.run(&["run", "go"]);
        assert_eq!(ran.code, Some(2), "{guard}: {}", ran.err);
    }
    assert!(place.server.requests().is_empty());
}

/// Reads a file outside with these permissions; what the model saw of it.
fn read_outside(permissions: &str, path: &str) -> String {
    let place = Place::new(vec![Reply::call("read_file", json!({"path": path})), Reply::say("ok")]);
    place.configure(&format!("[permissions]\n{permissions}\n"));
    place.run(&["run", "go"]);
    place.server.requests().pop().unwrap().last_content().to_owned()
}

#[test]
fn reading_outside_needs_the_users_own_rule() {
    let outside = TempWorkspace::new();
    let file = outside.write("told.txt", "found outside").display().to_string();
    let folder = outside.path().display().to_string();
    for (permissions, read) in [
        (String::new(), false),
        (format!("allow = [\"Read({file})\"]"), true),
        (format!("allow = [\"Read({folder}/**)\"]"), true),
        (format!("allow = [\"Read({folder}/other/**)\"]"), false),
        (format!("allow = [\"Read({folder}/**)\"]\ndeny = [\"Read({file})\"]"), false),
        ("external_directory = \"allow\"".to_owned(), true),
        (format!("external_directory = \"allow\"\ndeny = [\"Read({file})\"]"), false),
        // Nobody is there to be asked.
        ("external_directory = \"ask\"".to_owned(), false),
        (format!("external_directory = \"ask\"\nallow = [\"Read({file})\"]"), true),
    ] {
        let seen = read_outside(&permissions, &file);
        assert_eq!(seen.contains("found outside"), read, "{permissions}: {seen}");
    }
}

#[test]
fn keys_in_a_home_stay_closed_where_everything_outside_is_open() {
    let home = TempWorkspace::new();
    let key = home.write(".ssh/id_ed25519", "the key itself").display().to_string();
    let plain = home.write("notes.txt", "the key itself").display().to_string();
    for (permissions, path, read) in [
        ("external_directory = \"allow\"".to_owned(), &key, false),
        ("external_directory = \"allow\"".to_owned(), &plain, true),
        (format!("external_directory = \"allow\"\nallow = [\"Read({key})\"]"), &key, true),
    ] {
        let place = Place::new(vec![Reply::call("read_file", json!({"path": path})), Reply::say("ok")]);
        place.configure(&format!("[permissions]\n{permissions}\n"));
        let ran = crate::support::finish(place.command(&["run", "go"]).env("HOME", home.path()).output().unwrap());
        let seen = place.server.requests().pop().expect(&ran.err).last_content().to_owned();
        assert_eq!(seen.contains("the key itself"), read, "{permissions} {path}: {seen}");
    }
}

#[test]
fn no_repository_opens_anything_outside() {
    let outside = TempWorkspace::new();
    let file = outside.write("told.txt", "found outside").display().to_string();
    for permissions in [format!("allow = [\"Read({file})\"]"), "external_directory = \"allow\"".to_owned()] {
        let place = Place::new(vec![Reply::call("read_file", json!({"path": file})), Reply::say("ok")]);
        place.work.write("reasonix.toml", format!("[permissions]\n{permissions}\n"));
        place.run(&["run", "go"]);
        let seen = place.server.requests().pop().unwrap().last_content().to_owned();
        assert!(!seen.contains("found outside"), "{permissions}: {seen}");
    }
}

#[test]
fn a_rule_may_name_what_a_search_looks_for() {
    for (rule, tool, pattern, denied) in [
        ("Grep(password*)", "grep", "password", true),
        ("Grep(password*)", "grep", "passage", false),
        ("glob(*.pem)", "glob", "*.pem", true),
        ("glob(*.pem)", "glob", "*.rs", false),
    ] {
        let place = Place::new(vec![Reply::call(tool, json!({"pattern": pattern})), Reply::say("ok")]);
        place.configure(&format!("[permissions]\ndeny = [\"{rule}\"]\n"));
        place.run(&["run", "go"]);
        let seen = place.server.requests().pop().unwrap().last_content().to_owned();
        assert_eq!(seen.contains(&format!("rule {rule}")), denied, "{rule} {pattern}: {seen}");
    }
}

#[test]
fn what_runs_because_nobody_could_be_asked_is_in_the_log() {
    let calls = [("write_file", json!({"path": "a.txt", "content": "a"})), ("read_file", json!({"path": "a.txt"}))];
    let place = Place::new(vec![Reply::calls(&calls), Reply::say("ok")]);
    assert_eq!(place.run(&["run", "go"]).code, Some(0));
    let log = std::fs::read_to_string(&place.logs()[0]).unwrap();
    let decided: Vec<&str> = log.lines().filter(|line| line.contains("\"decided\"")).collect();
    assert_eq!(decided.len(), 1, "the writer alone: {log}");
    assert!(decided[0].contains("permissions.mode, with nobody to ask"), "{}", decided[0]);
}

#[test]
fn an_answer_that_is_not_whole_has_its_own_exit_code() {
    for (finish, code) in [("stop", 0), ("length", 6), ("content_filter", 6)] {
        let events = vec![
            json!({"choices": [{"index": 0, "delta": {"role": "assistant", "content": "half a sent"}}]}),
            json!({"choices": [{"index": 0, "delta": {}, "finish_reason": finish}]}),
        ];
        for args in [&["run", "go"][..], &["run", "--quiet", "go"], &["run", "--json", "go"]] {
            let place = Place::new(vec![Reply::events(events.clone())]);
            let ran = place.run(args);
            assert_eq!(ran.code, Some(code), "{finish} {args:?}: {}", ran.err);
            assert!(ran.out.contains("half a sent"), "{}", ran.out);
        }
    }
}

#[test]
fn a_file_that_may_not_be_read_is_told_from_one_that_is_not_there() {
    let calls = [("read_file", json!({"path": "/etc/hostname"})), ("read_file", json!({"path": "none"}))];
    let place = Place::new(vec![Reply::calls(&calls), Reply::say("ok")]);
    let ran = place.run(&["run", "--json", "go"]);
    for code in ["\"code\":\"outside_workspace\"", "\"code\":\"not_found\""] {
        assert!(ran.out.contains(code), "{code}: {}", ran.out);
    }
}

#[test]
fn a_first_byte_limit_and_the_attempts_are_the_users() {
    let place = Place::new(vec![Reply::hang(), Reply::say("at last")]);
    let settings =
        place.home.read("config.toml").replace("model = \"m1\"", "model = \"m1\"\nfirst_byte_timeout_seconds = 1");
    place.home.write("config.toml", &settings);
    let ran = place.run(&["run", "go"]);
    assert_eq!((ran.code, ran.out.trim()), (Some(0), "at last"), "{}", ran.err);
    assert_eq!(place.server.request_count(), 2, "a silence is tried again");

    let place = Place::with_server(reasonix_testkit::ModelServer::start_with(|_| Some(Reply::fail(503, "{}"))));
    let settings = place.home.read("config.toml").replace("model = \"m1\"", "model = \"m1\"\nattempts = 2");
    place.home.write("config.toml", &settings);
    assert_eq!(place.run(&["run", "go"]).code, Some(4));
    assert_eq!(place.server.request_count(), 2);
}

#[test]
fn an_endpoint_that_fails_is_not_asked_for_notes_again_and_again() {
    let (mut asked, long) =
        (0, (0..2000).map(|line| format!("line {line} says {}\n", line * 7919)).collect::<String>());
    let server = reasonix_testkit::ModelServer::start_with(move |_| {
        asked += 1;
        Some(if asked == 1 { Reply::say(&long) } else { Reply::fail(500, "{}") })
    });
    let place = Place::with_server(server);
    assert_eq!(place.run(&["run", "tell me much"]).code, Some(0));
    let ran = place.run(&["run", "--continue", "--compact"]);
    assert_eq!(ran.code, Some(0), "{}", ran.err);
    assert_eq!(place.server.request_count(), 3, "one answer, and two tries for notes: {}", ran.err);
}

/// The answer comes while the process is stopped; when it goes on, its patience is over and the bytes are there.
#[test]
fn a_process_that_was_stopped_reads_what_came_meanwhile() {
    use std::io::{Read, Write};
    let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let place = Place::new(vec![]);
    let address = format!("http://{}/v1", listener.local_addr().unwrap());
    let settings = place.home.read("config.toml").replace(&place.server.base_url(), &address);
    let settings = settings.replace("model = \"m1\"", "model = \"m1\"\nstream_idle_timeout_seconds = 2");
    place.home.write("config.toml", settings);
    let run = place.spawn(&["run", "--no-session", "go"]);
    let (mut stream, _) = listener.accept().unwrap();
    // All of the request is read: what is left unread would cost the answer.
    let (mut request, mut piece) = (Vec::new(), vec![0; 1 << 16]);
    let whole = |request: &[u8]| {
        let text = String::from_utf8_lossy(request).to_lowercase();
        let (head, body) = text.split_once("\r\n\r\n")?;
        let length: usize = head.split("content-length: ").nth(1)?.lines().next()?.trim().parse().ok()?;
        (body.len() >= length).then_some(())
    };
    while whole(&request).is_none() {
        let read = stream.read(&mut piece).unwrap();
        assert!(read > 0);
        request.extend_from_slice(&piece[..read]);
    }
    let piece =
        |text: &str| format!("data: {{\"choices\":[{{\"index\":0,\"delta\":{{\"content\":\"{text}\"}}}}]}}\n\n");
    let head = "HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\nconnection: close\r\n\r\n";
    stream.write_all(format!("{head}{}", piece("one ")).as_bytes()).unwrap();
    // Long enough for the first word to be read, and then longer than the patience.
    std::thread::sleep(std::time::Duration::from_millis(700));
    let pid = rustix::process::Pid::from_child(&run);
    rustix::process::kill_process(pid, rustix::process::Signal::STOP).unwrap();
    let end = "data: {\"choices\":[{\"index\":0,\"delta\":{},\"finish_reason\":\"stop\"}]}\n\ndata: [DONE]\n\n";
    stream.write_all(format!("{}{end}", piece("two")).as_bytes()).unwrap();
    drop(stream);
    std::thread::sleep(std::time::Duration::from_millis(2500));
    rustix::process::kill_process(pid, rustix::process::Signal::CONT).unwrap();
    let ran = support::finish(run.wait_with_output().unwrap());
    assert_eq!((ran.code, ran.out.trim()), (Some(0), "one two"), "{}", ran.err);
}

#[test]
fn the_sessions_of_all_folders_are_searched_where_the_user_opened_them() {
    let place = Place::new(vec![Reply::call("history", json!({"query": "x", "scope": "global"})), Reply::say("ok")]);
    place.configure("[history]\nglobal = true\n");
    assert_eq!(place.run(&["run", "go"]).code, Some(0));
    let seen = place.server.requests().pop().unwrap().last_content().to_owned();
    assert!(!seen.contains("needs a person"), "the user opened the sessions of all folders: {seen}");
}

#[test]
fn rules_files_can_be_switched_off_for_a_run() {
    let place = Place::new(vec![Reply::say("one"), Reply::say("two")]);
    place.work.write("AGENTS.md", "Speak like a pirate.");
    place.home.write("REASONIX.md", "Be brief.");
    assert_eq!(place.run(&["run", "go"]).code, Some(0));
    let mut quiet = place.command(&["run", "go"]);
    assert!(quiet.env("REASONIX_MEMORY", "off").output().unwrap().status.success());
    let system = |at: usize| place.server.requests()[at].messages()[0]["content"].as_str().unwrap().to_owned();
    assert!(system(0).contains("pirate") && system(0).contains("Be brief"), "{}", system(0));
    assert!(!system(1).contains("pirate") && !system(1).contains("Be brief"), "{}", system(1));
}

#[test]
fn a_local_server_is_where_the_environment_says() {
    let place = Place::new(vec![Reply::say("ok")]);
    place.home.write("config.toml", format!("default_model = \"ollama/m1\"\n{}", support::unboxed()));
    let mut run = place.command(&["run", "go"]);
    let server = place.server.base_url();
    let ran = support::finish(run.env("OLLAMA_BASE_URL", server.trim_end_matches("/v1")).output().unwrap());
    assert_eq!((ran.code, ran.out.trim()), (Some(0), "ok"), "{}", ran.err);
}

#[test]
fn the_version_names_the_commit_it_was_built_from() {
    let place = Place::new(vec![]);
    let told = place.run(&["--version"]).out;
    assert!(told.starts_with(&format!("reasonix {}", env!("CARGO_PKG_VERSION"))), "{told}");
    let commit = told.trim().split_once('(').map(|(_, rest)| rest.trim_end_matches(')').to_owned());
    let git =
        |args: &[&str]| std::process::Command::new("git").args(args).output().is_ok_and(|git| git.status.success());
    assert_eq!(commit.is_some(), git(&["rev-parse", "HEAD"]), "{told}");
    if let Some(commit) = commit {
        assert!(git(&["cat-file", "-e", &format!("{commit}^{{commit}}")]), "{told}");
    }
}

/// Groq refuses what its own model wrote; the next try is read.
#[test]
fn a_call_that_the_endpoint_itself_could_not_read_is_tried_again() {
    let body = r#"{"error":{"message":"Failed to call a function.","type":"invalid_request_error","code":"tool_use_failed","failed_generation":"<function=ls"}}"#;
    let place = Place::new(vec![Reply::fail(400, body), Reply::say("ok")]);
    let ran = place.run(&["run", "go"]);
    assert_eq!((ran.code, ran.out.trim()), (Some(0), "ok"), "{}", ran.err);
}
