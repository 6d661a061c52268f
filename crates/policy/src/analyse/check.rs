//! The tree held against the text: what a shell would expand and the tree does not show, or characters that a shell
//! and a parser read differently, make the line hidden.

use super::kind_of;
use crate::effects::Hidden;
use reasonix_proto::is_deceptive;
use std::ops::Range;
use tree_sitter::{Node, Tree};

/// What the tree shows of a text that it reads as a shell does.
pub(super) struct Agreed {
    /// Where substitutions begin, in order.
    pub(super) substitutions: Vec<usize>,
    /// Comments, and texts that nothing is filled into.
    pub(super) literal: Vec<Range<usize>>,
    /// The latter alone.
    pub(super) heredocs: Vec<Range<usize>>,
}

/// What the tree shows, or what is wrong with reading the text by it.
pub(super) fn disagreement(source: &str, tree: &Tree) -> Result<Agreed, Hidden> {
    if tree.root_node().has_error() {
        return Err(Hidden::Unparsed);
    }
    // A line end at the very end stands between no parts.
    let lines = source.strip_suffix('\n').unwrap_or(source).contains('\n');
    let mut marks = Marks { lines, ..Marks::default() };
    marks.collect(source, tree);
    if marks.torn || has_gap(source, &mut marks.covered) {
        return Err(Hidden::Unparsed);
    }
    marks.unprotect();
    let mut skip = std::mem::take(&mut marks.protected).into_iter().peekable();
    let mut before = ' ';
    let mut escaped = false;
    for (at, c) in source.char_indices() {
        while skip.peek().is_some_and(|range| range.end <= at) {
            skip.next();
        }
        if skip.peek().is_some_and(|range| range.contains(&at)) {
            (before, escaped) = ('\'', false);
            continue;
        }
        if !escaped && (c.is_ascii_alphanumeric() || matches!(c, ' ' | '-' | '_' | '.' | '/')) {
            before = c;
            continue;
        }
        if c == '\0' || (is_odd(c) && !marks.is_quoted(at)) {
            return Err(Hidden::Characters);
        }
        if escaped {
            if marks.misreads_escape(c, before, at) {
                return Err(Hidden::Unparsed);
            }
            (escaped, before) = (false, c);
            continue;
        }
        if marks.misreads(source.get(at..).unwrap_or_default(), at) {
            return Err(Hidden::Unparsed);
        }
        if c == '\\' {
            escaped = true;
        } else {
            before = c;
        }
    }
    Ok(Agreed { substitutions: marks.substitutions, literal: marks.literal, heredocs: marks.heredocs })
}

/// True when the tree has no place for something of the text: its scanner skips a few characters that a shell does not.
fn has_gap(source: &str, covered: &mut [Range<usize>]) -> bool {
    covered.sort_unstable_by_key(|range| range.start);
    let is_blank = |text: &str| text.chars().all(|c| c.is_whitespace() || c == '\\');
    let mut at = 0;
    for range in covered {
        if range.start > at && !source.get(at..range.start).is_some_and(is_blank) {
            return true;
        }
        at = at.max(range.end);
    }
    !source.get(at..).is_none_or(is_blank)
}

/// True for `${NAME}`: wherever it stands, nothing runs.
fn is_plain(rest: &str) -> bool {
    let name = rest.strip_prefix("${").and_then(|rest| rest.split_once('}')).map_or("", |(name, _)| name);
    !name.is_empty() && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_')
}

/// White space and control characters that a shell takes for part of a word, or that nobody sees.
fn is_odd(c: char) -> bool {
    c == '\u{3000}' || (is_deceptive(c) && !matches!(c, '\u{fe00}'..='\u{fe0f}' | '\u{200d}'))
}

#[derive(Default)]
struct Marks {
    /// Where nothing is expanded, in order.
    protected: Vec<Range<usize>>,
    /// Inside double quotes and heredocs.
    quoted: Vec<Range<usize>>,
    /// Expansions and substitutions.
    opened: Vec<Range<usize>>,
    /// Comments, and heredocs in which nothing is filled in.
    literal: Vec<Range<usize>>,
    /// The latter alone.
    heredocs: Vec<Range<usize>>,
    /// Where text is calculated with, or filled in.
    evaluated: Vec<Range<usize>>,
    /// Where substitutions begin.
    substitutions: Vec<usize>,
    /// Where expansions begin.
    expansions: Vec<usize>,
    /// Where substitutions by backquotes begin and end.
    backquotes: Vec<usize>,
    /// Where blanks stand inside of words.
    blanks: Vec<usize>,
    /// What the tree has a place for.
    covered: Vec<Range<usize>>,
    /// True when there is more than one line.
    lines: bool,
    /// True when a line end stands inside of what the tree takes for one command.
    torn: bool,
}

