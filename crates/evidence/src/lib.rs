//! What an answer claims and whether the log proves it: tests, builds, linters, fixes and files, in English and Chinese,
//! by rule and without a model. Pure: it looks at records and text only. Where nobody can tell, a claim is unsupported;
//! nothing is called verified that the log does not show.

mod built;
mod check;
mod claimed;
mod claims;
mod clause;
mod codes;
mod command;
mod components;
mod covers;
mod deeds;
mod described;
mod elsewhere;
mod environments;
mod files;
mod filters;
mod grammar;
mod halves;
mod inline;
mod line;
mod linted;
mod meant;
mod news;
mod options;
mod others;
mod own;
mod packagers;
mod pattern;
mod programs;
mod prose;
mod prove;
mod quoted;
mod ran;
mod reach;
mod runners;
mod said;
mod scan;
mod scoped;
mod sorts;
mod summary;
mod tested;
mod told;
mod tried;
mod typed;
mod why;
mod writes;

pub use deeds::Deeds;
pub use typed::{TypedClaim, TypedProof};
pub use writes::is_changed_code;

use reasonix_proto::{Claim, Record};
use said::Said;

/// So many claims of one answer are looked at.
const MOST_CLAIMS: usize = 32;

/// So much of an answer is looked at, in bytes: its end, where it says what was done.
const LONGEST_ANSWER: usize = 32 * 1024;

/// What the answer claims, in the order of its text, held against what the records say was done. The records are those of
/// the session in the order they were written: what a command did to files stays done on whatever branch the conversation
/// goes on.
pub fn check(records: &[Record], answer: &str) -> Vec<Claim> {
    let mut deeds = Deeds::default();
    records.iter().for_each(|record| deeds.see(record));
    deeds.check(answer)
}

impl Deeds {
    /// The same with what was seen so far.
    pub fn check(&self, answer: &str) -> Vec<Claim> {
        let start = answer.ceil_char_boundary(answer.len().saturating_sub(LONGEST_ANSWER));
        let answer = answer.get(start..).unwrap_or_default();
        if !may_claim(answer) {
            return Vec::new();
        }
        let found = claims::find(answer);
        let meant: Vec<Said> = found.iter().filter(|said| meant::is(self, said, &found)).cloned().collect();
        let mut proved: Vec<Claim> = Vec::new();
        for claim in meant.into_iter().take(MOST_CLAIMS).map(|said| prove::prove(self, answer, said)) {
            // Several files in one breath are one claim, unless the log says different things of them.
            let same = |other: &&mut Claim| {
                (other.kind, other.from, other.to, other.status) == (claim.kind, claim.from, claim.to, claim.status)
            };
            match proved.last_mut().filter(same) {
                Some(other) => other.by.extend(claim.by),
                None => proved.push(claim),
            }
        }
        proved.iter_mut().for_each(|claim| (claim.from, claim.to) = (claim.from + start, claim.to + start));
        proved
    }
}

/// What every claim in English has some of. Most short answers have none, and patterns take a while to make.
const STEMS: &[&str] = &[
    "test",
    "pass",
    "succe",
    "valid",
    "complain",
    "quiet",
    "silent",
    "report",
    "pack",
    "image",
    "exit",
    "zero",
    "spec",
    "suite",
    "build",
    "built",
    "compil",
    "lint",
    "clippy",
    "fmt",
    "format",
    "type",
    "check",
    "warning",
    "fix",
    "solv",
    "repair",
    "correct",
    "no longer",
    "work",
    "green",
    "clean",
    "creat",
    "add",
    "new",
    "updat",
    "chang",
    "modif",
    "edit",
    "adapt",
    "adjust",
    "document",
    "extend",
    "remov",
    "delet",
    "drop",
    "renam",
    "mov",
    "writ",
    "wrote",
    "implement",
    "replac",
    "issue",
    "finding",
    "error",
    "fail",
    "problem",
    "refactor",
    "introduc",
    "split",
    "touch",
    "file",
    "crash",
    "bug",
    "happen",
    "leak",
    "gone",
    "race",
    "deadlock",
    "again",
    "readme",
    "longer",
    "any more",
    "anymore",
    "proper",
    "hang",
    "panic",
];

/// Whether there can be a claim in it at all. What names a file or a command may be one by any verb.
fn may_claim(answer: &str) -> bool {
    let lower = answer.to_ascii_lowercase();
    let is_name = |bytes: &[u8]| matches!(bytes, [before, b'.' | b'/', after] if before.is_ascii_alphanumeric() && after.is_ascii_alphanumeric());
    let names = answer.contains('`') || answer.as_bytes().windows(3).any(is_name);
    names || !answer.is_ascii() || STEMS.iter().chain(grammar::TOOLS).any(|stem| lower.contains(stem))
}
