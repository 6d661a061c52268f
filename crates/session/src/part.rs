//! How much of something stays, and how much goes.

/// How much there is of something, and how much went or would go.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Part {
    /// How many stay.
    pub kept: usize,
    /// The room they take, in bytes.
    pub bytes: u64,
    /// How many go.
    pub removed: usize,
    /// The room they took.
    pub freed: u64,
}

impl Part {
    pub(crate) fn add(&mut self, size: u64, goes: bool) {
        if goes {
            self.removed += 1;
            self.freed += size;
        } else {
            self.kept += 1;
            self.bytes += size;
        }
    }
}
