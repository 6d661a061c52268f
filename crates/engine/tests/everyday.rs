//! Command lines that people really use, from public documentation (`benches/everyday/lines.jsonl`): what only reads runs without
//! a question under the kernel's hold, and nothing that changes something does.

use crate::world;

use reasonix_config::{SandboxSettings, ToolchainCaches};
use reasonix_engine::{Explainer, Which};
use reasonix_gate::Outlook;
use world::{World, has_box};

#[tokio::test]
async fn everyday_readers_run_and_nothing_else_does_unasked() {
    if !has_box() {
        return;
    }
    let world = World::new(Vec::new()).await;
    world.work.write("README.md", "x");
    let mut start = world.base(Which::New);
    start.world.settings.sandbox = SandboxSettings { caches: ToolchainCaches::Session, ..SandboxSettings::default() };
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
    assert!(runs >= 464, "only {runs} lines run unasked");
}

/// Lines that do no harm, with what would happen to them in the box: they run held, or they are plain writers.
#[tokio::test]
async fn harmless_lines_run_held_and_small_changes_are_not_dangerous() {
    if !has_box() {
        return;
    }
    let world = World::new(Vec::new()).await;
    world.work.write("script.sh", "x");
    world.work.write(".git/hooks/pre-commit", "x");
    let mut start = world.base(Which::New);
    start.world.settings.sandbox = SandboxSettings { caches: ToolchainCaches::Session, ..SandboxSettings::default() };
    let boxed = Explainer::new(&start).unwrap();
    for line in [
        "cat /etc/os-release",
        "grep NAME /etc/os-release",
        "cat /proc/cpuinfo",
        "ls /usr/include",
        "ldd /bin/ls",
        "tar tf a.tar",
        "awk '$3 > 5' script.sh",
        "while read -r l; do echo \"$l\"; done < script.sh",
        "set -euo pipefail; ls",
    ] {
        let told = boxed.explain(line);
        assert!(told.verdict == Outlook::Runs && told.held, "{line}: {told:?}");
    }
    for line in
        ["cat /etc/passwd", "cat /proc/self/environ", "ls /usr/../etc", "ls /", "cat /etc/os-release /etc/passwd"]
    {
        assert_eq!(boxed.explain(line).verdict, Outlook::Asked, "{line}");
    }
    let inside = world.work.path().display().to_string();
    let dangerous = |told: &reasonix_gate::Explained| !told.dangers.is_empty();
    for (line, wanted) in [
        ("rm -f /tmp/reasonix-is-not-here", false),
        ("cd /tmp && rm -rf reasonix-is-not-here", false),
        ("rm -rf /tmp/reasonix-is-not-here/a", true),
        ("rm -rf /tmp/../reasonix-is-not-here", true),
        ("rm -rf /tmp", true),
        (&*format!("rm -rf {inside}"), true),
        ("rm -f script.sh", true),
        ("chmod +x script.sh", false),
        ("chmod 755 script.sh", false),
        ("chmod 777 script.sh", true),
        ("chmod +x .git/hooks/pre-commit", true),
        ("chmod +x /bin/ls", true),
    ] {
        let told = boxed.explain(line);
        assert_eq!((told.verdict, dangerous(&told)), (Outlook::Asked, wanted), "{line}: {told:?}");
    }
    start.world.settings.sandbox.bash = reasonix_config::BashBoxing::Off;
    let open = Explainer::new(&start).unwrap();
    for line in ["tar tf a.tar", "ls /usr/include", "set -euo pipefail; ls"] {
        assert_eq!(open.explain(line).verdict, Outlook::Asked, "{line}: nothing holds it");
    }
    assert!(dangerous(&open.explain("rm -f /tmp/reasonix-is-not-here")), "that folder is everybody's");
}
