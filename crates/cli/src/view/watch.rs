//! Any view, with an eye on how the last answer ended.

use super::View;
use reasonix_proto::{Envelope, Event, Inquiry, Message, Op, RecordBody, StopReason};
use std::io;

/// Shows what its view shows, and remembers whether the last answer was whole.
pub(crate) struct Watch {
    view: Box<dyn View>,
    unfinished: bool,
}

impl Watch {
    pub(crate) fn over(view: Box<dyn View>) -> Self {
        Self { view, unfinished: false }
    }

    /// True when the last answer was cut off at a length, or withheld.
    pub(crate) fn unfinished(&self) -> bool {
        self.unfinished
    }
}

impl View for Watch {
    fn show(&mut self, envelope: &Envelope) -> io::Result<Option<Op>> {
        if let Event::Message { record } = &envelope.event
            && let RecordBody::Assistant { message: Message::Assistant { stop, .. }, .. } = &record.body
        {
            self.unfinished = matches!(stop, StopReason::Length | StopReason::Filtered);
        }
        self.view.show(envelope)
    }

    fn inquire(&mut self, inquiry: &Inquiry, waits: &dyn Fn() -> bool) -> Option<Op> {
        self.view.inquire(inquiry, waits)
    }

    fn child(&mut self, envelope: &Envelope) -> io::Result<()> {
        self.view.child(envelope)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.view.flush()
    }

    fn animates(&self) -> bool {
        self.view.animates()
    }

    fn tick(&mut self) -> io::Result<()> {
        self.view.tick()
    }

    fn close(&mut self) -> io::Result<()> {
        self.view.close()
    }

    fn answer(&self) -> &str {
        self.view.answer()
    }
}
