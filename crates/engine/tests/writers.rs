//! Subagents that write: each in a clone of its own, and what comes back is merged whole or not at all, by the session's gate
//! and so that undo takes it back.

#[cfg(target_os = "linux")]
use crate::world::has_box;
use crate::world::{World, end};
use reasonix_agent::Artifacts as _;
use reasonix_config::{BashBoxing, MergeAs};
use reasonix_engine::{Handle, Which};
use reasonix_proto::{Choice, Event, Mode, Op, RecordBody, Rewind, ToolOutcome, TurnState};
use reasonix_testkit::{ModelServer, Recorded, Reply, TempWorkspace};
#[cfg(target_os = "linux")]
use reasonix_workspace::{Options, Workspace};
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::Path;

/// What those do that are started: calls by name, one step each.
pub(crate) type Scripts = Vec<(&'static str, Vec<(&'static str, Value)>)>;

pub(crate) fn is_child(request: &Recorded) -> bool {
    request.messages()[0]["content"].as_str().unwrap_or_default().contains("You are a subagent")
}

/// A session that starts one `general` for each script, and then says that it is done.
pub(crate) fn world(scripts: Scripts) -> World {
    let ids: Vec<&str> = scripts.iter().map(|(id, _)| *id).collect();
    let one = |id: &&str| json!({"id": id, "assignment": format!("do {id}")});
    let call = json!({"agent": "general", "tasks": ids.iter().map(one).collect::<Vec<_>>()});
    let answer = move |request: &Recorded| {
        let messages = request.messages();
        let steps = messages.iter().filter(|message| message["role"] == "assistant").count();
        if !is_child(request) {
            return Some(if steps % 2 == 0 { Reply::call("task", call.clone()) } else { Reply::say("done") });
        }
        let last = messages.iter().rfind(|message| message["role"] == "user").unwrap();
        let id = last["content"].as_str().unwrap_or_default().trim_start_matches("do ").to_owned();
        let (_, calls) = scripts.iter().find(|(name, _)| *name == id)?;
        Some(match calls.get(steps) {
            Some(("hang", _)) => Reply::hang(),
            Some(("fail", _)) => Reply::fail(400, "{\"error\":{\"message\":\"no\"}}"),
            Some((tool, args)) => Reply::call(tool, args.clone()),
            None => Reply::say(&format!("{id} is over")),
        })
    };
    World { server: ModelServer::start_with(answer), work: TempWorkspace::new(), home: TempWorkspace::new() }
}

pub(crate) fn write(path: &str, content: &str) -> (&'static str, Value) {
    ("write_file", json!({"path": path, "content": content}))
}

pub(crate) fn edit(path: &str, old: &str, new: &str) -> (&'static str, Value) {
    (
        "edit_file",
        json!({"path": path, "edits": [{"old_string": old, "new_string": new}], "old_string": old, "new_string": new}),
    )
}

#[cfg(target_os = "linux")]
pub(crate) fn bash(line: &str) -> (&'static str, Value) {
    ("bash", json!({"command": line}))
}

/// One turn; `meanwhile` sees each question before it is answered, and says how. Gives what the session's calls came to, and
/// who was asked for.
pub(crate) async fn turn(handle: &mut Handle, mut meanwhile: impl FnMut(&str) -> Choice) -> (Vec<String>, Vec<String>) {
    handle.submit(Op::Prompt { text: "go".into(), resolved: false });
    let (mut told, mut asked, mut ended) = (Vec::new(), Vec::new(), false);
    loop {
        let envelope = handle.events.next().await.expect("the session lives");
        let below = envelope.parent.is_some();
        match envelope.event {
            Event::Asked { asking } => {
                let diff = asking.diff.clone().unwrap_or_default();
                let choice = meanwhile(&diff);
                asked.push(format!("{} {} {diff}", asking.child.clone().unwrap_or_default(), asking.subject));
                let ask = asking.ask.clone();
                handle.submit(Op::Answer { ask, choice, digest: None, words: None, edited: None });
            }
            Event::ToolEnded { record } if !below => {
                if let RecordBody::Outcome { outcome, .. } = record.body {
                    told.push(text(&outcome));
                }
            }
            Event::TurnEnded { .. } if !below => ended = true,
            Event::State { state: TurnState::Idle } if ended && !below => return (told, asked),
            _ => {}
        }
    }
}

pub(crate) fn yes(_: &str) -> Choice {
    Choice::AllowOnce
}

fn text(outcome: &ToolOutcome) -> String {
    match outcome {
        ToolOutcome::Done { content, .. } => content.words().into_owned(),
        ToolOutcome::Failed { message, hint, .. } => format!("{message} {}", hint.clone().unwrap_or_default()),
        other => format!("{other:?}"),
    }
}

/// Everything below a folder but git's own.
pub(crate) fn files(folder: &Path) -> BTreeMap<String, (u32, Vec<u8>)> {
    let (mut found, mut folders) = (BTreeMap::new(), vec![folder.to_owned()]);
    while let Some(at) = folders.pop() {
        for entry in std::fs::read_dir(&at).unwrap().flatten() {
            let (path, meta) = (entry.path(), entry.path().symlink_metadata().unwrap());
            let name = path.strip_prefix(folder).unwrap().to_string_lossy().into_owned();
            if entry.file_name() == ".git" {
                continue;
            } else if meta.is_symlink() {
                let target = std::fs::read_link(&path).unwrap();
                found.insert(name, (0, target.as_os_str().as_encoded_bytes().to_vec()));
            } else if meta.is_dir() {
                folders.push(path);
            } else {
                found.insert(name, (meta.permissions().mode() & 0o7777, std::fs::read(&path).unwrap()));
            }
        }
    }
    found
}

