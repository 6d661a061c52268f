//! Every test of this room in one program: a program a file would be linked a file.
#![allow(
    clippy::expect_used,
    clippy::indexing_slicing,
    clippy::panic,
    clippy::unwrap_used,
    reason = "tests fail by panicking, and say what they measure"
)]

mod analyse;
mod attacks;
mod bypass;
mod changes;
mod danger;
mod differential;
mod examine;
mod families;
mod outside;
mod prefixes;
mod properties;
#[path = "support/properties.rs"]
mod property;
mod quiet;
mod reach;
mod verdict;
