//! Ids of calls: unique in a conversation, and the same each time it is read.

use reasonix_proto::{Message, ToolCall};
use std::sync::Arc;

/// The longest id; a longer one is replaced by ours.
pub(crate) const MOST_ID: usize = 256;

/// The id itself, or one of ours where there is none or it is taken.
pub(crate) fn unique(id: String, history: &[Arc<Message>], calls: &[ToolCall]) -> String {
    if id.is_empty() || id.len() > MOST_ID || taken(&id, history, calls) { fresh(history, calls) } else { id }
}

fn made(history: &[Arc<Message>]) -> impl Iterator<Item = &ToolCall> {
    history.iter().flat_map(|message| match message.as_ref() {
        Message::Assistant { calls, .. } => calls.as_slice(),
        _ => &[],
    })
}

fn taken(id: &str, history: &[Arc<Message>], calls: &[ToolCall]) -> bool {
    made(history).chain(calls).any(|call| call.id.as_str() == id)
}

/// An id that depends on the conversation alone: the same log gives the same id.
pub(crate) fn fresh(history: &[Arc<Message>], calls: &[ToolCall]) -> String {
    let first = made(history).count() + calls.len() + 1;
    let ids = (first..).map(|number| format!("call_{number}"));
    ids.into_iter().find(|id| !taken(id, history, calls)).unwrap_or_default()
}
