//! Questions of the model: asked by an event, answered by the first operation, and never by anybody else.

use crate::world;

use reasonix_config::AskSettings;
use reasonix_engine::{Handle, Which};
use reasonix_proto::{Event, Inquiry, Op, RecordBody, Refusal, Response, Settled, ToolOutcome, TurnState};
use reasonix_testkit::{Reply, prefix_breaks};
use serde_json::{Value, json};
use world::World;

fn begin(world: &World, which: Which, attended: bool, timeout: u64) -> Handle {
    world.open_with(which, |start| {
        start.world.settings.ask = AskSettings { timeout };
        start.attended = attended;
    })
}

/// The names of the tools that each request offered.
fn offered(world: &World) -> Vec<Vec<String>> {
    let requests = world.server.requests();
    let names = |body: &Value| {
        let tools = body["tools"].as_array().cloned().unwrap_or_default();
        tools.iter().map(|tool| tool["function"]["name"].as_str().unwrap_or_default().to_owned()).collect()
    };
    requests.iter().map(|request| names(&request.body)).collect()
}

fn question() -> Reply {
    Reply::call("ask", json!({"questions": [{"question": "Which?", "options": ["A", "B"]}]}))
}

async fn turn(handle: &mut Handle, mut answer: impl FnMut(&Inquiry) -> Vec<Op>) -> (Vec<Event>, Vec<ToolOutcome>) {
    handle.submit(Op::Prompt { text: "go".into(), resolved: true });
    let (mut events, mut outcomes) = (Vec::new(), Vec::new());
    loop {
        let event = handle.events.next().await.expect("the session lives").event;
        if let Event::Inquired { inquiry } = &event {
            answer(inquiry).into_iter().for_each(|op| drop(handle.submit(op)));
        }
        if let Event::ToolEnded { record } = &event
            && let RecordBody::Outcome { outcome, .. } = &record.body
        {
            outcomes.push(outcome.clone());
        }
        let ended = events.iter().any(|event| matches!(event, Event::TurnEnded { .. }));
        let over = ended && event == Event::State { state: TurnState::Idle };
        events.push(event);
        if over {
            return (events, outcomes);
        }
    }
}

fn says(inquiry: &Inquiry, label: &str) -> Op {
    let response = Response { question: "1".into(), chosen: vec![label.to_owned()], text: None };
    Op::Respond { ask: inquiry.ask.clone(), responses: vec![response] }
}

fn text(outcome: &ToolOutcome) -> String {
    match outcome {
        ToolOutcome::Done { content, .. } => content.words().into_owned(),
        ToolOutcome::Failed { message, hint, .. } => format!("{message}: {}", hint.clone().unwrap_or_default()),
        other => format!("{other:?}"),
    }
}

/// What was said of the ends of questions.
fn ends(events: &[Event]) -> Vec<bool> {
    let over = |event: &Event| if let Event::InquiryOver { answered, .. } = event { Some(*answered) } else { None };
    events.iter().filter_map(over).collect()
}

#[tokio::test]
async fn the_end_of_questions_is_told_whoever_brought_it_about() {
    let world = World::new(vec![question(), Reply::say("one"), question(), Reply::say("two")]).await;
    let mut handle = begin(&world, Which::New, true, 0);
    let (events, _) = turn(&mut handle, |inquiry| vec![says(inquiry, "B")]).await;
    assert_eq!(ends(&events), [true]);
    let (events, _) = turn(&mut handle, |_| vec![Op::Interrupt]).await;
    assert_eq!(ends(&events), [false], "nobody answered, and nobody waits any more");
}

#[tokio::test]
async fn the_first_answer_wins_and_a_second_one_is_told() {
    let world = World::new(vec![question(), Reply::say("B it is")]).await;
    let mut handle = begin(&world, Which::New, true, 0);
    let other = handle.join();
    let (events, outcomes) = turn(&mut handle, |inquiry| {
        assert_eq!(inquiry.questions.len(), 1);
        other.submit(says(inquiry, "B"));
        vec![says(inquiry, "A")]
    })
    .await;
    assert_eq!(outcomes.iter().map(text).collect::<Vec<_>>(), ["User selected: B"]);
    let late = |event: &&Event| matches!(event, Event::Notice { phrase, .. } if phrase.code == "engine.answer_late");
    assert_eq!(events.iter().filter(late).count(), 1);
    assert!(events.contains(&Event::State { state: TurnState::AwaitingPermission }));
}

