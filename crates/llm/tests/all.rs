//! Every test of this room in one program: a program a file would be linked a file.
#![allow(
    clippy::expect_used,
    clippy::panic,
    clippy::unwrap_used,
    reason = "tests fail by panicking, and say what they measure"
)]

mod chain;
mod codes;
mod faults;
mod forms;
mod keys;
mod patience;
mod probe;
mod scripted;
mod types;
mod vendors;
mod wire;
mod wires;
