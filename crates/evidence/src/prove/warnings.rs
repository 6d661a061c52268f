//! What the warnings and the numbers of files of a run say against a claim.

use super::{Proof, line_of};
use crate::deeds::{Deed, Deeds, Run, What};
use crate::ran::Ran;
use crate::said::Said;
use crate::tried::Tried;
use crate::why::Why;

/// What the warnings of a run say against a claim: that there are none, or so many.
pub(super) fn warned(proof: &Tried<'_>, said: &Said) -> Option<Proof> {
    let why = match said.told_warnings {
        _ if said.warnings && hides(proof) => Why::Part { line: line_of(proof.run) },
        _ if (said.warnings || said.clean) && proof.run.warns => Why::Warned { line: line_of(proof.run) },
        Some(number) if !proof.run.warnings.contains(&number) => Why::Number { number },
        _ => Why::Number { number: miscounted(proof.run, said)? },
    };
    Some(Proof::unsupported(why).by(proof.call))
}

/// A run of the same program on the same code that told of warnings: one behind it that had nothing to do made none of them
/// go.
pub(super) fn warned_before<'a, 'd>(deeds: &Deeds, all: &'a [Tried<'d>], proof: &Tried<'_>) -> Option<&'a Tried<'d>> {
    let changes = |deed: &Deed| matches!(&deed.what, What::Wrote(written) if written.code().is_some());
    let since = deeds.done.iter().take(proof.at).rposition(changes).unwrap_or_default();
    let same = |tried: &&Tried<'_>| {
        let (one, other) = (tried.check, proof.check);
        one.program == other.program && one.lints == other.lints && (other.tests || !one.tests)
    };
    all.iter().filter(same).find(|tried| (since..proof.at).contains(&tried.at) && tried.run.warns)
}

/// The number of files that a claim tells of where the run says another.
fn miscounted(run: &Run, said: &Said) -> Option<u64> {
    said.told_files.filter(|number| !run.counted_files.is_empty() && !run.counted_files.contains(number))
}

/// True when the warnings of this run cannot be seen.
fn hides(proof: &Tried<'_>) -> bool {
    let elsewhere = |ran: &Ran| ran.into.iter().any(|file| !matches!(file.as_str(), "1" | "2" | "/dev/stdout"));
    // The line that tells of warnings stands before the last.
    let cut = |ran: &Ran| {
        let ends = ["tail -1", "tail -n 1", "tail -n1", "grep", "head"];
        !ran.told
            && !proof.run.spotless
            && proof.run.code(ran).is_none()
            && ends.iter().any(|end| proof.run.line.contains(end))
    };
    proof.check.quiet || proof.ran.is_some_and(cut) || proof.ran.is_some_and(|ran| elsewhere(ran) && proof.run.silent)
}
