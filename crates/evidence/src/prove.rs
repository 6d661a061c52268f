//! A claim against what was done. Unsupported is what everything is until the log shows more.

mod files;
mod held;
mod mended;
mod warnings;

use crate::check::Check;
use crate::covers::{about, behind_failures, covers, halves, is_elsewhere, is_quoted, is_word_for_word};
use crate::deeds::{Deed, Deeds, Run, What};
use crate::own;
use crate::said::{Reach, Said};
use crate::scoped;
use crate::summary::Summary;
use crate::tried::{Ended, Tried, ended_whole, tried};
use crate::why::Why;
use files::filed;
use held::{held, held_for, worth};
use mended::fixed;
use reasonix_proto::{CallId, Claim, ClaimKind, ClaimStatus};
use warnings::{warned, warned_before};

/// Longer quotes are cut.
pub(crate) const LONGEST_QUOTE: usize = 160;

/// What came of a claim.
#[derive(Debug, Clone)]
pub(crate) struct Proof {
    pub(crate) status: ClaimStatus,
    pub(crate) by: Vec<CallId>,
    pub(crate) why: Why,
}

impl Proof {
    pub(crate) fn unsupported(why: Why) -> Self {
        Self { status: ClaimStatus::Unsupported, by: Vec::new(), why }
    }

    fn written(deed: &Deed) -> Self {
        Self { status: ClaimStatus::Verified, by: Vec::new(), why: Why::Written }.by(deed.call.as_ref())
    }

    fn by(mut self, call: Option<&CallId>) -> Self {
        self.by.extend(call.cloned());
        self
    }
}

/// What the deeds say to a claim.
pub(crate) fn proof(deeds: &Deeds, said: &Said) -> Proof {
    match said.kind {
        ClaimKind::Tests | ClaimKind::Build | ClaimKind::Lint => checked(deeds, said),
        ClaimKind::Fix => fixed(deeds, said),
        ClaimKind::File => filed(deeds, said),
        ClaimKind::Unknown => Proof::unsupported(Why::NotRun),
    }
}

/// The claim, with what the deeds say to it.
pub(crate) fn prove(deeds: &Deeds, answer: &str, said: Said) -> Claim {
    let proof = proof(deeds, &said);
    // Where letters were made small, some may have become longer.
    let from = answer.floor_char_boundary(said.range.start);
    let to = answer.ceil_char_boundary(said.range.end.max(from));
    // Code that a claim ends with is quoted with both of its marks.
    let open = answer.get(from..to).is_some_and(|words| words.matches('`').count() % 2 == 1);
    let closed = open && answer.get(to..).is_some_and(|rest| rest.starts_with('`'));
    let to = to + usize::from(closed);
    let words = answer.get(from..to).unwrap_or_default();
    let quote = words.get(..words.floor_char_boundary(LONGEST_QUOTE)).unwrap_or_default().to_owned();
    let Proof { status, by, why } = proof;
    Claim { kind: said.kind, quote, from, to, status, by, why: why.phrase() }
}

