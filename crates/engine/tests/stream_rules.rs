//! Rules that watch what a model writes: what they stop, what the model is told, what is on the log, and the bytes that are sent.

use crate::world;

use reasonix_engine::{Handle, Which};
use reasonix_proto::{Event, Op, RecordBody, RulesFired, TurnState};
use reasonix_testkit::{Recorded, Reply, prefix_breaks};
use serde_json::json;
use world::World;

/// What one turn showed.
#[derive(Default)]
struct Seen {
    fired: Vec<RulesFired>,
    notices: Vec<String>,
}

async fn turn(handle: &mut Handle, prompt: &str) -> Seen {
    handle.submit(Op::Prompt { text: prompt.into(), resolved: true });
    let (mut seen, mut ended) = (Seen::default(), false);
    loop {
        match handle.events.next().await.expect("the session lives").event {
            Event::RulesFired { record } => match record.body {
                RecordBody::RulesFired(fired) => {
                    assert!(fired.to.is_none() || fired.to == record.parent, "{fired:?}");
                    seen.fired.push(*fired);
                }
                other => panic!("{other:?}"),
            },
            Event::Notice { phrase, .. } => seen.notices.push(phrase.code.to_string()),
            Event::TurnEnded { .. } => ended = true,
            Event::State { state: TurnState::Idle } if ended => return seen,
            _ => {}
        }
    }
}

fn names(fired: &RulesFired) -> Vec<&str> {
    fired.rules.iter().map(|rule| rule.name.as_str()).collect()
}

fn extends(later: &Recorded, earlier: &Recorded) -> bool {
    prefix_breaks(&[&earlier.raw, &later.raw]).is_empty()
}

fn rule(world: &World, name: &str, matter: &str) {
    world.work.write(format!(".reasonix/rules/{name}.md"), format!("---\n{matter}\n---\nSays {name}."));
}

fn raw(request: &Recorded) -> String {
    String::from_utf8_lossy(&request.raw).into_owned()
}

#[tokio::test]
async fn an_answer_is_stopped_at_once_leaves_the_conversation_and_is_given_again() {
    let world = World::new(vec![
        // Without a stop this would never end.
        Reply::hang_mid_stream("FORBIDDEN words, and ALSO "),
        Reply::say("Fine."),
        Reply::say("FORBIDDEN again."),
        Reply::say("Resumed."),
    ])
    .await;
    rule(&world, "one", "condition: FORBID+EN");
    rule(&world, "two", "condition: ALSO\nscope: text");
    rule(&world, "three", "condition: nothing of it");
    let mut handle = world.open(Which::New);
    let seen = turn(&mut handle, "go").await;
    assert_eq!(seen.fired.len(), 1, "all of one moment together");
    assert_eq!(names(&seen.fired[0]), ["one", "two"]);
    assert!(seen.fired[0].stopped && seen.fired[0].to.is_some() && seen.fired[0].rules[0].source == "text");
    assert!(seen.notices.contains(&"engine.rules_stopped".to_owned()), "{:?}", seen.notices);
    let requests = world.server.requests();
    assert!(extends(&requests[1], &requests[0]), "the prefix only grows");
    assert!(!raw(&requests[1]).contains("FORBIDDEN words"), "the answer is out of the conversation");
    let told = requests[1].last_content();
    let head = r#"<system-interrupt reason="rule_violation" rule="one" path=".reasonix/rules/one.md""#;
    assert!(told.contains(head) && told.contains("Says one.") && told.contains("Says two."), "{told}");
    assert!(!raw(&requests[0]).contains("Says one."), "a rule that watches takes no room before");
    // Once a session: the second time nobody stops it.
    let again = turn(&mut handle, "more").await;
    assert!(again.fired.is_empty());
    let session = handle.session.0.clone();
    drop(handle);
    let log = std::fs::read_to_string(world.home.join(format!("state/sessions/{session}.jsonl"))).unwrap();
    assert!(log.contains("FORBIDDEN words"), "the log keeps it, on its branch");
    let mut resumed = world.open_when_free(Which::Resume(session)).await;
    assert!(turn(&mut resumed, "FORBIDDEN?").await.fired.is_empty());
    let requests = world.server.requests();
    assert!(extends(&requests[3], &requests[2]), "the log gives the same conversation");
    assert!(!raw(&requests[3]).contains("FORBIDDEN words"));
    world.server.assert_valid();
}

