//! The todo list of a session, and the tools that change and show it.

mod list;
mod markdown;
mod plan;
mod read;
mod write;

pub use list::TodoList;
pub use markdown::changed_list;
pub use plan::{PLAN_PHASE, plan_steps};

use crate::typed::{Typed, TypedTool};
use reasonix_agent::Tool;
use std::sync::Arc;

/// The tool whose outcomes carry the list.
pub const TODO_WRITE: &str = write::TodoWrite::NAME;

/// The todo tools over one list, in the order they are sent.
pub fn todo_tools(list: &TodoList) -> Vec<Arc<dyn Tool>> {
    vec![Arc::new(Typed::of(write::TodoWrite(list.clone()))), Arc::new(Typed::of(read::TodoRead(list.clone())))]
}
