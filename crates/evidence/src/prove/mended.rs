//! Claims of a fix: something was changed, and what ran behind it went well.

use super::files::same;
use super::{Proof, bad, checked, held};
use crate::check::{Check, assignment};
use crate::covers::spares;
use crate::deeds::{Deeds, Run, What};
use crate::line;
use crate::linted;
use crate::pattern::patterns;
use crate::ran::Ran;
use crate::said::Said;
use crate::tried::{Ended, Tried, tried};
use crate::why::Why;
use crate::writes::{Written, is_text};
use reasonix_proto::{ClaimKind, ClaimStatus};

patterns! {
    COMPILE_ERROR = r"\b(?:compil\w+|build|syntax) (?:errors?|failures?|problems?|issues?)\b|(?:编译|构建|语法)(?:错误|失败|报错|问题|异常)";
}

/// A fix: something changed, and what ran behind the change went well.
pub(super) fn fixed(deeds: &Deeds, said: &Said) -> Proof {
    // What a linter found is mended when it finds nothing.
    if let Some((class, tool)) = linted::found_by(&said.words) {
        let lint = Said { kind: ClaimKind::Lint, lint: Some((class, Some(tool))), ..said.clone() };
        return checked(deeds, &lint);
    }
    let written = |at: usize| {
        deeds.done.get(at).and_then(|deed| match &deed.what {
            What::Wrote(written) => Some((deed, written)),
            What::Ran(_) => None,
        })
    };
    let turn = said.since(deeds)..deeds.done.len();
    let in_turn: Vec<_> = turn.clone().filter_map(written).collect();
    if in_turn.is_empty() {
        return Proof::unsupported(Why::NothingChanged);
    }
    // What is wrong in a text is right when it is written.
    let texts =
        in_turn.iter().all(|(_, written)| written.code().is_none() && written.paths.iter().all(|path| is_text(path)));
    if texts {
        let writes =
            |written: &Written| said.paths.iter().any(|path| written.paths.iter().any(|other| same(other, path)));
        let by =
            in_turn.iter().rev().find(|(deed, written)| writes(written) && said.may_be_proved_by(deed.call.as_ref()));
        return by.map_or_else(|| Proof::unsupported(Why::NotRun), |(deed, _)| Proof::written(deed));
    }
    // What is known to have changed counts before what a command may have done.
    let first_where =
        |known: fn(&Written) -> bool| turn.clone().find(|at| written(*at).is_some_and(|(_, written)| known(written)));
    let first = first_where(Written::is_known_code).or_else(|| first_where(|written| written.code().is_some()));
    let whole = Said { kind: ClaimKind::Tests, ..said.clone() };
    let all: Vec<Tried<'_>> =
        tried(deeds, &whole).filter(|tried| first.is_some_and(|first| tried.at > first)).collect();
    let all: Vec<Tried<'_>> = all.into_iter().filter(|tried| !leaves_out(deeds, tried, said)).collect();
    if let Some(bad) = bad(&all, turn.start) {
        let first = first.unwrap_or_default();
        return targeted(deeds, said, &all).or_else(|| compiles(deeds, said, first)).unwrap_or(bad);
    }
    match all.iter().rev().find(|tried| tried.ended == Ended::Passed && said.may_be_proved_by(tried.call)) {
        Some(proof) => held(deeds, proof),
        None => again(deeds, said, first.unwrap_or_default(), false),
    }
}

/// True for a good run of other files than the one in which a test failed that the claim names.
fn leaves_out(deeds: &Deeds, tried: &Tried<'_>, said: &Said) -> bool {
    let given: Vec<&str> = tried.check.part.iter().map(|word| word.trim_start_matches("./")).collect();
    let earlier = deeds.done.iter().take(tried.at).filter_map(|deed| match &deed.what {
        What::Ran(run) => Some(&run.failed_places),
        What::Wrote(_) => None,
    });
    let named = |place: &&String| {
        let last = place.rsplit("::").next().unwrap_or(place);
        said.reach.names.iter().any(|name| last.starts_with(name.as_str()) || name.ends_with(last))
    };
    let ran = |place: &String| given.iter().any(|word| place.contains(&word.to_ascii_lowercase()));
    tried.ended == Ended::Passed && !given.is_empty() && earlier.flatten().filter(named).any(|place| !ran(place))
}

/// What did not compile does, by the command that had failed: tests that fail behind it have to do with something else.
fn compiles(deeds: &Deeds, said: &Said, first: usize) -> Option<Proof> {
    if !COMPILE_ERROR.fits(&said.words) {
        return None;
    }
    let whole = Said { kind: ClaimKind::Build, ..said.clone() };
    let builds: Vec<Tried<'_>> = tried(deeds, &whole).filter(|tried| tried.at > first).collect();
    let good = builds.last().is_some_and(|last| last.ended == Ended::Passed && !last.check.tests);
    let proof = again(deeds, said, first, true);
    (good && bad(&builds, said.since(deeds)).is_none() && proof.status == ClaimStatus::Verified).then_some(proof)
}

