//! Environments of `tox` and `nox`: each is of tests, of a linter or of a build by its name.

use crate::check::{Check, LintClass};

/// What a runner of environments proves. Without any named it runs them all.
pub(crate) fn check(args: &[&str]) -> Check {
    let named = named(args);
    if named.is_empty() {
        return Check::tests();
    }
    let mut all = Check { narrows_tests: true, ..Check::default() };
    for name in named {
        match class_of(&name) {
            Some(class) => all = all.and_lint(class, &name),
            None if matches!(name.as_str(), "docs" | "doc" | "build" | "pkg" | "package" | "wheel") => all.build = true,
            None => {
                all.tests = true;
                all.part.extend((!matches!(name.as_str(), "test" | "tests")).then_some(name));
            }
        }
    }
    all.part.extend(filters(args));
    all
}

/// The environments that it is told to run.
pub(crate) fn named(args: &[&str]) -> Vec<String> {
    const NAMING: &[&str] = &["-e", "-s", "--env", "--envlist", "--session", "--sessions"];
    let mut found = Vec::new();
    let mut open = false;
    for word in args.iter().take_while(|word| **word != "--") {
        let value = NAMING.iter().find_map(|option| word.strip_prefix(option));
        open = match value {
            Some(value) => {
                found.extend(value.trim_start_matches('=').split(',').map(str::to_owned));
                true
            }
            None => open && !word.starts_with('-'),
        };
        if open && value.is_none() {
            found.extend(word.split(',').map(str::to_owned));
        }
    }
    found.retain(|name| !name.is_empty() && !matches!(name.as_str(), "all" | "ALL" | "r" | "run" | "p" | "parallel"));
    found
}

/// What the tests are narrowed to behind the environments.
fn filters(args: &[&str]) -> Vec<String> {
    let inner = args.iter().skip_while(|word| **word != "--").skip(1).map(|word| (*word).to_owned());
    let keys =
        args.windows(2).filter(|pair| matches!(pair.first(), Some(&"-k" | &"-m"))).filter_map(|pair| pair.get(1));
    keys.map(|word| (*word).to_owned()).chain(inner).collect()
}

fn class_of(name: &str) -> Option<LintClass> {
    let is = |words: &[&str]| name.split(['-', '_']).any(|part| words.contains(&part));
    if is(&["mypy", "pyright", "type", "types", "typing", "typecheck"]) {
        return Some(LintClass::Types);
    }
    if is(&["black", "isort", "format", "fmt", "formatting"]) {
        return Some(LintClass::Format);
    }
    is(&["lint", "linters", "linter", "flake8", "ruff", "pylint", "style", "pre", "precommit", "quality"])
        .then_some(LintClass::Style)
}
