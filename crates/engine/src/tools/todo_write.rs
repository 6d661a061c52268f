//! `todo_write`: changes the todo list by operations.

use super::todo_list::{DEFAULT_PHASE, Op, OpKind, Phase, TodoList, checklist};
use reasonix_agent::{Args, BoxFuture, Call, Tool, ToolSpec, parse_args};
use reasonix_proto::{Action, Details, Family, ReadOnly, TodoItem, TodoPhase, TodoStatus, ToolOutcome};
use reasonix_tools::spec;
use schemars::JsonSchema;
use serde::Deserialize;

#[derive(Deserialize, JsonSchema)]
struct Input {
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
pub(super) struct TodoWrite {
    spec: ToolSpec,
    list: TodoList,
}

impl TodoWrite {
    /// Works on this list.
    pub(super) fn new(list: TodoList) -> Self {
        Self { spec: spec::<Input>("todo_write", include_str!("todo_write.md")), list }
    }
}

impl Tool for TodoWrite {
    fn spec(&self) -> &ToolSpec {
        &self.spec
    }

    fn aliases(&self) -> &'static [&'static str] {
        &["todowrite", "write_todos", "update_todos", "todo"]
    }

    /// It counts as a reader: nothing of the user's is touched, so nobody is asked. Order is kept all the same, since
    /// calls start in the order they were made and this one is done when it has started.
    fn action(&self, args: &Args) -> Action {
        let ops = ops_of(args).unwrap_or_default();
        Action { family: Family::Own, subjects: ops.iter().map(title).collect(), read_only: ReadOnly::Yes }
    }

    fn run<'a>(&'a self, call: Call<'a>) -> BoxFuture<'a, ToolOutcome> {
        let outcome = match ops_of(call.args) {
            Ok(ops) if ops.is_empty() => ToolOutcome::failed("ops is empty: there is nothing to do"),
            Ok(ops) => self.write(ops),
            Err(outcome) => outcome,
        };
        Box::pin(std::future::ready(outcome))
    }
}

impl TodoWrite {
    fn write(&self, ops: Vec<Op>) -> ToolOutcome {
        let (phases, errors) = self.list.apply(ops);
        let list = checklist(&phases);
        let content = match (errors.is_empty(), list.is_empty()) {
            (true, true) => "Todo list cleared.".to_owned(),
            (true, false) => list,
            (false, _) => format!("Errors: {}\n{list}", errors.join("; ")).trim_end().to_owned(),
        };
        ToolOutcome::detailed(content, Details { todo: Some(phases), ..Details::default() })
    }
}

/// The operations of a call: a batch, a single one, or a whole list.
fn ops_of(args: &Args) -> Result<Vec<Op>, ToolOutcome> {
    if args.contains_key("ops") {
        return parse_args::<Input>(args).map(|input| input.ops);
    }
    if args.contains_key("todos") {
        return parse_args::<Whole>(args).map(|whole| vec![init(whole.todos)]);
    }
    if args.contains_key("op") {
        return parse_args::<Op>(args).map(|op| vec![op]);
    }
    parse_args::<Input>(args).map(|input| input.ops)
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
