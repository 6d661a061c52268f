//! What a log lacks when its process died, so that the next request is valid. Pure.

use crate::history::Path;
use reasonix_agent::{heal, message_of};
use reasonix_proto::{Message, Record, RecordBody, TurnEnd, Usage};

/// The records to append so that every call has an outcome, every turn an answer and an end.
pub(crate) fn missing(records: &[Record]) -> Vec<RecordBody> {
    let path = Path::of(records);
    let Some(open) = Unfinished::in_path(&path) else { return Vec::new() };
    let messages: Vec<Message> = path.bodies().filter_map(message_of).collect();
    let mut healed = heal(messages.iter(), (open.turn, open.steps.saturating_add(1)), &open.model);
    healed.push(open.end());
    healed
}

/// A turn that has no end.
struct Unfinished {
    turn: u32,
    steps: u32,
    usage: Usage,
    model: String,
}

impl Unfinished {
    fn in_path(path: &Path<'_>) -> Option<Self> {
        let mut model = String::new();
        let mut open: Option<Self> = None;
        for body in path.bodies() {
            match body {
                RecordBody::Session(head) => model.clone_from(&head.model),
                RecordBody::Resumed { model: now, .. } => model.clone_from(now),
                RecordBody::Prompt { turn, .. } => {
                    let (turn, model) = (*turn, model.clone());
                    open = Some(Self { turn, steps: 0, usage: Usage::default(), model });
                }
                RecordBody::TurnEnded { .. } => open = None,
                body => {
                    if let Some(open) = &mut open {
                        open.see(body);
                    }
                }
            }
        }
        open
    }

    fn see(&mut self, body: &RecordBody) {
        if let RecordBody::Assistant { step, model, usage, .. } = body {
            self.steps = self.steps.max(*step);
            self.model.clone_from(model);
            self.usage.add(usage.unwrap_or_default());
        }
    }

    fn end(&self) -> RecordBody {
        RecordBody::TurnEnded { turn: self.turn, end: TurnEnd::Interrupted, steps: self.steps, usage: self.usage }
    }
}
