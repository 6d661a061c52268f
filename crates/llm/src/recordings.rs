//! Streams in the styles of many servers, replayed in pieces of every size: the same answer comes out of all of them.

use crate::codec::Decode;
use crate::repair::{Form, Mended};
use crate::sse::Sse;
use crate::{Endpoint, anthropic, chat, responses};
use pretty_assertions::assert_eq;
use reasonix_agent::{Item, Prefix, Request};
use reasonix_proto::{KeptBlock, StopReason, Usage};
use std::path::Path;
use std::sync::Arc;

/// What an answer comes to, whatever its pieces were.
#[derive(Debug, Default, Clone, PartialEq)]
struct Heard {
    text: String,
    reasoning: String,
    calls: Vec<(String, String, String)>,
    raw: Vec<String>,
    blocks: usize,
    usage: Option<Usage>,
    end: Option<StopReason>,
    failed: Option<String>,
}

fn decoder(wire: &str) -> Box<dyn Decode> {
    let endpoint = Arc::new(Endpoint::new("p", "http://h/v1", "m"));
    let prefix = Arc::new(Prefix { system: "s".into(), tools: vec![], aliases: vec![] });
    let request = Arc::new(Request { prefix, messages: vec![], may_call: true, must_call: None, form: None });
    let inner = match wire {
        "chat" => chat::decoder(&endpoint, &request),
        "messages" => anthropic::decoder(&endpoint, &request),
        "responses" => responses::decoder(&endpoint, &request),
        other => panic!("no such wire: {other}"),
    };
    Box::new(Mended::new(inner, &request, endpoint.repairing, Form::Tags))
}

/// Feeds a stream in pieces of one size.
fn replay(wire: &str, bytes: &[u8], size: usize) -> Heard {
    let mut decoder = decoder(wire);
    let mut sse = Sse::default();
    let mut heard = Heard::default();
    let mut trouble = None;
    for piece in bytes.chunks(size) {
        let fed = sse.feed(piece, &mut |data| {
            if trouble.is_none() {
                trouble = decoder.event(data).err();
            }
        });
        assert!(fed.is_ok());
        hear(decoder.as_mut(), &mut heard);
        if trouble.is_some() || decoder.is_done() {
            break;
        }
    }
    if trouble.is_none() && !decoder.is_done() {
        // An event that breaks off at the end of the stream is no event.
        let _ = sse.finish(&mut |data| drop(decoder.event(data)));
    }
    if let Some(trouble) = trouble.or_else(|| decoder.finish().err()) {
        decoder.fail(trouble);
    }
    hear(decoder.as_mut(), &mut heard);
    heard
}

fn hear(decoder: &mut dyn Decode, heard: &mut Heard) {
    while let Some(item) = decoder.pop() {
        assert_eq!((heard.end, &heard.failed), (None, &None), "nothing comes after the end");
        match item {
            Item::Text(text) => heard.text.push_str(&text),
            Item::Reasoning(text) => heard.reasoning.push_str(&text),
            Item::Call(call) => heard.calls.push((call.id.0, call.name, call.arguments)),
            Item::Kept(kept) => {
                heard.blocks = kept.blocks.len();
                heard.raw = kept
                    .blocks
                    .into_iter()
                    .filter_map(|block| if let KeptBlock::Raw(raw) = block { Some(raw) } else { None })
                    .collect();
            }
            Item::Usage(usage) => heard.usage = Some(usage),
            Item::End(stop) => heard.end = Some(stop),
            Item::Failed(failure) => heard.failed = Some(failure.phrase.code.to_string()),
            _ => {}
        }
    }
}

/// Every recording: wire, style, bytes.
fn recordings() -> Vec<(String, String, Vec<u8>)> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/recordings");
    let mut found = Vec::new();
    for wire in ["chat", "messages", "responses"] {
        for entry in std::fs::read_dir(root.join(wire)).expect("recordings") {
            let path = entry.expect("an entry").path();
            let style = path.file_stem().expect("a name").to_string_lossy().into_owned();
            found.push((wire.to_owned(), style, std::fs::read(&path).expect("a recording")));
        }
    }
    found.sort();
    found
}

#[test]
fn every_style_gives_the_same_answer() {
    let mut styles = std::collections::BTreeMap::<String, usize>::new();
    for (wire, style, bytes) in recordings() {
        let heard = replay(&wire, &bytes, bytes.len());
        let what = format!("{wire}/{style}");
        assert_eq!((heard.text.as_str(), &heard.failed), ("你好 🌍", &None), "{what}");
        assert!(matches!(heard.reasoning.as_str(), "" | "想一想"), "{what}: {}", heard.reasoning);
        let calls: Vec<_> =
            heard.calls.iter().map(|(_, name, arguments)| (name.as_str(), arguments.as_str())).collect();
        assert_eq!(calls, [("read_file", "{\"path\":\"目录/a.txt\"}"), ("ls", "{}")], "{what}");
        assert_ne!(heard.calls[0].0, heard.calls[1].0, "{what}");
        let usage = heard.usage.unwrap_or_else(|| panic!("{what}: no counts"));
        assert_eq!((usage.input, usage.output), (120, 30), "{what}");
        assert!(usage.cached == 100 || usage.cached == 0, "{what}: {usage:?}");
        assert_eq!(heard.end, Some(StopReason::Calls), "{what}");
        *styles.entry(wire).or_default() += 1;
    }
    assert!(styles.values().all(|count| *count >= 8), "{styles:?}");
}

