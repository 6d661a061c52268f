//! The conversation in memory: the prefix and everything that was said after it. It only grows.

use crate::context::message_of;
use crate::heal::heal;
use crate::ports::{Prefix, Request};
use reasonix_proto::{Message, Record, RecordBody, Usage};
use std::sync::{Arc, Mutex, PoisonError};

/// A session's conversation, as the next request will carry it.
#[derive(Debug, Clone)]
pub struct Conversation {
    prefix: Arc<Prefix>,
    messages: Vec<Arc<Message>>,
    turns: u32,
    usage: Usage,
    context: u64,
}

impl Conversation {
    /// An empty conversation after this prefix.
    pub fn new(prefix: Arc<Prefix>) -> Self {
        Self { prefix, messages: Vec::new(), turns: 0, usage: Usage::default(), context: 0 }
    }

    /// The conversation that a log holds.
    pub fn replay(prefix: Arc<Prefix>, messages: Vec<Message>, turns: u32, usage: Usage, context: u64) -> Self {
        Self { prefix, messages: messages.into_iter().map(Arc::new).collect(), turns, usage, context }
    }

    /// Adds what a journaled record says. The only way in.
    pub(crate) fn take(&mut self, record: &Record) {
        self.messages.extend(message_of(&record.body).map(Arc::new));
    }

    /// Counts what the provider reported for one request.
    pub(crate) fn count(&mut self, usage: Usage) {
        self.usage.add(usage);
        self.context = usage.input.saturating_add(usage.output);
    }

    /// Begins the next turn and gives its number.
    pub(crate) fn next_turn(&mut self) -> u32 {
        self.turns += 1;
        self.turns
    }

    /// True when the last word was the user's.
    pub(crate) fn waits_for_answer(&self) -> bool {
        self.messages.last().is_some_and(|message| matches!(**message, Message::User { .. }))
    }

    /// What the conversation lacks to be whole.
    pub(crate) fn missing(&self, place: (u32, u32), model: &str) -> Vec<RecordBody> {
        heal(self.messages.iter().map(Arc::as_ref), place, model)
    }

    /// The next request.
    pub(crate) fn request(&self, may_call: bool) -> Request {
        Request { prefix: Arc::clone(&self.prefix), messages: self.messages.clone(), may_call }
    }

    /// How many turns there were.
    pub fn turns(&self) -> u32 {
        self.turns
    }

    /// The tokens of all requests together.
    pub fn usage(&self) -> Usage {
        self.usage
    }

    /// Tokens of the last request and its answer.
    pub fn context(&self) -> u64 {
        self.context
    }
}

/// What a person says to a running turn, waiting to be read before its next step.
#[derive(Debug, Clone, Default)]
pub struct Inbox(Arc<Mutex<Vec<String>>>);

impl Inbox {
    /// Queues a steering message.
    pub fn push(&self, text: String) {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).push(text);
    }

    /// Takes all that wait, joined.
    pub fn take(&self) -> Option<String> {
        let waiting = std::mem::take(&mut *self.0.lock().unwrap_or_else(PoisonError::into_inner));
        (!waiting.is_empty()).then(|| waiting.join("\n\n"))
    }

    /// True when nothing waits.
    pub fn is_empty(&self) -> bool {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).is_empty()
    }
}
