//! Skills that a subagent does: called by the model or by a person, under the rules for skills and for subagents, and only what
//! they hand back comes into the conversation.

use crate::children::{children, is_child, outcomes, quiet, runs, text, turn_of, world};
use crate::world::World;
use reasonix_engine::{Start, Which};
use reasonix_proto::{Event, Op, RecordBody, TurnEnd};
use reasonix_testkit::{Recorded, Reply};
use serde_json::json;

const BODY: &str = "Look for $ARGUMENTS the slow way.";

fn with_skill(front: &str, answer: impl FnMut(&Recorded) -> Option<Reply> + Send + 'static) -> World {
    let world = world(answer);
    let text = format!("---\nname: look\ndescription: looks for things\n{front}\n---\n{BODY}\n");
    world.work.write(".reasonix/skills/look/SKILL.md", text);
    world.work.write("a.txt", "a\n");
    world
}

/// The session calls the skill and then says it is done; its subagent says where it is.
fn calls(request: &Recorded) -> Option<Reply> {
    let turns = request.messages().iter().filter(|message| message["role"] == "assistant").count();
    Some(match (is_child(request), turns) {
        (true, _) => Reply::say("it is in the third drawer"),
        (false, 0) => Reply::call("skill", json!({"name": "look", "arguments": "the key"})),
        (false, _) => Reply::say("done"),
    })
}

fn says(request: &Recorded) -> Option<Reply> {
    Some(Reply::say(if is_child(request) { "it is in the third drawer" } else { "done" }))
}

/// What the session itself sent, all of it.
fn sent(world: &World) -> String {
    let own: Vec<Recorded> = world.server.requests().into_iter().filter(|request| !is_child(request)).collect();
    own.iter().map(|request| request.body.to_string()).collect()
}

fn called() -> Op {
    Op::Prompt { text: "/skill:look the key".into(), resolved: false }
}

#[tokio::test]
async fn the_model_has_a_skill_done_and_reads_what_came_of_it() {
    let world = with_skill("context: fork\nmodel: mock/other", calls);
    let mut handle = world.open(Which::New);
    let events = quiet(&mut handle).await;
    let told = text(&outcomes(&events)[0]);
    assert!(told.contains("data to judge") && told.contains("0-look (explore): done"), "{told}");
    assert!(told.contains("it is in the third drawer"), "{told}");
    let asks = children(&world);
    assert_eq!(asks.len(), 1);
    assert_eq!(asks[0].body["model"], "other");
    assert!(asks[0].last_content().contains("Look for the key the slow way."), "{}", asks[0].last_content());
    assert!(!sent(&world).contains("the slow way"), "only the result comes back");
    assert!(sent(&world).contains("- look (subagent): looks for things"), "the index says who does it");
    let kept = events.iter().find_map(|(_, event)| match event {
        Event::Changed { record } => match &record.body {
            RecordBody::Child(run) => Some((run.skill.clone(), run.task.clone())),
            _ => None,
        },
        _ => None,
    });
    assert_eq!(kept, Some((Some("look".into()), "/look the key".into())));
    let booked = std::fs::read_to_string(world.home.path().join("state/usage.jsonl")).unwrap();
    assert!(booked.contains("\"agent\":\"explore\",\"skill\":\"look\",\"steps\":0,\"took_ms\":"), "{booked}");
    assert!(!booked.contains("the key"), "{booked}");
}

