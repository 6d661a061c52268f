//! What the front end itself shows in the transcript, such as the answer to a command.

use crate::Look;
use crate::cells::Cell;
use crate::text::{Rich, Wrapped};
use ratatui_core::text::{Line, Span};

/// Lines that are ready. One that is too long goes on as far to the right as it begins.
pub(crate) struct Ready(pub(crate) Vec<Line<'static>>);

impl Cell for Ready {
    fn lines(&self, width: u16, _look: &Look) -> Vec<Line<'static>> {
        self.0.iter().flat_map(|line| hung(line, width.max(1))).collect()
    }
}

/// A line with what does not fit below its own beginning.
pub(crate) fn hung(line: &Line<'static>, width: u16) -> Vec<Line<'static>> {
    let text = line.to_string();
    let indent = text.len() - text.trim_start_matches(' ').len();
    let blank = [Span::raw(" ".repeat(if indent * 2 < usize::from(width) { indent } else { 0 }))];
    let mut rich = Rich::default();
    for span in &line.spans {
        rich.push(&span.content, line.style.patch(span.style));
    }
    let mut lines = Vec::new();
    let width = usize::from(width);
    Wrapped { rich: &rich, width, first: &[], rest: &blank }.into_lines(&mut lines);
    lines
}

#[cfg(test)]
mod tests {
    use super::hung;
    use ratatui_core::text::Line;

    #[test]
    fn what_does_not_fit_goes_on_below_its_beginning() {
        let shown = |text: &'static str, width| -> Vec<String> {
            hung(&Line::from(text), width).iter().map(ToString::to_string).collect()
        };
        assert_eq!(shown("  one two three", 10), ["  one two", "  three"]);
        assert_eq!(shown("  one", 10), ["  one"]);
    }
}
