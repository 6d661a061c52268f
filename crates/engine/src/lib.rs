//! The composition: builds an agent from settings, owns the live session, its questions and its queues.
//! Takes [`reasonix_proto::Op`], gives [`reasonix_proto::Event`]; front ends know nothing else of it.

mod approve;
mod border;
mod citations;
mod commands;
mod complete;
mod confine;
mod context;
mod desk;
mod destination;
mod error;
mod fuzzy;
mod git;
mod handle;
mod host;
mod live;
mod lookout;
mod models;
mod moves;
mod outbox;
mod people;
mod probes;
mod planning;
mod prompt;
mod queries;
mod queue;
mod recall;
mod refs;
mod start;
pub mod tools;
mod trust;
pub mod undo;

pub use confine::{confinement, shortcoming};
pub use context::context_of;
pub use destination::key_destination;
pub use error::EngineError;
pub use handle::Handle;
pub use host::Host;
pub use models::{build_model, client_of, endpoint_of, missing_key, proxy_of, unprobed_endpoint};
pub use outbox::Events;
pub use probes::{decline_probe, probe_age, probe_declined, probe_now, probed};
pub use prompt::BASE_PROMPT;
pub use recall::search_of;
pub use refs::{Resolved, resolve_refs};
pub use start::{Start, Which, imported_head, start, tool_names, tool_specs, unknown_tools};
pub use trust::trust_info;
