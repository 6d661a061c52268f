//! What docs/acceptance.md promises, met by the built binary; and every test that it names exists.

use crate::scene::{Scene, line, until};
use crate::support::{self, Place};

use reasonix_testkit::{Pty, Reply};
use serde_json::{Value, json};
use std::collections::HashSet;
use std::io::{BufRead, BufReader};
use std::path::Path;
use std::process::Command;
use std::time::{Duration, Instant};

fn texts(place: &Place) -> Vec<String> {
    let text = |value: &Value| value.as_str().map_or_else(|| value.to_string(), str::to_owned);
    let requests = place.server.requests();
    requests.last().unwrap().messages().iter().map(|message| text(&message["content"])).collect()
}

/// What the calls of the last request came to.
fn outcomes(place: &Place) -> Vec<String> {
    let requests = place.server.requests();
    let tools = requests.last().unwrap().messages().iter().filter(|message| message["role"] == "tool");
    tools.map(|message| message["content"].as_str().unwrap_or_default().to_owned()).collect()
}

#[test]
fn ac01_the_binary_starts_without_anything_around_it() {
    let place = Place::new(vec![Reply::call("ls", json!({})), Reply::say("nothing else is here")]);
    // A session too needs no more than its home and its key: no PATH, no HOME.
    let mut bare = Command::new(support::binary());
    bare.args(["run", "go"]).env_clear().env("REASONIX_HOME", place.home.path()).env("MOCK_KEY", "k");
    let ran = bare.current_dir(place.work.path()).stdin(std::process::Stdio::null()).output().unwrap();
    assert!(ran.status.success(), "{}", String::from_utf8_lossy(&ran.stderr));
    assert_eq!(String::from_utf8_lossy(&ran.stdout).trim(), "nothing else is here");
    assert_eq!(place.server.request_count(), 2);
    for args in [&["--version"][..], &["--help"], &["docs"]] {
        let ran =
            Command::new(support::binary()).args(args).env_clear().current_dir(place.work.path()).output().unwrap();
        assert!(ran.status.success(), "{args:?}: {}", String::from_utf8_lossy(&ran.stderr));
        assert!(!ran.stdout.is_empty());
    }
}

#[test]
fn ac02_an_answer_is_streamed_and_kept_whole() {
    let place = Place::new(vec![Reply::say_pieces(&["one ", "two ", "three"])]);
    let ran = place.run(&["run", "--json", "go"]);
    assert_eq!(ran.code, Some(0), "{}", ran.err);
    let events: Vec<Value> = ran.out.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let of = |kind: &str| events.iter().filter(|event| event["event"]["type"] == kind).collect::<Vec<_>>();
    let pieces: String = of("text").iter().filter_map(|event| event["event"]["delta"].as_str()).collect();
    assert_eq!(pieces, "one two three");
    assert_eq!(of("message")[0]["event"]["record"]["message"]["text"], "one two three");
    assert_eq!(place.server.requests()[0].body["stream"], json!(true));
}

/// The rest of the answer never comes; what there is of it is there long before anybody gives up on the endpoint.
#[test]
fn ac02_an_answer_is_streamed_while_it_comes() {
    let place = Place::new(vec![Reply::hang_mid_stream("one ")]);
    let begun = Instant::now();
    let mut child = place.spawn(&["run", "--json", "go"]);
    let lines = BufReader::new(child.stdout.take().unwrap()).lines();
    let mut events = lines.map(|line| serde_json::from_str::<Value>(&line.unwrap()).unwrap());
    let first =
        events.find(|event| ["text", "message", "turn_ended"].iter().any(|kind| event["event"]["type"] == *kind));
    child.kill().unwrap();
    child.wait().unwrap();
    assert_eq!(first.map(|event| event["event"]["delta"].clone()), Some(json!("one ")));
    assert!(begun.elapsed() < Duration::from_secs(120), "that was what was left of a request that failed");
}

#[test]
fn ac03_tools_are_called_in_a_closed_loop_until_the_answer() {
    let place = Place::new(vec![
        Reply::call("write_file", json!({"path": "a.txt", "content": "alpha\nbeta\n"})),
        Reply::call("edit_file", json!({"path": "a.txt", "old_string": "beta", "new_string": "gamma"})),
        Reply::calls(&[
            ("read_file", json!({"path": "a.txt"})),
            ("grep", json!({"pattern": "gamma"})),
            ("glob", json!({"pattern": "*.txt"})),
            ("bash", json!({"command": "cat a.txt"})),
        ]),
        Reply::say("done"),
    ]);
    let ran = place.run(&["run", "go"]);
    assert_eq!((ran.code, ran.out.trim()), (Some(0), "done"), "{}", ran.err);
    assert_eq!(place.work.read("a.txt"), "alpha\ngamma\n");
    let read = texts(&place).into_iter().filter(|text| text.contains("gamma")).count();
    assert!(read >= 3, "each outcome is read by the model");
    place.server.assert_valid();
    place.server.assert_prefixes_grow();
}

