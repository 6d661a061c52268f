//! What the user said: a prompt, something said to a running turn, or a command of their own.

use super::View;
use super::sheet::Sheet;
use crate::text::{Rich, Wrapped, neutral};
use ratatui_core::text::{Line, Span};

/// So many lines of a prompt are shown unless everything is.
const MOST_LINES: usize = 20;

/// How it was said.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum PromptKind {
    /// It began a turn.
    Prompt,
    /// It was said to the running turn.
    Steer,
    /// A command of the user's own; the model sees it or not.
    Shell { keep: bool },
}

/// What the user said.
#[derive(Debug)]
pub(crate) struct Prompt {
    pub(crate) kind: PromptKind,
    pub(crate) text: Box<str>,
}

impl Prompt {
    pub(crate) fn lines(&self, view: View<'_>) -> Vec<Line<'static>> {
        let mut sheet = Sheet::new(view);
        let theme = &view.look.theme;
        let mark = match self.kind {
            PromptKind::Prompt if view.look.unicode => "❯",
            PromptKind::Prompt => ">",
            PromptKind::Steer => "+",
            PromptKind::Shell { keep: true } => "!",
            PromptKind::Shell { keep: false } => "!!",
        };
        let text = neutral(self.text.trim_end());
        let margin = mark.len().min(2) + 1;
        let first = [Span::styled(format!("{mark} "), theme.user_mark)];
        let rest = [Span::raw(" ".repeat(if mark == "❯" { 2 } else { margin }))];
        let narrow = sheet.width() < 8;
        for (index, line) in text.lines().enumerate() {
            let rich = Rich::new(line, theme.user);
            let before: &[Span<'static>] = if index == 0 { &first } else { &rest };
            let (before, rest): (&[_], &[_]) = if narrow { (&[], &[]) } else { (before, &rest) };
            Wrapped { rich: &rich, width: usize::from(view.width), first: before, rest }.into_lines(&mut sheet.lines);
        }
        let more = sheet.lines.len().saturating_sub(MOST_LINES);
        if more > 0 && !view.open {
            sheet.lines.truncate(MOST_LINES);
            let more = view.look.say(&super::left_out(more));
            sheet.text(&more, theme.dim);
        }
        sheet.lines
    }
}
