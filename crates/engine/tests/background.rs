//! Subagents that nobody waits for: jobs of the session under their own names; and what is said to one that works.

use crate::children::{asked, children, is_child, next_of, outcomes, parent, quiet, runs, text, turn, world};
use reasonix_engine::{Handle, Which};
use reasonix_proto::{
    AgentProfile, AgentRules, AskId, Choice, Done, Event, JobInfo, JobKind, JobState, Op, Query, RecordBody, Refusal,
    Reply as Answer, Settled, TurnEnd,
};
use reasonix_testkit::{Recorded, Reply};
use serde_json::{Value, json};
use std::sync::Mutex;

/// The session's calls, one a step.
fn calls(list: Vec<(&'static str, Value)>) -> impl FnMut(&Recorded) -> Option<Reply> + Send + 'static {
    let list = Mutex::new(list);
    move |_| Some(next_of(&list))
}

fn behind(id: &str) -> Value {
    json!({"tasks": [{"id": id, "assignment": format!("find {id}")}], "background": true})
}

/// A subagent that reads something that has to be asked about, and then says this.
fn waits(request: &Recorded, says: &str) -> Option<Reply> {
    Some(match asked(request).1 {
        2 => Reply::call("read_file", json!({"path": "private.txt"})),
        _ => Reply::say(says),
    })
}

/// Hears the session until something was asked, and gives what.
fn question(event: &Event, found: &mut Option<AskId>) {
    if let Event::Asked { asking } = event {
        *found = Some(asking.ask.clone());
    }
}

fn allow(handle: &Handle, ask: AskId) {
    handle.submit(Op::Answer { ask, choice: Choice::AllowOnce, digest: None, words: None, edited: None });
}

/// The next job that came to its end.
async fn ended(handle: &mut Handle) -> JobInfo {
    loop {
        if let Event::Job { record, .. } = handle.events.next().await.expect("the session lives").event
            && let RecordBody::JobEnded(job) = record.body
        {
            return *job;
        }
    }
}

#[tokio::test]
async fn a_call_returns_at_once_and_job_waits_for_the_result() {
    let mut own = calls(vec![("task", behind("A")), ("job", json!({"list": true})), ("job", json!({"poll": ["0-A"]}))]);
    let world = world(move |request| match is_child(request) {
        true => Some(Reply::say("A is in a.rs:1")),
        false => own(request),
    });
    let mut handle = world.open(Which::New);
    let events = quiet(&mut handle).await;
    let told: Vec<String> = outcomes(&events).iter().map(text).collect();
    assert!(told[0].contains("At work in the background: 0-A"), "{told:?}");
    assert!(told[1].contains("0-A ") && told[1].contains("find A"), "{told:?}");
    assert!(told[2].contains("0-A completed") && told[2].contains("A is in a.rs:1"), "{told:?}");
    assert_eq!(children(&world).len(), 1);
    let Answer::Jobs { jobs } = handle.query(Query::Jobs).await else { panic!("jobs") };
    assert_eq!((jobs[0].what, jobs[0].state), (JobKind::Task, JobState::Completed));
    world.server.assert_prefixes_grow_in(2);
    world.server.assert_valid();
}

/// Five are asked for: where there is no room for all of them none begins, which is said with how many could, and nothing is counted
/// for it; where there is, exactly five run.
#[tokio::test]
async fn all_of_a_call_begin_or_none_of_them() {
    let many = |ids: &[&str]| {
        let one = |id: &&str| json!({"id": id, "assignment": format!("find {id}")});
        json!({"tasks": ids.iter().map(one).collect::<Vec<_>>(), "background": true})
    };
    let five = ["A", "B", "C", "D", "E"];
    for (most, begun) in [(2, 0), (5, 5)] {
        let list = vec![("task", many(&five)), ("job", json!({"list": true})), ("task", many(&["F", "G"]))];
        let mut own = calls(list);
        let world = world(move |request| if is_child(request) { Some(Reply::hang()) } else { own(request) });
        let mut handle = world.open_with(Which::New, |start| {
            start.world.settings.jobs.max = most;
            start.world.settings.task.per_turn = 5;
        });
        let events = quiet(&mut handle).await;
        let told: Vec<String> = outcomes(&events).iter().map(text).collect();
        let names = ["0-A", "1-B", "2-C", "3-D", "4-E"];
        if begun == 5 {
            assert!(told[0].contains(&format!("At work in the background: {}.", names.join(", "))), "{told:?}");
            assert!(told[2].contains("0 more jobs may") && !told[2].contains("begin 0"), "{told:?}");
        } else {
            let full = "5 were to begin in the background, and 2 more jobs may (jobs.max is 2, 0 run): none of these 5";
            assert!(told[0].contains(full) && told[0].contains("begin 2 of them"), "{told:?}");
            assert!(told[2].contains("At work in the background: 0-F, 1-G."), "{told:?}");
        }
        assert_eq!(names.iter().filter(|name| told[1].contains(**name)).count(), begun, "{told:?}");
        let Answer::Jobs { jobs } = handle.query(Query::Jobs).await else { panic!("jobs") };
        assert_eq!(jobs.len(), begun.max(2), "{jobs:?}");
    }
}

/// An end that nobody saw is told with the next prompt, once; the turn itself was over long before.
#[tokio::test]
async fn an_unseen_end_is_told_with_the_next_prompt() {
    let mut own = calls(vec![("task", behind("A"))]);
    let world = world(move |request| match is_child(request) {
        true => waits(request, "the plum is blue"),
        false => own(request),
    });
    world.work.write("private.txt", "the plum");
    let mut handle =
        world.open_with(Which::New, |start| start.world.settings.permissions.ask = vec!["Read(private.txt)".into()]);
    let mut ask = None;
    turn(&mut handle, |_, event, _| question(event, &mut ask)).await;
    while ask.is_none() {
        question(&handle.events.next().await.unwrap().event, &mut ask);
    }
    allow(&handle, ask.unwrap());
    assert_eq!(ended(&mut handle).await.state, JobState::Completed);
    quiet(&mut handle).await;
    let own: Vec<Recorded> = world.server.requests().into_iter().filter(|request| !is_child(request)).collect();
    let said = own.last().unwrap().last_content();
    assert!(said.contains("[job 0-A completed") && said.contains("the plum is blue") && said.ends_with("go"), "{said}");
    quiet(&mut handle).await;
    assert!(!world.server.requests().last().unwrap().last_content().contains("[job 0-A"));
    world.server.assert_prefixes_grow_in(2);
    world.server.assert_valid();
}

/// One is ended by the model, one by its person under the same name, and the last with the session.
#[tokio::test]
async fn they_are_ended_like_jobs() {
    let list =
        vec![("task", behind("A")), ("task", behind("B")), ("task", behind("C")), ("job", json!({"cancel": ["0-A"]}))];
    let mut own = calls(list);
    let world = world(move |request| if is_child(request) { Some(Reply::hang()) } else { own(request) });
    let mut handle = world.open(Which::New);
    let events = quiet(&mut handle).await;
    let told: Vec<String> = outcomes(&events).iter().map(text).collect();
    assert!(told[3].contains("0-A: cancelled"), "{told:?}");
    assert_eq!(handle.submit(Op::StopJob { job: "1-b".into() }).settled().await, Settled::Done(Done::Applied));
    // The model's wish waits a while for the end, which may come later.
    let is_end = |event: &Event| match event {
        Event::Job { record, .. } => match &record.body {
            RecordBody::JobEnded(job) => Some((job.job.clone(), job.state)),
            _ => None,
        },
        _ => None,
    };
    let mut over: Vec<(String, JobState)> = events.iter().filter_map(|(_, event)| is_end(event)).collect();
    while over.len() < 2 {
        let job = ended(&mut handle).await;
        over.push((job.job, job.state));
    }
    over.sort_by(|one, other| one.0.cmp(&other.0));
    assert_eq!(over, [("0-A".to_owned(), JobState::Cancelled), ("1-B".to_owned(), JobState::Cancelled)]);
    handle.submit(Op::Shutdown);
    let mut last = Vec::new();
    while let Some(envelope) = handle.events.next().await {
        if matches!(envelope.event, Event::SessionEnded) {
            break;
        }
        last.push((envelope.parent.is_some(), envelope.event));
    }
    assert!(runs(&last).contains(&("2-C".to_owned(), Some(TurnEnd::Interrupted))), "{last:?}");
}

/// A profile that does not block is not waited for, unless the call wants it; and a subagent waits for its own.
#[tokio::test]
async fn a_profile_says_whether_it_is_waited_for() {
    let one = |more: Value| {
        let mut call = json!({"agent": "far", "tasks": [{"id": "A", "assignment": "look"}]});
        call.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        call
    };
    let below = json!({"agent": "general", "tasks": [{"id": "Top", "assignment": "dig"}]});
    let list = vec![("task", one(json!({}))), ("task", one(json!({"background": false}))), ("task", below)];
    let mut own = calls(list);
    let world = world(move |request| {
        let dig = is_child(request) && asked(request) == ("dig".to_owned(), 2);
        match is_child(request) {
            true if dig => Some(Reply::call("task", one(json!({"background": true})))),
            true => Some(Reply::say("seen")),
            false => own(request),
        }
    });
    world.work.write("a", "a");
    world.work.git_init();
    let mut handle = world.open_with(Which::New, |start| {
        // One that writes is waited for in any case.
        let rules = AgentRules { reads_only: true, ..AgentRules::default() };
        let profile = AgentProfile { name: "far".into(), blocking: Some(false), rules, ..AgentProfile::default() };
        start.world.settings.profiles = [("far".to_owned(), profile)].into();
    });
    let events = quiet(&mut handle).await;
    let told: Vec<String> = outcomes(&events).iter().map(text).collect();
    assert!(told[0].contains("At work in the background: 0-A"), "{told:?}");
    assert!(told[1].contains("1-A (far): done") && told[2].contains("2-Top (general): done"), "{told:?}");
    let dug = children(&world).into_iter().find(|request| asked(request) == ("dig".to_owned(), 4)).unwrap();
    assert!(dug.last_content().contains("2-Top.0-A (far): done"), "{}", dug.last_content());
}

/// What is said to one is read by it before its next step, by nobody else, and stands in its log as said by a person.
#[tokio::test]
async fn one_subagent_is_steered() {
    let world = world(|request| match is_child(request) {
        true => waits(request, "over"),
        false => parent(
            json!({"tasks": [{"id": "A", "assignment": "find A"}, {"id": "B", "assignment": "find B"}]}),
            request,
        ),
    });
    world.work.write("private.txt", "the plum");
    let mut handle =
        world.open_with(Which::New, |start| start.world.settings.permissions.ask = vec!["Read(private.txt)".into()]);
    let (mut steered_one, mut settled) = (None, Vec::new());
    let events = turn(&mut handle, |handle, event, _| {
        let Event::Asked { asking } = event else { return };
        let said = |child: &str, text: &str| Op::SteerChild { child: child.into(), text: text.into() };
        if steered_one.is_none() {
            // It waits for the answer: its next step comes behind it.
            let name = asking.child.clone().unwrap();
            settled.push(handle.submit(said(&name.to_lowercase(), "look at the tests too")));
            settled.push(handle.submit(said("7-X", "hello")));
            settled.push(handle.submit(said(&name, "  ")));
            steered_one = Some(name);
        }
        allow(handle, asking.ask.clone());
    })
    .await;
    let mut outcomes = Vec::new();
    for pending in settled {
        outcomes.push(pending.settled().await);
    }
    assert_eq!(outcomes[0], Settled::Done(Done::Queued));
    let refused = |settled: &Settled| matches!(settled, Settled::Refused(refused) if matches!(refused.refusal, Refusal::NotFound | Refusal::Invalid));
    assert!(refused(&outcomes[1]) && refused(&outcomes[2]), "{outcomes:?}");
    let steered: Vec<Recorded> = children(&world)
        .into_iter()
        .filter(|request| request.body.to_string().contains("look at the tests too"))
        .collect();
    assert_eq!(steered.len(), 1);
    let name = steered_one.unwrap();
    assert_eq!(asked(&steered[0]).0, if name == "0-A" { "find A" } else { "find B" });
    let noted = |event: &Event| matches!(event, Event::Noted { record } if matches!(&record.body, RecordBody::Note { by_user: true, .. }));
    assert_eq!(events.iter().filter(|(below, event)| *below && noted(event)).count(), 1);
    let Answer::Children { children } = handle.query(Query::Children).await else { panic!("children") };
    assert_eq!(children.iter().map(|run| run.child.as_str()).collect::<Vec<_>>(), ["0-A", "1-B"]);
    world.server.assert_prefixes_grow_in(3);
    world.server.assert_valid();
}

/// Without a person a session ends with its answer: what subagents behind it find is waited for, all of it, and read.
#[tokio::test]
async fn a_run_waits_for_its_subagents_and_its_model_reads_them() {
    let both = json!({"tasks": [{"id": "A", "assignment": "find A"}, {"id": "B", "assignment": "find B"}],
        "background": true});
    let mut own = calls(vec![("task", both)]);
    let world = world(move |request| match is_child(request) {
        true if asked(request).1 < 12 => Some(Reply::call("ls", json!({"path": format!("d{}", asked(request).1)}))),
        true => {
            Some(Reply::say(if asked(request).0.contains("find A") { "the plum is blue" } else { "so is the fig" }))
        }
        false => own(request),
    });
    (0..12).for_each(|n| drop(world.work.write(format!("d{n}/f"), "")));
    let mut handle = world.open_with(Which::New, |start| start.attended = false);
    let events = quiet(&mut handle).await;
    let last = world.server.requests().into_iter().rfind(|request| !is_child(request)).unwrap();
    let read = last.messages().iter().map(|message| message["content"].to_string()).collect::<String>();
    assert!(read.contains("the plum is blue") && read.contains("so is the fig"), "{read}");
    let turns = events.iter().filter(|(below, event)| !below && matches!(event, Event::TurnEnded { .. })).count();
    assert_eq!(turns, 1);
    world.server.assert_prefixes_grow_in(3);
    world.server.assert_valid();
}
