//! How a session looks: as text for people, as JSON for programs, or only its last answer.

mod heading;
mod json;
mod plain;
mod quiet;
mod spinner;
mod tool;
mod watch;

pub(crate) use json::Json;
pub(crate) use plain::Plain;
pub(crate) use quiet::Quiet;
pub(crate) use tool::{diff_lines, todo_lines, whole_diff_lines};
pub(crate) use watch::Watch;

use reasonix_agent::{INTERRUPTED, NO_ANSWER};
use reasonix_proto::{Envelope, Inquiry, Message, Op, Record, RecordBody, StopReason};
use std::io;

/// Shows the events of a session.
pub(crate) trait View {
    /// Shows one event; an answer to a question goes back as an operation.
    fn show(&mut self, envelope: &Envelope) -> io::Result<Option<Op>>;

    /// Puts questions to whoever sits here, while those wait; what they say goes back as an operation.
    fn inquire(&mut self, _inquiry: &Inquiry, _waits: &dyn Fn() -> bool) -> Option<Op> {
        None
    }

    /// Shows an event of a session that works for this one; people see what came of it at its call.
    fn child(&mut self, _envelope: &Envelope) -> io::Result<()> {
        Ok(())
    }

    /// Everything shown so far reaches the screen.
    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }

    /// True when something moves on the screen while nothing happens.
    fn animates(&self) -> bool {
        false
    }

    /// Moves it.
    fn tick(&mut self) -> io::Result<()> {
        Ok(())
    }

    /// Leaves the screen clean.
    fn close(&mut self) -> io::Result<()> {
        self.flush()
    }

    /// The last whole answer.
    fn answer(&self) -> &str;
}

/// True for an answer that did not come to its end because somebody stopped it.
pub(crate) fn is_cut_off(record: &Record) -> bool {
    match &record.body {
        RecordBody::Assistant { message: Message::Assistant { stop, .. }, .. } => *stop == StopReason::Interrupted,
        _ => false,
    }
}

/// The text of an assistant record, and whether calls follow it.
pub(crate) fn answer_of(record: &Record) -> Option<(&str, bool)> {
    match &record.body {
        RecordBody::Assistant { message: Message::Assistant { text, calls, stop, .. }, .. } => {
            // What stands in the log for an answer that never came is for the model, not for people.
            let cut_off = matches!(stop, StopReason::Interrupted | StopReason::Failed);
            let stands_in = cut_off && [INTERRUPTED, NO_ANSWER].contains(&text.as_str());
            Some((if stands_in { "" } else { text.as_str() }, !calls.is_empty()))
        }
        _ => None,
    }
}
