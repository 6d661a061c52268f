//! The loop: one prompt in, steps of model and tools, one end out. It knows the world only through its ports
//! ([`Model`], [`Tool`], [`Gate`], [`Journal`], [`Artifacts`], [`Sink`]); it does no IO of its own.

mod ports;
mod tokens;

pub use ports::{
    Args, Artifacts, Ask, BoxFuture, Call, Decision, Failure, FailureClass, Gate, Item, Journal, JournalError, Model,
    ModelCard, ModelStream, Prefix, Request, Sink, Stop, Tool, ToolSpec, Tools, parse_args,
};
pub use tokens::estimate_tokens;
