//! Places in files that an answer named and that are not there.

use super::View;
use super::sheet::Sheet;
use crate::text::{Rich, neutral};
use ratatui_core::style::Modifier;
use ratatui_core::text::Line;
use reasonix_proto::{BrokenCitation, Citation, Phrase};

/// The broken citations of an answer.
#[derive(Debug)]
pub(crate) struct Citations(pub(crate) Vec<Citation>);

impl Citations {
    pub(crate) fn lines(&self, view: View<'_>) -> Vec<Line<'static>> {
        let mut sheet = Sheet::new(view);
        let (look, theme) = (view.look, &view.look.theme);
        let mark = if look.unicode { "✗" } else { "x" };
        sheet.head(mark, theme.bad, &Rich::new(&look.word("tui.citations_broken"), theme.bad));
        for citation in &self.0 {
            let why = match citation.broken {
                Some(BrokenCitation::NoLine { lines }) => Phrase::new("tui.citation_short").with("lines", lines),
                _ => Phrase::new("tui.citation_no_file"),
            };
            let mut rich = Rich::new(&neutral(&citation.text), theme.bad.add_modifier(Modifier::CROSSED_OUT));
            rich.push(&format!("  {}", look.say(&why)), theme.dim);
            let mut line = Line::default();
            rich.slice_into(0, rich.text().len(), &mut line.spans);
            let lines = crate::text::wrap(&line, sheet.inner());
            sheet.inset(lines);
        }
        sheet.lines
    }
}
