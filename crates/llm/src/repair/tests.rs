//! The corpus: what models really write, and what has to come of it.

use super::{Mender, Repairing};
use pretty_assertions::assert_eq;
use reasonix_agent::{Item, Prefix, Request, ToolSpec};
use reasonix_proto::{CallId, Fix, Message, StopReason, ToolCall};
use serde::Deserialize;
use serde_json::{Value, json};
use std::sync::Arc;

#[derive(Deserialize)]
struct Case {
    family: String,
    note: String,
    given: Given,
    want: Want,
}

#[derive(Default, Deserialize)]
struct Given {
    #[serde(default)]
    text: String,
    #[serde(default)]
    reasoning: String,
    #[serde(default)]
    calls: Vec<Native>,
    #[serde(default)]
    stop: Option<String>,
    /// Results that the model has read before.
    #[serde(default)]
    history: Vec<String>,
}

#[derive(Deserialize)]
struct Native {
    name: String,
    arguments: String,
}

#[derive(Deserialize)]
struct Want {
    text: String,
    reasoning: Option<String>,
    calls: Vec<WantedCall>,
    fixes: Option<Vec<String>>,
}

#[derive(Deserialize)]
struct WantedCall {
    name: String,
    #[serde(default)]
    arguments: Value,
    /// The text as it was, where it cannot be read.
    raw: Option<String>,
}

/// What came of an answer.
#[derive(Debug, Default, PartialEq)]
struct Outcome {
    text: String,
    reasoning: String,
    calls: Vec<(String, String)>,
    fixes: Vec<Fix>,
}

fn tool(name: &str, required: &[&str], optional: &[(&str, &str)]) -> ToolSpec {
    let required_types = required.iter().map(|name| (*name, if *name == "edits" { "array" } else { "string" }));
    let properties: serde_json::Map<String, Value> = required_types
        .chain(optional.iter().copied())
        .map(|(name, kind)| (name.to_owned(), json!({ "type": kind })))
        .collect();
    let parameters = json!({ "type": "object", "properties": properties, "required": required });
    ToolSpec::new(name, "", parameters)
}

pub(crate) fn prefix() -> Prefix {
    let tools = vec![
        tool("read_file", &["path"], &[("offset", "integer"), ("limit", "integer")]),
        tool("write_file", &["path", "content"], &[]),
        tool("edit_file", &["path", "old_string", "new_string"], &[("replace_all", "boolean")]),
        tool("multi_edit", &["edits"], &[]),
        tool("apply_patch", &["patch"], &[]),
        tool("ls", &[], &[("path", "string")]),
        tool("grep", &["pattern"], &[("path", "string")]),
        tool("bash", &["command"], &[("timeout_seconds", "integer")]),
    ];
    let aliases = [("shell", "bash"), ("read", "read_file"), ("str_replace", "edit_file")];
    let aliases = aliases.iter().map(|(alias, name)| ((*alias).to_owned(), (*name).to_owned())).collect();
    Prefix { system: String::new(), tools, aliases }
}

fn request(history: &[String]) -> Arc<Request> {
    let mut messages = vec![Arc::new(Message::user("go"))];
    for (number, content) in history.iter().enumerate() {
        let id = CallId(format!("h{number}"));
        let call = ToolCall { id: id.clone(), name: "read_file".into(), arguments: "{}".into() };
        let message =
            Message::Assistant { text: String::new(), reasoning: None, calls: vec![call], stop: StopReason::Calls };
        messages.push(Arc::new(message));
        messages.push(Arc::new(Message::Tool { call: id, name: "read_file".into(), content: content.as_str().into() }));
    }
    Arc::new(Request { prefix: Arc::new(prefix()), messages, may_call: true, must_call: None, form: None })
}

/// Pieces of at most so many characters.
fn pieces(text: &str, size: usize) -> Vec<String> {
    let letters: Vec<char> = text.chars().collect();
    letters.chunks(size.max(1)).map(|piece| piece.iter().collect()).collect()
}

