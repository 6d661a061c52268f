//! Chance that comes out the same every time: a stream of numbers made from a text. Not for secrets.

/// A source of choices.
pub(super) struct Dice(blake3::OutputReader);

impl Dice {
    /// The choices that belong to this text, the same in every version and on every machine.
    pub(super) fn of(text: &str) -> Self {
        Self(blake3::Hasher::new().update(text.as_bytes()).finalize_xof())
    }

    /// A number below this one; 0 when there is none.
    pub(super) fn below(&mut self, most: usize) -> usize {
        let mut bytes = [0; 8];
        self.0.fill(&mut bytes);
        let most = u64::try_from(most).unwrap_or(u64::MAX).max(1);
        usize::try_from(u64::from_le_bytes(bytes) % most).unwrap_or(0)
    }

    /// One of these.
    pub(super) fn pick<'a, T>(&mut self, from: &'a [T]) -> Option<&'a T> {
        from.get(self.below(from.len()))
    }

    /// These in another order.
    pub(super) fn shuffled<T>(&mut self, mut from: Vec<T>) -> Vec<T> {
        for last in (1..from.len()).rev() {
            from.swap(last, self.below(last + 1));
        }
        from
    }
}
