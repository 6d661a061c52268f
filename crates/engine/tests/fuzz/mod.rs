//! Command lines made by chance, and a place to run them in that notices what lasts. The same seed makes the same lines.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::print_stderr, dead_code)]

mod chance;
mod doubt;
mod everyday;
mod grammar;
mod lines;
mod mutate;
mod options;
mod payload;
mod place;
mod scripts;
mod shrink;
mod stubs;
mod watch;

pub(crate) use chance::Chance;
pub(crate) use doubt::{Trial, is_sure, leaves_again, repeats};
pub(crate) use lines::Lines;
pub(crate) use payload::{Aims, CANARIES};
pub(crate) use place::{AT_LEAST, Driver, Place, SECRET_READ};
pub(crate) use shrink::shrink;
pub(crate) use stubs::{Record, Stubs};

use std::collections::HashSet;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::sync::OnceLock;
use std::time::{Duration, Instant, SystemTime};

/// A name that nobody else on this machine gives to anything: what bears it is of a line of ours.
pub(crate) fn mark() -> &'static str {
    static MARK: OnceLock<String> = OnceLock::new();
    MARK.get_or_init(|| {
        let now = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).unwrap();
        format!("CANARY{:x}x{:x}", std::process::id(), now.as_nanos())
    })
}

/// How long to go on, and where the lines begin.
pub(crate) struct Plan {
    pub(crate) seed: u64,
    until: Instant,
    begun: Instant,
}

impl Plan {
    /// By `REASONIX_FUZZ_SECONDS` and `REASONIX_FUZZ_SEED`; a few seconds and any seed where they are not set.
    pub(crate) fn from_environment() -> Self {
        let number = |name: &str| std::env::var(name).ok().map(|text| text.trim().parse::<u64>().expect(name));
        let now = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).unwrap();
        let seed = number("REASONIX_FUZZ_SEED").unwrap_or_else(|| Chance::new(now.as_micros() as u64).next());
        let seconds = number("REASONIX_FUZZ_SECONDS").unwrap_or(3);
        // Said at once: what ends the process leaves no time for it later.
        eprintln!("REASONIX_FUZZ_SEED={seed}");
        let begun = Instant::now();
        Self { seed, until: begun + Duration::from_secs(seconds), begun }
    }

    /// The seeds of the rounds, until the time is over; there is always a first round, with the seed itself, so that a round
    /// can be had again. The others are far from it: two runs whose seeds are neighbours share no lines.
    pub(crate) fn rounds(&self) -> impl Iterator<Item = u64> {
        let (until, mut chance) = (self.until, Chance::new(self.seed));
        let others = std::iter::repeat_with(move || chance.next()).take_while(move |_| Instant::now() < until);
        std::iter::once(self.seed).chain(others)
    }

    pub(crate) fn seconds(&self) -> f64 {
        self.begun.elapsed().as_secs_f64()
    }
}

/// Lines that were tried, so that none is tried twice.
#[derive(Default)]
pub(crate) struct Tried(HashSet<u64>);

impl Tried {
    const MOST: usize = 4_000_000;

    /// Whether this line is new.
    pub(crate) fn is_new(&mut self, line: &str) -> bool {
        let mut hasher = DefaultHasher::new();
        line.hash(&mut hasher);
        if self.0.len() >= Self::MOST {
            self.0.clear();
        }
        self.0.insert(hasher.finish())
    }
}

/// What was done, for people to see.
#[derive(Default)]
pub(crate) struct Tally {
    pub(crate) made: usize,
    pub(crate) unasked: usize,
    pub(crate) executed: usize,
    pub(crate) late: usize,
    /// Lines that ran unasked and are no harm, but what a better reading would have found.
    pub(crate) misread: Vec<String>,
    /// What somebody else did meanwhile: it bears no mark, and the same lines do not do it again.
    pub(crate) foreign: usize,
}

impl Tally {
    pub(crate) fn tell(&self, name: &str, plan: &Plan, misread: &str) {
        let seconds = plan.seconds().max(0.001);
        eprintln!(
            "{name}: seed {}: {} lines in {seconds:.0} s, {} run unasked, {} executed ({:.0}/s), {} out of time, {} {misread}, {} changes of others",
            plan.seed,
            self.made,
            self.unasked,
            self.executed,
            self.executed as f64 / seconds,
            self.late,
            self.misread.len(),
            self.foreign,
        );
        if std::env::var_os("REASONIX_FUZZ_SHOW").is_some() {
            self.misread.iter().for_each(|line| eprintln!("  {line:?}"));
        }
    }
}
