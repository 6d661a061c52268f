//! Moving about in a live session: every way goes through the log, and every request extends the one before it except
//! where a record names the break.

use crate::world;

use reasonix_engine::{Handle, Which};
use reasonix_proto::{
    Choice, CompletionKind, Done, Event, Mode, MoveReason, Op, Posture, Query, QueuedKind, RecordBody, RecordId, Reply,
    Rewind, Scope, Settled, ToolOutcome, TreeFilter, TurnEnd, TurnState,
};
use reasonix_testkit::Reply as Answer;
use serde_json::{Value, json};
use world::World;

fn prompt(text: &str) -> Op {
    Op::Prompt { text: text.into(), resolved: false }
}

/// Sends an operation and gives all events until the session is idle after a turn.
async fn turn(handle: &mut Handle, op: Op) -> Vec<Event> {
    handle.submit(op);
    until(handle, |events| {
        events.last() == Some(&Event::State { state: TurnState::Idle })
            && events.iter().any(|event| matches!(event, Event::TurnEnded { .. }))
    })
    .await
}

async fn until(handle: &mut Handle, done: impl Fn(&[Event]) -> bool) -> Vec<Event> {
    let mut events = Vec::new();
    while !done(&events) {
        events.push(handle.events.next().await.expect("the session lives").event);
    }
    events
}

async fn moved(handle: &mut Handle, op: Op) -> (RecordBody, Option<String>) {
    handle.submit(op);
    let events = until(handle, |events| matches!(events.last(), Some(Event::Moved { .. }))).await;
    match events.into_iter().next_back() {
        Some(Event::Moved { record, text }) => (record.body, text),
        other => panic!("{other:?}"),
    }
}

async fn changed(handle: &mut Handle, op: Op) -> RecordBody {
    handle.submit(op);
    let events = until(handle, |events| matches!(events.last(), Some(Event::Changed { .. }))).await;
    match events.into_iter().next_back() {
        Some(Event::Changed { record }) => record.body,
        other => panic!("{other:?}"),
    }
}

async fn noticed(handle: &mut Handle, op: Op) -> String {
    handle.submit(op);
    let events = until(handle, |events| matches!(events.last(), Some(Event::Notice { .. }))).await;
    match events.into_iter().next_back() {
        Some(Event::Notice { phrase, .. }) => phrase.code.into_owned(),
        other => panic!("{other:?}"),
    }
}

fn messages(request: &Value) -> Vec<(String, String)> {
    let list = request["messages"].as_array().expect("messages");
    let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    list.iter().skip(1).map(|message| (text(&message["role"]), text(&message["content"]))).collect()
}

fn last_texts(world: &World) -> Vec<String> {
    messages(&world.server.requests().last().unwrap().body).into_iter().map(|(_, text)| text).collect()
}

async fn nodes(handle: &Handle, filter: TreeFilter) -> Vec<(u64, String, bool)> {
    match handle.query(Query::Tree { filter, text: String::new() }).await {
        Reply::Tree { nodes, .. } => nodes.into_iter().map(|node| (node.id.0, node.text, node.active)).collect(),
        other => panic!("{other:?}"),
    }
}

#[tokio::test]
async fn a_command_of_the_users_own_is_two_messages_for_the_model() {
    let world = World::new(vec![Answer::say("I see"), Answer::say("yes")]).await;
    let mut handle = world.open(Which::New);
    let events = turn(&mut handle, Op::Shell { command: "echo hello; exit 3".into(), keep: true }).await;
    assert!(!events.iter().any(|event| matches!(event, Event::Asked { .. })), "nobody is asked");
    let outcome = events.iter().find_map(|event| match event {
        Event::ToolEnded { record } => match &record.body {
            RecordBody::ShellEnded { outcome, .. } => Some(outcome.clone()),
            _ => None,
        },
        _ => None,
    });
    assert!(matches!(outcome, Some(ToolOutcome::Done { details, .. }) if details.exit_code == Some(3)));
    turn(&mut handle, Op::Shell { command: "echo secret".into(), keep: false }).await;
    turn(&mut handle, prompt("what was it?")).await;
    let sent = messages(&world.server.requests()[0].body);
    assert_eq!(sent.iter().map(|(role, _)| role.as_str()).collect::<Vec<_>>(), ["user", "assistant", "user"]);
    assert_eq!(sent[0].1, "!echo hello; exit 3");
    assert!(sent[1].1.contains("hello") && sent[1].1.contains("exit code 3"), "{}", sent[1].1);
    assert!(!sent.iter().any(|(_, text)| text.contains("secret")));
    // The same after a restart.
    let session = handle.session.clone();
    drop(handle);
    let mut again = world.open_when_free(Which::Resume(session.0)).await;
    turn(&mut again, prompt("and now?")).await;
    world.server.assert_valid();
    world.server.assert_prefixes_grow();
}

