//! Rows that the overlays have in common.

use crate::Look;
use crate::text::{columns, neutral, wrap};
use ratatui_core::style::Style;
use ratatui_core::text::{Line, Span};

/// A line across the screen.
pub(crate) fn rule(width: u16, look: &Look, style: Style) -> Line<'static> {
    let sign = if look.unicode { "─" } else { "-" };
    Line::from(Span::styled(sign.repeat(usize::from(width)), style))
}

/// What the keys do, in one row. Where there is no room for all of it, the first and the last stay the longest.
pub(crate) fn keys_line(text: &str, width: u16, style: Style) -> Line<'static> {
    const BETWEEN: &str = " · ";
    let room = usize::from(width).saturating_sub(2);
    let mut parts: Vec<&str> = text.split(BETWEEN).collect();
    while parts.len() > 1 && columns(&parts.join(BETWEEN)) > room {
        parts.remove(if parts.len() > 2 { parts.len() - 2 } else { 0 });
    }
    Line::styled(format!("  {}", crate::text::cut(&parts.join(BETWEEN), room)), style)
}

/// A text, indented and wrapped.
pub(crate) fn block(lines: &mut Vec<Line<'static>>, text: &str, width: u16, style: Style) {
    let room = width.saturating_sub(2).max(1);
    for line in text.split('\n') {
        for piece in wrap(&Line::styled(neutral(line).replace('\t', "    "), style), room) {
            let mut spans = vec![Span::raw(if columns("  ") < usize::from(width) { "  " } else { "" })];
            spans.extend(piece.spans.into_iter().map(|span| Span::styled(span.content, piece.style.patch(span.style))));
            lines.push(Line::from(spans));
        }
    }
}
