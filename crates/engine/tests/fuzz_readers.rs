//! Lines made by chance. Whatever runs without a question leaves nothing, reaches nobody and reads nothing outside; where no
//! box holds it, it starts nothing but readers with the words that were read. `REASONIX_FUZZ_SECONDS` says how long,
//! `REASONIX_FUZZ_SEED` where the lines begin. Where the kernel cannot have level `full` these tests say so and pass; with
//! `REASONIX_E2E=1` it is required.
#![cfg(target_os = "linux")]
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::print_stderr)]

mod fuzz;
mod world;

use fuzz::{CANARIES, Driver, Lines, Place, Plan, Record, Stubs, Tally, Tried, shrink};
use reasonix_config::Bash;
use reasonix_engine::{Explainer, Outlook};
use reasonix_exec::{Confinement, Environment, Status, Wish};
use reasonix_policy::{Simple, WordKind, analyse};
use world::has_box;

/// Lines in a place, before it is looked at what the session has around it.
const ROUND: usize = 100;
/// More of them say nothing new.
const MOST_HITS: usize = 12;

fn runs(explainer: &Explainer, line: &str) -> bool {
    explainer.explain(line).verdict == Outlook::Runs
}

/// A hit, said at once: a long run may be ended before its end.
fn told(seed: u64, line: &str, short: &str, harm: &[String]) -> String {
    let text = format!("seed {seed}: {line:?}\n  shorter: {short:?}\n  {}", harm.join("\n  "));
    eprintln!("hit: {text}");
    text
}

fn fail_on(hits: &[String]) {
    assert!(hits.is_empty(), "{} lines did what they must not do:\n{}", hits.len(), hits.join("\n"));
}

/// A place of which readers are held.
struct Holding {
    place: Place,
    explainer: Explainer,
    boxed: Confinement,
    held: Confinement,
    around: String,
}

impl Holding {
    async fn new() -> Self {
        let place = Place::new(Driver::Converts).await;
        let (explainer, boxed) = (place.explainer(Bash::Enforce), place.confinement());
        let held = boxed.held().expect("a box that holds readers");
        let around = place.surroundings(&boxed).await;
        Self { place, explainer, boxed, held, around }
    }

    /// What a line does that it must not do, held to reading.
    async fn harm(&self, line: &str, unasked: bool, tally: &mut Tally) -> Vec<String> {
        let Some(finished) = self.place.run(line, &self.held, Environment::inherited(&[])).await else { return vec![] };
        tally.executed += 1;
        tally.late += usize::from(finished.status == Status::TimedOut);
        if unasked && matches!(finished.wish, Some(Wish::Write(_))) {
            tally.misread.push(line.to_owned());
        }
        self.place.harm(finished)
    }

    /// Whether a line does something alone that it must not do.
    async fn is_harmed_by(&self, line: &str, unasked: bool) -> bool {
        runs(&self.explainer, line) == unasked && !self.harm(line, unasked, &mut Tally::default()).await.is_empty()
    }

    async fn is_poisoned(&self) -> bool {
        self.place.surroundings(&self.boxed).await != self.around
    }
}

#[tokio::test]
async fn a_line_that_runs_unasked_leaves_nothing_and_reaches_nobody() {
    if !has_box() {
        return;
    }
    let (plan, mut tally, mut hits) = (Plan::from_environment(), Tally::default(), Vec::new());
    let mut tried = Tried::default();
    let mut holding = Holding::new().await;
    for seed in plan.rounds() {
        let mut lines = Lines::new(seed, &holding.place.aims());
        let mut ran = Vec::new();
        for _ in 0..ROUND {
            let line = lines.line();
            let unasked = runs(&holding.explainer, &line);
            tally.made += 1;
            tally.unasked += usize::from(unasked);
            // The hold is for whatever was misread, so some of the others are tried too.
            let chosen = unasked || lines.chance().one_in(8);
            if !chosen || !tried.is_new(&line) {
                continue;
            }
            let harm = holding.harm(&line, unasked, &mut tally).await;
            if !harm.is_empty() {
                let short = shrink(&line, async |line| Holding::new().await.is_harmed_by(line, unasked).await).await;
                hits.push(told(seed, &line, &short, &harm));
                holding = Holding::new().await;
                lines = lines.aiming(&holding.place.aims());
            }
            ran.push(line);
        }
        if holding.is_poisoned().await {
            hits.push(format!(
                "seed {seed}: one of these left something for the next command: {:?}",
                poisoners(&ran).await
            ));
            holding = Holding::new().await;
        }
        if hits.len() >= MOST_HITS {
            break;
        }
    }
    tally.tell("held", &plan, "wanted to write and were held");
    fail_on(&hits);
}

/// Those of the lines that leave something alone; all where none does.
async fn poisoners(lines: &[String]) -> Vec<String> {
    let (mut found, mut holding, mut tally) = (Vec::new(), Holding::new().await, Tally::default());
    for line in lines {
        let _ = holding.harm(line, false, &mut tally).await;
        if holding.is_poisoned().await {
            found.push(line.clone());
            holding = Holding::new().await;
        }
    }
    if found.is_empty() { lines.to_vec() } else { found }
}

/// A place without a box, as the gate sees it; what runs there runs in a box of ours.
struct Bare {
    place: Place,
    explainer: Explainer,
    boxed: Confinement,
    stubs: Stubs,
}

impl Bare {
    async fn new() -> Option<Self> {
        let place = Place::new(Driver::None).await;
        let explainer = place.explainer(Bash::Off);
        let log = place.aside().join("log");
        std::fs::create_dir(&log).unwrap();
        let stubs = Stubs::new(&place.aside().join("stubs"), &log.join("log"));
        let boxed = place.open_box(&log)?;
        Some(Self { place, explainer, boxed, stubs })
    }

