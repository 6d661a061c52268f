//! Moving about in sessions from the command line.

use crate::support;

use reasonix_testkit::{ModelServer, Reply};
use serde_json::json;
use support::Place;

fn place() -> Place {
    let place = Place::bare(ModelServer::start_with(|request| {
        let last = request.last_content().to_owned();
        let write = last.strip_prefix("write ").map(|name| json!({ "path": name, "content": name }));
        Some(match write {
            Some(arguments) => Reply::call("write_file", arguments),
            None => Reply::say("fine"),
        })
    }));
    place.configure("");
    place
}

fn texts(place: &Place) -> Vec<String> {
    let requests = place.server.requests();
    let messages = requests.last().unwrap().messages().to_vec();
    messages
        .iter()
        .filter(|message| message["role"] == "user")
        .map(|message| message["content"].as_str().unwrap().to_owned())
        .collect()
}

fn session(place: &Place) -> String {
    place.logs()[0].file_stem().unwrap().to_str().unwrap().to_owned()
}

#[test]
fn rewinding_the_chat_the_files_or_both() {
    let place = place();
    for prompt in ["first", "write one", "write two"] {
        assert_eq!(place.run(&["run", "--continue", prompt]).code, Some(0));
    }
    let ran = place.run(&["rewind", "--to", "3", "--chat"]);
    assert_eq!((ran.code, ran.out.as_str()), (Some(0), "write two\n"), "{}", ran.err);
    assert!(place.work.exists("two"), "the files stay");
    assert_eq!(place.run(&["run", "--continue", "else"]).code, Some(0));
    assert_eq!(texts(&place), ["first", "write one", "else"]);
    let ran = place.run(&["rewind", "--to", "2", "--both"]);
    assert_eq!(ran.code, Some(0), "{}", ran.err);
    assert!(ran.out.contains("write one\n") && !place.work.exists("one"), "{}", ran.out);
    assert_eq!(place.run(&["run", "--continue", "again"]).code, Some(0));
    assert!(texts(&place)[1].ends_with("again") && texts(&place).len() == 2, "{:?}", texts(&place));
    let ran = place.run(&["rewind", "--to", "99", "--both"]);
    assert_eq!(ran.code, Some(1), "{}", ran.err);
    assert_eq!(place.run(&["rewind", "--to", "1", "--both", "--chat"]).code, Some(2));
    place.server.assert_valid();
}

#[test]
fn branching_labels_and_filters_of_the_tree() {
    let place = place();
    for prompt in ["first", "second"] {
        assert_eq!(place.run(&["run", "--continue", prompt]).code, Some(0));
    }
    let id = session(&place);
    let tree = place.run(&["sessions", "show", &id, "--tree", "--filter", "user"]).out;
    assert_eq!(tree.lines().count(), 2, "{tree}");
    let second = tree.lines().last().unwrap().split_whitespace().next().unwrap().to_owned();
    assert_eq!(place.run(&["sessions", "label", &id, &second, "here it went wrong"]).code, Some(0));
    let labelled = place.run(&["sessions", "show", &id, "--tree", "--filter", "labelled"]).out;
    assert!(labelled.contains("[here it went wrong] second") && labelled.lines().count() == 1, "{labelled}");
    let found = place.run(&["sessions", "show", &id, "--tree", "--find", "first"]).out;
    assert!(found.contains("first") && !found.contains("second"), "{found}");
    let ran = place.run(&["sessions", "branch", &id, &second]);
    assert_eq!((ran.code, ran.out.as_str()), (Some(0), "second\n"), "{}", ran.err);
    assert_eq!(place.run(&["run", "--continue", "another second"]).code, Some(0));
    assert_eq!(texts(&place), ["first", "another second"]);
    assert_eq!(place.run(&["sessions", "branch", &id, "999"]).code, Some(1));
    assert_eq!(place.run(&["sessions", "label", &id, "999", "x"]).code, Some(1));
    place.server.assert_valid();
}

/// Notes on what is left, from the command line: kept in the log, and carried by the next prompt of another process.
#[test]
fn notes_on_what_is_left_go_along() {
    let place = Place::new(vec![
        Reply::say("one"),
        Reply::say("two"),
        Reply::say("NOTES on two"),
        Reply::say("three"),
        Reply::say("NOTES on three"),
        Reply::say("four"),
    ]);
    place.run(&["run", "first"]);
    place.run(&["run", "--continue", "second"]);
    let back = place.run(&["rewind", "--to", "2", "--chat", "--summary"]);
    assert_eq!((back.code, back.out.trim()), (Some(0), "second"), "{}", back.err);
    place.run(&["run", "--continue", "another"]);
    let sent = |at: usize| place.server.requests()[at].last_content().to_owned();
    assert!(sent(3).contains("NOTES on two") && sent(3).ends_with("another"), "{}", sent(3));
    let log = place.logs()[0].clone();
    let id = log.file_stem().unwrap().to_str().unwrap();
    let text = std::fs::read_to_string(&log).unwrap();
    let third = text.lines().find(|line| line.contains("\"typed\":\"another\"")).unwrap();
    let third: serde_json::Value = serde_json::from_str(third).unwrap();
    place.configure("[branch]\nsummary = true\n");
    let branched = place.run(&["sessions", "branch", id, &third["id"].to_string()]);
    assert_eq!((branched.code, branched.out.trim()), (Some(0), "another"), "{}", branched.err);
    place.run(&["run", "--continue", "yet another"]);
    assert!(sent(5).contains("NOTES on three"), "{}", sent(5));
    place.server.assert_valid();
    assert_eq!(std::fs::read_to_string(&log).unwrap().matches("\"kind\":\"left\"").count(), 2);
    let shown = place.run(&["sessions", "show", id]);
    assert!(shown.out.contains("Notes on the branch that was left"), "{}", shown.out);
    let quiet = place.run(&["rewind", "--to", "1", "--chat", "--no-summary"]);
    assert_eq!(quiet.code, Some(0), "{}", quiet.err);
    assert_eq!(place.server.request_count(), 6, "nobody was asked");
}

/// System prompt and tools were sent before, on the branch that was left; that is counted, and the rest has its reason.
#[test]
fn a_turn_from_the_very_beginning_in_another_process_is_in_the_ledger() {
    let place = place();
    for prompt in ["first", "second"] {
        assert_eq!(place.run(&["run", "--continue", prompt]).code, Some(0));
    }
    let id = session(&place);
    assert_eq!(place.run(&["sessions", "branch", &id, "1"]).code, Some(0));
    assert_eq!(place.run(&["run", "--resume", &id, "anew"]).code, Some(0));
    assert_eq!(texts(&place), ["anew"]);
    let log = std::fs::read_to_string(&place.logs()[0]).unwrap();
    let mut records = log.lines().map(|line| serde_json::from_str::<serde_json::Value>(line).unwrap());
    let last = records.rfind(|record| record["kind"] == "requested").unwrap();
    assert!(last["same"].as_u64().unwrap() > 1_000 && last["broke"] == "branch", "{last}");
}
