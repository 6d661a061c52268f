//! What the model is sent before the first prompt, and `reasonix context`, with the built binary.

use crate::support;

use reasonix_testkit::{ModelServer, Reply};
use serde_json::Value;
use std::os::unix::fs::symlink;
use support::Place;

fn place() -> Place {
    let place = Place::bare(ModelServer::start_with(|_| Some(Reply::say("fine").with_usage(4_000, 20, 0))));
    place.configure("");
    let text = place.home.read("config.toml");
    place.home.write("config.toml", format!("instructions = [\"mine/*.md\"]\n{text}"));
    place
}

fn system_of(place: &Place) -> String {
    let requests = place.server.requests();
    requests.last().unwrap().body["messages"][0]["content"].as_str().unwrap().to_owned()
}

#[test]
fn the_parts_come_in_their_order_and_blank_files_change_nothing() {
    let place = place();
    place.home.write("AGENTS.md", "GLOBAL");
    place.home.write("mine/b.md", "MINE-B");
    place.home.write("mine/a.md", "MINE-A");
    place.work.write("AGENTS.md", "PROJECT");
    place.work.write("reasonix.toml", "instructions = [\"docs/style.md\"]\n");
    place.work.write("docs/style.md", "STYLE\u{200b}");
    place.work.write(".gitignore", "# built\n/TARGET\n");
    assert_eq!(place.run(&["run", "--append-system-prompt", "APPENDED", "hi"]).code, Some(0));
    let first = system_of(&place);
    let words = ["Reasonix", "GLOBAL", "PROJECT", "MINE-A", "MINE-B", "STYLE⟨U+200B⟩", "/TARGET", "APPENDED"];
    let places: Vec<_> = words.map(|word| first.find(word)).into();
    assert!(places.iter().all(Option::is_some) && places.is_sorted(), "{places:?} {first}");
    assert!(!first.contains("# built"));
    let said = first.find("Where two disagree, the later one wins.");
    assert!(said.is_some() && said < first.find("GLOBAL"), "{first}");
    for blank in ["REASONIX.md", "docs/.gitkeep"] {
        place.work.write(blank, "\n \n");
    }
    place.home.write("mine/c.md", "\n");
    assert_eq!(place.run(&["run", "--append-system-prompt", "APPENDED", "hi"]).code, Some(0));
    assert_eq!(system_of(&place), first, "the same to the byte");
}

#[test]
fn a_projects_instructions_cannot_fetch_what_lies_outside() {
    let place = place();
    place.home.write("secret.txt", "PRIVATE KEY");
    place.work.write("reasonix.toml", "instructions = [\"style.md\"]\n");
    symlink(place.home.join("secret.txt"), place.work.join("style.md")).unwrap();
    symlink(place.home.join("secret.txt"), place.work.join(".gitignore")).unwrap();
    let ran = place.run(&["run", "hi"]);
    assert_eq!(ran.code, Some(0), "{}", ran.err);
    assert!(!system_of(&place).contains("PRIVATE"));
    assert_eq!(ran.err.matches("leads out of the repository").count(), 2, "{}", ran.err);
}

#[test]
fn context_prints_the_parts_the_limit_and_the_share() {
    let place = place();
    place.work.write("AGENTS.md", "Keep to the style of the file.");
    let ran = place.run(&["context", "--json"]);
    let new: Value = serde_json::from_str(&ran.out).unwrap();
    assert_eq!((&new["session"], &new["window"], &new["counted"]), (&Value::Null, &100_000.into(), &0.into()));
    assert_eq!(new["estimate"], new["tokens"]);
    assert_eq!(place.run(&["run", "hello"]).code, Some(0));
    let ran = place.run(&["context", "--json"]);
    let here: Value = serde_json::from_str(&ran.out).unwrap();
    assert_eq!((&here["counted"], &here["percent"]), (&4_020.into(), &4.0.into()), "{here}");
    let parts: Vec<&str> =
        here["parts"].as_array().unwrap().iter().map(|part| part["part"].as_str().unwrap()).collect();
    let wanted = ["tools", "base", "project_rules", "prompts", "answers", "results"];
    assert_eq!(parts, wanted.map(|part| format!("context.{part}")));
    let sum: u64 = here["parts"].as_array().unwrap().iter().map(|part| part["tokens"].as_u64().unwrap()).sum();
    assert_eq!(here["estimate"], sum);
    let ran = place.run(&["context"]);
    assert_eq!(ran.code, Some(0), "{}", ran.err);
    for wanted in ["project rules: ", "AGENTS.md", "window: 100000 tokens, 4.0% in use"] {
        assert!(ran.out.contains(wanted), "{wanted}: {}", ran.out);
    }
    assert!(place.run(&["context", "--new"]).out.contains("a new session"));
    assert_eq!(place.run(&["context", "nonesuch"]).code, Some(1));
}

#[test]
fn in_a_small_window_rules_give_way_and_that_is_said() {
    let place = place();
    let text = place.home.read("config.toml").replace("100000", "8000");
    place.home.write("config.toml", text);
    place.work.write("AGENTS.md", "A rule that is quite long and is said again and again.\n".repeat(500));
    let ran = place.run(&["run", "hi"]);
    assert_eq!(ran.code, Some(0), "{}", ran.err);
    assert!(ran.err.contains("with a window of 8000 tokens only the beginning is sent"), "{}", ran.err);
    assert!(system_of(&place).len() < 9_000);
}
