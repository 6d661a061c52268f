//! Every test of this room in one program: a program a file would be linked a file.
#![allow(
    clippy::expect_used,
    clippy::panic,
    clippy::print_stderr,
    clippy::unwrap_used,
    reason = "tests fail by panicking, and say what they measure"
)]

mod common;
mod cost;
mod damage;
mod earlier;
mod ledger;
mod log;
mod memory;
mod pack;
mod planners;
mod retain;
mod search;
mod search_cost;
mod specs;
mod tree;