/// Where the clones of sessions lie.
fn clones(world: &World) -> Vec<String> {
    let folder = world.home.join("state/isolation");
    let names = std::fs::read_dir(folder).into_iter().flatten().flatten();
    names
        .map(|entry| entry.file_name().to_string_lossy().into_owned())
        .filter(|name| !name.ends_with(".lock"))
        .collect()
}

/// A repository with something committed, something changed and something new.
pub(crate) fn project(world: &World) {
    let lines: String = (1..=30).map(|n| format!("line {n}\n")).collect();
    world.work.write("a.txt", &lines);
    world.work.write("gone.txt", "to be removed\n");
    world.work.write(".gitignore", "ignored/\n");
    world.work.git_init();
    world.work.write("dirty.txt", "not committed\n");
    world.work.write("a.txt", lines.replace("line 15\n", "line fifteen\n"));
    world.work.write("ignored/cache", "x");
    world.work.write(".env", "KEY=1\n");
}

#[tokio::test]
async fn writers_work_apart_and_come_together_and_one_undo_takes_it_back() {
    let world = world(vec![
        (
            "A",
            vec![
                ("read_file", json!({"path": "dirty.txt"})),
                edit("a.txt", "line 2\n", "line two\n"),
                write("new folder/汉字 \"x\".txt", "one\n"),
                write("dirty.txt", "changed\n"),
            ],
        ),
        (
            "B",
            vec![
                ("read_file", json!({"path": "a.txt"})),
                edit("a.txt", "line 28\n", "line twenty-eight\n"),
                ("apply_patch", json!({"patch": "*** Begin Patch\n*** Delete File: gone.txt\n*** End Patch"})),
                ("read_file", json!({"path": ".env"})),
                ("ls", json!({"path": "ignored"})),
            ],
        ),
    ]);
    project(&world);
    let before = files(&world.work.path());
    let head = world.work.git(&["rev-parse", "HEAD"]);
    let mut handle = world.open(Which::New);
    handle.submit(Op::SetPosture { posture: reasonix_proto::Posture::Auto }).settled().await;
    let (told, asked) = turn(&mut handle, yes).await;
    assert!(told[0].contains("0-A (general): done") && told[0].contains("1-B (general): done"), "{told:?}");
    assert!(told[0].contains("Merged: 3 files") && told[0].contains("Merged: 2 files"), "{told:?}");
    assert!(asked.is_empty(), "{asked:?}");
    let now = files(&world.work.path());
    let text = |name: &str| String::from_utf8(now[name].1.clone()).unwrap();
    let merged = text("a.txt");
    for part in ["line two\n", "line fifteen\n", "line twenty-eight\n", "line 1\n", "line 30\n"] {
        assert!(merged.contains(part), "{merged}");
    }
    assert_eq!(text("new folder/汉字 \"x\".txt"), "one\n");
    assert_eq!(text("dirty.txt"), "changed\n");
    assert!(!now.contains_key("gone.txt") && now.contains_key("ignored/cache") && now.contains_key(".env"));
    assert_eq!(world.work.git(&["rev-parse", "HEAD"]), head, "the repository's own history is as it was");
    // What they saw was the session's folder as it was, without what is ignored and what is nobody's to read.
    let seen: Vec<Recorded> = world.server.requests().into_iter().filter(is_child).collect();
    let all: String = seen.iter().map(|request| request.last_content().to_owned()).collect();
    assert!(all.contains("not committed") && all.contains("line fifteen"), "{all}");
    assert!(!all.contains("KEY=1"));
    assert!(seen[0].messages()[0].to_string().contains("clone of your own"));
    assert!(
        clones(&world).len() <= 1
            && !world.home.join("state/isolation").join(handle.session.to_string()).join("0-A").exists()
    );
    let back = Op::Rewind { turn: 1, what: Rewind::Files, summary: None };
    handle.submit(back).settled().await;
    assert_eq!(files(&world.work.path()), before, "one undo takes all of it back");
    drop(handle);
    world.server.assert_prefixes_grow_in(3);
}

/// What two did to the same lines is a conflict of the second: nothing of it is taken, and all of it can be read.
#[tokio::test]
async fn a_conflict_leaves_nothing_half_done_and_the_patch_can_be_read() {
    let world = world(vec![
        ("A", vec![edit("a.txt", "line 2\n", "line two\n")]),
        ("B", vec![edit("a.txt", "line 2\n", "line zwei\n"), write("b.txt", "of B\n"), write("bin", "\u{0}\u{1}")]),
        ("C", vec![write("c.txt", "of C\n")]),
    ]);
    project(&world);
    let mut handle = world.open(Which::New);
    handle.submit(Op::SetPosture { posture: reasonix_proto::Posture::Auto }).settled().await;
    let (told, _) = turn(&mut handle, yes).await;
    let told = &told[0];
    assert!(told.contains("Not merged, nothing of it: conflict in a.txt (it was changed here too)."), "{told}");
    assert_eq!(told.matches("Merged: 1 files").count(), 2, "{told}");
    let now = files(&world.work.path());
    assert!(String::from_utf8_lossy(&now["a.txt"].1).contains("line two\n") && now.contains_key("c.txt"));
    assert!(!now.contains_key("b.txt"), "nothing of it");
    assert!(told.contains("Its patch: read_file artifact://"), "{told}");
    let kept = files(&world.home.join("state"));
    let patch = kept.values().map(|(_, bytes)| String::from_utf8_lossy(bytes)).find(|text| text.contains("+of B\n"));
    let shown = patch.expect("the patch is kept").into_owned();
    for part in ["-line 2", "+line zwei", "new file mode", "+of B", "GIT binary patch"] {
        assert!(shown.contains(part), "{part}: {shown}");
    }
}

