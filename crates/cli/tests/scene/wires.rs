//! What differs from wire to wire: calls and their outcomes, reasoning, pictures, names of models.

use super::Scene;
use reasonix_testkit::Reply;
use serde_json::json;

/// The smallest picture that is one.
const DOT: &[u8] = b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR\0\0\0\x02\0\0\0\x03\x08\x06\0\0\0\x1f\x15\xc4\x89";

const CODE: &str = "fn main() {\n    let total = 1;\n    println!(\"{total}\");\n}\n";

/// Calls of every kind: one alone, several at once, some that fail.
fn tools(kind: &'static str, name: &'static str) -> Scene {
    Scene::on(kind, name)
        .file("src/main.rs", CODE)
        .file("notes.txt", "one\ntwo\n三\n")
        .replies(vec![
            Reply::say("Hello. \"Quoted\", 你好, and a tab:\t."),
            Reply::call("read_file", json!({ "path": "src/main.rs" })).after_saying("I look at it."),
            Reply::calls(&[
                ("grep", json!({ "pattern": "total", "path": "src" })),
                ("ls", json!({ "path": "src" })),
                ("glob", json!({ "pattern": "**/*.txt" })),
            ]),
            Reply::call("edit_file", json!({ "path": "src/main.rs", "old_string": "= 1", "new_string": "= 2" })),
            Reply::calls(&[
                ("bash", json!({ "command": "cat notes.txt; echo to stderr >&2; exit 3" })),
                ("write_file", json!({ "path": "made/new.txt", "content": "new\n" })),
            ]),
            Reply::calls(&[
                ("read_file", json!({ "path": "missing.rs" })),
                ("edit_file", json!({ "path": "src/main.rs", "old_string": "nowhere", "new_string": "x" })),
            ]),
            Reply::say("Done."),
            Reply::say("You are welcome."),
        ])
        .says("hello")
        .says("make the total two")
        .says("thanks")
}

pub fn chat_tools() -> Scene {
    tools("openai", "chat_tools")
}

pub fn responses_tools() -> Scene {
    tools("responses", "responses_tools")
}

pub fn anthropic_tools() -> Scene {
    tools("anthropic", "anthropic_tools")
}

/// A call as text, for endpoints without calls of their own.
fn in_words(calls: &[(&str, serde_json::Value)]) -> Reply {
    let one = |(name, arguments): &(&str, serde_json::Value)| {
        let call = json!({ "name": name, "arguments": arguments });
        format!("<tool_call>\n{call}\n</tool_call>")
    };
    Reply::say(&format!("I look.\n{}", calls.iter().map(one).collect::<Vec<_>>().join("\n")))
}

pub fn text_tools() -> Scene {
    Scene::new("text_tools")
        .provider("tool_calls = \"text\"\n")
        .file("a.txt", "alpha\nbeta\n")
        .replies(vec![
            in_words(&[("read_file", json!({ "path": "a.txt" }))]),
            in_words(&[("grep", json!({ "pattern": "beta" })), ("ls", json!({}))]),
            in_words(&[("edit_file", json!({ "path": "a.txt", "old_string": "alpha", "new_string": "ALPHA" }))]),
            in_words(&[("bash", json!({ "command": "cat a.txt; exit 1" }))]),
            in_words(&[("read_file", json!({ "path": "missing" }))]),
            Reply::say("Done."),
            Reply::say("Welcome."),
        ])
        .says("do it")
        .says("thanks")
}

/// Arguments that are no JSON, tools that are not there, names of other programs, the same call again and again.
pub fn chat_garbled() -> Scene {
    Scene::new("chat_garbled")
        .file("a.txt", "alpha\n")
        .replies(vec![
            Reply::raw_calls(&[
                ("nosuch", "{}"),
                ("read_file", "{'path': 'a.txt',}"),
                ("Read", "{\"file_path\":\"a.txt\"}"),
            ]),
            Reply::raw_calls(&[("read_file", "{\"path\": \"a.t"), ("bash", "not json at all")]),
            Reply::raw_calls(&[("read_file", ""), ("bad name!", "[1]")]),
            Reply::say("Let me look.\n<tool_call>\n{\"name\": \"ls\", \"arguments\": {}}\n</tool_call>"),
            Reply::call("ls", json!({ "path": "." })),
            Reply::call("ls", json!({ "path": "." })),
            Reply::call("ls", json!({ "path": "." })),
            Reply::call("ls", json!({ "path": "." })),
            Reply::say("I give up."),
        ])
        .says("read it")
}

