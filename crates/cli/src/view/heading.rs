//! Whether streamed text is a plan or the answer is known only when it ends. The heading is printed first and
//! corrected in place, as long as it is still on the screen.

use unicode_width::UnicodeWidthChar;

/// Follows the cursor from a heading through the text below it.
#[derive(Debug)]
pub(crate) struct Heading {
    width: usize,
    height: usize,
    rows: usize,
    column: usize,
}

impl Heading {
    /// A heading that was just printed on a line of its own.
    pub(crate) fn new(width: usize, height: usize) -> Self {
        Self { width: width.max(1), height, rows: 1, column: 0 }
    }

    /// Follows printed text.
    pub(crate) fn follow(&mut self, text: &str) {
        for c in text.chars() {
            match c {
                '\n' => self.next_row(0),
                '\t' => self.column = (self.column / 8 + 1) * 8,
                _ => {
                    let width = c.width().unwrap_or(0);
                    if self.column + width > self.width {
                        self.next_row(width);
                    } else {
                        self.column += width;
                    }
                }
            }
        }
    }

    fn next_row(&mut self, column: usize) {
        self.rows += 1;
        self.column = column;
    }

    /// True when the cursor is at the beginning of a line.
    pub(crate) fn at_line_start(&self) -> bool {
        self.column == 0
    }

    /// What to print to replace the heading and come back; none when it has scrolled away.
    pub(crate) fn replace(&self, text: &str) -> Option<String> {
        if self.rows >= self.height {
            return None;
        }
        let (rows, column) = (self.rows, self.column);
        let back = if column > 0 { format!("\u{1b}[{}C", column.min(self.width - 1)) } else { String::new() };
        Some(format!("\r\u{1b}[{rows}A{text}\u{1b}[K\r\u{1b}[{rows}B{back}"))
    }
}

#[cfg(test)]
mod tests {
    use super::Heading;

    #[test]
    fn rows_are_counted_as_a_terminal_wraps() {
        for (text, rows, column) in [
            ("abc", 1, 3),
            ("abc\n", 2, 0),
            ("abcdefghij", 1, 10),
            ("abcdefghijk", 2, 1),
            ("中文中文中文", 2, 2),
            ("a\tb", 1, 9),
        ] {
            let mut heading = Heading::new(10, 24);
            heading.follow(text);
            assert_eq!((heading.rows, heading.column), (rows, column), "{text:?}");
        }
    }

    #[test]
    fn a_heading_that_scrolled_away_stays() {
        let mut heading = Heading::new(80, 5);
        heading.follow("1\n2\n3\n");
        assert!(heading.replace("PLAN").is_some());
        heading.follow("4\n");
        assert!(heading.replace("PLAN").is_none());
    }
}
