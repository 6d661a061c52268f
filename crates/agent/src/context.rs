//! From records to messages: the request is a pure function of the prefix and the log.

use reasonix_proto::{Message, RecordBody, Rewound, StopReason, ToolOutcome};

/// What the model reads when the user interrupted before it said anything, or the process died.
pub const INTERRUPTED: &str = "[interrupted]";

/// What the model reads of a turn that got no answer because the provider failed.
pub const NO_ANSWER: &str = "[no answer]";

/// What the model reads at the end of a turn whose last call handed back what it was for.
pub const HANDED_BACK: &str = "[handed back]";

/// What stands for an answer where somebody else does what was asked for, before a model is asked.
pub const DONE_FIRST: &str = "[a subagent does it]";

/// The message that a record adds to the conversation, if it adds one.
pub fn message_of(body: &RecordBody) -> Option<Message> {
    into_message(body.clone())
}

/// The same where the record is not needed any more.
pub fn into_message(body: RecordBody) -> Option<Message> {
    match body {
        RecordBody::Prompt { text, images, .. } | RecordBody::Note { text, images, .. } => {
            Some(Message::User { text, images })
        }
        RecordBody::Rewound(back) => Some(Message::User { text: reported(&back), images: back.images }),
        RecordBody::Assistant { message, .. } => Some(message),
        RecordBody::Outcome { call, tool, outcome, .. } => {
            let content = match outcome {
                ToolOutcome::Done { content, .. } if !content.is_empty() => content,
                other => outcome_text(&other).into(),
            };
            Some(Message::Tool { call, name: tool, content })
        }
        RecordBody::Shell { command, keep: true, .. } => Some(Message::user(format!("!{command}"))),
        RecordBody::ShellEnded { command, keep: true, outcome, .. } => Some(Message::Assistant {
            text: shell_text(&command, &outcome),
            reasoning: None,
            calls: Vec::new(),
            stop: StopReason::End,
        }),
        _ => None,
    }
}

/// What the model reads in place of what it explored.
fn reported(back: &Rewound) -> String {
    let mut text = format!(
        "[What you did since the checkpoint was folded. This is your report; files and everything else are as you left them.]\n\n{}",
        back.report.trim()
    );
    for said in &back.said {
        text.push_str(&format!("\n\n[The user said meanwhile:]\n{said}"));
    }
    text
}

/// What the model reads of a command that the user ran.
fn shell_text(command: &str, outcome: &ToolOutcome) -> String {
    let text = outcome_text(outcome);
    let gap = if text.ends_with('\n') { "" } else { "\n" };
    // Any other exit code is the last line of the output already.
    let end = match outcome {
        ToolOutcome::Done { details, .. } if details.exit_code == Some(0) => "exit code 0",
        _ => "",
    };
    format!("The user ran this command themselves:\n$ {command}\n{text}{gap}{end}").trim_end().to_owned()
}

/// What the model reads of an outcome.
pub fn outcome_text(outcome: &ToolOutcome) -> String {
    match outcome {
        ToolOutcome::Done { content, .. } if content.is_empty() => "(no output)".to_owned(),
        ToolOutcome::Done { content, .. } => content.words().into_owned(),
        ToolOutcome::Failed { message, hint: None, .. } => format!("error: {message}"),
        ToolOutcome::Failed { message, hint: Some(hint), .. } => format!("error: {message}\nhint: {hint}"),
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
