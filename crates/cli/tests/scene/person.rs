//! What a person says, allows, refuses and decides, and what they wrote down before.

use super::{Scene, line, until};
use reasonix_testkit::Reply;
use serde_json::json;

pub fn references() -> Scene {
    Scene::new("references")
        .file("src/main.rs", "fn main() {}\n")
        .file("src/lib.rs", "pub fn lib() {}\n")
        .file("with space.txt", "a </file> in it\n")
        .replies(vec![Reply::say("ok"), Reply::say("ok")])
        .says("explain @src/main.rs, ask @nobody and me@example.org, list @src")
        .says("and @\"with space.txt\" or @src/lib.rs")
}

pub fn standard_input() -> Scene {
    Scene::on("anthropic", "standard_input")
        .replies(vec![Reply::say("ok"), Reply::say("ok")])
        .piped(&["review this"], "diff --git a b\n+new\n")
        .piped(&["-"], "only this")
}

/// What stands in files is in the prompt, and facts can be read.
pub fn rules_and_memory() -> Scene {
    Scene::new("rules_and_memory")
        .file("AGENTS.md", "Always use tabs.\n")
        .file("reasonix.toml", "instructions = [\"docs/style.md\"]\n")
        .file("docs/style.md", "Short sentences.\n")
        .replies(vec![
            Reply::calls(&[("memory", json!({ "name": "build-command" })), ("memory", json!({ "query": "brief" }))]),
            Reply::call("memory", json!({ "name": "nothing" })),
            Reply::say("I see"),
            Reply::say("yes"),
        ])
        .command(&["memory", "add", "build-command", "use ninja", "--description", "how to build"])
        .command(&["memory", "add", "--global", "tone", "be brief"])
        .says("what do you know?")
        .says("and now?")
}

/// A person is asked about each fact.
pub fn remembered() -> Scene {
    let remember = |text: &str| {
        let source = "the port is 4711";
        Reply::call("remember", json!({ "name": "port", "text": text, "description": "the port", "source": source }))
    };
    Scene::new("remembered")
        .replies(vec![
            remember("The port is 4711."),
            Reply::say("Answer one."),
            remember("The port is secret."),
            Reply::say("Answer two."),
        ])
        .chat(vec![
            until("the port is 4711, remember it", "allow? [y/n]"),
            line("y", "Answer one."),
            until("and that it is secret", "allow? [y/n]"),
            line("n", "Answer two."),
        ])
}

pub fn todo() -> Scene {
    let write = |ops: serde_json::Value| Reply::call("todo_write", json!({ "ops": ops }));
    Scene::new("todo")
        .replies(vec![
            write(json!([{ "op": "init", "list": [{ "phase": "Build", "items": ["walls", "roof"] }] }])),
            write(json!([{ "op": "start", "task": "walls" }, { "op": "note", "task": "walls", "text": "of stone" }])),
            Reply::calls(&[
                ("todo_read", json!({})),
                ("todo_write", json!({ "ops": [{ "op": "done", "task": "cellar" }] })),
            ]),
            Reply::say("begun"),
            write(json!([{ "op": "done", "task": "walls" }, { "op": "append", "phase": "Build", "items": ["door"] }])),
            Reply::say("going on"),
        ])
        .says("build a house")
        .says("go on")
}

/// Rules that deny, and nobody there to ask.
pub fn refused() -> Scene {
    Scene::new("refused")
        .settings(
            "[permissions]\nmode = \"ask\"\ndeny = [\"Bash(touch:*)\", \"Edit(secret/**)\", \"Read(secret/**)\"]\n",
        )
        .file("secret/key", "hidden\n")
        .replies(vec![
            Reply::calls(&[
                ("bash", json!({ "command": "touch x" })),
                ("write_file", json!({ "path": "secret/key", "content": "x" })),
                ("read_file", json!({ "path": "secret/key" })),
                ("read_file", json!({ "path": "../outside" })),
                ("bash", json!({ "command": "rm -rf ." })),
            ]),
            Reply::say("I may not."),
            Reply::say("Still not."),
        ])
        .says("go")
        .says("and now?")
}

/// Plan mode on, a plan that is sent back, one that is approved, and the work.
pub fn plan_mode() -> Scene {
    Scene::new("plan_mode")
        .file("a.txt", "alpha\n")
        .replies(vec![
            Reply::say("Answer zero."),
            Reply::calls(&[
                ("read_file", json!({ "path": "a.txt" })),
                ("write_file", json!({ "path": "a.txt", "content": "too early" })),
            ]),
            Reply::call("submit_plan", json!({ "plan": "# First plan\n\n1. Write it\n" })),
            Reply::call("submit_plan", json!({ "plan": "# Second plan\n\n1. Write it twice\n" })),
            Reply::call("write_file", json!({ "path": "a.txt", "content": "written\n" })),
            Reply::say("Answer one."),
            Reply::say("Answer two."),
            Reply::say("Answer three."),
            Reply::say("Answer four."),
        ])
        .chat(vec![
            line("hello", "Answer zero."),
            line("/plan", "plan mode is on"),
            until("write it", "answer> "),
            line("do it twice", "# Second plan"),
            line("y", "Answer one."),
            line("/plan", "plan mode is on"),
            line("think about it", "Answer two."),
            line("/plan", "plan mode is off"),
            line("and now?", "Answer three."),
            line("/plan", "plan mode is on"),
            line("think again", "Answer four."),
        ])
}