fn play(given: &Given, size: usize, repairing: Repairing) -> Outcome {
    let mut mender = Mender::new(request(&given.history), repairing);
    let mut items: Vec<Item> = Vec::new();
    let feed = |item: Item, mender: &mut Mender, items: &mut Vec<Item>| {
        mender.feed(item);
        items.extend(mender.out.drain(..));
    };
    for piece in pieces(&given.reasoning, size) {
        feed(Item::Reasoning(piece), &mut mender, &mut items);
    }
    for piece in pieces(&given.text, size) {
        feed(Item::Text(piece), &mut mender, &mut items);
    }
    for (number, call) in given.calls.iter().enumerate() {
        let id = CallId(format!("n{number}"));
        let call = ToolCall { id, name: call.name.clone(), arguments: call.arguments.clone() };
        feed(Item::Call(call), &mut mender, &mut items);
    }
    let stop = if given.stop.as_deref() == Some("length") { StopReason::Length } else { StopReason::End };
    feed(Item::End(stop), &mut mender, &mut items);
    fold(items)
}

fn fold(items: Vec<Item>) -> Outcome {
    let mut outcome = Outcome::default();
    for item in items {
        match item {
            Item::Text(text) => outcome.text.push_str(&text),
            Item::Reasoning(text) => outcome.reasoning.push_str(&text),
            Item::Rethink => outcome.reasoning.push_str(&std::mem::take(&mut outcome.text)),
            Item::Call(call) => outcome.calls.push((call.name, call.arguments)),
            Item::Repaired(repair) => outcome.fixes.push(repair.fix),
            Item::End(_) => {}
            other => panic!("{other:?}"),
        }
    }
    outcome
}

fn corpus() -> Vec<(String, Case)> {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/corpus");
    let mut cases = Vec::new();
    for entry in std::fs::read_dir(folder).expect("the corpus") {
        let path = entry.expect("an entry").path();
        let text = std::fs::read_to_string(&path).expect("a file of the corpus");
        for (number, line) in text.lines().enumerate() {
            let place = format!("{}:{}", path.file_name().unwrap_or_default().display(), number + 1);
            let case: Case = serde_json::from_str(line).unwrap_or_else(|error| panic!("{place}: {error}"));
            cases.push((place, case));
        }
    }
    cases
}

fn faults(case: &Case, got: &Outcome) -> Vec<String> {
    let mut faults = Vec::new();
    if got.text.trim_end() != case.want.text.trim_end() {
        faults.push(format!("text {:?}", got.text));
    }
    if let Some(reasoning) = &case.want.reasoning
        && got.reasoning.trim_end() != reasoning.trim_end()
    {
        faults.push(format!("reasoning {:?}", got.reasoning));
    }
    let same = got.calls.len() == case.want.calls.len()
        && got.calls.iter().zip(&case.want.calls).all(|((name, arguments), wanted)| {
            *name == wanted.name
                && match &wanted.raw {
                    Some(raw) => arguments == raw,
                    None => serde_json::from_str::<Value>(arguments).is_ok_and(|value| value == wanted.arguments),
                }
        });
    if !same {
        faults.push(format!("calls {:?}", got.calls));
    }
    let fixes: Vec<&str> = got.fixes.iter().map(|fix| fix.name()).collect();
    if case.want.fixes.as_ref().is_some_and(|wanted| *wanted != fixes) {
        faults.push(format!("fixes {fixes:?}"));
    }
    faults
}

#[test]
fn the_corpus_comes_out_as_wanted() {
    let cases = corpus();
    assert!(cases.len() >= 250, "only {} cases", cases.len());
    let mut bad = Vec::new();
    for (place, case) in &cases {
        let got = play(&case.given, usize::MAX, Repairing::default());
        let found = faults(case, &got);
        if !found.is_empty() {
            bad.push(format!("{place} {} ({}): {}", case.family, case.note, found.join("; ")));
        }
    }
    assert!(bad.is_empty(), "{} of {}:\n{}", bad.len(), cases.len(), bad.join("\n"));
}

#[test]
fn a_line_that_says_whom_words_are_for_is_taken_out_where_the_model_writes_such() {
    let addressed = Repairing { addressed: true, ..Repairing::default() };
    for (text, wanted) in
        [("all\nHello.", "Hello."), ("all of it", "all of it"), ("Hello.\nall\nof it", "Hello.\nall\nof it")]
    {
        let given = Given { text: text.into(), ..Given::default() };
        for size in [1, 3, usize::MAX] {
            assert_eq!(play(&given, size, addressed).text, wanted);
            assert_eq!(play(&given, size, Repairing::default()).text, text, "others mean what they write");
        }
    }
}