#[tokio::test]
async fn what_spoke_up_is_known_to_another_process_and_forgotten_where_it_was_not() {
    let world = World::new(vec![
        Reply::say("First."),
        Reply::say("BAD one."),
        Reply::say("Good."),
        Reply::say("BAD two."),
        Reply::say("BAD three."),
        Reply::say("Good."),
    ])
    .await;
    rule(&world, "r", "condition: BAD");
    let mut handle = world.open(Which::New);
    turn(&mut handle, "a").await;
    assert_eq!(turn(&mut handle, "b").await.fired.len(), 1);
    let session = handle.session.0.clone();
    drop(handle);
    let mut handle = world.open_when_free(Which::Resume(session)).await;
    assert!(turn(&mut handle, "c").await.fired.is_empty(), "resumed");
    handle.submit(Op::Rewind { turn: 2, what: reasonix_proto::Rewind::Chat, summary: None });
    assert_eq!(turn(&mut handle, "d").await.fired.len(), 1, "on this branch it has not spoken up");
}

#[tokio::test]
async fn an_answer_may_stay_as_far_as_it_came_and_rules_may_come_again() {
    let world = World::new(vec![
        Reply::call("write_file", json!({"path": "a.txt", "content": "say \"BAD\""})).after_saying("I write."),
        Reply::say("Good."),
        Reply::say("BAD."),
        Reply::say("Good."),
    ])
    .await;
    rule(&world, "r", "condition: 'say \"BAD|^BAD'");
    let mut handle = world.open_with(Which::New, |start| {
        start.world.settings.stream_rules.discard = false;
        start.world.settings.stream_rules.gap = Some(1);
    });
    let seen = turn(&mut handle, "go").await;
    assert_eq!(seen.fired.len(), 1);
    assert_eq!((seen.fired[0].to, seen.fired[0].rules[0].source.as_str()), (None, "tool:write_file"));
    assert!(!world.work.exists("a.txt"), "a call of a stopped answer does not run");
    let requests = world.server.requests();
    assert!(raw(&requests[1]).contains("I write.") && extends(&requests[1], &requests[0]));
    assert_eq!(turn(&mut handle, "more").await.fired.len(), 1, "again after one answer");
    world.server.assert_valid();
}

#[tokio::test]
async fn who_does_not_interrupt_speaks_before_the_result_or_after_the_message() {
    let world = World::new(vec![
        Reply::calls(&[("ls", json!({})), ("read_file", json!({"path": "a.txt"}))]).after_saying("PROSE"),
        Reply::say("TAIL"),
        Reply::say("Better."),
        Reply::drop_mid_stream("LATER "),
        Reply::say("never sent"),
    ])
    .await;
    world.work.write("a.txt", "the file");
    rule(&world, "call", "condition: a\\.txt\nscope: tool:read_file(*.txt)\ninterruptMode: never");
    rule(&world, "prose", "condition: PROSE\ninterruptMode: tool-only");
    rule(&world, "tail", "condition: TAIL$\ninterruptMode: never");
    rule(&world, "later", "condition: LATER\ninterruptMode: never");
    let mut handle = world.open(Which::New);
    let seen = turn(&mut handle, "go").await;
    let fired: Vec<_> = seen.fired.iter().map(|fired| (names(fired), fired.stopped)).collect();
    assert_eq!(fired, [(vec!["call"], false), (vec!["prose"], false), (vec!["tail"], false)]);
    let requests = world.server.requests();
    let messages = requests[1].messages();
    let result = messages[messages.len() - 2]["content"].as_str().unwrap().to_owned();
    let place = result.find("Says call.").unwrap();
    assert!(place < result.find("the file").unwrap() && result.contains("<system-reminder reason=\"rule_violation\""));
    assert!(requests[1].last_content().contains("Says prose."));
    assert!(requests[2].last_content().contains("Says tail."), "a turn does not end before the model has read it");
    world.server.assert_valid();
    world.server.assert_prefixes_grow();
    // What broke off leaves the rule as it was.
    let seen = turn(&mut handle, "more").await;
    assert!(seen.fired.is_empty());
}

