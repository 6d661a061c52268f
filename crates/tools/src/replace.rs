//! Replaces one piece of a text by another. Exact where it can be; tolerant only where one place fits and the meaning is
//! safe. Bytes outside the replaced span are never touched. Pure: no files.

use crate::fold::{Folded, Level, nfc};
use crate::indent::{self, Indent};
use crate::lines::{bare, end_of, line_of};
use crate::nearest::{Near, nearest};
use reasonix_proto::{hidden_spans, restored};
use std::borrow::Cow;
use std::ops::Range;

/// A text after a replacement.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Replaced {
    /// The new text.
    pub text: String,
    /// How many places were replaced; 0 when there was nothing to change.
    pub count: usize,
    /// What was overlooked to find the place.
    pub overlooked: Option<&'static str>,
}

/// Why nothing was replaced.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Problem {
    /// There is nothing to look for.
    Empty,
    /// It is in several places, on these lines.
    Ambiguous(Vec<usize>),
    /// It is nowhere.
    Missing {
        /// The place most like it.
        near: Option<Near>,
        /// The line on which the new text already stands.
        already: Option<usize>,
    },
}

/// What may be overlooked to find the place.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Overlook {
    /// Line ends and blanks before them.
    LineEnds,
    /// Whatever is safe where one place alone fits.
    Slips,
}

/// Replaces `old` by `new`, in one place or in all.
pub(crate) fn replace(text: &str, old: &str, new: &str, all: bool, most: Overlook) -> Result<Replaced, Problem> {
    if old == new {
        return Ok(Replaced { text: text.to_owned(), count: 0, overlooked: None });
    }
    if old.is_empty() {
        return Err(Problem::Empty);
    }
    let mut found = find(text, old, new, all, most);
    if found.is_empty() && most == Overlook::Slips {
        found = find_unnumbered(text, old, new, all);
    }
    if found.is_empty() {
        found = find_unseen(text, old, new, all, most);
    }
    if found.spans.is_empty() {
        let already = (new.len() > 8).then(|| text.find(new)).flatten().map(|at| line_of(text, at));
        return Err(Problem::Missing { near: nearest(text, old), already });
    }
    if found.spans.len() > 1 && !all {
        return Err(Problem::Ambiguous(found.spans.iter().map(|(span, _)| line_of(text, span.start)).collect()));
    }
    Ok(found.splice(text))
}

/// Where to put what.
#[derive(Default)]
struct Found<'a> {
    spans: Vec<(Range<usize>, Cow<'a, str>)>,
    overlooked: Option<&'static str>,
}

impl Found<'_> {
    fn is_empty(&self) -> bool {
        self.spans.is_empty()
    }

    fn splice(self, text: &str) -> Replaced {
        let mut out = String::with_capacity(text.len());
        let mut done = 0;
        for (span, new) in &self.spans {
            let span = &whole_line_end(text, span);
            out.push_str(text.get(done..span.start).unwrap_or_default());
            out.push_str(&with_line_ends(new, text, span));
            done = span.end;
        }
        out.push_str(text.get(done..).unwrap_or_default());
        Replaced { text: out, count: self.spans.len(), overlooked: self.overlooked }
    }
}

fn find<'a>(text: &str, old: &str, new: &'a str, all: bool, most: Overlook) -> Found<'a> {
    let exact = occurrences(text, old, all);
    if !exact.is_empty() {
        return Found { spans: exact.into_iter().map(|span| (span, Cow::Borrowed(new))).collect(), overlooked: None };
    }
    let levels = [
        (Level::LineEnds, "line ends"),
        (Level::Trailing, "trailing blanks"),
        (Level::Composed, "the Unicode form of characters"),
    ];
    let most_levels = if most == Overlook::LineEnds { 2 } else { levels.len() };
    for (level, name) in levels.into_iter().take(most_levels) {
        let spans = folded(text, old, level, all);
        if !spans.is_empty() {
            let spans = spans.into_iter().map(|span| (span, Cow::Borrowed(new))).collect();
            return Found { spans, overlooked: Some(name) };
        }
    }
    if let Some(found) = at_the_end(text, old, new) {
        return found;
    }
    if most == Overlook::LineEnds {
        return Found::default();
    }
    Found { spans: reindented(text, old, new), overlooked: Some("indentation") }
}

