//! One block as the Markdown parser sees it: paragraphs, lists, quotes and tables become lines.

use super::inline::Inline;
use super::paint::code_line;
use super::table::Table;
use crate::Look;
use crate::text::highlight::{Lexer, language};
use crate::text::{Rich, Wrapped, columns};
use pulldown_cmark::{CodeBlockKind, Event, HeadingLevel, Options, Parser, Tag, TagEnd};
use ratatui_core::style::{Modifier, Style};
use ratatui_core::text::{Line, Span};

/// Draws one block.
pub(super) struct Block<'a> {
    width: usize,
    look: &'a Look,
    lines: &'a mut Vec<Line<'static>>,
    inline: Inline,
    /// What stands before each line, from the outside in.
    before: Vec<Before>,
    /// The lists that are open, with the number of their next item.
    lists: Vec<Option<u64>>,
    ordinal: Option<u64>,
    table: Option<Table>,
    code: Option<(Option<Lexer>, String)>,
    /// The paragraph that comes is not the first in its item or quote.
    again: bool,
    airy: bool,
}

enum Before {
    Quote,
    /// A mark that is still to be drawn, or its width in blanks.
    Item(Option<String>, usize),
}

impl<'a> Block<'a> {
    pub(super) fn new(width: usize, look: &'a Look, ordinal: Option<u64>, lines: &'a mut Vec<Line<'static>>) -> Self {
        let inline = Inline::new(look);
        let (before, lists) = (Vec::new(), Vec::new());
        Self { width, look, lines, inline, before, lists, ordinal, table: None, code: None, again: false, airy: false }
    }

    /// Draws it; true when it wants an empty line around it.
    pub(super) fn draw(mut self, text: &str) -> bool {
        let text = literal_definitions(text);
        let options = Options::ENABLE_TABLES | Options::ENABLE_STRIKETHROUGH | Options::ENABLE_TASKLISTS;
        for event in Parser::new_ext(&text, options) {
            self.event(event);
        }
        self.flush();
        self.airy
    }

    fn event(&mut self, event: Event<'_>) {
        match event {
            Event::Start(tag) => self.start(tag),
            Event::End(tag) => self.end(tag),
            Event::Text(text) => match &mut self.code {
                Some((_, code)) => code.push_str(&text),
                None => self.inline.text(&text),
            },
            Event::Rule => self.rule(),
            Event::HardBreak => self.inline.line_break(),
            Event::TaskListMarker(done) => {
                let mark = if done { "[x] " } else { "[ ] " };
                let style = if done { self.look.theme.good } else { self.look.theme.dim };
                self.inline.styled(mark, style);
            }
            other => self.inline.event(other, self.look),
        }
    }

    fn start(&mut self, tag: Tag<'_>) {
        match tag {
            Tag::Paragraph => self.between(),
            Tag::Heading { level, .. } => {
                self.between();
                let mut style = self.look.theme.heading;
                if level == HeadingLevel::H1 {
                    style = style.add_modifier(Modifier::UNDERLINED);
                }
                self.inline.push_style(style);
                self.airy = true;
            }
            Tag::BlockQuote(_) => {
                self.flush();
                self.before.push(Before::Quote);
                self.inline.push_style(self.look.theme.quote);
                self.again = false;
            }
            Tag::List(start) => {
                self.flush();
                let start = if self.lists.is_empty() { self.ordinal.or(start) } else { start };
                self.lists.push(start);
                self.again = false;
            }
            Tag::Item => self.item(),
            Tag::CodeBlock(kind) => {
                self.flush();
                let info = match &kind {
                    CodeBlockKind::Fenced(info) => info.as_ref(),
                    CodeBlockKind::Indented => "",
                };
                self.code = Some((language(info).map(Lexer::new), String::new()));
            }
            Tag::Table(alignments) => {
                self.flush();
                self.table = Some(Table::new(alignments));
                self.airy = true;
            }
            Tag::TableHead | Tag::TableRow | Tag::HtmlBlock => {}
            Tag::TableCell => self.inline.clear(),
            other => self.inline.start(other, self.look),
        }
    }

