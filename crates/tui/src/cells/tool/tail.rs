//! The last lines of what a running command prints.

/// As much as is kept.
const MOST: usize = 8 * 1024;

/// The end of a growing text.
#[derive(Debug, Default)]
pub(super) struct Tail {
    text: String,
    lines: usize,
}

impl Tail {
    pub(super) fn push(&mut self, delta: &str) {
        self.lines += delta.matches('\n').count();
        self.text.push_str(delta);
        if self.text.len() > 2 * MOST {
            let mut from = self.text.len() - MOST;
            while !self.text.is_char_boundary(from) {
                from += 1;
            }
            self.text.drain(..from);
        }
    }

    /// The last lines, as a terminal would leave them.
    pub(super) fn last(&self, most: usize) -> Vec<String> {
        let from = self.text.char_indices().rev().filter(|(_, c)| *c == '\n').nth(most + 1).map_or(0, |(at, _)| at + 1);
        let text = crate::text::output(self.text.get(from..).unwrap_or_default());
        let lines: Vec<String> = text.trim_end().lines().map(str::to_owned).collect();
        let skip = lines.len().saturating_sub(most);
        lines.into_iter().skip(skip).collect()
    }

    /// How many lines came in all.
    pub(super) fn lines(&self) -> usize {
        self.lines + usize::from(!self.text.is_empty() && !self.text.ends_with('\n'))
    }
}
