//! A repository full of things that something would execute. Nothing of it runs before the user's yes, whichever way Reasonix is
//! started there; after it they run, and after a change they are asked about again. Where there is `strace`, every program that
//! is started is looked at; with `REASONIX_E2E=1` its absence is a failure.

use crate::offline::has_tracer;
use crate::support;

use reasonix_testkit::{ModelServer, Pty, Reply};
use rustix::process::{Pid, Signal, kill_process};
use serde_json::json;
use std::collections::BTreeSet;
use std::path::Path;
use std::process::Command;
use support::{Place, Ran, binary, finish};

/// What every surface executes: it leaves its name.
const MARK: &str = "mark.sh";

/// The model looks around in the ways that have programs run.
fn looks_around() -> Vec<Reply> {
    vec![
        Reply::call("bash", json!({"command": "git status --short"})),
        Reply::call("skill", json!({"name": "tidy"})),
        Reply::call("read_file", json!({"path": "a.txt"})),
        Reply::call("write_file", json!({"path": "b.txt", "content": "b\n"})),
        Reply::say("seen all of it"),
    ]
}

fn place() -> Place {
    let mut turn = Vec::new();
    let place = Place::bare(ModelServer::start_with(move |_| {
        if turn.is_empty() {
            turn = looks_around();
        }
        Some(turn.remove(0))
    }));
    place.configure("");
    fill(&place);
    place
}

fn git(place: &Place, args: &[&str]) {
    let ran = finish(place.program(Path::new("git"), args).output().unwrap());
    assert_eq!(ran.code, Some(0), "{}", ran.err);
}

/// One of every surface, each of which leaves its own name.
fn fill(place: &Place) {
    let (work, root) = (&place.work, place.work.path());
    git(place, &["init", "-q"]);
    let mark = |name: &str| format!("sh {}/{MARK} {name}", root.display());
    work.write("a.txt", "a\n");
    work.write(MARK, format!("echo \"$1\" >>{}/marks\n", root.display()));
    let server = |name: &str| json!({"command": "sh", "args": [format!("{}/{MARK}", root.display()), name]});
    work.write(".mcp.json", json!({"mcpServers": {"claudes": server("mcp-json")}}).to_string());
    let plugin =
        format!("[[plugins]]\nname = \"ours\"\ncommand = \"sh\"\nargs = [\"{}/{MARK}\", \"plugin\"]\n", root.display());
    let hook = format!("[[hooks.PreToolUse]]\ncommand = \"{}\"\n", mark("settings-hook"));
    work.write("reasonix.toml", format!("{plugin}\n{hook}"));
    for (file, name) in [(".reasonix/settings.json", "ts-hook"), (".reasonix/hooks/a.json", "folder-hook")] {
        let entry = json!([{"command": mark(name)}]);
        let hooks = json!({"PreToolUse": entry, "UserPromptSubmit": entry, "Stop": entry, "SessionStart": entry});
        work.write(file, json!({"hooks": hooks}).to_string());
    }
    let entry = json!([{"hooks": [{"type": "command", "command": mark("claude-hook")}]}]);
    let hooks = json!({"PreToolUse": entry, "PostToolUse": entry, "SessionStart": entry, "Stop": entry});
    work.write(".claude/settings.json", json!({"hooks": hooks}).to_string());
    let skill = format!("---\nname: tidy\ndescription: Tidies.\n---\nRun !`{}` first.\n", mark("skill"));
    work.write(".reasonix/skills/tidy/SKILL.md", skill);
    let command = format!("---\ndescription: Ships.\n---\n!`{}`\nShip it.\n", mark("command"));
    work.write(".reasonix/commands/ship.md", &command);
    work.write(".claude/commands/post.md", command);
    git(place, &["config", "core.fsmonitor", &mark("fsmonitor")]);
    git(place, &["config", "core.hooksPath", "githooks"]);
    work.write("githooks/post-index-change", format!("#!/bin/sh\n{}\n", mark("git-hook")));
    let hook = root.join("githooks/post-index-change");
    std::fs::set_permissions(hook, std::os::unix::fs::PermissionsExt::from_mode(0o755)).unwrap();
}

