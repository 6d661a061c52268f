//! Plans with steps: approved, ticked off with what proves them, revised, given up; and the list that they stand in is kept.

use crate::world;

use reasonix_engine::{Handle, Which};
use reasonix_proto::{
    Event, Mode, Op, PlanAnswer, Posture, Query, RecordBody, Reply as Told, Response, TodoPhase, TodoStatus,
    ToolOutcome, TurnState,
};
use reasonix_testkit::Reply;
use serde_json::{Value, json};
use world::World;

/// What a person says: to plans, and behind steps.
struct Person {
    plans: Vec<PlanAnswer>,
    steps: Vec<Response>,
}

/// Runs a prompt to its end, and gives what was asked behind steps, with the outcomes.
async fn turn(handle: &mut Handle, text: &str, person: &mut Person) -> (Vec<String>, Vec<String>) {
    handle.submit(Op::Prompt { text: text.into(), resolved: true });
    let (mut asked, mut outcomes, mut ended) = (Vec::new(), Vec::new(), false);
    loop {
        match handle.events.next().await.expect("the session lives").event {
            Event::Proposed { proposal } => {
                asked.push(proposal.plan.clone());
                let answer = person.plans.remove(0);
                handle.submit(Op::AnswerPlan { ask: proposal.ask.clone(), answer });
            }
            Event::Inquired { inquiry } => {
                assert!(inquiry.step, "{inquiry:?}");
                asked.push(inquiry.questions[0].question.clone());
                handle.submit(Op::Respond { ask: inquiry.ask.clone(), responses: vec![person.steps.remove(0)] });
            }
            Event::Asked { asking } => {
                let choice = reasonix_proto::Choice::AllowOnce;
                handle.submit(Op::Answer { ask: asking.ask.clone(), choice, digest: None, words: None, edited: None });
            }
            Event::ToolEnded { record } => match record.body {
                RecordBody::Outcome { outcome: ToolOutcome::Done { content, .. }, .. } => {
                    outcomes.push(content.words().into_owned());
                }
                RecordBody::Outcome { outcome, .. } => outcomes.push(format!("{outcome:?}")),
                _ => {}
            },
            Event::TurnEnded { .. } => ended = true,
            Event::State { state: TurnState::Idle } if ended => return (asked, outcomes),
            _ => {}
        }
    }
}

fn said(chosen: &[&str], text: Option<&str>) -> Response {
    let chosen = chosen.iter().map(|label| (*label).to_owned()).collect();
    Response { question: "1".into(), chosen, text: text.map(str::to_owned) }
}

fn steps() -> Value {
    json!([{"id": "1", "title": "Read it", "action": "look", "risk": "low"}, {"id": "2", "title": "Write it", "risk": "high"},
        {"id": "3", "title": "Test it"}])
}

fn plan() -> Reply {
    Reply::call("submit_plan", json!({"plan": "# Do it", "steps": steps(), "summary": "in three"}))
}

fn complete(step: &str, result: &str, calls: &[&str]) -> Reply {
    Reply::call("complete_step", json!({"step": step, "result": result, "calls": calls}))
}

fn revise(remaining: Value) -> Reply {
    Reply::call("revise_plan", json!({"reason": "it is not there", "remaining": remaining}))
}

fn yes(asks: bool) -> PlanAnswer {
    PlanAnswer::Approve { edited: None, asks }
}

async fn list(handle: &Handle) -> Vec<TodoPhase> {
    match handle.query(Query::Todo).await {
        Told::Todo { phases } => phases,
        other => panic!("{other:?}"),
    }
}

fn ticks(phases: &[TodoPhase]) -> Vec<(String, TodoStatus)> {
    phases.iter().flat_map(|phase| &phase.tasks).map(|task| (task.content.clone(), task.status)).collect()
}