#[tokio::test]
async fn a_person_is_asked_once_with_the_whole_difference() {
    for (choice, merged) in [(Choice::AllowOnce, true), (Choice::Deny, false)] {
        let world = world(vec![("A", vec![write("one", "1\n")]), ("B", vec![write("two", "2\n")])]);
        project(&world);
        let mut handle = world.open(Which::New);
        let (told, asked) = turn(&mut handle, |_| choice.clone()).await;
        assert_eq!(asked.len(), 1, "{asked:?}");
        assert!(asked[0].contains("+1") && asked[0].contains("+2") && asked[0].contains("one"), "{asked:?}");
        assert_eq!((world.work.exists("one"), world.work.exists("two")), (merged, merged), "{told:?}");
        assert_eq!(told[0].contains("Its patch: read_file"), !merged, "{told:?}");
    }
}

/// What was changed here while the question stood is not written over.
#[tokio::test]
async fn what_changed_meanwhile_is_not_written_over() {
    let world = world(vec![("A", vec![write("dirty.txt", "by A\n"), write("new", "n\n")])]);
    project(&world);
    let mut handle = world.open(Which::New);
    let (told, _) = turn(&mut handle, |_| {
        world.work.write("dirty.txt", "by a person\n");
        Choice::AllowOnce
    })
    .await;
    assert!(told[0].contains("Not merged: files were changed meanwhile: dirty.txt"), "{told:?}");
    assert_eq!(world.work.read("dirty.txt"), "by a person\n");
    assert!(!world.work.exists("new"));
}

#[tokio::test]
async fn nobody_writes_without_git_without_a_commit_or_in_plan_mode() {
    for how in ["none", "unborn", "plan"] {
        let world = world(vec![("A", vec![write("one", "1\n")])]);
        world.work.write("a", "a");
        match how {
            "unborn" => drop(world.work.git(&["init", "-q"])),
            "plan" => world.work.git_init(),
            _ => {}
        }
        let mut handle = world.open(Which::New);
        if how == "plan" {
            handle.submit(Op::SetMode { mode: Mode::Plan }).settled().await;
        }
        let (told, _) = turn(&mut handle, yes).await;
        let why = match how {
            "none" => "is in no git repository",
            "unborn" => "has no commit yet",
            _ => "in plan mode nobody does",
        };
        assert!(told[0].contains(why) && told[0].contains("\"explore\""), "{told:?}");
        assert!(world.server.requests().iter().all(|request| !is_child(request)), "nobody is started");
        assert!(clones(&world).is_empty());
    }
}

/// Where one of them fails nothing is merged, and what each did is kept.
#[tokio::test]
async fn one_that_fails_keeps_all_of_them_from_being_merged() {
    let world = world(vec![("A", vec![write("one", "1\n")]), ("B", vec![write("two", "2\n"), ("fail", Value::Null)])]);
    project(&world);
    let mut handle = world.open(Which::New);
    let (told, asked) = turn(&mut handle, yes).await;
    assert_eq!(
        told[0].matches("Not merged: not all of them succeeded (1-B). Its patch: read_file").count(),
        2,
        "{told:?}"
    );
    assert!(asked.is_empty() && !world.work.exists("one") && !world.work.exists("two"));
    // Where nothing would hold its commands a writer has none.
    let first = world.server.requests().into_iter().find(is_child).unwrap();
    let tools = first.body["tools"].to_string();
    assert!(
        tools.contains("\"write_file\"") && !tools.contains("\"bash\"") && !tools.contains("\"monitor\""),
        "{tools}"
    );
}

/// A call that nobody is there to allow fails by itself: the one who made it says so and comes to its end, the others go on, and all of
/// their work is merged.
#[tokio::test]
async fn a_call_that_is_refused_takes_no_work_from_anybody() {
    let world = world(vec![
        ("A", vec![write("one", "1\n")]),
        ("B", vec![write("two", "2\n"), write("locked/x", "3\n")]),
        ("C", vec![write("locked/y", "4\n"), write("three", "3\n")]),
    ]);
    project(&world);
    let mut handle = world.open_with(Which::New, |start| {
        start.world.settings.permissions.ask = vec!["Edit(locked/**)".into()];
        start.attended = false;
    });
    let (told, _) = turn(&mut handle, yes).await;
    assert_eq!(told[0].matches("Merged: ").count(), 3, "{told:?}");
    assert!(told[0].contains("B is over") && told[0].contains("its last calls were refused"), "{told:?}");
    assert!(["one", "two", "three"].iter().all(|path| world.work.exists(path)), "{told:?}");
    assert!(!world.work.exists("locked/x") && !world.work.exists("locked/y"));
    let seen: String = world.server.requests().iter().map(|request| request.last_content().to_owned()).collect();
    assert!(seen.contains("nobody is here"), "the model reads why: {seen}");
}

/// Rules that deny speak of the same paths in a clone, also those that name the folder of the session.
#[tokio::test]
async fn rules_of_the_session_hold_in_the_clone() {
    let world = world(vec![(
        "A",
        vec![
            write("locked/x", "1\n"),
            write("secret/y", "2\n"),
            ("read_file", json!({"path": "secret/k"})),
            write("ok", "3\n"),
        ],
    )]);
    world.work.write("secret/k", "TOPSECRET\n");
    project(&world);
    let root = world.work.path();
    let mut handle = world.open_with(Which::New, |start| {
        start.world.settings.permissions.deny = vec![
            "Edit(locked/**)".into(),
            format!("Edit({}/secret/**)", root.display()),
            format!("Read({}/secret/**)", root.display()),
        ];
        start.attended = false;
    });
    let (told, _) = turn(&mut handle, yes).await;
    assert!(told[0].contains("Merged: 1 files (ok)"), "{told:?}");
    let seen: String = world.server.requests().iter().map(|request| request.last_content().to_owned()).collect();
    assert_eq!((seen.contains("TOPSECRET"), seen.matches("not allowed here").count()), (false, 3), "{seen}");
}

