//! What a failed check says, so that two runs can be compared: the lines that tell of a failure, without what differs from run to
//! run although the failure is the same.

use std::collections::BTreeSet;

/// So many lines are compared, and so much of each.
const MOST: usize = 400;
const LONGEST: usize = 300;

/// Words of lines that tell of a failure.
const TELLING: &[&str] = &[
    "error",
    "fail",
    "panicked",
    "assert",
    "exception",
    "undefined",
    "cannot",
    "not ok",
    "expected",
    "traceback",
    "mismatch",
    "✗",
    "✕",
    "×",
    "undeclared",
    "unresolved",
];

/// The failures that an output tells of.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct ToldFailure(BTreeSet<String>);

impl ToldFailure {
    /// Reads them out of an output; one that tells of none is compared whole.
    pub(super) fn of(output: &str) -> Self {
        let lines = || output.lines().map(plain).filter(|line| !line.is_empty());
        let telling = |line: &String| {
            let low = line.to_lowercase();
            TELLING.iter().any(|word| low.contains(word))
        };
        let found: BTreeSet<String> = lines().filter(telling).take(MOST).collect();
        Self(if found.is_empty() { lines().take(MOST).collect() } else { found })
    }

    /// True when this tells of nothing that the other did not.
    pub(super) fn is_within(&self, other: &Self) -> bool {
        self.0.is_subset(&other.0)
    }
}

/// A line without folders, times and places.
fn plain(line: &str) -> String {
    let mut words: Vec<String> = Vec::new();
    for word in line.chars().take(LONGEST).collect::<String>().split_whitespace() {
        let before = words.last().map(String::as_str).unwrap_or_default().to_lowercase();
        let counts = matches!(before.as_str(), "line" | "lines" | "column" | "col" | "pid" | "thread" | "in" | "after");
        let word = place(word);
        words.push(if (counts && is_number(&word)) || is_time(&word) || is_odd(&word) { "#".to_owned() } else { word });
    }
    words.join(" ")
}

/// A path becomes its last name, and the place in it goes.
fn place(word: &str) -> String {
    let name = match word.rfind(['/', '\\']) {
        Some(at) if word.len() > at + 1 => word.get(at + 1..).unwrap_or(word),
        _ => word,
    };
    let mut rest = name.trim_end_matches([':', ',', ')', ']']);
    while let Some((head, tail)) = rest.rsplit_once(':') {
        if tail.is_empty() || !tail.bytes().all(|byte| byte.is_ascii_digit()) {
            break;
        }
        rest = head;
    }
    rest.to_owned()
}

fn is_number(word: &str) -> bool {
    let word = word.trim_matches(|c: char| !c.is_alphanumeric());
    !word.is_empty() && word.chars().all(|c| c.is_ascii_digit() || matches!(c, '.' | ',' | ':'))
}

/// `0.03s`, `12ms`, `(1.2 s)`, `10:31:07`, or a number in brackets.
fn is_time(word: &str) -> bool {
    let bare = word.trim_matches(|c: char| !c.is_alphanumeric());
    let digits = bare.trim_end_matches(|c: char| c.is_alphabetic());
    let unit = bare.get(digits.len()..).unwrap_or_default();
    let timed = matches!(unit, "s" | "ms" | "us" | "µs" | "ns" | "sec" | "secs" | "m" | "min") && is_number(digits);
    let clock = bare.matches(':').count() == 2 && is_number(bare);
    timed || clock || (word.starts_with('(') && is_number(word))
}

/// An address or a hash.
fn is_odd(word: &str) -> bool {
    let bare = word.trim_matches(|c: char| !c.is_alphanumeric());
    let hex = bare.strip_prefix("0x").unwrap_or(bare);
    let is_hex = !hex.is_empty() && hex.bytes().all(|byte| byte.is_ascii_hexdigit());
    is_hex && (bare.starts_with("0x") || (hex.len() >= 12 && hex.bytes().any(|byte| byte.is_ascii_digit())))
}

#[cfg(test)]
mod tests {
    use super::ToldFailure;

    #[test]
    fn what_differs_from_run_to_run_does_not_count() {
        let one = "running 2 tests\ntest adds ... FAILED\nthread 'adds' (4711) panicked at /tmp/a/src/lib.rs:12:9:\n\
            assertion `left == right` failed\ntest result: FAILED. 1 passed; 1 failed; finished in 0.01s\n";
        let two = "running 2 tests\ntest adds ... FAILED\nthread 'adds' (99) panicked at /home/x/src/lib.rs:40:5:\n\
            assertion `left == right` failed\ntest result: FAILED. 1 passed; 1 failed; finished in 1.31s\n";
        assert_eq!(ToldFailure::of(one), ToldFailure::of(two));
        let python = |at: u32, took: &str| {
            format!(
                "E   assert 1 == 2\nFile \"/w/t.py\", line {at}, in test_a\nFAILED t.py::test_a\n1 failed in {took}s\n"
            )
        };
        assert_eq!(ToldFailure::of(&python(3, "0.02")), ToldFailure::of(&python(9, "1.7")));
    }

    #[test]
    fn another_test_and_another_value_are_another_failure() {
        for (one, two) in [
            ("FAILED t.py::test_1\n", "FAILED t.py::test_2\n"),
            ("error[E0308]: mismatched types\n", "error[E0425]: cannot find value\n"),
            ("test result: FAILED. 1 passed; 2 failed\n", "test result: FAILED. 2 passed; 1 failed\n"),
            ("expected 3, found 4\n", "expected 3, found 5\n"),
        ] {
            assert_ne!(ToldFailure::of(one), ToldFailure::of(two), "{one}");
        }
    }

    #[test]
    fn fewer_failures_are_within_what_there_were() {
        let before = ToldFailure::of("FAILED a\nFAILED b\n");
        assert!(ToldFailure::of("FAILED b\nok c\n").is_within(&before));
        assert!(!ToldFailure::of("FAILED b\nFAILED c\n").is_within(&before));
        assert!(!before.is_within(&ToldFailure::of("FAILED b\n")));
    }
}
