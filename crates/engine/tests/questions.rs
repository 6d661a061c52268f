//! What a question is about is what runs: words with a no, a command of the user's own in place of the model's, scripts
//! that change, edits that cannot succeed.

use crate::world;

use reasonix_config::Permissions;
use reasonix_engine::{Handle, Which};
use reasonix_proto::{Asking, Choice, Decided, Event, Op, RecordBody, ToolOutcome, TurnState};
use reasonix_testkit::Reply;
use serde_json::json;
use world::World;

/// What a person answers.
#[derive(Clone)]
struct Says {
    choice: Choice,
    words: Option<&'static str>,
    edited: Option<&'static str>,
}

const YES: Says = Says { choice: Choice::AllowOnce, words: None, edited: None };
const NO: Says = Says { choice: Choice::Deny, words: None, edited: None };

fn session(rule: &str) -> Says {
    Says { choice: Choice::AllowSession { rule: rule.to_owned() }, ..YES }
}

fn start(world: &World, permissions: Permissions) -> Handle {
    world.open_with(Which::New, |start| {
        start.world.settings.permissions = permissions;
        start.attended = true;
    })
}

async fn turn(handle: &mut Handle, mut answer: impl FnMut(usize, &Asking) -> Says) -> (Vec<Asking>, Vec<Event>) {
    handle.submit(Op::Prompt { text: "go".into(), resolved: true });
    let (mut asked, mut events) = (Vec::new(), Vec::new());
    loop {
        let event = handle.events.next().await.expect("the session lives").event;
        if let Event::Asked { asking } = &event {
            let says = answer(asked.len(), asking);
            asked.push((**asking).clone());
            handle.submit(Op::Answer {
                ask: asking.ask.clone(),
                choice: says.choice,
                digest: Some(asking.digest.clone()),
                words: says.words.map(Into::into),
                edited: says.edited.map(Into::into),
            });
        }
        let over = event == Event::State { state: TurnState::Idle }
            && events.iter().any(|event| matches!(event, Event::TurnEnded { .. }));
        events.push(event);
        if over {
            return (asked, events);
        }
    }
}

fn outcomes(events: &[Event]) -> Vec<&ToolOutcome> {
    fn outcome(event: &Event) -> Option<&ToolOutcome> {
        match event {
            Event::ToolEnded { record } => match &record.body {
                RecordBody::Outcome { outcome, .. } => Some(outcome),
                _ => None,
            },
            _ => None,
        }
    }
    events.iter().filter_map(outcome).collect()
}

fn decided(events: &[Event]) -> Vec<&Decided> {
    fn decision(event: &Event) -> Option<&Decided> {
        match event {
            Event::Answered { record } => match &record.body {
                RecordBody::Decided(decided) => Some(decided),
                _ => None,
            },
            _ => None,
        }
    }
    events.iter().filter_map(decision).collect()
}

fn bash(command: &str) -> Reply {
    Reply::call("bash", json!({ "command": command }))
}

#[tokio::test]
async fn a_no_can_carry_words_and_the_model_reads_them() {
    let world = World::new(vec![bash("touch x"), Reply::say("ok")]).await;
    let mut handle = start(&world, Permissions::default());
    let (_, events) = turn(&mut handle, |_, _| Says { words: Some("  use a file in tmp  "), ..NO }).await;
    let ToolOutcome::Denied { by } = outcomes(&events)[0] else { panic!("{events:?}") };
    assert!(by.contains("The user said: use a file in tmp"), "{by}");
    assert_eq!(decided(&events)[0].words.as_deref(), Some("use a file in tmp"));
    assert!(!world.work.exists("x"));
}

#[tokio::test]
async fn words_are_not_taken_with_a_yes() {
    let world = World::new(vec![bash("touch x"), Reply::say("ok")]).await;
    let mut handle = start(&world, Permissions::default());
    let (_, events) = turn(&mut handle, |_, _| Says { words: Some("but not like this"), ..YES }).await;
    assert_eq!((world.work.exists("x"), decided(&events)[0].words.as_deref()), (true, None));
}