#[tokio::test]
async fn steps_are_ticked_off_revised_and_kept_through_a_restart() {
    let replies = vec![
        plan(),
        complete("1", "I looked at it", &["no-such-call"]),
        complete("9", "x", &[]),
        revise(json!([{"id": "2", "title": "Write less"}, {"id": "3", "title": "Test it"}])),
        revise(json!([{"id": "4", "title": "Something else"}])),
        Reply::say("so far"),
        complete("2", "written", &[]),
        Reply::say("more"),
    ];
    let world = World::new(replies).await;
    let mut handle = world.open(Which::New);
    handle.submit(Op::SetMode { mode: Mode::Plan });
    let keep = PlanAnswer::Revise { note: "no".into() };
    let mut person = Person { plans: vec![yes(false), yes(false), keep], steps: Vec::new() };
    let (asked, outcomes) = turn(&mut handle, "go", &mut person).await;
    assert!(asked[0].starts_with("in three\n\n# Do it") && asked[0].contains("**2. Write it** (high)"), "{}", asked[0]);
    assert!(outcomes[0].contains("todo list"), "{outcomes:?}");
    assert!(
        outcomes[1].contains("there is no call `no-such-call` in this session")
            && outcomes[1].contains("Next: 2. Write it")
    );
    assert!(outcomes[2].contains("the steps are: 1, 2, 3"), "{outcomes:?}");
    assert!(asked[1].contains("  [x] 1. Read it\n- 2. Write it\n+ 2. Write less\n  3. Test it"), "{}", asked[1]);
    assert!(outcomes[4].contains("keeps the plan as it is: no"), "{outcomes:?}");
    assert_eq!(asked.len(), 3, "a plan that was approved for the whole turn does not pause behind steps");
    let now = vec![
        ("1. Read it".to_owned(), TodoStatus::Completed),
        ("2. Write less".to_owned(), TodoStatus::InProgress),
        ("3. Test it".to_owned(), TodoStatus::Pending),
    ];
    let phases = list(&handle).await;
    assert_eq!(ticks(&phases), now);
    assert!(phases[0].tasks[0].notes.iter().any(|note| note.starts_with("unsupported (")), "{phases:?}");
    let session = handle.session.clone();
    drop(handle);
    let mut handle = world.open_when_free(Which::Resume(session.0)).await;
    assert_eq!(ticks(&list(&handle).await), now);
    handle.submit(Op::SetPosture { posture: Posture::Auto });
    turn(&mut handle, "go on", &mut person).await;
    assert_eq!(ticks(&list(&handle).await)[1].1, TodoStatus::Completed);
    world.server.assert_prefixes_grow();
    world.server.assert_valid();
}

/// A plan that names no steps has those that its text lists, as it was approved.
#[tokio::test]
async fn a_plan_without_steps_begins_the_list_with_what_its_text_lists() {
    let plan = "# Move it\n\n1. read the code\n2. change it\n   - with care\n3. run the tests\n\nRisks:\n- it is old";
    let edited = PlanAnswer::Approve { edited: Some("1. only read\n2. and tell".into()), asks: false };
    for (answer, wanted) in [
        (yes(false), &["1. read the code", "2. change it", "3. run the tests"][..]),
        (edited, &["1. only read", "2. and tell"]),
        (PlanAnswer::Revise { note: "no".into() }, &[]),
        (PlanAnswer::Cancel, &[]),
    ] {
        let replies =
            vec![Reply::call("submit_plan", json!({"plan": plan})), complete("1", "looked", &[]), Reply::say("ok")];
        let world = World::new(replies).await;
        let mut handle = world.open(Which::New);
        handle.submit(Op::SetMode { mode: Mode::Plan });
        let mut person = Person { plans: vec![answer], steps: Vec::new() };
        let (_, outcomes) = turn(&mut handle, "go", &mut person).await;
        let listed: Vec<String> = ticks(&list(&handle).await).into_iter().map(|(content, _)| content).collect();
        assert_eq!(listed, wanted);
        assert_eq!(outcomes[0].contains("todo list"), !wanted.is_empty(), "{outcomes:?}");
        let ticked = ticks(&list(&handle).await).first().map(|(_, status)| *status);
        assert_eq!(ticked, (!wanted.is_empty()).then_some(TodoStatus::Completed), "{outcomes:?}");
    }
}

#[tokio::test]
async fn whoever_wants_to_be_asked_is_asked_behind_each_step() {
    let replies = vec![
        plan(),
        complete("1", "looked", &[]),
        complete("2", "written", &[]),
        complete("3", "tested", &[]),
        Reply::say("stopped"),
    ];
    let world = World::new(replies).await;
    let mut handle = world.open(Which::New);
    let steps = vec![said(&["continue"], None), said(&["revise"], Some("smaller")), said(&["stop"], None)];
    let mut person = Person { plans: vec![yes(true)], steps };
    let (asked, outcomes) = turn(&mut handle, "go", &mut person).await;
    assert_eq!(asked.len(), 4);
    assert!(asked[1].starts_with("1. Read it\nunsupported ("), "{asked:?}");
    assert!(outcomes[1].contains("Next: 2. Write it"), "{outcomes:?}");
    assert!(outcomes[2].contains("different (smaller)") && outcomes[2].contains("revise_plan"), "{outcomes:?}");
    assert!(outcomes[3].contains("stops here"), "{outcomes:?}");
}

