//! What an answer claims, and whether the log proves it.

use crate::{CallId, Level, Phrase, RecordId};
use serde::{Deserialize, Serialize};

/// Something that an answer says was done, held against the log.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Claim {
    /// What is claimed.
    pub kind: ClaimKind,
    /// The words that claim it, bounded.
    pub quote: String,
    /// Where they begin in the answer, in bytes.
    pub from: usize,
    /// Where they end.
    pub to: usize,
    /// Whether the log proves it.
    pub status: ClaimStatus,
    /// The calls that prove it, or that would have.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub by: Vec<CallId>,
    /// Why it stands as it does, for people.
    pub why: Phrase,
}

impl Claim {
    /// The claim and why it stands as it does, for people.
    pub fn phrase(&self) -> Phrase {
        self.why.clone().with("quote", &self.quote)
    }
}

/// What an answer claims.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Claimed {
    /// The turn.
    pub turn: u32,
    /// The `assistant` record with the answer.
    pub record: RecordId,
    /// In the order of the text, bounded.
    pub claims: Vec<Claim>,
}

/// So many claims that are not proved are shown one by one.
const MOST_SHOWN: usize = 3;

impl Claimed {
    /// What stands behind the answer for people: what is not proved, line by line; otherwise that all of it is.
    pub fn lines(&self) -> Vec<(Level, Phrase)> {
        let open: Vec<&Claim> = self.claims.iter().filter(|claim| claim.status != ClaimStatus::Verified).collect();
        let mut lines: Vec<(Level, Phrase)> =
            open.iter().take(MOST_SHOWN).map(|claim| (Level::Warning, claim.phrase())).collect();
        match (open.len(), self.claims.as_slice()) {
            (0, [only]) => lines.push((Level::Info, only.phrase())),
            (0, []) => {}
            (0, all) => lines.push((Level::Info, Phrase::new("evidence.all").with("count", all.len()))),
            (more, _) if more > MOST_SHOWN => {
                lines.push((Level::Warning, Phrase::new("evidence.more").with("count", more - MOST_SHOWN)));
            }
            _ => {}
        }
        lines
    }
}

/// What is claimed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ClaimKind {
    /// Tests were run, or pass.
    Tests,
    /// It compiles, or the build works.
    Build,
    /// A linter, a formatter or a check of types finds nothing.
    Lint,
    /// A defect is fixed.
    Fix,
    /// A named file was made, changed or removed.
    File,
    /// Of a later version.
    #[serde(other)]
    Unknown,
}

/// Whether the log proves a claim.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ClaimStatus {
    /// It does.
    Verified,
    /// It did, until something was changed.
    Stale,
    /// It does not. What nobody can tell is this, too.
    #[serde(other)]
    Unsupported,
}
