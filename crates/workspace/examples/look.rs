//! What undo costs: one look at a tree by itself, and the disk for many turns of edits.
//! `cargo run --release -p reasonix-workspace --example look [files] [rounds] [turns]`
#![allow(clippy::unwrap_used, clippy::print_stdout, clippy::indexing_slicing, reason = "a measurement")]

use reasonix_workspace::snapshot::{SnapshotLimits, Snapshots};
use std::path::Path;
use std::time::{Duration, Instant};

/// The processor time of this process so far.
fn cpu() -> Duration {
    let said = std::fs::read_to_string("/proc/self/schedstat").unwrap();
    Duration::from_nanos(said.split_whitespace().next().unwrap().parse().unwrap())
}

fn size(folder: &Path) -> u64 {
    let entries = std::fs::read_dir(folder).unwrap().map(Result::unwrap);
    entries
        .map(|entry| match entry.metadata().unwrap() {
            found if found.is_dir() => size(&entry.path()),
            found => found.len(),
        })
        .sum()
}

fn main() {
    let mut args = std::env::args().skip(1).map(|arg| arg.parse::<usize>().unwrap());
    let (files, rounds) = (args.next().unwrap_or(20_000), args.next().unwrap_or(40));
    let turns = args.next().unwrap_or(100);
    let place = tempfile::tempdir().unwrap();
    let (root, kept) = (place.path().join("work"), place.path().join("kept"));
    for file in 0..files {
        let folder = root.join(format!("folder{:04}", file % (files / 100).max(1)));
        std::fs::create_dir_all(&folder).unwrap();
        std::fs::write(folder.join(format!("file{file}.rs")), format!("{file}\n").repeat(300)).unwrap();
    }
    std::thread::sleep(Duration::from_millis(200));
    let mut snapshots = Snapshots::open(&root, &kept, None, SnapshotLimits::default()).unwrap();
    let (begun, spent) = (Instant::now(), cpu());
    snapshots.take(&|| false).unwrap();
    let (took, spent) = (begun.elapsed().as_secs_f64() * 1e3, (cpu() - spent).as_secs_f64() * 1e3);
    println!("the first look of {files} files: {took:.0} ms, of which this thread worked {spent:.0} ms");
    let mut looks: Vec<(f64, f64)> = (0..rounds)
        .map(|_| {
            let (begun, spent) = (Instant::now(), cpu());
            assert_eq!(snapshots.take(&|| false).unwrap().changed, 0);
            (begun.elapsed().as_secs_f64() * 1e3, (cpu() - spent).as_secs_f64() * 1e3)
        })
        .collect();
    looks.sort_by(|a, b| a.0.total_cmp(&b.0));
    let middle = looks[looks.len() / 2];
    println!("a look: median {:.1} ms, least {:.1} ms; processor {:.1} ms", middle.0, looks[0].0, middle.1);
    let before = size(&kept);
    let mut changed = 0;
    for turn in 0..turns {
        for file in 0..5 {
            let path = root.join("folder0000").join(format!("edited{file}.rs"));
            let text = format!("turn {turn} file {file}\n").repeat(400);
            changed += text.len() as u64;
            std::fs::write(path, text).unwrap();
        }
        snapshots.take(&|| false).unwrap();
    }
    let grown = size(&kept) - before;
    println!(
        "{turns} turns of edits: {changed} bytes changed, {grown} more on disk, {:.2} times",
        grown as f64 / changed as f64
    );
}
