//! A goal is state of the session: operations change it by records, the model is told in its prompts, and modes exclude it.

use crate::world;

use reasonix_engine::{Handle, Which};
use reasonix_proto::{
    Done, Event, GoalInfo, GoalNews, GoalStanding, GoalStop, JobState, Mode, Op, Posture, Query, RecordBody, Refusal,
    Reply, Settled,
};
use reasonix_testkit::Reply as Answer;
use serde_json::json;
use world::World;

async fn goal(handle: &Handle) -> Option<GoalInfo> {
    match handle.query(Query::Goal).await {
        Reply::Goal { goal } => goal.map(|goal| *goal),
        other => panic!("{other:?}"),
    }
}

/// Hands an operation in and waits until it is settled, with all that happened.
async fn settled(handle: &mut Handle, op: Op) -> (Settled, Vec<Event>) {
    let wanted = handle.submit(op).id;
    let mut events = Vec::new();
    loop {
        let event = handle.events.next().await.expect("the session lives").event;
        if let Event::Settled { op, settled, .. } = &event
            && *op == wanted
        {
            return (*settled.clone(), events);
        }
        events.push(event);
    }
}

fn set(words: &str) -> Op {
    Op::SetGoal { objective: words.into(), strategy: None }
}

fn prompt(text: &str) -> Op {
    Op::Prompt { text: text.into(), resolved: true }
}

fn news(events: &[Event]) -> Vec<GoalNews> {
    let goal = |event: &Event| match event {
        Event::Changed { record } => match &record.body {
            RecordBody::Goal(change) => Some(change.news),
            _ => None,
        },
        _ => None,
    };
    events.iter().filter_map(goal).collect()
}

fn on() -> Vec<Answer> {
    vec![Answer::call("ls", json!({})), Answer::say("GOAL: continue")]
}

/// An interrupt lets the goal wait; it is settled then, and one operation goes on.
#[tokio::test]
async fn an_interrupt_lets_a_goal_wait() {
    let done = [Answer::call("ls", json!({})), Answer::say("It is there.\nGOAL: done")];
    let world = World::new(on().into_iter().chain([Answer::hang()]).chain(done).collect()).await;
    let mut handle = world.open(Which::New);
    let pursued = handle.submit(set("look around"));
    while !matches!(handle.events.next().await.expect("it lives").event, Event::TurnEnded { .. }) {}
    world.server.wait_for_requests(3).await;
    assert_eq!(goal(&handle).await.map(|goal| (goal.standing, goal.turns)), Some((GoalStanding::Active, 1)));
    handle.submit(Op::Interrupt);
    let Settled::Done(Done::Goal { goal: Some(stopped) }) = pursued.settled().await else { panic!("not a goal") };
    assert_eq!((stopped.standing, stopped.stop), (GoalStanding::Paused, Some(GoalStop::User)));
    let (settled, events) = settled(&mut handle, Op::ResumeGoal).await;
    assert!(matches!(settled, Settled::Done(Done::Goal { goal: Some(goal) }) if goal.standing == GoalStanding::Done));
    assert_eq!(news(&events).last(), Some(&GoalNews::Reached));
    world.server.assert_prefixes_grow();
}

/// A goal that is let wait in the middle of a turn has had that turn.
#[tokio::test]
async fn a_turn_in_which_a_goal_is_paused_counts() {
    let write = Answer::call("write_file", json!({"path": "a.txt", "content": "x"}));
    let world = World::new(vec![write, Answer::say("GOAL: continue").with_usage(900, 100, 0)]).await;
    let mut handle = world.open(Which::New);
    handle.submit(set("write it"));
    let asking = loop {
        if let Event::Asked { asking } = handle.events.next().await.expect("it lives").event {
            break asking;
        }
    };
    assert_eq!(handle.submit(Op::PauseGoal).settled().await, Settled::Done(Done::Applied));
    let choice = reasonix_proto::Choice::AllowOnce;
    handle.submit(Op::Answer { ask: asking.ask, choice, digest: None, words: None, edited: None });
    while !matches!(handle.events.next().await.expect("it lives").event, Event::TurnEnded { .. }) {}
    let paused = goal(&handle).await.expect("it is there");
    assert_eq!((paused.standing, paused.turns), (GoalStanding::Paused, 1));
    assert_eq!(paused.stop, Some(GoalStop::User));
    assert!(paused.tokens >= 1000, "{paused:?}");
}

