//! The order in which records are applied. Each stands in a line from the moment when the journal has it, and whoever sees that the
//! first of the line is written applies it; so nobody waits for another's turn, only for the disk.

use super::locked;
use futures_util::FutureExt;
use futures_util::future::Shared;
use reasonix_agent::{BoxFuture, JournalError};
use reasonix_proto::{Record, RecordBody};
use std::collections::VecDeque;
use std::sync::{Arc, Mutex};

/// What comes of handing something to the journal.
type Written = Shared<BoxFuture<'static, Result<Arc<Record>, JournalError>>>;

/// What the journal has and was not applied yet, in the order of the log.
#[derive(Default)]
pub(super) struct Line {
    /// The number of the next one.
    next: u64,
    pending: VecDeque<Pending>,
}

struct Pending {
    number: u64,
    written: Written,
    of: Arc<Writing>,
}

impl Line {
    pub(super) fn push(&mut self, written: BoxFuture<'static, Result<Record, JournalError>>, of: &Arc<Writing>) {
        let written: BoxFuture<'static, _> = Box::pin(written.map(|written| written.map(Arc::new)));
        self.pending.push_back(Pending { number: self.next, written: written.shared(), of: Arc::clone(of) });
        self.next += 1;
    }

    /// The first one, with its number.
    pub(super) fn front(&self) -> Option<(u64, Written)> {
        self.pending.front().map(|first| (first.number, first.written.clone()))
    }

    /// The first one leaves the line; none where it is another one by now.
    pub(super) fn leave(&mut self, number: u64) -> Option<Arc<Writing>> {
        self.pending.pop_front_if(|first| first.number == number).map(|first| first.of)
    }
}

/// Something that is being written, with all that observers have to say because of it: one record after the other, each with what
/// follows from it before the next.
#[derive(Default)]
pub(super) struct Writing(Mutex<Stand>);

#[derive(Default)]
struct Stand {
    /// The record that was wanted.
    wanted: Option<Arc<Record>>,
    /// What is to be written behind it, the next at the end.
    behind: Vec<RecordBody>,
    /// What came of it.
    end: Option<Result<Arc<Record>, JournalError>>,
}

impl Writing {
    /// The record that was wanted is written: what comes now follows from it.
    pub(super) fn is_begun(&self) -> bool {
        locked(&self.0).wanted.is_some()
    }

    /// A record of it was applied, and this follows. Gives what is to be written next.
    pub(super) fn go_on(&self, record: Arc<Record>, more: Vec<RecordBody>) -> Option<RecordBody> {
        let mut stand = locked(&self.0);
        let wanted = Arc::clone(stand.wanted.get_or_insert(record));
        stand.behind.extend(more.into_iter().rev());
        let next = stand.behind.pop();
        if next.is_none() {
            stand.end = Some(Ok(wanted));
        }
        next
    }

    /// A record of it could not be written, and nothing more of it is.
    pub(super) fn failed(&self, error: JournalError) {
        locked(&self.0).end = Some(Err(error));
    }

    pub(super) fn is_over(&self) -> bool {
        locked(&self.0).end.is_some()
    }

    /// What came of it, once it is over: the record that was wanted.
    pub(super) fn end(&self) -> Option<Result<Record, JournalError>> {
        let end = locked(&self.0).end.clone()?;
        Some(end.map(Arc::unwrap_or_clone))
    }

    /// What can only come of a defect.
    pub(super) fn lost() -> JournalError {
        JournalError { path: String::new(), reason: "the record was lost on its way".to_owned() }
    }
}

#[cfg(test)]
#[path = "order/tests.rs"]
mod tests;
