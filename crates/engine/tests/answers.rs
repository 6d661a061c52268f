//! Every operation has an answer: one, typed, as a value for whoever handed it in and as an event for everybody else.

use crate::world::World;
use reasonix_engine::{Handle, Which};
use reasonix_proto::{
    AskId, Choice, ClientId, Done, Event, FailureClass, Op, OpId, PlanAnswer, RecordBody, RecordId, Refusal, Response,
    Rewind, Settled, Submit, ToolOutcome, TurnEnd, TurnState,
};
use reasonix_testkit::Reply;
use serde_json::json;

fn prompt(text: &str) -> Op {
    Op::Prompt { text: text.into(), resolved: true }
}

fn refusal(settled: &Settled) -> Option<Refusal> {
    match settled {
        Settled::Refused(refused) => Some(refused.refusal),
        Settled::Done(_) => None,
    }
}

/// What the events say of each operation, until one of them is settled; how often the session was idle by then.
async fn settled_until(handle: &mut Handle, wanted: &OpId) -> (Vec<(OpId, Settled)>, usize) {
    let (mut all, mut idle) = (Vec::new(), 0);
    loop {
        match handle.events.next().await.expect("the session lives").event {
            Event::Settled { op, settled, .. } => {
                let last = op == *wanted;
                all.push((op, *settled));
                if last {
                    return (all, idle);
                }
            }
            Event::State { state: TurnState::Idle } => idle += 1,
            _ => {}
        }
    }
}

/// Waits until a turn runs.
async fn begun(handle: &mut Handle) {
    while !matches!(handle.events.next().await.expect("the session lives").event, Event::TurnStarted { .. }) {}
}

#[tokio::test]
async fn a_prompt_is_settled_with_the_end_of_its_turn() {
    let world = World::new(vec![Reply::say("hello")]).await;
    let mut handle = world.open(Which::New);
    let pending = handle.submit(prompt("hi"));
    let id = pending.id.clone();
    let (told, idle) = settled_until(&mut handle, &id).await;
    let done = Settled::Done(Done::Turn { end: TurnEnd::Done });
    assert_eq!(pending.settled().await, done);
    assert_eq!((told, idle), (vec![(id, done)], 2), "once, and after everything that it did");
}

#[tokio::test]
async fn a_failed_turn_names_the_class_of_its_failure() {
    let world = World::new(vec![Reply::fail(401, "{}")]).await;
    let handle = world.open(Which::New);
    let settled = handle.submit(prompt("hi")).settled().await;
    let Settled::Done(Done::Turn { end: TurnEnd::ProviderFailed { class, .. } }) = settled else {
        panic!("{settled:?}")
    };
    assert_eq!(class, FailureClass::KeyRejected);
}

#[tokio::test]
async fn what_waits_is_settled_by_its_own_turn_or_when_it_is_taken_back() {
    let world = World::new(vec![Reply::hang(), Reply::say("second")]).await;
    let mut handle = world.open(Which::New);
    let first = handle.submit(prompt("one"));
    begun(&mut handle).await;
    let (second, third) = (handle.submit(prompt("two")), handle.submit(Op::FollowUp { text: "three".into() }));
    assert_eq!(refusal(&handle.submit(Op::Retry).settled().await), Some(Refusal::Busy));
    let taken = handle.submit(Op::Unqueue { id: 2 }).settled().await;
    assert_eq!(taken, Settled::Done(Done::Applied));
    assert_eq!(refusal(&third.settled().await), Some(Refusal::Withdrawn));
    assert_eq!(handle.submit(Op::Interrupt).settled().await, Settled::Done(Done::Applied));
    assert_eq!(first.settled().await, Settled::Done(Done::Turn { end: TurnEnd::Interrupted }));
    assert_eq!(second.settled().await, Settled::Done(Done::Turn { end: TurnEnd::Done }));
}

