//! Hooks where somebody is at the screen: questions, what is said into a turn, reading anew, and the end.

use crate::world;

use reasonix_engine::{Handle, Which};
use reasonix_proto::{
    Asking, Choice, Done, Event, Op, Phrase, Query, RecordBody, Reply as Answer, Rewind, Settled, ToolOutcome, TurnEnd,
};
use reasonix_testkit::Reply;
use serde_json::{Value, json};
use std::time::Duration;
use world::{World, turn};

fn bash(command: &str) -> Reply {
    Reply::call("bash", json!({ "command": command }))
}

/// A world with hooks of the user's own.
async fn hooked(hooks: Value, replies: Vec<Reply>) -> World {
    let world = World::new(replies).await;
    world.home.write("settings.json", json!({ "hooks": hooks }).to_string());
    world
}

fn told(world: &World, name: &str) -> Value {
    serde_json::from_str(&std::fs::read_to_string(world.work.join(name)).unwrap()).unwrap()
}

/// Everything up to an event.
async fn until(handle: &mut Handle, mut is_it: impl FnMut(&Event) -> bool) -> Vec<Event> {
    let mut seen = Vec::new();
    loop {
        let event = handle.events.next().await.expect("the session lives").event;
        let found = is_it(&event);
        seen.push(event);
        if found {
            return seen;
        }
    }
}

fn notices(events: &[Event]) -> Vec<String> {
    let code = |event: &Event| match event {
        Event::Notice { phrase, .. } => Some(phrase.code.to_string()),
        _ => None,
    };
    events.iter().filter_map(code).collect()
}

#[tokio::test]
async fn of_what_is_remembered_hooks_see_the_name_of_the_tool_alone() {
    let all = json!([{"command": "cat > told-$(cat /proc/sys/kernel/random/uuid)"}]);
    let save = json!({"name": "ports", "text": "the secret port is 1234"});
    let hooks = json!({"PreToolUse": all, "PostToolUse": all});
    let world = hooked(hooks, vec![Reply::call("remember", save), Reply::say("ok")]).await;
    let outcomes = turn(&mut world.open(Which::New), |_| Choice::AllowOnce).await;
    assert!(matches!(outcomes[..], [ToolOutcome::Done { .. }]), "{outcomes:?}");
    let entries = std::fs::read_dir(world.work.path()).unwrap().map(|entry| entry.unwrap().path());
    let texts: Vec<String> = entries
        .filter(|path| path.file_name().unwrap().to_string_lossy().starts_with("told-"))
        .map(|path| std::fs::read_to_string(path).unwrap())
        .collect();
    assert_eq!(texts.len(), 2);
    for text in texts {
        assert!(text.contains("\"toolName\":\"remember\"") && !text.contains("1234"), "{text}");
    }
}

/// A program of the folder is held to what it was, also a large one.
#[tokio::test]
async fn a_large_program_is_a_guard_too() {
    let hooks = json!({"PreToolUse": [{"command": "./guard"}]});
    let world = hooked(hooks, vec![bash("touch made"), Reply::say("ok")]).await;
    world.work.write("guard", format!("#!/bin/sh\nexit 0\n{}", "#".repeat(5 << 20)));
    let guard = world.work.path().join("guard");
    std::fs::set_permissions(guard, std::os::unix::fs::PermissionsExt::from_mode(0o755)).unwrap();
    let outcomes = turn(&mut world.open(Which::New), |_| Choice::AllowOnce).await;
    assert!(matches!(outcomes[..], [ToolOutcome::Done { .. }]), "{outcomes:?}");
}

