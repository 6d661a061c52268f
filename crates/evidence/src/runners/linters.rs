//! Linters, formatters and checkers of types.

use super::lint_words::{FIXES, LISTING, LOOKING, LOOKS, OF_STYLE, OF_TYPES, ROOTS, VALUED, WRITING};
use super::words::{is_all, operands, options};
use crate::check::{Check, LintClass};

pub(super) fn formatter(tool: &str, only_looks: bool) -> Check {
    Check { writes: !only_looks, ..Check::lint(LintClass::Format, tool) }
}

/// True when a linter is told to keep warnings to itself. Those that have only one sort of findings keep none.
fn keeps_warnings(name: &str, args: &[&str]) -> bool {
    const LEVELS: &[&str] = &["--diagnostic-level", "--level", "--threshold", "--severity", "--minimum-severity", "-S"];
    let has = |words: &[&str]| args.iter().any(|word| words.contains(word));
    let of_level = |word: &&str| LEVELS.contains(&word.split('=').next().unwrap_or(word));
    match name {
        "ruff" | "black" | "isort" | "mypy" | "golangci-lint" | "phpstan" | "larastan" => false,
        "phpcs" if has(&["-n", "--warning-severity=0"]) => true,
        "rubocop" if has(&["--display-only-fail-level-offenses"]) => true,
        _ => has(&["--quiet", "--errors-only", "-E", "--no-warnings"]) || args.iter().any(of_level),
    }
}

/// True when a program is told to read a file and to do nothing of what it says.
pub(super) fn only_parses(name: &str, args: &[&str]) -> bool {
    let before = args.iter().take_while(|word| word.starts_with('-'));
    let has = |flags: &[&str]| before.clone().any(|word| flags.contains(word));
    match name {
        "bash" | "sh" | "zsh" | "dash" => has(&["-n"]) && !has(&["-c"]),
        "node" => has(&["--check", "-c"]),
        "php" => has(&["-l", "--syntax-check"]),
        "ruby" | "perl" => has(&["-c", "-wc"]),
        "nginx" | "apachectl" | "httpd" => args.contains(&"-t"),
        "docker" => matches!(args, ["compose", rest @ ..] if rest.contains(&"config")),
        "docker-compose" => args.contains(&"config"),
        "ansible-playbook" => args.contains(&"--syntax-check"),
        "kubectl" => args.iter().any(|word| word.starts_with("--dry-run=") && *word != "--dry-run=none"),
        _ => false,
    }
}

/// What a linter of this name is, told this.
fn kind(name: &str, sub: &str, args: &[&str]) -> Option<Check> {
    let has = |words: &[&str]| args.iter().any(|word| words.contains(word));
    let looks = has(LOOKS);
    Some(match name {
        "tsc" => Check::lint(LintClass::Types, "tsc").and_build(),
        _ if OF_TYPES.contains(&name) => Check::lint(LintClass::Types, name),
        "ruff" if sub == "format" => formatter("ruff", looks),
        "sqlfluff" | "buf" | "swift-format" | "biome" if matches!(sub, "fix" | "format") && !looks => {
            formatter(name, false)
        }
        "buf" if !matches!(sub, "lint" | "format" | "breaking") => return None,
        "buf" => Check::lint(LintClass::Style, "buf"),
        "dprint" | "cljfmt" => formatter(name, sub == "check"),
        _ if only_parses(name, args) => Check::lint(LintClass::Style, name),
        "pre-commit" | "prek" if !has(&["--all-files", "-a"]) => {
            Check::lint(LintClass::Style, name).narrowed(vec!["staged".to_owned()])
        }
        _ if OF_STYLE.contains(&name) => Check::lint(LintClass::Style, name),
        _ if WRITING.contains(&name) => formatter(name, looks),
        _ if LOOKING.contains(&name) => formatter(name, !has(FIXES)),
        _ if name.ends_with("lint") || name.ends_with("-linter") => Check::lint(LintClass::Style, name),
        _ => return None,
    })
}

/// Words that are no places, or places of everything.
fn is_whole(word: &str) -> bool {
    const WORDS: &[&str] = &[
        "check", "src", "src/", "lib", "app", "run", "./...", "format", "lint", "ci", "analyse", "analyze", "fix",
        "examine", "scan", "breaking", "tc",
    ];
    is_all(word) || WORDS.contains(&word) || word.contains("**")
}

pub(super) fn linter(name: &str, sub: &str, args: &[&str]) -> Option<Check> {
    let mut check = kind(name, sub, args)?;
    let fixes = args.iter().any(|word| FIXES.contains(word));
    check.quiet = keeps_warnings(name, args);
    let has = |words: &[&str]| args.iter().any(|word| words.contains(word));
    // A difference that is shown is told by no code.
    let shows = matches!(name, "black" | "isort" | "autopep8") && has(&["--diff", "-d"]);
    check.lenient = has(&["--exit-zero"]) || (shows && !has(&["--check", "-c", "--check-only", "--exit-code"]));
    check.lists = LISTING.contains(&name) && !fixes;
    check.writes |= fixes && check.lints.iter().any(|linter| linter.class == LintClass::Style);
    let staged = std::mem::take(&mut check.part);
    // Where it says how to look it has no value.
    let alone = WRITING.contains(&name) || only_parses(name, args);
    let valued: Vec<&str> = VALUED.iter().copied().filter(|word| !alone || *word != "-c").collect();
    let given = operands(args, &valued);
    check.roots = given.iter().filter(|word| ROOTS.contains(&word.trim_end_matches('/'))).cloned().collect();
    check.given = given.clone();
    check.part = given.into_iter().filter(|word| !is_whole(word)).collect();
    check.pieces = check.part.len();
    check.part.extend(options(args, &["--select", "--disable", "--only", "--rule", "--ignore", "--filter"]));
    let recent = |word: &&&str| word.starts_with("--new") || matches!(**word, "--changed" | "--staged" | "--dirty");
    check.part.extend(args.iter().filter(recent).map(|word| (*word).to_owned()));
    check.part.extend(staged);
    Some(check)
}
