//! The gate of a live session: nothing runs around it, the first answer wins, and a grant lasts as long as it says.

use crate::world;

use reasonix_config::Permissions;
use reasonix_engine::{Handle, Which};
use reasonix_proto::{
    Asking, ChangeKind, Choice, Event, Op, Query, RecordBody, Reply as Reply_, Scope, ToolOutcome, TurnState,
};
use reasonix_testkit::Reply;
use serde_json::json;
use std::collections::BTreeMap;
use std::ops::Deref;
use world::World;

/// A world, and what its sessions are started with.
struct Gated {
    world: World,
    approve: Vec<String>,
    trust: reasonix_config::Trust,
}

impl Gated {
    async fn new(replies: Vec<Reply>) -> Self {
        let trust = reasonix_config::Trust::default();
        Self { world: World::new(replies).await, approve: Vec::new(), trust }
    }

    fn start(&self, permissions: Permissions, attended: bool) -> Handle {
        self.start_which(Which::New, permissions, attended)
    }

    fn start_which(&self, which: Which, permissions: Permissions, attended: bool) -> Handle {
        self.world.open_with(which, |start| {
            start.world.settings.permissions = permissions;
            start.world.settings.trust = self.trust.clone();
            start.attended = attended;
            start.approve.clone_from(&self.approve);
        })
    }
}

impl Deref for Gated {
    type Target = World;

    fn deref(&self) -> &World {
        &self.world
    }
}

/// Runs one prompt; questions are answered by `answer`. Gives all events of the turn.
async fn turn(handle: &mut Handle, prompt: &str, mut answer: impl FnMut(&Asking) -> Vec<Choice>) -> Vec<Event> {
    handle.submit(Op::Prompt { text: prompt.into(), resolved: true });
    let mut events = Vec::new();
    loop {
        let event = handle.events.next().await.expect("the session lives").event;
        if let Event::Asked { asking } = &event {
            for choice in answer(asking) {
                handle.submit(Op::Answer {
                    ask: asking.ask.clone(),
                    choice,
                    digest: Some(asking.digest.clone()),
                    words: None,
                    edited: None,
                });
            }
        }
        let over = event == Event::State { state: TurnState::Idle }
            && events.iter().any(|event| matches!(event, Event::TurnEnded { .. }));
        events.push(event);
        if over {
            return events;
        }
    }
}

fn outcomes(events: &[Event]) -> Vec<&ToolOutcome> {
    events
        .iter()
        .filter_map(|event| match event {
            Event::ToolEnded { record } => match &record.body {
                RecordBody::Outcome { outcome, .. } => Some(outcome),
                _ => None,
            },
            _ => None,
        })
        .collect()
}

fn notices(events: &[Event]) -> Vec<String> {
    events
        .iter()
        .filter_map(|event| match event {
            Event::Notice { phrase, .. } => Some(phrase.code.to_string()),
            _ => None,
        })
        .collect()
}

fn touch(name: &str) -> Reply {
    Reply::call("bash", json!({"command": format!("touch {name}")}))
}

#[tokio::test]
async fn nothing_runs_before_the_answer_and_a_refusal_is_final() {
    let world = Gated::new(vec![touch("x"), Reply::say("I may not")]).await;
    let mut handle = world.start(Permissions::default(), true);
    let work = world.work.path();
    let events = turn(&mut handle, "go", |asking| {
        assert_eq!(asking.subject, "touch x");
        assert!(!work.join("x").exists());
        vec![Choice::Deny]
    })
    .await;
    assert!(matches!(outcomes(&events)[0], ToolOutcome::Denied { .. }));
    assert!(!world.work.exists("x"));
    world.server.assert_valid();
}

#[tokio::test]
async fn the_first_answer_wins_and_the_second_is_told_so() {
    let world = Gated::new(vec![touch("x"), Reply::say("ok")]).await;
    let mut handle = world.start(Permissions::default(), true);
    let events = turn(&mut handle, "go", |_| vec![Choice::Deny, Choice::AllowOnce]).await;
    assert!(!world.work.exists("x"));
    assert!(notices(&events).contains(&"engine.answer_late".to_owned()), "{:?}", notices(&events));
}