/// Tries again without the line numbers of a pasted listing.
fn find_unnumbered<'a>(text: &str, old: &str, new: &'a str, all: bool) -> Found<'a> {
    let Some(old) = unnumbered(old) else { return Found::default() };
    let new = unnumbered(new).map_or(Cow::Borrowed(new), Cow::Owned);
    let found = find(text, &old, &new, all, Overlook::Slips);
    let begins_a_line = |at: usize| text.get(..at).is_some_and(|head| head.is_empty() || head.ends_with('\n'));
    let spans = found.spans.into_iter().filter(|(span, _)| begins_a_line(span.start));
    let spans = spans.map(|(span, new)| (span, Cow::Owned(new.into_owned()))).collect();
    Found { spans, overlooked: Some("line numbers") }
}

/// Tries again with what is shown in place of characters that nobody sees: as those very characters, or without them.
fn find_unseen<'a>(text: &str, old: &str, new: &'a str, all: bool, most: Overlook) -> Found<'a> {
    if text.is_ascii() {
        return Found::default();
    }
    if let Some(real) = restored(old) {
        let spans = occurrences(text, &real, all);
        if !spans.is_empty() {
            let new = restored(new).map_or(Cow::Borrowed(new), Cow::Owned);
            let spans = spans.into_iter().map(|span| (span, new.clone())).collect();
            return Found { spans, overlooked: None };
        }
    }
    if most == Overlook::LineEnds {
        return Found::default();
    }
    let spans = folded(text, old, Level::Visible, all);
    let mut clean = new.to_owned();
    for span in hidden_spans(new).into_iter().rev() {
        clean.replace_range(span, "");
    }
    let spans = spans.into_iter().map(|span| (span, Cow::Owned(clean.clone()))).collect();
    Found { spans, overlooked: Some("characters that nobody sees, which are gone from the changed text") }
}

/// Where a piece stands: every place when one is wanted, else places that do not overlap.
fn occurrences(text: &str, piece: &str, apart: bool) -> Vec<Range<usize>> {
    let mut spans = Vec::new();
    let mut from = 0;
    while let Some(at) = text.get(from..).and_then(|rest| rest.find(piece)).map(|at| at + from) {
        spans.push(at..at + piece.len());
        let step = if apart { piece.len() } else { text[at..].chars().next().map_or(1, char::len_utf8) };
        from = at + step.max(1);
    }
    spans
}

fn folded(text: &str, old: &str, level: Level, all: bool) -> Vec<Range<usize>> {
    let piece = Folded::new(old, level).text;
    if piece.trim().is_empty() || !may_help(text, old, level) {
        return Vec::new();
    }
    let whole = Folded::new(text, level);
    let cut = level >= Level::Trailing && old.ends_with([' ', '\t']);
    let ends_a_line = |span: &Range<usize>| !cut || matches!(whole.text.as_bytes().get(span.end), None | Some(b'\n'));
    let spans = occurrences(&whole.text, &piece, all).into_iter().filter(ends_a_line);
    let original = spans.filter_map(|span| whole.original(&span));
    original.filter(|span| text.get(span.clone()).is_some()).collect()
}

/// False when folding cannot make a difference; big files are not folded for nothing.
fn may_help(text: &str, old: &str, level: Level) -> bool {
    match level {
        Level::LineEnds => text.contains('\r') || old.contains('\r'),
        Level::Trailing => true,
        Level::Composed | Level::Visible => !old.is_ascii() || !text.is_ascii(),
    }
}

/// The last line of a text without a line end, looked for with one.
fn at_the_end<'a>(text: &str, old: &str, new: &'a str) -> Option<Found<'a>> {
    let (piece, end) = (bare(old), end_of(old));
    if end.is_empty() || piece.trim().is_empty() || text.ends_with('\n') || !text.ends_with(piece) {
        return None;
    }
    let new = new.strip_suffix(end).unwrap_or(new);
    let span = text.len() - piece.len()..text.len();
    Some(Found { spans: vec![(span, Cow::Borrowed(new))], overlooked: Some("the missing line end at the end") })
}

