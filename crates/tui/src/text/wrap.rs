//! Breaking lines at a width.

use ratatui_core::text::{Line, Span};
use unicode_segmentation::UnicodeSegmentation;
use unicode_width::UnicodeWidthStr;

/// Breaks one line into lines of at most `width` columns. A grapheme that is wider than the whole width is left out.
pub fn wrap(line: &Line<'_>, width: u16) -> Vec<Line<'static>> {
    let width = usize::from(width);
    let mut lines = vec![Line::default()];
    let mut used = 0;
    for span in &line.spans {
        for grapheme in span.content.graphemes(true) {
            let wide = grapheme.width().min(2);
            if wide > width {
                continue;
            }
            if used + wide > width {
                lines.push(Line::default());
                used = 0;
            }
            used += wide;
            if let Some(last) = lines.last_mut() {
                last.spans.push(Span::styled(grapheme.to_owned(), span.style));
            }
        }
    }
    lines
}
