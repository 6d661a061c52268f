//! Where a text can be cut: between blocks, between the items of a list, between the lines of a block of code. A cut
//! depends only on what stands before the line that decides it, so it is the same however the text arrives.

use std::ops::Range;

/// A block or line that gets longer is cut all the same, so that the cost of one more letter stays bounded.
const LONGEST: usize = 6 * 1024;

/// A part of the source that can no longer change.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Piece {
    /// Something for the Markdown parser.
    Block {
        /// What to parse.
        range: Range<usize>,
        /// What to put before it where a longer block was cut.
        prefix: Option<Box<str>>,
        /// An empty line stood before it.
        gap: bool,
        /// The number of an item within its list, counted from the first.
        ordinal: Option<u64>,
    },
    /// The first line of a block of code; the range is its language.
    Open { info: Range<usize>, gap: bool },
    /// A line of code.
    Code(Range<usize>),
    /// The end of a block of code.
    Close,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Fence {
    mark: u8,
    len: usize,
    indent: usize,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kind {
    Paragraph,
    Quote,
    /// An item; its text begins at this column.
    Item {
        content: usize,
        number: Option<u64>,
    },
}

/// Cuts a growing text.
#[derive(Debug, Clone, Default)]
pub(super) struct Splitter {
    pieces: Vec<Piece>,
    /// The line that is looked at next.
    at: usize,
    /// The block that is open, and where it began.
    open: Option<(Kind, usize)>,
    /// The block of code that is open.
    code: Option<Fence>,
    /// The block of code that is open within an item, and its first line.
    nested: Option<(Fence, Range<usize>)>,
    /// An empty line was seen since the last text.
    gap: bool,
    /// The open block began after an empty line.
    gap_before: bool,
    prefix: Option<Box<str>>,
    /// The next number of the list that is being written.
    ordinal: Option<u64>,
}

impl Splitter {
    pub(super) fn pieces(&self) -> &[Piece] {
        &self.pieces
    }

    /// Looks at all lines that are complete.
    pub(super) fn advance(&mut self, source: &str) {
        while let Some(rest) = source.get(self.at..) {
            let end = rest.find('\n');
            if end.unwrap_or(rest.len()) > LONGEST {
                self.cut_line(source);
                continue;
            }
            let Some(end) = end else { return };
            let line = self.at..self.at + end;
            self.line(source, line.clone());
            self.at = line.end + 1;
        }
    }

    /// Looks at what is left, too.
    pub(super) fn finish(&mut self, source: &str) {
        self.advance(source);
        if self.at < source.len() {
            self.line(source, self.at..source.len());
            self.at = source.len();
        }
        self.emit(self.at);
        if self.code.take().is_some() {
            self.pieces.push(Piece::Close);
        }
    }

    /// The pieces that would follow if nothing more came.
    pub(super) fn guess(&self, source: &str) -> Vec<Piece> {
        let mut guess = Self { pieces: Vec::new(), ..self.clone_without_pieces() };
        guess.finish(source);
        guess.pieces
    }

    fn clone_without_pieces(&self) -> Self {
        Self {
            pieces: Vec::new(),
            at: self.at,
            open: self.open,
            code: self.code,
            nested: self.nested.clone(),
            gap: self.gap,
            gap_before: self.gap_before,
            prefix: self.prefix.clone(),
            ordinal: self.ordinal,
        }
    }

    /// Cuts a line that is too long.
    fn cut_line(&mut self, source: &str) {
        let rest = source.get(self.at..).unwrap_or_default();
        let mut to = LONGEST;
        while !rest.is_char_boundary(to) {
            to -= 1;
        }
        let head = rest.get(..to).unwrap_or_default();
        let to = head.rfind(' ').filter(|space| *space > to / 2).map_or(to, |space| space + 1);
        self.emit(self.at);
        self.line(source, self.at..self.at + to);
        self.at += to;
        if self.code.is_none() {
            self.emit(self.at);
        }
    }

    fn line(&mut self, source: &str, range: Range<usize>) {
        let line = source.get(range.clone()).unwrap_or_default();
        if let Some(fence) = self.code {
            return self.code_line(line, range, fence);
        }
        if let Some((fence, _)) = &self.nested {
            if closes(line, *fence) {
                self.nested = None;
            }
            return self.bound(source, range.end);
        }
        if line.trim().is_empty() {
            self.gap = true;
            if !matches!(self.open, Some((Kind::Item { .. }, _))) {
                self.emit(range.start);
            }
            return;
        }
        self.text_line(source, line, range);
    }

    fn code_line(&mut self, line: &str, range: Range<usize>, fence: Fence) {
        if closes(line, fence) {
            self.code = None;
            self.pieces.push(Piece::Close);
            return;
        }
        let drop = line.bytes().take(fence.indent).take_while(|byte| *byte == b' ').count();
        self.pieces.push(Piece::Code(range.start + drop..range.end));
    }

    fn text_line(&mut self, source: &str, line: &str, range: Range<usize>) {
        let indent = indent(line);
        let begins = Begins::of(line);
        if let Some((kind, _)) = self.open
            && self.goes_on(kind, indent, &begins)
        {
            if let (Kind::Item { .. }, Begins::Fence(fence, _)) = (kind, &begins) {
                self.nested = Some((*fence, range.clone()));
            }
            self.gap = false;
            if let (Kind::Paragraph, Begins::Underline { .. }) = (kind, &begins) {
                return self.emit(range.end);
            }
            return self.bound(source, range.end);
        }
        self.emit(range.start);
        let gap = std::mem::take(&mut self.gap);
        match begins {
            Begins::Fence(fence, info) if indent < 4 => {
                self.ordinal = None;
                self.code = Some(fence);
                self.pieces.push(Piece::Open { info: range.start + info.start..range.start + info.end, gap });
            }
            Begins::Heading | Begins::Rule | Begins::Underline { rule: true } if indent < 4 => {
                self.ordinal = None;
                self.pieces.push(Piece::Block { range, prefix: None, gap, ordinal: None });
            }
            Begins::Item { content, number } if indent < 4 => {
                self.begin(Kind::Item { content, number }, range.start, gap);
            }
            Begins::Quote => self.begin(Kind::Quote, range.start, gap),
            _ => self.begin(Kind::Paragraph, range.start, gap),
        }
    }

    /// True when a line belongs to the block that is open.
    fn goes_on(&self, kind: Kind, indent: usize, begins: &Begins) -> bool {
        match kind {
            Kind::Item { content, .. } => {
                indent >= content || (!self.gap && matches!(begins, Begins::Text | Begins::Underline { .. }))
            }
            Kind::Quote => matches!(begins, Begins::Quote | Begins::Text),
            Kind::Paragraph => match begins {
                Begins::Text | Begins::Underline { .. } => true,
                Begins::Item { number: Some(number), .. } => *number != 1,
                Begins::Fence(..) | Begins::Heading | Begins::Rule | Begins::Item { .. } => indent >= 4,
                Begins::Quote => false,
            },
        }
    }

    fn begin(&mut self, kind: Kind, at: usize, gap: bool) {
        self.gap_before = gap;
        self.open = Some((kind, at));
    }

    /// Closes the open block before this byte.
    fn emit(&mut self, to: usize) {
        let Some((kind, from)) = self.open.take() else { return };
        self.nested = None;
        let number = match kind {
            Kind::Item { number: Some(number), .. } => Some(self.ordinal.unwrap_or(number)),
            _ => None,
        };
        self.ordinal = number.map(|number| number.saturating_add(1));
        let (prefix, gap) = (self.prefix.take(), self.gap_before);
        self.pieces.push(Piece::Block { range: from..to, prefix, gap, ordinal: number });
    }

    /// Cuts a block that gets too long, so that what follows can be read as its continuation.
    fn bound(&mut self, source: &str, to: usize) {
        let Some((kind, from)) = self.open else { return };
        if to - from <= LONGEST {
            return;
        }
        let block = source.get(from..to).unwrap_or_default();
        let nested = self.nested.take();
        let prefix = match &nested {
            Some((_, line)) => source.get(line.clone()).map(|line| format!("{line}\n")),
            None => self.prefix.as_deref().map(str::to_owned).or_else(|| table_head(block)),
        };
        self.emit(to);
        self.prefix = prefix.map(Into::into);
        self.nested = nested;
        let kind = if kind == Kind::Quote { Kind::Quote } else { Kind::Paragraph };
        self.begin(kind, to + 1, false);
    }
}

/// The first two lines of a table.
fn table_head(block: &str) -> Option<String> {
    let mut lines = block.lines();
    let (head, rule) = (lines.next()?, lines.next()?);
    let is_rule = rule.contains('-') && rule.bytes().all(|byte| matches!(byte, b'|' | b'-' | b':' | b' '));
    (is_rule && rule.contains('|')).then(|| format!("{head}\n{rule}\n"))
}

/// What a line begins with.
enum Begins {
    Fence(Fence, Range<usize>),
    Heading,
    Rule,
    /// What makes a heading of the paragraph above, and may be a rule where there is none.
    Underline {
        rule: bool,
    },
    Item {
        content: usize,
        number: Option<u64>,
    },
    Quote,
    Text,
}

impl Begins {
    fn of(line: &str) -> Self {
        let indent = indent(line);
        let text = line.trim_start();
        if let Some(found) = fence(line, text, indent) {
            return found;
        }
        let hashes = text.bytes().take_while(|byte| *byte == b'#').count();
        if (1..=6).contains(&hashes) && text.get(hashes..).is_some_and(|rest| rest.is_empty() || rest.starts_with(' '))
        {
            return Self::Heading;
        }
        if let Some(rule) = rule(text) {
            return rule;
        }
        if text.starts_with('>') {
            return Self::Quote;
        }
        item(text, indent).unwrap_or(Self::Text)
    }
}

fn fence(line: &str, text: &str, indent: usize) -> Option<Begins> {
    let mark = text.bytes().next().filter(|byte| matches!(byte, b'`' | b'~'))?;
    let len = text.bytes().take_while(|byte| *byte == mark).count();
    let info = text.get(len..)?;
    if len < 3 || (mark == b'`' && info.contains('`')) {
        return None;
    }
    let from = line.len() - info.len();
    Some(Begins::Fence(Fence { mark, len, indent }, from..line.len()))
}

fn closes(line: &str, fence: Fence) -> bool {
    let text = line.trim();
    text.len() >= fence.len && text.bytes().all(|byte| byte == fence.mark) && indent(line) < fence.indent + 4
}

fn rule(text: &str) -> Option<Begins> {
    let mut marks = text.bytes().filter(|byte| !byte.is_ascii_whitespace());
    let mark = marks.next()?;
    let count = 1 + marks.clone().count();
    if !marks.all(|byte| byte == mark) {
        return None;
    }
    let whole = !text.trim_end().contains(' ');
    match mark {
        b'=' if whole => Some(Begins::Underline { rule: false }),
        b'-' if whole && count >= 2 => Some(Begins::Underline { rule: count >= 3 }),
        b'*' | b'_' | b'-' if count >= 3 => Some(Begins::Rule),
        _ => None,
    }
}

fn item(text: &str, indent: usize) -> Option<Begins> {
    let digits = text.bytes().take_while(u8::is_ascii_digit).count();
    let (mark, number) = match text.as_bytes().get(digits)? {
        b'-' | b'*' | b'+' if digits == 0 => (1, None),
        b'.' | b')' if (1..=9).contains(&digits) => (digits + 1, text.get(..digits)?.parse().ok()),
        _ => return None,
    };
    let rest = text.get(mark..)?;
    let blanks = rest.bytes().take_while(|byte| *byte == b' ').count();
    match rest.bytes().next() {
        None => Some(Begins::Item { content: indent + mark + 1, number }),
        Some(b' ' | b'\t') => {
            let blanks = if blanks > 4 || blanks == 0 { 1 } else { blanks };
            Some(Begins::Item { content: indent + mark + blanks, number })
        }
        Some(_) => None,
    }
}

fn indent(line: &str) -> usize {
    let mut columns = 0;
    for byte in line.bytes() {
        match byte {
            b' ' => columns += 1,
            b'\t' => columns += 4 - columns % 4,
            _ => break,
        }
    }
    columns
}