/// The test of just this defect went well, or all in a file of tests that was written for it, and what failed behind it has
/// to do with something else.
fn targeted(deeds: &Deeds, said: &Said, all: &[Tried<'_>]) -> Option<Proof> {
    let mut words = telling(&said.words);
    let named = |tried: &Tried<'_>| {
        let filter = tried.check.part.iter().map(|word| word.to_ascii_lowercase()).collect::<Vec<_>>();
        words.iter().any(|word| filter.iter().any(|part| part.contains(word.as_str())))
    };
    let good = |tried: &Tried<'_>| tried.ended == Ended::Passed && said.may_be_proved_by(tried.call);
    let by_name = all.iter().rposition(|tried| good(tried) && named(tried));
    let at = by_name.or_else(|| all.iter().rposition(|tried| good(tried) && is_of_written(deeds, said, tried)))?;
    let proof = all.get(at)?;
    let mut before = Vec::new();
    if by_name.is_none() {
        // What the prompt speaks of, or what failed before, may be what was to be fixed.
        words.extend(telling(&deeds.prompt.to_ascii_lowercase()));
        before.extend(deeds.done.iter().take(proof.at).filter_map(|deed| match &deed.what {
            What::Ran(run) => Some(&run.failed_places),
            What::Wrote(_) => None,
        }));
    }
    let own: Vec<String> =
        words.iter().cloned().chain(proof.check.part.iter().filter(|word| *word != "-").cloned()).collect();
    let again = |run: &Run| before.iter().any(|places| places.iter().any(|place| run.failed_places.contains(place)));
    let elsewhere = |tried: &Tried<'_>| match tried.ended {
        Ended::Failed => tried.check.part.is_empty() && spares(tried.run, &own) && !again(tried.run),
        Ended::Empty => false,
        _ => true,
    };
    all.iter().skip(at + 1).all(elsewhere).then(|| held(deeds, proof))
}

/// The words of a text that name something.
fn telling(text: &str) -> Vec<String> {
    let words = text.split(|c: char| !c.is_ascii_alphanumeric());
    words.filter(|word| word.len() >= 4 && !COMMON.contains(word)).map(str::to_owned).collect()
}

/// True for a run of just such files of tests as were written in this turn.
fn is_of_written(deeds: &Deeds, said: &Said, tried: &Tried<'_>) -> bool {
    let wrote = |word: &String| {
        deeds.done.iter().skip(said.since(deeds)).any(|deed| match &deed.what {
            What::Wrote(written) => written.paths.iter().any(|path| same(path, word)),
            What::Ran(_) => false,
        })
    };
    let (check, own) = (tried.check, |word: &String| word.contains('.') && wrote(word));
    check.pieces > 0 && check.pieces == check.part.len() && check.part.iter().all(own)
}

/// Words of a claim of a fix that name nothing.
const COMMON: [&str; 14] = [
    "fixed",
    "resolved",
    "solved",
    "corrected",
    "test",
    "tests",
    "issue",
    "problem",
    "error",
    "with",
    "that",
    "this",
    "bug",
    "now",
];

/// A command that failed before the change and went well behind it; one that builds, where only these count.
fn again(deeds: &Deeds, said: &Said, first: usize, builds: bool) -> Proof {
    let runs = || {
        deeds.done.iter().enumerate().filter_map(|(at, deed)| match &deed.what {
            What::Ran(run) => Some((at, deed, run)),
            What::Wrote(_) => None,
        })
    };
    let failed = |line: &str| {
        runs()
            .take_while(|(at, ..)| *at < first)
            .any(|(_, _, run)| is_again(&run.line, line) && run.exit.is_some_and(|exit| exit != 0))
    };
    let wanted = |run: &Run| !builds || run.checks.iter().any(|(_, check)| check.build && !check.tests);
    let good = runs().filter(|(at, ..)| *at > first).rfind(|(_, _, run)| wanted(run) && failed(&run.line));
    match good {
        Some((at, deed, run)) if run.exit == Some(0) && said.may_be_proved_by(deed.call.as_ref()) => {
            let check = Check::default();
            let proof = Tried { at, call: deed.call.as_ref(), run, check: &check, ran: None, ended: Ended::Passed };
            // The command itself may write; what it wrote stands right behind it.
            held(deeds, &Tried { at: at + usize::from(run.wrote), ..proof })
        }
        _ => Proof::unsupported(Why::UnprovedFix),
    }
}

/// True when a line runs what another ran, in its order, and ends with the code of the same command; it may look at more of it.
fn is_again(one: &str, other: &str) -> bool {
    const SHOWING: &[&str] = &["tail", "head", "cd", "rm", "echo", "exit", "set", "tee"];
    const SEARCHING: &[&str] = &["grep", "egrep", "rg"];
    let is = |ran: &Ran, names: &[&str]| {
        ran.words.iter().find(|word| assignment(word).is_none()).is_none_or(|word| names.contains(&word.as_str()))
    };
    let kept = |line: &str| line::commands(line).into_iter().filter(|ran| !is(ran, SHOWING)).collect::<Vec<Ran>>();
    let words = |ran: &Ran| -> Vec<String> {
        let searches = is(ran, SEARCHING);
        ran.words.iter().filter(|word| !(searches && word.starts_with('-'))).cloned().collect()
    };
    let same = || {
        let (one, other) = (kept(one), kept(other));
        let told = other.last().is_some_and(|last| last.told && !last.behind && !last.strange);
        // What stands before it only prepares it.
        let before = other.len().checked_sub(one.len());
        let own = before.and_then(|before| other.get(before..)).unwrap_or_default();
        told && !one.is_empty()
            && one.iter().map(words).eq(own.iter().map(words))
            && (before == Some(0) || other.iter().all(|ran| ran.told))
    };
    one == other || same()
}
