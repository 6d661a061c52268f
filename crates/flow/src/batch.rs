//! Many tasks, some at a time, each with exactly one result however often the process dies in between. Where tasks come from,
//! where results go and who works on a task are ports; files of JSON lines are the first of them.

mod drive;
mod lines;
mod task;
mod work;

pub use drive::{BatchEnd, BatchNews, Doing, drive};
pub use lines::{BatchFault, ResultLines, TaskLines};
pub use task::{BatchResult, BatchTask, TaskBudget};
pub use work::WorkFolder;

/// Where tasks come from.
pub trait TaskSource {
    /// The next task; none when there are no more.
    fn next_task(&mut self) -> Option<BatchTask>;
}

/// Where results go.
pub trait ResultSink {
    /// True when there is a result of this task.
    fn has(&self, id: &str) -> bool;
    /// Keeps a result; when this returns it is there for good.
    fn put(&mut self, result: &BatchResult) -> Result<(), BatchFault>;
}

/// Who works on tasks.
pub trait Worker {
    /// Works on a task to its end. None when it has to be done again another time: it was interrupted, or nothing is left to
    /// spend.
    fn work(&self, task: BatchTask) -> Doing<'_>;
    /// True when no further task may begin.
    fn is_over(&self) -> bool;
}
