//! File tools ask before they write what git or another program would run later.

use crate::world;

use reasonix_engine::Handle;
use reasonix_proto::{Choice, Event, Op, RecordBody, ToolOutcome, TurnState};
use reasonix_testkit::Reply;
use serde_json::json;
use std::process::Command;
use world::World;

/// What became of the calls of a turn, and what was asked.
#[derive(Default)]
struct Seen {
    denied: Vec<bool>,
    asked: Vec<String>,
}

async fn turn(handle: &mut Handle, choice: Choice) -> Seen {
    handle.submit(Op::Prompt { text: "go".into(), resolved: true });
    let (mut seen, mut ended) = (Seen::default(), false);
    loop {
        match handle.events.next().await.expect("the session lives").event {
            Event::Asked { asking } => {
                seen.asked.push(asking.why.code.to_string());
                let digest = Some(asking.digest.clone());
                assert!(!asking.choices.iter().any(|choice| matches!(choice, Choice::AllowSession { .. })));
                handle.submit(Op::Answer {
                    ask: asking.ask,
                    choice: choice.clone(),
                    digest,
                    words: None,
                    edited: None,
                });
            }
            Event::ToolEnded { record } => {
                if let RecordBody::Outcome { outcome, .. } = &record.body {
                    assert!(!matches!(outcome, ToolOutcome::Failed { .. }), "{outcome:?}");
                    seen.denied.push(matches!(outcome, ToolOutcome::Denied { .. }));
                }
            }
            Event::TurnEnded { .. } => ended = true,
            Event::State { state: TurnState::Idle } if ended => return seen,
            _ => {}
        }
    }
}

fn write(path: &str, content: &str) -> Reply {
    Reply::call("write_file", json!({"path": path, "content": content}))
}

fn patch(text: &str) -> Reply {
    Reply::call("apply_patch", json!({"patch": format!("*** Begin Patch\n{text}\n*** End Patch")}))
}

async fn world(mut calls: Vec<Reply>, has: &str) -> World {
    calls.push(Reply::say("done"));
    let world = World::new(calls).await;
    shell(&world, has);
    world
}

fn shell(world: &World, line: &str) {
    let script = format!("exec 2>/dev/null; {line}");
    let mut bash = Command::new("bash");
    bash.args(["-c", &script]).current_dir(world.work.path()).env("GIT_CONFIG_GLOBAL", "/dev/null");
    bash.env("GIT_AUTHOR_NAME", "x").env("GIT_AUTHOR_EMAIL", "x@x").env("GIT_COMMITTER_NAME", "x");
    let _ = bash.env("GIT_COMMITTER_EMAIL", "x@x").output().expect("bash");
}

const CONFIG: &str =
    "[core]\n\trepositoryformatversion = 0\n\tworktree = .\n\tbare = false\n\tfsmonitor = \"touch canary;:\"\n";

/// Each with what was there, and what a person does with git afterwards.
fn ways() -> Vec<(&'static str, Vec<Reply>, &'static str)> {
    let layout = || {
        vec![
            write("config", CONFIG),
            write("objects/x", "x"),
            write("refs/x", "x"),
            write("HEAD", "ref: refs/heads/main\n"),
        ]
    };
    let mut backwards = layout();
    backwards.reverse();
    let one = "*** Add File: HEAD\n+ref: refs/heads/main\n*** Add File: objects/x\n+x\n*** Add File: refs/x\n+x\n*** Add File: config\n+[core]\n+repositoryformatversion = 0\n+worktree = .\n+bare = false\n+fsmonitor = \"touch canary;:\"";
    let deep = |name: &str| format!("a/{name}");
    let inner = vec![
        write(&deep("objects/x"), "x"),
        write(&deep("refs/x"), "x"),
        write(&deep("config"), CONFIG),
        write(&deep("HEAD"), "ref: refs/heads/main\n"),
    ];
    let hooks = "git init -q .; git config core.hooksPath tools/hooks; mkdir -p tools/hooks; printf '#!/bin/sh\\ntouch canary\\n' > build.sh; chmod +x build.sh";
    let husky = "git init -q .; git config core.hooksPath .husky/_; mkdir -p .husky/_; printf '#!/bin/sh\\nsh -e .husky/pre-commit\\n' > .husky/_/pre-commit; chmod +x .husky/_/pre-commit";
    let moved = Reply::call("move_file", json!({"from": "build.sh", "to": "tools/hooks/pre-commit"}));
    let renamed = patch(
        "*** Update File: build.sh\n*** Move to: tools/hooks/pre-commit\n@@\n #!/bin/sh\n-touch canary\n+touch ./canary",
    );
    let commit = "git commit -q --allow-empty -m x";
    vec![
        ("true", layout(), "git status"),
        ("true", backwards, "git status"),
        ("true", vec![patch(one)], "git status"),
        ("true", inner, "cd a && git status; test -e canary && touch ../canary"),
        (hooks, vec![moved], commit),
        (hooks, vec![renamed], commit),
        (husky, vec![write(".husky/pre-commit", "touch canary\n")], commit),
        (
            "git init -q .; git config core.fsmonitor 'sh ./tools/mon'",
            vec![write("tools/mon", "touch canary\n")],
            "git status",
        ),
        (
            "git init -q .; git config include.path ../more",
            vec![write("more", "[core]\n\tfsmonitor = \"touch canary;:\"\n")],
            "git status",
        ),
        (
            "git init -q --separate-git-dir=store .",
            vec![write("store/config", "[core]\n\tfsmonitor = \"touch canary;:\"\n")],
            "git status",
        ),
    ]
}

#[tokio::test]
async fn c2_what_a_file_tool_would_leave_for_git_is_refused_without_a_person() {
    for (at, (has, calls, then)) in ways().into_iter().enumerate() {
        // It is a trap where a person says yes.
        let trap = world(calls, has).await;
        let mut handle = trap.open(reasonix_engine::Which::New);
        handle.submit(Op::SetPosture { posture: reasonix_proto::Posture::Yolo });
        let seen = turn(&mut handle, Choice::AllowOnce).await;
        assert!(
            seen.asked.iter().any(|why| matches!(why.as_str(), "engine.ask_later" | "engine.ask_protected")),
            "{at}: {:?}",
            seen.asked
        );
        shell(&trap, then);
        assert!(trap.work.exists("canary"), "{at}: the trap must be one");
        let (_, calls, _) = ways().swap_remove(at);
        let world = world(calls, has).await;
        let mut handle = world.open_with(reasonix_engine::Which::New, |start| start.attended = false);
        let seen = turn(&mut handle, Choice::Deny).await;
        assert!(seen.denied.contains(&true) && seen.asked.is_empty(), "{at}: {:?}", seen.denied);
        shell(&world, then);
        assert!(!world.work.exists("canary"), "{at}");
    }
}

#[tokio::test]
async fn c2_a_rule_for_the_path_that_was_approved_for_the_run_answers() {
    let calls =
        vec![write("tools/hooks/pre-commit", "x"), write("tools/hooks/pre-push", "x"), write("tools/README", "x")];
    let world = world(calls, "git init -q .; git config core.hooksPath tools/hooks").await;
    let mut handle = world.open_with(reasonix_engine::Which::New, |start| {
        start.attended = false;
        start.approve = vec!["Edit(tools/hooks/pre-commit)".into()];
    });
    assert_eq!(turn(&mut handle, Choice::Deny).await.denied, [false, true, false]);
}
