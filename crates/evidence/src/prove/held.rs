//! What a good run is worth now: nothing of the code that it is about may have changed since.

use super::{Proof, first_line, line_of};
use crate::covers::is_of;
use crate::deeds::{Deeds, Run, What};
use crate::elsewhere;
use crate::said::Said;
use crate::tried::Tried;
use crate::why::Why;
use crate::writes::Written;
use reasonix_proto::{CallId, ClaimStatus};

/// What a good check is worth for a claim: where that names the half of the project that was checked, changes in the other
/// half are beside it.
pub(super) fn held_for(deeds: &Deeds, proof: &Tried<'_>, said: &Said) -> Proof {
    let named = !said.reach.all && said.reach.names.iter().any(|name| is_of(proof.check, name));
    let counts = |written: &Written| !(named && elsewhere::is_of_other_half(proof.check, written));
    worth(deeds, behind(proof), proof.run, proof.call, counts)
}

/// What a good check is worth now: nothing of the code may have changed since.
pub(super) fn held(deeds: &Deeds, proof: &Tried<'_>) -> Proof {
    worth(deeds, behind(proof), proof.run, proof.call, |_| true)
}

/// Where what was done behind a check begins.
fn behind(proof: &Tried<'_>) -> usize {
    // One that writes what it finds wrong is good for what it wrote, and so is what runs behind it.
    let settled = proof.ran.is_some_and(|ran| proof.run.settles(ran)) || (proof.check.writes && proof.run.lone);
    let own = settled && proof.run.wrote;
    proof.at + 1 + usize::from(own)
}

/// What a good run is worth now, with what was done from here on and counts.
pub(super) fn worth(
    deeds: &Deeds,
    from: usize,
    run: &Run,
    call: Option<&CallId>,
    counts: impl Fn(&Written) -> bool,
) -> Proof {
    let changed = deeds.done.iter().skip(from).find_map(|deed| match &deed.what {
        What::Wrote(written) => written.code().filter(|_| counts(written)),
        What::Ran(_) => None,
    });
    let line = line_of(run);
    let (status, why) = match (changed, deeds.behind.changes_code()) {
        (None, None) => (ClaimStatus::Verified, Why::Proved { line }),
        (_, Some((job, path))) => {
            (ClaimStatus::Stale, Why::Running { line, path: path.to_owned(), job: first_line(job) })
        }
        (Some(path), None) => (ClaimStatus::Stale, Why::Stale { line, path: path.to_owned() }),
    };
    Proof { status, by: Vec::new(), why }.by(call)
}