#[tokio::test]
async fn a_dangerous_command_of_the_users_own_is_asked_about() {
    let world = World::new(vec![]).await;
    world.work.write("keep", "x");
    let mut handle = world.open(Which::New);
    handle.submit(Op::Shell { command: "rm -rf keep".into(), keep: true });
    let events = until(&mut handle, |events| matches!(events.last(), Some(Event::Asked { .. }))).await;
    let Some(Event::Asked { asking }) = events.last() else { panic!() };
    assert!(!asking.danger.is_empty());
    assert!(world.work.exists("keep"));
    let answer = Op::Answer { ask: asking.ask.clone(), choice: Choice::Deny, digest: None, words: None, edited: None };
    let events = turn(&mut handle, answer).await;
    assert!(events.iter().any(|event| matches!(event, Event::TurnEnded { record }
        if matches!(record.body, RecordBody::TurnEnded { end: TurnEnd::Refused { .. }, .. }))));
    assert!(world.work.exists("keep"));
}

#[tokio::test]
async fn branching_gives_the_prompt_back_and_deletes_nothing() {
    let world = World::new(["one", "two", "three", "four"].map(Answer::say).into()).await;
    let mut handle = world.open(Which::New);
    turn(&mut handle, prompt("first")).await;
    turn(&mut handle, prompt("second")).await;
    let second = nodes(&handle, TreeFilter::UserOnly).await.into_iter().find(|node| node.1 == "second").unwrap().0;
    let (body, text) = moved(&mut handle, Op::Branch { at: RecordId(second), summary: None }).await;
    assert_eq!(text.as_deref(), Some("second"));
    assert!(matches!(body, RecordBody::Moved { why: MoveReason::Branch, .. }));
    turn(&mut handle, prompt("another second")).await;
    assert_eq!(last_texts(&world), ["first", "one", "another second"]);
    let tree = nodes(&handle, TreeFilter::Default).await;
    let active: Vec<_> = tree.iter().filter(|node| node.2).map(|node| node.1.as_str()).collect();
    assert_eq!(active, ["first", "one", "another second", "three"]);
    assert!(tree.iter().any(|node| node.1 == "two" && !node.2), "the other branch is still there");
    // Back to the end of the other branch, and on from there.
    let two = tree.iter().find(|node| node.1 == "two").unwrap().0;
    let (_, text) = moved(&mut handle, Op::Branch { at: RecordId(two), summary: None }).await;
    assert_eq!(text, None);
    turn(&mut handle, prompt("third")).await;
    assert_eq!(last_texts(&world), ["first", "one", "second", "two", "third"]);
    assert_eq!(noticed(&mut handle, Op::Branch { at: RecordId(999), summary: None }).await, "engine.no_record");
    world.server.assert_valid();
    let bodies: Vec<_> = world.server.requests().into_iter().map(|request| request.raw).collect();
    let bodies: Vec<&[u8]> = bodies.iter().map(|body| body.as_ref()).collect();
    assert_eq!(reasonix_testkit::prefix_breaks(&bodies), [3, 4], "only where a move is on the log");
}

