//! The steps of an approved plan, as a phase of the todo list: so they are kept through folding, resume and handoff, and shown with
//! ticks wherever the list is.

use super::list::TodoList;
use reasonix_proto::{PlanStep, TodoItem, TodoPhase, TodoStatus};

/// The phase that the steps stand in.
pub const PLAN_PHASE: &str = "Plan";

/// More of a result is not kept with its step.
const LONGEST_NOTE: usize = 500;

/// The steps of the plan, each with its id and whether it is over.
pub fn plan_steps(phases: &[TodoPhase]) -> Vec<(&str, bool)> {
    let plan = phases.iter().find(|phase| phase.name == PLAN_PHASE);
    let tasks = plan.into_iter().flat_map(|phase| &phase.tasks);
    tasks.filter_map(|task| Some((task.content.split_once(". ")?.0, task.status.is_over()))).collect()
}

impl TodoList {
    /// The steps stand in place of those of an earlier plan; the rest of the list stays.
    pub fn begin_plan(&self, steps: &[PlanStep]) -> Vec<TodoPhase> {
        let change = |phases: &mut Vec<TodoPhase>| {
            phases.retain(|phase| phase.name != PLAN_PHASE);
            phases.insert(0, TodoPhase { name: PLAN_PHASE.to_owned(), tasks: steps.iter().map(task).collect() });
            // The first step is what is worked on, not what was before.
            for item in phases.iter_mut().skip(1).flat_map(|phase| &mut phase.tasks) {
                if item.status == TodoStatus::InProgress {
                    item.status = TodoStatus::Pending;
                }
            }
        };
        self.change(change).1
    }

    /// Ticks a step off, with what it came to. The task's own words, and the list; or the ids that there are.
    pub fn complete_step(&self, id: &str, note: &str) -> Result<(String, Vec<TodoPhase>), Vec<String>> {
        let titled = |task: &TodoItem| {
            let title = task.content.split_once(". ").map_or(task.content.as_str(), |(_, title)| title);
            title.trim().eq_ignore_ascii_case(id.trim())
        };
        let change = |phases: &mut Vec<TodoPhase>| {
            let plan = phases.iter_mut().find(|phase| phase.name == PLAN_PHASE);
            let tasks = &mut plan?.tasks;
            // Models name a step by its title as well.
            let at = tasks.iter().position(|task| is_named(task, id)).or_else(|| tasks.iter().position(titled))?;
            let found = tasks.get_mut(at)?;
            found.status = TodoStatus::Completed;
            found.notes.push(note.chars().take(LONGEST_NOTE).collect());
            Some(found.content.clone())
        };
        let (found, phases) = self.change(change);
        let known = || plan_steps(&phases).into_iter().map(|(id, _)| id.to_owned()).collect();
        found.map(|content| (content, phases.clone())).ok_or_else(known)
    }

    /// Other steps for what is not done; those that are over stay.
    pub fn revise_plan(&self, remaining: &[PlanStep]) -> Vec<TodoPhase> {
        let change = |phases: &mut Vec<TodoPhase>| {
            if let Some(plan) = phases.iter_mut().find(|phase| phase.name == PLAN_PHASE) {
                plan.tasks.retain(|task| task.status.is_over());
                plan.tasks.extend(remaining.iter().map(task));
            }
        };
        self.change(change).1
    }
}

fn is_named(task: &TodoItem, id: &str) -> bool {
    task.content.split_once(". ").is_some_and(|(own, _)| own == id)
}

fn task(step: &PlanStep) -> TodoItem {
    let risk = step.risk.map(|risk| format!("risk: {}", risk.name()));
    let notes = Some(step.action.clone()).filter(|action| !action.is_empty()).into_iter().chain(risk).collect();
    TodoItem { content: format!("{}. {}", step.id, step.title), status: TodoStatus::Pending, notes }
}

#[cfg(test)]
mod tests {
    use super::{TodoList, plan_steps};
    use reasonix_proto::{PlanStep, StepRisk};

    fn step(id: &str, title: &str) -> PlanStep {
        PlanStep { id: id.into(), title: title.into(), action: String::new(), risk: Some(StepRisk::Low) }
    }

    #[test]
    fn done_steps_stay_and_the_rest_is_replaced() {
        let list = TodoList::default();
        list.begin_plan(&[step("1", "a"), step("2", "b"), step("3", "c")]);
        let (content, _) = list.complete_step("1", "it works").unwrap();
        assert_eq!(content, "1. a");
        assert_eq!(list.complete_step("9", "x").unwrap_err(), ["1", "2", "3"]);
        assert_eq!(list.complete_step(" B", "by its title").unwrap().0, "2. b");
        let phases = list.revise_plan(&[step("2b", "other")]);
        assert_eq!(plan_steps(&phases), [("1", true), ("2", true), ("2b", false)]);
        assert_eq!(phases[0].tasks[0].notes, ["risk: low", "it works"]);
        let phases = list.begin_plan(&[step("1", "new")]);
        assert_eq!(plan_steps(&phases), [("1", false)]);
    }
}
