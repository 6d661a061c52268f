//! A call: its arguments as they are written, that it runs, its last lines, and what it came to.

mod body;
mod draft;
mod head;
mod tail;

use super::View;
use super::sheet::Sheet;
use draft::Draft;
use ratatui_core::text::Line;
use reasonix_proto::{CallId, DecidedBy, ToolOutcome};
use std::time::Duration;
use tail::Tail;

/// So much of an outcome's text is kept.
const MOST_KEPT: usize = 16 * 1024;
/// So much stays when room is needed.
const LEAST_KEPT: usize = 1024;

/// A call.
#[derive(Debug)]
pub(crate) struct Tool {
    pub(crate) call: Option<CallId>,
    pub(crate) name: Box<str>,
    pub(crate) subject: Box<str>,
    pub(crate) state: ToolState,
    /// The rule that the user granted with it.
    pub(crate) granted: Option<Box<str>>,
    /// Who refused it.
    pub(crate) refused: Option<DecidedBy>,
    /// What the user said with their no.
    pub(crate) words: Option<Box<str>>,
    draft: Option<Box<Draft>>,
    tail: Option<Box<Tail>>,
}

/// How far a call is.
#[derive(Debug)]
pub(crate) enum ToolState {
    /// Its arguments are being written.
    Drafting,
    /// It is complete, and waits for its turn.
    Ready,
    /// A person is asked about it.
    Asked,
    /// It runs since then.
    Running(Duration),
    /// It came to an end.
    Ended { took_ms: u64, outcome: Box<ToolOutcome>, lines: u64 },
}

impl Tool {
    pub(crate) fn new(name: &str) -> Self {
        Self {
            call: None,
            name: name.into(),
            subject: "".into(),
            state: ToolState::Drafting,
            granted: None,
            refused: None,
            words: None,
            draft: None,
            tail: None,
        }
    }

    pub(crate) fn is_done(&self) -> bool {
        matches!(self.state, ToolState::Ended { .. })
    }

    /// More of its arguments.
    pub(crate) fn argue(&mut self, delta: &str) {
        self.draft.get_or_insert_default().push(delta);
    }

    /// Its arguments are complete.
    pub(crate) fn ready(&mut self, call: &CallId, name: &str, arguments: &str) {
        self.call = Some(call.clone());
        self.name = name.into();
        if self.draft.is_none() && self.subject.is_empty() {
            self.argue(arguments);
        }
        if self.subject.is_empty() {
            self.subject = self.draft.as_deref().map(head::subject_of).unwrap_or_default().into();
        }
        self.state = ToolState::Ready;
        self.draft = None;
    }

    /// It runs now.
    pub(crate) fn start(&mut self, tool: &str, subject: &str, now: Duration) {
        self.name = tool.into();
        if !subject.is_empty() {
            self.subject = subject.into();
        }
        self.state = ToolState::Running(now);
        self.draft = None;
    }

    /// More of its output.
    pub(crate) fn progress(&mut self, delta: &str) {
        self.tail.get_or_insert_default().push(delta);
    }

    /// It came to an end.
    pub(crate) fn end(&mut self, tool: &str, took_ms: u64, outcome: &ToolOutcome) {
        self.name = tool.into();
        self.draft = None;
        self.tail = None;
        let mut outcome = outcome.clone();
        let lines = match &mut outcome {
            ToolOutcome::Done { content, details } => {
                let mut words = std::mem::take(content).into_words();
                let lines = body::without_code(&words, details).lines().count();
                keep_end(&mut words, MOST_KEPT);
                words.shrink_to_fit();
                *content = words.into();
                lines
            }
            _ => 0,
        };
        self.state = ToolState::Ended { took_ms, outcome: Box::new(outcome), lines: lines as u64 };
    }

    /// Lets go of most of its output; gives how many bytes that were.
    pub(crate) fn shrink(&mut self) -> usize {
        let ToolState::Ended { outcome, .. } = &mut self.state else { return 0 };
        let before = weight(outcome);
        if let ToolOutcome::Done { content, details } = &mut **outcome {
            let mut words = std::mem::take(content).into_words();
            keep_end(&mut words, LEAST_KEPT);
            words.shrink_to_fit();
            *content = words.into();
            for change in &mut details.changes {
                if change.diff.len() > LEAST_KEPT {
                    change.diff = String::new();
                }
            }
        }
        before - weight(outcome).min(before)
    }

    /// About how many bytes it takes.
    pub(crate) fn weight(&self) -> usize {
        let outcome = match &self.state {
            ToolState::Ended { outcome, .. } => weight(outcome),
            _ => 0,
        };
        self.subject.len() + outcome
    }

    pub(crate) fn lines(&self, view: View<'_>) -> Vec<Line<'static>> {
        let mut sheet = Sheet::new(view);
        head::draw(self, &mut sheet);
        body::draw(self, &mut sheet);
        sheet.lines
    }
}

fn weight(outcome: &ToolOutcome) -> usize {
    match outcome {
        ToolOutcome::Done { content, details } => {
            content.words().len()
                + details.changes.iter().map(|change| change.diff.len() + change.path.len()).sum::<usize>()
        }
        ToolOutcome::Failed { message, .. } => message.len(),
        ToolOutcome::Denied { by } => by.len(),
        ToolOutcome::Aborted => 0,
    }
}

/// Cuts a text at the front, at a line end where there is one.
fn keep_end(text: &mut String, most: usize) {
    if text.len() <= most {
        return;
    }
    let mut from = text.len() - most;
    while !text.is_char_boundary(from) {
        from += 1;
    }
    let line = text.get(from..).and_then(|rest| rest.find('\n')).filter(|line| *line < 200);
    text.drain(..from + line.map_or(0, |line| line + 1));
}
