//! Runners of Python.

use super::words::{is_all, operands, options};
use crate::check::Check;

pub(super) fn pytest(args: &[&str]) -> Check {
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

pub(super) fn unittest(args: &[&str]) -> Check {
    let mut part = options(args, &["-k", "-p"]);
    part.retain(|word| word != "test*.py" && word != "test_*.py");
    let places = operands(args, &["-s", "-t", "-k", "-p"]).into_iter().filter(|word| !is_all(word)).collect();
    Check::tests().placed(places).narrowed(part)
}
