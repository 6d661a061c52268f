//! Every test of this room in one program: a program a file would be linked a file.
#![allow(clippy::panic, clippy::unwrap_used, reason = "tests fail by panicking, and say what they measure")]

mod common;
mod documented;
mod layers;
mod models;
mod project;
mod shapes;
mod trust;
mod writing;
