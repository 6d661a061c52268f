//! The todo list: phases of tasks, the operations on them, and the checklist that people and models read.

use super::plan::PLAN_PHASE;
use reasonix_proto::{DEFAULT_PHASE, TodoItem, TodoPhase, TodoStatus};
use schemars::JsonSchema;
use serde::Deserialize;
use std::fmt::Write as _;
use std::sync::{Arc, Mutex, PoisonError};

/// A handle to the list of a session; clones share it.
#[derive(Debug, Clone, Default)]
pub struct TodoList(Arc<Mutex<Vec<TodoPhase>>>);

impl TodoList {
    /// The phases as they are now.
    pub fn phases(&self) -> Vec<TodoPhase> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Puts back what an earlier process left, such as the `todo` of the last outcome's details.
    pub fn restore(&self, phases: Vec<TodoPhase>) {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) = phases;
    }

    /// Does something to the phases, and leaves one task in progress.
    pub(super) fn change<T>(&self, change: impl FnOnce(&mut Vec<TodoPhase>) -> T) -> (T, Vec<TodoPhase>) {
        let mut phases = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let done = change(&mut phases);
        normalise(&mut phases);
        (done, phases.clone())
    }

    /// Applies a batch. What is wrong is collected; the rest is done all the same.
    pub(super) fn apply(&self, ops: Vec<Op>) -> (Vec<TodoPhase>, Vec<String>) {
        let mut phases = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let mut errors = Vec::new();
        for op in ops {
            apply_beside_plan(&mut phases, op, &mut errors);
        }
        normalise(&mut phases);
        (phases.clone(), errors)
    }
}