/// What may not be read is not read by programs either, whatever the line says: the clone lies in our own folder, which is closed,
/// and is open; what is closed of the clone stays closed.
#[cfg(target_os = "linux")]
#[tokio::test]
async fn what_may_not_be_read_is_closed_to_programs_of_the_clone() {
    if !has_box() {
        return;
    }
    let lines =
        ["x=sec; cat ${x}ret.txt", "cd more && cat k*", "python3 -c \"print(open('secret.txt').read())\" || true"];
    let world = world(vec![("A", lines.iter().map(|line| bash(line)).chain([write("ok", "1\n")]).collect())]);
    world.work.write("secret.txt", "TOPSECRET\n");
    world.work.write("more/k", "TOPSECRET\n");
    project(&world);
    let mut handle = world.open_with(Which::New, |start| {
        let settings = &mut start.world.settings;
        settings.permissions.deny = vec!["Read(secret.txt)".into(), "Read(more/**)".into()];
        settings.sandbox.bash = BashBoxing::Enforce;
        start.attended = false;
    });
    let (told, _) = turn(&mut handle, yes).await;
    assert!(told[0].contains("Merged: 1 files (ok)"), "{told:?}");
    let seen: String = world.server.requests().iter().map(|request| request.last_content().to_owned()).collect();
    assert!(!seen.contains("TOPSECRET"), "{seen}");
}

/// Links, permissions and a link to a folder elsewhere are what they are, and nothing is followed.
#[cfg(target_os = "linux")]
#[tokio::test]
async fn links_and_permissions_come_back_as_they_are() {
    if !has_box() {
        return;
    }
    let outside = TempWorkspace::new();
    outside.write("kept", "theirs");
    let target = outside.path().display().to_string();
    let world = world(vec![(
        "A",
        vec![
            write(
                "do.sh",
                &format!(
                    "set -e\nrm -r folder\nln -s {target} folder\nchmod 755 a.txt\nprintf '\\0\\377' > bin\n\
                     mv dirty.txt moved.txt\nln -s a.txt link\nmkdir -p x/y\necho > \"x/y/new\nline\"\n\
                     git add -A\ngit commit -qm 'my own'\necho more > later\n"
                ),
            ),
            bash("sh do.sh && ls"),
        ],
    )]);
    world.work.write("folder/in", "1");
    project(&world);
    symlink("a.txt", world.work.join("old link")).unwrap();
    let mut handle = world.open_with(Which::New, |start| {
        start.world.settings.sandbox.bash = BashBoxing::Enforce;
        start.attended = false;
    });
    let (told, _) = turn(&mut handle, yes).await;
    assert!(
        told[0].contains("Merged: ") && told[0].contains("Its 1 commits are kept, for git am: artifact://"),
        "{told:?}"
    );
    let now = files(&world.work.path());
    assert_eq!((now["folder"].0, &now["folder"].1[..]), (0, target.as_bytes()));
    assert_eq!(now["a.txt"].0 & 0o111, 0o111);
    assert_eq!((&now["bin"].1[..], &now["link"].1[..]), (&b"\0\xff"[..], &b"a.txt"[..]));
    assert!(now.contains_key("x/y/new\nline") && now.contains_key("later") && now.contains_key("old link"));
    assert!(now.contains_key("moved.txt") && !now.contains_key("dirty.txt"));
    assert_eq!(outside.read("kept"), "theirs");
    assert_eq!(world.work.git(&["log", "--oneline"]).lines().count(), 1, "its commits are not the session's");
    handle.submit(Op::Rewind { turn: 1, what: Rewind::Files, summary: None }).settled().await;
    assert!(files(&world.work.path()).contains_key("folder/in"));
}

/// A command of a writer writes in its clone and nowhere else, and sees nothing of the session's folder; what a rule denies
/// is refused when it is brought back, however it was made.
#[cfg(target_os = "linux")]
#[tokio::test]
async fn commands_stay_in_the_clone_and_a_deny_holds_when_it_is_brought_back() {
    if !has_box() {
        return;
    }
    // In a folder for temporary files the box hides everything else by itself; elsewhere it has to be told.
    for far in [false, true] {
        let folder = match far {
            true => tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR")).unwrap(),
            false => tempfile::tempdir().unwrap(),
        };
        stays_in_the_clone(&folder.path().canonicalize().unwrap()).await;
    }
}

