//! Programs that nobody knows: what they prove by the word that they are told.

use crate::check::{Check, LintClass};
use crate::pattern::patterns;

patterns! {
    OF_TESTS = r"\b(?:Pkg\.test|devtools::test|testthat::test_\w+|tinytest::\w+|test_check|test_dir|test_local)\(";
}

/// Programs whose words are no checks whatever they are called.
pub(crate) const OTHERWISE: &[&str] = &[
    "git",
    "gh",
    "glab",
    "hg",
    "svn",
    "apt",
    "apt-get",
    "brew",
    "dnf",
    "yum",
    "pacman",
    "kubectl",
    "aws",
    "gcloud",
    "az",
    "ssh",
    "scp",
    "curl",
    "wget",
    "cat",
    "grep",
    "rg",
    "find",
    "ls",
    "echo",
    "printf",
    "which",
    "man",
    "type",
    "sed",
    "awk",
    "head",
    "tail",
    "cp",
    "mv",
    "rm",
    "mkdir",
    "touch",
    "code",
    "vim",
    "sudo",
    "export",
    "source",
    "systemctl",
    "all",
    "the",
    "a",
    "an",
    "run",
    "new",
    "no",
    "unit",
    "each",
    "every",
    "this",
    "our",
    "your",
    "my",
    "failing",
    "manual",
];

/// What a program that nobody knows proves by the first word that it is told: one that tests has to say that they passed, one
/// that builds or looks at code ends with a code.
pub(crate) fn by_word(name: &str, sub: &str, args: &[&str]) -> Option<Check> {
    if OTHERWISE.contains(&name) || name.contains(['.', '$', '=']) {
        return None;
    }
    let at = args.iter().position(|word| *word == sub)?;
    let given = || {
        let rest = args.iter().skip(at + 1).filter(|word| !word.starts_with('-') && !is_all(word));
        rest.map(|word| (*word).to_owned()).collect::<Vec<String>>()
    };
    let looks = args.iter().any(|word| {
        let word = word.trim_start_matches('-');
        word.starts_with("check") || word.starts_with("verify") || matches!(word, "diff" | "dry-run" | "list-different")
    });
    let tool = format!("{name} {sub}");
    let check = match sub {
        "test" => Check { unknown: true, ..Check::tests() },
        "build" | "compile" => Check::build(),
        "lint" | "validate" | "vet" | "analyze" | "analyse" => Check::lint(LintClass::Style, &tool),
        "typecheck" => Check::lint(LintClass::Types, &tool),
        "fmt" | "format" => Check { writes: !looks, ..Check::lint(LintClass::Format, &tool) },
        _ => return None,
    };
    let fixes = args.iter().any(|word| matches!(*word, "--fix" | "--write" | "-w"));
    Some(Check { writes: check.writes || (fixes && !check.lints.is_empty()), ..check.placed(given()) })
}

/// What an interpreter is told to test in the words of its language.
pub(crate) fn by_call(args: &[&str]) -> Option<Check> {
    args.iter().any(|word| OF_TESTS.fits(word)).then(|| Check { unknown: true, ..Check::tests() })
}

/// Folders and signs for all there is.
fn is_all(word: &str) -> bool {
    matches!(word.trim_start_matches("./").trim_end_matches('/'), "" | "." | "..." | "all" | "tests" | "test" | "::")
}
