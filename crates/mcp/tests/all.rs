//! The tests of this room, as one program.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "tests fail by panicking")]

mod asked;
mod hostile;
mod life;
mod login;
mod place;
mod real;
mod web;
