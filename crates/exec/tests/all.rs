//! What a box holds, in one program: a program a file would be linked a file. Those beside it stay alone, since they have to
//! do with what a whole process shares: limits, ports, descriptors, what is done when it ends.
#![allow(
    clippy::expect_used,
    clippy::panic,
    clippy::print_stderr,
    clippy::unwrap_used,
    reason = "tests fail by panicking, and say what they measure"
)]

#[macro_use]
mod place;

mod attacks;
mod git;
mod held;
mod homes;
mod left;
mod sandbox;
mod session;
mod toolchains;
