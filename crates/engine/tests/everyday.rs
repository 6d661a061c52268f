//! Command lines that people really use, from public documentation (`benches/everyday/lines.jsonl`): what only reads runs without
//! a question under the kernel's hold, and nothing that changes something does.

use crate::world;

use reasonix_config::{Caches, Sandbox};
use reasonix_engine::{Explainer, Outlook, Which};
use world::{World, has_box};

#[tokio::test]
async fn everyday_readers_run_and_nothing_else_does_unasked() {
    if !has_box() {
        return;
    }
    let world = World::new(Vec::new()).await;
    world.work.write("README.md", "x");
    let mut start = world.base(Which::New);
    start.world.settings.sandbox = Sandbox { caches: Caches::Session, ..Sandbox::default() };
    let explainer = Explainer::new(&start).unwrap();
    let (mut runs, mut asked) = (0, 0);
    for entry in include_str!("../../../benches/everyday/lines.jsonl").lines() {
        let entry: serde_json::Value = serde_json::from_str(entry).unwrap();
        let (line, kind) = (entry["line"].as_str().unwrap(), entry["kind"].as_str().unwrap());
        let told = explainer.explain(line);
        match told.verdict {
            Outlook::Runs => {
                assert!(told.held, "it runs unasked and nothing holds it: {line}");
                assert!(matches!(kind, "read" | "build"), "{kind}: {line}");
                runs += 1;
            }
            _ => asked += usize::from(kind == "read"),
        }
    }
    println!("{runs} lines run unasked; {asked} that only read are asked about");
    assert!(runs >= 440, "only {runs} lines run unasked");
}