#[tokio::test]
async fn an_edited_command_runs_in_place_of_the_models_which_is_told_so() {
    let world = World::new(vec![bash("touch x"), Reply::say("ok")]).await;
    let mut handle = start(&world, Permissions::default());
    let (asked, events) = turn(&mut handle, |_, _| Says { edited: Some("touch y; echo done"), ..YES }).await;
    assert_eq!(asked.len(), 1, "what the user typed needs no yes of the same user: {asked:?}");
    assert!(asked[0].editable);
    assert!(!world.work.exists("x") && world.work.exists("y"));
    let ToolOutcome::Done { content, .. } = outcomes(&events)[0] else { panic!("{events:?}") };
    let content = content.plain().unwrap();
    assert!(content.contains("the user changed this call") && content.contains("touch y; echo done"), "{content}");
    assert_eq!(decided(&events)[0].edited.as_deref(), Some("touch y; echo done"));
}

#[tokio::test]
async fn an_edited_command_is_judged_from_the_beginning() {
    let world = World::new(vec![bash("touch x"), bash("touch z"), Reply::say("ok")]).await;
    std::fs::write(world.work.path().join("keep"), "x").unwrap();
    let permissions = Permissions { deny: vec!["Bash(curl:*)".into()], ..Permissions::default() };
    let mut handle = start(&world, permissions);
    let (asked, events) = turn(&mut handle, |at, _| match at {
        0 => Says { edited: Some("rm keep"), ..YES },
        1 => NO,
        _ => Says { edited: Some("curl http://127.0.0.1/"), ..YES },
    })
    .await;
    assert_eq!(
        asked.iter().map(|asking| asking.subject.as_str()).collect::<Vec<_>>(),
        ["touch x", "rm keep", "touch z"]
    );
    assert!(!asked[1].danger.is_empty() && asked[0].digest != asked[1].digest);
    assert!(world.work.exists("keep") && !world.work.exists("x") && !world.work.exists("z"));
    for outcome in outcomes(&events) {
        assert!(matches!(outcome, ToolOutcome::Denied { .. }), "{outcome:?}");
    }
}

#[tokio::test]
async fn nothing_but_a_command_is_edited_and_only_for_this_once() {
    let call = Reply::call("write_file", json!({"path": "a", "content": "x"}));
    let world = World::new(vec![call, Reply::say("ok")]).await;
    let mut handle = start(&world, Permissions::default());
    let sender = handle.sender();
    let (asked, events) = turn(&mut handle, |_, asking| {
        assert!(!asking.editable);
        let edited = Some("touch y".to_owned());
        let (ask, choice) = (asking.ask.clone(), Choice::AllowOnce);
        sender.submit(Op::Answer { ask, choice, digest: None, words: None, edited });
        NO
    })
    .await;
    let refused =
        |event: &Event| matches!(event, Event::Notice { phrase, .. } if phrase.code == "engine.answer_not_offered");
    assert!(events.iter().any(refused));
    assert!(asked.len() == 1 && !world.work.exists("a") && !world.work.exists("y"));
}

#[tokio::test]
async fn an_edit_that_cannot_succeed_is_not_asked_about() {
    let edit =
        |path: &str| Reply::call("edit_file", json!({"path": path, "old_string": "nowhere in it", "new_string": "b"}));
    let world = World::new(vec![edit("a"), edit("missing"), edit("closed"), Reply::say("ok")]).await;
    std::fs::write(world.work.path().join("a"), "text\n").unwrap();
    std::fs::write(world.work.path().join("closed"), "a private matter\n").unwrap();
    // Why an edit fails tells something of the file: where reading is asked about, so is that.
    let permissions = Permissions { ask: vec!["Read(closed)".into()], ..Permissions::default() };
    let mut handle = start(&world, permissions);
    let (asked, events) = turn(&mut handle, |_, _| NO).await;
    assert_eq!(asked.iter().map(|asking| asking.subject.as_str()).collect::<Vec<_>>(), ["closed"]);
    let outcomes = outcomes(&events);
    assert!(matches!(outcomes[0], ToolOutcome::Failed { .. }) && matches!(outcomes[1], ToolOutcome::Failed { .. }));
    assert!(!format!("{:?}", outcomes[2]).contains("private"), "{outcomes:?}");
    assert_eq!(std::fs::read_to_string(world.work.path().join("a")).unwrap(), "text\n");
}

