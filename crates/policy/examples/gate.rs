//! What a gate decision costs: `cargo run --release -p reasonix-policy --example gate [ROUNDS [LINE]]`. Files are looked
//! up on the disk. Prints the smallest and the middle of twenty medians a line: others use the machine too. With `ROUNDS`
//! it only works, for counting instructions from outside (`benches/gate`).
#![allow(clippy::print_stdout, clippy::unwrap_used, reason = "a program that prints")]

use reasonix_policy::{Case, Circumstances, Facts, Fallback, Places, Posture, Rules, Target, analyse, judge};
use reasonix_proto::{Action, Family};
use std::path::Path;
use std::time::Instant;

struct Disk;

impl Facts for Disk {
    fn target(&self, places: &Places, path: &str) -> Target {
        let known = places.known || path.starts_with('/');
        let at = Path::new(places.dirs.first().map_or("", String::as_str)).join(path);
        let found = at.symlink_metadata();
        Target {
            exists: !known || found.is_ok(),
            folder: found.is_ok_and(|found| found.is_dir()),
            ours: false,
            inside: known && at.is_relative(),
            passing: false,
        }
    }
}

const LINES: &[(&str, &str)] = &[
    ("one word", "ls"),
    ("a test run", "cargo test --workspace"),
    ("a pipe", "cargo test 2>&1 | tail -50"),
    (
        "a folder first",
        "cd crates/policy && cargo test -p reasonix-policy --test danger -- --nocapture 2>&1 | tail -20",
    ),
    ("a search", "grep -rn 'fn main' --include='*.rs' . | head -20"),
    ("git", "git -C . log --oneline -5 && git status --short"),
    ("a wrapper", "timeout 60 env RUST_LOG=debug nice -n 5 cargo run -- --help"),
    ("text for a shell", "bash -c 'for f in *.rs; do wc -l \"$f\"; done | sort -n | tail -3'"),
    ("find with -exec", "find . -name '*.rs' -exec grep -l unsafe {} + | xargs wc -l | sort -n"),
    ("a loop", "for i in 1 2 3; do echo \"run $i\"; if ! npm test -- --shard=$i/3; then echo failed >> log; fi; done"),
    (
        "a heredoc",
        "cat > notes.md <<'EOF'\n# Notes\n\nSome text with `code` and $dollars.\nMore of it.\nEOF\nwc -l notes.md",
    ),
    ("a deletion", "rm -rf build dist && mkdir -p build && cp -r src/*.c build/"),
    (
        "eight parts",
        "set -e; mkdir -p out; cp a out; cp b out; (cd out && make -j4 2>&1 | tee log) || exit 1; ls -l out; du -sh out; date",
    ),
    ("python", "python3 - <<'PY'\nimport json,sys\nfor line in open('x.jsonl'):\n    print(json.loads(line)['a'])\nPY"),
];

fn main() {
    let text = |texts: &[&str]| texts.iter().map(|text| (*text).to_owned()).collect::<Vec<_>>();
    let rules = Rules::parse(
        &text(&["Bash(git push:*)", "Bash(curl:*)", "Read(secrets/**)"]),
        &text(&["Bash(npm install:*)"]),
        &text(&["Bash(cargo test:*)", "Bash(npm test:*)", "Edit(src/**)"]),
        Fallback::Ask,
    )
    .unwrap();
    let about = Circumstances {
        granted: &[],
        approved: &[],
        dangerous: &[],
        posture: Posture::Ask,
        attended: true,
        held: false,
        facts: &Disk,
    };
    let decide = |line: &str| {
        let effects = analyse(line);
        let action = Action { family: Family::Bash, subjects: vec![line.to_owned()], read_only: effects.read_only };
        judge(&rules, &about, &Case::with("bash", &action, vec![effects]))
    };
    let rounds = std::env::args().nth(1).and_then(|text| text.parse::<usize>().ok());
    if let Some(rounds) = rounds {
        let only = std::env::args().nth(2);
        let wanted = LINES.iter().filter(|(name, _)| only.as_deref().is_none_or(|only| only == *name));
        wanted.for_each(|(_, line)| (0..rounds).for_each(|_| drop(std::hint::black_box(decide(line)))));
        return;
    }
    println!("{:<18} {:>6} {:>9} {:>9}", "line", "bytes", "us", "of all");
    for (name, line) in LINES {
        let mut medians: Vec<f64> = (0..20).map(|_| median(200, || drop(std::hint::black_box(decide(line))))).collect();
        medians.sort_by(f64::total_cmp);
        println!("{name:<18} {:>6} {:>9.1} {:>9.1}", line.len(), medians[0], medians[10]);
    }
}

fn median(rounds: usize, work: impl Fn()) -> f64 {
    let timed = |_| {
        let start = Instant::now();
        work();
        start.elapsed().as_secs_f64() * 1e6
    };
    let mut times: Vec<f64> = (0..rounds).map(timed).collect();
    times.sort_by(f64::total_cmp);
    times[rounds / 2]
}