pub fn text_garbled() -> Scene {
    Scene::new("text_garbled")
        .provider("tool_calls = \"text\"\n")
        .file("a.txt", "alpha\n")
        .replies(vec![
            Reply::say("<tool_call>\n{'name': 'read_file', 'arguments': {'path': 'a.txt'}}\n</tool_call>"),
            Reply::say("<function=read_file>\n<parameter=path>a.txt</parameter>\n</function>"),
            Reply::say("```json\n{\"name\": \"nosuch\", \"arguments\": {}}\n```"),
            Reply::say("Done."),
            Reply::say("Welcome."),
            Reply::say("Welcome again."),
        ])
        .says("read it")
        .says("thanks")
}

fn reasoning(kind: &'static str, name: &'static str) -> Scene {
    Scene::on(kind, name)
        .provider("reasoning_effort = \"high\"\n")
        .file("a.txt", "alpha\n")
        .replies(vec![
            Reply::call("read_file", json!({ "path": "a.txt" })).after_thinking("What is in it? 想一想"),
            Reply::say("Alpha.").after_thinking("It is alpha."),
            Reply::say("Still.").after_thinking("Nothing changed."),
        ])
        .says("what is in it?")
        .says("and now?")
}

pub fn chat_reasoning() -> Scene {
    reasoning("openai", "chat_reasoning")
}

pub fn chat_reasoning_kept() -> Scene {
    reasoning("openai", "chat_reasoning_kept")
        .provider("compat = { reasoning_back = \"always\", tool_ids = \"nine\" }\n")
}

pub fn responses_reasoning() -> Scene {
    reasoning("responses", "responses_reasoning")
}

pub fn anthropic_reasoning() -> Scene {
    reasoning("anthropic", "anthropic_reasoning")
}

fn pictures(kind: &'static str, name: &'static str) -> Scene {
    Scene::on(kind, name)
        .pictures()
        .file("shot.png", DOT)
        .replies(vec![Reply::say("A dot."), Reply::say("Two dots.")])
        .says("what is @shot.png")
        .says("compare @shot.png with @shot.png")
}

const EYES: &str = "[[models]]\nid = \"mock/m1\"\nvision = true\n";

pub fn chat_pictures() -> Scene {
    pictures("openai", "chat_pictures").settings(EYES)
}

pub fn responses_pictures() -> Scene {
    pictures("responses", "responses_pictures").settings(EYES)
}

pub fn anthropic_pictures() -> Scene {
    pictures("anthropic", "anthropic_pictures").settings(EYES)
}

/// A model that cannot see is told what there would be to see.
pub fn blind_pictures() -> Scene {
    pictures("openai", "blind_pictures").settings("[[models]]\nid = \"mock/m1\"\nvision = false\n")
}

/// Edits as blocks in the text of an answer.
pub fn edit_blocks() -> Scene {
    let block = |old: &str, new: &str| {
        Reply::say(&format!("I change it.\n\na.txt\n<<<<<<< SEARCH\n{old}\n=======\n{new}\n>>>>>>> REPLACE\n"))
    };
    Scene::new("edit_blocks")
        .settings("[tools]\nedit = \"blocks\"\n")
        .file("a.txt", "alpha\nbeta\n")
        .replies(vec![
            Reply::call("read_file", json!({ "path": "a.txt" })),
            block("alpha", "ALPHA"),
            block("nowhere", "x"),
            Reply::say("Done."),
        ])
        .says("make it loud")
}

/// The session goes on with another model, and comes back; each has its own effort and key of the cache.
pub fn another_model() -> Scene {
    Scene::new("another_model")
        .provider("compat = { cache_key = true, reasoning_back = \"always\" }\n")
        .settings("[[models]]\nid = \"mock/m2\"\nefforts = [\"low\", \"high\"]\n")
        .file("a.txt", "alpha\n")
        .replies(vec![
            Reply::call("read_file", json!({ "path": "a.txt" })).after_thinking("read first"),
            Reply::say("one").after_thinking("mine"),
            Reply::say("two").after_thinking("another's"),
            Reply::say("three"),
        ])
        .says("first")
        .run(&["--model", "mock/m2:high", "second"])
        .run(&["--model", "mock/m1", "third"])
}
