//! Lines before a question, a screen at a time: what scrolled away was not shown to anybody. No more is written at once than
//! the terminal has rows, and the question comes when all of it was there.

use rustix::termios::{QueueSelector, tcflush, tcgetwinsize};
use std::io::Write;
use unicode_width::UnicodeWidthChar;

/// Rows and columns of a terminal that does not say how many it has: few enough for any.
const UNKNOWN: (usize, usize) = (10, 40);

/// Rows at the end of a screen for what is asked there.
const ASKING: usize = 2;

/// Writes all of these, a screen at a time; `more` says how many lines are left. False when somebody ended it before.
pub(crate) fn all_shown(lines: &[String], write: impl Fn(&str), more: impl Fn(usize) -> String) -> bool {
    let mut room = size();
    let mut left = room.0;
    for (place, line) in lines.iter().enumerate() {
        for row in rows(line, room.1) {
            if left == 0 {
                if !goes_on(&more(lines.len() - place)) {
                    return false;
                }
                room = size();
                left = room.0;
            }
            write(&row);
            left -= 1;
        }
    }
    true
}

/// The rows that may be written at once, and their columns.
fn size() -> (usize, usize) {
    let said = tcgetwinsize(std::io::stderr()).ok().filter(|size| size.ws_row > 0 && size.ws_col > 0);
    let (rows, columns) = said.map_or(UNKNOWN, |size| (usize::from(size.ws_row), usize::from(size.ws_col)));
    (rows.saturating_sub(ASKING).max(1), columns.max(2))
}

/// A line as the rows that it takes. Colours take no room.
fn rows(line: &str, columns: usize) -> Vec<String> {
    let (mut rows, mut row, mut used, mut colour) = (Vec::new(), String::new(), 0, false);
    for c in line.chars() {
        colour |= c == '\u{1b}';
        let width = match c {
            _ if colour => 0,
            '\t' => 8.min(columns),
            c => c.width().unwrap_or(1),
        };
        colour &= c != 'm';
        if used + width > columns {
            rows.push(std::mem::take(&mut row));
            used = 0;
        }
        row.push(c);
        used += width;
    }
    rows.push(row);
    rows
}

/// Waits until somebody wants to see more.
fn goes_on(more: &str) -> bool {
    // What was typed before the screen was full is no word about it.
    let _ = tcflush(std::io::stdin(), QueueSelector::IFlush);
    let mut err = std::io::stderr().lock();
    // Who was not asked has not answered.
    if write!(err, "{more}").and_then(|()| err.flush()).is_err() {
        return false;
    }
    drop(err);
    let mut line = String::new();
    match std::io::stdin().read_line(&mut line) {
        Ok(0) | Err(_) => false,
        Ok(_) => !matches!(line.trim().to_lowercase().as_str(), "n" | "no" | "q" | "否"),
    }
}

#[cfg(test)]
mod tests {
    use super::rows;

    #[test]
    fn a_line_is_cut_where_the_terminal_would_go_on_below() {
        assert_eq!(rows("", 4), [""]);
        assert_eq!(rows("abcdefghi", 4), ["abcd", "efgh", "i"]);
        assert_eq!(rows("\u{1b}[1mabcd\u{1b}[0m", 4), ["\u{1b}[1mabcd\u{1b}[0m"]);
        assert_eq!(rows("\tabc\t", 8), ["\t", "abc", "\t"]);
        assert_eq!(rows("文文文", 5), ["文文", "文"]);
    }
}
