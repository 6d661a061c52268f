//! `reasonix probe` as a user meets it: what it shows, what it keeps, and what sessions then do with it.

use crate::support;

use reasonix_testkit::{ModelServer, Recorded, Reply};
use serde_json::{Value, json};
use support::{Place, unboxed};

/// A server of llama.cpp's kind that was started without tools, as many are.
fn without_tools(request: &Recorded) -> Reply {
    let body = &request.body;
    if body["tools"].is_array() {
        return Reply::fail(500, r#"{"error":{"message":"tools param requires --jinja flag"}}"#);
    }
    let text = body["messages"].to_string();
    match body["grammar"].as_str() {
        Some(grammar) if grammar.contains("kq7zx4") => Reply::say("kq7zx4"),
        Some(_) if !text.contains("<tool_response name") && text.contains("look around") => {
            Reply::say("<tool_call>\n{\"name\": \"ls\", \"arguments\": {}}\n</tool_call>")
        }
        _ => Reply::say("hello"),
    }
}

fn place() -> Place {
    let place = Place::bare(ModelServer::start_with(|request| Some(without_tools(request))));
    place.server.set_models(json!({ "data": [{ "id": "m1", "owned_by": "llamacpp" }] }));
    place.server.set_document("/props", json!({ "default_generation_settings": { "n_ctx": 4096 } }));
    let url = place.server.base_url();
    let text = format!("[[providers]]\nname = \"mock\"\nbase_url = \"{url}\"\nmodel = \"m1\"\n{}", unboxed());
    place.home.write("config.toml", text);
    place
}

#[test]
fn what_was_seen_is_shown_kept_and_used() {
    let place = place();
    place.work.write("a.txt", "x");
    let ran = place.run(&["probe"]);
    assert_eq!(ran.code, Some(0), "{}", ran.err);
    for words in ["llama.cpp", "4096", "refused", "gbnf", "in a form that the server holds to", "kept;"] {
        assert!(ran.out.contains(words), "{words}: {}", ran.out);
    }
    let asked = place.server.all_requests().len();
    let ran = place.run(&["probe", "--json"]);
    let shown: Value = serde_json::from_str(&ran.out).unwrap();
    assert_eq!((&shown["probe"]["window"], &shown["profile"]["guided"]), (&json!(4096), &json!("gbnf")));
    assert_eq!(place.server.all_requests().len(), asked, "a kept result asks nothing");
    let ran = place.run(&["probe", "mock"]);
    assert!(ran.out.contains("--refresh asks again"), "{}", ran.out);

    let ran = place.run(&["run", "--json", "look around"]);
    assert_eq!(ran.code, Some(0), "{}", ran.err);
    let requests = place.server.requests();
    let [.., first, second] = requests.as_slice() else { panic!("two requests") };
    assert!(first.body["tools"].is_null() && first.body["grammar"].is_string(), "{}", first.body);
    assert!(second.body.to_string().contains("<tool_response name"), "{}", second.body);
    let usage = ran.out.lines().find(|line| line.contains("\"type\":\"usage\"")).expect("usage");
    assert!(usage.contains("\"window\":4096"), "{usage}");

    let ran = place.run(&["probe", "--refresh"]);
    assert_eq!(ran.code, Some(0), "{}", ran.err);
    assert!(place.server.all_requests().len() > asked + 2);
}

#[test]
fn what_the_user_wrote_wins() {
    let place = place();
    assert_eq!(place.run(&["probe"]).code, Some(0));
    let more = place
        .home
        .read("config.toml")
        .replace("model = \"m1\"", "model = \"m1\"\ntool_calls = \"native\"\ncontext_window = 9000");
    place.home.write("config.toml", more);
    let ran = place.run(&["probe"]);
    assert!(ran.err.contains("your settings say 9000 tokens, the server serves 4096"), "{}", ran.err);
    let ran = place.run(&["run", "look around"]);
    assert_eq!(ran.code, Some(4), "{}", ran.err);
    assert!(place.server.requests().last().unwrap().body["tools"].is_array());
}

#[test]
fn setup_probes_once_and_writes_what_it_saw() {
    let place = place();
    place.home.write("config.toml", "");
    let ran = place.run(&["setup", "--base-url", &place.server.base_url()]);
    assert_eq!(ran.code, Some(0), "{}", ran.err);
    let config = place.home.read("config.toml");
    assert!(config.contains("context_window = 4096") && config.contains("preset = \"llama.cpp\""), "{config}");
    let asked = place.server.all_requests().len();
    assert!(place.run(&["probe"]).out.contains("--refresh asks again"));
    assert_eq!(place.server.all_requests().len(), asked);
    place.home.write("config.toml", "");
    let ran = place.run(&["setup", "--no-probe", "--base-url", &place.server.base_url()]);
    assert_eq!(ran.code, Some(0), "{}", ran.err);
    assert_eq!(place.server.all_requests().len(), asked + 1, "only the list of models");
}

#[test]
fn nobody_is_asked_and_nothing_is_probed_without_a_terminal() {
    let place = place();
    let ran = place.run(&["run", "--tools", "ls", "hi"]);
    assert_eq!(ran.code, Some(4), "{}", ran.err);
    let requests = place.server.all_requests();
    assert!(requests.iter().all(|request| request.path.ends_with("/chat/completions")), "{requests:?}");
    assert!(!place.home.join("state/probes").exists());
}

#[test]
fn mistakes_are_explained() {
    let place = place();
    let ran = place.run(&["probe", "nobody"]);
    assert_eq!(ran.code, Some(2), "{}", ran.err);
    let ran = place.run(&["probe", "http://127.0.0.1:9/v1", "--model", "m"]);
    assert_eq!(ran.code, Some(1), "{}", ran.err);
    assert!(ran.err.contains("127.0.0.1:9"), "{}", ran.err);
    let ran = place.run(&["probe", "--discover", "--json"]);
    assert_eq!(ran.code, Some(0), "{}", ran.err);
    assert!(serde_json::from_str::<Value>(&ran.out).unwrap()["servers"].is_array());
}

#[test]
fn the_endpoint_of_another_file_is_asked() {
    let place = place();
    let text = place.home.read("config.toml").replace("\"mock\"", "\"elsewhere\"");
    place.work.write("other.toml", text);
    place.home.write("config.toml", "");
    assert_ne!(place.run(&["probe", "elsewhere"]).code, Some(0));
    let ran = place.run(&["probe", "elsewhere", "--config", "other.toml"]);
    assert!(ran.code == Some(0) && ran.out.contains("4096"), "{} {}", ran.out, ran.err);
}
