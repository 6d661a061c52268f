//! Pure permission verdicts: what a command line would do, rules as text, the dangerous class, and
//! `deny > ask > allow > fallback` over what a call would do.
//! No IO, no clock, no settings: everything a verdict depends on is handed in.

mod analyse;
mod beyond;
mod changes;
mod command;
mod danger;
mod effects;
mod examine;
mod facts;
mod judge;
mod known;
mod narrow;
mod outside;
mod protected;
mod public;
mod reach;
mod readers;
mod rule;
mod strays;
mod suggest;
mod verdict;

pub use analyse::{analyse, read_only};
pub use changes::PathChange;
pub use danger::{DangerKind, LineDanger, dangers, more_dangers, stays_in_workspace};
pub use effects::{Effects, Hidden, How, Places, Simple, Word, WordKind, Write};
pub use examine::{Finding, Never, Remark, examine};
pub use facts::{Facts, NoFacts, Target};
pub use judge::{Circumstances, judge, judge_restorable, protected};
pub use protected::{approved_for, is_protected};
pub use public::is_public;
pub use reasonix_proto::{Posture, visible};
pub use rule::{Rule, RuleError};
pub use suggest::{suggest, suggest_always};
pub use verdict::{By, Case, Fallback, Rules, Verdict, evaluate};
