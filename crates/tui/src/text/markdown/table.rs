//! Tables: columns share the width, cells wrap, CJK text lines up. Where there is no room for columns, rows become lists.

use crate::Look;
use crate::text::{Rich, Wrapped, columns};
use pulldown_cmark::Alignment;
use ratatui_core::text::{Line, Span};

/// A column is not made narrower than this, unless its text is.
const NARROWEST: usize = 4;

/// A table that is being put together.
pub(super) struct Table {
    alignments: Vec<Alignment>,
    rows: Vec<Vec<Rich>>,
    row: Vec<Rich>,
}

impl Table {
    pub(super) fn new(alignments: Vec<Alignment>) -> Self {
        Self { alignments, rows: Vec::new(), row: Vec::new() }
    }

    pub(super) fn cell(&mut self, cell: Rich) {
        self.row.push(cell);
    }

    pub(super) fn end_row(&mut self) {
        self.rows.push(std::mem::take(&mut self.row));
    }

    pub(super) fn draw(self, width: usize, margin: &[Span<'static>], look: &Look, lines: &mut Vec<Line<'static>>) {
        let before: usize = margin.iter().map(|span| columns(&span.content)).sum();
        let room = width.saturating_sub(before).max(1);
        let natural: Vec<usize> = (0..self.alignments.len())
            .map(|column| {
                let cells = self.rows.iter().filter_map(|row| row.get(column));
                cells.map(|cell| columns(cell.text())).max().unwrap_or(0).max(1)
            })
            .collect();
        let separators = 3 * natural.len().saturating_sub(1);
        let mut drawn = Vec::new();
        match shares(&natural, room.saturating_sub(separators)) {
            Some(widths) => self.as_columns(&widths, look, &mut drawn),
            None => self.as_list(room, look, &mut drawn),
        }
        for line in drawn {
            let mut spans = margin.to_vec();
            spans.extend(line.spans);
            lines.push(Line::from(spans));
        }
    }

    fn as_columns(&self, widths: &[usize], look: &Look, lines: &mut Vec<Line<'static>>) {
        let (bar, dash, cross) = if look.unicode { ("│", "─", "┼") } else { ("|", "-", "+") };
        for (index, row) in self.rows.iter().enumerate() {
            let cells: Vec<Vec<Line<'static>>> = widths
                .iter()
                .enumerate()
                .map(|(column, width)| {
                    let mut cell = Vec::new();
                    if let Some(rich) = row.get(column) {
                        Wrapped { rich, width: *width, first: &[], rest: &[] }.into_lines(&mut cell);
                    }
                    cell
                })
                .collect();
            let height = cells.iter().map(Vec::len).max().unwrap_or(0);
            for line in 0..height {
                lines.push(self.row_line(&cells, line, widths, index == 0, bar, look));
            }
            if index == 0 {
                let rule: Vec<String> = widths.iter().map(|width| dash.repeat(*width)).collect();
                let rule = rule.join(&format!("{dash}{cross}{dash}"));
                lines.push(Line::from(Span::styled(rule, look.theme.rule)));
            }
        }
    }

    fn row_line(
        &self,
        cells: &[Vec<Line<'static>>],
        line: usize,
        widths: &[usize],
        head: bool,
        bar: &str,
        look: &Look,
    ) -> Line<'static> {
        let mut spans = Vec::new();
        for (column, (cell, width)) in cells.iter().zip(widths).enumerate() {
            if column > 0 {
                spans.push(Span::styled(format!(" {bar} "), look.theme.rule));
            }
            let text = cell.get(line).cloned().unwrap_or_default();
            let used: usize = text.spans.iter().map(|span| columns(&span.content)).sum();
            let blank = width.saturating_sub(used);
            let left = match self.alignments.get(column) {
                Some(Alignment::Right) => blank,
                Some(Alignment::Center) => blank / 2,
                _ => 0,
            };
            let last = column + 1 == widths.len();
            push_blank(&mut spans, left);
            let style = |span: Span<'static>| {
                if head { Span::styled(span.content, span.style.patch(look.theme.strong)) } else { span }
            };
            spans.extend(text.spans.into_iter().map(style));
            if !last {
                push_blank(&mut spans, blank - left);
            }
        }
        Line::from(spans)
    }

    /// Each row as lines of `heading: value`.
    fn as_list(&self, width: usize, look: &Look, lines: &mut Vec<Line<'static>>) {
        let mut rows = self.rows.iter();
        let Some(head) = rows.next() else { return };
        let mut bare = true;
        for row in rows {
            if !std::mem::take(&mut bare) {
                lines.push(Line::default());
            }
            for (name, value) in head.iter().zip(row) {
                let first = [Span::styled(format!("{}: ", name.text()), look.theme.strong)];
                if (columns(name.text()) + 2) * 3 <= width * 2 {
                    Wrapped { rich: value, width, first: &first, rest: &[] }.into_lines(lines);
                } else {
                    let name = Rich::new(name.text(), look.theme.strong);
                    Wrapped { rich: &name, width, first: &[], rest: &[] }.into_lines(lines);
                    Wrapped { rich: value, width, first: &[], rest: &[] }.into_lines(lines);
                }
            }
        }
        if bare {
            for name in head {
                Wrapped { rich: name, width, first: &[], rest: &[] }.into_lines(lines);
            }
        }
    }
}

fn push_blank(spans: &mut Vec<Span<'static>>, count: usize) {
    if count > 0 {
        spans.push(Span::raw(" ".repeat(count)));
    }
}

/// The widths of columns: what they need, or a fair share; none when there is no room for columns at all.
fn shares(natural: &[usize], room: usize) -> Option<Vec<usize>> {
    if natural.iter().sum::<usize>() <= room {
        return Some(natural.to_vec());
    }
    let least: usize = natural.iter().map(|width| (*width).min(NARROWEST)).sum();
    if least > room {
        return None;
    }
    // The largest limit that all columns fit under.
    let (mut low, mut high) = (NARROWEST, room);
    while low < high {
        let limit = usize::midpoint(low, high + 1);
        let sum: usize = natural.iter().map(|width| (*width).min(limit)).sum();
        if sum <= room { low = limit } else { high = limit - 1 }
    }
    let mut widths: Vec<usize> = natural.iter().map(|width| (*width).min(low)).collect();
    let mut spare = room.saturating_sub(widths.iter().sum());
    for (width, wanted) in widths.iter_mut().zip(natural) {
        if spare > 0 && *width < *wanted {
            *width += 1;
            spare -= 1;
        }
    }
    Some(widths)
}
