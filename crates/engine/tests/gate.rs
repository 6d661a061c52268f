//! The gate of a live session: nothing runs around it, the first answer wins, and a grant lasts as long as it says.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

use reasonix_config::{Permissions, Provider, Settings};
use reasonix_engine::{Handle, Start, Which, start};
use reasonix_proto::{Asking, Choice, Event, Op, RecordBody, ToolOutcome, TurnState};
use reasonix_testkit::{ModelServer, Reply, TempWorkspace};
use reasonix_workspace::{Options, Workspace};
use serde_json::json;
use std::collections::BTreeMap;

struct World {
    server: ModelServer,
    work: TempWorkspace,
    home: TempWorkspace,
}

impl World {
    async fn new(replies: Vec<Reply>) -> Self {
        Self { server: ModelServer::start(replies).await, work: TempWorkspace::new(), home: TempWorkspace::new() }
    }

    fn start(&self, permissions: Permissions, attended: bool) -> Handle {
        self.start_which(Which::New, permissions, attended)
    }

    fn start_which(&self, which: Which, permissions: Permissions, attended: bool) -> Handle {
        let provider = Provider {
            name: "mock".into(),
            kind: "openai".into(),
            base_url: self.server.base_url(),
            models: vec!["m".into()],
            default: "m".into(),
            ..Provider::default()
        };
        let settings = Settings { providers: vec![provider], permissions, ..Settings::default() };
        let workspace = Workspace::open(&self.work.path(), Options::default()).expect("a workspace");
        start(Start {
            settings,
            env: BTreeMap::new(),
            home: self.home.path(),
            workspace,
            rules: Vec::new(),
            model: None,
            append_system: None,
            which,
            attended,
        })
        .expect("a session")
    }
}

/// Runs one prompt; questions are answered by `answer`. Gives all events of the turn.
async fn turn(handle: &mut Handle, prompt: &str, mut answer: impl FnMut(&Asking) -> Vec<Choice>) -> Vec<Event> {
    handle.send(Op::Prompt { text: prompt.into() });
    let mut events = Vec::new();
    loop {
        let event = handle.events.next().await.expect("the session lives").event;
        if let Event::Asked { asking } = &event {
            for choice in answer(asking) {
                handle.send(Op::Answer { ask: asking.ask.clone(), choice });
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
    let world = World::new(vec![touch("x"), Reply::say("I may not")]).await;
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
    let world = World::new(vec![touch("x"), Reply::say("ok")]).await;
    let mut handle = world.start(Permissions::default(), true);
    let events = turn(&mut handle, "go", |_| vec![Choice::Deny, Choice::AllowOnce]).await;
    assert!(!world.work.exists("x"));
    assert!(notices(&events).contains(&"engine.answer_late".to_owned()), "{:?}", notices(&events));
}

#[tokio::test]
async fn a_grant_covers_what_was_offered_and_nothing_else() {
    let replies =
        vec![touch("a"), touch("b"), Reply::call("bash", json!({"command": "touch c; touch d"})), Reply::say("ok")];
    let world = World::new(replies).await;
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
    assert_eq!(asked, ["touch a", "touch c; touch d"], "touch b is covered, a line with an operator is not");
    assert!(world.work.exists("a") && world.work.exists("b") && !world.work.exists("c"));
}

#[tokio::test]
async fn an_edit_is_asked_about_with_its_diff() {
    let edit = Reply::call("edit_file", json!({"path": "a.txt", "old_string": "one", "new_string": "two"}));
    let world = World::new(vec![edit, Reply::say("ok")]).await;
    world.work.write("a.txt", "one\n");
    let mut handle = world.start(Permissions::default(), true);
    turn(&mut handle, "go", |asking| {
        let diff = asking.diff.as_deref().unwrap_or_default();
        assert!(diff.contains("-one") && diff.contains("+two"), "{diff}");
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
    let world = World::new(vec![read("open/x"), write, read("docs/a"), Reply::say("ok")]).await;
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
    let world = World::new(vec![touch("a"), Reply::say("one"), Reply::say("two")]).await;
    let mut handle = world.start(Permissions::default(), true);
    let sender = handle.sender();
    turn(&mut handle, "go", |_| {
        sender.send(Op::Steer { text: "be quick".into() }).expect("a live session");
        sender.send(Op::FollowUp { text: "and then".into() }).expect("a live session");
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
    let world = World::new(vec![init, Reply::say("ok"), Reply::call("todo_read", json!({})), Reply::say("ok")]).await;
    let mut handle = world.start(Permissions::default(), true);
    turn(&mut handle, "go", |_| vec![]).await;
    let id = handle.session.clone();
    handle.send(Op::Shutdown);
    while handle.events.next().await.is_some_and(|envelope| envelope.event != Event::SessionEnded) {}
    drop(handle);
    let mut handle = world.start_which(Which::Resume(id.0), Permissions::default(), true);
    let events = turn(&mut handle, "what is left?", |_| vec![]).await;
    let text = reasonix_agent::outcome_text(outcomes(&events)[0]);
    assert!(text.contains("[~] first") && text.contains("[ ] second"), "{text}");
    world.server.assert_prefixes_grow();
}
