//! What the commands behind a pipe leave of an output: whether one that failed would still be seen as such.

use regex::RegexBuilder;

/// Programs that show the end of what they read as it is.
const PLAIN: &[&str] = &["tail", "cat", "tee", "less", "more", "ts", "col", "nl", "sort", "uniq", "wait"];

/// Longer patterns are not read.
const LONGEST: usize = 200;

/// The lines by which runners of a family tell of failures.
fn failures(family: &str) -> &'static [&'static str] {
    match family {
        "cargo" => &["test result: FAILED. 11 passed; 1 failed; 0 ignored", "test a ... FAILED"],
        "go" => &["FAIL\texample.com/a\t0.1s", "--- FAIL: TestA (0.00s)"],
        "py" => &["1 failed, 11 passed in 0.10s", "FAILED tests/test_a.py::test_b"],
        "js" => &["Tests:       1 failed, 11 passed, 12 total", "      Tests  1 failed | 11 passed (12)"],
        "jvm" => &["Tests run: 12, Failures: 1, Errors: 0, Skipped: 0", "BUILD FAILURE", "BUILD FAILED"],
        _ => &[
            "12 examples, 1 failure",
            "Tests: 12, Assertions: 20, Failures: 1.",
            "1 tests failed out of 12",
            "1 failed",
        ],
    }
}

/// True when a failure in what this command reads stands in what it writes.
pub(crate) fn lets_failures_through(words: &[String], family: &str) -> bool {
    let Some((program, rest)) = words.split_first() else { return true };
    match program.rsplit('/').next().unwrap_or(program) {
        name if PLAIN.contains(&name) => true,
        // Colours are taken out.
        "sed" => rest.iter().any(|word| word.contains("x1b") || word.contains("033")),
        "grep" | "egrep" | "rg" => greps(rest, family),
        _ => false,
    }
}

fn greps(args: &[String], family: &str) -> bool {
    let flag = |letter: char| {
        args.iter().any(|word| word.starts_with('-') && !word.starts_with("--") && word.contains(letter))
    };
    let with_value = |word: &str| matches!(word, "-A" | "-B" | "-C" | "-m");
    let words = args.iter().enumerate().filter(|(at, word)| {
        !word.starts_with('-')
            && !at.checked_sub(1).and_then(|at| args.get(at)).is_some_and(|before| with_value(before))
    });
    let Some(pattern) = words.map(|(_, word)| word).next().filter(|word| word.len() <= LONGEST) else { return false };
    let pattern = pattern.replace("\\|", "|");
    let Ok(regex) = RegexBuilder::new(&pattern).case_insensitive(flag('i')).unicode(false).build() else {
        return false;
    };
    let matched = failures(family).iter().any(|line| regex.is_match(line));
    !flag('c') && !flag('q') && (matched != flag('v'))
}