#[test]
fn how_it_is_cut_does_not_matter() {
    for (place, case) in corpus() {
        let whole = play(&case.given, usize::MAX, Repairing::default());
        for size in [1, 2, 3, 5, 8, 13, 64] {
            assert_eq!(play(&case.given, size, Repairing::default()), whole, "{place} in pieces of {size}");
        }
    }
}

#[test]
fn more_calls_than_any_answer_means_are_none() {
    let templates: [fn(usize) -> String; 7] = [
        |n| format!("<tool_call>{{\"name\":\"bash\",\"arguments\":{{\"command\":\"{n}\"}}}}</tool_call>\n"),
        |n| format!("<|tool_call_begin|>functions.bash:0<|tool_call_argument_begin|>{{\"command\":\"{n}\"}}\n"),
        |n| format!("Action: bash\nAction Input: {{\"command\":\"{n}\"}}\n"),
        |n| format!("<|channel|>commentary to=functions.bash<|message|>{{\"command\":\"{n}\"}}<|call|>"),
        |n| format!("<function=bash><parameter=command>{n}</parameter></function>\n"),
        |n| format!("{{\"name\":\"bash\",\"arguments\":{{\"command\":\"{n}\"}}}}\n"),
        |n| format!("<bash><command>{n}</command></bash>\n"),
    ];
    for template in templates {
        let text = |count: usize| (0..count).map(template).collect::<String>();
        let played = |count| {
            let given = Given { text: text(count), ..Given::default() };
            play(&given, 4096, Repairing::default())
        };
        assert_eq!(played(16).calls.len(), 16, "{}", text(1));
        for count in [17, 40, 20_000] {
            let outcome = played(count);
            assert!(outcome.calls.is_empty(), "{count} of {}", text(1));
            assert!(outcome.text == text(count), "{count} of {}", text(1));
        }
    }
}

#[test]
fn what_only_begins_like_a_call_is_not_read_for_ever() {
    let templates: [fn(usize) -> String; 8] = [
        |n| format!("<tool_call>\n{n}\n"),
        |n| format!("<tool_call>{{\"name\":\"bash\",\"arguments\":{{\"command\":\"{n}\n"),
        |n| format!("<function=bash>\n<parameter=command>{n}\n"),
        |n| format!("<parameter=command>{n}</parameter>"),
        |n| format!("[TOOL_CALLS]{n}"),
        |n| format!("<bash><command>{n}</command>\n"),
        |n| format!("```json\n{{\"name\":\"bash\",\"arguments\":{{\"command\":\"{n}\"}}}}\n```\nx\n"),
        |n| format!("{}{n}", " ".repeat(300)),
    ];
    for template in templates {
        let text: String = (0..5_000).map(template).collect();
        let outcome = play(&Given { text: text.clone(), ..Given::default() }, 512, Repairing::default());
        assert!(outcome.calls.is_empty() || outcome.calls.len() == 1, "{}", template(0));
        if outcome.calls.is_empty() {
            assert!(outcome.text == text, "{}", template(0));
        }
    }
}

#[test]
fn edit_blocks_become_calls_where_they_are_wanted() {
    let block = "I fix it.\n\nsrc/a.rs\n<<<<<<< SEARCH\na\n=======\nb\n>>>>>>> REPLACE\n";
    let given = |history: Vec<String>| Given {
        text: block.into(),
        reasoning: String::new(),
        calls: vec![],
        stop: None,
        history,
    };
    let on = Repairing { blocks: true, ..Repairing::default() };
    let got = play(&given(vec![]), 3, on);
    assert_eq!(got.calls.len(), 1);
    assert_eq!(got.calls[0].0, "edit_file");
    assert_eq!(
        serde_json::from_str::<Value>(&got.calls[0].1).ok(),
        Some(json!({ "path": "src/a.rs", "old_string": "a\n", "new_string": "b\n" }))
    );
    assert_eq!((got.text.as_str(), got.fixes), (block, vec![Fix::Block]));
    assert_eq!(play(&given(vec![]), 3, Repairing::default()).calls, [], "they are off by default");
    assert_eq!(play(&given(vec![format!("docs\n{block}")]), 3, on).calls, [], "a quoted block is none");
    let shown = Given { text: block.replace("I fix it.", "For example, you could write:"), ..Given::default() };
    assert_eq!(play(&shown, 3, on).calls, [], "nor is one that is only shown");
}

