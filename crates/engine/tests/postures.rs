//! What each posture answers for a person and what none does, as docs/acceptance.md has it; and plan mode, which no call gets around.

use crate::world::World;

use reasonix_config::Permissions;
use reasonix_engine::{Handle, Which, tool_specs};
use reasonix_proto::{Choice, Event, Mode, Op, PlanAnswer, Posture, RecordBody, ToolOutcome, TurnState};
use reasonix_testkit::Reply;
use serde_json::{Map, Value, json};

/// What came up in a turn.
#[derive(Default)]
struct Seen {
    asked: Vec<String>,
    inquired: usize,
    paused: usize,
    proposed: usize,
    outcomes: Vec<(String, ToolOutcome)>,
}

/// Runs a prompt to its end: calls are answered with `choice`, plans with `plan`.
async fn turn(handle: &mut Handle, choice: Choice, plan: PlanAnswer) -> Seen {
    handle.submit(Op::Prompt { text: "go".into(), resolved: true });
    let (mut seen, mut ended) = (Seen::default(), false);
    loop {
        match handle.events.next().await.expect("the session lives").event {
            Event::Asked { asking } => {
                seen.asked.push(asking.subject.clone());
                let (ask, choice) = (asking.ask.clone(), choice.clone());
                handle.submit(Op::Answer { ask, choice, digest: None, words: None, edited: None });
            }
            Event::Inquired { inquiry } => {
                if inquiry.step {
                    seen.paused += 1
                } else {
                    seen.inquired += 1
                }
                handle.submit(Op::Respond { ask: inquiry.ask.clone(), responses: Vec::new() });
            }
            Event::Proposed { proposal } => {
                seen.proposed += 1;
                handle.submit(Op::AnswerPlan { ask: proposal.ask.clone(), answer: plan.clone() });
            }
            Event::ToolEnded { record } => {
                if let RecordBody::Outcome { tool, outcome, .. } = record.body {
                    seen.outcomes.push((tool, outcome));
                }
            }
            Event::TurnEnded { .. } => ended = true,
            Event::State { state: TurnState::Idle } if ended => return seen,
            _ => {}
        }
    }
}

fn bash(command: &str) -> Reply {
    Reply::call("bash", json!({"command": command}))
}

#[tokio::test]
async fn postures_answer_what_the_table_says() {
    for (posture, wanted) in [
        (Posture::Ask, &["a.txt", "touch asked", "rm -rf keep"][..]),
        (Posture::Auto, &["touch asked", "rm -rf keep"]),
        (Posture::Yolo, &["rm -rf keep"]),
    ] {
        let replies = vec![
            Reply::call("write_file", json!({"path": "a.txt", "content": "x"})),
            bash("touch asked"),
            bash("touch denied"),
            bash("rm -rf keep"),
            Reply::say("ok"),
        ];
        let world = World::new(replies).await;
        world.work.write("keep/file", "x");
        let mut handle = world.open_with(Which::New, |start| {
            let (ask, deny) = (vec!["Bash(touch asked)".into()], vec!["Bash(touch denied)".into()]);
            start.world.settings.permissions = Permissions { ask, deny, ..Permissions::default() };
        });
        handle.submit(Op::SetPosture { posture });
        let seen = turn(&mut handle, Choice::Deny, PlanAnswer::default()).await;
        assert_eq!(seen.asked, wanted, "{posture:?}");
        let made = |name: &str| world.work.exists(name);
        assert_eq!((made("a.txt"), made("asked")), (posture != Posture::Ask, posture == Posture::Yolo), "{posture:?}");
        assert!(!made("denied") && made("keep/file"), "{posture:?}");
    }
}

#[tokio::test]
async fn no_posture_answers_questions_or_plans() {
    for posture in [Posture::Ask, Posture::Auto, Posture::Yolo] {
        let step = |id: &str| json!([{"id": id, "title": "Do it"}]);
        let replies = vec![
            Reply::call("ask", json!({"questions": [{"question": "Which?", "options": ["A", "B"], "recommended": 0}]})),
            Reply::call("submit_plan", json!({"plan": "# P", "steps": step("1")})),
            Reply::call("complete_step", json!({"step": "1", "result": "done"})),
            Reply::call("revise_plan", json!({"reason": "more", "remaining": step("2")})),
            Reply::call("submit_plan", json!({"plan": "# Q"})),
            Reply::say("ok"),
        ];
        let world = World::new(replies).await;
        let mut handle = world.open(Which::New);
        handle.submit(Op::SetPosture { posture });
        let seen = turn(&mut handle, Choice::Deny, PlanAnswer::Approve { edited: None, asks: true }).await;
        let paused = usize::from(posture == Posture::Ask);
        assert_eq!((seen.inquired, seen.proposed, seen.paused), (1, 3, paused), "{posture:?}");
    }
}