/// A filter is held against the words that are run, however they are spelt.
#[tokio::test]
async fn a_filter_sees_a_command_as_it_runs() {
    let guard = json!({"type": "command", "command": "echo no >&2; exit 2", "if": "Bash(touch *)"});
    let spelt = ["t\\ouch made", "to''uch made", "echo a; 'touch' made", "echo \"touch\" it", "echo {touch,a}"];
    for (line, refused) in spelt.into_iter().zip([true, true, true, false, true]) {
        let hooks = json!({"PreToolUse": [{"matcher": "Bash", "hooks": [guard]}]});
        let world = hooked(hooks, vec![bash(line), Reply::say("ok")]).await;
        let outcomes = turn(&mut world.open(Which::New), |_| Choice::AllowOnce).await;
        assert_eq!(matches!(outcomes[..], [ToolOutcome::Denied { .. }]), refused, "{line}: {outcomes:?}");
    }
}

#[tokio::test]
async fn a_hook_answers_a_question_with_no_and_its_yes_answers_nothing() {
    let answer = |behaviour: &str, file: &str| {
        let said = json!({"hookSpecificOutput": {"hookEventName": "PermissionRequest",
            "decision": {"behavior": behaviour, "message": "not on a Friday"}}});
        json!({"hooks": [{"type": "command", "command": format!("cat > {file}; echo '{said}'")}]})
    };
    let waits = json!([{"command": "cat > waited"}]);
    let hooks = json!({"PermissionRequest": [answer("allow", "yes"), answer("deny", "no")], "Notification": waits});
    let world = hooked(hooks, vec![bash("touch made"), Reply::say("ok")]).await;
    let mut handle = world.open(Which::New);
    handle.submit(Op::Prompt { text: "go".into(), resolved: true });
    // Nobody answers but the hook.
    let events = until(&mut handle, |event| matches!(event, Event::TurnEnded { .. })).await;
    let decided = events.iter().find_map(|event| match event {
        Event::Answered { record } => match &record.body {
            RecordBody::Decided(decided) => Some(decided.clone()),
            _ => None,
        },
        _ => None,
    });
    let decided = decided.unwrap();
    assert!(!decided.allowed && decided.words.as_deref() == Some("not on a Friday"), "{decided:?}");
    assert!(decided.client.unwrap().0.starts_with("hook "));
    assert!(!world.work.join("made").exists());
    let said = told(&world, "yes");
    assert_eq!((&said["tool_name"], &said["tool_input"]), (&json!("Bash"), &json!({"command": "touch made"})));
}

#[tokio::test]
async fn a_hook_has_a_person_asked_where_nobody_would_have_been_and_each_time() {
    let said = json!({"hookSpecificOutput": {"permissionDecision": "ask", "permissionDecisionReason": "look twice"}});
    let hook = json!({"matcher": "Read", "hooks": [{"command": format!("echo '{said}'"), "statusMessage": "careful"}]});
    let read = || Reply::call("read_file", json!({"path": "a"}));
    let world = hooked(json!({"PreToolUse": [hook]}), vec![read(), Reply::say("ok")]).await;
    world.work.write("a", "text\n");
    let mut asked: Vec<Asking> = Vec::new();
    let outcomes = turn(&mut world.open(Which::New), |asking| {
        asked.push(asking.clone());
        Choice::AllowOnce
    })
    .await;
    assert!(matches!(outcomes[..], [ToolOutcome::Done { .. }]), "{outcomes:?}");
    assert_eq!(asked.len(), 1);
    assert_eq!(asked[0].choices, [Choice::AllowOnce, Choice::Deny], "no grant would be heard");
    let why = Phrase::new("engine.ask_hook_because").with("hook", "careful").with("reason", "look twice");
    assert_eq!(asked[0].why, why);
}

/// A command that ended with another code than 0 failed, for hooks in Claude Code's words; in ours it did what was asked.
#[tokio::test]
async fn a_command_that_fails_is_a_failure_in_the_words_of_claude_code() {
    let nested = |name: &str| json!({"hooks": [{"type": "command", "command": format!("echo x >> {name}")}]});
    let hooks = json!({
        "PostToolUse": [nested("theirs-done"), {"command": "echo x >> ours-done"}],
        "PostToolUseFailure": [nested("theirs-failed"), {"command": "echo x >> ours-failed"}],
    });
    let world = hooked(hooks, vec![bash("false"), Reply::say("ok")]).await;
    turn(&mut world.open(Which::New), |_| Choice::AllowOnce).await;
    let there = ["theirs-done", "theirs-failed", "ours-done", "ours-failed"].map(|name| world.work.exists(name));
    assert_eq!(there, [false, true, true, false]);
}

