//! The subagents of the session on the screen: a line each with what they do now, and what each of them said and did.

use crate::Look;
use crate::text::{columns, cut, neutral};
use ratatui_core::text::{Line, Span};
use reasonix_proto::{ChildRun, Envelope, Event, Message, Phrase, RecordBody, SessionId, ToolOutcome};
use std::collections::VecDeque;

/// Subagents that have a line of their own.
const MOST_SHOWN: usize = 6;
/// Subagents that are remembered, and lines of each.
const MOST: usize = 64;
const MOST_LINES: usize = 400;
/// Lines of what a call came to.
const SHOWN_OF_OUTCOME: usize = 6;

/// What is known of the subagents.
#[derive(Debug, Default)]
pub struct ChildrenSeen(VecDeque<Seen>);

#[derive(Debug)]
struct Seen {
    session: SessionId,
    run: ChildRun,
    doing: String,
    steps: u32,
    lines: VecDeque<String>,
}

impl Seen {
    fn wrote(&mut self, text: &str) {
        for line in text.lines() {
            if self.lines.len() == MOST_LINES {
                self.lines.pop_front();
            }
            self.lines.push_back(line.to_owned());
        }
    }

    /// What it said and did, as its own session tells it.
    fn apply(&mut self, event: &Event) {
        match event {
            Event::Working { doing, steps, .. } => (self.doing, self.steps) = (doing.clone(), *steps),
            Event::TurnStarted { record } => {
                if let RecordBody::Prompt { text, .. } = &record.body {
                    self.wrote(&format!("> {text}"));
                }
            }
            Event::Message { record } => {
                if let RecordBody::Assistant { message: Message::Assistant { text, .. }, .. } = &record.body {
                    self.wrote(text);
                }
            }
            Event::Noted { record } => {
                if let RecordBody::Note { text, by_user: true, .. } = &record.body {
                    self.wrote(&format!("> {text}"));
                }
            }
            Event::ToolStarted { tool, subject, .. } => self.wrote(&format!("● {tool} {subject}")),
            Event::ToolEnded { record } => {
                if let RecordBody::Outcome { outcome, .. } = &record.body {
                    words(outcome).lines().take(SHOWN_OF_OUTCOME).for_each(|line| self.wrote(&format!("  {line}")));
                }
            }
            _ => {}
        }
    }
}

/// What an outcome says, as a person reads it.
fn words(outcome: &ToolOutcome) -> std::borrow::Cow<'_, str> {
    match outcome {
        ToolOutcome::Done { content, .. } => content.words(),
        ToolOutcome::Failed { message, .. } => message.as_str().into(),
        ToolOutcome::Denied { by } => by.as_str().into(),
        ToolOutcome::Aborted => "…".into(),
    }
}

impl ChildrenSeen {
    /// Takes in what the session says of its subagents. Gives the name of one that is over.
    pub(crate) fn told(&mut self, event: &Event) -> Option<String> {
        let Event::Changed { record } = event else { return None };
        let RecordBody::Child(run) = &record.body else { return None };
        self.learn(run);
        run.end.is_some().then(|| run.child.clone())
    }

    /// Takes in how one stands.
    pub(crate) fn learn(&mut self, run: &ChildRun) {
        match self.0.iter_mut().find(|seen| seen.session == run.session) {
            Some(seen) => seen.run.clone_from(run),
            None => {
                if self.0.len() == MOST {
                    self.0.pop_front();
                }
                let (session, run) = (run.session.clone(), run.clone());
                self.0.push_back(Seen { session, run, doing: String::new(), steps: 0, lines: VecDeque::new() });
            }
        }
    }

    /// Whether one still works.
    pub(crate) fn works(&self, session: &SessionId) -> bool {
        self.0.iter().any(|seen| seen.session == *session && seen.run.end.is_none())
    }

    /// Takes in what a subagent does; what it says of its own subagents too.
    pub(crate) fn heard(&mut self, envelope: &Envelope) -> Option<String> {
        if let Some(seen) = self.0.iter_mut().find(|seen| seen.session == envelope.session) {
            seen.apply(&envelope.event);
        }
        self.told(&envelope.event)
    }

    /// A line for each that works.
    pub(crate) fn lines(&self, width: u16, look: &Look) -> Vec<Line<'static>> {
        let working: Vec<&Seen> = self.0.iter().filter(|seen| seen.run.end.is_none()).collect();
        let room = usize::from(width).saturating_sub(2);
        let line = |seen: &&Seen| {
            let name = neutral(&seen.run.child).into_owned();
            let doing = if seen.doing.is_empty() { &seen.run.task } else { &seen.doing };
            let doing = neutral(doing.lines().next().unwrap_or_default()).replace('\t', " ");
            let rest = format!(" {} · {doing}", neutral(&seen.run.agent));
            let left = room.saturating_sub(columns(&name));
            let rest = if columns(&rest) > left { format!("{}…", cut(&rest, left.saturating_sub(1))) } else { rest };
            Line::from(vec![Span::raw("  "), Span::styled(name, look.theme.accent), Span::styled(rest, look.theme.dim)])
        };
        let mut lines: Vec<Line<'static>> = working.iter().take(MOST_SHOWN).map(line).collect();
        if working.len() > MOST_SHOWN {
            lines.push(Line::styled(format!("  … +{}", working.len() - MOST_SHOWN), look.theme.dim));
        }
        lines
    }

    /// All of them, the last one first: its session, how it was last written down.
    pub(crate) fn all(&self) -> impl Iterator<Item = (&SessionId, &ChildRun)> {
        self.0.iter().rev().map(|seen| (&seen.session, &seen.run))
    }

    /// What one said and did, with its title.
    pub(crate) fn transcript(&self, session: &SessionId, look: &Look) -> Option<(Phrase, Vec<Line<'static>>)> {
        let seen = self.0.iter().find(|seen| seen.session == *session)?;
        let styled = |line: &String| {
            let style = if line.starts_with("  ") { look.theme.dim } else { look.theme.text };
            Line::styled(neutral(line).into_owned(), style)
        };
        let title = Phrase::new("tui.child.title").with("child", &seen.run.child).with("agent", &seen.run.agent);
        Some((title, seen.lines.iter().map(styled).collect()))
    }
}
