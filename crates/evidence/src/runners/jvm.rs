//! Maven, Gradle and sbt.

use super::words::{operands, options};
use crate::check::{Check, LintClass, Linter};

pub(super) fn maven(args: &[&str]) -> Option<Check> {
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
    let quiet = is_quiet(args) && lints.is_empty();
    proves.then(|| Check { tests, build: builds, pieces, lints, quiet, ..Check::default() }.narrowed(part))
}

/// Tasks of sbt, each with its project and its configuration before a slash.
pub(super) fn sbt(args: &[&str]) -> Option<Check> {
    const WHOLE: &[&str] = &["test", "compile", "thisbuild", "global", "root"];
    let tasks: Vec<String> = args
        .iter()
        .flat_map(|word| word.split(';'))
        .map(|word| word.chars().filter(|c| !c.is_whitespace()).collect::<String>())
        .filter(|word| !word.is_empty() && !word.starts_with(['-', '+']))
        .collect();
    // What is told behind it is done in that project.
    let moved = args.iter().filter_map(|word| word.trim().strip_prefix("project "));
    let mut all = Check::default().placed(moved.map(|name| name.trim().to_owned()).collect());
    for task in &tasks {
        let pieces: Vec<&str> = task.split(['/', ':']).collect();
        let (stem, before) = pieces.split_last()?;
        let places = before.iter().filter(|place| !WHOLE.contains(&place.to_ascii_lowercase().as_str()));
        let places: Vec<String> = places.map(|place| (*place).to_owned()).collect();
        let lower = stem.to_ascii_lowercase();
        let tests = lower == "test";
        let checks = lower.starts_with("scalafmt") && lower.contains("check");
        // Another task with words of its own, such as one test.
        if lower.starts_with("testonly") || lower.starts_with("testquick") {
            return Some(Check::tests().placed(places).narrowed(vec![(*stem).to_owned()]));
        }
        let builds = tests || matches!(lower.as_str(), "compile" | "package" | "assembly" | "stage" | "dist");
        (all.tests, all.build) = (all.tests || tests, all.build || builds);
        if checks {
            all.lints.push(Linter { class: LintClass::Format, tool: "scalafmt".to_owned() });
        }
        if tests || builds || checks {
            all = all.placed(places);
        }
    }
    all.proves().then_some(all)
}

/// True where only errors are written out.
fn is_quiet(args: &[&str]) -> bool {
    args.iter().any(|word| matches!(*word, "-q" | "--quiet" | "--warning-mode=none"))
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

pub(super) fn gradle(args: &[&str]) -> Option<Check> {
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
    all.quiet = is_quiet(args) && all.lints.is_empty();
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