#[tokio::test]
async fn a_grant_covers_what_was_offered_and_nothing_else() {
    let replies =
        vec![touch("a"), touch("b"), Reply::call("bash", json!({"command": "touch c; mkdir d"})), Reply::say("ok")];
    let world = Gated::new(replies).await;
    let mut handle = world.start(Permissions::default(), true);
    let mut asked = Vec::new();
    turn(&mut handle, "go", |asking| {
        asked.push(asking.subject.clone());
        match asked.len() {
            // A rule that was not offered is not taken; the question stays open for a right answer.
            1 => vec![
                Choice::AllowSession { rule: "Bash".into() },
                Choice::AllowSession { rule: "Bash(touch:*)".into() },
            ],
            _ => vec![Choice::Deny],
        }
    })
    .await;
    assert_eq!(asked, ["touch a", "touch c; mkdir d"], "touch b is covered, a line with another command is not");
    assert!(world.work.exists("a") && world.work.exists("b") && !world.work.exists("c"));
}

#[tokio::test]
async fn an_edit_is_asked_about_with_its_diff() {
    let edit = Reply::call("edit_file", json!({"path": "a.txt", "old_string": "one", "new_string": "two"}));
    let world = Gated::new(vec![edit, Reply::say("ok")]).await;
    world.work.write("a.txt", "one\n");
    let mut handle = world.start(Permissions::default(), true);
    turn(&mut handle, "go", |asking| {
        let diff = asking.diff.as_deref().unwrap_or_default();
        assert!(diff.contains("-one") && diff.contains("+two"), "{diff}");
        let [change] = asking.changes.as_slice() else { panic!("{:?}", asking.changes) };
        assert_eq!((change.path.as_str(), change.added, change.removed), ("a.txt", 1, 1));
        assert_eq!(change.kind, ChangeKind::Updated);
        let lines: Vec<_> = change.hunks[0].lines.iter().map(|line| (line.old, line.new, line.text.as_str())).collect();
        assert_eq!(lines, [(Some(1), None, "one"), (None, Some(1), "two")]);
        assert_eq!(asking.rules, ["Edit"]);
        vec![Choice::AllowOnce]
    })
    .await;
    assert_eq!(world.work.read("a.txt"), "two\n");
}

#[tokio::test]
async fn a_link_does_not_get_around_a_rule_for_its_target() {
    let read = |path: &str| Reply::call("read_file", json!({"path": path}));
    let write = Reply::call("write_file", json!({"path": "open/x", "content": "changed"}));
    let world = Gated::new(vec![read("open/x"), write, read("docs/a"), Reply::say("ok")]).await;
    world.work.write("private/x", "secret\n");
    world.work.write("docs/a", "public\n");
    std::os::unix::fs::symlink("private", world.work.join("open")).expect("a link");
    let deny = vec!["Read(private/**)".into(), "Edit(private/**)".into()];
    let mut handle = world.start(Permissions { deny, ..Permissions::default() }, false);
    let events = turn(&mut handle, "go", |_| vec![]).await;
    let outcomes = outcomes(&events);
    assert!(matches!(outcomes[0], ToolOutcome::Denied { .. }), "{:?}", outcomes[0]);
    assert!(matches!(outcomes[1], ToolOutcome::Denied { .. }), "{:?}", outcomes[1]);
    assert!(outcomes[2].is_done());
    assert_eq!(world.work.read("private/x"), "secret\n");
}