/// Kinds whose parts stand on one line.
const ONE_LINE: &[&str] = &[
    "command",
    "declaration_command",
    "file_redirect",
    "heredoc_redirect",
    "herestring_redirect",
    "redirected_statement",
    "unset_command",
    "variable_assignment",
    "variable_assignments",
    "word",
];

/// True when a line end that is not escaped stands between two parts of the node, or in a word.
fn is_torn(source: &str, node: Node<'_>) -> bool {
    let ends = |text: &str| text.contains('\n') && text.replace("\\\n", "").contains('\n');
    if kind_of(node) == "word" {
        return ends(source.get(node.byte_range()).unwrap_or_default());
    }
    let mut cursor = node.walk();
    let mut at = node.start_byte();
    for child in node.children(&mut cursor) {
        if kind_of(child) == "heredoc_body" {
            break;
        }
        let between = source.get(at..child.start_byte()).unwrap_or_default();
        if ends(between) {
            return true;
        }
        at = child.end_byte();
    }
    false
}

impl Marks {
    /// True inside double quotes and heredocs.
    fn is_quoted(&self, at: usize) -> bool {
        self.quoted.iter().any(|range| range.contains(&at))
    }

    /// True where nothing but `$` and backquotes mean something: in quotes, and not in an expansion in them.
    fn is_text(&self, at: usize) -> bool {
        let nearest =
            |ranges: &[Range<usize>]| ranges.iter().filter(|range| range.contains(&at)).map(|range| range.start).max();
        nearest(&self.quoted).is_some_and(|quote| nearest(&self.opened).is_none_or(|open| open < quote))
    }

    /// True when the shell reads an escaped character differently than the tree.
    fn misreads_escape(&self, c: char, before: char, at: usize) -> bool {
        match c {
            // The shell joins what stands around an escaped line end; the tree splits it.
            '\n' if self.is_text(at) => matches!(before, '$' | '`' | '\\'),
            '\n' => !matches!(before, ' ' | '\t' | '\n' | ';' | '&' | '|') || self.is_quoted(at),
            // An escaped blank is part of a word; where the tree skips it, it may take the rest for a comment.
            ' ' | '\t' => self.blanks.binary_search(&at).is_err() && !self.is_quoted(at),
            _ => false,
        }
    }

    /// True when something begins here that the shell runs or expands, and the tree does not show it.
    fn misreads(&self, rest: &str, at: usize) -> bool {
        let opens = rest.starts_with("$(") || rest.starts_with("$[") || (rest.starts_with("${") && !is_plain(rest));
        let runs = rest.starts_with("<(") || rest.starts_with(">(");
        (opens && self.expansions.binary_search(&at).is_err())
            || (rest.starts_with('`') && self.backquotes.binary_search(&at).is_err())
            || (runs && self.substitutions.binary_search(&at).is_err() && !self.is_text(at))
    }

    /// Single quotes quote nothing in an expansion inside double quotes, nor where something is calculated.
    fn unprotect(&mut self) {
        let evaluated = std::mem::take(&mut self.evaluated);
        if !evaluated.is_empty() {
            self.protected.retain(|range| !evaluated.iter().any(|outer| outer.contains(&range.start)));
        }
    }

    fn collect(&mut self, source: &str, tree: &Tree) {
        let mut cursor = tree.walk();
        loop {
            let node = cursor.node();
            let inside = self.note(source, node) && cursor.goto_first_child();
            if inside {
                continue;
            }
            self.covered.push(node.byte_range());
            while !cursor.goto_next_sibling() {
                if !cursor.goto_parent() {
                    self.protected.sort_by_key(|range| range.start);
                    [&mut self.expansions, &mut self.backquotes, &mut self.blanks, &mut self.substitutions]
                        .into_iter()
                        .for_each(|list| list.sort_unstable());
                    return;
                }
            }
        }
    }

