//! Programs with a word for testing and a word for building.

use super::linters::formatter;
use super::words::{is_all, operands, options};
use crate::check::{Check, LintClass};

/// Programs with a word for testing and a word for building.
pub(super) fn by_words(name: &str, sub: &str, args: &[&str]) -> Option<Check> {
    let at = args.iter().position(|word| *word == sub)?;
    let rest = args.get(at + 1..)?;
    let filters = [
        "--filter",
        "--only",
        "--failed",
        "-k",
        "--name",
        "--plain-name",
        "--match-test",
        "--match-contract",
        "--test-arg",
        "--suite",
    ];
    let part = options(rest, &filters);
    let valued = [
        "--filter",
        "--only",
        "-c",
        "--configuration",
        "-C",
        "--logger",
        "-v",
        "--verbosity",
        "-n",
        "-k",
        "--name",
        "-j",
        "--reporter",
        "-A",
    ];
    let whole = |word: &String| is_all(word) || word == "//..." || word.ends_with(".sln");
    let places: Vec<String> = operands(rest, &valued).into_iter().filter(|word| !whole(word)).collect();
    match (name, sub) {
        ("rails", "test:all") => Some(Check::tests().narrowed(part)),
        ("rails", _) if sub.starts_with("test:") => Some(Check::tests().narrowed(vec![sub.replace("test:", "")])),
        ("mix", "dialyzer") => Some(Check::lint(LintClass::Types, "dialyzer")),
        ("zig" | "stack" | "dune", "build") if built_tests(rest).is_some() => {
            Some(Check::tests().and_build().narrowed(built_tests(rest)?))
        }
        ("sbt", "testOnly") => Some(Check::tests().narrowed(vec!["testOnly".to_owned()])),
        ("dotnet" | "swift" | "sbt" | "zig" | "stack" | "cabal" | "bazel" | "forge" | "dune", "test" | "runtest") => {
            const APART: &[&str] = &["--no-build", "--skip-build", "--no-run-tests"];
            let apart = rest.iter().find(|word| APART.contains(word)).copied();
            let check = match apart {
                Some("--no-run-tests") => Check::build(),
                Some(_) => Check::tests(),
                None => Check::tests().and_build(),
            };
            Some(check.placed(places).narrowed(part))
        }
        (_, "test" | "tests" | "eunit" | "spec") => Some(Check::tests().placed(places).narrowed(part)),
        ("deno", "check") => Some(Check::lint(LintClass::Types, "deno").and_build()),
        ("deno" | "dart" | "mix" | "gleam" | "swift", "lint" | "analyze" | "credo") | ("flutter", "analyze") => {
            let gentle = rest.iter().any(|word| word.starts_with("--no-fatal"));
            let quiet = gentle && name == "flutter";
            Some(Check { quiet, ..Check::lint(LintClass::Style, &format!("{name} {sub}")).placed(places) })
        }
        ("dotnet" | "deno" | "dart" | "mix" | "zig" | "gleam", "format" | "fmt") => {
            let looks = ["check", "verify", "set-exit-if-changed", "-o=none", "output=none"];
            let only_looks = rest.iter().any(|word| looks.iter().any(|look| word.contains(look)));
            Some(formatter(&format!("{name} {sub}"), only_looks))
        }
        (_, "build" | "compile" | "publish") => Some(Check::build().placed(places).narrowed(part)),
        _ => None,
    }
}

/// What the tests are narrowed to that a build system is told to run as a step of a build; none where it runs none.
fn built_tests(args: &[&str]) -> Option<Vec<String>> {
    let is_all = |word: &&str| matches!(*word, "test" | "--test" | "@runtest" | "@test");
    let some =
        |word: &str| word.strip_prefix("test").and_then(|rest| rest.strip_prefix(['-', ':', '_'])).map(str::to_owned);
    let narrower = |word: &str| word.contains("filter").then(|| word.rsplit('=').next().unwrap_or(word).to_owned());
    let filters = args.iter().filter_map(|word| narrower(word));
    if args.iter().any(is_all) {
        return Some(filters.collect());
    }
    let part: Vec<String> = args.iter().filter_map(|word| some(word)).collect();
    (!part.is_empty()).then(|| part.into_iter().chain(filters).collect())
}
