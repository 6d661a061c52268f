//! Claims that name the calls which prove them: the result of a plan's step, the end of a goal. What stands in the log
//! decides; a call that is named has to be one that shows it.

use crate::claims;
use crate::clause;
use crate::deeds::{Deed, Deeds, End, What};
use crate::prose;
use crate::prove::{self, Proof};
use crate::said::Said;
use crate::why::Why;
use crate::{LONGEST_ANSWER, MOST_CLAIMS};
use reasonix_proto::{CallId, ClaimKind, ClaimStatus};

/// What is claimed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TypedClaim<'a> {
    /// In words, in English or Chinese. Each claim in them is held against the log; words that claim nothing of what is known
    /// only say that the named calls did it.
    Words(&'a str),
    /// Of all there is: that all tests pass, that everything builds. Of a file: that the named calls changed one.
    Kind(ClaimKind),
}

/// What came of it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TypedProof {
    /// Whether the log proves it by the calls that were named.
    pub status: ClaimStatus,
    /// The calls that prove it, or that would have.
    pub by: Vec<CallId>,
    /// For the model, in English: what is wrong, and what would prove it.
    pub why: String,
}

impl TypedProof {
    fn of(proof: Proof, about: &str) -> Self {
        let why = proof.why.told();
        let why = if about.is_empty() { why } else { format!("“{about}”: {why}") };
        Self { status: proof.status, by: proof.by, why }
    }

    fn unsupported(why: String) -> Self {
        Self { status: ClaimStatus::Unsupported, by: Vec::new(), why }
    }
}

impl Deeds {
    /// Whether these calls prove what is claimed: verified, stale where something was changed afterwards, unsupported
    /// otherwise, and unsupported where a call is not of this session or did not end well.
    pub fn hold(&self, claim: TypedClaim<'_>, proofs: &[CallId]) -> TypedProof {
        if let Some(why) = self.no_proof(proofs) {
            return TypedProof::unsupported(why);
        }
        let (text, said) = match claim {
            TypedClaim::Words(words) => {
                let words = words.get(..words.floor_char_boundary(LONGEST_ANSWER)).unwrap_or_default();
                (words, claims::find(words))
            }
            TypedClaim::Kind(ClaimKind::File) => ("", Vec::new()),
            TypedClaim::Kind(kind) => ("", vec![Said::new(kind, 0..0)]),
        };
        if said.is_empty() {
            let fails = clause::tells_failure(&prose::masked(text));
            return TypedProof::of(prove::done(self, proofs, claim == TypedClaim::Kind(ClaimKind::File), fails), "");
        }
        let held = said.into_iter().take(MOST_CLAIMS).map(|said| self.held_by(said, proofs, text));
        held.reduce(worse).unwrap_or_else(|| TypedProof::unsupported(Why::NotRun.told()))
    }

    /// The same for one proof that is named by its command line or by the id of its call, and for what it shows by itself: that
    /// it ran, ended well and did something, with no change to code after it. A line that only looks or says something
    /// proves nothing, nor does one that hides its code.
    pub fn proved_by(&self, named: &str) -> ClaimStatus {
        let named = plain(named);
        let is_it = |deed: &Deed| match &deed.what {
            What::Ran(run) => {
                plain(&run.line) == named || deed.call.as_ref().is_some_and(|call| call.as_str() == named)
            }
            What::Wrote(_) => false,
        };
        let at = self.done.iter().rposition(is_it);
        at.map_or(ClaimStatus::Unsupported, |at| prove::whole(self, at).status)
    }

    /// True when files of code are known to have changed.
    pub fn changed_code(&self) -> bool {
        let changed = |deed: &Deed| matches!(&deed.what, What::Wrote(written) if written.is_known_code());
        self.done.iter().any(changed)
    }

    /// Why these calls cannot prove anything.
    fn no_proof(&self, proofs: &[CallId]) -> Option<String> {
        if proofs.is_empty() {
            return Some("no call is named; name the calls that prove it".to_owned());
        }
        proofs.iter().find_map(|id| {
            let Some(called) = self.calls.iter().rev().find(|called| called.id == *id) else {
                return Some(format!("there is no call `{id}` in this session; name calls that were made in it"));
            };
            let how = match called.end {
                End::Done(_) => return None,
                End::Failed => "failed",
                End::Refused => "was refused and did not run",
                End::Stopped => "was stopped",
            };
            Some(format!("call `{id}` ({}) {how} and proves nothing; name one that went well", called.tool))
        })
    }

    fn held_by(&self, said: Said, proofs: &[CallId], text: &str) -> TypedProof {
        let from = text.floor_char_boundary(said.range.start);
        let to = text.ceil_char_boundary(said.range.end.max(from));
        let about = text.get(from..to).unwrap_or_default();
        let about = about.get(..about.floor_char_boundary(prove::LONGEST_QUOTE)).unwrap_or_default();
        let named = prove::proof(self, &Said { by: Some(proofs.to_vec()), ..said.clone() });
        if named.status == ClaimStatus::Verified {
            return TypedProof::of(named, about);
        }
        // Where another call proves it, the model only has to name that one.
        let all = self.calls.iter().map(|called| called.id.clone()).collect();
        let any = prove::proof(self, &Said { by: Some(all), ..said });
        match any.by.first().filter(|_| any.status == ClaimStatus::Verified) {
            Some(other) if !proofs.contains(other) => {
                TypedProof::unsupported(format!("“{about}”: the named calls do not show it; call `{other}` does"))
            }
            _ => TypedProof::of(named, about),
        }
    }
}

/// The one that proves less; of two that prove the same little, the first.
fn worse(one: TypedProof, other: TypedProof) -> TypedProof {
    let rank = |proof: &TypedProof| match proof.status {
        ClaimStatus::Verified => 0,
        ClaimStatus::Stale => 1,
        ClaimStatus::Unsupported => 2,
    };
    if rank(&other) > rank(&one) { other } else { one }
}

/// The words of a line, one blank between them.
fn plain(line: &str) -> String {
    line.split_whitespace().collect::<Vec<_>>().join(" ")
}
