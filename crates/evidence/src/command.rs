//! A command of a line without what only starts it, and what it proves.

use crate::check::{Check, assignment, narrows};
use crate::grammar;
use crate::runners;

/// What this command proves; none where it is no check. Of one that only tells about itself nothing is proved.
pub(crate) fn check(words: &[String]) -> Option<Check> {
    let bare = bare(words)?;
    let words: Vec<&str> = bare.words.iter().map(String::as_str).collect();
    let (program, args) = words.split_first()?;
    let name = program.rsplit('/').next().unwrap_or(program);
    if args.iter().any(|word| TELLS.contains(word) && !looks(name, word)) || only_tells(name, args) || idles(name, args)
    {
        return None;
    }
    let mut check = runners::check(program, name, args)?.narrowed(bare.narrowed).placed(bare.places);
    if !bare.packages.is_empty() {
        // Whatever else it was given is less than the packages are.
        (check.pieces, check.given) = (0, Vec::new());
        check = check.placed(bare.packages);
    }
    if check.tests {
        check.part.extend(args.iter().filter(|word| SOME.contains(word)).map(|word| (*word).to_owned()));
        check.part.extend(left_out(args));
    }
    check.lenient |= forgives(args);
    (check.family, check.program) = (family(name), name.to_owned());
    Some(check)
}

/// The words of a command without what only starts it.
pub(crate) fn plain(words: &[String]) -> Option<Vec<String>> {
    bare(words).map(|bare| bare.words)
}

/// True when two commands are one and the same, but for what only starts them and how much they say.
pub(crate) fn is_same(one: &[String], other: &[String]) -> bool {
    const TALK: &[&str] =
        &["-q", "-v", "-vv", "--quiet", "--silent", "--verbose", "--", "--nocapture", "--no-color", "--color=always"];
    let (Some(mut one), Some(mut other)) = (bare(one), bare(other)) else { return false };
    one.words.retain(|word| !TALK.contains(&word.as_str()));
    other.words.retain(|word| !TALK.contains(&word.as_str()));
    let (Some((program, rest)), Some((other_program, other_rest))) =
        (one.words.split_first(), other.words.split_first())
    else {
        return false;
    };
    let same = |(one, other): (&String, &String)| one.eq_ignore_ascii_case(other);
    one.narrowed == other.narrowed
        && one.packages == other.packages
        && is_program(program, other_program)
        && rest.len() == other_rest.len()
        && rest.iter().zip(other_rest).all(same)
}

/// True for one program, called with its folder or without.
fn is_program(one: &str, other: &str) -> bool {
    let without = |long: &str, short: &str| !short.contains('/') && long.rsplit('/').next() == Some(short);
    one == other || without(one, other) || without(other, one)
}

/// Words by which any program only tells about itself, or what it would do.
const TELLS: &[&str] = &[
    "--help",
    "--version",
    "-V",
    "--dry-run",
    "--collect-only",
    "--co",
    "--list",
    "--listTests",
    "--list-tests",
    "--show-only",
    "--setup-plan",
    "--fixtures",
    "--markers",
    "--listenvs",
    "--notest",
    "--showConfig",
    "--show-settings",
    "--print-config",
    "--setup-only",
    "--fixtures-per-test",
    "--watch",
    "--watchAll",
    "--ui",
    "--clearCache",
    "--init",
];

/// True for a formatter that only looks where it is told to do nothing.
fn looks(name: &str, word: &str) -> bool {
    word == "--dry-run" && matches!(name, "php-cs-fixer" | "rector" | "clang-format" | "pint")
}

/// Options by which any runner runs only what has to do with the last changes.
const SOME: &[&str] = &[
    "--stale",
    "--changed",
    "--changedSince",
    "--since",
    "--affected",
    "affected",
    "--testmon",
    "--picked",
    "--only-changed",
    "--onlyChanged",
    "--new-only",
];