#[tokio::test]
async fn what_is_said_into_a_turn_is_shown_to_hooks_too() {
    let hooks = json!({"UserPromptSubmit": [{"command": "grep -q sk-1 && exit 2; exit 0"}]});
    let world = hooked(hooks, vec![bash("true > made"), Reply::say("ok")]).await;
    let mut handle = world.open(Which::New);
    handle.submit(Op::Prompt { text: "go".into(), resolved: true });
    let mut seen = until(&mut handle, |event| matches!(event, Event::Asked { .. })).await;
    handle.submit(Op::Steer { text: "the key is sk-1".into() });
    let Some(Event::Asked { asking }) = seen.last() else { panic!("{seen:?}") };
    let (ask, choice) = (asking.ask.clone(), Choice::AllowOnce);
    handle.submit(Op::Answer { ask, choice, digest: None, words: None, edited: None });
    seen.extend(until(&mut handle, |event| matches!(event, Event::TurnEnded { .. })).await);
    assert!(notices(&seen).contains(&"hooks.prompt_blocked".to_owned()), "{seen:?}");
    assert!(world.server.requests().iter().all(|request| !request.body.to_string().contains("sk-1")));
}

#[tokio::test]
async fn hooks_are_read_anew_when_somebody_says_so() {
    let world = World::new(vec![bash("echo 1"), Reply::say("ok"), bash("echo 2"), Reply::say("ok")]).await;
    let mut handle = world.open(Which::New);
    turn(&mut handle, |_| Choice::AllowOnce).await;
    let entry = json!({"match": "bash", "command": "cat > told", "machter": "x"});
    let hooks = json!({"hooks": {"PreToolUse": [entry]}});
    world.home.write("settings.json", hooks.to_string());
    assert_eq!(handle.query(Query::Hooks).await, Answer::Hooks { hooks: Vec::new(), flaws: Vec::new() });
    let settled = handle.submit(Op::ReloadHooks).settled().await;
    assert_eq!(settled, Settled::Done(Done::Applied));
    let Answer::Hooks { hooks, flaws } = handle.query(Query::Hooks).await else { panic!("hooks") };
    assert!(format!("{flaws:?}").contains("machter"), "{flaws:?}");
    let seen: Vec<_> = hooks.iter().map(|hook| (hook.event.as_str(), hook.matcher.as_str(), hook.trusted)).collect();
    assert_eq!(seen, [("PreToolUse", "bash", true)]);
    turn(&mut handle, |_| Choice::AllowOnce).await;
    assert_eq!(told(&world, "told")["toolArgs"], json!({"command": "echo 2"}));
}

