//! The runners, compilers and linters that are known, one small rule each.

use crate::check::{Check, LAST_FAILED, LintClass, Linter, assignment, narrows};
use crate::environments;
use crate::others;
use crate::packagers;

/// Programs that are looked for behind those that run them elsewhere.
pub(crate) const KNOWN: &[&str] = &[
    "cargo", "pytest", "npm", "yarn", "pnpm", "go", "make", "mvn", "gradle", "phpunit", "rspec", "tox", "jest",
    "vitest", "python", "python3", "dotnet", "mix", "ctest", "bundle",
];

/// What a program with these arguments proves.
pub(crate) fn check(program: &str, name: &str, args: &[&str]) -> Option<Check> {
    let sub = args.iter().find(|word| !word.starts_with('-') && !word.starts_with('+')).copied().unwrap_or_default();
    match name {
        "cargo" => cargo(args),
        "npm" | "yarn" | "pnpm" | "bun" => scripts(name, args),
        "go" => go(sub, args),
        "pytest" | "py.test" => Some(pytest(args)),
        "unittest" => Some(unittest(args)),
        "jest" | "vitest" | "mocha" | "ava" | "jasmine" | "playwright" | "cypress" => javascript(args),
        "make" | "gmake" | "just" | "task" | "ninja" | "rake" => targets(name, args),
        "mvn" | "mvnw" => maven(args),
        "gradle" | "gradlew" => gradle(args),
        "dotnet" | "swift" | "mix" | "zig" | "flutter" | "dart" | "stack" | "cabal" | "sbt" | "lein" | "deno"
        | "bazel" | "meson" | "rails" | "composer" | "forge" | "gleam" | "crystal" | "dune" | "pants" | "buck"
        | "buck2" | "moon" | "nimble" => by_words(name, sub, args),
        "rspec" | "phpunit" | "pest" | "minitest" => {
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
            Some(Check::build().narrowed(if name == "py_compile" { owned(args) } else { Vec::new() }))
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
        "bats" | "prove" | "busted" | "behave" | "cucumber" => {
            let shared = |word: &String| !is_all(word) && word != "t" && word != "features";
            let part: Vec<String> =
                operands(args, &["-j", "--jobs", "--format", "-f"]).into_iter().filter(shared).collect();
            Some(Check::tests().placed(part).narrowed(options(args, &["--filter", "--tags", "-t", "-n", "--name"])))
        }
        "build" | "wasm-pack" | "trunk" => Some(Check::build()),
        _ => linter(name, sub, args)
            .or_else(|| packagers::check(name, args))
            .or_else(|| own_script(program, name))
            .or_else(|| others::by_word(name, sub, args)),
    }
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

fn owned(words: &[&str]) -> Vec<String> {
    words.iter().map(|word| (*word).to_owned()).collect()
}

/// Options whose values are left out: their words have a sign before them, and fit no name.
const LEAVES_OUT: &[&str] = &["--skip", "--exclude", "--deselect", "--ignore", "--ignore-glob", "-skip", "-E"];

/// Options that stand for a part and have no value.
const STANDS_ALONE: &[&str] = &["--lib", "--bins", "--examples", "--doc"];

/// Those of these options that are there, with their values.
fn options(args: &[&str], names: &[&str]) -> Vec<String> {
    let mut found = Vec::new();
    for (at, word) in args.iter().enumerate() {
        let hit = names.iter().find(|name| {
            **name == *word
                || word.strip_prefix(**name).is_some_and(|rest| rest.starts_with('='))
                || (name.len() == 2 && !name.starts_with("--") && word.starts_with(**name) && word.len() > 2)
        });
        if let Some(name) = hit {
            let sign = if LEAVES_OUT.contains(name) { "!" } else { "" };
            if LAST_FAILED.contains(name) || STANDS_ALONE.contains(name) {
                found.push((*name).to_owned());
                continue;
            }
            let own = word.strip_prefix(name).unwrap_or(word).trim_start_matches('=');
            found.push(if own.is_empty() { String::new() } else { format!("{sign}{own}") });
            found.extend(args.get(at + 1).filter(|_| word == name).map(|value| format!("{sign}{value}")));
        }
    }
    found.iter_mut().filter(|word| word.is_empty()).for_each(|word| "-".clone_into(word));
    found
}

/// Operands, without the values of these options.
fn operands(args: &[&str], with_value: &[&str]) -> Vec<String> {
    let mut found = Vec::new();
    let mut skip = false;
    for word in args {
        if std::mem::take(&mut skip) {
            continue;
        }
        skip = with_value.contains(word);
        if !skip && !word.starts_with('-') && !word.starts_with('+') {
            found.push((*word).to_owned());
        }
    }
    found
}

/// Operands that are no values, neither of these options nor of others that runners have, and that are not all there is.
fn paths(args: &[&str], filters: &[&str]) -> Vec<String> {
    let others = ["--format", "-f", "-o", "--out", "--config", "-c", "--seed", "-j", "-n", "--reporter", "-r"];
    operands(args, &[filters, &others].concat()).into_iter().filter(|word| !is_all(word)).collect()
}

/// Folders that have all the tests.
fn is_all(word: &str) -> bool {
    let word = word.trim_start_matches("./").trim_end_matches('/');
    matches!(word, "" | "." | "all" | "tests" | "test" | "spec" | "__tests__" | "run" | "discover" | "...")
}

fn cargo(args: &[&str]) -> Option<Check> {
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

fn formatter(tool: &str, only_looks: bool) -> Check {
    Check { writes: !only_looks, ..Check::lint(LintClass::Format, tool) }
}

/// `npm test`, `yarn build`, `pnpm run lint`.
fn scripts(name: &str, args: &[&str]) -> Option<Check> {
    let valued = ["--prefix", "-C", "--cwd", "--dir"];
    let named = ["-w", "--workspace", "--filter", "-F", "--scope"];
    let mut narrowed = options(args.split(|word| *word == "--").next().unwrap_or_default(), &named);
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
            check.writes = variant == "fix" || rest.contains(&"--fix");
            check.quiet = rest.contains(&"--quiet");
            Some(check.narrowed(paths(&rest, &["--ext", "--max-warnings"])))
        }
        "typecheck" | "tsc" | "types" | "type" | "check" if stem != "check" || variant == "types" => {
            Some(Check::lint(LintClass::Types, "tsc").narrowed(narrowed))
        }
        "tsc" => Some(Check::lint(LintClass::Types, "tsc")),
        "format" | "fmt" | "prettier" => Some(formatter("prettier", variant == "check" || rest.contains(&"--check"))),
        "jest" | "vitest" | "mocha" => javascript(&rest),
        _ => None,
    }
}

fn javascript(args: &[&str]) -> Option<Check> {
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
fn gotestsum(args: &[&str]) -> Option<Check> {
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

fn go(sub: &str, args: &[&str]) -> Option<Check> {
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

fn pytest(args: &[&str]) -> Check {
    let filters =
        ["-k", "-m", "--lf", "--last-failed", "--ff", "--deselect", "--ignore", "--ignore-glob", "--sw", "--stepwise"];
    let valued = [
        "-k",
        "-m",
        "-n",
        "--deselect",
        "--ignore",
        "--maxfail",
        "-o",
        "-p",
        "-c",
        "--tb",
        "--cov",
        "--timeout",
        "--durations",
        "-W",
        "--color",
        "--cov-report",
        "--rootdir",
        "--junitxml",
    ];
    let mut part: Vec<String> = operands(args, &valued).into_iter().filter(|word| !is_all(word)).collect();
    let pieces = part.len();
    part.extend(options(args, &filters));
    Check { pieces, ..Check::tests().narrowed(part) }
}

fn unittest(args: &[&str]) -> Check {
    let mut part = options(args, &["-k", "-p"]);
    part.retain(|word| word != "test*.py" && word != "test_*.py");
    let places = operands(args, &["-s", "-t", "-k", "-p"]).into_iter().filter(|word| !is_all(word)).collect();
    Check::tests().placed(places).narrowed(part)
}

fn targets(name: &str, args: &[&str]) -> Option<Check> {
    let wanted: Vec<String> = operands(args, &["-C", "-f", "-j", "--directory", "-l"])
        .into_iter()
        .filter(|word| !word.chars().all(|c| c.is_ascii_digit()))
        .collect();
    let narrowed: Vec<String> = wanted
        .iter()
        .filter_map(|word| assignment(word))
        .filter(|(variable, _)| narrows(variable))
        .map(|(_, value)| value.to_owned())
        .collect();
    let goals: Vec<&str> = wanted.iter().map(String::as_str).filter(|word| assignment(word).is_none()).collect();
    if goals.is_empty() {
        return (name != "just" && name != "task" && name != "rake").then(|| Check::build().narrowed(narrowed));
    }
    let mut all = Check::default().narrowed(narrowed);
    for goal in goals {
        let (stem, variant) = goal.split_once([':', '-', '_']).unwrap_or((goal, ""));
        match stem {
            "test" | "tests" | "check" | "spec" => all.tests = true,
            "build" | "all" | "compile" => all.build = true,
            "lint" | "clippy" | "vet" | "eslint" | "ruff" | "golangci" => all = all.and_lint(LintClass::Style, stem),
            "typecheck" | "types" | "mypy" | "tsc" => all = all.and_lint(LintClass::Types, stem),
            "fmt" | "format" => {
                all = all.and_lint(LintClass::Format, stem);
                all.writes = variant != "check";
            }
            "ci" | "verify" => (all.tests, all.build) = (true, true),
            _ => {}
        }
        if !matches!(variant, "" | "all" | "ci" | "check") {
            all.part.push(variant.to_owned());
        }
    }
    all.proves().then_some(all)
}

fn maven(args: &[&str]) -> Option<Check> {
    let skips = args.iter().any(|word| word.starts_with("-DskipTests") || word.starts_with("-Dmaven.test.skip"));
    let goals = operands(args, &["-pl", "-f", "-P", "-s", "--projects"]);
    let has = |names: &[&str]| goals.iter().any(|goal| names.contains(&goal.as_str()));
    let mut part = options(args, &["-pl", "--projects"]);
    let pieces = part.len();
    part.extend(
        args.iter()
            .filter_map(|word| word.strip_prefix("-Dtest=").or(word.strip_prefix("-Dit.test=")))
            .map(str::to_owned),
    );
    let builds = has(&["compile", "test-compile", "package", "install", "verify", "test", "deploy"]);
    let tests = has(&["test", "package", "install", "verify", "deploy", "surefire:test"]) && !skips;
    let lints = goals.iter().filter_map(|goal| goal.split_once(':')).filter_map(|(plugin, goal)| task(plugin, goal));
    let lints: Vec<Linter> = lints.collect();
    let proves = tests || builds || !lints.is_empty();
    proves.then(|| Check { tests, build: builds, pieces, lints, ..Check::default() }.narrowed(part))
}

/// Linters by the names of tasks and plugins, with the words that make them write.
const TASKS: &[(&str, LintClass)] = &[
    ("ktlint", LintClass::Style),
    ("detekt", LintClass::Style),
    ("checkstyle", LintClass::Style),
    ("pmd", LintClass::Style),
    ("spotbugs", LintClass::Style),
    ("lint", LintClass::Style),
    ("spotless", LintClass::Format),
    ("googlejavaformat", LintClass::Format),
];

/// The linter that a task runs; none for one that writes what it finds wrong.
fn task(name: &str, goal: &str) -> Option<Linter> {
    let (name, goal) = (name.to_ascii_lowercase(), goal.to_ascii_lowercase());
    let writes = ["apply", "format", "fix", "baseline", "report"].iter().any(|word| goal.ends_with(word));
    let (tool, class) = TASKS.iter().find(|(tool, _)| name.starts_with(tool))?;
    (!writes).then(|| Linter { class: *class, tool: (*tool).to_owned() })
}

fn gradle(args: &[&str]) -> Option<Check> {
    let skips = args.windows(2).any(|pair| pair.first() == Some(&"-x") && pair.get(1) == Some(&"test"));
    let goals = operands(args, &["-x", "--tests", "-p", "-b", "--console", "--exclude-task"]);
    let mut all = Check::default().narrowed(options(args, &["--tests"]));
    for goal in &goals {
        let stem = goal.rsplit(':').next().unwrap_or(goal);
        if goal.trim_start_matches(':').contains(':') {
            all = all.placed(vec![goal.clone()]);
        }
        let (tests, sort) = tests_of_task(stem);
        all.tests |= tests && !skips;
        all.part.extend(sort);
        all.build |= tests || builds_task(stem);
        all.lints.extend(task(stem, stem));
        all.writes |= stem.ends_with("Apply") || stem.ends_with("Format");
    }
    (all.proves() || all.writes).then_some(all)
}

/// Whether a task runs tests, and those of which sort where they are of one.
fn tests_of_task(stem: &str) -> (bool, Option<String>) {
    let name = stem.to_ascii_lowercase();
    let variant = name.strip_prefix("test").and_then(|rest| rest.strip_suffix("unittest"));
    if matches!(name.as_str(), "test" | "check" | "build" | "alltests") || variant.is_some() {
        return (true, None);
    }
    match name.strip_suffix("tests").or(name.strip_suffix("test")) {
        Some(sort) if sort.starts_with("connected") => (true, Some("instrumented".to_owned())),
        Some(sort) => (true, Some(sort.to_owned())),
        None => (false, None),
    }
}

/// True for a task that compiles or packs something, for whatever variant.
fn builds_task(stem: &str) -> bool {
    let name = stem.to_ascii_lowercase();
    let begins = ["assemble", "compile", "bundle", "package", "install", "link"];
    begins.iter().any(|start| name.starts_with(start))
        || ["classes", "jar", "war"].iter().any(|end| name.ends_with(end))
}

/// Programs with a word for testing and a word for building.
fn by_words(name: &str, sub: &str, args: &[&str]) -> Option<Check> {
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
        ("deno" | "dart" | "mix" | "gleam", "lint" | "analyze" | "credo") | ("flutter", "analyze") => {
            Some(Check::lint(LintClass::Style, &format!("{name} {sub}")))
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

fn script(name: &str, args: &[&str]) -> Option<Check> {
    if name == "node" && args.contains(&"--test") {
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
    if name == "php" && matches!(file.rsplit('/').next(), Some("phpunit" | "pest" | "phpstan")) {
        return check(file, file.rsplit('/').next()?, rest);
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
fn own_script(program: &str, name: &str) -> Option<Check> {
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

fn bundler(name: &str, sub: &str, args: &[&str]) -> Option<Check> {
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

/// True when a linter is told to keep warnings to itself. Those that have only one sort of findings keep none.
fn keeps_warnings(name: &str, args: &[&str]) -> bool {
    const LEVELS: &[&str] = &["--diagnostic-level", "--level", "--threshold", "--severity", "--minimum-severity", "-S"];
    let has = |words: &[&str]| args.iter().any(|word| words.contains(word));
    let of_level = |word: &&str| LEVELS.contains(&word.split('=').next().unwrap_or(word));
    match name {
        "ruff" | "black" | "isort" | "mypy" | "golangci-lint" => false,
        "phpcs" if has(&["-n", "--warning-severity=0"]) => true,
        "rubocop" if has(&["--display-only-fail-level-offenses"]) => true,
        _ => has(&["--quiet", "--errors-only", "-E", "--no-warnings"]) || args.iter().any(of_level),
    }
}

/// True when a program is told to read a file and to do nothing of what it says.
fn only_parses(name: &str, args: &[&str]) -> bool {
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
        _ => false,
    }
}

fn linter(name: &str, sub: &str, args: &[&str]) -> Option<Check> {
    let fixes = args.iter().any(|word| {
        matches!(
            *word,
            "--fix" | "-w" | "--write" | "-i" | "--unsafe-fixes" | "-a" | "-A" | "--autocorrect" | "--in-place"
        )
    });
    let looks = args
        .iter()
        .any(|word| matches!(*word, "--check" | "--diff" | "-l" | "--list-different" | "-c" | "-d" | "--check-only"));
    let mut check =
        match name {
            "tsc" => Check::lint(LintClass::Types, "tsc").and_build(),
            "mypy" | "pyright" | "pyre" | "flow" | "sorbet" | "vue-tsc" | "basedpyright" | "svelte-check" => {
                Check::lint(LintClass::Types, name)
            }
            "ruff" if sub == "format" => formatter("ruff", looks),
            _ if only_parses(name, args) => Check::lint(LintClass::Style, name),
            "pre-commit" if !args.iter().any(|word| matches!(*word, "--all-files" | "-a")) => {
                Check::lint(LintClass::Style, name).narrowed(vec!["staged".to_owned()])
            }
            "eslint" | "ruff" | "flake8" | "pylint" | "golangci-lint" | "staticcheck" | "rubocop" | "shellcheck"
            | "stylelint" | "biome" | "oxlint" | "ktlint" | "phpstan" | "hlint" | "pmd" | "actionlint" | "sqlfluff"
            | "tflint" | "clang-tidy" | "credo" | "swiftlint" | "hadolint" | "yamllint" | "markdownlint"
            | "pre-commit" | "psalm" | "phpcs" | "cppcheck" | "bandit" | "tslint" | "detekt" | "checkstyle"
            | "spotbugs" => Check::lint(LintClass::Style, name),
            "black" | "isort" | "rustfmt" | "yapf" | "scalafmt" | "swiftformat" => formatter(name, looks),
            "prettier" | "gofmt" | "gofumpt" | "clang-format" | "shfmt" | "goimports" | "stylua" | "nixfmt"
            | "taplo" => formatter(name, !fixes),
            "luacheck" | "selene" | "kubeconform" | "kubeval" | "codespell" | "typos" | "vale" | "slither"
            | "statix" => Check::lint(LintClass::Style, name),
            _ if name.ends_with("lint") || name.ends_with("-linter") => Check::lint(LintClass::Style, name),
            _ => return None,
        };
    check.quiet = keeps_warnings(name, args);
    check.lenient = args.contains(&"--exit-zero");
    check.lists = matches!(name, "gofmt" | "gofumpt" | "goimports") && !fixes;
    check.writes |= fixes && check.lints.iter().any(|linter| linter.class == LintClass::Style);
    let whole = |word: &String| {
        is_all(word)
            || matches!(
                word.as_str(),
                "check"
                    | "src"
                    | "src/"
                    | "lib"
                    | "app"
                    | "run"
                    | "./..."
                    | "format"
                    | "lint"
                    | "ci"
                    | "analyse"
                    | "analyze"
            )
            || word.contains("**")
    };
    let staged = std::mem::take(&mut check.part);
    check.part = operands(
        args,
        &["--config", "-c", "--ext", "--max-warnings", "--format", "-f", "-p", "--project", "--max-line-length"],
    )
    .into_iter()
    .filter(|word| !whole(word))
    .collect();
    check.part.extend(options(args, &["--select", "--disable", "--only", "--rule", "--ignore"]));
    let recent = |word: &&&str| word.starts_with("--new") || matches!(**word, "--changed" | "--staged");
    check.part.extend(args.iter().filter(recent).map(|word| (*word).to_owned()));
    check.part.extend(staged);
    Some(check)
}
