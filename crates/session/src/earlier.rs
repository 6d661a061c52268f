//! The beginning of a long conversation: it stays in the log until somebody needs it.

use reasonix_proto::{Message, RecordId};
use std::fmt;
use std::io;
use std::sync::Arc;

/// Gives messages one after the other.
type Reads = dyn Fn(&mut dyn FnMut(Message)) -> io::Result<()> + Send + Sync;

/// The messages before those that a history holds.
#[derive(Clone)]
pub struct EarlierMessages {
    /// The last record of the branch that they are on.
    to: RecordId,
    count: usize,
    tokens: u64,
    reads: Arc<Reads>,
}

impl fmt::Debug for EarlierMessages {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.debug_struct("EarlierMessages").field("to", &self.to).field("count", &self.count).finish_non_exhaustive()
    }
}

impl PartialEq for EarlierMessages {
    fn eq(&self, other: &Self) -> bool {
        (self.to, self.count, self.tokens) == (other.to, other.count, other.tokens)
    }
}

impl EarlierMessages {
    /// So many messages with so many tokens, on the branch that leads to a record.
    pub(crate) fn new(
        to: RecordId,
        (count, tokens): (usize, u64),
        reads: impl Fn(&mut dyn FnMut(Message)) -> io::Result<()> + Send + Sync + 'static,
    ) -> Self {
        Self { to, count, tokens, reads: Arc::new(reads) }
    }

    /// How many there are.
    pub fn count(&self) -> usize {
        self.count
    }

    /// Their tokens, by estimate.
    pub fn tokens(&self) -> u64 {
        self.tokens
    }

    /// Gives them one after the other. Fails also where the log does not have all of them any more. Blocking.
    pub fn each(&self, mut give: impl FnMut(Message)) -> io::Result<()> {
        (self.reads)(&mut give)
    }
}
