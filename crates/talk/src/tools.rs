//! Tools that carry state of the session. Each is one source file with its prompt in a `.md` beside it.

mod ask;
mod checkpoint;
mod complete_step;
mod forget;
mod history;
mod keeping;
mod memory;
mod remember;
mod revise_plan;
mod rewind;
mod steps;
mod submit_plan;
mod task;

pub use checkpoint::Explored;
pub use complete_step::Plans;
pub use history::LookBack;
pub use keeping::Keeping;
pub use submit_plan::title_of;
pub use task::{Assignment, Assignments, ByOthers, BySkill, Delegates, Nobody, READER, starts};

use reasonix_agent::Tool;
use reasonix_tools::Typed;
use std::sync::Arc;

/// The tools that ask these people. They are of use only where somebody can answer.
pub fn asking_tools(plans: &Plans) -> Vec<Arc<dyn Tool>> {
    vec![
        Arc::new(Typed::of(ask::Ask(Arc::clone(&plans.people)))),
        Arc::new(Typed::of(submit_plan::SubmitPlan(plans.clone()))),
        Arc::new(Typed::of(complete_step::CompleteStep(plans.clone()))),
        Arc::new(Typed::of(revise_plan::RevisePlan(plans.clone()))),
    ]
}

/// The tool that starts subagents; none where there may be none.
pub fn task_tool(others: &Arc<dyn Delegates>) -> Option<Arc<dyn Tool>> {
    others.may_be().then(|| Arc::new(Typed::of(task::Task(Arc::clone(others)))) as Arc<dyn Tool>)
}

/// The tools that look back, in the order they are sent.
pub fn recall_tools(from: &LookBack, keeping: &Keeping, explored: &Explored) -> Vec<Arc<dyn Tool>> {
    vec![
        Arc::new(Typed::of(history::HistoryTool(from.clone()))),
        Arc::new(Typed::of(memory::MemoryTool(keeping.clone()))),
        Arc::new(Typed::of(remember::Remember(keeping.clone()))),
        Arc::new(Typed::of(forget::Forget(keeping.clone()))),
        Arc::new(Typed::of(checkpoint::Checkpoint(explored.clone()))),
        Arc::new(Typed::of(rewind::Rewind(explored.clone()))),
    ]
}
