//! From a place in a text to its line.

/// The starts of the lines of a text.
pub(crate) struct Lines(Vec<usize>);

impl Lines {
    pub(crate) fn of(text: &str) -> Self {
        Self(text.bytes().enumerate().filter(|(_, byte)| *byte == b'\n').map(|(at, _)| at).collect())
    }

    /// The line of a byte, from 1.
    pub(crate) fn at(&self, offset: usize) -> u32 {
        u32::try_from(self.0.partition_point(|newline| *newline < offset) + 1).unwrap_or(u32::MAX)
    }
}
