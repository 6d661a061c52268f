//! What is outside of a session, as its settings say: the models and keys, the network, the box and its border, what the user
//! trusts, the words that a system prompt is made of. Starts nothing and runs no turn.

pub mod border;
pub mod confine;
pub mod detect;
pub mod editing;
mod endpoint_key;
pub mod error;
mod keys;
pub mod network;
pub mod probes;
pub mod prompt;
pub mod shelf;
pub mod spec;
pub mod tap;
pub mod trust;
pub mod windows;
mod world;

pub use world::{World, endpoint_of, format_of, missing_key, unprobed_endpoint};
