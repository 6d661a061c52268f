//! The vocabulary of Reasonix: what goes in ([`Op`], [`Query`]), what comes out ([`Event`], [`Reply`]),
//! and what is kept ([`Record`]). Serde only: no runtime, no IO, no policy.

mod action;
mod event;
mod ids;
mod message;
mod op;
mod outcome;
mod phrase;
mod record;
mod usage;

pub use action::{Action, Family, ReadOnly};
pub use event::{Envelope, Event, Level, PROTOCOL_VERSION, TurnState};
pub use ids::{AskId, CallId, RecordId, SessionId};
pub use message::{Block, Kept, Message, Reasoning, StopReason, ToolCall};
pub use op::{Choice, Op, Query, Reply, TodoItem, TodoPhase, TodoStatus};
pub use outcome::{Artifact, Change, ChangeKind, Details, ToolOutcome};
pub use phrase::Phrase;
pub use record::{Asking, Danger, Decided, Field, RECORD_VERSION, Record, RecordBody, SessionHead, TurnEnd};
pub use usage::{Price, Usage};
