//! Cargo and what runs it.

use super::linters::formatter;
use super::words::{operands, options};
use crate::check::{Check, LintClass};
use crate::others;

pub(super) fn cargo(args: &[&str]) -> Option<Check> {
    let at = args.iter().position(|word| !word.starts_with('-') && !word.starts_with('+'))?;
    let (sub, rest) = (*args.get(at)?, args.get(at + 1..)?.to_vec());
    // Those that run another command of Cargo their way, and what the project itself made one.
    match sub {
        "miri" | "hack" | "careful" | "insta" | "llvm-cov" if rest.iter().any(|word| is_sub(word)) => cargo(&rest),
        "xtask" | "make" | "x" => {
            let word = rest.iter().find(|word| !word.starts_with('-'))?;
            others::by_word("cargo", word, &rest)
        }
        _ => cargo_step(sub, rest),
    }
}

fn cargo_step(sub: &str, mut rest: Vec<&str>) -> Option<Check> {
    if sub == "nextest" {
        rest.retain(|word| *word != "run");
    }
    let split = rest.iter().position(|word| *word == "--").unwrap_or(rest.len());
    let (own, inner) = rest.split_at(split);
    let mut part = options(
        own,
        &[
            "-p",
            "--package",
            "--exclude",
            "--manifest-path",
            "--lib",
            "--bin",
            "--bins",
            "--test",
            "--example",
            "--examples",
            "--doc",
            "--bench",
            "-E",
        ],
    );
    let pieces = part.len();
    let valued = [
        "-p",
        "--package",
        "--exclude",
        "--manifest-path",
        "--bin",
        "--test",
        "--example",
        "--bench",
        "--features",
        "-F",
        "-j",
        "--jobs",
        "--target",
        "--target-dir",
        "--profile",
        "--color",
        "--message-format",
        "-Z",
        "-E",
    ];
    let check = match sub {
        "test" | "t" | "nextest" | "llvm-cov" | "tarpaulin" => {
            part.extend(operands(own, &valued));
            part.extend(options(inner, &["--skip", "--ignored", "--exact"]));
            part.extend(operands(inner.get(1..).unwrap_or_default(), &["--skip", "--test-threads"]));
            if own.contains(&"--no-run") { Check::build() } else { Check::tests().and_build() }
        }
        "build" | "b" | "run" | "r" | "bench" | "install" => Check::build(),
        "check" | "c" => Check::lint(LintClass::Types, "cargo check").and_build(),
        "clippy" => {
            let allows = |word: &&str| matches!(*word, "--allow" | "--cap-lints") || word.starts_with("-A");
            let quiet = inner.iter().any(allows);
            Check { writes: own.contains(&"--fix"), quiet, ..Check::lint(LintClass::Style, "clippy").and_build() }
        }
        "fmt" => return Some(formatter("fmt", rest.contains(&"--check"))),
        "fix" => Check { writes: true, ..Check::build() },
        _ => return None,
    };
    Some(Check { pieces, ..check.narrowed(part) })
}

/// True for a command of Cargo that others run.
fn is_sub(word: &str) -> bool {
    matches!(word, "test" | "t" | "nextest" | "build" | "check" | "clippy")
}
