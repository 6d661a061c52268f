//! The scripted kind, as the loop sees it.

use futures_util::StreamExt;
use reasonix_agent::{Item, Model, Prefix, Request, Stop};
use reasonix_llm::{Script, scripted};
use reasonix_proto::{FailureClass, Message, StopReason, ToolCall, Usage};
use std::sync::Arc;

const SCRIPT: &str = r##"
# looks, then fails in every way
{"expect": "fix", "think": "hm", "say": ["Let me ", "look."],
 "calls": [{"tool": "ls", "arguments": {"path": "."}}, {"name": "bash", "arguments": "not json", "id": "mine"}],
 "usage": {"input": 10, "output": 5, "cached": 8}}
{"expect": "a.txt", "say": "I see: {{last_result}}"}
{"say": "half", "drop": true}
{"fail": {"class": "rate_limited", "message": "slow down"}}
{"expect": "never said", "say": "unreached"}
{"delay_ms": 3600000, "say": "unreached"}
"##;

async fn step(model: &Arc<dyn Model>, last: Message) -> Vec<Item> {
    all(model, vec![last]).await
}

async fn all(model: &Arc<dyn Model>, messages: Vec<Message>) -> Vec<Item> {
    let prefix = Arc::new(Prefix { system: "s".into(), tools: vec![], aliases: vec![] });
    let messages = messages.into_iter().map(Arc::new).collect();
    let request = Request { prefix, messages, may_call: true, must_call: None, form: None };
    model.stream(request, Stop::new()).collect().await
}

fn user(text: &str) -> Message {
    Message::user(text)
}

fn failure(items: &[Item]) -> (FailureClass, String) {
    match items.last() {
        Some(Item::Failed(failure)) => (failure.class, failure.phrase.to_string()),
        other => panic!("it did not fail: {other:?}"),
    }
}

#[tokio::test]
async fn a_script_is_played_step_by_step() {
    let model = scripted(Script::parse(SCRIPT).expect("a script"), "scripted/demo", 4096);
    assert_eq!((model.card().name.as_str(), model.card().window), ("scripted/demo", 4096));

    let call = |id: &str, name: &str, arguments: &str| {
        Item::Call(ToolCall { id: id.into(), name: name.into(), arguments: arguments.into() })
    };
    assert_eq!(
        step(&model, user("fix it")).await,
        [
            Item::Reasoning("hm".into()),
            Item::Text("Let me ".into()),
            Item::Text("look.".into()),
            call("call_1_0", "ls", "{\"path\":\".\"}"),
            call("mine", "bash", "not json"),
            Item::Usage(Usage { input: 10, output: 5, cached: 8, reasoning: 0, written: 0 }),
            Item::End(StopReason::Calls),
        ]
    );
    let result = Message::Tool { call: "call_1_0".into(), name: "ls".into(), content: "a.txt".into() };
    assert_eq!(step(&model, result).await, [Item::Text("I see: a.txt".into()), Item::End(StopReason::End)]);

    let dropped = step(&model, user("go on")).await;
    assert_eq!(dropped[0], Item::Text("half".into()));
    assert_eq!(failure(&dropped).0, FailureClass::StreamBroken);

    let (class, said) = failure(&step(&model, user("go on")).await);
    assert_eq!(class, FailureClass::RateLimited);
    assert!(said.contains("slow down"), "{said}");

    let (_, said) = failure(&step(&model, user("something else")).await);
    assert!(said.contains("never said") && said.contains("something else") && said.contains("\"5\""), "{said}");
}

/// A session that goes on in another process plays its script from the beginning, and no id stands in it twice.
#[tokio::test]
async fn calls_without_ids_are_named_behind_those_of_the_session() {
    let script = "{\"calls\": [{\"tool\": \"ls\"}, {\"tool\": \"ls\"}]}\n{\"calls\": [{\"tool\": \"ls\"}]}\n";
    let mut messages = vec![user("go")];
    let mut ids = Vec::new();
    for _process in 0..3 {
        let model = scripted(Script::parse(script).expect("a script"), "scripted/demo", 4096);
        for _step in 0..2 {
            let calls: Vec<ToolCall> = all(&model, messages.clone())
                .await
                .into_iter()
                .filter_map(|item| match item {
                    Item::Call(call) => Some(call),
                    _ => None,
                })
                .collect();
            ids.extend(calls.iter().map(|call| call.id.to_string()));
            messages.push(Message::Assistant { text: String::new(), reasoning: None, calls, stop: StopReason::Calls });
        }
    }
    let wanted =
        ["call_1_0", "call_1_1", "call_2_0", "call_3_0", "call_3_1", "call_4_0", "call_5_0", "call_5_1", "call_6_0"];
    assert_eq!(ids, wanted);
}

#[tokio::test]
async fn stop_ends_a_wait_and_a_script_that_is_over_says_so() {
    let script = Script::parse("{\"delay_ms\": 3600000, \"say\": \"unreached\"}").expect("a script");
    let model = scripted(script, "scripted/demo", 0);
    let prefix = Arc::new(Prefix { system: "s".into(), tools: vec![], aliases: vec![] });
    let request = Request { prefix, messages: vec![Arc::new(user("x"))], may_call: true, must_call: None, form: None };
    let stop = Stop::new();
    let mut stream = model.stream(request, stop.clone());
    stop.cancel();
    assert_eq!(stream.next().await, None);

    let (_, said) = failure(&step(&model, user("x")).await);
    assert!(said.starts_with("llm.script_over"), "{said}");
}
