//! Requests, held to the types of the vendors' own packages, where a field that they do not name is refused:
//! `scripts/validate-requests` with the Python that `REASONIX_VENDOR_TYPES` names (`.ci/run` makes it). Skipped without it; a
//! failure without it when `REASONIX_E2E=1`.

use crate::wires::{collect, endpoint, go_on, hello, model, user};
use reasonix_agent::Stop;
use reasonix_llm::{Endpoint, Wire};
use reasonix_testkit::{ModelServer, Reply};
use serde_json::{Value, json};
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

/// Vendors, the wire that each speaks, the preset that stands for its address, and a model.
const VENDORS: [(&str, Wire, &str, &str); 6] = [
    ("openai", Wire::Chat, "openai", "gpt-5.1"),
    ("openai", Wire::Chat, "openai", "gpt-4o"),
    ("responses", Wire::Responses, "openai", "gpt-5.1"),
    ("anthropic", Wire::Anthropic, "anthropic", "claude-opus-4-8"),
    ("anthropic", Wire::Anthropic, "anthropic", "claude-sonnet-4-5"),
    ("mistral", Wire::Chat, "mistral", "mistral-large-latest"),
];

fn python() -> Option<PathBuf> {
    let python = std::env::var_os("REASONIX_VENDOR_TYPES").map(PathBuf::from);
    let needed = std::env::var("REASONIX_E2E").is_ok_and(|value| value == "1");
    assert!(python.is_some() || !needed, "REASONIX_VENDOR_TYPES is not set");
    python
}

fn checked(python: &Path, files: &[PathBuf]) -> Output {
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../scripts/validate-requests");
    Command::new(python).arg(script).args(files).output().expect("a Python")
}

fn said(out: &Output) -> String {
    String::from_utf8_lossy(&out.stdout).into_owned() + &String::from_utf8_lossy(&out.stderr)
}

/// The bodies of a conversation with a vendor: thoughts, calls with an id that another server made, results, a last word.
async fn bodies((_, wire, preset, name): (&str, Wire, &str, &str)) -> Vec<Value> {
    let long = format!("chatcmpl-tool.{}", "x".repeat(60));
    let replies = vec![
        Reply::call("ls", json!({ "path": "." })).with_call_id(&long).after_saying("Let me look.").after_thinking("hm"),
        Reply::calls(&[("ls", json!({ "path": "1" })), ("ls", json!({}))]),
        Reply::say("done"),
    ];
    let server = ModelServer::start(replies).await;
    let endpoint = Endpoint {
        preset: Some(preset.to_owned()),
        model: name.to_owned(),
        effort: Some(reasonix_catalogue::Effort::High),
        max_output: 32_000,
        max_tokens: Some(8_000),
        ..endpoint(wire, &server.base_url())
    };
    let model = model(endpoint);
    let mut request = hello();
    for _ in 0..3 {
        let items = collect(model.stream(request.clone(), Stop::new())).await;
        go_on(&mut request, &items);
    }
    request.messages.push(user("and now in words"));
    request.may_call = false;
    drop(collect(model.stream(request, Stop::new())).await);
    server.requests().into_iter().map(|sent| sent.body).collect()
}

fn line(vendor: &str, name: &str, body: &Value) -> String {
    json!({ "vendor": vendor, "name": name, "body": body }).to_string()
}

#[tokio::test]
async fn what_is_sent_fits_the_types_of_those_who_read_it() {
    let Some(python) = python() else { return };
    let place = tempfile::tempdir().expect("a folder");
    let mut lines = Vec::new();
    for vendor in VENDORS {
        let bodies = bodies(vendor).await;
        assert_eq!(bodies.len(), 4);
        lines.extend(bodies.iter().map(|body| line(vendor.0, vendor.3, body)));
    }
    let samples = place.path().join("samples");
    std::fs::write(&samples, lines.join("\n")).expect("a file");
    let recorded = Path::new(env!("CARGO_MANIFEST_DIR")).join("../cli/tests/bodies");
    let scenes = std::fs::read_dir(recorded).expect("the scenes").map(|entry| entry.expect("a scene").path());
    let mut files: Vec<PathBuf> = scenes.map(|scene| scene.join("played")).collect();
    assert!(files.len() > 40, "the scenes were found: {}", files.len());
    files.push(samples);
    let out = checked(&python, &files);
    assert!(out.status.success(), "{}", said(&out));
}

#[tokio::test]
async fn what_vendors_refuse_is_refused() {
    let Some(python) = python() else { return };
    let place = tempfile::tempdir().expect("a folder");
    let (mut lines, mut wanted) = (Vec::new(), Vec::new());
    for (vendor, field, value) in [
        (VENDORS[5], "stream_options", json!({ "include_usage": true })),
        (VENDORS[0], "thinking", json!({ "type": "enabled" })),
        (VENDORS[2], "max_tokens", json!(5)),
        (VENDORS[3], "stop", json!(["x"])),
    ] {
        let mut body = bodies(vendor).await.remove(1);
        body[field] = value;
        lines.push(line(vendor.0, "wrong", &body));
        wanted.push(field);
    }
    let body = bodies(VENDORS[0]).await.remove(1);
    let id = body["messages"][2]["tool_calls"][0]["id"].as_str().expect("an id").to_owned();
    let long = body.to_string().replace(&id, &"x".repeat(41));
    lines.push(line("openai", "a long id", &serde_json::from_str(&long).expect("a body")));
    wanted.push("ids");
    let file = place.path().join("wrong");
    std::fs::write(&file, lines.join("\n")).expect("a file");
    let out = checked(&python, &[file]);
    let text = said(&out);
    let refused: Vec<&str> = text.lines().take(wanted.len()).collect();
    assert!(!out.status.success() && refused.len() == wanted.len(), "{text}");
    for (line, names) in refused.iter().zip(wanted) {
        assert!(line.contains(names), "{names}: {text}");
    }
}
