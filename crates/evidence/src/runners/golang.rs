//! Go and what runs it.

use super::linters::formatter;
use super::words::{operands, options};
use crate::check::{Check, LintClass};

/// Options of Go that have a value behind them.
const GO_VALUED: &[&str] = &[
    "-run",
    "-count",
    "-timeout",
    "-tags",
    "-o",
    "-coverprofile",
    "-coverpkg",
    "-parallel",
    "-p",
    "-bench",
    "-skip",
    "-ldflags",
    "-cpu",
];

/// `gotestsum`, which runs all packages where it is given none.
pub(super) fn gotestsum(args: &[&str]) -> Option<Check> {
    const VALUED: &[&str] = &["--format", "-f", "--junitfile", "--jsonfile", "--max-fails", "--post-run-command"];
    let split = args.iter().position(|word| *word == "--").unwrap_or(args.len());
    let (own, inner) = args.split_at(split);
    let mut own: Vec<&str> = own.to_vec();
    while let Some(at) = own.iter().position(|word| VALUED.contains(word)) {
        own.drain(at..own.len().min(at + 2));
    }
    let mut words = vec!["test"];
    for word in own.into_iter().chain(inner.iter().copied().skip(1)) {
        match word.strip_prefix("--packages") {
            Some(packages) => words.extend(packages.trim_start_matches('=').split_whitespace()),
            None => words.push(word),
        }
    }
    if operands(words.get(1..)?, GO_VALUED).is_empty() {
        words.push("./...");
    }
    go("test", &words)
}

pub(super) fn go(sub: &str, args: &[&str]) -> Option<Check> {
    let at = args.iter().position(|word| *word == sub)?;
    let rest = args.get(at + 1..)?;
    let places = operands(rest, GO_VALUED);
    let whole = places.iter().any(|place| place == "./...");
    let mut part: Vec<String> = places.into_iter().filter(|place| place != "./...").collect();
    let pieces = part.len();
    match sub {
        "test" => {
            part.extend(options(rest, &["-run", "-skip", "-short"]));
            if !whole && part.is_empty() {
                part.push(".".to_owned());
            }
            Some(Check { pieces, ..Check::tests().and_build().narrowed(part) })
        }
        "build" | "install" => Some(Check::build().narrowed(part.into_iter().filter(|place| place != ".").collect())),
        "vet" => Some(Check::lint(LintClass::Style, "vet").and_build().narrowed(part)),
        "fmt" => Some(formatter("gofmt", false)),
        _ => None,
    }
}
