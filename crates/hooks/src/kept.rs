//! What hooks keep of what is written down: the last words of the model, and what they did before there was a log.

use super::locked;
use reasonix_proto::{Message, Record, RecordBody};
use reasonix_state::{Observer, SessionState};
use std::sync::{Arc, Mutex};

/// Records that wait for the first prompt, at most.
const MOST_HELD: usize = 64;

/// What the model said last, and what is to be written down when there is a log to write to.
#[derive(Default)]
pub(super) struct Kept {
    last: Mutex<String>,
    early: Mutex<Vec<RecordBody>>,
}

impl Kept {
    pub(super) fn last(&self) -> String {
        locked(&self.last).clone()
    }

    pub(super) fn hold(&self, body: RecordBody) {
        let mut early = locked(&self.early);
        if early.len() < MOST_HELD {
            early.push(body);
        }
    }
}

/// Sees what is written down, for the hooks.
pub struct HookWatch(pub(super) Arc<Kept>);

impl Observer for HookWatch {
    fn after(&mut self, record: &Record, _state: &SessionState) -> Vec<RecordBody> {
        match &record.body {
            RecordBody::Assistant { message: Message::Assistant { text, .. }, .. } => {
                locked(&self.0.last).clone_from(text);
                Vec::new()
            }
            RecordBody::Prompt { .. } => std::mem::take(&mut *locked(&self.0.early)),
            _ => Vec::new(),
        }
    }
}
