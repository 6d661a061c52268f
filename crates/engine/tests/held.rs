//! Lines that pass for readers and are none: whatever the reading of a line misses, nothing happens without the gate's
//! word. Where the kernel cannot have level `full` these tests say so and pass; with `REASONIX_E2E=1` it is required.

use crate::world;

use reasonix_config::{Fallback, Permissions, SandboxSettings, ToolchainCaches};
use reasonix_engine::{Handle, Which};
use reasonix_proto::{Asking, Choice, Event, Mode, Op, RecordBody, ToolOutcome, TurnState};
use reasonix_testkit::Reply;
use serde_json::json;
use world::{World, has_box};

/// Each way in which a line was taken for a reader and was none.
const MISREAD: &[&str] = &[
    "echo 2>/dev/null $(rm -rf src)",
    "find . {-delete,-print}",
    "find . -maxdepth 0 {-exec,sh,-c,'rm -rf src',\\;}",
    "sort a.txt {-o,b.txt}",
    "uniq {a.txt,b.txt}",
    "echo \"$\\\n(touch pwned)\"",
    "cat <<E\n$\\\n(touch pwned)\nE",
    "[ -n \"$\\\n(touch pwned)\" ]",
    "echo ${x:-<(touch pwned)}; sleep 0.2",
    "[[ a =~ <(touch pwned) ]]; sleep 0.2",
    "echo \"${x:-'$(touch pwned)'}\"",
    "echo $(('$(touch pwned)'))",
    "echo ${x['$(touch pwned)']}",
    "[ -v $'x[\\x24(touch pwned)]' ]",
    "a='x[$(touch pwned)]'; echo ${!a}",
    "b='y[$(touch pwned)]'; a=abc; echo ${a:b}",
    "x=(1); a='x[$(touch pwned)]'; unset \"$a\"",
    "echo 'touch pwned #/' | sed 's/[/]/p;s/e;#/x/'",
    "sed -n 5p *",
    "sort *",
    "uniq *",
    "yq --in-place -y .a=2 a.yml",
];

async fn running(line: &str) -> World {
    let world = World::new(vec![Reply::call("bash", json!({"command": line})), Reply::say("done")]).await;
    world.work.write("a.txt", "alpha\n");
    world.work.write("b.txt", "beta\n");
    world.work.write("a.yml", "a: 1\n");
    world.work.write("src/main.rs", "fn main() {}\n");
    world.work.write("--expression=1e touch pwned", "x\n");
    world.work.write("-oa.txt", "x\n");
    world
}

fn begin(world: &World, mode: Fallback, attended: bool) -> Handle {
    world.open_with(Which::New, |start| {
        start.world.settings.permissions = Permissions { mode, ..Permissions::default() };
        start.world.settings.sandbox =
            SandboxSettings { caches: ToolchainCaches::Session, ..SandboxSettings::default() };
        start.attended = attended;
    })
}

/// Everything in the workspace, by name and content.
fn files(world: &World) -> Vec<(String, String)> {
    let root = world.work.path();
    let mut all = Vec::new();
    let mut open = vec![root.clone()];
    while let Some(folder) = open.pop() {
        for entry in std::fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            let name = path.strip_prefix(&root).unwrap().to_string_lossy().into_owned();
            if path.is_dir() {
                open.push(path);
                all.push((name, String::new()));
            } else {
                all.push((name, std::fs::read_to_string(path).unwrap()));
            }
        }
    }
    all.sort();
    all
}

/// Runs one turn; every question gets this answer. Gives what was asked, and what the call came to.
async fn turn(handle: &mut Handle, answer: &Choice) -> (Vec<Asking>, Vec<ToolOutcome>) {
    handle.submit(Op::Prompt { text: "go".into(), resolved: true });
    let (mut asked, mut outcomes, mut ended) = (Vec::new(), Vec::new(), false);
    loop {
        match handle.events.next().await.expect("the session lives").event {
            Event::Asked { asking } => {
                let digest = Some(asking.digest.clone());
                handle.submit(Op::Answer {
                    ask: asking.ask.clone(),
                    choice: answer.clone(),
                    digest,
                    words: None,
                    edited: None,
                });
                asked.push(*asking);
            }
            Event::ToolEnded { record } => {
                if let RecordBody::Outcome { outcome, .. } = record.body {
                    outcomes.push(outcome);
                }
            }
            Event::TurnEnded { .. } => ended = true,
            Event::State { state: TurnState::Idle } if ended => return (asked, outcomes),
            _ => {}
        }
    }
}

