//! What a tool call came to.

use crate::{Block, ClientId, Content, Phrase, TodoPhase};
use serde::{Deserialize, Serialize};

/// The result of one tool call. Every call of an assistant message gets exactly one.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "status", rename_all = "snake_case")]
pub enum ToolOutcome {
    /// The tool did what was asked.
    Done {
        /// What the model reads and sees.
        content: Content,
        /// What front ends show.
        #[serde(default, skip_serializing_if = "Details::is_empty")]
        details: Box<Details>,
    },
    /// The tool could not do it; the model can act on the message.
    Failed {
        /// What happened and why.
        message: String,
        /// What to do instead.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        hint: Option<String>,
        /// What kind of failure it is, for programs: `outside_workspace`, `forbidden`, `not_found` and so on; none where
        /// nobody has to tell it from others.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        code: Option<String>,
    },
    /// The gate refused the call; it did not run.
    Denied {
        /// What refused it: a rule, the user, the harness.
        by: String,
    },
    /// The call was interrupted, or never started because of an interrupt.
    Aborted,
}

impl ToolOutcome {
    /// A plain success.
    pub fn done(content: impl Into<Content>) -> Self {
        Self::Done { content: content.into(), details: Box::default() }
    }

    /// A success with details for front ends.
    pub fn detailed(content: impl Into<Content>, details: Details) -> Self {
        Self::Done { content: content.into(), details: Box::new(details) }
    }

    /// The same with a note before what the model reads of it. What did not run stays as it is.
    #[must_use]
    pub fn preceded_by(self, note: String) -> Self {
        match self {
            Self::Done { content, details } => {
                let content = match content.plain() {
                    Some(text) => format!("{note}\n{text}").into(),
                    None => Content::new(std::iter::once(Block::text(note)).chain(content.blocks().iter().cloned())),
                };
                Self::Done { content, details }
            }
            Self::Failed { message, hint, code } => Self::Failed { message: format!("{note}\n{message}"), hint, code },
            other => other,
        }
    }

    /// A failure without a hint.
    pub fn failed(message: impl Into<String>) -> Self {
        Self::Failed { message: message.into(), hint: None, code: None }
    }

    /// A failure with a hint.
    pub fn failed_with(message: impl Into<String>, hint: impl Into<String>) -> Self {
        Self::Failed { message: message.into(), hint: Some(hint.into()), code: None }
    }

    /// True when the tool did what was asked.
    pub fn is_done(&self) -> bool {
        matches!(self, Self::Done { .. })
    }
}

/// Facts about an outcome for front ends; the model does not see them.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Details {
    /// Files that were changed.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub changes: Vec<Change>,
    /// The exit code of a command.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub exit_code: Option<i32>,
    /// How many results a search or listing found.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub count: Option<u64>,
    /// The todo list after the call.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub todo: Option<Vec<TodoPhase>>,
    /// Where the uncut output is kept, when it was cut.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub artifact: Option<Artifact>,
    /// What the box refused or hid, as facts for people. For the model each stands as a line of its own at the end of the
    /// content.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub notes: Vec<Phrase>,
    /// True when nobody answered and the model's own assumption stands in place of an answer.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub assumed: bool,
    /// The front end that answered questions, where it said its name.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub client: Option<ClientId>,
}

impl Details {
    /// The content without the lines that only tell the model what the notes say.
    pub fn without_notes<'a>(&self, content: &'a str) -> &'a str {
        let drop_line = |text: &'a str, _| text.trim_end_matches('\n').rsplit_once('\n').map_or("", |(rest, _)| rest);
        self.notes.iter().fold(content, drop_line)
    }

    /// True when there is nothing to show.
    pub fn is_empty(&self) -> bool {
        *self == Self::default()
    }
}

/// The uncut output of a call.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Artifact {
    /// What the model passes to `read_file`, such as `artifact://3f2a…`.
    pub uri: String,
    /// Its size in bytes.
    pub bytes: u64,
    /// Its number of lines.
    pub lines: u64,
}

/// What a call did to one file.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Change {
    /// The path, relative to the workspace root where it lies below it.
    pub path: String,
    /// What was done.
    pub kind: ChangeKind,
    /// Lines added.
    pub added: u32,
    /// Lines removed.
    pub removed: u32,
    /// A unified diff, bounded; empty when there is nothing to show.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub diff: String,
    /// The same as data, bounded; only in questions.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub hunks: Vec<Hunk>,
}

/// A place in a file where lines change, with the lines around it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Hunk {
    /// The first line before the change, from 1; 0 when there is none.
    pub old_start: u32,
    /// How many lines it has before the change.
    pub old_lines: u32,
    /// The first line after the change, from 1; 0 when there is none.
    pub new_start: u32,
    /// How many lines it has after the change.
    pub new_lines: u32,
    /// The lines; fewer than counted when they were cut.
    pub lines: Vec<HunkLine>,
}

/// A line of a hunk.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct HunkLine {
    /// What becomes of it.
    pub kind: LineKind,
    /// Its number before the change.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub old: Option<u32>,
    /// Its number after the change.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub new: Option<u32>,
    /// The line without its end, cut when it is long.
    pub text: String,
}

/// What becomes of a line.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum LineKind {
    /// It stays.
    Context,
    /// It comes.
    Added,
    /// It goes.
    Removed,
}

/// What was done to a file.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ChangeKind {
    /// It did not exist before.
    Created,
    /// Its content changed.
    Updated,
    /// The call was right, but there was nothing to change.
    Unchanged,
    /// It is gone.
    Deleted,
    /// It was moved here.
    Moved {
        /// Where it was.
        from: String,
    },
}
