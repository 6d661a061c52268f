//! Pure permission verdicts: rules as text, and `deny > ask > allow > fallback` over what a call would do.
//! No IO, no clock, no settings: everything a verdict depends on is handed in.

mod command;
mod rule;
mod suggest;
mod verdict;

pub use rule::{Rule, RuleError};
pub use suggest::suggest;
pub use verdict::{By, Mode, Posture, Rules, Verdict, evaluate};