#[tokio::test]
async fn a_person_has_a_skill_done_before_the_model_is_asked() {
    for front in ["context: fork", "context: fork\nrunAs: subagent", "context: fork\ndisable-model-invocation: true"] {
        let world = with_skill(front, says);
        let mut handle = world.open(Which::New);
        let events = turn_of(&mut handle, called(), |_, _, _| {}).await;
        assert_eq!(runs(&events), [("0-look".to_owned(), None), ("0-look".to_owned(), Some(TurnEnd::Done))]);
        let asks = children(&world);
        assert_eq!(asks.len(), 1, "{front}");
        assert!(asks[0].last_content().contains("Look for the key the slow way."));
        let requests = world.server.requests();
        assert_eq!(requests.len(), 2, "the subagent's, then the session's");
        let messages = requests[1].messages();
        let said: Vec<(&str, &str)> = messages[1..]
            .iter()
            .map(|message| (message["role"].as_str().unwrap(), message["content"].as_str().unwrap()))
            .collect();
        assert_eq!(said[..2], [("user", "/skill:look the key"), ("assistant", "[a subagent does it]")]);
        assert_eq!(said[2].0, "user");
        assert!(
            said[2].1.contains("it is in the third drawer") && said[2].1.contains("data to judge"),
            "{}",
            said[2].1
        );
        assert!(!sent(&world).contains("the slow way"), "{front}");
    }
}

/// `runAs: subagent`: the text is what the subagent is, and what was said behind the name what it does; whoever calls it.
#[tokio::test]
async fn the_text_of_a_skill_that_runs_as_a_subagent_is_its_system_prompt() {
    type Answer = fn(&Recorded) -> Option<Reply>;
    for (answer, by_person) in [(calls as Answer, false), (says, true)] {
        let world = with_skill("runAs: subagent", answer);
        let mut handle = world.open(Which::New);
        let prompt = if by_person { called() } else { Op::Prompt { text: "go".into(), resolved: false } };
        turn_of(&mut handle, prompt, |_, _, _| {}).await;
        let asks = children(&world);
        assert_eq!(asks.len(), 1);
        let system = asks[0].messages()[0]["content"].as_str().unwrap();
        assert!(system.contains("You are a subagent") && system.contains("Look for the key the slow way."), "{system}");
        assert_eq!(asks[0].last_content(), "the key");
        assert!(!sent(&world).contains("the slow way"));
    }
    // A text that does not name what was said, and nothing said.
    for (typed, assignment) in [("/look for it", "for it"), ("/look", "Do what the skill says.")] {
        let world = with_skill("runAs: subagent", says);
        let text = "---\nname: look\ndescription: looks\nrunAs: subagent\n---\nLook everywhere.\n";
        world.work.write(".reasonix/skills/look/SKILL.md", text);
        let mut handle = world.open(Which::New);
        turn_of(&mut handle, Op::Prompt { text: typed.into(), resolved: false }, |_, _, _| {}).await;
        let asks = children(&world);
        let system = asks[0].messages()[0]["content"].as_str().unwrap();
        assert!(system.contains("Look everywhere.") && !system.contains("for it"), "{system}");
        assert_eq!(asks[0].last_content(), assignment);
    }
}

/// What a person did once is done once more, and not sent as text.
#[tokio::test]
async fn a_skill_that_is_tried_again_is_done_again() {
    let world = with_skill("context: fork", says);
    let mut handle = world.open(Which::New);
    turn_of(&mut handle, called(), |_, _, _| {}).await;
    let events = turn_of(&mut handle, Op::Retry, |_, _, _| {}).await;
    assert_eq!(runs(&events).last(), Some(&("1-look".to_owned(), Some(TurnEnd::Done))));
    assert_eq!(children(&world).len(), 2);
}

