//! Interpreters and the scripts of a project that are called like what they do.

use super::words::{operands, options, paths};
use crate::check::{Check, LintClass};
use crate::packagers;

/// Stems of scripts that run all the tests there are.
fn runs_all(stem: &str) -> bool {
    matches!(
        stem,
        "test"
            | "tests"
            | "run_tests"
            | "run-tests"
            | "runtests"
            | "test_all"
            | "test-all"
            | "all_tests"
            | "run_all_tests"
            | "run-all-tests"
    )
}

fn stem_of(path: &str) -> &str {
    let file = path.rsplit('/').next().unwrap_or(path);
    file.rsplit_once('.').map_or(file, |(stem, _)| stem)
}

pub(super) fn script(name: &str, args: &[&str]) -> Option<Check> {
    if matches!(name, "node" | "tsx") && args.contains(&"--test") {
        return Some(
            Check::tests()
                .placed(paths(args, &["--test-name-pattern", "--test-reporter"]))
                .narrowed(options(args, &["--test-name-pattern", "--test-only"])),
        );
    }
    let at = args.iter().position(|word| !word.starts_with('-'))?;
    if args.iter().take(at).any(|word| matches!(*word, "-c" | "-e" | "-p" | "-")) {
        return None;
    }
    let (file, rest) = (args.get(at)?, args.get(at + 1..)?);
    if *file == "manage.py" && rest.first() == Some(&"test") {
        return Some(
            Check::tests()
                .placed(operands(rest.get(1..)?, &["--parallel", "-k", "--tag"]))
                .narrowed(options(rest, &["-k", "--tag"])),
        );
    }
    if name == "php" && (file.contains("vendor/bin/") || file.rsplit('/').next() == Some("phpunit")) {
        return super::check(file, file.rsplit('/').next()?, rest);
    }
    if *file == "artisan" && name == "php" {
        let named = || options(rest, &["--filter", "--group", "--testsuite"]);
        return (rest.first() == Some(&"test")).then(|| Check::tests().narrowed(named()));
    }
    if *file == "setup.py" && rest.first().is_some_and(|word| packagers::is_step(word)) {
        return Some(Check::build());
    }
    own_script(file, file.rsplit('/').next()?).map(|check| check.narrowed(operands(rest, &[])))
}

/// Scripts of the project that are called like what they do.
pub(super) fn own_script(program: &str, name: &str) -> Option<Check> {
    let stem = stem_of(name);
    let is_script = program.contains('/') || name.contains('.');
    if !is_script {
        return None;
    }
    let tested = stem.starts_with("test_")
        || stem.starts_with("test-")
        || stem.ends_with("_test")
        || stem.ends_with(".test")
        || stem.ends_with("-test");
    match stem {
        stem if runs_all(stem) => Some(Check::tests()),
        "build" | "compile" => Some(Check::build()),
        "lint" => Some(Check::lint(LintClass::Style, "lint")),
        _ if tested => Some(Check::tests().narrowed(vec![program.to_owned()])),
        _ => None,
    }
}

/// The scripts of Composer, which are called like what they run.
pub(super) fn composer(args: &[&str]) -> Option<Check> {
    let words = operands(args, &["-d", "--working-dir"]);
    let own = words.iter().find(|word| !matches!(word.as_str(), "run" | "run-script" | "exec"))?;
    let (stem, variant) = own.split_once([':', '-']).unwrap_or((own, ""));
    let part = if matches!(variant, "" | "all" | "ci" | "check" | "dry-run") { None } else { Some(variant.to_owned()) };
    let check = match stem {
        "test" | "tests" | "phpunit" | "pest" => Check::tests(),
        "stan" | "phpstan" | "analyse" | "analyze" | "larastan" => Check::lint(LintClass::Style, "phpstan"),
        "psalm" => Check::lint(LintClass::Style, "psalm"),
        "cs" | "phpcs" | "lint" | "style" => Check::lint(LintClass::Style, "phpcs"),
        "validate" => Check::lint(LintClass::Style, "composer validate"),
        "pint" | "format" | "fix" => Check { writes: variant != "check", ..Check::lint(LintClass::Format, "pint") },
        "build" | "compile" => Check::build(),
        _ => return None,
    };
    let split = args.iter().position(|word| *word == "--").unwrap_or(args.len());
    let given = args.get(split..).unwrap_or_default();
    let narrower =
        options(given, &["--filter", "--group", "--testsuite"]).into_iter().chain(paths(given, &["--filter"]));
    Some(Check {
        writes: check.writes || variant == "fix",
        ..check.narrowed(part.into_iter().chain(narrower).collect())
    })
}
