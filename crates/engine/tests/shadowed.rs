//! Programs of the workspace that are found by their names: the question shows where they lie, and a rule for the system's
//! program of the same name does not cover them. Each test runs in a process of its own, whose `PATH` leads into the workspace.

use crate::world;

use reasonix_config::Permissions;
use reasonix_engine::{Explainer, Handle, Which};
use reasonix_gate::Outlook;
use reasonix_proto::{Asking, Choice};
use reasonix_testkit::Reply;
use serde_json::json;
use std::fs;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use world::{World, turn};

/// Where the other process finds what was made for it.
const PLACE: &str = "REASONIX_TEST_SHADOWED";

/// Runs the body in a process whose `PATH` begins with two folders of the workspace and one of the system's.
fn in_own_process(name: &str, body: impl AsyncFnOnce(&Path)) {
    if let Some(place) = std::env::var_os(PLACE) {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        return runtime.block_on(body(Path::new(&place)));
    }
    let place = tempfile::tempdir().unwrap();
    let at = place.path().canonicalize().unwrap();
    program(&at.join("system/tool"), "system");
    program(&at.join("system/python3"), "system");
    let own = ["w/bin", "w/.venv/bin", "system"].map(|folder| at.join(folder));
    let path = std::env::var_os("PATH").unwrap_or_default();
    let path = std::env::join_paths(own.into_iter().chain(std::env::split_paths(&path))).unwrap();
    let out = Command::new(std::env::current_exe().unwrap())
        .args(["--exact", &format!("shadowed::{name}"), "--nocapture", "--test-threads=1"])
        .env(PLACE, &at)
        .env("PATH", path)
        .env("VIRTUAL_ENV", at.join("w/.venv"))
        .stdin(Stdio::null())
        .output()
        .unwrap();
    let text = String::from_utf8_lossy(&out.stdout);
    assert!(out.status.success(), "{text}{}", String::from_utf8_lossy(&out.stderr));
    assert!(text.contains("1 passed"), "{text}");
}

fn program(path: &Path, says: &str) {
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    fs::write(path, format!("#!/bin/sh\necho {says}\n")).unwrap();
    fs::set_permissions(path, fs::Permissions::from_mode(0o755)).unwrap();
}

/// A workspace with these programs, which `PATH` leads into.
async fn world(place: &Path, lines: &[&str], programs: &[&str]) -> (World, PathBuf) {
    let mut replies: Vec<Reply> = lines.iter().map(|line| Reply::call("bash", json!({"command": line}))).collect();
    replies.push(Reply::say("done"));
    let world = World::new(replies).await;
    let root = world.work.path().canonicalize().unwrap();
    let _ = fs::remove_file(place.join("w"));
    symlink(&root, place.join("w")).unwrap();
    for folder in ["bin", ".venv/bin", "sub"] {
        fs::create_dir_all(root.join(folder)).unwrap();
    }
    programs.iter().for_each(|name| program(&root.join(name), "workspace"));
    (world, root)
}

fn begin(world: &World, allow: &[&str]) -> Handle {
    let allow = allow.iter().map(|rule| (*rule).to_owned()).collect();
    world.open_with(Which::New, |start| {
        start.world.settings.permissions = Permissions { allow, ..Permissions::default() };
    })
}

/// What would happen to a line.
fn outlook(world: &World, permissions: Permissions, line: &str) -> Outlook {
    let mut start = world.base(Which::New);
    start.world.settings.permissions = permissions;
    Explainer::new(&start).unwrap().explain(line).verdict
}

fn allowing(rules: &[&str]) -> Permissions {
    Permissions { allow: rules.iter().map(|rule| (*rule).to_owned()).collect(), ..Permissions::default() }
}

fn program_of(asking: &Asking) -> Option<&str> {
    asking.fields.iter().find(|field| field.name == "program").map(|field| field.value.as_str())
}

#[test]
fn a_program_that_hides_the_systems_is_asked_about_with_its_path() {
    in_own_process("a_program_that_hides_the_systems_is_asked_about_with_its_path", async |place| {
        let (world, root) = world(place, &["tool x", "tool y", "tool z"], &["bin/tool"]).await;
        let mut handle = begin(&world, &["Bash(tool:*)"]);
        let mut asked = Vec::new();
        let outcomes = turn(&mut handle, |asking| {
            asked.push((asking.subject.clone(), asking.why.code.to_string()));
            let shown = program_of(asking).unwrap();
            assert!(shown.starts_with("tool → bin/tool (≠ ") && shown.ends_with("system/tool)"), "{shown}");
            assert_eq!(asking.rules, [format!("Bash(bin/{})", asking.subject), "Bash(bin/tool:*)".to_owned()]);
            if asked.len() > 1 {
                return Choice::Deny;
            }
            Choice::AllowSession { rule: "Bash(bin/tool:*)".into() }
        })
        .await;
        assert_eq!(asked, [("tool x".to_owned(), "engine.ask_program".to_owned())]);
        assert!(outcomes.iter().all(|outcome| format!("{outcome:?}").contains("workspace")), "{outcomes:?}");
        drop(root);
    });
}

