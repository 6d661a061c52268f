//! The servers that extend a session.

mod closed;
mod refused;
pub(crate) mod specs;
