//! `submit_plan`: hands in a plan and waits until a person has decided about it.

use crate::people::People;
use reasonix_agent::{Args, Call, ToolTraits};
use reasonix_gate::QuestionEnd;
use reasonix_proto::{Action, Family, PlanAnswer, ToolOutcome};
use reasonix_tools::{ToolWork, TypedTool};
use schemars::JsonSchema;
use serde::Deserialize;
use std::sync::Arc;

/// A longer plan is not one.
const LONGEST: usize = 64 * 1024;

#[derive(Deserialize, JsonSchema)]
pub(super) struct Input {
    #[serde(alias = "content", alias = "text", alias = "markdown")]
    plan: String,
}

/// Hands in plans to these people.
pub(super) struct SubmitPlan(pub(super) Arc<People>);

impl TypedTool for SubmitPlan {
    type Input = Input;
    const NAME: &'static str = reasonix_proto::tools::SUBMIT_PLAN;
    const PROMPT: &'static str = include_str!("submit_plan.md");
    const ALIASES: &'static [&'static str] = &["exit_plan_mode", "exitplanmode", "propose_plan", "present_plan"];
    const TRAITS: ToolTraits = ToolTraits { inward: true, plans: true, ..ToolTraits::ASKS };
    const WORK: ToolWork<Self> =
        ToolWork::Waits(|Self(people), input: Input, call| Box::pin(proposed(people, input.plan, call)));

    fn action(&self, input: Option<Input>, _args: &Args) -> Action {
        Action::reads(Family::Own, title_of(&input.map(|input| input.plan).unwrap_or_default()))
    }
}

async fn proposed(people: &People, plan: String, call: Call<'_>) -> ToolOutcome {
    if plan.trim().is_empty() {
        return ToolOutcome::failed("the plan is empty");
    }
    if plan.len() > LONGEST {
        return ToolOutcome::failed_with("the plan is too long", "hand in a plan of a page or two");
    }
    let said = tokio::select! {
        biased;
        () = call.stop.cancelled() => return ToolOutcome::Aborted,
        said = people.propose(call.id, &plan) => said,
    };
    match said {
        QuestionEnd::Answered((answer, _)) => ToolOutcome::done(told(&answer)),
        QuestionEnd::Nobody | QuestionEnd::TimedOut(_) => ToolOutcome::failed_with(
            "nobody is here to approve a plan",
            "give the plan as your answer; outside of plan mode carry it out yourself and say what you assumed",
        ),
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
pub(crate) fn title_of(plan: &str) -> String {
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
    }
}
