//! One envelope a line, for programs.

use super::{View, answer_of};
use crate::say;
use reasonix_proto::{Envelope, Event, Op};
use std::io;

/// Prints events as JSON lines.
#[derive(Default)]
pub(crate) struct Json {
    lines: Vec<u8>,
    answer: String,
}

impl View for Json {
    fn show(&mut self, envelope: &Envelope) -> io::Result<Option<Op>> {
        self.child(envelope)?;
        if let Event::Message { record } = &envelope.event
            && let Some((text, false)) = answer_of(record)
        {
            text.clone_into(&mut self.answer);
        }
        Ok(None)
    }

    fn child(&mut self, envelope: &Envelope) -> io::Result<()> {
        self.lines.extend_from_slice(say::json(envelope)?.as_bytes());
        self.lines.push(b'\n');
        Ok(())
    }

    fn flush(&mut self) -> io::Result<()> {
        let lines = std::mem::take(&mut self.lines);
        if lines.is_empty() { Ok(()) } else { say::bytes(&lines) }
    }

    fn answer(&self) -> &str {
        &self.answer
    }
}
