//! Tests only: a scripted model server, temporary workspaces and event collection.
//! Everything here stops loudly: what goes wrong in a test's own tools must turn the test red.

#![allow(clippy::expect_used, clippy::panic, clippy::unwrap_used, reason = "a broken test must stop")]

mod collector;
mod http;
mod pty;
mod reply;
mod route;
mod server;
mod validate;
mod validate_items;
mod validate_messages;
mod workspace;

pub use collector::Collector;
pub use http::Recorded;
pub use pty::Pty;
pub use reply::Reply;
pub use server::ModelServer;
pub use validate::{prefix_breaks, violations, violations_at};
pub use workspace::TempWorkspace;
