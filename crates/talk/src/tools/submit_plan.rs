//! `submit_plan`: hands in a plan and waits until a person has decided about it.

use super::complete_step::Plans;
use super::steps::{StepInput, lean, listed, steps_of};
use reasonix_agent::{Args, Call, ToolTraits};
use reasonix_gate::QuestionEnd;
use reasonix_proto::{Action, Details, Family, PlanAnswer, PlanStep, ToolOutcome};
use reasonix_tools::{ToolWork, TypedTool};
use schemars::JsonSchema;
use serde::Deserialize;

/// What the model reads of the steps of a plan that was approved.
const STEPS: &str = "Its steps stand in your todo list: work on one at a time and tick each off as soon as it is done.";

/// A longer plan is not one.
const LONGEST: usize = 64 * 1024;

#[derive(Deserialize, JsonSchema)]
pub(super) struct Input {
    #[serde(alias = "content", alias = "text", alias = "markdown")]
    plan: String,
    #[serde(default)]
    #[schemars(schema_with = "lean")]
    steps: Option<Vec<StepInput>>,
    #[serde(default)]
    #[schemars(with = "String")]
    summary: Option<String>,
}

/// Hands in plans to people.
pub(super) struct SubmitPlan(pub(super) Plans);

impl TypedTool for SubmitPlan {
    type Input = Input;
    const NAME: &'static str = reasonix_proto::tools::SUBMIT_PLAN;
    const PROMPT: &'static str = include_str!("submit_plan.md");
    const ALIASES: &'static [&'static str] = &["exit_plan_mode", "exitplanmode", "propose_plan", "present_plan"];
    const TRAITS: ToolTraits = ToolTraits { inward: true, plans: true, ..ToolTraits::ASKS };
    const WORK: ToolWork<Self> =
        ToolWork::Waits(|Self(plans), input: Input, call| Box::pin(proposed(plans, input, call)));

    fn action(&self, input: Option<Input>, _args: &Args) -> Action {
        Action::reads(Family::Own, title_of(&input.map(|input| input.plan).unwrap_or_default()))
    }
}

async fn proposed(plans: &Plans, input: Input, call: Call<'_>) -> ToolOutcome {
    let plan = input.plan;
    if plan.trim().is_empty() {
        return ToolOutcome::failed("the plan is empty");
    }
    if plan.len() > LONGEST {
        return ToolOutcome::failed_with("the plan is too long", "hand in a plan of a page or two");
    }
    let steps = match steps_of(input.steps.unwrap_or_default(), &[]) {
        Ok(steps) => steps,
        Err(outcome) => return outcome,
    };
    let shown = shown(&plan, input.summary.as_deref(), &steps);
    let said = tokio::select! {
        biased;
        () = call.stop.cancelled() => return ToolOutcome::Aborted,
        said = plans.people.propose(call.id, (&shown, &steps), false) => said,
    };
    match said {
        QuestionEnd::Answered((answer, _)) => match approved(&answer, &plan, steps) {
            steps if steps.is_empty() => ToolOutcome::done(told(&answer)),
            steps => {
                let todo = Some(plans.todo.begin_plan(&steps));
                let text = format!("{}\n{STEPS}", told(&answer));
                ToolOutcome::detailed(text, Details { todo, ..Details::default() })
            }
        },
        QuestionEnd::Nobody | QuestionEnd::TimedOut(_) => ToolOutcome::failed_with(
            "nobody is here to approve a plan",
            "give the plan as your answer; outside of plan mode carry it out yourself and say what you assumed",
        ),
    }
}

/// The steps that are to be carried out now; where the model named none, those that the text lists which was approved.
fn approved(answer: &PlanAnswer, plan: &str, steps: Vec<PlanStep>) -> Vec<PlanStep> {
    match answer {
        PlanAnswer::Approve { edited, .. } if steps.is_empty() => {
            let listed = crate::parts::steps(edited.as_deref().unwrap_or(plan));
            steps_of(listed.into_iter().map(StepInput::Title).collect(), &[]).unwrap_or_default()
        }
        PlanAnswer::Approve { .. } => steps,
        PlanAnswer::Revise { .. } | PlanAnswer::Cancel => Vec::new(),
    }
}

/// The plan as people read it: what it comes to first, and its steps last.
fn shown(plan: &str, summary: Option<&str>, steps: &[PlanStep]) -> String {
    let summary = summary.map(str::trim).filter(|summary| !summary.is_empty() && !plan.contains(summary));
    let head = summary.map(|summary| format!("{summary}\n\n")).unwrap_or_default();
    match steps {
        [] => format!("{head}{plan}"),
        steps => format!("{head}{}\n\n{}", plan.trim_end(), listed(steps)),
    }
}

/// What the model reads.
fn told(answer: &PlanAnswer) -> String {
    match answer {
        PlanAnswer::Approve { edited: None, .. } => {
            "The user approved the plan. Plan mode is off: carry it out now, and check the result.".to_owned()
        }
        PlanAnswer::Approve { edited: Some(plan), .. } => {
            format!("The user changed the plan and approved it. Plan mode is off: carry out this one now:\n\n{plan}")
        }
        PlanAnswer::Cancel => {
            "The user gives the plan up. Plan mode is off, but nothing of it is to be done: say so briefly and wait."
                .to_owned()
        }
        PlanAnswer::Revise { note } if note.trim().is_empty() => {
            "The user does not approve this plan yet. Change nothing; go on planning, or ask what should be different."
                .to_owned()
        }
        PlanAnswer::Revise { note } => format!(
            "The user does not approve this plan yet: {}\nChange nothing; revise the plan and hand it in again.",
            note.trim()
        ),
    }
}

/// The first line that says something, without its marks.
pub fn title_of(plan: &str) -> String {
    let line = plan.lines().map(|line| line.trim_matches(['#', ' ', '*', '-', '\t'])).find(|line| !line.is_empty());
    line.unwrap_or_default().chars().take(80).collect()
}

#[cfg(test)]
mod tests {
    use super::{title_of, told};
    use reasonix_proto::PlanAnswer;

    #[test]
    fn the_title_is_the_first_line_that_says_something() {
        for (plan, title) in [
            ("# Move the shop to SQLite\n\n1. …", "Move the shop to SQLite"),
            ("\n\n**Plan**\n", "Plan"),
            ("---\n- one", "one"),
            ("", ""),
        ] {
            assert_eq!(title_of(plan), title);
        }
    }

    #[test]
    fn the_model_is_told_what_was_decided() {
        assert!(told(&PlanAnswer::Approve { edited: None, asks: false }).contains("carry it out"));
        assert!(told(&PlanAnswer::Approve { edited: Some("1. x".into()), asks: true }).ends_with("1. x"));
        assert!(told(&PlanAnswer::Revise { note: "no tests".into() }).contains("no tests"));
        assert!(told(&PlanAnswer::default()).contains("Change nothing"));
        assert!(told(&PlanAnswer::Cancel).contains("nothing of it is to be done"));
    }
}
