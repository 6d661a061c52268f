//! `complete_step`: ticks off a step of the approved plan, with what proves it.

use super::steps::{StepId, held};
use crate::people::{Asker, People};
use reasonix_agent::{Args, Call, ToolTraits};
use reasonix_gate::QuestionEnd;
use reasonix_proto::{
    Action, CallId, ClaimStatus, Details, Family, Mode, Posture, Question, Response, Suggestion, TodoPhase, TodoStatus,
    ToolOutcome,
};
use reasonix_session::Past;
use reasonix_tools::{PLAN_PHASE, TodoList, ToolWork, TypedTool, plan_steps};
use schemars::JsonSchema;
use serde::Deserialize;
use std::sync::Arc;

/// What the pause behind a step offers, as records and events name it.
const CONTINUE: &str = "continue";
const REVISE: &str = "revise";
const STOP: &str = "stop";
/// More of a result is not kept.
const LONGEST: usize = 400;

#[derive(Deserialize, JsonSchema)]
pub(super) struct Input {
    #[serde(alias = "id", alias = "stepId", alias = "step_id")]
    #[schemars(with = "String")]
    step: StepId,
    #[serde(alias = "summary", alias = "notes")]
    result: String,
    #[serde(default, alias = "evidence")]
    calls: Option<Vec<String>>,
}

/// What the tools of an approved plan work on.
#[derive(Clone)]
pub struct Plans {
    /// Those who approve.
    pub people: Arc<People>,
    /// Its steps.
    pub todo: TodoList,
    /// The log that proves them; none where there is none.
    pub past: Option<Past>,
}

impl Plans {
    /// Why there is nothing to do now; none where an approved plan with steps is carried out.
    pub(super) fn refusal(&self) -> Option<ToolOutcome> {
        if self.people.stance().is_some_and(|stance| stance.mode == Mode::Plan) {
            return Some(ToolOutcome::failed_with(
                "plan mode is on: no plan is being carried out",
                "hand in a plan with submit_plan and wait",
            ));
        }
        plan_steps(&self.todo.phases()).is_empty().then(|| {
            ToolOutcome::failed_with("no plan with steps was approved in this session", "go on without this tool")
        })
    }
}

/// Ticks off steps.
pub(super) struct CompleteStep(pub(super) Plans);

impl TypedTool for CompleteStep {
    type Input = Input;
    const NAME: &'static str = "complete_step";
    const PROMPT: &'static str = include_str!("complete_step.md");
    const ALIASES: &'static [&'static str] = &["mark_step_complete", "completestep"];
    const TRAITS: ToolTraits = ToolTraits { inward: true, ..ToolTraits::ASKS }.rarely();
    const WORK: ToolWork<Self> =
        ToolWork::Waits(|Self(plans), input: Input, call| Box::pin(completed(plans, input, call)));

    fn action(&self, input: Option<Input>, _args: &Args) -> Action {
        Action::reads(Family::Own, input.map(|input| input.step.text()).unwrap_or_default())
    }
}

async fn completed(plans: &Plans, input: Input, call: Call<'_>) -> ToolOutcome {
    if let Some(refused) = plans.refusal() {
        return refused;
    }
    let result: String = input.result.trim().chars().take(LONGEST).collect();
    if result.is_empty() {
        return ToolOutcome::failed_with("the result is empty", "say in a sentence what the step came to");
    }
    let calls: Vec<CallId> = input.calls.unwrap_or_default().into_iter().map(CallId).collect();
    let (past, said) = (plans.past.clone(), result.clone());
    // The whole log is read for it.
    let looked = tokio::task::spawn_blocking(move || held(past.as_ref(), &calls, &said)).await;
    let (status, why) = looked.unwrap_or_else(|_| (ClaimStatus::Unsupported, "the log cannot be read".to_owned()));
    let (note, doubt) = match status {
        ClaimStatus::Verified => (format!("verified: {result}"), None),
        ClaimStatus::Stale => (format!("stale ({why}): {result}"), Some(why)),
        ClaimStatus::Unsupported => (format!("unsupported ({why}): {result}"), Some(why)),
    };
    let id = input.step.text();
    let (title, phases) = match plans.todo.complete_step(&id, &note) {
        Ok(done) => done,
        Err(known) => {
            let hint = format!("the steps are: {}", known.join(", "));
            return ToolOutcome::failed_with(format!("the plan has no step {id:?}"), hint);
        }
    };
    let paused = plans.people.stance().is_some_and(|stance| stance.posture == Posture::Ask && !stance.trusted);
    let said = if paused { pause(plans, &call, &title, &note).await } else { Ok(None) };
    let said = match said {
        Ok(said) => said,
        Err(outcome) => return outcome,
    };
    let text = told(&title, doubt.as_deref(), said.as_ref(), &phases);
    ToolOutcome::detailed(text, Details { todo: Some(phases), ..Details::default() })
}

/// Asks whether it goes on.
async fn pause(plans: &Plans, call: &Call<'_>, title: &str, note: &str) -> Result<Option<Response>, ToolOutcome> {
    let option = |label: &str| Suggestion { label: label.to_owned(), note: String::new() };
    let question = Question {
        id: "1".to_owned(),
        question: format!("{title}\n{note}"),
        options: [CONTINUE, REVISE, STOP].map(option).to_vec(),
        multi: false,
        recommended: Some(0),
    };
    let said = tokio::select! {
        biased;
        () = call.stop.cancelled() => return Err(ToolOutcome::Aborted),
        said = plans.people.inquire(Asker::Step(call.id), vec![question]) => said,
    };
    match said {
        QuestionEnd::Answered((responses, _)) => Ok(responses.into_iter().next()),
        QuestionEnd::Nobody | QuestionEnd::TimedOut(_) => Ok(None),
    }
}

/// What the model reads.
fn told(title: &str, doubt: Option<&str>, said: Option<&Response>, phases: &[TodoPhase]) -> String {
    let doubt = doubt.map(|why| format!(" Nothing proves it: {why}.")).unwrap_or_default();
    let chosen = said.and_then(|said| said.chosen.first()).map(String::as_str);
    let words = said.and_then(|said| said.text.as_deref()).map(str::trim).filter(|words| !words.is_empty());
    let next = match (chosen, words) {
        (Some(STOP), _) => "The user stops here: change nothing more, and say what is done and what is not.".to_owned(),
        (Some(REVISE), words) => {
            let words = words.map(|words| format!(" ({words})")).unwrap_or_default();
            format!(
                "The user wants the rest to be different{words}: ask what where it is unclear, then call revise_plan."
            )
        }
        (_, Some(words)) => format!("The user says: {words}\nCall revise_plan where the steps have to be others."),
        (_, None) => match next_step(phases) {
            Some(next) => format!("Next: {next}"),
            None => "That was the last step: check the whole and answer.".to_owned(),
        },
    };
    format!("Done: {title}.{doubt}\n{next}")
}

fn next_step(phases: &[TodoPhase]) -> Option<&str> {
    let plan = phases.iter().find(|phase| phase.name == PLAN_PHASE)?;
    let open = |status: TodoStatus| !status.is_over();
    plan.tasks.iter().find(|task| open(task.status)).map(|task| task.content.as_str())
}