#[test]
fn ac04_danger_is_confirmed_whatever_is_allowed() {
    let remove = || Reply::call("bash", json!({"command": "rm -rf keep"}));
    let place = Scene::new("danger")
        .file("keep/file", "x")
        .settings("[permissions]\nmode = \"allow\"\nallow = [\"Bash\"]\n")
        .replies(vec![remove(), Reply::say("Answer one."), remove(), Reply::say("Answer two.")])
        .chat(vec![
            line("/mode yolo", "yolo"),
            until("go", "allow? [y/n]"),
            line("n", "Answer one."),
            until("again", "allow? [y/n]"),
            line("y", "Answer two."),
        ])
        .play();
    assert!(!place.work.exists("keep/file"), "the second time it was allowed");
    assert!(
        texts(&place).iter().any(|text| text.contains("denied") || text.contains("refused")),
        "{:?}",
        texts(&place)
    );
    let alone = Place::new(vec![remove(), Reply::say("no")]);
    alone.work.write("keep/file", "x");
    alone.run(&["run", "go"]);
    assert!(alone.work.exists("keep/file"), "without a person it is refused");
}

#[test]
fn ac05_no_file_tool_leaves_the_working_folder() {
    let calls: Vec<(&str, Value)> = vec![
        ("read_file", json!({"path": "../secret.txt"})),
        ("write_file", json!({"path": "../made.txt", "content": "x"})),
        ("edit_file", json!({"path": "../secret.txt", "old_string": "hidden", "new_string": "x"})),
        ("multi_edit", json!({"path": "../secret.txt", "edits": [{"old_string": "hidden", "new_string": "x"}]})),
        ("apply_patch", json!({"patch": "*** Begin Patch\n*** Add File: ../made.txt\n+x\n*** End Patch"})),
        ("delete_range", json!({"path": "../secret.txt", "start": 1, "end": 1})),
        ("move_file", json!({"from": "../secret.txt", "to": "here.txt"})),
        ("ls", json!({"path": ".."})),
        ("glob", json!({"pattern": "../*"})),
        ("grep", json!({"pattern": "hidden", "path": ".."})),
        ("read_file", json!({"path": "link"})),
    ];
    let place = Place::new(vec![Reply::calls(&calls), Reply::say("I may not")]);
    let (root, outside) = (place.work.path(), place.work.path().join("../secret.txt"));
    std::fs::write(&outside, "hidden\n").unwrap();
    std::os::unix::fs::symlink(&outside, root.join("link")).unwrap();
    place.run(&["run", "go"]);
    let kept = std::fs::read_to_string(&outside);
    let (made, here) = (root.join("../made.txt").exists(), root.join("here.txt").exists());
    std::fs::remove_file(&outside).unwrap();
    assert_eq!(kept.unwrap(), "hidden\n");
    assert!(!made && !here);
    let seen = outcomes(&place);
    assert_eq!(seen.len(), calls.len());
    for ((tool, args), outcome) in calls.iter().zip(&seen) {
        assert!(outcome.starts_with("error: ") && outcome.contains("outside"), "{tool} {args}: {outcome}");
        assert!(!outcome.contains("hidden"), "{tool} {args}: {outcome}");
    }
}

const SERVER: &str = "import json, sys
for line in sys.stdin:
    said = json.loads(line)
    if 'id' not in said: continue
    method, result = said['method'], {}
    if method == 'initialize':
        result = {'protocolVersion': said['params']['protocolVersion'], 'capabilities': {'tools': {}},
            'serverInfo': {'name': 'loud', 'version': '1'}}
    elif method == 'tools/list':
        schema = {'type': 'object', 'properties': {'text': {'type': 'string'}}, 'required': ['text']}
        result = {'tools': [{'name': 'shout', 'description': 'Shouts.', 'inputSchema': schema}]}
    elif method == 'tools/call':
        result = {'content': [{'type': 'text', 'text': said['params']['arguments']['text'].upper()}]}
    print(json.dumps({'jsonrpc': '2.0', 'id': said['id'], 'result': result}), flush=True)
";

