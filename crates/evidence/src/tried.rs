//! Checks that may prove a claim, and how each of them ended.

use crate::check::{Check, Linter};
use crate::deeds::{Deeds, Run, What};
use crate::ran::Ran;
use crate::said::Said;
use crate::summary::Summary;
use reasonix_proto::{CallId, ClaimKind};

/// How a check ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Ended {
    Passed,
    Unseen,
    Empty,
    NotRun,
    Failed,
}

/// A check that may prove a claim.
pub(crate) struct Tried<'a> {
    pub(crate) at: usize,
    pub(crate) call: Option<&'a CallId>,
    pub(crate) run: &'a Run,
    pub(crate) check: &'a Check,
    pub(crate) ran: Option<&'a Ran>,
    pub(crate) ended: Ended,
}

/// The checks that a claim of this kind is about, in order.
pub(crate) fn tried<'a>(deeds: &'a Deeds, said: &'a Said) -> impl Iterator<Item = Tried<'a>> {
    deeds.done.iter().enumerate().flat_map(move |(at, deed)| {
        let run = match &deed.what {
            What::Ran(run) => Some(run),
            What::Wrote(_) => None,
        };
        run.into_iter().flat_map(move |run| {
            let about = run.checks.iter().filter(move |(_, check)| is_about(run, check, said));
            let about = about.filter(move |(_, check)| said.kind != ClaimKind::Build || !only_tests_failed(run, check));
            about.map(move |(ran, check)| Tried {
                at,
                call: deed.call.as_ref(),
                run,
                check,
                ran: Some(ran),
                ended: ended(run, ran, check, said.kind),
            })
        })
    })
}

/// True when a run that builds and tests failed in its tests, by their names: that says nothing against the build.
fn only_tests_failed(run: &Run, check: &Check) -> bool {
    let failed = run.exit.is_some_and(|exit| exit != 0) && run.untold == Summary::Failed;
    check.tests && failed && run.failures.is_some() && !run.unbuilt
}

fn is_about(run: &Run, check: &Check, said: &Said) -> bool {
    match said.kind {
        ClaimKind::Tests => check.tests,
        ClaimKind::Build => check.build,
        ClaimKind::Lint => {
            let Some((class, tool)) = &said.lint else { return !check.lints.is_empty() };
            let is =
                |linter: &Linter| linter.class == *class && tool.as_ref().is_none_or(|tool| linter.is_called(tool));
            let shown = || tool.as_ref().is_some_and(|tool| runs_scripts(check) && run.tools.contains(tool));
            let named = check.lints.iter().any(is) || (!check.lints.is_empty() && shown());
            named && (!check.writes || mends(check, said))
        }
        _ => false,
    }
}

/// True for a program that runs what a file of the project says, so that its output tells what that was.
fn runs_scripts(check: &Check) -> bool {
    const RUN: &[&str] = &[
        "npm",
        "yarn",
        "pnpm",
        "bun",
        "make",
        "gmake",
        "just",
        "task",
        "rake",
        "tox",
        "nox",
        "composer",
        "pre-commit",
    ];
    RUN.contains(&check.program.as_str())
}

/// One that writes what it finds wrong leaves nothing wrong, but is not the one that only looks.
fn mends(check: &Check, said: &Said) -> bool {
    check.part.is_empty() && !said.words.contains("check`") && !said.words.contains("--check")
}

/// Codes of a shell that did not find or could not start a program.
const NOT_STARTED: [i32; 2] = [126, 127];

fn tests_of(kind: ClaimKind) -> bool {
    kind == ClaimKind::Tests
}

/// How a check ended, as far as a claim of this kind goes.
pub(crate) fn ended(run: &Run, ran: &Ran, check: &Check, kind: ClaimKind) -> Ended {
    let Some(exit) = run.exit else { return Ended::NotRun };
    if NOT_STARTED.contains(&exit) && ran.told {
        return Ended::NotRun;
    }
    let tests = tests_of(kind);
    // Nobody waits for its end, or knows how often it ran: only a failure can be seen.
    if (ran.behind || ran.strange) && !run.later {
        return if tests && run.untold == Summary::Failed { Ended::Failed } else { Ended::Unseen };
    }
    if check.lists && kind == ClaimKind::Lint {
        return if exit == 0 && ran.told && run.silent { Ended::Passed } else { Ended::Failed };
    }
    // What the line wrote out is the code of this one.
    let (exit, told) = match run.code(ran) {
        Some(code) if !ran.told => (code, true),
        _ => (exit, ran.told && !check.lenient),
    };
    match (exit, told) {
        (0, true) => contradicted(run, check, kind).unwrap_or(Ended::Passed),
        (_, true) if ran.last || !ran.told => Ended::Failed,
        _ if tests && run.untold == Summary::Failed => Ended::Failed,
        _ if tests && run.untold == Summary::Nothing => Ended::Empty,
        _ if run.shows(ran, check) && says_well(run, check, kind) => Ended::Passed,
        (_, true) => Ended::Failed,
        (_, false) => Ended::Unseen,
    }
}

/// What an output says against a code that is good.
fn contradicted(run: &Run, check: &Check, kind: ClaimKind) -> Option<Ended> {
    match kind {
        ClaimKind::Tests if run.told == Summary::Failed => Some(Ended::Failed),
        ClaimKind::Tests if run.told == Summary::Nothing => Some(Ended::Empty),
        ClaimKind::Tests if check.unknown && run.told == Summary::Unknown => Some(Ended::Unseen),
        ClaimKind::Build if !check.tests && run.unbuilt => Some(Ended::Failed),
        ClaimKind::Lint if !check.tests && !check.writes && run.complains => Some(Ended::Failed),
        _ => None,
    }
}

/// True when an output alone says that it went well. What ends well whatever fails has to say so by numbers.
fn says_well(run: &Run, check: &Check, kind: ClaimKind) -> bool {
    let numbers = check.lenient || check.unknown;
    let passed = || matches!(&run.untold, Summary::Passed(_)) && (!numbers || run.untold.has_numbers());
    match kind {
        ClaimKind::Tests => passed(),
        ClaimKind::Build => run.built || passed(),
        _ => run.clean,
    }
}

/// How a line ended as a whole: as the worst of its checks, or by its code where it has none.
pub(crate) fn ended_whole(run: &Run) -> Ended {
    let ends = run.checks.iter().map(|(ran, check)| ended(run, ran, check, kind_of(check)));
    ends.max().unwrap_or(match run.exit {
        Some(0) => Ended::Passed,
        Some(_) => Ended::Failed,
        None => Ended::NotRun,
    })
}

/// What a check is mostly about.
fn kind_of(check: &Check) -> ClaimKind {
    match (check.tests, check.build) {
        (true, _) => ClaimKind::Tests,
        (_, true) if check.lints.is_empty() => ClaimKind::Build,
        _ => ClaimKind::Lint,
    }
}
