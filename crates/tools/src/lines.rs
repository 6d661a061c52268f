//! Lines of a text as people and models see them: numbered, clipped, with their line ends.

use std::borrow::Cow;
use std::fmt::Write as _;

/// The longest piece of a line that is echoed in messages.
const ECHO: usize = 200;

/// Cuts a line at a character boundary and says so.
pub(crate) fn clip(line: &str, max: usize) -> Cow<'_, str> {
    if line.len() <= max {
        return Cow::Borrowed(line);
    }
    let end = line.floor_char_boundary(max);
    Cow::Owned(format!("{}… [{} more bytes]", &line[..end], line.len() - end))
}

/// A line without its line end.
pub(crate) fn bare(line: &str) -> &str {
    let line = line.strip_suffix('\n').unwrap_or(line);
    line.strip_suffix('\r').unwrap_or(line)
}

/// The line end that a line has.
pub(crate) fn end_of(line: &str) -> &'static str {
    if line.ends_with("\r\n") {
        "\r\n"
    } else if line.ends_with('\n') {
        "\n"
    } else {
        ""
    }
}

/// The number, from 1, of the line in which a byte lies.
pub(crate) fn line_of(text: &str, offset: usize) -> usize {
    let head = text.as_bytes().get(..offset).unwrap_or(text.as_bytes());
    head.iter().filter(|byte| **byte == b'\n').count() + 1
}

/// Adds lines with their numbers, uncut; `first` counts from 1.
pub(crate) fn numbered_into<'a>(text: &mut String, lines: impl Iterator<Item = &'a str>, first: u64) {
    for (number, line) in (first..).zip(lines) {
        let _ = writeln!(text, "{number:>4}\t{line}");
    }
}

/// Lines with their numbers, as `read_file` shows them, long ones clipped; `first` counts from 1.
pub(crate) fn numbered<'a>(lines: impl IntoIterator<Item = &'a str>, first: usize) -> String {
    let mut text = String::new();
    for (number, line) in (first..).zip(lines) {
        let _ = writeln!(text, "{number:>4}\t{}", clip(bare(line), ECHO));
    }
    text
}

/// Up to ten numbers as `4, 9 and 12 more`.
pub(crate) fn listed(numbers: &[usize]) -> String {
    let shown: Vec<String> = numbers.iter().take(10).map(ToString::to_string).collect();
    match numbers.len().saturating_sub(10) {
        0 => shown.join(", "),
        more => format!("{} and {more} more", shown.join(", ")),
    }
}

#[cfg(test)]
mod tests {
    use super::{bare, clip, end_of, line_of, listed, numbered};

    #[test]
    fn lines_are_measured() {
        assert_eq!(clip("长文本", 4), "长… [6 more bytes]");
        assert_eq!(clip("short", 5), "short");
        assert_eq!((bare("a\r\n"), end_of("a\r\n")), ("a", "\r\n"));
        assert_eq!((bare("a\n"), end_of("a\n")), ("a", "\n"));
        assert_eq!((bare("a"), end_of("a")), ("a", ""));
        assert_eq!([0, 1, 2, 9].map(|offset| line_of("a\nb\n", offset)), [1, 1, 2, 3]);
        assert_eq!(numbered(["a\n", "b"], 9), "   9\ta\n  10\tb\n");
        assert_eq!(listed(&[1, 2]), "1, 2");
        assert_eq!(listed(&(1..=12).collect::<Vec<_>>()), "1, 2, 3, 4, 5, 6, 7, 8, 9, 10 and 2 more");
    }
}