#[tokio::test]
async fn follow_ups_and_steering_are_heard() {
    let world = Gated::new(vec![touch("a"), Reply::say("one"), Reply::say("two")]).await;
    let mut handle = world.start(Permissions::default(), true);
    let sender = handle.sender();
    turn(&mut handle, "go", |_| {
        sender.submit(Op::Steer { text: "be quick".into() });
        sender.submit(Op::FollowUp { text: "and then".into() });
        vec![Choice::AllowOnce]
    })
    .await;
    world.server.wait_for_requests(3).await;
    let requests = world.server.requests();
    assert_eq!(requests[1].last_content(), "be quick");
    assert_eq!(requests[2].last_content(), "and then");
    world.server.assert_valid();
    world.server.assert_prefixes_grow();
}

#[tokio::test]
async fn todo_survives_a_resume() {
    let init = Reply::call(
        "todo_write",
        json!({"ops": [{"op": "init", "list": [{"phase": "P", "items": ["first", "second"]}]}]}),
    );
    let world = Gated::new(vec![init, Reply::say("ok"), Reply::call("todo_read", json!({})), Reply::say("ok")]).await;
    let mut handle = world.start(Permissions::default(), true);
    turn(&mut handle, "go", |_| vec![]).await;
    let id = handle.session.clone();
    handle.submit(Op::Shutdown);
    while handle.events.next().await.is_some_and(|envelope| envelope.event != Event::SessionEnded) {}
    drop(handle);
    let mut handle = world.start_which(Which::Resume(id.0), Permissions::default(), true);
    let events = turn(&mut handle, "what is left?", |_| vec![]).await;
    let text = reasonix_agent::outcome_text(outcomes(&events)[0]);
    assert!(text.contains("[~] first") && text.contains("[ ] second"), "{text}");
    world.server.assert_prefixes_grow();
}

fn bash(command: &str) -> Reply {
    Reply::call("bash", json!({"command": command}))
}

fn denied(outcome: &ToolOutcome) -> &str {
    match outcome {
        ToolOutcome::Denied { by } => by,
        other => panic!("{other:?}"),
    }
}

fn allow_all() -> Permissions {
    Permissions { mode: reasonix_config::Fallback::Allow, allow: vec!["Bash".into()], ..Permissions::default() }
}

#[tokio::test]
async fn danger_is_asked_about_whatever_is_allowed_and_nothing_is_remembered() {
    let world = Gated::new(vec![bash("rm a"), bash("rm b"), bash("rm \u{200b}c d"), Reply::say("ok")]).await;
    for name in ["a", "b"] {
        world.work.write(name, "x");
    }
    let mut handle = world.start(allow_all(), true);
    let mut asked = Vec::new();
    let events = turn(&mut handle, "go", |asking| {
        assert!(asking.rules.is_empty(), "a rule is offered");
        assert_eq!(asking.why.code, "engine.ask_danger");
        asked.push(asking.clone());
        match asked.len() {
            1 => vec![Choice::AllowSession { rule: "Bash(rm:*)".into() }, Choice::AllowOnce],
            _ => vec![Choice::Deny],
        }
    })
    .await;
    assert_eq!(asked.len(), 3);
    assert_eq!(asked[0].danger[0].why.code, "policy.danger_delete");
    assert_eq!(asked[0].danger[0].touches, ["a"]);
    assert_eq!(asked[0].visible, None);
    assert_eq!(asked[2].visible.as_deref(), Some("rm ⟨U+200B⟩c d"));
    assert!(notices(&events).contains(&"engine.answer_not_offered".to_owned()));
    assert!(!world.work.exists("a") && world.work.exists("b"));
}

#[tokio::test]
async fn an_answer_is_bound_to_what_was_shown() {
    let world = Gated::new(vec![touch("a"), touch("b"), Reply::say("ok")]).await;
    let mut handle = world.start(Permissions::default(), true);
    let sender = handle.sender();
    let mut digests = Vec::new();
    let events = turn(&mut handle, "go", |asking| {
        let other = Op::Answer {
            ask: asking.ask.clone(),
            choice: Choice::AllowOnce,
            digest: Some("0".repeat(64)),
            words: None,
            edited: None,
        };
        sender.submit(other);
        digests.push(asking.digest.clone());
        vec![Choice::Deny]
    })
    .await;
    assert!(notices(&events).contains(&"engine.answer_other".to_owned()));
    assert!(digests[0].len() == 64 && digests[0] != digests[1]);
    assert!(!world.work.exists("a") && !world.work.exists("b"));
}

