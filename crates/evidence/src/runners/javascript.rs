//! Scripts of packages, runners of JavaScript, bundlers and the tasks of monorepos.

use super::linters::formatter;
use super::words::{is_all, operands, options, paths};
use crate::check::{Check, LintClass};

/// `npm test`, `yarn build`, `pnpm run lint`.
pub(super) fn scripts(name: &str, args: &[&str]) -> Option<Check> {
    let valued = ["--prefix", "-C", "--cwd", "--dir"];
    let named = ["-w", "--workspace", "--filter", "-F", "--scope"];
    let packages = options(args.split(|word| *word == "--").next().unwrap_or_default(), &named);
    let (mut narrowed, packages) = (packages.clone(), packages.len());
    let all: Vec<&str> = args.iter().copied().filter(|word| *word != "-r" && *word != "--recursive").collect();
    let mut words = Vec::new();
    let mut skip = false;
    for word in &all {
        if std::mem::take(&mut skip) {
            continue;
        }
        skip = valued.contains(word) || (named.contains(word) && words.is_empty());
        let own_option = word.starts_with('-') && words.is_empty();
        if !skip && !own_option {
            words.push(*word);
        }
    }
    let (mut script, mut rest) = (*words.first()?, words.get(1..)?.to_vec());
    if script == "workspaces" {
        let at = rest.iter().position(|word| *word == "run")?;
        rest.drain(..=at);
        script = "run";
    }
    if matches!(script, "run" | "run-script" | "workspace") {
        (script, rest) = (*rest.first()?, rest.get(1..)?.to_vec());
    } else if name == "npm" && !matches!(script, "test" | "t" | "tst") {
        return None;
    }
    rest.retain(|word| *word != "--");
    let (stem, variant) = script.split_once([':', '-']).unwrap_or((script, ""));
    let some = !matches!(
        variant,
        "" | "all" | "ci" | "run" | "once" | "prod" | "production" | "check" | "js" | "ts" | "types"
    );
    if some {
        narrowed.push(variant.to_owned());
    }
    match stem {
        "test" | "tests" | "t" | "tst" => {
            let (part, files) = javascript_part(&rest);
            let pieces = narrowed.len() + files;
            narrowed.extend(part);
            Some(Check { pieces, ..Check::tests().narrowed(narrowed) })
        }
        "build" | "compile" => Some(Check::build().narrowed(narrowed)),
        "lint" | "eslint" => {
            let mut check =
                Check::lint(LintClass::Style, "eslint").narrowed(if variant == "fix" { Vec::new() } else { narrowed });
            check.pieces = packages.min(check.part.len());
            check.writes = variant == "fix" || rest.contains(&"--fix");
            check.quiet = rest.contains(&"--quiet");
            Some(check.narrowed(paths(&rest, &["--ext", "--max-warnings"])))
        }
        "typecheck" | "tsc" | "types" | "type" | "check" if stem != "check" || variant == "types" => {
            Some(Check { pieces: packages, ..Check::lint(LintClass::Types, "tsc").narrowed(narrowed) })
        }
        "tsc" => Some(Check::lint(LintClass::Types, "tsc")),
        "format" | "fmt" | "prettier" => Some(formatter("prettier", variant == "check" || rest.contains(&"--check"))),
        "jest" | "vitest" | "mocha" => javascript(&rest),
        _ => None,
    }
}

pub(super) fn javascript(args: &[&str]) -> Option<Check> {
    if args.contains(&"install") || args.contains(&"open") {
        return None;
    }
    let (part, pieces) = javascript_part(args);
    Some(Check { pieces, ..Check::tests().narrowed(part) })
}

/// What the tests are narrowed to, and how many of it are files.
fn javascript_part(args: &[&str]) -> (Vec<String>, usize) {
    let filters = [
        "-t",
        "--testNamePattern",
        "--grep",
        "-g",
        "--testPathPattern",
        "--testPathPatterns",
        "--onlyChanged",
        "--onlyFailures",
        "-o",
        "--changed",
        "--shard",
        "--related",
        "--findRelatedTests",
        "--project",
        "--bail-on-nothing",
    ];
    let valued = [
        "-t",
        "--testNamePattern",
        "--grep",
        "-g",
        "--reporter",
        "--config",
        "-c",
        "--maxWorkers",
        "--timeout",
        "--shard",
        "--project",
        "-R",
        "--require",
        "-r",
        "--watchAll",
        "--coverage",
    ];
    let mut part: Vec<String> = operands(args, &valued).into_iter().filter(|word| !is_all(word)).collect();
    let pieces = part.len();
    part.extend(options(args, &filters));
    (part, pieces)
}

pub(super) fn bundler(name: &str, sub: &str, args: &[&str]) -> Option<Check> {
    match sub {
        "dev" | "serve" | "start" | "preview" | "init" => None,
        "test" | "lint" | "run" if args.iter().any(|word| !word.starts_with('-') && *word != sub) && name == "nx" => {
            let part: Vec<String> = args.iter().filter(|word| **word != sub).map(|word| (*word).to_owned()).collect();
            let tests = sub == "test" || part.iter().any(|word| word.contains(":test"));
            tests.then(|| Check::tests().narrowed(part))
        }
        "run" if name == "turbo" || name == "lerna" => several(args.get(1..)?),
        "test" => Some(Check::tests()),
        "lint" => Some(Check::lint(LintClass::Style, "eslint")),
        _ if args.contains(&"test") => Some(Check::tests().narrowed(options(args, &["--filter", "--projects", "-p"]))),
        _ => Some(Check::build()),
    }
}

/// The tasks of a monorepo that are run in all of its packages.
fn several(args: &[&str]) -> Option<Check> {
    let part = options(args, &["--filter", "--scope", "-F"]);
    let mut all = Check::default();
    for task in operands(args, &["--filter", "--scope", "-F", "--concurrency", "--env-mode", "--cache-dir"]) {
        match task.split([':', '-']).next().unwrap_or(&task) {
            "test" => all.tests = true,
            "build" => all.build = true,
            "lint" => all = all.and_lint(LintClass::Style, "eslint"),
            "typecheck" | "type" | "types" | "tsc" => all = all.and_lint(LintClass::Types, "tsc"),
            _ => {}
        }
    }
    all.proves().then(|| all.placed(part))
}
