//! What the commands behind a pipe leave of an output: whether one that failed would still be seen as such.

use regex::RegexBuilder;

/// Programs that show the end of what they read as it is.
const PLAIN: &[&str] = &["tail", "cat", "tee", "less", "more", "ts", "col", "nl", "sort", "uniq", "wait"];

/// Longer patterns are not read.
const LONGEST: usize = 200;

/// The lines by which runners of a family tell of failures, in groups: of each group one has to be seen. All of them tell of
/// failures alone, so that a pattern for good news leaves none of them.
fn failures(family: &str) -> &'static [&'static [&'static str]] {
    match family {
        "cargo" => &[&["test result: FAILED. 11 passed; 1 failed; 0 ignored", "test a ... FAILED"]],
        "go" => &[&["FAIL\texample.com/a\t0.1s", "--- FAIL: TestA (0.00s)"]],
        "py" => &[&["12 failed in 0.10s", "FAILED tests/test_a.py::test_b"]],
        "js" => &[
            &["Tests:       2 failed, 2 total", "      Tests  2 failed (2)", "  2 failing", " FAIL  src/a.test.ts"],
            &["Test Suites: 1 failed, 1 total", " Test Files  1 failed (1)", "  2 failing", " FAIL  src/a.test.ts"],
        ],
        "jvm" => &[&["Tests run: 12, Failures: 1, Errors: 0, Skipped: 0", "BUILD FAILURE", "BUILD FAILED"]],
        _ => &[&[
            "12 examples, 1 failure",
            "Tests: 12, Assertions: 20, Failures: 1.",
            "1 tests failed out of 12",
            "1 failed",
        ]],
    }
}

/// True when a failure in what this command reads stands in what it writes.
pub(crate) fn lets_failures_through(words: &[String], family: &str) -> bool {
    let Some((program, rest)) = words.split_first() else { return true };
    match program.rsplit('/').next().unwrap_or(program) {
        name if PLAIN.contains(&name) => true,
        // Colours are taken out.
        "sed" => {
            let drops = |word: &String| word == "-n" || word.ends_with("/d") || word.ends_with("/p");
            rest.iter().any(|word| word.contains("x1b") || word.contains("033")) && !rest.iter().any(drops)
        }
        "grep" | "egrep" | "rg" => greps(rest, family),
        _ => false,
    }
}

/// Options of `grep` by their letters and their names.
const NAMES: [(char, &str); 6] = [
    ('c', "--count"),
    ('q', "--quiet"),
    ('m', "--max-count"),
    ('o', "--only-matching"),
    ('v', "--invert-match"),
    ('i', "--ignore-case"),
];

fn greps(args: &[String], family: &str) -> bool {
    let flag = |letter: char| {
        let long = NAMES.iter().find(|(other, _)| *other == letter).map_or("", |(_, name)| name);
        args.iter().any(|word| match word.strip_prefix('-') {
            Some(rest) if rest.starts_with('-') => word.split('=').next() == Some(long),
            Some(rest) => rest.contains(letter),
            None => false,
        })
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
    // Of what is cut out the part has to tell of the failure.
    let told = |text: &str| !flag('o') || text.to_ascii_lowercase().contains("fail");
    let matched = |line: &&str| regex.find_iter(line).any(|found| told(found.as_str()));
    let groups = failures(family);
    let through = if flag('v') {
        !groups.iter().any(|lines| lines.iter().any(|line| regex.is_match(line)))
    } else {
        groups.iter().all(|lines| lines.iter().any(matched))
    };
    // What counts, says nothing or ends early does not show all of them.
    through && !flag('c') && !flag('q') && !flag('m')
}
