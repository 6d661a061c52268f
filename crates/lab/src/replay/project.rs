//! The events that front ends get for a record. Pure.

use reasonix_proto::{Event, Message, Record, RecordBody};

/// The durable event that goes out with a record; none for bookkeeping.
pub(crate) fn event_of(record: &Record) -> Option<Event> {
    let boxed = || Box::new(record.clone());
    Some(match &record.body {
        RecordBody::Session(head) => {
            Event::SessionStarted { record: boxed(), model: head.model.clone(), resumed: false }
        }
        RecordBody::Resumed { model, .. } => {
            Event::SessionStarted { record: boxed(), model: model.clone(), resumed: true }
        }
        RecordBody::Prompt { .. } | RecordBody::Shell { .. } => Event::TurnStarted { record: boxed() },
        RecordBody::Note { .. } => Event::Noted { record: boxed() },
        RecordBody::Assistant { .. } => Event::Message { record: boxed() },
        RecordBody::Decided(_) => Event::Answered { record: boxed() },
        RecordBody::Outcome { .. } | RecordBody::ShellEnded { .. } => Event::ToolEnded { record: boxed() },
        RecordBody::Validation(ran) if ran.outcome.is_some() => Event::ToolEnded { record: boxed() },
        RecordBody::TurnEnded { .. } => Event::TurnEnded { record: boxed() },
        RecordBody::Hook(_) => Event::Hooked { record: boxed() },
        RecordBody::RulesFired(_) => Event::RulesFired { record: boxed() },
        RecordBody::Claimed(_) => Event::Claimed { record: boxed() },
        RecordBody::JobBegan(_) => Event::Job { record: boxed(), running: 1 },
        RecordBody::JobEnded(_) => Event::Job { record: boxed(), running: 0 },
        RecordBody::Compacted(_) => Event::Compacted { record: boxed() },
        RecordBody::Moved { .. } => Event::Moved { record: boxed(), text: None },
        RecordBody::Titled { .. }
        | RecordBody::Labelled { .. }
        | RecordBody::ModelChanged { .. }
        | RecordBody::ModeChanged { .. }
        | RecordBody::AgentChanged { .. }
        | RecordBody::Planned(_)
        | RecordBody::Planner(_)
        | RecordBody::Child(_)
        | RecordBody::ChildWork { .. }
        | RecordBody::Escalated(_)
        | RecordBody::PostureChanged { .. }
        | RecordBody::Rewound(_)
        | RecordBody::Left(_)
        | RecordBody::Goal(_)
        | RecordBody::Granted { .. }
        | RecordBody::Discarded => Event::Changed { record: boxed() },
        _ => return None,
    })
}

/// All events for a record that is only shown: an answer comes in one piece before its message.
pub(crate) fn show(record: &Record) -> Vec<Event> {
    let mut events = Vec::new();
    if let RecordBody::Assistant { message: Message::Assistant { text, reasoning, .. }, .. } = &record.body {
        let thought = reasoning.as_ref().filter(|reasoning| !reasoning.text.is_empty());
        events.extend(thought.map(|reasoning| Event::Reasoning { delta: reasoning.text.clone() }));
        events.extend((!text.is_empty()).then(|| Event::Text { delta: text.clone() }));
    }
    events.extend(event_of(record));
    events
}