#[tokio::test]
async fn folding_when_the_user_wants_it() {
    let world = World::new(["one", "two", "NOTES: two things were said", "three"].map(Answer::say).into()).await;
    let mut handle = world.open(Which::New);
    handle.submit(Op::Compact { instructions: String::new() });
    until(
        &mut handle,
        |events| matches!(events.last(), Some(Event::Notice { phrase, .. }) if phrase.code == "engine.nothing_to_fold"),
    )
    .await;
    turn(&mut handle, prompt("the port is 4711")).await;
    turn(&mut handle, prompt("second")).await;
    handle.submit(Op::Compact { instructions: "keep all ports".into() });
    let events = until(&mut handle, |events| matches!(events.last(), Some(Event::Compacted { .. }))).await;
    assert!(matches!(events.last(), Some(Event::Compacted { record })
        if matches!(&record.body, RecordBody::Compacted(folded) if folded.notes.iter().any(|note| note.contains("NOTES: two things")))));
    assert!(last_texts(&world).last().unwrap().contains("keep all ports"), "the model is told what to keep");
    turn(&mut handle, prompt("third")).await;
    let sent = last_texts(&world);
    assert!(sent[0].contains("the port is 4711") && sent[0].contains("NOTES: two things"), "{sent:?}");
    assert_eq!(sent.last().unwrap(), "third");
    world.server.assert_valid();
}

#[tokio::test]
async fn rewinding_and_retrying() {
    let world = World::new(["one", "two", "two again", "late"].map(Answer::say).into()).await;
    let mut handle = world.open(Which::New);
    turn(&mut handle, prompt("first")).await;
    turn(&mut handle, prompt("second")).await;
    let events = turn(&mut handle, Op::Retry).await;
    assert!(events.iter().any(|event| matches!(event, Event::Moved { record, text: None }
        if matches!(record.body, RecordBody::Moved { why: MoveReason::Retry, .. }))));
    let requests = world.server.requests();
    assert_eq!(requests[1].raw, requests[2].raw, "a retry sends the same bytes");
    let (body, text) = moved(&mut handle, Op::Rewind { turn: 1, what: Rewind::Chat, summary: None }).await;
    assert!(matches!(body, RecordBody::Moved { why: MoveReason::Rewind, .. }));
    assert_eq!(text.as_deref(), Some("first"));
    let events = turn(&mut handle, prompt("fresh")).await;
    assert_eq!(last_texts(&world), ["fresh"]);
    let turns: Vec<u32> = events
        .iter()
        .filter_map(|event| match event {
            Event::TurnStarted { record } => match record.body {
                RecordBody::Prompt { turn, .. } => Some(turn),
                _ => None,
            },
            _ => None,
        })
        .collect();
    assert_eq!(turns, [4], "no number is given twice");
    assert_eq!(noticed(&mut handle, Op::Rewind { turn: 2, what: Rewind::Chat, summary: None }).await, "engine.no_turn");
    // What the log says is what a restart says.
    let session = handle.session.clone();
    drop(handle);
    let again = world.open_when_free(Which::Resume(session.0)).await;
    let tree = nodes(&again, TreeFilter::UserOnly).await;
    let active: Vec<_> = tree.iter().filter(|node| node.2).map(|node| node.1.as_str()).collect();
    assert_eq!(active, ["fresh"]);
}

#[tokio::test]
async fn the_queue_is_shown_and_can_be_changed() {
    let world = World::new(vec![Answer::hang(), Answer::say("next")]).await;
    let mut handle = world.open(Which::New);
    handle.submit(prompt("go"));
    world.server.wait_for_requests(1).await;
    handle.submit(Op::FollowUp { text: "later".into() });
    handle.submit(Op::Steer { text: "now".into() });
    handle.submit(Op::FollowUp { text: "never".into() });
    let queue = |events: &[Event]| match events.last() {
        Some(Event::Queued { queue }) => queue.clone(),
        _ => Vec::new(),
    };
    let events = until(&mut handle, |events| queue(events).len() == 3).await;
    let shown: Vec<_> = queue(&events).into_iter().map(|item| (item.id, item.kind, item.text)).collect();
    assert_eq!(
        shown,
        [
            (2, QueuedKind::Steer, "now".into()),
            (1, QueuedKind::FollowUp, "later".into()),
            (3, QueuedKind::FollowUp, "never".into())
        ]
    );
    handle.submit(Op::Unqueue { id: 3 });
    handle.submit(Op::Unqueue { id: 2 });
    handle.submit(Op::EditQueued { id: 1, text: "changed".into() });
    until(&mut handle, |events| queue(events).first().is_some_and(|item| item.text == "changed")).await;
    let Reply::Status(status) = handle.query(Query::Status).await else { panic!() };
    assert_eq!(status.queue.len(), 1);
    assert_eq!(noticed(&mut handle, Op::Retry).await, "engine.busy");
    handle.submit(Op::Interrupt);
    world.server.wait_for_requests(2).await;
    let sent = last_texts(&world);
    assert_eq!(sent.first().map(String::as_str), Some("go"));
    assert_eq!(sent.last().map(String::as_str), Some("changed"));
}