// One operation; which fields it needs depends on its kind. No doc comment: that would be sent with the schema.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
pub(super) struct Op {
    pub op: OpKind,
    #[serde(default)]
    pub list: Option<Vec<Phase>>,
    #[serde(default, alias = "content")]
    pub task: Option<String>,
    #[serde(default)]
    pub phase: Option<String>,
    #[serde(default, alias = "tasks")]
    pub items: Option<Vec<String>>,
    #[serde(default, alias = "note")]
    pub text: Option<String>,
    /// The status of tasks in a whole-list write.
    #[serde(skip)]
    #[schemars(skip)]
    pub whole: Option<Vec<TodoPhase>>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub(super) enum OpKind {
    Init,
    Start,
    Done,
    Drop,
    Rm,
    Append,
    Note,
}

#[derive(Debug, Clone, Deserialize, JsonSchema)]
pub(super) struct Phase {
    #[serde(alias = "name")]
    pub phase: String,
    #[serde(alias = "tasks")]
    pub items: Vec<String>,
}

/// The steps of a plan are the user's: the model says which one it works on and notes things, and has `complete_step` and
/// `revise_plan` for the rest, who look for proof and ask. A phase that only has the plan's name is no plan.
fn apply_beside_plan(phases: &mut Vec<TodoPhase>, mut op: Op, errors: &mut Vec<String>) {
    if matches!(op.op, OpKind::Start | OpKind::Note) {
        return apply(phases, op, errors);
    }
    let plan = phases.iter().position(|phase| phase.name == PLAN_PHASE).map(|at| phases.remove(at));
    let is_step = |task: &String| plan.iter().flat_map(|plan| &plan.tasks).any(|step| step.content == *task);
    let of_plan = plan.is_some() && op.phase.as_deref() == Some(PLAN_PHASE);
    if op.op != OpKind::Init && (of_plan || op.task.as_ref().is_some_and(is_step)) {
        errors.push("The approved plan is changed with complete_step and revise_plan alone".to_owned());
    } else {
        op.phase = op.phase.map(beside_plan);
        let begins = op.op == OpKind::Init;
        apply(phases, op, errors);
        phases.iter_mut().for_each(|phase| phase.name = beside_plan(std::mem::take(&mut phase.name)));
        let over = plan.as_ref().is_some_and(|plan| plan.tasks.iter().all(|task| task.status.is_over()));
        if begins && over {
            return;
        }
    }
    if let Some(plan) = plan {
        phases.insert(0, plan);
    }
}

fn beside_plan(name: String) -> String {
    if name == PLAN_PHASE { format!("{PLAN_PHASE} (own)") } else { name }
}

fn apply(phases: &mut Vec<TodoPhase>, op: Op, errors: &mut Vec<String>) {
    let result = match op.op {
        OpKind::Init => init(phases, op),
        OpKind::Start => start(phases, op.task),
        OpKind::Done => mark(phases, op, Some(TodoStatus::Completed)),
        OpKind::Drop => mark(phases, op, Some(TodoStatus::Abandoned)),
        OpKind::Rm => mark(phases, op, None),
        OpKind::Append => return append(phases, op, errors),
        OpKind::Note => note(phases, op),
    };
    errors.extend(result.err());
}

fn init(phases: &mut Vec<TodoPhase>, op: Op) -> Result<(), String> {
    *phases = match (op.whole, op.list) {
        (Some(whole), _) => whole,
        (None, Some(list)) => list
            .into_iter()
            .map(|phase| TodoPhase { name: phase.phase, tasks: phase.items.into_iter().map(pending).collect() })
            .collect(),
        (None, None) => return Err("Missing list for init operation".to_owned()),
    };
    Ok(())
}

fn start(phases: &mut [TodoPhase], task: Option<String>) -> Result<(), String> {
    let task = given(task).ok_or("Missing task content")?;
    find(phases, &task)?;
    for item in phases.iter_mut().flat_map(|phase| &mut phase.tasks) {
        if item.status == TodoStatus::InProgress {
            item.status = TodoStatus::Pending;
        }
    }
    find(phases, &task)?.status = TodoStatus::InProgress;
    Ok(())
}

/// Sets the status of a task, of a phase or of everything; `None` removes.
fn mark(phases: &mut Vec<TodoPhase>, op: Op, status: Option<TodoStatus>) -> Result<(), String> {
    if op.task.is_some() {
        let task = given(op.task).ok_or("Missing task content")?;
        match status {
            Some(status) => find(phases, &task)?.status = status,
            None => remove(phases, &task)?,
        }
        return Ok(());
    }
    if op.phase.is_some() {
        let name = given(op.phase).ok_or("Missing phase name")?;
        let found = phases.iter_mut().find(|phase| phase.name == name);
        let phase = found.ok_or_else(|| format!("Phase \"{name}\" not found"))?;
        match status {
            Some(status) => phase.tasks.iter_mut().for_each(|item| item.status = status),
            None => phase.tasks.clear(),
        }
        return Ok(());
    }
    match status {
        Some(status) => phases.iter_mut().flat_map(|phase| &mut phase.tasks).for_each(|item| item.status = status),
        None => phases.clear(),
    }
    Ok(())
}

fn remove(phases: &mut [TodoPhase], task: &str) -> Result<(), String> {
    find(phases, task)?;
    for phase in phases.iter_mut() {
        if let Some(index) = phase.tasks.iter().position(|item| item.content == task) {
            phase.tasks.remove(index);
            break;
        }
    }
    Ok(())
}

fn append(phases: &mut Vec<TodoPhase>, op: Op, errors: &mut Vec<String>) {
    let Some(name) = given(op.phase) else {
        return errors.push("Missing phase name for append operation".to_owned());
    };
    let items = op.items.unwrap_or_default();
    if items.is_empty() {
        return errors.push("Missing items for append operation".to_owned());
    }
    for content in items {
        if find(phases, &content).is_ok() {
            errors.push(format!("Task \"{content}\" already exists"));
            continue;
        }
        match phases.iter_mut().find(|phase| phase.name == name) {
            Some(phase) => phase.tasks.push(pending(content)),
            None => phases.push(TodoPhase { name: name.clone(), tasks: vec![pending(content)] }),
        }
    }
}

fn note(phases: &mut [TodoPhase], op: Op) -> Result<(), String> {
    let task = given(op.task).ok_or("Missing task content")?;
    let item = find(phases, &task)?;
    let text = op.text.as_deref().map(str::trim_end).filter(|text| !text.is_empty());
    item.notes.push(text.ok_or("Missing text for note operation")?.to_owned());
    Ok(())
}

fn given(text: Option<String>) -> Option<String> {
    text.filter(|text| !text.trim().is_empty())
}

fn pending(content: String) -> TodoItem {
    TodoItem { content, status: TodoStatus::Pending, notes: Vec::new() }
}

/// The first task with this content.
fn find<'a>(phases: &'a mut [TodoPhase], task: &str) -> Result<&'a mut TodoItem, String> {
    let empty = phases.iter().all(|phase| phase.tasks.is_empty());
    let found = phases.iter_mut().flat_map(|phase| &mut phase.tasks).find(|item| item.content == task);
    found.ok_or_else(|| match empty {
        true => format!("Task \"{task}\" not found (the list is empty: begin with init)"),
        false => format!("Task \"{task}\" not found"),
    })
}

/// Leaves one task in progress: the first that is, or else the first that is pending.
fn normalise(phases: &mut [TodoPhase]) {
    let mut active = false;
    for item in phases.iter_mut().flat_map(|phase| &mut phase.tasks) {
        if item.status == TodoStatus::InProgress {
            if active {
                item.status = TodoStatus::Pending;
            }
            active = true;
        }
    }
    let mut items = phases.iter_mut().flat_map(|phase| &mut phase.tasks);
    if let (false, Some(next)) = (active, items.find(|item| item.status == TodoStatus::Pending)) {
        next.status = TodoStatus::InProgress;
    }
}

/// The list as a checklist, grouped by phase; empty when there is no task.
pub(super) fn checklist(phases: &[TodoPhase]) -> String {
    let mut text = String::new();
    let plain = matches!(phases, [only] if only.name == DEFAULT_PHASE);
    for phase in phases.iter().filter(|phase| !phase.tasks.is_empty()) {
        if !plain {
            let _ = writeln!(text, "{}", phase.name);
        }
        for item in &phase.tasks {
            let mark = match item.status {
                TodoStatus::Pending => ' ',
                TodoStatus::InProgress => '~',
                TodoStatus::Completed => 'x',
                TodoStatus::Abandoned => '-',
            };
            let _ = writeln!(text, "[{mark}] {}", item.content);
            for line in item.notes.iter().flat_map(|note| note.lines()) {
                let _ = writeln!(text, "    > {line}");
            }
        }
    }
    text.truncate(text.trim_end().len());
    text
}

#[cfg(test)]
mod tests;
