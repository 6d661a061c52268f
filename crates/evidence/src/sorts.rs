//! Sorts of tests, which have programs, scripts, folders and options of their own: what one of them says tells nothing of
//! another.

use crate::check::Check;
use crate::pattern::{Pattern, patterns};
use crate::said::Said;
use crate::tried::Tried;

patterns! {
    UNIT = r"\bunit(?:[ -]?tests?)?\b|单元|单测";
    INTEGRATION = r"\bintegration\b|集成";
    BROWSER = r"\be2e\b|\bend[- ]to[- ]end\b|\b(?:playwright|cypress)\b|端到端";
    DOC = r"\bdoc[ -]?tests?\b|文档测试";
}

/// The sorts, each with the words by which prose and commands call it.
const SORTS: [(&Pattern, &[&str]); 4] = [
    (&UNIT, &["unit"]),
    (&INTEGRATION, &["integration", "it"]),
    (&BROWSER, &["e2e", "end-to-end", "playwright", "cypress"]),
    (&DOC, &["doc"]),
];

/// The place in the list of browser tests.
const OF_BROWSER: usize = 2;

/// The one sort that a claim is about.
fn said_of(said: &Said) -> Option<usize> {
    let mut sorts = SORTS.iter().enumerate().filter(|(_, (pattern, _))| pattern.fits(&said.words)).map(|(at, _)| at);
    let first = sorts.next()?;
    let one = sorts.next().is_none() && (!said.reach.all || said.reach.sorted);
    one.then_some(first)
}

/// The sort that a check runs, where it runs only one.
fn run_by(check: &Check) -> Option<usize> {
    if matches!(check.program.as_str(), "playwright" | "cypress") {
        return Some(OF_BROWSER);
    }
    let named = |name: &&str| {
        check.part.iter().any(|word| word.trim_start_matches("--").split(['/', ':', '.']).any(|part| part == *name))
    };
    let mut sorts = SORTS.iter().enumerate().filter(|(_, (_, names))| names.iter().any(named));
    let (first, _) = sorts.next()?;
    sorts.next().is_none().then_some(first)
}

/// The runs without those of another sort than the one that a claim is about.
pub(crate) fn about<'a>(all: Vec<Tried<'a>>, said: &Said) -> Vec<Tried<'a>> {
    let Some(sort) = said_of(said) else { return all };
    let own = |tried: &Tried<'_>| run_by(tried.check) == Some(sort);
    // Scripts and runners of units run nothing in a browser.
    let apart = sort == OF_BROWSER && all.iter().any(own);
    let counts = |tried: &Tried<'_>| match run_by(tried.check) {
        Some(other) => other == sort,
        None => !(apart && tried.check.family == "js"),
    };
    all.into_iter().filter(counts).collect()
}

/// True unless a claim is about a sort, or about several, and a check is not known to run it. Where no sort is told of a run,
/// its tests may be those of units.
pub(crate) fn is_of_said(check: &Check, said: &Said) -> bool {
    let mut named = SORTS.iter().enumerate().filter(|(_, (pattern, _))| pattern.fits(&said.words)).map(|(at, _)| at);
    match (named.next(), named.next()) {
        (None, _) => true,
        (Some(sort), None) => run_by(check).map_or(sort == 0, |other| other == sort),
        _ => false,
    }
}

/// True when a check is of all tests of the one sort that a claim is about.
pub(crate) fn covers(check: &Check, said: &Said) -> bool {
    let parts: Vec<&String> = check.part.iter().filter(|word| *word != "-").collect();
    let [part] = parts.as_slice() else { return false };
    let finest = part.trim_end_matches('/').rsplit('/').next().unwrap_or(part).trim_start_matches("--");
    let names = said_of(said).and_then(|sort| SORTS.get(sort)).map_or(&[] as &[&str], |(_, names)| names);
    names.contains(&finest)
}
