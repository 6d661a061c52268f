//! From records to messages: the request is a pure function of the prefix and the log.

use reasonix_proto::{Message, RecordBody, ToolOutcome};

/// What the model reads when the user interrupted before it said anything, or the process died.
pub const INTERRUPTED: &str = "[interrupted]";

/// What the model reads of a turn that got no answer because the provider failed.
pub const NO_ANSWER: &str = "[no answer]";

/// The message that a record adds to the conversation, if it adds one.
pub fn message_of(body: &RecordBody) -> Option<Message> {
    match body {
        RecordBody::Prompt { text, .. } | RecordBody::Note { text, .. } => Some(Message::User { text: text.clone() }),
        RecordBody::Assistant { message, .. } => Some(message.clone()),
        RecordBody::Outcome { call, tool, outcome, .. } => {
            Some(Message::Tool { call: call.clone(), name: tool.clone(), content: outcome_text(outcome) })
        }
        _ => None,
    }
}

/// What the model reads of an outcome.
pub fn outcome_text(outcome: &ToolOutcome) -> String {
    match outcome {
        ToolOutcome::Done { content, .. } if content.is_empty() => "(no output)".to_owned(),
        ToolOutcome::Done { content, .. } => content.clone(),
        ToolOutcome::Failed { message, hint: None } => format!("error: {message}"),
        ToolOutcome::Failed { message, hint: Some(hint) } => format!("error: {message}\nhint: {hint}"),
        ToolOutcome::Denied { by } => format!("blocked: {by}"),
        ToolOutcome::Aborted => "aborted: the call was interrupted; it may have run in part".to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::outcome_text;
    use reasonix_proto::ToolOutcome;

    #[test]
    fn every_outcome_says_something() {
        for outcome in [
            ToolOutcome::done(""),
            ToolOutcome::failed_with("no such file", "use ls"),
            ToolOutcome::Denied { by: "rule Bash(rm:*)".into() },
            ToolOutcome::Aborted,
        ] {
            assert!(!outcome_text(&outcome).is_empty());
        }
        assert_eq!(
            outcome_text(&ToolOutcome::failed_with("no such file", "use ls")),
            "error: no such file\nhint: use ls"
        );
    }
}