#[tokio::test]
async fn there_are_no_steps_without_an_approved_plan_and_none_in_plan_mode() {
    let replies = vec![
        complete("1", "x", &[]),
        revise(json!([{"title": "x"}])),
        Reply::say("ok"),
        plan(),
        complete("1", "x", &[]),
        Reply::say("ok"),
    ];
    let world = World::new(replies).await;
    let mut handle = world.open(Which::New);
    let mut person = Person { plans: vec![yes(false)], steps: Vec::new() };
    let (_, outcomes) = turn(&mut handle, "go", &mut person).await;
    assert!(outcomes.iter().all(|outcome| outcome.contains("no plan with steps was approved")), "{outcomes:?}");
    handle.submit(Op::SetMode { mode: Mode::Plan });
    let mut person = Person { plans: vec![PlanAnswer::Cancel], steps: Vec::new() };
    let (_, outcomes) = turn(&mut handle, "go", &mut person).await;
    assert!(outcomes[0].contains("gives the plan up"), "{outcomes:?}");
    assert!(outcomes[1].contains("no plan with steps was approved"), "{outcomes:?}");
    match handle.query(Query::Status).await {
        Told::Status(status) => assert_eq!(status.mode, Mode::Build, "planning is over"),
        other => panic!("{other:?}"),
    }
}

/// Without ids a step keeps the id that its title has, what is done and named again at the beginning stays done, and a new one
/// gets the next number. Accepting other steps does not change what is asked, nor what the session is called.
#[tokio::test]
async fn steps_that_are_revised_without_ids_keep_theirs() {
    let replies = vec![
        plan(),
        complete("1", "looked", &[]),
        revise(json!(["Read it", "Write less", {"title": "test  IT"}, "Read it"])),
        complete("3", "tested", &[]),
        Reply::say("so far"),
    ];
    let world = World::new(replies).await;
    let mut handle = world.open(Which::New);
    let steps = vec![said(&["continue"], None), said(&["continue"], None)];
    let mut person = Person { plans: vec![yes(true), yes(false)], steps };
    let (asked, outcomes) = turn(&mut handle, "go", &mut person).await;
    assert!(
        asked[2].contains("  [x] 1. Read it\n- 2. Write it\n+ 4. Write less\n  3. Test it\n+ 5. Read it\n"),
        "{}",
        asked[2]
    );
    assert!(outcomes[2].contains("4. Write less, 3. Test it, 5. Read it"), "{outcomes:?}");
    assert_eq!(asked.len(), 4, "it still pauses behind steps: {asked:?}");
    let wanted = [
        ("1. Read it", TodoStatus::Completed),
        ("4. Write less", TodoStatus::InProgress),
        ("3. Test it", TodoStatus::Completed),
        ("5. Read it", TodoStatus::Pending),
    ];
    assert_eq!(ticks(&list(&handle).await), wanted.map(|(words, status)| (words.to_owned(), status)));
    match handle.query(Query::Status).await {
        Told::Status(status) => assert_eq!(status.title, "in three"),
        other => panic!("{other:?}"),
    }
}

/// A step of an approved plan is not ticked off while somebody plans again.
#[tokio::test]
async fn steps_wait_while_plan_mode_is_on() {
    let world = World::new(vec![
        plan(),
        Reply::say("ok"),
        complete("1", "x", &[]),
        revise(json!([{"title": "x"}])),
        Reply::say("ok"),
    ])
    .await;
    let mut handle = world.open(Which::New);
    let mut person = Person { plans: vec![yes(false)], steps: Vec::new() };
    turn(&mut handle, "go", &mut person).await;
    handle.submit(Op::SetMode { mode: Mode::Plan });
    let (_, outcomes) = turn(&mut handle, "again", &mut person).await;
    assert!(outcomes.iter().all(|outcome| outcome.contains("plan mode is on")), "{outcomes:?}");
    assert_eq!(ticks(&list(&handle).await)[0].1, TodoStatus::InProgress);
}

#[tokio::test]
async fn a_step_is_verified_by_the_calls_that_it_names() {
    let look = Reply::call("ls", json!({"path": "."}));
    let replies = vec![plan(), look, complete("1", "I looked at it", &["call_2_0"]), Reply::say("ok")];
    let world = World::new(replies).await;
    world.work.write("a.txt", "x");
    let mut handle = world.open(Which::New);
    let mut person = Person { plans: vec![yes(false)], steps: Vec::new() };
    let (_, outcomes) = turn(&mut handle, "go", &mut person).await;
    assert!(!outcomes[2].contains("Nothing proves it"), "{outcomes:?}");
    let phases = list(&handle).await;
    assert!(phases[0].tasks[0].notes.contains(&"verified: I looked at it".to_owned()), "{phases:?}");
}