fn checked(deeds: &Deeds, said: &Said) -> Proof {
    // Of two halves each has its own proof, and the worse one decides.
    if let [first, second, ..] = halves(said).as_slice() {
        let of = |half: &String| {
            let reach = Reach { all: false, names: vec![half.clone()], ..said.reach.clone() };
            checked(deeds, &Said { reach, ..said.clone() })
        };
        let (one, other) = (of(first), of(second));
        return if badness(one.status) >= badness(other.status) { one } else { other };
    }
    let all = behind_failures(about(tried(deeds, said).collect(), said), said);
    let all: Vec<Tried<'_>> = all.into_iter().filter(|tried| !is_beside(tried, said)).collect();
    if said.elsewhere || all.is_empty() {
        return Proof::unsupported(Why::NotRun);
    }
    if let Some(bad) = bad(&all, said.since(deeds)) {
        return bad;
    }
    let covers = |tried: &&Tried<'_>| {
        let of_it = covers(deeds, tried.check, said)
            || is_word_for_word(tried, said)
            || (!is_elsewhere(deeds, tried.check, said) && own::tells(deeds, tried, said));
        let counted = || said.kind == ClaimKind::Lint && scoped::is_counted(tried.run, tried.check, said);
        (of_it || counted()) && is_quoted(tried, said) && own::lists(tried.run, said)
    };
    let good = || {
        let passed = |tried: &&Tried<'_>| tried.ended == Ended::Passed && said.may_be_proved_by(tried.call);
        all.iter().rev().filter(passed).filter(covers)
    };
    // Of several runs that are still good, the one that printed the number.
    let number = said.number.filter(|_| said.kind == ClaimKind::Tests);
    let fits = |tried: &&Tried<'_>| {
        number.is_some_and(|number| counted(tried.run, said, number))
            && held_for(deeds, tried, said).status == ClaimStatus::Verified
    };
    let Some(proof) = good().find(fits).or_else(|| good().next()) else {
        let unseen = all.iter().rev().find(|tried| tried.ended == Ended::Unseen);
        let part = all.iter().rev().find(|tried| tried.ended == Ended::Passed);
        return match (part, unseen) {
            (Some(part), None) => Proof::unsupported(Why::Part { line: line_of(part.run) }).by(part.call),
            (_, Some(unseen)) => Proof::unsupported(Why::Unseen { line: line_of(unseen.run) }).by(unseen.call),
            (None, None) => Proof::unsupported(Why::Empty),
        };
    };
    let passed = all.iter().filter(|tried| tried.ended == Ended::Passed).filter(covers);
    let mut lines: Vec<_> = passed.map(|tried| (tried.run, tried.ran)).collect();
    // Of several builds each is another; tests are run once more by the same line.
    if said.kind == ClaimKind::Build {
        lines.sort_by(|one, other| one.0.line.cmp(&other.0.line));
        lines.dedup_by(|one, other| one.0.line == other.0.line && one.1 == other.1);
    }
    if lines.len().max(own::repeats(proof)) < said.times {
        return Proof::unsupported(Why::Part { line: line_of(proof.run) }).by(proof.call);
    }
    if let Some(number) = number.filter(|number| !counted(proof.run, said, *number)) {
        return Proof::unsupported(Why::Number { number }).by(proof.call);
    }
    let earlier = || warned_before(deeds, &all, proof).filter(|_| said.warnings || said.clean);
    let before = |tried: &Tried<'_>| Proof::unsupported(Why::Warned { line: line_of(tried.run) }).by(tried.call);
    warned(proof, said).or_else(|| earlier().map(before)).unwrap_or_else(|| held_for(deeds, proof, said))
}

/// True for a run that was refused or did not end and says nothing of the claim: of a build a run of tests, and of a command
/// that is quoted another one. A build that is quoted ended as it did whatever tests fail.
fn is_beside(tried: &Tried<'_>, said: &Said) -> bool {
    let of_tests = said.kind == ClaimKind::Build && tried.check.tests;
    match tried.ended {
        Ended::NotRun => of_tests || !is_quoted(tried, said),
        Ended::Failed => of_tests && !said.programs.is_empty() && !is_quoted(tried, said),
        _ => false,
    }
}

fn badness(status: ClaimStatus) -> u8 {
    match status {
        ClaimStatus::Verified => 0,
        ClaimStatus::Stale => 1,
        _ => 2,
    }
}

/// True when this is a number that a claim may be about: of tests, or of files and suites of them. Those that were left out are
/// among them only where the claim tells of them.
fn counted(run: &Run, said: &Said, number: u64) -> bool {
    let Summary::Passed(counts) = &run.told else { return false };
    let own = if said.of_groups { &counts.others } else { &counts.tests };
    own.contains(&number) || (said.tells_skipped && counts.ran.contains(&number))
}

/// The last check that did not end well: what stands before it proves nothing any more. One that failed in this turn counts
/// until another of its family is good.
fn bad(all: &[Tried<'_>], since: usize) -> Option<Proof> {
    let last = all.last()?;
    let failed = |tried: &Tried<'_>| Proof::unsupported(Why::Failed { line: line_of(tried.run) }).by(tried.call);
    match last.ended {
        Ended::Failed => return Some(failed(last)),
        Ended::NotRun => {
            return Some(Proof::unsupported(Why::Refused { line: line_of(last.run) }).by(last.call));
        }
        Ended::Empty => return Some(Proof::unsupported(Why::Empty).by(last.call)),
        Ended::Passed | Ended::Unseen => {}
    }
    let open = all.iter().enumerate().filter(|(_, tried)| tried.ended == Ended::Failed && tried.at >= since).find(
        |(at, bad)| {
            let good = |later: &Tried<'_>| {
                later.ended == Ended::Passed
                    && later.check.family == bad.check.family
                    && same_folder(later.check, bad.check)
                    && (later.check.part.is_empty()
                        || later.check.part == bad.check.part
                        || is_of_more(later.check, bad.check))
            };
            !all.iter().skip(at + 1).any(good)
        },
    );
    open.map(|(_, tried)| failed(tried))
}