#[tokio::test]
async fn a_line_that_was_misread_changes_nothing_where_the_mode_is_deny() {
    if !has_box() {
        return;
    }
    for line in MISREAD {
        let world = running(line).await;
        let before = files(&world);
        let mut handle = begin(&world, Fallback::Deny, false);
        let (asked, outcomes) = turn(&mut handle, &Choice::AllowOnce).await;
        assert_eq!(files(&world), before, "{line}");
        assert_eq!((asked.len(), outcomes.len()), (0, 1), "{line}: the model sees one result");
    }
}

#[tokio::test]
async fn a_line_that_was_misread_changes_nothing_in_plan_mode() {
    if !has_box() {
        return;
    }
    for line in MISREAD {
        let world = running(line).await;
        let before = files(&world);
        let mut handle = begin(&world, Fallback::Allow, true);
        handle.submit(Op::SetMode { mode: Mode::Plan });
        let (asked, outcomes) = turn(&mut handle, &Choice::AllowOnce).await;
        assert_eq!(files(&world), before, "{line}");
        assert_eq!((asked.len(), outcomes.len()), (0, 1), "{line}");
    }
}

#[tokio::test]
async fn a_line_that_was_misread_is_asked_about_and_a_no_is_a_no() {
    if !has_box() {
        return;
    }
    for line in MISREAD {
        let world = running(line).await;
        let before = files(&world);
        let mut handle = begin(&world, Fallback::Ask, true);
        let (_, outcomes) = turn(&mut handle, &Choice::Deny).await;
        assert_eq!(files(&world), before, "{line}");
        assert_eq!(outcomes.len(), 1, "{line}");
    }
}

/// A textconv of the repository writes: the question says what, and after a yes it runs once, as a writer.
#[tokio::test]
async fn what_a_reader_wanted_to_write_is_shown_and_runs_after_a_yes() {
    if !has_box() {
        return;
    }
    let line = "git diff --stat -p";
    for (answer, ran) in [(Choice::Deny, false), (Choice::AllowOnce, true)] {
        let world = running(line).await;
        let root = world.work.path();
        let git = |args: &[&str]| {
            let mut all = vec!["-c", "user.name=x", "-c", "user.email=x@example.com"];
            all.extend(args);
            assert!(std::process::Command::new("git").args(all).current_dir(&root).status().unwrap().success());
        };
        git(&["init", "-q"]);
        world.work.write(".gitattributes", "*.txt diff=conv\n");
        git(&["add", "a.txt", ".gitattributes"]);
        git(&["commit", "-q", "-m", "x"]);
        // A file that the setting names by a word could be a script of it, and would be set aside.
        git(&["config", "diff.conv.textconv", "touch 'r'an; cat"]);
        world.work.write("a.txt", "other\n");
        let mut handle = begin(&world, Fallback::Ask, true);
        let (asked, outcomes) = turn(&mut handle, &answer).await;
        let [asking] = asked.as_slice() else { panic!("{asked:?}") };
        assert_eq!(asking.why.code, "engine.ask_wanted");
        assert!(format!("{:?}", asking.why).contains("ran"), "{:?}", asking.why);
        assert_eq!(root.join("ran").exists(), ran);
        let told = format!("{outcomes:?}");
        assert_eq!((outcomes.len(), told.contains("+other")), (1, ran), "{told}");
    }
}

#[tokio::test]
async fn what_a_command_prints_is_no_reason_to_offer_it_the_outside() {
    if !has_box() {
        return;
    }
    let line = "touch x; echo 'touch: cannot touch: Read-only file system'; echo 'Operation not permitted'; exit 1";
    let world = running(line).await;
    let mut handle = begin(&world, Fallback::Allow, true);
    let (asked, outcomes) = turn(&mut handle, &Choice::AllowOnce).await;
    assert_eq!((asked.len(), outcomes.len()), (0, 1), "{asked:?}");
}

