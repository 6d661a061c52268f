//! A piece of a session around one of its records, as a reader of a hit wants it.

use super::excerpt::one_line;
use super::feed::{content, paths_of};
use super::{Search, speaker_of};
use crate::error::SessionError;
use crate::header::Kind;
use reasonix_agent::outcome_text;
use reasonix_proto::{CallId, Message, Record, RecordBody, RecordId, SessionId, Speaker, ToolCall};
use std::collections::HashMap;

/// How much of what was said, and of what a tool gave, is shown.
const SAID: usize = 2000;
const OUTPUT: usize = 400;

/// So many records before the window are looked at for calls whose outputs are in it.
const BEFORE: usize = 64;

/// The records that can be read.
const READ: &[Kind] = &[Kind::Prompt, Kind::Note, Kind::Assistant, Kind::Outcome, Kind::Shell, Kind::ShellEnded];

/// A piece of a session.
#[derive(Debug, Clone, PartialEq)]
pub struct SessionWindow {
    /// The session.
    pub session: SessionId,
    /// Its working folder.
    pub folder: String,
    /// Its messages, in the order they were written.
    pub lines: Vec<Line>,
}

/// A message of a window.
#[derive(Debug, Clone, PartialEq)]
pub struct Line {
    /// The record.
    pub record: RecordId,
    /// When it was written, in milliseconds since the Unix epoch.
    pub at: u64,
    /// Who said it.
    pub by: Speaker,
    /// The text, bounded, without secrets.
    pub text: String,
}

impl Search {
    /// The messages around a record: `span` before it and as many after it. The session may be named as in
    /// [`crate::Sessions::find`]. A discarded one is not found.
    pub fn around(&self, wanted: &str, record: RecordId, span: usize) -> Result<SessionWindow, SessionError> {
        let session = self.sessions.find(wanted)?;
        let seen = self.sessions.look(session.as_str())?;
        let RecordBody::Session(head) = seen.head.body else {
            return Err(SessionError::NotFound { wanted: wanted.to_owned() });
        };
        if seen.past.marks().discarded {
            return Err(SessionError::NotFound { wanted: wanted.to_owned() });
        }
        let near = seen.past.near(record, READ, span);
        if near.is_empty() {
            return Err(SessionError::NoRecord { session, record });
        }
        // A call may stand before the window in which its output does.
        let (mut calls, mut lines) = (HashMap::new(), Vec::new());
        for id in seen.past.near(record, READ, span + BEFORE) {
            let Some(record) = seen.past.record(id) else { continue };
            if let RecordBody::Assistant { message: Message::Assistant { calls: made, .. }, .. } = &record.body {
                let named = |call: &ToolCall| (call.id.clone(), paths_of(std::slice::from_ref(call)));
                calls.extend(made.iter().map(named));
            }
            if near.contains(&id) && self.may_be_shown(&record, &head.cwd, &calls) {
                lines.extend(self.line(&record));
            }
        }
        Ok(SessionWindow { session, folder: head.cwd, lines })
    }

    /// Whether the files may be read that the call of an output named. One whose call stands too far away named nobody knows
    /// what.
    fn may_be_shown(&self, record: &Record, folder: &str, calls: &HashMap<CallId, String>) -> bool {
        let RecordBody::Outcome { call, .. } = &record.body else { return true };
        match calls.get(call) {
            Some(named) => self.may_be_read(folder, Some(named)),
            None => self.reads.is_none(),
        }
    }

    fn line(&self, record: &Record) -> Option<Line> {
        let (text, most) = match &record.body {
            RecordBody::Outcome { tool, outcome, .. } => (format!("{tool}: {}", outcome_text(outcome)), OUTPUT),
            RecordBody::ShellEnded { command, outcome, .. } => {
                (format!("{command}: {}", outcome_text(outcome)), OUTPUT)
            }
            RecordBody::Note { by_user: false, .. } => return None,
            body => {
                let (said, paths) = content(body);
                let gap = if said.trim().is_empty() || paths.is_empty() { "" } else { "\n" };
                let paths = paths.lines().map(|path| format!("[{path}]")).collect::<Vec<_>>().join(" ");
                (format!("{}{gap}{paths}", said.trim()), SAID)
            }
        };
        let text = self.redact.text(&text);
        let text: String = text.lines().map(one_line).filter(|line| !line.is_empty()).collect::<Vec<_>>().join("\n");
        let shown = match text.char_indices().nth(most) {
            Some((at, _)) => format!("{}… ({} bytes)", text.get(..at).unwrap_or_default(), text.len()),
            None => text,
        };
        let by = speaker_of(&record.body);
        (!shown.is_empty()).then_some(Line { record: record.id, at: record.at, by, text: shown })
    }
}
