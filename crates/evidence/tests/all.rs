//! The tests of this room, in one program.
#![allow(
    clippy::expect_used,
    clippy::indexing_slicing,
    clippy::panic,
    clippy::print_stdout,
    clippy::unwrap_used,
    reason = "tests fail by panicking, and say what they measure"
)]

mod corpus;
mod jobs;
mod phrases;
mod rules;
mod typed;
mod variants;
