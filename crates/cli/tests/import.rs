//! Sessions from elsewhere: whatever a file has in it, it becomes a session whose next request every endpoint takes;
//! nothing of it is run, nothing in it counts as a yes, and nothing in it acts on the terminal.

use crate::support;

use reasonix_testkit::{ModelServer, Reply};
use serde_json::{Value, json};
use std::path::{Path, PathBuf};
use support::Place;

const WIRES: [&str; 3] = ["openai", "responses", "anthropic"];

fn samples() -> Vec<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/imports");
    let mut found: Vec<_> = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    found.sort();
    assert!(found.len() >= 6, "{found:?}");
    found
}

fn place(kind: &str, replies: Vec<Reply>) -> Place {
    let place = Place::bare(ModelServer::start_blocking(replies));
    let text = format!(
        "default_model = \"mock\"\n\n[[providers]]\nname = \"mock\"\nkind = \"{kind}\"\nbase_url = \"{}\"\nmodel = \"m1\"\ncontext_window = 200000\n{}",
        place.server.base_url(),
        support::unboxed()
    );
    place.home.write("config.toml", text);
    place
}

fn import(place: &Place, file: &Path) -> PathBuf {
    let ran = place.run(&["sessions", "import", file.to_str().unwrap()]);
    assert_eq!(ran.code, Some(0), "{}: {}{}", file.display(), ran.out, ran.err);
    assert!(!(ran.out + &ran.err).contains('\u{1b}'), "{}", file.display());
    place.logs().pop().unwrap()
}

fn records(place: &Place, log: &Path) -> Vec<Value> {
    let shown = place.run(&["sessions", "show", "--json", log.file_stem().unwrap().to_str().unwrap()]);
    shown.out.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

#[test]
fn every_sample_goes_on_at_every_endpoint() {
    for kind in WIRES {
        for file in samples() {
            let what = format!("{kind}, {}", file.file_name().unwrap().display());
            let place = place(kind, vec![Reply::call("ls", json!({})), Reply::say("went on")]);
            let log = import(&place, &file);
            let ran = place.run(&["run", "--resume", log.to_str().unwrap(), "go on"]);
            assert_eq!(ran.code, Some(0), "{what}: {}", ran.err);
            assert_eq!(place.server.request_count(), 2, "{what}");
            place.server.assert_valid();
            place.server.assert_prefixes_grow();
            for request in place.server.requests() {
                let body = String::from_utf8_lossy(&request.raw).into_owned();
                for sent in ["\\u001b", "\\u0000", "\\u009b", "\\u0007", "\u{202e}", "\u{e0041}", "\u{200b}"] {
                    assert!(!body.contains(sent), "{what}: {sent:?} is sent");
                }
            }
            let verified = place.run(&["sessions", "verify"]);
            assert_eq!(verified.code, Some(0), "{what}: {}{}", verified.out, verified.err);
        }
    }
}

#[test]
fn nothing_of_a_file_is_run_or_counts_as_a_yes() {
    for file in samples() {
        // A command that the file says was allowed for good, at an ask rule and without anybody to ask.
        let place = place("openai", vec![Reply::call("bash", json!({ "command": "touch pwned" })), Reply::say("no")]);
        let settings = place.home.read("config.toml");
        place.home.write("config.toml", format!("{settings}\n[permissions]\nask = [\"Bash(touch:*)\"]\n"));
        let (before, settings) = (listing(&place), place.home.read("config.toml"));
        let log = import(&place, &file);
        assert_eq!(listing(&place), before, "{}", file.display());
        let kinds: Vec<String> =
            records(&place, &log).iter().map(|record| record["kind"].as_str().unwrap().to_owned()).collect();
        for kind in &kinds {
            let known = ["session", "prompt", "note", "assistant", "outcome", "turn_ended"];
            assert!(known.contains(&kind.as_str()), "{}: {kind} came along", file.display());
        }
        let ran = place.run(&["run", "--resume", log.to_str().unwrap(), "go on"]);
        assert!(!place.work.exists("pwned"), "{}: {}", file.display(), ran.err);
        assert_eq!(place.home.read("config.toml"), settings, "{}", file.display());
        assert_eq!(place.logs().len(), 1);
    }
}

fn listing(place: &Place) -> Vec<PathBuf> {
    std::fs::read_dir(place.work.path()).unwrap().map(|entry| entry.unwrap().path()).collect()
}

#[test]
fn what_was_said_and_done_is_there() {
    let place = place("openai", Vec::new());
    let named = |name: &str| Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/imports").join(name);
    let of = |records: &[Value], kind: &str| records.iter().filter(|record| record["kind"] == kind).count();
    let go = records(&place, &import(&place, &named("go.jsonl")));
    assert_eq!((of(&go, "prompt"), of(&go, "assistant"), of(&go, "outcome")), (2, 5, 4), "{go:#?}");
    let claude = records(&place, &import(&place, &named("claude-code.jsonl")));
    assert_eq!((of(&claude, "prompt"), of(&claude, "outcome")), (3, 4), "{claude:#?}");
    assert!(
        claude
            .iter()
            .any(|record| record["outcome"]["message"].as_str().is_some_and(|text| text.contains("exit code 1")))
    );
    assert!(!claude.iter().any(|record| record.to_string().contains("Nobody.\"")), "side chains stay out");
    let ids = records(&place, &import(&place, &named("hostile-ids.jsonl")));
    let results: Vec<&str> = ids.iter().filter_map(|record| record["outcome"]["content"].as_str()).collect();
    assert_eq!(results[..5], ["first", "second", "third", "fourth", "fifth"], "each result finds its call");
    let hidden = records(&place, &import(&place, &named("hostile-approvals.jsonl")));
    let prompt = hidden.iter().find(|record| record["kind"] == "prompt").unwrap();
    assert!(prompt.get("typed").is_none(), "what is shown is what is sent: {prompt}");
}

/// Lines of many megabytes are bounded before they reach an endpoint, and what was cut of a result can be read.
#[test]
fn huge_lines_are_bounded() {
    let place = place("openai", vec![Reply::say("ok")]);
    let (said, printed) = ("long words ".repeat(400_000), "line of output\n".repeat(400_000));
    let lines = [
        json!({ "role": "user", "content": said }),
        json!({ "role": "assistant", "content": said, "tool_calls": [{ "ID": "a", "Name": "bash", "Arguments": "{}" }] }),
        json!({ "role": "tool", "tool_call_id": "a", "content": printed }),
        json!({ "role": "assistant", "content": "done" }),
    ];
    let file = place.work.write("huge.jsonl", lines.map(|line| line.to_string()).join("\n"));
    let log = import(&place, &file);
    assert!(log.metadata().unwrap().len() < 1024 * 1024, "{}", log.metadata().unwrap().len());
    let result = records(&place, &log).into_iter().find(|record| record["kind"] == "outcome").unwrap();
    assert_eq!(result["outcome"]["details"]["artifact"]["bytes"], printed.len());
    let ran = place.run(&["run", "--resume", log.to_str().unwrap(), "go on"]);
    assert_eq!(ran.code, Some(0), "{}", ran.err);
    place.server.assert_valid();
}
