//! Unified diffs as coloured lines with line numbers; within a changed line the changed words stand out. Signs tell added
//! from removed also without colour.

use super::highlight::{Lexer, language_of_path};
use super::{Rich, expand_tabs, neutral, wrap_hard};
use crate::Look;
use imara_diff::{Algorithm, Diff, InternedInput};
use ratatui_core::style::Style;
use ratatui_core::text::{Line, Span};
use std::ops::Range;

/// Longer lines are not compared word by word.
const LONGEST: usize = 400;
/// So many words of a line are compared.
const MOST_WORDS: usize = 200;

/// More lines than this that are the same are counted instead of drawn.
const MOST_SAME: usize = 5;

/// One line of a diff.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Row<'a> {
    /// Between two parts.
    Gap,
    /// The file that follows, where there are several.
    File(&'a str),
    Context(u32, &'a str),
    Removed(u32, &'a str),
    Added(u32, &'a str),
    /// What is said about the file, such as a missing newline.
    Remark(&'a str),
}

/// Draws a unified diff, at most `most` lines of it; gives how many lines were left out.
pub fn diff(source: &str, path: &str, width: u16, look: &Look, most: usize, lines: &mut Vec<Line<'static>>) -> usize {
    let rows = rows(source);
    let left_out = rows.len().saturating_sub(most);
    let rows = rows.get(..rows.len() - left_out).unwrap_or_default();
    let digits = rows.iter().filter_map(Row::number).max().unwrap_or(1).to_string().len();
    let painter = Painter { width: usize::from(width), digits, look, lexer: language_of_path(path).map(Lexer::new) };
    let mut at = 0;
    while let Some(row) = rows.get(at) {
        let same = rows.iter().skip(at).take_while(|next| row.repeats(next)).count();
        if same > MOST_SAME {
            painter.row(row, None, lines);
            let count = format!("⟨⏎ × {same}⟩");
            lines.push(Line::from(Span::styled(super::cut(&count, painter.width).to_owned(), look.theme.hunk)));
            at += same;
            continue;
        }
        let removed = rows.iter().skip(at).take_while(|row| matches!(row, Row::Removed(..))).count();
        let added = rows.iter().skip(at + removed).take_while(|row| matches!(row, Row::Added(..))).count();
        if removed > 0 && removed == added {
            painter.pairs(rows.get(at..at + removed + added).unwrap_or_default(), removed, lines);
            at += removed + added;
        } else {
            painter.row(row, None, lines);
            at += 1;
        }
    }
    left_out
}

/// A diff without the mark at its end that says how much of it was cut: that is no line of it.
pub fn without_mark(diff: &str) -> &str {
    let last = diff.trim_end().rsplit_once('\n');
    let marked = last.filter(|(_, last)| last.starts_with('[') && last.ends_with(" more diff lines]"));
    marked.map_or(diff, |(kept, _)| kept)
}

impl Row<'_> {
    fn number(&self) -> Option<u32> {
        match self {
            Self::Context(number, _) | Self::Removed(number, _) | Self::Added(number, _) => Some(*number),
            Self::Gap | Self::File(_) | Self::Remark(_) => None,
        }
    }

    /// True when the next row says the same of another line.
    fn repeats(&self, next: &Self) -> bool {
        let alike = std::mem::discriminant(self) == std::mem::discriminant(next);
        alike && self.number().is_some() && self.text() == next.text()
    }

    fn text(&self) -> &str {
        match self {
            Self::Context(_, text) | Self::Removed(_, text) | Self::Added(_, text) => text,
            Self::Remark(text) | Self::File(text) => text,
            Self::Gap => "",
        }
    }
}

fn rows(source: &str) -> Vec<Row<'_>> {
    let mut rows = Vec::new();
    // The next line on each side, and how many the part still has.
    let (mut old, mut new, mut left) = (1, 1, (0, 0));
    let (mut files, mut in_file) = (0, false);
    for line in source.lines() {
        let outside = left == (0, 0);
        if let Some(hunk) = Hunk::of(line).filter(|_| outside || line.starts_with("@@ -")) {
            (old, new, left) = (hunk.old, hunk.new, hunk.left);
            if std::mem::replace(&mut in_file, true) {
                rows.push(Row::Gap);
            }
            continue;
        }
        if outside && in_header(line) {
            if let Some(path) = line.strip_prefix("+++ ").or_else(|| line.strip_prefix("--- ")) {
                if line.starts_with("---") {
                    (files, in_file) = (files + 1, false);
                    rows.push(Row::File(strip_side(path)));
                } else if let (Some(Row::File(shown)), false) = (rows.last_mut(), path.starts_with("/dev/null")) {
                    *shown = strip_side(path);
                }
            }
            continue;
        }
        let text = line.get(1..).unwrap_or_default();
        match line.bytes().next() {
            Some(b'+') => {
                rows.push(Row::Added(new, text));
                (new, left.1) = (new + 1, left.1.saturating_sub(1));
            }
            Some(b'-') => {
                rows.push(Row::Removed(old, text));
                (old, left.0) = (old + 1, left.0.saturating_sub(1));
            }
            Some(b'\\') => rows.push(Row::Remark(text.trim())),
            Some(b' ') | None => {
                rows.push(Row::Context(new, text));
                (old, new) = (old + 1, new + 1);
                left = (left.0.saturating_sub(1), left.1.saturating_sub(1));
            }
            Some(_) => rows.push(Row::Remark(line)),
        }
    }
    if files < 2 {
        rows.retain(|row| !matches!(row, Row::File(_)));
    }
    rows
}

fn in_header(line: &str) -> bool {
    ["---", "+++", "diff ", "index ", "new file", "deleted file", "rename ", "similarity "]
        .iter()
        .any(|head| line.starts_with(head))
}

fn strip_side(path: &str) -> &str {
    path.strip_prefix("a/").or_else(|| path.strip_prefix("b/")).unwrap_or(path)
}

/// What `@@ -3,4 +5,6 @@` says.
struct Hunk {
    old: u32,
    new: u32,
    /// How many lines each side has.
    left: (u32, u32),
}

impl Hunk {
    fn of(line: &str) -> Option<Self> {
        let mut parts = line.strip_prefix("@@ -")?.split(' ');
        let range = |part: &str| -> Option<(u32, u32)> {
            match part.split_once(',') {
                Some((first, count)) => Some((first.parse().ok()?, count.parse().ok()?)),
                None => Some((part.parse().ok()?, 1)),
            }
        };
        let (old, old_left) = range(parts.next()?)?;
        let (new, new_left) = range(parts.next()?.strip_prefix('+')?)?;
        Some(Self { old, new, left: (old_left, new_left) })
    }
}

struct Painter<'a> {
    width: usize,
    digits: usize,
    look: &'a Look,
    lexer: Option<Lexer>,
}

impl Painter<'_> {
    /// As many removed lines as added ones: each is compared with its partner.
    fn pairs(&self, rows: &[Row<'_>], half: usize, lines: &mut Vec<Line<'static>>) {
        let (removed, added) = rows.split_at(half.min(rows.len()));
        let changes: Vec<_> = removed.iter().zip(added).map(|(old, new)| changed(old.text(), new.text())).collect();
        for (row, change) in removed.iter().zip(&changes) {
            self.row(row, change.as_ref().map(|(old, _)| old.as_slice()), lines);
        }
        for (row, change) in added.iter().zip(&changes) {
            self.row(row, change.as_ref().map(|(_, new)| new.as_slice()), lines);
        }
    }

    fn row(&self, row: &Row<'_>, changed: Option<&[(String, bool)]>, lines: &mut Vec<Line<'static>>) {
        let theme = &self.look.theme;
        let (sign, style, word) = match row {
            Row::Gap => {
                let dots = if self.look.unicode { "⋮" } else { "..." };
                let line = format!("{dots:>0$}", self.digits);
                lines.push(Line::from(Span::styled(super::cut(&line, self.width).to_owned(), theme.hunk)));
                return;
            }
            Row::File(path) => {
                lines.extend(super::wrap(&Line::styled(neutral(path).into_owned(), theme.strong), self.cells()));
                return;
            }
            Row::Remark(text) => {
                lines.extend(super::wrap(&Line::styled(neutral(text).into_owned(), theme.hunk), self.cells()));
                return;
            }
            Row::Context(..) => (' ', Style::new(), Style::new()),
            Row::Removed(..) => ('-', theme.removed, theme.removed_word),
            Row::Added(..) => ('+', theme.added, theme.added_word),
        };
        let number = row.number().unwrap_or_default();
        let mut rich = Rich::default();
        if self.width > self.digits + 10 {
            rich.push(&format!("{number:>0$} ", self.digits), theme.hunk);
        }
        rich.push(&format!("{sign} "), style);
        match (changed, &self.lexer, row) {
            (Some(parts), _, _) => {
                for (text, is_new) in parts {
                    rich.push(text, if *is_new { word } else { style });
                }
            }
            (None, Some(lexer), Row::Context(..)) => {
                let line = safe(row.text());
                lexer.clone().line(&line, &mut |text, kind| rich.push(text, kind.style(theme)));
            }
            _ => rich.push(&safe(row.text()), style),
        }
        let margin = if self.width > self.digits + 10 { self.digits + 3 } else { 0 };
        let rest = [Span::styled(" ".repeat(margin), style)];
        wrap_hard(&rich, self.width, if margin > 0 { &rest } else { &[] }, lines);
    }

    fn cells(&self) -> u16 {
        u16::try_from(self.width).unwrap_or(u16::MAX)
    }
}

fn safe(line: &str) -> String {
    expand_tabs(&neutral(&reasonix_proto::folded(line)), 4).into_owned()
}

/// Parts of a line with whether they changed.
type Parts = Vec<(String, bool)>;

/// What differs between two lines, word by word; none when they have little in common.
fn changed(old: &str, new: &str) -> Option<(Parts, Parts)> {
    if old.len() > LONGEST || new.len() > LONGEST {
        return None;
    }
    let (old, new) = (safe(old), safe(new));
    let (from, to) = (words(&old), words(&new));
    if from.len() > MOST_WORDS || to.len() > MOST_WORDS {
        return None;
    }
    let (mut before, mut after) = (Parts::new(), Parts::new());
    let mut same = 0;
    for (old, new, is_new) in runs(&from, &to) {
        let old = from.get(old).unwrap_or_default().concat();
        let new = to.get(new).unwrap_or_default().concat();
        if !is_new {
            same += old.trim().len();
        }
        before.push((old, is_new));
        after.push((new, is_new));
    }
    let longest = old.trim().len().max(new.trim().len());
    (same * 3 >= longest).then_some((before, after))
}

/// The places of runs of words in both, and whether they differ there.
fn runs(from: &[&str], to: &[&str]) -> Vec<(Range<usize>, Range<usize>, bool)> {
    let mut input = InternedInput::default();
    input.update_before(from.iter().copied());
    input.update_after(to.iter().copied());
    let mut diff = Diff::compute(Algorithm::MyersMinimal, &input);
    diff.postprocess_no_heuristic(&input);
    let mut all = Vec::new();
    let (mut old, mut new) = (0, 0);
    for hunk in diff.hunks() {
        let (gone, come) = (to_range(&hunk.before), to_range(&hunk.after));
        all.push((old..gone.start, new..come.start, false));
        (old, new) = (gone.end, come.end);
        all.push((gone, come, true));
    }
    all.push((old..from.len(), new..to.len(), false));
    all.retain(|(old, new, _)| !old.is_empty() || !new.is_empty());
    all
}

fn to_range(places: &Range<u32>) -> Range<usize> {
    places.start as usize..places.end as usize
}

/// Runs of letters and digits, runs of blanks, and everything else by itself.
fn words(text: &str) -> Vec<&str> {
    let class = |c: char| match c {
        _ if c.is_whitespace() => 0,
        '_' => 1,
        _ if c.is_alphanumeric() && super::columns(c.encode_utf8(&mut [0; 4])) == 1 => 1,
        _ => 2,
    };
    let mut words = Vec::new();
    let mut from = 0;
    let mut before = None;
    for (at, c) in text.char_indices() {
        let now = class(c);
        if before.is_some_and(|before| before != now || now == 2) {
            words.extend(text.get(from..at));
            from = at;
        }
        before = Some(now);
    }
    words.extend(text.get(from..).filter(|rest| !rest.is_empty()));
    words
}

#[cfg(test)]
mod tests {
    use super::{changed, diff, words};
    use crate::Look;
    use crate::text::columns;
    use pretty_assertions::assert_eq;
    use proptest::prelude::*;

    const SAMPLE: &str = "--- a/x.rs\n+++ b/x.rs\n@@ -3,3 +3,3 @@ fn\n one\n-let total = a + b;\n+let total = a * b;\n two\n@@ -20 +20,2 @@\n end\n+--- new\n\\ No newline at end of file\n";

    fn shown(width: u16, most: usize) -> (Vec<String>, usize) {
        let mut lines = Vec::new();
        let left = diff(SAMPLE, "x.rs", width, &Look::default(), most, &mut lines);
        (lines.iter().map(|line| line.to_string().trim_end().to_owned()).collect(), left)
    }

    #[test]
    fn numbers_signs_and_gaps() {
        let (lines, left) = shown(60, 100);
        let expected = [
            " 3   one",
            " 4 - let total = a + b;",
            " 4 + let total = a * b;",
            " 5   two",
            " ⋮",
            "20   end",
            "21 + --- new",
            "No newline at end of file",
        ];
        assert_eq!(lines, expected);
        assert_eq!(left, 0);
        assert_eq!(shown(60, 3).1, 5);
    }

    #[test]
    fn a_flood_of_lines_or_blanks_is_counted() {
        let source = format!("@@ -1 +1,202 @@\n a\n{}+b{}c\n", "+\n".repeat(200), " ".repeat(500));
        let mut lines = Vec::new();
        diff(&source, "x", 60, &Look::default(), usize::MAX, &mut lines);
        let lines: Vec<String> = lines.iter().map(|line| line.to_string().trim_end().to_owned()).collect();
        assert_eq!(lines, ["  1   a", "  2 +", "⟨⏎ × 200⟩", "202 + b ⟨␣ × 500⟩ c"]);
    }

    #[test]
    fn several_files_have_their_names() {
        let source = "--- a/x\n+++ b/x\n@@ -1 +1 @@\n-a\n+b\n--- /dev/null\n+++ b/new.md\n@@ -0,0 +1 @@\n+c\n--- a/y\n+++ b/y\n@@ -1,2 +1 @@\n--- not a header\n z\n";
        let mut lines = Vec::new();
        diff(source, "x", 60, &Look::default(), 100, &mut lines);
        let lines: Vec<String> = lines.iter().map(|line| line.to_string().trim_end().to_owned()).collect();
        assert_eq!(lines, ["x", "1 - a", "1 + b", "new.md", "1 + c", "y", "1 - -- not a header", "1   z"]);
    }

    #[test]
    fn only_the_changed_word_stands_out() {
        let (old, new) = changed("let total = a + b;", "let total = a * b;").unwrap();
        let marked = |parts: &[(String, bool)]| -> Vec<String> {
            parts.iter().filter(|(_, is_new)| *is_new).map(|(text, _)| text.clone()).collect()
        };
        assert_eq!((marked(&old), marked(&new)), (vec!["+".to_owned()], vec!["*".to_owned()]));
        assert!(changed("completely", "different").is_none());
        assert_eq!(words("a_b  中文;"), ["a_b", "  ", "中", "文", ";"]);
    }

    proptest! {
        #[test]
        fn any_text_fits(source in "([-+ @\\\\]?\\PC{0,30}\n|@@ -1 \\+1 @@\n){0,12}", width in 1u16..80) {
            let mut lines = Vec::new();
            diff(&source, "a.py", width, &Look::default(), 50, &mut lines);
            for line in lines {
                let text = line.to_string();
                prop_assert!(columns(&text) <= usize::from(width), "{text:?}");
                prop_assert!(!text.chars().any(char::is_control));
            }
        }
    }
}
