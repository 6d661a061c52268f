//! Keys and tokens stay with this process: children do not see them, and nothing that is written has them.

use crate::support;

use reasonix_testkit::Reply;
use serde_json::json;
use support::{Place, Ran, finish};

const SECRETS: &[(&str, &str)] = &[
    ("GH_TOKEN", "hush-gh"),
    ("AWS_SECRET_ACCESS_KEY", "hush-aws"),
    ("DB_PASSWORD", "hush-db"),
    ("SSH_AUTH_SOCK", "/hush/agent"),
    ("DATABASE_URL", "hush-url"),
    ("NOBODY_NAMED_THIS", "hush-name"),
    ("CARGO_REGISTRY_TOKEN", "hush-cargo"),
    ("PIP_INDEX_URL", "https://me:hush-pip@host/simple"),
    ("HTTPS_PROXY", "http://hush-proxy:1"),
    ("LD_PRELOAD_X", "hush-x"),
];

fn run(place: &Place, args: &[&str]) -> Ran {
    let mut command = place.command(args);
    command.envs(SECRETS.iter().copied()).env("CARGO_TERM_COLOR", "never").env("NO_PROXY", "127.0.0.1");
    finish(command.output().expect("the binary starts"))
}

fn outcome(ran: &Ran) -> String {
    let ended = ran.out.lines().find(|line| line.contains("\"tool_ended\"")).expect("a call ended");
    ended.to_owned()
}

#[test]
fn g1_commands_see_known_variables_and_no_secrets() {
    let place = Place::new(vec![Reply::call("bash", json!({"command": "env"})), Reply::say("done")]);
    let ran = run(&place, &["run", "--json", "look"]);
    assert_eq!(ran.code, Some(0), "{}", ran.err);
    let seen = outcome(&ran);
    assert!(!seen.contains("hush") && !seen.contains("sk-secret-for-tests"), "{seen}");
    assert!(seen.contains("CARGO_TERM_COLOR=never") && seen.contains("PATH="), "{seen}");
}

#[test]
fn g1_the_user_can_open_variables_but_never_the_keys_of_endpoints() {
    let place = Place::new(vec![Reply::call("bash", json!({"command": "env"})), Reply::say("done")]);
    let box_off = if support::has_box() { "" } else { "bash = \"off\"\n" };
    place.configure(&format!(
        "[sandbox]\nenv = [\"DATABASE_URL\", \"NOBODY_*\", \"MOCK_KEY\", \"LD_PRELOAD\"]\n{box_off}"
    ));
    let ran = run(&place, &["run", "--json", "look"]);
    assert_eq!(ran.code, Some(0), "{}", ran.err);
    let seen = outcome(&ran);
    assert!(seen.contains("DATABASE_URL=hush-url") && seen.contains("NOBODY_NAMED_THIS=hush-name"), "{seen}");
    assert!(!seen.contains("sk-secret-for-tests") && !seen.contains("hush-gh"), "{seen}");
    // A project has no say in it.
    let place = Place::new(vec![Reply::call("bash", json!({"command": "env"})), Reply::say("done")]);
    place.work.write("reasonix.toml", "[sandbox]\nenv = [\"GH_TOKEN\", \"DATABASE_URL\"]\n");
    let seen = outcome(&run(&place, &["run", "--json", "look"]));
    assert!(!seen.contains("hush"), "{seen}");
}

/// Everything below a folder, as text.
fn everything_in(folder: &std::path::Path, out: &mut String) {
    for entry in std::fs::read_dir(folder).into_iter().flatten().filter_map(Result::ok) {
        match entry.file_type() {
            Ok(kind) if kind.is_dir() => everything_in(&entry.path(), out),
            _ => out.push_str(&String::from_utf8_lossy(&std::fs::read(entry.path()).unwrap_or_default())),
        }
    }
}

#[test]
fn g2_a_key_is_in_nothing_that_is_written_or_printed() {
    let refused = Reply::fail(401, r#"{"error": {"message": "Incorrect API key provided: sk-secret-for-tests"}}"#);
    let place = Place::new(vec![Reply::say("hello"), refused]);
    let mut all = String::new();
    for args in [
        &["run", "--json", "hi"][..],
        &["run", "hi"],
        &["doctor", "--offline"],
        &["config", "show", "--origin"],
        &["sessions", "--json"],
        &["trust", "--show"],
    ] {
        let ran = place.run(args);
        all.push_str(&ran.out);
        all.push_str(&ran.err);
    }
    everything_in(&place.home.path(), &mut all);
    everything_in(&place.work.path(), &mut all);
    assert!(all.contains("hello"), "the sessions were looked at");
    assert!(!all.contains("sk-secret-for-tests"), "{all}");
    let sent = place.server.requests();
    assert!(format!("{sent:?}").contains("sk-secret-for-tests"), "the endpoint gets it");
}

#[test]
fn g2_secrets_in_addresses_are_not_shown() {
    let place = Place::new(vec![]);
    let text = place.home.read("config.toml").replace("http://127", "http://me:hunter2@127");
    let text = text.replace("/v1\"", "/v1?api_key=hunter3\"");
    assert!(text.contains("hunter2@") && text.contains("hunter3"), "{text}");
    place.home.write("config.toml", &text);
    for args in
        [&["doctor", "--offline"][..], &["config", "show", "--origin"], &["models"], &["doctor"], &["models", "--live"]]
    {
        let ran = place.run(args);
        let all = format!("{}{}", ran.out, ran.err);
        assert!(!all.contains("hunter"), "{args:?}: {all}");
    }
}