#[test]
fn ac06_a_local_server_is_configured_started_and_called() {
    let place = Place::new(vec![Reply::call("mcp__loud__shout", json!({"text": "quiet"})), Reply::say("ok")]);
    let file = place.work.write("server.py", SERVER);
    let entry = format!("[[plugins]]\nname = \"loud\"\ncommand = \"python3\"\nargs = [\"{}\"]\n\n", file.display());
    place.configure(&format!("[permissions]\nallow = [\"mcp__loud__*\"]\n\n{entry}"));
    let ran = place.run(&["run", "go"]);
    assert_eq!(ran.code, Some(0), "{}", ran.err);
    let tools = place.server.requests()[0].body["tools"].to_string();
    assert!(tools.contains("mcp__loud__shout"), "{tools}");
    assert!(texts(&place).iter().any(|text| text.contains("QUIET")), "{:?}", texts(&place));
}

#[test]
fn ac10_write_and_patch_mean_edit() {
    for key in ["write", "patch", "edit"] {
        let call = Reply::call("write_file", json!({"path": "a.txt", "content": "x"}));
        let place = Place::bare(reasonix_testkit::ModelServer::start_blocking(vec![call, Reply::say("no")]));
        let provider = json!({"name": "mock", "kind": "openai", "base_url": place.server.base_url(), "model": "m1",
            "api_key_env": "MOCK_KEY", "context_window": 100_000});
        let settings = json!({"default_model": "mock", "providers": [provider], "permission": {key: "deny"}});
        place.home.write("config.jsonc", settings.to_string());
        let ran = place.run(&["run", "go"]);
        assert!(!place.work.exists("a.txt"), "{key}: {}", ran.err);
        assert!(texts(&place).iter().any(|text| text.contains("not allowed here")), "{key}: {:?}", texts(&place));
    }
}

/// A chat in lines, which what is typed goes to.
fn chat(place: &Place, keys: &[(&str, &str)]) {
    let mut pty = Pty::new(60, 20);
    let mut command = place.command(&[]);
    command.env("REASONIX_PLAIN", "1").env("LC_ALL", "C.UTF-8");
    let mut child = pty.spawn(command);
    pty.wait_for("the chat", |written| written.contains("> "));
    for (typed, shown) in keys {
        pty.keys(typed);
        // The next line is typed when the editor reads again, not before.
        pty.wait_for(shown, |written| written.contains(shown) && written.rfind("> ") > written.rfind(shown));
    }
    pty.keys("/quit\r");
    assert!(child.wait().unwrap().success(), "{}", pty.written());
}

/// What was said in the last request.
fn said(place: &Place) -> String {
    texts(place).pop().unwrap()
}

#[test]
fn ac15_chinese_is_written_and_taken_back_a_character_at_a_time() {
    let place = Place::new(vec![Reply::say("第一个回答"), Reply::say("第二个回答")]);
    chat(&place, &[("你好吗世界\x7f\x7f\x7f\r", "第一个回答"), ("中文输入\x1b[D\x1b[D\x7f很\r", "第二个回答")]);
    assert_eq!(said(&place), "中很输入");
    let first = place.server.requests()[0].messages().last().unwrap()["content"].clone();
    assert_eq!(first, json!("你好"));
}

#[test]
fn ac16_earlier_prompts_come_back_with_up_also_after_a_restart() {
    let replies = ["Answer one.", "Answer two.", "Answer three."].map(Reply::say);
    let place = Place::new(replies.to_vec());
    chat(&place, &[("the first prompt\r", "Answer one."), ("the second prompt\r", "Answer two.")]);
    chat(&place, &[("\x1b[A\x1b[A\x1b[A\x1b[B\x1b[A\r", "Answer three.")]);
    assert_eq!(said(&place), "the first prompt");
}

#[test]
fn every_test_that_is_named_exists() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").canonicalize().unwrap();
    let page = std::fs::read_to_string(root.join("docs/acceptance.md")).unwrap();
    let mut known = HashSet::new();
    let mut folders = vec![root.join("crates")];
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(folder).unwrap().flatten() {
            let path = entry.path();
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|end| end == "rs") {
                let text = std::fs::read_to_string(&path).unwrap();
                let of = |after: &str| Some(after.split_once("fn ")?.1.split('(').next()?.to_owned());
                known.extend(text.split("test]").skip(1).filter_map(of));
            }
        }
    }
    let is_name = |name: &&str| {
        name.matches('_').count() >= 2 && name.chars().all(|c| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '_')
    };
    let named: Vec<&str> = page.split('`').skip(1).step_by(2).filter(is_name).collect();
    assert!(named.len() >= 30, "{}", named.len());
    let missing: Vec<&&str> = named.iter().filter(|name| !known.contains(**name)).collect();
    assert!(missing.is_empty(), "docs/acceptance.md names tests that do not exist: {missing:?}");
}