/// Changes of each kind that cannot be made.
fn impossible() -> Vec<(&'static str, serde_json::Value)> {
    let patch = |text: &str| json!({ "patch": format!("*** Begin Patch\n{text}\n*** End Patch") });
    vec![
        ("edit_file", json!({"path": "a", "old_string": "nowhere in it", "new_string": "b"})),
        ("edit_file", json!({"path": "missing", "old_string": "x", "new_string": "b"})),
        ("edit_file", json!({"path": "twice", "old_string": "same", "new_string": "b"})),
        ("edit_file", json!({"path": "folder", "old_string": "x", "new_string": "b"})),
        ("edit_file", json!({"path": "a/below", "old_string": "x", "new_string": "b"})),
        ("edit_file", json!({"path": "a"})),
        ("multi_edit", json!({"path": "a", "edits": []})),
        (
            "multi_edit",
            json!({"path": "a", "edits": [
            {"old_string": "text", "new_string": "b"}, {"old_string": "nowhere in it", "new_string": "b"}]}),
        ),
        ("multi_edit", json!({"path": "missing", "edits": [{"old_string": "text", "new_string": "b"}]})),
        ("write_file", json!({"path": "folder", "content": "x"})),
        ("write_file", json!({"path": "a/below", "content": "x"})),
        ("write_file", json!({"path": "../outside-of-it", "content": "x"})),
        ("write_file", json!({"path": "/nowhere/at/all", "content": "x"})),
        ("write_file", json!({"path": "link/new", "content": "x"})),
        ("write_file", json!({"path": "n\u{0}ul", "content": "x"})),
        ("write_file", json!({"path": "n".repeat(300), "content": "x"})),
        ("write_file", json!({"path": "new"})),
        ("apply_patch", patch("*** Update File: a\n@@\n-nowhere in it\n+b")),
        ("apply_patch", patch("*** Update File: missing\n@@\n-text\n+b")),
        ("apply_patch", patch("*** Delete File: missing")),
        ("apply_patch", patch("*** Add File: a\n+x")),
        ("apply_patch", patch("*** Add File: a/below\n+x")),
        ("apply_patch", patch("*** Update File: a\n*** Move to: twice\n@@\n-text\n+b")),
        ("apply_patch", patch("*** Add File: folder\n+x")),
        ("apply_patch", json!({"patch": "no patch at all"})),
        ("move_file", json!({"from": "missing", "to": "b"})),
        ("move_file", json!({"from": "a", "to": "twice"})),
        ("move_file", json!({"from": "a", "to": "twice/below"})),
        ("move_file", json!({"from": "a", "to": "../outside-of-it"})),
        ("delete_range", json!({"path": "a", "start_line": 7, "end_line": 9})),
        ("delete_range", json!({"path": "a", "start_line": 2, "end_line": 1})),
        ("delete_range", json!({"path": "missing", "start_line": 1, "end_line": 1})),
    ]
}

