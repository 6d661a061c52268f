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
    /// It holds in later sessions of this folder too.
    pub(crate) saved: bool,
    /// Who refused it.
    pub(crate) refused: Option<DecidedBy>,
    /// What the user said with their no.
    pub(crate) words: Option<Box<str>>,
    /// The user's own command: its output is what they wanted to see.
    pub(crate) own: bool,
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
    /// It came to an end, with so many lines. Lines before `gap` and behind it are kept, those between are not.
    Ended { took_ms: u64, outcome: Box<ToolOutcome>, lines: u64, gap: Option<usize> },
}

impl Tool {
    pub(crate) fn new(name: &str) -> Self {
        Self {
            call: None,
            name: name.into(),
            subject: "".into(),
            state: ToolState::Drafting,
            granted: None,
            saved: false,
            refused: None,
            words: None,
            own: false,
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
        let (lines, gap) = match &mut outcome {
            ToolOutcome::Done { content, details } => {
                let mut words = std::mem::take(content).into_words();
                let lines = reasonix_words::outcome_told(reasonix_words::Lang::En, &words, details).lines().count();
                let gap = keep_ends(&mut words, MOST_KEPT);
                words.shrink_to_fit();
                *content = words.into();
                (details.artifact.as_ref().map_or(lines as u64, |artifact| artifact.lines), gap)
            }
            _ => (0, None),
        };
        self.state = ToolState::Ended { took_ms, outcome: Box::new(outcome), lines, gap };
    }

    /// Lets go of most of its output; gives how many bytes that were.
    pub(crate) fn shrink(&mut self) -> usize {
        let ToolState::Ended { outcome, gap, .. } = &mut self.state else { return 0 };
        let before = weight(outcome);
        if let ToolOutcome::Done { content, details } = &mut **outcome {
            let mut words = std::mem::take(content).into_words();
            *gap = keep_ends(&mut words, LEAST_KEPT).or(*gap);
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

/// Cuts a text in the middle, at line ends where there are some: a quarter of what is kept is its beginning. Gives the number
/// of lines before the cut.
fn keep_ends(text: &mut String, most: usize) -> Option<usize> {
    if text.len() <= most {
        return None;
    }
    let head = text.floor_char_boundary(most / 4);
    let head = text.get(..head).and_then(|begins| begins.rfind('\n')).map_or(head, |at| at + 1);
    let mut from = text.ceil_char_boundary(text.len() - (most - most / 4));
    if let Some(line) = text.get(from..).and_then(|rest| rest.find('\n')).filter(|line| *line < 200) {
        from += line + 1;
    }
    text.replace_range(head..from, "");
    if !text.get(..head).unwrap_or_default().ends_with('\n') {
        text.insert(head, '\n');
    }
    Some(text.get(..=head).unwrap_or_default().matches('\n').count())
}

#[cfg(test)]
mod tests {
    use super::keep_ends;

    #[test]
    fn both_ends_are_kept_and_the_cut_is_known() {
        let mut text: String = (1..=5000).map(|number| format!("{number}\n")).collect();
        let gap = keep_ends(&mut text, 4096).unwrap();
        let lines: Vec<&str> = text.lines().collect();
        assert!(text.len() <= 4100 && lines[0] == "1" && lines.last() == Some(&"5000"), "{}", text.len());
        let (before, after): (u32, u32) = (lines[gap - 1].parse().unwrap(), lines[gap].parse().unwrap());
        assert!(before as usize == gap && after > before + 1, "{before} {after} {gap}");
        for text in ["中".repeat(9000), "x".repeat(9000)] {
            let mut cut = text.clone();
            assert_eq!(keep_ends(&mut cut, 1024), Some(1));
            assert!(cut.len() < 1100);
        }
        assert_eq!(keep_ends(&mut "short".to_owned(), 1024), None);
    }
}