/// Whole lines that are the same but for a consistent difference in indentation, with the new text put into that style.
fn reindented<'a>(text: &str, old: &str, new: &'a str) -> Vec<(Range<usize>, Cow<'a, str>)> {
    let wanted: Vec<&str> = old.lines().collect();
    let bodies: Vec<Cow<'_, str>> = wanted.iter().map(|line| nfc(line.trim())).collect();
    if bodies.iter().all(|body| body.is_empty()) {
        return Vec::new();
    }
    let mut lines = Vec::new();
    let mut offset = 0;
    for line in text.split_inclusive('\n') {
        lines.push((offset, line));
        offset += line.len();
    }
    let mut spans = Vec::new();
    for window in lines.windows(wanted.len()) {
        if !window.iter().zip(&bodies).all(|((_, line), body)| nfc(line.trim()) == *body) {
            continue;
        }
        let pairs = wanted.iter().zip(window).filter(|(line, _)| !line.trim().is_empty());
        let pairs = pairs.map(|(line, (_, real))| (indent::split(line).0, indent::split(bare(real)).0));
        let Some(indent) = Indent::learn(pairs) else { continue };
        if let Some(span) = whole_lines(window, old.ends_with('\n')) {
            spans.push((span, Cow::Owned(put_into(&indent, new))));
        }
    }
    spans
}

fn whole_lines(window: &[(usize, &str)], with_end: bool) -> Option<Range<usize>> {
    let (start, _) = window.first()?;
    let (last, line) = window.last()?;
    let end = if with_end { line.len() } else { line.trim_end().len() };
    Some(*start..last + end)
}

fn put_into(indent: &Indent, new: &str) -> String {
    new.split_inclusive('\n').map(|line| indent.apply(bare(line)) + end_of(line)).collect()
}

/// Strips `  12\t` from every line; nothing when a line has no number or the numbers do not count up.
fn unnumbered(piece: &str) -> Option<String> {
    let mut stripped = String::with_capacity(piece.len());
    let mut expected = None;
    for line in piece.split_inclusive('\n') {
        let (number, rest) = line.split_once('\t')?;
        let number: u32 = number.trim_start_matches(' ').parse().ok()?;
        if expected.is_some_and(|expected| expected != number) {
            return None;
        }
        expected = number.checked_add(1);
        stripped.push_str(rest);
    }
    (!stripped.trim().is_empty()).then_some(stripped)
}

/// A span that begins with the second half of a CRLF takes the first half too.
fn whole_line_end(text: &str, span: &Range<usize>) -> Range<usize> {
    let halved = text.get(span.clone()).is_some_and(|piece| piece.starts_with('\n'));
    if halved && text.get(..span.start).is_some_and(|head| head.ends_with('\r')) {
        return span.start - 1..span.end;
    }
    span.clone()
}

/// Gives the new text the line ends of the place it goes to.
fn with_line_ends<'a>(new: &'a str, text: &str, span: &Range<usize>) -> Cow<'a, str> {
    if !new.contains('\n') {
        return Cow::Borrowed(new);
    }
    let inside = text.get(span.clone()).and_then(first_end);
    let after = || text.get(span.end..).and_then(first_end);
    let before = || {
        let head = text.get(..span.start)?;
        Some(end_of(head.get(..=head.rfind('\n')?)?))
    };
    match inside.or_else(after).or_else(before) {
        Some("\r\n") => Cow::Owned(new.replace("\r\n", "\n").replace('\n', "\r\n")),
        Some(_) if new.contains("\r\n") => Cow::Owned(new.replace("\r\n", "\n")),
        _ => Cow::Borrowed(new),
    }
}

fn first_end(text: &str) -> Option<&'static str> {
    let at = text.find('\n')?;
    Some(end_of(text.get(..=at)?))
}

#[cfg(test)]
mod tests;
