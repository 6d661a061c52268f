//! Pieces become lines.

use super::block::Block;
use super::split::Piece;
use crate::Look;
use crate::text::highlight::{Lexer, language};
use crate::text::{Rich, expand_tabs, wrap_hard};
use ratatui_core::text::{Line, Span};

/// How far code stands to the right.
const CODE_INDENT: &str = "  ";

/// Draws pieces, one after the other.
#[derive(Debug, Clone)]
pub(crate) struct Painter {
    width: u16,
    look: Look,
    lines: Vec<Line<'static>>,
    /// How many lines there were after each piece.
    ends: Vec<usize>,
    code: Option<Code>,
    /// Something stands above.
    below: bool,
    /// What stands above wants an empty line after it.
    wants_gap: bool,
}

#[derive(Debug, Clone)]
struct Code {
    lexer: Option<Lexer>,
}

impl Painter {
    pub(super) fn new(width: u16, look: &Look) -> Self {
        let (lines, ends) = (Vec::new(), Vec::new());
        Self { width, look: look.clone(), lines, ends, code: None, below: false, wants_gap: false }
    }

    pub(super) fn fits(&self, width: u16, look: &Look) -> bool {
        self.width == width && self.look == *look
    }

    /// A painter that goes on where this one is, without its lines.
    pub(super) fn fork(&self) -> Self {
        Self {
            width: self.width,
            look: self.look.clone(),
            lines: Vec::new(),
            ends: Vec::new(),
            code: self.code.clone(),
            below: self.below,
            wants_gap: self.wants_gap,
        }
    }

    pub(super) fn lines(&self) -> &[Line<'static>] {
        &self.lines
    }

    pub(super) fn take_lines(self) -> Vec<Line<'static>> {
        self.lines
    }

    /// How many pieces are drawn.
    pub(super) fn painted(&self) -> usize {
        self.ends.len()
    }

    /// Draws the pieces that are not drawn yet.
    pub(super) fn paint(&mut self, source: &str, pieces: &[Piece]) {
        for piece in pieces.get(self.ends.len()..).unwrap_or_default() {
            self.piece(source, piece);
            self.ends.push(self.lines.len());
        }
    }

    /// How many lines the first pieces have together.
    pub(super) fn line_of(&self, pieces: usize) -> usize {
        let last = pieces.checked_sub(1).map(|last| last.min(self.ends.len().saturating_sub(1)));
        last.and_then(|last| self.ends.get(last)).copied().unwrap_or(0)
    }

    /// The fewest pieces that have so many lines, or all.
    pub(super) fn piece_at(&self, line: usize) -> usize {
        (self.ends.partition_point(|end| *end < line) + 1).min(self.ends.len())
    }

    fn piece(&mut self, source: &str, piece: &Piece) {
        match piece {
            Piece::Block { range, prefix, gap, ordinal } => {
                let text = source.get(range.clone()).unwrap_or_default();
                let joined;
                let text = match prefix {
                    Some(prefix) => {
                        joined = format!("{prefix}{text}");
                        joined.as_str()
                    }
                    None => text,
                };
                self.block(text, *gap, *ordinal);
            }
            Piece::Open { info, gap: _ } => {
                self.gap(true);
                let info = source.get(info.clone()).unwrap_or_default();
                self.code = Some(Code { lexer: language(info).map(Lexer::new) });
            }
            Piece::Code(range) => {
                let line = source.get(range.clone()).unwrap_or_default();
                let lexer = self.code.as_mut().and_then(|code| code.lexer.as_mut());
                code_line(line, lexer, usize::from(self.width), &self.look, &mut self.lines);
                self.below = true;
            }
            Piece::Close => {
                self.code = None;
                self.wants_gap = true;
            }
        }
    }

    fn block(&mut self, text: &str, gap: bool, ordinal: Option<u64>) {
        let mut lines = Vec::new();
        let block = Block::new(usize::from(self.width), &self.look, ordinal, &mut lines);
        let airy = block.draw(text);
        if lines.is_empty() {
            return;
        }
        self.gap(gap || airy);
        self.wants_gap = airy;
        self.lines.append(&mut lines);
        self.below = true;
    }

    fn gap(&mut self, wanted: bool) {
        let wanted = wanted || std::mem::take(&mut self.wants_gap);
        if wanted && self.below {
            self.lines.push(Line::default());
        }
    }
}

/// One line of code, coloured, broken where it has to be.
pub(super) fn code_line(
    line: &str,
    lexer: Option<&mut Lexer>,
    width: usize,
    look: &Look,
    lines: &mut Vec<Line<'static>>,
) {
    let line = expand_tabs(line, 4);
    let mut rich = Rich::default();
    let indent = if width > 12 { CODE_INDENT } else { "" };
    rich.push(indent, look.theme.text);
    match lexer {
        Some(lexer) => lexer.line(&line, &mut |text, kind| rich.push(text, kind.style(&look.theme))),
        None => rich.push(&line, look.theme.text),
    }
    let rest: &[Span<'static>] = if indent.is_empty() { &[] } else { &[Span::raw(CODE_INDENT)] };
    wrap_hard(&rich, width, rest, lines);
}