#[cfg(target_os = "linux")]
async fn stays_in_the_clone(folder: &Path) {
    let (work, home) = (folder.join("work"), folder.join("home"));
    std::fs::create_dir(&home).unwrap();
    std::fs::write(home.join("credentials"), "HOMEKEY").unwrap();
    let root = work.display().to_string();
    let world = world(vec![(
        "A",
        vec![
            bash(&format!(
                "cat {root}/dirty.txt; ls {root}; touch {root}/made; cat {}/credentials; echo done",
                home.display()
            )),
            bash("git log --oneline && git status --short && ls -a"),
            ("read_file", json!({"path": format!("{root}/dirty.txt")})),
            write("make.sh", "mkdir locked; echo 1 > locked/new; echo 2 > ok; cat ../../../../credentials\n"),
            bash("sh make.sh; ls locked"),
        ],
    )]);
    project(&world);
    let copied = std::process::Command::new("cp").arg("-a").args([&world.work.path(), &work]).status();
    assert!(copied.unwrap().success());
    let mut handle = world.open_with(Which::New, |start| {
        start.world.settings.sandbox.bash = BashBoxing::Enforce;
        start.world.settings.permissions.deny = vec!["Edit(locked/**)".into()];
        start.world.home = home.clone();
        let options = Options { closed: vec![home.clone()], readable: vec!["/**".into()], ..Options::default() };
        start.workspace = Workspace::open(&work, options).unwrap();
        start.attended = false;
    });
    let (told, _) = turn(&mut handle, yes).await;
    assert!(!work.join("made").exists(), "{told:?}");
    let seen: Vec<String> =
        world.server.requests().iter().filter(|r| is_child(r)).map(|r| r.last_content().to_owned()).collect();
    assert!(!seen.iter().any(|text| text.contains("not committed\n") || text.contains("HOMEKEY")), "{seen:?}");
    assert!(
        seen[2].contains("What was not committed when this clone was made") && seen[2].contains("dirty.txt"),
        "{seen:?}"
    );
    assert!(seen[5].contains("new"), "{seen:?}");
    assert!(told[0].contains("Not merged: by rule Edit(locked/**)"), "{told:?}");
    assert!(!work.join("locked").exists() && !work.join("ok").exists());
}

/// Submodules and repositories within are files here: their histories stay where they are, and one that is made in a clone
/// is not lost unsaid.
#[cfg(target_os = "linux")]
#[tokio::test]
async fn repositories_within_are_left_to_themselves() {
    if !has_box() {
        return;
    }
    let other = TempWorkspace::new();
    other.write("lib.c", "int x;\n");
    other.git_init();
    let world = world(vec![
        ("A", vec![edit("sub/lib.c", "int x;", "int y;"), edit("nested/n.c", "n", "m"), write("top", "t\n")]),
        (
            "B",
            vec![bash(
                "mkdir made && cd made && git init -q . && echo 1 > x && git add x && git commit -qm x && ls -a",
            )],
        ),
    ]);
    project(&world);
    let from = other.path().display().to_string();
    world.work.git(&["-c", "protocol.file.allow=always", "submodule", "add", "-q", &from, "sub"]);
    world.work.git(&["commit", "-qm", "links"]);
    world.work.git(&["clone", "-q", &from, "nested"]);
    world.work.write("nested/n.c", "n\n");
    let histories = || [".git/modules/sub", "nested/.git"].map(|at| files_of_git(&world.work.join(at)));
    let before = histories();
    let mut handle = world.open_with(Which::New, |start| {
        start.world.settings.sandbox.bash = BashBoxing::Enforce;
        start.attended = false;
    });
    let (told, _) = turn(&mut handle, yes).await;
    assert!(told[0].contains("Merged: 3 files"), "{told:?}");
    assert!(told[0].contains("made/.git (a repository was made there, whose history would be lost)"), "{told:?}");
    assert_eq!(world.work.read("sub/lib.c"), "int y;\n");
    assert_eq!(world.work.read("nested/n.c"), "m\n");
    assert!(world.work.exists("top") && !world.work.exists("made"));
    assert_eq!(histories(), before);
}

#[cfg(target_os = "linux")]
fn files_of_git(folder: &Path) -> Vec<(String, Vec<u8>)> {
    let mut all = Vec::new();
    for name in ["HEAD", "config", "packed-refs", "refs/heads/main"] {
        all.push((name.to_owned(), std::fs::read(folder.join(name)).unwrap_or_default()));
    }
    all
}

/// Ignored files come along where the settings name them, and do not come back; one that goes on begins with what is there
/// now.
#[tokio::test]
async fn ignored_files_come_along_where_they_are_named() {
    let world = world(vec![("A", vec![("read_file", json!({"path": "ignored/cache"})), write("ignored/made", "m\n")])]);
    project(&world);
    symlink("/etc/passwd", world.work.join("ignored/link")).unwrap();
    let mut handle = world.open_with(Which::New, |start| {
        start.world.settings.isolation.include = vec!["ignored".into(), ".env".into(), "../*".into()];
    });
    let (told, _) = turn(&mut handle, yes).await;
    assert!(told[0].contains("It changed nothing."), "{told:?}");
    let seen: Vec<Recorded> = world.server.requests().into_iter().filter(is_child).collect();
    assert!(seen[1].last_content().contains('x'), "{}", seen[1].last_content());
    assert!(!world.work.exists("ignored/made"));
}

/// Hooks of the user's run where the writer works, and what they make there is merged with the rest.
#[tokio::test]
async fn hooks_run_in_the_clone() {
    let world = world(vec![("A", vec![write("one", "1\n")])]);
    project(&world);
    let one = json!({"type": "command", "command": "echo x >> hooked.txt"});
    let hooks = json!({"hooks": {"PostToolUse": [{"matcher": "Write", "hooks": [one]}]}});
    world.home.write("settings.json", hooks.to_string());
    let mut handle = world.open_with(Which::New, |start| start.attended = false);
    let (told, _) = turn(&mut handle, yes).await;
    assert!(told[0].contains("Merged: 2 files (hooked.txt, one)."), "{told:?}");
    assert_eq!(world.work.read("hooked.txt"), "x\n");
}

