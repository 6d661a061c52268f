//! Proofs that are named: by the command line, or by the call that ran it.

use crate::deeds::{Deed, Deeds, What};
use crate::line;
use crate::writes;
use reasonix_proto::ClaimStatus;

impl Deeds {
    /// Whether what is named, a command line or the id of a call, ran, ended well and proves something, with no change to
    /// code after it. A line that only looks or says something proves nothing, nor does one that hides its code.
    pub fn proved_by(&self, named: &str) -> ClaimStatus {
        let named = plain(named);
        let is_it = |deed: &Deed| match &deed.what {
            What::Ran(run) => {
                plain(&run.line) == named || deed.call.as_ref().is_some_and(|call| call.as_str() == named)
            }
            What::Wrote(_) => false,
        };
        let Some(at) = self.done.iter().rposition(is_it) else { return ClaimStatus::Unsupported };
        let (Some(deed), Some(behind)) = (self.done.get(at), self.done.get(at + 1..)) else {
            return ClaimStatus::Unsupported;
        };
        let What::Ran(run) = &deed.what else { return ClaimStatus::Unsupported };
        let commands = line::commands(&run.line);
        let told = commands.iter().all(|ran| ran.told);
        let acts = !run.checks.is_empty() || commands.iter().any(|ran| writes::written(ran, None).perhaps);
        if run.exit != Some(0) || !told || !acts {
            return ClaimStatus::Unsupported;
        }
        let changed = |other: &Deed| match &other.what {
            What::Wrote(written) => other.call != deed.call && written.code().is_some(),
            What::Ran(_) => false,
        };
        if behind.iter().any(changed) { ClaimStatus::Stale } else { ClaimStatus::Verified }
    }

    /// True when files of code are known to have changed.
    pub fn changed_code(&self) -> bool {
        let changed = |deed: &Deed| matches!(&deed.what, What::Wrote(written) if written.is_known_code());
        self.done.iter().any(changed)
    }
}

/// The words of a line, one blank between them.
fn plain(line: &str) -> String {
    line.split_whitespace().collect::<Vec<_>>().join(" ")
}