#[tokio::test]
async fn a_session_that_ends_leaves_nobody_waiting() {
    let world = World::new(vec![Reply::hang()]).await;
    let mut handle = world.open(Which::New);
    let running = handle.submit(prompt("one"));
    begun(&mut handle).await;
    let waiting = handle.submit(prompt("two"));
    let waits = waiting.id.clone();
    let closed = handle.submit(Op::Shutdown);
    assert_eq!(closed.settled().await, Settled::Done(Done::Applied));
    assert_eq!(running.settled().await, Settled::Done(Done::Turn { end: TurnEnd::Interrupted }));
    assert_eq!(refusal(&waiting.settled().await), Some(Refusal::Ended));
    let (mut told, mut last) = (0, None);
    while let Some(envelope) = handle.events.next().await {
        told += usize::from(matches!(&envelope.event, Event::Settled { op, .. } if *op == waits));
        let over = envelope.event == Event::SessionEnded;
        last = Some(envelope.event);
        if over {
            break;
        }
    }
    assert_eq!((told, last), (1, Some(Event::SessionEnded)), "everybody hears it, and nothing follows the end");
    assert_eq!(refusal(&handle.submit(prompt("three")).settled().await), Some(Refusal::Ended));
    assert!(handle.events.ready().is_none(), "nothing follows the end");
}

#[tokio::test]
async fn what_is_sent_twice_acts_once() {
    let world = World::new(vec![Reply::say("one"), Reply::say("two")]).await;
    let handle = world.open(Which::New);
    let submit = |text: &str| Submit { id: OpId::from("web-7"), op: prompt(text), client: None };
    let (first, again) = (handle.submit_as(submit("hi")), handle.submit_as(submit("hi")));
    let done = Settled::Done(Done::Turn { end: TurnEnd::Done });
    assert_eq!((first.settled().await, again.settled().await), (done.clone(), done.clone()));
    assert_eq!(handle.submit_as(submit("hi")).settled().await, done, "also when it is long over");
    assert_eq!(refusal(&handle.submit_as(submit("other")).settled().await), Some(Refusal::Repeated));
    assert_eq!(world.server.request_count(), 1);
}

#[tokio::test]
async fn two_front_ends_may_use_one_name() {
    let world = World::new(["one", "two", "three", "four"].map(Reply::say).to_vec()).await;
    let handle = world.open(Which::New);
    let submit = |client: &str| Submit { id: OpId::from("1"), op: prompt("hi"), client: Some(ClientId::from(client)) };
    let done = Settled::Done(Done::Turn { end: TurnEnd::Done });
    assert_eq!(handle.submit_as(submit("web")).settled().await, done);
    assert_eq!(handle.submit_as(submit("phone")).settled().await, done, "it is another's, and acts");
    assert_eq!(handle.submit_as(submit("web")).settled().await, done, "the first one's acts no second time");
    // Our own names are nobody else's.
    let ours = handle.submit(prompt("hi"));
    let as_ours = Submit { id: ours.id.clone(), op: prompt("other"), client: None };
    assert_eq!(refusal(&handle.submit_as(as_ours).settled().await), None);
    assert_eq!(ours.settled().await, done);
    assert_eq!(world.server.request_count(), 4);
}

#[tokio::test]
async fn a_refusal_says_why_to_a_program() {
    let world = World::new(Vec::new()).await;
    let handle = world.open(Which::New);
    let answer =
        Op::Answer { ask: AskId("a".into()), choice: Choice::AllowOnce, digest: None, words: None, edited: None };
    let configure = |key: &str, value: &str| Op::Configure { key: key.into(), value: Some(value.into()) };
    for (op, wanted) in [
        (Op::Retry, Refusal::Nothing),
        (Op::Branch { at: RecordId(99), summary: None }, Refusal::NotFound),
        (Op::Rewind { turn: 9, what: Rewind::Chat, summary: None }, Refusal::NotFound),
        (Op::Rewind { turn: 9, what: Rewind::Files, summary: None }, Refusal::NotFound),
        (Op::Unqueue { id: 5 }, Refusal::NotFound),
        (answer, Refusal::TooLate),
        (Op::SetModel { model: None, effort: Some("very".into()) }, Refusal::Invalid),
        (Op::SetModel { model: Some("nobody/x".into()), effort: None }, Refusal::Failed),
        (configure("sandbox.bash", "off"), Refusal::Fixed),
        (configure("language", "fr"), Refusal::Invalid),
        (Op::Trust { digest: "other".into(), yes: true }, Refusal::OtherThing),
        (Op::Escalate { on: true }, Refusal::NotPossible),
        (Op::Shell { command: " ".into(), keep: true }, Refusal::NotPossible),
    ] {
        assert_eq!(refusal(&handle.submit(op.clone()).settled().await), Some(wanted), "{op:?}");
    }
    let unkept = world.open(Which::Unkept);
    let handoff = unkept.submit(Op::Handoff { focus: String::new() }).settled().await;
    assert_eq!(refusal(&handoff), Some(Refusal::Unkept));
}