#[tokio::test]
async fn without_a_person_danger_is_refused_with_a_reason() {
    let calls = ["rm old", "echo x > old", "mv old new", "eval \"$X\"", "git reset --hard", "echo x | sh"];
    let mut replies: Vec<Reply> = calls.into_iter().map(bash).collect();
    replies.push(Reply::say("ok"));
    let world = Gated::new(replies).await;
    world.work.write("old", "precious\n");
    let mut handle = world.start(allow_all(), false);
    let events = turn(&mut handle, "go", |_| vec![]).await;
    for (call, outcome) in calls.iter().zip(outcomes(&events)) {
        assert!(denied(outcome).starts_with("by the dangerous class: "), "{call}: {outcome:?}");
    }
    assert!(denied(outcomes(&events)[1]).contains("write_file"));
    assert_eq!(world.work.read("old"), "precious\n");
}

#[tokio::test]
async fn what_this_session_made_is_its_own() {
    let calls = [
        "echo one > new.txt",
        "echo two > new.txt",
        "mv new.txt moved.txt",
        "echo three > moved.txt",
        "grep -c t moved.txt > count.txt",
        "ls > /dev/null 2>&1",
    ];
    let mut replies: Vec<Reply> = calls.into_iter().map(bash).collect();
    replies.push(Reply::call("write_file", json!({"path": "made.txt", "content": "a\n"})));
    replies.push(bash("echo b > made.txt"));
    replies.push(bash("echo b > old.txt"));
    replies.push(bash("ln -s old.txt link; true"));
    replies.push(bash("echo b > link"));
    replies.push(bash("cd sub; echo b > old.txt"));
    replies.push(Reply::say("ok"));
    let world = Gated::new(replies).await;
    world.work.write("old.txt", "old\n");
    let mut handle = world.start(Permissions::default(), false);
    let events = turn(&mut handle, "go", |_| vec![]).await;
    let outcomes = outcomes(&events);
    for (index, outcome) in outcomes.iter().enumerate() {
        assert_eq!(outcome.is_done(), ![8, 10, 11].contains(&index), "{index}: {outcome:?}");
    }
    assert_eq!(world.work.read("moved.txt"), "three\n");
    assert_eq!(world.work.read("made.txt"), "b\n");
    assert_eq!(world.work.read("old.txt"), "old\n");
}

#[tokio::test]
async fn what_was_approved_for_the_run_answers_and_is_journaled() {
    let mut world = Gated::new(vec![
        bash("rm -rf build"),
        bash("rm -rf ../outside"),
        bash("touch asked"),
        bash("rm x; eval \"$Y\""),
        Reply::say("ok"),
    ])
    .await;
    world.approve = vec!["Bash(rm:*)".into(), "Bash(touch:*)".into()];
    world.work.write("build/x", "x");
    let permissions = Permissions { ask: vec!["Bash(touch:*)".into()], ..Permissions::default() };
    let mut handle = world.start(permissions, false);
    let events = turn(&mut handle, "go", |_| vec![]).await;
    let outcomes = outcomes(&events);
    assert!(outcomes[0].is_done() && !world.work.exists("build"));
    assert!(matches!(outcomes[1], ToolOutcome::Denied { .. }), "outside of the workspace");
    assert!(outcomes[2].is_done() && world.work.exists("asked"));
    assert!(matches!(outcomes[3], ToolOutcome::Denied { .. }), "a hidden program is never approved");
    let decided: Vec<_> = events
        .iter()
        .filter_map(|event| match event {
            Event::Answered { record } => match &record.body {
                RecordBody::Decided(decided) => Some((decided.allowed, decided.by.to_string())),
                _ => None,
            },
            _ => None,
        })
        .collect();
    assert_eq!(decided[0], (true, "--approve Bash(rm:*)".to_owned()));
    assert_eq!(decided[2], (true, "--approve Bash(touch:*)".to_owned()));
}

