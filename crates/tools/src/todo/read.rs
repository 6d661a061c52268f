//! `todo_read`: shows the todo list.

use super::list::{TodoList, checklist};
use crate::typed::{ToolWork, TypedTool};
use reasonix_agent::{Args, ToolTraits};
use reasonix_proto::{Action, Details, Family, ReadOnly, ToolOutcome};
use schemars::JsonSchema;
use serde::Deserialize;

#[derive(Deserialize, JsonSchema)]
pub(super) struct Input {}

/// Shows the list.
pub(super) struct TodoRead(pub(super) TodoList);

impl TypedTool for TodoRead {
    type Input = Input;
    const NAME: &'static str = "todo_read";
    const PROMPT: &'static str = include_str!("todo_read.md");
    const ALIASES: &'static [&'static str] = &["todoread", "read_todos", "todo_list"];
    const TRAITS: ToolTraits = ToolTraits { inward: true, ..ToolTraits::NONE }.rarely();
    const WORK: ToolWork<Self> = ToolWork::Keeps(|Self(list), _| {
        let phases = list.phases();
        let list = checklist(&phases);
        let content = if list.is_empty() { "Todo list is empty.".to_owned() } else { list };
        ToolOutcome::detailed(content, Details { todo: Some(phases), ..Details::default() })
    });

    fn action(&self, _input: Option<Input>, _args: &Args) -> Action {
        Action { family: Family::Own, subjects: Vec::new(), read_only: ReadOnly::Yes }
    }
}