/// A workspace that is a part of a repository, in a linked work tree at a commit of its own.
#[tokio::test]
async fn a_part_of_a_linked_work_tree_is_cloned_as_it_is() {
    let world = world(vec![("A", vec![("read_file", json!({"path": "in.txt"})), write("made", "m\n")])]);
    project(&world);
    world.work.write("part/in.txt", "first\n");
    world.work.git(&["add", "part"]);
    world.work.git(&["commit", "-qm", "part"]);
    let other = TempWorkspace::new();
    let tree = other.join("tree");
    world.work.git(&["worktree", "add", "-q", "-b", "side", tree.to_str().unwrap()]);
    std::fs::write(tree.join("part/in.txt"), "of the side\n").unwrap();
    let mut handle = world.open_with(Which::New, |start| {
        start.workspace = reasonix_workspace::Workspace::open(&tree.join("part"), Default::default()).unwrap();
        start.attended = false;
    });
    let (told, _) = turn(&mut handle, yes).await;
    assert!(told[0].contains("Merged: 1 files (made)."), "{told:?}");
    let seen: Vec<Recorded> = world.server.requests().into_iter().filter(is_child).collect();
    assert!(seen[1].last_content().contains("of the side"), "{}", seen[1].last_content());
    assert!(tree.join("part/made").exists() && !world.work.exists("part/made"));
}

/// A repository that borrows its objects from another one, as `git clone --shared` makes it: git works in a clone of it.
#[cfg(target_os = "linux")]
#[tokio::test]
async fn git_works_in_a_clone_of_a_repository_that_borrows_objects() {
    if !has_box() {
        return;
    }
    let commit = "git log --oneline -1 && git add made && git -c user.name=a -c user.email=a@b commit -qm by-the-writer && git log -1";
    let world = world(vec![("A", vec![write("made", "m\n"), bash(commit)])]);
    project(&world);
    let other = TempWorkspace::new();
    let borrows = other.join("borrows");
    world.work.git(&["clone", "-q", "--shared", ".", borrows.to_str().unwrap()]);
    let mut handle = world.open_with(Which::New, |start| {
        start.workspace = Workspace::open(&borrows, Default::default()).unwrap();
        start.world.settings.sandbox.bash = BashBoxing::Enforce;
        start.attended = false;
    });
    let (told, _) = turn(&mut handle, yes).await;
    let seen: Vec<Recorded> = world.server.requests().into_iter().filter(is_child).collect();
    assert!(seen[2].last_content().contains("by-the-writer"), "{}", seen[2].last_content());
    assert!(told[0].contains("Merged: 1 files (made)."), "{told:?}");
}

/// Two files that a writer brought are two files that changed: there is a list from then on.
#[tokio::test]
async fn what_a_writer_brings_begins_a_list() {
    let world = world(vec![("A", vec![write("x.txt", "x\n"), write("y.txt", "y\n")])]);
    project(&world);
    let mut handle = world.open(Which::New);
    handle.submit(Op::SetPosture { posture: reasonix_proto::Posture::Auto }).settled().await;
    turn(&mut handle, yes).await;
    let own = world.server.requests().into_iter().rfind(|request| !is_child(request)).unwrap();
    assert!(own.last_content().contains("second file"), "{}", own.last_content());
}

/// A writer is stopped later than a reader, and one that goes on is told that its clone is a new one.
#[tokio::test]
async fn a_writer_that_goes_on_knows_where_its_work_is() {
    let answer = |request: &Recorded| {
        let steps = request.messages().iter().filter(|message| message["role"] == "assistant").count();
        let task = |id: &str| json!({"agent": "general", "tasks": [{"id": id, "assignment": "do it"}]});
        Some(match (is_child(request), steps) {
            (false, 0) => Reply::call("task", task("A")),
            (false, 1) => Reply::call("task", task("0-A")),
            (false, _) => Reply::say("done"),
            (true, 0..2) => Reply::call("write_file", json!({"path": format!("f{steps}"), "content": "x"})),
            (true, _) => Reply::say("so far"),
        })
    };
    let world =
        World { server: ModelServer::start_with(answer), work: TempWorkspace::new(), home: TempWorkspace::new() };
    project(&world);
    let mut handle = world.open_with(Which::New, |start| {
        (start.world.settings.task.writer_max_steps, start.world.settings.task.max_steps) = (2, 1);
    });
    handle.submit(Op::SetPosture { posture: reasonix_proto::Posture::Auto }).settled().await;
    let (told, _) = turn(&mut handle, yes).await;
    world.server.assert_prefixes_grow_in(2);
    let limit = "stopped at its limit of 2 steps: go on with it by its id, or apply the patch";
    assert!(told[0].contains(limit), "{told:?}");
    let asked = world.server.requests().into_iter().rfind(is_child).unwrap();
    let user: Vec<String> = asked.messages().iter().map(|message| message["content"].to_string()).collect();
    let anew = "[This is a new clone; your earlier changes are not in it; they are the patch artifact://";
    assert!(user.iter().any(|text| text.contains(anew)), "{user:?}");
}

/// One that did nothing up to its limit has no patch to apply.
#[tokio::test]
async fn a_writer_at_its_limit_that_changed_nothing_has_no_patch() {
    let answer = |request: &Recorded| {
        let begins = !request.messages().iter().any(|message| message["role"] == "assistant");
        Some(match (is_child(request), begins) {
            (false, true) => {
                Reply::call("task", json!({"agent": "general", "tasks": [{"id": "A", "assignment": "go"}]}))
            }
            (true, true) => Reply::call("ls", json!({"path": "."})),
            _ => Reply::say("over"),
        })
    };
    let world =
        World { server: ModelServer::start_with(answer), work: TempWorkspace::new(), home: TempWorkspace::new() };
    project(&world);
    let mut handle = world.open_with(Which::New, |start| start.world.settings.task.writer_max_steps = 1);
    let (told, _) = turn(&mut handle, yes).await;
    let limit = "0-A (general): stopped at its limit of 1 steps: go on with it by its id\nIt changed nothing.";
    assert!(told[0].contains(limit), "{told:?}");
}