    /// What a line does that it must not do, with stubs for programs and with real ones.
    async fn harm(&self, line: &str, tally: &mut Tally) -> Vec<String> {
        let real = Environment::inherited(&[]);
        let recording = real.clone().with("PATH", &self.stubs.folder);
        let Some(finished) = self.place.run(line, &self.boxed, recording).await else { return vec![] };
        let mut harm = self.place.harm(finished);
        let commands = analyse(line).commands;
        for record in self.stubs.records() {
            if !record.is_reader() {
                harm.push(format!("this is no reader: {record:?}"));
            } else if !commands.iter().any(|simple| fits(simple, &record)) {
                harm.push(format!("nobody read this in the line: {record:?}"));
            }
        }
        if !harm.is_empty() {
            return harm;
        }
        let Some(finished) = self.place.run(line, &self.boxed, real).await else { return vec![] };
        tally.executed += 1;
        tally.late += usize::from(finished.status == Status::TimedOut);
        let harm = self.place.harm(finished);
        // Readers that go through folders or patterns follow links; only a box hides what those lead to.
        let through_link = harm == [fuzz::SECRET_READ] && !line.contains(&self.place.aims().secret);
        if !through_link {
            return harm;
        }
        tally.misread.push(line.to_owned());
        Vec::new()
    }

    /// Whether a line does something alone that it must not do.
    async fn is_harmed_by(&self, line: &str) -> bool {
        runs(&self.explainer, line) && !self.harm(line, &mut Tally::default()).await.is_empty()
    }
}

/// Whether a program that was started is this command. What a pattern became stands where the pattern stood.
fn fits(simple: &Simple, record: &Record) -> bool {
    let (mut words, mut args) = (simple.args(), &record.args[..]);
    if simple.program() != record.name {
        return false;
    }
    while let (Some((word, rest)), false) =
        (words.split_first(), words.first().is_some_and(|word| word.kind != WordKind::Fixed))
    {
        match args.split_first() {
            Some((arg, more)) if *arg == word.text => (words, args) = (rest, more),
            _ => return false,
        }
    }
    // What stands behind a pattern is compared from the end.
    let behind = words.iter().rev().take_while(|word| word.kind == WordKind::Fixed).count();
    let pattern = words.len() > behind;
    let tail = words.iter().rev().zip(args.iter().rev()).take(behind);
    if pattern { args.len() > behind && tail.into_iter().all(|(word, arg)| word.text == *arg) } else { args.is_empty() }
}

#[tokio::test]
async fn without_a_box_only_readers_run_with_the_words_that_were_read() {
    if !has_box() {
        return;
    }
    let (plan, mut tally, mut hits) = (Plan::from_environment(), Tally::default(), Vec::new());
    let mut tried = Tried::default();
    let mut bare = Bare::new().await.expect("a box");
    for seed in plan.rounds() {
        let mut lines = Lines::new(seed, &bare.place.aims());
        for _ in 0..ROUND {
            let line = lines.line();
            tally.made += 1;
            if !runs(&bare.explainer, &line) || !tried.is_new(&line) {
                continue;
            }
            tally.unasked += 1;
            let harm = bare.harm(&line, &mut tally).await;
            if !harm.is_empty() {
                let short =
                    shrink(&line, async |line| Bare::new().await.expect("a box").is_harmed_by(line).await).await;
                hits.push(told(seed, &line, &short, &harm));
                bare = Bare::new().await.expect("a box");
                lines = lines.aiming(&bare.place.aims());
            }
        }
        if hits.len() >= MOST_HITS {
            break;
        }
    }
    tally.tell("without a box", &plan, "read through a link that leads outside");
    fail_on(&hits);
}

/// Whatever stands in a line, it is judged: no line brings the gate down.
#[tokio::test]
async fn every_line_is_judged() {
    let place = Place::new(Driver::None).await;
    let (explainer, plan, mut tally) = (place.explainer(Bash::Off), Plan::from_environment(), Tally::default());
    for seed in plan.rounds() {
        let mut lines = Lines::new(seed, &place.aims());
        for _ in 0..ROUND {
            let line = lines.line();
            tally.made += 1;
            tally.unasked += usize::from(runs(&explainer, &line));
        }
    }
    tally.tell("judged", &plan, "of note");
}

/// The watch is worth something: each of the things that must not happen is noticed where nothing holds it.
#[tokio::test]
async fn each_canary_is_noticed_where_nothing_holds_it() {
    for canary in CANARIES {
        let place = Place::new(Driver::Converts).await;
        let line = place.aims().fill(canary);
        let finished = place.run(&line, &Confinement::None, Environment::inherited(&[])).await.unwrap();
        let status = finished.status;
        let mut harm = place.harm(finished);
        // Listeners hear on threads of their own.
        let late = std::time::Instant::now();
        while harm.is_empty() && status == Status::Exited(0) && late.elapsed().as_secs() < 20 {
            std::thread::yield_now();
            harm = place.noticed();
        }
        assert!(!harm.is_empty(), "{line:?}: {status:?}");
    }
}

#[tokio::test]
async fn the_same_seed_makes_the_same_lines() {
    let place = Place::new(Driver::None).await;
    let made = |seed| {
        let mut lines = Lines::new(seed, &place.aims());
        (0..200).map(|_| lines.line()).collect::<Vec<_>>()
    };
    assert_eq!(made(7), made(7));
    assert_ne!(made(7), made(8));
}