/// What any runner is told to leave out, with a sign before it, so that it fits no name.
fn left_out(args: &[&str]) -> Vec<String> {
    const OPTIONS: &[&str] = &[
        "--exclude",
        "--exclude-group",
        "--exclude-testsuite",
        "--exclude-tag",
        "--exclude-tags",
        "--grep-invert",
        "--testPathIgnorePatterns",
        "--skip",
        "--skip-tags",
        "--ignore",
    ];
    let is_option = |word: &&&str| OPTIONS.contains(&word.split('=').next().unwrap_or(word));
    args.iter().filter(is_option).map(|word| format!("!{word}")).collect()
}

/// True when a runner is told to end well whatever fails.
fn forgives(args: &[&str]) -> bool {
    args.iter().any(|word| {
        matches!(*word, "-fn" | "--fail-never" | "--ignore-exit" | "--exit-zero" | "--no-fail" | "--issues-exit-code=0")
            || word.contains("failure.ignore")
            || word.contains("estFailureIgnore")
            || (word.contains("ignoreFailures") && !word.contains("false"))
    })
}

/// The same for single programs.
const ONLY_TELLS: &[(&str, &[&str])] = &[
    ("go", &["-list", "-c", "-n"]),
    ("ctest", &["-N"]),
    ("tox", &["-l", "-a"]),
    ("nox", &["-l"]),
    ("gradle", &["-m"]),
    ("gradlew", &["-m"]),
    ("cargo", &["list", "show-config"]),
    ("vitest", &["list", "watch", "dev", "bench"]),
    ("dotnet", &["watch", "-t"]),
    ("swift", &["list", "-l"]),
    ("xcodebuild", &["-list", "-version", "-showsdks", "-showBuildSettings"]),
    ("make", &["-n"]),
    ("just", &["-n", "-l"]),
];

fn only_tells(name: &str, args: &[&str]) -> bool {
    let own = ONLY_TELLS.iter().find(|(program, _)| *program == name).map_or(&[] as &[&str], |(_, words)| words);
    args.iter().any(|word| own.contains(word) || (*word == "-h" && name != "ls"))
}

/// Whether a program is told to run nothing, to run it elsewhere, or not to mind how it ends.
fn idles(name: &str, args: &[&str]) -> bool {
    const MAKE: &[&str] = &[
        "--just-print",
        "--recon",
        "--touch",
        "--question",
        "--ignore-errors",
        "--keep-going",
        "--print-data-base",
        "--what-if",
    ];
    let clustered = |word: &&str| {
        word.starts_with('-')
            && !word.starts_with("--")
            && word.contains(['n', 't', 'q', 'i', 'W'])
            && !word.contains('=')
    };
    match name {
        "make" | "gmake" => args.iter().any(|word| MAKE.contains(word) || clustered(word)),
        "npm" | "pnpm" | "yarn" | "bun" => args.contains(&"--if-present"),
        _ => false,
    }
}

/// A command without what only starts it.
struct Bare {
    words: Vec<String>,
    /// Settings before it that narrow what is run.
    narrowed: Vec<String>,
    /// What a container was given, where that is all that is looked at.
    places: Vec<String>,
    /// The packages that a package manager was told to run it in.
    packages: Vec<String>,
}

/// Programs that run the command behind them, and how many of its first words are their own.
const STARTERS: &[(&str, &[&str])] = &[
    ("uv", &["run"]),
    ("poetry", &["run"]),
    ("pipenv", &["run"]),
    ("pdm", &["run"]),
    ("hatch", &["run"]),
    ("rye", &["run"]),
    ("bundle", &["exec"]),
    ("pnpm", &["exec", "dlx"]),
    ("yarn", &["exec", "dlx"]),
    ("npm", &["exec"]),
    ("mise", &["exec"]),
    ("conda", &["run"]),
    ("micromamba", &["run"]),
    ("coverage", &["run"]),
    ("pipx", &["run"]),
    ("nix", &["develop"]),
];

