//! What a hook reads: one JSON object, in the words of its dialect.

use super::claude::ClaudeCall;
use super::{Hook, HookDialect, HookEvent};
use serde_json::{Map, Value, json};
use std::path::Path;

/// The session that something happened in.
#[derive(Debug, Clone, Copy)]
pub struct HookAbout<'a> {
    /// Its id.
    pub session: &'a str,
    /// Its log; none for one that leaves nothing on disk.
    pub log: Option<&'a Path>,
    /// The folder that it works in.
    pub cwd: &'a Path,
    /// How much is asked, in the words of Claude Code: `default`, `plan`, `acceptEdits`, `bypassPermissions`.
    pub mode: &'a str,
    /// The turn.
    pub turn: u32,
}

/// What happened.
#[derive(Debug, Clone, Copy)]
pub enum HookMoment<'a> {
    /// Something about a call.
    Call {
        /// The tool, by its own name.
        tool: &'a str,
        /// The call.
        id: &'a str,
        /// Its arguments; none where they are nobody's business.
        args: Option<&'a Map<String, Value>>,
        /// The same as Claude Code has them.
        theirs: Option<&'a ClaudeCall>,
        /// What it came to, as the model reads it.
        outcome: Option<&'a str>,
    },
    /// Somebody said this.
    Prompt(&'a str),
    /// The model has nothing more to do.
    Stop {
        /// A hook kept it going before.
        active: bool,
        /// What it said last.
        last: &'a str,
    },
    /// A session begins.
    Began {
        /// From what: `startup` or `resume`.
        source: &'a str,
        /// The model.
        model: &'a str,
    },
    /// A session ends, for this reason.
    Ended(&'a str),
    /// The conversation is about to be folded.
    Folds {
        /// `manual` or `auto`.
        trigger: &'a str,
        /// What the user wants kept.
        instructions: &'a str,
    },
    /// A person is waited for.
    Waits {
        /// What for, in a word.
        kind: &'a str,
        /// The same for people.
        message: &'a str,
    },
}

impl HookMoment<'_> {
    /// The word that a matcher is about where no tool is.
    fn kind(&self) -> Option<&str> {
        match self {
            Self::Began { source, .. } => Some(source),
            Self::Ended(reason) => Some(reason),
            Self::Folds { trigger, .. } => Some(trigger),
            Self::Waits { kind, .. } => Some(kind),
            Self::Call { .. } | Self::Prompt(_) | Self::Stop { .. } => None,
        }
    }
}

impl Hook {
    /// True when it is to be run at this moment. `subjects` are what a call is about.
    pub fn fits(&self, event: HookEvent, moment: &HookMoment<'_>, subjects: &[String]) -> bool {
        if self.event != event {
            return false;
        }
        match (moment, self.dialect) {
            (HookMoment::Call { tool, .. }, HookDialect::Own) => self.matcher.fits(&super::claude::own_matched(tool)),
            (HookMoment::Call { tool, .. }, HookDialect::Claude) => {
                let names = super::claude::names(tool);
                let filtered = |filter: &super::HookFilter| names.iter().any(|name| filter.fits(name, subjects));
                self.matcher.fits(&names) && self.filter.as_ref().is_none_or(filtered)
            }
            (moment, HookDialect::Claude) => moment.kind().is_none_or(|kind| self.matcher.fits(&[kind])),
            (_, HookDialect::Own) => true,
        }
    }
}

/// What a hook of this dialect reads.
pub fn envelope(dialect: HookDialect, event: HookEvent, about: &HookAbout<'_>, moment: &HookMoment<'_>) -> Value {
    let fields = match dialect {
        HookDialect::Own => ours(event, about, moment),
        HookDialect::Claude => theirs(event, about, moment),
    };
    Value::Object(fields.into_iter().map(|(name, value)| (name.to_owned(), value)).collect())
}