#[test]
fn pieces_of_every_size_give_the_same_answer() {
    for (wire, style, bytes) in recordings() {
        let whole = replay(&wire, &bytes, bytes.len());
        // Every size up to that of the longest event and more; beyond it a piece only holds more of them.
        for size in (1..700).chain((700..bytes.len()).step_by(97)) {
            assert_eq!(replay(&wire, &bytes, size), whole, "{wire}/{style} in pieces of {size}");
        }
    }
}

#[test]
fn what_is_signed_or_encrypted_is_kept_byte_for_byte() {
    let find = |wire: &str, style: &str| {
        let (.., bytes) = recordings().into_iter().find(|(w, s, _)| w == wire && s == style).expect("a recording");
        (replay(wire, &bytes, bytes.len()), String::from_utf8(bytes).expect("text"))
    };
    let (heard, _) = find("messages", "anthropic");
    assert_eq!(heard.raw, [r#"{"signature":"EqQBsigned==","thinking":"想一想","type":"thinking"}"#]);
    assert_eq!(heard.blocks, 4);
    let (heard, stream) = find("messages", "redacted");
    assert!(heard.raw.len() == 1 && stream.contains(&heard.raw[0]), "{:?}", heard.raw);
    let (heard, _) = find("messages", "interleaved");
    assert_eq!((heard.raw.len(), heard.blocks), (2, 5));
    assert!(heard.raw[1].contains("sig-two"), "{:?}", heard.raw);
    for style in ["openai", "azure", "openrouter", "items-only", "end-only"] {
        let (heard, stream) = find("responses", style);
        assert!(heard.raw.len() == 1 && stream.contains(&heard.raw[0]), "{style}: {:?}", heard.raw);
    }
    for (wire, style) in
        [("messages", "llama.cpp"), ("messages", "ollama"), ("responses", "vllm"), ("responses", "ollama")]
    {
        assert!(find(wire, style).0.raw.is_empty(), "{wire}/{style}: without a signature nothing goes back");
    }
}

/// Cut anywhere, an answer is whole or it says that it broke; calls that were not finished never come out.
#[test]
fn a_stream_that_breaks_at_any_byte_is_never_taken_for_a_whole_one() {
    for (wire, style, bytes) in recordings() {
        let whole = replay(&wire, &bytes, bytes.len());
        for until in 0..bytes.len() {
            let heard = replay(&wire, bytes.get(..until).unwrap_or_default(), 4096);
            let what = format!("{wire}/{style} up to byte {until}");
            assert!(whole.text.starts_with(&heard.text) || wire == "chat", "{what}: {}", heard.text);
            match heard.end {
                Some(_) => {
                    assert_eq!(heard.calls, whole.calls, "{what}");
                    assert_eq!(heard.text, whole.text, "{what}");
                }
                None => {
                    assert!(heard.failed.is_some(), "{what}: it has no end");
                    assert!(heard.calls.is_empty(), "{what}: calls of a broken answer");
                }
            }
        }
    }
}

/// Anything may come: each event of each recording spoilt in several ways. It ends, once, and within bounds.
#[test]
fn spoilt_events_neither_panic_nor_end_twice() {
    let spoil: &[fn(&str) -> String] = &[
        |line| {
            line.replace("\"index\":0", "\"index\":99999999999999999999")
                .replace("\"output_index\":", "\"output_index\":-")
        },
        |line| line.replace("\"index\":1", "\"index\":0").replace("\"output_index\":3", "\"output_index\":2"),
        |line| line.replace("call_b", "call_a").replace("toolu_b", "toolu_a"),
        |line| line.replace("\"id\":\"", "\"id\":7,\"x\":\""),
        |line| line.replace("_tokens\":", "_tokens\":-"),
        |line| line.replace("\"delta\":{", "\"delta\":null,\"x\":{").replace("\"delta\":\"", "\"delta\":[1],\"x\":\""),
        |line| line.replace("\"type\":\"", "\"type\":\"x"),
        |line| line.replace("\"arguments\":\"", "\"arguments\":[],\"x\":\""),
        |line| line.replace('}', ""),
        |line| line.replace("你好", "\u{fffd}\u{0}"),
        |line| format!("{line}\n\n{line}"),
        |_| String::new(),
        |_| "data: {\"error\":{\"message\":\"the engine died\",\"type\":\"server_error\"}}".to_owned(),
        |_| "data: <html><body>gateway</body></html>".to_owned(),
        |_| "data: null".to_owned(),
        |_| format!("data: {}", "[".repeat(2000)),
    ];
    for (wire, style, bytes) in recordings() {
        let text = String::from_utf8(bytes).expect("text");
        let lines: Vec<&str> = text.lines().collect();
        for at in (0..lines.len()).filter(|at| lines[*at].starts_with("data")) {
            for (way, spoil) in spoil.iter().enumerate() {
                let spoilt: Vec<String> = lines
                    .iter()
                    .enumerate()
                    .map(|(place, line)| if place == at { spoil(line) } else { (*line).to_owned() })
                    .collect();
                let heard = replay(&wire, spoilt.join("\n").as_bytes(), 4096);
                let ended = usize::from(heard.end.is_some()) + usize::from(heard.failed.is_some());
                assert_eq!(ended, 1, "{wire}/{style}, line {at}, way {way}");
                let mut ids: Vec<_> = heard.calls.iter().map(|(id, ..)| id).collect();
                ids.sort();
                ids.dedup();
                assert_eq!(ids.len(), heard.calls.len(), "{wire}/{style}, line {at}, way {way}: ids are unique");
                if let Some(usage) = heard.usage {
                    assert!(usage.cached <= usage.input && usage.reasoning <= usage.output);
                }
            }
        }
    }
}