/// A session whose first turn has writers, and whose later ones go on with the first of them.
fn again(first: &'static [&'static str]) -> World {
    let task = |ids: &[&str]| {
        let one = |id: &&str| json!({"id": id, "assignment": format!("do {id}")});
        json!({"agent": "general", "tasks": ids.iter().map(one).collect::<Vec<_>>()})
    };
    let answer = move |request: &Recorded| {
        let steps = request.messages().iter().filter(|message| message["role"] == "assistant").count();
        let first_words = request.messages()[1]["content"].as_str().unwrap_or_default().to_owned();
        Some(match (is_child(request), steps) {
            (false, 0) => Reply::call("task", task(first)),
            (false, steps) if steps % 2 == 0 => Reply::call("task", task(&["0-W"])),
            (false, _) => Reply::say("done"),
            (true, _) if first_words == "do F" => Reply::fail(400, "{\"error\":{\"message\":\"no\"}}"),
            (true, 0) => Reply::call("write_file", json!({"path": "made", "content": "by W"})),
            (true, _) => Reply::say("W is over"),
        })
    };
    World { server: ModelServer::start_with(answer), work: TempWorkspace::new(), home: TempWorkspace::new() }
}

/// What the writer read last that goes on.
fn read_by_w(world: &World) -> String {
    let mut requests = world.server.requests().into_iter();
    let last = requests.rfind(|request| is_child(request) && request.messages()[1]["content"] == "do W");
    last.unwrap().last_content().to_owned()
}

/// Where the work of a writer is that was not merged is in the session's log: it is told so after a resume, too, and once more
/// where it changed nothing meanwhile.
#[tokio::test]
async fn a_writer_knows_where_its_work_is_after_a_resume() {
    let world = again(&["W", "F"]);
    project(&world);
    let mut handle = world.open(Which::New);
    let (told, _) = turn(&mut handle, yes).await;
    let patch = told[0].split("Its patch: read_file ").nth(1).and_then(|rest| rest.split(". ").next()).unwrap();
    let patch = patch.lines().next().unwrap().trim_end_matches('.').to_owned();
    assert!(patch.starts_with("artifact://") && !world.work.exists("made"), "{told:?}");
    let mut session = end(handle).await;
    for _ in 0..2 {
        let mut handle = world.open_when_free(Which::Resume(session)).await;
        let (told, _) = turn(&mut handle, yes).await;
        let still = format!("It changed nothing; what it did before is the patch still: read_file {patch}.");
        assert!(told[0].contains(&still), "{told:?}");
        let read = read_by_w(&world);
        assert!(read.contains(&format!("they are the patch {patch}: read_file shows it")), "{read}");
        session = end(handle).await;
    }
    world.server.assert_prefixes_grow_in(3);
}

/// The same of a branch; and of what was merged it is said that it was.
#[tokio::test]
async fn a_writer_knows_of_its_branch_after_a_resume() {
    for (merge, told) in [
        (MergeAs::Branch, "your earlier changes are the branch reasonix/task/0-W, and in it only if that was merged.]"),
        (MergeAs::Patch, "of your earlier changes it has those that were merged.]"),
    ] {
        let world = again(&["W"]);
        project(&world);
        let with = |start: &mut reasonix_engine::Start| start.world.settings.isolation.merge = merge;
        let mut handle = world.open_with(Which::New, with);
        turn(&mut handle, yes).await;
        let session = end(handle).await;
        let mut handle = world.open_when_free_with(Which::Resume(session), with).await;
        turn(&mut handle, yes).await;
        let read = read_by_w(&world);
        assert!(read.contains(told), "{merge:?}: {read}");
    }
}

/// What a writer committed on another branch, apart from all of them, or put aside is no part of what comes back; it is kept,
/// and both sides are told.
#[cfg(target_os = "linux")]
#[tokio::test]
async fn commits_beside_the_result_are_kept_and_named() {
    if !has_box() {
        return;
    }
    let script = "set -e\ngit checkout -qb side\necho side > side\ngit add side\ngit commit -qm 'On side'\n\
                  git tag -am tagged v1\ngit checkout -q --detach main\necho loose > loose\ngit add loose\n\
                  git commit -qm 'On none'\ngit checkout -q main\necho put aside >> a.txt\necho new > untracked\n\
                  git stash -qu\necho it is\n";
    let world = world(vec![
        ("A", vec![bash(script)]),
        ("B", vec![bash("git checkout -q --detach && echo b > b && git add b && git commit -qm 'Of B'")]),
        ("C", vec![write("c", "1\n"), bash("git stash -qu && git stash pop -q && git branch more")]),
    ]);
    project(&world);
    let mut handle = world.open_with(Which::New, |start| {
        start.world.settings.sandbox.bash = BashBoxing::Enforce;
        start.attended = false;
    });
    let mut notices = Vec::new();
    let told = told_with(&mut handle, &mut notices).await;
    let [_, a, b, c] = &told.split("(general): ").collect::<Vec<_>>()[..] else { panic!("{told}") };
    assert!(a.contains("None of its files is different. Commits that are not merged: 1 on branch side (kept"), "{a}");
    assert!(a.contains("), 3 in its stash (kept for git am: ") && a.contains("), 1 that only its reflog had ("), "{a}");
    assert!(!a.contains("v1"), "what a branch leads to is told once: {a}");
    let artifacts = reasonix_session::SessionArtifacts::at(&world.home.join("state"));
    let texts: Vec<String> = a
        .split("git am: ")
        .skip(1)
        .map(|rest| rest.split(')').next().unwrap())
        .map(|uri| String::from_utf8(artifacts.get(uri).unwrap()).unwrap())
        .collect();
    assert!(texts[0].contains("Subject: [PATCH] On side") && texts[0].contains("+side\n"), "{texts:?}");
    assert!(texts[1].contains("+put aside\n") && texts[1].contains("+new\n"), "{texts:?}");
    assert!(texts[2].contains("+loose\n") && !texts[2].contains("+side\n"), "{texts:?}");
    world.home.write("side.mbox", &texts[0]);
    world.work.git(&[
        "-c",
        "user.name=a",
        "-c",
        "user.email=a@b",
        "am",
        "-q",
        &world.home.join("side.mbox").display().to_string(),
    ]);
    assert_eq!(world.work.read("side"), "side\n");
    assert!(b.contains("Merged: 1 files (b). Its 1 commits are kept, for git am: "), "{b}");
    assert!(c.contains("Merged: 1 files (c).") && !b.contains("not merged") && !c.contains("ommits"), "{b} {c}");
    assert_eq!(
        notices.iter().map(|(child, name)| format!("{child} {name}")).collect::<Vec<_>>(),
        ["0-A side", "0-A stash", "0-A reflog"]
    );
}

