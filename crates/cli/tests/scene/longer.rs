//! Limits: windows that fill up, steps and money that run out, outputs that are too long, endpoints that fail.

use super::Scene;
use reasonix_testkit::{Recorded, Reply};
use serde_json::json;

const TOO_LONG: &str = r#"{"error":{"message":"This model's maximum context length is exceeded","code":"context_length_exceeded","type":"invalid_request_error"}}"#;

/// A model that makes this many calls with long outputs and says how full the window is: so much at first, so much more a
/// step, and half of it when a request shows that it was folded. Asked for notes it writes them, or fails to.
fn filling(steps: usize, notes: bool) -> impl FnMut(&Recorded) -> Option<Reply> + Send + 'static {
    let (mut step, mut used) = (0, 2_000);
    let mut messages = 0;
    move |request| {
        if request.last_content().contains("The context is nearly full") {
            return Some(if notes { Reply::say("NOTES: half of it is done") } else { Reply::fail(400, "no") });
        }
        let now = request.messages().len();
        used = if now < messages { 3_000 } else { used + 700 };
        messages = now;
        step += 1;
        let reply = if step % (steps + 1) == 0 {
            Reply::say("all done")
        } else {
            let command = format!("echo step {step}; yes 'a long line of output' | head -n 40");
            Reply::call("bash", json!({ "command": command }))
        };
        Some(reply.with_usage(used, 10, 0))
    }
}

/// Old outputs go first.
pub fn pruned() -> Scene {
    Scene::new("pruned").window(8_000).answers(filling(9, true)).says("Fix it. The port must be 48213.").says("and?")
}

const UNPRUNED: &str = "[compaction]\nprune = false\n";

pub fn folded_by_the_model() -> Scene {
    Scene::new("folded_by_the_model")
        .window(8_000)
        .settings(UNPRUNED)
        .answers(filling(9, true))
        .says("Keep 48213.")
        .says("and?")
}

pub fn folded_by_the_log() -> Scene {
    Scene::on("anthropic", "folded_by_the_log")
        .window(8_000)
        .settings(UNPRUNED)
        .answers(filling(9, false))
        .says("Keep 48213.")
        .says("and?")
}

pub fn folded_by_hand() -> Scene {
    Scene::on("responses", "folded_by_hand")
        .replies(vec![
            Reply::say("one"),
            Reply::call(
                "todo_write",
                json!({ "ops": [{ "op": "init", "list": [{ "phase": "p", "items": ["t1", "t2"] }] }] }),
            ),
            Reply::say("two"),
            Reply::say("NOTES: the ports"),
            Reply::say("three"),
            Reply::say("NOTES: again"),
            Reply::say("four"),
        ])
        .says("the port is 4711")
        .says("second")
        .run(&["--compact=keep all ports"])
        .says("third")
        .run(&["--compact", "fourth"])
}

/// The endpoint takes less than was said.
pub fn overflowed() -> Scene {
    let mut asked = 0;
    Scene::new("overflowed")
        .answers(move |request| {
            if request.last_content().contains("The context is nearly full") {
                return Some(Reply::say("NOTES: it was too long"));
            }
            asked += 1;
            let command = format!("echo {asked}; yes 'a long line' | head -n 500");
            let reply = match asked {
                1..=7 => Reply::call("bash", json!({ "command": command })),
                8 => return Some(Reply::fail(400, TOO_LONG)),
                _ => Reply::say("all done"),
            };
            Some(reply.with_usage(3_000 + asked * 1_500, 10, 0))
        })
        .says("Keep this: 48213.")
        .says("and now?")
}

/// At the limit the tools stay in the request and may not be called.
pub fn step_limit() -> Scene {
    Scene::new("step_limit")
        .replies(vec![
            Reply::call("ls", json!({})),
            Reply::call("bash", json!({ "command": "echo two" })),
            Reply::say("so far"),
            Reply::say("more"),
        ])
        .ends(5, &["run", "--max-steps", "2", "go"])
        .says("go on")
}

pub fn out_of_budget() -> Scene {
    let mut made = 0;
    Scene::new("out_of_budget")
        .provider("price = { input = 1000.0, cached_input = 100.0, output = 2000.0 }\n")
        .answers(move |_| {
            made += 1;
            Some(Reply::call("bash", json!({ "command": format!("echo {made}") })).with_usage(1000, 100, 800))
        })
        .ends(5, &["run", "--max-cost", "1.00", "work"])
        .ends(5, &["run", "--continue", "--max-tokens", "2k", "more"])
}

/// What is cut says where the rest is, and the rest can be read.
pub fn long_outputs() -> Scene {
    let mut asked = 0;
    Scene::new("long_outputs")
        .window(20_000)
        .file("long.txt", (0..900).map(|line| format!("line {line} of a long file\n")).collect::<String>())
        .answers(move |request| {
            asked += 1;
            Some(match asked {
                1 => Reply::calls(&[
                    ("bash", json!({ "command": "seq 1 9000" })),
                    ("read_file", json!({ "path": "long.txt", "offset": 800, "limit": 5 })),
                ]),
                2 => {
                    let text = request.body.to_string();
                    let uri = text.split("artifact://").nth(1).and_then(|rest| rest.split(['\\', '"']).next());
                    let path = format!("artifact://{}", uri.expect("the place of the rest"));
                    Reply::call("read_file", json!({ "path": path, "offset": 4000, "limit": 3 }))
                }
                _ => Reply::say("seen"),
            })
        })
        .says("count")
        .says("and?")
}

/// Another model answers in place of one that is busy.
pub fn failed_and_fallen_back() -> Scene {
    Scene::new("failed_and_fallen_back")
        .top("fallback_models = [\"mock/m2\"]\n")
        .answers(|request| {
            let (first, calls) = (request.body["model"] == "m1", request.last_content() == "call");
            Some(match (first, calls) {
                (true, _) => Reply::fail(503, "busy"),
                (_, true) => Reply::call("ls", json!({})),
                _ => Reply::say("in its place"),
            })
        })
        .says("hello")
        .says("call")
}

/// The last rung: nothing of it is taken any more, and a new session knows what was said.
pub fn another_session() -> Scene {
    let mut asked = 0;
    Scene::new("another_session")
        .window(16_000)
        .answers(move |request| {
            asked += 1;
            let refuses = asked > 1 && !request.body.to_string().contains("go on then");
            Some(if refuses { Reply::fail(400, TOO_LONG) } else { Reply::say("fine") })
        })
        .says("Keep this: 48213.")
        .ends(4, &["run", "--continue", "and then this: 5077"])
        .says("go on then")
}
