//! Every test of this room in one program: a program a file would be linked a file.
#![allow(
    clippy::expect_used,
    clippy::indexing_slicing,
    clippy::panic,
    clippy::print_stderr,
    clippy::print_stdout,
    clippy::unwrap_used,
    reason = "tests fail by panicking, and say what they measure"
)]

mod agents;
mod answers;
mod ask;
mod attacks;
mod background;
#[cfg(target_os = "linux")]
mod border;
#[cfg(target_os = "linux")]
mod branches;
mod children;
mod copies;
#[cfg(target_os = "linux")]
mod everyday;
mod evidence;
mod explore;
mod folding;
mod forks;
mod fuzz;
#[cfg(target_os = "linux")]
mod fuzz_readers;
mod gate;
mod goals;
mod growth;
#[cfg(target_os = "linux")]
mod held;
mod hooks;
mod images;
mod jobs;
mod later;
mod leaving;
mod long;
mod moving;
mod paths;
#[cfg(target_os = "linux")]
mod peers;
mod plan;
mod postures;
mod questions;
mod recall;
mod relay;
mod roles;
mod servers;
#[cfg(target_os = "linux")]
mod shadowed;
mod shelf;
mod skills;
mod specs;
mod steps;
mod stream_rules;
mod todos;
mod told;
mod world;
mod writers;
mod yields;