#[tokio::test]
async fn what_was_so_already_is_said_to_be() {
    let world = World::new(Vec::new()).await;
    let handle = world.open(Which::New);
    for op in [
        Op::Interrupt,
        Op::SetMode { mode: reasonix_proto::Mode::Build },
        Op::Compact { instructions: String::new() },
        Op::Handoff { focus: String::new() },
    ] {
        assert_eq!(handle.submit(op.clone()).settled().await, Settled::Done(Done::Unchanged), "{op:?}");
    }
    let plan = Op::SetMode { mode: reasonix_proto::Mode::Plan };
    assert_eq!(handle.submit(plan).settled().await, Settled::Done(Done::Applied));
}

/// Several front ends may be on one session: whoever answered is on the log.
#[tokio::test]
async fn the_record_of_an_answer_says_which_front_end_gave_it() {
    let questions = json!({"questions": [{"question": "Which one?", "options": ["a", "b"]}]});
    let script = || {
        vec![
            Reply::call("bash", json!({"command": "touch x"})),
            Reply::call("ask", questions.clone()),
            Reply::call("submit_plan", json!({"plan": "# P\n1. do it"})),
            Reply::say("ok"),
        ]
    };
    let long = "p".repeat(500);
    for (name, kept) in [(Some("phone"), Some("phone")), (None, None), (Some(long.as_str()), Some(&long[..64]))] {
        let world = World::new(script()).await;
        let mut handle = world.open(Which::New);
        handle.submit(prompt("go"));
        let (mut answers, mut found) = (0, Vec::new());
        loop {
            let op = match handle.events.next().await.expect("the session lives").event {
                Event::Asked { asking } => Op::Answer {
                    ask: asking.ask.clone(),
                    choice: Choice::AllowOnce,
                    digest: None,
                    words: None,
                    edited: None,
                },
                Event::Inquired { inquiry } => {
                    let question = inquiry.questions[0].id.clone();
                    let response = Response { question, chosen: vec!["a".into()], text: None };
                    Op::Respond { ask: inquiry.ask.clone(), responses: vec![response] }
                }
                Event::Proposed { proposal } => {
                    let answer = PlanAnswer::Approve { edited: None, asks: false };
                    Op::AnswerPlan { ask: proposal.ask.clone(), answer }
                }
                Event::Answered { record } | Event::Changed { record } | Event::ToolEnded { record } => {
                    match record.body {
                        RecordBody::Decided(decided) => found.push(("call", decided.client)),
                        RecordBody::Planned(planned) => found.push(("plan", planned.client)),
                        RecordBody::Outcome { tool, outcome: ToolOutcome::Done { details, .. }, .. }
                            if tool == "ask" =>
                        {
                            found.push(("questions", details.client));
                        }
                        _ => {}
                    }
                    continue;
                }
                Event::TurnEnded { .. } => break,
                _ => continue,
            };
            answers += 1;
            let id = OpId(format!("answer-{answers}"));
            handle.submit_as(Submit { id, op, client: name.map(ClientId::from) });
        }
        let client = || kept.map(ClientId::from);
        assert_eq!(found, [("call", client()), ("questions", client()), ("plan", client())], "{name:?}");
    }
}
