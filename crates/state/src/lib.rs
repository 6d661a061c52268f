//! What a live session is in: its state, what it may spend, its events on their way out, and operations on their way in.
//! Knows of no model, no tool and no settings but the limits.

mod logbook;
pub mod outbox;
pub mod pooled;
pub mod purse;
mod state;
pub mod ticket;

pub use state::{Book, CarriedOut, Observer, SessionState};
