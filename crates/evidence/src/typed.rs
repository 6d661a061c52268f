//! Claims that name the calls which prove them: the result of a plan's step, the end of a goal. What stands in the log
//! decides; a call that is named has to be one that shows it.

use crate::claims;
use crate::clause;
use crate::deeds::{Deed, Deeds, End, What};
use crate::prose;
use crate::prove::{self, Proof};
use crate::said::{Manner, Said};
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
                (words, claims::find(words).into_iter().filter(|said| said.manner == Manner::Said).collect())
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
    /// it ran, ended well and did something, with no change to code after it or of its own. A line that only looks or says
    /// something proves nothing, nor does one that hides its code.
    pub fn proved_by(&self, named: &str) -> TypedProof {
        let named = plain(named);
        match self.done.iter().rposition(|deed| is_run(deed, &named)) {
            Some(at) => TypedProof::of(prove::whole(self, at), ""),
            None => TypedProof::unsupported(format!("`{named}` is no command that ran here")),
        }
    }

    /// True when what is named, by its command line or by the id of its call, was done here and went well, even where it only
    /// looked.
    pub fn went_well(&self, named: &str) -> bool {
        let named = plain(named);
        let call = self.calls.iter().rev().find(|called| called.id.as_str() == named);
        if let Some(called) = call {
            return matches!(called.end, End::Done(None | Some(0)));
        }
        let run = self.done.iter().rev().find(|deed| is_run(deed, &named));
        run.is_some_and(|deed| matches!(&deed.what, What::Ran(run) if run.exit == Some(0)))
    }

    /// The first code that was changed, as far as anybody knows: a file, or the command that may have changed one where nobody
    /// looked what it did.
    pub fn changed_code(&self) -> Option<String> {
        self.done.iter().enumerate().find_map(|(at, deed)| {
            let What::Wrote(written) = &deed.what else { return None };
            let path = written.changed_code()?;
            Some(if path.is_empty() { self.line_beside(at, deed) } else { path.to_owned() })
        })
    }

    /// The command line that this was written by.
    fn line_beside(&self, at: usize, deed: &Deed) -> String {
        let around = self.done.iter().skip(at.saturating_sub(1)).take(3);
        let run = around.filter(|other| other.call == deed.call).find_map(|other| match &other.what {
            What::Ran(run) => Some(prove::first_line(&run.line)),
            What::Wrote(_) => None,
        });
        format!("perhaps by `{}`", run.unwrap_or_else(|| "a command".to_owned()))
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

/// True for a command line that is named by its words or by the id of its call.
fn is_run(deed: &Deed, named: &str) -> bool {
    match &deed.what {
        What::Ran(run) => plain(&run.line) == named || deed.call.as_ref().is_some_and(|call| call.as_str() == named),
        What::Wrote(_) => false,
    }
}

/// The words of a line, one blank between them.
fn plain(line: &str) -> String {
    line.split_whitespace().collect::<Vec<_>>().join(" ")
}