/// Programs that `pnpm`, `yarn` and `bun` start by their names.
const BINARIES: &[&str] = &[
    "tsc",
    "vue-tsc",
    "svelte-check",
    "eslint",
    "prettier",
    "biome",
    "oxlint",
    "stylelint",
    "vitest",
    "jest",
    "mocha",
    "ava",
    "playwright",
    "cypress",
    "vite",
    "webpack",
    "rollup",
    "tsup",
    "next",
    "turbo",
    "nx",
    "ng",
];

const PLAIN_STARTERS: &[&str] = &[
    "time",
    "nice",
    "nohup",
    "sudo",
    "stdbuf",
    "xvfb-run",
    "ionice",
    "caffeinate",
    "env",
    "npx",
    "bunx",
    "timeout",
    "gtimeout",
    "chronic",
    "rtk",
    "unbuffer",
    "doas",
    "uvx",
    "valgrind",
];

fn bare(words: &[String]) -> Option<Bare> {
    let mut rest: Vec<String> = words.to_vec();
    let (mut narrowed, mut places, mut packages) = (Vec::new(), Vec::new(), Vec::new());
    for _ in 0..8 {
        packages.extend(packages_of(&mut rest));
        // A task alone is what its build system was told.
        let looks = rest.iter().any(|word| word.ends_with("-check"));
        let of_task = |first: &String| match first.as_str() {
            task if task.len() > 1 && task.starts_with(':') => Some("gradle"),
            "clippy" => Some("cargo"),
            "fmt" if looks => Some("cargo"),
            _ => None,
        };
        if let Some(program) = rest.first().and_then(of_task) {
            rest.insert(0, program.to_owned());
        }
        let first = rest.first()?.clone();
        let name = first.rsplit('/').next().unwrap_or(&first);
        if let Some((variable, value)) = assignment(&first) {
            if narrows(variable) && !value.is_empty() {
                narrowed.push(value.to_owned());
            }
            rest.remove(0);
        } else if PLAIN_STARTERS.contains(&name) {
            let timed = name.ends_with("timeout");
            rest.remove(0);
            drop_options(&mut rest, &["-n", "-u", "-s", "-k", "--package"]);
            if timed {
                rest.first()?;
                rest.remove(0);
            }
        } else if let Some((_, subs)) = STARTERS.iter().find(|(starter, _)| *starter == name)
            && rest.get(1).is_some_and(|sub| subs.contains(&sub.as_str()))
        {
            rest.drain(..2);
            drop_options(&mut rest, &["--with", "-p", "--python", "--extra", "--group", "-C", "-n", "--source"]);
        } else if let Some(at) = binary(name, &rest) {
            rest.drain(..at);
        } else if name.starts_with("python") && rest.get(1).is_some_and(|flag| flag == "-m") {
            rest.drain(..2);
        } else if matches!(name, "docker" | "podman" | "docker-compose" | "kubectl") {
            let known = |word: &String| runners::KNOWN.contains(&word.as_str()) || is_linter(word);
            // One that is sent to the background has not ended.
            let apart = |word: &String| matches!(word.as_str(), "build" | "-d" | "--detach");
            let runs = |word: &String| matches!(word.as_str(), "run" | "exec");
            let own = |at: &usize| rest.get(..=*at).unwrap_or_default();
            let at = rest.iter().skip(1).position(known).filter(|at| !own(at).iter().any(apart));
            let at = at.filter(|at| own(at).iter().any(runs) && !own(at).last().is_some_and(|word| takes_value(word)));
            // An image may be called like the program in it.
            let next = |at: usize| rest.get(at + 2).is_some_and(|next| rest.get(at + 1) == Some(next));
            let at = at.map(|at| if next(at) { at + 1 } else { at }).filter(|at| !is_of_image(&rest, *at));
            match at {
                Some(at) => {
                    let own: Vec<String> = rest.drain(..=at).collect();
                    if rest.first().is_some_and(|word| word == "nginx") {
                        places = mounted(&own);
                    }
                }
                None => return Some(Bare { words: rest, narrowed, places, packages }),
            }
        } else {
            return Some(Bare { words: rest, narrowed, places, packages });
        }
    }
    None
}