/// A plan that is not approved: planning goes on, in another process too.
pub fn plan_refused() -> Scene {
    Scene::on("anthropic", "plan_refused")
        .replies(vec![
            Reply::call("submit_plan", json!({ "plan": "# A plan\n" })),
            Reply::say("Answer one."),
            Reply::say("Answer two."),
        ])
        .chat(vec![line("/plan", "plan mode is on"), until("plan it", "answer> "), line("n", "Answer one.")])
        .chat(vec![line("go on", "Answer two.")])
}

pub fn questions() -> Scene {
    let options = json!([{ "label": "Bakery" }, { "label": "Butcher" }]);
    Scene::on("responses", "questions")
        .replies(vec![
            Reply::call("ask", json!({ "questions": [{ "question": "Which shop?", "options": options }] })),
            Reply::say("Answer one."),
            Reply::call("ask", json!({ "questions": [{ "question": "Which colour?", "options": options }] })),
            Reply::say("Answer two."),
        ])
        .chat(vec![
            until("ask me", "answer> "),
            line("2", "Answer one."),
            until("ask again", "answer> "),
            line("rather something blue", "Answer two."),
        ])
}

/// Commands of one's own, which the model sees or does not.
pub fn shell_lines() -> Scene {
    Scene::new("shell_lines")
        .replies(vec![Reply::say("Answer one."), Reply::say("Answer two.")])
        .chat(vec![
            until("!echo seen; exit 2", "> "),
            until("!!echo hidden", "> "),
            line("what was that?", "Answer one."),
            until("!echo later", "> "),
        ])
        .says("and that?")
}

pub fn escalated_by_hand() -> Scene {
    Scene::new("escalated_by_hand")
        .settings("[agent]\nescalation_model = \"mock/m2\"\nauto_escalate = false\n")
        .replies(vec![
            Reply::say("Answer one."),
            Reply::call("ls", json!({})),
            Reply::say("Answer two."),
            Reply::say("Answer three."),
        ])
        .chat(vec![
            line("easy", "Answer one."),
            until("/pro on", "> "),
            line("hard", "Answer two."),
            line("easy again", "Answer three."),
        ])
}

/// At the model's own wish, and after three failures.
pub fn escalated_by_itself() -> Scene {
    let edit = |text: &str| Reply::call("edit_file", json!({ "path": "a.txt", "old_string": text, "new_string": "y" }));
    Scene::new("escalated_by_itself")
        .settings("[agent]\nescalation_model = \"mock/m2\"\n")
        .file("a.txt", "alpha\n")
        .replies(vec![
            Reply::say("<<<NEEDS_PRO: a hard proof>>>"),
            Reply::say("solved"),
            Reply::call("read_file", json!({ "path": "a.txt" })),
            edit("no 1"),
            edit("no 2"),
            edit("no 3"),
            Reply::say("done"),
            Reply::say("next"),
        ])
        .says("prove it")
        .says("change it")
        .says("and now?")
}

/// Two models: one looks around and plans each turn, the other works.
pub fn planner() -> Scene {
    let mut planned = 0;
    Scene::new("planner")
        .settings("[agent]\nplanner_model = \"mock/m2\"\n")
        .file("a.txt", "alpha\n")
        .answers(move |request| {
            let (plans, called) = (request.body["model"] == "m2", request.messages().last()?["role"] == "tool");
            planned += usize::from(plans && called);
            Some(match (plans, called) {
                (true, false) => Reply::call("read_file", json!({ "path": "a.txt" })),
                (true, true) => Reply::say(&format!("Plan {planned}: write it down.")),
                (false, false) => Reply::call("write_file", json!({ "path": "b.txt", "content": "beta\n" })),
                (false, true) => Reply::say("worked"),
            })
        })
        .says("do the first thing")
        .says("do the second thing")
}

/// A model of its own for plan mode.
pub fn role_of_plan_mode() -> Scene {
    Scene::new("role_of_plan_mode")
        .settings("[roles]\nplan = \"mock/m2\"\n")
        .replies(vec![
            Reply::call("submit_plan", json!({ "plan": "# The plan\n" })),
            Reply::call("ls", json!({})),
            Reply::say("Answer one."),
            Reply::say("Answer two."),
        ])
        .chat(vec![
            line("/plan", "plan mode is on"),
            until("plan it", "answer> "),
            line("a", "Answer one."),
            line("go on", "Answer two."),
        ])
}

pub fn output_schema() -> Scene {
    let schema = json!({ "type": "object", "required": ["n"], "properties": { "n": { "type": "integer" } } });
    Scene::new("output_schema")
        .file("s.json", schema.to_string())
        .replies(vec![Reply::say("no idea"), Reply::say("```json\n{\"n\": \"x\"}\n```"), Reply::say("{\"n\": 4}")])
        .run(&["--output-schema", "s.json", "count"])
}