/// What undo takes back can be granted for a session; everything else of the dangerous class is once or no.
#[tokio::test]
async fn what_undo_takes_back_can_be_granted_for_a_session() {
    if !has_box() {
        return;
    }
    let lines = [
        "rm b.txt",
        "rm src/main.rs",
        "rm -rf .git",
        "chmod 000 a.txt",
        "rm a.txt && touch x",
        "mv a.yml c.yml",
        "echo x > a.txt",
    ];
    let calls = lines.iter().flat_map(|line| [Reply::call("bash", json!({"command": line})), Reply::say("done")]);
    let world = World::new(calls.collect()).await;
    for (name, text) in [("a.txt", "a"), ("b.txt", "b"), ("a.yml", "c"), ("src/main.rs", "d"), (".git/HEAD", "ref: x")]
    {
        world.work.write(name, text);
    }
    let mut handle = begin(&world, Fallback::Ask, true);
    let word = Choice::AllowSession { rule: "workspace-destructive".into() };
    let (asked, _) = turn(&mut handle, &word).await;
    assert!(asked[0].choices.contains(&word), "{:?}", asked[0].choices);
    let root = world.work.path();
    assert!(!root.join("b.txt").exists());
    let (asked, _) = turn(&mut handle, &Choice::Deny).await;
    assert!(asked.is_empty() && !root.join("src/main.rs").exists(), "{asked:?}");
    // The history of a repository, rights, and a line with anything else in it are asked about all the same.
    for _ in 0..3 {
        let (asked, _) = turn(&mut handle, &Choice::Deny).await;
        assert_eq!(asked.len(), 1);
    }
    assert!(root.join(".git/HEAD").exists() && root.join("a.txt").exists());
    for _ in 0..2 {
        let (asked, _) = turn(&mut handle, &Choice::Deny).await;
        assert!(asked.is_empty(), "{asked:?}");
    }
    assert!(root.join("c.yml").exists() && std::fs::read_to_string(root.join("a.txt")).unwrap() == "x\n");
}

/// A chat that begins with the word asks nothing about what undo takes back, and about everything else as ever.
#[tokio::test]
async fn a_chat_that_begins_with_the_word_asks_only_about_the_rest() {
    if !has_box() {
        return;
    }
    let lines = ["rm b.txt", "chmod 000 a.txt", "find src -delete", "rm -rf .git", "git push --force", "rm -rf ~/x"];
    let calls = lines.iter().flat_map(|line| [Reply::call("bash", json!({"command": line})), Reply::say("done")]);
    let world = World::new(calls.collect()).await;
    for name in ["a.txt", "b.txt", "src/main.rs", ".git/HEAD"] {
        world.work.write(name, "text");
    }
    let mut handle = world.open_with(Which::New, |start| {
        start.world.settings.sandbox =
            SandboxSettings { caches: ToolchainCaches::Session, ..SandboxSettings::default() };
        start.approve = vec!["workspace-destructive".into()];
    });
    for line in &lines[..3] {
        let (asked, _) = turn(&mut handle, &Choice::Deny).await;
        assert!(asked.is_empty(), "{line}: {asked:?}");
    }
    assert!(!world.work.exists("b.txt") && !world.work.exists("src/main.rs"));
    for line in &lines[3..] {
        let (asked, _) = turn(&mut handle, &Choice::Deny).await;
        assert_eq!(asked.len(), 1, "{line}");
    }
    assert!(world.work.exists(".git/HEAD"));
}

