//! `todo_read`: shows the todo list.

use super::todo_list::{TodoList, checklist};
use reasonix_agent::{Args, BoxFuture, Call, Tool, ToolSpec};
use reasonix_proto::{Action, Details, Family, ReadOnly, ToolOutcome};

/// Shows the list.
pub(super) struct TodoRead {
    spec: ToolSpec,
    list: TodoList,
}

impl TodoRead {
    /// Reads this list.
    pub(super) fn new(list: TodoList) -> Self {
        let nothing = serde_json::json!({"type": "object", "properties": {}});
        let spec = ToolSpec::new("todo_read", include_str!("todo_read.md").trim(), nothing);
        Self { spec, list }
    }
}

impl Tool for TodoRead {
    fn spec(&self) -> &ToolSpec {
        &self.spec
    }

    fn aliases(&self) -> &'static [&'static str] {
        &["todoread", "read_todos", "todo_list"]
    }

    fn action(&self, _args: &Args) -> Action {
        Action { family: Family::Own, subjects: Vec::new(), read_only: ReadOnly::Yes }
    }

    fn run<'a>(&'a self, _call: Call<'a>) -> BoxFuture<'a, ToolOutcome> {
        let phases = self.list.phases();
        let list = checklist(&phases);
        let content = if list.is_empty() { "Todo list is empty.".to_owned() } else { list };
        let outcome = ToolOutcome::detailed(content, Details { todo: Some(phases), ..Details::default() });
        Box::pin(std::future::ready(outcome))
    }
}