type Fields = Vec<(&'static str, Value)>;

fn ours(event: HookEvent, about: &HookAbout<'_>, moment: &HookMoment<'_>) -> Fields {
    let mut fields = vec![("event", json!(event.name())), ("cwd", json!(about.cwd.display().to_string()))];
    match *moment {
        HookMoment::Call { tool, args, outcome, .. } => {
            fields.push(("toolName", json!(tool)));
            fields.extend(args.map(|args| ("toolArgs", Value::Object(args.clone()))));
            fields.extend(outcome.map(|text| ("toolResult", json!(text))));
        }
        HookMoment::Prompt(text) => fields.push(("prompt", json!(text))),
        HookMoment::Stop { last, .. } => fields.push(("lastAssistantText", json!(last))),
        HookMoment::Began { source, .. } => fields.push(("source", json!(source))),
        HookMoment::Ended(reason) => fields.push(("reason", json!(reason))),
        HookMoment::Folds { trigger, .. } => fields.push(("trigger", json!(trigger))),
        HookMoment::Waits { kind, message } => {
            fields.extend([("kind", json!(kind)), ("message", json!(message))]);
        }
    }
    if about.turn > 0 {
        fields.push(("turn", json!(about.turn)));
    }
    fields
}

fn theirs(event: HookEvent, about: &HookAbout<'_>, moment: &HookMoment<'_>) -> Fields {
    let log = about.log.map(|log| log.display().to_string()).unwrap_or_default();
    let mut fields = vec![
        ("session_id", json!(about.session)),
        ("transcript_path", json!(log)),
        ("cwd", json!(about.cwd.display().to_string())),
        ("permission_mode", json!(about.mode)),
        ("hook_event_name", json!(event.name())),
    ];
    match *moment {
        HookMoment::Call { tool, id, theirs, outcome, .. } => {
            let name =
                theirs.map_or_else(|| super::claude::names(tool).first().map_or(tool, |name| *name), |c| &c.tool);
            fields.push(("tool_name", json!(name)));
            let input = theirs.map_or_else(|| json!({}), |call| call.input.clone());
            fields.push(("tool_input", input));
            fields.push(("tool_use_id", json!(id)));
            match (event, outcome) {
                (HookEvent::PostToolUse, Some(text)) => fields.push(("tool_response", response(name, theirs, text))),
                (HookEvent::PostToolUseFailure, Some(text)) => {
                    fields.extend([("error", json!(text)), ("is_interrupt", json!(false))]);
                }
                _ => {}
            }
        }
        HookMoment::Prompt(text) => fields.push(("prompt", json!(text))),
        HookMoment::Stop { active, last } => {
            fields.extend([("stop_hook_active", json!(active)), ("last_assistant_message", json!(last))]);
        }
        HookMoment::Began { source, model } => {
            fields.extend([("source", json!(source)), ("model", json!(model))]);
        }
        HookMoment::Ended(reason) => fields.push(("reason", json!(reason))),
        HookMoment::Folds { trigger, instructions } => {
            fields.extend([("trigger", json!(trigger)), ("custom_instructions", json!(instructions))]);
        }
        HookMoment::Waits { kind, message } => {
            fields.extend([("message", json!(message)), ("notification_type", json!(kind))]);
        }
    }
    fields
}

/// What a tool gave, in the shape that scripts look for.
fn response(name: &str, call: Option<&ClaudeCall>, text: &str) -> Value {
    match (name, call.and_then(|call| call.input.get("file_path"))) {
        ("Bash", _) => json!({"stdout": text, "stderr": "", "interrupted": false, "isImage": false}),
        ("Write" | "Edit" | "MultiEdit", Some(file)) => json!({"filePath": file, "success": true, "content": text}),
        _ => json!({"content": text}),
    }
}

#[cfg(test)]
mod tests {
    use super::{HookAbout, HookMoment, envelope};
    use crate::hooks::{HookDialect, HookEvent, claude_calls, read_hooks};
    use serde_json::{Value, json};
    use std::path::Path;

    fn about() -> HookAbout<'static> {
        HookAbout { session: "s1", log: None, cwd: Path::new("/w"), mode: "default", turn: 2 }
    }

    #[test]
    fn a_call_is_told_in_the_words_of_each_dialect() {
        let args = json!({"command": "ls"}).as_object().cloned().unwrap();
        let calls = claude_calls("bash", &args, &["ls".to_owned()], Path::new("/w"));
        let moment = HookMoment::Call {
            tool: "bash",
            id: "c1",
            args: Some(&args),
            theirs: calls.first(),
            outcome: Some("a.rs"),
        };
        assert_eq!(
            envelope(HookDialect::Own, HookEvent::PostToolUse, &about(), &moment),
            json!({"event": "PostToolUse", "cwd": "/w", "toolName": "bash", "toolArgs": {"command": "ls"},
                "toolResult": "a.rs", "turn": 2})
        );
        assert_eq!(
            envelope(HookDialect::Claude, HookEvent::PostToolUse, &about(), &moment),
            json!({"session_id": "s1", "transcript_path": "", "cwd": "/w", "permission_mode": "default",
                "hook_event_name": "PostToolUse", "tool_name": "Bash", "tool_input": {"command": "ls"},
                "tool_use_id": "c1",
                "tool_response": {"stdout": "a.rs", "stderr": "", "interrupted": false, "isImage": false}})
        );
    }

    #[test]
    fn every_moment_has_the_fields_that_scripts_read() {
        for (event, moment, name, value) in [
            (HookEvent::UserPromptSubmit, HookMoment::Prompt("hi"), "prompt", json!("hi")),
            (HookEvent::Stop, HookMoment::Stop { active: true, last: "x" }, "stop_hook_active", json!(true)),
            (HookEvent::Stop, HookMoment::Stop { active: true, last: "x" }, "last_assistant_message", json!("x")),
            (HookEvent::SessionStart, HookMoment::Began { source: "startup", model: "m" }, "source", json!("startup")),
            (HookEvent::SessionEnd, HookMoment::Ended("other"), "reason", json!("other")),
            (HookEvent::PreCompact, HookMoment::Folds { trigger: "auto", instructions: "" }, "trigger", json!("auto")),
            (HookEvent::Notification, HookMoment::Waits { kind: "k", message: "m" }, "message", json!("m")),
        ] {
            let told = envelope(HookDialect::Claude, event, &about(), &moment);
            assert_eq!((told.get(name), &told["hook_event_name"]), (Some(&value), &json!(event.name())), "{told}");
        }
    }

    #[test]
    fn who_is_run_follows_from_event_matcher_and_filter() {
        let read = read_hooks(&json!({
            "PreToolUse": [
                {"match": "bash", "command": "own"},
                {"matcher": "Edit", "hooks": [{"command": "edit"}]},
                {"matcher": "Bash", "hooks": [{"command": "push", "if": "Bash(git push*)"}]},
            ],
            "SessionStart": [{"matcher": "resume", "hooks": [{"command": "resumed"}]}],
        }));
        let fitting = |event, moment: &HookMoment<'_>, subject: &str| -> Vec<String> {
            let subjects = [subject.to_owned()];
            let found = read.hooks.iter().filter(|hook| hook.fits(event, moment, &subjects));
            found.map(|hook| hook.command.clone()).collect()
        };
        let call = |tool| HookMoment::Call { tool, id: "", args: None, theirs: None, outcome: None };
        assert_eq!(fitting(HookEvent::PreToolUse, &call("bash"), "ls"), ["own"]);
        assert_eq!(fitting(HookEvent::PreToolUse, &call("bash"), "git push -f"), ["own", "push"]);
        assert_eq!(fitting(HookEvent::PreToolUse, &call("apply_patch"), "a"), ["edit"]);
        assert_eq!(fitting(HookEvent::PostToolUse, &call("bash"), "ls"), [""; 0]);
        assert_eq!(fitting(HookEvent::SessionStart, &HookMoment::Began { source: "startup", model: "" }, ""), [""; 0]);
        assert_eq!(
            fitting(HookEvent::SessionStart, &HookMoment::Began { source: "resume", model: "" }, ""),
            ["resumed"]
        );
        let hidden = HookMoment::Call { tool: "remember", id: "c", args: None, theirs: None, outcome: None };
        let told = envelope(HookDialect::Claude, HookEvent::PreToolUse, &about(), &hidden);
        assert_eq!((&told["tool_name"], &told["tool_input"]), (&Value::from("remember"), &json!({})));
    }
}
