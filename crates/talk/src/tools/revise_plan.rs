//! `revise_plan`: other steps for what is left of the approved plan; what is done stays done.

use super::complete_step::Plans;
use super::steps::{KnownStep, StepInput, alike, bare, listed, steps_of};
use reasonix_agent::{Args, Call, ToolTraits};
use reasonix_gate::QuestionEnd;
use reasonix_proto::{Action, Details, Family, PlanAnswer, PlanStep, TodoItem, TodoPhase, ToolOutcome};
use reasonix_tools::{PLAN_PHASE, ToolWork, TypedTool};
use schemars::JsonSchema;
use serde::Deserialize;

#[derive(Deserialize, JsonSchema)]
pub(super) struct Input {
    reason: String,
    #[serde(alias = "remaining_steps", alias = "remainingSteps", alias = "steps")]
    #[schemars(schema_with = "bare")]
    remaining: Vec<StepInput>,
    #[serde(default)]
    #[schemars(skip)]
    summary: Option<String>,
}

/// Proposes other steps.
pub(super) struct RevisePlan(pub(super) Plans);

impl TypedTool for RevisePlan {
    type Input = Input;
    const NAME: &'static str = "revise_plan";
    const PROMPT: &'static str = include_str!("revise_plan.md");
    const TRAITS: ToolTraits = ToolTraits { inward: true, ..ToolTraits::ASKS }.rarely();
    const WORK: ToolWork<Self> =
        ToolWork::Waits(|Self(plans), input: Input, call| Box::pin(revised(plans, input, call)));

    fn action(&self, input: Option<Input>, _args: &Args) -> Action {
        Action::reads(
            Family::Own,
            input.map(|input| input.reason.chars().take(80).collect::<String>()).unwrap_or_default(),
        )
    }
}

async fn revised(plans: &Plans, input: Input, call: Call<'_>) -> ToolOutcome {
    if let Some(refused) = plans.refusal() {
        return refused;
    }
    let phases = plans.todo.phases();
    let steps = match steps_of(remaining(input.remaining, &phases), &known(&phases)) {
        Ok(steps) if !steps.is_empty() => renamed(steps, &phases),
        Ok(_) => return ToolOutcome::failed_with("there are no remaining steps", "finish with your answer instead"),
        Err(outcome) => return outcome,
    };
    let reason: String = input.reason.trim().chars().take(1000).collect();
    let plan = difference(&reason, input.summary.as_deref(), &phases, &steps);
    let said = tokio::select! {
        biased;
        () = call.stop.cancelled() => return ToolOutcome::Aborted,
        said = plans.people.propose(call.id, (&plan, &steps), true) => said,
    };
    match said {
        QuestionEnd::Answered((PlanAnswer::Approve { edited, .. }, _)) => {
            let phases = plans.todo.revise_plan(&steps);
            let words = edited.map(|text| format!(" with these changes, which count:\n\n{text}")).unwrap_or_default();
            let named: Vec<String> = steps.iter().map(|step| format!("{}. {}", step.id, step.title)).collect();
            let text = format!(
                "The user accepted the other steps{words}. Carry them out; those that are done stay done: {}.",
                named.join(", ")
            );
            ToolOutcome::detailed(text, Details { todo: Some(phases), ..Details::default() })
        }
        QuestionEnd::Answered((PlanAnswer::Revise { note }, _)) if !note.trim().is_empty() => {
            ToolOutcome::done(format!(
                "The user keeps the plan as it is: {}\nGo on with its steps, or propose others that fit that.",
                note.trim()
            ))
        }
        QuestionEnd::Answered((PlanAnswer::Revise { .. }, _)) => {
            ToolOutcome::done("The user keeps the plan as it is. Go on with its steps.")
        }
        QuestionEnd::Answered((PlanAnswer::Cancel, _)) => {
            ToolOutcome::done("The user gives the plan up. Change nothing more; say what is done and what is not.")
        }
        QuestionEnd::Nobody | QuestionEnd::TimedOut(_) => ToolOutcome::failed_with(
            "nobody is here to accept other steps",
            "go on with the plan as it is, and say in your answer where you had to leave it",
        ),
    }
}

