//! Every test of this room in one program: a program a file would be linked a file.
#![allow(
    clippy::expect_used,
    clippy::panic,
    clippy::unwrap_used,
    reason = "tests fail by panicking, and say what they measure"
)]

mod ahead;
mod cells;
mod cost;
mod fuzz;
mod meant;
mod overlays;
mod restore;
mod support;
