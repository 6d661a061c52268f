//! Gathers events for assertions.

use reasonix_proto::{Event, Record};
use std::sync::{Arc, Mutex, PoisonError};

/// Keeps every event it is given; clones share what they keep.
#[derive(Debug, Clone, Default)]
pub struct Collector(Arc<Mutex<Vec<Event>>>);

impl Collector {
    /// Takes one event.
    pub fn push(&self, event: Event) {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).push(event);
    }

    /// The events so far, in order.
    pub fn events(&self) -> Vec<Event> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// All text deltas in one.
    pub fn text(&self) -> String {
        let deltas = self.events().into_iter().filter_map(|event| match event {
            Event::Text { delta } => Some(delta),
            _ => None,
        });
        deltas.collect()
    }

    /// The records that the events carry, in order.
    pub fn records(&self) -> Vec<Record> {
        let records = self.events().into_iter().filter_map(|event| match event {
            Event::SessionStarted { record, .. }
            | Event::TurnStarted { record }
            | Event::Noted { record }
            | Event::Message { record }
            | Event::ToolEnded { record }
            | Event::Answered { record }
            | Event::TurnEnded { record } => Some(*record),
            _ => None,
        });
        records.collect()
    }
}
