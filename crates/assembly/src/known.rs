//! The names of the tools that there are, whoever may have them.

use crate::recall::no_look_back;
use reasonix_agent::{Artifacts, Tool, Tools};
use reasonix_extensions::Shelf;
use reasonix_jobs::Jobs;
use reasonix_session::{DocumentReader, Memories, MemoryArtifacts};
use reasonix_talk::people::People;
use reasonix_talk::tools::{
    ByOthers, Delegates, Explored, Keeping, LookBack, Nobody, Plans, asking_tools, recall_tools, task_tool,
};
use reasonix_tools::{Bash, Deps, Monitor, ShellOptions, TodoList, files, skill_tool, todo_tools};
use reasonix_workspace::Workspace;
use std::path::Path;
use std::sync::Arc;

/// The tools with state of a session, in the order they are sent.
pub fn stateful(
    todo: &TodoList,
    people: &Arc<People>,
    from: &LookBack,
    (keeping, explored): (&Keeping, &Explored),
) -> Vec<Arc<dyn Tool>> {
    let mut tools = todo_tools(todo);
    let past = keeping.own.as_ref().map(|(_, past)| past.clone());
    tools.extend(asking_tools(&Plans { people: Arc::clone(people), todo: todo.clone(), past }));
    tools.extend(recall_tools(from, keeping, explored));
    tools
}

/// What is kept by tools that are never run.
pub fn keeps_nothing() -> Keeping {
    let memories = Memories::at(Path::new(""), Path::new(""));
    Keeping { memories, own: None, inward: Arc::default(), reader: DocumentReader::default() }
}

/// The names of all built-in tools.
pub fn tool_names(workspace: &Workspace) -> Vec<String> {
    let artifacts: Arc<dyn Artifacts> = Arc::new(MemoryArtifacts::default());
    let mut tools = files(&Deps::new(workspace.clone(), artifacts));
    tools.push(Arc::new(Bash::new(ShellOptions::at(workspace.root()))));
    tools.extend(Jobs::bare().tools());
    tools.push(Arc::new(Monitor::new(ShellOptions::at(workspace.root()))));
    let with = (&keeps_nothing(), &Explored::default());
    tools.extend(stateful(&TodoList::default(), &Arc::default(), &no_look_back(), with));
    let nobody: Arc<dyn Delegates> = Arc::new(Nobody);
    tools.extend(task_tool(&nobody));
    tools.push(skill_tool(Shelf::default(), workspace.root(), Arc::new(ByOthers(nobody))));
    Tools::new(tools).specs().into_iter().map(|spec| spec.name).collect()
}
