//! Programs whose words are targets of the project.

use super::words::operands;
use crate::check::{Check, LintClass, assignment, narrows};

pub(super) fn targets(name: &str, args: &[&str]) -> Option<Check> {
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