#[tokio::test]
async fn a_hook_that_nobody_waits_for_ends_with_the_session() {
    let hook = json!({"hooks": [{"command": "echo $$ > pid; exec sleep 1000", "async": true, "timeout": 3000}]});
    let world = hooked(json!({"UserPromptSubmit": [hook]}), vec![Reply::say("ok")]).await;
    let mut handle = world.open(Which::New);
    turn(&mut handle, |_| Choice::AllowOnce).await;
    let file = world.work.join("pid");
    let pid = loop {
        match std::fs::read_to_string(&file).ok().and_then(|text| text.trim().parse::<u32>().ok()) {
            Some(pid) => break pid,
            None => tokio::time::sleep(Duration::from_millis(5)).await,
        }
    };
    let alive = || std::path::Path::new(&format!("/proc/{pid}")).exists();
    assert!(alive());
    handle.submit(Op::Shutdown);
    until(&mut handle, |event| matches!(event, Event::SessionEnded)).await;
    while alive() {
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
}

#[tokio::test]
async fn a_hook_keeps_the_conversation_from_being_folded_by_hand() {
    let hook = json!({"matcher": "manual", "hooks": [{"command": "cat > told; exit 2"}]});
    let world =
        hooked(json!({"PreCompact": [hook]}), vec![Reply::say("a"), Reply::say("b"), Reply::say("notes")]).await;
    let mut handle = world.open(Which::New);
    turn(&mut handle, |_| Choice::AllowOnce).await;
    turn(&mut handle, |_| Choice::AllowOnce).await;
    let settled = handle.submit(Op::Compact { instructions: "keep ports".into() }).settled().await;
    assert_eq!(settled, Settled::Done(Done::Unchanged));
    assert_eq!(world.server.request_count(), 2, "no notes were asked for");
    let said = told(&world, "told");
    assert_eq!((&said["trigger"], &said["custom_instructions"]), (&json!("manual"), &json!("keep ports")));
}

#[tokio::test]
async fn hooks_stand_around_the_calls_of_a_planner_too() {
    let hooks = json!({"PreToolUse": [{"match": "read_file", "command": "echo closed >&2; exit 2"}],
        "Stop": [{"command": "echo x >> stops"}]});
    let read = Reply::call("read_file", json!({"path": "a"}));
    let world = hooked(hooks, vec![read, Reply::say("the plan"), Reply::say("ok")]).await;
    world.work.write("a", "secret words\n");
    let mut handle = world.open_with(Which::New, |start| {
        start.world.settings.agent.planner_model = Some("mock/other".into());
        start.world.settings.agent.planner_max_steps = 5;
    });
    turn(&mut handle, |_| Choice::AllowOnce).await;
    let requests = world.server.requests();
    assert_eq!(requests.len(), 3);
    let planner = requests[1].body.to_string();
    assert!(planner.contains("by the hook") && !planner.contains("secret words"), "{planner}");
    assert_eq!(std::fs::read_to_string(world.work.join("stops")).unwrap(), "x\n", "the turn ends once");
}

#[tokio::test]
async fn a_turn_that_was_interrupted_switches_off_no_hook_of_later() {
    let hook = json!({"matcher": "manual", "hooks": [{"command": "cat > told; exit 2"}]});
    let replies = vec![Reply::say("a"), Reply::say("b"), bash("touch made"), Reply::say("notes")];
    let world = hooked(json!({"PreCompact": [hook]}), replies).await;
    let mut handle = world.open(Which::New);
    turn(&mut handle, |_| Choice::AllowOnce).await;
    turn(&mut handle, |_| Choice::AllowOnce).await;
    let running = handle.submit(Op::Prompt { text: "go".into(), resolved: true });
    until(&mut handle, |event| matches!(event, Event::Asked { .. })).await;
    handle.submit(Op::Interrupt);
    assert_eq!(running.settled().await, Settled::Done(Done::Turn { end: TurnEnd::Interrupted }));
    let settled = handle.submit(Op::Compact { instructions: String::new() }).settled().await;
    assert_eq!(settled, Settled::Done(Done::Unchanged), "the hook is against it");
    assert!(world.work.exists("told"));
}

#[tokio::test]
async fn a_hook_about_a_question_judges_what_the_question_is_about() {
    let other = json!({"hookSpecificOutput": {"updatedInput": {"command": "touch other"}}});
    let change = json!({"matcher": "Bash", "hooks": [{"command": format!("echo '{other}'")}]});
    let look = json!({"hooks": [{"command": "cat > told; exit 2"}]});
    let hooks = json!({"PreToolUse": [change], "PermissionRequest": [look]});
    let world = hooked(hooks, vec![bash("touch made"), Reply::say("ok")]).await;
    let mut handle = world.open(Which::New);
    handle.submit(Op::Prompt { text: "go".into(), resolved: true });
    until(&mut handle, |event| matches!(event, Event::TurnEnded { .. })).await;
    assert_eq!(told(&world, "told")["tool_input"], json!({"command": "touch other"}));
}

#[tokio::test]
async fn a_hook_about_a_question_sees_every_file_and_may_end_the_turn() {
    let no = json!({"hookSpecificOutput": {"decision": {"behavior": "deny", "message": "not that one",
        "interrupt": true}}});
    let guard = format!("input=$(cat); case \"$input\" in *'/secret\"'*) echo '{no}';; esac");
    let hooks = json!({"PermissionRequest": [{"hooks": [{"command": guard}]}]});
    let patch = "*** Begin Patch\n*** Add File: a\n+x\n*** Add File: secret\n+x\n*** End Patch";
    let world = hooked(hooks, vec![Reply::call("apply_patch", json!({"patch": patch})), Reply::say("ok")]).await;
    let handle = world.open(Which::New);
    let running = handle.submit(Op::Prompt { text: "go".into(), resolved: true });
    // Nobody answers but the hook.
    let settled = tokio::time::timeout(Duration::from_secs(20), running.settled()).await.expect("the hook answers");
    assert_eq!(settled, Settled::Done(Done::Turn { end: TurnEnd::Interrupted }));
    assert!(!world.work.exists("secret"));
    assert_eq!(world.server.request_count(), 1);
}

#[tokio::test]
async fn a_guard_sees_a_call_whose_files_another_hook_made_unknown() {
    let patch = |file: &str| format!("*** Begin Patch\n*** Add File: {file}\n+x\n*** End Patch");
    let other = json!({"hookSpecificOutput": {"updatedInput": {"patch": patch("b.ts")}}});
    let change =
        json!({"matcher": "apply_patch", "hooks": [{"command": format!("cat > /dev/null; printf '%s' '{other}'")}]});
    let guard = json!({"matcher": "Edit", "hooks": [{"command": "echo closed >&2; exit 2", "if": "Edit(*.ts)"}]});
    let call = Reply::call("apply_patch", json!({"patch": patch("a.rs")}));
    let world = hooked(json!({"PreToolUse": [change, guard]}), vec![call, Reply::say("ok")]).await;
    let outcomes = turn(&mut world.open(Which::New), |_| Choice::AllowOnce).await;
    assert!(matches!(&outcomes[..], [ToolOutcome::Denied { by }] if by.contains("closed")), "{outcomes:?}");
}

#[tokio::test]
async fn hooks_that_nobody_waits_for_are_not_without_number() {
    let hook = |n: usize| {
        json!({"hooks": [{"command": format!("echo x > run-{n}; exec sleep 1000"), "async": true,
        "timeout": 3000}]})
    };
    let hooks: Vec<Value> = (0..20).map(hook).collect();
    let world = hooked(json!({"UserPromptSubmit": hooks}), vec![Reply::say("ok")]).await;
    let mut handle = world.open(Which::New);
    handle.submit(Op::Prompt { text: "go".into(), resolved: true });
    let events = until(&mut handle, |event| matches!(event, Event::TurnEnded { .. })).await;
    let refused = notices(&events).iter().filter(|code| *code == "hooks.too_many_aside").count();
    assert_eq!(refused, 4, "{:?}", notices(&events));
    handle.submit(Op::Shutdown);
    until(&mut handle, |event| matches!(event, Event::SessionEnded)).await;
}

/// What is in the last message of the last request.
fn last_sent(world: &World) -> String {
    world.server.requests().last().unwrap().messages().last().unwrap()["content"].to_string()
}

#[tokio::test]
async fn what_hooks_leave_in_the_log_hides_no_news_from_the_model() {
    let hooks: Vec<Value> = (0..12).map(|_| json!({"command": "true"})).collect();
    let write = Reply::call("write_file", json!({"path": "a", "content": "x\n"}));
    let world = hooked(json!({"UserPromptSubmit": hooks}), vec![write, Reply::say("a"), Reply::say("b")]).await;
    let mut handle = world.open(Which::New);
    turn(&mut handle, |_| Choice::AllowOnce).await;
    let back = Op::Rewind { turn: 1, what: Rewind::Files, summary: None };
    let settled = handle.submit(back).settled().await;
    assert!(matches!(settled, Settled::Done(Done::Restored { .. })), "{settled:?}");
    turn(&mut handle, |_| Choice::AllowOnce).await;
    assert!(last_sent(&world).contains("took back the changes"), "{}", last_sent(&world));
}

#[tokio::test]
async fn what_a_hook_adds_stands_once_in_a_prompt_that_is_tried_again() {
    let hooks = json!({"UserPromptSubmit": [{"command": "echo branch-main"}]});
    let world = hooked(hooks, vec![Reply::say("a"), Reply::say("b")]).await;
    let mut handle = world.open(Which::New);
    turn(&mut handle, |_| Choice::AllowOnce).await;
    handle.submit(Op::Retry).settled().await;
    assert_eq!(world.server.request_count(), 2);
    assert_eq!(last_sent(&world).matches("[hook echo branch-main").count(), 1, "{}", last_sent(&world));
}

#[tokio::test]
async fn what_the_hooks_of_the_beginning_say_waits_for_a_prompt_that_is_sent() {
    let hooks = json!({"SessionStart": [{"command": "echo began-here"}],
        "UserPromptSubmit": [{"command": "grep -q sk-1 && exit 2; exit 0"}]});
    let world = hooked(hooks, vec![Reply::say("a"), Reply::say("b")]).await;
    let mut handle = world.open(Which::New);
    let blocked = handle.submit(Op::Prompt { text: "sk-1".into(), resolved: true }).settled().await;
    assert!(matches!(blocked, Settled::Done(Done::Turn { end: TurnEnd::Refused { .. } })), "{blocked:?}");
    turn(&mut handle, |_| Choice::AllowOnce).await;
    assert_eq!(last_sent(&world).matches("[hook echo began-here").count(), 1, "{}", last_sent(&world));
    turn(&mut handle, |_| Choice::AllowOnce).await;
    assert!(!last_sent(&world).contains("began-here"), "{}", last_sent(&world));
}

#[tokio::test]
async fn what_the_hooks_of_the_beginning_say_outlives_an_interrupt() {
    let hooks = json!({"SessionStart": [{"command": "until test -e go; do sleep 0.02; done; echo began-here"}]});
    let world = hooked(hooks, vec![Reply::say("a")]).await;
    let mut handle = world.open(Which::New);
    let running = handle.submit(Op::Prompt { text: "go".into(), resolved: true });
    tokio::time::sleep(Duration::from_millis(100)).await;
    handle.submit(Op::Interrupt);
    assert_eq!(running.settled().await, Settled::Done(Done::Turn { end: TurnEnd::Interrupted }));
    world.work.write("go", "");
    turn(&mut handle, |_| Choice::AllowOnce).await;
    assert!(last_sent(&world).contains("began-here"), "{}", last_sent(&world));
}

/// Whoever watches over commands watches over every tool that runs one.
#[tokio::test]
async fn a_guard_of_commands_sees_those_that_go_on() {
    let theirs =
        json!({"matcher": "Bash", "hooks": [{"type": "command", "command": "cat > told; echo no >&2; exit 2"}]});
    let ours = json!({"match": "bash", "command": "echo no >&2; exit 2"});
    for guard in [theirs, ours] {
        let hooks = json!({"PreToolUse": [guard]});
        let monitor = json!({"command": "touch made", "timeout": 30});
        let world = hooked(hooks, vec![Reply::call("monitor", monitor), Reply::say("ok")]).await;
        let outcomes = turn(&mut world.open(Which::New), |_| Choice::AllowOnce).await;
        assert!(matches!(outcomes[..], [ToolOutcome::Denied { .. }]), "{outcomes:?}");
        assert!(!world.work.exists("made"));
        if world.work.exists("told") {
            let told = told(&world, "told");
            assert_eq!(
                (&told["tool_name"], &told["tool_input"]["timeout"]),
                (&json!("Bash"), &json!(30_000)),
                "{told}"
            );
        }
    }
}
