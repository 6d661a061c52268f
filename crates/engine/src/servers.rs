//! The servers that extend a session.

pub(crate) mod specs;
