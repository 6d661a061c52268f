//! What a log lacks when its process died, so that the next request is valid. Pure.

use crate::history::{Path, pending};
use reasonix_agent::{INTERRUPTED, message_of};
use reasonix_proto::{Message, Record, RecordBody, StopReason, ToolOutcome, TurnEnd, Usage};

/// The records to append so that every call has an outcome, every turn an answer and an end.
pub(crate) fn missing(records: &[Record]) -> Vec<RecordBody> {
    let path = Path::of(records);
    let mut healed: Vec<RecordBody> = pending(path.bodies())
        .into_iter()
        .map(|call| RecordBody::Outcome { call: call.id, tool: call.name, took_ms: 0, outcome: ToolOutcome::Aborted })
        .collect();
    if let Some(turn) = Unfinished::in_path(&path) {
        if !turn.answered || !healed.is_empty() {
            healed.push(turn.answer());
        }
        healed.push(turn.end());
    }
    healed
}

/// A turn that has no end.
struct Unfinished {
    turn: u32,
    steps: u32,
    usage: Usage,
    model: String,
    /// Its last message is the model's answer in words.
    answered: bool,
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
                    open = Some(Self { turn, steps: 0, usage: Usage::default(), model, answered: false });
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
        if let Some(message) = message_of(body) {
            self.answered = matches!(message, Message::Assistant { calls, .. } if calls.is_empty());
        }
    }

    fn answer(&self) -> RecordBody {
        let message = Message::Assistant {
            text: INTERRUPTED.to_owned(),
            reasoning: None,
            calls: Vec::new(),
            stop: StopReason::Interrupted,
        };
        let step = self.steps.saturating_add(1);
        RecordBody::Assistant { turn: self.turn, step, model: self.model.clone(), message, usage: None }
    }

    fn end(&self) -> RecordBody {
        RecordBody::TurnEnded { turn: self.turn, end: TurnEnd::Interrupted, steps: self.steps, usage: self.usage }
    }
}
