//! The names of those tools that front ends show in a way of their own. What a tool can is told by its spec, not by its
//! name.

/// Runs command lines.
pub const BASH: &str = "bash";
/// Puts questions to the user.
pub const ASK: &str = "ask";
/// Hands in a plan.
pub const SUBMIT_PLAN: &str = "submit_plan";