/// True for an option of a container that has a value behind it.
fn takes_value(word: &str) -> bool {
    const ALONE: &[&str] = &["--rm", "-i", "-t", "-it", "-ti", "-T", "--no-deps", "--init", "--", "--tty", "--no-TTY"];
    word.starts_with('-') && !word.contains('=') && !ALONE.contains(&word)
}

/// True for a linter by its name, which is given something.
fn is_linter(word: &str) -> bool {
    grammar::TOOLS.contains(&word) && !matches!(word, "fmt" | "black" | "typescript")
}

/// The places of the project that a container is given.
fn mounted(words: &[String]) -> Vec<String> {
    let given = words.windows(2).filter(|pair| pair.first().is_some_and(|word| word == "-v" || word == "--volume"));
    let places = given.filter_map(|pair| pair.get(1)?.split(':').next());
    let own = |place: &str| place.trim_start_matches("$PWD").trim_start_matches("$(pwd)").trim_matches('/').to_owned();
    places.map(own).filter(|place| !place.is_empty()).collect()
}

/// True for a server that checks what lies in its image: of this project that is what it is given from outside.
fn is_of_image(words: &[String], at: usize) -> bool {
    let own = words.get(..=at).unwrap_or_default();
    let given = |word: &String| ["-v", "--volume", "--mount"].iter().any(|option| word.starts_with(option));
    words.get(at + 1).is_some_and(|word| word == "nginx")
        && own.iter().any(|word| word == "run")
        && !own.iter().any(|word| given(word) || word == "compose" || word.starts_with("docker-compose"))
}

/// Where the program stands that a package manager starts by its name.
fn binary(name: &str, words: &[String]) -> Option<usize> {
    let at = if words.get(1).is_some_and(|word| word == "run") { 2 } else { 1 };
    let known = words.get(at).is_some_and(|program| BINARIES.contains(&program.as_str()));
    (known && matches!(name, "pnpm" | "yarn" | "bun")).then_some(at)
}

/// The packages in which a package manager is told to start a program; its words are left as if it were told of none.
fn packages_of(rest: &mut Vec<String>) -> Vec<String> {
    const NAMED: &[&str] = &["--filter", "-F", "-w", "--workspace"];
    let mut found = Vec::new();
    if !rest.first().is_some_and(|name| matches!(name.as_str(), "pnpm" | "npm" | "yarn" | "bun")) {
        return found;
    }
    let mut at = 1;
    while let Some(word) = rest.get(at).filter(|word| word.starts_with('-')) {
        let (option, value) = word.split_once('=').map_or((word.as_str(), None), |(name, value)| (name, Some(value)));
        let named = NAMED.contains(&option);
        let value = value.or(rest.get(at + 1).filter(|_| named).map(String::as_str));
        found.extend(value.filter(|_| named).into_iter().flat_map(|value| ["-".to_owned(), value.to_owned()]));
        at += 1 + usize::from(named && !word.contains('='));
    }
    let starts = |word: &String| matches!(word.as_str(), "exec" | "dlx") || BINARIES.contains(&word.as_str());
    if found.is_empty() || !rest.get(at).is_some_and(starts) {
        return Vec::new();
    }
    rest.drain(1..at);
    found
}

fn drop_options(rest: &mut Vec<String>, with_value: &[&str]) {
    while let Some(word) = rest.first().filter(|word| word.starts_with('-')).cloned() {
        rest.remove(0);
        if with_value.contains(&word.as_str()) && !rest.is_empty() {
            rest.remove(0);
        }
    }
}

fn family(name: &str) -> &'static str {
    match name {
        "npm" | "yarn" | "pnpm" | "bun" | "jest" | "vitest" | "mocha" | "ava" | "node" | "tsx" | "ts-node" => "js",
        "pytest" | "py.test" | "unittest" | "tox" | "nox" | "python" | "python3" => "py",
        "cargo" => "cargo",
        "go" => "go",
        "mvn" | "mvnw" | "gradle" | "gradlew" => "jvm",
        "make" | "gmake" | "ninja" | "just" | "task" | "rake" | "ctest" | "cmake" => "make",
        _ => "other",
    }
}
