//! Lines made by chance. Whatever runs without a question leaves nothing, reaches nobody and reads nothing outside; where no
//! box holds it, it starts nothing but readers with the words that were read. What somebody else does meanwhile is told apart:
//! it bears no mark of ours, and does not happen again with the same lines. `REASONIX_FUZZ_SECONDS` says how long,
//! `REASONIX_FUZZ_SEED` where the lines begin. Where the kernel cannot have level `full` these tests say so and pass; with
//! `REASONIX_E2E=1` it is required.

use crate::fuzz;
use crate::world;

use fuzz::{
    AT_LEAST, Aims, CANARIES, Driver, Lines, Place, Plan, Record, Stubs, Tally, Trial, Tried, is_sure, leaves_again,
    mark, repeats, shrink,
};
use reasonix_config::BashBoxing;
use reasonix_engine::Explainer;
use reasonix_exec::{Confinement, EndStatus, Environment, WriteWish};
use reasonix_gate::Outlook;
use reasonix_policy::{Simple, WordKind, analyse};
use std::collections::BTreeMap;
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
    around: BTreeMap<String, String>,
}

impl Holding {
    async fn new() -> Self {
        let place = Place::new(Driver::Converts).await;
        let (explainer, boxed) = (place.explainer(BashBoxing::Enforce), place.confinement());
        let held = boxed.held().expect("a box that holds readers");
        let around = place.surroundings(&boxed).await;
        Self { place, explainer, boxed, held, around }
    }

    /// What a line does that it must not do, held to reading.
    async fn harm(&self, line: &str, unasked: bool, tally: &mut Tally) -> Vec<String> {
        let Some(finished) = self.place.run(line, &self.held, Environment::inherited(&[])).await else { return vec![] };
        tally.executed += 1;
        tally.late += usize::from(finished.status == EndStatus::TimedOut);
        if unasked && matches!(finished.wish, Some(WriteWish::Write(_))) {
            tally.misread.push(line.to_owned());
        }
        self.place.harm(finished)
    }

    /// Whether a line does something alone that it must not do.
    async fn is_harmed_by(&self, line: &str, unasked: bool) -> bool {
        runs(&self.explainer, line) == unasked && !self.harm(line, unasked, &mut Tally::default()).await.is_empty()
    }

    /// The paths around it that are not what they were.
    async fn changed(&self) -> Vec<String> {
        let now = self.place.surroundings(&self.boxed).await;
        let all = self.around.keys().chain(now.keys().filter(|path| !self.around.contains_key(*path)));
        all.filter(|path| self.around.get(*path) != now.get(*path)).cloned().collect()
    }
}

impl Trial for Holding {
    async fn anew() -> Self {
        Self::new().await
    }

    fn aims(&self) -> Aims {
        self.place.aims()
    }

    async fn harmed(&self, line: &str) -> Vec<String> {
        self.harm(line, false, &mut Tally::default()).await
    }

    async fn changed(&self) -> Vec<String> {
        Self::changed(self).await
    }
}

/// What nobody of ours did, for whoever wants to know.
fn note(tally: &mut Tally, what: &str) {
    tally.foreign += 1;
    eprintln!("note: somebody else changed something meanwhile: {what}");
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
                let aims = holding.place.aims();
                if is_sure(&harm) || repeats::<Holding>(&aims, &line, &ran).await {
                    let is_bad = async |line: &str| {
                        let holding = Holding::new().await;
                        holding.is_harmed_by(&aims.moved(line, &holding.place.aims()), unasked).await
                    };
                    hits.push(told(seed, &line, &shrink(&line, is_bad).await, &harm));
                } else {
                    note(&mut tally, &format!("{harm:?} at {line:?}"));
                }
                holding = Holding::new().await;
                lines = lines.aiming(&holding.place.aims());
                // Whatever ran before aimed at the old place.
                ran.clear();
            }
            ran.push(line);
        }
        let changed = holding.changed().await;
        if !changed.is_empty() {
            let aims = holding.place.aims();
            if is_sure(&changed) || leaves_again::<Holding>(&aims, &ran, &changed).await {
                let who = poisoners(&aims, &ran, &changed).await;
                hits.push(told(seed, &who.join("\n"), "one of these left something for the next command", &changed));
            } else {
                note(&mut tally, &format!("{changed:?}"));
            }
            holding = Holding::new().await;
        }
        if hits.len() >= MOST_HITS {
            break;
        }
    }
    tally.tell("held", &plan, "wanted to write and were held");
    fail_on(&hits);
}

