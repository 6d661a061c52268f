//! The composition: builds an agent from settings, owns the live session, its questions and its queues.
//! Takes [`reasonix_proto::Op`], gives [`reasonix_proto::Event`]; front ends know nothing else of it.

mod approve;
mod border;
mod confine;
mod error;
mod live;
mod models;
mod outbox;
mod prompt;
mod refs;
mod start;
pub mod tools;
mod trust;
pub mod undo;

pub use confine::{confinement, shortcoming};
pub use error::EngineError;
pub use models::{build_model, client_of, endpoint_of};
pub use outbox::Events;
pub use prompt::BASE_PROMPT;
pub use refs::{Resolved, resolve_refs};
pub use start::{Handle, Start, Which, start, tool_specs, unknown_tools};
pub use trust::trust_info;