#[test]
fn a_grant_is_for_the_program_as_it_was() {
    in_own_process("a_grant_is_for_the_program_as_it_was", async |place| {
        let (world, root) = world(place, &["tool x", "echo '#' >> bin/tool", "tool y"], &["bin/tool"]).await;
        let mut handle = begin(&world, &[]);
        let mut asked = Vec::new();
        turn(&mut handle, |asking| {
            asked.push((asking.subject.clone(), asking.why.code.to_string()));
            match asked.len() {
                1 => Choice::AllowSession { rule: "Bash(bin/tool:*)".into() },
                2 => Choice::AllowOnce,
                _ => Choice::Deny,
            }
        })
        .await;
        assert!(fs::read_to_string(root.join("bin/tool")).unwrap().ends_with("#\n"));
        let asked: Vec<_> = asked.iter().map(|(line, why)| (line.as_str(), why.as_str())).collect();
        assert_eq!(
            asked,
            [
                ("tool x", "engine.ask_program"),
                ("echo '#' >> bin/tool", "engine.ask_mode"),
                ("tool y", "engine.ask_changed")
            ]
        );
    });
}

#[test]
fn one_that_hides_nothing_keeps_its_rules_and_is_shown() {
    in_own_process("one_that_hides_nothing_keeps_its_rules_and_is_shown", async |place| {
        let (world, _) = world(place, &["only x"], &[".venv/bin/only", ".venv/bin/python3"]).await;
        let mut handle = begin(&world, &[]);
        turn(&mut handle, |asking| {
            assert_eq!(asking.why.code, "engine.ask_mode");
            assert_eq!(program_of(asking), Some("only → .venv/bin/only"));
            assert_eq!(asking.rules, ["Bash(only x)", "Bash(only:*)"]);
            Choice::Deny
        })
        .await;
        assert_eq!(outlook(&world, allowing(&["Bash(only:*)"]), "only x"), Outlook::Runs);
        // The Python of an activated environment is there to be found first.
        let rule = ["Bash(python3 -m pytest:*)"];
        assert_eq!(outlook(&world, allowing(&rule), "python3 -m pytest -q"), Outlook::Runs);
        program(&world.work.path().join("bin/python3"), "workspace");
        assert_eq!(outlook(&world, allowing(&rule), "python3 -m pytest -q"), Outlook::Asked, "not the environment's");
        let path = ["Bash(bin/python3 -m pytest:*)"];
        assert_eq!(outlook(&world, allowing(&path), "python3 -m pytest -q"), Outlook::Runs);
    });
}

#[test]
fn rules_for_a_name_are_for_the_systems_program() {
    in_own_process("rules_for_a_name_are_for_the_systems_program", async |place| {
        let lines =
            ["tool x", "cd sub && tool x", "timeout 5 tool x", "tool x | cat", "ls; tool x", "tool x && tool y"];
        let (world, root) = world(place, &[], &[]).await;
        for line in lines {
            assert_eq!(outlook(&world, allowing(&["Bash(tool:*)"]), line), Outlook::Runs, "nothing is hidden: {line}");
        }
        program(&root.join("bin/tool"), "workspace");
        for line in lines {
            assert_eq!(outlook(&world, allowing(&["Bash(tool:*)"]), line), Outlook::Asked, "{line}");
            assert_eq!(outlook(&world, allowing(&[&format!("Bash({line})")]), line), Outlook::Asked, "{line}");
            // A rule with a path is for commands that stand in the root.
            let elsewhere = line.starts_with("cd ");
            let by_path = if elsewhere { Outlook::Asked } else { Outlook::Runs };
            assert_eq!(outlook(&world, allowing(&["Bash(bin/tool:*)"]), line), by_path, "{line}");
            assert_eq!(outlook(&world, allowing(&["Bash"]), line), Outlook::Runs, "every command: {line}");
            let deny = Permissions { deny: vec!["Bash(tool:*)".to_owned()], ..allowing(&["Bash(bin/tool:*)"]) };
            assert_eq!(outlook(&world, deny, line), Outlook::Refused, "{line}");
        }
        let exact = "for i in 1; do tool x; done";
        assert_eq!(outlook(&world, allowing(&[&format!("Bash({exact})")]), exact), Outlook::Asked);
        program(&root.join("bin/ls"), "workspace");
        assert_eq!(outlook(&world, allowing(&["Bash(ls:*)"]), "ls -l"), Outlook::Asked);
        assert_eq!(outlook(&world, Permissions::default(), "ls -l"), Outlook::Asked);
        program(&root.join("bin/git"), "workspace");
        assert_eq!(outlook(&world, allowing(&["Bash(git commit:*)"]), "git commit -m x"), Outlook::Asked);
        assert_eq!(outlook(&world, Permissions::default(), "git status"), Outlook::Asked);
    });
}