#[tokio::test]
async fn no_kind_of_change_that_cannot_be_made_is_asked_about() {
    let mut wrong = Vec::new();
    for (tool, arguments) in impossible() {
        let world = World::new(vec![Reply::call(tool, arguments.clone()), Reply::say("ok")]).await;
        world.work.write("a", "text\n");
        world.work.write("twice", "same\nsame\n");
        world.work.write("folder/x", "");
        std::os::unix::fs::symlink("/nowhere", world.work.join("link")).unwrap();
        let mut handle = start(&world, Permissions::default());
        let (asked, events) = turn(&mut handle, |_, _| YES).await;
        let failed = matches!(outcomes(&events)[0], ToolOutcome::Failed { .. });
        if !asked.is_empty() || !failed {
            wrong.push(format!("{tool} {arguments}: asked {}, {:?}", asked.len(), outcomes(&events)[0]));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[tokio::test]
async fn the_new_text_of_a_long_rewrite_is_in_the_question() {
    let text = |word: &str| (1..=400).map(|n| format!("{word} {n}\n")).collect::<String>();
    let call = Reply::call("write_file", json!({"path": "a", "content": text("new")}));
    let world = World::new(vec![Reply::call("read_file", json!({"path": "a"})), call, Reply::say("ok")]).await;
    std::fs::write(world.work.path().join("a"), text("old")).unwrap();
    let mut handle = start(&world, Permissions::default());
    let (asked, _) = turn(&mut handle, |_, _| NO).await;
    let diff = asked[0].diff.as_deref().unwrap();
    assert!(diff.contains("-old 400\n") && diff.contains("+new 1\n") && diff.ends_with("+new 400\n"), "{diff}");
    assert_eq!((asked[0].changes[0].added, asked[0].changes[0].removed), (400, 400));
}

/// Ways to run a file, with the file, and whether a session can let it run from then on. None of them reaches out.
const FORMS: &[(&str, &str, bool)] = &[
    ("bash s.sh", "s.sh", true),
    ("sh -x s.sh", "s.sh", true),
    ("./s.sh", "s.sh", true),
    ("timeout 9 sh ./s.sh", "s.sh", true),
    ("cd . && sh s.sh", "s.sh", true),
    ("cd sub && bash s.sh", "sub/s.sh", true),
    ("source s.sh", "s.sh", true),
    ("bash < s.sh", "s.sh", false),
    ("cat s.sh | bash", "s.sh", false),
    ("make -s", "Makefile", true),
    ("make -s -C sub", "sub/Makefile", true),
    ("python3 s.py", "s.py", true),
    ("python3 -m mod", "mod/__main__.py", true),
    ("python3 -m mod.part", "mod/__init__.py", true),
    ("node .", "main.js", true),
    ("perl s.pl", "s.pl", true),
    ("ruby s.rb", "s.rb", true),
    ("php s.php", "s.php", true),
    ("just x", "justfile", true),
];

/// The same for programs that may look for something elsewhere: they are not run here.
const UNRUN: &[(&str, &str)] = &[
    ("npm run x", "package.json"),
    ("npm test", "package.json"),
    ("pnpm x", "package.json"),
    ("yarn x", "package.json"),
    ("cd sub && npm test", "package.json"),
    ("deno run s.ts", "s.ts"),
    ("bun run s.ts", "s.ts"),
    ("go run s.go", "s.go"),
];

fn furnish(world: &World) {
    let files = FORMS.iter().map(|(_, file, _)| *file).chain(UNRUN.iter().map(|(_, file)| *file));
    for file in files {
        world.work.write(file, "");
        let rights = std::os::unix::fs::PermissionsExt::from_mode(0o755);
        std::fs::set_permissions(world.work.join(file), rights).unwrap();
    }
    world.work.write("mod/part.py", "");
    world.work.write("package.json", r#"{"main": "main.js"}"#);
}

#[tokio::test]
async fn a_script_that_changes_while_its_question_stands_is_asked_about_again() {
    for (command, file) in FORMS.iter().map(|(command, file, _)| (*command, *file)).chain(UNRUN.iter().copied()) {
        let world = World::new(vec![bash(command), Reply::say("ok")]).await;
        furnish(&world);
        let mut handle = start(&world, Permissions::default());
        let (asked, _) = turn(&mut handle, |at, _| match at {
            0 => {
                world.work.write(file, "#\n");
                YES
            }
            _ => NO,
        })
        .await;
        assert_eq!(asked.len(), 2, "{command}");
        assert_eq!(asked[1].why.code, "engine.ask_changed", "{command}");
        assert_ne!(asked[0].digest, asked[1].digest, "{command}");
    }
}

#[tokio::test]
async fn what_slipped_into_a_script_does_not_run() {
    let world = World::new(vec![bash("bash s.sh"), Reply::say("ok")]).await;
    world.work.write("s.sh", "touch looked_at\n");
    let mut handle = start(&world, Permissions::default());
    let (asked, _) = turn(&mut handle, |at, _| match at {
        0 => {
            world.work.write("s.sh", "touch slipped_in\n");
            YES
        }
        _ => NO,
    })
    .await;
    assert_eq!(asked.len(), 2);
    assert!(!world.work.exists("slipped_in") && !world.work.exists("looked_at"));
}

#[tokio::test]
async fn a_grant_holds_for_a_script_as_it_was_in_each_form() {
    for (command, file, granted) in FORMS {
        let world =
            World::new((0..6).map(|at| if at % 2 == 0 { bash(command) } else { Reply::say("ok") }).collect()).await;
        furnish(&world);
        let mut handle = start(&world, Permissions::default());
        let (asked, _) = turn(&mut handle, |_, asking| match asking.rules.first() {
            Some(rule) => session(rule),
            None => YES,
        })
        .await;
        assert_eq!(asked.len(), 1, "{command}");
        let (asked, _) = turn(&mut handle, |_, _| NO).await;
        assert_eq!(asked.len(), usize::from(!granted), "{command}: nothing changed");
        world.work.write(file, "#\n");
        let (asked, _) = turn(&mut handle, |_, _| NO).await;
        assert_eq!(asked.len(), 1, "{command}: {file} changed");
        assert!(!granted || asked[0].why.code == "engine.ask_changed", "{command}: {:?}", asked[0].why);
    }
}

#[tokio::test]
async fn a_grant_for_good_holds_for_what_the_script_was_then() {
    let rule = "Bash(./s.sh)";
    let always = || Says { choice: Choice::AllowAlways { rule: rule.to_owned() }, ..YES };
    let turns = (0..12).map(|at| if at % 2 == 0 { bash("./s.sh") } else { Reply::say("ok") });
    let world = World::new(turns.collect()).await;
    furnish(&world);
    let later = || Permissions { allow: vec![rule.into()], granted: vec![rule.into()], ..Permissions::default() };
    let alone = |permissions| {
        world.open_with(Which::New, |start| {
            start.world.settings.permissions = permissions;
            start.attended = false;
        })
    };
    world.work.write("s.sh", "echo x >> ran\n");
    let (asked, _) = turn(&mut start(&world, Permissions::default()), |_, _| always()).await;
    assert_eq!(asked.len(), 1);
    // Another session, with what stands in the user's file by then.
    let (asked, _) = turn(&mut start(&world, later()), |_, _| NO).await;
    assert_eq!((asked.len(), world.work.read("ran").as_str()), (0, "x\nx\n"));
    world.work.write("s.sh", "touch slipped_in\n");
    let (asked, _) = turn(&mut start(&world, later()), |_, _| NO).await;
    assert_eq!((asked.len(), &*asked[0].why.code), (1, "engine.ask_changed"));
    let (asked, events) = turn(&mut alone(later()), |_, _| YES).await;
    assert!(asked.is_empty() && matches!(outcomes(&events)[0], ToolOutcome::Denied { .. }), "{events:?}");
    assert!(!world.work.exists("slipped_in"));
    // Granted anew it holds again; and a rule that somebody wrote by hand is no grant.
    let (asked, _) = turn(&mut start(&world, later()), |_, _| always()).await;
    assert_eq!((asked.len(), world.work.exists("slipped_in")), (1, true));
    world.work.write("s.sh", "touch by_hand\n");
    let by_hand = Permissions { allow: vec![rule.into()], ..Permissions::default() };
    let (asked, _) = turn(&mut start(&world, by_hand), |_, _| NO).await;
    assert_eq!((asked.len(), world.work.exists("by_hand")), (0, true));
}

#[tokio::test]
async fn a_grant_for_a_script_ends_when_the_script_changes() {
    let run = || bash("bash s.sh");
    let over = || Reply::say("ok");
    let world = World::new(vec![run(), over(), run(), over(), run(), over()]).await;
    let script = world.work.path().join("s.sh");
    std::fs::write(&script, "echo x >> ran\n").unwrap();
    let mut handle = start(&world, Permissions::default());
    let (asked, _) = turn(&mut handle, |_, asking| session(&asking.rules[0])).await;
    assert_eq!((asked.len(), &*asked[0].why.code), (1, "engine.ask_mode"));
    let (asked, _) = turn(&mut handle, |_, _| NO).await;
    assert_eq!(asked.len(), 0, "the grant holds for what it was given for");
    std::fs::write(&script, "touch slipped_in\n").unwrap();
    let (asked, _) = turn(&mut handle, |_, _| NO).await;
    assert_eq!((asked.len(), &*asked[0].why.code), (1, "engine.ask_changed"));
    assert!(!world.work.exists("slipped_in"));
    assert_eq!(std::fs::read_to_string(world.work.path().join("ran")).unwrap(), "x\nx\n");
}

#[tokio::test]
async fn what_a_script_works_on_may_change_under_a_grant() {
    let run = || bash("bash s.sh data");
    let world = World::new(vec![run(), run(), Reply::say("ok")]).await;
    std::fs::write(world.work.path().join("s.sh"), "echo x >> $1\n").unwrap();
    std::fs::write(world.work.path().join("data"), "").unwrap();
    let mut handle = start(&world, Permissions::default());
    let (asked, _) = turn(&mut handle, |_, asking| session(&asking.rules[0])).await;
    assert_eq!(asked.len(), 1);
    assert_eq!(std::fs::read_to_string(world.work.path().join("data")).unwrap(), "x\nx\n");
}