/// An agent may go on that has tools which the one before had not.
#[tokio::test]
async fn a_rule_for_a_tool_holds_for_whoever_has_the_tool() {
    let write = || Reply::call("write_file", json!({"path": "a.txt", "content": "FORBIDDEN"}));
    let world = World::new(vec![Reply::say("one"), write(), Reply::say("two")]).await;
    rule(&world, "call", "condition: FORBIDDEN\nscope: tool:write");
    let mut handle = world.open_with(Which::New, |start| {
        let profile = reasonix_proto::AgentProfile {
            name: "looker".into(),
            origin: reasonix_proto::AgentOrigin::User,
            tools: Some(vec!["grep".into()]),
            ..reasonix_proto::AgentProfile::default()
        };
        start.world.settings.profiles = [("looker".to_owned(), profile)].into();
        start.agent = Some("looker".into());
    });
    turn(&mut handle, "go").await;
    handle.submit(Op::WorkAs { agent: "build".into() }).settled().await;
    let seen = turn(&mut handle, "go").await;
    assert_eq!(seen.fired.iter().map(names).collect::<Vec<_>>(), [["call"]]);
}

#[tokio::test]
async fn a_turn_is_stopped_three_times_at_most_and_rules_can_be_switched_off() {
    let bad = |number: usize| Reply::say(&format!("BAD{number}."));
    let mut replies: Vec<Reply> = (1..=4).map(bad).collect();
    replies.extend([Reply::say("Good."), Reply::say("BAD5.")]);
    let world = World::new(replies).await;
    (1..=5).for_each(|number| rule(&world, &format!("r{number}"), &format!("condition: BAD{number}")));
    let mut handle = world.open(Which::New);
    let seen = turn(&mut handle, "go").await;
    let stopped: Vec<bool> = seen.fired.iter().map(|fired| fired.stopped).collect();
    assert_eq!(stopped, [true, true, true, false], "then they only remind");
    let said = seen.notices.iter().filter(|code| *code == "engine.rules_stop_no_more").count();
    assert_eq!(said, 1, "{:?}", seen.notices);
    world.server.assert_prefixes_grow();
    drop(handle);
    let mut off = world.open_with(Which::New, |start| start.world.settings.stream_rules.enabled = false);
    assert!(turn(&mut off, "go").await.fired.is_empty());
}

/// A stream of about so many bytes as an endpoint sends it, a few characters a piece: prose, then a call that writes a file.
fn recorded(size: usize) -> Vec<u8> {
    let event = |delta: serde_json::Value| {
        let chunk = json!({"id": "chatcmpl-0123456789", "object": "chat.completion.chunk", "created": 1_700_000_000,
            "model": "some-model", "choices": [{"index": 0, "delta": delta, "finish_reason": null}]});
        format!("data: {chunk}\n\n")
    };
    let words = ["let ", "value ", "= parse(", "input)", "?;\n", "文本 ", "return ", "Ok(", "()) ", "// note: "];
    let (mut out, mut number) = (String::new(), 0_usize);
    while out.len() < size / 2 {
        number += 7;
        out.push_str(&event(json!({"content": format!("{}{}", words[number % 10], number % 97)})));
    }
    let call =
        json!([{"index": 0, "id": "c1", "type": "function", "function": {"name": "write_file", "arguments": ""}}]);
    out.push_str(&event(json!({"tool_calls": call})));
    let arguments = |text: &str| event(json!({"tool_calls": [{"index": 0, "function": {"arguments": text}}]}));
    out.push_str(&arguments("{\"path\":\"src/a.rs\",\"content\":\""));
    while out.len() < size {
        number += 3;
        out.push_str(&arguments(&format!("{}{}\\n", words[number % 4], number % 89)));
    }
    out.push_str(&arguments("\"}"));
    let end = json!({"choices": [{"index": 0, "delta": {}, "finish_reason": "tool_calls"}]});
    out.push_str(&format!("data: {end}\n\ndata: [DONE]\n\n"));
    out.into_bytes()
}