#[tokio::test]
async fn title_posture_model_and_grants_are_records() {
    let world = World::new(vec![Answer::say("one"), Answer::say("two")]).await;
    let mut handle = world.open(Which::New);
    turn(&mut handle, prompt("first words\nmore")).await;
    let title = |handle: &Handle| {
        let reply = handle.query(Query::Status);
        async move {
            let Reply::Status(status) = reply.await else { panic!() };
            status
        }
    };
    assert_eq!(title(&handle).await.title, "first words");
    let body = changed(&mut handle, Op::Rename { title: "Mine".into() }).await;
    assert_eq!(body, RecordBody::Titled { title: "Mine".into(), by_user: true });
    changed(&mut handle, Op::SetPosture { posture: Posture::Auto }).await;
    let body =
        changed(&mut handle, Op::SetModel { model: Some("mock/other".into()), effort: Some("low".into()) }).await;
    assert_eq!(body, RecordBody::ModelChanged { model: "mock/other".into(), effort: Some("low".into()) });
    let status = title(&handle).await;
    assert_eq!(
        (status.title.as_str(), status.posture, status.model.as_str(), status.effort.as_deref()),
        ("Mine", Posture::Auto, "mock/other", Some("low"))
    );
    turn(&mut handle, prompt("second")).await;
    let body = &world.server.requests()[1].body;
    assert_eq!((&body["model"], &body["reasoning_effort"]), (&json!("other"), &json!("low")));
    let rule = "Bash(make)".to_owned();
    let effect = reasonix_proto::Effect::Allow;
    changed(&mut handle, Op::Grant { rule: rule.clone(), effect, scope: Scope::Session }).await;
    let rules = |handle: &Handle| {
        let reply = handle.query(Query::Permissions);
        async move {
            let Reply::Permissions { rules, .. } = reply.await else { panic!() };
            rules
                .into_iter()
                .filter(|rule| rule.origin.to_string() == "session")
                .map(|rule| rule.rule)
                .collect::<Vec<_>>()
        }
    };
    assert_eq!(rules(&handle).await, std::slice::from_ref(&rule));
    changed(&mut handle, Op::Revoke { rule, scope: Scope::Session }).await;
    assert!(rules(&handle).await.is_empty());
    let session = handle.session.clone();
    drop(handle);
    let again = world.open_when_free(Which::Resume(session.0)).await;
    let status = title(&again).await;
    assert_eq!(
        (status.title.as_str(), status.model.as_str(), status.effort.as_deref()),
        ("Mine", "mock/other", Some("low"))
    );
    assert_eq!(status.posture, Posture::Ask, "a posture does not outlive its process");
    world.server.assert_prefixes_grow();
}

#[tokio::test]
async fn a_discarded_session_is_gone_from_everywhere_but_the_disk() {
    let world = World::new(vec![Answer::say("one")]).await;
    let mut handle = world.open(Which::New);
    turn(&mut handle, prompt("first")).await;
    let session = handle.session.clone();
    handle.submit(Op::Discard);
    until(&mut handle, |events| events.last() == Some(&Event::SessionEnded)).await;
    drop(handle);
    let next = world.open(Which::Continue);
    assert_ne!(next.session, session);
    let Reply::Sessions { total, .. } =
        next.query(Query::Sessions { all: true, text: String::new(), from: 0, count: 10 }).await
    else {
        panic!()
    };
    assert_eq!(total, 0);
    assert!(world.home.exists(format!("state/sessions/{session}.jsonl")));
}

