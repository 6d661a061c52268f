//! `rewind`: hands in the report that takes the place of what was explored. The loop folds when every call of the step has
//! its outcome.

use super::checkpoint::Explored;
use reasonix_agent::{Args, ToolTraits};
use reasonix_proto::{Action, Family, ReadOnly, ToolOutcome};
use reasonix_tools::{ToolWork, TypedTool};
use schemars::JsonSchema;
use serde::Deserialize;

#[derive(Deserialize, JsonSchema)]
pub(super) struct Input {
    #[serde(alias = "text", alias = "summary", alias = "findings")]
    report: String,
}

/// Reports on what was explored since it was marked there.
pub(super) struct Rewind(pub(super) Explored);

impl TypedTool for Rewind {
    type Input = Input;
    const NAME: &'static str = "rewind";
    const PROMPT: &'static str = include_str!("rewind.md");
    const TRAITS: ToolTraits = ToolTraits::REPORTS;
    const WORK: ToolWork<Self> = ToolWork::Keeps(|Self(explored), input: Input| {
        let report = input.report.trim();
        if report.is_empty() {
            let hint = "say what you found; all else since the checkpoint goes";
            return ToolOutcome::failed_with("the report is empty", hint);
        }
        match explored.end() {
            true => ToolOutcome::done(report),
            false => ToolOutcome::failed_with("no checkpoint is open in this turn", "go on without"),
        }
    });

    fn action(&self, _input: Option<Input>, _args: &Args) -> Action {
        Action { family: Family::Own, subjects: Vec::new(), read_only: ReadOnly::Yes }
    }
}