/// Those of the lines that leave something of this alone; all where none does.
async fn poisoners(aims: &Aims, lines: &[String], paths: &[String]) -> Vec<String> {
    let (mut found, mut holding, mut tally) = (Vec::new(), Holding::new().await, Tally::default());
    for line in lines {
        let _ = holding.harm(&aims.moved(line, &holding.place.aims()), false, &mut tally).await;
        if holding.changed().await.iter().any(|path| paths.contains(path)) {
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
        let explainer = place.explainer(BashBoxing::Off);
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
                harm.push(told_of(&record, "this is no reader"));
            } else if !commands.iter().any(|simple| fits(simple, &record)) {
                harm.push(told_of(&record, "nobody read this in the line"));
            }
        }
        if !harm.is_empty() {
            return harm;
        }
        let Some(finished) = self.place.run(line, &self.boxed, real).await else { return vec![] };
        tally.executed += 1;
        tally.late += usize::from(finished.status == EndStatus::TimedOut);
        self.place.harm(finished)
    }

    /// Whether a line does something alone that it must not do.
    async fn is_harmed_by(&self, line: &str) -> bool {
        runs(&self.explainer, line) && !self.harm(line, &mut Tally::default()).await.is_empty()
    }
}

impl Trial for Bare {
    async fn anew() -> Self {
        Self::new().await.expect("a box")
    }

    fn aims(&self) -> Aims {
        self.place.aims()
    }

    async fn harmed(&self, line: &str) -> Vec<String> {
        self.harm(line, &mut Tally::default()).await
    }

    async fn changed(&self) -> Vec<String> {
        Vec::new()
    }
}

/// What is said of a program that was started. Its words may hold our mark, and that proves nothing: so it stands there without.
fn told_of(record: &Record, what: &str) -> String {
    format!("{what}: {record:?}").replace(mark(), "CANARY")
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
        let mut ran = Vec::new();
        for _ in 0..ROUND {
            let line = lines.line();
            tally.made += 1;
            if !runs(&bare.explainer, &line) || !tried.is_new(&line) {
                continue;
            }
            tally.unasked += 1;
            let harm = bare.harm(&line, &mut tally).await;
            if !harm.is_empty() {
                let aims = bare.place.aims();
                if is_sure(&harm) || repeats::<Bare>(&aims, &line, &ran).await {
                    let is_bad = async |line: &str| {
                        let bare = Bare::anew().await;
                        bare.is_harmed_by(&aims.moved(line, &bare.place.aims())).await
                    };
                    hits.push(told(seed, &line, &shrink(&line, is_bad).await, &harm));
                } else {
                    note(&mut tally, &format!("{harm:?} at {line:?}"));
                }
                bare = Bare::anew().await;
                lines = lines.aiming(&bare.place.aims());
                ran.clear();
            }
            ran.push(line);
        }
        if hits.len() >= MOST_HITS {
            break;
        }
    }
    tally.tell("without a box", &plan, "of note");
    fail_on(&hits);
}

/// Ways to come to what a link in the workspace leads to.
#[rustfmt::skip]
const THROUGH_LINKS: &[&str] = &[
    "cat link", "cat ./link", "cat src/../link", "cat l*", "cat [l]ink", "cat ?ink", "head -n 1 *", "tail ./*", "wc -l *", "sort *", "nl l*", "od -c l*", "strings *", "sha256sum *", "base64 l*", "grep -R . .", "grep -Rn secret", "grep -r . .", "grep -r . link", "grep . *", "grep --dereference-recursive . .", "grep -rS . .", "rg -L .", "rg --follow secret", "rg . link", "find -L . -type f", "find . -follow -type f", "find -H link", "diff -r . src", "diff a.txt link", "cmp a.txt link", "comm a.txt link", "paste a.txt l*", "join a.txt link", "awk 1 *", "awk 1 link", "sed -n p *", "sed '' link", "cut -c1- l*", "fold link", "rev link", "tac *", "xxd link", "hexdump -C l*", "uniq link", "column l*", "git diff --no-index a.txt link", "git grep --no-index .", "git grep --no-index . link", "git hash-object link", "jq -R . link", "jq -R . *", "file -L link", "tr a a < link", "cat < link", "while read x; do echo $x; done < link", "echo $(<link)", "cat -- link", "cat {link,a.txt}", "cat $PWD/link", "ls -L link", "cat src/*/../../l*",
];

/// Without a box nothing hides what a link leads to, so what would read it does not run unasked.
#[tokio::test]
async fn without_a_box_nothing_unasked_reads_through_a_link_that_leads_outside() {
    let place = Place::new(Driver::None).await;
    let explainer = place.explainer(BashBoxing::Off);
    let mut read = Vec::new();
    for line in THROUGH_LINKS.iter().filter(|line| runs(&explainer, line)) {
        let finished = place.run_for(AT_LEAST, line, &Confinement::None, Environment::inherited(&[])).await.unwrap();
        if is_sure(&place.harm(finished)) {
            read.push(line);
        }
    }
    assert!(read.is_empty(), "these run unasked and read what lies outside: {read:?}");
}

