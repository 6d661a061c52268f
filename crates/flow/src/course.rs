//! What the log says of a goal: whether its being done is proved.

use reasonix_evidence::Deeds;
use reasonix_proto::{Claim, ClaimKind, ClaimStatus, Record, RecordBody, ToolOutcome};

/// So many things that are missing are named.
const MOST_MISSING: usize = 5;

/// What stands for a proof where an answer does not say in words what was run.
const UNSAID: &[&str] = &["All tests pass.", "The build works."];

/// What a session did, and what of it for the goal. It is shown each record in the order they were written.
#[derive(Debug, Default)]
pub struct Course {
    all: Deeds,
    own: Deeds,
    after: u32,
    inside: bool,
    went_well: bool,
}

impl Course {
    /// The course of a goal that was set after this turn.
    pub fn new(after: u32) -> Self {
        Self { after, ..Self::default() }
    }

    /// A record was written.
    pub fn see(&mut self, record: &Record) {
        self.all.see(record);
        if let RecordBody::Prompt { turn, .. } | RecordBody::Shell { turn, .. } = &record.body {
            self.inside = *turn > self.after;
        }
        if self.inside {
            self.own.see(record);
            self.went_well |= went_well(&record.body);
        }
    }

    /// What is missing before the goal counts as done, for the model; nothing when the log proves it. A claim of the answer
    /// that is not proved is missing, and so is a proof where code was changed, or where nothing was done at all.
    pub fn missing(&self, answer: &str, proofs: &[String]) -> Vec<String> {
        let claims = self.all.check(answer);
        let open = claims.iter().filter(|claim| claim.status != ClaimStatus::Verified).map(unproved);
        let mut missing: Vec<String> = open.collect();
        let named = proofs.iter().map(|proof| (proof, self.all.proved_by(proof)));
        let named: Vec<(&String, ClaimStatus)> = named.collect();
        missing.extend(named.iter().filter_map(|(proof, status)| wanting(proof, *status)));
        missing.truncate(MOST_MISSING);
        if !missing.is_empty() {
            return missing;
        }
        let shows = |claim: &Claim| claim.status == ClaimStatus::Verified && claim.kind != ClaimKind::File;
        let shown = !named.is_empty() || claims.iter().any(shows);
        if self.own.changed_code() && !shown && !UNSAID.iter().any(|said| self.all.check(said).iter().any(shows)) {
            missing.push(
                "code was changed, and no command that shows that it works ran and ended well after the last change; run \
                 the tests or the build, or name what you ran: GOAL: done, proof: `COMMAND`"
                    .to_owned(),
            );
        } else if !self.went_well {
            missing.push("no call was made that could prove it".to_owned());
        }
        missing
    }
}

/// Whether a record is the outcome of a call that did what it was to do: a command that ended with a code did not.
fn went_well(body: &RecordBody) -> bool {
    let RecordBody::Outcome { outcome: ToolOutcome::Done { details, .. }, .. } = body else { return false };
    details.exit_code.is_none_or(|code| code == 0)
}

fn unproved(claim: &Claim) -> String {
    let quote = claim.quote.trim();
    match claim.status {
        ClaimStatus::Stale => format!("\"{quote}\" was true until something was changed afterwards; run it again"),
        _ => format!("\"{quote}\" is not proved by any command that ran here and ended well; run what proves it"),
    }
}

fn wanting(proof: &str, status: ClaimStatus) -> Option<String> {
    match status {
        ClaimStatus::Verified => None,
        ClaimStatus::Stale => Some(format!("`{proof}` ran before the last change; run it again")),
        ClaimStatus::Unsupported => {
            Some(format!("`{proof}` is no command that ran here, ended well and proves something"))
        }
    }
}
