//! The runners, compilers and linters that are known, one small rule each.

mod by_words;
mod cargo;
mod golang;
mod javascript;
mod jvm;
mod lint_words;
mod linters;
mod python;
mod scripts;
mod targets;
mod words;

use crate::check::{Check, LintClass};
use crate::environments;
use crate::others;
use crate::packagers;
use by_words::by_words;
use cargo::cargo;
use golang::{go, gotestsum};
use javascript::{bundler, javascript, scripts};
use jvm::{gradle, maven, sbt};
use linters::{linter, only_parses};
use python::{pytest, unittest};
use scripts::{composer, own_script, script};
use targets::targets;
use words::{is_all, operands, options, owned, paths};

/// Programs that are looked for behind those that run them elsewhere.
pub(crate) const KNOWN: &[&str] = &[
    "cargo", "pytest", "npm", "yarn", "pnpm", "go", "make", "mvn", "gradle", "phpunit", "rspec", "tox", "jest",
    "vitest", "python", "python3", "dotnet", "mix", "ctest", "bundle", "nginx",
];

/// What a program with these arguments proves.
pub(crate) fn check(program: &str, name: &str, args: &[&str]) -> Option<Check> {
    let sub = args.iter().find(|word| !word.starts_with('-') && !word.starts_with('+')).copied().unwrap_or_default();
    match name {
        "cargo" => cargo(args),
        "npm" | "yarn" | "pnpm" | "bun" => scripts(name, args).or_else(|| packagers::check(name, args)),
        "deno" if sub == "task" => scripts(name, args.get(1..)?),
        "composer" => composer(args),
        "go" => go(sub, args),
        "pytest" | "py.test" => Some(pytest(args)),
        "unittest" => Some(unittest(args)),
        "jest" | "vitest" | "mocha" | "ava" | "jasmine" | "playwright" | "cypress" => javascript(args),
        "make" | "gmake" | "just" | "task" | "ninja" | "rake" => targets(name, args),
        "mvn" | "mvnw" => maven(args),
        "gradle" | "gradlew" => gradle(args),
        "sbt" | "sbtn" => sbt(args).or_else(|| by_words(name, sub, args)),
        "dotnet" | "swift" | "mix" | "zig" | "flutter" | "dart" | "stack" | "cabal" | "lein" | "deno" | "bazel"
        | "meson" | "rails" | "forge" | "gleam" | "crystal" | "dune" | "pants" | "buck" | "buck2" | "moon"
        | "nimble" => by_words(name, sub, args),
        "rspec" | "phpunit" | "pest" | "minitest" | "paratest" | "parallel_rspec" | "codecept" | "phpspec" => {
            let filters = ["--filter", "-e", "-t", "--tag", "--group", "--testsuite", "--only-failures"];
            Some(Check::tests().placed(paths(args, &filters)).narrowed(options(args, &filters)))
        }
        "ctest" => {
            Some(Check::tests().narrowed(options(args, &["-R", "-L", "-E", "-I", "--tests-regex", "--rerun-failed"])))
        }
        "tox" | "nox" => Some(environments::check(args)),
        "Rscript" | "R" | "julia" => others::by_call(args),
        "python" | "python3" | "node" | "ruby" | "php" | "perl" | "bash" | "sh" | "zsh" | "tsx" | "ts-node" => {
            if only_parses(name, args) {
                linter(name, sub, args)
            } else {
                script(name, args)
            }
        }
        "webpack" | "vite" | "rollup" | "esbuild" | "next" | "parcel" | "tsup" | "turbo" | "nx" | "ng" | "lerna" => {
            bundler(name, sub, args)
        }
        "gcc" | "g++" | "cc" | "c++" | "clang" | "clang++" | "rustc" | "javac" | "kotlinc" | "ghc" | "nasm" => {
            let part = options(args, &["-c", "-fsyntax-only", "-E"]);
            Some(Check::build().narrowed(part))
        }
        "cmake" => args.contains(&"--build").then(|| match options(args, &["--target", "-t"]).as_slice() {
            [_, target] if matches!(target.as_str(), "test" | "check") => Check::tests().and_build(),
            part => Check::build().narrowed(part.to_vec()),
        }),
        "py_compile" | "compileall" => {
            let part = if name == "py_compile" { owned(args) } else { Vec::new() };
            Some(Check::build().and_lint(LintClass::Style, name).narrowed(part))
        }
        "gotestsum" => gotestsum(args),
        "ginkgo" => {
            let whole = args.iter().any(|word| matches!(*word, "-r" | "./..."));
            let filters = options(args, &["--focus", "--label-filter", "--skip", "--focus-file"]);
            Some(Check::tests().narrowed(if whole { filters } else { vec![".".to_owned()] }))
        }
        "ant" => (sub == "test").then(Check::tests),
        "rebar3" => {
            matches!(sub, "eunit" | "ct").then(|| Check::tests().narrowed(options(args, &["--module", "--suite"])))
        }
        "xcodebuild" => xcode(args),
        "bats" | "prove" | "pg_prove" | "busted" | "behave" | "cucumber" | "behat" => Some(files_of_tests(args)),
        "build" | "wasm-pack" | "trunk" => Some(Check::build()),
        _ => linter(name, sub, args)
            .or_else(|| packagers::check(name, args))
            .or_else(|| own_script(program, name))
            .or_else(|| others::by_word(name, sub, args)),
    }
}

/// Runners that are given files of tests.
fn files_of_tests(args: &[&str]) -> Check {
    let shared = |word: &String| !is_all(word) && word != "t" && word != "features";
    let valued = ["-j", "--jobs", "--format", "-f", "-d", "-U", "-h", "-p"];
    let part: Vec<String> = operands(args, &valued).into_iter().filter(shared).collect();
    Check::tests().placed(part).narrowed(options(args, &["--filter", "--tags", "-t", "-n", "--name"]))
}

fn xcode(args: &[&str]) -> Option<Check> {
    let part: Vec<String> =
        args.iter().filter(|word| word.contains("-testing:")).map(|word| (*word).to_owned()).collect();
    if args.contains(&"test-without-building") {
        return Some(Check::tests().narrowed(part));
    }
    match (args.contains(&"test"), args.contains(&"clean") && !args.contains(&"build")) {
        (true, _) => Some(Check::tests().and_build().narrowed(part)),
        (false, true) => None,
        (false, false) => Some(Check::build()),
    }
}
