//! What sessions cost as they grow. Not run by default: numbers mean something in a release build on a quiet machine.
//! `cargo test --release -p reasonix-session --test all cost:: -- --ignored --nocapture --test-threads 1`

use crate::common;

use common::{did, ended, head, prompt, says};
use reasonix_session::{SessionArtifacts, Sessions};
use std::time::Instant;

/// Resident memory of this process, in MB, now and at its highest.
fn memory() -> (f64, f64) {
    let text = std::fs::read_to_string("/proc/self/status").unwrap();
    let field = |name: &str| {
        let line = text.lines().find(|line| line.starts_with(name)).unwrap();
        line.split_whitespace().nth(1).unwrap().parse::<f64>().unwrap() / 1024.0
    };
    (field("VmRSS:"), field("VmHWM:"))
}

#[tokio::test]
#[ignore = "a measurement"]
async fn opening_ten_thousand_messages() {
    let state = tempfile::tempdir().unwrap();
    let sessions = Sessions::at(state.path());
    let head = head("/work");
    let id = head.session.clone();
    {
        let opened = sessions.create(head).unwrap();
        let output = "a line of some output, as commands print it, with \"quotes\" in it\n".repeat(195);
        let started = Instant::now();
        let mut count = 0;
        for turn in 1..=1250 {
            let mut bodies = vec![prompt(turn, "do the next thing")];
            for step in 1..=3 {
                bodies.extend([says(turn, step, "I look.", &["a"]), did("a", &output)]);
            }
            bodies.extend([says(turn, 4, "done", &[]), ended(turn)]);
            count += bodies.len();
            for body in bodies {
                opened.journal.append(body).await.unwrap();
            }
        }
        eprintln!(
            "append: {:.1} µs a record",
            started.elapsed().as_secs_f64() * 1e6 / f64::from(u32::try_from(count).unwrap())
        );
    }
    let path = state.path().join("sessions").join(format!("{id}.jsonl"));
    let size = std::fs::metadata(path).unwrap().len() as f64 / 1024.0 / 1024.0;
    let (before, _) = memory();
    let started = Instant::now();
    let opened = sessions.open(id.as_str(), |_| {}).unwrap();
    let took = started.elapsed().as_secs_f64() * 1e3;
    let (after, peak) = memory();
    eprintln!(
        "open: {size:.0} MB, {} messages, {took:.0} ms, {:.0} MB more memory, {peak:.0} MB at most",
        opened.history.messages.len(),
        after - before
    );
    let started = Instant::now();
    let page = opened.past.page(None, 50).unwrap();
    eprintln!("last {} records: {:.1} ms", page.records.len(), started.elapsed().as_secs_f64() * 1e3);
    let started = Instant::now();
    let tree = opened.past.tree(reasonix_proto::TreeFilter::UserOnly, "");
    eprintln!("tree of {} prompts: {:.1} ms", tree.nodes.len(), started.elapsed().as_secs_f64() * 1e3);
    let _ = SessionArtifacts::at(state.path());
}

#[tokio::test]
#[ignore = "a measurement"]
async fn listing_five_thousand_sessions() {
    let state = tempfile::tempdir().unwrap();
    let sessions = Sessions::at(state.path());
    for number in 0..5000 {
        let opened = sessions.create(head(if number % 2 == 0 { "/work" } else { "/other" })).unwrap();
        for body in [prompt(1, "hello"), says(1, 1, "there", &[]), ended(1)] {
            opened.journal.append(body).await.unwrap();
        }
    }
    for name in ["first", "again", "again"] {
        let started = Instant::now();
        let list = sessions.list().unwrap();
        eprintln!("list of {}, {name}: {:.0} ms", list.len(), started.elapsed().as_secs_f64() * 1e3);
    }
}
