//! Killed anywhere: the real binary dies, or its disk fails, at every single write to its home, one run for each; after each
//! run everything that it had said is on the log, and the session goes on with requests that strict servers take.
//!
//! A run has about a hundred such places, and there are seven ways to go wrong and three wires. A part of them is tried by
//! default; `REASONIX_KILLS=1000` tries that many.

use crate::support;

use reasonix_testkit::{ModelServer, Reply};
use serde_json::{Value, json};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::atomic::{AtomicUsize, Ordering};
use support::{Place, unboxed};

const WAYS: [&str; 7] = ["before", "torn", "after", "enospc", "eio", "full", "readonly"];
/// Those of them that end the process.
const KILLS: [&str; 3] = ["before", "torn", "after"];
const WIRES: [(&str, &str); 3] = [("openai", "/v1"), ("anthropic", "/v1"), ("responses", "/v1")];

/// The library that lets writes go wrong.
fn shim(folder: &Path) -> PathBuf {
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/faults/faults.c");
    let library = folder.join("faults.so");
    let made =
        Command::new("cc").args(["-shared", "-fPIC", "-O1", "-o"]).arg(&library).arg(source).arg("-ldl").output();
    let made = made.expect("a C compiler is there");
    assert!(made.status.success(), "{}", String::from_utf8_lossy(&made.stderr));
    library
}

/// A model that works for a turn, then answers everything with a word.
fn place(kind: &str) -> Place {
    let asked = AtomicUsize::new(0);
    let server = ModelServer::start_with(move |_| {
        Some(match asked.fetch_add(1, Ordering::SeqCst) {
            0 => Reply::calls(&[("read_file", json!({ "path": "a.txt" })), ("ls", json!({}))]),
            1 => Reply::call("write_file", json!({ "path": "b.txt", "content": "b" })).after_saying("I write."),
            2 => Reply::call("bash", json!({ "command": "seq 20000; echo done >> c.txt" })),
            3 => Reply::say("finished"),
            _ => Reply::say("ok"),
        })
    });
    let place = Place::bare(server);
    let url = place.server.base_url();
    let text = format!(
        "default_model = \"mock\"\n[[providers]]\nname = \"mock\"\nkind = \"{kind}\"\nbase_url = \"{url}\"\nmodel = \"m1\"\napi_key_env = \"MOCK_KEY\"\ncontext_window = 100000\nprice = {{ input = 1.0, output = 2.0 }}\n{}",
        unboxed()
    );
    place.home.write("config.toml", text);
    place.work.write("a.txt", "hello\n");
    place
}

fn work(place: &Place, shim: &Path, at: usize, how: &str) -> support::Ran {
    let mut command = place.command(&["run", "--json", "the first prompt"]);
    command
        .env("LD_PRELOAD", shim)
        .env("FAULT_BELOW", place.home.join("state"))
        .env("FAULT_AT", at.to_string())
        .env("FAULT_HOW", how)
        .env("FAULT_COUNT", place.home.join("count"))
        .env("FAULT_UNFLUSHED", place.home.join("unflushed"));
    support::finish(command.output().unwrap())
}

/// The records that the process had told of before it died.
fn told(out: &str) -> Vec<Value> {
    let whole = out.lines().filter_map(|line| serde_json::from_str::<Value>(line).ok());
    whole.map(|line| line["event"]["record"].clone()).filter(Value::is_object).collect()
}

fn check(place: &Place, ran: &support::Ran, what: &str) {
    let logs = place.logs();
    assert!(logs.len() <= 1, "{what}");
    let text = logs.first().map(|log| String::from_utf8_lossy(&std::fs::read(log).unwrap()).into_owned());
    let lines: Vec<Value> =
        text.iter().flat_map(|text| text.lines()).filter_map(|line| serde_json::from_str(line).ok()).collect();
    let told = told(&ran.out);
    if lines.is_empty() {
        // Nothing is on disk before the first prompt, and without it nothing may have been said or done.
        let early = |record: &Value| record["kind"] == "session" || record["end"]["how"] == "broken";
        assert!(told.iter().all(early), "{what}: {told:?}");
    }
    for record in told.into_iter().filter(|_| !lines.is_empty()) {
        let found = lines.iter().find(|line| line["id"] == record["id"]);
        let mut found = found.unwrap_or_else(|| panic!("{what}: lost {record}")).clone();
        found.as_object_mut().unwrap().remove("crc");
        assert_eq!(found, record, "{what}");
    }
    if !place.server.requests().is_empty() {
        assert!(lines.iter().any(|line| line["kind"] == "prompt"), "{what}: sent before it was kept");
    }
    let next = place.run(&["run", "--continue", "go on"]);
    assert_eq!(next.code, Some(0), "{what}: {}", next.err);
    place.server.assert_valid();
    let ledger = place.run(&["stats", "--json"]);
    assert_eq!(ledger.code, Some(0), "{what}: {}", ledger.err);
    let verified = place.run(&["sessions", "verify"]);
    assert_eq!(verified.code, Some(0), "{what}: {}{}", verified.out, verified.err);
}

#[test]
fn killed_or_out_of_disk_at_any_write_nothing_told_is_lost_and_the_session_goes_on() {
    let folder = tempfile::tempdir().unwrap();
    let shim = shim(folder.path());
    let wanted: usize = std::env::var("REASONIX_KILLS").ok().and_then(|count| count.parse().ok()).unwrap_or(120);
    let whole = place("openai");
    let ran = work(&whole, &shim, 0, "");
    assert_eq!(ran.code, Some(0), "{}", ran.err);
    let places: usize = std::fs::read_to_string(whole.home.join("count")).unwrap().parse().unwrap();
    assert!(places > 10, "the writes of a run are seen: {places}");
    let unflushed = std::fs::read_to_string(whole.home.join("unflushed")).unwrap();
    assert_eq!(unflushed, "0", "a power cut after the end would take lines of the log");
    let all = places * WAYS.len() * WIRES.len();
    let rounds = wanted.min(all);
    let mut died = 0;
    for round in 0..rounds {
        // Evenly through all of them, so that every place, way and wire has its turn.
        let number = round * all / rounds;
        let (at, rest) = (number / (WAYS.len() * WIRES.len()) + 1, number % (WAYS.len() * WIRES.len()));
        let (how, (kind, _)) = (WAYS[(rest + round) % WAYS.len()], WIRES[(rest / WAYS.len() + round) % WIRES.len()]);
        let what = format!("write {at} of {places}, {how}, {kind}");
        let place = place(kind);
        let ran = work(&place, &shim, at, how);
        if ran.code.is_none() {
            died += 1;
        } else if KILLS.contains(&how) {
            // How many writes there are hangs on how much comes together, and so on the machine.
            let writes: usize = std::fs::read_to_string(place.home.join("count")).unwrap().parse().unwrap();
            assert!(writes < at, "{what}: it lives on after {writes} writes");
        }
        check(&place, &ran, &what);
        if (round + 1) % 100 == 0 {
            println!("{} of {rounds} runs", round + 1);
        }
    }
    println!("{rounds} runs at {places} places, {died} killed");
    assert!(died * 10 > rounds, "hardly any of them came that far: {died} of {rounds}");
}
