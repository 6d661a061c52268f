//! What one more piece of a streaming answer costs, by how long the answer is already. Run under a counter of
//! instructions: `perf stat -e instructions:u …/stream_cost 100000 20000` and again with 0 for the second number; the
//! difference by the second number is the cost of a piece.
#![allow(clippy::print_stdout)]

use reasonix_proto::Event;
use reasonix_tui::{Look, Transcript};
use std::time::{Duration, Instant};

const SAMPLE: &str = "A paragraph with `code`, **strong words** and a [link](src/main.rs:4), long enough to be wrapped at the width of a common terminal. 中文也要换行，标点不能放在行首。\n\n- an item\n- another item\n\n```rust\nfn main() {\n    println!(\"{}\", 1 + 2); // a comment\n}\n```\n\n| a | b |\n|---|---|\n| 1 | 2 |\n\n";

fn main() {
    let mut numbers = std::env::args().skip(1).map(|number| number.parse::<usize>().unwrap_or(0));
    let (before, deltas) = (numbers.next().unwrap_or(100_000), numbers.next().unwrap_or(10_000));
    let look = Look::default();
    let mut transcript = Transcript::default();
    transcript.live(100, &look, 30, Duration::ZERO);
    let mut written = 0;
    while written < before {
        transcript.apply(&Event::Text { delta: SAMPLE.to_owned() }, Duration::ZERO);
        transcript.take_finished(100, &look);
        written += SAMPLE.len();
    }
    let letters: Vec<char> = SAMPLE.chars().collect();
    let pieces: Vec<String> = letters.chunks(4).map(|piece| piece.iter().collect()).collect();
    let began = Instant::now();
    for delta in pieces.iter().cycle().take(deltas) {
        transcript.apply(&Event::Text { delta: delta.clone() }, Duration::ZERO);
        transcript.take_finished(100, &look);
        transcript.live(100, &look, 30, Duration::ZERO);
    }
    let took = began.elapsed();
    println!("{before} bytes before, {deltas} pieces, {:.1} µs each", took.as_secs_f64() * 1e6 / deltas.max(1) as f64);
}
