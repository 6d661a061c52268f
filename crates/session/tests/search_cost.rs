//! What searching earlier sessions costs as they grow. Not run by default: numbers mean something in a release build.
//! `cargo test --release -p reasonix-session --test all search_cost:: -- --ignored --nocapture --test-threads 1`

use crate::common;

use common::{did, ended, head, prompt, says};
use reasonix_session::{Search, Sessions, Wanted};
use std::fmt::Write as _;
use std::path::Path;
use std::time::{Duration, Instant};

/// Numbers that look random and are always the same.
struct Dice(u64);

impl Dice {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        self.0 >> 33
    }

    /// Mostly small, sometimes large: words of a language come like that.
    fn rank(&mut self, of: u64) -> u64 {
        let share = (self.next() % 1_000_000) as f64 / 1e6;
        ((of as f64).powf(share) as u64).saturating_sub(1)
    }
}

const SYLLABLES: &[&str] = &["ka", "ro", "mi", "ten", "sul", "par", "ne", "lo", "vi", "dra", "con", "fe", "gus", "ti"];
const HAN: &[&str] = &["修复", "解析", "缓存", "测试", "错误", "函数", "文件", "会话", "索引", "搜索", "配置", "终端"];
const COMMON: &[&str] = &["the", "of", "and", "to", "in", "is", "error", "test", "file", "function", "fix", "add"];

/// The word of a rank: the first ones are those that everybody uses.
fn word(rank: u64) -> String {
    match COMMON.get(usize::try_from(rank).unwrap()) {
        Some(word) => (*word).to_owned(),
        None => {
            let (mut rest, mut word) = (rank, String::new());
            while rest > 0 || word.len() < 4 {
                word.push_str(SYLLABLES[usize::try_from(rest % 14).unwrap()]);
                rest /= 14;
            }
            word
        }
    }
}

fn text(dice: &mut Dice, bytes: usize) -> String {
    let mut text = String::with_capacity(bytes + 32);
    while text.len() < bytes {
        match dice.next() % 40 {
            0 => text.push_str(HAN[usize::try_from(dice.next() % 12).unwrap()]),
            1 => write!(text, "src/{}/{}.rs", word(dice.rank(60_000)), word(dice.rank(60_000))).unwrap(),
            _ => text.push_str(&word(dice.rank(60_000))),
        }
        text.push(if dice.next().is_multiple_of(12) { '\n' } else { ' ' });
    }
    text
}

/// Sessions of about 100 KB: a fifth of it is what a person said, the rest are answers; and as many outputs beside them, which
/// together are more than what is indexed of them.
fn fill(sessions: &Sessions, megabytes: usize) -> usize {
    let mut dice = Dice(7);
    let mut written = 0;
    let mut number = 0;
    while written < megabytes * 1024 * 1024 {
        let mut bodies = Vec::new();
        for turn in 1..=20 {
            let (question, answer) = (text(&mut dice, 900), text(&mut dice, 4200));
            written += question.len() + answer.len();
            let output = text(&mut dice, 5_000);
            bodies.extend([prompt(turn, &question), says(turn, 1, "", &["c"]), did("c", &output)]);
            bodies.extend([says(turn, 2, &answer, &[]), ended(turn)]);
        }
        let at = 1_700_000_000_000 + number * 60_000;
        let head = head(&format!("/work/project-{}", number % 10));
        sessions.import(head, bodies.into_iter().map(|body| (at, body)).collect()).unwrap();
        number += 1;
    }
    usize::try_from(number).unwrap()
}

/// Rare words, ordinary ones, common ones, several, Chinese, a path, one character, and what is nowhere.
fn queries() -> Vec<String> {
    let ranks = [59_000, 41_000, 20_000, 9_000, 4_000, 2_000, 900, 400, 150, 60, 30, 13];
    let mut queries: Vec<String> = ranks.iter().map(|rank| word(*rank)).collect();
    queries.extend(ranks.windows(3).map(|ranks| ranks.iter().map(|rank| word(*rank)).collect::<Vec<_>>().join(" ")));
    queries.extend(
        ["the", "fix the error", "error in the test file", "add a function to fix the error"].map(str::to_owned),
    );
    queries.extend(["缓存", "修复解析", "错误", "索", "终端配置 error"].map(str::to_owned));
    queries.extend([format!("src/{}/{}.rs", word(500), word(7000)), format!("why does {} fail", word(33_000))]);
    queries.push("xyzzy quux".to_owned());
    queries
}

struct Cost {
    wall: f64,
    /// What the processor did for it: on a busy machine that says more.
    cpu: f64,
    hits: usize,
}

/// Milliseconds that this thread has worked.
fn cpu() -> f64 {
    let text = std::fs::read_to_string("/proc/thread-self/schedstat").unwrap();
    text.split_whitespace().next().unwrap().parse::<f64>().unwrap() / 1e6
}

#[test]
#[ignore = "a measurement"]
fn searching_as_sessions_grow() {
    let sizes = std::env::var("MB").unwrap_or_else(|_| "20 200".to_owned());
    for megabytes in sizes.split(' ').map(|size| size.parse().unwrap()) {
        let state = tempfile::tempdir().unwrap();
        let sessions = Sessions::at(state.path());
        let count = fill(&sessions, megabytes);
        let search = Search::new(sessions.clone(), state.path().join("cache"), &[]);
        let find = |query: &str, folder: Option<&Path>| {
            let wanted = Wanted { query, folder, most: 8, before: None, patience: Duration::from_secs(600) };
            let (started, worked) = (Instant::now(), cpu());
            let found = search.find(&wanted, &|| false).unwrap();
            Cost { wall: started.elapsed().as_secs_f64() * 1e3, cpu: cpu() - worked, hits: found.hits.len() }
        };
        let first = find("xyzzy", None);
        let size = std::fs::metadata(state.path().join("cache/history.sqlite")).unwrap().len() / 1024 / 1024;
        eprintln!(
            "{megabytes} MB in {count} sessions: index made in {:.0} ms ({:.0} ms of work), {size} MB",
            first.wall, first.cpu
        );
        for (name, folder) in [("all folders", None), ("one folder of ten", Some(Path::new("/work/project-3")))] {
            let costs: Vec<Cost> = (0..3).flat_map(|_| queries()).map(|query| find(&query, folder)).collect();
            for (what, of) in [("wall", (|cost| cost.wall) as fn(&Cost) -> f64), ("work", |cost| cost.cpu)] {
                let mut times: Vec<f64> = costs.iter().map(of).collect();
                times.sort_by(f64::total_cmp);
                let at = |share: usize| times[(times.len() - 1) * share / 100];
                eprintln!(
                    "  {name}, {what}: {} searches, {} hits, median {:.1} ms, 95 % {:.1} ms, slowest {:.1} ms",
                    times.len(),
                    costs.iter().map(|cost| cost.hits).sum::<usize>(),
                    at(50),
                    at(95),
                    at(100)
                );
            }
            if std::env::var_os("EACH").is_some() {
                for (cost, query) in costs.iter().zip(queries()) {
                    eprintln!("    {:.1} ms, {} hits: {query}", cost.cpu, cost.hits);
                }
            }
        }
        let session = sessions.import(head("/work/project-3"), vec![(1, prompt(1, "one more"))]).unwrap();
        eprintln!("  after one more session: {:.1} ms ({})", find("one more", None).wall, session.short());
    }
}