/// What goes on behind its call is not what undo takes back, whoever gave the word for that: neither a job nor a monitor nor
/// a command that runs out of its time.
#[tokio::test]
async fn the_word_answers_nothing_that_goes_on_behind_its_call() {
    if !has_box() {
        return;
    }
    let calls = [
        Reply::call("bash", json!({"command": "sleep 600; rm a.txt", "background": true, "wait": 0})),
        Reply::call("run_background", json!({"command": "rm a.txt"})),
        Reply::call("monitor", json!({"command": "rm a.txt"})),
        Reply::call("bash", json!({"command": "rm b.txt; sleep 600", "timeout_seconds": 1})),
        Reply::call("bash", json!({"command": "touch x; sleep 600", "timeout_seconds": 1})),
        Reply::say("done"),
    ];
    let world = World::new(calls.into()).await;
    world.work.write("a.txt", "a");
    world.work.write("b.txt", "b");
    let mut handle = world.open_with(Which::New, |start| {
        start.world.settings.sandbox =
            SandboxSettings { caches: ToolchainCaches::Session, ..SandboxSettings::default() };
        start.world.settings.jobs.auto_background = Some(true);
        start.approve = vec!["workspace-destructive".into()];
        start.attended = false;
    });
    let (_, outcomes) = turn(&mut handle, &Choice::Deny).await;
    let texts: Vec<String> = outcomes.iter().map(reasonix_agent::outcome_text).collect();
    for text in &texts[..3] {
        assert!(text.contains("undo does not cover what a command does behind its call"), "{text}");
    }
    assert!(world.work.exists("a.txt"));
    assert!(texts[3].contains("timed out after 1 s") && !world.work.exists("b.txt"), "{texts:?}");
    assert!(texts[4].contains("goes on as a job"), "{texts:?}");
}

/// `deny Edit(path)`: no change of any kind to that path, by the gate where a command names it and by the kernel elsewhere.
#[tokio::test]
async fn what_may_not_be_edited_is_changed_by_no_command() {
    if !has_box() {
        return;
    }
    for line in [
        "rm docs/a",
        "rm -rf docs",
        "unlink docs/a",
        "mv docs/a c",
        "mv docs elsewhere",
        "chmod 000 docs/a",
        "find docs -delete",
        "perl -pi -e s/x/y/ docs/a",
        "gzip docs/a",
        "split -b 1 a.txt docs/x",
        "mkdir docs/new",
        "ln -s a.txt docs/l",
        "touch docs/a docs/b",
        "python3 -c \"open('docs/a','w')\"",
        "python3 -c \"import os; os.rename('docs','d2')\"",
        "cd docs && rm a",
        "tar cf - a.txt | tar xf - -C docs",
        "git init -q docs",
        "for f in docs/*; do rm $f; done",
        "x=docs; echo y > $x/a",
    ] {
        let world = World::new(vec![Reply::call("bash", json!({"command": line})), Reply::say("done")]).await;
        world.work.write("docs/a", "mine");
        world.work.write("a.txt", "alpha\n");
        let before = files(&world);
        let mut handle = world.open_with(Which::New, |start| {
            let deny = vec!["Edit(docs/**)".to_owned()];
            start.world.settings.permissions = Permissions { deny, ..Permissions::default() };
            start.world.settings.sandbox =
                SandboxSettings { caches: ToolchainCaches::Session, ..SandboxSettings::default() };
            start.approve = ["rm", "unlink", "mv", "chmod"].map(|program| format!("Bash({program}:*)")).to_vec();
            start.attended = false;
        });
        turn(&mut handle, &Choice::AllowOnce).await;
        assert_eq!(files(&world), before, "{line}");
    }
}

/// A hook of the user's own that wants a person to be asked about these commands.
fn asking_hook(world: &World, rule: &str) {
    let said = json!({"hookSpecificOutput": {"permissionDecision": "ask", "permissionDecisionReason": "look twice"}});
    let handler =
        json!({"type": "command", "command": format!("echo '{said}'"), "if": rule, "statusMessage": "careful"});
    let hooks = json!({"hooks": {"PreToolUse": [{"matcher": "Bash", "hooks": [handler]}]}});
    world.home.write("settings.json", hooks.to_string());
}

