//! Lines on their way: a head with a mark, and a body that stands to its right.

use super::View;
use crate::text::{Rich, Wrapped, columns, expand_tabs, shorten};
use ratatui_core::style::Style;
use ratatui_core::text::{Line, Span};

/// Collects the lines of a cell.
pub(super) struct Sheet<'a> {
    pub(super) view: View<'a>,
    pub(super) lines: Vec<Line<'static>>,
}

impl<'a> Sheet<'a> {
    pub(super) fn new(view: View<'a>) -> Self {
        Self { view, lines: Vec::new() }
    }

    pub(super) fn width(&self) -> usize {
        usize::from(self.view.width)
    }

    /// How far bodies stand to the right.
    pub(super) fn margin(&self) -> usize {
        if self.view.width < 24 { 0 } else { 2 }
    }

    /// The width that is left for a body.
    pub(super) fn inner(&self) -> u16 {
        self.view.width - u16::try_from(self.margin()).unwrap_or(0).min(self.view.width)
    }

    /// A mark and a text that wraps beside it.
    pub(super) fn head(&mut self, mark: &str, mark_style: Style, rich: &Rich) {
        let first = [Span::styled(format!("{mark} "), mark_style)];
        let rest = [Span::raw(" ".repeat(columns(mark) + 1))];
        let narrow = self.width() < 8;
        let (first, rest): (&[Span<'static>], &[Span<'static>]) = if narrow { (&[], &[]) } else { (&first, &rest) };
        Wrapped { rich, width: self.width(), first, rest }.into_lines(&mut self.lines);
    }

    /// Lines that are no wider than [`inner`](Self::inner), moved to the right.
    pub(super) fn inset(&mut self, lines: Vec<Line<'static>>) {
        let margin = self.margin();
        self.lines.extend(lines.into_iter().map(|line| moved(line, margin)));
    }

    /// A text that wraps, below the head.
    pub(super) fn text(&mut self, text: &str, style: Style) {
        let width = usize::from(self.inner());
        let mut lines = Vec::new();
        for line in text.lines() {
            let rich = Rich::new(line, style);
            Wrapped { rich: &rich, width, first: &[], rest: &[] }.into_lines(&mut lines);
        }
        self.inset(lines);
    }

    /// A text that wraps, below a call; further lines begin this much further right.
    pub(super) fn below(&mut self, text: &str, hang: usize, style: Style) {
        let margin = if self.margin() == 0 { 0 } else { self.margin() + 2 };
        let hang = if margin == 0 { 0 } else { hang };
        let first = [Span::raw(" ".repeat(margin))];
        let rest = [Span::raw(" ".repeat(margin + hang))];
        for line in text.lines() {
            let rich = Rich::new(line, style);
            Wrapped { rich: &rich, width: self.width(), first: &first, rest: &rest }.into_lines(&mut self.lines);
        }
    }

    /// A text whose lines are cut where they do not fit, below the head.
    pub(super) fn cut(&mut self, line: &str, style: Style) {
        let margin = if self.margin() == 0 { 0 } else { self.margin() + 2 };
        let line = shorten(&expand_tabs(line, 8), self.width().saturating_sub(margin));
        self.lines.push(moved(Line::from(Span::styled(line, style)), margin));
    }
}

fn moved(line: Line<'static>, by: usize) -> Line<'static> {
    if by == 0 || line.spans.is_empty() {
        return line;
    }
    let mut spans = Vec::with_capacity(line.spans.len() + 1);
    spans.push(Span::raw(" ".repeat(by)));
    spans.extend(line.spans);
    Line::from(spans)
}