#[tokio::test]
async fn readers_run_without_a_question_but_only_here() {
    let world =
        Gated::new(vec![bash("ls; cat a | wc -l"), bash("cat /etc/hostname"), bash("cat $HOME/x"), Reply::say("ok")])
            .await;
    world.work.write("a", "1\n2\n");
    let mut handle = world.start(Permissions::default(), true);
    let mut asked = Vec::new();
    turn(&mut handle, "go", |asking| {
        asked.push(asking.subject.clone());
        vec![Choice::Deny]
    })
    .await;
    assert_eq!(asked, ["cat /etc/hostname", "cat $HOME/x"]);
}

#[tokio::test]
async fn settings_name_more_dangers() {
    let world = Gated::new(vec![bash("make deploy"), Reply::say("ok")]).await;
    let permissions = Permissions { dangerous: vec!["make deploy".into()], ..allow_all() };
    let mut handle = world.start(permissions, false);
    let events = turn(&mut handle, "go", |_| vec![]).await;
    assert!(denied(outcomes(&events)[0]).contains("make deploy"));
}

#[tokio::test]
async fn a_rule_for_files_holds_for_commands_that_name_them() {
    let calls = [
        "cat private/x",
        "cat ./private/../private/x",
        "cd private && cat x",
        "wc -l < private/x",
        "grep -r s --file=private/x .",
        "cat open/x",
        "echo a > docs/new",
        "cp a docs/b",
        "cat a",
    ];
    let mut replies: Vec<Reply> = calls.into_iter().map(bash).collect();
    replies.push(Reply::say("ok"));
    let world = Gated::new(replies).await;
    world.work.write("private/x", "secret\n");
    world.work.write("a", "a\n");
    world.work.write("docs/a", "a\n");
    std::os::unix::fs::symlink("private", world.work.join("open")).expect("a link");
    let deny = vec!["Read(private/**)".into(), "Edit(docs/**)".into()];
    let mut handle = world.start(Permissions { deny, ..allow_all() }, false);
    let events = turn(&mut handle, "go", |_| vec![]).await;
    for (call, outcome) in calls.iter().zip(outcomes(&events)) {
        assert_eq!(outcome.is_done(), *call == "cat a", "{call}: {outcome:?}");
    }
    assert!(!world.work.exists("docs/new") && !world.work.exists("docs/b"));
}

/// The question, and what came of answering it with "always" where that is offered.
async fn always(world: &Gated, permissions: Permissions) -> (Vec<Choice>, Vec<Event>) {
    let mut handle = world.start(permissions, true);
    let mut choices = Vec::new();
    let events = turn(&mut handle, "go", |asking| {
        if choices.is_empty() {
            choices.clone_from(&asking.choices);
        }
        let always = asking.choices.iter().find(|choice| matches!(choice, Choice::AllowAlways { .. }));
        vec![always.cloned().unwrap_or(Choice::AllowOnce)]
    })
    .await;
    (choices, events)
}