#[test]
fn what_looks_like_a_call_is_none_where_only_the_protocol_counts() {
    let text = "<tool_call>{\"name\": \"ls\", \"arguments\": {}}</tool_call>";
    let given = Given { text: text.into(), ..Given::default() };
    assert_eq!(play(&given, 5, Repairing::default()).calls.len(), 1);
    let native = Repairing { native_only: true, ..Repairing::default() };
    let got = play(&given, 5, native);
    assert_eq!((got.calls.len(), got.text.as_str()), (0, text));
}

#[test]
fn a_call_that_was_thought_of_or_cut_off_may_change_nothing() {
    let call = "<tool_call>{\"name\": \"bash\", \"arguments\": {\"command\": \"x\"}}</tool_call>";
    let thought = Given { reasoning: format!("I run it.\n{call}"), ..Given::default() };
    assert_eq!(play(&thought, 7, Repairing::default()).fixes, [Fix::Scavenged, Fix::Thought]);
    let cut = Given { text: format!("I run it.\n{call}"), stop: Some("length".into()), ..Given::default() };
    assert_eq!(play(&cut, 7, Repairing::default()).fixes, [Fix::Scavenged, Fix::CutOff]);
    assert!([Fix::Thought, Fix::CutOff].iter().all(|fix| fix.is_doubtful()));
}

#[test]
fn an_argument_that_comes_twice_may_change_nothing() {
    let text = "<tool_call>\n<function=write_file>\n<parameter=path>\na.txt\n</parameter>\n<parameter=content>\nx\n</parameter>\n<parameter=path>\nb.txt\n</parameter>\n</function>\n</tool_call>";
    let got = play(&Given { text: text.into(), ..Given::default() }, 9, Repairing::default());
    assert_eq!((got.calls.len(), got.fixes), (1, vec![Fix::Scavenged, Fix::Spoilt]));
}

#[test]
fn a_sentence_about_a_mark_of_the_protocol_goes_on() {
    for (text, kept) in [
        ("ChatML ends with <|im_end|> and goes on.", "ChatML ends with <|im_end|> and goes on."),
        ("Done.<|im_end|>", "Done."),
        ("Done.<|im_end|>\n<|im_start|>user\nmore", "Done."),
        ("Done.<|im_end|>\nuser\nAnd now?", "Done."),
    ] {
        for size in [1, 4, 100] {
            let given = Given { text: text.into(), ..Given::default() };
            assert_eq!(play(&given, size, Repairing::default()).text, kept, "{text} by {size}");
        }
    }
}

#[test]
fn what_was_held_back_is_said_when_the_answer_fails() {
    let mut mender = Mender::new(request(&[]), Repairing::default());
    mender.feed(Item::Text("Look:\n<tool_call>\n{\"name\": \"ls\"".into()));
    let failure = reasonix_agent::Failure::new(
        reasonix_proto::FailureClass::StreamBroken,
        reasonix_proto::Phrase::new("llm.stream_broken"),
    );
    mender.feed(Item::Failed(failure));
    let text: String = mender
        .out
        .iter()
        .filter_map(|item| if let Item::Text(text) = item { Some(text.as_str()) } else { None })
        .collect();
    assert_eq!(text, "Look:\n<tool_call>\n{\"name\": \"ls\"");
    assert!(!mender.out.iter().any(|item| matches!(item, Item::Call(_))));
}

proptest::proptest! {
    #[test]
    fn plain_text_comes_through_whole(pieces in proptest::collection::vec("(<tool_call>|</tool_call>|```json\n|```\n|<think>|\\{\"name\": \"ls\"|</think>|\\[TOOL_CALLS\\]|<\\|im_end\\|>|\n|`|[a-z界 <{\\[:]{0,6}){0,4}", 0..6)) {
        let text = pieces.concat();
        let given = |text: &str| Given { text: text.into(), reasoning: String::new(), calls: vec![], stop: None, history: vec![] };
        let whole = play(&given(&text), usize::MAX, Repairing::default());
        proptest::prop_assert_eq!(&play(&given(&text), 1, Repairing::default()), &whole);
        let mut mender = Mender::new(request(&[]), Repairing::default());
        let mut items = Vec::new();
        for piece in &pieces {
            mender.feed(Item::Text(piece.clone()));
            items.extend(mender.out.drain(..));
        }
        mender.feed(Item::End(StopReason::End));
        items.extend(mender.out.drain(..));
        proptest::prop_assert_eq!(fold(items), whole);
    }
}
