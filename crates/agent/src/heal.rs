//! What a log lacks so that the next request is valid: an outcome for every call, and an answer at the end.
//! Used when a session is taken up again after its process died, and when the disk failed in the middle of a turn.

use crate::context::INTERRUPTED;
use reasonix_proto::{Message, RecordBody, StopReason, ToolCall, ToolOutcome};

/// The records to append, in order; none when the conversation is whole. The answer, where one is missing, counts as
/// this turn's and step's.
pub fn heal<'a>(
    messages: impl DoubleEndedIterator<Item = &'a Message>,
    (turn, step): (u32, u32),
    model: &str,
) -> Vec<RecordBody> {
    let (answered, last) = tail(messages);
    let mut missing: Vec<RecordBody> = Vec::new();
    match last {
        None => return missing,
        Some(Message::Assistant { calls, .. }) if calls.is_empty() => return missing,
        Some(Message::Assistant { calls, .. }) => {
            missing.extend(calls.iter().filter(|call| !answered.contains(&call.id.as_str())).map(aborted));
        }
        Some(_) => {}
    }
    missing.push(RecordBody::Assistant {
        turn,
        step,
        model: model.to_owned(),
        message: Message::Assistant {
            text: INTERRUPTED.to_owned(),
            reasoning: None,
            calls: Vec::new(),
            stop: StopReason::Interrupted,
        },
        usage: None,
    });
    missing
}

/// The calls answered at the very end, and the message before those answers.
fn tail<'a>(messages: impl DoubleEndedIterator<Item = &'a Message>) -> (Vec<&'a str>, Option<&'a Message>) {
    let mut answered = Vec::new();
    for message in messages.rev() {
        match message {
            Message::Tool { call, .. } => answered.push(call.as_str()),
            other => return (answered, Some(other)),
        }
    }
    (answered, None)
}

fn aborted(call: &ToolCall) -> RecordBody {
    RecordBody::Outcome { call: call.id.clone(), tool: call.name.clone(), took_ms: 0, outcome: ToolOutcome::Aborted }
}

#[cfg(test)]
mod tests {
    use super::heal;
    use reasonix_proto::{CallId, Message, RecordBody, StopReason, ToolCall};

    fn user() -> Message {
        Message::user("hi")
    }

    fn assistant(calls: &[&str]) -> Message {
        let calls: Vec<_> = calls
            .iter()
            .map(|id| ToolCall { id: CallId::from(*id), name: "ls".into(), arguments: "{}".into() })
            .collect();
        Message::Assistant { text: String::new(), reasoning: None, calls, stop: StopReason::End }
    }

    fn tool(id: &str) -> Message {
        Message::Tool { call: CallId::from(id), name: "ls".into(), content: "x".into() }
    }

    #[test]
    fn what_is_missing() {
        for (messages, outcomes, answer) in [
            (vec![], vec![], false),
            (vec![user()], vec![], true),
            (vec![user(), assistant(&[])], vec![], false),
            (vec![user(), assistant(&["a", "b"])], vec!["a", "b"], true),
            (vec![user(), assistant(&["a", "b"]), tool("a")], vec!["b"], true),
            (vec![user(), assistant(&["a"]), tool("a")], vec![], true),
            (vec![user(), assistant(&["a"]), tool("a"), user()], vec![], true),
            (vec![user(), assistant(&["a"]), tool("a"), assistant(&[])], vec![], false),
        ] {
            let records = heal(messages.iter(), (1, 1), "m");
            let healed: Vec<_> = records
                .iter()
                .filter_map(|body| match body {
                    RecordBody::Outcome { call, .. } => Some(call.as_str()),
                    _ => None,
                })
                .collect();
            assert_eq!(healed, outcomes, "{messages:?}");
            let answered = matches!(records.last(), Some(RecordBody::Assistant { .. }));
            assert_eq!(answered, answer, "{messages:?}");
        }
    }
}