/// Whatever stands in a line, it is judged: no line brings the gate down.
#[tokio::test]
async fn every_line_is_judged() {
    let place = Place::new(Driver::None).await;
    let (explainer, plan, mut tally) = (place.explainer(BashBoxing::Off), Plan::from_environment(), Tally::default());
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
    let required = std::env::var_os("REASONIX_E2E").is_some();
    for canary in CANARIES {
        let program = ["python3", "perl"].into_iter().find(|program| canary.starts_with(program));
        if !required && program.is_some_and(|program| !is_here(program)) {
            eprintln!("skipped: {canary:?}");
            continue;
        }
        let place = Place::new(Driver::Converts).await;
        let line = place.aims().fill(canary);
        let finished = place.run_for(AT_LEAST, &line, &Confinement::None, Environment::inherited(&[])).await.unwrap();
        let status = finished.status;
        let mut harm = place.harm(finished);
        // Listeners hear on threads of their own.
        let late = std::time::Instant::now();
        while harm.is_empty() && status == EndStatus::Exited(0) && late.elapsed().as_secs() < 20 {
            std::thread::yield_now();
            harm = place.noticed();
        }
        assert!(!harm.is_empty(), "{line:?}: {status:?}");
    }
}

fn is_here(program: &str) -> bool {
    let path = std::env::var_os("PATH").unwrap_or_default();
    std::env::split_paths(&path).any(|folder| folder.join(program).is_file())
}

/// A place where nothing is held.
struct Open(Place);

impl Trial for Open {
    async fn anew() -> Self {
        Self(Place::new(Driver::None).await)
    }

    fn aims(&self) -> Aims {
        self.0.aims()
    }

    async fn harmed(&self, line: &str) -> Vec<String> {
        let run = self.0.run_for(AT_LEAST, line, &Confinement::None, Environment::inherited(&[])).await;
        self.0.harm(run.unwrap())
    }

    /// A folder aside stands for what is around.
    async fn changed(&self) -> Vec<String> {
        let entries = std::fs::read_dir(self.0.aside()).unwrap().map(|entry| entry.unwrap().file_name());
        entries.map(|name| name.to_string_lossy().into_owned()).filter(|name| name != "secret").collect()
    }
}

#[tokio::test]
async fn what_somebody_else_does_is_told_apart() {
    let open = Open::anew().await;
    // Somebody else writes, and knocks.
    std::fs::write(open.0.root().join("foreign"), "").unwrap();
    drop(std::net::TcpStream::connect(("127.0.0.1", open.aims().tcp)).unwrap());
    let harm = open.harmed("cat a.txt").await;
    assert!(harm.iter().any(|what| what.contains("foreign")), "{harm:?}");
    assert!(!is_sure(&harm) && !repeats::<Open>(&open.aims(), "cat a.txt", &["ls".to_owned()]).await);
    // What a line of ours does, it does again; in the place that it is tried in, and behind what it needs.
    for line in ["rm -rf src", "echo x > /dev/tcp/127.0.0.1/{tcp}", "kill -USR1 {pid}"] {
        assert!(repeats::<Open>(&open.aims(), &open.aims().fill(line), &[]).await, "{line}");
    }
    let alone = "[ ! -e run/b ] || rm a.txt";
    assert!(!harm_of::<Open>(alone).await && repeats::<Open>(&open.aims(), alone, &["mkdir run/b".to_owned()]).await);
    // What bears the mark needs no second look, and what was printed is the line's own.
    assert!(is_sure(&Open::anew().await.harmed(&format!("touch {}", mark())).await));
    assert!(is_sure(&Open::anew().await.harmed("cat link").await));
}

async fn harm_of<T: Trial>(line: &str) -> bool {
    !T::anew().await.harmed(line).await.is_empty()
}

#[tokio::test]
async fn what_somebody_else_leaves_around_is_told_apart() {
    let open = Open::anew().await;
    let aside = open.0.aside().display().to_string();
    let leaves = [format!("touch {aside}/left")];
    let suspects = ["left".to_owned(), "foreign".to_owned()];
    std::fs::write(open.0.aside().join("foreign"), "").unwrap();
    assert_eq!(open.changed().await, ["foreign"]);
    assert!(!leaves_again::<Open>(&open.aims(), &["ls".to_owned()], &suspects).await);
    // A line that names the place writes to the one that it is tried in.
    let secret = open.aims().secret;
    let by_secret = [format!("touch $(dirname {secret})/left")];
    assert!(leaves_again::<Open>(&open.aims(), &by_secret, &suspects).await);
    assert!(!leaves_again::<Open>(&open.aims(), &leaves, &suspects).await, "it writes elsewhere");
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
