//! What the program weighs with a long session on its screen. A measurement: it prints numbers, and is run by hand with
//! `cargo test --release -p reasonix-cli --test all weight:: -- --ignored --nocapture`.

use crate::support;

use reasonix_testkit::{Pty, Reply};
use serde_json::json;
use std::fmt::Write as _;
use support::Place;

const CODE: [&str; 5] = [
    "```rust\nfn main() { let x: Vec<u8> = vec![1]; println!(\"{x:?}\"); } // comment\n```",
    "```python\ndef f(a: int) -> str:\n    return f\"{a}\" # comment\n```",
    "```ts\nexport const f = async (a: string): Promise<number> => `${a}`.length;\n```",
    "```go\nfunc main() { for i := range 3 { fmt.Println(i) } }\n```",
    "```sql\nSELECT a, count(*) FROM t WHERE b = 'x' GROUP BY a; -- comment\n```",
];
const SAID: [&str; 5] =
    ["What about this one?", "这个呢？请看一下。", "これはどうですか？", "이것은 어때요?", "А это как?"];

/// Kilobytes of a process, by the name that the kernel gives the count.
fn memory(process: u32, name: &str) -> u64 {
    let status = std::fs::read_to_string(format!("/proc/{process}/status")).unwrap();
    let line = status.lines().find_map(|line| line.strip_prefix(name)).unwrap();
    line.trim_start_matches(':').split_whitespace().next().unwrap().parse().unwrap()
}

#[test]
#[ignore = "a measurement"]
fn ten_thousand_messages_in_five_languages() {
    let place = Place::new(vec![Reply::say("the last answer of all")]);
    let mut log = String::new();
    for index in 0..5_000 {
        let (question, code) = (SAID[index % 5], CODE[index % 5]);
        writeln!(log, "{}", json!({"role": "user", "content": format!("{question} {index}")})).unwrap();
        let answer = format!("Answer {index}. 中文也要换行。\n\n{code}\n\nNothing else calls it.");
        writeln!(log, "{}", json!({"role": "assistant", "content": answer})).unwrap();
    }
    let file = place.work.write("long.jsonl", log);
    let imported = place.run(&["sessions", "import", file.to_str().unwrap()]);
    assert_eq!(imported.code, Some(0), "{}", imported.err);
    let id = place.logs().pop().unwrap().file_stem().unwrap().to_string_lossy().into_owned();
    let mut pty = Pty::new(120, 40);
    let mut child = pty.spawn(place.command(&["--resume", &id]));
    pty.wait_for("the last message", |written| written.contains("4999"));
    let opened = memory(child.id(), "VmRSS");
    // The whole transcript on the screen, and back.
    pty.keys("\x14");
    pty.wait_for("the transcript", |written| written.contains("q closes"));
    pty.keys("q");
    pty.keys("one more\r");
    pty.wait_for("the answer", |written| written.contains("the last answer of all"));
    let (after, most) = (memory(child.id(), "VmRSS"), memory(child.id(), "VmHWM"));
    let own = memory(child.id(), "RssAnon");
    println!("10,000 messages: {opened} kB when opened, {after} kB after a turn ({own} kB its own), {most} kB at most");
    let written = pty.written();
    assert!(!written.contains("\x1b[2J") && !written.contains("\x1b[3J"), "nothing is cleared whole");
    pty.keys("\x04");
    assert!(child.wait().unwrap().success());
    // Without optimisation the program's own code alone takes about half of it.
    assert!(cfg!(debug_assertions) || after <= 40 * 1024, "{after} kB");
}