#[tokio::test]
async fn b13_a_grant_for_good_is_written_for_this_root_and_journaled() {
    let world = Gated::new(vec![touch("a"), touch("a"), Reply::say("ok")]).await;
    world.home.write("config.toml", "# mine\n[permissions] # keep\n");
    let (choices, events) = always(&world, Permissions::default()).await;
    let rule = |rule: &str| rule.to_owned();
    assert_eq!(
        choices,
        [
            Choice::AllowOnce,
            Choice::AllowSession { rule: rule("Bash(touch a)") },
            Choice::AllowSession { rule: rule("Bash(touch:*)") },
            Choice::AllowAlways { rule: rule("Bash(touch a)") },
            Choice::AllowAlways { rule: rule("Bash(touch:*)") },
            Choice::Deny,
        ]
    );
    let root = world.work.path().canonicalize().unwrap();
    let want = format!(
        "# mine\n[permissions] # keep\n\n[workspaces.\"{}\".permissions]\nallow = [\"Bash(touch a)\"]\n",
        root.display()
    );
    assert_eq!(world.home.read("config.toml"), want);
    let decided: Vec<_> = events
        .iter()
        .filter_map(|event| match event {
            Event::Answered { record } => match &record.body {
                RecordBody::Decided(decided) => Some((decided.by.to_string(), decided.granted.clone(), decided.saved)),
                _ => None,
            },
            _ => None,
        })
        .collect();
    let granted = Some(rule("Bash(touch a)"));
    assert_eq!(decided, [(rule("user"), granted, true), (rule("rule Bash(touch a)"), None, false)]);
    assert!(!world.work.exists("reasonix.toml"), "nothing goes into the project");
}

/// The rules as a person looks at them: each with where it comes from, and whether it can be taken away.
async fn rules(handle: &Handle) -> Vec<(String, String, bool)> {
    let Reply_::Permissions { rules, .. } = handle.query(Query::Permissions).await else { panic!() };
    rules.into_iter().map(|rule| (rule.rule, rule.origin.to_string(), rule.revocable)).collect()
}

fn kind(record: &reasonix_proto::Record) -> String {
    let value = serde_json::to_value(record).unwrap();
    value["kind"].as_str().unwrap_or_default().to_owned()
}

async fn revoked(handle: &mut Handle, rule: &str, scope: Scope) -> String {
    handle.submit(Op::Revoke { rule: rule.into(), scope });
    loop {
        match handle.events.next().await.expect("the session lives").event {
            Event::Changed { record } => break kind(&record),
            Event::Notice { phrase, .. } if phrase.code.starts_with("engine.") => break phrase.code.to_string(),
            _ => {}
        }
    }
}

#[tokio::test]
async fn a_grant_for_good_is_shown_with_its_file_and_taken_out_of_it() {
    let world =
        Gated::new(vec![touch("a"), Reply::say("ok"), touch("a"), Reply::say("ok"), touch("a"), Reply::say("ok")])
            .await;
    world.home.write("config.toml", "# mine\n");
    let file = format!("user {}", world.home.join("config.toml").display());
    let shown = [("Bash(touch a)".to_owned(), file, true)];
    // Granted in this session, and found by the next one: the same is shown, and each can take it away.
    for earlier in [false, true] {
        let mut handle = match earlier {
            false => world.start(Permissions::default(), true),
            true => {
                let granted = vec!["Bash(touch a)".to_owned()];
                reasonix_config::save_rule(&world.home.join("config.toml"), &world.work.path(), "Bash(touch a)")
                    .unwrap();
                world.start(Permissions { allow: granted.clone(), granted, ..Permissions::default() }, true)
            }
        };
        let mut asked = 0;
        let mut answer = |asking: &Asking| {
            asked += 1;
            let always = asking.choices.iter().find(|choice| matches!(choice, Choice::AllowAlways { .. }));
            vec![always.cloned().unwrap()]
        };
        turn(&mut handle, "go", &mut answer).await;
        assert_eq!(asked, u32::from(!earlier));
        assert_eq!(rules(&handle).await, shown);
        assert!(world.home.read("config.toml").contains("Bash(touch a)"));
        assert_eq!(revoked(&mut handle, "Bash(touch a)", Scope::Always).await, "granted");
        assert!(rules(&handle).await.is_empty());
        let text = world.home.read("config.toml");
        assert!(!text.contains("touch") && text.contains("# mine"), "{text}");
        assert_eq!(revoked(&mut handle, "Bash(touch a)", Scope::Always).await, "engine.not_granted");
        if earlier {
            let mut asked = 0;
            turn(&mut handle, "again", |_| {
                asked += 1;
                vec![Choice::Deny]
            })
            .await;
            assert_eq!(asked, 1, "it does not hold any more");
        }
    }
}