    /// Notes a node; false when nothing in it matters.
    fn note(&mut self, source: &str, node: Node<'_>) -> bool {
        let kind = kind_of(node);
        self.torn |= self.lines && ONE_LINE.contains(&kind) && is_torn(source, node);
        match kind {
            "raw_string" | "ansi_c_string" | "comment" => {
                // In the middle of a word a shell takes `#` for itself.
                let before = source.get(..node.start_byte()).and_then(|text| text.chars().next_back());
                let begins = before.is_none_or(|c| matches!(c, ' ' | '\t' | '\n' | ';' | '&' | '|' | '(' | ')'));
                self.torn |= kind == "comment" && !begins;
                self.protected.push(node.byte_range());
                if kind == "comment" {
                    self.literal.push(node.byte_range());
                }
                return false;
            }
            "heredoc_body" => {
                self.quoted.push(node.byte_range());
                self.covered.push(node.byte_range());
                let text = source.get(node.byte_range()).unwrap_or_default();
                if is_quoted_heredoc(source, node) || !text.contains(['$', '`', '\\']) {
                    self.literal.push(node.byte_range());
                    self.heredocs.push(node.byte_range());
                }
                if is_quoted_heredoc(source, node) {
                    self.protected.push(node.byte_range());
                    return false;
                }
            }
            "redirected_statement" => self.covered.extend(lone_dash(source, node).map(|(_, dash)| dash)),
            "string" => {
                self.quoted.push(node.byte_range());
                self.covered.push(node.byte_range());
            }
            "word" => {
                let text = source.get(node.byte_range()).unwrap_or_default();
                self.blanks.extend(text.match_indices([' ', '\t']).map(|(at, _)| node.start_byte() + at));
            }
            "command_substitution" => {
                let text = source.get(node.byte_range()).unwrap_or_default();
                // Inside backquotes a backslash may begin another substitution; such texts are not read.
                if text.starts_with('`') && !text.contains('\\') {
                    self.backquotes.extend([node.start_byte(), node.end_byte().saturating_sub(1)]);
                }
                self.expansions.push(node.start_byte());
                self.substitutions.push(node.start_byte());
                self.opened.push(node.byte_range());
            }
            "process_substitution" => {
                self.substitutions.push(node.start_byte());
                self.opened.push(node.byte_range());
            }
            "expansion" | "arithmetic_expansion" => {
                self.expansions.push(node.start_byte());
                self.opened.push(node.byte_range());
                self.evaluated.push(node.byte_range());
            }
            "simple_expansion" => self.expansions.push(node.start_byte()),
            "subscript" | "c_style_for_statement" => self.evaluated.push(node.byte_range()),
            "compound_statement" if source.get(node.byte_range()).is_some_and(|text| text.starts_with("((")) => {
                self.evaluated.push(node.byte_range());
            }
            _ => {}
        }
        true
    }
}

/// A lone `-` before a heredoc, `python3 - <<E`: the parser takes it for the beginning of the operator and drops it. Where
/// the command ends that it is the last word of, and where it stands.
pub(super) fn lone_dash(source: &str, node: Node<'_>) -> Option<(usize, Range<usize>)> {
    let body = node.child_by_field_name("body").filter(|body| ends_with_command(*body))?;
    let next = body.next_sibling()?;
    let between = source.get(body.end_byte()..next.start_byte())?;
    let rest = source.get(next.start_byte()..)?;
    let blank = |c: char| matches!(c, ' ' | '\t');
    let at = if between.trim_matches(blank) == "-" && between.starts_with(blank) && between.ends_with(blank) {
        body.end_byte() + between.find('-')?
    } else if between.starts_with(blank) && between.trim_matches(blank).is_empty() && rest.starts_with("-<<") {
        next.start_byte()
    } else {
        return None;
    };
    Some((body.end_byte(), at..at + 1))
}

/// True when the last thing of a statement is a simple command: words behind it are its own.
fn ends_with_command(body: Node<'_>) -> bool {
    let mut node = body;
    while matches!(kind_of(node), "list" | "pipeline" | "negated_command") {
        let last = u32::try_from(node.child_count()).ok().and_then(|count| count.checked_sub(1));
        let Some(last) = last.and_then(|last| node.child(last)) else { return false };
        node = last;
    }
    kind_of(node) == "command" && node.end_byte() == body.end_byte()
}

/// True when nothing in the heredoc is expanded, because its delimiter is quoted.
pub(super) fn is_quoted_heredoc(source: &str, body: Node<'_>) -> bool {
    let Some(redirect) = body.parent() else { return false };
    let mut cursor = redirect.walk();
    let start = redirect.children(&mut cursor).find(|child| kind_of(child) == "heredoc_start");
    let delimiter = start.and_then(|start| source.get(start.byte_range())).unwrap_or_default();
    delimiter.contains(['\'', '"', '\\'])
}
