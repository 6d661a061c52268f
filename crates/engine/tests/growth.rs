//! What grows in a long session. Not a test of every day: `cargo test -p reasonix-engine --test all growth:: -- --ignored --nocapture`
//! prints the memory of a session of 1,000 turns with 500 MB of output in all.

use crate::world;

use reasonix_config::Provider;
use reasonix_engine::Which;
use reasonix_proto::{Event, Op, RecordBody, TurnState};
use world::World;

const TURNS: usize = 1000;

/// The memory that this process holds itself, in KiB. Pages of the program's own file come and go as the kernel likes.
fn resident() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap();
    let line = status.lines().find(|line| line.starts_with("RssAnon:")).unwrap();
    line.split_whitespace().nth(1).unwrap().parse().unwrap()
}

fn script() -> String {
    let call = |step: usize| {
        let command = format!("echo {step}; head -c 525000 /dev/zero | tr '\\\\0' x | fold -w 80");
        format!("{{\"calls\": [{{\"tool\": \"bash\", \"arguments\": {{\"command\": \"{command}\"}}}}]}}\n")
    };
    (0..TURNS * 3)
        .map(|step| if step % 2 == 0 { call(step) } else { format!("{{\"say\": \"done {step}\"}}\n") })
        .collect()
}

#[tokio::test]
#[ignore = "a measurement of minutes"]
async fn memory_stays_flat_over_a_thousand_turns() {
    let world = World::new(Vec::new()).await;
    let script = world.home.write("script.jsonl", script());
    let mut handle = world.open_with(Which::New, |start| {
        start.world.settings.providers = vec![Provider {
            name: "script".into(),
            kind: "scripted".into(),
            script: Some(script),
            models: vec!["script".into()],
            default: "script".into(),
            context_window: 32_000,
            ..Provider::default()
        }];
        start.attended = false;
    });
    let (mut bytes, mut samples) = (0, Vec::new());
    for turn in 1..=TURNS {
        handle.submit(Op::Prompt { text: format!("turn {turn}"), resolved: true });
        let mut ended = false;
        while let Some(envelope) = handle.events.next().await {
            match envelope.event {
                Event::ToolProgress { delta, .. } => bytes += delta.len(),
                Event::TurnEnded { record } => ended = matches!(record.body, RecordBody::TurnEnded { .. }),
                Event::State { state: TurnState::Idle } if ended => break,
                _ => {}
            }
        }
        if turn % 100 == 0 {
            samples.push(resident());
            println!("turn {turn}: {} KiB", resident());
        }
    }
    let blobs = world.home.path().join("state/blobs");
    println!("{bytes} bytes of progress; outputs are kept in {}", blobs.display());
    let (early, last) = (samples[1], samples[samples.len() - 1]);
    println!("growth from turn 200 to {TURNS}: {:.1} %", (last as f64 / early as f64 - 1.0) * 100.0);
    assert!(last * 100 < early * 105, "{samples:?}");
}
