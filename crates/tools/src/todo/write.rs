//! `todo_write`: changes the todo list by operations.

use super::list::{Op, OpKind, Phase, TodoList, checklist};
use crate::typed::{ToolWork, TypedTool};
use reasonix_agent::{Args, ToolTraits, parse_args};
use reasonix_proto::{Action, DEFAULT_PHASE, Details, Family, ReadOnly, TodoItem, TodoPhase, TodoStatus, ToolOutcome};
use schemars::JsonSchema;
use serde::Deserialize;

#[derive(Deserialize, JsonSchema)]
pub(super) struct Input {
    ops: Vec<Op>,
}

/// The shape in which other harnesses write a whole list.
#[derive(Deserialize)]
struct Whole {
    todos: Vec<Todo>,
}

#[derive(Deserialize)]
#[serde(untagged)]
enum Todo {
    Text(String),
    Item {
        #[serde(alias = "task", alias = "title", alias = "text")]
        content: String,
        #[serde(default)]
        status: Option<String>,
        #[serde(default)]
        phase: Option<String>,
    },
}

/// Changes the list.
pub(super) struct TodoWrite(pub(super) TodoList);

impl TypedTool for TodoWrite {
    type Input = Input;
    const NAME: &'static str = "todo_write";
    const PROMPT: &'static str = include_str!("todo_write.md");
    const ALIASES: &'static [&'static str] = &["todowrite", "write_todos", "update_todos", "todo"];
    const TRAITS: ToolTraits = ToolTraits { inward: true, ..ToolTraits::NONE };
    const WORK: ToolWork<Self> = ToolWork::Keeps(|Self(list), input: Input| write(list, input.ops));

    /// A batch, a single operation, or a whole list.
    fn parse(args: &Args) -> Result<Input, ToolOutcome> {
        let one = |op| Input { ops: vec![op] };
        match args {
            args if args.contains_key("ops") => parse_args(args),
            args if args.contains_key("todos") => parse_args::<Whole>(args).map(|whole| one(init(whole.todos))),
            args if args.contains_key("op") => parse_args(args).map(one),
            args => parse_args(args),
        }
    }

    /// It counts as a reader: nothing of the user's is touched, so nobody is asked. Order is kept all the same, since
    /// calls start in the order they were made and this one is done when it has started.
    fn action(&self, input: Option<Input>, _args: &Args) -> Action {
        let ops = input.map(|input| input.ops).unwrap_or_default();
        Action { family: Family::Own, subjects: ops.iter().map(title).collect(), read_only: ReadOnly::Yes }
    }
}

fn write(list: &TodoList, ops: Vec<Op>) -> ToolOutcome {
    if ops.is_empty() {
        return ToolOutcome::failed("ops is empty: there is nothing to do");
    }
    let (phases, errors) = list.apply(ops);
    let list = checklist(&phases);
    let content = match (errors.is_empty(), list.is_empty()) {
        (true, true) => "Todo list cleared.".to_owned(),
        (true, false) => list,
        (false, _) => format!("Errors: {}\n{list}", errors.join("; ")).trim_end().to_owned(),
    };
    ToolOutcome::detailed(content, Details { todo: Some(phases), ..Details::default() })
}

fn init(todos: Vec<Todo>) -> Op {
    let mut phases: Vec<TodoPhase> = Vec::new();
    for todo in todos {
        let (content, status, phase) = match todo {
            Todo::Text(content) => (content, None, None),
            Todo::Item { content, status, phase } => (content, status, phase),
        };
        let status = match status.as_deref() {
            Some("in_progress" | "active" | "started") => TodoStatus::InProgress,
            Some("completed" | "done") => TodoStatus::Completed,
            Some("abandoned" | "cancelled" | "canceled" | "dropped") => TodoStatus::Abandoned,
            _ => TodoStatus::Pending,
        };
        let name = phase.unwrap_or_else(|| DEFAULT_PHASE.to_owned());
        let item = TodoItem { content, status, notes: Vec::new() };
        match phases.iter_mut().find(|phase| phase.name == name) {
            Some(phase) => phase.tasks.push(item),
            None => phases.push(TodoPhase { name, tasks: vec![item] }),
        }
    }
    Op { op: OpKind::Init, list: None, task: None, phase: None, items: None, text: None, whole: Some(phases) }
}

/// One operation in a few words.
fn title(op: &Op) -> String {
    let tasks = |phases: &[Phase]| phases.iter().map(|phase| phase.items.len()).sum::<usize>();
    match op.op {
        OpKind::Init => {
            let whole = op.whole.iter().flatten().map(|phase| phase.tasks.len()).sum::<usize>();
            format!("{} tasks", whole + tasks(op.list.as_deref().unwrap_or_default()))
        }
        OpKind::Append => format!("append {}", op.items.as_deref().unwrap_or_default().len()),
        other => {
            let name = format!("{other:?}").to_lowercase();
            let what = op.task.as_deref().or(op.phase.as_deref()).unwrap_or("all");
            format!("{name} {}", what.chars().take(60).collect::<String>())
        }
    }
}