/// What the words of a goal ask for has to be shown, and what would count is named; who only looked is not said to have proved it.
#[tokio::test]
async fn a_goal_that_asks_for_tests_is_not_reached_by_looking() {
    let lie = || Answer::say("It works.\nGOAL: done");
    let look = || Answer::call("ls", json!({}));
    let world = World::new(vec![look(), lie(), lie(), lie()]).await;
    world.work.write("Makefile", "test:\n\tfalse\n");
    let mut handle = world.open(Which::New);
    let (end, events) = settled(&mut handle, set("make the tests pass")).await;
    assert!(
        matches!(&end, Settled::Done(Done::Goal { goal: Some(goal) })
        if matches!(&goal.stop, Some(GoalStop::Unproved { missing }) if missing.iter().any(|one| one.contains("make test")))),
        "{end:?}"
    );
    assert!(!news(&events).contains(&GoalNews::Reached));
    let world = World::new(vec![look(), lie()]).await;
    let mut handle = world.open(Which::New);
    let (end, events) = settled(&mut handle, set("look around")).await;
    assert!(matches!(&end, Settled::Done(Done::Goal { goal: Some(goal) }) if goal.looked), "{end:?}");
    let said = events.iter().find_map(|event| match event {
        Event::Changed { record } => match &record.body {
            RecordBody::Goal(change) if change.news == GoalNews::Reached => change.phrase(),
            _ => None,
        },
        _ => None,
    });
    assert_eq!(said.map(|(_, phrase)| phrase.code.to_string()), Some("flow.goal_reached_by_looking".into()));
}

/// Going to another mode takes the goal away and leaves how much is asked as it is; a goal ends plan mode.
#[tokio::test]
async fn modes_and_goals_exclude_each_other() {
    let world = World::new(vec![Answer::say("GOAL: impossible: x"), Answer::say("fine")]).await;
    let mut handle = world.open(Which::New);
    settled(&mut handle, Op::SetPosture { posture: Posture::Auto }).await;
    settled(&mut handle, Op::SetMode { mode: Mode::Plan }).await;
    settled(&mut handle, set("do it")).await;
    let status = |handle: &Handle| {
        let asked = handle.query(Query::Status);
        async {
            match asked.await {
                Reply::Status(status) => (status.mode, status.posture, status.goal.is_some()),
                other => panic!("{other:?}"),
            }
        }
    };
    assert_eq!(status(&handle).await, (Mode::Build, Posture::Auto, true));
    for mode in [Mode::Build, Mode::Plan] {
        settled(&mut handle, Op::SetMode { mode }).await;
        assert_eq!(status(&handle).await, (mode, Posture::Auto, false), "{mode:?}");
    }
    settled(&mut handle, prompt("hello")).await;
    let requests = world.server.requests();
    let said = requests.last().expect("one").messages().to_vec().pop().expect("one")["content"].to_string();
    assert!(said.contains("The goal is set aside"), "{said}");
    world.server.assert_prefixes_grow();
}

/// What the user says while a goal goes on comes before its next turn, with the goal; and the goal can be changed meanwhile.
#[tokio::test]
async fn what_is_said_meanwhile_comes_first() {
    let mut answers = vec![Answer::call("ask", json!({"questions": [{"question": "?", "options": ["a", "b"]}]}))];
    answers.extend([Answer::say("GOAL: continue"), Answer::say("told\nGOAL: continue")]);
    answers.push(Answer::say("GOAL: impossible: y"));
    let world = World::new(answers).await;
    let mut handle = world.open(Which::New);
    let pursued = handle.submit(set("first words"));
    let ask = loop {
        if let Event::Inquired { inquiry } = handle.events.next().await.expect("it lives").event {
            break inquiry.ask;
        }
    };
    handle.submit(prompt("and mind the docs"));
    handle.submit(Op::EditGoal { objective: "other words".into() }).settled().await;
    handle.submit(Op::Respond { ask, responses: Vec::new() });
    assert!(matches!(pursued.settled().await, Settled::Done(Done::Goal { .. })));
    let last = |request: usize| {
        let messages = world.server.requests()[request].messages().to_vec();
        messages.last().expect("one")["content"].to_string()
    };
    assert!(last(1).contains("from now on it is: other words"), "{}", last(1));
    assert!(last(2).contains("and mind the docs") && last(2).contains("The goal stands: other words"), "{}", last(2));
    assert!(last(3).contains("The goal: other words"), "{}", last(3));
    world.server.assert_prefixes_grow();
}

#[tokio::test]
async fn a_goal_can_be_paused_cleared_and_is_not_there() {
    let world = World::new(vec![Answer::say("GOAL: impossible: z"), Answer::say("GOAL: impossible: z")]).await;
    let mut handle = world.open(Which::New);
    for op in [Op::PauseGoal, Op::ResumeGoal, Op::EditGoal { objective: "x".into() }] {
        let (came, _) = settled(&mut handle, op.clone()).await;
        assert!(matches!(came, Settled::Refused(ref why) if why.refusal == Refusal::Nothing), "{op:?}");
    }
    let (came, _) = settled(&mut handle, set("  ")).await;
    assert!(matches!(came, Settled::Refused(ref why) if why.refusal == Refusal::Invalid));
    assert_eq!(goal(&handle).await, None);
    settled(&mut handle, set("one")).await;
    let (_, events) = settled(&mut handle, set("two")).await;
    assert_eq!(news(&events), [GoalNews::Set, GoalNews::Stopped]);
    assert_eq!(goal(&handle).await.map(|goal| goal.objective), Some("two".into()));
    let (came, events) = settled(&mut handle, Op::ClearGoal).await;
    assert_eq!((came, news(&events)), (Settled::Done(Done::Applied), vec![GoalNews::Cleared]));
    assert_eq!(goal(&handle).await, None);
}