/// The steps of the plan so far.
fn known(phases: &[TodoPhase]) -> Vec<KnownStep> {
    let plan = phases.iter().find(|phase| phase.name == PLAN_PHASE);
    let step = |task: &TodoItem| {
        let (id, title) = task.content.split_once(". ")?;
        Some(KnownStep { id: id.to_owned(), title: title.to_owned(), over: task.status.is_over() })
    };
    plan.into_iter().flat_map(|phase| &phase.tasks).filter_map(step).collect()
}

/// What is left of the given steps: models write the whole list again, with what is done in front. The same title behind others, or
/// with an id of its own, is to be done once more.
fn remaining(given: Vec<StepInput>, phases: &[TodoPhase]) -> Vec<StepInput> {
    let known = known(phases);
    let is_over = |given: &StepInput| {
        let mut same = known.iter().filter(|step| alike(&step.title, given.title())).peekable();
        let is_new = given.id().is_some_and(|id| known.iter().all(|step| step.id != id));
        same.peek().is_some() && same.all(|step| step.over) && !is_new
    };
    given.into_iter().skip_while(is_over).collect()
}

/// A step that has the id of one that is done is another one.
fn renamed(mut steps: Vec<PlanStep>, phases: &[TodoPhase]) -> Vec<PlanStep> {
    let (done, _) = lines(phases);
    let taken = |id: &str| done.iter().any(|line| line.split_once(". ").is_some_and(|(own, _)| own == id));
    for step in &mut steps {
        while taken(&step.id) {
            step.id.push('b');
        }
    }
    steps
}

/// The tasks of the plan that are over, and those that are not.
fn lines(phases: &[TodoPhase]) -> (Vec<String>, Vec<String>) {
    let plan = phases.iter().find(|phase| phase.name == PLAN_PHASE);
    let tasks = plan.into_iter().flat_map(|phase| &phase.tasks);
    let (over, open): (Vec<_>, Vec<_>) = tasks.partition(|task| task.status.is_over());
    let words = |tasks: Vec<&TodoItem>| tasks.into_iter().map(|task| task.content.clone()).collect();
    (words(over), words(open))
}

/// What people read: why, what is done, and how the rest differs.
fn difference(reason: &str, summary: Option<&str>, phases: &[TodoPhase], steps: &[PlanStep]) -> String {
    let (done, open) = lines(phases);
    let new: Vec<String> = steps.iter().map(|step| format!("{}. {}", step.id, step.title)).collect();
    let mut text = reason.to_owned();
    if let Some(summary) = summary.map(str::trim).filter(|summary| !summary.is_empty()) {
        text.push_str(&format!("\n\n{summary}"));
    }
    let mut diff: Vec<String> = done.iter().map(|line| format!("  [x] {line}")).collect();
    diff.extend(open.iter().filter(|line| !new.contains(line)).map(|line| format!("- {line}")));
    diff.extend(new.iter().map(|line| format!("{} {line}", if open.contains(line) { ' ' } else { '+' })));
    format!("{text}\n\n```diff\n{}\n```\n\n{}", diff.join("\n"), listed(steps))
}

#[cfg(test)]
mod tests {
    use super::{difference, renamed};
    use reasonix_proto::PlanStep;
    use reasonix_tools::TodoList;

    fn step(id: &str, title: &str) -> PlanStep {
        PlanStep { id: id.into(), title: title.into(), action: String::new(), risk: None }
    }

    #[test]
    fn the_difference_shows_what_stays_goes_and_comes() {
        let list = TodoList::default();
        list.begin_plan(&[step("1", "a"), step("2", "b"), step("3", "c")]);
        let _ = list.complete_step("1", "done");
        let steps = renamed(vec![step("1", "again"), step("3", "c")], &list.phases());
        let text = difference("it broke", Some("less"), &list.phases(), &steps);
        assert!(text.contains("```diff\n  [x] 1. a\n- 2. b\n+ 1b. again\n  3. c\n```"), "{text}");
        assert!(text.starts_with("it broke\n\nless"), "{text}");
    }
}
