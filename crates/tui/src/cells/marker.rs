//! A line that says what is different from here on.

use super::View;
use crate::text::{columns, neutral, shorten};
use ratatui_core::text::{Line, Span};
use reasonix_proto::Phrase;

/// A line across.
#[derive(Debug)]
pub(crate) struct Marker(pub(crate) Phrase);

impl Marker {
    pub(crate) fn lines(&self, view: View<'_>) -> Vec<Line<'static>> {
        let (look, theme) = (view.look, &view.look.theme);
        let dash = if look.unicode { "─" } else { "-" };
        let width = usize::from(view.width);
        let text = shorten(&neutral(&look.say(&self.0)).replace(['\n', '\t'], " "), width);
        let before = if width > columns(&text) + 6 { 2 } else { 0 };
        let mut spans = Vec::new();
        if before > 0 {
            spans.push(Span::styled(format!("{} ", dash.repeat(before)), theme.rule));
        }
        let used = columns(&text) + before + 2;
        spans.push(Span::styled(text, theme.dim));
        if before > 0 {
            spans.push(Span::styled(format!(" {}", dash.repeat(width.min(80).saturating_sub(used))), theme.rule));
        }
        vec![Line::from(spans)]
    }
}