/// The goal is the session's: it is there on another branch too, and after that branch was taken up again.
#[tokio::test]
async fn a_goal_stays_on_another_branch() {
    let world = World::new(vec![Answer::say("one"), Answer::say("GOAL: impossible: x")]).await;
    let mut handle = world.open(Which::New);
    settled(&mut handle, prompt("first")).await;
    settled(&mut handle, set("do it")).await;
    let back = Op::Rewind { turn: 1, what: reasonix_proto::Rewind::Chat, summary: None };
    settled(&mut handle, back).await;
    assert!(goal(&handle).await.is_some());
    settled(&mut handle, Op::Shutdown).await;
    drop(handle);
    let handle = world.open(Which::Continue);
    assert_eq!(goal(&handle).await.map(|goal| goal.objective), Some("do it".into()));
}

/// A command in the background that ends when there is a file, and the turns up to where nothing else is to be done.
fn builds() -> Vec<Answer> {
    let command = "until [ -e go ]; do sleep 0.02; done; echo built";
    let begins = Answer::call("bash", json!({"command": command, "background": true, "wait": 0}));
    vec![begins, Answer::say("It builds.\nGOAL: continue"), Answer::say("Still building.\nGOAL: continue")]
}

/// Hears the session until a turn waits for what works behind it.
async fn until_it_waits(handle: &mut Handle) {
    loop {
        if let Event::Notice { phrase, .. } = handle.events.next().await.expect("it lives").event
            && phrase.code == "engine.waits_for_jobs"
        {
            return;
        }
    }
}

/// The model that has nothing to do but to wait is not taken for one that goes nowhere: its turn goes on with the news.
#[tokio::test]
async fn a_turn_of_a_goal_with_nothing_to_do_waits_for_what_works_behind_it() {
    let world = World::new(builds().into_iter().chain([Answer::say("GOAL: impossible: x")]).collect()).await;
    let mut handle = world.open(Which::New);
    settled(&mut handle, Op::SetPosture { posture: Posture::Yolo }).await;
    let pursued = handle.submit(set("build it"));
    until_it_waits(&mut handle).await;
    assert_eq!(world.server.request_count(), 3);
    world.work.write("go", "");
    let Settled::Done(Done::Goal { goal: Some(over) }) = pursued.settled().await else { panic!("not a goal") };
    assert_eq!((over.turns, over.idle, world.server.request_count()), (2, 1, 4), "waiting is no turn");
    let said = |request: usize| world.server.requests()[request].last_content().to_owned();
    assert!(said(2).contains("At work in the background: j1;"), "{}", said(2));
    assert!(said(3).contains("[job j1 completed") && said(3).contains("built"), "{}", said(3));
    world.server.assert_prefixes_grow();
}

/// Whoever interrupts the wait stops the goal, and what is said into it is read at once.
#[tokio::test]
async fn a_wait_for_what_works_behind_a_goal_ends_by_a_word() {
    let more = [Answer::say("I see.\nGOAL: continue"), Answer::say("GOAL: impossible: x")];
    let world = World::new(builds().into_iter().chain(more).collect()).await;
    let mut handle = world.open(Which::New);
    settled(&mut handle, Op::SetPosture { posture: Posture::Yolo }).await;
    let pursued = handle.submit(set("build it"));
    until_it_waits(&mut handle).await;
    handle.submit(Op::Steer { text: "mind the docs".into() });
    until_it_waits(&mut handle).await;
    assert_eq!(world.server.requests()[3].last_content(), "mind the docs");
    handle.submit(Op::Interrupt);
    let Settled::Done(Done::Goal { goal: Some(over) }) = pursued.settled().await else { panic!("not a goal") };
    assert_eq!((over.stop, over.turns), (Some(GoalStop::User), 2));
    let Reply::Jobs { jobs } = handle.query(Query::Jobs).await else { panic!("jobs") };
    assert_eq!(jobs.iter().map(|job| job.state).collect::<Vec<_>>(), [JobState::Running]);
}

/// What never ends does not hold a goal for ever.
#[tokio::test]
async fn a_goal_waits_for_so_long_and_no_longer() {
    let idle = ["Hm.", "Well."].map(|words| Answer::say(&format!("{words}\nGOAL: continue")));
    let world = World::new(builds().into_iter().chain(idle).collect()).await;
    let mut handle = world.open_with(Which::New, |start| start.world.settings.goal.wait_seconds = 1);
    settled(&mut handle, Op::SetPosture { posture: Posture::Yolo }).await;
    let pursued = handle.submit(set("build it"));
    for _ in 0..3 {
        until_it_waits(&mut handle).await;
    }
    let Settled::Done(Done::Goal { goal: Some(over) }) = pursued.settled().await else { panic!("not a goal") };
    assert!(matches!(over.stop, Some(GoalStop::Blocked { .. })) && over.turns == 4, "{over:?}");
}