#[tokio::test]
async fn two_front_ends_on_one_session() {
    let call = Answer::call("bash", json!({"command": "touch made"}));
    let world = World::new(vec![call, Answer::say("done")]).await;
    let mut first = world.open(Which::New);
    let mut second = first.join();
    first.submit(prompt("go"));
    let asked = |events: &[Event]| matches!(events.last(), Some(Event::Asked { .. }));
    let seen = until(&mut first, asked).await;
    let (Some(Event::Asked { asking }), other) = (seen.last(), until(&mut second, asked).await) else { panic!() };
    assert_eq!(seen.last(), other.last());
    let mut late = first.join();
    assert_eq!(Some(&late.events.next().await.unwrap().event), seen.last(), "who comes later can answer too");
    let answer = |choice| Op::Answer {
        ask: asking.ask.clone(),
        choice,
        digest: Some(asking.digest.clone()),
        words: None,
        edited: None,
    };
    second.submit(answer(Choice::AllowOnce));
    first.submit(answer(Choice::Deny));
    let done = |events: &[Event]| {
        events.last() == Some(&Event::State { state: TurnState::Idle })
            && events.iter().any(|event| matches!(event, Event::TurnEnded { .. }))
    };
    let events = until(&mut first, done).await;
    let told = |events: &[Event]| {
        events
            .iter()
            .filter(|event| matches!(event, Event::Notice { phrase, .. } if phrase.code == "engine.answer_late"))
            .count()
    };
    assert_eq!(told(&events), 1, "the second answer is told that it is late");
    assert_eq!(until(&mut second, done).await.len(), events.len(), "both see the same");
    assert!(world.work.exists("made"));
}

#[tokio::test]
async fn references_are_resolved_and_what_was_typed_is_kept() {
    let world = World::new(vec![Answer::say("see a.txt:2 and a.txt:9 and b.txt:1"), Answer::say("ok")]).await;
    world.work.write("a.txt", "one\ntwo\nthree\n");
    let mut handle = world.open(Which::New);
    let mut events = turn(&mut handle, prompt("look at @a.txt:2-3, please")).await;
    let typed = events.iter().find_map(|event| match event {
        Event::TurnStarted { record } => match &record.body {
            RecordBody::Prompt { typed, .. } => typed.clone(),
            _ => None,
        },
        _ => None,
    });
    assert_eq!(typed.as_deref(), Some("look at @a.txt:2-3, please"));
    let sent = last_texts(&world);
    assert!(
        sent[0].contains("lines=\"2-3\"") && sent[0].contains("two\nthree") && !sent[0].contains("one\n"),
        "{sent:?}"
    );
    if !events.iter().any(|event| matches!(event, Event::Cited { .. })) {
        events.extend(until(&mut handle, |events| matches!(events.last(), Some(Event::Cited { .. }))).await);
    }
    let cited = events.iter().find_map(|event| match event {
        Event::Cited { citations, .. } => Some(citations.clone()),
        _ => None,
    });
    let broken: Vec<_> =
        cited.unwrap().into_iter().map(|citation| (citation.text, citation.broken.is_some())).collect();
    assert_eq!(broken, [("a.txt:2".into(), false), ("a.txt:9".into(), true), ("b.txt:1".into(), true)]);
}

#[tokio::test]
async fn what_is_typed_is_completed() {
    let world = World::new(vec![]).await;
    world.work.write("src/main.rs", "");
    world.work.write("src/domain.rs", "");
    world.work.write("README.md", "");
    world.work.write("target/x", "");
    world.work.write(".gitignore", "target\n");
    let handle = world.open(Which::New);
    let complete = |kind: CompletionKind, text: &str| {
        let query = Query::Complete { kind, text: text.into(), generation: 7, limit: 10 };
        let reply = handle.query(query);
        async move {
            let Reply::Completions { generation, items, .. } = reply.await else { panic!() };
            assert_eq!(generation, 7);
            items.into_iter().map(|item| item.insert).collect::<Vec<_>>()
        }
    };
    let mut top = complete(CompletionKind::Reference, "").await;
    top.sort();
    assert_eq!(top, ["README.md", "src/"]);
    assert_eq!(complete(CompletionKind::Reference, "src/main").await, ["src/main.rs", "src/domain.rs"]);
    assert_eq!(complete(CompletionKind::Reference, "../").await, Vec::<String>::new());
    assert_eq!(complete(CompletionKind::Reference, "agent-cr").await, ["agent-critic"]);
    let agents = complete(CompletionKind::Reference, "Ag").await;
    assert!(agents.contains(&"agent-explore".to_owned()) && !agents.contains(&"agent-build".to_owned()), "{agents:?}");
    world.work.write("crates/deep/down/README.md", "");
    let anywhere = async |text: &str| loop {
        let kind = CompletionKind::Reference;
        let query = Query::Complete { kind, text: text.into(), generation: 7, limit: 10 };
        let Reply::Completions { items, more, .. } = handle.query(query).await else { panic!() };
        // Fewer than were wanted, and more of them: it is still being looked for.
        if !more {
            return items.into_iter().map(|item| item.insert).collect::<Vec<_>>();
        }
    };
    assert_eq!(anywhere("domain").await, ["src/domain.rs"], "in whatever folder");
    assert_eq!(anywhere("src/ma").await, ["src/main.rs", "src/domain.rs"]);
    assert_eq!(anywhere("readme").await.first().map(String::as_str), Some("README.md"), "the nearest first");
    let argument = |command: &str| CompletionKind::Argument { command: command.into(), index: 0 };
    assert_eq!(complete(argument("mode"), "y").await, ["yolo"]);
    assert_eq!(complete(argument("model"), "oth").await, ["mock/other"]);
    let Reply::Commands { commands } = handle.query(Query::Commands).await else { panic!() };
    assert!(commands.iter().any(|command| command.name == "rewind"));
    assert!(commands.iter().any(|command| command.name == "compact"));
    assert!(!commands.iter().any(|command| command.name == "loop"), "what nobody has is not offered");
}

