//! What a long session takes: so many messages with code in five languages and output of commands, drawn as they come.
//! `session_memory 10000` prints the resident memory before and after.
#![allow(clippy::print_stdout)]

use reasonix_proto::{CallId, Event, Message, Record, RecordBody, RecordId, StopReason, ToolCall, ToolOutcome};
use reasonix_tui::{Look, Transcript};
use std::time::Duration;

const CODE: [&str; 5] = [
    "```rust\nfn main() { let x: Vec<u8> = vec![1]; println!(\"{x:?}\"); } // comment\n```",
    "```python\ndef f(a: int) -> str:\n    \"\"\"doc\"\"\"\n    return f\"{a}\" # comment\n```",
    "```ts\nexport const f = async (a: string): Promise<number> => `${a}`.length;\n```",
    "```go\nfunc main() { for i := range 3 { fmt.Println(i) } }\n```",
    "```sql\nSELECT a, count(*) FROM t WHERE b = 'x' GROUP BY a; -- comment\n```",
];

fn record(body: RecordBody) -> Box<Record> {
    Box::new(Record { id: RecordId(1), parent: None, at: 0, body })
}

fn main() {
    let count = std::env::args().nth(1).and_then(|count| count.parse().ok()).unwrap_or(10_000);
    let look = Look::default();
    let mut transcript = Transcript::default();
    println!("before: {} kB", resident());
    let mut lines = 0;
    for index in 0..count {
        for event in events(index) {
            transcript.apply(&event, Duration::ZERO);
            lines += transcript.take_finished(120, &look).len();
            transcript.live(120, &look, 40, Duration::ZERO);
        }
    }
    println!("after {count} messages, {lines} lines: {} kB", resident());
}

fn events(index: usize) -> Vec<Event> {
    let text = format!("Message {index}. 中文也要换行。\n\n{}\n\n", CODE.get(index % 5).unwrap_or(&""));
    let id = CallId(format!("c{index}"));
    let call =
        ToolCall { id: id.clone(), name: "bash".to_owned(), arguments: "{\"command\": \"cargo test\"}".to_owned() };
    let message =
        Message::Assistant { text: text.clone(), reasoning: None, calls: vec![call], stop: StopReason::Calls };
    let outcome = ToolOutcome::done("test a::b ... ok\n".repeat(60));
    vec![
        Event::Text { delta: text },
        Event::Message {
            record: record(RecordBody::Assistant { turn: 1, step: 1, model: "m".to_owned(), message, usage: None }),
        },
        Event::ToolEnded {
            record: record(RecordBody::Outcome { call: id, tool: "bash".to_owned(), took_ms: 3, outcome }),
        },
    ]
}

fn resident() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:"));
    line.and_then(|line| line.split_whitespace().next()?.parse().ok()).unwrap_or(0)
}
