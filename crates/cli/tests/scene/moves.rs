//! Back and elsewhere: what was taken back, left, folded into a report or handed over.

use super::Scene;
use reasonix_testkit::{Recorded, Reply};
use serde_json::json;

/// A model that writes the file it is told to, and says a word otherwise.
fn obedient(request: &Recorded) -> Option<Reply> {
    let last = request.last_content();
    let write = last.strip_prefix("write ").map(|name| json!({ "path": name, "content": format!("{name}\n") }));
    Some(match write {
        Some(arguments) => Reply::call("write_file", arguments),
        None if last.contains("what this branch") || last.contains("notes") => Reply::say("NOTES: what was left"),
        None => Reply::say("fine"),
    })
}

fn undone(name: &'static str) -> Scene {
    Scene::new(name)
        .file("kept.txt", "kept\n")
        .answers(obedient)
        .says("write one.txt")
        .says("write two.txt")
        .command(&["undo"])
}

/// The model hears once of what was taken back.
pub fn undo_is_told() -> Scene {
    undone("undo_is_told").says("what now?").command(&["undo"]).command(&["undo", "--redo"]).says("and now?")
}

/// What was taken back in one build is told by the next.
pub fn undo_is_pending() -> Scene {
    undone("undo_is_pending")
}

pub fn rewound() -> Scene {
    Scene::new("rewound")
        .answers(obedient)
        .says("first")
        .says("write one.txt")
        .says("write two.txt")
        .command(&["rewind", "--to", "3", "--chat"])
        .says("else")
        .command(&["rewind", "--to", "2", "--both"])
        .says("again")
        .command(&["rewind", "--to", "5", "--chat"])
}

pub fn rewound_with_notes() -> Scene {
    Scene::new("rewound_with_notes")
        .replies(vec![
            Reply::say("one"),
            Reply::say("two"),
            Reply::say("NOTES on two"),
            Reply::say("three"),
            Reply::say("NOTES on three"),
        ])
        .says("first")
        .says("second")
        .command(&["rewind", "--to", "2", "--chat", "--summary"])
        .says("another")
        .command(&["rewind", "--to", "3", "--chat", "--summary"])
}

/// Another way on from an earlier prompt, with its number in the log.
pub fn branched() -> Scene {
    Scene::new("branched")
        .answers(obedient)
        .says("first")
        .says("write one.txt")
        .command(&["sessions", "branch", "{SESSION}", "7"])
        .says("another second")
}

/// Turns that failed, before the first word and in the middle.
pub fn failed_turns() -> Scene {
    Scene::on("anthropic", "failed_turns")
        .replies(vec![
            Reply::say("one"),
            Reply::fail(400, r#"{"error":{"message":"no"}}"#),
            Reply::say("three"),
            Reply::call("ls", json!({})),
            Reply::drop_mid_stream("half of"),
            Reply::say("five"),
        ])
        .says("first")
        .ends(4, &["run", "--continue", "second"])
        .says("third")
        .ends(4, &["run", "--continue", "fourth"])
        .says("fifth")
}

/// A place is marked, things are looked at, and a report stands for them.
pub fn explored() -> Scene {
    Scene::new("explored")
        .file("a.txt", "the parser\n")
        .file("b.txt", "the printer\n")
        .replies(vec![
            Reply::call("checkpoint", json!({ "goal": "where is the parser?" })),
            Reply::calls(&[("read_file", json!({ "path": "a.txt" })), ("read_file", json!({ "path": "b.txt" }))]),
            Reply::call("grep", json!({ "pattern": "parser" })),
            Reply::call("rewind", json!({ "report": "The parser is in a.txt, line 1." })),
            Reply::say("It is in a.txt."),
            Reply::call("rewind", json!({ "report": "nothing is marked" })),
            Reply::say("ok"),
        ])
        .says("find the parser")
        .says("and once more")
}

pub fn handed_over() -> Scene {
    Scene::new("handed_over")
        .file("a.txt", "alpha\n")
        .replies(vec![
            Reply::call("read_file", json!({ "path": "a.txt" })),
            Reply::say("It is alpha."),
            Reply::say("NOTES: the port is 4711, a.txt is alpha"),
            Reply::say("I know."),
        ])
        .says("the port is 4711; read it")
        .command(&["handoff", "the", "ports"])
        .says("and now?")
}

/// A copy that goes another way; the other one stays.
pub fn forked() -> Scene {
    Scene::new("forked")
        .answers(obedient)
        .says("first")
        .says("second")
        .command(&["run", "--fork", "{SESSION}", "another third"])
        .command(&["run", "--resume", "{SESSION}", "third"])
}

/// Tools that are not offered any more, and words for the end of the prompt.
pub fn tools_chosen() -> Scene {
    Scene::on("responses", "tools_chosen")
        .replies(vec![Reply::say("one"), Reply::call("ls", json!({})), Reply::say("two"), Reply::say("three")])
        .run(&["--append-system-prompt", "Speak softly.", "--tools", "ls,grep,read_file", "first"])
        .says("second")
        .run(&["--tools", "ls", "third"])
}