fn fifty(folder: &std::path::Path) -> std::sync::Arc<reasonix_extensions::StreamRules> {
    let places = reasonix_extensions::ExtensionPlaces { project: folder.to_owned(), ..Default::default() };
    let shelf = reasonix_extensions::Shelf::new(places, |_| false);
    let rules = reasonix_extensions::StreamRules::new(&shelf.rules().rules, folder, &|_| None);
    std::sync::Arc::new(rules)
}

/// What fifty rules cost beside the decoding of a stream in which none of them is hit.
#[test]
#[ignore = "a measurement"]
fn what_watching_costs() {
    use reasonix_agent::{Item, Prefix, Request};
    use std::time::{Duration, Instant};
    let folder = tempfile::tempdir().unwrap();
    let rules = folder.path().join(".reasonix/rules");
    std::fs::create_dir_all(&rules).unwrap();
    let shapes =
        [r"\bforbidden_NAME\b", r"(?i)never say NAME", r"NAME\.unwrap\(\)", r"TODO\((?:NAME|x)\)", r"\w+_NAME\s*="];
    for number in 0..50 {
        let condition = shapes[number % 5].replace("NAME", &format!("n{number}"));
        let scope = if number % 10 == 9 { "\nscope: tool:write_file(*.rs)" } else { "" };
        let text = format!("---\ncondition: '{condition}'{scope}\n---\nNo.");
        std::fs::write(rules.join(format!("r{number:02}.md")), text).unwrap();
    }
    let watching = fifty(folder.path());
    let body = recorded(10 << 20);
    let exchange: reasonix_proto::Exchange = serde_json::from_value(json!({"after": 1, "at": 0, "provider": "p",
        "model": "m", "wire": "chat", "url": "http://127.0.0.1", "keyed": false, "request": "", "request_bytes": 0,
        "status": 200, "headers": [["content-type", "text/event-stream"]], "bytes": body.len(), "kept": body.len(),
        "end": {"how": "whole"}}))
    .unwrap();
    let prefix = std::sync::Arc::new(Prefix { system: String::new(), tools: Vec::new(), aliases: Vec::new() });
    let (mut decoding, mut watch_time, mut hits, mut pieces) = (Duration::MAX, Duration::MAX, 0, 0);
    for _ in 0..7 {
        let request =
            Request { prefix: prefix.clone(), messages: Vec::new(), may_call: true, must_call: None, form: None };
        let begun = Instant::now();
        let items = reasonix_llm::hear(&exchange, &body, request);
        decoding = decoding.min(begun.elapsed());
        let begun = Instant::now();
        let mut watch = watching.watch(&|_| true).unwrap();
        for item in &items {
            match item {
                Item::Text(text) => watch.text(text),
                Item::CallDelta { index, name, delta } => watch.arguments(*index, name, delta),
                Item::Call(call) => watch.whole(0, &call.name, &call.arguments),
                _ => {}
            }
        }
        watch.end();
        watch_time = watch_time.min(begun.elapsed());
        (hits, pieces) = (watch.hits().len(), items.len());
    }
    let share = 100.0 * watch_time.as_secs_f64() / decoding.as_secs_f64();
    println!("{} bytes, {pieces} pieces, {hits} hits", body.len());
    println!("decoding {decoding:?}, 50 rules {watch_time:?}: {share:.2} %");
    assert_eq!(hits, 0);
}