    fn end(&mut self, tag: TagEnd) {
        match tag {
            TagEnd::Paragraph => {
                self.flush();
                self.again = true;
            }
            TagEnd::Heading(_) => {
                self.flush();
                self.inline.pop_style();
            }
            TagEnd::BlockQuote(_) => {
                self.flush();
                self.inline.pop_style();
                self.before.pop();
            }
            TagEnd::List(_) => {
                self.lists.pop();
            }
            TagEnd::Item => {
                self.flush();
                self.empty_item();
                self.before.pop();
                self.again = false;
            }
            TagEnd::CodeBlock => self.code_block(),
            TagEnd::TableCell => {
                let cell = self.inline.take();
                if let Some(table) = &mut self.table {
                    table.cell(cell);
                }
            }
            TagEnd::TableHead | TagEnd::TableRow => {
                if let Some(table) = &mut self.table {
                    table.end_row();
                }
            }
            TagEnd::Table => {
                if let Some(table) = self.table.take() {
                    let (first, _) = self.margins();
                    table.draw(self.width, &first, self.look, self.lines);
                }
            }
            TagEnd::HtmlBlock => self.flush(),
            other => self.inline.end(other, self.look),
        }
    }

    fn item(&mut self) {
        self.flush();
        let depth = self.lists.len();
        let mark = match self.lists.last_mut() {
            Some(Some(number)) => {
                let mark = format!("{number}. ");
                *number = number.saturating_add(1);
                mark
            }
            _ if !self.look.unicode => "- ".to_owned(),
            _ if depth > 1 => "◦ ".to_owned(),
            _ => "• ".to_owned(),
        };
        let width = columns(&mark);
        self.before.push(Before::Item(Some(mark), width));
        self.again = false;
    }

    /// An item without any text still shows its mark.
    fn empty_item(&mut self) {
        if matches!(self.before.last(), Some(Before::Item(Some(_), _))) {
            let (first, _) = self.margins();
            self.lines.push(Line::from(first));
        }
    }

    /// An empty line between the paragraphs of one item or quote.
    fn between(&mut self) {
        self.flush();
        if std::mem::take(&mut self.again) {
            let (first, _) = self.margins();
            self.lines.push(Line::from(first));
        }
    }

    fn rule(&mut self) {
        self.flush();
        let mark = if self.look.unicode { "─" } else { "-" };
        let line = mark.repeat(self.width.min(40));
        self.lines.push(Line::from(Span::styled(line, self.look.theme.rule)));
        self.airy = true;
    }

    fn code_block(&mut self) {
        let Some((mut lexer, code)) = self.code.take() else { return };
        let (first, rest) = self.margins();
        let before: usize = rest.iter().map(|span| columns(&span.content)).sum();
        let mut lines = Vec::new();
        for line in code.lines() {
            code_line(line, lexer.as_mut(), self.width.saturating_sub(before).max(1), self.look, &mut lines);
        }
        for (index, line) in lines.into_iter().enumerate() {
            let mut spans = if index == 0 { first.clone() } else { rest.clone() };
            spans.extend(line.spans);
            self.lines.push(Line::from(spans));
        }
        self.again = true;
    }

    fn flush(&mut self) {
        if self.inline.is_empty() || self.table.is_some() {
            return;
        }
        let rich: Rich = self.inline.take();
        let (first, rest) = self.margins();
        Wrapped { rich: &rich, width: self.width, first: &first, rest: &rest }.into_lines(self.lines);
    }

    /// What stands before the first line and before the others. Marks are drawn once.
    fn margins(&mut self) -> (Vec<Span<'static>>, Vec<Span<'static>>) {
        let (mut first, mut rest) = (Vec::new(), Vec::new());
        // On a narrow screen the outer levels lose their margin first.
        let most = self.width / 2;
        let mut used = 0;
        for before in self.before.iter_mut().rev() {
            let (mark, blank, style) = match before {
                Before::Quote => {
                    let bar = if self.look.unicode { "│ " } else { "> " };
                    (bar.to_owned(), bar.to_owned(), self.look.theme.rule)
                }
                Before::Item(mark, width) => {
                    let blank = " ".repeat(*width);
                    (mark.take().unwrap_or_else(|| blank.clone()), blank, self.look.theme.dim)
                }
            };
            used += columns(&mark);
            if used > most {
                break;
            }
            first.push(Span::styled(mark, style));
            rest.push(Span::styled(blank, style));
        }
        first.reverse();
        rest.reverse();
        (first, rest)
    }
}

/// Definitions of links are shown like text: what they define may stand in another block.
fn literal_definitions(text: &str) -> std::borrow::Cow<'_, str> {
    let is_definition = |line: &str| line.trim_start().starts_with('[') && line.contains("]:");
    if !text.lines().any(is_definition) {
        return text.into();
    }
    let lines: Vec<_> = text
        .lines()
        .map(|line| if is_definition(line) { line.replacen('[', "\\[", 1) } else { line.to_owned() })
        .collect();
    lines.join("\n").into()
}

/// The style of ordinary text within another.
pub(super) fn over(outer: Style, inner: Style) -> Style {
    outer.patch(inner)
}
