//! The loop under observation: a session played again from its log, and edit formats measured at the user's own endpoint.
//! Both are programs on top of an engine; no session needs them.

pub mod bench;
mod replay;

pub use replay::{Difference, Heard, Replayed, replay};