/// One turn to whose questions the answer is yes: what its call came to, and whose commits people were told of.
#[cfg(target_os = "linux")]
async fn told_with(handle: &mut Handle, notices: &mut Vec<(String, String)>) -> String {
    handle.submit(Op::Prompt { text: "go".into(), resolved: false });
    let mut told = String::new();
    loop {
        let envelope = handle.events.next().await.expect("the session lives");
        match envelope.event {
            Event::Asked { asking } => {
                let (ask, choice) = (asking.ask.clone(), Choice::AllowOnce);
                handle.submit(Op::Answer { ask, choice, digest: None, words: None, edited: None });
            }
            Event::Notice { phrase, .. } if phrase.code == "engine.child_commits" => {
                let said = |name| phrase.arg(name).unwrap().to_owned();
                notices.push((said("child"), said("name")));
            }
            Event::ToolEnded { record } if envelope.parent.is_none() => {
                if let RecordBody::Outcome { outcome, .. } = record.body {
                    told.push_str(&text(&outcome));
                }
            }
            Event::TurnEnded { .. } if envelope.parent.is_none() => return told,
            _ => {}
        }
    }
}

/// Where the clone's own git says nothing any more, that is said, and the clone stays.
#[cfg(target_os = "linux")]
#[tokio::test]
async fn where_its_git_is_gone_that_is_said() {
    if !has_box() {
        return;
    }
    let world = world(vec![("A", vec![write("do.sh", "rm do.sh\nrm -rf .git\ngit init -q .\n"), bash("sh do.sh")])]);
    project(&world);
    let mut handle = world.open_with(Which::New, |start| {
        start.world.settings.sandbox.bash = BashBoxing::Enforce;
        start.attended = false;
    });
    let (told, _) = turn(&mut handle, yes).await;
    assert!(told[0].contains("Whether it committed more cannot be told"), "{told:?}");
    assert!(world.home.join("state/isolation").join(handle.session.to_string()).join("0-A/tree").exists());
}

/// A repository whose history ends early loses nothing of what is committed in a clone of it, either way.
#[cfg(target_os = "linux")]
#[tokio::test]
async fn a_shallow_repository_keeps_what_is_committed() {
    if !has_box() {
        return;
    }
    for (merge, clean) in [(MergeAs::Patch, true), (MergeAs::Branch, true), (MergeAs::Branch, false)] {
        let line = "echo 1 > one && git add one && git commit -qm 'Its own' && git checkout -qb side && \
                    git commit -q --allow-empty -m empty && echo 2 > two && git add two && git commit -qm Beside && \
                    git checkout -q main";
        let world = world(vec![("A", vec![bash(line)])]);
        project(&world);
        let from = TempWorkspace::new();
        if clean {
            world.work.git(&["add", "-A"]);
        }
        world.work.git(&["-c", "user.name=a", "-c", "user.email=a@b", "commit", "-qam", "second"]);
        let (here, there) = (format!("file://{}", world.work.path().display()), from.join("shallow"));
        from.git(&["clone", "-q", "--depth=1", &here, "shallow"]);
        std::fs::remove_dir_all(world.work.join(".git")).unwrap();
        std::fs::rename(there.join(".git"), world.work.join(".git")).unwrap();
        assert!(world.work.exists(".git/shallow"));
        let mut handle = world.open_with(Which::New, |start| {
            start.world.settings.isolation.merge = merge;
            start.world.settings.sandbox.bash = BashBoxing::Enforce;
            start.attended = false;
        });
        let (told, _) = turn(&mut handle, yes).await;
        assert!(told[0].contains(" Its 1 commits are kept, for git am: artifact://"), "{told:?}");
        assert!(told[0].contains("Commits that are not merged: "), "{told:?}");
        assert!(told[0].contains(" on branch side (kept for git am: artifact://"), "{told:?}");
        if merge == MergeAs::Branch {
            assert!(told[0].contains("Branch reasonix/task/0-A has it, with its 1 own commits: 1 files"), "{told:?}");
            let subjects = world.work.git(&["log", "--format=%s", "reasonix/task/0-A"]);
            let wanted = ["Its own", "What was not committed when this clone was made", "second"];
            let wanted =
                wanted.iter().enumerate().filter(|(place, _)| *place != 1 || !clean).map(|(_, subject)| *subject);
            assert_eq!(subjects.lines().collect::<Vec<_>>(), wanted.collect::<Vec<_>>());
            world.work.git(&["fsck", "--strict"]);
        } else {
            assert_eq!(world.work.read("one"), "1\n");
        }
    }
}
