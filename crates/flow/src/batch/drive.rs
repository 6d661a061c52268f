//! Tasks one after the other, some at a time.

use super::{BatchFault, BatchResult, BatchTask, ResultSink, TaskSource, Worker};
use futures_util::StreamExt;
use futures_util::stream::FuturesUnordered;
use std::future::Future;
use std::pin::Pin;

/// A task that is worked on.
pub type Doing<'a> = Pin<Box<dyn Future<Output = Option<BatchResult>> + 'a>>;

/// What happens in a batch, for whoever watches.
#[derive(Debug)]
pub enum BatchNews<'a> {
    /// A task begins.
    Begins(&'a BatchTask),
    /// A task has its result, which is kept.
    Ended(&'a BatchResult),
}

/// How a batch ended.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct BatchEnd {
    /// Tasks that had a result before.
    pub before: usize,
    /// Tasks that have one since.
    pub done: usize,
    /// Tasks that have none: they were interrupted, or nothing is left to spend.
    pub left: usize,
}

/// Works on every task that has no result, so many at a time. A result is kept before anything else is done about it.
pub async fn drive(
    source: &mut dyn TaskSource,
    sink: &mut dyn ResultSink,
    worker: &dyn Worker,
    at_once: usize,
    told: &mut dyn FnMut(BatchNews<'_>),
) -> Result<BatchEnd, BatchFault> {
    let (mut end, mut running, mut more) = (BatchEnd::default(), FuturesUnordered::new(), true);
    loop {
        while more && running.len() < at_once.max(1) && !worker.is_over() {
            match source.next_task() {
                None => more = false,
                Some(task) if sink.has(&task.id) => end.before += 1,
                Some(task) => {
                    told(BatchNews::Begins(&task));
                    running.push(worker.work(task));
                }
            }
        }
        match running.next().await {
            Some(Some(result)) => {
                sink.put(&result)?;
                end.done += 1;
                told(BatchNews::Ended(&result));
            }
            Some(None) => end.left += 1,
            None => break,
        }
    }
    // What did not begin.
    while let Some(task) = source.next_task() {
        if sink.has(&task.id) { end.before += 1 } else { end.left += 1 }
    }
    Ok(end)
}
