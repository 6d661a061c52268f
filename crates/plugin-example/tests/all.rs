//! The tests of this room, as one program.

#![allow(clippy::unwrap_used, clippy::panic, reason = "tests fail by panicking")]

mod driven;