#[tokio::test]
async fn a_refusal_of_the_user_is_told_them_in_their_words() {
    let world = Gated::new(vec![touch("a"), Reply::say("as you wish")]).await;
    let mut handle = world.start(Permissions::default(), true);
    let events = turn(&mut handle, "go", |_| vec![Choice::Deny]).await;
    let why = events.iter().find_map(|event| match event {
        Event::TurnEnded { record } => match &record.body {
            RecordBody::TurnEnded { end: reasonix_proto::TurnEnd::Refused { why, .. }, .. } => {
                Some(why.code.to_string())
            }
            _ => None,
        },
        _ => None,
    });
    assert_eq!(why.as_deref(), Some("engine.refused_by_user"));
    assert!(denied(outcomes(&events)[0]).contains("Do not try it again"), "the model is told what to do");
}

#[tokio::test]
async fn an_effort_that_nobody_knows_is_refused() {
    let world = Gated::new(vec![]).await;
    let mut handle = world.start(Permissions::default(), true);
    for (effort, wanted) in [("silly", "engine.unknown_effort"), ("high", "model_changed")] {
        handle.submit(Op::SetModel { model: None, effort: Some(effort.into()) });
        let came = loop {
            match handle.events.next().await.expect("the session lives").event {
                Event::Changed { record } => break kind(&record),
                // That a session begins without a known window is said first.
                Event::Notice { phrase, .. } if phrase.code == "engine.window_unknown" => {}
                Event::Notice { phrase, .. } if phrase.code.starts_with("engine.") => break phrase.code.to_string(),
                _ => {}
            }
        };
        assert_eq!(came, wanted);
    }
}

#[tokio::test]
async fn a_grant_that_cannot_be_written_is_said_and_the_call_runs_once() {
    let world = Gated::new(vec![touch("a"), touch("a"), Reply::say("ok")]).await;
    world.home.write("config.toml", "broken = [\n");
    let (_, events) = always(&world, Permissions::default()).await;
    let said = notices(&events).into_iter().filter(|code| code == "engine.grant_unsaved").count();
    assert_eq!(said, 2, "it asks again: {:?}", notices(&events));
    assert!(world.work.exists("a"));
    assert_eq!(world.home.read("config.toml"), "broken = [\n");
}

#[tokio::test]
async fn for_good_is_not_offered_where_a_rule_asks_or_only_once_is_offered() {
    let edit = Reply::call("write_file", json!({"path": "AGENTS.md", "content": "x"}));
    let rm = Reply::call("bash", json!({"command": "rm -r x"}));
    for (call, ask, session) in [(touch("a"), vec!["Bash"], true), (rm, vec![], false), (edit, vec![], false)] {
        let world = Gated::new(vec![call, Reply::say("ok")]).await;
        let ask = ask.into_iter().map(str::to_owned).collect();
        let (choices, _) =
            always(&world, Permissions { ask, allow: vec!["Edit".into()], ..Permissions::default() }).await;
        assert!(!choices.iter().any(|choice| matches!(choice, Choice::AllowAlways { .. })), "{choices:?}");
        assert_eq!(choices.len() > 2, session, "{choices:?}");
    }
}