/// What a hook wants asked is asked about each time: the word for what undo takes back does not answer it.
#[tokio::test]
async fn no_grant_for_a_session_answers_what_a_hook_wants_asked() {
    if !has_box() {
        return;
    }
    let lines = ["rm b.txt", "rm src/main.rs"];
    let calls = lines.iter().flat_map(|line| [Reply::call("bash", json!({"command": line})), Reply::say("done")]);
    let world = World::new(calls.collect()).await;
    world.work.write("b.txt", "b");
    world.work.write("src/main.rs", "d");
    asking_hook(&world, "Bash(rm src*)");
    let mut handle = begin(&world, Fallback::Ask, true);
    let word = Choice::AllowSession { rule: "workspace-destructive".into() };
    let (asked, _) = turn(&mut handle, &word).await;
    assert!(asked[0].choices.contains(&word), "{:?}", asked[0].choices);
    assert!(!world.work.exists("b.txt"));
    let (asked, _) = turn(&mut handle, &Choice::Deny).await;
    let [asking] = asked.as_slice() else { panic!("{asked:?}") };
    assert_eq!(asking.choices, [Choice::AllowOnce, Choice::Deny], "no grant would be heard");
    assert!(!asking.danger.is_empty());
    assert!(asking.fields.iter().any(|field| field.value.contains("careful: look twice")), "{:?}", asking.fields);
    assert!(world.work.exists("src/main.rs"));
}

#[tokio::test]
async fn no_word_of_a_run_answers_what_a_hook_wants_asked() {
    if !has_box() {
        return;
    }
    for (rule, ran) in [("Bash(echo *)", true), ("Bash(rm *)", false)] {
        let world = running("rm src/main.rs").await;
        asking_hook(&world, rule);
        let mut handle = world.open_with(Which::New, |start| {
            start.world.settings.sandbox =
                SandboxSettings { caches: ToolchainCaches::Session, ..SandboxSettings::default() };
            start.approve = vec!["workspace-destructive".into()];
            start.attended = false;
        });
        let (_, outcomes) = turn(&mut handle, &Choice::Deny).await;
        assert_eq!(world.work.exists("src/main.rs"), !ran, "{rule}: {outcomes:?}");
        let told = format!("{outcomes:?}");
        assert_eq!(told.contains("careful: look twice"), !ran, "{told}");
    }
}

/// A guard that changed is off, and what it would have judged is asked about; also where that shows as a writer only when it runs.
#[tokio::test]
async fn a_reader_that_wanted_to_write_is_asked_about_where_its_guard_changed() {
    if !has_box() {
        return;
    }
    let lines = ["echo 1", "echo 2", "uniq {a.txt,b.txt}"];
    let calls = lines.iter().flat_map(|line| [Reply::call("bash", json!({"command": line})), Reply::say("done")]);
    let world = World::new(calls.collect()).await;
    world.work.write("a.txt", "alpha\n");
    world.work.write("b.txt", "beta\n");
    world.work.write("guard.sh", "echo x >> guarded\n");
    let guard = json!({"type": "command", "command": "sh \"$CLAUDE_PROJECT_DIR\"/guard.sh"});
    let hooks = json!({"hooks": {"PreToolUse": [{"matcher": "Bash", "hooks": [guard]}]}});
    world.work.write(".claude/settings.json", hooks.to_string());
    let sources = reasonix_config::Sources {
        home: world.home.path(),
        project: world.work.path(),
        env: std::collections::BTreeMap::new(),
        ..reasonix_config::Sources::default()
    };
    let trust = reasonix_config::load(&sources).unwrap().settings.trust;
    let mut handle = world.open_with(Which::New, |start| {
        start.world.settings.trust = trust;
        start.world.settings.permissions = Permissions { mode: Fallback::Allow, ..Permissions::default() };
        start.world.settings.sandbox =
            SandboxSettings { caches: ToolchainCaches::Session, ..SandboxSettings::default() };
    });
    let reasonix_proto::Reply::Trust(info) = handle.query(reasonix_proto::Query::Trust).await else { panic!("trust") };
    handle.submit(Op::Trust { digest: info.digest.clone(), yes: true }).settled().await;
    turn(&mut handle, &Choice::Deny).await;
    assert!(world.work.exists("guarded"));
    world.work.write("guard.sh", "exit 0\n");
    let (asked, _) = turn(&mut handle, &Choice::Deny).await;
    assert_eq!(asked.len(), 1, "a guard may be about reading as well: {asked:?}");
    let (asked, outcomes) = turn(&mut handle, &Choice::Deny).await;
    let [asking] = asked.as_slice() else { panic!("{asked:?} {outcomes:?}") };
    let shown = format!("{:?} {:?}", asking.why, asking.fields);
    assert!(shown.contains("it is not what you trusted"), "{shown}");
    assert_eq!(world.work.read("b.txt"), "beta\n");
}
