//! The servers that extend a session.

mod refused;
pub(crate) mod specs;