/// True when a check was given all the places of another, and more of them.
fn is_of_more(one: &Check, other: &Check) -> bool {
    let only_places = |check: &Check| check.pieces == check.part.len() && check.pieces > 0;
    only_places(one) && only_places(other) && other.part.iter().all(|place| one.part.contains(place))
}

fn same_folder(one: &Check, other: &Check) -> bool {
    one.folder == other.folder || one.folder.is_empty() || other.folder.is_empty()
}

/// Whether the run at this place went well, proves something, and still holds. One without a check has to have done
/// something, with a code that is seen; what it wrote itself is what it was for.
pub(crate) fn whole(deeds: &Deeds, at: usize) -> Proof {
    let Some((deed, What::Ran(run))) = deeds.done.get(at).map(|deed| (deed, &deed.what)) else {
        return Proof::unsupported(Why::NotRun);
    };
    let call = deed.call.as_ref();
    if let Some(why) = wanting(run) {
        return Proof::unsupported(why).by(call);
    }
    if let Some((ran, check)) = run.checks.last() {
        return held(deeds, &Tried { at, call, run, check, ran: Some(ran), ended: Ended::Passed });
    }
    if !run.plain {
        return Proof::unsupported(Why::Unseen { line: line_of(run) }).by(call);
    }
    if !run.acts {
        return Proof::unsupported(Why::Looks { line: line_of(run) }).by(call);
    }
    let worth = worth(deeds, at + 1 + usize::from(run.wrote), run, call, |_| true);
    // What its output was sent to is a result, and no change of its own.
    let around = deeds.done.iter().skip(at.saturating_sub(1)).take(3).filter(|other| other.call == deed.call);
    let found = around.into_iter().find_map(|own| match &own.what {
        What::Wrote(written) => written.found_code(&run.files),
        What::Ran(_) => None,
    });
    match found.filter(|_| worth.status == ClaimStatus::Verified) {
        Some(path) => Proof::unsupported(Why::Changes { line: line_of(run), path: path.to_owned() }).by(call),
        None => worth,
    }
}

/// Why a line as a whole proves nothing; none when it ended well.
fn wanting(run: &Run) -> Option<Why> {
    let line = || line_of(run);
    match ended_whole(run) {
        Ended::Passed => None,
        Ended::Empty => Some(Why::Empty),
        Ended::Unseen => Some(Why::Unseen { line: line() }),
        Ended::NotRun => Some(Why::Refused { line: line() }),
        Ended::Failed => Some(Why::Failed { line: line() }),
    }
}

/// The first line of a command, bounded.
fn line_of(run: &Run) -> String {
    first_line(&run.line)
}

pub(crate) fn first_line(text: &str) -> String {
    let line = text.lines().find(|line| !line.trim().is_empty()).unwrap_or_default();
    line.get(..line.floor_char_boundary(80)).unwrap_or_default().to_owned()
}

/// What was done by just these calls: their commands ended well, unless it is a failure that is told, and nothing was changed
/// behind the last check among them. `writes` when one of them has to have changed a file.
pub(crate) fn done(deeds: &Deeds, calls: &[CallId], writes: bool, fails: bool) -> Proof {
    let named = |deed: &&Deed| deed.call.as_ref().is_some_and(|call| calls.contains(call));
    let runs: Vec<(usize, &CallId, &Run)> = deeds
        .done
        .iter()
        .enumerate()
        .filter(|(_, deed)| named(deed))
        .filter_map(|(at, deed)| match &deed.what {
            What::Ran(run) => Some((at, deed.call.as_ref()?, run.as_ref())),
            What::Wrote(_) => None,
        })
        .collect();
    for (at, call, run) in runs.iter().filter(|_| !fails) {
        let again = runs.iter().any(|(later, _, other)| later > at && other.line == run.line);
        let Some(why) = wanting(run).filter(|_| !again) else { continue };
        return Proof::unsupported(why).by(Some(call));
    }
    let wrote = |deed: &&Deed| matches!(&deed.what, What::Wrote(written) if written.is_known());
    if writes && !deeds.done.iter().filter(named).any(|deed| wrote(&deed)) {
        return Proof::unsupported(Why::NothingChanged);
    }
    let checked = runs.iter().rev().filter(|_| !fails).find_map(|(at, call, run)| {
        let (ran, check) = run.checks.last()?;
        Some(Tried { at: *at, call: Some(call), run, check, ran: Some(ran), ended: Ended::Passed })
    });
    match checked {
        Some(check) => held(deeds, &check),
        None => Proof { status: ClaimStatus::Verified, by: calls.to_vec(), why: Why::Written },
    }
}
