//! The todo list as front ends and records carry it.

use serde::{Deserialize, Serialize};

/// A named group of todo items.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct TodoPhase {
    /// The phase's name.
    pub name: String,
    /// Its items in order.
    pub tasks: Vec<TodoItem>,
}

/// One todo item; identified by its exact content.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct TodoItem {
    /// What is to be done.
    pub content: String,
    /// How far it is.
    pub status: TodoStatus,
    /// Remarks made on the way.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub notes: Vec<String>,
}

/// How far a todo item is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum TodoStatus {
    /// Not begun.
    Pending,
    /// Being worked on; at most one item at a time.
    InProgress,
    /// Finished.
    Completed,
    /// Given up.
    Abandoned,
}

impl TodoStatus {
    /// True when nothing is to be done any more.
    pub fn is_over(self) -> bool {
        matches!(self, Self::Completed | Self::Abandoned)
    }
}

/// The phase of tasks that name none.
pub const DEFAULT_PHASE: &str = "Todos";

/// The list as Markdown, as people read and change it; empty when there is no task.
pub fn todo_markdown(phases: &[TodoPhase]) -> String {
    let mut lines = Vec::new();
    let plain = matches!(phases, [only] if only.name == DEFAULT_PHASE);
    for phase in phases.iter().filter(|phase| !phase.tasks.is_empty()) {
        lines.extend((!plain).then(|| format!("# {}", phase.name)));
        for item in &phase.tasks {
            let mark = match item.status {
                TodoStatus::Pending => ' ',
                TodoStatus::InProgress => '~',
                TodoStatus::Completed => 'x',
                TodoStatus::Abandoned => '-',
            };
            lines.push(format!("[{mark}] {}", item.content));
            lines.extend(item.notes.iter().flat_map(|note| note.lines()).map(|line| format!("    > {line}")));
        }
    }
    lines.join("\n")
}