#[tokio::test]
async fn an_interrupt_takes_the_question_back() {
    let world = World::new(vec![question()]).await;
    let mut handle = begin(&world, Which::New, true, 0);
    let mut asked = None;
    let (_, outcomes) = turn(&mut handle, |inquiry| {
        asked = Some(inquiry.clone());
        vec![Op::Interrupt]
    })
    .await;
    assert_eq!(outcomes, [ToolOutcome::Aborted]);
    let settled = handle.submit(says(&asked.unwrap(), "A")).settled().await;
    assert!(matches!(settled, Settled::Refused(refused) if refused.refusal == Refusal::TooLate));
}

#[tokio::test]
async fn the_tool_is_offered_only_where_a_session_begins_with_a_person_and_stays() {
    let replies = vec![Reply::say("1"), Reply::say("2"), question(), Reply::say("3")];
    let world = World::new(replies).await;
    let mut alone = begin(&world, Which::New, false, 0);
    turn(&mut alone, |_| Vec::new()).await;
    drop(alone);
    let mut attended = begin(&world, Which::New, true, 0);
    let session = attended.session.clone();
    turn(&mut attended, |_| Vec::new()).await;
    attended.submit(Op::Shutdown);
    while attended.events.next().await.expect("the session lives").event != Event::SessionEnded {}
    drop(attended);
    // The same session without a person: the list of tools stays, the call is refused with what to do.
    let mut later = begin(&world, Which::Resume(session.0), false, 0);
    let (_, outcomes) = turn(&mut later, |_| panic!("nobody is asked")).await;
    assert!(text(outcomes.first().unwrap()).starts_with("nobody is here to answer: decide yourself"), "{outcomes:?}");
    let offered = offered(&world);
    let has = |names: &Vec<String>| names.iter().any(|name| name == "ask");
    assert_eq!(offered.iter().map(has).collect::<Vec<_>>(), [false, true, true, true]);
    let requests = world.server.requests();
    let bodies: Vec<&[u8]> = requests.iter().skip(1).map(|request| request.raw.as_slice()).collect();
    assert_eq!(prefix_breaks(&bodies), Vec::<usize>::new());
}

#[tokio::test]
async fn nobody_waits_longer_than_the_settings_say() {
    let world = World::new(vec![question(), Reply::say("ok")]).await;
    let mut handle = begin(&world, Which::New, true, 1);
    let (_, outcomes) = turn(&mut handle, |_| Vec::new()).await;
    assert!(text(outcomes.first().unwrap()).starts_with("nobody answered within 1 s"), "{outcomes:?}");
}

/// What stands in place of an answer is marked: it is no decision of the user's.
#[tokio::test]
async fn a_question_that_nobody_answers_is_marked_as_an_assumption() {
    let options = json!(["A", "B"]);
    let asked = |recommended: Value| {
        Reply::call(
            "ask",
            json!({"questions": [{"question": "Which?", "options": options, "recommended": recommended}]}),
        )
    };
    let world = World::new(vec![Reply::say("0"), asked(json!(1)), asked(json!(9)), Reply::say("ok")]).await;
    let mut handle = begin(&world, Which::New, true, 0);
    let session = handle.session.clone();
    turn(&mut handle, |_| Vec::new()).await;
    handle.submit(Op::Shutdown);
    while handle.events.next().await.is_some_and(|envelope| envelope.event != Event::SessionEnded) {}
    drop(handle);
    let mut alone = begin(&world, Which::Resume(session.0), false, 0);
    let (_, outcomes) = turn(&mut alone, |_| panic!("nobody is asked")).await;
    let told = text(&outcomes[0]);
    assert!(told.starts_with("[Your own assumption, not a decision of the user: nobody is here"), "{told}");
    assert!(told.contains("- Which?: B (your own recommendation)"), "{told}");
    assert!(matches!(&outcomes[0], ToolOutcome::Done { details, .. } if details.assumed));
    let marked = |code: &Option<String>| code.as_deref() == Some("model_assumption");
    assert!(matches!(&outcomes[1], ToolOutcome::Failed { code, .. } if marked(code)), "{:?}", outcomes[1]);
}
