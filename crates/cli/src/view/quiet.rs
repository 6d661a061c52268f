//! Nothing but what went wrong; the caller prints the last answer.

use super::{View, answer_of};
use crate::say;
use reasonix_proto::{Envelope, Event, Level, Op};
use std::io;

/// Keeps the last answer and shows errors.
#[derive(Default)]
pub(crate) struct Quiet {
    answer: String,
}

impl View for Quiet {
    fn show(&mut self, envelope: &Envelope) -> io::Result<Option<Op>> {
        match &envelope.event {
            Event::Message { record } => {
                if let Some((text, false)) = answer_of(record) {
                    text.clone_into(&mut self.answer);
                }
            }
            Event::Notice { level: Level::Error, phrase } => say::notice(Level::Error, phrase),
            _ => {}
        }
        Ok(None)
    }

    fn answer(&self) -> &str {
        &self.answer
    }
}