/// A rule against the subagent holds beside one against the skill, whoever calls it.
#[tokio::test]
async fn rules_for_subagents_hold_for_skills() {
    let deny = |start: &mut Start| start.world.settings.permissions.deny = vec!["Task(explore)".into()];
    let world = with_skill("context: fork", calls);
    let mut handle = world.open_with(Which::New, deny);
    let events = quiet(&mut handle).await;
    let told = text(&outcomes(&events)[0]);
    assert!(told.contains("Denied") && told.contains("Task(explore)"), "{told}");
    assert!(children(&world).is_empty() && runs(&events).is_empty());

    let world = with_skill("context: fork", says);
    let mut handle = world.open_with(Which::New, deny);
    let events = turn_of(&mut handle, called(), |_, _, _| {}).await;
    let end = events.iter().find_map(|(_, event)| match event {
        Event::TurnEnded { record } => Some(record.body.clone()),
        _ => None,
    });
    let Some(RecordBody::TurnEnded { end: TurnEnd::Refused { why, .. }, .. }) = end else { panic!("{end:?}") };
    assert_eq!((&*why.code, why.arg("name")), ("engine.skill_not_started", Some("look")));
    assert!(why.arg("reason").unwrap().contains("Task(explore)"), "{why:?}");
    assert!(world.server.requests().is_empty(), "nobody was asked anything");

    let hidden = |start: &mut Start| start.world.settings.permissions.deny = vec!["Skill(look)".into()];
    let world = with_skill("context: fork", calls);
    let mut handle = world.open_with(Which::New, |start| {
        hidden(start);
        start.world.settings.tools.enabled = vec!["skill".into(), "task".into()];
    });
    let events = quiet(&mut handle).await;
    assert!(children(&world).is_empty(), "{:?}", outcomes(&events));
}

/// Its agent is the one that it names, and it has the tools that it is content with, also when the model goes on with it.
#[tokio::test]
async fn a_skill_names_its_agent_and_its_tools() {
    let answer = |request: &Recorded| {
        let turns = request.messages().iter().filter(|message| message["role"] == "assistant").count();
        let child = request.messages()[0]["content"].as_str().unwrap_or_default().contains("You judge.");
        Some(match (child, turns) {
            (true, 0 | 2) => Reply::call("bash", json!({"command": "ls"})),
            (true, _) => Reply::say(&format!("it came to this: {}", request.last_content())),
            (false, 0) => Reply::call("skill", json!({"name": "look"})),
            (false, 1) => Reply::call("task", json!({"tasks": [{"id": "0-look", "assignment": "go on"}]})),
            (false, _) => Reply::say("done"),
        })
    };
    let world = with_skill("context: fork\nagent: judge\nallowed-tools: Read, Grep", answer);
    world
        .home
        .write("agents/judge.md", "---\nname: judge\ndescription: judges\ntools: Read, Grep, Bash\n---\nYou judge.\n");
    let mut handle = world.open(Which::New);
    let events = quiet(&mut handle).await;
    let told: Vec<String> = outcomes(&events).iter().map(text).collect();
    assert_eq!(told.len(), 2, "{told:?}");
    for told in &told {
        assert!(told.contains("0-look (judge): ") && told.contains("allowed-tools of /skill:look"), "{told}");
    }
}

#[tokio::test]
async fn where_no_subagent_can_be_started_it_is_said() {
    let off = |start: &mut Start| start.world.settings.tools.enabled = vec!["skill".into()];
    let world = with_skill("context: fork", calls);
    let mut handle = world.open_with(Which::New, off);
    let events = quiet(&mut handle).await;
    let told = text(&outcomes(&events)[0]);
    assert!(told.contains("done by a subagent, and none can be started: the tool task is off here"), "{told}");
    assert!(children(&world).is_empty());

    // A subagent as deep as one may be.
    let answer = |request: &Recorded| {
        let turns = request.messages().iter().filter(|message| message["role"] == "assistant").count();
        Some(match (is_child(request), turns) {
            (true, 0) => Reply::call("skill", json!({"name": "look", "arguments": "the key"})),
            (true, _) => Reply::say(request.last_content()),
            (false, 0) => Reply::call("task", json!({"tasks": [{"id": "A", "assignment": "look"}]})),
            (false, _) => Reply::say("done"),
        })
    };
    let world = with_skill("context: fork", answer);
    let mut handle = world.open_with(Which::New, |start| start.world.settings.task.max_depth = 1);
    let events = quiet(&mut handle).await;
    let told = text(&outcomes(&events)[0]);
    assert!(told.contains("none can be started: subagents may be 1 deep and no deeper"), "{told}");
    assert_eq!(runs(&events).len(), 2, "nobody but the one that was asked for");
}
