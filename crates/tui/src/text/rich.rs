//! Text with styles, before it is broken into lines.

use ratatui_core::style::Style;
use ratatui_core::text::{Line, Span};

/// One run of text with styles over parts of it.
#[derive(Debug, Clone, Default)]
pub(crate) struct Rich {
    text: String,
    /// Where each style ends; in order.
    runs: Vec<(usize, Style)>,
}

impl Rich {
    pub(crate) fn new(text: &str, style: Style) -> Self {
        let mut rich = Self::default();
        rich.push(text, style);
        rich
    }

    /// Adds text; a tab becomes blanks, because no line may have one.
    pub(crate) fn push(&mut self, text: &str, style: Style) {
        if text.is_empty() {
            return;
        }
        if text.contains('\t') {
            self.text.push_str(&text.replace('\t', "    "));
        } else {
            self.text.push_str(text);
        }
        match self.runs.last_mut() {
            Some((end, last)) if *last == style => *end = self.text.len(),
            _ => self.runs.push((self.text.len(), style)),
        }
    }

    pub(crate) fn text(&self) -> &str {
        &self.text
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.text.is_empty()
    }

    /// The styled parts of a range of bytes, appended to a line.
    pub(crate) fn slice_into(&self, from: usize, to: usize, line: &mut Vec<Span<'static>>) {
        let mut at = from;
        let first = self.runs.partition_point(|(end, _)| *end <= from);
        for (end, style) in self.runs.get(first..).unwrap_or_default() {
            let until = (*end).min(to);
            if let Some(part) = self.text.get(at..until).filter(|part| !part.is_empty()) {
                line.push(Span::styled(part.to_owned(), *style));
            }
            at = until;
            if at >= to {
                break;
            }
        }
    }
}

impl From<&Line<'_>> for Rich {
    fn from(line: &Line<'_>) -> Self {
        let mut rich = Self::default();
        for span in &line.spans {
            rich.push(&span.content, line.style.patch(span.style));
        }
        rich
    }
}
