//! Output in bounded memory: the beginning and the end are kept, what lies between is counted.

use crate::Keep;
use std::collections::VecDeque;

/// What a command wrote, stdout and stderr in the order they came.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Captured {
    head: Vec<u8>,
    tail: VecDeque<u8>,
    total: u64,
    keep: Keep,
}

impl Captured {
    /// Nothing yet; so much is kept of what comes.
    pub fn new(keep: Keep) -> Self {
        Self { head: Vec::new(), tail: VecDeque::new(), total: 0, keep }
    }

    /// Takes in what came next.
    pub fn feed(&mut self, piece: &[u8]) {
        self.total += piece.len() as u64;
        let room = self.keep.head.saturating_sub(self.head.len()).min(piece.len());
        let (first, rest) = piece.split_at(room);
        self.head.extend_from_slice(first);
        let rest = rest.get(rest.len().saturating_sub(self.keep.tail)..).unwrap_or_default();
        let over = (self.tail.len() + rest.len()).saturating_sub(self.keep.tail);
        self.tail.drain(..over);
        self.tail.extend(rest);
    }

    /// How many bytes came in all.
    pub fn total(&self) -> u64 {
        self.total
    }

    /// How many bytes were dropped from the middle.
    pub fn dropped(&self) -> u64 {
        self.total - (self.head.len() + self.tail.len()) as u64
    }

    /// The kept bytes from the beginning and from the end; nothing was dropped between them
    /// when [`Captured::dropped`] is 0.
    pub fn into_parts(self) -> (Vec<u8>, Vec<u8>) {
        (self.head, self.tail.into())
    }
}

#[cfg(test)]
mod tests {
    use super::Captured;
    use crate::Keep;

    #[test]
    fn whatever_the_pieces_the_ends_are_kept() {
        let input: Vec<u8> = (0..100).collect();
        for piece in [1, 3, 7, 10, 33, 100] {
            for (head, tail) in [(10, 10), (0, 5), (5, 0), (0, 0), (60, 60), (50, 50)] {
                let mut captured = Captured::new(Keep { head, tail });
                input.chunks(piece).for_each(|piece| captured.feed(piece));
                assert_eq!(captured.total(), 100);
                let kept = (head + tail).min(100);
                assert_eq!(captured.dropped(), 100 - kept as u64);
                let (first, last) = captured.into_parts();
                assert_eq!(first, input[..head.min(100)], "piece {piece} head {head}");
                assert_eq!(last, input[100 - (kept - first.len())..], "piece {piece} tail {tail}");
            }
        }
    }
}