#[tokio::test]
async fn d5_what_tells_agents_what_to_do_is_always_asked_about() {
    let calls = [
        Reply::call("write_file", json!({"path": "AGENTS.md", "content": "x"})),
        Reply::call("write_file", json!({"path": "reasonix.toml", "content": "x"})),
        Reply::call("write_file", json!({"path": ".reasonix/skills/x/SKILL.md", "content": "x"})),
        Reply::call("bash", json!({"command": "echo x >> AGENTS.md"})),
        Reply::call("bash", json!({"command": "cd .reasonix && cp ../a config.toml"})),
    ];
    for call in calls {
        // Whatever is allowed, a person is asked; where there is none it is refused.
        let allow = vec!["*".to_owned(), "Bash".to_owned(), "Edit".to_owned()];
        let loose = Permissions { allow, mode: reasonix_config::Fallback::Allow, ..Permissions::default() };
        for attended in [true, false] {
            let world = Gated::new(vec![call.clone(), Reply::say("ok")]).await;
            world.work.write("a", "a");
            world.work.write(".reasonix/x", "");
            let mut handle = world.start(loose.clone(), attended);
            let mut asked = 0;
            let events = turn(&mut handle, "go", |_| {
                asked += 1;
                vec![Choice::Deny]
            })
            .await;
            assert_eq!(asked, u32::from(attended), "{call:?}");
            assert!(matches!(outcomes(&events)[0], ToolOutcome::Denied { .. }), "{call:?}");
        }
    }
    let mut world =
        Gated::new(vec![Reply::call("write_file", json!({"path": "AGENTS.md", "content": "x"})), Reply::say("ok")])
            .await;
    world.approve = vec!["Edit(AGENTS.md)".into()];
    turn(&mut world.start(Permissions::default(), false), "go", |_| vec![]).await;
    assert!(world.work.exists("AGENTS.md"), "whoever started the run may say so");
}

/// A session in a folder that would execute something.
async fn untrusted(world: &mut Gated) -> (Handle, reasonix_proto::TrustInfo) {
    world.work.write("reasonix.toml", "[hooks]\nx = \"./hook.sh\"\n");
    world.work.write("hook.sh", "echo 1\n");
    let sources = reasonix_config::Sources {
        home: world.home.path(),
        project: world.work.path(),
        env: BTreeMap::new(),
        ..reasonix_config::Sources::default()
    };
    world.trust = reasonix_config::load(&sources).expect("settings").settings.trust;
    let handle = world.start(Permissions::default(), true);
    let reasonix_proto::Reply::Trust(info) = handle.query(reasonix_proto::Query::Trust).await else {
        panic!("no reply")
    };
    (handle, *info)
}

#[tokio::test]
async fn trust_is_asked_about_as_data_and_the_answer_is_bound_to_what_was_shown() {
    use reasonix_proto::TrustStanding;
    let mut world = Gated::new(vec![Reply::say("a"), Reply::say("b"), Reply::say("c")]).await;
    let (mut handle, info) = untrusted(&mut world).await;
    assert!(info.is_open());
    assert_eq!((info.surfaces[0].kind.as_str(), info.surfaces[0].standing), ("hook", TrustStanding::Unknown));
    assert_eq!(info.surfaces[0].parts[1].text.as_deref(), Some("echo 1\n"));
    handle.submit(Op::Trust { digest: "other".into(), yes: true });
    assert!(notices(&turn(&mut handle, "go", |_| vec![]).await).contains(&"engine.trust_other".to_owned()));
    handle.submit(Op::Trust { digest: info.digest.clone(), yes: false });
    assert!(notices(&turn(&mut handle, "go", |_| vec![]).await).contains(&"engine.untrusted".to_owned()));
    assert!(!world.home.exists("state/trust.toml"));
    handle.submit(Op::Trust { digest: info.digest, yes: true });
    assert!(notices(&turn(&mut handle, "go", |_| vec![]).await).contains(&"engine.trusted".to_owned()));
    let (_, info) = untrusted(&mut world).await;
    assert!(!info.is_open());
    // What changes while the session runs is off at once.
    world.work.write("hook.sh", "evil\n");
    let reasonix_proto::Reply::Trust(info) = handle.query(reasonix_proto::Query::Trust).await else {
        panic!("no reply")
    };
    assert_eq!(info.surfaces[0].standing, TrustStanding::Changed);
    assert!(info.surfaces[0].changes[0].text.as_deref().is_some_and(|diff| diff.contains("-echo 1\n+evil")));
}