#[tokio::test]
async fn a_fork_goes_on_from_a_copy() {
    let world = World::new(["one", "two", "three"].map(Answer::say).into()).await;
    let mut handle = world.open(Which::New);
    turn(&mut handle, prompt("first")).await;
    turn(&mut handle, prompt("second")).await;
    let tree = nodes(&handle, TreeFilter::Default).await;
    let one = tree.iter().find(|node| node.1 == "one").unwrap().0;
    // The other one is still open here: a copy is possible all the same.
    let which = Which::Fork { session: handle.session.0.clone(), at: Some(RecordId(one)) };
    let mut fork = world.open(which);
    assert_ne!(fork.session, handle.session);
    turn(&mut fork, prompt("elsewhere")).await;
    assert_eq!(last_texts(&world), ["first", "one", "elsewhere"]);
    let (mine, other) = (world.server.requests()[0].raw.clone(), world.server.requests()[2].raw.clone());
    assert_eq!(reasonix_testkit::prefix_breaks(&[&mine, &other]), Vec::<usize>::new(), "the cached prefix is reused");
    let Reply::Transcript { total, records, .. } = handle.query(Query::Transcript { from: None, count: 2 }).await
    else {
        panic!()
    };
    assert_eq!(records.len(), 2);
    assert!(total > 2);
}

async fn stands(handle: &Handle) -> (Mode, String) {
    match handle.query(Query::Status).await {
        Reply::Status(status) => (status.mode, status.model),
        other => panic!("{other:?}"),
    }
}

async fn done(handle: &Handle, op: Op) -> Done {
    match handle.submit(op).settled().await {
        Settled::Done(done) => done,
        refused => panic!("{refused:?}"),
    }
}

/// The records that say so stand on the branch that is left: whoever resumes must not be out of plan mode for that.
#[tokio::test]
async fn plan_mode_and_the_model_stay_where_a_session_goes() {
    let world = World::new(vec![Answer::say("one"), Answer::say("two")]).await;
    let mut handle = world.open(Which::New);
    turn(&mut handle, prompt("one")).await;
    turn(&mut handle, prompt("two")).await;
    done(&handle, Op::SetMode { mode: Mode::Plan }).await;
    done(&handle, Op::SetModel { model: Some("mock/other".into()), effort: None }).await;
    let wanted = (Mode::Plan, "mock/other".to_owned());
    let back = Op::Rewind { turn: 2, what: Rewind::Chat, summary: Some(false) };
    done(&handle, back).await;
    assert_eq!(stands(&handle).await, wanted);
    let session = handle.session.clone();
    drop(handle);
    let handle = world.open_when_free(Which::Resume(session.0)).await;
    assert_eq!(stands(&handle).await, wanted, "after a resume");
    let Done::HandedOver { session } = done(&handle, Op::Handoff { focus: String::new() }).await else {
        panic!("there is something to hand over");
    };
    let other = world.open(Which::Resume(session.0));
    assert_eq!(stands(&other).await, wanted, "in the session that it was handed over to");
}
