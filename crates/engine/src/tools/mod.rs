//! Tools that carry state of the session. Each is one source file with its prompt in a `.md` beside it.

mod ask;
mod checkpoint;
mod forget;
mod history;
mod keeping;
mod memory;
mod remember;
mod rewind;
mod submit_plan;
mod todo_list;
mod todo_read;
mod todo_write;

pub use checkpoint::Explored;
pub use history::LookBack;
pub use keeping::Keeping;
pub(crate) use submit_plan::title_of;
pub use todo_list::TodoList;

use crate::people::People;
use reasonix_agent::Tool;
use std::sync::Arc;

/// The todo tools over one list, in the order they are sent.
pub fn todo_tools(list: &TodoList) -> Vec<Arc<dyn Tool>> {
    vec![Arc::new(todo_write::TodoWrite::new(list.clone())), Arc::new(todo_read::TodoRead::new(list.clone()))]
}

/// The tools that ask these people. They are of use only where somebody can answer.
pub(crate) fn asking_tools(people: &Arc<People>) -> Vec<Arc<dyn Tool>> {
    vec![Arc::new(ask::Ask::new(Arc::clone(people))), Arc::new(submit_plan::SubmitPlan::new(Arc::clone(people)))]
}

/// The tools that look back, in the order they are sent.
pub fn recall_tools(from: &LookBack, keeping: &Keeping, explored: &Explored) -> Vec<Arc<dyn Tool>> {
    vec![
        Arc::new(history::HistoryTool::new(from.clone())),
        Arc::new(memory::MemoryTool::new(keeping.clone())),
        Arc::new(remember::Remember::new(keeping.clone())),
        Arc::new(forget::Forget::new(keeping.clone())),
        Arc::new(checkpoint::Checkpoint::new(explored.clone())),
        Arc::new(rewind::Rewind::new(explored.clone())),
    ]
}