/// The names that surfaces left, and leaves none.
fn marks(place: &Place) -> BTreeSet<String> {
    let found = if place.work.exists("marks") { place.work.read("marks") } else { String::new() };
    let _ = std::fs::remove_file(place.work.join("marks"));
    found.lines().map(str::to_owned).collect()
}

/// Runs it, traced where that is possible; gives the lines of programs that are the repository's.
fn traced(place: &Place, args: &[&str]) -> (Ran, Vec<String>) {
    if !has_tracer() {
        return (place.run(args), Vec::new());
    }
    let (trace, bin) = (place.home.path().join("trace"), binary().display().to_string());
    let file = trace.display().to_string();
    let mut all = vec!["-f", "-qq", "-s", "4096", "-e", "trace=execve,execveat", "-o", &file, &bin];
    all.extend(args);
    let ran = finish(place.program(Path::new("strace"), &all).output().unwrap());
    let text = std::fs::read_to_string(&trace).unwrap();
    let own = |line: &&str| line.contains(MARK) || line.contains("githooks/");
    (ran, text.lines().filter(own).map(str::to_owned).collect())
}

/// Every way in that looks at a folder without being told to execute something of it.
const WAYS: &[&[&str]] = &[
    &["run", "look around"],
    &["run", "/ship"],
    &["run", "--mcp", "mine=sh -c true", "look around"],
    &["mcp", "list"],
    &["mcp", "list", "--json"],
    &["mcp", "show", "ours"],
    &["mcp", "test", "claudes"],
    &["doctor", "--offline"],
    &["extensions"],
    &["trust", "--show"],
    &["config", "show"],
    &["context"],
    &["sessions"],
];

#[test]
fn nothing_of_a_repository_runs_before_the_users_yes() {
    let place = place();
    for way in WAYS {
        let (ran, started) = traced(&place, way);
        assert!(ran.code.is_some_and(|code| code < 100), "{way:?}: {}", ran.err);
        assert_eq!(started, Vec::<String>::new(), "{way:?}");
        assert_eq!(marks(&place), BTreeSet::new(), "{way:?}");
    }
    assert!(place.server.request_count() > 4, "the model looked around");
    for plain in ["", "1"] {
        let pty = Pty::new(100, 30);
        let mut command: Command = place.command(&[]);
        command.env("REASONIX_PLAIN", plain);
        let mut child = pty.spawn(command);
        // Somebody is there, so they are asked; leaving is no yes.
        pty.wait_for("the question or the prompt", |written| {
            written.contains("would be executed") || written.contains("act only with your word")
        });
        kill_process(Pid::from_child(&child), Signal::TERM).unwrap();
        child.wait().unwrap();
        assert_eq!(marks(&place), BTreeSet::new(), "a terminal, plain: {plain:?}");
    }
}

/// What ran with this trust, and what was told.
fn ran_with(place: &Place, lock: &str) -> (BTreeSet<String>, String) {
    let ran = place.run(&["run", "--trust-lock", lock, "look around"]);
    assert_eq!(ran.code, Some(0), "{}\n{}", ran.out, ran.err);
    (marks(place), ran.err)
}

#[test]
fn after_the_yes_they_run_and_after_a_change_they_do_not() {
    let place = place();
    let lock = place.home.join("trust.lock").display().to_string();
    let ran = place.run(&["trust", "--lock", &lock]);
    assert_eq!(ran.code, Some(0), "{}", ran.err);
    assert_eq!(marks(&place), BTreeSet::new());
    let hooks = ["claude-hook", "folder-hook", "settings-hook", "ts-hook"];
    let all: BTreeSet<String> = hooks.into_iter().chain(["mcp-json", "plugin"]).map(str::to_owned).collect();
    assert_eq!(ran_with(&place, &lock).0, all);
    // Each of them is another thing once a byte of what it executes is another one.
    place.work.write(MARK, place.work.read(MARK) + "# changed\n");
    let (ran, told) = ran_with(&place, &lock);
    assert_eq!(ran, BTreeSet::new());
    assert!(told.contains("hook a.json") && told.contains("mcp ours"), "{told}");
}