/// Who approves a plan and wants to be asked is asked, in every posture, until the turn ends and no longer.
#[tokio::test]
async fn a_plan_approved_with_questions_asks_about_each_change() {
    for posture in [Posture::Ask, Posture::Auto, Posture::Yolo] {
        let write = |path: &str| Reply::call("write_file", json!({"path": path, "content": "x"}));
        let replies = vec![
            Reply::call("submit_plan", json!({"plan": "# P"})),
            write("a.txt"),
            bash("touch b.txt"),
            Reply::say("ok"),
            write("c.txt"),
            Reply::say("ok"),
        ];
        let world = World::new(replies).await;
        let mut handle = world.open(Which::New);
        handle.submit(Op::SetPosture { posture });
        let asks = || PlanAnswer::Approve { edited: None, asks: true };
        let seen = turn(&mut handle, Choice::Deny, asks()).await;
        assert_eq!(seen.asked, ["a.txt", "touch b.txt"], "{posture:?}");
        let seen = turn(&mut handle, Choice::Deny, asks()).await;
        assert_eq!(seen.asked.len(), usize::from(posture == Posture::Ask), "{posture:?}: the next turn is another one");
    }
}

const LINES: &[&str] = &[
    "touch made",
    "echo x > made",
    "ls; touch made",
    "git init made",
    "sed -i s/x/y/ a.txt",
    "cp a.txt made",
    "mv a.txt made",
    "python3 -c \"open('made','w')\"",
    "tee made < a.txt",
    "find . -name a.txt -exec touch made ;",
    "echo made | xargs touch",
    "dd if=a.txt of=made",
    "truncate -s0 a.txt",
    "ln -s a.txt made",
    "mkdir made",
    "rm a.txt",
    "chmod 000 a.txt",
    "sh -c 'touch made'",
    "(touch made)",
    "touch made &",
    "env touch made",
    "$(echo touch) made",
    "awk 'BEGIN{print > \"made\"}'",
    "cat a.txt",
    "ls -la",
    "grep x a.txt",
];

/// A value for a field of a schema.
fn value(schema: &Value, name: &str, variant: usize) -> Value {
    let words = ["a.txt", "made", "x", "../made", "**/*"];
    match schema["type"].as_str().unwrap_or("string") {
        "array" => json!([value(&schema["items"], name, variant)]),
        "object" => {
            let fields = schema["properties"].as_object().cloned().unwrap_or_default();
            Value::Object(fields.iter().map(|(name, field)| (name.clone(), value(field, name, variant))).collect())
        }
        "integer" | "number" => json!(1),
        "boolean" => json!(true),
        _ if schema["enum"].is_array() => {
            schema["enum"][variant % schema["enum"].as_array().map_or(1, Vec::len)].clone()
        }
        _ if name.contains("old") => json!("x"),
        _ => json!(words[variant % words.len()]),
    }
}

/// Plan-safe means read-only: every tool with whatever it takes, and a person who would say yes to everything.
#[tokio::test]
async fn in_plan_mode_whatever_a_tool_is_called_with_nothing_changes() {
    let probe = World::new(Vec::new()).await;
    let specs = tool_specs(&probe.base(Which::New));
    assert!(specs.len() > 15, "{}", specs.len());
    // A turn for each tool: one that makes so many calls alike is stopped for that.
    let mut rounds: Vec<Vec<Reply>> =
        LINES.chunks(4).map(|lines| lines.iter().map(|line| bash(line)).collect()).collect();
    for spec in specs.iter().filter(|spec| spec.name != "bash") {
        let variants = (0..5).map(|variant| {
            let fields = spec.parameters["properties"].as_object().cloned().unwrap_or_else(Map::new);
            let args = fields.iter().map(|(name, field)| (name.clone(), value(field, name, variant))).collect();
            Reply::calls(&[(spec.name.as_str(), Value::Object(args))])
        });
        rounds.extend(variants.map(|reply| vec![reply]));
    }
    let turns = rounds.len();
    let replies = rounds.into_iter().flat_map(|round| round.into_iter().chain([Reply::say("ok")])).collect();
    let world = World::new(replies).await;
    world.work.write("a.txt", "x\nx\n");
    let mut handle = world.open(Which::New);
    handle.submit(Op::SetMode { mode: Mode::Plan });
    handle.submit(Op::SetPosture { posture: Posture::Yolo });
    let mut seen = turn(&mut handle, Choice::AllowOnce, PlanAnswer::default()).await;
    for _ in 1..turns {
        let next = turn(&mut handle, Choice::AllowOnce, PlanAnswer::default()).await;
        seen.outcomes.extend(next.outcomes);
    }
    let called: std::collections::BTreeSet<&str> = seen.outcomes.iter().map(|(tool, _)| tool.as_str()).collect();
    assert!(called.len() > 15, "{called:?}");
    let names: Vec<_> =
        std::fs::read_dir(world.work.path()).unwrap().flatten().map(|entry| entry.file_name()).collect();
    assert_eq!(names, ["a.txt"], "nothing was made");
    assert_eq!(world.work.read("a.txt"), "x\nx\n");
    let denied = seen
        .outcomes
        .iter()
        .filter(|(_, outcome)| matches!(outcome, ToolOutcome::Denied { by } if by.contains("plan mode")));
    assert!(denied.count() > 40, "what could change something is refused for that reason");
}
